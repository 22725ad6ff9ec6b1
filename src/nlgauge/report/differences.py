"""Two versions of a text with the words that went and those that came, for a page and for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape

CSS = """
.example{border:1px solid #8884;border-radius:8px;padding:.75rem 1rem;margin:0 0 1rem}
.example p{margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.example ins{background:#2e9d5c40;text-decoration:underline}
.example del{background:#d0403540}
.example li{overflow-wrap:anywhere}
"""


def difference(before: str, after: str) -> str:
    """As HTML."""
    return _marked(escape(before), escape(after), "<del>{}</del>", "<ins>{}</ins>")


def plain_difference(before: str, after: str) -> str:
    """As text, with the signs of wdiff.

    >>> plain_difference("a big dog", "a large dog dog")
    'a [-big-] {+large+} dog {+dog+}'
    """
    return _marked(before, after, "[-{}-]", "{{+{}+}}")


def _marked(before: str, after: str, gone: str, come: str) -> str:
    parts = []
    for old, new in _changes(before.split(), after.split()):
        if old == new:
            parts.append(old)
            continue
        parts += [form.format(words) for form, words in ((gone, old), (come, new)) if words]
    return " ".join(parts)


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """Runs of words: old and new ones, which are the same where nothing changed."""
    for _, a, b, c, d in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        yield " ".join(before[a:b]), " ".join(after[c:d])
