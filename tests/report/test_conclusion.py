"""What is concluded, in all constellations: the words must never say more than the tests found."""

from __future__ import annotations

import dataclasses
import random

from builders import comparison, comparisons, scores

from nlgauge.report.text import conclusion, headline
from nlgauge.results import Comparison

METHOD = "Paired approximate randomisation with 10,000 trials, n = 60, seed 7; p-values adjusted by Holm's method"


def test_one_system_is_stated_and_not_ranked() -> None:
    text = conclusion(scores({"bleu": {"a": 41.234}, "rougeL": {"a": 0.5}}), None)
    assert text == "a scores 41.23 on bleu and 0.5000 on rougeL."


def test_untested_differences_are_called_untested() -> None:
    table = scores({"bleu": {"a": 40.0, "b": 41.0}, "ter": {"a": 30.0, "b": 35.0}}, lower=("ter",))
    text = conclusion(table, None)
    assert text.startswith("a has the best score on 1 of 2 metrics (ter), b on bleu. ")
    assert text.endswith(" The differences were not tested for significance.")
    assert "significantly" not in text


def test_all_significant() -> None:
    table = comparisons(comparison("bleu", "new", 5, 0.001), comparison("chrf", "new", 3, 0.002))
    text = conclusion(None, table)
    assert text.startswith("new has the best score on both metrics (bleu and chrf). ")
    assert "Against base: new scores significantly better on both metrics tested (adjusted p ≤ 0.0020)." in text
    assert METHOD in text
    assert "over 2 comparisons, α = 0.05; intervals hold for one comparison each." in text
    assert headline(None, table).endswith("new is significantly better than base on both metrics tested.")


def test_nothing_significant_is_not_called_equal() -> None:
    table = comparisons(comparison("bleu", "new", 5, 0.06), comparison("chrf", "new", -3, 0.9))
    text = conclusion(None, table)
    assert "no significant difference was found for new on either metric tested (adjusted p ≥ 0.0600)" in text
    assert "significantly" not in text
    assert "equal" not in text
    assert "No significant difference between" in headline(None, table)


def test_mixed_outcomes_are_told_apart() -> None:
    table = comparisons(
        comparison("bleu", "new", 5, 0.001),
        comparison("chrf", "new", -4, 0.012),
        comparison("rougeL", "new", 1, 0.4),
    )
    assert (
        "new scores significantly better on bleu (adjusted p = 0.0010) and significantly worse on chrf "
        "(adjusted p = 0.0120), while no significant difference was found on rougeL (adjusted p = 0.4000)"
    ) in conclusion(None, table)


def test_lower_is_better() -> None:
    table = comparisons(comparison("ter", "new", -5, 0.001, direction="lower"))
    assert conclusion(None, table).startswith("new has the best score on ter.")
    assert "new scores significantly better on ter" in conclusion(None, table)
    worse = comparisons(comparison("ter", "new", 5, 0.001, direction="lower"))
    assert conclusion(None, worse).startswith("base has the best score on ter.")
    assert "new scores significantly worse on ter" in conclusion(None, worse)
    assert "base is significantly better than new on ter" in headline(None, worse)


def test_ties_are_shared() -> None:
    table = scores({"bleu": {"a": 40.001, "b": 40.004, "c": 12.0}})
    assert conclusion(table, None).startswith("a and b share the best score on bleu.")


def test_a_zero_difference_is_never_significant() -> None:
    table = comparisons(comparison("bleu", "new", 0.0, 0.001))
    assert "no significant difference was found" in conclusion(None, table)


def test_systems_with_one_outcome_share_a_clause_and_the_rest_is_untested() -> None:
    table = comparisons(*(comparison("bleu", name, -5, 0.004) for name in ("x", "y", "z")))
    text = conclusion(None, table)
    assert "Against base: x, y and z score significantly worse on bleu (adjusted p ≤ 0.0040)." in text
    assert "Differences among the other systems were not tested." in text


def test_the_level_decides_on_the_adjusted_p_value() -> None:
    for p, found in ((0.05, True), (0.0500001, False)):
        text = conclusion(None, comparisons(comparison("bleu", "new", 5, p)))
        assert ("significantly better" in text) == found


