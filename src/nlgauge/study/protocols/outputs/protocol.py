"""What the engine asks of every study of outputs alike; each protocol adds what is asked and how it is answered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from nlgauge.errors import suggest
from nlgauge.io.exported import CANNOT
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols import part_of, protocol_of
from nlgauge.study.protocols.base import Protocol, Seen, accepted
from nlgauge.study.protocols.outputs import control
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import OutputStudy, output_study
from nlgauge.study.protocols.outputs.gold import Known, known_of
from nlgauge.study.protocols.outputs.layout import later_slots, screens
from nlgauge.study.protocols.outputs.parts import asked_about, seen_before
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.study import Study
    from nlgauge.study.file.template import Made
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.protocols.outputs.analysis.results import OutputResult
    from nlgauge.study.service import Service

Question = TypeVar("Question", bound=Worded)
Figures = Mapping[str, Mapping[str, float | None]]
"""By criterion and system; None where there is no answer."""


class OutputProtocol(Protocol):
    """Judges of what systems wrote."""

    # the options of `study new`
    chosen: ClassVar[tuple[str, ...]] = (
        *("judges", "systems", "languages", "access", "title", "seed", "task", "criteria", "design", "columns"),
    )
    tries = True
    # The wording of the languages that judges read by default, where {} is the protocol's name; none where empty.
    instructions: ClassVar[str] = "ratings.instructions"
    figures: ClassVar[str]  # what the summary of a simulation calls its figures

    # ------------------------------------------------------------------------------------------- the study file

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """What is asked and how it is answered, headings of what is shown."""
        yield from self.asked_wordings(study)
        own = output_study(study)
        for number, show in enumerate(own.show, start=1):
            yield f"show.{number}.label", show.label
        for number, example in enumerate(own.examples, start=1):
            yield f"practice.examples.{number}.why", example.why

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, and the definitions below them."""
        yield from criteria_wordings(study)

    def practises(self, study: Study) -> bool:
        """Whether there is something to warm up with."""
        practice = output_study(study).practice
        return bool(practice.texts or practice.examples)

    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """What the protocol's own module says of texts and design."""
        yield from part_of(self.name, "check").check_design(frozen, lines, simulate=simulate)

    def new(self, folder: str | Path, data: str | Path, options: Mapping[str, Any]) -> Made:
        """What the protocol's own module chooses for a data set."""
        from nlgauge.study.protocols.outputs.template import Wish

        wish = Wish(protocol=self.name, **accepted(options, self.chosen, self.name))
        return part_of(self.name, "template").new(folder, data, wish)

    # --------------------------------------------------------------------------------------- launch and dealing

    def more(self, frozen: Frozen, panel: str, count: int, *, each: int, before: Sequence[Slot]) -> list[Slot]:
        """The sheets that follow."""
        study = output_study(frozen.study)
        return later_slots(study, frozen.served, panel, count, each=each, before=len(before))

    def screens(self, slots: Sequence[Slot]) -> list[Slot]:
        """Each screen that counts, once."""
        return screens(slots)

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """The first by number; of what others left, first what this judge has not read yet."""
        had = {text for slot, _ in seen for text in frozen.shown_in.get(slot, ())}
        study = output_study(frozen.study)
        return min(
            slots,
            key=lambda slot: (not slot.role and seen_before(frozen, study, slot, had), slot.number),
        )

    # ------------------------------------------------------------------------------------------------- answers

    def unasked(self, judgement: Judgement, frozen: Frozen) -> str:
        """Criteria that are none of the screen's; conversations that broke off have none."""
        study, text = output_study(frozen.study), frozen.text.get(judgement.texts[0])
        given = self.given(judgement.answer)
        if text is None or not given or study.imported:
            return ""
        asked = [question.id for _, question in asked_about(text, study)]
        for name in given:
            if name not in asked:
                return f"the answer is about {name!r}, which is not asked there; {suggest(name, asked)}"
        lacking = next((name for name in asked if name not in given), "")
        return f"the answer says nothing of {lacking}; expected {', '.join(asked)}" if lacking else ""

    def unknown_wordings(self, study: Study) -> tuple[str, ...]:
        """Of a study that was run elsewhere the questions need not be known."""
        return unknown_wordings(output_study(study))

    # ------------------------------------------------------------------ answers that are known beforehand

    def given(self, answer: Any) -> Mapping[str, Any]:
        """What an answer says for each criterion."""
        found: Mapping[str, Any] = answer
        return found

    @abstractmethod
    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """Whether what was given for a criterion is what was wanted."""

    @abstractmethod
    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """That what is given at random for a criterion meets what was wanted."""

    def agrees(self, answer: Any, known: Known, shown: Sequence[Text], study: OutputStudy) -> bool | None:
        """Whether an answer agrees with what is known of its screen, which it does not where the judge cannot judge it;
        None where nothing of that was asked there."""
        given = self.given(answer)
        found = [
            given[criterion.id] != CANNOT
            and self.meets(given[criterion.id], known.answer[criterion.id], known.within, criterion)
            for criterion in study.questions_asked
            if criterion.id in given and criterion.id in known.answer
        ]
        answered = all(found) if found else None
        worked = self.worked(answer, known, shown[0], study)
        return answered if worked is None or answered is False else worked

    def worked(self, answer: Any, known: Known, text: Text, study: OutputStudy) -> bool | None:
        """Whether the work on a text, of protocols that ask for some, is what is known; None where nothing is."""
        return None

    def chance(self, known: Known, texts: Sequence[str], study: OutputStudy) -> float:
        """That an answer at random agrees; where each judge is asked for one criterion, on average."""
        found = [
            self.chance_of(known.answer[criterion.id], known.within, criterion, study)
            for criterion in study.questions_asked
            if criterion.id in known.answer
        ]
        answered = sum(found) / len(found) if study.apart and found else prod(found)
        return self.worked_by_chance(known, texts[0], study) * answered

    def worked_by_chance(self, known: Known, text: str, study: OutputStudy) -> float:
        """That work at random is what is known; 1 where nothing is."""
        return 1.0

    def right(self, frozen: Frozen, judgement: Judgement) -> bool | None:
        """Whether an answer is the known one; None where none is known, so that practice is a warm-up."""
        study, shown = output_study(frozen.study), [frozen.text[text] for text in judgement.texts]
        known = known_of(study, shown[0])
        return None if known is None else self.agrees(judgement.answer, known, shown, study)

    def required(self, study: Study) -> int:
        """Right answers to practice without which a judge does not go on."""
        return output_study(study).practice.required

    def feedback(self, study: Study) -> bool:
        """Whether practice has answers that are known."""
        return any(example.gold is not None for example in output_study(study).examples)

    # ------------------------------------------------------------------------------------------ quality control

    def score(self, study: OutputStudy, judgement: Judgement) -> float | None:
        """How good an answer calls the text, as a share of the scale; None where there is no scale."""
        return None

    def rule_excludes(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, str]:
        """By what can be said of judges by their own answers: attention checks and speed, on scales also copies."""
        control.require_rule(output_study(frozen.study))
        return self._control(frozen).excluded(judgements)

    def record(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, tuple[int, int]]:
        """Attention checks met, and damaged copies rated below their originals."""
        return self._control(frozen).record(judgements)

    def fails(self, frozen: Frozen, own: Sequence[Judgement]) -> str:
        """By the judge's own answers alone, where codes follow the rule."""
        if not control.rule_of(output_study(frozen.study)).codes:
            return ""
        return next(iter(self._control(frozen).excluded(own).values()), "")

    def _control(self, frozen: Frozen) -> control.Control:
        study = output_study(frozen.study)
        return control.Control(frozen, study, self.agrees, partial(self.score, study))

    # ------------------------------------------------------------------------------------------------ analysis

    def analyse_folder(self, folder: str | Path, **options: Any) -> OutputResult:
        """By the analysis of the protocol's folder."""
        from nlgauge.study.protocols.outputs.analysis.reading import folder_by

        return folder_by(part_of(self.name, "analysis"), folder, **options)

    def analyse_service(self, service: Service, **options: Any) -> OutputResult:
        """By the same."""
        from nlgauge.study.protocols.outputs.analysis.reading import service_by

        return service_by(part_of(self.name, "analysis"), service, **options)

    # ---------------------------------------------------------------------------------------------- simulation

    def plain(self, found: Mapping[str, Any]) -> str:
        """A number for each system, and each criterion where there are several."""
        by = found[self.figures]
        if not any(isinstance(value, Mapping) for value in by.values()):
            by = {self.figures: by}
        return "; ".join(
            f"{criterion} "
            + ", ".join(f"{system} {value:.2f}" for system, value in values.items() if value is not None)
            for criterion, values in by.items()
        )

    def table(self, panels: Mapping[str, Mapping[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
        """A row for each panel and criterion, a column for each system."""
        rows: list[Sequence[str]] = [
            (
                name,
                f"{found['answers']:,}",
                f"{found['surplus']:,}",
                criterion,
                *("-" if figure is None else f"{figure:.2f}" for figure in by.values()),
            )
            for name, found in panels.items()
            for criterion, by in found[self.figures].items()
        ]
        systems = dict.fromkeys(
            system for found in panels.values() for by in found[self.figures].values() for system in by
        )
        return ("panel", "answers", "surplus", "criterion", *systems), rows


def output_protocol(study: Study) -> OutputProtocol:
    """The protocol of a study of outputs."""
    found = protocol_of(study.protocol)
    assert isinstance(found, OutputProtocol), f"{study.protocol} is a protocol of outputs"
    return found


def criteria_wordings(study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
    """The questions of a study, and the definitions below them."""
    own = output_study(study)
    for number, one in enumerate(own.questions_asked, start=1):
        yield from one.asked_at(f"criteria.{number}")
        yield f"criteria.{number}.definition", own.explanation(one)


def unknown_wordings(study: OutputStudy) -> tuple[str, ...]:
    """The questions that nobody knows, of a study that was run elsewhere."""
    return tuple(criterion.id for criterion in study.questions_asked if not any(criterion.question.values()))


def summed(counted: Sequence[Judgement], surplus: int, **figures: Any) -> dict[str, Any]:
    """How many completed evaluations there are, by how many judges, and what they say."""
    return {
        "answers": len(counted),
        "surplus": surplus,
        "judges": len({judgement.judge for judgement in counted}),
        **figures,
    }


def answers_to(
    asked: Sequence[Question], answer: Any, each: str, asks: str = "the study"
) -> Iterator[tuple[Question, Any]]:
    """Every question with what was given for it; refused where the answer is no answer to these questions."""
    if not isinstance(answer, Mapping):
        raise Refused("invalid", f"an answer is an object with {each} for each criterion")
    unknown = [name for name in answer if name not in {criterion.id for criterion in asked}]
    if unknown:
        raise Refused("invalid", f"{asks} asks nothing called {unknown[0]!r}")
    for criterion in asked:
        given = answer.get(criterion.id)
        if given is None:
            raise Refused("invalid", f"{criterion.id} has not been answered")
        yield criterion, given


def means(given: Mapping[str, Mapping[str, Sequence[float]]]) -> Figures:
    """The mean of each system for each criterion."""
    return {criterion: {name: mean(values) for name, values in by.items()} for criterion, by in given.items()}


def mean(values: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else None
