"""A new classification: every system of a data set, the classes that its rows hold, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import InputError, counted, option, suggest
from nlgauge.study.file.template import Made, quoted, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.classification.file import CLASS, MOST
from nlgauge.study.protocols.outputs.file import SINGLE
from nlgauge.study.protocols.outputs.template import Draft, Wish, checks_told, show_line

ANSWERS = 3  # about each text
SHEET = 40  # texts for a judge
ANYTHING = ("first", "second")


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a classification of a data set."""
    draft = Draft.of(folder, data, wish)
    column = wish.truth or CLASS
    classes = _classes(draft, column, asked=bool(wish.truth))
    each = max(1, min(SHEET, draft.items))
    judges = wish.judges or -(-ANSWERS * draft.items // each) * len(draft.systems)
    plan = draft.planned(SINGLE, "latin", each, judges, draft.whole)
    names = classes or ANYTHING
    held = [f"truth_column: {quoted(column)}  # of the rows; judges never see it"] if classes else []
    return draft.made(
        worded("classification.title"),
        [
            *wording("question", worded("classification.question"), wish.languages),
            "classes:  # what judges choose from: {label: {en: …}, description: {en: …}}",
            *(f"  {quoted(name)}: {{label: {quoted(name)}}}" for name in names),
            *(held or ["# truth_column: class  # the key of the rows that holds the true class"]),
            f"{show_line(())}; beware of what gives answers away",
            plan.line,
            "# accuracy: 0.6  # nlgauge study check says how many outputs tell it from guessing",
        ],
        instructions=wording("instructions", worded("classification.instructions"), wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice="texts before the first that counts; their inputs serve no more",
        checks=checks_told(
            [
                f"text: {quoted(f'To show that you read this, please choose {names[place]}.')}, "
                f"answer: {{{CLASS}: {place + 1}}}"
                for place in (0, 1, 0, 1, 0)
            ],
            f"{{text: …, gold: {{answer: {{{CLASS}: 1}}}}, why: …}}",
        ),
        sentence=(
            f"a classification of outputs of {counted(len(draft.systems), 'system')} into {len(names)} classes, "
            f"{counted(draft.inputs, 'input')}, {counted(plan.judges, 'judge')} with {counted(plan.each, 'text')} each"
        ),
        notes=[] if classes else ["the rows tell no classes: name them in the file (classes) before launching"],
    )


def _classes(draft: Draft, column: str, *, asked: bool) -> Sequence[str]:
    """The classes that the rows hold, in alphabetical order; nothing where they hold none and none was asked for."""
    held = {str(value) for segment in draft.rows if (value := segment.extra.get(column)) not in (None, "", [])}
    if not held and asked:
        keys = sorted({key for segment in draft.rows for key in segment.extra})
        raise InputError(
            f"the rows of {draft.source.name} hold nothing under {column!r} ({option('truth')}); "
            f"{suggest(column, keys)}"
        )
    if held and not 2 <= len(held) <= MOST:
        raise InputError(
            f"the rows of {draft.source.name} hold {counted(len(held), 'class', 'classes')} under {column!r}; a "
            f"classification needs 2 to {MOST}"
        )
    return sorted(held)
