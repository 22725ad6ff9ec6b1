"""Pages, made of the templates beside this module, which escape every text by themselves.

A page is one file: nothing is loaded from elsewhere, and but for one script of ours (`page.js`: sorting, saving, and a
word where a table is wider than the screen), without which it is complete, none may run; the content-security policy in
its head says so to the browser.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from nlgauge import __version__
from nlgauge.io import atomic_path
from nlgauge.report.style import CSS, printable
from nlgauge.wording.markup import element, escaped
from nlgauge.wording.numbers import signs
from nlgauge.wording.tables import ARROWS

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.lexer import TokenStream

ROUNDED = "Scores are rounded; the JSON output has them in full."
NUMBERS = "Numbers are rounded; the JSON output has them in full."
FRAME = "page.html"
SCRIPT = files("nlgauge.report").joinpath("page.js").read_text(encoding="utf-8")
ELEMENT = element("script", Markup(SCRIPT))
HASH = f"sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}"


@cache
def environment() -> Environment:
    """The templates; a name that they are not given is an error."""
    import jinja2  # not before a page is made: tables of the terminal come from the same modules
    from jinja2.ext import Extension
    from jinja2.lexer import Token

    class Joined(Extension):
        """Line breaks and indentation of a template are for who reads it: they do not come into the page."""

        def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
            """The tokens of a template, those of its text without line breaks."""
            for token in stream:
                if token.type == "data" and stream.name != FRAME:
                    yield Token(token.lineno, "data", re.sub(r"\n\s*", "", token.value))
                else:
                    yield token

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        keep_trailing_newline=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        finalize=escaped,
        extensions=[Joined],
    )
    made.filters["signs"] = signs
    made.globals["arrows"] = ARROWS
    return made


def macro(name: str, /, *facts: object, **named: object) -> Markup:
    """What a macro of the templates makes of facts: `paragraph` of `components.html`, `heat.table` of `heat.html`."""
    template, _, called = name.rpartition(".")
    module = environment().get_template(f"{template or 'components'}.html").module
    made: Markup = getattr(module, called)(*facts, **named)
    return made


def page(title: str, *parts: Markup, css: str = CSS, closing: str = ROUNDED, script: bool = True) -> str:
    """The page as text; parts that are empty are left out."""
    made = environment().get_template(FRAME)
    return printable(
        made.render(
            title=title,
            css=Markup(css),
            parts=parts,
            version=__version__,
            closing=closing,
            script=ELEMENT if script else "",
            hash=HASH,
        )
    )


def content(*parts: Markup) -> Markup:
    """The parts of a page for a frame of somebody else's; parts that are empty are left out."""
    return Markup(printable("\n".join(part for part in parts if part)))


def write(text: str, path: str | Path) -> Path:
    """Write a page whole or not at all, and return its path."""
    target = Path(path)
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return target
