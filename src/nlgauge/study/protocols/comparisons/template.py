"""A new comparative study: every system of a data set, the criteria of its task, a balanced design."""

from __future__ import annotations

from math import comb
from pathlib import Path

from nlgauge.errors import InputError, counted
from nlgauge.study.designs import blocks
from nlgauge.study.protocols.comparisons.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.protocols.outputs.template import Draft, Wish, show_line
from nlgauge.study.template import Made, wording

USUAL = ("overall-quality",)
ON_SCREEN = {"pairwise": 2, "ranking": 4, "best-worst": 4}
LEAST = {"pairwise": 2, "ranking": 2, "best-worst": 3}
JUDGEMENTS = 3  # of each set of systems for an input
SHEET = 20  # comparisons for a judge
CRITERIA = "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: Which of these texts …?}}"
ANSWERS = {
    "pairwise": (
        "ties: true  # whether judges may see no difference",
        "# strength: [{en: slightly}, {en: clearly}, {en: far}]  # degrees of preference, the slightest first",
    ),
    "ranking": ("ties: true  # whether texts may share a rank",),
    "best-worst": (),
}


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a comparative study of a data set."""
    draft, protocol = Draft.of(folder, data, wish), wish.protocol
    systems = len(draft.systems)
    if systems < LEAST[protocol]:
        raise InputError(
            f"{protocol} compares at least {LEAST[protocol]} systems, and {draft.content.origin} gives {systems}; name "
            "more of them, for example with references (--systems A,references)"
        )
    asked, notes = draft.criteria(protocol, "a choice between texts", USUAL)
    shows, lacking = draft.judged_by(asked)
    size = min(ON_SCREEN[protocol], systems)
    sets = comb(systems, 2) if size == 2 else len(blocks(systems, size).sets)
    screens = draft.items * sets
    each = min(SHEET, screens)
    judges = wish.judges or -(-JUDGEMENTS * screens // each)
    design = "kind: pairs" if protocol == "pairwise" else f"kind: bibd, per_screen: {size}"
    kinds = "bibd, crossed or overlap with per_screen: 2" if protocol == "pairwise" else "crossed or overlap"
    return draft.made(
        TITLE,
        [
            CRITERIA,
            *(f"  - {one.id}" for one in asked),
            *ANSWERS[protocol],
            show_line(shows, "above the texts"),
            f"design: {{{design}, items_per_judge: {each}}}  # or {kinds}",
        ],
        instructions=wording("instructions", INSTRUCTIONS[protocol], wish.languages),
        judges=judges,
        about="nlgauge study check says after how many everything is balanced",
        practice="comparisons before the first that counts; their inputs serve no more",
        sentence=(
            f"a {protocol} study of {systems} systems for {', '.join(one.id for one in asked)}, "
            f"{counted(draft.inputs, 'input')}, {counted(judges, 'judge')} with {counted(each, 'comparison')} each"
        ),
        notes=notes + lacking,
    )
