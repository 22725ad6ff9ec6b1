"""A rating study as an evaluation set: every output that was rated, with its text and what each judge gave it.

This is the way from a study to everything that reads ratings beside texts: which metrics follow the judges (`nlgauge
meta`), whether they agree, which system they prefer. References are not here, because a study keeps what judges see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated, sort_out
from nlgauge.study.types import Judgement

if TYPE_CHECKING:
    from nlgauge.study.service import Service


def judged_set(service: Service) -> list[dict[str, Any]]:
    """A row for each output that people rated, by the answers that the analysis counts, high being good."""
    frozen = service.frozen
    rated = sort_out(frozen, service.judgements()).without(service.excluded())
    by_text: dict[str, dict[str, list[Judgement]]] = {}
    for one in rated.counted:
        if one.panel not in rated.machines:
            by_text.setdefault(one.texts[0], {}).setdefault(one.judge, []).append(one)
    rows = []
    for text in frozen.texts:
        if found := by_text.get(text.id):
            own: dict[str, Any] = {"item": text.item, "system": text.subject, "hypothesis": text.text}
            own["ratings"] = {
                one.id: [_given(one, answers) for answers in found.values()] for one in rated.criteria
            }
            rows.append(own | _raters(rated, list(found)))
    return rows


def _given(criterion: Criterion, answers: list[Judgement]) -> float | None:
    """What a judge gave an output: the first number, since a criterion may be asked on one of two pages only."""
    values = [criterion.score(one.answer[criterion.id]) for one in answers if criterion.id in one.answer]
    return values[0] if values else None


def _raters(rated: Rated, judges: list[str]) -> dict[str, Any]:
    """Who they were, where a judge is a person and not a place in an imported list."""
    return {"raters": judges} if rated.named else {}
