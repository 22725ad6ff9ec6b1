"""The parts that all pages are made of: each function fills a macro of `templates/components.html`.

Texts are escaped there; what is markup already (`Markup`, as these functions return it) is taken as it is. Pieces too
small for a macro, and drawings, are made of `wording.markup.element`, which escapes as the templates do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from nlgauge.report.figures import Figure, Key

Part = tuple[str, Sequence[str], Sequence[Sequence[str]], Collection[int]]  # heading, headers, rows, numeric columns


def component(name: str, /, *facts: object, **named: object) -> Markup:
    """What a macro of the templates makes of facts (`report.pages.macro`)."""
    from nlgauge.report.pages import macro  # pages are above components

    return macro(name, *facts, **named)


def minus(text: str) -> str:
    """A true minus sign; hyphens in running text are left alone because only numbers come here."""
    return text.replace("-", "−")


def paragraph(text: str | None, look: str = "") -> Markup:
    """A paragraph, or nothing where there is no text."""
    return component("paragraph", text, look) if text else Markup()


def header(title: str, about: str | None = "") -> Markup:
    """The head of a page."""
    return component("header", title, about)


def finding(*content: Markup) -> Markup:
    """The conclusion, at the top of a page."""
    return component("finding", content)


class Section(Markup):
    """A section of a page that can be linked to: its markup, which knows its heading and its name."""

    heading: str
    name: str


def section(heading: str, about: str, *content: Markup, linked: bool = True) -> Markup:
    """A section, which can be linked to by its heading (a `Section`); nothing where it has no content."""
    if not any(content):
        return Markup()
    name = re.sub(r"\W+", "-", heading.lower()).strip("-") if linked else ""
    made = Section(component("section", heading, about, content, name=name))
    made.heading, made.name = heading, name
    return made


def titled(heading: str, *content: Markup) -> Markup:
    """A part of a section, with a heading of its own."""
    return component("titled", heading, content)


def details(summary: str, *content: Markup, opened: bool = False) -> Markup:
    """What is shown after a click, or folded away by one."""
    return component("details", summary, content, opened)


def bullets(items: Iterable[str]) -> Markup:
    """A list, or nothing where it is empty."""
    return component("bullets", list(items))


def receipts(lines: Iterable[str]) -> Markup:
    """Receipts, a line for each."""
    return component("receipts", list(lines))


def method(paragraphs: Iterable[str], lines: Iterable[str], heading: str = "Notes and receipts") -> Markup:
    """The last section of a page: how its numbers were made."""
    return section(heading, "", *map(paragraph, paragraphs), receipts(lines), linked=False)


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
    return component("plain_table", headers, list(rows), right, label=label, ruled=ruled, stacked=stacked)


def table_of(part: Part, *, ruled: Collection[int] = (), stacked: bool = False) -> Markup:
    """A part of a result as a table with the heading for its name."""
    heading, headers, rows, right = part
    return plain_table(headers, rows, right, heading, ruled=ruled, stacked=stacked)


def table_sections(parts: Iterable[Part], *, linked: bool = True) -> list[Markup]:
    """A section for each part of a result."""
    return [section(part[0], "", table_of(part), linked=linked) for part in parts]


@dataclass(frozen=True)
class Cell:
    """A cell of a heat map: its words, the per cent of colour behind them, and what a pointer is told."""

    words: str
    shade: int | None = None
    look: str = ""
    title: str = ""
    sign: str | None = None  # stands in a column of its own behind the number
    small: str = ""  # below the number


def heat_table(
    label: str,
    caption: str,
    columns: Sequence[tuple[str, str]],
    rows: Iterable[tuple[str, str, Sequence[Cell]]],
    look: str = "heat",
) -> Markup:
    """A table of shaded cells in a box that scrolls sideways; columns and rows have a full and a short name."""
    return component("heat_table", label, caption, columns, rows=list(rows), look=look)


def text_of(text: object) -> Markup:
    """Somebody's text in its own direction, with its line breaks; an empty one is said to be empty."""
    return component("text", text)


def grid(figures: Sequence[Figure]) -> Markup:
    """Figures beside and below each other; nothing where there are none."""
    return component("figures", figures) if figures else Markup()


def legend(keys: Iterable[Key], *more: str) -> Markup:
    """What shapes and shades mean, and further remarks."""
    keys = list(keys)
    return component("legend", keys, more) if keys or more else Markup()
