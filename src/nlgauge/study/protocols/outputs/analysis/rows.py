"""Which answers to a study of outputs count: practice and warm-up never, surplus by the rule fixed at launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from nlgauge.errors import InputError
from nlgauge.io.exported import SURPLUS
from nlgauge.study.analysis.counting import sort
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.criteria import UNKNOWN


class Worded:
    """A criterion by its name and question."""

    name: str
    question: str

    @property
    def known(self) -> bool:
        """Whether anybody can read what was asked."""
        return bool(self.question)

    @property
    def label(self) -> str:
        """Its name wherever it is shown; a question that nobody knows is said each time."""
        return self.name if self.known else f"{self.name} ({UNKNOWN})"


def first_wording(question: Mapping[str, str]) -> str:
    """What was asked, in the first language that tells it."""
    return next((text.strip() for text in question.values() if text.strip()), "")


def panels_of(frozen: Frozen, panel: str | None, machines: Iterable[str] = ()) -> tuple[str, ...]:
    """The panels to be analysed: all, people before machines, or the one that is named."""
    later = tuple(machines)
    known = (*(name for name in frozen.study.panels if name not in later), *later)
    if panel is not None and panel not in known:
        raise InputError(f"the study has no panel {panel!r}; it has {', '.join(map(repr, known))}")
    return tuple(known) if panel is None else (panel,)


def told_apart(
    frozen: Frozen, judgements: Sequence[Judgement], panels: Sequence[str]
) -> tuple[list[Judgement], list[Judgement], dict[str, int]]:
    """Judgements that count, in the order in which they were given; those with a role; how many were set aside."""
    sorted_out = sort(judgements, frozen.study.surplus)
    current = [judgement for judgement in sorted_out.standing if judgement.panel in panels or judgement.practice]
    current.sort(key=lambda one: (one.answered_at, one.id))
    for judgement in current:
        lost = next((text for text in judgement.texts if text not in frozen.text), None)
        if lost is not None:
            raise InputError(f"judgement {judgement.id!r} judges the text {lost!r}, which the study does not have")
    reasons = sorted_out.reasons
    aside = dict.fromkeys(("practice", "warmup", "check", "degraded", "repeat", SURPLUS), 0)
    for judgement in current:
        if why := reasons[judgement.id]:
            aside["practice" if judgement.practice else why] += 1
    counted = [judgement for judgement in current if not reasons[judgement.id]]
    extra = [judgement for judgement in current if reasons[judgement.id] not in ("", SURPLUS)]
    return counted, extra, aside | {"corrected": sorted_out.corrected}


def planned_answers(
    frozen: Frozen, panels: Sequence[str], machines: Mapping[str, int] = MappingProxyType({})
) -> dict[str, int]:
    """How many answers that count the design has for each panel; of late machines, what they are to judge."""
    own = {name: sum(slot.panel == name and not slot.role for slot in frozen.slots) for name in panels}
    return own | {name: machines[name] for name in panels if name in machines}


def subjects_of(frozen: Frozen) -> dict[str, tuple[str, str]]:
    """Item and system of each text, systems by the names that reports use."""
    authors = frozen.study.authors
    return {text.id: (text.item, authors.get(text.subject) or text.subject) for text in frozen.texts}
