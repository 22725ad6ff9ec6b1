"""The triangle test and its relatives from Python: plan, critical counts, test, tables, and what else a study needs.

    import nlgauge as ng
    ng.triangle.plan(alpha=.05, beta=.05, p_d=.5).stable
    ng.triangle.test(correct=36, judges=98, goal="similarity", beta=.01, p_d=.30).sentence

Every function takes `protocol`: triangle (the default), duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or
double-… of one of them. All are the functions of `nlgauge.stats.discrimination`, gathered under one name.
"""

from __future__ import annotations

from nlgauge.stats.discrimination.estimates import estimate, rescale
from nlgauge.stats.discrimination.planning import design, needed, settings, smallest_p_d
from nlgauge.stats.discrimination.plans import critical, plan
from nlgauge.stats.discrimination.protocols import PROTOCOLS
from nlgauge.stats.discrimination.protocols import find as protocol
from nlgauge.stats.discrimination.tables import judges_table, max_correct_table, min_correct_table
from nlgauge.stats.discrimination.testing import test

__all__ = [
    "PROTOCOLS",
    "critical",
    "design",
    "estimate",
    "judges_table",
    "max_correct_table",
    "min_correct_table",
    "needed",
    "plan",
    "protocol",
    "rescale",
    "settings",
    "smallest_p_d",
    "test",
]
