"""Elements of HTML and SVG whose texts are escaped: for what is too small for a template, and for drawings."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from markupsafe import Markup


def escaped(value: object) -> Markup:
    """Text as markup shows it; what is markup already stays as it is."""
    return Markup(value if hasattr(value, "__html__") else escape(str(value)))


def element(name: str, *content: object, **attributes: object) -> Markup:
    """An element with its attributes and what it holds, all escaped; a number of many decimals is cut to one.

    `_` stands for a hyphen, and behind words that Python reserves; attributes that are None are left out.

    >>> print(element("text", "a < b", class_="tick", x=7.25, text_anchor="end"))
    <text class="tick" x="7.2" text-anchor="end">a &lt; b</text>
    """
    parts = ["<", name]
    for key, value in attributes.items():
        if value is not None:
            shown = f"{value:.1f}" if isinstance(value, float) else escaped(value)
            parts += [" ", key.rstrip("_").replace("_", "-"), '="', shown, '"']
    parts += [">", *map(escaped, content), "</", name, ">"] if content else ["/>"]
    return Markup("".join(parts))


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Markup and texts one after the other."""
    return Markup(between.join(map(escaped, parts)))
