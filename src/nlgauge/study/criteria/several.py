"""Several wordings of one criterion's question, each read by a share of the judges, to see whether the wording matters.

- id: fluency
  wordings:
    neutral: How fluent is this text?
    positive: How wonderfully fluent is this text?
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nlgauge.errors import shortened
from nlgauge.study.languages import LANGUAGES

if TYPE_CHECKING:
    from nlgauge.study.criteria.entries import CriterionEntry

LONGEST_NAME = 32  # characters of a wording's name


def wording_problems(entry: CriterionEntry, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the wordings of an entry."""
    named = list(entry.wordings)
    if not named:
        return
    if len(named) < 2:
        yield (
            path,
            f"{entry.id} has one wording, so nothing can be compared; add another, or write question: …",
        )
    elif set(named) <= set(LANGUAGES):
        yield (
            path,
            f"{', '.join(named)} are languages, and wordings have names of your choice, such as neutral and positive; "
            "of one question in several languages write question: {en: …, de: …}",
        )
    if entry.question != entry.wordings[named[0]]:
        yield path, f"{entry.id} has a question and wordings; leave one of the two out"
    if any("/" in name or "=" in name or not name.isprintable() for name in named):
        yield (
            path,
            "the name of a wording has no /, no = and nothing that cannot be seen; write, for example, neutral",
        )
    long = next((name for name in named if len(name) > LONGEST_NAME), "")
    if long:
        yield (
            path,
            f"the name of the wording {shortened(long)} is longer than {LONGEST_NAME} characters; shorten it",
        )
    said = [dict(words) for words in entry.wordings.values()]
    if any(one in said[:place] for place, one in enumerate(said)):
        yield path, f"two wordings of {entry.id} are the same; change one or leave it out"
    if any(set(words) != set(said[0]) for words in said):
        yield path, f"the wordings of {entry.id} are not in the same languages; give each in all of them"
