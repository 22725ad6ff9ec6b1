"""Skill ratings in Python: `nlgauge.rate(games, "bradley-terry")`; the command `rate` is a thin skin over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import signature
from itertools import islice
from typing import Any, TypedDict, Unpack

import numpy as np

from nlgauge import receipt
from nlgauge.errors import InputError, option, suggest
from nlgauge.io.exported import REHEARSAL, told
from nlgauge.io.games import GameRows, read_games
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.skill import (
    Elo,
    Games,
    Glicko2,
    Ratings,
    TrueSkill,
    draw_games,
    rate_bradley_terry,
    rate_sequential,
    rate_zhou,
    tournament,
)
from nlgauge.stats.skill.bradley_terry import Order
from nlgauge.stats.skill.games import SCORES
from nlgauge.stats.skill.rating import Scale
from nlgauge.stats.skill.results import ExampleGame
from nlgauge.stats.skill.samples import PLAYS, SampleScores, rate_recorded
from nlgauge.stats.skill.schedule import MOST_GAMES, Schedule
from nlgauge.stats.skill.schedule import certainty as order_certainty
from nlgauge.stats.skill.tie_models import Ties
from nlgauge.wording.numbers import percent

__all__ = ["METHODS", "load_games", "rate", "rate_outputs", "tournament"]

EXAMPLES = 3  # games of either kind that a page shows
METHODS = ("bradley-terry", "glicko2", "glicko2-zhou", "trueskill", "elo")
NUMBERS = frozenset({"certainty", "k", "tau", "ratio", "draw_probability", "needed", "max_games", "level"})
MOST_PLAYERS = 2000
SYSTEMS = {"glicko2": Glicko2, "trueskill": TrueSkill, "elo": Elo}
# What each method takes beside level, trials, seed and interval; the rest are constants of the system.
RUN = frozenset({"interval", "level", "trials", "seed", "shuffle", "allow_parts"})


def load_games(data: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Games) -> Games:
    """Games from a file, rows, a data frame, or as they are."""
    if isinstance(data, Games):
        return data
    return _games(read_games(data))


def _games(rows: GameRows) -> Games:
    return Games.of(
        rows.a,
        rows.b,
        rows.outcome,
        item=rows.item or None,
        judge=rows.judge or None,
        covariates=rows.covariates,
        where=rows.at,
    )


class RateOptions(TypedDict, total=False):
    """Options of `rate`; each method takes its own."""

    interval: str
    level: float
    trials: int
    seed: int
    ties: Ties
    order: Order
    covariates: bool
    ridge: float
    firth: bool
    scale: Scale | float  # of Elo's ratings a number
    shuffle: bool
    allow_parts: bool
    certainty: float
    max_games: int
    needed: int
    ratio: float
    rating: float
    deviation: float
    volatility: float
    tau: float | None
    period: int | None
    inactivity: bool
    draw_ratio: float | None
    epsilon: float
    as_package: bool
    mu: float
    sigma: float
    beta: float | None
    draw_probability: float
    k: float
    base: float


def rate(
    games: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Games,
    method: str | None = None,
    *,
    schedule: Schedule | None = None,
    criterion: str | None = None,
    panel: str | None = None,
    columns: Mapping[str, str] | None = None,
    **options: Unpack[RateOptions],
) -> Ratings:
    """Rate players from games with ties.

    Args:
        games: a file, rows {"a", "b", "outcome"}, pairwise rows, a data frame, or a `Games`; of the rows of an exported
            study those that count
        method: bradley-terry (the default; does not depend on the order of games), glicko2, glicko2-zhou (Zhou and Xu
            2020), trueskill, or elo
        schedule: draw games until the order is as certain as `certainty` (0.95), and rate those drawn (by TrueSkill
            without drift, unless another method is named): see `stats.skill.draw_games`
        criterion: of a study's rows those of one criterion
        panel: of a study's rows those of one panel
        columns: the column that holds a key, where it has another name: {"a": "model_a"}
        options: those of `stats.skill.rate_bradley_terry`, `rate_zhou`, or `rate_sequential` and the system's constants

    >>> rate([{"a": "x", "b": "y", "outcome": said} for said in ("a", "a", "b", "tie")] * 5).best
    'x'
    """
    given: dict[str, Any] = {**options}
    if method is None:
        method = "bradley-terry" if schedule is None else "trueskill"
    if schedule is not None and method == "glicko2-zhou":
        raise InputError("glicko2-zhou draws its games itself: leave the schedule out, or choose another method")
    if schedule is not None and method == "trueskill":
        given.setdefault("tau", 0.0)
    if not isinstance(method, str) or method not in METHODS:
        raise InputError(f"there is no method {method!r}; {suggest(method, METHODS)}")
    seed = given.get("seed", 0)
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise InputError(f"the seed must be a whole number from 0 to 2^63 - 1; got {seed!r}")
    for name in NUMBERS & given.keys():
        if not isinstance(given[name], int | float):
            raise InputError(f"{name} must be a number; got {given[name]!r}")
    notes: tuple[str, ...] = ()
    sides = False
    rows: GameRows | None = None
    if not isinstance(games, Games):
        rows = read_games(games, criterion=criterion, panel=panel, columns=columns)
        if rows.simulated:
            notes += (REHEARSAL,)
        if rows.exported and method == "bradley-terry":
            notes += tuple(_beside_analysis(given))
        if rows.aside:
            notes += (told(rows.aside),)
        if rows.skipped:
            notes += (f"{rows.skipped:,} verdict{'s' if rows.skipped > 1 else ''} without a preference left out",)
        if rows.sides:
            sides = True
            notes += ("the rows name no systems: the players are the sides a and b",)
        games = _games(rows)
    elif criterion is not None or panel is not None:
        raise InputError("criterion and panel choose among rows, and these games are rows no longer")
    if len(games.players) > MOST_PLAYERS:
        raise InputError(
            f"{len(games.players):,} players are too many to rate together, for which every pair is looked at; at most "
            f"{MOST_PLAYERS:,}"
        )
    if schedule is None:
        result = _rated(games, method, given)
    else:
        chosen: dict[str, Any] = {name: given.pop(name) for name in ("certainty", "max_games") if name in given}
        result = _drawn(games, method, given, schedule, **chosen)
        given |= {"schedule": schedule, **chosen}
    return replace(
        result,
        notes=(*result.notes, *notes),
        sides=sides,
        receipt=_receipt(games, method, given, result),
        examples=() if rows is None else _examples(rows, result),
    )


def _examples(rows: GameRows, result: Ratings) -> tuple[ExampleGame, ...]:
    """The games that the ratings expected least, and the first games of the two best players."""
    place = {player: k for k, player in enumerate(result.matrix.players)}
    best, second, *_ = result.matrix.players
    rows_of, columns_of = ([place[player] for player in side] for side in (rows.a, rows.b))
    expected = result.matrix.expected[rows_of, columns_of]
    surprise = np.abs(np.array([SCORES[said] for said in rows.outcome]) - expected)
    meeting = [
        (rows.item[k] if rows.item else k, frozenset(pair)) for k, pair in enumerate(zip(rows.a, rows.b, strict=True))
    ]
    games: dict[Any, list[int]] = {}  # of the same two texts
    for k, texts in enumerate(meeting):
        games.setdefault(texts, []).append(k)
    won = [{"a": a, "b": b}.get(said) for a, b, said in zip(rows.a, rows.b, rows.outcome, strict=True)]
    least = dict.fromkeys(meeting[k] for k in np.argsort(-surprise, kind="stable").tolist())
    top = (texts for texts in games if texts[1] == {best, second})
    shown = dict.fromkeys([*islice(least, EXAMPLES), *islice(top, EXAMPLES)])
    chosen = {max(games[texts], key=lambda k: float(surprise[k])): games[texts] for texts in shown}
    return tuple(
        ExampleGame(
            a=rows.a[k],
            b=rows.b[k],
            outcome=rows.outcome[k],
            expected=float(expected[k]),
            item=rows.item[k] if rows.item else "",
            judge=rows.judge[k] if rows.judge and len(own) == 1 else "",
            verdicts=len(own),
            same=sum(won[other] == won[k] for other in own),
            **rows.texts(k),
        )
        for k, own in chosen.items()
    )


@dataclass(frozen=True)
class OutputRatings(Jsonable):
    """Ratings of single outputs, each a player, and their means by system (Zhou and Xu 2020, Tables 1 and 2)."""

    KEYS = "outputs = samples, means, games_recorded = recorded, *rest"

    outputs: tuple[tuple[str, str], ...]  # item and system
    found: SampleScores
    recorded: int

    @property
    def means(self) -> dict[str, float]:
        """The mean rating of the outputs of each system, the best first."""
        values: dict[str, list[float]] = {}
        for (_, system), sample in zip(self.outputs, self.found.samples, strict=True):
            if sample.games:
                values.setdefault(system, []).append(sample.score)
        means = {system: float(np.mean(scores)) for system, scores in values.items()}
        return dict(sorted(means.items(), key=lambda mean: -mean[1]))

    @property
    def samples(self) -> list[dict[str, Any]]:
        """The outputs with their scores."""
        scores = (sample.to_dict() for sample in self.found.samples)
        return [
            {"item": item, "system": system} | {key: value for key, value in score.items() if key != "sample"}
            for (item, system), score in zip(self.outputs, scores, strict=True)
        ]

    @property
    def rest(self) -> dict[str, Any]:
        """What the rating tells of all of them."""
        return {name: value for name, value in self.found.to_dict().items() if name != "samples"}


def rate_outputs(
    games: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    criterion: str | None = None,
    panel: str | None = None,
    columns: Mapping[str, str] | None = None,
    plays: int = PLAYS,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> OutputRatings:
    """Rate each output by itself: what a system wrote for an item is a player, and outputs of one item meet."""
    rows = read_games(games, criterion=criterion, panel=panel, columns=columns)
    if not rows.item or rows.sides:
        raise InputError("outputs are told apart by item and system: expected games that name item, a and b")
    first, second = (list(zip(rows.item, side, strict=True)) for side in (rows.a, rows.b))
    numbers = {output: str(k) for k, output in enumerate(dict.fromkeys([*first, *second]))}
    a, b = ([numbers[output] for output in side] for side in (first, second))
    met = Games.of(a, b, rows.outcome, where=rows.at)
    found = rate_recorded(met, plays=plays, level=level, seed=seed)
    return OutputRatings(tuple(numbers), found, len(met))


def _drawn(
    games: Games,
    method: str,
    options: Mapping[str, Any],
    schedule: Schedule,
    certainty: float = 0.95,
    max_games: int = MOST_GAMES,
) -> Ratings:
    """Draw recorded games until the order is certain, and rate those drawn."""
    seed = options.get("seed", DEFAULT_SEED)
    found = draw_games(games, schedule=schedule, level=certainty, max_games=max_games, seed=seed)
    result = _rated(found.games, method, dict(options))
    sure = percent(np.floor(1000 * order_certainty(found.course)) / 1000)
    how = f"games were drawn by {schedule}, each once, with seed {seed}: {found.reason} (whole order: {sure})"
    return replace(result, recorded=len(games), converged=found.converged, notes=(*result.notes, how))


def _beside_analysis(options: Mapping[str, Any]) -> Iterator[str]:
    """How the model differs from that of the study's own analysis, where it does."""
    other = []
    if options.get("ties", "davidson") != "rao-kupper":
        other.append(f"Rao and Kupper's ties ({option('ties', 'rao-kupper')})")
    if options.get("interval", "sandwich") != "two-way":
        other.append(f"limits for other judges and other items ({option('interval', 'two-way')})")
    if other:
        yield f"nlgauge study analyse tells these answers by another model: {' and '.join(other)}"


