"""What is said of any study of outputs: agreement, panels, criteria, judges, and what a reader must know."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from nlgauge.errors import InputError
from nlgauge.stats.diagnosis import FINE
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.ranking import Clusters
from nlgauge.study.analysis.counting import none_counts
from nlgauge.study.protocols.outputs.analysis.abstaining import Declined
from nlgauge.study.protocols.outputs.analysis.between import ALIKE, Pair
from nlgauge.study.protocols.outputs.analysis.results import OfCriterion
from nlgauge.study.protocols.outputs.analysis.rows import Worded
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.wording.numbers import at_most_seconds, factor

FEW_JUDGES = 5
FEW_ITEMS = 10


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


def place_of(one: Placed, *, several: bool) -> str:
    """The criterion, with its panel where there are several."""
    return f"{one.criterion.label}, panel {one.panel}" if several else one.criterion.label


def nothing_counts(
    what: str, declined: Sequence[Declined], judges: Collection[str], left_out: Mapping[str, str]
) -> InputError:
    """The refusal of a study without an answer that counts: everybody may have declined, or be left out."""
    if not any(counted.cannot for counted in declined):
        return none_counts(what, judges, left_out)
    panels = {counted.panel for counted in declined}
    said = "; ".join(
        f"{place_of(counted, several=len(panels) > 1)}: {counted.cannot:,} of {counted.asked:,}" for counted in declined
    )
    return InputError(f"no {what} counts: all answers are “I cannot judge this” ({said})")


def beyond(
    panels: Sequence[Pair],
    criteria: Sequence[Pair],
    judging: Sequence[Crew],
    more: Sequence[tuple[str, str]] = (),
) -> Iterator[tuple[str, str]]:
    """What is said of panels beside each other (and `more` of them), of criteria beside each other, and of judges."""
    for pair in panels:
        yield f"Panels: {pair.where}", between_panels(pair)
    yield from more
    for pair in criteria:
        head = f"Panel {pair.where}: " if len(judging) > 1 else ""
        yield (
            "Criteria",
            f"{head}{pair.first} and {pair.second} correlate with {pair.systems.words} and {pair.outputs.words}.",
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
    own = {one.system: one.cluster for one in found.systems}
    inside = [(one.system, [name for name in one.beats if own[name] == one.cluster]) for one in found.systems]
    within = "; ".join(f"{name} {side} {', '.join(beaten)}" for name, beaten in inside if beaten)
    also = f" Within clusters, significant as well: {within}." if within else ""
    return (
        f"Clusters at 0.05 ({found.method}; {mark} stands where every system before it is significantly {side} every "
        f"one after it): {shown}.{also}"
    )


def agreement(one: OfCriterion, where: str) -> str:
    """Alpha; why it is low and what to do is not for a paper (`OutputResult.diagnoses`)."""
    found = one.agreeing
    if found.agreement is None:
        return f"Agreement on {where} cannot be told: {found.reason}."
    if not one.named:  # how many judges there were is not known
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
        f"On {pair.where} the panels {pair.first} and {pair.second} correlate with {pair.systems.words} and "
        f"{pair.outputs.words}{gap}."
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
    named = "; ".join(f"{one.judge} ({', '.join(one.failed)})" for one in group.judges if one.failed)
    return f"{said} {len(group.failed):,} of {people(len(group.judges))} failed a check: {named}."


def unknown_wordings(criteria: Sequence[Worded]) -> Iterator[str]:
    """Questions that nobody knows."""
    unknown = [asked.name for asked in criteria if not asked.known]
    if unknown:
        what = "the exact question, and give it" if len(unknown) == 1 else "the exact questions, and give them"
        yield (
            f"{', '.join(unknown)}: {UNKNOWN}; nobody can say what these figures measure, or repeat the study: find "
            f"{what} in the study file"
        )


def panel_warnings(group: Crew, planned: int, items: int, incomplete: str, figures: str) -> Iterator[str]:
    """Few judges, answers that lack, few items, judges who failed a check."""
    judges, done = len(group.judges), group.answers
    if group.named and judges < FEW_JUDGES:
        yield (f"panel {group.panel} has {people(judges)}: too few to generalise to other judges")
    if done < planned:
        yield f"panel {group.panel} has {done:,} of {planned:,} planned answers: {incomplete}"
    if items < FEW_ITEMS:
        several = "item" if items == 1 else "items"
        yield f"panel {group.panel} judged {items} {several}: too few to generalise to other items"
    if group.failed:
        beside = (
            f"the {figures} without them stand beside"
            if len(group.failed) < judges
            else f"nobody is left to show {figures} by; see the checks of care for who failed which"
        )
        yield f"panel {group.panel}: {len(group.failed)} of {people(judges)} failed a check of care; {beside}"


def low_agreement(one: OfCriterion, where: str) -> Iterator[str]:
    """Alpha below the usual mark, or not known."""
    alpha = one.agreeing.alpha
    if alpha < FINE:
        why = (
            "see the diagnosis"
            if one.agreeing.diagnosis
            else "too few judged the same to say why"
            if one.named
            else "why cannot be said, as judges are not named"
        )
        told = (
            f"whether judges agree enough is not settled (Krippendorff's alpha {alpha:.2f}, its interval holds {FINE})"
            if one.agreeing.unsettled
            else f"judges agree little (Krippendorff's alpha {alpha:.2f}, below {FINE})"
        )
        yield f"{where}: {told}; {why}"
    elif one.agreeing.agreement is None:
        yield f"{where}: agreement is not known: {one.agreeing.reason}"


def alike(criteria: Sequence[Pair]) -> Iterator[str]:
    """Criteria that may be one."""
    for pair in criteria:
        found = pair.outputs.pearson
        if found.defined and found.estimate > ALIKE and pair.outputs.n > FEW_ITEMS:
            yield (
                f"{pair.first} and {pair.second} correlate with {pair.outputs.words}: judges may not tell them apart"
            )
