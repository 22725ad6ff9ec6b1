"""Single-text ratings for the engine. An answer is an object: a number for each criterion, by its id, as it was given.

Reverse-keyed answers are stored as given; turning them round belongs to the analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, Seen, accepted, told_of
from nlgauge.study.protocols.outputs import control
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.study.protocols.outputs.layout import ROLES, later_slots, screens
from nlgauge.study.protocols.outputs.parts import asked_about, seen_before
from nlgauge.study.protocols.ratings.contradictions import contradictions
from nlgauge.study.protocols.ratings.criteria import NUMBER
from nlgauge.study.protocols.ratings.file import TextRatingStudy, rating_study
from nlgauge.study.protocols.ratings.layout import laid_out
from nlgauge.study.protocols.ratings.scoring import meets, score
from nlgauge.study.protocols.ratings.simulation import OPTIONS, Raters
from nlgauge.study.refusals import Refused
from nlgauge.study.types import Judgement, Slot, Text

if TYPE_CHECKING:
    from nlgauge.study.design import Study
    from nlgauge.study.findings import Finding
    from nlgauge.study.frozen import Frozen
    from nlgauge.study.template import Made


class Ratings(Protocol):
    """How good is this text?"""

    study: ClassVar[type[Study]] = TextRatingStudy
    statement = "nlgauge.study.protocols.ratings.statement"
    analysis = "nlgauge.study.protocols.ratings.analysis.reading"
    machines = samples = True
    unpractised = "there is no practice: the first text of each judge counts"

    def describe(self, study: Study) -> str:
        """What is rated for what."""
        own = rating_study(study)
        names = ", ".join(one.id for one in own.questions_asked)
        return f"{own.protocol} ratings of {len(own.authors)} systems for {names}; {own.design.kind} design"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(rating_study(study))

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, labels of scales, headings of what is shown."""
        own = rating_study(study)
        for number, one in enumerate(own.questions_asked, start=1):
            yield f"criteria.{number}.question", one.question
            for place, words in enumerate(one.scale.labels, start=1):
                yield f"criteria.{number}.scale.labels.{place}", words
        for number, show in enumerate(own.show, start=1):
            yield f"show.{number}.label", show.label

    def practises(self, study: Study) -> bool:
        """Whether there are texts to warm up with."""
        practice = rating_study(study).practice
        return bool(practice.texts or practice.examples)

    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """Texts, criteria, balance, a simulated run."""
        from nlgauge.study.protocols.ratings.check import check_design

        yield from check_design(frozen, lines, simulate=simulate)

    def new(self, folder: str | Path, data: str | Path, options: Mapping[str, Any]) -> Made:
        """Every system of a data set, the criteria of its task."""
        from nlgauge.study.protocols.outputs.template import Wish
        from nlgauge.study.protocols.ratings.template import new

        known = ("judges", "systems", "languages", "access", "title", "seed", "task", "criteria")
        return new(folder, data, self.name, Wish(**accepted(options, known, self.name)))

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of every system, practice, and the design's sheets for every panel."""
        return laid_out(rating_study(study), folder)

    def more(
        self, frozen: Frozen, panel: str, count: int, *, each: int, before: Sequence[Slot]
    ) -> list[Slot]:
        """The sheets that follow."""
        study = rating_study(frozen.study)
        return later_slots(study, frozen.served, panel, count, each=each, before=len(before))

    def screens(self, slots: Sequence[Slot]) -> list[Slot]:
        """Each screen that counts, once."""
        return screens(slots)

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """The first by number; of what others left, first what this judge has not read yet."""
        had = {text for slot, _ in seen for text in frozen.shown_in.get(slot, ())}
        study = rating_study(frozen.study)
        return min(
            slots,
            key=lambda slot: (not slot.triad and seen_before(frozen, study, slot, had), slot.number),
        )

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, NUMBER]:
        """A number on its scale for each criterion, in their order."""
        own = rating_study(study)
        asked = [own.questions_asked[number] for number, _ in asked_about(shown[0], own)]
        if not isinstance(answer, Mapping):
            raise Refused("invalid", "an answer is an object with a number for each criterion")
        unknown = [name for name in answer if name not in {one.id for one in asked}]
        if unknown:
            raise Refused("invalid", f"the study asks nothing called {unknown[0]!r}")
        found: dict[str, NUMBER] = {}
        for one in asked:
            value = answer.get(one.id)
            if value is None:
                raise Refused("invalid", f"{one.id} has not been answered")
            number = isinstance(value, int | float) and not isinstance(value, bool)
            place = one.scale.place(value) if number else None
            if place is None:
                raise Refused(
                    "invalid", f"the answer {value!r} to {one.id} is not on its scale ({one.scale})"
                )
            found[one.id] = place
        return found

    def check_measure(self, answer: Any, shown: Sequence[Text], study: Study) -> dict[str, float]:
        """A number for each criterion, on the measure's own scale; what is better is higher."""
        asked = [one.id for one in rating_study(study).questions_asked]
        fits = isinstance(answer, Mapping) and list(answer) == asked
        if not fits or not all(
            isinstance(value, int | float) and isfinite(value) for value in answer.values()
        ):
            raise Refused("invalid", "a measure gives a finite number for each criterion")
        return {name: float(value) for name, value in answer.items()}

    def fault(self, judgement: Judgement) -> str:
        """One text, a role, numbers."""
        answer = judgement.answer
        numbers = isinstance(answer, Mapping) and all(
            isinstance(value, int | float) and not isinstance(value, bool) for value in answer.values()
        )
        if numbers and answer and len(judgement.texts) == 1 and judgement.triad in ROLES.values():
            return ""
        return "texts, triad (the role) and answer do not describe the rating of one text"

    def long(self, judgement: Judgement, frozen: Frozen) -> Iterable[dict[str, Any]]:
        """A row for each criterion."""
        (text,) = (frozen.text[name] for name in judgement.texts)
        unknown = set(self.unknown_wordings(frozen.study))
        for criterion, value in judgement.answer.items():
            yield {
                "item": text.item,
                "system": text.subject,
                "criterion": criterion,
                "value": value,
                **told_of(judgement),
                **({"warning": UNKNOWN} if criterion in unknown else {}),
            }

    def unknown_wordings(self, study: Study) -> tuple[str, ...]:
        """Of a study that was run elsewhere the questions need not be known."""
        return tuple(one.id for one in rating_study(study).questions_asked if not any(one.question.values()))

    def rule_excludes(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, str]:
        """By all checks of the analysis, those against the other judges among them."""
        from nlgauge.study.protocols.ratings.analysis.judges import failing

        rule = control.require_rule(rating_study(frozen.study))
        return control.excluded_by(rule, failing(frozen, judgements, rule.exclude))

    def fails(self, frozen: Frozen, own: Sequence[Judgement]) -> str:
        """By the judge's own answers alone, where codes follow the rule."""
        study = rating_study(frozen.study)
        rule = control.rule_of(study)
        if not rule.codes:
            return ""
        checks = control.own_checks(frozen, study, own, meets, partial(score, study))
        return next(iter(control.excluded_by(rule, control.failed_kinds(checks)).values()), "")

    again = True

    def disagreements(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, float]:
        """The widest gap on any question."""
        if not self.again:
            return super().disagreements(frozen, judgements)
        if len(rating_study(frozen.study).parts) > 1:
            raise InputError(
                "this study asks something before something else is shown, and an answer must not be changed "
                "afterwards; it cannot be discussed"
            )
        from nlgauge.study.protocols.ratings.analysis.rounds import disagreements

        return disagreements(frozen, judgements)

    def record(self, frozen: Frozen, judgements: Sequence[Judgement]) -> Mapping[str, tuple[int, int]]:
        """Attention checks, and damaged copies rated below their originals."""
        study = rating_study(frozen.study)
        return control.record(frozen, study, judgements, meets, partial(score, study))

    def with_and_without(
        self, frozen: Frozen, judgements: Sequence[Judgement], excluded: Mapping[str, str]
    ) -> str:
        """Plain means."""
        from nlgauge.study.protocols.ratings.analysis.variants import plain_means

        return plain_means(frozen, judgements, excluded)

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Raters with a bias, items that differ, noise."""
        return Raters(**accepted(options, OPTIONS, self.name))

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, and the mean of each system for each criterion, as answered."""
        study = rating_study(frozen.study)
        given: dict[str, dict[str, list[float]]] = {
            one.id: {name: [] for name in study.subjects} for one in study.questions_asked
        }
        for one in counted:
            if not one.triad:
                for criterion, value in one.answer.items():
                    given[criterion][frozen.text[one.texts[0]].subject].append(value)
        means = {
            criterion: {name: sum(values) / len(values) if values else None for name, values in by.items()}
            for criterion, by in given.items()
        }
        return {
            "answers": len(counted),
            "surplus": surplus,
            "judges": len({one.judge for one in counted}),
            "means": means,
        }

    def table(self, panels: Mapping[str, Mapping[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
        """A row for each panel and criterion, a column for each system."""
        rows: list[Sequence[str]] = [
            (
                name,
                f"{found['answers']:,}",
                f"{found['surplus']:,}",
                criterion,
                *("-" if mean is None else f"{mean:.2f}" for mean in means.values()),
            )
            for name, found in panels.items()
            for criterion, means in found["means"].items()
        ]
        systems = list(
            dict.fromkeys(
                system for found in panels.values() for by in found["means"].values() for system in by
            )
        )
        return ("panel", "answers", "surplus", "criterion", *systems), rows

    def remark(self, crowd: Crowd) -> str:
        """What they were like."""
        told = crowd.to_dict()
        return (
            f"In shares of the scale, judges differed by {told['judge_sd']:g}, items by {told['item_sd']:g}, and "
            f"single answers by {told['noise']:g} (standard deviations)."
        )
