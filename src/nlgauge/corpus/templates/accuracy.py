"""How well induced templates agree with annotated ones, where a corpus has both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from nlgauge.corpus.entries import KINDS, Entry, Template
from nlgauge.corpus.templates.delexicalise import delexicalise
from nlgauge.jsonable import Jsonable
from nlgauge.kernels.python.rouge import lcs_table

_WORD = re.compile(r"\w+(?:-\d+)?")


@dataclass(frozen=True)
class Accuracy(Jsonable):
    """Slots in common, in order; `recall_by_kind` counts annotated expressions whose slot was found as often."""

    texts: int
    annotated: int
    induced: int
    shared: int
    identical: int
    recall_by_kind: dict[str, float]

    @property
    def precision(self) -> float:
        """Share of the induced slots that the annotation has."""
        return self.shared / self.induced if self.induced else 0.0

    @property
    def recall(self) -> float:
        """Share of the annotated slots that were induced."""
        return self.shared / self.annotated if self.annotated else 0.0

    @property
    def same(self) -> float:
        """Share of templates that are the same up to case and punctuation."""
        return self.identical / self.texts if self.texts else 0.0


def accuracy(entries: Iterable[Entry]) -> Accuracy | None:
    """Induce a template for each text that has one; None where no text has."""
    texts = annotated = induced = shared = identical = 0
    kinds: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for entry in entries:
        for text in entry.texts:
            if text.template is None:
                continue
            found = delexicalise(text.text, entry.triples, entry.entities)
            ours = [slot.name for slot in found.template.slots]
            theirs = [slot.name for slot in text.template.slots]
            texts, annotated, induced = texts + 1, annotated + len(theirs), induced + len(ours)
            shared += lcs_table(ours, theirs)[-1][-1]
            identical += comparable(found.template) == comparable(text.template)
            left = Counter(ours)
            for mention in sorted(text.mentions, key=lambda m: KINDS.index(m.kind) if m.kind in KINDS else 9):
                kinds[mention.kind] += 1
                hits[mention.kind] += left[mention.slot] > 0
                left[mention.slot] -= 1
    if not texts:
        return None
    recalls = {kind: hits[kind] / kinds[kind] for kind in KINDS if kinds[kind]}
    return Accuracy(texts, annotated, induced, shared, identical, recalls)


def comparable(template: Template) -> tuple[str, ...]:
    """A template's words without case and punctuation."""
    return tuple(_WORD.findall(str(template).lower()))
