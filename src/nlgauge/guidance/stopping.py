"""Early stopping by comparison (Zhou and Xu 2020, §4.1), and the best checkpoint by skill rating.

The texts of each checkpoint are compared with those of the checkpoints before it; training ends when it has lost more
comparisons than it won for several checks in a row. The best checkpoint is the one rated highest by Bradley and Terry's
model over all games so far. For this rating alone, each checkpoint also meets the best one so far.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.guidance.comparing import Compares, check_texts, meet
from nlgauge.io import atomic_path
from nlgauge.jsonable import Jsonable
from nlgauge.learned.comparator import Written
from nlgauge.stats.skill import Games, fit

# A log of JSON lines that a run can go on from: the first line says what it is a log of.


class Journal:
    """Lines appended one by one; a last line that was cut off by an interruption is dropped."""

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self._path, self._settings = Path(path), dict(settings)
        self.lines: list[dict[str, Any]] = []
        if self._path.exists():
            self.lines = self._read()
        self.rewrite(self.lines)

    def append(self, line: Mapping[str, Any]) -> None:
        """One more line, on the disk before the run goes on."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def rewrite(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """These lines in place of all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(self._path) as made, made.open("w", encoding="utf-8") as file:
            for line in (self._settings, *lines):
                file.write(json.dumps(line) + "\n")

    def _read(self) -> list[dict[str, Any]]:
        found = []
        whole, end, rest = self._path.read_text(encoding="utf-8", errors="replace").rpartition("\n")
        if not end and not json.dumps(self._settings).startswith(rest):
            raise InputError(f"{self._path} exists already and is no log; give a new file")
        for number, line in enumerate(whole.split("\n") if end else (), start=1):
            try:
                found.append(json.loads(line))
            except ValueError:
                raise InputError(
                    f"{self._path}:{number} is no line of a log; give a new file, or leave this one as it was written"
                ) from None
        if not found:
            return []
        told = found[0] if isinstance(found[0], dict) else {}
        other = [key for key, value in self._settings.items() if told.get(key) != value]
        if other:
            words = ", ".join(f"{key} was {told.get(key)!r}" for key in other)
            raise InputError(f"{self._path} is the log of another run ({words}); give a new file, or the same settings")
        return found[1:]


def written(texts: Iterable[Written]) -> list[list[str]]:
    """Texts for a line."""
    return [[text.text, text.context] for text in texts]


def texts_of(line: Iterable[Iterable[str]]) -> tuple[Written, ...]:
    """And back."""
    return tuple(Written(*text) for text in line)


# ties count half, as all games may be ties; a weak prior, so that who won every game has a finite rating
MODEL: Mapping[str, Any] = {"ties": "half", "ridge": 0.01}


@dataclass(frozen=True)
class Against:
    """The games of a checkpoint with an earlier one; `counts` where the stopping rule counts them."""

    step: int
    wins: int
    losses: int
    ties: int
    counts: bool = True


@dataclass(frozen=True)
class Check(Jsonable):
    """What one check found; the first has no games."""

    KEYS = "step, wins, losses, ties, against, worse_in_a_row, stop, games"

    step: int
    games: tuple[Against, ...]
    worse_in_a_row: int
    stop: bool

    @property
    def wins(self) -> int:
        return sum(game.wins for game in self.games if game.counts)

    @property
    def losses(self) -> int:
        return sum(game.losses for game in self.games if game.counts)

    @property
    def ties(self) -> int:
        return sum(game.ties for game in self.games if game.counts)

    @property
    def against(self) -> tuple[int, ...]:
        """The checkpoints it was compared with."""
        return tuple(game.step for game in self.games if game.counts)


