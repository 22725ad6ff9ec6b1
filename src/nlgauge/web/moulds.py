"""What is the same on many pages, made once: templates of one language, and pages that differ in a few places only.

A page says two dozen phrases and names a few of the site's files; looking each of them up for each page was a third of
the work of making it. `{{ say('begin') }}` and `{{ static('name') }}` without further values are therefore replaced by
what they stand for before a template is compiled; a phrase that does not exist is found then too. So are the values
that depend on nothing but the language, and the templates that others include.

A template is worked through some hundred small steps; most of a page is the same for everybody who reads it in the same
language. What is a judge's own (addresses, tokens, the claim, the texts) is left open when the page is made. The sign
around a gap is random and known to nobody who writes a text, and what is filled in is not looked at again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

FIXED = re.compile(r"\{\{ (say|static)\('([\w.]+)'\) \}\}")
VALUE = re.compile(r"\{\{ (direction|study_title) \}\}")
INCLUDED = re.compile(r"\{% include \"([\w.]+)\" %\}")


class FoldingLoader(jinja2.FileSystemLoader):
    """Reads templates with the fixed phrases of a language in place."""

    def __init__(
        self,
        folders: Sequence[Path],
        say: Callable[[str], str],
        static: Callable[[str], str],
        values: Mapping[str, str],
    ) -> None:
        super().__init__(folders)
        self.fixed, self.values = {"say": say, "static": static}, values

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The source of a template, folded."""
        source, path, fresh = super().get_source(environment, template)
        source = INCLUDED.sub(lambda found: self.get_source(environment, found[1])[0], source)
        source = FIXED.sub(lambda found: _as_is(self.fixed[found[1]](found[2])), source)
        return VALUE.sub(lambda found: _as_is(self.values[found[1]]), source), path, fresh


def _as_is(words: str) -> str:
    """Words as a template shows them, whatever they hold."""
    escaped = str(escape(words))
    return "".join(f"{{{{ '{sign}' }}}}" if sign in "{}" else sign for sign in escaped)


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
