"""Statistics: arrays and a score function in, small frozen results out. No metric, file, study or page."""

from nlgauge.stats.draws import Resampler, cluster_sums
from nlgauge.stats.hierarchy import crossed_bootstrap, nested_bootstrap
from nlgauge.stats.multiple import benjamini_hochberg, holm
from nlgauge.stats.permutation import Permutation, compare_judgements, sign_flip_test
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
    "Permutation",
    "Resampler",
    "all_pairs",
    "approximate_randomisation",
    "benjamini_hochberg",
    "bootstrap",
    "cluster_sums",
    "compare_judgements",
    "crossed_bootstrap",
    "holm",
    "intervals",
    "jackknife",
    "nested_bootstrap",
    "paired_bootstrap",
    "paired_tests",
    "sign_flip_test",
]
