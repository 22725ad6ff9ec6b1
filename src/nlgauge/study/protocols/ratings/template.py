"""A new rating study: every system of a data set, the criteria of its task, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.study.design import FILE
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.outputs.check import MANY
from nlgauge.study.protocols.outputs.quality import EXAMPLE
from nlgauge.study.protocols.outputs.template import (
    chosen,
    showable,
    shown_for,
    systems_of,
    unseen,
    written,
)
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED
from nlgauge.study.protocols.ratings.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write

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
    asked, notes = chosen(
        CALLED[protocol], ANSWERED[protocol], task, criteria, shown, USUAL[protocol], paged=True
    )
    needed = shown_for(asked, shown)
    notes += unseen(asked, needed, source.name)
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
        show=written(needed),
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
        EXAMPLE.replace("fluency", criteria[0]),
        "reasons: {text: no, highlight: no}  # no, optional or required",
        "questions: []  # about the judge, for example:",
        "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    return "\n".join(lines) + "\n"
