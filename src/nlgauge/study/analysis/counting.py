"""Which judgements of a study an analysis counts, and why the others are set aside, in the words of `io.exported`.

It is the rule of `protocols.outputs.analysis.rows.told_apart` for one judgement after the other: practice, warm-up and
screens that test the judge never count, of an answer given again (a correction, a discussion) the last one counts, late
answers as the study file says; judges who are left out count for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.study.analysis.answers import standing
from nlgauge.study.model import Judgement, role_of
from nlgauge.study.service import Service


def reasons(service: Service, judgements: Sequence[Judgement]) -> dict[str, str]:
    """For each judgement of a study, by its id, why it does not count; empty where it does."""
    excluded = service.excluded()
    began = min((event["at"] for event in service.events("discussion")), default=math.inf)
    current = {one.id: one for one in standing(judgements)[0]}
    talked = {one.replaces for one in judgements if one.replaces and one.answered_at >= began}

    def reason(one: Judgement) -> str:
        stands = current.get(one.id)
        if one.practice:
            return role_of(one.role) or "practice"
        if stands is None:
            return "discussed" if one.id in talked else "corrected"
        if stands.surplus and service.study.surplus == "exclude":
            return "surplus"
        return role_of(one.role) or ("excluded" if one.judge in excluded else "")

    return {one.id: reason(one) for one in judgements}
