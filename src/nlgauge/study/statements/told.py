"""What a protocol tells for the statement: its questions, what a screen shows, who sees what, how answers are used.

Its folder has a part `statement` with `told(frozen, seen)`: by panel, for each judge, what was answered in that order,
or nothing before the first answer. Where a protocol has none, what every study file holds is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from nlgauge.jsonable import Jsonable
from nlgauge.study.model import Slot

if TYPE_CHECKING:
    from nlgauge.study.file.study import Panel, Study
    from nlgauge.study.freeze.frozen import Frozen


@dataclass(frozen=True)
class CriterionTold(Jsonable):
    """One question about the outputs, with what is measured by it."""

    id: str
    name: str
    wording: Mapping[str, str]  # by language; empty where it is not known
    definition: str = ""
    shown: bool = False  # whether judges read the definition
    origin: str = ""  # where wording and definition come from
    scale: str = ""  # in words
    size: str = ""  # how many answers there are, or continuous
    values: str = ""  # which
    labels: tuple[tuple[str, Mapping[str, str]], ...] = ()  # an answer and what stands beside it, by language
    instrument: str = ""  # how the scale is shown
    elicitation: str = ""  # what judges do, in the datasheet's terms
    quality: str = ""  # correctness, goodness or feature
    aspect: str = ""  # form, content or both
    frame: str = ""  # itself, input or outside
    relative: bool = False  # several outputs are shown together
    objective: bool = False
    extrinsic: bool = False
    reverse: bool = False
    measures: tuple[str, ...] = ()  # constructs of the catalogue
    declinable: bool = False  # judges may answer “I cannot judge this”
    wordings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by name, where there are several

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> CriterionTold:
        """What `to_dict` wrote."""
        values = {field.name: row[field.name] for field in fields(cls) if field.name in row}
        values["labels"] = tuple((value, words) for value, words in row["labels"])
        return cls(**values | {"measures": tuple(row["measures"])})


@dataclass(frozen=True)
class Told:
    """Everything that differs between protocols; an empty text is not known."""

    kind: str = ""  # the type of the questions
    criteria: tuple[CriterionTold, ...] = ()
    screen: str = ""  # what a judge sees at once
    order: str = ""  # who sees what, in which order
    asked: str = ""  # what is asked in one evaluation, where that is not every question
    planned: tuple[tuple[str, str], ...] = ()  # balance by panel, as designed
    realised: tuple[tuple[str, str], ...] = ()  # and of the completed evaluations
    practice: str = ""
    examples: tuple[tuple[str, str], ...] = ()  # the texts of practice in full, with what was said of them
    checks: str = ""  # screens that test the judge
    screening: str = ""  # who does not go on
    sample: str = ""  # how many items and outputs
    power: str = ""
    analysis: str = ""
    significance: str = ""
    agreement: str = ""  # where there is nothing that judges could agree on


def definitions_read(criteria: Sequence[CriterionTold]) -> str:
    """Which definitions judges had before their eyes; what a statement defines for its readers alone is not one."""
    read = [criterion_told.name for criterion_told in criteria if criterion_told.shown]
    unread = [criterion_told.name for criterion_told in criteria if not criterion_told.shown]
    if not read:
        return "none; judges read the questions and the instructions"
    return "all, beside the questions" if not unread else f"{', '.join(read)}; not {', '.join(unread)}"


def rendered(study: Study) -> str:
    """How outputs were shown, where not as they are written."""
    how = getattr(study, "render", "plain")
    return {"markdown": "outputs were shown as Markdown", "code": "outputs were shown as code"}.get(how, "")


Sheets = Sequence[Sequence[Slot]]
"""What each of some judges sees, in that order."""


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """What the study's protocol tells."""
    from nlgauge.study.protocols import part_of

    try:
        part = part_of(frozen.study.protocol, "statement")
    except LookupError:
        return _usual(frozen)
    found = part.told(frozen, seen)
    several = {criterion.id: criterion.wordings for criterion in getattr(frozen.study, "questions_asked", ())}
    worded = (replace(criterion, wordings=several.get(criterion.id, {})) for criterion in found.criteria)
    return replace(found, criteria=tuple(worded))


def _usual(frozen: Frozen) -> Told:
    """Of a protocol that tells nothing itself: the wordings that its study file holds."""
    from nlgauge.study.protocols import protocol_of

    protocol = protocol_of(frozen.study.protocol)
    criteria = tuple(
        CriterionTold(place, place, dict(words))
        for place, words in protocol.wordings(frozen.study)
        if words and place.rpartition(".")[2] == "question"
    )
    sample = f"{len({text.item for text in frozen.served}):,} items, {len(frozen.served):,} texts"
    return Told(kind=protocol.describe(frozen.study), criteria=criteria, sample=sample)


def planned_sheets(frozen: Frozen, panel: str) -> list[list[Slot]]:
    """What the design gives each judge of a panel."""
    each = max(1, frozen.study.panels[panel].evaluations)
    own = sorted((slot for slot in frozen.slots if slot.panel == panel), key=lambda slot: slot.number)
    return [own[start : start + each] for start in range(0, len(own), each)]


def texts_of(frozen: Frozen) -> tuple[tuple[str, str], ...]:
    """The texts of practice, each evaluation once, as judges read them."""
    found: list[tuple[str, str]] = []
    for number, orders in frozen.rounds.items():
        shown = dict.fromkeys(text for slot in orders for text in slot.texts)
        for place, name in enumerate(shown, start=1):
            several = f", text {place}" if len(shown) > 1 else ""
            found.append((f"practice {number}{several}", frozen.text[name].text or "(no text)"))
    return tuple(found)


def access(panel: Panel) -> str:
    """How the judges of a panel come."""
    if panel.kind == "machine":
        judge = getattr(panel, "judge", None)
        return "a machine" if judge is None else f"a machine: {judge.told}"
    ways = {"links": "by personal links", "open": "by an open link", "platform": "by a recruiting platform"}
    return ways[panel.access]
