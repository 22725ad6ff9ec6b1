"""Whether judgements of a file can be answers to a launched study: its panels, evaluations and texts.

A file may come from another folder, or through a spreadsheet. A row that names what the study never showed would be
counted as an answer all the same, so the first one is refused, with what is expected in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nlgauge.errors import suggest
from nlgauge.study.designs.triangle import panel_prefix
from nlgauge.study.freeze.frozen import Frozen, machine_slots
from nlgauge.study.model import Judgement, Slot
from nlgauge.study.protocols import protocol_of


class Fit:
    """A launched study to which judgements must fit."""

    def __init__(self, launched: Frozen) -> None:
        self.launched = launched
        self.planned = {slot.id: slot for slot in launched.slots}
        self.practice = {slot.id: slot for slot in launched.practice}
        self.read: dict[str, str] = {}  # the wording of each judge
        self._machine = cache(self._copies)

    def fault(self, one: Judgement) -> str:
        """What does not fit in a judgement, or nothing; one of another study is not looked at."""
        if one.study != self.launched.id:
            return ""
        return self._texts(one) or self._slot(one) or self.asked(one)

    def asked(self, one: Judgement) -> str:
        """What does not fit in the questions that a judgement answers, and in how they were worded, or nothing."""
        if one.study != self.launched.id:
            return ""
        protocol = protocol_of(self.launched.study.protocol)
        return self._wording(one) or protocol.unasked(one, self.launched)

    def _wording(self, one: Judgement) -> str:
        known = self.launched.study.wordings
        if not known and one.wording:
            return f"it was given to the wording {one.wording!r}, but the study asks each question in one way"
        if known and not one.wording:
            return f"it does not say which wording the judge read; expected one of {', '.join(known)}"
        if known and one.wording not in known:
            return f"the study has no wording {one.wording!r}; {suggest(str(one.wording), known)}"
        before = self.read.setdefault(one.judge, one.wording)
        told = f"the judge {one.judge} read the wording {before!r} in a row before, and a judge reads one; not "
        return f"{told}{one.wording!r}" if before != one.wording else ""

    def _texts(self, one: Judgement) -> str:
        known = self.launched.text
        unknown = next((name for name in one.texts if name not in known), None)
        if unknown is not None:
            example = next(iter(known))
            return f"the study has no text {unknown!r}; expected ids of the texts in frozen.json, such as {example}"
        items = tuple(known[name].item for name in one.texts)
        if items != one.items:
            return f"the items are {', '.join(one.items)}, but those of its texts are {', '.join(items)}"
        return ""

    def _slot(self, one: Judgement) -> str:
        panels = self.launched.study.panels
        copies = self._machine(one.panel) if one.panel not in panels else {}
        if one.panel not in panels and not copies.get(one.slot):
            return f"the study has no panel {one.panel!r}; {suggest(one.panel, panels)}"
        if one.practice:
            slot = self.practice.get(one.slot)
            if slot is None:
                return f"the study has no practice triad {one.slot!r}; {suggest(one.slot, self.practice)}"
        else:
            slot = _alike(copies.get(one.slot, ()), one) or self.planned.get(one.slot) or self._later(one)
            if slot is None:
                prefix, number = self._names(one.panel)
                return (
                    f"the panel {one.panel} has no evaluation {one.slot!r} with the number {one.number}; expected "
                    f"{prefix}-1 to {prefix}-{number}, or {prefix}-{number + 1} and so on for later judges"
                )
            if slot.panel != one.panel:
                return f"the evaluation {one.slot} is one of the panel {slot.panel}, not of {one.panel}"
        if (slot.role, slot.texts) != (one.role, one.texts):
            return (
                f"the evaluation {one.slot} shows the triad {slot.role} of the texts {', '.join(slot.texts)}, not "
                f"{one.role} of {', '.join(one.texts)}"
            )
        return ""

    def _names(self, panel: str) -> tuple[str, int]:
        number = sum(slot.panel == panel for slot in self.launched.slots)
        return panel_prefix(panel, self.launched.study.seed), number

    def _later(self, one: Judgement) -> Slot | None:
        """An evaluation that was added for later judges: only the database knows it, its name and texts must do."""
        prefix, number = self._names(one.panel)
        later = protocol_of(self.launched.study.protocol).later(one, self.launched.text)
        if one.number <= number or one.slot != f"{prefix}-{one.number}" or not later:
            return None
        return Slot(one.slot, one.panel, one.number, 0, one.role, one.texts)

    def _copies(self, panel: str) -> dict[str, list[Slot]]:
        """What a machine may have judged under a name, by the name: it is not told which panel it was set beside."""
        found: dict[str, list[Slot]] = {}
        for like in self.launched.study.panels:
            for slot in machine_slots(self.launched, panel, like):
                found.setdefault(slot.id, []).append(slot)
        return found


def _alike(slots: Sequence[Slot], one: Judgement) -> Slot | None:
    """Of several evaluations the one with a judgement's texts; else any, so that the difference is told."""
    return next((slot for slot in slots if slot.texts == one.texts), slots[0] if slots else None)
