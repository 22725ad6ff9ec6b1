"""Systems whose outputs are the references: a corpus of human texts listed among the systems, say.

Such a system has a perfect score by definition, and every correlation and ranking that includes it is flattered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nlgauge.errors import option
from nlgauge.types import Column

FEWEST = 10  # items with references from which on the question is asked
GLANCE = 500  # items looked at before all are counted


def normal(text: str) -> str:
    """A text with its white space normalised."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """A text whose capitals and white space tell nothing."""
    return normal(text.casefold())


def copied(hypothesis: str, references: Sequence[str]) -> bool:
    """Whether an output equals one of its references but for white space; an empty one does not count."""
    text = normal(hypothesis)
    return bool(text) and any(normal(reference) == text for reference in references)


def copy_notes(columns: Iterable[Column]) -> list[str]:
    """A warning for each system whose texts are references on more than half of its items."""
    found = []
    for column in columns:
        rows = [place for place, references in enumerate(column.references) if references]
        if len(rows) < FEWEST:
            continue
        glance = rows[:: max(1, len(rows) // GLANCE)]
        if not 3 * _count(column, glance) > len(glance):  # far from half: no need to look at all
            continue
        equal = _count(column, rows)
        if 2 * equal > len(rows):
            name = f'"{column.system}"' if " " in column.system else column.system
            found.append(
                f"{column.system}'s texts are references ({equal:,} of {len(rows):,} items): leave it out with "
                f"{option('without', name)}, since comparing a text with itself says nothing"
            )
    return found


def _count(column: Column, rows: Sequence[int]) -> int:
    return sum(copied(column.hypotheses[row], column.references[row]) for row in rows)
