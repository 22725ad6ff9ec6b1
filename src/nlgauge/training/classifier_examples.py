"""What a classifier learns from: texts or pairs with their classes, or pairs that match and drawn ones that do not.

Of pairs that all match, one that does not is drawn for each: the second text of another row of the same data set,
system and side of the split, so that neither style nor what is held out tells. `hard` ones are among the most similar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.engine.grouping import look_up, spelled
from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError, counted, suggest
from nlgauge.learned.classifier import MATCH, NO_MATCH
from nlgauge.learned.classifier_linear import Hashing, grams, of_length_one, rarity
from nlgauge.learned.comparator import context_of
from nlgauge.meta.observations import Observation, observe
from nlgauge.training.config import Data, set_name
from nlgauge.training.examples import Examples, about_of, chosen, refuse_lacking, ties_of, unescaped
from nlgauge.training.split import connected

if TYPE_CHECKING:
    from nlgauge.training.classifier import ClassifierTraining

Held = NDArray[np.bool_]
SYSTEM = "system"
FEWEST = 10  # examples of a class below which it cannot be learnt
TRIES = 50  # draws of another text before it is given up
NEAREST = 5  # texts among which a hard one is drawn
AMONG = 2_000  # texts, by chance, among which the nearest are looked for
_BLOCK = 1_000
_WORDS = Hashing(words=(1,), chars=(), exact=False)


@dataclass(frozen=True, eq=False)
class Labelled(Examples):
    """Texts with their classes as targets: places in `labels`."""

    labels: tuple[str, ...] = ()
    drawn: Held = field(default_factory=lambda: np.zeros(0, dtype=bool))  # which of them were made of others

    @property
    def given(self) -> Held:
        return ~self.drawn if len(self.drawn) else np.ones(len(self), dtype=bool)

    @property
    def classes(self) -> Ints:
        """The class of each."""
        return self.targets.astype(np.int64)

    def only(self, places: Ints) -> Labelled:
        """Some of them."""
        some = super().only(places)
        return Labelled(**vars(some), labels=self.labels, drawn=self.drawn[places] if len(self.drawn) else self.drawn)

    def with_labels(self, labels: tuple[str, ...]) -> Labelled:
        """The same with the classes numbered as a classifier has them."""
        for label in self.labels:
            if label not in labels:
                raise InputError(f"the classifier knows no {label!r}; {suggest(label, labels)}")
        places = np.array([labels.index(label) for label in self.labels], dtype=np.float64)
        return replace(self, targets=places[self.classes], labels=labels)

    def texts(self, reads: str) -> tuple[list[str], list[str] | None]:
        """What is read: the texts, or the first texts and the second."""
        texts = [row.text or "" for row in self.rows]
        return (texts, None) if reads == "alone" else ([context_of(row.source) for row in self.rows], texts)


def gather(training: ClassifierTraining, folder: Path) -> Labelled:
    """The rows of every data set with their classes; those without a text are left out, with a note."""
    rows: list[Observation] = []
    sets: list[str] = []
    notes: list[str] = []
    for data in training.data:
        found = _rows(training, data, folder, notes)
        rows += found
        sets += [set_name(data)] * len(found)
    named = [_label(training, row) for row in rows]
    labels = tuple(sorted(set(named))) if training.label else (MATCH, NO_MATCH)
    place = {label: number for number, label in enumerate(labels)}
    if len(labels) < 2:
        only = f"all {counted(len(rows), 'row')} are of {labels[0]!r}" if rows else "there is no row with a text"
        raise InputError(
            f"{only}: a classifier needs two classes or more; name the key that tells them (label), or give more rows"
        )
    return Labelled(
        tuple(rows),
        np.array([place[name] for name in named], dtype=np.float64),
        tuple(sets),
        notes=tuple(notes),
        items=tuple(about_of(row, training, name) for row, name in zip(rows, sets, strict=True)),
        ties=tuple(_ties(row, training, name) for row, name in zip(rows, sets, strict=True)),
        labels=labels,
        drawn=np.zeros(len(rows), dtype=bool),
    )


def refuse_few(examples: Labelled, held: Held) -> None:
    """Refuse a class with next to nothing to learn from."""
    for number, label in enumerate(examples.labels):
        own = examples.classes == number
        learnt = int((own & ~held).sum())
        if learnt < FEWEST:
            raise InputError(
                f"{label} has {counted(learnt, 'example')} to learn from, of {int(own.sum()):,} in all, and {FEWEST} "
                "are needed; give more of that class, leave it out (where), or hold fewer out (split)"
            )


def halves(examples: Labelled) -> tuple[Ints, Ints]:
    """Of what is held out the part to tune by, and the part to report on; what hangs together stays together."""
    groups = connected(examples)
    order = list(dict.fromkeys(groups))
    Random("halves").shuffle(order)
    sizes = dict.fromkeys(order, 0)
    for group in groups:
        sizes[group] += 1
    tuned: set[int] = set()
    number = other = 0
    for group in order:
        if number <= other:
            tuned.add(group)
            number += sizes[group]
        else:
            other += sizes[group]
    there = np.array([group in tuned for group in groups], dtype=bool)
    return np.flatnonzero(there), np.flatnonzero(~there)


def with_drawn(examples: Labelled, held: Held, training: ClassifierTraining) -> tuple[Labelled, Held]:
    """With a pair that does not match for each that does, each side's of its own."""
    groups = np.array(connected(examples))
    pools: dict[tuple[str, str, bool], list[int]] = {}
    for place, row in enumerate(examples.rows):
        pools.setdefault((examples.sets[place], row.system, bool(held[place])), []).append(place)
    rows: list[Observation] = []
    owners: list[int] = []
    for (name, system, side), places in pools.items():
        random = Random(f"{training.seed}/{name}/{system}/{side}/{training.negatives}")
        draw = _near if training.negatives == "hard" else _other
        for place, other in draw(examples, np.array(places), groups, random):
            rows.append(replace(examples.rows[place], text=examples.rows[other].text))
            owners.append(place)
    if not rows:
        raise InputError(
            "no pair that does not match could be drawn: every second text is the same, or all rows hang together; "
            "give more rows, or rows of both classes (label)"
        )
    drawn = np.arange(len(examples) + len(rows)) >= len(examples)
    whole = examples.followed_by(rows, owners, 1.0, drawn=drawn)
    return whole, np.concatenate([held, held[np.array(owners)]])


