"""Single-text ratings for the engine. An answer is an object: a number for each criterion, by its id, as it was given.

Reverse-keyed answers are stored as given; turning them round belongs to the analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import InputError, counted
from nlgauge.study.model import Judgement, Slot, Text
from nlgauge.study.protocols import part_of
from nlgauge.study.protocols.base import Crowd, Layout, Place, accepted, told_of
from nlgauge.study.protocols.outputs import control
from nlgauge.study.protocols.outputs.abstaining import judged, taken, told_value
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.layout import ROLES
from nlgauge.study.protocols.outputs.parts import asked_about
from nlgauge.study.protocols.outputs.practice import laid_out
from nlgauge.study.protocols.outputs.protocol import (
    OutputProtocol,
    answers_to,
    criteria_wordings,
    means,
    summed,
    unknown_wordings,
)
from nlgauge.study.protocols.ratings.contradictions import contradictions
from nlgauge.study.protocols.ratings.criteria import NUMBER, Asked
from nlgauge.study.protocols.ratings.file import TextRatingStudy, rating_study
from nlgauge.study.protocols.ratings.scoring import near, score, share_near
from nlgauge.study.protocols.ratings.simulation import OPTIONS, Raters
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.protocols.outputs.analysis.results import OutputResult
    from nlgauge.study.service import Service


class OnScales:
    """What all have in common who are asked for a number on a scale, of whatever text."""

    name: str
    machines: ClassVar[bool] = True
    samples: ClassVar[bool] = True
    figures: ClassVar[str] = "means"
    unpractised: ClassVar[str] = "there is no practice: the first text of each judge counts"

    def describe(self, study: Study) -> str:
        """What is rated for what."""
        own = rating_study(study)
        names = ", ".join(asked.id for asked in own.questions_asked)
        return f"{own.protocol} ratings of {counted(len(own.authors), 'system')} for {names}; {own.design.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(rating_study(study))

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, definitions, labels of scales."""
        yield from criteria_wordings(study)
        for number, one in enumerate(rating_study(study).questions_asked, start=1):
            for place, words in enumerate(one.scale.labels, start=1):
                yield f"criteria.{number}.scale.labels.{place}", words

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of every system, practice, and the design's sheets for every panel."""
        return laid_out(rating_study(study), folder)

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, Any]:
        """A number on its scale for each criterion, in their order, or that it cannot be judged."""
        own = rating_study(study)
        asked = [own.questions_asked[number] for number, _ in asked_about(shown[0], own)]
        return taken(answers_to(asked, answer, "a number"), own.abstainable, _on_scale)

    def check_measure(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, float]:
        """A number for each criterion, on the measure's own scale; what is better is higher."""
        asked = [criterion.id for criterion in rating_study(study).questions_asked]
        fits = isinstance(answer, Mapping) and list(answer) == asked
        if not fits or not all(isinstance(value, int | float) and isfinite(value) for value in answer.values()):
            raise Refused("invalid", "a measure gives a finite number for each criterion")
        return {name: float(value) for name, value in answer.items()}

    def fault(self, judgement: Judgement) -> str:
        """One text, a role, numbers."""
        answer = judged(judgement).answer
        numbers = isinstance(answer, Mapping) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in answer.values()
        )
        if numbers and judgement.answer and len(judgement.texts) == 1 and judgement.role in ROLES.values():
            return ""
        return "texts, role and answer do not describe the rating of one text"

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row for each criterion."""
        (text,) = (frozen.text[name] for name in judgement.texts)
        unknown = set(unknown_wordings(rating_study(frozen.study)))
        for criterion, value in judgement.answer.items():
            yield {
                "item": text.item,
                "system": text.subject,
                "criterion": criterion,
                **told_value(value),
                **told_of(judgement),
                **({"warning": UNKNOWN} if criterion in unknown else {}),
            }

    def meets(self, given: Any, wanted: float, within: float, asked: Any) -> bool:
        """A number near enough to the one asked for."""
        return near(given, wanted, within)

    def chance_of(self, wanted: float, within: float, asked: Any, study: Any) -> float:
        """The share of the scale's answers that are."""
        return share_near(asked.scale, wanted, within)

    def score(self, study: OutputStudy, judgement: Judgement) -> float | None:
        """The mean of the screen's answers as shares of their scales."""
        return score(rating_study(study), judgement)

    def answering(self, study: Study, shown: Sequence[Text]) -> float:
        """Five seconds for each question."""
        return 5.0 * len(asked_about(shown[0], rating_study(study)))

    def detects(self, frozen: Frozen, panel: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
        """A difference of means, as a share of the scale."""
        from nlgauge.study.checks.foresight import of_ratings

        share, design = of_ratings(frozen, panel, slots)
        asked = rating_study(frozen.study).questions_asked
        if isnan(share) or not asked:
            return "", {}
        first = asked[0]
        points = share * (first.scale.high - first.scale.low)
        told = (
            f"with {design['items']} items, {counted(design['ratings'], 'rating')} of each output and answers that "
            f"vary as in published studies, a difference of {points:.2g} between two systems ({first.id}, "
            f"{first.scale})"
        )
        return told, {"difference": round(points, 4), "share_of_scale": round(share, 4), **design}

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Raters with a bias, items that differ, noise."""
        return Raters(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the mean of each system for each criterion, as answered."""
        study = rating_study(frozen.study)
        given: dict[str, dict[str, list[float]]] = {
            asked.id: {name: [] for name in study.subjects} for asked in study.questions_asked
        }
        for judgement in counted:
            if not judgement.role:
                for criterion, value in judged(judgement).answer.items():
                    given[criterion][frozen.text[judgement.texts[0]].subject].append(value)
        return summed(counted, surplus, means=means(given))

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        told = crowd.to_dict()
        return (
            f"In shares of the scale, judges differed by {told['judge_sd']:g}, items by {told['item_sd']:g}, and "
            f"single answers by {told['noise']:g} (standard deviations)."
        )


class OfTexts(OnScales):
    """What those have in common who rate single texts: the analysis of ratings, its checks, discussions, rechecks."""

    declinable = True
    study: ClassVar[type[Study]] = TextRatingStudy
    analysed_by: ClassVar[tuple[str, ...]] = ("recheck", "unit")
    again = True

    def judged(self, service: Service) -> list[dict[str, Any]]:
        """A row for each output that was rated."""
        from nlgauge.study.protocols.ratings.analysis.rows import sort_out
        from nlgauge.study.protocols.ratings.judged import judged_set

        return judged_set(service, sort_out(service.frozen, service.judgements()))

    def with_and_without(self, frozen: Frozen, judgements: Sequence[Judgement], excluded: Mapping[str, str]) -> str:
        """Plain means."""
        from nlgauge.study.protocols.ratings.analysis.variants import plain_means

        return plain_means(frozen, judgements, excluded)

    def rule_excludes(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, str]:
        """By all checks of the analysis, those against the other judges among them."""
        from nlgauge.study.protocols.ratings.analysis.judges import failing

        rule = control.require_rule(rating_study(frozen.study))
        return control.excluded_by(rule, failing(frozen, judgements, rule.exclude))

    def analyse_folder(self, folder: str | Path, *, recheck: str | Path | None = None, **options: Any) -> OutputResult:
        """In the study `recheck` experts judged a sample again."""
        from nlgauge.study.protocols.outputs.analysis.reading import folder_by

        if recheck is not None:
            from nlgauge.study.protocols.ratings.analysis.reading import experts_of

            options["experts"] = experts_of(recheck, unit=bool(options.get("unit")))
        return folder_by(part_of(self.name, "analysis"), folder, **options)

    def disagreements(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, float]:
        """The widest gap on any question."""
        if len(rating_study(frozen.study).parts) > 1:
            raise InputError(
                "this study asks something before something else is shown, and an answer must not be changed "
                "afterwards; it cannot be discussed"
            )
        from nlgauge.study.protocols.ratings.analysis.rounds import disagreements

        return disagreements(frozen, judgements)


class Ratings(OfTexts, OutputProtocol):
    """How good is this text?"""


def _on_scale(asked: Asked, value: Any) -> NUMBER:
    """The answer in its plain form."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    place = asked.scale.place(value) if number else None
    if place is None:
        raise Refused("invalid", f"the answer {value!r} to {asked.id} is not on its scale ({asked.scale})")
    return place


FAMILY = dict.fromkeys(("likert", "continuous", "binary"), Ratings)
