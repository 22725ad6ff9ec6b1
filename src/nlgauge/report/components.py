"""The parts that all pages are made of: each function fills a macro of `templates/components.html`.

Texts are escaped there; what is markup already (`Markup`, as these functions return it) is taken as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

    from nlgauge.report.figures import Figure, Key


def component(name: str, *facts: object, **named: object) -> Markup:
    """What a macro of the templates makes of facts (`report.pages.macro`); Jinja is loaded with the first."""
    from nlgauge.report.pages import macro

    return macro(name, *facts, **named)


def minus(text: str) -> str:
    """A true minus sign; hyphens in running text are left alone because only numbers come here."""
    return text.replace("-", "−")


def paragraph(text: str | None, look: str = "") -> Markup:
    """A paragraph, or nothing where there is no text."""
    return component("paragraph", text, look)


def header(title: str, about: str = "") -> Markup:
    """The head of a page."""
    return component("header", title, about)


def finding(*content: Markup) -> Markup:
    """The conclusion, at the top of a page."""
    return component("finding", content)


def section(heading: str, about: str, *content: Markup, linked: bool = True) -> Markup:
    """A section, which can be linked to by its heading; nothing where it has no content."""
    name = re.sub(r"\W+", "-", heading.lower()).strip("-") if linked else ""
    return component("section", name, heading, about, content) if any(content) else component("paragraph", "")


def titled(heading: str, *content: Markup) -> Markup:
    """A part of a section, with a heading of its own."""
    return component("titled", heading, content)


def details(summary: str, *content: Markup) -> Markup:
    """What is shown after a click."""
    return component("details", summary, content)


def bullets(items: Iterable[str]) -> Markup:
    """A list, or nothing where it is empty."""
    return component("bullets", list(items))


def receipts(lines: Iterable[str]) -> Markup:
    """Receipts, a line for each."""
    return component("receipts", list(lines))


def plain_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Collection[int],
    label: str,
    *,
    ruled: Collection[int] = (),
    stacked: bool = False,
) -> Markup:
    """A table in a box that scrolls sideways.

    The first column heads the rows, columns in `right` hold numbers, and a line stands above the `ruled` rows. Where
    cells are long a table is `stacked`: on a phone each row is a list with the heads of columns before its cells.
    """
    return component("plain_table", headers, list(rows), right, label, ruled, stacked)


def grid(figures: Sequence[Figure]) -> Markup:
    """Figures beside and below each other; nothing where there are none."""
    return component("figures", figures) if figures else component("paragraph", "")


def legend(keys: Sequence[Key], *more: str) -> Markup:
    """What shapes and shades mean, and further remarks."""
    return component("legend", keys, more) if keys or more else component("paragraph", "")
