"""Machines in the analysis: which panels are theirs, what their verdict says, and how far they agree with people.

A machine that judges n triads is one judge n times, not n judges. Its verdict therefore has the triad as its unit and
speaks of this machine and these texts; of readers it says nothing.

Agreement is looked at on the triads that both judged, in the same order on the screen. Beside the share of equal
choices (Clopper-Pearson) stand two values that chance would give: from how often each chose the three places, as in
Cohen's κ, and from how often each was right, if nothing but the odd text made them agree (who errs picks either other
text alike). Who is right more often is McNemar's question, by the exact sign test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.discrimination.testing import FAR_FEWER, DiscriminationTest, compared
from nlgauge.stats.discrimination.wording import Kind, percent
from nlgauge.stats.exact import sign_test
from nlgauge.study.launch.frozen import machine_slots
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan
from nlgauge.study.protocols.triangle.analysis.wording import p_text

if TYPE_CHECKING:
    from nlgauge.study.launch.frozen import Frozen
    from nlgauge.study.protocols.triangle.analysis.clusters import Scope

NOT_PEOPLE = "answers of a model are not answers of people: the verdict speaks of this model only"


@dataclass(frozen=True)
class MachineAgreement:
    """A machine beside a panel of people on the triads that both judged."""

    machine: str
    people: str
    n: int
    same: int
    estimate: float  # share of triads with the same choice
    low: float
    high: float
    level: float
    by_places: float  # what chance gives by how often each chose the three places
    by_correctness: float  # and by how often each was right
    kappa: float | None  # Cohen's, over the places; None where both always chose the same one
    both_right: int
    machine_only: int
    people_only: int
    neither: int
    p: float  # exact McNemar test: is one of them right more often?
    method: str
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        kappa = "" if self.kappa is None else f", Cohen's κ = {self.kappa:.2f}".replace("-", "−")
        shown = "neither was shown to be right more often"
        if self.p <= 0.05:
            better = "the machine was" if self.machine_only > self.people_only else "people were"
            shown = f"{better} right more often"
        return (
            f"On the {self.n:,} triads that both judged, the machine {self.machine} and the panel {self.people} chose "
            f"the same text in {self.same:,} ({percent(self.estimate)}; {percent(self.level)} exact interval "
            f"{percent(self.low)} to {percent(self.high)}), where chance gives {percent(self.by_places)} by the places "
            f"they chose{kappa}, and {percent(self.by_correctness)} by how often each was right. The machine alone was "
            f"right in {self.machine_only:,} triads, the person alone in {self.people_only:,}: {shown} (exact McNemar "
            f"test, {p_text(self.p)})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return vars(self) | {"notes": list(self.notes), "sentence": self.sentence}


def machine_panels(launched: Frozen, judgements: Sequence[Judgement]) -> tuple[PanelPlan, ...]:
    """The panels of machines that were set to a panel's triads after launch.

    A machine's slots carry names that follow from its panel's name, so an exported file shows them as well; answers of
    a panel that is neither planned nor such a copy are left to be refused.
    """
    strange: dict[str, Judgement] = {}
    for one in judgements:
        if one.panel not in launched.study.panels:
            strange.setdefault(one.panel, one)
    found = []
    for name, one in strange.items():
        for like in launched.study.panels:
            copied = machine_slots(launched, name, like)
            if any(slot.id == one.slot and slot.texts == one.texts for slot in copied):
                found.append(PanelPlan(name, 1, len(copied), machine=True))
                break
    return tuple(found)


def narrowed(plan: Plan, judgements: Sequence[Judgement], panel: str) -> tuple[Plan, tuple[Judgement, ...]]:
    """One panel only: the plan without the others, and not one of the others' answers."""
    names = [one.name for one in plan.panels]
    if panel not in names:
        raise InputError(f"there is no panel {panel!r} with answers; there are {', '.join(map(repr, names))}")
    own = tuple(one for one in judgements if one.panel == panel)
    return replace(plan, panels=(plan.panel(panel),)), own


def kind_of(panel: PanelPlan, answers: int) -> Kind:
    """A machine's panel explores: goal and risks were planned for people."""
    if answers < panel.answers:
        return Kind("exploratory", f"{answers:,} of {panel.answers:,} triads were judged")
    return Kind("exploratory", "one machine; goal and risks were planned for people")


