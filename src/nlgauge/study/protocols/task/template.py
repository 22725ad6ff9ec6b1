"""A new task: every system of a data set, the questions of its rows or one to be edited, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import counted
from nlgauge.study.file.template import Made, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.outputs.file import SINGLE
from nlgauge.study.protocols.outputs.template import Draft, Wish, checks_told, show_line
from nlgauge.study.protocols.task.questions import PLACEHOLDER
from nlgauge.types import Segment

ANSWERS = 3  # about each text
SHEET = 20  # texts for a judge
COLUMN = "questions"
CHECKS = (
    'text: "The shop at the corner sells bread and cakes from six in the morning.", ask: [{text: What does the shop '
    "sell?, type: choice, options: [shoes, bread, books, flowers], answer: bread}]",
    'text: "The museum is closed on Mondays.", ask: [{text: When is the museum closed?, type: choice, options: '
    "[on Fridays, on Sundays, in winter, on Mondays], answer: on Mondays}]",
    'text: "Anna has lent her bicycle to Ben.", ask: [{text: What has Anna lent?, type: choice, options: [a bicycle, a '
    "car, an umbrella, a book], answer: a bicycle}]",
)
GOLD = "{text: …, gold: {ask: [{text: …, type: choice, options: […], answer: …}]}, why: …}"


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a task of a data set."""
    draft = Draft.of(folder, data, wish)
    held = _held(draft.rows)
    each = max(1, min(SHEET, draft.items))
    judges = wish.judges or -(-ANSWERS * draft.items // each) * len(draft.systems)
    plan = draft.planned(SINGLE, "latin", each, judges, draft.whole)
    asked = "the questions of its rows" if held else "a question to be edited"
    lacking = f"the rows of {draft.source.name} have no {COLUMN!r}"
    return draft.made(
        worded("task.title"),
        [
            *_asked(wish.languages, held=held),
            "hide_text: false  # true: the text disappears before the questions are shown",
            "confidence: false  # true: judges say how sure they are, from 1 to 5",
            "normalise: [width, case, punctuation]  # of short texts; also accents, articles (English)",
            "guessing: none  # formula: success is also corrected for guessing among options",
            f"{show_line(())}; beware of what gives answers away",
            plan.line,
        ],
        instructions=["# instructions: {en: …}  # in place of the page's own"],
        judges=plan.judges,
        about=plan.about,
        practice="texts before the first that counts; their inputs serve no more",
        checks=checks_told(CHECKS, GOLD),
        questions=["questions: []  # about the judge"],
        sentence=(
            f"a task with {counted(len(draft.systems), 'system')}, {asked}, {counted(draft.inputs, 'input')}, "
            f"{counted(plan.judges, 'judge')} with {counted(plan.each, 'text')} each"
        ),
        notes=[] if held else [f"{lacking}: one question stands in the file (ask) for you to replace"],
    )


def _held(rows: Sequence[Segment]) -> bool:
    return all(isinstance(segment.extra.get(COLUMN), list) and segment.extra[COLUMN] for segment in rows)


def _asked(languages: Sequence[str], *, held: bool) -> list[str]:
    """Where the questions come from."""
    if held:
        return [
            f"ask_column: {COLUMN}  # a list for each item: {{id, text, type, options, answer, accepted, tolerance}}"
        ]
    return [
        "ask:  # judges never see the answers; items: [...] asks about some inputs only",
        "  - id: topic",
        *wording("text", worded("task.question"), languages, "    "),
        "    type: text  # or choice (options: [...]), number (tolerance: 0.5)",
        f"    answer: {PLACEHOLDER}  # write your own question, and its answer",
        "    accepted: []",
    ]
