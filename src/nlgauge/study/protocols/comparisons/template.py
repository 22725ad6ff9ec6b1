"""A new comparative study: every system of a data set, the criteria of its task, a balanced design."""

from __future__ import annotations

from math import comb
from pathlib import Path

from nlgauge.errors import InputError, counted, option
from nlgauge.study.designs import blocks
from nlgauge.study.file.template import Made, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.comparisons.file import TWO
from nlgauge.study.protocols.outputs.file import SEVERAL
from nlgauge.study.protocols.outputs.template import (
    COMPREHENSION,
    Draft,
    Wish,
    best_checks,
    checks_told,
    show_line,
)

USUAL = ("overall-quality",)
ON_SCREEN = {"pairwise": 2, "ranking": 4, "best-worst": 4}
LEAST = {"pairwise": 2, "ranking": 2, "best-worst": 3}
JUDGEMENTS = 3  # of each set of systems for an input
SHEET = 20  # comparisons for a judge
CRITERIA = "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: Which of these texts …?}}"
ANSWERS = {
    "pairwise": (
        "ties: true  # whether judges may see no difference",
        "# strength: [{en: slightly}, {en: clearly}, {en: by far}]  # degrees of preference, the slightest first",
    ),
    "ranking": ("ties: true  # whether texts may share a rank",),
    "best-worst": (),
}


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a comparative study of a data set."""
    draft, protocol = Draft.of(folder, data, wish), wish.protocol
    systems = len(draft.systems)
    if systems < LEAST[protocol]:
        example = ",".join(("A", "B")[: LEAST[protocol] - 1])
        raise InputError(
            f"{protocol} compares at least {LEAST[protocol]} systems, and {draft.content.origin} gives {systems}; name "
            f"more of them, for example with references ({option('systems', f'{example},references')})"
        )
    asked, notes = draft.criteria(protocol, "a choice between texts", USUAL)
    shows, lacking = draft.judged_by(asked)
    size = min(ON_SCREEN[protocol], systems)
    sets = comb(systems, 2) if size == 2 else len(blocks(systems, size).sets)
    screens = draft.items * sets
    each = min(SHEET, screens)
    judges = wish.judges or -(-JUDGEMENTS * screens // each)
    kinds, usual = (TWO, "pairs") if protocol == "pairwise" else (SEVERAL, "bibd")
    even = "nlgauge study check says after how many everything is balanced"
    plan = draft.planned(kinds, usual, each, judges, even, size=size)
    return draft.made(
        worded("comparisons.title"),
        [
            CRITERIA,
            *(f"  - {criterion.id}" for criterion in asked),
            *ANSWERS[protocol],
            show_line(shows, "above the texts"),
            plan.line,
        ],
        instructions=wording("instructions", worded(f"comparisons.instructions.{protocol}"), wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice="comparisons before the first that counts; their inputs serve no more",
        checks=checks_told(
            best_checks([asked[0].id], size, 1 / (size + (protocol == "pairwise")), shows),
            f"{{texts: [{', '.join('…' * size)}], gold: {{answer: {{{asked[0].id}: 1}}}}, why: …}}",
            more=COMPREHENSION,
        ),
        sentence=(
            f"a {protocol} study of {systems} systems for {', '.join(criterion.id for criterion in asked)}, "
            f"{counted(draft.inputs, 'input')}, {counted(plan.judges, 'judge')} with "
            f"{counted(plan.each, 'comparison')} each"
        ),
        notes=notes + lacking,
    )
