"""The Human Evaluation Datasheet (Shimorina and Belz 2022, version 2): every numbered question with what is known.

The questions are worded here in our own words; the numbers are the datasheet's. Section 4 is answered once for each
criterion. An answer that lacks a part says which key of the study file would tell it, and does not count as given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.statements.facts import Facts
from nlgauge.study.statements.keys import Stated, StatedCriterion
from nlgauge.study.statements.markdown import escaped
from nlgauge.study.statements.told import CriterionTold
from nlgauge.study.statements.types import Statement

EDITION = "HEDS 2 (Shimorina and Belz 2022)"
SECTIONS = {
    "1": "Paper and resources",
    "2": "Systems",
    "3.1": "Sample of outputs",
    "3.2": "Judges",
    "3.3": "Experimental design",
    "4.1": "The criterion",
    "4.2": "How it is judged",
    "4.3": "How answers are given",
    "5": "Ethics",
}
ASKED: Mapping[str, str] = {
    "1.1": "Paper that reports the experiment",
    "1.2": "Where its resources can be had",
    "1.3": "Who fills in this sheet, and whom to write to",
    "2.1": "Kind of input of the systems",
    "2.2": "Kind of output of the systems",
    "2.3": "Task of the systems",
    "2.4": "Languages of the input",
    "2.5": "Languages of the output",
    "3.1.1": "Outputs judged of each system",
    "3.1.2": "How these were chosen",
    "3.1.3": "Statistical power of the sample",
    "3.2.1": "Number of judges",
    "3.2.2": "Kind of judges: expertise, pay, known to the authors, authors among them",
    "3.2.3": "How judges were recruited",
    "3.2.4": "Training and practice before the first judgement",
    "3.2.5": "What else is known of the judges",
    "3.3.1": "Preregistration",
    "3.3.2": "How answers were collected",
    "3.3.3": "What was done to assure their quality",
    "3.3.4": "What judges see",
    "3.3.5": "How free judges are in when and how fast they answer",
    "3.3.6": "Whether judges may ask questions or comment",
    "3.3.7": "Conditions under which judges work",
    "3.3.8": "How these conditions vary",
    "4.1.1": "Kind of quality: correctness, goodness or feature",
    "4.1.2": "Aspect of the output: form, content or both",
    "4.1.3": "Judged in its own right, by the input, or by something outside",
    "4.2.1": "Objective or subjective",
    "4.2.2": "Absolute or relative",
    "4.2.3": "Intrinsic or extrinsic",
    "4.3.1": "What judges read as the criterion's name",
    "4.3.2": "What judges read as its definition",
    "4.3.3": "Size of the scale",
    "4.3.4": "Values of the scale",
    "4.3.5": "How the scale is shown",
    "4.3.6": "What judges do where there is no scale",
    "4.3.7": "The question, word for word",
    "4.3.8": "Form of the answer",
    "4.3.9": "From answers to scores",
    "4.3.10": "Effect sizes and significance",
    "4.3.11": "Agreement between judges and with themselves",
    "5.1": "Approval by an ethics committee",
    "5.2": "Personal data in outputs or answers",
    "5.3": "Special categories of personal data",
    "5.4": "Assessments of impact",
}
NUMBERS = tuple(number for number in ASKED if not number.startswith("4."))
OF_CRITERION = tuple(number for number in ASKED if number.startswith("4."))
UNNAMED = "no name is shown beside the question"
FRAMES = {
    "itself": "the output in its own right",
    "input": "the output relative to its input",
    "outside": "the output relative to something outside the system",
}


@dataclass(frozen=True)
class Answer(Jsonable):
    """One numbered question with its answer; what it lacks is named by the keys of the study file."""

    KEYS = "number, question = asked, answer or null, complete = given, lacking"

    number: str
    asked: str
    answer: str
    lacking: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether it is answered wholly."""
        return bool(self.answer) and not self.lacking


@dataclass(frozen=True)
class Datasheet(Jsonable):
    """Every question of the datasheet; those of section 4 for each criterion."""

    KEYS = "datasheet, study, title, completeness, warnings, questions, criteria = by_criterion, ethics"
    datasheet: ClassVar = EDITION

    study: str
    title: str
    answers: tuple[Answer, ...]
    criteria: tuple[tuple[str, tuple[Answer, ...]], ...]  # by name
    warnings: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[Answer, ...]:
        """All answers."""
        return (*self.answers, *(answer for _, own in self.criteria for answer in own))

    @property
    def given(self) -> int:
        """How many are answered wholly."""
        return sum(answer.given for answer in self.every)

    @property
    def completeness(self) -> dict[str, Any]:
        """How many of all questions."""
        total = len(self.every)
        return {"stated": self.given, "total": total, "share": round(self.given / total, 4)}

    @property
    def questions(self) -> list[Answer]:
        """Those before the criteria."""
        return [answer for answer in self.answers if answer.number < "4"]

    @property
    def by_criterion(self) -> list[dict[str, Any]]:
        """Those of section 4."""
        return rows(self.criteria, "criterion questions")

    @property
    def ethics(self) -> list[Answer]:
        """Those after the criteria."""
        return [answer for answer in self.answers if answer.number > "4"]


