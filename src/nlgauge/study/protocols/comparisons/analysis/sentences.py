"""What a comparative study shows, in sentences for a paper, and what a reader must know before believing it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.results import Comparison
from nlgauge.study.protocols.comparisons.analysis.rows import Question, Sorted
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, SystemStrength
from nlgauge.study.protocols.comparisons.analysis.variants import sentence as left_out
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.sentences import (
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
from nlgauge.wording.numbers import p_words

INCOMPLETE = "the design is incomplete, and systems may have met others on other items"
BIASED = 0.05
CALLED = {
    "implied pairs": "Bradley and Terry's model of the pairs that the answers tell",
    "maxdiff": "the maxdiff model",
}
CALLED |= {
    "Davidson's ties": "the model with Davidson's ties",
    "degrees of preference": "the degrees of preference",
}


def number(value: float) -> str:
    """A strength as it is written."""
    return "n/a" if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def sentences(
    found: Sequence[Comparison],
    judging: Sequence[Judging],
    panels: Sequence[Pair],
    criteria: Sequence[Pair],
    variants: Sequence[Beside[Question]] = (),
) -> Iterator[tuple[str, str]]:
    """Headings and texts."""
    several = len(judging) > 1
    alone = {group.panel for group in judging if not group.judges}
    for one in found:
        where = place_of(one, several=several)
        yield f"Strengths: {where}", strengths(one, where)
        yield f"Places, ties and circles: {where}", biases(one, where)
        if one.panel not in alone or one.judges > 1:
            yield f"Agreement: {where}", agreement(one, where)
    yield from beyond(panels, criteria, judging)
    without = {(one.panel, one.criterion.id): one for one in variants}
    for one in found:
        beside = without.get((one.panel, one.criterion.id))
        if beside is not None:
            where = place_of(one, several=several)
            yield f"Exclusions: {where}", left_out(beside, where)
    for one in found:
        if one.planning is not None:
            where = place_of(one, several=several)
            yield f"Next study: {where}", f"For {where}, {one.planning.sentence}"


def strengths(one: Comparison, where: str) -> str:
    """The systems in order, the model, the clusters."""
    models = one.models
    head = (
        f"For {where}, {one.judges:,} {'judge' if one.judges == 1 else 'judges'} gave {one.n:,} answers about "
        f"{one.items:,} inputs"
    )
    if models.reason:
        shares = ", ".join(f"{mean.system} {100 * mean.share:.0f} %" for mean in models.means)
        return f"{head}; there are no strengths: {models.reason}. Shares of comparisons won, a tie as half: {shares}."
    listed = ", ".join(_strength(mean) for mean in models.means)
    said = (
        f"{head}; strengths in logits are {listed} ({models.model}; {100 * models.level:g} % {models.method}; log odds "
        "that sum to 0)."
    )
    if models.test is not None and len(models.means) > 2:
        verdict = "differ" if models.test.p < BIASED else "were not shown to differ"
        said += f" The systems {verdict}: {models.test}, linear mixed model of scores."
    if len(models.means) == 2 and models.pairs:
        pair = models.pairs[0]
        told = "was preferred" if pair.p < BIASED else "was not shown to be preferred"
        return f"{said} {models.means[0].system} {told} to {models.means[1].system}: {pair}."
    return f"{said} {clusters(models)}"


def clusters(models: Models) -> str:
    """Which systems are told apart, and which are not."""
    if models.clusters is None:
        return "Differences have no limits, so that nothing is said about which are told apart."
    if len(models.clusters.groups) > 1:
        return clustered(models.clusters)
    told = [f"{ranked.system} above {', '.join(ranked.beats)}" for ranked in models.clusters.systems if ranked.beats]
    if told:
        return f"Told apart at 0.05 ({models.clusters.method}): {'; '.join(told)}; the systems form one cluster."
    return f"No two systems are told apart at 0.05 ({models.clusters.method})."


def _strength(mean: SystemStrength) -> str:
    return f"{mean.system} {number(mean.mean)} ({number(mean.low)} to {number(mean.high)})"


def biases(one: Comparison, where: str) -> str:
    """The first place, ties, circular triads, lack of fit."""
    said = [f"For {where}, {one.places}; {p_words(one.places.p)}, exact binomial test."]
    what = "answers" if one.per_screen == 2 else "comparisons of two texts"
    said.append(f"{100 * one.tied:.1f} % of {one.games:,} {what} are ties.")
    if one.circles.judges is not None and one.circles.judges.complete:
        said.append(f"Within judges and inputs, {one.circles.judges}.")
    if one.circles.systems.complete:
        said.append(f"Between systems, by the majority, {one.circles.systems}.")
    if one.models.deviance is not None:
        deviance, df, p = one.models.deviance
        verdict = "do not tell all" if p < BIASED else "fit"
        said.append(
            f"Strengths on one line {verdict} (deviance {deviance:.1f} on {df} degrees of freedom, {p_words(p)}, "
            "answers taken as independent)."
        )
    return " ".join(said)


def warnings(
    told: Sorted, found: Sequence[Comparison], judging: Sequence[Judging], criteria: Sequence[Pair]
) -> Iterator[str]:
    """What must be known before the figures are believed."""
    yield from unknown_wordings(told.criteria)
    for group in judging:
        if group.panel in told.machines:
            yield from machine_warnings(group.panel, told.of(group.panel), told.planned.get(group.panel, 0))
            continue
        items = next(one.items for one in found if one.panel == group.panel)
        yield from panel_warnings(group, told.planned.get(group.panel, 0), items, INCOMPLETE, "strengths")
    several = len(judging) > 1
    for one in found:
        where = place_of(one, several=several)
        missing = [name for name in told.systems if name not in {mean.system for mean in one.models.means}]
        if missing:
            yield f"{where}: nothing is known of {', '.join(missing)}: no comparison with them counts"
        if one.models.reason:
            yield f"{where}: there are no strengths: {one.models.reason}"
        yield from (f"{where}: {note}" for note in one.models.notes)
        if one.places.p < BIASED:
            told_p = p_words(one.places.p)
            yield f"{where}: {one.places} ({told_p}): places matter, and balance alone protects the order"
        yield from _other_orders(one, where)
        if one.panel not in told.machines:
            yield from low_agreement(one, where)
    yield from alike(criteria)


def _other_orders(one: Comparison, where: str) -> Iterator[str]:
    """Where another model has another system first."""
    for name, by in one.models.beside.items():
        best = max(by, key=lambda system: by[system].estimate)
        if best != one.best.system:
            yield f"{where}: by {CALLED[name]} {best} is strongest, not {one.best.system}; report both"
