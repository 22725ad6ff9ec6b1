"""Scores of single samples from comparisons of two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import spearman
from nlgauge.stats.skill.samples import (
    Verdicts,
    common_references,
    five_points,
    rate_samples,
    score_against_references,
    score_by_comparisons,
)

STRENGTH = np.random.default_rng(3).normal(size=100) * 2


def judge(lean: float = 0.0, band: float = 0.3) -> Verdicts:
    """Verdicts by the strengths, with noise, a tie band, and an advantage of the first."""
    rng = np.random.default_rng(8)

    def verdicts(pairs: Sequence[tuple[int, int]]) -> list[str]:
        first, second = np.array(pairs).T
        seen = STRENGTH[first] - STRENGTH[second] + lean + rng.logistic(size=len(pairs))
        return ["tie" if abs(x) < band else "a" if x > 0 else "b" for x in seen]

    return verdicts


@pytest.mark.parametrize("lean", [0.0, 1.5])
def test_three_ways_to_score_samples_recover_their_order_though_the_judge_leans(lean: float) -> None:
    rated = rate_samples(100, judge(lean))
    points = score_against_references(100, judge(lean))
    fives = score_by_comparisons(100, judge(lean), k=20)
    for found, least in ((rated, 0.9), (points, 0.9), (fives, 0.85)):
        assert spearman(found.scores, STRENGTH) > least
        assert all(one.low <= one.score <= one.high for one in found.samples)
    assert len(rated.games) == 10_000 and sum(one.games for one in rated.samples) == 20_000
    assert {one.games for one in points.samples} == {49, 50}  # a reference does not meet itself
    assert {one.games for one in fives.samples} == {20}
    assert rated.to_dict() == rate_samples(100, judge(lean)).to_dict()


def test_points_are_three_one_and_nothing() -> None:
    """Sample 0 beats everything, 1 ties with everything else, 2 and 3 lose to 0 only."""

    def verdicts(pairs: Sequence[tuple[int, int]]) -> list[str]:
        return ["a" if a == 0 else "b" if b == 0 else "tie" for a, b in pairs]

    found = score_against_references(4, verdicts, references=[0, 1, 2])
    assert found.scores.tolist() == [3.0, 0.5, 0.5, pytest.approx(2 / 3)]
    assert [(one.wins, one.ties, one.losses) for one in found.samples] == [
        (2, 0, 0),
        (0, 1, 1),
        (0, 1, 1),
        (0, 2, 1),
    ]


def test_four_comparisons_without_ties_give_the_papers_five_points() -> None:
    assert five_points(range(5), 0, 4)[0].tolist() == [1, 2, 3, 4, 5]
    value, low, high = five_points([0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0], 2)
    assert value.tolist() == [1, 2, 3, 3, 4, 5] and (low <= value).all() and (value <= high).all()
    assert (low >= 1).all() and (high <= 5).all()
    many = five_points([60], [20], [100])
    assert many[0] == pytest.approx([1 + 4 * 0.7]) and many[2] - many[1] < 4 * 0.19
    assert np.isnan(five_points(0, 0, 0)[0])


def test_samples_meet_within_their_context_only() -> None:
    contexts = [k // 3 for k in range(99)] + ["alone"]
    for found in (
        rate_samples(100, judge(), contexts=contexts, plays=3000),
        score_by_comparisons(100, judge(), contexts=contexts),
    ):
        assert (found.games.first // 3 == found.games.second // 3).all()
        assert (found.games.first != found.games.second).all()
        assert found.samples[99].games == 0 and found.to_dict()["samples"][99]["score"] is None
        assert "without a score: 1" in found.notes[-1]
        assert all(one.games for one in found.samples[:99])
    crossed = rate_samples(100, judge(), plays=3000).games
    assert (crossed.first // 3 != crossed.second // 3).any()


def test_references_are_drawn_by_the_seed() -> None:
    assert len(set(common_references(200).tolist())) == 50
    assert (common_references(200, seed=1) != common_references(200, seed=2)).any()


def test_what_cannot_be_scored_is_refused() -> None:
    for call, told in (
        (lambda: rate_samples(1, judge()), "at least two"),
        (lambda: rate_samples(3, judge(), contexts=["x"]), "a context for each"),
        (lambda: rate_samples(3, judge(), contexts=["x", "y", "z"]), "stands alone"),
        (lambda: rate_samples(3, judge(), plays=0), "plays"),
        (lambda: rate_samples(3, lambda pairs: ["a"]), "1 verdicts on 10,000 pairs"),
        (lambda: rate_samples(3, lambda pairs: ["won"] * len(pairs)), "the judge said 'won'"),
        (lambda: score_against_references(3, judge(), references=[7, 8]), "numbers from 0 to 2"),
        (lambda: score_by_comparisons(3, judge(), k=0), "k must be"),
        (lambda: five_points(3, 2, 4), "at most the comparisons"),
        (lambda: common_references(10), "1 to 10 references"),
    ):
        with pytest.raises(InputError, match=told):
            call()
