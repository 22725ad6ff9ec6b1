"""A new annotation study: every system of a data set to be edited, or to have its errors marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.study.criteria.types import Criterion
from nlgauge.study.design import FILE
from nlgauge.study.phrases import CONSENT
from nlgauge.study.protocols.annotations.phrases import (
    EFFORT,
    EFFORT_DEFINITION,
    EFFORT_ENDS,
    INSTRUCTIONS,
    TITLE,
)
from nlgauge.study.protocols.outputs.file import Show
from nlgauge.study.protocols.outputs.template import (
    INPUTS,
    chosen,
    showable,
    shown_for,
    systems_of,
    unseen,
    written,
)
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED
from nlgauge.study.template import SCHEMA, STATEMENT, Made, opened, quoted, wording, write

TIMES = 2  # that each output is worked on
SHEET = 10  # texts for a judge: work takes longer than a rating
RATING = {"post-edit": "likert", "spans": "continuous"}


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
    """Make a study of a data set; the folder must not hold one yet. Criteria are asked after the work."""
    root, source = Path(folder), Path(data)
    content = opened(root, source, languages)
    worked, shown = systems_of(content, systems), showable(content)
    asked: list[Criterion] = []
    notes: list[str] = []
    if criteria or task:
        way = RATING[protocol]
        asked, notes = chosen(CALLED[way], ANSWERED[way], task, criteria, shown, ())
    needed = shown_for(asked, shown)
    if not {show.what for show in needed} & set(
        INPUTS
    ):  # whoever mends or marks a text must see what it is about
        needed = [*(Show(what) for what in INPUTS[:3] if what in shown), *needed]
    notes += unseen(asked, needed, source.name)
    practice = 1 if len(content.items) > 2 else 0
    each = max(1, min(SHEET, len(content.items) - practice))
    wanted = judges or -(-TIMES * (len(content.items) - practice) // each) * len(worked)
    names = [one.id for one in asked]
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        "# All keys: nlgauge study schema. Before launching: nlgauge study check DIR.",
        f"protocol: {protocol}",
        *([f"title: {quoted(title)}"] if title else wording("title", TITLE[protocol], languages)),
        f"data: {quoted(source.name)}",
        f"systems: [{', '.join(map(quoted, worked))}]  # judges never see these names",
        *_work(protocol, names, languages),
        f"show: [{', '.join(written(needed))}]  # beside each text: source, reference, table, image, history",
        f"design: {{kind: latin, items_per_judge: {each}}}  # or williams, random, crossed, overlap",
        f"languages: [{', '.join(languages)}]",
        *wording("instructions", INSTRUCTIONS[protocol], languages),
        "consent:",
        *wording("text", CONSENT, languages, "  "),
        "panels:",
        "  experts:",
        f"    judges: {wanted}  # a multiple of {len(worked)}, the systems, keeps Latin squares whole",
        f"    access: {access}  # links (one for each judge), open (one for all) or platform",
        '    recruitment: ""  # how judges were found and what they were paid: for the statement',
        '    pay: ""',
        f"practice: {practice}  # texts before the first that counts; their inputs serve no more",
        "timeout: 60  # minutes after which an abandoned text is dealt again",
        "reasons: {text: no, highlight: no}  # no, optional or required",
        "questions: []  # about the judge, for example:",
        "#  - {id: native, text: Is English your first language?, options: [yes, no]}",
        'completion: {code: ""}  # for recruiting platforms; redirect: an address',
        'ethics: {approval: "", contact: "", retention_days: 365}  # contact: whom judges may ask',
        STATEMENT,
        f"seed: {seed}",
    ]
    write(root, source, "\n".join(lines) + "\n")
    rated = f", then ratings for {', '.join(names)}" if names else ""
    kind = "post-editing of" if protocol == "post-edit" else "error marking in the outputs of"
    each_told = f"{len(content.items):,} inputs, {wanted:,} judges with {each} texts each"
    sentence = f"{kind} {len(worked)} systems{rated}, {each_told}"
    return Made(root / FILE, {name: name for name in worked}, wanted, len(content.items), sentence, notes)


def _work(protocol: str, criteria: Sequence[str], languages: Sequence[str]) -> list[str]:
    """What is done to each text, and what is asked afterwards."""
    asked = [f"  - {name}" for name in criteria]
    if protocol == "spans":
        return [
            "scheme: mqm  # categories and severities of errors; esa: severities, then a score (criteria below)",
            "# categories: [{id: accuracy, sub: [{id: addition}]}, {id: style}]  # or the scheme's; [] for none",
            "# severities: [{id: minor, weight: 1}, {id: major, weight: 5}]      # in place of the scheme's",
            "omissions: marker  # how to say that something is missing; source: by marking it there; no: not at all",
            "per: segment  # what penalties are counted by; or 100 words",
            *(
                ["criteria:", *asked]
                if asked
                else ["# criteria: [overall-quality]  # asked after the marking"]
            ),
        ]
    if asked:
        return ["words: spaces  # signs: HTER of Chinese, Japanese … by signs", "criteria:", *asked]
    ends = [", ".join(f"{code}: {words[code]}" for code in languages) for words in EFFORT_ENDS]
    return [
        "words: spaces  # signs: HTER of Chinese, Japanese … by signs",
        "criteria:  # asked after the editing; [] for nothing",
        "  - id: effort",
        f"    definition: {quoted(EFFORT_DEFINITION)}",
        *wording("question", EFFORT, languages, "    "),
        f"    scale: {{points: 5, labels: [{{{ends[0]}}}, {{{ends[1]}}}]}}",
        "    reverse: true",
    ]
