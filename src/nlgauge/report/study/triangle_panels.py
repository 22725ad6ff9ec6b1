"""What is said of the panels of a triangle study: the verdict of each, of people or a machine, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from nlgauge.stats.discrimination.panels import Combined
from nlgauge.stats.discrimination.replicated import Replicated
from nlgauge.stats.discrimination.testing import FAR_FEWER, compared
from nlgauge.stats.discrimination.wording import chance, people, percent
from nlgauge.study.protocols.triangle.analysis.looks import Stopped
from nlgauge.study.protocols.triangle.analysis.machines import MachineAgreement
from nlgauge.study.protocols.triangle.analysis.panels import Difference, Panels
from nlgauge.study.protocols.triangle.analysis.reading import Live
from nlgauge.study.protocols.triangle.analysis.verdict import Exclusion, Scope, Verdict
from nlgauge.wording.numbers import signs

FEW_FOR_SIMILARITY = 30  # inputs below which similarity is concluded for other texts more often than β allows
TOO_OFTEN = (
    "Of so few inputs it is drawn somewhat too often where texts differ much from input to input: in 4 to 8 % of "
    "simulated studies of 12 or 24 inputs at the limit, where 5 % are allowed."
)
NOT_PEOPLE = "answers of a model are not answers of people: the verdict speaks of this model only"
CAUTION = (
    "panels differ in more than their name (recruitment, time, device, language): a difference between them need not "
    "come from what they know"
)
EACH_STOPS = (
    "Each panel follows the rule of stopping by itself, with its own risk; the study concludes only what every panel "
    "of people concludes."
)
SELECTED = (
    "the comparison of panels takes their answers as if their numbers had been fixed; panels that stopped when their "
    "count was extreme look more different than they are"
)
NOT_ADJUSTED = (
    "the figures called exact are those of a test with this fixed number and not adjusted for the looks; those "
    "in view of the looks are. A study that stops when the count is extreme exaggerates its estimate a little"
)
ADVICE = {
    "difference": "Stop now: a difference is concluded.",
    "similarity": "Stop now: similarity is concluded.",
    "undecided": "Stop now: the last planned answer is there, and nothing is concluded.",
    "continue": "Go on.",
}


def verdict(found: Verdict) -> str:
    """What may be written in a paper of one panel."""
    test = found.test
    if found.machine:
        return "" if test is None else _of_machine(found)
    parts = []
    if found.stopped is not None:
        if len(found.authors) == 2:
            parts.append(
                f"The triangle test compared the texts of {found.authors[0]} with those of {found.authors[1]}."
            )
        elif found.authors:
            parts.append("The triangle test.")
        parts.append(stopped(found.stopped))
        parts.append(_estimated(found))
    if test is not None and found.stopped is None:
        parts.append(_tested(found))
    if test is not None and found.scope is not None and (found.stopped is None or found.stopped.over):
        parts.append(scope(found.scope, test.goal))
    if found.replicated is not None:
        parts.append(_replicated(found.replicated))
    return " ".join(filter(None, parts))


def sensitivity(found: Verdict) -> str:
    """d′, and the power for the plan's p_d; nothing of a machine, nor where looks decide when to stop."""
    test = found.test
    if test is None or found.machine or found.stopped is not None:
        return ""
    d = test.d_prime
    ends = [f"{value:.2f}" if math.isfinite(value) else "no limit" for value in (d.estimate, d.low, d.high)]
    text = (
        f"d′ is estimated as {ends[0]} ({ends[1]} to {ends[2]}, each limit with "
        f"{percent((1 + d.level) / 2)} confidence)"
    )
    if test.power is None:
        return f"{text}."
    text += f". With {test.answers:,} answers "
    if test.goal == "similarity":
        return f"{text}texts without any difference pass with probability {test.power:.3f}."
    return f"{text}the power for the planned p_d of {percent(found.p_d or 0.0)} is {test.power:.3f}."


def verdict_notes(found: Verdict) -> list[str]:
    """What a reader of one panel's figures must know."""
    test = found.test
    if test is None:
        return ["no answer counts yet"] if found.answers == 0 else []
    if found.machine:
        return list(_notes_on_machine(found))
    notes = list(test.notes)
    if found.stopped is not None:
        notes.append(NOT_ADJUSTED)
    if found.closed and found.answers + found.left_out < found.planned:
        notes.append(
            f"the study was closed with {found.answers + found.left_out:,} of {found.planned:,} planned answers: if it "
            "was closed in view of the answers, the risks are not those stated"
        )
    return notes


