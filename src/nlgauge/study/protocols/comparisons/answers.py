"""What an answer to a comparison is, for one criterion; places on the screen are counted from 0.

pairwise    {"preference": "a" | "b" | "tie"}, a the first text; with degrees also "strength", 1 the slightest, 0 a tie
ranking     {"ranks": [2, 1, 2]}, in the order of the screen
best-worst  {"best": 0, "worst": 2}

Equal rankings are equal answers: texts that share a rank have that of the best place they share, so that 1, 2, 2, 3
and 1, 2, 2, 4 are both stored as 1, 2, 2, 4. Every answer stands for some wins of one text over another (`wins`),
which is what Bradley and Terry's model and its like are fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from nlgauge.study.refusals import Refused

SIDES = ("a", "b")
TIE = "tie"
Win = tuple[int, int, float]
"""The places of two texts, and the share of the win that the first has: 1, or 0.5 for a tie."""


def whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def preference(answer: Any, *, ties: bool, degrees: int) -> dict[str, Any]:
    """A preference between two texts, where the study allows it."""
    given = _object(answer, "preference", "a preference (a, b or tie)", optional="strength")
    side: Any = given["preference"]
    strength: Any = given.get("strength")
    if side == TIE and not ties:
        raise Refused("invalid", "this study takes no ties: choose one of the two texts")
    if side not in (*SIDES, TIE):
        raise Refused("invalid", f"the preference {side!r} is none of a, b{' and tie' if ties else ''}")
    if not degrees:
        if strength is not None:
            raise Refused("invalid", "this study asks for no strength of the preference")
        return {"preference": side}
    fitting = strength == 0 if side == TIE else whole(strength) and 1 <= strength <= degrees
    if not whole(strength) or not fitting:
        raise Refused("invalid", f"the strength {strength!r} is not between 1 and {degrees} (0 for a tie)")
    return {"preference": side, "strength": strength}


def ranking(answer: Any, texts: int, *, ties: bool) -> dict[str, Any]:
    """Ranks of all texts, where the study allows them."""
    ranks = _object(answer, "ranks", "a list of ranks")["ranks"]
    if not isinstance(ranks, list | tuple) or len(ranks) != texts:
        raise Refused("invalid", f"a ranking has a rank for each of the {texts} texts")
    wrong = rank_fault(ranks, ties=ties)
    if wrong:
        raise Refused("invalid", RANK_FAULTS[wrong].format(texts=texts))
    return {"ranks": competition(ranks)}


RANK_FAULTS = {
    "range": "ranks are whole numbers from 1 to {texts}",
    "first": "one of the texts must have rank 1",
    "shared": "two texts share a rank, which this study does not allow",
}


def rank_fault(ranks: Sequence[Any], *, ties: bool) -> str:
    """What is wrong with ranks, by its name; empty where nothing is."""
    if not all(whole(rank) and 1 <= rank <= len(ranks) for rank in ranks):
        return "range"
    if not ties and len(set(ranks)) < len(ranks):
        return "shared"
    return "" if 1 in ranks else "first"


def competition(ranks: Sequence[int]) -> list[int]:
    """Ranks in their usual form: one more than the number of better texts.

    >>> competition([2, 1, 2, 3])
    [2, 1, 2, 4]
    """
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


def extremes(answer: Any, texts: int) -> dict[str, Any]:
    """The best and the worst of some texts."""
    given = _object(answer, "best", "the places of the best and the worst text", also="worst")
    for name in ("best", "worst"):
        if not whole(given[name]) or not 0 <= given[name] < texts:
            raise Refused("invalid", f"the {name} text is a place from 0 to {texts - 1}, not {given[name]!r}")
    if given["best"] == given["worst"]:
        raise Refused("invalid", "the same text cannot be the best and the worst")
    return {"best": given["best"], "worst": given["worst"]}


def best_of(answer: Mapping[str, Any]) -> int | None:
    """The place of the single best text; None where several are.

    >>> best_of({"ranks": [2, 1, 2]}), best_of({"preference": "tie"})
    (1, None)
    """
    if "preference" in answer:
        return None if answer["preference"] == TIE else SIDES.index(answer["preference"])
    if "ranks" in answer:
        return answer["ranks"].index(1) if answer["ranks"].count(1) == 1 else None
    best: int = answer["best"]
    return best


def wins(answer: Mapping[str, Any], texts: int) -> Iterator[Win]:
    """The comparisons of two texts that an answer stands for; the winner comes first.

    Of best and worst nothing is known about two texts that are neither.
    """
    if "preference" in answer:
        side = answer["preference"]
        yield (1, 0, 1.0) if side == "b" else (0, 1, 0.5 if side == TIE else 1.0)
    elif "ranks" in answer:
        ranks = answer["ranks"]
        for one, other in combinations(range(texts), 2):
            if ranks[one] == ranks[other]:
                yield one, other, 0.5
            else:
                yield (one, other, 1.0) if ranks[one] < ranks[other] else (other, one, 1.0)
    else:
        best, worst = answer["best"], answer["worst"]
        yield best, worst, 1.0
        for middle in set(range(texts)) - {best, worst}:
            yield best, middle, 1.0
            yield middle, worst, 1.0


def _object(answer: Any, name: str, what: str, *, also: str = "", optional: str = "") -> Mapping[str, Any]:
    """An answer with the keys it must have, and none that it cannot have."""
    needed = {value for value in (name, also) if value}
    if not isinstance(answer, Mapping) or not needed <= set(answer) <= {*needed, optional}:
        raise Refused("invalid", f"the answer to a comparison is an object with {what}")
    return answer