def notes_on(panel: PanelPlan, found: DiscriminationTest) -> tuple[str, ...]:
    """What a reader of a machine's verdict must know."""
    notes = [note for note in found.notes if note != FAR_FEWER]
    if len(notes) < len(found.notes):
        notes.append(
            "fewer odd texts were found than guessing gives: by chance, or because the machine goes by something else "
            "than the author, such as what the texts are about"
        )
    notes.append(NOT_PEOPLE)
    if found.answers < panel.answers:
        notes.append(
            f"the machine left {panel.answers - found.answers:,} of {panel.answers:,} triads unanswered: if they are "
            "harder or easier than the others, its share is not that of all"
        )
    return tuple(notes)


def machine_sentence(name: str, found: DiscriminationTest, scope: Scope | None) -> str:
    """The verdict on a machine: what it did in these triads, and that nothing more is said."""
    how = f"{found.method} over triads, {p_text(found.p_value)}"
    sure = percent((1 + found.p_d.level) / 2, 2)
    share = "of such triads beyond guessing"
    if found.goal == "difference":
        claim = (
            f"It tells the two authors apart ({how}, α = {found.risk:g}); with {sure} confidence in at least "
            f"{percent(found.p_d.low)} {share} (estimate {percent(found.p_d.estimate)})."
            if found.concluded
            else f"That it tells the two authors apart was not shown ({how}, α = {found.risk:g}), which is not "
            "evidence that it cannot."
        )
    else:
        bound = f"with {sure} confidence it tells them apart in at most {percent(found.p_d.high)} {share}"
        claim = (
            f"To this machine the texts are similar: {bound}, below the limit of {percent(found.p_d_limit)} ({how}, "
            f"β = {found.risk:g})."
            if found.concluded
            else f"That the texts are similar to this machine was not shown ({how}, β = {found.risk:g}): {bound}, "
            f"where the limit was {percent(found.p_d_limit)}."
        )
    shown = ""
    if scope is not None:
        test = "" if scope.test is None else f"; with texts as clusters {p_text(scope.test.p_value)}"
        shown = f" ({scope.texts:,} texts of {scope.inputs:,} inputs{test})"
    return (
        f"In a triangle test{compared(found.authors)} the machine {name} picked the odd text "
        f"in {found.correct:,} of {found.answers:,} triads "
        f"({percent(found.correct / found.answers)}; guessing gives 33.3 %). {claim} All triads were judged by the "
        f"one machine, so the unit is the triad: the conclusion is limited to this machine and these texts{shown}, "
        "and says nothing of readers."
    )


def agreements(
    plan: Plan, answers: Sequence[Judgement], people: Sequence[str], *, level: float = 0.95
) -> tuple[MachineAgreement, ...]:
    """Every machine beside every panel of people that judged the same triads."""
    found = []
    for machine in plan.panels:
        if not machine.machine:
            continue
        own = {_triad(one): one for one in answers if one.panel == machine.name}
        for panel in people:
            pairs = [(own[_triad(one)], one) for one in answers if one.panel == panel and _triad(one) in own]
            if pairs:
                found.append(agreement(machine.name, panel, pairs, level=level))
    return tuple(found)


def agreement(
    machine: str, people: str, pairs: Sequence[tuple[Judgement, Judgement]], *, level: float = 0.95
) -> MachineAgreement:
    """Pairs of a machine's and a person's judgement of the same triad."""
    n = len(pairs)
    same = sum(one.answer == other.answer for one, other in pairs)
    low, high = limits(same, n, tail=(1 - level) / 2)
    right = [(one.correct, other.correct) for one, other in pairs]
    places = [
        sum(one.answer == place for one, _ in pairs) * sum(other.answer == place for _, other in pairs)
        for place in range(3)
    ]
    by_places = sum(places) / n**2
    first, second = sum(one for one, _ in right) / n, sum(other for _, other in right) / n
    judges = len({other.judge for _, other in pairs})
    notes = (
        () if judges == n else (f"the {n:,} answers are of {judges:,} people: the interval takes them for independent",)
    )
    machine_only, people_only = right.count((True, False)), right.count((False, True))
    return MachineAgreement(
        machine=machine,
        people=people,
        n=n,
        same=same,
        estimate=same / n,
        low=low,
        high=high,
        level=level,
        by_places=by_places,
        by_correctness=first * second + (1 - first) * (1 - second) / 2,
        kappa=None if by_places == 1 else (same / n - by_places) / (1 - by_places),
        both_right=right.count((True, True)),
        machine_only=machine_only,
        people_only=people_only,
        neither=right.count((False, False)),
        p=sign_test(machine_only, people_only),
        method="Clopper-Pearson interval over triads; exact McNemar test",
        notes=notes,
    )


def _triad(one: Judgement) -> tuple[int, tuple[str, ...]]:
    """The evaluation that a machine's slot was copied from has the same number and texts."""
    return one.number, one.texts
