"""Annotations for the engine: `edits` and `spans` say what the answers are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import counted, option, shortened
from nlgauge.study.file.places import PlacedError
from nlgauge.study.protocols.annotations import edits, spans
from nlgauge.study.protocols.annotations.contradictions import contradictions
from nlgauge.study.protocols.annotations.file import (
    PostEditStudy,
    SpanStudy,
    annotation_study,
    post_edit_study,
    span_study,
)
from nlgauge.study.protocols.annotations.simulation import OF_QUESTIONS, OPTIONS, Annotators
from nlgauge.study.protocols.base import Crowd, Layout, Place, accepted, told_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.practice import laid_out
from nlgauge.study.protocols.outputs.protocol import OutputProtocol, means, summed
from nlgauge.study.protocols.ratings.protocol import OnScales

if TYPE_CHECKING:
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.model import Judgement, Slot, Text
    from nlgauge.study.service import Service

RATED = ("answer",)  # what is known where nothing of the work is


class Annotations(OnScales, ABC):
    """Work on this text."""

    instructions: ClassVar[str] = "annotations.instructions.{}"
    work: ClassVar[str]  # what a study of the protocol is called
    measured: ClassVar[tuple[str, ...]]  # what a simulation tells of each system

    # ------------------------------------------------------------------------- what differs within the family

    @abstractmethod
    def take(self, answer: Any, text: Text, study: Study) -> dict[str, Any]:
        """The answer but for its ratings, in its canonical form, or `Refused`."""

    @abstractmethod
    def possible(self, answer: Any) -> bool:
        """Whether some study of the protocol could have taken an answer."""

    @abstractmethod
    def rows(self, answer: Mapping[str, Any], text: Text, study: Study, seconds: float) -> Iterator[dict[str, Any]]:
        """What an answer says, as rows with a criterion and a value."""

    @abstractmethod
    def measures(self, answer: Mapping[str, Any], text: Text, study: Study) -> tuple[float, ...]:
        """The figures of `measured`."""

    # ------------------------------------------------------------------------------------------- the study file

    def describe(self, study: Study) -> str:
        """What is done to what."""
        own = annotation_study(study)
        asked = "".join(f", {criterion.id}" for criterion in own.questions_asked)
        rated = f", then rated for {asked[2:]}" if asked else ""
        return f"{self.work} of {counted(len(own.authors), 'system')}{rated}; {own.design.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(annotation_study(study))

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """A difference of penalties or of edits, in standard deviations."""
        from nlgauge.study.checks.foresight import in_deviations

        return in_deviations(frozen, panel, slots)

    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """Texts, criteria, balance, a simulated run."""
        from nlgauge.study.protocols.outputs.check import rehearsal_findings
        from nlgauge.study.protocols.ratings.check import check_design

        yield from check_design(frozen, lines, simulate=False)
        if simulate:
            yield from rehearsal_findings(frozen, self.crowd(frozen.study, {"dropouts": 0.1}))

    # ------------------------------------------------------------------------------------------------- answers

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """The work, then a number for each question."""
        found = self.take(answer, shown[0], study)
        given = answer.get("ratings", {})
        return {**found, "ratings": super().check_answer(given, shown, study)}

    def given(self, answer: Any) -> Mapping[str, Any]:
        """The ratings."""
        found: Mapping[str, Any] = answer.get("ratings", {})
        return found

    def score(self, study: OutputStudy, judgement: Judgement) -> float | None:
        """Work is on no scale."""
        return None

    def fault(self, judgement: Judgement) -> str:
        """One text, a role, the work and its ratings."""
        answer = judgement.answer
        worked = self.possible(answer) and isinstance(answer.get("ratings", {}), Mapping)
        if worked and len(judgement.texts) == 1 and judgement.role in ROLES.values():
            return ""
        return f"texts, role and answer do not describe an answer of the protocol {self.name}"

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """Rows of the work, and one for each question."""
        (text,) = (frozen.text[name] for name in judgement.texts)
        about = {"item": text.item, "system": text.subject}
        rated = ({"criterion": name, "value": value} for name, value in judgement.answer.get("ratings", {}).items())
        for row in (*self.rows(judgement.answer, text, frozen.study, judgement.seconds), *rated):
            yield about | row | told_of(judgement)

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each output: what was measured on it, and what its judges were asked."""
        from nlgauge.study.protocols.annotations.analysis.measures import measured
        from nlgauge.study.protocols.ratings.analysis.rows import sort_out
        from nlgauge.study.protocols.ratings.judged import judged_set

        given = service.judgements()
        answers = {judgement.id: judgement.answer for judgement in given}

        def edited(found: Sequence[Judgement]) -> dict[str, Any]:
            texts = [answers[judgement.id]["text"] for judgement in found if "text" in answers[judgement.id]]
            return {"post_edits": texts} if texts else {}

        numbers, measures = measured(service.frozen, given)
        return judged_set(service, sort_out(service.frozen, numbers, measures=measures), edited)

    # ---------------------------------------------------------------------------------------------- simulation

    def taken_by(self, study: Study, options: Mapping[str, Any], of_questions: Sequence[str]) -> dict[str, Any]:
        """The options of the simulated judges; where no question follows, those of answers to one are refused."""
        if annotation_study(study).questions_asked:
            return accepted(options, OPTIONS, self.name)
        names = [name for name in OPTIONS if name not in of_questions]
        rate = option("rates", flag="rate")
        return accepted(options, names, f"{self.name} without questions, where {rate} says how good systems are")

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the mean of each measure and question for each system."""
        study = annotation_study(frozen.study)
        given: dict[str, dict[str, list[float]]] = {}
        for judgement in counted:
            text = frozen.text[judgement.texts[0]]
            figures = zip(self.measured, self.measures(judgement.answer, text, study), strict=True)
            for name, value in () if judgement.role else (*figures, *judgement.answer["ratings"].items()):
                by = given.setdefault(name, {system: [] for system in study.subjects})
                by[text.subject].append(value)
        return summed(counted, surplus, means=means(given))


class PostEdit(Annotations, OutputProtocol):
    """Edit this text until it is acceptable."""

    study = PostEditStudy
    work = "post-edits of the outputs"
    measured = ("hter", "unchanged")
    unpractised = "there is no practice: the first text of each judge counts"
    columns = (*OutputProtocol.columns, "outcome", "text", "active", "keys")

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """Refused where an output is too long to be sent back in a form."""
        found = super().freeze(study, folder)
        long = next((text for text in found.texts if len(text.text) > edits.LONGEST_OUTPUT), None)
        if long is not None:
            raise PlacedError(
                f"the output of {long.subject} for the item {shortened(long.item)} has {len(long.text):,} characters, "
                f"too many to be edited ({edits.LONGEST_OUTPUT:,}); shorten it, or leave the item out (items: …)",
                f"subjects.{long.subject}",
                "items",
                "data",
            )
        return found

    def take(self, answer: Any, text: Text, study: Study) -> dict[str, Any]:
        """An outcome and a text."""
        return edits.taken(answer, text.text)

    def possible(self, answer: Any) -> bool:
        """An outcome and a text."""
        return edits.possible(answer)

    def worked(self, answer: Any, known: Known, text: Text, study: OutputStudy) -> bool | None:
        """A text that is accepted, or in which what was wrong has been changed."""
        return None if known.named == RATED else edits.mended(answer, known, text.text)

    def worked_by_chance(self, known: Known, text: str, study: OutputStudy) -> float:
        """Who does not read leaves a text as it is, or loses the words that were right."""
        return 1.0 if known.named == RATED else float(edits.mended({"outcome": "unchanged", "text": text}, known, text))

    def measures(self, answer: Mapping[str, Any], text: Text, study: Study) -> tuple[float, ...]:
        """HTER, and whether nothing was changed."""
        found = edits.edits_of(text.text, answer["text"], post_edit_study(study).words)
        return found.hter, float(answer["outcome"] == "unchanged")

    def rows(self, answer: Mapping[str, Any], text: Text, study: Study, seconds: float) -> Iterator[dict[str, Any]]:
        """A row for each kind of edit, for HTER and for the seconds a word; the text stands with the first."""
        found = edits.edits_of(text.text, answer["text"], post_edit_study(study).words)
        kept = {name: answer.get(name) for name in ("outcome", "text", "active", "keys")}
        yield {"criterion": "hter", "value": round(found.hter, 6), **kept}
        for name in ("inserted", "deleted", "replaced", "moved", "characters"):
            yield {"criterion": name, "value": getattr(found, name)}
        yield {"criterion": "seconds_per_word", "value": round(edits.per_word(seconds, found), 6)}

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """A fifth of the words typed at 40 a minute, and the questions."""
        return 0.3 * len(shown[0].text.split()) + super().answering(study, shown)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who edit words at known rates."""
        return Annotators(**self.taken_by(study, options, (*OF_QUESTIONS, "noise")))

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        return (
            "hter is the mean of the texts' edits per hundred words; a word was edited with the rate of its system, "
            f"times a factor of the judge (standard deviation {crowd.to_dict()['judge_sd']:g} of its logarithm)."
        )


