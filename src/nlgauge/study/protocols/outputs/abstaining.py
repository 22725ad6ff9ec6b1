"""Criteria that a judge may decline to answer: “I cannot judge this” (`cannot_judge` of the study file).

It is stored in place of the answer to the criterion, as `CANNOT`: neither a number nor a gap. Whatever computes takes
the answers without it (`judged`) and knows from `declined` who said it of what; both together are all that was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from nlgauge.errors import InputError, option
from nlgauge.io.exported import CANNOT
from nlgauge.study.model import Judgement


def judged(judgement: Judgement) -> Judgement:
    """The judgement with what was judged only."""
    if not declined(judgement.answer):
        return judgement
    kept = {name: given for name, given in judgement.answer.items() if given != CANNOT}
    return replace(judgement, answer=kept)


def declined(answer: Any) -> frozenset[str]:
    """The criteria of an answer that its judge could not judge."""
    if not isinstance(answer, Mapping):
        return frozenset()
    return frozenset(name for name, given in answer.items() if isinstance(given, str) and given == CANNOT)


def all_declined(judgements: Iterable[Judgement]) -> dict[str, frozenset[str]]:
    """The same of many, by the judgement's id; those where everything was judged are left out."""
    return {judgement.id: found for judgement in judgements if (found := declined(judgement.answer))}


def told_value(given: Any) -> dict[str, Any]:
    """An answer in the rows of an export: a number, or none and a mark that says why."""
    return {"value": None, CANNOT: True} if given == CANNOT else {"value": given}


def taken(given: Iterable[tuple[Any, Any]], offered: frozenset[str], take: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """Answers by criterion: those that decline where that is offered, and the others as `take` reads them."""
    return {
        asked.id: CANNOT if answer == CANNOT and asked.id in offered else take(asked, answer) for asked, answer in given
    }


def simulated(answer: Mapping[str, Any], offered: frozenset[str], share: float, random: Random) -> dict[str, Any]:
    """A simulated answer of which a share is declined, wherever that is offered."""
    declines = share and offered  # without it nothing is drawn, and answers stay those that they were
    return {
        name: CANNOT if declines and name in offered and random.random() < share else given
        for name, given in answer.items()
    }


def check_share(share: float, offered: Sequence[str] | frozenset[str]) -> None:
    """Refused where simulated judges are to decline what the study does not let them decline."""
    if share and not offered:
        raise InputError(
            "no criterion of the study offers “I cannot judge this”, so that no simulated judge can choose it; set "
            f"cannot_judge: true in the study file, or leave {option('cannot_judge')} out"
        )
