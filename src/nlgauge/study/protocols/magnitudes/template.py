"""A new magnitude study: every system of a data set, the criteria of its task, a balanced design."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import InputError, counted, option
from nlgauge.study.designs import blocks
from nlgauge.study.file.template import Made, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.outputs.check import MANY
from nlgauge.study.protocols.outputs.file import SEVERAL, SINGLE, Show
from nlgauge.study.protocols.outputs.template import (
    COMPREHENSION,
    Draft,
    Wish,
    best_checks,
    checks_told,
    needless,
    show_line,
)

USUAL = ("fluency", "coherence")
NUMBERS = 3  # for each text and criterion
SHEET = 20  # texts or screens for a judge
ON_SCREEN = 4


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a magnitude study of a data set."""
    draft, protocol = Draft.of(folder, data, wish), wish.protocol
    systems, several = len(draft.systems), protocol == "rankme"
    if several and systems < 2:
        raise InputError(
            f"rankme compares at least 2 systems, and {draft.content.origin} gives {systems}; name more of them, for "
            f"example with references ({option('systems', 'A,references')}), or take {option('protocol', 'magnitude')}"
        )
    asked, notes = draft.criteria(protocol, "numbers of one's own choice", USUAL, paged=not several)
    shows, lacking = draft.judged_by(asked)
    size = min(ON_SCREEN, systems) if several else 1
    if several:
        screens = draft.items * len(blocks(systems, size).sets)
        each = min(SHEET, screens)
        judges = wish.judges or -(-NUMBERS * screens // each) * len(asked)
    else:
        each = max(1, min(SHEET, MANY // len(asked), draft.items))
        judges = wish.judges or -(-NUMBERS * draft.items // each) * systems
    even = f"a multiple of {f'{len(asked)}, the criteria' if several else f'{systems}, the systems'}, is even"
    kinds, usual = (SEVERAL, "bibd") if several else (SINGLE, "latin")
    plan = draft.planned(kinds, usual, each, judges, even, size=size)
    unit = "screen" if several else "text"
    return draft.made(
        worded("magnitudes.title"),
        [
            "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: How … is this text?}}",
            *(f"  - {criterion.id}" for criterion in asked),
            *(["together: false  # each judge is asked for one criterion; true: all at once"] if several else []),
            "# standard: {text: …, value: 100}  # what all numbers are relative to; or {column: reference, value: 100}",
            "# unit: judge  # divide by each judge's geometric mean; standard: by the standard's value",
            show_line(shows, "beside the texts"),
            plan.line,
        ],
        instructions=wording("instructions", worded(f"magnitudes.instructions.{protocol}"), wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice=f"{unit}s before the first that counts",
        checks=_checks([criterion.id for criterion in asked], size, shows),
        sentence=(
            f"a {protocol} study of {counted(systems, 'system')} for {', '.join(criterion.id for criterion in asked)}, "
            f"{counted(draft.inputs, 'input')}, {counted(plan.judges, 'judge')} with {counted(plan.each, unit)} each"
        ),
        notes=notes + lacking,
    )


def _checks(criteria: Sequence[str], size: int, shows: Sequence[Show]) -> list[str]:
    """The checks as a comment: of several texts one says that it is the best, one text asks for a number."""
    if size > 1:
        answer = ", ".join(f"{name}: 1" for name in criteria)
        gold = f"{{texts: [{', '.join('…' * size)}], gold: {{answer: {{{answer}}}}}, why: …}}"
        return checks_told(best_checks(criteria, size, 1 / size, shows), gold, more=COMPREHENSION)
    checks = [
        f'text: "To show that you read this, please write {number}.", answer: {{{criteria[0]}: {number}}}'
        f"{needless(shows)}"
        for number in (50, 20, 80)
    ]
    gold = f"{{text: …, gold: {{answer: {{{criteria[0]}: 100}}, within: 30}}, why: …}}"
    return checks_told(checks, gold, more=COMPREHENSION)
