"""A rating study as an evaluation set: every output that was rated, with its text and what each judge gave it.

This is the way from a study to everything that reads ratings beside texts: which metrics follow the judges (`nlgauge
meta`), whether they agree, which system they prefer. The source is the one that judges were shown; references are not
here, because a study keeps what judges see. High is good throughout: what is measured and better low, such as the
penalty of marked errors, stands with a minus and is called so (minus_penalty).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated, sort_out
from nlgauge.study.types import Judgement

if TYPE_CHECKING:
    from nlgauge.study.service import Service


SOURCES = ("source", "table")  # what metrics may read of what stood beside a text
MINUS = "minus_"


def judged_set(
    service: Service, judgements: Sequence[Judgement] | None = None, measures: Sequence[Criterion] = ()
) -> list[dict[str, Any]]:
    """A row for each output that people rated, by the answers that the analysis counts, high being good.

    `judgements` are the study's with numbers for answers where these were measured; `measures` says what they are.
    """
    frozen = service.frozen
    given = service.judgements() if judgements is None else judgements
    rated = sort_out(frozen, given, measures=measures).without(service.excluded())
    by_text: dict[str, dict[str, list[Judgement]]] = {}
    for one in rated.counted:
        if one.panel not in rated.machines:
            by_text.setdefault(one.texts[0], {}).setdefault(one.judge, []).append(one)
    rows = []
    for text in frozen.texts:
        if found := by_text.get(text.id):
            own: dict[str, Any] = {"item": text.item, "system": text.subject, "hypothesis": text.text}
            shown = next((text.beside[name] for name in SOURCES if text.beside.get(name)), None)
            if shown is not None:
                own["source"] = shown
            times = {judge: _times(rated.criteria, answers) for judge, answers in found.items()}
            own["ratings"] = {
                _called(one): [value for judge in found for value in _given(one, found[judge], times[judge])]
                for one in rated.criteria
            }
            rows.append(own | _raters(rated, [judge for judge in found for _ in range(times[judge])]))
    return rows


def _called(criterion: Criterion) -> str:
    return f"{MINUS}{criterion.id}" if criterion.lower else criterion.id


def _times(criteria: Sequence[Criterion], answers: Sequence[Judgement]) -> int:
    """How often a judge rated an output: once, but for imported files that name one twice; two pages are one time."""
    return max(sum(one.id in answer.answer for answer in answers) for one in criteria)


def _given(criterion: Criterion, answers: Sequence[Judgement], times: int) -> list[float | None]:
    """What a judge gave an output, each time; a gap where a criterion was not asked."""
    values = [criterion.score(one.answer[criterion.id]) for one in answers if criterion.id in one.answer]
    signed = [-value if criterion.lower and value else value for value in values]
    return [*signed, *[None] * (times - len(signed))]


def _raters(rated: Rated, judges: list[str]) -> dict[str, Any]:
    """Who they were, where a judge is a person and not a place in an imported list."""
    return {"raters": judges} if rated.named else {}
