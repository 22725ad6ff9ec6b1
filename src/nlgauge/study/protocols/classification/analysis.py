"""The analysis of a classification: accuracy against chance, confusion, d′, and agreement on the class.

Right and wrong answers go the way of yes-or-no ratings (`ratings.analysis`): shares and mixed models by system, panels,
machines beside people, exclusions. Agreement is on the class that was answered, right or wrong. Where the true class
of no output is known, of each class the share that it was answered takes the place of accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from nlgauge.errors import InputError, option
from nlgauge.jsonable import Jsonable
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.classification.answers import Answers, Group, sort_out
from nlgauge.study.protocols.outputs.analysis import Options, Wanted
from nlgauge.study.protocols.outputs.analysis.agreeing import CHANCE, Agreeing, agreeing_on
from nlgauge.study.protocols.outputs.analysis.variants import ALL as ALL_JUDGES
from nlgauge.study.protocols.outputs.analysis.variants import CAREFUL, KEPT, Beside
from nlgauge.study.protocols.ratings.analysis import analysed
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import Criterion

OF_ANSWERS = ("agree little", "unsettled")


@dataclass(frozen=True)
class OfPanel(Jsonable):
    """All outputs, each system's, and each judge's answers."""

    KEYS = "panel, classes = whole.names, groups = parts, by_judge"

    panel: str
    whole: Group
    systems: tuple[Group, ...]  # where there are several
    judges: Mapping[str, Group]

    @property
    def parts(self) -> tuple[Group, ...]:
        """The whole first."""
        return (self.whole, *self.systems)

    @property
    def by_judge(self) -> list[dict[str, Any]]:
        """Each judge's answers, and whether they may be guesses."""
        return [
            {"judge": name} | judged.to_dict() | {"p_chance": judged.p_chance} for name, judged in self.judges.items()
        ]


@dataclass(frozen=True)
class Classified(Jsonable):
    """Every panel's answers."""

    KEYS = "classification = panels"

    panels: tuple[OfPanel, ...]


def analyse(frozen: Frozen, judgements: Sequence[Judgement], **options: Unpack[Wanted]) -> RatingResult:
    """Analyse a classification, as `Options` say."""
    wanted = Options(**options)
    if wanted.unit:
        raise InputError(f"{option('unit', flag='rescale')} is for ratings; right answers are shares already")
    everybody = wanted.looked_at(
        lambda panel: sort_out(frozen, judgements, panel=panel, seed=wanted.seed), lambda answers: answers.rated
    )
    found = analysed(frozen, judgements, everybody.rated, wanted)
    answers = everybody.without(found.excluded)
    panels = tuple(_panel(answers, judging.panel) for judging in found.judging)
    failed = {judging.panel: judging.failed for judging in found.judging}
    agreed = {of_panel.panel: _agreed(of_panel.whole) for of_panel in panels}
    return replace(
        found,
        ratings=tuple(replace(rating, agreeing=agreed[rating.panel]) for rating in found.ratings),
        machines=tuple(
            replace(
                machine,
                alpha_people=_alpha(answers.group(machine.people)),
                alpha_both=_alpha(answers.group(machine.people, machine.machine)),
            )
            for machine in found.machines
        ),
        beside=tuple(_beside(beside, everybody, answers, failed[beside.panel]) for beside in found.beside),
        # alpha of right and wrong answers is not that of classes
        notes=tuple(told for told in found.notes if told.kind not in OF_ANSWERS),
        own=Classified(panels),
    )


def _panel(answers: Answers, panel: str) -> OfPanel:
    whole = answers.group(panel)
    seen = {row.system for row in whole.rows}
    systems = [name for name in answers.rated.systems if name in seen]
    return OfPanel(
        panel,
        whole,
        tuple(answers.group(panel, system=name) for name in systems) if len(systems) > 1 else (),
        {name: whole.of(name) for name in sorted(whole.judges)},
    )


def _agreed(group: Group) -> Agreeing:
    """All coefficients of agreement on the class, without a diagnosis: classes have no order to look into."""
    units, judges, table = group.table()
    values = [float(place) for place in range(1, len(group.names) + 1)]
    return agreeing_on(
        units=units,
        judges=judges,
        table=table,
        scale="nominal",
        keys=CHANCE,
        name="class",
        values=values,
        what="classes",
        suspects="none",
    )


def _beside(beside: Beside[Criterion], everybody: Answers, kept: Answers, failed: Sequence[str]) -> Beside[Criterion]:
    """With the agreement on classes in place of that on right and wrong."""
    judges = {ALL_JUDGES: everybody, KEPT: kept, CAREFUL: kept.without(failed)}
    alphas = {name: _alpha(answers.group(beside.panel)) for name, answers in judges.items()}
    variants = (replace(each, alpha=alphas.get(each.name, math.nan)) for each in beside.variants)
    return replace(beside, variants=tuple(variants))


def _alpha(group: Group) -> float:
    found = group.alpha
    return math.nan if found is None else found.estimate
