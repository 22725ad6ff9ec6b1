"""Best–worst scaling, and preferences with strength."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.skill import Games, fit, plackett_luce
from nlgauge.stats.skill.best_worst import Trial, best_worst, counting
from nlgauge.stats.skill.strength import fit_strengths

TRUE = np.array([1.0, 0.4, 0.0, -0.4, -1.0])


def draws(seed: int, sets: int, size: int = 4) -> list[Trial]:
    """Sets answered by the maxdiff model."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(sets):
        shown = rng.choice(5, size=size, replace=False)
        pairs = [(b, w) for b in shown for w in shown if b != w]
        weight = np.exp([TRUE[b] - TRUE[w] for b, w in pairs])
        best, worst = pairs[rng.choice(len(pairs), p=weight / weight.sum())]
        out.append(Trial(tuple(map(int, shown)), int(best), int(worst)))
    return out


def test_counting_by_hand() -> None:
    trials = [Trial((0, 1, 2), 0, 2), Trial((0, 1, 3), 0, 3), Trial((1, 2, 3), 1, 3)]
    assert [one.estimate for one in counting("abcd", trials)] == pytest.approx([1, 1 / 3, -0.5, -1])
    assert counting("abcd", trials)[1].n == 3


def test_maximum_is_a_maximum_for_both_models() -> None:
    trials = draws(0, 120)
    for model in ("maxdiff", "sequential"):
        found = best_worst("abcde", trials, model=model)  # type: ignore[arg-type]
        theta = np.array([one.estimate for one in found.strengths])
        assert theta.sum() == pytest.approx(0, abs=1e-9)

        def likelihood(t: np.ndarray, model: str = model) -> float:
            total = 0.0
            for one in trials:
                s = list(one.shown)
                if model == "maxdiff":
                    norm = sum(math.exp(t[b] - t[w]) for b in s for w in s if b != w)
                    total += t[one.best] - t[one.worst] - math.log(norm)
                else:
                    total += t[one.best] - math.log(sum(math.exp(t[k]) for k in s))
                    rest = [k for k in s if k != one.best]
                    total += -t[one.worst] - math.log(sum(math.exp(-t[k]) for k in rest))
            return total

        assert found.log_likelihood == pytest.approx(likelihood(theta))
        rng = np.random.default_rng(1)
        assert all(likelihood(theta + 0.05 * rng.normal(size=5)) < found.log_likelihood for _ in range(20))


def test_pairs_are_bradley_terry() -> None:
    """In sets of two, the best is the winner; maxdiff counts the difference twice, once for each role."""
    trials = draws(2, 300, size=2)
    found = best_worst("abcde", trials)
    expected = plackett_luce(5, [(one.best, [one.worst]) for one in trials])
    assert [2 * one.estimate for one in found.strengths] == pytest.approx(expected.tolist(), abs=1e-6)


def test_recovers_strengths_with_coverage() -> None:
    covered, found = 0, []
    for seed in range(60):
        fitted = best_worst("abcde", draws(100 + seed, 80))
        covered += sum(one.low <= t <= one.high for one, t in zip(fitted.strengths, TRUE, strict=True))
        found.append([one.estimate for one in fitted.strengths])
    assert np.mean(found, axis=0) == pytest.approx(TRUE, abs=0.1)
    assert 0.91 < covered / 300 < 0.985


def test_clusters_widen_and_order() -> None:
    trials = draws(3, 60) * 3  # each set answered three times alike: a third of the information
    plain = best_worst("abcde", trials)
    robust = best_worst("abcde", trials, clusters=list(range(60)) * 3)
    ratio = (robust.strengths[0].high - robust.strengths[0].low) / (plain.strengths[0].high - plain.strengths[0].low)
    assert 1.4 < ratio < 2.1
    assert plain.order[0] == "a" and "a is chosen best most" in str(plain)
    assert plain.to_dict()["players"][0]["player"] == "a"


def test_bad_sets() -> None:
    with pytest.raises(InputError, match="two different outputs"):
        best_worst("abc", [Trial((0, 1, 2), 1, 1)])
    with pytest.raises(InputError, match="no finite estimate"):
        best_worst("abc", [Trial((0, 1, 2), 0, 2)] * 5)
    assert best_worst("abc", [Trial((0, 1, 2), 0, 2)] * 5, ridge=0.5).order == ("a", "b", "c")
    with pytest.raises(InputError, match="never shown"):
        counting("abcd", [Trial((0, 1, 2), 0, 2)])


def answers(seed: int, n: int, kinds: int, place: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=n)
    b = (a + rng.integers(1, 5, size=n)) % 5
    steps = np.arange(kinds) - (kinds - 1) / 2
    score = (TRUE[a] - TRUE[b] + place)[:, None] * steps - 0.2 * np.abs(steps)
    chance = np.exp(score)
    chance /= chance.sum(axis=1, keepdims=True)
    return a, b, (rng.random(n)[:, None] > chance.cumsum(axis=1)).sum(axis=1)


def test_two_answers_are_bradley_terry_and_three_are_davidson() -> None:
    for kinds, times in ((2, 1.0), (3, 2.0)):
        a, b, y = answers(0, 400, kinds)
        ours = fit_strengths("abcde", a, b, y, kinds)
        names = {0: "b", kinds - 1: "a"}
        games = Games.of(["abcde"[k] for k in a], ["abcde"[k] for k in b], [names.get(int(v), "tie") for v in y])
        theirs = fit(games, ties="davidson")
        expected = {name: float(v) for name, v in zip(theirs.players, theirs.strength, strict=True)}
        for one in ours.strengths:
            assert times * one.estimate == pytest.approx(expected[one.name], abs=1e-6)


def test_strengths_are_recovered_with_a_first_place_advantage() -> None:
    found, covered = [], 0
    for seed in range(60):
        a, b, y = answers(10 + seed, 250, 5, place=0.3)
        fitted = fit_strengths("abcde", a, b, y, 5, place=True)
        assert fitted.first_place is not None
        found.append(fitted.first_place.estimate)
        covered += sum(one.low <= t <= one.high for one, t in zip(fitted.strengths, TRUE, strict=True))
    assert np.mean(found) == pytest.approx(0.3, abs=0.04)
    assert 0.91 < covered / 300 < 0.985
    chance = fitted.chances("a", "e")
    assert chance.sum() == pytest.approx(1) and chance[-1] > chance[0]
    assert fitted.order[0] == "a" and "strongest" in str(fitted)


def test_bad_comparisons() -> None:
    with pytest.raises(InputError, match="from 0 to 2"):
        fit_strengths("ab", [0], [1], [3], 3)
    with pytest.raises(InputError, match="different players"):
        fit_strengths("ab", [0], [0], [1], 3)
    with pytest.raises(InputError, match="no finite estimate"):
        fit_strengths("ab", [0, 0], [1, 1], [2, 2], 3)
    assert fit_strengths("ab", [0, 0], [1, 1], [2, 2], 3, ridge=0.5).order == ("a", "b")
