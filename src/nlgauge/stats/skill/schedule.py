"""Which two players meet next, and when to stop: random, round robin, the pair whose game would tell most, or the
neighbours in the order who are least certainly apart.

`tournament` asks a judge for one verdict after another and rates as it goes; `draw_games` does the same with recorded
verdicts, each drawn once; `replay` draws recorded games at random and with replacement, as Zhou and Xu (2020, §3.2)
draw theirs. All stop when the order has settled or the requested certainty is reached, and at a cap in any case: equal
players never settle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.skill.games import SCORES, Games
from nlgauge.stats.skill.sequential import SETTLED, Course, System
from nlgauge.stats.skill.trueskill import TrueSkill

Stop = Literal["certainty", "order"]
Judge = Callable[[str, str, str | None], str | None]
Schedule = Literal["random", "round-robin", "information-gain", "least-certain"]
SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)
MOST_GAMES = 100_000
CHUNK = 4096
MANY = 300  # players beyond which not every pair is looked at for the most telling
NODES = 31  # of the Gauss–Hermite rule over the uncertain difference


@dataclass(frozen=True)
class Tournament:
    """What was played and where it led.

    `stopped` is "certainty", "order", "games" (the cap) or "recorded" (no game was left to draw).
    """

    games: Games
    course: Course
    system: System
    stopped: str

    @property
    def converged(self) -> bool:
        """Whether it ended for its own reason and not for want of games."""
        return self.stopped in ("certainty", "order")

    @property
    def order(self) -> tuple[str, ...]:
        """The players, best first."""
        return tuple(self.games.players[k] for k in np.argsort(-self.course.rating, kind="stable"))

    @property
    def reason(self) -> str:
        """Why it ended, in words."""
        return {
            "certainty": "the requested certainty was reached",
            "order": f"the order had stood while every player met {self.course.needed} opponents",
            "games": "the cap on games was reached before the order was certain",
            "recorded": "the recorded games ended before the order was certain",
        }[self.stopped]

    def __str__(self) -> str:
        return (
            f"After {len(self.games):,} games of {len(self.games.players)} players ({self.system.words}) the order is "
            f"{' > '.join(self.order)}; {self.reason}."
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
    """The next pair under a schedule, of those with games left; who is shown first is drawn by lot."""

    def __init__(self, schedule: Schedule, players: int, rng: np.random.Generator, left: Ints | None = None) -> None:
        if schedule not in SCHEDULES:
            raise InputError(f"the schedule must be one of {', '.join(SCHEDULES)}; got {schedule!r}")
        if schedule == "information-gain" and players > MANY:
            raise InputError(
                f"information-gain looks at every pair before every game: at most {MANY} players; got {players:,}, for "
                "which least-certain is the schedule"
            )
        self._schedule, self._players, self._rng, self._left = schedule, players, rng, left
        self._round = itertools.cycle(itertools.combinations(range(players), 2))

    def next(self, system: System, course: Course) -> tuple[int, int] | None:
        """The pair, or None where no game is left."""
        if self._left is not None and not self._left.any():
            return None
        pair = next(filter(self._open, self._ranked(system, course)))
        return pair if self._rng.random() < 0.5 else (pair[1], pair[0])

    def _open(self, pair: tuple[int, int]) -> bool:
        return self._left is None or bool(self._left[pair])

    def _ranked(self, system: System, course: Course) -> Iterator[tuple[int, int]]:
        """Pairs, the one to be played first."""
        if self._schedule == "round-robin":
            yield from self._round
        elif self._schedule == "random" and self._left is not None:
            pairs = np.argwhere(self._left)
            a, b = pairs[self._rng.integers(len(pairs))]
            yield int(a), int(b)
        elif self._schedule == "random":
            a, b = self._rng.choice(self._players, size=2, replace=False)
            yield int(a), int(b)
        elif self._schedule == "information-gain":
            deviation = np.nan_to_num(course.deviation, nan=1.0)
            for a, b, _ in most_informative(system.chances, course.rating, np.diag(deviation**2)):
                yield a, b
        else:
            order, sure = steps(course)
            yield from ((int(order[k]), int(order[k + 1])) for k in np.argsort(sure, kind="stable"))
            if self._left is None:
                return
            pairs = np.argwhere(self._left)  # neighbours have no game left: the least certain of the others
            apart = np.abs(np.subtract(*course.rating[pairs].T))
            doubt = apart / np.sqrt((course.deviation[pairs] ** 2).sum(axis=1))
            a, b = pairs[np.argmin(doubt)]
            yield int(a), int(b)


def steps(course: Course) -> tuple[Ints, Array]:
    """The players, best first, and the confidence that each is better than the next (deviations independent)."""
    from scipy.special import ndtr

    order = np.argsort(-course.rating, kind="stable")
    rating, variance = course.rating[order], course.deviation[order] ** 2
    return order, np.asarray(ndtr((rating[:-1] - rating[1:]) / np.sqrt(variance[:-1] + variance[1:])))


def certainty(course: Course) -> float:
    """How sure the whole order is: 1 less the doubts about all its steps (Bonferroni's bound), at least 0.

    A bound on each step alone would favour schedules that leave all steps equally doubtful.
    """
    return max(0.0, 1.0 - float((1.0 - steps(course)[1]).sum()))


def tournament(
    players: Sequence[str],
    judge: Judge,
    *,
    system: System | None = None,
    schedule: Schedule = "least-certain",
    stop: Stop = "certainty",
    level: float = 0.95,
    needed: int = SETTLED,
    items: Sequence[str] | None = None,
    max_games: int = MOST_GAMES,
    left: Mapping[frozenset[str], int] | None = None,
    seed: int = DEFAULT_SEED,
) -> Tournament:
    """Let players meet until the order is known.

    `judge(a, b, item)` says "a", "b" or "tie", or None, which is no game; the item is drawn from `items`, or None.
    `stop="certainty"` ends when the whole order is as certain as `level` (see `certainty`), `stop="order"` when the
    order has stood while every player was drawn `needed` times. `left` says how often two players can meet, where that
    is not without end. The default system is TrueSkill without drift.

    Args:
        players: their names
        judge: from two names and an item to a, b, tie or None
        system: the rating system; TrueSkill without drift, where it is not given
        schedule: who meets next: least-certain, information-gain, round-robin or random
        stop: certainty, or order
        level: how certain the whole order is to be
        needed: the draws of every player during which the order must stand
        items: those from which one is drawn for each game
        max_games: the games after which it ends in any case
        left: how often two players can still meet
        seed: of the random draws

    >>> from nlgauge.stats.skill import tournament
    >>> alphabet = lambda a, b, item: "a" if a < b else "b"
    >>> tournament(["c", "a", "b"], alphabet).order
    ('a', 'b', 'c')
    """
    names = tuple(dict.fromkeys(players))
    if len(names) != len(players) or len(names) < 2:
        raise InputError("a tournament needs at least two players, each named once")
    rng = np.random.default_rng(seed)
    asked: list[str | None] = []

    room = None if left is None else np.array([[left.get(frozenset((a, b)), 0) for b in names] for a in names])

    def ask(a: int, b: int) -> tuple[int, int, float] | None:
        if room is not None:
            room[[a, b], [b, a]] -= 1
        item = items[int(rng.integers(len(items)))] if items else None
        verdict = judge(names[a], names[b], item)
        if verdict is None:
            return None
        if verdict not in SCORES:
            raise InputError(f"the judge said {verdict!r} of {names[a]} and {names[b]}; expected a, b or tie")
        asked.append(item)
        return a, b, SCORES[verdict]

    rule = _Rule(stop, level, needed, max_games)
    played = _play(names, ask, _Pairs(schedule, len(names), rng, room), system or TrueSkill(tau=0.0), rule)
    if not items:
        return played
    number = {item: k for k, item in enumerate(dict.fromkeys(asked))}
    return replace(played, games=replace(played.games, item=np.array([number[item] for item in asked])))


def draw_games(
    games: Games,
    *,
    system: System | None = None,
    schedule: Schedule = "least-certain",
    level: float = 0.95,
    max_games: int = MOST_GAMES,
    seed: int = DEFAULT_SEED,
) -> Tournament:
    """Draw recorded games, each at most once, until the whole order is as certain as `level`.

    A schedule says which two players are asked for; one of their games that are left is drawn by lot. Says how many
    verdicts would have been enough.

    Args:
        games: the games, as `Games.of` makes them
        system: the rating system; TrueSkill without drift, where it is not given
        schedule: who meets next: least-certain, information-gain, round-robin or random
        level: how certain the whole order is to be
        max_games: the draws after which it ends in any case
        seed: of the random draws

    >>> from nlgauge.stats.skill import Games, draw_games
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> draw_games(games, level=0.6).order
    ('y', 'x', 'z')
    """
    rng = np.random.default_rng(seed)
    n = len(games.players)
    left = np.zeros((n, n), dtype=np.int64)
    waiting: dict[tuple[int, int], list[int]] = {}
    for game in rng.permutation(len(games)):
        a, b = int(games.first[game]), int(games.second[game])
        waiting.setdefault((min(a, b), max(a, b)), []).append(int(game))
        left[[a, b], [b, a]] += 1
    picked: list[int] = []

    def ask(a: int, b: int) -> tuple[int, int, float]:
        game = waiting[min(a, b), max(a, b)].pop()
        left[[a, b], [b, a]] -= 1
        picked.append(game)
        return int(games.first[game]), int(games.second[game]), float(games.score[game])

    rule = _Rule("certainty", level, SETTLED, max_games)
    played = _play(games.players, ask, _Pairs(schedule, n, rng, left), system or TrueSkill(tau=0.0), rule)
    return replace(played, games=games.take(np.array(picked)))


@dataclass(frozen=True)
class _Rule:
    """When to stop."""

    stop: Stop
    level: float
    needed: int
    max_games: int

    def __post_init__(self) -> None:
        if not 0.5 < self.level < 1:
            raise InputError(f"the certainty must lie between 0.5 and 1; got {self.level}")
        if self.max_games < 1 or self.needed < 1:
            raise InputError("max_games and needed must be at least 1")
        if self.stop not in ("certainty", "order"):
            raise InputError(f"stop must be certainty or order; got {self.stop!r}")

    def met(self, course: Course) -> bool:
        return course.converged if self.stop == "order" else certainty(course) >= self.level


def _play(
    names: tuple[str, ...],
    ask: Callable[[int, int], tuple[int, int, float] | None],
    pairs: _Pairs,
    system: System,
    rule: _Rule,
) -> Tournament:
    """One game after another, until the rule is met, no game is left, or the cap is reached."""
    course = system.play(_none(names))
    if rule.stop == "certainty" and np.isnan(course.deviation).any():
        raise InputError(f"{system.words} has no deviations: stop by order, or use TrueSkill or Glicko-2")
    played: list[tuple[int, int, float]] = []
    stopped = "games"
    for _ in range(rule.max_games):
        pair = pairs.next(system, course)
        if pair is None:
            stopped = "recorded"
            break
        told = ask(*pair)
        if told is None:
            continue
        a, b, score = told
        game = Games(names, np.array([a]), np.array([b]), np.array([score]))
        after = system.play(game, course.state, course.since)
        course = Course(after.state, after.since, course.used + 1, rule.needed)
        played.append((a, b, score))
        if rule.met(course):
            stopped = rule.stop
            break
    if not played:
        return Tournament(_none(names), course, system, stopped)
    first, second, scores = zip(*played, strict=True)
    return Tournament(Games(names, np.array(first), np.array(second), np.array(scores)), course, system, stopped)


def _none(players: tuple[str, ...]) -> Games:
    nobody = np.empty(0, dtype=np.int64)
    return Games(players, nobody, nobody, np.empty(0))


def replay(
    games: Games, system: System, *, needed: int = SETTLED, max_games: int = MOST_GAMES, seed: int = DEFAULT_SEED
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
        pick = pick[: max_games - course.used]  # cut after drawing: the cap must not change which games are drawn
        after = system.play(games.take(pick), course.state, course.since, needed)
        course = Course(after.state, after.since, course.used + after.used, needed)
        picked.append(pick[: after.used])
    return replace(course, picked=np.concatenate(picked))
