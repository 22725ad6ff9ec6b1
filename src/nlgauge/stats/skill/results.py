"""What a rating of players returns: a table with intervals, best first, whose `str()` is the sentence for a
paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.results import Result, Rows
from nlgauge.stats.results import Estimate
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.ranks import WhoBeatsWhom
from nlgauge.wording.numbers import number, percent
from nlgauge.wording.paper import Paper, of_ratings
from nlgauge.wording.tables import plain_table


@dataclass(frozen=True)
class Rating(Jsonable):
    """One player; `error` is the standard error or deviation, NaN (as the limits) where the method has none."""

    player: str
    rating: float
    low: float
    high: float
    games: int
    wins: int
    ties: int
    losses: int
    rank: int
    rank_low: int
    rank_high: int
    error: float = math.nan


@dataclass(frozen=True)
class ExampleGame:
    """A game to be shown, with the share of points that the ratings expect of `a`; rows without texts have none."""

    a: str
    b: str
    outcome: str
    expected: float
    item: str = ""
    judge: str = ""
    text_a: str = ""
    text_b: str = ""
    context: str = ""
    verdicts: int = 1  # on these two texts
    same: int = 1  # of them with this outcome


@dataclass(frozen=True)
class Ratings(Result, Rows[Rating]):
    """All players, best first, and what the method found beside them."""

    KEYS = (
        "ratings, converged, method, model, interval, level, n, games_used, games_recorded = recorded, parameters, "
        "matrix, sentence, notes, receipt or null"
    )

    ratings: tuple[Rating, ...]
    method: str
    model: str  # the method in words
    interval: str  # how the limits were found
    level: float
    n: int
    converged: bool
    matrix: WhoBeatsWhom
    games_used: int = 0
    recorded: int | None = None  # the games there were, where those rated were drawn from them
    most_telling: tuple[tuple[int, int, float], ...] = ()  # pairs (numbers in the table) and bits
    parameters: Mapping[str, Estimate] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sides: bool = False  # the players are the places in which texts were shown, not systems
    receipt: str = ""
    played: Games | None = field(default=None, repr=False, compare=False)  # the games rated, in their order
    again: Callable[[Games], Array] | None = field(default=None, repr=False, compare=False)  # ratings after games
    examples: tuple[ExampleGame, ...] = field(default=(), repr=False, compare=False)

    def history(self, points: int = 25) -> tuple[Sequence[int], Array]:
        """Ratings in the order of the table (a row for each of `points` numbers of games); NaN where there are none.

        Sequential systems as they stood then; Bradley–Terry fitted anew to the games so far.
        """
        if self.played is None or self.again is None:
            return (), np.empty((0, len(self.ratings)))
        total = len(self.played)
        ends = sorted({math.ceil(total * k / points) for k in range(1, points + 1)})
        place = [self.played.players.index(player) for player in self.order]
        rows = []
        for end in ends:
            try:
                rows.append(self.again(self.played.take(np.arange(end)))[place])
            except InputError:  # players who have not met, or not both won and lost
                rows.append(np.full(len(place), math.nan))
        return ends, np.array(rows)

    ROWS, NAMED = "ratings", ("player",)

    def paper(self) -> Paper:
        """The table of ratings."""
        return of_ratings({"": self})

    @property
    def order(self) -> tuple[str, ...]:
        """The players, best first."""
        return tuple(rating.player for rating in self.ratings)

    @property
    def best(self) -> str:
        """The player rated highest."""
        return self.ratings[0].player

    @property
    def sentence(self) -> str:
        """What may be written: who leads, how sure that is, and by which method."""
        return f"{self.conclusion} {self.how}"

    @property
    def conclusion(self) -> str:
        """Who leads, and how sure that is."""
        return self._places() if self.sides else f"{self._lead()} {self._close()}".strip()

    def _places(self) -> str:
        """The lead where no systems are named: a preference for a place says nothing about systems."""
        best, second = self.ratings[0], self.ratings[-1]
        if best.rank == second.rank:
            found = "Neither place is preferred"
        else:
            sure = "" if best.rank_high == 1 else f", which is not certain at {percent(self.level)}"
            found = f"Texts in place {best.player} are preferred to those in place {second.player}{sure}"
        return (
            f"{found} ({self._shown(best)}). The rows name no systems, so that places are rated, not systems: give "
            "system_a and system_b to rate systems."
        )

    def _lead(self) -> str:
        best, *rest = self.ratings
        equals = [r.player for r in rest if r.rank == best.rank]
        if equals:
            return f"{_and([best.player, *equals])} share the highest rating ({self._shown(best)})."
        lead = f"{best.player} is rated highest ({self._shown(best)})"
        second = rest[0]
        if best.rank_high == 1:
            return f"{lead}, and its first rank is certain at {percent(self.level)}."
        rivals = [r.player for r in rest if r.rank_low == 1]
        named = _and(rivals[:6]) + (" and others" if len(rivals) > 6 else "") if rivals else ""
        include = "interval of {} also includes" if len(rivals) == 1 else "intervals of {} also include"
        may = f"; the rank {include.format(named)} 1" if rivals else ""
        return f"{lead}, before {second.player} ({self._shown(second)}){may}."

    def _close(self) -> str:
        """How many ranks the data settle; their limits hold for one player at a time."""
        certain, players = sum(1 for r in self.ratings if r.rank_low == r.rank_high), len(self.ratings)
        at = f"certain at {percent(self.level)}"
        if not certain:
            return f"No rank is {at}."
        if players == 2:
            return ""  # the first rank of one is the second of the other, and has been told
        if certain == players:
            return f"Each rank, taken by itself, is {at}."
        if certain == 1:
            return f"1 of {players} ranks is {at}."
        return f"{certain} of {players} ranks are {at}, each taken by itself."

    @property
    def how(self) -> str:
        """By which method, from how many games."""
        drawn = "" if self.recorded is None else f" drawn from {self.recorded:,} recorded"
        parts = [self.model, f"{self.n:,} games of {len(self.ratings)} players{drawn}"]
        parts += [f"{name} {_brief(value)}" for name, value in self.parameters.items()]
        ending = "" if self.converged else "; the order was still changing when the games ended"
        return f"{'; '.join(parts)}; {self.interval}{ending}."

    def _shown(self, rating: Rating) -> str:
        places = self.places
        if math.isnan(rating.low):
            return number(rating.rating, places)
        value, low, high = (number(x, places) for x in (rating.rating, rating.low, rating.high))
        return f"{value}, {percent(self.level)} interval {low} to {high}"

    @property
    def places(self) -> int:
        """Decimals of a rating: none needed on Elo's scale, two on a logarithmic one."""
        largest = max(abs(r.rating) for r in self.ratings)
        return 0 if largest >= 200 else 2

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows of the table."""
        games = "games" if self.recorded is None else "drawn"
        interval = f"{percent(self.level)} interval"
        headers = ["rank", "player", "rating", interval, "ranks", games, "won", "tied", "lost"]
        places = self.places
        rows = []
        for r in self.ratings:
            limits = "n/a" if math.isnan(r.low) else f"{number(r.low, places)} to {number(r.high, places)}"
            span = f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low}–{r.rank_high}"
            counts = [f"{value:,}" for value in (r.games, r.wins, r.ties, r.losses)]
            rows.append([str(r.rank), r.player, number(r.rating, places), limits, span, *counts])
        return headers, rows

    def matrix_cells(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows of the matrix: the observed share of points and, in brackets, the expected one."""
        score, expected = self.matrix.score.tolist(), self.matrix.expected.tolist()
        rows = [
            [player, *("–" if i == j else _share(score[i][j], expected[i][j]) for j in range(len(score)))]
            for i, player in enumerate(self.matrix.players)
        ]
        return ["", *self.matrix.players], rows

    def next_pairs(self, count: int) -> list[tuple[str, str, float]]:
        """The pairs whose next game would tell most about their difference, with the bits it would tell."""
        order = self.most_telling[:count]
        return [(self.order[i], self.order[j], bits) for i, j, bits in order]

    def table(self) -> str:
        """The table as plain text."""
        headers, rows = self.cells()
        return plain_table(headers, rows, right=(0, 2, 3, 4, 5, 6, 7, 8))

    def __str__(self) -> str:
        return "\n".join([self.table(), *self.footer()])

    def footer(self) -> list[str]:
        """What stands under the table: the sentence, the notes, the receipt."""
        receipt = ["", self.receipt] if self.receipt else []
        return ["", self.sentence, *(f"note: {note}" for note in self.notes), *receipt]


def _brief(value: Estimate) -> str:
    if math.isnan(value.low):
        return f"{value.estimate:.3g}"
    return f"{value.estimate:.3g} ({value.low:.3g} to {value.high:.3g})"


def _share(observed: float, expected: float) -> str:
    seen = "n/a" if math.isnan(observed) else f"{observed:.2f}"
    return f"{seen} ({expected:.2f})"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
