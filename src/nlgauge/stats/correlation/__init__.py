"""Correlation between scores, its uncertainty, and differences between correlations."""

from nlgauge.stats.correlation.bootstrap import correlate_with_interval
from nlgauge.stats.correlation.clusters import Ranked, clusters, letters
from nlgauge.stats.correlation.coefficients import (
    COEFFICIENTS,
    kendall_b,
    kendall_c,
    pearson,
    spearman,
)
from nlgauge.stats.correlation.judges import SingleJudge, single_judge
from nlgauge.stats.correlation.levels import STATISTICS, Correlation, correlate, statistic_name
from nlgauge.stats.correlation.pairs import (
    Calibrated,
    PairCounts,
    accuracy_23,
    accuracy_eq,
    agreement,
    darr_pairs,
    kendall_like,
    kendall_like_from_scores,
    pairwise_p_values,
    soft_pairwise_accuracy,
    tau_23,
)
from nlgauge.stats.correlation.significance import MetricComparison, compare_metrics
from nlgauge.stats.correlation.williams import Williams, williams, williams_test

__all__ = [
    "COEFFICIENTS",
    "STATISTICS",
    "Calibrated",
    "Correlation",
    "MetricComparison",
    "PairCounts",
    "Ranked",
    "SingleJudge",
    "Williams",
    "accuracy_23",
    "accuracy_eq",
    "agreement",
    "clusters",
    "compare_metrics",
    "correlate",
    "correlate_with_interval",
    "darr_pairs",
    "kendall_b",
    "kendall_c",
    "kendall_like",
    "kendall_like_from_scores",
    "letters",
    "pairwise_p_values",
    "pearson",
    "single_judge",
    "soft_pairwise_accuracy",
    "spearman",
    "statistic_name",
    "tau_23",
    "williams",
    "williams_test",
]
