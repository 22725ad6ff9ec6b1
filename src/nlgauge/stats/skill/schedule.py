"""Which two players meet next, and when to stop: random, round robin, or the pair whose game would tell most.

`tournament` asks a judge for one verdict after another and rates as it goes; `replay` draws recorded games at
random, as Zhou and Xu (2020, §3.2) draw theirs. Both stop when the order has settled or the requested certainty
is reached, and at a cap in any case: equal players never settle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.skill.games import SCORES, Array, Games
from nlgauge.stats.skill.ranks import confidence
from nlgauge.stats.skill.sequential import SETTLED, Course, System
from nlgauge.stats.skill.trueskill import TrueSkill

Judge = Callable[[str, str, str | None], str]
Schedule = Literal["random", "round-robin", "information-gain"]
SCHEDULES = ("random", "round-robin", "information-gain")
MOST_GAMES = 100_000
CHUNK = 4096
NODES = 31  # of the Gauss–Hermite rule over the uncertain difference


@dataclass(frozen=True)
class Tournament:
    """What was played and where it led. `stopped` is "certainty", "order" or "games" (the cap)."""

    games: Games
    course: Course
    system: System
    stopped: str

    @property
    def converged(self) -> bool:
        """Whether it ended for its own reason and not by the cap."""
        return self.stopped != "games"

    @property
    def order(self) -> tuple[str, ...]:
        """The players, best first."""
        return tuple(self.games.players[k] for k in np.argsort(-self.course.rating, kind="stable"))

    def __str__(self) -> str:
        reasons = {
            "certainty": "the requested certainty was reached",
            "order": f"the order had stood while every player met {self.course.needed} opponents",
            "games": "the cap on games was reached before the order was certain",
        }
        return (
            f"After {len(self.games):,} games of {len(self.games.players)} players ({self.system.words}) the order is "
            f"{' > '.join(self.order)}; {reasons[self.stopped]}."
        )


def information(chances: Callable[[Array], Array], difference: Array, variance: Array) -> Array:
    """Bits that one game is expected to tell about a difference known up to a normal error.

    Mutual information of result and difference: entropy of the expected chances less the expected entropy.
    """
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    weight = weight / weight.sum()
    at = difference[..., None] + np.sqrt(variance)[..., None] * node
    chance = chances(at)
    mean = np.einsum("...no,n->...o", chance, weight)
    return np.asarray(_entropy(mean) - np.einsum("...n,n->...", _entropy(chance), weight))


def _entropy(chance: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(chance > 0, chance * np.log2(chance), 0.0)
    return -np.asarray(bits.sum(axis=-1))


def most_informative(
    chances: Callable[[Array], Array], rating: Array, covariance: Array
) -> list[tuple[int, int, float]]:
    """Pairs of players and the bits a game between them would tell, the most telling first."""
    first, second = np.triu_indices(len(rating), 1)
    spread = np.diag(covariance)
    variance = np.maximum(spread[first] + spread[second] - 2 * covariance[first, second], 0.0)
    bits = information(chances, rating[first] - rating[second], variance)
    best = np.argsort(-bits, kind="stable")
    return [(int(first[k]), int(second[k]), float(bits[k])) for k in best]


class _Pairs:
    """The next pair under a schedule; who is shown first is drawn by lot."""

    def __init__(self, schedule: Schedule, players: int, rng: np.random.Generator) -> None:
        if schedule not in SCHEDULES:
            raise InputError(f"the schedule must be one of {', '.join(SCHEDULES)}; got {schedule!r}")
        self._schedule, self._players, self._rng = schedule, players, rng
        self._round = itertools.cycle(itertools.combinations(range(players), 2))

    def next(self, system: System, course: Course) -> tuple[int, int]:
        if self._schedule == "random":
            a, b = self._rng.choice(self._players, size=2, replace=False)
            return int(a), int(b)
        if self._schedule == "round-robin":
            pair = next(self._round)
        else:
            deviation = np.nan_to_num(course.deviation, nan=1.0)
            pair = most_informative(system.chances, course.rating, np.diag(deviation**2))[0][:2]
        return pair if self._rng.random() < 0.5 else (pair[1], pair[0])


def certainty(course: Course) -> float:
    """How sure the least sure step of the order is: the smallest confidence of a player over the next one."""
    order = np.argsort(-course.rating, kind="stable")
    better = confidence(course.rating, np.diag(course.deviation**2))
    return float(min(better[a, b] for a, b in itertools.pairwise(order)))


def tournament(
    players: Sequence[str],
    judge: Judge,
    *,
    system: System | None = None,
    schedule: Schedule = "information-gain",
    stop: Literal["certainty", "order"] = "certainty",
    level: float = 0.95,
    needed: int = SETTLED,
    items: Sequence[str] | None = None,
    max_games: int = MOST_GAMES,
    seed: int = 12345,
) -> Tournament:
    """Let players meet until the order is known.

    `judge(a, b, item)` says "a", "b" or "tie"; the item is drawn from `items`, or None. `stop="certainty"` ends
    when every player is better than the next one with confidence `level` (deviations are taken as independent),
    `stop="order"` when the order has stood while every player was drawn `needed` times. The default system is
    TrueSkill without drift.
    """
    names = tuple(dict.fromkeys(players))
    if len(names) != len(players) or len(names) < 2:
        raise InputError("a tournament needs at least two players, each named once")
    if not 0.5 < level < 1:
        raise InputError(f"the certainty must lie between 0.5 and 1; got {level}")
    if max_games < 1 or needed < 1:
        raise InputError("max_games and needed must be at least 1")
    if stop not in ("certainty", "order"):
        raise InputError(f"stop must be certainty or order; got {stop!r}")
    system = TrueSkill(tau=0.0) if system is None else system
    course = system.play(_none(names))
    if stop == "certainty" and np.isnan(course.deviation).any():
        raise InputError(f"{system.words} has no deviations: stop by order, or use TrueSkill or Glicko-2")
    rng = np.random.default_rng(seed)
    pairs = _Pairs(schedule, len(names), rng)
    first, second, outcome, asked = [], [], [], []
    stopped = "games"
    for _ in range(max_games):
        a, b = pairs.next(system, course)
        item = items[int(rng.integers(len(items)))] if items else None
        verdict = judge(names[a], names[b], item)
        if verdict not in SCORES:
            raise InputError(f"the judge said {verdict!r} of {names[a]} and {names[b]}; expected a, b or tie")
        game = Games(names, np.array([a]), np.array([b]), np.array([SCORES[verdict]]))
        played = system.play(game, course.state, course.since)
        course = Course(played.state, played.since, course.used + 1, needed)
        first.append(a)
        second.append(b)
        outcome.append(SCORES[verdict])
        asked.append(item)
        if stop == "order" and course.converged:
            stopped = "order"
            break
        if stop == "certainty" and certainty(course) >= level:
            stopped = "certainty"
            break
    drawn = dict.fromkeys(asked)
    number = {item: k for k, item in enumerate(drawn)}
    games = Games(
        names,
        np.array(first),
        np.array(second),
        np.array(outcome),
        np.array([number[item] for item in asked]) if items else None,
    )
    return Tournament(games, course, system, stopped)


def _none(players: tuple[str, ...]) -> Games:
    nobody = np.empty(0, dtype=np.int64)
    return Games(players, nobody, nobody, np.empty(0))


def replay(
    games: Games, system: System, *, needed: int = SETTLED, max_games: int = MOST_GAMES, seed: int = 12345
) -> Course:
    """Draw two players at random among those who met, and one of their games, until the order has settled.

    The procedure of Zhou and Xu with recorded verdicts in place of their evaluator. Stops after `max_games`.
    """
    if max_games < 1 or needed < 1:
        raise InputError("max_games and needed must be at least 1")
    n = len(games.players)
    key = np.minimum(games.first, games.second) * n + np.maximum(games.first, games.second)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(key[order]) > 0])
    sizes = np.diff(np.r_[starts, len(order)])
    rng = np.random.default_rng(seed)
    course = system.play(_none(games.players))
    course = Course(course.state, course.since, 0, needed)
    picked = [np.empty(0, dtype=np.int64)]
    while course.used < max_games and not course.converged:
        pair = rng.integers(len(starts), size=CHUNK)
        pick = order[starts[pair] + np.floor(rng.random(CHUNK) * sizes[pair]).astype(np.int64)]
        pick = pick[
            : max_games - course.used
        ]  # cut after drawing: the cap must not change which games are drawn
        after = system.play(games.take(pick), course.state, course.since, needed)
        course = Course(after.state, after.since, course.used + after.used, needed)
        picked.append(pick[: after.used])
    return replace(course, picked=np.concatenate(picked))
