"""For which texts a conclusion holds: those shown, or also others of the same kinds.

Judges are dealt texts at random, so for the texts shown the exact binomial test is right. For other texts the inputs
are a sample too: answers that share an input are not independent (`stats.discrimination.clustered`). Where few inputs
were shown, the sentence limits the conclusion to them, whatever the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.clustered import Clustered, clustered
from nlgauge.stats.discrimination.wording import percent
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.analysis.wording import p_text

FEW = 10  # inputs, or trios of inputs, below which a conclusion is about the texts shown only

FEW_FOR_SIMILARITY = 30  # inputs below which similarity is concluded for other texts more often than β allows
TOO_OFTEN = (
    "Of so few inputs it is drawn somewhat too often where texts differ much from input to input: in 4 to 8 % of "
    "simulated studies of 12 or 24 inputs at the limit, where 5 % are allowed."
)


@dataclass(frozen=True)
class Scope:
    """How far the verdict reaches. `test` is None where every two answers share an input."""

    texts: int
    inputs: int
    trios: int
    few: bool
    beyond: bool  # the conclusion also holds for other texts
    test: Clustered | None
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        found = None if self.test is None else self.test.to_dict()
        return {key: value for key, value in vars(self).items() if key != "test"} | {"test": found}


def scope(plan: Plan, answers: Sequence[Judgement], concluded: bool, *, machine: bool = False) -> Scope:
    """The test with inputs as clusters; texts of one input share its topic and belong together.

    The answers of a machine are all by one judge: what they share is the texts alone.
    """
    texts = len({text for one in answers for text in one.texts})
    inputs = len({item for one in answers for item in one.items})
    trios = len({frozenset(one.items) for one in answers})
    few = min(inputs, trios) < FEW
    judges = [one.judge for one in answers]
    try:
        found = clustered(
            [one.correct for one in answers],
            [one.items for one in answers],
            goal=plan.goal,
            risk=plan.risk,
            p_d=plan.p_d,
            judges=judges if len(set(judges)) < len(judges) and not machine else None,
        )
    except InputError:
        found = None
    beyond = concluded and not few and found is not None and found.concluded and not machine
    shown = f"{texts:,} texts of {inputs:,} inputs"
    return Scope(
        texts,
        inputs,
        trios,
        few,
        beyond,
        found,
        _sentence(shown, trios, few, beyond, concluded, found, plan.goal),
    )


def _sentence(
    shown: str, trios: int, few: bool, beyond: bool, concluded: bool, found: Clustered | None, goal: str
) -> str:
    figures = ""
    if found is not None:
        limit = f"at least {percent(found.p_d.low)}" if goal == "difference" else f"at most {percent(found.p_d.high)}"
        figures = (
            f"with texts as clusters {p_text(found.p_value)}, p_d {limit}, design effect {found.design_effect:.2f}"
        )
    if few or found is None:
        seen = f"in {trios:,} combination{'s' if trios > 1 else ''}"
        why = figures or "no two answers without a common text, so no test with texts as clusters"
        return (
            f"{'The conclusion holds for' if concluded else 'The study speaks of'} the {shown} that were shown "
            f"({seen}), too few to say anything of other texts ({why})."
        )
    if not concluded:
        return f"The study showed {shown} ({figures})."
    if beyond:
        often = goal == "similarity" and found.units < FEW_FOR_SIMILARITY
        return (
            f"The conclusion also holds for other texts of these kinds: {shown} were shown ({figures})."
            f"{f' {TOO_OFTEN}' if often else ''}"
        )
    return (
        f"The conclusion holds for the {shown} that were shown; for other texts of these kinds it was not shown "
        f"({figures})."
    )
