"""Outputs as judges read them: as they are written, as Markdown, or as code; never with markup of their own.

Markdown is CommonMark with tables and strikethrough, read by markdown-it-py, without raw HTML, pictures and links: a
page loads nothing from elsewhere and leads nowhere else. Headings are paragraphs, so that the page keeps its own.
"""

from __future__ import annotations

from functools import cache
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
