"""What is said of any study of outputs: agreement, panels, criteria, judges, exclusions, wordings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from nlgauge.report.study.notes import called
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.ranking import Clusters
from nlgauge.study.protocols.outputs.analysis.abstaining import ALPHA, METHOD, Declined
from nlgauge.study.protocols.outputs.analysis.between import Pair, Related
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion
from nlgauge.study.protocols.outputs.analysis.rows import Worded
from nlgauge.study.protocols.outputs.analysis.variants import ALL, KEPT, Beside, Variant
from nlgauge.study.protocols.outputs.passing import percent
from nlgauge.wording.numbers import at_most_seconds, exact_p, factor, p_words

Sentence = tuple[str, str]
"""A heading and a text."""


class Checked(Protocol):
    """A judge by name, with the checks that failed."""

    @property
    def judge(self) -> str:
        """Who."""
        ...

    @property
    def failed(self) -> tuple[str, ...]:
        """Which."""
        ...


class Crew(Protocol):
    """The judges of a panel, as far as sentences tell of them."""

    @property
    def panel(self) -> str:
        """The panel."""
        ...

    @property
    def judges(self) -> Sequence[Checked]:
        """Each of them."""
        ...

    @property
    def named(self) -> bool:
        """Whether they are people, or places in the lists of an imported file."""
        ...

    @property
    def answers(self) -> int:
        """How many count."""
        ...

    @property
    def seconds(self) -> Sequence[float]:
        """Of each answer, where it is known."""
        ...

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        ...

    @property
    def median(self) -> float:
        """Seconds of the middle answer."""
        ...


class Placed(Protocol):
    """Something found of one criterion in one panel."""

    @property
    def panel(self) -> str:
        """The panel."""
        ...

    @property
    def criterion(self) -> Worded:
        """What was asked."""
        ...


def place(placed: Placed, *, several: bool) -> str:
    """The criterion, with its panel where there are several."""
    return called(placed.criterion.label, placed.panel if several else "")


def beyond(
    panels: Sequence[Pair],
    criteria: Sequence[Pair],
    judging: Sequence[Crew],
    more: Sequence[Sentence] = (),
) -> Iterator[Sentence]:
    """What is said of panels beside each other (and `more` of them), of criteria beside each other, and of judges."""
    for pair in panels:
        yield f"Panels: {pair.where}", between_panels(pair)
    yield from more
    for pair in criteria:
        head = f"Panel {pair.where}: " if len(judging) > 1 else ""
        yield (
            "Criteria",
            f"{head}{pair.first} and {pair.second} correlate with {related(pair.systems)} and {related(pair.outputs)}.",
        )
    for group in judging:
        if group.judges or not group.named:  # a machine has neither times nor care
            yield f"Judges: {group.panel}", judges(group)


def clustered(found: Clusters, *, lower: bool = False) -> str:
    """The clusters from best to worst; what the line between two says, and who differs within one."""
    groups = found.groups
    shown = (" < " if lower else " > ").join(", ".join(group) for group in groups)
    if all(len(group) == 1 for group in groups):
        return f"Clusters at 0.05 ({found.method}): {shown}."
    mark, side = ("<", "below") if lower else (">", "above")
    cluster = {ranked.system: ranked.cluster for ranked in found.systems}
    inside = [
        (ranked.system, [name for name in ranked.beats if cluster[name] == ranked.cluster]) for ranked in found.systems
    ]
    within = "; ".join(f"{name} {side} {', '.join(beaten)}" for name, beaten in inside if beaten)
    also = f" Within clusters, significant as well: {within}." if within else ""
    return (
        f"Clusters at 0.05 ({found.method}; {mark} stands where every system before it is significantly {side} every "
        f"one after it): {shown}.{also}"
    )


def agreement(part: OfCriterion, where: str) -> str:
    """Alpha; why it is low and what to do is not for a paper (`words.diagnoses`)."""
    found = part.agreeing
    if found.agreement is None:
        return f"Agreement on {where} cannot be told: {found.reason}."
    if not part.named:  # how many judges there were is not known
        return f"On {where}: {found.agreement['krippendorff']}."
    return f"On {where}: {found.agreement.sentence}"


def between_panels(pair: Pair) -> str:
    """Means and correlations of two panels."""
    side = "higher" if pair.difference > 0 else "lower"
    gap = (
        ""
        if math.isnan(pair.difference)
        else f"; numbers of {pair.first} are {factor(pair.difference)} times those of {pair.second} on average"
        if pair.ratio
        else f"; {pair.first} rate {abs(pair.difference):.2g} {side} than {pair.second} on average"
    )
    return (
        f"On {pair.where} the panels {pair.first} and {pair.second} correlate with {related(pair.systems)} and "
        f"{related(pair.outputs)}{gap}."
    )


def judges(group: Crew) -> str:
    """Times, and who failed a check."""
    if not group.named:
        return f"Panel {group.panel}: the {group.answers:,} answers do not name their judges."
    number = len(group.seconds)
    took = "how long answers took is not known"
    if number > 1:
        took = f"half of the {number:,} answers took {at_most_seconds(group.median)}"
    elif number:
        took = f"the one answer took {group.median:.0f} seconds"
    said = f"Panel {group.panel}: {took}."
    if not group.failed:
        return f"{said} No judge failed a check of care."
    named = "; ".join(f"{judge.judge} ({', '.join(judge.failed)})" for judge in group.judges if judge.failed)
    return f"{said} {len(group.failed):,} of {people(len(group.judges))} failed a check: {named}."


def related(found: Related) -> str:
    """`r = 0.97 (systems, n = 6, p = 0.0012)`."""
    if not found.pearson.defined:
        return f"r undefined ({found.what}, n = {found.n:,})"
    p = "" if math.isnan(found.p) else f", {p_words(found.p)}"
    return f"r = {found.pearson.estimate:.2f} ({found.what}, n = {found.n:,}{p})"


def left_out(beside: Beside[Worded], where: str, told: Callable[[float], str]) -> str:
    """Who is left out and what that changes; `told` writes a figure."""
    named = "; ".join(f"{judge} ({reason})" for judge, reason in beside.left_out.items())
    every, kept = beside.variant(ALL), beside.variant(KEPT)
    assert every is not None and kept is not None

    def listed(variant: Variant, order: Sequence[str]) -> str:
        return ", ".join(f"{system} {told(variant.means[system].mean)}" for system in order)

    same = beside.order(ALL) == beside.order(KEPT)
    verb = "is" if len(beside.left_out) == 1 else "are"
    return (
        f"{len(beside.left_out)} of {people(every.judges)} {verb} left out: {named}. For {where} the {beside.what} "
        f"with all judges are {listed(every, beside.order(ALL))} (alpha {two(every.alpha)}), without those left out "
        f"{listed(kept, beside.order(KEPT))} (alpha {two(kept.alpha)}); the order of the systems "
        f"{'is the same' if same else 'changes'}."
    )


def two(value: float) -> str:
    """Two decimals of alpha."""
    return "not defined" if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def could_not_judge(declined: Declined, where: str) -> str:
    """What a reader of the means must know."""
    said = (
        f"{where}: {declined.cannot:,} of {declined.asked:,} answers ({percent(declined.cannot / declined.asked)}) are "
        "“I cannot judge this”, and count in no mean, model or agreement"
    )
    if declined.p is None:
        if not declined.cannot:
            return said
        return (
            f"{said}; whether systems differ in it cannot be told: they share no items, or every screen shows all "
            "of them"
        )
    tested = f"({METHOD}, p = {exact_p(declined.p)})"
    if declined.p >= ALPHA:
        return f"{said}; no difference between systems was found {tested}"
    most, least = (pick(declined.systems, key=declined.share) for pick in (max, min))
    return (
        f"{said}; systems differ in it, from {percent(declined.share(least))} ({least}) to "
        f"{percent(declined.share(most))} ({most}) {tested}: the outputs left are no random part of each "
        "system's, and means of them can mislead"
    )
