"""A new rating study: every system of a data set, the criteria of its task, a Latin square."""

from __future__ import annotations

from pathlib import Path

from nlgauge.study.protocols.outputs.check import MANY
from nlgauge.study.protocols.outputs.file import SINGLE
from nlgauge.study.protocols.outputs.quality import EXAMPLE
from nlgauge.study.protocols.outputs.template import Draft, Wish, show_line
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED
from nlgauge.study.protocols.ratings.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.template import Made, wording

USUAL = {
    "likert": ("fluency", "coherence"),
    "continuous": ("fluency", "coherence"),
    "binary": ("grammaticality",),
}
RATINGS = 3  # of each text
SHEET = 20  # texts for a judge
SCALE = {
    "likert": "# scale: {points: 7, labels: [{en: Very poor}, {en: Very good}]}  # for all criteria",
    "continuous": "# scale: {low: 0, high: 100, step: 1, labels: [{en: Very poor}, {en: Very good}]}",
    "binary": "# every question is answered by yes or no",
}


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a rating study of a data set."""
    draft, protocol = Draft.of(folder, data, wish), wish.protocol
    systems = len(draft.systems)
    asked, notes = draft.criteria(CALLED[protocol], ANSWERED[protocol], USUAL[protocol], paged=True)
    shows, lacking = draft.judged_by(asked)
    each = max(1, min(SHEET, MANY // len(asked), draft.items))
    judges = wish.judges or -(-RATINGS * draft.items // each) * systems
    plan = draft.planned(SINGLE, "latin", each, judges, draft.whole)
    return draft.made(
        TITLE,
        [
            "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: …}}",
            *(f"  - {one.id}" for one in asked),
            SCALE[protocol],
            show_line(shows),
            plan.line,
        ],
        instructions=wording("instructions", INSTRUCTIONS, wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice="texts before the first that counts; their inputs serve no more",
        checks=[EXAMPLE.replace("fluency", asked[0].id)],
        sentence=(
            f"{protocol} ratings of {systems} systems for {', '.join(one.id for one in asked)}, {draft.inputs:,} "
            f"inputs, {plan.judges:,} judges with {plan.each} texts each"
        ),
        notes=notes + lacking,
    )
