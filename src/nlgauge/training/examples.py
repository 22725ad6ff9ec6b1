"""Judged outputs as examples to learn from: texts, a target for each, and which of them are held out.

What an example has in common with others says what may be held out (`training/split.py`): its references, or its source
where that is what is learnt from, as in dialogue.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.engine.grouping import look_up, no_row, spelled
from nlgauge.engine.remarks import FEWEST, copied, folded
from nlgauge.errors import InputError, counted, suggest
from nlgauge.io.columns import is_known
from nlgauge.kernels.batch import Batch
from nlgauge.meta.observations import MINUS, Observation, Observations, observe, places_without
from nlgauge.meta.table import human_scores
from nlgauge.training.config import Data, Split, Training, set_name
from nlgauge.wording.numbers import listing

LEAST = 20  # examples below which nothing can be learnt and checked


@dataclass(frozen=True, eq=False)
class Examples:
    """Outputs with what people said of them."""

    rows: tuple[Observation, ...]
    targets: Array  # not a number where people only compared
    sets: tuple[str, ...]  # the data set of each
    pairs: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))  # better, worse
    notes: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # what each is about, by text
    ties: tuple[tuple[str, ...], ...] = ()  # examples that share any stand on one side of the split

    def __post_init__(self) -> None:
        if not self.items:
            object.__setattr__(self, "items", tuple(text_digest(row) for row in self.rows))
        if not self.ties:
            object.__setattr__(self, "ties", tuple((item,) for item in self.items))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which of them the data hold; others were made of these."""
        return np.ones(len(self), dtype=bool)

    def only(self, places: NDArray[np.int64]) -> Examples:
        """Some of them, and the preferences between these."""
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        pairs = new[self.pairs]
        return Examples(
            tuple(self.rows[place] for place in places),
            self.targets[places],
            tuple(self.sets[place] for place in places),
            pairs[(pairs >= 0).all(axis=1)],
            items=tuple(self.items[place] for place in places),
            ties=tuple(self.ties[place] for place in places),
        )

    def followed_by(self, rows: Sequence[Observation], owners: Sequence[int], target: float, **more: Any) -> Self:
        """With rows after them, each made of the one at a place, on whose side of the split it stands."""
        return replace(
            self,
            rows=(*self.rows, *rows),
            targets=np.concatenate([self.targets, np.full(len(rows), target)]),
            sets=(*self.sets, *(self.sets[place] for place in owners)),
            items=(*self.items, *(self.items[place] for place in owners)),
            ties=(*self.ties, *(self.ties[place] for place in owners)),
            **more,
        )


def gather(training: Training, folder: Path) -> Examples:
    """The examples of every data set; what cannot be learnt from is refused, or left out with a note.

    Targets are means of ratings as they are; `split.on_scale` puts them on the scale that is learnt.
    """
    parts = [_examples(data, training, folder) for data in training.data]
    for key in training.split.by:
        if key not in Split.by and not any(look_up(row, key) for part in parts for row in part.rows):
            raise InputError(f"split.by names {key!r}, a key that no row has; leave it out, or name another")
    for data, part in zip(training.data, parts, strict=True):
        refuse_lacking(training, data, part.rows)
    starts = np.cumsum([0, *(len(part) for part in parts)])
    return Examples(
        rows=tuple(row for part in parts for row in part.rows),
        targets=np.concatenate([part.targets for part in parts]),
        sets=tuple(name for part in parts for name in part.sets),
        pairs=np.concatenate([part.pairs + start for part, start in zip(parts, starts, strict=False)]),
        notes=tuple(note for part in parts for note in part.notes),
        items=tuple(item for part in parts for item in part.items),
        ties=tuple(ties for part in parts for ties in part.ties),
    )


