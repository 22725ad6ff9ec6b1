"""Pages that differ from judge to judge in a few places only: made once, with gaps, and filled in for each.

A template is worked through some hundred small steps; most of a page is the same for everybody who reads it in the same
language. What is a judge's own (addresses, tokens, the claim, the texts) is left open when the page is made. The sign
around a gap is random and known to nobody who writes a text, and what is filled in is not looked at again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from markupsafe import Markup, escape

SIGN = secrets.token_hex(8)
GAP = re.compile(f"{SIGN}([a-z0-9-]+?){SIGN}")


def gap(name: str) -> Markup:
    """A place in a page that is filled in later."""
    return Markup(f"{SIGN}{name}{SIGN}")


class Mould:
    """A page with gaps."""

    def __init__(self, page: str) -> None:
        self.parts = GAP.split(page)  # words and names of gaps in turn
        self.names = self.parts[1::2]

    def fill(self, value: Callable[[str], str]) -> str:
        """The page with a value in each gap; values are escaped unless they are markup."""
        parts = self.parts.copy()
        parts[1::2] = [escape(value(name)) for name in self.names]
        return "".join(parts)
