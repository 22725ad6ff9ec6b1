"""What a rating study shows, in sentences for a paper, and what a reader must know before believing it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.sentences import (
    FEW_ITEMS,
    agreement,
    alike,
    beyond,
    clustered,
    low_agreement,
    panel_warnings,
    place_of,
    unknown_wordings,
)
from nlgauge.study.protocols.outputs.analysis.variants import Beside
from nlgauge.study.protocols.outputs.machines import machine_warnings
from nlgauge.study.protocols.ratings.analysis.by_items import ByItems
from nlgauge.study.protocols.ratings.analysis.cautions import caution_sentence, doubts
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.models import CUT, SystemMean
from nlgauge.study.protocols.ratings.analysis.recheck import Rechecked
from nlgauge.study.protocols.ratings.analysis.results import Rating
from nlgauge.study.protocols.ratings.analysis.rounds import Discussed
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated
from nlgauge.study.protocols.ratings.analysis.singles import Single
from nlgauge.study.protocols.ratings.analysis.variants import sentence as left_out
from nlgauge.wording.numbers import p_words

INCOMPLETE = (
    "the design is incomplete, and plain means compare systems on other judges and items; rely on the mixed model"
)


def places(rating: Rating) -> int:
    """Decimals of a mean: two, or three where the scale is one wide; one on a scale of a hundred."""
    width = rating.criterion.width
    if rating.criterion.ratios:
        return 2
    return 3 if width <= 1.5 else 1 if width >= 50 else 2


def number(value: float, rating: Rating) -> str:
    """A mean as it is written; of magnitudes the ratio that a logarithm stands for."""
    if rating.criterion.ratios:
        told = rating.criterion.told(value)
        return "n/a" if math.isnan(told) else f"{told:.3g}" if told < 0.1 or told >= 100 else f"{told:.2f}"
    return "n/a" if math.isnan(value) else f"{value:.{places(rating)}f}".replace("-", "−")


def sentences(
    ratings: Sequence[Rating],
    judging: Sequence[Judging],
    panels: Sequence[Pair],
    criteria: Sequence[Pair],
    singles: Sequence[Single] = (),
    machines: Sequence[MachineBeside] = (),
    variants: Sequence[Beside[Criterion]] = (),
    talks: Sequence[Discussed] = (),
    checked: Sequence[Rechecked] = (),
) -> Iterator[tuple[str, str]]:
    """Headings and texts; machines are told after people, each beside them."""
    several = len(judging) > 1
    alone = {group.panel for group in judging if not group.judges}
    for one in ratings:
        where = place_of(one, several=several)
        yield f"Means: {where}", means(one, where)
        if one.panel not in alone or one.judges > 1:
            yield f"Agreement: {where}", agreement(one, where)
    told = {frozenset((one.machine, one.people, one.criterion)) for one in machines}
    for beside in machines:
        yield f"The machine {beside.machine} beside {beside.people}: {beside.criterion}", beside.sentence
    left = [pair for pair in panels if frozenset((pair.first, pair.second, pair.where)) not in told]
    single = [
        (f"Single judges: {criterion}", one_by_one([one for one in singles if one.criterion == criterion]))
        for criterion in dict.fromkeys(one.criterion for one in singles)
    ]
    yield from beyond(left, criteria, judging, single)
    for one_beside in variants:
        where = f"{one_beside.criterion.label}, panel {one_beside.panel}" if several else one_beside.criterion.label
        if one_beside.left_out:
            yield f"Exclusions: {where}", left_out(one_beside, where)
    for talk in talks:
        where = f"{talk.criterion.label}, panel {talk.panel}" if several else talk.criterion.label
        yield f"Discussion: {where}", f"On {where} {talk}."
    for check in checked:
        yield f"Recheck: {check.pair.where}", f"{check.pair.where}: {check}."
    for one in ratings:
        if one.planning is not None:
            panel = f"Panel {one.panel}. " if several else ""
            yield f"Next study: {place_of(one, several=several)}", f"{panel}{one.planning.sentence}"


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
    split = split_verdicts(one)
    return f"{said} {split[:1].upper()}{split[1:]}." if split else said


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


def caution(one: Rating) -> str:
    """Which means are in doubt and why, in a sentence; empty where none is."""
    return caution_sentence(one.cautions, partial(number, rating=one), one.empty)


def doubtful(ratings: Sequence[Rating], *, several: bool) -> Iterator[str]:
    """The same as notes: what must be known before anything else."""
    empty = {name: counts for one in ratings for name, counts in one.empty.items()}
    yield from doubts(
        [(place_of(one, several=several), one.cautions, partial(number, rating=one)) for one in ratings],
        empty,
    )


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
    cut = CUT if any(mean.method.endswith(CUT) for mean in models.means) else ""
    tests = "; tests: the same model of square roots" if models.leading == "roots" else ""
    return f"{level}; linear mixed model{effects}, REML, Satterthwaite's degrees of freedom{cut}{tests}"


def one_by_one(singles: Sequence[Single]) -> str:
    """How well an arbitrary judge stands for a panel, as Belz and Reiter's figures in brackets."""
    said = []
    for one in singles:
        group = "its own mean" if one.panel == one.group else f"the mean of {one.group}"
        apart = "" if math.isnan(one.left_out) else f", {one.left_out:.2f} with each judge left out of it"
        said.append(f"one of {one.panel} with {group} {one.found.estimate:.2f}{apart}")
    return (
        f"Over {singles[0].found.n} systems the mean correlation of single judges on {singles[0].criterion} is: "
        f"{'; '.join(said)} (Pearson; Belz and Reiter 2006)."
    )


