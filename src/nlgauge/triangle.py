"""The triangle test and its relatives from Python: plan, critical counts, test, tables, and what else a study needs.

    import nlgauge as ng
    ng.triangle.plan(alpha=.05, beta=.05, p_d=.5).stable
    ng.triangle.test(correct=36, judges=98, goal="similarity", beta=.01, p_d=.30).sentence

Every function takes `protocol`: triangle (the default), duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or
double-… of one of them. All are the functions of `nlgauge.stats.discrimination`, gathered under one name.
"""

from __future__ import annotations

from nlgauge.stats import discrimination as _discrimination
from nlgauge.stats.discrimination import *  # noqa: F403 - the facade is that package's list of names
from nlgauge.stats.discrimination.planning import all_tables as tables

__all__ = [*_discrimination.__all__, "tables"]  # noqa: PLE0604 - the names of that package
