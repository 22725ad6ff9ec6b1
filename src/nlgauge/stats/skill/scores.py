"""The linear mixed model of who was preferred to whom: tests and errors that hold for other judges and items.

What a judge said of the texts of an item becomes a score of each text, by least squares of the preferences (1, 0 for a
tie, -1): of a ranking its ranks, of a pair half a win. Only differences within a judge's answers on an item count;
judges and items may favour systems, each with a variance, as in the model of ratings, and degrees of freedom are
Satterthwaite's. With five judges and no difference the F test finds one as often as it should, where sandwiches over
judges and items are far too cautious (docs/mixed-models.md has the simulation).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.stats.mixed.linear import LinearMixed, linear_within
from nlgauge.stats.mixed.results import UNFINISHED, Joint
from nlgauge.stats.skill.games import Games

MOST = 1_500  # favours of judges and items: their matrix is factorised some dozen times
Game = tuple[int, int, float]


@dataclass(frozen=True)
class Scores:
    """The model, and the covariance of the same effects had all screens been independent; systems as in the games."""

    model: LinearMixed
    plain: Array
    place: Ints  # of each player among the model's systems

    @property
    def test(self) -> Joint:
        """Whether any system is preferred to another."""
        return self.model.test()

    def widening(self, contrast: Array) -> float:
        """By how much judges and items who favour systems multiply the variance of a difference."""
        own = self._placed(contrast)
        return float((own @ self.model.covariance @ own) / (own @ self.plain @ own))

    def df(self, contrast: Array) -> float:
        """Satterthwaite's degrees of freedom of a difference."""
        return self.model.df(self._placed(contrast))

    def statistic(self, contrast: Array) -> float:
        """A difference of mean scores in its standard errors."""
        own = self._placed(contrast)
        return float(own @ self.model.beta / np.sqrt(own @ self.model.covariance @ own))

    def _placed(self, contrast: Array) -> Array:
        own = np.zeros(len(contrast))
        own[self.place] = contrast
        return own


def fit_scores(games: Games, *, level: float = 0.95) -> Scores:
    """Fit; refused where there are too many judges and items for it, nothing varies, or no best fit is found."""
    assert games.judge is not None and games.item is not None
    rows = list(_rows(games))
    score, system, screen, judge, item = zip(*rows, strict=True)
    groups = {
        name: labels
        for name, labels in (("judge", judge), ("item", item))
        if len(set(labels)) > 1 and len(set(zip(labels, system, strict=True))) < len(rows)
    }
    levels = sum(len(set(zip(labels, system, strict=True))) for labels in groups.values())
    if levels > MOST:
        raise InputError(
            f"{levels:,} favours of judges and items are too many for the mixed model of scores ({MOST:,})"
        )
    found = linear_within(score, system, screen, groups, level=level)
    if not found.converged:
        raise InputError(UNFINISHED)
    plain = linear_within(score, system, screen, {}, level=level)
    place = np.array([found.systems.index(str(k)) for k in range(len(games.players))])
    return Scores(found, plain.covariance, place)


def dividing(games: Games) -> tuple[int, float] | None:
    """The system about which judges differ most, against how they differ about the others: an F test of the variances
    of judges' mean scores, by Bonferroni over systems. None below three systems or judges of all of them.
    """
    from scipy.special import fdtrc

    size = len(games.players)
    told: dict[int, list[list[float]]] = {}
    for value, system, _, judge, _ in _rows(games):
        told.setdefault(judge, [[] for _ in range(size)])[system].append(value)
    means = np.array([[np.mean(own) for own in each] for each in told.values() if all(each)])
    if size < 3 or len(means) < 3:
        return None
    found = []
    for system in range(size):
        others = np.delete(means, system, axis=1)
        level = others.mean(axis=1)
        apart = (means[:, system] - level).var(ddof=1) * (size - 1) / size
        within = (others - level[:, None]).var(axis=0, ddof=1).sum() / (size - 2)
        degrees = len(means) - 1
        ratio = apart / within if within > 0 else np.inf if apart > 0 else 0.0
        found.append((size * float(fdtrc(degrees, degrees * (size - 2), ratio)), system))
    p, system = min(found)
    return system, min(1.0, p)


def _rows(games: Games) -> Iterator[tuple[float, int, int, int, int]]:
    """Score, system, screen, judge and item of every text; a screen is what a judge's answers on an item connect."""
    told: dict[tuple[int, int], list[Game]] = {}
    assert games.judge is not None and games.item is not None
    columns = (games.judge, games.item, games.first, games.second, games.score)
    for judge, item, first, second, score in zip(*(column.tolist() for column in columns), strict=True):
        told.setdefault((judge, item), []).append((first, second, 2 * score - 1))
    screen = 0
    for (judge, item), answers in told.items():
        for piece in _connected(answers):
            for system, value in _least_squares(piece).items():
                yield value, system, screen, judge, item
            screen += 1


def _connected(answers: Sequence[Game]) -> list[list[Game]]:
    """Answers that texts connect; what is never compared on a screen has no common zero."""
    pieces: list[tuple[set[int], list[Game]]] = []
    for answer in answers:
        texts, held = {answer[0], answer[1]}, [answer]
        apart = []
        for piece in pieces:
            if piece[0] & texts:
                texts, held = texts | piece[0], piece[1] + held
            else:
                apart.append(piece)
        pieces = [*apart, (texts, held)]
    return [held for _, held in pieces]


def _least_squares(answers: Sequence[Game]) -> dict[int, float]:
    """Scores that sum to 0, their differences as near to the answers as can be."""
    if len(answers) == 1:
        first, second, gap = answers[0]
        return {first: gap / 2, second: -gap / 2}
    texts = sorted({text for answer in answers for text in answer[:2]})
    number = {text: k for k, text in enumerate(texts)}
    laplacian, won = np.ones((len(texts), len(texts))), np.zeros(len(texts))
    for first, second, gap in answers:
        a, b = number[first], number[second]
        laplacian[[a, b, a, b], [a, b, b, a]] += (1.0, 1.0, -1.0, -1.0)
        won[[a, b]] += (gap, -gap)
    return dict(zip(texts, np.linalg.solve(laplacian, won).tolist(), strict=True))