def warnings(
    rated: Rated,
    ratings: Sequence[Rating],
    judging: Sequence[Judging],
    criteria: Sequence[Pair],
    machines: Sequence[MachineBeside] = (),
) -> Iterator[str]:
    """What must be known before the figures are believed."""
    yield from unknown_wordings(rated.criteria)
    for group in judging:
        if group.panel in rated.machines:
            yield from machine_warnings(
                group.panel,
                rated.of(group.panel),
                rated.planned.get(group.panel, 0),
                measured=group.panel in rated.measured,
            )
            continue
        items = next((one.items for one in ratings if one.panel == group.panel), FEW_ITEMS)
        yield from panel_warnings(group, rated.planned.get(group.panel, 0), items, INCOMPLETE, "means")
        yield from (f"panel {group.panel}: {note}" for note in group.notes)
    for beside in machines:
        yield from (f"{beside.machine} beside {beside.people}, {beside.criterion}: {why}" for why in beside.undefined)
    several = len(judging) > 1
    for one in ratings:
        where = place_of(one, several=several)
        yield from (f"{where}: {note}" for note in one.models.notes)
        if one.panel in rated.machines:
            continue
        yield from low_agreement(one, where)
        yield from _disagreeing(one, where)
        if _adjusted(one):
            yield (
                f"{where}: means are the model's, which allows for who judged what; plain means, which nlgauge compare "
                "shows, are of the ratings as they are"
            )
    yield from alike(criteria)


FEW_JUDGES = 10  # below which the ordinal model is known to find differences too often
OFTEN = (
    " (with 5 judges and 15 items without a difference the ordinal model found one in 8.0 % of simulated studies, the "
    "linear one in 5.0 %)"
)


def _adjusted(one: Rating) -> bool:
    """Whether the table shows two means of a system that differ; of shares and ratios it shows other figures."""
    plain = one.criterion.points == 2 or one.criterion.ratios or one.models.linear is None
    return not plain and any(f"{mean.mean:.2f}" != f"{mean.raw:.2f}" for mean in one.models.means)


def _disagreeing(one: Rating, where: str) -> Iterator[str]:
    """Where tests come to another verdict, about all systems or about two neighbours."""
    models = one.models
    if len(models.means) < 2:
        return
    if models.leading == "linear" and models.ordinal is not None and models.linear is not None:
        linear, ordinal = models.linear.test().p, models.ordinal.test().p
        if (linear < 0.05) != (ordinal < 0.05):
            yield (
                f"{where}: the linear model says {p_words(linear)} for all systems, the ordinal one "
                f"{p_words(ordinal)}; report both{OFTEN if one.judges < FEW_JUDGES else ''}"
            )
    said = split_verdicts(one)
    if said:
        yield f"{where}: {said}; report all of them"


def split_verdicts(one: Rating) -> str:
    """Neighbours by their means of which one test says that they differ and another does not; empty where none are."""
    found = []
    for better, worse, tests in one.models.neighbours():
        if len({p < 0.05 for p in tests.values()}) > 1:
            told = ", ".join(f"{_test(name, one)} {p_words(p)}" for name, p in tests.items())
            found.append(f"about {better} and {worse}: {told}")
    return f"tests disagree (p after Holm's correction) {'; '.join(found)}" if found else ""


def _test(name: str, one: Rating) -> str:
    ranks = one.models.wilcoxon
    return ranks.method.partition(",")[0] if name == "test by ranks" and ranks is not None else name
