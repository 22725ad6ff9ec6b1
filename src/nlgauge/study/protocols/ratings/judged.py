"""A study as an evaluation set: every output that was judged, with its text and what each judge gave it.

This is the way from a study to everything that reads ratings beside texts: which metrics follow the judges (`nlgauge
meta`), whether they agree, which system they prefer. The source is the one that judges were shown; references are not
here, because a study keeps what judges see. High is good throughout: what is measured and better low, such as the
penalty of marked errors, stands with a minus and is called so (minus_penalty). Magnitudes are natural logarithms,
divided as the analysis divides them; of comparisons each output has the share that it won. A judge who could not judge
an output leaves a gap, and `cannot_judge` counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nlgauge.io.exported import CANNOT
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated

if TYPE_CHECKING:
    from nlgauge.study.service import Service


SOURCES = ("source", "table")  # what metrics may read of what stood beside a text
MINUS = "minus_"


def judged_set(
    service: Service,
    rated: Rated,
    more: Callable[[Sequence[Judgement]], dict[str, Any]] = lambda _: {},
) -> list[dict[str, Any]]:
    """A row for each output that people judged, by the answers that the analysis counts, high being good.

    `more` gives further keys of a row from the answers about its output.
    """
    rated = rated.without(service.quality.excluded())
    people = [judgement for judgement in rated.counted if judgement.panel not in rated.machines]
    texts = service.frozen.text
    outputs: dict[tuple[str, str], dict[str, list[Judgement]]] = {}
    for judgement in people:
        text = texts[judgement.texts[0]]
        outputs.setdefault((text.item, text.subject), {}).setdefault(judgement.judge, []).append(judgement)
    units = {criterion.id: _units(criterion, people) for criterion in rated.criteria}
    rows = []
    for text in service.frozen.texts:
        found = outputs.pop((text.item, text.subject), None)  # one output may be a text of several screens
        if found is None:
            continue
        own: dict[str, Any] = {"item": text.item, "system": text.subject, "hypothesis": text.text}
        shown = next((text.beside[name] for name in SOURCES if text.beside.get(name)), None)
        own |= {} if shown is None else {"source": shown}
        times = {judge: _times(rated, answers) for judge, answers in found.items()}
        own["ratings"] = {
            f"{MINUS}{criterion.id}" if criterion.lower else criterion.id: [
                value
                for judge in found
                for value in _given(criterion, found[judge], times[judge], units[criterion.id].get(judge, 0.0))
            ]
            for criterion in rated.criteria
        }
        given = [judgement for answers in found.values() for judgement in answers]
        cannot = Counter(name for judgement in given for name in rated.declined.get(judgement.id, ()))
        own |= {CANNOT: dict(sorted(cannot.items()))} if cannot else {}
        own |= more(given)
        if rated.named:  # a judge is a person, and not a place in an imported list
            own["raters"] = [judge for judge in found for _ in range(times[judge])]
        rows.append(own)
    return rows


def _units(criterion: Criterion, people: Sequence[Judgement]) -> dict[str, float]:
    """Each judge's mean, which is taken away where judges choose their own unit."""
    if not criterion.by_judge:
        return {}
    given: dict[str, list[float]] = {}
    for judgement in people:
        if criterion.id in judgement.answer:
            given.setdefault(judgement.judge, []).append(criterion.score(judgement.answer[criterion.id]))
    return {judge: sum(values) / len(values) for judge, values in given.items()}


def _times(rated: Rated, answers: Sequence[Judgement]) -> int:
    """How often a judge was asked about an output: once, but for imported files that name one twice; two pages are one
    time. Who could not judge it was asked as well, and leaves a gap."""
    return max(
        sum(criterion.id in answer.answer or criterion.id in rated.declined.get(answer.id, ()) for answer in answers)
        for criterion in rated.criteria
    )


def _given(criterion: Criterion, answers: Sequence[Judgement], times: int, unit: float) -> list[float | None]:
    """What a judge gave an output, each time, in the judge's own unit; a gap where a criterion was not asked."""
    values = [
        criterion.score(judgement.answer[criterion.id]) - unit
        for judgement in answers
        if criterion.id in judgement.answer
    ]
    signed = [-value if criterion.lower and value else value for value in values]
    return [*signed, *[None] * (times - len(signed))]