class EarlyStopping(Jsonable):
    """Compares each checkpoint with those before it.

    `comparisons` are played with each of the `previous` checkpoints (fewer where there are not so many pairs of texts
    with one context); after `patience` checks in a row with more losses than wins, `stop` is true. With a `log` (JSON
    lines, with the texts) a run goes on after an interruption; a check of an earlier step than the last one drops the
    checks from there on, since the training went back.
    """

    KEYS = "*settings, checks, ratings, best, stop"

    checks: list[Check]

    def __init__(
        self,
        compares: Compares,
        *,
        comparisons: int = 1000,
        previous: int = 2,
        patience: int = 5,
        seed: int = 12345,
        log: str | Path | None = None,
    ) -> None:
        for name, value in (("comparisons", comparisons), ("previous", previous), ("patience", patience)):
            if value < 1:
                raise InputError(f"{name} must be at least 1; got {value}")
        self.compares = compares
        self.comparisons, self.previous, self.patience, self.seed = comparisons, previous, patience, seed
        self.checks = []
        self.texts: dict[int, tuple[Written, ...]] = {}  # of every checkpoint
        self._journal = None if log is None else Journal(log, self.settings)
        for line in self._journal.lines if self._journal else ():
            self._add(line["step"], texts_of(line["texts"]), tuple(Against(**game) for game in line["games"]))

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides."""
        return {
            "compares": self.compares.name,
            "comparisons": self.comparisons,
            "previous": self.previous,
            "patience": self.patience,
            "seed": self.seed,
        }

    def check(self, step: int, texts: Sequence[Written]) -> Check:
        """Compare what the checkpoint at this step wrote with what the ones before it did."""
        if not texts:
            raise InputError(f"there is no text of step {step:,}; generate some from the same prompts each time")
        check_texts(texts)
        self._go_back(step)
        rivals = [check.step for check in self.checks[-self.previous :]][::-1]
        best = self.best
        games = tuple(
            self._against(step, texts, rival, counts=rival in rivals)
            for rival in dict.fromkeys([*rivals, *([best] if best is not None else [])])
        )
        made = self._add(step, tuple(texts), games)
        if self._journal:
            self._journal.append(self._line(made))
        return made

    @property
    def stop(self) -> bool:
        """Whether the last check said so."""
        return bool(self.checks) and self.checks[-1].stop

    @property
    def ratings(self) -> dict[int, float]:
        """The skill of each checkpoint over all games so far, in log odds; that of the first is 0."""
        if len(self.checks) < 2:
            return {check.step: 0.0 for check in self.checks}
        model = fit(self._games(), **MODEL)
        strength = dict(zip(map(int, model.players), model.strength.tolist(), strict=True))
        first = strength[self.checks[0].step]
        return {check.step: strength[check.step] - first for check in self.checks}

    @property
    def best(self) -> int | None:
        """The step of the checkpoint with the highest rating, the earlier of equals; None before the first check."""
        ratings = self.ratings
        return max(ratings, key=lambda step: ratings[step]) if ratings else None

    def _against(self, step: int, texts: Sequence[Written], rival: int, *, counts: bool) -> Against:
        met = meet(texts, self.texts[rival], self.compares, self.comparisons, (self.seed, step, rival))
        return Against(rival, met.wins, met.losses, met.ties, counts)

    def _add(self, step: int, texts: tuple[Written, ...], games: tuple[Against, ...]) -> Check:
        """The check with what follows from its games and those before."""
        made = Check(step, games, 0, False)
        before = self.checks[-1].worse_in_a_row if self.checks else 0
        worse = before + 1 if made.losses > made.wins else 0
        made = Check(step, games, worse, worse >= self.patience)
        self.checks.append(made)
        self.texts[step] = texts
        return made

    def _go_back(self, step: int) -> None:
        if step < 0:
            raise InputError(f"a step is 0 or more; got {step}")
        later = [check.step for check in self.checks if check.step >= step]
        if not later:
            return
        self.checks = [check for check in self.checks if check.step < step]
        for dropped in later:
            del self.texts[dropped]
        if self._journal:
            self._journal.rewrite(map(self._line, self.checks))

    def _line(self, check: Check) -> Mapping[str, Any]:
        return {**check.to_dict(), "texts": written(self.texts[check.step])}

    def _games(self) -> Games:
        """All games so far; the newer checkpoint comes first."""
        players = {check.step: place for place, check in enumerate(self.checks)}
        first, second, score = [], [], []
        for check in self.checks:
            for game in check.games:
                number = game.wins + game.losses + game.ties
                first.append(np.full(number, players[check.step]))
                second.append(np.full(number, players[game.step]))
                score.append(np.repeat([1.0, 0.0, 0.5], [game.wins, game.losses, game.ties]))
        return Games(tuple(map(str, players)), np.concatenate(first), np.concatenate(second), np.concatenate(score))