def test_many_pairs_are_counted() -> None:
    names = [f"s{number}" for number in range(9)]
    rows = [
        comparison("bleu", b, 5, 0.001 if (i + j) % 2 else 0.5, baseline=a)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    text = conclusion(None, comparisons(*rows))
    assert "significant for 20 of 36 pairs of systems on bleu; for the other pairs none was found." in text


def test_pairs_of_few_systems_are_all_named() -> None:
    rows = [comparison("bleu", "b", 5, 0.001, baseline="a"), comparison("bleu", "c", 5, 0.5, baseline="a")]
    rows.append(comparison("bleu", "c", -2, 0.3, baseline="b"))
    text = conclusion(None, comparisons(*rows))
    assert "Against a: b scores significantly better on bleu" in text
    assert "Against b: no significant difference was found for c on bleu" in text
    assert "not tested" not in text


def test_the_headline_names_the_rival_that_comes_nearest() -> None:
    table = scores({"bleu": {"a": 50, "b": 49, "c": 20}, "chrf": {"a": 60, "b": 55, "c": 30}})
    tests = comparisons(
        comparison("bleu", "b", -1, 0.4, baseline="a"),
        comparison("bleu", "c", -30, 0.001, baseline="a"),
        comparison("chrf", "b", -5, 0.01, baseline="a"),
        comparison("chrf", "c", -30, 0.001, baseline="a"),
    )
    assert headline(table, tests) == (
        "a has the best score on both metrics (bleu and chrf). a is significantly better than b on chrf; "
        "no significant difference between them was found on bleu. a was tested against 2 systems and is "
        "significantly better than 1 of them on every metric tested."
    )


def test_a_significant_verdict_always_matches_its_comparison() -> None:
    rng = random.Random(3)
    for _ in range(200):
        direction = rng.choice(("higher", "lower"))
        row = comparison("m", "new", rng.uniform(-5, 5), rng.random() ** 3, direction=direction)
        text = conclusion(None, comparisons(row))
        assert ("significantly better" in text) == (row.p_adjusted <= 0.05 and row.better)
        assert ("significantly worse" in text) == (row.p_adjusted <= 0.05 and not row.better)


def test_a_family_smaller_than_the_table_is_one_metric() -> None:
    rows = (comparison("bleu", "new", 5, 0.001), comparison("chrf", "new", 5, 0.001))
    text = conclusion(None, dataclasses.replace(comparisons(*rows), family=1))
    assert "Holm's method over one comparison within each metric, α = 0.05." in text


def test_metrics_without_a_test_are_named() -> None:
    table = scores({"bleu": {"base": 50, "new": 55}, "chrf": {"base": 50, "new": 55}, "nist": {"base": 5, "new": 6}})
    tests = comparisons(comparison("bleu", "new", 5, 0.001), comparison("chrf", "new", 5, 0.001))
    text = conclusion(table, tests)
    assert text.startswith("new has the best score on all 3 metrics (bleu, chrf and nist).")
    assert "significantly better on both metrics tested" in text
    assert "Differences on nist were not tested." in text


def all_pairs(metric: str, p: float) -> list[Comparison]:
    names = [f"s{number}" for number in range(8)]
    return [comparison(metric, b, 5, p, baseline=a) for i, a in enumerate(names) for b in names[i + 1 :]]


def test_other_pairs_are_mentioned_only_where_there_are_some() -> None:
    every = conclusion(None, comparisons(*all_pairs("bleu", 0.001)))
    assert "The difference is significant for all 28 pairs of systems on bleu. " in every
    assert "other pairs" not in every
    mixed = conclusion(None, comparisons(*all_pairs("bleu", 0.001), *all_pairs("chrf", 0.4)))
    assert (
        "significant for all 28 pairs of systems on bleu and none of 28 pairs of systems on chrf; for the other pairs "
        "none was found."
    ) in mixed
    none = conclusion(None, comparisons(*all_pairs("bleu", 0.4)))
    assert "No significant difference was found for any of the pairs of systems on bleu. " in none


def test_a_significant_difference_that_rounds_to_nothing_is_called_tiny_and_printed() -> None:
    row = dataclasses.replace(comparison("bleu", "new", 0.0031, 0.001), low=0.0012, high=0.0052)
    text = str(comparisons(row))
    assert "+0.0031  +0.0012 to +0.0052" in text
    assert "new scores significantly better on bleu (adjusted p = 0.0010; by less than 0.01 on bleu)" in text
    undecided = dataclasses.replace(row, p=0.5, p_adjusted=0.5)
    assert " 0.00 " in str(comparisons(undecided))
    assert "by less than" not in str(comparisons(undecided))
    usual = str(comparisons(comparison("bleu", "new", 5, 0.001)))
    assert "+5.00" in usual
    assert "by less than" not in usual
