"""What `study check` says of a task: questions, their key, what judges remember from another text, balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.outputs.check import (
    MANY,
    balance_findings,
    machine_findings,
    quality_findings,
    rehearsal_findings,
)
from nlgauge.study.protocols.task.file import TaskStudy, task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import normalised
from nlgauge.study.protocols.task.simulation import Readers


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = task_study(frozen.study)
    line = lines.get("ask", 0) or lines.get("ask_column", 0)
    yield from _questions(frozen, study, line)
    yield from _key(frozen, study, line)
    yield from _twice(frozen, study, lines)
    yield from balance_findings(frozen, study, lines)
    yield from machine_findings(frozen, study, lines)
    yield from quality_findings(study, lines)
    if simulate:
        yield from rehearsal_findings(frozen, Readers(dropouts=0.1))


def _questions(frozen: Frozen, study: TaskStudy, line: int) -> Iterator[Finding]:
    items = {text.item: text for text in frozen.served}
    questions = [posed for text in items.values() for posed in posed_about(text)]
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in Counter(posed.type for posed in questions).items())
    yield Finding(
        "note",
        "questions",
        f"{counted(len(questions), 'question')} ({kinds}) about {counted(len(items), 'item')}, each by "
        f"{counted(len(study.subjects), 'system')}",
        line,
        {"questions": len(questions), "items": len(items)},
    )
    each = len(questions) / max(1, len(items))
    for name, panel in study.panels.items():
        if panel.evaluations * each > MANY and panel.kind == "people":
            yield Finding(
                "risk",
                "fatigue",
                f"panel {name}: {counted(panel.evaluations, 'text')} with {each:.1f} questions are "
                f"{panel.evaluations * each:.0f} answers of each judge; more than {MANY} tire, so give each fewer",
                line,
            )


def _key(frozen: Frozen, study: TaskStudy, line: int) -> Iterator[Finding]:
    """Choices that guessing answers, and answers that a text gives away word for word or not at all."""
    items = {text.item: text for text in frozen.served}
    easy = [posed for text in items.values() for posed in posed_about(text) if posed.chance >= 0.5]
    if easy and study.guessing == "none":
        yield Finding(
            "risk",
            "guessing",
            f"{counted(len(easy), 'question has', 'questions have')} two options, so half of the answers are right "
            "by guessing; add options, or "
            "set guessing: formula to report success corrected for it beside",
            line,
        )
    places = Counter(posed.place for text in items.values() for posed in posed_about(text) if posed.type == "choice")
    total = sum(places.values())
    if total >= 8 and max(places.values()) > 0.7 * total:
        yield Finding(
            "risk",
            "key",
            f"the right option stands at place {places.most_common(1)[0][0] + 1} in {max(places.values()):,} of "
            f"{counted(total, 'choice')}; judges who notice need not read: change the order of options",
            line,
        )
    empty = [
        (text.item, posed.id)
        for text in items.values()
        for posed in posed_about(text)
        if posed.type == "text" and any(not normalised(words, study.normalise) for words in posed.accepted)
    ]
    if empty:
        yield Finding(
            "risk",
            "key",
            f"an accepted answer to {empty[0][1]} of the item {empty[0][0]!r} is empty once it is normalised; write it "
            "otherwise, or leave a step of normalise out",
            line,
        )


def _twice(frozen: Frozen, study: TaskStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Judges who are asked the same question about two systems' texts answer the second from memory."""
    for name, panel in study.panels.items():
        own = sorted((slot for slot in frozen.slots if slot.panel == name), key=lambda slot: slot.number)
        each = max(1, panel.evaluations)
        sheets = [own[start : start + each] for start in range(0, len(own), each)]
        again = sum(len(sheet) > len({frozen.text[slot.texts[0]].item for slot in sheet}) for sheet in sheets)
        if again:
            yield Finding(
                "risk",
                "memory",
                f"panel {name}: {again:,} of {counted(len(sheets), 'judge')} {'is' if again == 1 else 'are'} asked "
                "the same questions about texts of "
                "several systems, and know the answers from the first; take design: latin with no more "
                "items_per_judge than there are items",
                lines.get("design", 0) or lines.get(f"panels.{name}", 0),
                {"sheets": again},
            )
