"""The languages of the package: a folder each, with everything that is said in it to annotators.

language.json   what it is called, which way it is written, how it groups digits, its words for machines
pages.json      the phrases of the pages, by name; where one depends on a number, a form for each plural category
wordings.json   titles, questions and instructions that new studies begin with, and the usual schemes of errors
criteria.json   the catalogue's definitions and questions, by criterion, and the labels of its scales
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nlgauge.errors import InputError

HOME = Path(__file__).parent
DEFAULT = "en"


@dataclass(frozen=True)
class About:
    """A language: `order` is its place in lists, `shortest` the digits from which a number is grouped."""

    order: int
    name: str  # by its speakers
    english: str
    direction: Literal["ltr", "rtl"]
    group: str  # between groups of three digits
    machines: str  # a regular expression of the words by which a text speaks of machines and people as authors
    shortest: int = 4


ABOUT: Mapping[str, About] = dict(
    sorted(
        (
            (path.parent.name, About(**json.loads(path.read_text(encoding="utf-8"))))
            for path in HOME.glob("*/language.json")
        ),
        key=lambda known: (known[1].order, known[0]),
    )
)
LANGUAGES: tuple[str, ...] = tuple(ABOUT)
if TYPE_CHECKING:
    Language = str
else:
    Language = Literal[LANGUAGES]  # what a study file may name


@cache
def content(code: str, name: Literal["pages", "wordings", "criteria"]) -> Mapping[str, Any]:
    """What one file of a language's folder says, by name."""
    path = HOME / code / f"{name}.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from None
    return found


@cache
def worded(name: str) -> Mapping[str, Any]:
    """A wording in every language, in English where a language lacks it.

    >>> worded("data")["de"]
    'Daten'
    """
    return {code: content(code, "wordings").get(name) or content(DEFAULT, "wordings")[name] for code in LANGUAGES}
