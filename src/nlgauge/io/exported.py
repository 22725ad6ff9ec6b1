"""Rows of `nlgauge study export --long`: which of them an analysis counts, and why the others are set aside.

The export says of every row whether it counts by the study's own rules (`counts`) and, where not, why (`aside`):
practice and warm-up, attention checks, damaged copies and repeats, answers that a judge corrected or gave again in a
discussion, late answers where the study leaves them out, judges who are left out. Rows of other files all count.
Answers of simulated judges are marked in the column `warning`, here and in evaluation sets (`--set`), so that whatever
is computed of them says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from nlgauge.errors import InputError

COUNTS, ASIDE, WARNING = "counts", "aside", "warning"
SIMULATED = "simulated judges"  # in the column `warning`
REHEARSAL = "the judges were simulated: this is a rehearsal, and says nothing about what people think"
REASONS: Mapping[str, str] = {
    "practice": "practice",
    "warmup": "warm-up",
    "check": "attention checks",
    "degraded": "damaged copies",
    "repeat": "repeats",
    "corrected": "answers that were corrected",
    "discussed": "answers before a discussion",
    "surplus": "late answers",
    "excluded": "judges who are left out",
}
"""What a row is that does not count, by the word in its column `aside`."""
_OURS = frozenset({"judgement", "slot", "practice"})


def set_aside(row: Mapping[str, Any], place: str, replaced: Collection[str] | None = None) -> str:
    """Why a row of our own export does not count, a key of `REASONS`; nothing where it counts.

    An export from before the column `counts` tells all but corrections: these need the names of the answers that were
    `replaced`, and are refused without them.
    """
    if COUNTS in row:
        return "" if _yes(row[COUNTS]) else str(row.get(ASIDE) or "practice")
    if not set(row) >= _OURS:
        return ""
    if _yes(row["practice"]):
        return "practice"
    if row.get("role"):
        return str(row["role"])
    if _yes(row.get("surplus")):
        return "surplus"
    if replaced is not None:
        return "corrected" if str(row["judgement"]) in replaced else ""
    if row.get("replaces"):
        raise InputError(
            f"{place}: the answer corrects an earlier one of the file, which does not say which of them count; export "
            "the study again (nlgauge study export DIR --long)"
        )
    return ""


def refuse_answers(keys: Collection[Any], place: str) -> None:
    """Single answers of an exported study hold no texts: a study's evaluation set does."""
    if {COUNTS, "judgement", "value"} <= set(keys):
        raise InputError(
            f"{place}: these are single answers (nlgauge study export --long), which hold no texts; export the outputs "
            "with their ratings: nlgauge study export DIR --set -o FILE.jsonl"
        )


def simulated(row: Mapping[str, Any]) -> bool:
    """Whether a row of our own export is an answer of simulated judges."""
    return SIMULATED in str(row.get(WARNING) or "")


def told(aside: Mapping[str, int]) -> str:
    """What was set aside, in a line; nothing where nothing was.

    >>> told({"practice": 18, "check": 1})
    '19 rows that do not count left out: practice 18, attention checks 1'
    """
    if not aside:
        return ""
    number = sum(aside.values())
    named = ", ".join(f"{REASONS.get(name, name)} {rows:,}" for name, rows in aside.items())
    return f"{number:,} row{'s that do' if number > 1 else ' that does'} not count left out: {named}"


def _yes(value: Any) -> bool:
    """A truth value, also one that a table holds as text."""
    return str(value).lower() in ("true", "1", "1.0")