def _receipt(games: Games, method: str, options: dict[str, Any], result: Ratings) -> str:
    """How the ratings were made, in one line."""
    own = ",".join(
        f"{name}={value}"
        for name, value in sorted(options.items())
        if name not in ("level", "trials", "seed", "interval")
    )
    drawn = "bootstrap" in result.interval
    usual = {"bradley-terry": "sandwich", "elo": "bootstrap"}.get(method, "deviation")
    ci = options.get("interval", usual)
    return receipt.line(
        {
            "rate": f"{method}({own})" if own else method,
            "n": result.n,
            "players": len(games.players),
            **({"judges": len(games.judges)} if games.judge is not None else {}),
            "data": _digest(games),
            "ci": f"{ci}:{options.get('trials', 1000)}" if drawn else ci,
            "level": f"{result.level:g}",
            "seed": options.get("seed", DEFAULT_SEED),
        }
    )


def _digest(games: Games) -> str:
    """The first 12 digits of a hash of the games in their order, which sequential methods depend on."""
    found = sha256("\n".join((*games.players, *games.judges, *games.covariates)).encode("utf-8", "surrogatepass"))
    columns = (games.first, games.second, games.item, games.judge)
    for column in columns:
        found.update(b"|" if column is None else column.astype("<i8").tobytes())
    for numbers in (games.score, *games.covariates.values()):
        found.update(numbers.astype("<f8").tobytes())
    return found.hexdigest()[:12]


def _rated(games: Games, method: str, options: dict[str, Any]) -> Ratings:
    at_once: dict[str, Callable[..., Ratings]] = {"bradley-terry": rate_bradley_terry, "glicko2-zhou": rate_zhou}
    rate = at_once.get(method)
    known = {*signature(rate or SYSTEMS[method]).parameters, *(() if rate else RUN)}
    if wrong := [name for name in options if name not in known]:
        raise InputError(f"{method} has no option {wrong[0]!r}")
    if rate:
        return rate(games, **options)
    run = {name: value for name, value in options.items() if name in RUN}
    if method == "elo":
        run.setdefault("interval", "bootstrap")
    system = SYSTEMS[method](**{name: value for name, value in options.items() if name not in RUN})
    return rate_sequential(games, system, method, **run)
