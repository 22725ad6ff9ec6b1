"""The analysis of a classification: accuracy against chance, confusion, d′, and agreement on the class.

Right and wrong answers go the way of yes-or-no ratings (`ratings.analysis`): shares and mixed models by system, panels,
machines beside people, exclusions. Agreement is on the class that was answered, right or wrong. Where the true class
of no output is known, of each class the share that it was answered takes the place of accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from nlgauge.errors import InputError
from nlgauge.stats.agreement import Coefficient
from nlgauge.stats.discrimination.wording import exact_chance, percent, plain
from nlgauge.stats.exact import binomial_test
from nlgauge.stats.results import Estimate, nulls
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.classification.answers import Answers, Group, sort_out
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.agreeing import CHANCE, Agreeing, agreeing_on
from nlgauge.study.protocols.outputs.analysis.sentences import agreement
from nlgauge.study.protocols.outputs.analysis.variants import ALL as ALL_JUDGES
from nlgauge.study.protocols.outputs.analysis.variants import CAREFUL, KEPT, Beside, out_of
from nlgauge.study.protocols.ratings.analysis import analysed
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult, Table
from nlgauge.study.protocols.ratings.analysis.rows import Criterion

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class ClassResult(RatingResult):
    """What `study analyse` shows of a classification."""

    HEAD: ClassVar[str] = "Accuracy"
    tables_first: ClassVar[bool] = True


@dataclass(frozen=True)
class Found:
    """What the answers of a group say, computed once."""

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

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        group, seen = self.group, self.group.sensitivity(self.seed)
        return {
            "system": self.called,
            "answers": len(group.rows),
            "outputs": group.outputs,
            "judges": len(group.judges),
            "accuracy": nulls(self.accuracy.to_dict()) if group.known else None,
            "chance": self.chance,
            "p_guessing": None if math.isnan(self.p) else self.p,
            "d_prime": None if seen is None else nulls(seen.d_prime.to_dict()),
            "criterion": None if seen is None or not math.isfinite(seen.criterion) else seen.criterion,
            "alpha": None if self.alpha is None else self.alpha.to_dict(),
            "confusion": group.confusion.tolist(),
            "by_class": [
                {
                    "class": name,
                    "recall": nulls(group.recall(place).to_dict()),
                    "precision": nulls(group.precision(place).to_dict()),
                }
                for place, name in enumerate(self.names)
            ]
            if group.known
            else [],
        }


@dataclass(frozen=True)
class OfPanel:
    """All outputs, each system's, and each judge's answers."""

    panel: str
    whole: Found
    systems: tuple[Found, ...]  # where there are several
    judges: Mapping[str, Found]

    @property
    def parts(self) -> tuple[Found, ...]:
        """The whole first."""
        return (self.whole, *self.systems)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panel": self.panel,
            "classes": list(self.whole.names),
            "groups": [part.to_dict() for part in self.parts],
            "by_judge": [
                {"judge": name} | judged.to_dict() | {"p_chance": _p_of(judged)} for name, judged in self.judges.items()
            ],
        }


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
    several = len(panels) > 1
    failed = {judging.panel: judging.failed for judging in found.judging}
    agreed = {of_panel.panel: _agreed(of_panel.whole.group) for of_panel in panels}
    ratings = tuple(replace(rating, agreeing=agreed[rating.panel]) for rating in found.ratings)
    machines = tuple(_machine(machine, answers) for machine in found.machines)
    told = {
        f"The machine {machine.machine} beside {machine.people}: {machine.criterion}": machine.sentence
        for machine in machines
    }
    said = [(head, told.get(head, text)) for head, text in found.sentences if not head.startswith("Agreement")]
    conclusions = [_conclusion(of_panel, several=several) for of_panel in panels]
    own = [(f"Accuracy: {of_panel.panel}", text) for of_panel, text in zip(panels, conclusions, strict=True)]
    own += [(f"Agreement: {of_panel.panel}", _agreement(ratings, of_panel.panel)) for of_panel in panels]
    values = {spec.name: getattr(found, spec.name) for spec in fields(found)} | {
        "ratings": ratings,
        "machines": machines,
        "beside": tuple(_beside(beside, everybody, answers, failed[beside.panel]) for beside in found.beside),
        "sentences": (*own, *said),
        # alpha of right and wrong answers is not that of classes
        "warnings": tuple(note for note in found.warnings if "Krippendorff's alpha" not in note),
        "conclusions": tuple(conclusions),
        "tables": tuple(table for of_panel in panels for table in _tables(of_panel)),
        "more": {"classification": [of_panel.to_dict() for of_panel in panels]},
    }
    return ClassResult(**values)


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
        units, judges, table, "nominal", CHANCE, name="class", values=values, what="classes", suspects="none"
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


def _agreement(ratings: Sequence[Rating], panel: str) -> str:
    rating = next(rating for rating in ratings if rating.panel == panel)
    return agreement(rating, "the class")


def _p_of(judge: Found) -> float | None:
    """Of a judge alone: the exact binomial test of guessing among equally likely classes."""
    n = len(judge.group.known)
    return binomial_test(round(judge.accuracy.estimate * n), n, judge.chance) if n else None


def _conclusion(of_panel: OfPanel, *, several: bool) -> str:
    """Accuracy, sensitivity and agreement of a panel in words."""
    found, group = of_panel.whole, of_panel.whole.group
    who = f"{len(group.judges):,} {'judge' if len(group.judges) == 1 else 'judges'}"
    said = f"Panel {of_panel.panel}: " * several
    alpha = found.alpha
    agreed = "" if alpha is None else f"; Krippendorff's alpha {plain(alpha.estimate)}{_limits(alpha)}"
    if not group.known:
        return f"{said}{who} classified {group.outputs:,} outputs, whose true class is not known{agreed}."
    share = found.accuracy
    said += (
        f"{who} named the true class in {percent(share.estimate)} of {len(group.known):,} answers "
        f"(95 % limits {percent(share.low)} to {percent(share.high)}; {percent(found.chance)} by guessing"
    )
    said += ")" if math.isnan(found.p) else f", permutation test {exact_chance(found.p)})"
    shares = [judge.accuracy.estimate for judge in of_panel.judges.values() if judge.group.known]
    if len(shares) > 1:
        said += f", single judges in {percent(min(shares))} to {percent(max(shares))}"
    if (seen := group.sensitivity(found.seed)) is not None:
        said += f"; d′ = {plain(seen.d_prime.estimate)}{_limits(seen.d_prime)}, c = {plain(seen.criterion)}"
    return f"{said}{agreed}."


def _limits(estimate: Estimate) -> str:
    return "" if math.isnan(estimate.low) else f" ({plain(estimate.low)} to {plain(estimate.high)})"


def _tables(of_panel: OfPanel) -> Iterator[Table]:
    known = of_panel.whole.group.known
    if known:
        yield _accuracy_table(f"Accuracy: {of_panel.panel}", "system", {part.called: part for part in of_panel.parts})
        yield _accuracy_table(f"Judges by accuracy: {of_panel.panel}", "judge", of_panel.judges)
        yield _class_table(of_panel)
    for part in of_panel.parts:
        yield _confusion_table(part, of_panel.panel)
    yield _alpha_table(of_panel)


def _accuracy_table(heading: str, what: str, parts: Mapping[str, Found]) -> Table:
    """Of systems p by permutation; of single judges by the exact binomial test."""
    heads = [what, "answers", "correct", "low", "high", "p (guessing)"]
    sensed = len(next(iter(parts.values())).names) == 2
    heads += ["d′", "d′ low", "d′ high", "c"] if sensed else []
    rows = []
    for name, part in parts.items():
        share, p = part.accuracy, _p_of(part) if what == "judge" else part.p
        row = [name, f"{len(part.group.known):,}", *map(_three, (share.estimate, share.low, share.high))]
        row.append("n/a" if p is None or math.isnan(p) else "< 0.0001" if p < 0.0001 else f"{p:.4f}")
        if sensed:
            seen = part.group.sensitivity(part.seed)
            d = Estimate(math.nan) if seen is None else seen.d_prime
            row += map(_three, (d.estimate, d.low, d.high, math.nan if seen is None else seen.criterion))
        rows.append(row)
    return heading, heads, rows, list(range(1, len(heads)))


def _class_table(of_panel: OfPanel) -> Table:
    heads = ["class", "answers about it", "recall", "low", "high", "answers that name it", "precision"]
    heads += ["precision low", "precision high"]
    group, rows = of_panel.whole.group, []
    for place, name in enumerate(of_panel.whole.names):
        recall, precision = group.recall(place), group.precision(place)
        rows.append(
            [
                name,
                f"{recall.n:,}",
                *map(_three, (recall.estimate, recall.low, recall.high)),
                f"{precision.n:,}",
                *map(_three, (precision.estimate, precision.low, precision.high)),
            ]
        )
    return f"Classes: {of_panel.panel}", heads, rows, list(range(1, len(heads)))


def _confusion_table(part: Found, panel: str) -> Table:
    """Answers by true class, with the share of each row."""
    rows = []
    for name, counts in zip((*part.names, "unknown"), part.group.confusion.tolist(), strict=True):
        if total := sum(counts):
            rows.append([name, *(f"{count:,} ({100 * count / total:.0f} %)" for count in counts)])
    where = f"{panel}, {part.called}" if part.group.system else panel
    heads = ["true class", *part.names]
    return f"Confusion: {where}", heads, rows, list(range(1, len(heads)))


def _alpha_table(of_panel: OfPanel) -> Table:
    """Krippendorff's alpha on the class by system."""
    rows = []
    for part in of_panel.parts:
        alpha = part.alpha
        values = (math.nan,) * 3 if alpha is None else (alpha.estimate, alpha.low, alpha.high)
        rows.append([part.called, f"{0 if alpha is None else alpha.n:,}", *map(_three, values)])
    heads = ["system", "outputs", "alpha", "low", "high"]
    return f"Agreement by system: {of_panel.panel}", heads, rows, [1, 2, 3, 4]


def _three(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value:.3f}" if math.isfinite(value) else "∞" if value > 0 else "-∞"
