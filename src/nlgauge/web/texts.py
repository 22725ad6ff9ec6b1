"""Texts as judges read and mark them: as they are written, as Markdown, or as code; never with markup of their own.

Markdown is CommonMark with tables and strikethrough, read by markdown-it-py, without raw HTML, pictures and links: a
page loads nothing from elsewhere and leads nowhere else. Headings are paragraphs, so that the page keeps its own.

What can be marked are words, or longer parts of long texts, each with its place in the original. The three texts of a
page are always split alike, so that the form itself tells nothing about them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def rendered(text: str, how: str) -> Markup:
    """A text as it is shown.

    >>> rendered("**a** <b>", "markdown")
    Markup('<p><strong>a</strong> &lt;b&gt;</p>\\n')
    >>> rendered("a < b", "code"), rendered("a < b", "plain")
    (Markup('<pre><code>a &lt; b</code></pre>'), Markup('a &lt; b'))
    """
    if how == "plain" or not text.strip():
        return escape(text)
    if how == "markdown":
        parser = _parser()
        tokens = parser.parse(text)
        for token in tokens:
            token.attrs.pop("style", None)  # columns of a table that are set right: the policy forbids style in pages
            if token.type in ("heading_open", "heading_close"):
                token.tag = "p"
            if token.type == "heading_open":
                token.attrSet("class", "heading")
        return Markup(parser.renderer.render(tokens, parser.options, {}))
    return Markup("<pre><code>{}</code></pre>").format(text)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False})
    return parser.enable(["table", "strikethrough"]).disable(["link", "image", "autolink", "reference"])


MOST_PARTS = 900  # of the three texts together; a page with that many boxes stays under 100 KB
_LONG_WORD = 40
# Scripts without spaces are split sign by sign; Thai, Lao, Khmer and Myanmar too.
_DENSE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"[.!?…。！？؟۔][\"'”’»)\]]*$")

Span = tuple[int, int]


def split(texts: Sequence[str]) -> list[tuple[Span, ...]]:
    """The spans of each text: words where they are few enough, else runs of so many words that they are."""
    words = [words_of(text) for text in texts]
    total = sum(map(len, words))
    if total <= MOST_PARTS:
        return words
    size = -(-total // MOST_PARTS)
    return [_runs(text, size) for text in texts]


@lru_cache(maxsize=2_048)
def words_of(text: str) -> tuple[Span, ...]:
    """The words of a text; remembered, because the same texts are shown to many judges."""
    found: list[Span] = []
    for match in re.finditer(r"\S+", text):
        start, end = match.span()
        if _DENSE.search(match.group()):
            found += _signs(text, start, end)
        elif end - start > _LONG_WORD:
            found += [(k, min(k + _LONG_WORD, end)) for k in range(start, end, _LONG_WORD)]
        else:
            found.append((start, end))
    return tuple(found)


def _signs(text: str, start: int, end: int) -> list[Span]:
    """Each sign of a dense script alone, what stands between them together."""
    found: list[Span] = []
    begin = start
    for place in range(start, end):
        if _DENSE.match(text[place]):
            if begin < place:
                found.append((begin, place))
            found.append((place, place + 1))
            begin = place + 1
    if begin < end:
        found.append((begin, end))
    return found


@lru_cache(maxsize=512)
def _runs(text: str, size: int) -> tuple[Span, ...]:
    """Runs of at least `size` words that end with a sentence where one ends soon."""
    found: list[Span] = []
    run: list[Span] = []
    for word in words_of(text):
        run.append(word)
        ends = _SENTENCE_END.search(text[word[0] : word[1]]) is not None
        if len(run) >= 2 * size or (len(run) >= size and ends):
            found.append((run[0][0], run[-1][1]))
            run = []
    if run:
        found.append((run[0][0], run[-1][1]))
    return tuple(found)