class Spans(Annotations, OutputProtocol):
    """Mark the errors of this text."""

    chosen = (*OutputProtocol.chosen, "scheme")
    study = SpanStudy
    work = "error marking in the outputs"
    measured = ("penalty", "errors")
    columns = (*OutputProtocol.columns, "on", "start", "end", "category", "severity", "note", "quoted")

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, what is shown, categories, severities."""
        yield from super().wordings(study)
        own = span_study(study)
        for number, one in enumerate(own.categories or (), start=1):
            yield f"categories.{number}.name", one.name
            yield f"categories.{number}.definition", one.definition
            for place, sub in enumerate(one.sub, start=1):
                yield f"categories.{number}.sub.{place}.name", sub.name
                yield f"categories.{number}.sub.{place}.definition", sub.definition
        for number, grade in enumerate(own.severities, start=1):
            yield f"severities.{number}.name", grade.name
            yield f"severities.{number}.definition", grade.definition

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """With the scheme's categories and weights written out, so that a later edition changes no study."""
        found = laid_out(span_study(study), folder)
        own = span_study(found.study).fixed_scheme  # now that it is known how the input is shown
        found = replace(found, study=own)
        for text in found.texts:
            if own.omissions == "source" and not spans.source_of(text).strip():
                raise PlacedError(
                    f"omissions: the source of the item {shortened(text.item)} is no text whose words could be "
                    "marked; set omissions: marker",
                    "omissions",
                )
        return found

    def take(self, answer: Any, text: Text, study: Study) -> dict[str, Any]:
        """Errors, or that there are none."""
        return spans.taken(answer, text, span_study(study))

    def possible(self, answer: Any) -> bool:
        """Errors, or that there are none."""
        return spans.possible(answer)

    def worked(self, answer: Any, known: Known, text: Text, study: OutputStudy) -> bool | None:
        """Every planted error is marked; in a text without errors nothing grave is."""
        if known.named == RATED:
            return None
        return spans.marked(answer["spans"], known.errors or (), text.text, span_study(study))

    def worked_by_chance(self, known: Known, text: str, study: OutputStudy) -> float:
        """Who does not read marks any three words, or nothing where that is right."""
        return 1.0 if known.named == RATED else spans.luck(known.errors or (), text, span_study(study))

    def measures(self, answer: Mapping[str, Any], text: Text, study: Study) -> tuple[float, ...]:
        """The penalty and the number of errors."""
        found = answer["spans"]
        return spans.penalty(found, span_study(study).weights), float(len(found))

    def rows(self, answer: Mapping[str, Any], text: Text, study: Study, seconds: float) -> Iterator[dict[str, Any]]:
        """The penalty of the text, then a row for each error."""
        weights = span_study(study).weights
        yield {"criterion": "penalty", "value": spans.penalty(answer["spans"], weights)}
        for span in answer["spans"]:
            value, quoted = weights[span["severity"]], spans.quoted(span, text)
            yield {"criterion": "error", "value": value, **span, "quoted": quoted}

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Twenty seconds of marking, and the questions."""
        return 20.0 + super().answering(study, shown)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who mark errors at known rates."""
        return Annotators(**self.taken_by(study, options, OF_QUESTIONS), marks=True)

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        told = crowd.to_dict()
        return (
            "penalty and errors are means of a text. A system's rate is how many errors judges marked in "
            f"a hundred words, {100 * told['noise']:g} % of them where no other judge sees one."
        )


FAMILY: Mapping[str, type[OutputProtocol]] = {"post-edit": PostEdit, "spans": Spans}
