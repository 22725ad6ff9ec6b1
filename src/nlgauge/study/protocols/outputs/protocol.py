"""What the engine asks of every study of outputs alike; each protocol adds what is asked and how it is answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from nlgauge.study.protocols import home
from nlgauge.study.protocols.base import Protocol, Seen, accepted
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.outputs.layout import later_slots, screens
from nlgauge.study.protocols.outputs.parts import seen_before
from nlgauge.study.refusals import Refused
from nlgauge.study.types import Judgement, Slot

if TYPE_CHECKING:
    from nlgauge.study.design import Study
    from nlgauge.study.findings import Finding
    from nlgauge.study.frozen import Frozen
    from nlgauge.study.template import Made

Question = TypeVar("Question", bound=Worded)
Figures = Mapping[str, Mapping[str, float | None]]
"""By criterion and system; None where there is no answer."""


class OutputProtocol(Protocol):
    """Judges of what systems wrote."""

    chosen: ClassVar[tuple[str, ...]] = (
        *(
            "judges",
            "systems",
            "languages",
            "access",
            "title",
            "seed",
            "task",
            "criteria",
            "design",
            "columns",
        ),
    )  # the options of `study new`
    figures: ClassVar[str]  # what the summary of a simulation calls its figures

    # ------------------------------------------------------------------------------------------- the study file

    def wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """What is asked and how it is answered, headings of what is shown."""
        yield from self.asked_wordings(study)
        for number, show in enumerate(output_study(study).show, start=1):
            yield f"show.{number}.label", show.label

    def asked_wordings(self, study: Study) -> Iterator[tuple[str, Mapping[str, str] | None]]:
        """Questions, and the definitions below them."""
        own = output_study(study)
        for number, one in enumerate(own.questions_asked, start=1):
            yield from one.asked_at(f"criteria.{number}")
            yield f"criteria.{number}.definition", own.explanation(one)

    def practises(self, study: Study) -> bool:
        """Whether there is something to warm up with."""
        practice = output_study(study).practice
        return bool(practice.texts or practice.examples)

    def check(
        self, frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool
    ) -> Iterator[Finding]:
        """What the protocol's own module says of texts and design."""
        yield from self._part("check").check_design(frozen, lines, simulate=simulate)

    def new(self, folder: str | Path, data: str | Path, options: Mapping[str, Any]) -> Made:
        """What the protocol's own module chooses for a data set."""
        from nlgauge.study.protocols.outputs.template import Wish

        wish = Wish(protocol=self.name, **accepted(options, self.chosen, self.name))
        made: Made = self._part("template").new(folder, data, wish)
        return made

    def _part(self, name: str) -> Any:
        """A module of the protocol that only some commands need."""
        return import_module(f"nlgauge.study.protocols.{home(self.name)}.{name}")

    # --------------------------------------------------------------------------------------- launch and dealing

    def more(
        self, frozen: Frozen, panel: str, count: int, *, each: int, before: Sequence[Slot]
    ) -> list[Slot]:
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
            key=lambda slot: (not slot.triad and seen_before(frozen, study, slot, had), slot.number),
        )

    # ------------------------------------------------------------------------------------------------- answers

    def unknown_wordings(self, study: Study) -> tuple[str, ...]:
        """Of a study that was run elsewhere the questions need not be known."""
        return tuple(one.id for one in output_study(study).questions_asked if not any(one.question.values()))

    # ---------------------------------------------------------------------------------------------- simulation

    def summed(self, counted: Sequence[Judgement], surplus: int, figures: Any) -> dict[str, Any]:
        """How many completed evaluations there are, by how many judges, and what they say."""
        judges = len({one.judge for one in counted})
        return {"answers": len(counted), "surplus": surplus, "judges": judges, self.figures: figures}

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


def answers_to(
    asked: Sequence[Question], answer: Any, each: str, asks: str = "the study"
) -> Iterator[tuple[Question, Any]]:
    """Every question with what was given for it; refused where the answer is no answer to these questions."""
    if not isinstance(answer, Mapping):
        raise Refused("invalid", f"an answer is an object with {each} for each criterion")
    unknown = [name for name in answer if name not in {one.id for one in asked}]
    if unknown:
        raise Refused("invalid", f"{asks} asks nothing called {unknown[0]!r}")
    for one in asked:
        given = answer.get(one.id)
        if given is None:
            raise Refused("invalid", f"{one.id} has not been answered")
        yield one, given


def means(given: Mapping[str, Mapping[str, Sequence[float]]]) -> Figures:
    """The mean of each system for each criterion."""
    return {criterion: {name: mean(values) for name, values in by.items()} for criterion, by in given.items()}


def mean(values: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else None
