"""Judged outputs as examples to learn from: texts, a target for each, and which of them are held out.

What is held out is held out by text: outputs whose references are the same stand on one side, whatever their item is
called, since the same sentence with another name would be known already. Where the source is what is learnt from, as in
dialogue, outputs with the same source do.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.grouping import look_up, no_row, spelled
from nlgauge.errors import InputError, counted, suggest
from nlgauge.kernels.batch import Batch
from nlgauge.meta.observations import MINUS, Observation, Observations, observe
from nlgauge.meta.table import human_scores, standardised
from nlgauge.training.config import Data, Split, Target, Training, set_name

Array = NDArray[np.float64]
LEAST = 20  # examples below which nothing can be learnt and checked


@dataclass(frozen=True, eq=False)
class Examples:
    """Outputs with what people said of them."""

    rows: tuple[Observation, ...]
    targets: Array  # not a number where people only compared
    sets: tuple[str, ...]  # the data set of each
    pairs: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((0, 2), dtype=np.int64)
    )  # better, worse
    notes: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # what each is about, by text

    def __post_init__(self) -> None:
        if not self.items:
            object.__setattr__(self, "items", tuple(text_digest(row) for row in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

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
        )


def gather(training: Training, folder: Path) -> Examples:
    """The examples of every data set; what cannot be learnt from is refused, or left out with a note."""
    parts = [_examples(data, training, folder) for data in training.data]
    starts = np.cumsum([0, *(len(part) for part in parts)])
    targets = np.concatenate([part.targets for part in parts])
    if training.scaled and training.supervise.judged:
        low, high = float(np.nanmin(targets)), float(np.nanmax(targets))
        targets = (targets - low) / (high - low)
    return Examples(
        tuple(row for part in parts for row in part.rows),
        targets,
        tuple(name for part in parts for name in part.sets),
        np.concatenate([part.pairs + start for part, start in zip(parts, starts, strict=False)]),
        tuple(note for part in parts for note in part.notes),
        tuple(item for part in parts for item in part.items),
    )


def _examples(data: Data, training: Training, folder: Path) -> Examples:
    name = set_name(data)
    observed = observe(
        str(folder / Path(data.path).expanduser()),
        lower=(data.human,) if data.lower else (),
    )
    chosen = _chosen(observed, data.where)
    rows = tuple(_unescaped(row) if data.unescape else row for row in observed.rows)
    if not training.supervise.judged:
        some = [row for row, fits in zip(rows, chosen, strict=True) if fits]
        return _made(replace(observed, rows=tuple(some)), training, name)
    known = np.array([row.text is not None for row in observed.rows])
    if data.human:
        criterion = MINUS + data.human if data.lower else data.human
        values = _ratings(observed, criterion, training.target)
        known &= np.isfinite(values)
    elif observed.pairs:
        values = np.full(len(observed.rows), np.nan)
    else:
        raise InputError(f"{observed.origin} holds no preferences; name the criterion to learn with human: …")
    notes = [f"{name}: {note}" for note in observed.notes]
    lacking = np.flatnonzero(chosen & ~known)
    if len(lacking):
        first = observed.rows[int(lacking[0])]
        notes.append(
            f"{name}: {counted(len(lacking), 'row')} without a text or a rating of {data.human} left out, "
            f"the first item {first.item} of {first.system}"
        )
    kept = np.flatnonzero(chosen & known)
    if len(kept) < LEAST:
        raise InputError(
            f"{observed.origin}: {len(kept)} outputs have a text and a rating of {data.human}; {LEAST} are needed"
        )
    if data.human and math.isclose(values[kept].min(), values[kept].max(), rel_tol=1e-12):
        raise InputError(
            f"{observed.origin}: every output has the same rating of {data.human} ({values[kept][0]:g}), so there is "
            "nothing to learn"
        )
    if training.alike and data.human:
        values = (values - values[kept].mean()) / values[kept].std()
    pairs = np.array([] if data.human else observed.pairs, dtype=np.int64).reshape(-1, 2)
    items = tuple(_item(row, training) for row in rows)
    whole = Examples(rows, values, (name,) * len(rows), pairs, items=items)
    return replace(whole.only(kept), notes=tuple(notes))


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
    sourced = training.supervise.sourced
    if human < LEAST or (not sourced and other < LEAST):
        beside = "with a source" if sourced else f"and {LEAST} of systems"
        raise InputError(
            f"{observed.origin}: to learn {training.supervise.learns}, {LEAST} texts of people {beside} are needed; "
            f"found {human}{'' if sourced else f' and {other}'}. Texts of people are the references, and the outputs "
            "of those systems that supervise.people names"
        )
    notes = [f"{name}: {note}" for note in observed.notes]
    without = sum(row.source is None for row in observed.rows) if sourced else 0
    if without:
        notes.append(f"{name}: {counted(without, 'row')} without a source left out")
    return Examples(
        tuple(text.row for text in taken),
        targets,
        (name,) * len(taken),
        notes=tuple(notes),
        items=tuple(_item(text.about, training) for text in taken),
    )


def _item(row: Observation, training: Training) -> str:
    """What an example is about: its source where that is what is read, else its references."""
    by_source = training.by_source and row.source is not None
    return text_digest(replace(row, references=()) if by_source else row)


def _chosen(observed: Observations, where: Mapping[str, str]) -> NDArray[np.bool_]:
    """The rows whose keys fit these patterns, all of them."""
    found = np.ones(len(observed.rows), dtype=bool)
    for name, pattern in where.items():
        values = [look_up(row, name) for row in observed.rows]
        fits = np.array([value is not None and fnmatchcase(spelled(value), pattern) for value in values])
        if not fits.any():
            raise no_row(observed.origin, name, pattern, values)
        found &= fits
    return found


def _ratings(observed: Observations, criterion: str, target: Target) -> Array:
    if target == "standardised":
        observed = standardised(observed, [criterion])
    return human_scores(observed, criterion)


def _unescaped(row: Observation) -> Observation:
    return replace(
        row,
        text=html.unescape(row.text or ""),
        references=tuple(html.unescape(text) for text in row.references),
    )


def text_digest(row: Observation) -> str:
    """What an example is about, whatever its item is called: its references, or its source where it has none."""
    texts = row.references or (repr(row.source),)
    about = sorted(" ".join(text.casefold().split()) for text in texts)
    return sha256("\0".join(about).encode("utf-8", "surrogatepass")).hexdigest()


def held_out(examples: Examples, split: Split, seed: int) -> NDArray[np.bool_]:
    """Which examples are held out: whole data sets, or a share of the texts."""
    if split.sets:
        named = zip(examples.items, examples.sets, strict=True)
        chosen = {item for item, name in named if name in split.sets}
    else:
        distinct = sorted(set(examples.items))
        Random(f"{seed}/held").shuffle(distinct)
        chosen = set(distinct[: round(split.held * len(distinct))])
    held = np.array([item in chosen for item in examples.items])
    if held.all() or (not held.any() and (split.sets or split.held > 0)):
        raise InputError(
            f"of {len(examples)} examples {int(held.sum())} are held out and {int((~held).sum())} left to learn from; "
            "change split.held or split.sets"
        )
    return held


def batch_of(examples: Examples) -> Batch:
    """The texts as metrics read them."""
    rows = examples.rows
    return Batch(
        [row.text or "" for row in rows],
        [list(row.references) for row in rows],
        sources=[row.source for row in rows],
        items=[row.item for row in rows],
    )
