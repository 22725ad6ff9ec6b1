"""What a rating study shows, in sentences for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from nlgauge.report.study import notes
from nlgauge.report.study.notes import split, told_judges, told_means
from nlgauge.report.study.sentences import (
    Sentence,
    agreement,
    beyond,
    clustered,
    left_out,
    place,
    related,
    two,
)
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.mixed.planning import Plan
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.ratings.analysis.by_items import ByItems
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.models import CUT, SystemMean
from nlgauge.study.protocols.ratings.analysis.planning import MOST_ITEMS, MOST_RATINGS, POWER, NextStudy
from nlgauge.study.protocols.ratings.analysis.recheck import Rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import Discussed
from nlgauge.study.protocols.ratings.analysis.rows import Criterion
from nlgauge.study.protocols.ratings.analysis.singles import Single
from nlgauge.study.statements.wording_effects import of_wordings
from nlgauge.wording.numbers import p_words

UNTOLD = "What more judges of each output would do is not known: every item was rated once."


def number(value: float, rating: Rating) -> str:
    """A mean as it is written; of magnitudes the ratio that a logarithm stands for."""
    return notes.mean(rating.criterion.told(value), rating.criterion.places)


def sentences(result: RatingResult, *, agreeing: bool = True) -> Iterator[Sentence]:
    """Headings and texts; machines are told after people, each beside them. `agreeing`: with agreement on ratings."""
    several = result.several_panels
    alone = {group.panel for group in result.judging if not group.judges}
    for rating in result.ratings:
        where = place(rating, several=several)
        yield f"Means: {where}", means(rating, where)
        if agreeing and (rating.panel not in alone or rating.judges > 1):
            yield f"Agreement: {where}", agreement(rating, where)
    yield from machines(result)
    single = [
        (f"Single judges: {criterion}", one_by_one([row for row in result.singles if row.criterion == criterion]))
        for criterion in dict.fromkeys(row.criterion for row in result.singles)
    ]
    yield from beyond(without_machines(result), result.criteria, result.judging, single)
    yield from exclusions(result)
    for talk in result.discussed:
        where = place(talk, several=several)
        yield f"Discussion: {where}", f"On {where} {discussion(talk)}."
    for check in result.rechecked:
        yield f"Recheck: {check.pair.where}", f"{check.pair.where}: {recheck(check)}."
    for rating in result.ratings:
        if rating.planning is not None:
            panel = f"Panel {rating.panel}. " if several else ""
            yield f"Next study: {place(rating, several=several)}", f"{panel}{plan(rating.planning)}"
    yield from of_wordings(result.wordings)


def machines(result: RatingResult) -> Iterator[Sentence]:
    """Each machine beside people."""
    for beside in result.machines:
        yield f"The machine {beside.machine} beside {beside.people}: {beside.criterion}", machine(beside)


def without_machines(result: RatingResult) -> list[Pair]:
    """The panels beside each other that are not told as a machine beside people."""
    told = {frozenset((beside.machine, beside.people, beside.criterion)) for beside in result.machines}
    return [pair for pair in result.panels if frozenset((pair.first, pair.second, pair.where)) not in told]


def exclusions(result: RatingResult) -> Iterator[Sentence]:
    """Who is left out and what that changes."""
    for beside in result.beside:
        if beside.left_out:
            where = place(beside, several=result.several_panels)
            yield f"Exclusions: {where}", left_out(beside, where, partial(_figure, criterion=beside.criterion))


def _figure(value: float, criterion: Criterion) -> str:
    width = 10.0 if criterion.ratios else criterion.width
    decimals = 3 if width <= 1.5 else 1 if width >= 50 else 2
    return f"{criterion.told(value):.{decimals}f}"


def means(one: Rating, where: str, head: str = "") -> str:
    """The systems in order, the test, the clusters, the model; `head` says what was counted, where not ratings."""
    asked, models = one.criterion, one.models
    listed = ", ".join(_mean(mean, one) for mean in models.means)
    what = ("shares" if asked.measure else "shares of yes") if asked.points == 2 else "means"
    given = ("answer", "about") if asked.measure else ("rating", "of")
    if asked.ratios:
        what = "ratios to the geometric mean of all systems" if asked.by_judge else "geometric means"
        given = ("number", "for")
    told = f" ({asked.measure}{'; low is good' * asked.lower})" if asked.measure else ""
    head = head or (
        f"For {where}{told}, {one.by} gave {_several(one.n, given[0])} {given[1]} {_several(one.outputs, 'output')}; "
        f"the {what} are"
    )
    head = f"{head} {listed}"
    head += f" ({_model(one)})." if models.linear is not None else "."
    leader = models.leader
    if leader is None or len(models.means) < 2:
        return head
    head = " ".join(filter(None, (head, caution(one))))
    if not leader.converged:
        return f"{head} The model did not converge: neither its limits nor its tests are to be reported."
    test = leader.test()
    verdict = "differ" if test.p < 0.05 else "were not shown to differ"
    roots = ", tested on square roots," if models.leading == "roots" else ""
    said = f"{head} The systems{roots} {verdict}: {test}."
    if models.clusters is not None and len(models.clusters.groups) > 1:
        said += f" {clustered(models.clusters, lower=asked.lower)}"
    elif test.p < 0.05:
        found = [
            f"{ranked.system} {'below' if asked.lower else 'above'} {', '.join(ranked.beats)}"
            for ranked in (models.clusters.systems if models.clusters else ())
            if ranked.beats
        ]
        said += f" Significant after Holm's correction: {'; '.join(found)}." if found else ""
    if models.leading == "linear" and models.ordinal is not None:
        said += f" The ordinal model beside it: {models.ordinal.test()}."
    if models.leading == "roots" and models.linear is not None:
        said += f" The model of the amounts themselves beside it: {models.linear.test()}."
    if models.by_items is not None:
        said += f" {_by_items(one, models.by_items)}"
    verdicts = "".join(split(models.split)) if models.split else ""
    return f"{said} {verdicts[:1].upper()}{verdicts[1:]}." if verdicts else said


def _by_items(one: Rating, found: ByItems) -> str:
    """The limits and tests that need no model."""
    listed = ", ".join(
        f"{mean.system} {number(own.low, one)} to {number(own.high, one)}"
        for mean in one.models.means
        if (own := found.means.get(mean.system)) is not None
    )
    (a, b), (_, p) = min(found.pairs.items(), key=lambda pair: pair[1][1])
    level = f"{100 * one.models.means[0].level:g} % limits"
    family = " after Holm's correction, the smallest of all pairs" if len(found.pairs) > 1 else ""
    return (
        f"Without a model, the {level} of a bootstrap over items are {listed}; a permutation test within items "
        f"{'tells' if p < 0.05 else 'does not tell'} {a} from {b} ({p_words(p)}{family})."
    )


def caution(rating: Rating) -> str:
    """Which means are in doubt and why, in a sentence that goes along with the means; empty where none is."""
    said = []
    for doubted in rating.cautions:
        figures = doubted.told(rating.criterion)
        parts = ["".join(told_means(figures))] if doubted.apart else []
        parts += ["".join(told_judges(figures))] if doubted.judges else []
        count, every = rating.empty.get(doubted.system, (0, 0))
        parts += [f"{count:,} of its {every:,} texts are empty or say null"] if count else []
        said.append(f"{'; '.join(parts)}: the place of {doubted.system} is not settled")
    return f"Caution: {'. '.join(doubt[:1].upper() + doubt[1:] for doubt in said)}." if said else ""


def _several(number: int, what: str) -> str:
    """`1 rating`, `240 ratings`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def _mean(mean: SystemMean, one: Rating) -> str:
    if one.criterion.points == 2 and mean.exact is not None:
        low, high = mean.exact
        return f"{mean.system} {100 * mean.raw:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    if math.isnan(mean.low):
        return f"{mean.system} {number(mean.mean, one)}"
    return f"{mean.system} {number(mean.mean, one)} ({number(mean.low, one)} to {number(mean.high, one)})"


