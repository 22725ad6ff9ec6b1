"""Games between players, as arrays: who met whom, who won, and, where known, on which item before which judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError

SCORES = {"a": 1.0, "b": 0.0, "tie": 0.5}
TIE = 0.5


@dataclass(frozen=True)
class Games:
    """Games in the order in which they were played; all columns have one entry a game.

    `first` and `second` number the players; the first is the one shown first, where there is an order. `score`
    is 1 where the first won, 0 where the second did and 0.5 for a tie. `item` and `judge` number items and
    judges, and are None where the data do not name them. `covariates` are further columns that may tip a
    verdict towards the first player (a difference in length, say).
    """

    players: tuple[str, ...]
    first: Ints
    second: Ints
    score: Array
    item: Ints | None = None
    judge: Ints | None = None
    judges: tuple[str, ...] = ()
    covariates: Mapping[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    @classmethod
    def of(
        cls,
        a: Sequence[str],
        b: Sequence[str],
        outcome: Sequence[str],
        *,
        item: Sequence[str] | None = None,
        judge: Sequence[str] | None = None,
        covariates: Mapping[str, Sequence[float]] | None = None,
        where: Callable[[int], str] = lambda game: f"game {game + 1:,}",
    ) -> Games:
        """Games from names and outcomes "a", "b" or "tie"; `where` says where a game stands, for messages."""
        if not len(a) == len(b) == len(outcome):
            raise InputError(
                f"{len(a):,} first players, {len(b):,} second players and {len(outcome):,} outcomes; "
                "expected one of each a game"
            )
        if not len(a):
            raise InputError("there are no games; expected at least one")
        players = dict.fromkeys([*a, *b])
        first, second = _numbers(a, players), _numbers(b, players)
        try:
            score = np.fromiter(map(SCORES.__getitem__, outcome), np.float64, len(outcome))
        except (KeyError, TypeError):
            bad = next(g for g, one in enumerate(outcome) if not isinstance(one, str) or one not in SCORES)
            raise InputError(f"{where(bad)}: the outcome is {outcome[bad]!r}; expected a, b or tie") from None
        same = np.flatnonzero(first == second)
        if same.size:
            game = int(same[0])
            raise InputError(f"{where(game)}: {a[game]!r} plays against itself; expected two different players")
        extra = {name: _column(name, values, len(a)) for name, values in (covariates or {}).items()}
        judges = None if judge is None else dict.fromkeys(judge)
        return cls(
            players=tuple(players),
            first=first,
            second=second,
            score=score,
            item=None if item is None else _numbers(item, dict.fromkeys(item)),
            judge=None if judge is None or judges is None else _numbers(judge, judges),
            judges=() if judges is None else tuple(judges),
            covariates=extra,
        )

    def take(self, games: Ints) -> Games:
        """The games numbered, in that order; the players stay."""
        return Games(
            players=self.players,
            first=self.first[games],
            second=self.second[games],
            score=self.score[games],
            item=None if self.item is None else self.item[games],
            judge=None if self.judge is None else self.judge[games],
            judges=self.judges,
            covariates={name: column[games] for name, column in self.covariates.items()},
        )

    @property
    def clusters(self) -> tuple[Ints, str]:
        """What is drawn together when games are resampled: items where they are named, else single games."""
        if self.item is not None:
            return self.item, "items"
        return np.arange(len(self), dtype=np.int64), "games"

    def record(self) -> tuple[Ints, Ints, Ints]:
        """Wins, ties and losses of each player."""
        n = len(self.players)
        won, tied = self.score == 1.0, self.score == TIE
        lost = ~won & ~tied

        def count(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Ints:
            return np.bincount(self.first[first], minlength=n) + np.bincount(self.second[second], minlength=n)

        return count(won, lost), count(tied, tied), count(lost, won)

    def wins(self) -> tuple[Array, Array]:
        """Matrices of wins (row over column) and of ties (symmetric)."""
        n, size = len(self.players), len(self.players) ** 2
        forward, backward = self.first * n + self.second, self.second * n + self.first
        won, tied = self.score == 1.0, self.score == TIE
        lost = ~won & ~tied
        wins = np.bincount(forward[won], minlength=size) + np.bincount(backward[lost], minlength=size)
        ties = np.bincount(forward[tied], minlength=size) + np.bincount(backward[tied], minlength=size)
        return wins.reshape(n, n).astype(float), ties.reshape(n, n).astype(float)


def _numbers(names: Sequence[str], known: dict[str, None]) -> Ints:
    """The place of each name among those known, by first appearance."""
    index = {name: number for number, name in enumerate(known)}
    return np.fromiter(map(index.__getitem__, names), np.int64, len(names))


def _column(name: str, values: Sequence[float], games: int) -> Array:
    column = np.asarray(values, dtype=float)
    if column.shape != (games,) or not np.isfinite(column).all():
        raise InputError(f"the covariate {name!r} needs one finite number for each of the {games:,} games")
    return column
