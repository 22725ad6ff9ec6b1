"""Rows of `nlgauge study export --long`: which of them an analysis counts, and why the others are set aside.

The export says of every row whether it counts by the study's own rules (`counts`) and, where not, why (`aside`):
practice and warm-up, attention checks, damaged copies and repeats, answers that a judge corrected or gave again in a
discussion, late answers where the study leaves them out, judges who are left out, “I cannot judge this”. Rows of other
files all count, also where they have a column `counts` of their own. Answers of simulated judges are marked in the
column `warning`, here and in evaluation sets (`--set`), so that whatever is computed of them says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from nlgauge.errors import InputError

COUNTS, ASIDE, WARNING = "counts", "aside", "warning"
SURPLUS = "surplus"
CANNOT = "cannot_judge"
"""The stored answer of a judge who could not judge, and what marks its row: a column, and the reason in `aside`."""
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
    CANNOT: "answers “I cannot judge this”",
    "unsaid": "without a reason",
}
"""What a row is that does not count, by the word in its column `aside`."""
_OURS = frozenset({"judgement", "slot", "practice"})
_MARK = ("on", "start", "end")


def is_ours(row: Mapping[str, Any]) -> bool:
    """Whether a row has the keys of our own export."""
    return set(row) >= _OURS


def is_mark(row: Mapping[str, Any]) -> bool:
    """Whether a row of our own export is a span that was marked: a judge makes none or several, and rates nothing."""
    return is_ours(row) and all(row.get(key) not in (None, "") for key in _MARK)


def reason_of(role: str, *, practice: bool, surplus: bool) -> str:
    """Why an answer cannot count by what it was given to, or when: a key of `REASONS`; nothing where it may.

    `role` is that of its screen; `surplus` says that it came too late where the study leaves such answers out.

    >>> reason_of("warmup", practice=True, surplus=False), reason_of("check", practice=False, surplus=True)
    ('warmup', 'surplus')
    """
    if practice:
        return role or "practice"
    return SURPLUS if surplus else role


def set_aside(row: Mapping[str, Any], place: str, replaced: Collection[str] | None = None) -> str:
    """Why a row of our own export does not count, a key of `REASONS`; nothing where it counts.

    An export from before the column `counts` tells all but corrections: these need the names of the answers that were
    `replaced`, and are refused without them.
    """
    ours = is_ours(row)
    if COUNTS in row and (ours or row.get(ASIDE) in REASONS):  # of an export, perhaps with fewer columns
        return _marked(row, place)
    if not ours:
        return ""
    if row.get(ASIDE):  # an empty cell of `counts` is no key of the row
        raise InputError(f"{place}: counts is empty, and aside is {row[ASIDE]!r}; expected true or false in counts")
    if why := _in_itself(row, place):
        return why
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
    return f"{number:,} row{'s that do' if number > 1 else ' that does'} not count left out: {_named(aside)}"


def none_counts(origin: str, aside: Mapping[str, int], what: str = "row") -> InputError:
    """The refusal of a file or a study of which everything that was asked for is set aside.

    >>> print(none_counts("long.csv", {"practice": 18, "excluded": 1}))
    no row of long.csv counts: 19 were set aside (practice 18, judges who are left out 1)
    """
    number = sum(aside.values())
    were = "were" if number > 1 else "was"
    return InputError(f"no {what} of {origin} counts: {number:,} {were} set aside ({_named(aside)})")


def _named(aside: Mapping[str, int]) -> str:
    return ", ".join(f"{REASONS.get(name, name)} {rows:,}" for name, rows in aside.items())


def _marked(row: Mapping[str, Any], place: str) -> str:
    """What the row says of itself, which must be one thing."""
    why = str(row.get(ASIDE) or "")
    if not _yes(row, COUNTS, place):
        return why or _in_itself(row, place) or "unsaid"
    if why:
        raise InputError(
            f"{place}: counts is {row[COUNTS]!r}, but aside says why the row does not count ({why}); empty the one or "
            "change the other"
        )
    return ""


def _in_itself(row: Mapping[str, Any], place: str) -> str:
    practice, surplus = (_yes(row, key, place) for key in ("practice", SURPLUS))
    return reason_of(str(row.get("role") or ""), practice=practice, surplus=surplus)


def _yes(row: Mapping[str, Any], key: str, place: str) -> bool:
    """A truth value, also one that a table holds as text; an absent one is false."""
    value = row.get(key)
    word = str(value).lower()
    if word in ("true", "1", "1.0"):
        return True
    if value is None or word in ("false", "0", "0.0", ""):
        return False
    raise InputError(f"{place}: {key} is {value!r}; expected true or false")
