"""Examples of an annotation study on its page: outputs with the errors that judges marked, or with their post-edits."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from itertools import pairwise

from nlgauge.report.markup import section
from nlgauge.study.protocols.annotations.analysis.results import AnnotationResult, Example, Mark

EXAMPLES_CSS = """
.example{border:1px solid #8884;border-radius:8px;padding:.75rem 1rem;margin:0 0 1rem}
.example p{margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.example mark{background:#f4c43059;color:inherit;text-decoration:underline;text-decoration-thickness:2px}
.example mark.several{background:#f4c430a6;text-decoration-thickness:4px}
.example ins{background:#2e9d5c40;text-decoration:underline}
.example del{background:#d0403540}
.example li{overflow-wrap:anywhere}
"""


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


def difference(before: str, after: str) -> str:
    """Words that went and words that came."""
    return " ".join(_changes(before.split(), after.split()))


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    for kind, a, b, c, d in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        old, new = escape(" ".join(before[a:b])), escape(" ".join(after[c:d]))
        if kind == "equal":
            yield old
            continue
        if old:
            yield f"<del>{old}</del>"
        if new:
            yield f"<ins>{new}</ins>"
