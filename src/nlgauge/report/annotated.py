"""Examples of an annotation study on its page: outputs with the errors that judges marked, or with their post-edits."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from nlgauge.report.differences import CSS, difference
from nlgauge.report.markup import section
from nlgauge.study.protocols.annotations.analysis.results import AnnotationResult, Example, Mark

EXAMPLES_CSS = (
    CSS
    + """
.example mark{background:#f4c43059;color:inherit;text-decoration:underline;text-decoration-thickness:2px}
.example mark.several{background:#f4c430a6;text-decoration-thickness:4px}
"""
)


def examples_section(result: AnnotationResult) -> str:
    """The outputs in which most was marked or edited."""
    if not result.examples:
        return ""
    marked = any(one.marks or one.missing for one in result.examples)
    about = (
        "Outputs in which most was marked; words marked by several judges are darker. Each error stands below with its "
        "judge."
        if marked
        else "Outputs with what judges made of them: deleted words struck out, new ones underlined."
    )
    return section("Examples", about, "".join(map(_example, result.examples)))


def _example(one: Example) -> str:
    head = f"<h3>{escape(one.system)}, {escape(one.item)}</h3>"
    if one.edited:
        body = "".join(
            f'<p dir="auto"><small>{escape(judge)}:</small> {difference(one.text, text)}</p>'
            for judge, text in one.edited
        )
    else:
        body = f'<p dir="auto">{marked_text(one.text, one.marks) or "(no text)"}</p>{_list(one)}'
    return f'<div class="example">{head}{body}</div>'


def _list(one: Example) -> str:
    rows = [(one.text[mark.start : mark.end], mark) for mark in one.marks]
    rows += [("(missing)", mark) for mark in one.missing]
    said = "".join(
        f"<li>{escape(words)}: {escape(' · '.join(filter(None, (mark.category, mark.severity))))}, {escape(mark.judge)}"
        f"{escape(f' – {mark.note}') if mark.note else ''}</li>"
        for words, mark in rows
    )
    return f"<ul>{said}</ul>" if said else "<p>No judge marked an error.</p>"


def marked_text(text: str, marks: tuple[Mark, ...]) -> str:
    """The text with what was marked; overlapping errors are cut where their number changes."""
    cuts = sorted({0, len(text), *(place for mark in marks for place in (mark.start, mark.end))})
    return "".join(_piece(text, start, end, marks) for start, end in pairwise(cuts))


def _piece(text: str, start: int, end: int, marks: tuple[Mark, ...]) -> str:
    over = [mark for mark in marks if mark.start <= start and end <= mark.end]
    words = escape(text[start:end])
    if not over:
        return words
    several = ' class="several"' if len({mark.judge for mark in over}) > 1 else ""
    told = "; ".join(dict.fromkeys(" · ".join(filter(None, (mark.category, mark.severity))) for mark in over))
    return f'<mark{several} title="{escape(told)}">{words}</mark>'