def datasheet(frozen: Frozen, statement: Statement, stated: Stated, facts: Facts | None) -> Datasheet:
    """The datasheet of a study, from its statement and what stands in the same sources beside it."""
    maker = _Maker(frozen, statement, stated, facts)
    return Datasheet(
        statement.study,
        statement.title,
        tuple(maker.answer(number) for number in NUMBERS),
        tuple(
            (criterion_told.name, tuple(maker.of_criterion(number, criterion_told) for number in OF_CRITERION))
            for criterion_told in statement.criteria
        ),
        statement.warnings,
    )


_FIELDS: Mapping[str, tuple[str, ...]] = {
    "1.1": ("paper",),
    "1.2": ("resources",),
    "1.3": ("contact",),
    "2.1": ("input",),
    "2.2": ("output",),
    "2.3": ("task",),
    "2.5": ("output_language",),
    "3.1.2": ("selection",),
    "3.1.3": ("power",),
    "3.2.3": ("recruitment",),
    "3.2.4": ("practice", "instructions"),
    "3.2.5": ("demographics", "language_familiarity"),
    "3.3.1": ("preregistration",),
    "3.3.3": ("checks", "screening", "haste", "exclusions"),
    "3.3.4": ("screen",),
    "5.1": ("approval",),
    "5.2": ("personal_data", "retention"),
}
"""Questions that fields of the statement answer, all of them together."""


