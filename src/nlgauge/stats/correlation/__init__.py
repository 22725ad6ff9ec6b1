"""Correlation between scores, its uncertainty, and differences between correlations."""

from nlgauge.stats.correlation.bootstrap import correlate_with_interval
from nlgauge.stats.correlation.coefficients import kendall_b, kendall_c, pearson, spearman
from nlgauge.stats.correlation.darr import PairCounts, darr_pairs, kendall_like
from nlgauge.stats.correlation.judges import SingleJudge, single_judge
from nlgauge.stats.correlation.levels import Correlation, correlate
from nlgauge.stats.correlation.pairs import (
    Calibrated,
    accuracy_23,
    accuracy_eq,
    agreement,
    kendall_like_from_scores,
    tau_23,
)
from nlgauge.stats.correlation.significance import MetricComparison, Ranked, clusters, compare_metrics, letters
from nlgauge.stats.correlation.soft import pairwise_p_values, soft_pairwise_accuracy
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic, statistic
from nlgauge.stats.correlation.williams import Williams, williams, williams_test

__all__ = [
    "STATISTICS",
    "Calibrated",
    "Correlation",
    "MetricComparison",
    "PairCounts",
    "Ranked",
    "SingleJudge",
    "Statistic",
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
    "statistic",
    "tau_23",
    "williams",
    "williams_test",
]
