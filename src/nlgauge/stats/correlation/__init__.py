"""Correlation between scores, its uncertainty, and differences between correlations."""

from nlgauge.stats.correlation.coefficients import (
    COEFFICIENTS,
    kendall_b,
    kendall_c,
    pearson,
    spearman,
)
from nlgauge.stats.correlation.levels import STATISTICS, Correlation, correlate
from nlgauge.stats.correlation.pairs import (
    accuracy_23,
    accuracy_eq,
    agreement,
    kendall_like,
    kendall_like_from_scores,
    soft_pairwise_accuracy,
    tau_23,
)

__all__ = [
    "COEFFICIENTS",
    "STATISTICS",
    "Correlation",
    "accuracy_23",
    "accuracy_eq",
    "agreement",
    "correlate",
    "kendall_b",
    "kendall_c",
    "kendall_like",
    "kendall_like_from_scores",
    "pearson",
    "soft_pairwise_accuracy",
    "spearman",
    "tau_23",
]
