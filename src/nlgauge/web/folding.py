"""Templates of one language: what is the same on every page is written into them when they are read.

A page says two dozen phrases and names a few of the site's files; looking each of them up for each page was a third of
the work of making it. `{{ say('begin') }}` and `{{ static('name') }}` without further values are therefore replaced by
what they stand for before a template is compiled; a phrase that does not exist is found then too. So are the values
that depend on nothing but the language, and the templates that others include.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jinja2
from markupsafe import escape

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
