"""Correlations and their tests against the numbers stated in mt-metrics-eval's own tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from recorded import Case, cases

from nlgauge.stats.correlation import (
    accuracy_23,
    accuracy_eq,
    agreement,
    correlate,
    kendall_b,
    kendall_c,
    kendall_like_from_scores,
    soft_pairwise_accuracy,
    tau_23,
    williams_test,
)

AVERAGE = {"none": "none", "sys": "system", "item": "item"}


def array(case: Case, key: str) -> Any:
    """The scores on record as (systems, items)."""
    return np.array(case.options[key], dtype=float).reshape(case.options.get("num_sys", 1), -1)


@pytest.mark.parametrize("case", cases("meta:Pearson", "meta:Kendall-b", "meta:Kendall-c", "meta:Pearson-PDP"))
def test_coefficients(case: Case) -> None:
    got = correlate(
        array(case, "gold"),
        array(case, "metric_scores"),
        statistic=case.metric.removeprefix("meta:"),
        average=AVERAGE[case.options["average_by"]],
    )
    case.check(got.estimate)


VARIANTS = {
    "meta:Kendall variant b": lambda human, metric, epsilon: kendall_b(human, metric),
    "meta:Kendall variant c": lambda human, metric, epsilon: kendall_c(human, metric),
    "meta:Kendall variant 23": tau_23,
    "meta:Kendall variant acc23": accuracy_23,
}


@pytest.mark.parametrize("case", cases(*VARIANTS))
def test_kendall_variants(case: Case) -> None:
    got = VARIANTS[case.metric](case.options["gold"], case.options["metric_scores"], case.options["epsilon"])
    case.check(got)


@pytest.mark.parametrize("case", cases("meta:acc23 with tie optimisation"))
def test_tie_calibration(case: Case) -> None:
    case.check(accuracy_eq(case.options["gold"], case.options["metric_scores"]).accuracy)


@pytest.mark.parametrize("case", cases("meta:KendallLike"))
def test_kendall_like(case: Case) -> None:
    # mt-metrics-eval counts pairs from the threshold up, nlgauge those above it, as the paper of WMT19 has it.
    below = case.options["thresh"] * (1 - 1e-9)
    got = kendall_like_from_scores(case.options["gold"], case.options["metric_scores"], below)
    case.check({"tau": got.tau, "pairs": got.pairs, "conc": got.concordant, "disc": got.discordant})


@pytest.mark.parametrize("case", cases("meta:Agreement"))
def test_agreement(case: Case) -> None:
    agree, pairs = agreement(case.options["gold"], case.options["metric_scores"])
    case.check({"agree": agree, "num_pairs": pairs})


@pytest.mark.parametrize("case", cases("meta:PairwiseConfidenceError"))
def test_soft_pairwise_accuracy(case: Case) -> None:
    # 1,000 draws from seed 4, as on record; the exact value, over all 8 sign patterns, is 0.875.
    human, metric = array(case, "gold"), array(case, "metric_scores")
    case.check(soft_pairwise_accuracy(human, metric, draws=1000, seed=4, exact=False))
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(0.875, abs=1e-12)


@pytest.mark.parametrize("case", cases("meta:Williams test"))
def test_williams(case: Case) -> None:
    got = williams_test(
        array(case, "gold"),
        array(case, "metric1"),
        array(case, "metric2"),
        statistic=case.options.get("corr", "Pearson"),
        average=AVERAGE[case.options.get("average_by", "none")],
        sided="one",
        missing="mt-metrics-eval",
    )
    case.check({"p": got.p, "r1": got.first, "r2": got.second})
