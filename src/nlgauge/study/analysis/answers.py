"""Which answers stand after all corrections, and the refusal of a study in which none counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from nlgauge.errors import InputError, counted
from nlgauge.study.model import Judgement


def standing(judgements: Sequence[Judgement]) -> tuple[list[Judgement], int]:
    """What stands after all corrections, and how many answers these replaced.

    The last one of a chain stands, in the place and with the standing of the first.

    Whether an answer is practice or surplus, when it was shown and in which order it came is the original's: a
    correction changes what was answered, not when.
    """
    by_id = {one.id: one for one in judgements}
    last: dict[str, tuple[tuple[bool, float, int], Judgement]] = {}
    for one in judgements:
        chain = _chain(one, by_id)
        base = by_id[chain[-1]]
        if (one.study, one.judge, one.texts, one.role) != (base.study, base.judge, base.texts, base.role):
            raise InputError(
                f"judgement {one.id!r} corrects {base.id!r} but has another judge or other texts; a correction may "
                "change the answer and the reasons only"
            )
        rank = (len(chain) > 1, one.answered_at, len(chain))  # a correction stands before what it corrects
        if base.id not in last or rank >= last[base.id][0]:
            last[base.id] = (rank, one)
    found = [_in_place_of(by_id[origin], one) for origin, (_, one) in last.items()]
    return found, len(judgements) - len(found)


def _chain(one: Judgement, by_id: Mapping[str, Judgement]) -> list[str]:
    """A judgement, the one it corrects, and so on to the original."""
    chain = [one.id]
    while (before := by_id[chain[-1]].replaces) != "":
        if before not in by_id:
            raise InputError(
                f"judgement {chain[-1]!r} corrects {before!r}, which is not among the judgements; give both"
            )
        if before in chain:
            raise InputError(f"the corrections of judgement {one.id!r} go in a circle")
        chain.append(before)
    return chain


def _in_place_of(base: Judgement, one: Judgement) -> Judgement:
    return replace(
        one,
        panel=base.panel,
        slot=base.slot,
        number=base.number,
        shown_at=base.shown_at,
        answered_at=base.answered_at,
        practice=base.practice,
        surplus=base.surplus,
    )


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