def _model(one: Rating) -> str:
    models = one.models
    zero = () if models.leader is None else models.leader.zero
    random = [name for name in ("judge", "item") if models.linear is not None and name in models.linear.modes]
    named = {name: f"{name}s" for name in random}
    named |= {f"{name}:system": f"{name} × system" for name in models.slopes}
    parts = [words for name, words in named.items() if name not in zero]
    effects = f" with random effects of {', '.join(parts)}" if parts else ""
    if left := [words for name, words in named.items() if name in zero]:
        effects += f" (variance of {', '.join(left)} estimated as 0 and taken as known)"
    level = f"{100 * models.means[0].level:g} % limits"
    if one.criterion.points == 2:
        kind = "logistic mixed model by the Laplace approximation" if models.leading == "ordinal" else "linear model"
        return f"{level}: Clopper and Pearson's, which take ratings as independent; tests: {kind}{effects}"
    if one.criterion.ratios:
        unit = (
            "each judge with a unit of their own"
            if one.criterion.by_judge
            else f"divided by the standard's value of {one.criterion.modulus:g}"
        )
        level += f"; natural logarithms, {unit}"
    cut = CUT if any(mean.cut for mean in models.means) else ""
    tests = "; tests: the same model of square roots" if models.leading == "roots" else ""
    return f"{level}; linear mixed model{effects}, REML, Satterthwaite's degrees of freedom{cut}{tests}"


