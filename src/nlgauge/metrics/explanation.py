"""What one segment's score is made of, as data: `Metric.explained` returns it, `nlgauge.report` shows it.

An explanation has figures (the sum that leads to the score), parts (what matched) and notes. A metric picks the
parts that fit:

* `Edits`    two texts side by side, step by step: equal, replaced, only in one of them (WER, TER, ROUGE-L)
* `Links`    which words of one text go with which of the other, in any order (METEOR)
* `Shifts`   runs of words that are moved (TER)
* `Ngrams`   n-grams, or pairs of words, with how often each text has them and how often they count (BLEU, CIDEr)
* `Passage`  one text whose words or characters are marked by level (how long an n-gram covers them)
* `Cells`    cells of a table with how far the output has them (PARENT)
* `Graph`    a scene graph with the tuples that match (SPICE)
* `Heat`     how similar each word of one text is to each of the other, and which pairs count (BERTScore, YiSi-1)
* `Losses`   what each word adds to the score, and what it costs (the same metrics)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.results import Result

if TYPE_CHECKING:
    from nlgauge.kernels.batch import Batch
    from nlgauge.metrics.base import Metric

Unit = Literal["words", "characters"]
StepKind = Literal["match", "substitution", "insertion", "deletion"]


@dataclass(frozen=True)
class Figure:
    """One line of the sum: what it is, its value, and how it comes about ("9 of 12")."""

    name: str
    value: float
    how: str = ""


@dataclass(frozen=True)
class Step:
    """One step through both texts; a place is None where that text has no part in it."""

    kind: StepKind
    hypothesis: int | None
    reference: int | None


@dataclass(frozen=True)
class Edits:
    """Two texts aligned in their order. An insertion is only in the output, a deletion only in the reference."""

    kind: ClassVar[str] = "edits"

    title: str
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    steps: tuple[Step, ...]
    unit: Unit = "words"

    @classmethod
    def of(
        cls,
        title: str,
        hypothesis: Sequence[str],
        reference: Sequence[str],
        pairs: Sequence[tuple[int | None, int | None]],
        unit: Unit = "words",
    ) -> Edits:
        """From pairs of places (hypothesis, reference), in order; None where a word has no partner."""
        steps = []
        for mine, theirs in pairs:
            found: StepKind = "insertion" if theirs is None else "deletion"
            if mine is not None and theirs is not None:
                found = "match" if hypothesis[mine] == reference[theirs] else "substitution"
            steps.append(Step(found, mine, theirs))
        return cls(title, tuple(hypothesis), tuple(reference), tuple(steps), unit)

    def count(self, kind: StepKind) -> int:
        """How many steps are of that kind."""
        return sum(step.kind == kind for step in self.steps)


@dataclass(frozen=True)
class Link:
    """Words `hypothesis[0]:hypothesis[1]` go with `reference[0]:reference[1]`; `stage` says why."""

    hypothesis: tuple[int, int]
    reference: tuple[int, int]
    stage: str = "exact"
    weight: float | None = None


@dataclass(frozen=True)
class Links:
    """Two texts with links between their words, which may cross."""

    kind: ClassVar[str] = "links"

    title: str
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Shift:
    """A run of words, where it stood, and the text before and after it is moved.

    Without words: all moves at once, of a metric that does not keep them apart.
    """

    words: tuple[str, ...]
    start: int
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def landed(self) -> int | None:
        """Where the run stands afterwards."""
        size = len(self.words)
        rest = self.before[: self.start] + self.before[self.start + size :]
        places = (k for k in range(len(self.after) - size + 1) if self.after[k : k + size] == self.words)
        return next((k for k in places if size and self.after[:k] + self.after[k + size :] == rest), None)


@dataclass(frozen=True)
class Shifts:
    """Moves in the order they are made."""

    kind: ClassVar[str] = "shifts"

    title: str
    shifts: tuple[Shift, ...]


@dataclass(frozen=True)
class Ngram:
    """An n-gram: how often the output has it, how often the reference (at most), and how often it counts."""

    words: tuple[str, ...]
    hypothesis: int
    reference: int
    matched: int
    weight: float | None = None  # what one of it is worth, where n-grams weigh differently
    share: float | None = None  # its part of the score, where the score is a sum

    @property
    def state(self) -> str:
        """`matched`, `clipped` (not all of the output's count), `extra` (output only) or `missing` (reference only)."""
        if not self.hypothesis:
            return "missing"
        if not self.matched:
            return "extra"
        return "clipped" if self.matched < self.hypothesis else "matched"


@dataclass(frozen=True)
class Ngrams:
    """The n-grams of one length, those of the output first, in the order of the texts."""

    kind: ClassVar[str] = "ngrams"

    title: str
    rows: tuple[Ngram, ...]
    unit: Unit = "words"

    @property
    def matched(self) -> int:
        """How many n-grams count."""
        return sum(row.matched for row in self.rows)

    @property
    def hypothesis(self) -> int:
        """How many n-grams the output has."""
        return sum(row.hypothesis for row in self.rows)

    @property
    def reference(self) -> int:
        """How many n-grams the reference has (of several, the largest count of each)."""
        return sum(row.reference for row in self.rows)


@dataclass(frozen=True)
class Passage:
    """One text with a level for each word or character; `legend[level]` says what the level means."""

    kind: ClassVar[str] = "passage"

    title: str
    words: tuple[str, ...]
    levels: tuple[int, ...]
    legend: tuple[str, ...]
    unit: Unit = "words"


@dataclass(frozen=True)
class Cell:
    """One cell of a table, and how far the text has it, from 0 to 1."""

    entity: str
    attribute: str
    value: str
    found: float
    by: tuple[str, ...] = ()  # the words that were found


@dataclass(frozen=True)
class Cells:
    """The cells of the source."""

    kind: ClassVar[str] = "cells"

    title: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Triple:
    """A tuple of a scene graph: an object, its attribute, or a relation between two."""

    words: tuple[str, ...]
    matched: bool
    by: tuple[str, ...] = ()  # the tuple of the other text, where it has other words


@dataclass(frozen=True)
class Graph:
    """A scene graph, objects first."""

    kind: ClassVar[str] = "graph"

    title: str
    triples: tuple[Triple, ...]

    @property
    def objects(self) -> tuple[Triple, ...]:
        """The nodes."""
        return tuple(triple for triple in self.triples if len(triple.words) == 1)

    def about(self, name: str) -> tuple[Triple, ...]:
        """The attributes of an object and the relations it is the subject of."""
        return tuple(triple for triple in self.triples if len(triple.words) > 1 and triple.words[0] == name)


@dataclass(frozen=True)
class Mark:
    """A pair of words that counts: its row and column in the table, and the sign that says why."""

    row: int
    column: int
    sign: str


@dataclass(frozen=True)
class Heat:
    """How similar words are: a row for each word of the output, a column for each of the reference."""

    kind: ClassVar[str] = "heat"

    title: str
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    table: tuple[tuple[float, ...], ...]
    marks: tuple[Mark, ...]
    legend: tuple[tuple[str, str], ...]  # what each sign means
    other: str = "reference"  # what the words of the columns are of

    def mark(self, row: int, column: int) -> str:
        """The sign of a cell, or nothing."""
        return next((mark.sign for mark in self.marks if (mark.row, mark.column) == (row, column)), "")


@dataclass(frozen=True)
class Share:
    """A word's part of a mean: what it weighs, what of that it gains, and what it costs (they add up to the weight)."""

    word: str
    weight: float
    gain: float
    loss: float
    partner: str = ""  # the word or words it is matched with


@dataclass(frozen=True)
class Losses:
    """The words of one text with what each costs; all losses add up to what `missing` names."""

    kind: ClassVar[str] = "losses"

    title: str
    missing: str  # such as 1 − recall
    words: tuple[Share, ...]

    @property
    def total(self) -> float:
        """What is missing from 1."""
        return math.fsum(share.loss for share in self.words)


Part = Edits | Links | Shifts | Ngrams | Passage | Cells | Graph | Heat | Losses


@dataclass(frozen=True)
class Explanation(Result):
    """One segment under one metric. `row` holds the statistics, made from the parts, and the score follows from it."""

    metric: str
    score: float
    row: tuple[tuple[str, float], ...]
    hypothesis: str
    references: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    parts: tuple[Part, ...] = ()
    notes: tuple[str, ...] = ()
    counted: tuple[int, ...] = ()  # the references that count, from 1; empty where all do
    direction: str = "higher"
    places: int = 4
    detailed: bool = True  # False: the metric shows its statistics only
    source: Any = None
    item: str | None = None
    system: str | None = None
    data: str = field(default="", compare=False)

    @classmethod
    def of(
        cls,
        metric: Metric,
        batch: Batch,
        row: Sequence[float] | NDArray[np.float64],
        *,
        figures: Sequence[Figure] = (),
        parts: Sequence[Part] = (),
        notes: Sequence[str] = (),
        counted: Sequence[int] = (),
        detailed: bool = True,
    ) -> Explanation:
        """The explanation whose statistics are `row`, in the order of the metric's columns."""
        values = np.asarray(row, dtype=np.float64)
        return cls(
            metric=str(metric),
            score=float(metric.score(values)),
            row=tuple(zip(metric.columns, values.tolist(), strict=True)),
            hypothesis=batch.hypotheses[0],
            references=tuple(batch.references[0]),
            figures=tuple(figures),
            parts=tuple(parts),
            notes=tuple(notes),
            counted=tuple(counted),
            direction=metric.direction,
            places=metric.places,
            detailed=detailed,
            source=batch.sources[0] if batch.sources else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is not a number becomes null."""
        parts = [{"kind": part.kind, **dataclasses.asdict(part)} for part in self.parts]
        for written, part in zip(parts, self.parts, strict=True):
            if isinstance(part, Ngrams):
                for row, ngram in zip(written["rows"], part.rows, strict=True):
                    row["state"] = ngram.state
            if isinstance(part, Losses):
                written["total"] = part.total
        told: dict[str, Any] = {
            "metric": self.metric,
            "item": self.item,
            "system": self.system,
            "score": self.score if math.isfinite(self.score) else None,
            "direction": self.direction,
            "hypothesis": self.hypothesis,
            "references": list(self.references),
            "source": self.source,
            "counted": list(self.counted),
            "statistics": dict(self.row),
            "figures": [dataclasses.asdict(figure) for figure in self.figures],
            "parts": parts,
            "notes": list(self.notes),
            "detailed": self.detailed,
        }
        return told


def generic(metric: Metric, batch: Batch) -> Explanation:
    """For a metric that has no explanation of its own: its statistics of the segment and the score."""
    row = metric.rows(batch)[0]
    note = f"{metric.name} shows its statistics only: it does not say which words matched"
    figures = [Figure(name, float(value)) for name, value in zip(metric.columns, row, strict=True)]
    return Explanation.of(metric, batch, row, figures=figures, notes=[note], detailed=False)


def ordinal_reference(number: int, total: int) -> str:
    """`the reference`, or `reference 2 of 3` (`number` counts from 0)."""
    return "the reference" if total == 1 else f"reference {number + 1} of {total}"
