"""The study file of classifications: outputs, labelled and described classes, the true class of an output."""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Literal

from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.file.study import Study
from nlgauge.study.protocols.outputs.contradictions import (
    LONGEST_ID,
    Problems,
    machine_problems,
    option_problems,
    practice_problems,
    single_problems,
    system_problems,
)
from nlgauge.study.protocols.outputs.file import RatedSubject, RatedText
from nlgauge.study.protocols.outputs.gold import Form, gold_problems
from nlgauge.study.protocols.outputs.quality import quality_problems
from nlgauge.study.protocols.ratings.contradictions import off_scale
from nlgauge.study.protocols.ratings.criteria import Asked, AskedScale
from nlgauge.study.protocols.ratings.file import RatingStudy

CLASS = "class"
"""What the one question is called, in answers and in rows."""
MOST = 12  # classes on a page: with more nobody reads them all


@dataclass(frozen=True)
class OutputClass:
    """What an output can be taken for."""

    SHORT: ClassVar[str] = "label"
    label: Words | None = key("what judges read (default: the name of the class)", default=None)
    description: Words | None = key("how to know it, below the label", default=None)


@dataclass(frozen=True)
class ClassedText(RatedText):
    """One text written in the study file, with its class."""

    truth: str = key("the class that it is truly of; empty: unknown", default="")


@dataclass(frozen=True)
class ClassedSubject(RatedSubject):
    """A system whose outputs are classified."""

    texts: tuple[ClassedText, ...] = key("in place of data: the texts themselves", default=())


@dataclass(frozen=True, kw_only=True)
class ClassStudy(RatingStudy):
    """One question about single outputs, answered by a class."""

    protocol: Literal["classification"] = key("one of several classes for each output")
    criteria: tuple[CriterionEntry, ...] = key("not used: a classification asks one question (question)", default=())
    question: Words = key("what is asked about each output")
    classes: Mapping[str, OutputClass] = key(
        "the answers by name, in the order of the page: each with a label and a description"
    )
    truth_column: str = key(
        "the key of the set's rows that holds the class an output is truly of; a row without it is unknown",
        default="",
    )
    truth: Mapping[str, str] = key(
        "by system: the class of its outputs, where neither row nor text says another", default={}
    )
    subjects: Mapping[str, ClassedSubject] = key(
        "in place of data and systems: each system with where its texts come from", default={}
    )
    accuracy: float = key(
        "the share of right answers that is to be told from chance; study check says how many outputs that takes",
        default=0.0,
        least=0,
        most=1,
    )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The classes in their order: the answer 1 is the first."""
        return tuple(self.classes)

    @property
    def chance(self) -> float:
        """Of a right answer, for who guesses."""
        return 1 / len(self.names)

    @cached_property
    def questions_asked(self) -> tuple[Asked, ...]:
        """The one question; its points are the classes."""
        labels = tuple(one.label or Words({"": name}) for name, one in self.classes.items())
        scale = AskedScale(1, max(len(labels), 1), len(labels), labels=labels)
        return (Asked(id=CLASS, name=CLASS, question=self.question, scale=scale),)

    def meant(self, entry: CriterionEntry) -> Criterion | None:
        """Nothing: a classification has no criteria."""
        return None


def class_study(study: Study) -> ClassStudy:
    """The same study, where outputs are classified in it; refused where not."""
    if isinstance(study, ClassStudy):
        return study
    raise InputError(f"this is a study of the protocol {study.protocol}; only a classification can do this")


def contradictions(study: ClassStudy) -> Problems:
    """The place of a key and what is wrong there, for everything that is."""
    if study.imported:
        yield (
            "design",
            "classifications that were made elsewhere are not imported; take nlgauge agree for their agreement",
        )
        return
    yield from system_problems(study)
    yield from option_problems(study)
    if study.criteria:
        yield (
            "criteria",
            "a classification asks one question (question); leave criteria out, or set protocol: likert",
        )
    if study.scale is not None:
        yield "scale", "the answers of a classification are its classes, which have no scale; leave scale out"
    wrong = list(_class_problems(study))
    yield from wrong
    if not wrong:
        yield from _truth_problems(study)
        form = Form(wrong=partial(off_scale, study))
        yield from quality_problems(study, form=form)
        yield from gold_problems(study, form)
    yield from single_problems(study, "a classification shows")
    yield from machine_problems(study, scores=False)
    yield from practice_problems(study, "text")


def _class_problems(study: ClassStudy) -> Problems:
    if not 2 <= len(study.names) <= MOST:
        few = "name more" if len(study.names) < 2 else "leave some out"
        yield "classes", f"a classification needs 2 to {MOST} classes, not {len(study.names)}; {few}"
    seen: dict[tuple[str, str], str] = {}
    for name, one in study.classes.items():
        if not name.isprintable() or not 0 < len(name) <= LONGEST_ID:
            yield (
                f"classes.{name}",
                f"a class must have a name of 1 to {LONGEST_ID} characters that can be seen, not {shortened(name)}",
            )
        for language, label in (one.label or Words({"": name})).items():
            other = seen.setdefault((language, label.strip()), name)
            if other != name:
                yield (
                    f"classes.{name}.label",
                    f"the classes {other} and {name} have the same label {shortened(label)}; judges cannot tell "
                    "them apart; write another",
                )
    if study.accuracy and len(study.names) > 1 and not study.chance < study.accuracy < 1:
        yield (
            "accuracy",
            f"accuracy is {study.accuracy:g}, but guessing among {len(study.names)} classes is right in "
            f"{100 * study.chance:.0f} %; give a share between that and 1",
        )


def _truth_problems(study: ClassStudy) -> Problems:
    for system, name in study.truth.items():
        if study.authors and system not in study.authors:
            yield f"truth.{system}", f"truth: there is no system {system!r}; {suggest(system, study.authors)}"
        if name not in study.classes:
            yield f"truth.{system}", f"truth: there is no class {name!r}; {suggest(name, study.names)}"
    for system, subject in study.subjects.items():
        for number, text in enumerate(subject.texts, start=1):
            if text.truth and text.truth not in study.classes:
                place = f"subjects.{system}.texts.{number}.truth"
                yield place, f"{place}: there is no class {text.truth!r}; {suggest(text.truth, study.names)}"
    if (
        study.truth_column
        and not study.data
        and not any(classed_subject.data for classed_subject in study.subjects.values())
    ):
        yield (
            "truth_column",
            "truth_column names a key of a set's rows, and no set is named; write truth with each text, or name the "
            "set (data: …)",
        )
