"""Templates of one language: what is the same on every page is written into them when they are read.

A page says two dozen phrases and names a few of the site's files; looking each of them up for each page was a third of
the work of making it. `{{ say('begin') }}` and `{{ static('name') }}` without further values are therefore replaced by
what they stand for before a template is compiled; a phrase that does not exist is found then too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import jinja2
from markupsafe import escape

FIXED = re.compile(r"\{\{ (say|static)\('([\w.]+)'\) \}\}")


class FoldingLoader(jinja2.FileSystemLoader):
    """Reads templates with the fixed phrases of a language in place."""

    def __init__(self, folder: Path, say: Callable[[str], str], static: Callable[[str], str]) -> None:
        super().__init__(folder)
        self.fixed = {"say": say, "static": static}

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """The source of a template, folded."""
        source, path, fresh = super().get_source(environment, template)
        return FIXED.sub(self._replaced, source), path, fresh

    def _replaced(self, found: re.Match[str]) -> str:
        words = str(escape(self.fixed[found[1]](found[2])))
        return f"{{% raw %}}{words}{{% endraw %}}" if "{" in words else words
