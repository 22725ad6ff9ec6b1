"""What a rating study shows, in sentences for a paper, and what a reader must know before believing it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nlgauge.stats.diagnosis import FINE
from nlgauge.stats.mixed.results import p_words
from nlgauge.study.protocols.ratings.analysis.between import ALIKE, Pair
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.models import SystemMean
from nlgauge.study.protocols.ratings.analysis.results import Rating
from nlgauge.study.protocols.ratings.analysis.rows import UNKNOWN, Rated
from nlgauge.study.protocols.ratings.analysis.singles import Single

FEW_JUDGES = 5
FEW_ITEMS = 10


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
) -> Iterator[tuple[str, str]]:
    """Headings and texts."""
    several = len(judging) > 1
    for one in ratings:
        where = f"{one.criterion.label}, panel {one.panel}" if several else one.criterion.label
        yield f"Means: {where}", means(one, where)
        yield f"Agreement: {where}", agreement(one, where)
    for pair in panels:
        yield f"Panels: {pair.where}", between_panels(pair)
    for criterion in dict.fromkeys(one.criterion for one in singles):
        yield (
            f"Single judges: {criterion}",
            one_by_one([one for one in singles if one.criterion == criterion]),
        )
    for pair in criteria:
        head = f"Panel {pair.where}: " if several else ""
        yield (
            "Criteria",
            f"{head}{pair.first} and {pair.second} correlate with {pair.systems.words} and {pair.outputs.words}.",
        )
    for group in judging:
        yield f"Judges: {group.panel}", judges(group)
    for one in ratings:
        if one.planning is not None:
            where = f"{one.criterion.label}, panel {one.panel}" if several else one.criterion.label
            yield f"Next study: {where}", one.planning.sentence


def means(one: Rating, where: str) -> str:
    """The systems in order, the test, the clusters, the model."""
    asked, models = one.criterion, one.models
    listed = ", ".join(_mean(mean, one) for mean in models.means)
    what = "shares of yes" if asked.points == 2 else "means"
    if asked.ratios:
        what = "ratios to the geometric mean of all systems" if asked.by_judge else "geometric means"
    head = (
        f"For {where}, {one.judges:,} {'judge' if one.judges == 1 else 'judges'} gave {one.n:,} "
        f"{'numbers for' if asked.ratios else 'ratings of'} "
        f"{one.outputs:,} outputs; the {what} are {listed}"
    )
    head += f" ({_model(one)})." if models.linear is not None else "."
    if models.linear is None or len(models.means) < 2:
        return head
    leading = models.ordinal if models.leading == "ordinal" and models.ordinal is not None else models.linear
    test = leading.test()
    verdict = "differ" if test.p < 0.05 else "were not shown to differ"
    said = f"{head} The systems {verdict}: {test}."
    if models.clusters is not None and len(models.clusters.groups) > 1:
        shown = " > ".join(", ".join(group) for group in models.clusters.groups)
        said += f" Clusters at 0.05 ({models.clusters.method}): {shown}."
    elif test.p < 0.05:
        found = [
            f"{ranked.system} above {', '.join(ranked.beats)}"
            for ranked in (models.clusters.systems if models.clusters else ())
            if ranked.beats
        ]
        said += f" Significant after Holm's correction: {'; '.join(found)}." if found else ""
    if models.leading == "linear" and models.ordinal is not None:
        said += f" The ordinal model beside it: {models.ordinal.test()}."
    return said


def _mean(mean: SystemMean, one: Rating) -> str:
    if one.criterion.points == 2 and mean.exact is not None:
        low, high = mean.exact
        return f"{mean.system} {100 * mean.raw:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    if math.isnan(mean.low):
        return f"{mean.system} {number(mean.mean, one)}"
    return f"{mean.system} {number(mean.mean, one)} ({number(mean.low, one)} to {number(mean.high, one)})"


def _model(one: Rating) -> str:
    models = one.models
    random = [name for name in ("judge", "item") if models.linear is not None and name in models.linear.modes]
    parts = [f"{name}s" for name in random]
    parts += [f"{name} × system" for name in models.slopes]
    effects = f" with random effects of {', '.join(parts)}" if parts else ""
    level = f"{100 * models.means[0].level:g} % limits"
    if one.criterion.points == 2:
        kind = (
            "logistic mixed model by the Laplace approximation"
            if models.leading == "ordinal"
            else "linear model"
        )
        return f"{level}: Clopper and Pearson's, which take ratings as independent; tests: {kind}{effects}"
    if one.criterion.ratios:
        unit = (
            "each judge with a unit of their own"
            if one.criterion.by_judge
            else f"divided by the standard's value of {one.criterion.modulus:g}"
        )
        level += f"; natural logarithms, {unit}"
    return f"{level}; linear mixed model{effects}, REML, Satterthwaite's degrees of freedom"


def agreement(one: Rating, where: str) -> str:
    """Alpha, and what to do where it is low."""
    found = one.agreeing
    if found.agreement is None:
        return f"Agreement on {where} cannot be told: {found.reason}."
    said = f"On {where}: {found.agreement.sentence}"
    if found.diagnosis is None:
        return said
    said = said.rstrip(".")
    return f"{said}. Diagnosis: {found.diagnosis}. What to do: {found.advice}."


def between_panels(pair: Pair) -> str:
    """Means and correlations of two panels."""
    if pair.ratio and not math.isnan(pair.difference):
        gap = f"; numbers of {pair.first} are {math.exp(pair.difference):.2f} times those of {pair.second} on average"
        return (
            f"On {pair.where} the panels {pair.first} and {pair.second} correlate with {pair.systems.words} and "
            f"{pair.outputs.words}{gap}."
        )
    side = "higher" if pair.difference > 0 else "lower"
    gap = (
        ""
        if math.isnan(pair.difference)
        else f"; {pair.first} rate {abs(pair.difference):.2g} {side} than {pair.second} on average"
    )
    return (
        f"On {pair.where} the panels {pair.first} and {pair.second} correlate with {pair.systems.words} and "
        f"{pair.outputs.words}{gap}."
    )


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


def judges(group: Judging) -> str:
    """Times, and who failed a check."""
    said = f"Panel {group.panel}: half of the {len(group.seconds):,} answers took {group.median:.0f} seconds or less."
    if not group.failed:
        return f"{said} No judge failed a check of care."
    named = "; ".join(f"{one.judge} ({', '.join(one.failed)})" for one in group.judges if one.failed)
    return f"{said} {len(group.failed):,} of {len(group.judges):,} judges failed a check: {named}."


def warnings(
    rated: Rated, ratings: Sequence[Rating], judging: Sequence[Judging], criteria: Sequence[Pair]
) -> Iterator[str]:
    """What must be known before the figures are believed."""
    for asked in rated.criteria:
        if not asked.known:
            yield (
                f"{asked.name}: {UNKNOWN}; nobody can say what these figures measure, or repeat the study: find the "
                "exact question, and give it in the study file"
            )
    for group in judging:
        yield from _of_panel(rated, ratings, group)
    several = len(judging) > 1
    for one in ratings:
        where = f"{one.criterion.label}, panel {one.panel}" if several else one.criterion.label
        yield from (f"{where}: {note}" for note in one.models.notes)
        alpha = one.agreeing.alpha
        if alpha < FINE:
            yield (
                f"{where}: judges agree little (Krippendorff's alpha {alpha:.2f}, below {FINE}); see the diagnosis"
            )
        elif one.agreeing.agreement is None:
            yield f"{where}: agreement is not known: {one.agreeing.reason}"
        yield from _disagreeing(one, where)
    for pair in criteria:
        if (
            pair.outputs.pearson.defined
            and pair.outputs.pearson.estimate > ALIKE
            and pair.outputs.n > FEW_ITEMS
        ):
            yield (
                f"{pair.first} and {pair.second} correlate with {pair.outputs.words}: judges may not tell them apart"
            )


def _of_panel(rated: Rated, ratings: Sequence[Rating], group: Judging) -> Iterator[str]:
    judges, done, planned = len(group.judges), len(group.seconds), rated.planned.get(group.panel, 0)
    own = [one for one in ratings if one.panel == group.panel]
    if judges < FEW_JUDGES:
        yield (
            f"panel {group.panel} has {judges} {'judge' if judges == 1 else 'judges'}: few to speak of other judges by"
        )
    if done < planned:
        yield (
            f"panel {group.panel} has {done:,} of {planned:,} planned answers: the design is incomplete, and plain "
            "means compare systems on other judges and items; rely on the mixed model"
        )
    if own and own[0].items < FEW_ITEMS:
        yield f"panel {group.panel} rated {own[0].items} items: few to speak of other items by"
    if group.failed:
        yield (
            f"panel {group.panel}: {len(group.failed)} of {judges} judges failed a check of care; the means without "
            "them stand beside"
        )
    yield from (f"panel {group.panel}: {note}" for note in group.notes)


def _disagreeing(one: Rating, where: str) -> Iterator[str]:
    """Where two ways to test come to another verdict for the best two systems."""
    models = one.models
    if models.leading != "linear" or models.ordinal is None or models.linear is None or len(models.means) < 2:
        return
    linear, ordinal = models.linear.test().p, models.ordinal.test().p
    if (linear < 0.05) != (ordinal < 0.05):
        yield (
            f"{where}: the linear model says {p_words(linear)} for all systems, the ordinal one {p_words(ordinal)}; "
            "report both"
        )
