"""A new annotation study: every system of a data set to be edited, or to have its errors marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nlgauge.errors import counted
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.protocols.annotations.phrases import (
    EFFORT,
    EFFORT_DEFINITION,
    EFFORT_ENDS,
    INSTRUCTIONS,
    TITLE,
)
from nlgauge.study.protocols.outputs.file import Show
from nlgauge.study.protocols.outputs.template import INPUTS, LATIN, Draft, Wish, show_line, shown_for, unseen
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED
from nlgauge.study.template import Made, quoted, wording

TIMES = 2  # that each output is worked on
SHEET = 10  # texts for a judge: work takes longer than a rating
RATING = {"post-edit": "likert", "spans": "continuous"}


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a study of a data set; criteria are asked after the work, and only where they are named."""
    draft, protocol = Draft.of(folder, data, wish), wish.protocol
    asked: list[Criterion] = []
    notes: list[str] = []
    if wish.criteria or wish.task:
        way = RATING[protocol]
        asked, notes = draft.criteria(CALLED[way], ANSWERED[way], ())
    shows = shown_for(asked, draft.shown)
    if not {show.what for show in shows} & set(INPUTS):
        # whoever mends or marks a text must see what it is about
        shows = [*(Show(what) for what in INPUTS[:3] if what in draft.shown), *shows]
    each = max(1, min(SHEET, draft.items))
    judges = wish.judges or -(-TIMES * draft.items // each) * len(draft.systems)
    names = [one.id for one in asked]
    rated = f", then ratings for {', '.join(names)}" if names else ""
    kind = "post-editing of" if protocol == "post-edit" else "error marking in the outputs of"
    return draft.made(
        TITLE[protocol],
        [
            *_work(protocol, names, wish.languages),
            show_line(shows),
            f"design: {{kind: latin, items_per_judge: {each}}}  # {LATIN}",
        ],
        instructions=wording("instructions", INSTRUCTIONS[protocol], wish.languages),
        judges=judges,
        about=draft.whole,
        practice="texts before the first that counts; their inputs serve no more",
        panel="experts",
        checks=["timeout: 60  # minutes after which an abandoned text is dealt again"],
        sentence=(
            f"{kind} {counted(len(draft.systems), 'system')}{rated}, {counted(draft.inputs, 'input')}, "
            f"{counted(judges, 'judge')} with {counted(each, 'text')} each"
        ),
        notes=notes + unseen(asked, shows, draft.source.name),
    )


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