def one_by_one(singles: Sequence[Single]) -> str:
    """How well an arbitrary judge stands for a panel, as Belz and Reiter's figures in brackets."""
    said = []
    for row in singles:
        group = "its own mean" if row.panel == row.group else f"the mean of {row.group}"
        apart = "" if math.isnan(row.left_out) else f", {row.left_out:.2f} with each judge left out of it"
        said.append(f"one of {row.panel} with {group} {row.found.estimate:.2f}{apart}")
    return (
        f"Over {singles[0].found.n} systems the mean correlation of single judges on {singles[0].criterion} is: "
        f"{'; '.join(said)} (Pearson; Belz and Reiter 2006)."
    )


def machine(beside: MachineBeside) -> str:
    """A machine beside people."""
    said = (
        f"On {beside.criterion} the machine {beside.machine} correlates with the means of the panel {beside.people} by "
        f"{related(beside.outputs)}, Spearman's ρ = {beside.outputs.spearman.estimate:.2f}, and "
        f"{related(beside.systems)}."
    )
    if not math.isnan(beside.alpha_both) and not math.isnan(beside.alpha_people):
        said += (
            f" Krippendorff's alpha is {beside.alpha_people:.2f} among the people and {beside.alpha_both:.2f} with the "
            "machine among them."
        )
    if beside.ceiling is not None:
        told = str(beside.ceiling)
        said += f" {told[0].upper()}{told[1:]}."
    if beside.alternative is not None:
        told = str(beside.alternative)
        said += f" {told[0].upper()}{told[1:]}."
    return said


def discussion(talk: Discussed) -> str:
    """What a discussion changed."""
    return (
        f"{talk.outputs:,} outputs were discussed and {talk.rerated:,} answers given again, of which "
        f"{talk.changed:,} changed. Krippendorff's alpha was {two(talk.before)} before and {two(talk.after)} "
        f"after (of the outputs discussed {two(talk.discussed_before)} and {two(talk.discussed_after)}). "
        "Agreement after a discussion is no agreement of independent judges: report the figure from before"
    )


def recheck(found: Rechecked) -> str:
    """Judges against experts."""
    far = ", ".join(f"{judge.judge} {judge.apart:.2f}" for judge in found.judges[:3])
    return (
        f"The experts judged {found.outputs:,} outputs again: {related(found.pair.outputs)}, "
        f"{related(found.pair.systems)}. Judges farthest from the experts (mean distance as a share of the scale): "
        f"{far}"
    )


def plan(found: NextStudy) -> str:
    """For the section on planning."""
    what = "" if found.ratio else f" ({found.what})"
    said = (
        f"For {found.name}, the same design again ({_design(found.now, found.each)}) finds "
        f"{_effect(found, found.effect)}{what} between two systems with power {found.now.estimate:.2f}"
    )
    if not math.isnan(found.least):
        told = (_effect(found, found.least, digits) for digits in (2, 3, 4))  # as many as tell it from the effect
        shown = next((words for words in told if words != _effect(found, found.effect)), "")
        said += f", and {shown} with power {POWER:.2f}" if shown else ""
    return f"{said}. {_rest(found)}"


def _rest(found: NextStudy) -> str:
    wanted = f"{_effect(found, found.effect)} with power {POWER:.2f}"
    if found.enough:
        return f"No more is needed for {wanted}."
    told = []
    if found.more_items is not None:
        told.append(f"more items: {_design(found.more_items, found.each)}")
    if found.more_ratings is not None:
        told.append(f"more judges of each output: {_design(found.more_ratings, found.each)}")
    if not told and not found.told:
        return f"To find {wanted} is out of reach with {MOST_ITEMS:,} items. {UNTOLD}"
    if not told:
        return (
            f"To find {wanted} is out of reach: neither {MOST_ITEMS:,} items nor {MOST_RATINGS} ratings of each "
            "output would do."
        )
    alone = (
        "; more judges of each output of the same items would not do alone"
        if found.more_ratings is None and found.told
        else ""
    )
    said = f"To find {wanted}, plan for {'; or for '.join(told)}{alone}."
    return said if found.told else f"{said} {UNTOLD}"


def _effect(found: NextStudy, effect: float, digits: int = 2) -> str:
    if found.ratio:
        return f"a ratio of {math.exp(effect):.{digits + 1}g}"
    return f"a difference of {effect:.{digits}g}"


def _design(plan: Plan, each: int) -> str:
    own = f", {plan.items_per_system:,} for each system" if plan.items_per_system < plan.items else ""
    ratings = "1 rating" if plan.ratings_per_item == 1 else f"{plan.ratings_per_item} ratings"
    texts = "1 text" if each == 1 else f"{each} texts"
    return f"{plan.items:,} items{own}, {ratings} of each output, {people(plan.judges)} with {texts} each"
