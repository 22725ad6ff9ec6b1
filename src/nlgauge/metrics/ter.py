"""TER, the translation edit rate (Snover et al. 2006), as sacreBLEU 2.6 computes it after tercom 7.25.

Edits are insertions, deletions, substitutions of words and shifts of runs of words; TER = 100 · edits /
reference length, the fewest edits over the references by their mean length. The shift search is greedy, in
a beam of 25, over runs of at most 10 words moved by at most 50, and gives up after 1,000 tries. An empty
reference scores 100 unless the hypothesis is empty too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.ter import Shift, move, search
from nlgauge.metrics import explanation
from nlgauge.metrics.base import Array, Direction, Metric, option


@dataclass(frozen=True)
class Edit:
    """One step of the alignment: a place in the words after the shifts, and one in the reference."""

    kind: Literal["match", "substitution", "insertion", "deletion"]
    hypothesis: int | None
    reference: int | None


@dataclass(frozen=True)
class TerTrace:
    """How TER turns one output into the reference it needs the fewest edits for."""

    reference: int  # number of that reference, from 0
    hypothesis_words: tuple[str, ...]
    reference_words: tuple[str, ...]
    shifts: tuple[Shift, ...]  # in the order they are made; each on the words the one before has left
    shifted_words: tuple[str, ...]
    edits: tuple[Edit, ...]  # matches included, from left to right
    score: float = 0.0
    length: float = 0.0  # mean length of all references: TER's denominator

    @property
    def moves(self) -> tuple[explanation.Shift, ...]:
        """The shifts with the words before and after each."""
        words, moves = list(self.hypothesis_words), []
        for shift in self.shifts:
            after = move(words, shift.start, len(shift.words), shift.target)
            moves.append(explanation.Shift(shift.words, shift.start, tuple(words), tuple(after)))
            words = after
        return tuple(moves)

    @property
    def count(self) -> int:
        """Shifts and edits together: TER's numerator."""
        return len(self.shifts) + sum(edit.kind != "match" for edit in self.edits)

    def __str__(self) -> str:
        words, steps = list(self.hypothesis_words), []
        for shift in self.shifts:
            before = f'before "{words[shift.target]}"' if shift.target < len(words) else "to the end"
            steps.append(f'shift "{" ".join(shift.words)}" {before}')
            words = move(words, shift.start, len(shift.words), shift.target)
        for edit in self.edits:
            if edit.kind == "substitution" and edit.hypothesis is not None and edit.reference is not None:
                steps.append(f'"{self.shifted_words[edit.hypothesis]}" for "{self.reference_words[edit.reference]}"')
            elif edit.kind == "insertion" and edit.hypothesis is not None:
                steps.append(f'too much: "{self.shifted_words[edit.hypothesis]}"')
            elif edit.kind == "deletion" and edit.reference is not None:
                steps.append(f'missing: "{self.reference_words[edit.reference]}"')
        count = f"{self.count} edit{'s' if self.count != 1 else ''}"
        return "; ".join([*steps, f"{count} against reference {self.reference + 1}: TER {self.score:.2f}"])


def _traced(hypothesis: list[str], reference: list[str], number: int) -> TerTrace:
    shifts, words, alignment = search(hypothesis, reference)
    edits = []
    for place, other in alignment.pairs:
        kind: Literal["match", "substitution", "insertion", "deletion"]
        if place is None:
            kind = "deletion"
        elif other is None:
            kind = "insertion"
        else:
            kind = "match" if words[place] == reference[other] else "substitution"
        edits.append(Edit(kind, place, other))
    return TerTrace(number, tuple(hypothesis), tuple(reference), tuple(shifts), tuple(words), tuple(edits))


