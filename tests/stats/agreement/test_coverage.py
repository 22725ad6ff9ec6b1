"""Simulated coverage of the default intervals; docs/agreement.md tabulates it for more sizes.

600 samples at a true coverage of 95 % give a share with standard error 0.9 %. At 100 items an interval must hold the
true value in at least 92 % of samples: the promised 93 %, less one standard error.
"""

from __future__ import annotations

import pytest
from simulate import cases, coverage

from nlgauge.stats.agreement import Limits

CASES = {case[0]: case[1:] for case in cases()}
SLOW = {
    "percent agreement, 3 judges": (600, 0.92),
    "Gwet's AC1, 3 judges": (600, 0.92),
    "Fleiss' kappa .9, 3 judges": (600, 0.92),
    "Krippendorff's alpha, interval": (600, 0.92),
    "ICC(2,1), severities drawn too": (
        600,
        0.89,
    ),  # three judges are few to draw from: the shortfall is in the docs
    "Kendall's W": (60, 0.87),  # the jackknife takes its time: few samples, wide tolerance
    "mean pairwise Spearman": (60, 0.87),
}


@pytest.mark.parametrize(
    "name",
    ["Cohen's kappa, 2 judges", "Fleiss' kappa, 3 judges", "Krippendorff's alpha, nominal", "ICC(1,1)"],
)
def test_coverage_at_100_items(name: str) -> None:
    assert 0.92 <= coverage(*CASES[name], 100, 600, Limits()) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_coverage_of_others(name: str) -> None:
    samples, least = SLOW[name]
    assert coverage(*CASES[name], 100, samples, Limits()) >= least
