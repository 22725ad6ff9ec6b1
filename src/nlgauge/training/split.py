"""What is held out, and the scale of the targets, which only what is learnt from may say.

Examples are held out by text: those that share a reference, or the source where that is what is read, stand on one side
whatever their items are called, and so do those that share them with others of these. Rows of one dialogue do as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted
from nlgauge.meta.observations import Observations
from nlgauge.meta.table import human_scores, standardised
from nlgauge.training.config import Data, Split, Training, set_name
from nlgauge.training.examples import Examples, criterion_of, gather

Held = NDArray[np.bool_]
LEARNT = 10  # examples below which nothing can be learnt, half of what a data set must have
FINE = 1e-5  # spread of targets beside their size, below which single precision blurs them


def prepared(training: Training, beside: Path) -> tuple[Examples, Held]:
    """The examples of a training on its scale, with what can be drawn only now, and which of them are held out."""
    examples = gather(training, beside)
    held = held_out(examples, training.split, training.seed)
    examples = on_scale(examples, training, held)
    return training.supervise.completed(examples, held, training.seed)


def held_out(examples: Examples, split: Split, seed: int) -> Held:
    """Which examples are held out: whole data sets, or a share of the texts."""
    groups = connected(examples)
    if split.sets:
        named = zip(groups, examples.sets, strict=True)
        chosen = {group for group, name in named if name in split.sets}
    else:
        chosen = _share(examples, groups, split.held, seed)
    held = np.array([group in chosen for group in groups])
    if split.sets and held.all():
        raise InputError(
            f"nothing is left to learn from beside {', '.join(split.sets)} (split.sets): the other data sets hold the "
            "same texts, or there are none"
        )
    refuse_few(int((~held).sum()), len(held), "example", "split")
    return held


def refuse_few(learnt: int, of: int, what: str, setting: str) -> None:
    """Refuse to learn from next to nothing, where `setting` holds the others out."""
    if learnt < LEARNT:
        raise InputError(
            f"{learnt} of {counted(of, what)} would be left to learn from, and {LEARNT} are needed; hold fewer out "
            f"({setting}), or give more"
        )


def _share(examples: Examples, groups: list[int], share: float, seed: int) -> set[int]:
    """Groups of about such a share of the items, by chance, and no group that is larger than the share by itself."""
    of = dict(zip(examples.items, groups, strict=True))
    sizes = Counter(of.values())
    if not share:
        return set()
    if len(sizes) < 2:
        raise InputError(
            f"nothing can be held out: all {len(examples)} examples share texts or keys (split.by) with one another; "
            "give more items, or hold nothing out (split: 0)"
        )
    order = sorted(of)
    Random(f"{seed}/held").shuffle(order)
    room = round(share * len(order))
    chosen: set[int] = set()
    for group in (of[item] for item in order):
        if group not in chosen and sizes[group] <= room:
            chosen.add(group)
            room -= sizes[group]
    return chosen or {min((of[item] for item in order), key=lambda group: sizes[group])}


def connected(examples: Examples) -> list[int]:
    """A number for each example, the same for all that hang together by anything that they share."""
    above = list(range(len(examples)))

    def top(place: int) -> int:
        while above[place] != place:
            above[place] = above[above[place]]
            place = above[place]
        return place

    first: dict[str, int] = {}
    for place, ties in enumerate(examples.ties):
        for tie in ties:
            above[top(place)] = top(first.setdefault(tie, place))
    return [top(place) for place in range(len(examples))]


def on_scale(examples: Examples, training: Training, held: Held) -> Examples:
    """With the targets that are learnt; judges, data sets and ranges are known from what is learnt from alone.

    A judge, or a data set, of whom all is held out is standardised by what there is.
    """
    if not training.supervise.judged:
        return examples
    targets, notes = examples.targets.copy(), list(examples.notes)
    names = np.array(examples.sets)
    for data in training.data:
        own = names == set_name(data)
        if not data.human or not own.any():
            continue
        if training.target == "standardised":
            targets[own], told = _by_judge(examples, data, own, held)
            notes += told
        learnt = own & ~held if (own & ~held).any() else own
        _refuse_constant(targets[learnt], data)
        if training.alike:
            targets[own] = (targets[own] - targets[learnt].mean()) / targets[learnt].std()
    known = targets[~held & np.isfinite(targets)]
    if training.scaled and len(known):
        targets = (targets - known.min()) / (known.max() - known.min())
        known = targets[~held & np.isfinite(targets)]
    _refuse_blurred(known)
    return replace(examples, targets=targets, notes=tuple(notes))


def _by_judge(examples: Examples, data: Data, own: Held, held: Held) -> tuple[Array, list[str]]:
    places, criterion = np.flatnonzero(own), criterion_of(data)
    rows = Observations(tuple(examples.rows[place] for place in places), data.path)
    found = standardised(rows, [criterion], learnt=~held[places])
    return human_scores(found, criterion), [f"{set_name(data)}: {note}" for note in found.notes]


def _refuse_constant(values: Array, data: Data) -> None:
    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        raise InputError(
            f"{data.path}: every output to learn from has the same rating of {data.human} ({values[0]:g}), so there is "
            "nothing to learn"
        )


def _refuse_blurred(values: Array) -> None:
    """Weights are kept in single precision, and so are the targets of networks."""
    if not len(values):
        return
    most = np.abs(values).max()
    if not 1e-30 < most < 1e30 or values.std() < FINE * most:
        raise InputError(
            f"the ratings lie between {values.min():.10g} and {values.max():.10g}, too large, too small or too near to "
            "each other for single precision; learn them as shares of their range (scaled: true)"
        )
