"""A new magnitude study: every system of a data set, the criteria of its task, a balanced design."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.design import FILE
from nlgauge.study.designs import blocks
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.magnitudes.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.protocols.outputs.check import MANY
from nlgauge.study.protocols.outputs.template import (
    chosen,
    showable,
    shown_for,
    systems_of,
    unseen,
    written,
)
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write

USUAL = ("fluency", "coherence")
NUMBERS = 3  # for each text and criterion
SHEET = 20  # texts or screens for a judge
ON_SCREEN = 4


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
    """Make a magnitude study of a data set; the folder must not hold one yet."""
    root, source = Path(folder), Path(data)
    content = opened(root, source, languages)
    judged = systems_of(content, systems)
    several = protocol == "rankme"
    if several and len(judged) < 2:
        raise InputError(
            f"rankme compares at least 2 systems, and {content.origin} gives {len(judged)}; name more of them, for "
            "example with references (--systems A,references), or take --protocol magnitude"
        )
    shown = showable(content)
    asked, notes = chosen(
        protocol, "numbers of one's own choice", task, criteria, shown, USUAL, paged=protocol == "magnitude"
    )
    needed = shown_for(asked, shown)
    notes += unseen(asked, needed, source.name)
    practice = 1 if len(content.items) > 2 else 0
    items = len(content.items) - practice
    if several:
        size = min(ON_SCREEN, len(judged))
        screens = items * len(blocks(len(judged), size).sets)
        each = min(SHEET, screens)
        wanted = judges or -(-NUMBERS * screens // each) * len(asked)
        design = f"{{kind: bibd, per_screen: {size}, items_per_judge: {each}}}  # or crossed, overlap"
    else:
        each = max(1, min(SHEET, MANY // len(asked), items))
        wanted = judges or -(-NUMBERS * items // each) * len(judged)
        design = f"{{kind: latin, items_per_judge: {each}}}  # or williams, random, crossed, overlap"
    text = _text(
        protocol,
        [f"title: {quoted(title)}"] if title else wording("title", TITLE, languages),
        data=source.name,
        systems=judged,
        languages=languages,
        show=written(needed),
        criteria=[one.id for one in asked],
        design=design,
        judges=wanted,
        access=access,
        practice=practice,
        seed=seed,
    )
    write(root, source, text)
    sentence = (
        f"a {protocol} study of {len(judged)} systems for {', '.join(one.id for one in asked)}, "
        f"{len(content.items):,} inputs, {wanted:,} judges with {each} {'screens' if several else 'texts'} each"
    )
    return Made(root / FILE, {name: name for name in judged}, wanted, len(content.items), sentence, notes)


def _text(
    protocol: str,
    title: Sequence[str],
    *,
    data: str,
    systems: Sequence[str],
    languages: Sequence[str],
    show: Sequence[str],
    criteria: Sequence[str],
    design: str,
    judges: int,
    access: str,
    practice: int,
    seed: int,
) -> str:
    several = protocol == "rankme"
    even = f"{len(criteria)}, the criteria" if several else f"{len(systems)}, the systems"
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        f"protocol: {protocol}",
        *title,
        f"data: {quoted(data)}",
        f"systems: [{', '.join(map(quoted, systems))}]  # judges never see these names",
        "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: How … is this text?}}",
        *(f"  - {name}" for name in criteria),
        *(["together: false  # each judge is asked for one criterion; true: all at once"] if several else []),
        "# standard: {text: …, value: 100}  # what all numbers are relative to; or {column: reference, value: 100}",
        "# unit: judge  # divide by each judge's geometric mean; standard: by the standard's value",
        f"show: [{', '.join(show)}]  # beside the texts: source, reference, table, image, history",
        f"design: {design}",
        f"languages: [{', '.join(languages)}]",
        *wording("instructions", INSTRUCTIONS[protocol], languages),
        "consent:",
        *wording("text", CONSENT, languages, "  "),
        "panels:",
        "  public:",
        f"    judges: {judges}  # a multiple of {even}, is even",
        f"    access: {access}  # links (one for each judge), open (one for all) or platform",
        '    recruitment: ""  # how judges were found and what they were paid: for the statement',
        '    pay: ""',
        f"practice: {practice}  # {'screens' if several else 'texts'} before the first that counts",
        "reasons: {text: no, highlight: no}  # no, optional or required",
        "questions: []  # about the judge, for example:",
        "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    return "\n".join(lines) + "\n"