def _notes_on_machine(found: Verdict) -> Iterator[str]:
    assert found.test is not None
    yield from (note for note in found.test.notes if note != FAR_FEWER)  # of people it makes one doubt the counting
    if FAR_FEWER in found.test.notes:
        yield (
            "fewer odd texts were found than guessing gives: by chance, or because the machine goes by something else "
            "than the author, such as what the texts are about"
        )
    yield NOT_PEOPLE
    if found.test.answers < found.planned:
        yield (
            f"the machine left {found.planned - found.test.answers:,} of {found.planned:,} triads unanswered: if they "
            "are harder or easier than the others, its share is not that of all"
        )


def _tested(found: Verdict) -> str:
    """The sentence of the test; where judges gave unequal numbers of answers, one that says so."""
    test = found.test
    assert test is not None
    if found.judges == found.answers or test.per_judge > 1:
        return test.sentence
    counts = [number for _, _, number in found.by_judge]
    how = f"{chance(test.p_value)}, α = {test.risk:g}"
    claim = (
        f"There is a perceptible difference (exact binomial, {how}: {test.evidence} evidence of difference)."
        if test.concluded
        else f"No perceptible difference was shown (exact binomial, {how}), which is not evidence that there is none."
    )
    return (
        f"In the triangle test{compared(test.authors)}, {test.correct:,} of {found.answers:,} answers "
        f"({people(found.judges)}, {min(counts)} to {max(counts)} answers each) "
        f"were correct ({percent(test.correct / found.answers)}; "
        f"guessing gives 33.3 %). {claim}"
    )


def _estimated(found: Verdict) -> str:
    test, looks, p = found.test, found.adjusted, found.p_in_view_of_looks
    if test is None or looks is None or p is None or test.per_judge > 1:
        return ""  # a share of people cannot be read off pooled answers
    return (
        f"An estimated {percent(test.p_d.estimate)} of people perceive a difference (in view of the looks, by the "
        f"stage-wise order: at least {percent(looks.low)}, at most {percent(looks.high)}, {chance(p)})."
    )


def _replicated(model: Replicated) -> str:
    interval = f"{percent(model.p_d.level)} interval {percent(model.p_d.low)} to {percent(model.p_d.high)}"
    differ = "differ" if model.dispersion_p <= 0.05 else "were not shown to differ"
    return (
        f"The answers of one judge are not independent; by the beta-binomial model {percent(model.p_d.estimate)} of "
        f"people perceive a difference ({interval}; likelihood ratio against guessing, "
        f"{chance(model.difference_p)}), and judges {differ} from each other "
        f"({chance(model.dispersion_p)})."
    )


def scope(found: Scope, goal: str) -> str:
    """For which texts the conclusion holds."""
    test, figures = found.test, ""
    shown = f"{found.texts:,} texts of {found.inputs:,} inputs"
    if test is not None:
        limit = f"at least {percent(test.p_d.low)}" if goal == "difference" else f"at most {percent(test.p_d.high)}"
        figures = f"with texts as clusters {chance(test.p_value)}, p_d {limit}, design effect {test.design_effect:.2f}"
    if found.few or test is None:
        seen = f"in {found.trios:,} combination{'s' if found.trios > 1 else ''}"
        why = figures or "no two answers without a common text, so no test with texts as clusters"
        return (
            f"{'The conclusion holds for' if found.concluded else 'The study speaks of'} the {shown} that were shown "
            f"({seen}), too few to say anything of other texts ({why})."
        )
    if not found.concluded:
        return f"The study showed {shown} ({figures})."
    if found.beyond:
        often = goal == "similarity" and test.units < FEW_FOR_SIMILARITY
        return (
            f"The conclusion also holds for other texts of these kinds: {shown} were shown ({figures})."
            f"{f' {TOO_OFTEN}' if often else ''}"
        )
    return (
        f"The conclusion holds for the {shown} that were shown; for other texts of these kinds it was not shown "
        f"({figures})."
    )


def stopped(found: Stopped) -> str:
    """What a rule of stopping says of the answers so far."""
    if found.closed:
        return (
            f"The study was closed after {found.used:,} answers, before its rule of stopping had come to a conclusion."
        )
    text = _wald(found) if found.rule == "wald" else _looks(found)
    later = found.given - found.used
    after = f" The {later:,} answers that came after it are not part of the test." if found.over and later else ""
    return text + after


