"""Magnitude estimation for the engine. An answer is an object: for each criterion, by its id, a number above 0, or of
rankme a list of numbers in the order of the screen.

Numbers are stored as given: logarithms, units and reverse keys belong to the analysis.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import counted
from nlgauge.io.exported import CANNOT
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, accepted, told_of
from nlgauge.study.protocols.magnitudes.answers import NUMBER, number, ranks
from nlgauge.study.protocols.magnitudes.contradictions import contradictions
from nlgauge.study.protocols.magnitudes.file import MagnitudeStudy, RankmeStudy, estimation_study
from nlgauge.study.protocols.magnitudes.simulation import OPTIONS, Estimators
from nlgauge.study.protocols.outputs.abstaining import judged, taken, told_value
from nlgauge.study.protocols.outputs.criteria import UNKNOWN, Worded
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.parts import asked_about
from nlgauge.study.protocols.outputs.practice import laid_out, laid_out_beside
from nlgauge.study.protocols.outputs.protocol import OutputProtocol, answers_to, summed, unknown_wordings
from nlgauge.study.protocols.ratings.scoring import near
from nlgauge.study.refusals import Refused
from nlgauge.wording.numbers import ratio

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.service import Service


class Estimation(ABC):
    """How much?"""

    name: str
    declinable = True
    instructions: ClassVar[str] = "magnitudes.instructions.{}"
    machines = samples = True
    columns: ClassVar[tuple[str, ...]] = (*Protocol.columns, "standard", "place", "per_screen", "rank")
    figures = "ratios"
    called: ClassVar[str]  # what a study of the protocol is called

    # ------------------------------------------------------------------------- what differs within the family

    @abstractmethod
    def take(self, answer: Any, texts: int) -> Any:
        """The answer for one criterion in its stored form, or `Refused`."""

    @abstractmethod
    def numbers(self, answer: Any) -> list[NUMBER]:
        """The numbers of an answer for one criterion, in the order of the screen."""

    # ------------------------------------------------------------------------------------------- the study file

    def describe(self, study: Study) -> str:
        """What is estimated for what."""
        own = estimation_study(study)
        names = ", ".join(criterion.id for criterion in own.questions_asked)
        by = "a standard" if own.standard is not None else "each judge's own unit"
        return f"{self.called} of {counted(len(own.authors), 'system')} for {names} by {by}; {own.plan.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(estimation_study(study))

    # ------------------------------------------------------------------------------------------------- answers

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """A number above 0 for each criterion and text, in their order, or that it cannot be judged."""
        own = estimation_study(study)
        asked = [one for _, one in asked_about(shown[0], own)]

        def take(one: Worded, given: Any) -> Any:
            try:
                return self.take(given, len(shown))
            except Refused as refused:
                raise Refused(refused.code, f"{one.id}: {refused}") from None

        return taken(answers_to(asked, answer, "what was given", "this page"), own.abstainable, take)

    def fault(self, judgement: Judgement) -> str:
        """Texts, a role, numbers."""
        given = judgement.answer
        if isinstance(given, Mapping) and given and judgement.role in ROLES.values():
            try:
                for part in judged(judgement).answer.values():
                    self.take(part, len(judgement.texts))
            except Refused as refused:
                return f"the answer is none of the protocol {self.name}: {refused}"
            return ""
        return f"role and answer do not describe numbers of the protocol {self.name}"

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row for each criterion and text, with the value of the standard and the rank on the screen, 1 the best."""
        study = estimation_study(frozen.study)
        texts = [frozen.text[name] for name in judgement.texts]
        unknown = set(unknown_wordings(study))
        reverse = {criterion.id for criterion in study.questions_asked if criterion.reverse}
        for criterion, given in judgement.answer.items():
            cannot = given == CANNOT
            values = [] if cannot else self.numbers(given)
            order = ranks([-value for value in values] if criterion in reverse else values)
            told = [(CANNOT, None)] * len(texts) if cannot else zip(values, order, strict=True)
            for place, (text, (value, rank)) in enumerate(zip(texts, told, strict=True), start=1):
                yield {
                    "item": text.item,
                    "system": text.subject,
                    "criterion": criterion,
                    **told_value(value),
                    "standard": None if study.standard is None else study.standard.value,
                    "place": place,
                    "per_screen": len(texts),
                    "rank": rank if len(texts) > 1 else None,
                    **told_of(judgement),
                    **({"warning": UNKNOWN} if criterion in unknown else {}),
                }

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each output: the logarithms of its numbers."""
        from nlgauge.study.protocols.magnitudes.analysis import sorted_out
        from nlgauge.study.protocols.ratings.judged import judged_set

        study = estimation_study(service.study)
        return judged_set(service, sorted_out(service.frozen, study, service.judgements()))

    # ---------------------------------------------------------------------------------------------- simulation

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Six seconds for each number."""
        return 6.0 * len(shown) * len(asked_about(shown[0], estimation_study(study)))

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """A difference of logarithms, in standard deviations."""
        from nlgauge.study.checks.foresight import in_deviations

        return in_deviations(frozen, panel, slots)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who give numbers in proportion to what they see."""
        return Estimators(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the geometric mean of each system's numbers over that of all for each criterion."""
        study = estimation_study(frozen.study)
        logs: dict[str, dict[str, list[float]]] = {
            asked.id: {name: [] for name in study.subjects} for asked in study.questions_asked
        }
        for judgement in counted:
            systems = [frozen.text[name].subject for name in judgement.texts]
            for criterion, given in () if judgement.role else judged(judgement).answer.items():
                for system, value in zip(systems, self.numbers(given), strict=True):
                    logs[criterion][system].append(math.log(value))
        return summed(counted, surplus, ratios={criterion: _ratios(by) for criterion, by in logs.items()})

    def remark(self, crowd: Crowd) -> str:
        """What the figures are, and what the judges were like."""
        told = crowd.to_dict()
        return (
            "Figures are geometric means of a system's numbers over that of all systems. In natural logarithms, judges "
            f"differed by {told['judge_sd']:g}, items by {told['item_sd']:g}, and single answers by {told['noise']:g} "
            "(standard deviations)."
        )


