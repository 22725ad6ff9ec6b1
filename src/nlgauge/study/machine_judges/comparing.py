"""A trained comparator as a judge of two texts: which is better, or neither, with the probability of each.

It reads a text after what stands beside it as its input (source, table, history or context). In a study both orders
are read and joined, so that places do not matter; `one_order` leaves the joining to who asks, so that the position bias
shows before it is taken out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge import __version__
from nlgauge.errors import InputError
from nlgauge.learned.comparator import Comparator, Written, context_of, softmax, verdicts
from nlgauge.learned.folder import Folder, open_folder, shipped
from nlgauge.study.machine_judges.base import Choice, Sheet
from nlgauge.study.machine_judges.forms import drawing, form_of
from nlgauge.study.protocols.comparisons.answers import SIDES, TIE
from nlgauge.study.protocols.comparisons.machine import Preferred
from nlgauge.study.protocols.outputs.file import OutputStudy

INPUTS = ("source", "table", "history", "context")
BATCH = 4096  # pairs read at a time
OUTCOMES = (*SIDES, TIE)
Pair = tuple[Written, Written]


class Comparing:
    """A comparator as a judge."""

    side_by_side = 1

    def __init__(self, folder: Folder, study: OutputStudy, *, one_order: bool = False) -> None:
        form = form_of(study)
        if not isinstance(form, Preferred) or form.strength:
            raise InputError(
                "a comparator says which of two texts is better, or neither: it can judge a pairwise study without "
                "degrees of preference"
            )
        assert isinstance(folder.form, Comparator)
        self.folder, self.comparator, self.study, self.one_order = folder, folder.form, study, one_order
        self._ties = form.ties
        self._found: dict[Pair, tuple[float, ...]] = {}

    @classmethod
    def of(cls, model: str, study: OutputStudy, *, beside: Path | None = None, one_order: bool = False) -> Comparing:
        """The comparator of a folder, from that of a study, or one that comes with nlgauge by its name."""
        path = Path(beside or "") / Path(model).expanduser()
        folder = open_folder(shipped(model) or path)
        if not isinstance(folder.form, Comparator):
            raise InputError(
                f"{path} holds a metric of kind {folder.about.kind}; expected a comparator (kind: comparator in the "
                "file that nlgauge train reads)"
            )
        return cls(folder, study, one_order=one_order)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What was learnt, and whether orders are joined."""
        told = {"name": self.folder.about.name, "sha256": self.folder.digest, "one_order": self.one_order}
        return {"judge": "comparator", **told}

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """The version that computed it."""
        return {"versions": {"nlgauge": __version__}, "reads": self.comparator.reads}

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Read all pairs, many at a time."""
        pairs = [pair for pair in dict.fromkeys(map(_pair, sheets)) if pair not in self._found]
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            ones, others = [one for one, _ in some], [other for _, other in some]
            read = self.comparator.in_order if self.one_order else self.comparator.logits
            made = softmax(np.asarray(read(ones, others), dtype=np.float64))
            self._found |= {pair: tuple(row) for pair, row in zip(some, made.tolist(), strict=True)}

    @property
    def cut(self) -> int:
        """Texts that were longer than it reads."""
        return self.comparator.cut

    def remarks(self) -> list[str]:
        """What was cut of the texts that were read since the last call."""
        return self.comparator.remarks()

    def decide(self, sheet: Sheet) -> Choice:
        """The likeliest outcome; of a study without ties the likelier text."""
        pair = _pair(sheet)
        if pair not in self._found:
            self.prepare([sheet])
        found = np.array([self._found[pair]])
        if not self._ties:
            found[:, 2] = -1.0
        outcome = OUTCOMES[int(verdicts(found)[0])]
        drawn = outcome == TIE and not self._ties
        answer = {"preference": drawing(self.study.seed, sheet).choice(SIDES) if drawn else outcome}
        answers = {question.id: answer for question in self.study.questions_asked}
        client = f"comparator {self.folder.about.name}; {self.folder.digest[:12]}"
        return Choice(answers, client, tied=drawn, probabilities=self._found[pair])


def _pair(sheet: Sheet) -> Pair:
    one, other = (Written(text.text, text.context or _input(sheet, place)) for place, text in enumerate(sheet.texts))
    return one, other


def _input(sheet: Sheet, place: int) -> str:
    beside = next((found for what in INPUTS if (found := sheet.held(what, place)) is not None), None)
    return "" if beside is None else context_of(beside.value)
