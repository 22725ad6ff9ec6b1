"""Best–worst scaling: of a few outputs shown together, which is best and which is worst.

Counting gives (times best - times worst) / times shown (Orme 2009), enough where sets are balanced. The
*maxdiff* model says that the pair (best, worst) = (i, j) is chosen with a chance proportional to exp(s_i - s_j);
the *sequential* model that the best is chosen from all by a logit, then the worst from the rest by the reversed logit
(Marley and Louviere 2005). Both are fitted by Newton's method; strengths sum to 0. Limits are Wald's, from the
information or, where clusters (judges, items) are named, from the sandwich over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.jsonable import rows
from nlgauge.results import Result
from nlgauge.stats.results import Estimate

Model = Literal["maxdiff", "sequential"]
STEPS, SMALL, LARGEST = 100, 1e-10, 25.0


@dataclass(frozen=True)
class Trial:
    """One set shown, by numbers of the players; `best` and `worst` are among them."""

    shown: tuple[int, ...]
    best: int
    worst: int


@dataclass(frozen=True)
class BestWorst(Result):
    """Scores of the players in their order: by counting, and by the model (log strengths that sum to 0)."""

    KEYS = "players = _rows, model, interval, log_likelihood, n, notes"
    ROWS = "players"

    players: tuple[str, ...]
    counts: tuple[Estimate, ...]
    strengths: tuple[Estimate, ...]
    covariance: Array
    log_likelihood: float
    model: str
    interval: str
    n: int
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[str, ...]:
        """Best first, by the model."""
        place = np.argsort([-strength.estimate for strength in self.strengths], kind="stable")
        return tuple(self.players[k] for k in place)

    def __str__(self) -> str:
        best = self.strengths[self.players.index(self.order[0])]
        return (
            f"{self.order[0]} is chosen best most ({best.estimate:.2f}, {100 * best.level:g} % interval {best.low:.2f} "
            f"to {best.high:.2f} in log strength; {self.model} model, {self.n:,} sets, {self.interval})"
        )

    def _rows(self) -> list[dict[str, Any]]:
        return rows(zip(self.players, self.counts, self.strengths, strict=True), "player count strength")


def best_worst(
    players: Sequence[str],
    trials: Sequence[Trial],
    *,
    model: Model = "maxdiff",
    clusters: Sequence[Hashable] | None = None,
    ridge: float = 0.0,
    level: float = 0.95,
) -> BestWorst:
    """Fit best–worst choices; `ridge` is the precision of a normal prior, needed where someone always wins."""
    from scipy.special import ndtri

    if model not in ("maxdiff", "sequential"):
        raise InputError(f"the model must be maxdiff or sequential; got {model!r}")
    _check(len(players), trials)
    choices = _choices(trials, model)
    theta = _newton(len(players), choices, ridge)
    value, _, information = _derivatives(theta, choices, len(players))
    inverse: Array = np.asarray(np.linalg.pinv(information + ridge * np.eye(len(players))), dtype=np.float64)
    covariance, words = inverse, "limits from the information"
    if clusters is not None:
        if len(clusters) != len(trials):
            raise InputError(f"one cluster per set is needed: got {len(clusters):,} for {len(trials):,} sets")
        covariance, words = _sandwich(theta, choices, clusters, inverse)
    centre = np.eye(len(players)) - 1.0 / len(players)
    covariance = np.asarray(centre @ covariance @ centre)
    theta = theta - theta.mean()
    margin = float(ndtri(0.5 + level / 2)) * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    strengths = tuple(
        Estimate(float(t), float(t - m), float(t + m), level, words, len(trials), name=name)
        for t, m, name in zip(theta, margin, players, strict=True)
    )
    return BestWorst(
        players=tuple(players),
        counts=counting(players, trials, level=level),
        strengths=strengths,
        covariance=covariance,
        log_likelihood=value,
        model=model,
        interval=words,
        n=len(trials),
    )


def counting(players: Sequence[str], trials: Sequence[Trial], *, level: float = 0.95) -> tuple[Estimate, ...]:
    """(best - worst) / shown for each player, with the limits of a mean of -1, 0 and 1."""
    from scipy.special import ndtri

    _check(len(players), trials)
    shown, best, worst = (np.zeros(len(players)) for _ in range(3))
    for trial in trials:
        shown[list(trial.shown)] += 1
        best[trial.best] += 1
        worst[trial.worst] += 1
    out = []
    for k, name in enumerate(players):
        if not shown[k]:
            raise InputError(f"{name} was never shown, so that it has no score; leave it out")
        mean = (best[k] - worst[k]) / shown[k]
        spread = (best[k] + worst[k]) / shown[k] - mean**2
        margin = float(ndtri(0.5 + level / 2)) * math.sqrt(max(spread, 0.0) / shown[k])
        low, high = max(-1.0, mean - margin), min(1.0, mean + margin)
        out.append(Estimate(float(mean), low, high, level, "normal", int(shown[k]), name=name))
    return tuple(out)


@dataclass(frozen=True)
class _Choices:
    """Choices of one shape: `members` (choices, set size), each alternative's signs of the members, what was chosen."""

    members: Ints
    signs: Array  # alternatives × set size
    chosen: Ints
    trial: Ints