def _other(examples: Labelled, places: Ints, groups: Ints, random: Random) -> Iterator[tuple[int, int]]:
    """For each row another one, by chance."""
    own = places.tolist()
    for place in own:
        for _ in range(TRIES):
            other = own[random.randrange(len(own))]
            if _apart(examples, groups, place, other):
                yield place, other
                break


def _near(examples: Labelled, places: Ints, groups: Ints, random: Random) -> Iterator[tuple[int, int]]:
    """For each row one of those whose second texts are most similar, by the cosine of their rare words."""
    texts = [examples.rows[place].text or "" for place in places]
    vectors = _vectors(texts)
    among = np.sort(np.array(random.sample(range(len(places)), min(AMONG, len(places)))))
    fallback = dict(_other(examples, places, groups, random))
    for start in range(0, len(places), _BLOCK):
        block = places[start : start + _BLOCK]
        alike = (vectors[start : start + _BLOCK] @ vectors[among].T).toarray()
        alike[groups[block][:, None] == groups[places[among]][None, :]] = -1.0
        nearest = np.argsort(-alike, axis=1, kind="stable")[:, : 2 * NEAREST]
        for place, row, order in zip(block.tolist(), alike, nearest, strict=True):
            found = [
                int(places[among[column]])
                for column in order
                if row[column] > 0 and _apart(examples, groups, place, int(places[among[column]]))
            ][:NEAREST]
            if found:
                yield place, random.choice(found)
            elif place in fallback:
                yield place, fallback[place]


def _apart(examples: Labelled, groups: Ints, place: int, other: int) -> bool:
    """Whether two rows have nothing to do with each other, and different texts."""
    if groups[place] == groups[other]:
        return False
    return folded(examples.rows[place].text or "") != folded(examples.rows[other].text or "")


def _vectors(texts: Sequence[str]) -> Array:
    from scipy.sparse import csr_matrix

    (words,) = grams(texts, _WORDS)
    made = csr_matrix((np.ones(len(words.texts)), (words.texts, words.buckets)), (len(texts), _WORDS.buckets))
    made.data = rarity(texts, _WORDS)[made.indices]
    found: Array = of_length_one(made)
    return found


def _rows(training: ClassifierTraining, data: Data, folder: Path, notes: list[str]) -> list[Observation]:
    name = set_name(data)
    observed = observe(str(folder / Path(data.path).expanduser()), columns=data.columns or None)
    notes += [f"{name}: {note}" for note in observed.notes]
    rows = [
        unescaped(row) if data.unescape else row
        for row, fits in zip(observed.rows, chosen(observed, data), strict=True)
        if fits
    ]
    kept = [row for row in rows if (row.text or "").strip()]
    refuse_lacking(training, data, kept)
    if training.reads == "pair":
        kept = [row for row in kept if context_of(row.source).strip()]
    if len(kept) < len(rows):
        notes.append(f"{name}: {counted(len(rows) - len(kept), 'row')} with an empty text left out")
    if not kept:
        raise InputError(f"{observed.origin}: no row has {'two texts' if training.reads == 'pair' else 'a text'}")
    return kept


def _label(training: ClassifierTraining, row: Observation) -> str:
    if not training.label:
        return MATCH
    value = row.system if training.label == SYSTEM else look_up(row, training.label)
    if value is None:
        raise InputError(
            f"item {row.item!r} of {row.system} has no {training.label!r}, the key of its class (label); "
            f"{suggest(training.label, [SYSTEM, *row.extra])}"
        )
    return spelled(value)


def _ties(row: Observation, training: ClassifierTraining, name: str) -> tuple[str, ...]:
    """What it shares with others; a text that is read alone is what it is about."""
    own = ties_of(row, training, name)
    return own if training.reads == "pair" else (*own, f"text {folded(row.text or '')}")