def _examples(data: Data, training: Training, folder: Path) -> Examples:
    name = set_name(data)
    observed = observe(
        str(folder / Path(data.path).expanduser()),
        columns=data.columns or None,
        lower=(data.human,) if data.lower else (),
    )
    wanted = chosen(observed, data)
    rows = tuple(unescaped(row) if data.unescape else row for row in observed.rows)
    if not training.supervise.judged:
        some = [row for row, fits in zip(rows, wanted, strict=True) if fits]
        return _made(replace(observed, rows=tuple(some)), training, name)
    known = np.array([row.text is not None for row in observed.rows])
    if data.human:
        values = human_scores(observed, criterion_of(data))
        if not np.isfinite(values).any():
            raise InputError(
                f"{observed.origin}: every rating of {data.human!r} is null, so there is nothing to learn; give "
                "ratings as numbers, or name another criterion (human: …)"
            )
        known &= np.isfinite(values)
    elif observed.pairs:
        values = np.full(len(observed.rows), np.nan)
    else:
        raise InputError(f"{observed.origin} holds no preferences; name the criterion to learn with human: …")
    notes = [f"{name}: {note}" for note in observed.notes]
    rating = f" or a rating of {data.human}" if data.human else ""
    notes += [f"{name}: {note}" for note in _unread(observed.rows, data, training)]
    lacking = np.flatnonzero(wanted & ~known)
    if len(lacking):
        first = observed.rows[int(lacking[0])]
        notes.append(
            f"{name}: {counted(len(lacking), 'row')} without a text{rating} left out, the first item {first.item} of "
            f"{first.system}"
        )
    kept = np.flatnonzero(wanted & known)
    notes += [f"{name}: {note}" for note in _copies([rows[place] for place in kept])]
    if len(kept) < LEAST:
        raise InputError(
            f"{observed.origin}: {counted(len(kept), 'output')} with a text{rating.replace(' or', ' and')}; {LEAST} "
            "are needed"
        )
    pairs = np.array([] if data.human else observed.pairs, dtype=np.int64).reshape(-1, 2)
    items = tuple(about_of(row, training, name) for row in rows)
    ties = tuple(ties_of(row, training, name) for row in rows)
    whole = Examples(rows, values, (name,) * len(rows), pairs, items=items, ties=ties)
    return replace(whole.only(kept), notes=tuple(notes))


def _unread(rows: Sequence[Observation], data: Data, training: Training) -> list[str]:
    """A note of keys that nothing reads, which `nlgauge score` would refuse: one may be misspelt."""
    used = {*data.where, *data.columns.values(), *training.split.by, "dialogue", "turn"}
    keys = dict.fromkeys(key for row in rows for key in row.extra if not is_known(key) and key not in used)
    if not keys:
        return []
    said = "is no key" if len(keys) == 1 else "are no keys"
    return [
        f"{listing([repr(key) for key in keys])} {said} that nlgauge knows, so nothing reads it; columns: "
        "{KEY: NAME} says which column holds a key"
    ]


def _copies(rows: Sequence[Observation]) -> list[str]:
    """A warning for each system whose texts are references on more than half of its rows."""
    systems: dict[str, list[bool]] = {}
    for row in rows:
        if row.references:
            systems.setdefault(row.system, []).append(copied(row.text or "", row.references))
    return [
        f"the texts of {system} are references ({sum(found):,} of {len(found):,} rows), which teaches to look for "
        "copies; leave it out (without: …)"
        for system, found in systems.items()
        if len(found) >= FEWEST and 2 * sum(found) > len(found)
    ]


def _made(observed: Observations, training: Training, name: str) -> Examples:
    """Examples without ratings."""
    systems = dict.fromkeys(row.system for row in observed.rows)
    for system in getattr(training.supervise, "people", ()):
        if system not in systems:
            raise InputError(
                f"supervise.people names {system!r}, no system of {observed.origin}; {suggest(system, systems)}"
            )
    taken = list(training.supervise.taken(observed.rows, Random(f"{training.seed}/{name}")))
    targets = np.array([text.target for text in taken])
    human, other = int((targets == 1).sum()), int((targets == 0).sum())
    beside = training.supervise.beside
    if human < LEAST or (not beside and other < LEAST):
        raise InputError(
            f"{observed.origin}: to learn {training.supervise.learns}, {LEAST} texts of people "
            f"{beside or f'and {LEAST} of systems'} are needed; found {human}{'' if beside else f' and {other}'}. "
            "Texts of people are the references, and the outputs of those systems that supervise.people names"
        )
    notes = [f"{name}: {note}" for note in observed.notes]
    without = sum(row.source is None for row in observed.rows) if training.supervise.sourced else 0
    if without:
        notes.append(f"{name}: {counted(without, 'row')} without a source left out")
    return Examples(
        tuple(text.row for text in taken),
        targets,
        (name,) * len(taken),
        notes=tuple(notes),
        items=tuple(about_of(text.about, training, name) for text in taken),
        ties=tuple(ties_of(text.about, training, name) for text in taken),
    )