def _choices(trials: Sequence[Trial], model: Model) -> list[_Choices]:
    rows: dict[tuple[str, int], list[tuple[tuple[int, ...], int, int]]] = {}
    for number, trial in enumerate(trials):
        size = len(trial.shown)
        if model == "maxdiff":
            b, w = trial.shown.index(trial.best), trial.shown.index(trial.worst)
            place = b * (size - 1) + w - (w > b)
            rows.setdefault(("pair", size), []).append((trial.shown, place, number))
        else:
            rest = tuple(k for k in trial.shown if k != trial.best)
            rows.setdefault(("best", size), []).append((trial.shown, trial.shown.index(trial.best), number))
            rows.setdefault(("worst", size - 1), []).append((rest, rest.index(trial.worst), number))
    signs: dict[str, Callable[[int], Array]] = {"best": np.eye, "worst": lambda m: -np.eye(m), "pair": _pairs}
    made = []
    for (kind, size), found in rows.items():
        members, chosen, numbers = (np.array(column, dtype=np.int64) for column in zip(*found, strict=True))
        made.append(_Choices(members, signs[kind](size), chosen, numbers))
    return made


def _pairs(size: int) -> Array:
    unit = np.eye(size)
    return np.array([unit[b] - unit[w] for b in range(size) for w in range(size) if b != w])


def _derivatives(theta: Array, choices: Sequence[_Choices], n: int) -> tuple[float, Array, Array]:
    value, slope, information = 0.0, np.zeros(n), np.zeros((n, n))
    for choice in choices:
        scores = theta[choice.members] @ choice.signs.T
        top = scores.max(axis=1, keepdims=True)
        weight = np.exp(scores - top)
        total = weight.sum(axis=1, keepdims=True)
        chance = weight / total
        value += float((scores[np.arange(len(scores)), choice.chosen] - top[:, 0] - np.log(total[:, 0])).sum())
        mean = chance @ choice.signs
        np.add.at(slope, choice.members, choice.signs[choice.chosen] - mean)
        second = np.einsum("ta,ai,aj->tij", chance, choice.signs, choice.signs) - mean[:, :, None] * mean[:, None, :]
        np.add.at(information, (choice.members[:, :, None], choice.members[:, None, :]), second)
    return value, slope, information


def _newton(n: int, choices: Sequence[_Choices], ridge: float) -> Array:
    theta = np.zeros(n)
    for _ in range(STEPS):
        _, slope, information = _derivatives(theta, choices, n)
        step = np.linalg.solve(information + ridge * np.eye(n) + 1.0 / n, slope - ridge * theta)
        largest = float(np.abs(step).max())
        theta = theta + step * min(1.0, 2.0 / largest if largest else 1.0)
        if largest < SMALL:
            return np.asarray(theta)
        if np.abs(theta).max() > LARGEST:
            break
    raise InputError(
        "the strengths have no finite estimate: some outputs always beat the others; give a ridge (as 0.1), or gather "
        "more sets"
    )


def _sandwich(
    theta: Array, choices: Sequence[_Choices], clusters: Sequence[Hashable], inverse: Array
) -> tuple[Array, str]:
    numbers: dict[Hashable, int] = {}
    code = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.int64)
    count = len(numbers)
    if count < 2:
        raise InputError("a sandwich needs at least two clusters")
    sums = np.zeros((count, len(theta)))
    for choice in choices:
        scores = theta[choice.members] @ choice.signs.T
        weight = np.exp(scores - scores.max(axis=1, keepdims=True))
        mean = weight / weight.sum(axis=1, keepdims=True) @ choice.signs
        np.add.at(sums, (code[choice.trial][:, None], choice.members), choice.signs[choice.chosen] - mean)
    middle = sums.T @ sums * count / (count - 1)
    return inverse @ middle @ inverse, f"limits from the sandwich over {count:,} clusters"


def _check(n: int, trials: Sequence[Trial]) -> None:
    if not trials:
        raise InputError("there are no sets; expected at least one")
    for number, trial in enumerate(trials, start=1):
        shown = set(trial.shown)
        if len(trial.shown) < 2 or len(shown) != len(trial.shown) or not all(0 <= k < n for k in shown):
            raise InputError(f"set {number:,}: expected two or more different outputs numbered 0 to {n - 1}")
        if trial.best not in trial.shown or trial.worst not in trial.shown or trial.best == trial.worst:
            raise InputError(f"set {number:,}: best and worst must be two different outputs of the set")