@dataclass(frozen=True)
class Ter(Metric):
    """Translation edit rate: edits and shifts per hundred reference words; can pass 100."""

    lower: bool = option(True, "ignore case")
    norm: bool = option(False, "tercom's normalisation: XML entities, punctuation split off")
    nopunct: bool = option(False, "remove punctuation")
    asian: bool = option(False, "with norm, split CJK text into characters; with nopunct, remove CJK punctuation")

    name: ClassVar[str] = "ter"
    direction: ClassVar[Direction] = "lower"
    shows_words: ClassVar[int] = 1_000
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate with targeted human "
        "annotation. AMTA."
    )
    reference: ClassVar[str] = "sacreBLEU 2.6"
    places: ClassVar[int] = 2  # edits per hundred words, although the scale has no end
    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    @property
    def tokenizer(self) -> str:
        """The name of tercom's tokeniser with these options."""
        options = [name for name in ("norm", "nopunct", "asian") if getattr(self, name)]
        return "tercom:" + "+".join(options) if options else "tercom"

    def rows(self, batch: Batch) -> Array:
        """The fewest edits and the mean reference length."""
        if self.norm:
            batch = self._normalised_twice(batch)
        return active().ter_rows(batch.tokens(self.tokenizer, lower=self.lower), batch.jobs)

    def _normalised_twice(self, batch: Batch) -> Batch:
        """The batch with references that have been through the tokeniser once already.

        sacreBLEU sends references through it twice and hypotheses once. Only normalisation can split further the
        second time (`,.5` becomes `, .5`, then `, . 5`), so that even a copy of the reference may have edits.
        """
        tokenize = active().tokenize
        once = [
            [" ".join(tokenize(text, self.tokenizer, self.lower, "none")) for text in texts]
            for texts in batch.references
        ]
        return Batch(batch.hypotheses, once, jobs=batch.jobs)

    def trace(self, hypothesis: str, references: Sequence[str]) -> TerTrace:
        """What TER counts for one segment: the shifts it makes and the edits that are left, as data.

        >>> print(Ter().trace("on the mat sat the cat", ["the cat sat on the mat"]))
        shift "on the mat" to the end; shift "sat" before "on"; 2 edits against reference 1: TER 33.33
        """
        if not references:
            raise InputError("a trace needs at least one reference")
        split = partial(active().tokenize, tok=self.tokenizer, lower=self.lower, stem="none")
        texts = [split(" ".join(split(text)) if self.norm else text) for text in references]
        traces = [_traced(split(hypothesis), text, number) for number, text in enumerate(texts)]
        best = min(traces, key=lambda trace: trace.count)
        length = sum(map(len, texts)) / len(texts)
        return replace(best, score=float(self.score(np.array([best.count, length]))), length=length)

    def explained(self, batch: Batch) -> explanation.Explanation:
        """The shifts and the edits that are left, against the reference that needs the fewest."""
        references = batch.references[0]
        trace = self.trace(batch.hypotheses[0], references)
        which = explanation.ordinal_reference(trace.reference, len(references))
        after = "after the shifts" if trace.shifts else ""
        pairs = [(edit.hypothesis, edit.reference) for edit in trace.edits]
        edits = explanation.Edits.of(
            f"Edits against {which} {after}".rstrip(), trace.shifted_words, trace.reference_words, pairs
        )
        figures = [
            explanation.Figure("shifts", len(trace.shifts), "runs of words moved, 1 each"),
            explanation.Figure("substitutions", edits.count("substitution"), "replaced"),
            explanation.Figure("insertions", edits.count("insertion"), "only in the output"),
            explanation.Figure("deletions", edits.count("deletion"), "only in the reference"),
            explanation.Figure("reference length", trace.length, "words, mean over the references"),
        ]
        moves = [explanation.Shifts(f"Shifts towards {which}", trace.moves)] if trace.shifts else []
        row = [trace.count, trace.length]
        return explanation.Explanation.of(
            self, batch, row, figures=figures, parts=[*moves, edits], counted=(trace.reference + 1,)
        )

    def score(self, totals: Array) -> Array:
        """100 · edits / length; without reference words 100, or 0 where nothing was written either."""
        edits, length = totals[..., 0], totals[..., 1]
        empty = np.where(edits > 0, 1.0, 0.0)
        return 100.0 * np.divide(edits, length, out=empty, where=length > 0)
