"""A new task: every system of a data set, the questions of its rows or one to be edited, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.study.design import FILE
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.outputs.template import systems_of
from nlgauge.study.protocols.task.phrases import QUESTION, TITLE
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write
from nlgauge.types import EvaluationSet

ANSWERS = 3  # about each text
SHEET = 20  # texts for a judge
COLUMN = "questions"


def new(
    folder: str | Path,
    data: str | Path,
    *,
    judges: int | None = None,
    systems: Sequence[str] = (),
    languages: Sequence[str] = ("en",),
    access: str = "links",
    title: str = "",
    seed: int,
) -> Made:
    """Make a task of a data set; the folder must not hold one yet."""
    root, source = Path(folder), Path(data)
    content = opened(root, source, languages)
    read = systems_of(content, systems)
    held = _held(content)
    practice = 1 if len(content.items) > 2 else 0
    each = max(1, min(SHEET, len(content.items) - practice))
    squares = -(-ANSWERS * (len(content.items) - practice) // each)
    wanted = judges or squares * len(read)
    head = [f"title: {quoted(title)}"] if title else wording("title", TITLE, languages)
    notes = [] if held else [
        f"the rows of {source.name} have no {COLUMN!r}: one question stands in the file (ask) for you to replace"
    ]  # fmt: skip
    text = _text(head, source.name, read, languages, access, seed, each, wanted, practice, held=held)
    write(root, source, text)
    asked = "the questions of its rows" if held else "a question to be edited"
    sentence = (
        f"a task with {len(read)} systems, {asked}, {len(content.items):,} inputs, {wanted:,} judges with {each} texts "
        "each"
    )
    return Made(root / FILE, {name: name for name in read}, wanted, len(content.items), sentence, notes)


def _held(content: EvaluationSet) -> bool:
    return all(isinstance(segment.extra.get(COLUMN), list) and segment.extra[COLUMN] for segment in content)


def _text(
    title: Sequence[str],
    data: str,
    systems: Sequence[str],
    languages: Sequence[str],
    access: str,
    seed: int,
    each: int,
    judges: int,
    practice: int,
    *,
    held: bool,
) -> str:
    asked = (
        [
            f"ask_column: {COLUMN}  # a list for each item: {{id, text, type, options, answer, accepted, tolerance}}"
        ]
        if held
        else [
            "ask:  # judges never see the answers; items: [...] asks about some inputs only",
            "  - id: topic",
            *wording("text", QUESTION, languages, "    "),
            "    type: text  # or choice (options: [...]), number (tolerance: 0.5)",
            "    answer: weather  # replace it",
            "    accepted: [the weather]",
        ]
    )
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        "protocol: task",
        *title,
        f"data: {quoted(data)}",
        f"systems: [{', '.join(map(quoted, systems))}]  # judges never see these names",
        *asked,
        "hide_text: false  # true: the text disappears before the questions are shown",
        "confidence: false  # true: judges say how sure they are, from 1 to 5",
        "normalise: [width, case, punctuation]  # of short texts; also accents, articles (English)",
        "guessing: none  # formula: success is also corrected for guessing among options",
        "show: []  # beside each text: source, reference, table, image, history; beware of what gives answers away",
        f"design: {{kind: latin, items_per_judge: {each}}}  # or williams, random, crossed, overlap",
        f"languages: [{', '.join(languages)}]",
        "# instructions: {en: …}  # in place of the page's own",
        "consent:",
        *wording("text", CONSENT, languages, "  "),
        "panels:",
        "  public:",
        f"    judges: {judges}  # a multiple of {len(systems)}, the systems, keeps Latin squares whole",
        f"    access: {access}  # links (one for each judge), open (one for all) or platform",
        '    recruitment: ""  # how judges were found and what they were paid: for the statement',
        '    pay: ""',
        f"practice: {practice}  # texts before the first that counts; their inputs serve no more",
        "reasons: {text: no, highlight: no}  # no, optional or required",
        "questions: []  # about the judge",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    return "\n".join(lines) + "\n"
