"""What a comparative study shows, in sentences for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from nlgauge.report.study.sentences import Sentence, agreement, beyond, clustered, left_out, place
from nlgauge.stats.results import Estimate
from nlgauge.study.protocols.comparisons.analysis.planning import NextStudy
from nlgauge.study.protocols.comparisons.analysis.results import Comparison, ComparisonResult
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, SystemStrength
from nlgauge.study.protocols.comparisons.machines import MachineCompared, Machines, Position
from nlgauge.study.statements.wording_effects import of_wordings
from nlgauge.wording.numbers import p_words

BIASED = 0.05


def number(value: float) -> str:
    """A strength as it is written."""
    return "n/a" if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def sentences(result: ComparisonResult) -> Iterator[Sentence]:
    """Headings and texts."""
    several = result.several_panels
    alone = {group.panel for group in result.judging if not group.judges}
    places = {(part.panel, part.criterion.id): place(part, several=several) for part in result.comparisons}
    for part in result.comparisons:
        where = place(part, several=several)
        yield f"Strengths: {where}", strengths(part, where)
        yield f"Places, ties and circles: {where}", biases(part, where)
        if part.panel not in alone or part.judges > 1:
            yield f"Agreement: {where}", agreement(part, where)
    yield from beyond(result.panels, result.criteria, result.judging)
    for beside in result.beside:
        where = places[beside.panel, beside.criterion.id]
        yield f"Exclusions: {where}", left_out(beside, where, number)
    for part in result.comparisons:
        if part.planning is not None:
            where = place(part, several=several)
            yield f"Next study: {where}", f"For {where}, {plan(part.planning)}"
    yield from of_machines(result.machines)
    yield from of_wordings(result.wordings)


def of_machines(found: Machines) -> Iterator[Sentence]:
    """Machines beside people, and their places."""
    for compared in found.beside:
        about = f"The machine {compared.machine} beside {compared.people}: {compared.criterion}"
        yield about, beside_people(compared)
    for position in found.places:
        yield f"Places of the machine {position.machine}: {position.criterion}", machine_places(position)


def in_json(result: ComparisonResult, found: dict[str, Any]) -> None:
    """Add to the JSON form what is said of plans and machines."""
    for part, row in zip(result.comparisons, found["criteria"], strict=True):
        if part.planning is not None:
            row["next_study"]["sentence"] = plan(part.planning)
    for compared, row in zip(result.machines.beside, found["machines"], strict=True):
        row["sentence"] = beside_people(compared)
    for position, row in zip(result.machines.places, found["machine_places"], strict=True):
        row["sentence"] = machine_places(position)


def plan(found: NextStudy) -> str:
    """How many answers a study like this needs."""
    text = (
        f"{found.answers:,} answers find a difference of {found.least:.2f} logits "
        f"({100 / (1 + math.exp(-found.least)):.0f} % of preferences) with power {found.power:.2f}; six preferences in "
        f"ten need {found.six_in_ten:,} answers, by {math.ceil(found.judges * found.six_in_ten / found.answers):,} "
        "judges who answer as many as these did."
    )
    known = {name: number for name, number in found.neighbours.items() if number is not None}
    if known:
        listed = "; ".join(f"{name} {number:,} answers" for name, number in known.items())
        text += f" At the differences seen here, which may be luck, neighbours not told apart need: {listed}."
    return text


def machine_places(found: Position) -> str:
    """Whether a machine goes by places."""
    first = found.places[0]
    chance = 100 / max(2, len(found.places))
    text = (
        f"On {found.criterion} the machine {found.machine} chose the text in the first place in "
        f"{_percent(first)} of {first.n:,} decided screens, where {chance:.0f} % would show no preference for "
        "places"
    )
    text += "." if math.isnan(found.p) else f" (exact sign test, {p_words(found.p)})."
    if found.same is not None:
        text += (
            f" Of {found.both:,} pairs judged in both orders it preferred the same text in {_percent(found.same)}; "
            f"the first place won twice in {found.first_twice:,}, the second in {found.second_twice:,}."
        )
    return text


def beside_people(found: MachineCompared) -> str:
    """One machine beside one panel of people."""
    kappa = "" if math.isnan(found.kappa) else f", Cohen's κ = {found.kappa:.2f}"
    text = (
        f"On {found.criterion} the machine {found.machine} and the panel {found.people} preferred the same text in "
        f"{_percent(found.same)} of {found.same.n:,} comparisons of the same two texts{kappa}"
    )
    text += f", and in {_percent(found.decided)} where neither saw a tie." if found.decided is not None else "."
    if found.ceiling is not None:
        text += f" Two people did so in {_percent(found.ceiling)} of {found.ceiling.n:,}."
    if found.alternative is not None:
        told = str(found.alternative)
        text += f" {told[0].upper()}{told[1:]}."
    return text


def _percent(one: Estimate) -> str:
    if math.isnan(one.low):
        return f"{100 * one.estimate:.1f} %"
    return f"{100 * one.estimate:.1f} % ({100 * one.level:g} % interval {100 * one.low:.1f} to {100 * one.high:.1f})"


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