def refuse_lacking(training: Training, data: Data, rows: Sequence[Observation]) -> None:
    """Refuse a row without what is to be read, before anything is computed."""
    for row in rows:
        if "source" in training.needs and row.source is None:
            raise InputError(
                f"{data.path}: item {row.item!r} has no source, which is to be read; leave such rows out (where: …)"
            )
        if "references" in training.needs and not row.references:
            judged = training.supervise.judged
            what = "reference" if judged else "reference beside the text that is learnt"
            way = "" if judged else "give each item two references or more, "
            raise InputError(
                f"{data.path}: item {row.item!r} has no {what}, and outputs are to be compared with one; {way}leave "
                "such rows out (where: …), or learn by what needs none"
            )


def criterion_of(data: Data) -> str:
    """The name under which ratings are found."""
    return MINUS + data.human if data.lower else data.human


def about_of(row: Observation, training: Training, name: str) -> str:
    """Its source where that is what is read, else its references; where it has neither, its item."""
    if not row.references and row.source is None:
        return f"{name}/{row.item}"
    by_source = training.by_source and row.source is not None
    return text_digest(replace(row, references=()) if by_source else row)


def ties_of(row: Observation, training: Training, name: str) -> tuple[str, ...]:
    """What an example shares with those that stand on its side: what it is about, and the values of `split.by`."""
    if not row.references and row.source is None:
        own = [about_of(row, training, name), text_digest(replace(row, references=(row.text or "",)))]
    elif not row.references or (training.by_source and row.source is not None):
        own = [about_of(row, training, name)]
    else:
        own = [text_digest(replace(row, references=(text,))) for text in row.references]
    keys = [(key, look_up(row, key)) for key in training.split.by]
    return (*own, *(f"{name}/{key}/{spelled(value)}" for key, value in keys if value is not None))


def chosen(observed: Observations, data: Data) -> NDArray[np.bool_]:
    """The rows whose keys fit all patterns of `where`, and whose systems are not left out."""
    found = np.zeros(len(observed.rows), dtype=bool)
    found[places_without(observed, data.without)] = True
    for name, pattern in data.where.items():
        values = [look_up(row, name) for row in observed.rows]
        fits = np.array([value is not None and fnmatchcase(spelled(value), pattern) for value in values])
        if not fits.any():
            raise no_row(observed.origin, name, pattern, values)
        found &= fits
    return found


def unescaped(row: Observation) -> Observation:
    return replace(
        row,
        text=None if row.text is None else html.unescape(row.text),
        references=tuple(html.unescape(text) for text in row.references),
        source=_without_escapes(row.source),
    )


def _without_escapes(source: Any) -> Any:
    """A source whose texts have lost their escapes, at any depth."""
    if isinstance(source, str):
        return html.unescape(source)
    if isinstance(source, Mapping):
        return {key: _without_escapes(part) for key, part in source.items()}
    if isinstance(source, list | tuple):
        return [_without_escapes(part) for part in source]
    return source


def text_digest(row: Observation) -> str:
    """What an example is about, whatever its item is called: its references, or its source where it has none."""
    texts = row.references or (repr(row.source),)
    about = sorted(map(folded, texts))
    return sha256("\0".join(about).encode("utf-8", "surrogatepass")).hexdigest()


def batch_of(examples: Examples) -> Batch:
    """The texts as metrics read them."""
    rows = examples.rows
    return Batch(
        [row.text or "" for row in rows],
        [list(row.references) for row in rows],
        sources=[row.source for row in rows],
        items=[row.item for row in rows],
    )
