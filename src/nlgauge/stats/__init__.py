"""Statistics: arrays and a score function in, small frozen results out. No metric, file, study or page."""

from nlgauge.stats.draws import Resampler
from nlgauge.stats.multiple import benjamini_hochberg, holm
from nlgauge.stats.resample import (
    all_pairs,
    approximate_randomisation,
    bootstrap,
    intervals,
    jackknife,
    paired_bootstrap,
    paired_tests,
)
from nlgauge.stats.results import Estimate, Interval, Jackknife, PairedTest

__all__ = [
    "Estimate",
    "Interval",
    "Jackknife",
    "PairedTest",
    "Resampler",
    "all_pairs",
    "approximate_randomisation",
    "benjamini_hochberg",
    "bootstrap",
    "holm",
    "intervals",
    "jackknife",
    "paired_bootstrap",
    "paired_tests",
]
