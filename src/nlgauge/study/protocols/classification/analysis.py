"""The analysis of a classification: accuracy against chance, confusion, d′, and agreement on the class.

Right and wrong answers go the way of yes-or-no ratings (`ratings.analysis`): shares and mixed models by system, panels,
machines beside people, exclusions. Agreement is on the class that was answered, right or wrong. Where the true class
of no output is known, of each class the share that it was answered takes the place of accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.agreement import Coefficient
from nlgauge.stats.classified import Sensitivity
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import binomial_test
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.classification.answers import Answers, Group, sort_out
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.agreeing import CHANCE, Agreeing, agreeing_on
from nlgauge.study.protocols.outputs.analysis.variants import ALL as ALL_JUDGES
from nlgauge.study.protocols.outputs.analysis.variants import CAREFUL, KEPT, Beside, out_of
from nlgauge.study.protocols.ratings.analysis import analysed
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import Criterion

ALL = "all"
OF_ANSWERS = ("agree little", "unsettled")


@dataclass(frozen=True)
class Found(Jsonable):
    """What the answers of a group say, computed once."""

    KEYS = (
        "system = called, answers = len(group.rows), outputs = group.outputs, judges = len(group.judges), "
        "accuracy = known_accuracy, chance, p_guessing = p, d_prime = sensitivity.d_prime, "
        "criterion = sensitivity.criterion, alpha, confusion = group.confusion, by_class"
    )

    group: Group
    names: Sequence[str]
    seed: int

    @property
    def called(self) -> str:
        """The system."""
        return self.group.system or ALL

    @cached_property
    def accuracy(self) -> Estimate:
        """Of the answers about outputs whose class is known."""
        return self.group.accuracy

    @cached_property
    def p(self) -> float:
        """That answers have nothing to do with the truth."""
        return self.group.guessing(self.seed)

    @cached_property
    def alpha(self) -> Coefficient | None:
        """Agreement on the class."""
        return self.group.alpha

    @property
    def chance(self) -> float:
        """Right by guessing."""
        return 1 / len(self.names)

    @cached_property
    def sensitivity(self) -> Sensitivity | None:
        """How well two classes are told apart."""
        return self.group.sensitivity(self.seed)

    @property
    def known_accuracy(self) -> Estimate | None:
        """None where no class is known."""
        return self.accuracy if self.group.known else None

    @property
    def by_class(self) -> list[dict[str, Any]]:
        """Recall and precision, where classes are known."""
        return [
            {"class": name, "recall": self.group.recall(place), "precision": self.group.precision(place)}
            for place, name in enumerate(self.names)
            if self.group.known
        ]


@dataclass(frozen=True)
class OfPanel(Jsonable):
    """All outputs, each system's, and each judge's answers."""

    KEYS = "panel, classes = whole.names, groups = parts, by_judge"

    panel: str
    whole: Found
    systems: tuple[Found, ...]  # where there are several
    judges: Mapping[str, Found]

    @property
    def parts(self) -> tuple[Found, ...]:
        """The whole first."""
        return (self.whole, *self.systems)

    @property
    def by_judge(self) -> list[dict[str, Any]]:
        """Each judge's answers, and whether they may be guesses."""
        return [
            {"judge": name} | judged.to_dict() | {"p_chance": chance_of(judged)} for name, judged in self.judges.items()
        ]


@dataclass(frozen=True)
class Classified(Jsonable):
    """Every panel's answers."""

    KEYS = "classification = panels"

    panels: tuple[OfPanel, ...]


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    closed: bool = False,
    unit: bool = False,
    panel: str | None = None,
    seed: int = 12345,
    remarks: Sequence[str] = (),
    excluded: Mapping[str, str] | None = None,
) -> RatingResult:
    """Analyse a classification; refused before the planned answers are there, unless the study was closed.

    Judges in `excluded` (with reasons) are left out of everything but the checks, and the shares with them stand
    beside.
    """
    if unit:
        raise InputError("--rescale is for ratings; right answers are shares already")
    whole = sort_out(frozen, judgements)
    if not closed and panel not in whole.rated.machines:
        refuse_peeking(whole.rated)
    everybody = whole if panel is None else sort_out(frozen, judgements, panel=panel)
    found = analysed(
        frozen,
        judgements,
        everybody.rated,
        closed=closed,
        seed=seed,
        remarks=remarks,
        excluded=excluded,
    )
    answers = everybody.without(out_of(everybody.rated.judges, excluded))
    panels = tuple(_panel(answers, judging.panel, seed) for judging in found.judging)
    failed = {judging.panel: judging.failed for judging in found.judging}
    agreed = {of_panel.panel: _agreed(of_panel.whole.group) for of_panel in panels}
    return replace(
        found,
        ratings=tuple(replace(rating, agreeing=agreed[rating.panel]) for rating in found.ratings),
        machines=tuple(_machine(machine, answers) for machine in found.machines),
        beside=tuple(_beside(beside, everybody, answers, failed[beside.panel]) for beside in found.beside),
        # alpha of right and wrong answers is not that of classes
        notes=tuple(told for told in found.notes if told.kind not in OF_ANSWERS),
        own=Classified(panels),
    )


def _panel(answers: Answers, panel: str, seed: int) -> OfPanel:
    names, whole = answers.study.names, answers.group(panel)
    seen = {row.system for row in whole.rows}
    systems = [name for name in answers.rated.systems if name in seen]
    return OfPanel(
        panel,
        Found(whole, names, seed),
        tuple(Found(answers.group(panel, system=name), names, seed) for name in systems) if len(systems) > 1 else (),
        {name: Found(whole.of(name), names, seed) for name in sorted(whole.judges)},
    )


def _agreed(group: Group) -> Agreeing:
    """All coefficients of agreement on the class, without a diagnosis: classes have no order to look into."""
    units, judges, table = group.table()
    values = [float(place) for place in range(1, group.classes + 1)]
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


def _machine(beside: MachineBeside, answers: Answers) -> MachineBeside:
    """The same for a machine beside people."""
    return replace(
        beside,
        alpha_people=_alpha(answers.group(beside.people)),
        alpha_both=_alpha(answers.group(beside.people, beside.machine)),
    )


def _alpha(group: Group) -> float:
    found = group.alpha
    return math.nan if found is None else found.estimate


def chance_of(judge: Found) -> float | None:
    """The p-value of a judge alone: the exact binomial test of guessing among equally likely classes."""
    n = len(judge.group.known)
    return binomial_test(round(judge.accuracy.estimate * n), n, judge.chance) if n else None
