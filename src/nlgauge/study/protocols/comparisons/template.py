"""A new comparative study: every system of a data set, the criteria of its task, a balanced design."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.design import FILE
from nlgauge.study.designs import blocks
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.comparisons.phrases import INSTRUCTIONS, TITLE
from nlgauge.study.protocols.outputs.template import chosen, needs, showable, systems_of
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write

USUAL = ("overall-quality",)
ON_SCREEN = {"pairwise": 2, "ranking": 4, "best-worst": 4}
LEAST = {"pairwise": 2, "ranking": 2, "best-worst": 3}
JUDGEMENTS = 3  # of each set of systems for an input
SHEET = 20  # comparisons for a judge


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
    """Make a comparative study of a data set; the folder must not hold one yet."""
    root, source = Path(folder), Path(data)
    content = opened(root, source, languages)
    compared = systems_of(content, systems)
    if len(compared) < LEAST[protocol]:
        raise InputError(
            f"{protocol} compares at least {LEAST[protocol]} systems, and {content.origin} gives {len(compared)}; name "
            "more of them, for example with references (--systems A,references)"
        )
    shown = showable(content)
    asked, notes = chosen(protocol, "a choice between texts", task, criteria, shown, USUAL)
    practice = 1 if len(content.items) > 2 else 0
    size = min(ON_SCREEN[protocol], len(compared))
    sets = comb(len(compared), 2) if size == 2 else len(blocks(len(compared), size).sets)
    screens = (len(content.items) - practice) * sets
    each = min(SHEET, screens)
    wanted = judges or -(-JUDGEMENTS * screens // each)
    design = "kind: pairs" if protocol == "pairwise" else f"kind: bibd, per_screen: {size}"
    text = _text(
        protocol,
        [f"title: {quoted(title)}"] if title else wording("title", TITLE, languages),
        data=source.name,
        systems=compared,
        languages=languages,
        show=[what for what in shown if needs(asked, what)],
        criteria=[one.id for one in asked],
        design=f"{{{design}, items_per_judge: {each}}}",
        judges=wanted,
        access=access,
        practice=practice,
        seed=seed,
    )
    write(root, source, text)
    sentence = (
        f"a {protocol} study of {len(compared)} systems for {', '.join(one.id for one in asked)}, "
        f"{len(content.items):,} inputs, {wanted:,} judges with {each} comparisons each"
    )
    return Made(root / FILE, {name: name for name in compared}, wanted, len(content.items), sentence, notes)


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
    answers = {
        "pairwise": [
            "ties: true  # whether judges may see no difference",
            "# strength: [{en: slightly}, {en: clearly}, {en: far}]  # degrees of preference, the slightest first",
        ],
        "ranking": ["ties: true  # whether texts may share a rank"],
        "best-worst": [],
    }
    kinds = "bibd, crossed or overlap with per_screen: 2" if protocol == "pairwise" else "crossed or overlap"
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        f"protocol: {protocol}",
        *title,
        f"data: {quoted(data)}",
        f"systems: [{', '.join(map(quoted, systems))}]  # judges never see these names",
        "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: Which of these texts …?}}",
        *(f"  - {name}" for name in criteria),
        *answers[protocol],
        f"show: [{', '.join(show)}]  # above the texts: source, reference, table, image, history",
        f"design: {design}  # or {kinds}",
        f"languages: [{', '.join(languages)}]",
        *wording("instructions", INSTRUCTIONS[protocol], languages),
        "consent:",
        *wording("text", CONSENT, languages, "  "),
        "panels:",
        "  public:",
        f"    judges: {judges}  # nlgauge study check says after how many everything is balanced",
        f"    access: {access}  # links (one for each judge), open (one for all) or platform",
        '    recruitment: ""  # how judges were found and what they were paid: for the statement',
        '    pay: ""',
        f"practice: {practice}  # comparisons before the first that counts; their inputs serve no more",
        "reasons: {text: no, highlight: no}  # no, optional or required",
        "questions: []  # about the judge, for example:",
        "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    return "\n".join(lines) + "\n"