@dataclass(frozen=True)
class _Maker:
    frozen: Frozen
    statement: Statement
    stated: Stated
    facts: Facts | None

    @property
    def elsewhere(self) -> bool:
        """Whether the answers were collected without our pages."""
        return self.facts is not None and self.facts.imported

    def answer(self, number: str) -> Answer:
        """To a question of sections 1, 2, 3 and 5."""
        if number in _FIELDS:
            return self._from_fields(number)
        own = {
            "2.4": self._person("input_language"),
            "3.1.1": (str(self._outputs()), ()),
            "3.2.1": self._judges(),
            "3.2.2": self._kind(),
            "3.3.2": self._pages("web pages of nlgauge, answers stored in a database", "interface"),
            "3.3.5": self._pages(
                "neither each judgement nor the whole is limited in time; judges may stop and come back; an evaluation "
                f"that is left for {self.frozen.study.timeout:g} minutes may be given to another judge",
                "conditions",
            ),
            "3.3.6": self._feedback(),
            "3.3.7": self._pages("at a place of the judges' own choosing, online", "conditions"),
            "3.3.8": self._pages("not applicable: a place of the judges' own choosing", "conditions"),
            "5.3": self._person("special_data"),
            "5.4": self._person("impact"),
        }
        text, lacking = own[number]
        return Answer(number, ASKED[number], text, lacking)

    def of_criterion(self, number: str, one: CriterionTold) -> Answer:
        """To a question of section 4."""
        by_hand = self.stated.criteria.get(one.id, StatedCriterion())
        where = f"statement.criteria.{one.id}"
        labels = "; ".join(f"{value}: {self._say(words)}" for value, words in one.labels)
        declined = "; or “I cannot judge this”" if one.declinable else ""
        asked = self.statement[f"wording.{one.id}" if len(self.statement.criteria) > 1 else "wording"]
        own: dict[str, tuple[str, str]] = {  # the answer, and the key that would tell it
            "4.1.1": (by_hand.quality or one.quality, f"{where}.quality"),
            "4.1.2": (by_hand.aspect or one.aspect, f"{where}.aspect"),
            "4.1.3": (FRAMES.get(by_hand.frame or one.frame, ""), f"{where}.frame"),
            "4.2.1": ("objective" if one.objective else "subjective", ""),
            "4.2.2": ("relative" if one.relative else "absolute", ""),
            "4.2.3": ("extrinsic" if one.extrinsic else "intrinsic", ""),
            "4.3.1": (by_hand.shown_name or ("" if self.elsewhere else UNNAMED), f"{where}.shown_name"),
            "4.3.2": (self._definition(one, by_hand), f"{where}.definition"),
            "4.3.3": (one.size, "scale"),
            "4.3.4": ((f"{one.values} ({labels})" if labels else one.values) + declined, "scale"),
            "4.3.5": (one.instrument, "scale"),
            "4.3.6": ("not applicable: there is a scale" if one.size else "", "scale"),
            "4.3.7": (asked.text, asked.where),
            "4.3.8": (one.elicitation, "scale"),
            "4.3.9": (self.statement["analysis"].text, "statement.analysis"),
            "4.3.10": (self.statement["significance"].text, "statement.significance"),
            "4.3.11": (self._agreement(one.id) or by_hand.agreement or self.stated.agreement, f"{where}.agreement"),
        }
        text, key = own[number]
        return Answer(number, ASKED[number], text, () if text else (key,))

    def _agreement(self, criterion: str) -> str:
        """As the analysis found it of a criterion; of all, where it measures something else than was asked."""
        agreed = self.facts.agreed if self.facts is not None else ()
        own = [part.text for part in agreed if part.criterion == criterion]
        told = self.statement["agreement"]
        return "; ".join(own) or (told.text if told.source != "person" else "")

    def _definition(self, one: CriterionTold, by_hand: StatedCriterion) -> str:
        definition = one.definition or by_hand.definition
        if self.elsewhere or one.shown or not definition:
            return definition
        return f"none is shown beside the question; what is meant: {definition}"

    def _from_fields(self, number: str) -> Answer:
        fields = [self.statement[key] for key in _FIELDS[number]]
        told, missing = ([field for field in fields if field.missing == lacks] for lacks in (False, True))
        text = "; ".join(f"{field.name}: {field.text}" if len(fields) > 1 else field.text for field in told)
        lacking = tuple(field.remedy if field.source in ("store", "elsewhere") else field.where for field in missing)
        return Answer(number, ASKED[number], text, lacking)

    def _person(self, name: str) -> tuple[str, tuple[str, ...]]:
        text = getattr(self.stated, name)
        return text, () if text else (f"statement.{name}",)

    def _pages(self, ours: str, name: str) -> tuple[str, tuple[str, ...]]:
        """What our pages make true, unless a person says otherwise; of other people's pages only a person knows."""
        text = getattr(self.stated, name) or ("" if self.elsewhere else ours)
        return text, () if text else (f"statement.{name}",)

    def _feedback(self) -> tuple[str, tuple[str, ...]]:
        contact = self.frozen.study.ethics.contact
        text = self.stated.feedback or (f"judges are told whom to ask: {contact}" if contact else "")
        return text, () if text else ("statement.feedback",)

    def _outputs(self) -> int:
        """Outputs of a system that somebody judged, or is to judge; of systems with different numbers the largest."""
        seen = self.facts.seen if self.facts is not None and self.facts.answered else {"": (self.frozen.slots,)}
        judged = {text for sheets in seen.values() for sheet in sheets for slot in sheet for text in slot.texts}
        by_system: dict[str, set[tuple[str, str]]] = {}
        for text in self.frozen.served:
            if text.id in judged:  # an output that is judged in parts is one
                by_system.setdefault(text.subject, set()).add((text.item, text.text))
        return max(map(len, by_system.values()), default=0)

    def _judges(self) -> tuple[str, tuple[str, ...]]:
        if self.facts is not None and not self.facts.named:
            return "", ("the imported file does not name its judges",)
        number = sum(panel.judges for panel in self.facts.people) if self.facts is not None else 0
        return (str(number), ()) if number else ("", ("known once judges have answered",))

    def _kind(self) -> tuple[str, tuple[str, ...]]:
        parts = {
            "expertise": (self.statement["expertise"].text, "statement.expertise"),
            "pay": (self.statement["pay"].text, "statement.pay"),
            "known to the authors": (self.stated.known_to_authors, "statement.known_to_authors"),
            "authors among them": (self.stated.authors_among_judges, "statement.authors_among_judges"),
        }
        text = "; ".join(f"{name}: {told}" for name, (told, _) in parts.items() if told)
        return text, tuple(key for told, key in parts.values() if not told)

    def _say(self, words: Mapping[str, str]) -> str:
        first = self.frozen.study.spoken[0]
        return words.get(first) or words.get("") or next(iter(words.values()), "")


def markdown(sheet: Datasheet) -> str:
    """The datasheet as Markdown."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: Datasheet) -> Iterator[str]:
    yield f"# Human Evaluation Datasheet: {escaped(sheet.title)}"
    yield ""
    for warning in sheet.warnings:
        yield f"**Note: {escaped(warning)}.**"
        yield ""
    total = len(sheet.every)
    yield (
        f"{EDITION}; the questions are in our words. {sheet.given} of {total} are answered "
        f"({100 * sheet.given / total:.0f} %)."
    )
    yield from _part(sheet.questions)
    for name, own in sheet.criteria:
        yield from ("", f"## 4 Criterion: {escaped(name)}")
        yield from _part(own, level=3)
    yield from _part(sheet.ethics)


def _part(answers: Sequence[Answer], level: int = 2) -> Iterator[str]:
    last = ""
    for answer in answers:
        section = next(name for name in SECTIONS if answer.number.startswith(f"{name}."))
        if section != last:
            yield from ("", f"{'#' * level} {section} {SECTIONS[section]}")
            last = section
        yield ""
        lacking = f" *(lacking: {escaped(', '.join(answer.lacking))})*" if answer.lacking else ""
        text = escaped(" ".join(answer.answer.split())) or "*missing*"
        yield f"**{answer.number} {escaped(answer.asked)}.** {text}{lacking}"