def _wald(found: Stopped) -> str:
    heads = {
        "difference": "Wald's sequential test ended with a difference",
        "similarity": f"Wald's sequential test ended with similarity (p_d below {100 * found.p_d:g} %)",
        "undecided": "Wald's sequential test ended undecided, with neither conclusion, at the last planned answer,",
        "continue": "Wald's sequential test goes on",
    }
    text = (
        f"{heads[found.state]} after {found.used:,} answers, {found.correct:,} of them correct (risks really run: "
        f"α = {found.risks[0]:.4f}, β = {found.risks[1]:.4f}; at most {found.most:,} answers)."
    )
    if found.over:
        return text
    low, high = found.bounds
    ends = [
        f"{what} at {count:,} or {more} correct"
        for what, count, more, possible in (
            ("a difference", high, "more", high <= found.used + 1),
            ("similarity", low, "fewer", low >= 0),
        )
        if possible
    ]
    return (
        f"{text} The next answer, number {found.used + 1:,}, would conclude "
        f"{' and '.join(ends) if ends else 'nothing yet'}."
    )


def _looks(found: Stopped) -> str:
    goal = "a difference" if found.goal == "difference" else "similarity"
    if found.critical is not None:
        at_least = "at least" if found.goal == "difference" else "at most"
        return (
            f"The planned look after {found.used:,} answers found {found.correct:,} correct, where {at_least} "
            f"{found.critical:,} conclude {goal}; the looks together run a risk of {found.risks[0]:.4f} (at most "
            f"{found.stated:g})."
        )
    if found.over:
        return (
            f"At the last planned look, after {found.used:,} answers, {found.correct:,} were correct, which does not "
            f"conclude {goal} (risk at most {found.stated:g})."
        )
    seen = (
        f"The look after {found.used:,} answers ({found.correct:,} correct) did not end the study"
        if found.used
        else "No look yet"
    )
    return f"{seen}; {found.given:,} answers are there, the next planned look is after {found.next_look:,}."


def live(found: Live) -> str:
    """The verdict while a study runs, or why there is none."""
    if not found.allowed:
        return found.reason
    return " ".join(
        f"{f'Panel {panel.name}: ' if len(found.panels) > 1 else ''}{ADVICE[panel.stopped.state]} "
        f"{stopped(panel.stopped)}"
        for panel in found.panels
        if panel.stopped is not None
    )


def live_in_json(found: Live) -> dict[str, Any]:
    """Where a running study stands, as `study status` tells it."""
    rows = []
    for panel in found.panels if found.allowed else ():
        rows.append(row := panel.to_dict())
        if panel.stopped is not None:
            row["sequential"] |= {"sentence": stopped(panel.stopped), "advice": ADVICE[panel.stopped.state]}
    return {"allowed": found.allowed, "stop": found.stop, "sentence": live(found), "panels": rows}


def exclusion(found: Exclusion) -> str:
    """Who is left out and what that changes."""
    named = "; ".join(f"{name} ({reason})" for name, reason in found.left_out.items())
    verb = "is" if len(found.left_out) == 1 else "are"
    return (
        f"{len(found.left_out):,} of {found.every.judges:,} judges {verb} left out: {named}. With all judges "
        f"{_figures(found.every)}; without those left out {_figures(found.kept)}; the conclusion "
        f"{'is the same' if found.same else 'changes'}."
    )


def _figures(found: Verdict) -> str:
    counts = f"{found.correct:,} of {found.answers:,} answers are correct"
    if found.test is None:
        return f"{counts}, and nothing is concluded yet"
    share = found.test.p_d
    return (
        f"{counts} (p_d {percent(share.estimate)}, at least {percent(share.low)}, at most {percent(share.high)}; "
        f"{chance(found.test.p_value)})"
    )


def _of_machine(found: Verdict) -> str:
    """The verdict on a machine: what it did in these triads, and that nothing more is said."""
    test, reach = found.test, found.scope
    assert test is not None
    how = f"{test.method} over triads, {chance(test.p_value)}"
    sure = percent((1 + test.p_d.level) / 2, 2)
    share = "of such triads beyond guessing"
    if test.goal == "difference":
        claim = (
            f"It tells the two authors apart ({how}, α = {test.risk:g}); with {sure} confidence in at least "
            f"{percent(test.p_d.low)} {share} (estimate {percent(test.p_d.estimate)})."
            if test.concluded
            else f"That it tells the two authors apart was not shown ({how}, α = {test.risk:g}), which is not "
            "evidence that it cannot."
        )
    else:
        bound = f"with {sure} confidence it tells them apart in at most {percent(test.p_d.high)} {share}"
        claim = (
            f"To this machine the texts are similar: {bound}, below the limit of {percent(test.p_d_limit)} ({how}, "
            f"β = {test.risk:g})."
            if test.concluded
            else f"That the texts are similar to this machine was not shown ({how}, β = {test.risk:g}): {bound}, "
            f"where the limit was {percent(test.p_d_limit)}."
        )
    shown = ""
    if reach is not None:
        clusters = "" if reach.test is None else f"; with texts as clusters {chance(reach.test.p_value)}"
        shown = f" ({reach.texts:,} texts of {reach.inputs:,} inputs{clusters})"
    return (
        f"In a triangle test{compared(test.authors)} the machine {found.panel} picked the odd text "
        f"in {test.correct:,} of {test.answers:,} triads "
        f"({percent(test.correct / test.answers)}; guessing gives 33.3 %). {claim} All triads were judged by the "
        f"one machine, so the unit is the triad: the conclusion is limited to this machine and these texts{shown}, "
        "and says nothing of readers."
    )


