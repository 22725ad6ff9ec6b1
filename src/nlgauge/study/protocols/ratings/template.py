"""A new rating study: every system of a data set, the criteria of its task, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.study.criteria.catalogue import defaults_for, find, for_protocol
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.design import FILE
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.ratings.check import INPUT, MANY
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED
from nlgauge.study.protocols.ratings.file import REFERENCES
from nlgauge.study.protocols.ratings.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write
from nlgauge.types import EvaluationSet

USUAL = {
    "likert": ("fluency", "coherence"),
    "continuous": ("fluency", "coherence"),
    "binary": ("grammaticality",),
}
RATINGS = 3  # of each text
SHEET = 20  # texts for a judge


def new(
    folder: str | Path,
    data: str | Path,
    protocol: str,
    *,
    judges: int | None = None,
    systems: Sequence[str] = (),
    languages: Sequence[str] = ("en",),
    access: str = "links",
    title: str = "",
    seed: int,
    task: str | None = None,
    criteria: Sequence[str] = (),
) -> Made:
    """Make a rating study of a data set; the folder must not hold one yet."""
    root, source = Path(folder), Path(data)
    content = opened(root, source, languages)
    rated = systems_of(content, systems)
    shown = showable(content)
    asked, notes = chosen(CALLED[protocol], ANSWERED[protocol], task, criteria, shown, USUAL[protocol])
    needed = [what for what in shown if needs(asked, what)]
    practice = 1 if len(content.items) > 2 else 0
    each = max(1, min(SHEET, MANY // len(asked), len(content.items) - practice))
    squares = -(-RATINGS * (len(content.items) - practice) // each)
    wanted = judges or squares * len(rated)
    head = [f"title: {quoted(title)}"] if title else wording("title", TITLE, languages)
    text = _text(
        protocol,
        head,
        data=source.name,
        systems=rated,
        languages=languages,
        show=needed,
        criteria=[one.id for one in asked],
        each=each,
        judges=wanted,
        access=access,
        practice=practice,
        seed=seed,
    )
    write(root, source, text)
    sentence = (
        f"{protocol} ratings of {len(rated)} systems for {', '.join(one.id for one in asked)}, {len(content.items):,} "
        f"inputs, {wanted:,} judges with {each} texts each"
    )
    return Made(root / FILE, {name: name for name in rated}, wanted, len(content.items), sentence, notes)


def systems_of(content: EvaluationSet, named: Sequence[str]) -> list[str]:
    """The systems to be judged: those named, else all."""
    known = [*content.systems, REFERENCES]
    for name in named:
        if name not in known:
            raise InputError(f"{content.origin} has no system {name!r}; {suggest(name, known)}")
    return list(named) or list(content.systems)


def chosen(
    called: str,
    answered: str,
    task: str | None,
    named: Sequence[str],
    shown: Sequence[str],
    usual: Sequence[str],
) -> tuple[list[Criterion], list[str]]:
    """The criteria asked, and those of the task that one page cannot ask.

    `called` is what the catalogue calls the protocol, `answered` how its questions are answered, `usual` the criteria
    where neither task nor criteria are named.
    """
    if named:
        found = [for_protocol(find(name, task), called) for name in named]
        lacking = [name for name, one in zip(named, found, strict=True) if one is None]
        if lacking:
            raise InputError(
                f"the catalogue has no question for {lacking[0]} that is answered on {answered}; choose "
                "another criterion, or write a question of your own into the file"
            )
        return [one for one in found if one is not None], []
    if task is None:
        fitting = (for_protocol(find(name), called) for name in usual)
        return [one for one in fitting if one is not None], []
    asked: list[Criterion] = []
    notes = []
    for one in defaults_for(task, called):
        wrong = next(conflicts([*asked, one], shown), "")
        if wrong:
            notes.append(f"{one.id} was left out: {wrong}")
        else:
            asked.append(one)
    if not asked:
        raise InputError(
            f"the catalogue has no question for {task} that is answered on {answered}; choose another "
            "protocol, or name criteria with --criteria"
        )
    return asked, notes


def showable(content: EvaluationSet) -> list[str]:
    """What the rows hold that can be shown beside a text."""
    first: Any = next(iter(content))
    found = []
    if isinstance(first.source, str) and first.source.strip():
        found.append("source")
    elif isinstance(first.source, list) and first.source:
        found.append("table" if isinstance(first.source[0], list | tuple) else "history")
    return found


def needs(asked: Sequence[Criterion], what: str) -> bool:
    """Whether some criterion is judged by something."""
    return any(what in one.shown or (what in INPUT and one.shown & INPUT) for one in asked)


def _text(
    protocol: str,
    title: Sequence[str],
    *,
    data: str,
    systems: Sequence[str],
    languages: Sequence[str],
    show: Sequence[str],
    criteria: Sequence[str],
    each: int,
    judges: int,
    access: str,
    practice: int,
    seed: int,
) -> str:
    scale = {
        "likert": "# scale: {points: 7, labels: [{en: Very poor}, {en: Very good}]}  # for all criteria",
        "continuous": "# scale: {low: 0, high: 100, step: 1, labels: [{en: Very poor}, {en: Very good}]}",
        "binary": "# every question is answered by yes or no",
    }
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        f"protocol: {protocol}",
        *title,
        f"data: {quoted(data)}",
        f"systems: [{', '.join(map(quoted, systems))}]  # judges never see these names",
        "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: …}}",
        *(f"  - {name}" for name in criteria),
        scale[protocol],
        f"show: [{', '.join(show)}]  # beside each text: source, reference, table, image, history",
        f"design: {{kind: latin, items_per_judge: {each}}}  # or williams, random, crossed, overlap",
        f"languages: [{', '.join(languages)}]",
        *wording("instructions", INSTRUCTIONS, languages),
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
        "questions: []  # about the judge, for example:",
        "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    return "\n".join(lines) + "\n"
