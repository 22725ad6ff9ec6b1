"""Which judgements of a study count, and why the others are set aside: the one rule of analysis, export and statement.

Practice, warm-up and screens that test the judge never count; of an answer given again (a correction, a discussion) the
last one counts, in the place of the first; late answers as the study file says; judges who are left out count for
nothing. The reasons are the words of `io.exported`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nlgauge.errors import InputError, counted
from nlgauge.io.exported import SURPLUS, reason_of
from nlgauge.study.model import Judgement, role_of

if TYPE_CHECKING:
    from nlgauge.study.service import Service


@dataclass(frozen=True)
class Counted:
    """The judgements of a study as they stand, in the order in which they came, told apart by whether they count."""

    standing: tuple[Judgement, ...]  # after all corrections: the last of a chain, in the place of the first
    reasons: Mapping[str, str]  # of every judgement, by its id, why it does not count; empty where it does
    corrected: int  # how many do not stand any more

    @property
    def counted(self) -> list[Judgement]:
        """Those that count."""
        return [judgement for judgement in self.standing if not self.reasons[judgement.id]]

    @property
    def aside(self) -> dict[str, list[Judgement]]:
        """The others that stand, by the reason why they do not count."""
        found: dict[str, list[Judgement]] = {}
        for judgement in self.standing:
            if why := self.reasons[judgement.id]:
                found.setdefault(why, []).append(judgement)
        return found

    @property
    def given(self) -> list[Judgement]:
        """The answers to the evaluations of the design: those that count, of judges left out, and to screens that
        test the judge; no practice, and no answer that came too late."""
        return [
            judgement for judgement in self.standing if not judgement.practice and self.reasons[judgement.id] != SURPLUS
        ]


def sort(
    judgements: Sequence[Judgement], surplus: str, *, excluded: Collection[str] = (), discussed: float = math.inf
) -> Counted:
    """Tell apart the judgements of a study.

    Args:
        judgements: all of them, practice and corrections included, in any order.
        surplus: the study's rule for late answers, exclude or include.
        excluded: the judges who are left out.
        discussed: when the first discussion began; who changed an answer after that did not correct it.
    """
    current, replaced = standing(judgements)
    reasons = {judgement.id: _reason(judgement, surplus, excluded) for judgement in current}
    talked = {judgement.replaces for judgement in judgements if judgement.answered_at >= discussed}
    for judgement in judgements:
        if judgement.id not in reasons:
            again = "discussed" if judgement.id in talked else "corrected"
            reasons[judgement.id] = (role_of(judgement.role) or "practice") if judgement.practice else again
    return Counted(tuple(current), reasons, replaced)


def _reason(judgement: Judgement, surplus: str, excluded: Collection[str]) -> str:
    late = judgement.surplus and surplus == "exclude"
    why = reason_of(role_of(judgement.role), practice=judgement.practice, surplus=late)
    return why or ("excluded" if judgement.judge in excluded else "")


def of_service(service: Service, judgements: Sequence[Judgement] | None = None) -> Counted:
    """The same of a launched study, whose log knows who is left out and when a discussion began."""
    began = min((event["at"] for event in service.events("discussion")), default=math.inf)
    rows = service.judgements() if judgements is None else judgements
    return sort(rows, service.study.surplus, excluded=service.quality.excluded(), discussed=began)


def fills(judgement: Judgement) -> bool:
    """Whether a judgement is the first answer in time to an evaluation of the design: what fills its slot."""
    return not (judgement.practice or judgement.surplus or judgement.replaces)


def standing(judgements: Sequence[Judgement]) -> tuple[list[Judgement], int]:
    """What stands after all corrections, and how many answers these replaced.

    The last one of a chain stands, in the place and with the standing of the first.

    Whether an answer is practice or surplus, when it was shown and in which order it came is the original's: a
    correction changes what was answered, not when.
    """
    by_id = {judgement.id: judgement for judgement in judgements}
    last: dict[str, tuple[tuple[bool, float, int], Judgement]] = {}
    for judgement in judgements:
        chain = _chain(judgement, by_id)
        base = by_id[chain[-1]]
        if any(getattr(judgement, name) != getattr(base, name) for name in ("study", "judge", "texts", "role")):
            raise InputError(
                f"judgement {judgement.id!r} corrects {base.id!r} but has another judge or other texts; a correction "
                "may change the answer and the reasons only"
            )
        rank = (len(chain) > 1, judgement.answered_at, len(chain))  # a correction stands before what it corrects
        if base.id not in last or rank >= last[base.id][0]:
            last[base.id] = (rank, judgement)
    current = [_in_place_of(by_id[origin], judgement) for origin, (_, judgement) in last.items()]
    return current, len(judgements) - len(current)


def _chain(judgement: Judgement, by_id: Mapping[str, Judgement]) -> list[str]:
    """A judgement, the one it corrects, and so on to the original."""
    chain = [judgement.id]
    while (before := by_id[chain[-1]].replaces) != "":
        if before not in by_id:
            raise InputError(
                f"judgement {chain[-1]!r} corrects {before!r}, which is not among the judgements; give both"
            )
        if before in chain:
            raise InputError(f"the corrections of judgement {judgement.id!r} go in a circle")
        chain.append(before)
    return chain


def _in_place_of(base: Judgement, judgement: Judgement) -> Judgement:
    names = ("panel", "slot", "number", "shown_at", "answered_at", "practice", "surplus")
    return replace(judgement, **{name: getattr(base, name) for name in names})


def none_counts(what: str, judges: Collection[str], left_out: Mapping[str, str]) -> InputError:
    """The refusal of a study without an answer that counts, whose `judges` may all be left out, each for a reason."""
    if not judges or not left_out.keys() >= set(judges):
        return InputError(
            f"no {what} counts: there are no answers yet, or all are practice, warm-up or surplus, or of judges who "
            "are left out"
        )
    reasons = Counter(left_out[judge] for judge in set(judges)).most_common()
    why = "; ".join(f"{counted(number, 'judge')}: {reason}" for reason, number in reasons)
    return InputError(
        f"no {what} counts: all who answered are left out ({why}); let judges in again whose answers are to count "
        "(nlgauge study readmit), and look at the checks and the rule in the study file"
    )
