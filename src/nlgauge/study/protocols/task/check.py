"""What `study check` says of a task: questions, their key, what judges remember from another text, balance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

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
from nlgauge.study.protocols.task.questions import Posed, normalised
from nlgauge.study.protocols.task.simulation import Readers


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = task_study(frozen.study)
    line = lines.get("ask", 0) or lines.get("ask_column", 0)
    yield from _questions(frozen, study, line)
    yield from _twice(frozen, study, lines)
    yield from balance_findings(frozen, study, lines)
    yield from machine_findings(frozen, study, lines)
    yield from quality_findings(study, lines)
    if simulate:
        yield from rehearsal_findings(frozen, Readers(dropouts=0.1))


def _questions(frozen: Frozen, study: TaskStudy, line: int) -> Iterator[Finding]:
    items = {text.item: posed_about(text) for text in frozen.served}
    questions = [(item, posed) for item, about in items.items() for posed in about]
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in Counter(posed.type for _, posed in questions).items())
    about = f"about {counted(len(items), 'item')}, each by {counted(len(study.subjects), 'system')}"
    figures = {"questions": len(questions), "items": len(items)}
    yield Finding("note", "questions", f"{counted(len(questions), 'question')} ({kinds}) {about}", line, figures)
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
    for kind, message in _key(questions, study):
        yield Finding("risk", kind, message, line)


def _key(questions: Sequence[tuple[str, Posed]], study: TaskStudy) -> Iterator[tuple[str, str]]:
    """Choices that guessing answers, and answers that a text gives away word for word or not at all."""
    easy = sum(posed.chance >= 0.5 for _, posed in questions)
    if easy and study.guessing == "none":
        yield (
            "guessing",
            f"{counted(easy, 'question has', 'questions have')} two options, so half of the answers are right by "
            "guessing; add options, or set guessing: formula to report success corrected for it beside",
        )
    places = Counter(posed.place for _, posed in questions if posed.type == "choice")
    for place, number in places.most_common(1):
        if places.total() >= 8 and number > 0.7 * places.total():
            yield (
                "key",
                f"the right option stands at place {place + 1} in {number:,} of {counted(places.total(), 'choice')}; "
                "judges who notice need not read: change the order of options",
            )
    for item, posed in questions:
        if posed.type == "text" and not all(normalised(words, study.normalise) for words in posed.accepted):
            yield (
                "key",
                f"an accepted answer to {posed.id} of the item {item!r} is empty once it is normalised; write it "
                "otherwise, or leave a step of normalise out",
            )
            break


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
                "the same questions about texts of several systems, and know the answers from the first; take design: "
                "latin with no more items_per_judge than there are items",
                lines.get("design", 0) or lines.get(f"panels.{name}", 0),
                {"sheets": again},
            )
