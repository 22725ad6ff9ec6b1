"""What `study check` says of a rating study: texts, what is shown, neighbours that anchor, balance, a simulated run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Text
from nlgauge.study.protocols.outputs.check import (
    agreement_findings,
    balance_findings,
    criteria_findings,
    machine_findings,
    page_findings,
    quality_findings,
    rehearsal_findings,
)
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.protocols.ratings.file import RatingStudy, TextRatingStudy, rating_study
from nlgauge.study.protocols.ratings.passing import tested


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = rating_study(frozen.study)
    yield from text_findings(frozen, study, lines)
    yield from criteria_findings(study, lines)
    yield from page_findings(study, lines)
    yield from balance_findings(frozen, study, lines)
    yield from agreement_findings(frozen, study, lines)
    yield from machine_findings(frozen, study, lines)
    copied = study.quality if isinstance(study, TextRatingStudy) else None
    yield from quality_findings(study, lines, tested(study, copied) if copied else {})
    if simulate:
        from nlgauge.study.protocols.ratings.simulation import Raters

        yield from rehearsal_findings(frozen, Raters(dropouts=0.1))


def text_findings(frozen: Frozen, study: RatingStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """How many texts there are, how often each is rated, and which are empty."""
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    served = plain_texts(frozen.served)
    people = [
        slot
        for slot in frozen.slots
        if not slot.role
        and study.panels[slot.panel].kind == "people"
        and plain_texts(frozen.text[text] for text in slot.texts)
    ]
    each = len(people) / max(1, len(served))
    line, total = lines.get("data", 0) or lines.get("subjects", 0), counted(len(served), "text")
    said = f"{counted(items, 'item')} by {counted(systems, 'system')}: {total}, each rated {each:.1f} times on average"
    figures = {"items": items, "systems": systems, "texts": len(served), "ratings_each": round(each, 2)}
    yield Finding("note", "texts", said, line, figures)
    if each < 1:
        yield Finding(
            "risk",
            "texts",
            f"{counted(len(people), 'rating is', 'ratings are')} fewer than the {len(served):,} texts, so that some "
            "have no rating; ask more judges, or rate fewer items (items: …)",
            lines.get("panels", 0),
        )
    empty = [text for text in served if not text.text.strip()]
    if empty:
        yield Finding(
            "note" if 2 * len(empty) < len(served) else "risk",
            "texts",
            f"{counted(len(empty), 'text is', 'texts are')} empty (for example {_named(empty[0])}); judges read that "
            "there is no text",
            line,
            {"empty": len(empty)},
        )
    shown = {text for slot in frozen.slots for text in slot.texts}
    if systems == 1:
        yield Finding("note", "texts", "there is one system, so nothing is compared", lines.get("systems", 0))
    unseen = [text for text in served if text.id not in shown]
    if unseen and each >= 1:
        nobody = f"rated by nobody (for example {_named(unseen[0])})"
        said = f"{counted(len(unseen), 'text is', 'texts are')} {nobody}"
        yield Finding("risk", "texts", said, lines.get("design", 0))


def _named(text: Text) -> str:
    return f"{text.item!r} by {text.subject}"
