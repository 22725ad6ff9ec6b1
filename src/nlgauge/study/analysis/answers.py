"""Which judgements count: practice never, surplus by the rule fixed at launch, corrections for what they correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from nlgauge.errors import InputError, counted
from nlgauge.study.analysis.plan import Plan
from nlgauge.study.types import TRIADS, Judgement


@dataclass(frozen=True)
class Answers:
    """The judgements that count, in the order in which they were given, and what was set aside."""

    counted: tuple[Judgement, ...]
    practice: tuple[Judgement, ...]
    surplus: tuple[Judgement, ...]  # left out by the plan's rule
    corrected: int  # judgements that a correction has replaced

    def without(self, judges: Collection[str]) -> Answers:
        """The same without some judges' answers."""
        return replace(self, counted=tuple(one for one in self.counted if one.judge not in judges))

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        return tuple(one for one in self.counted if one.panel == panel)


def select(judgements: Sequence[Judgement], plan: Plan) -> Answers:
    """Apply the rules. A judgement that cannot be right (no such triad, texts missing, a lost original) is refused."""
    _check(judgements)
    current, corrected = standing(judgements)
    practice = [one for one in current if one.practice]
    rest = [one for one in current if not one.practice]
    surplus = [one for one in rest if one.surplus and plan.surplus == "exclude"]
    counted = [one for one in rest if not (one.surplus and plan.surplus == "exclude")]
    for one in counted:
        plan.panel(one.panel)
    answers = Answers(
        tuple(sorted(counted, key=lambda one: (one.answered_at, one.id))),
        tuple(practice),
        tuple(surplus),
        corrected,
    )
    _check_replication(answers, plan)
    return answers


def _check(judgements: Sequence[Judgement]) -> None:
    seen: set[str] = set()
    for one in judgements:
        where = f"judgement {one.id!r}"
        if one.id in seen:
            raise InputError(f"{where} occurs twice; an export holds each judgement once")
        seen.add(one.id)
        if one.triad not in TRIADS:
            raise InputError(f"{where} has the triad {one.triad!r}; expected one of {', '.join(TRIADS)}")
        if len(one.texts) != 3 or len(one.items) != 3:
            raise InputError(f"{where} names {len(one.texts)} texts and {len(one.items)} items; expected three each")
        if one.answer not in (0, 1, 2):
            raise InputError(f"{where} has the answer {one.answer!r}; expected the position chosen: 0, 1 or 2")
        if not one.answered_at >= one.shown_at:
            raise InputError(
                f"{where} was answered before it was shown ({one.answered_at} < {one.shown_at}); check its times"
            )


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
        if (one.study, one.judge, one.texts, one.triad) != (base.study, base.judge, base.texts, base.triad):
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


def _check_replication(answers: Answers, plan: Plan) -> None:
    for panel in plan.people:
        times = Counter(one.judge for one in answers.of(panel.name))
        most = max(times.values(), default=0)
        if plan.goal == "similarity" and most > 1:
            judge = times.most_common(1)[0][0]
            raise InputError(
                f"judge {judge!r} of panel {panel.name!r} gave {most} answers that count, but a similarity test "
                "needs one answer from each judge: repeated answers are not independent and could hide a difference"
            )
        if most > panel.replication:
            judge = times.most_common(1)[0][0]
            raise InputError(
                f"judge {judge!r} of panel {panel.name!r} gave {most} answers that count, where the plan allows "
                f"{panel.replication}; mark the others as surplus, or plan for replication"
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
