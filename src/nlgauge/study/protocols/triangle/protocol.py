"""The triangle test for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.study.designs.triangle import assign
from nlgauge.study.freeze.texts import read_texts
from nlgauge.study.model import TRIADS, Judgement, Slot, Text
from nlgauge.study.protocols.base import Crowd, Layout, Place, Protocol, Seen, accepted
from nlgauge.study.protocols.triangle.contradictions import contradictions
from nlgauge.study.protocols.triangle.file import TriangleStudy, triangle_study
from nlgauge.study.protocols.triangle.practice import item_of, practice_of
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.refusals import Refused

if TYPE_CHECKING:
    from nlgauge.study.checks.findings import Finding
    from nlgauge.study.file.study import Study
    from nlgauge.study.file.template import Made
    from nlgauge.study.freeze.frozen import Frozen
    from nlgauge.study.protocols.triangle.analysis.results import StudyResult
    from nlgauge.study.service import Service


class Triangle(Protocol):
    """Which of three texts has another author?"""

    study = TriangleStudy
    kinds = TRIADS
    machines = True
    analysed_by = ("draws",)
    unpractised = "there is no practice: the first triad of each judge counts"
    uninstructed = "there are no instructions; judges must know that two texts have one author and one has another"

    def describe(self, study: Study) -> str:
        """Goal and risks."""
        own = triangle_study(study)
        risks = own.risks
        return f"triangle test of {own.goal}, α = {risks.alpha:g}, β = {risks.beta:g}, p_d = {100 * risks.p_d:g} %"

    def contradictions(self, study: Study) -> Iterator[Place]:
        """What the keys do not allow together."""
        yield from contradictions(triangle_study(study))

    def analyse_folder(
        self,
        folder: str | Path,
        *,
        judgements: str | Path | None = None,
        db: str | None = None,
        closed: bool = False,
        **options: Any,
    ) -> StudyResult:
        """The verdict."""
        from nlgauge.study.protocols.triangle.analysis.reading import analyse_material, read_study

        return analyse_material(read_study(folder, judgements=judgements, db=db, closed=closed), **options)

    def analyse_service(self, service: Service, **options: Any) -> StudyResult:
        """The verdict."""
        from nlgauge.study.protocols.triangle.analysis.reading import analyse_service

        return analyse_service(service, **options)

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """The question, and what is said after practice."""
        own = triangle_study(study)
        yield "question", own.question
        for number, example in enumerate(own.practice.examples, start=1):
            yield f"practice.examples.{number}.explanation", example.explanation

    def practises(self, study: Study) -> bool:
        """Whether there are practice triads."""
        practice = triangle_study(study).practice
        return bool(practice.triads or practice.examples)

    def plan(self, study: Study, lines: Mapping[str, int]) -> Iterator[Finding]:
        """The judges against the risks."""
        from nlgauge.study.protocols.triangle.plan import check_plan

        yield from check_plan(triangle_study(study), lines)

    def review(self, study: Study, lines: Mapping[str, int]) -> Iterator[Finding]:
        """Nothing may say who wrote the texts."""
        from nlgauge.study.protocols.triangle.wordings import review

        yield from review(triangle_study(study), lines)

    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """Texts, give-aways, balance, a simulated run."""
        from nlgauge.study.protocols.triangle.check import check_design

        yield from check_design(frozen, folder, lines, simulate=simulate)

    def new(self, folder: str | Path, data: str | Path, options: Mapping[str, Any]) -> Made:
        """Two authors of a data set."""
        from nlgauge.study.file import template

        known = (
            *("goal", "alpha", "beta", "p_d", "judges", "systems"),
            *("languages", "access", "title", "seed", "columns"),
        )
        return template.new(folder, data, **accepted(options, known, self.name))

    def freeze(self, study: Study, folder: str | Path) -> Layout:
        """The texts of both, practice, and balanced triads for every panel."""
        own = triangle_study(study)
        texts = read_texts(own, folder)
        practice, extra = practice_of(own, texts)
        held = {item for slot in practice for item in (item_of(texts, text) for text in slot.texts) if item}
        serving = [text for text in texts if text.item not in held]
        slots: list[Slot] = []
        for name, panel in own.panels.items():
            each = panel.evaluations
            slots += assign(serving, name, panel.judges * each, per_judge=each, seed=own.seed, inputs=own.inputs)
        return Layout(own, (*texts, *extra), tuple(slots), tuple(practice))

    def more(self, frozen: Frozen, panel: str, count: int, *, each: int, before: Sequence[Slot]) -> list[Slot]:
        """The rest of the last block of six, then whole blocks."""
        own = triangle_study(frozen.study)
        return assign(frozen.served, panel, count, per_judge=each, seed=own.seed, inputs=own.inputs, before=before)

    def block(self, number: int, each: int) -> int:
        """Blocks of six triads."""
        return (number - 1) // len(TRIADS) + 1

    def next_slot(self, frozen: Frozen, slots: Sequence[Any], seen: Sequence[Seen]) -> Any:
        """The slot whose triad the judge has had least often; of several the first."""
        had = Counter(triad for _, triad in seen)
        return min(slots, key=lambda slot: (had[slot.role], slot.number))

    def required(self, study: Study) -> int:
        """Practice triads that must be answered correctly."""
        return triangle_study(study).practice.required

    def feedback(self, study: Study) -> bool:
        """Whether judges are told which was the odd one."""
        return triangle_study(study).practice.feedback

    def check_answer(self, answer: Any, shown: Sequence[Text], study: Study) -> int:
        """A place on the screen."""
        if not _place(answer):
            raise Refused("invalid", "choose one of the three texts")
        found: int = answer
        return found

    def right(self, frozen: Frozen, judgement: Judgement) -> bool:
        """Whether the odd one was chosen."""
        return judgement.correct

    def fault(self, judgement: Judgement) -> str:
        """A triad, three texts, a place."""
        if _place(judgement.answer) and judgement.role in TRIADS and len(judgement.texts) == 3:
            return ""
        return "triad, texts and answer do not describe a choice among three texts"

    def later(self, judgement: Judgement, texts: Mapping[str, Text]) -> bool:
        """Whether the triad is that of its texts."""
        return "".join(texts[name].subject for name in judgement.texts) == judgement.role

    def crowd(self, study: Study, options: Mapping[str, Any]) -> Crowd:
        """Judges who perceive the difference as often as the plan supposes, or never where similarity is planned."""
        own = triangle_study(study)
        known = ("p_d", "dropouts", "speeders", "spread", "seconds")
        given = accepted(options, known, self.name)
        return Pool(**{"p_d": 0.0 if own.goal == "similarity" else own.risks.p_d, **given})

    def summary(self, frozen: Frozen, counted: Sequence[Judgement], surplus: int) -> dict[str, Any]:
        """How many, how many right, how balanced."""
        return {
            "answers": len(counted),
            "correct": sum(judgement.correct for judgement in counted),
            "surplus": surplus,
            "judges": len({judgement.judge for judgement in counted}),
            "triads": {triad: sum(judgement.role == triad for judgement in counted) for triad in TRIADS},
            "positions": [sum(judgement.answer == place for judgement in counted) for place in range(3)],
        }

    def table(self, panels: Mapping[str, Mapping[str, Any]]) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Right answers, and completed evaluations by triad."""
        heads = ("answers", "correct", "surplus")
        rows: list[Sequence[str]] = []
        for name, found in panels.items():
            counts = (*(found[key] for key in heads), *found["triads"].values())
            rows.append((name, *(f"{count:,}" for count in counts)))
        return ("panel", *heads, *TRIADS), rows

    def remark(self, crowd: Crowd) -> str:
        """Who perceived a difference."""
        return f"{100 * crowd.to_dict()['p_d']:g} % of the judges perceived a difference."


def _place(answer: Any) -> bool:
    return isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < 3


FAMILY = {"triangle": Triangle}