def machine_beside(found: MachineAgreement) -> str:
    """What may be written of a machine and the people who judged the same triads."""
    kappa = "" if found.kappa is None else f", Cohen's κ = {signs(f'{found.kappa:.2f}')}"
    shown = "neither was shown to be right more often"
    if found.p <= 0.05:
        better = "the machine was" if found.machine_only > found.people_only else "people were"
        shown = f"{better} right more often"
    return (
        f"On the {found.n:,} triads that both judged, the machine {found.machine} and the panel {found.people} chose "
        f"the same text in {found.same:,} ({percent(found.estimate)}; {percent(found.level)} exact interval "
        f"{percent(found.low)} to {percent(found.high)}), where chance gives {percent(found.by_places)} by the places "
        f"they chose{kappa}, and {percent(found.by_correctness)} by how often each was right. The machine alone was "
        f"right in {found.machine_only:,} triads, the person alone in {found.people_only:,}: {shown} (exact McNemar "
        f"test, {chance(found.p)})."
    )


def machine_notes(found: MachineAgreement) -> list[str]:
    """What a reader of that must know."""
    if found.judges == found.n:
        return []
    return [f"the {found.n:,} answers are of {found.judges:,} people: the interval takes them for independent"]


def panels(found: Panels) -> str:
    """How far panels differ, and what they show together."""
    parts = list(map(_difference, found.differences))
    if found.stopping:
        parts.append(EACH_STOPS)
    if found.together is not None:
        parts.append(_joint(found.together))
    if found.p_adjusted:
        by_panel = ", ".join(f"{name} {chance(p)}" for name, p in found.p_adjusted)
        parts.append(f"Panel by panel, corrected for their number (Holm): {by_panel}.")
    return " ".join(parts)


def panel_notes(found: Panels) -> list[str]:
    """What a reader of that must know."""
    more = (SELECTED,) if found.stopping else () if found.together is None else found.together.notes
    return [CAUTION, *more]


def _difference(found: Difference) -> str:
    shown = "differ" if found.p_adjusted <= 0.05 else "were not shown to differ"
    known = not math.isnan(found.low)
    interval = f", {percent(found.level)} interval {_points(found.low)} to {_points(found.high)}" if known else ""
    return (
        f"The panels {found.first} and {found.second} {shown}: p_d by {_points(found.estimate)} points{interval} "
        f"({chance(found.p)}, Holm-adjusted {chance(found.p_adjusted)})."
    )


def _points(share: float) -> str:
    return signs(f"{100 * share:+.1f}")


def _joint(found: Combined) -> str:
    """What the panels of people show together; how far they differ is said by the comparison of each two."""
    if found.goal == "similarity":
        holds = "holds in every panel" if found.concluded else "was not shown in every panel"
        return (
            f"Similarity (p_d below {percent(found.p_d_limit)}, β = {found.risk:g}) {holds} (largest exact "
            f"{chance(found.p_all)})."
        )
    shown = "there is a perceptible difference" if found.concluded else "no perceptible difference was shown"
    right, total = sum(panel.correct for panel in found.panels), sum(panel.judges for panel in found.panels)
    return (
        f"In the panels of people together {right:,} of {total:,} answers were correct: {shown} (pooled exact "
        f"binomial, {chance(found.p_pooled)}, α = {found.risk:g})."
    )


def verdict_in_json(found: Verdict) -> dict[str, Any]:
    """The verdict of one panel in the JSON form of `study analyse`."""
    row = found.to_dict()
    if found.scope is not None and found.test is not None:
        figures = row["texts_as_clusters"]
        test = figures.pop("test")
        figures |= {"sentence": scope(found.scope, found.test.goal), "test": test}
    if found.stopped is not None:
        row["sequential"] |= {"sentence": stopped(found.stopped), "advice": ADVICE[found.stopped.state]}
    return row | {"sentence": verdict(found), "sensitivity": sensitivity(found), "warnings": verdict_notes(found)}