def _ratios(logs: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    means = {name: sum(values) / len(values) for name, values in logs.items() if values}
    middle = sum(means.values()) / len(means) if means else 0.0
    return {name: ratio(means[name] - middle) if name in means else None for name in logs}


class Magnitude(Estimation, OutputProtocol):
    """One text: a number."""

    study = MagnitudeStudy
    called = "magnitude estimation"
    unpractised = "there is no practice: the first text of each judge counts, before they have found a unit"

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of every system, practice, and the design's sheets for every panel."""
        return laid_out(estimation_study(study), folder)

    def take(self, answer: Any, texts: int) -> NUMBER:
        """A number above 0."""
        found = number(answer)
        if found is None or texts != 1:
            raise Refused("invalid", f"the answer {answer!r} is no number above 0")
        return found

    def numbers(self, answer: Any) -> list[NUMBER]:
        """The number."""
        return [answer]

    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """A number near enough to the one asked for."""
        return near(given, wanted, within)

    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """None: any number may be given."""
        return 0.0


class Rankme(Estimation, OutputProtocol):
    """Several texts: a number for each."""

    unordered = "rankme asks each judge for one of the criteria"
    study = RankmeStudy
    called = "RankME (relative magnitude estimation)"
    unpractised = "there is no practice: the first screen of each judge counts"

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of every system, practice, and the design's sheets for every panel."""
        return laid_out_beside(estimation_study(study), folder, self.contradictions)

    def take(self, answer: Any, texts: int) -> list[NUMBER]:
        """A number above 0 for each text."""
        if not isinstance(answer, list | tuple) or len(answer) != texts or texts < 2:
            raise Refused("invalid", f"an answer has a number for each of the {texts} texts")
        found = [number(part) for part in answer]
        wrong = next((given for given, one in zip(answer, found, strict=True) if one is None), None)
        if None in found:
            raise Refused("invalid", f"the answer {wrong!r} is no number above 0")
        return [value for value in found if value is not None]

    def numbers(self, answer: Any) -> list[NUMBER]:
        """The numbers."""
        return list(answer)

    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """Whether the text at a place, from 1, was given the best number, alone."""
        best = min(given) if asked.reverse else max(given)
        return bool(given[int(wanted) - 1] == best and given.count(best) == 1)

    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """One text of those on the screen."""
        return 1 / estimation_study(study).per_screen


FAMILY: Mapping[str, type[OutputProtocol]] = {"magnitude": Magnitude, "rankme": Rankme}
