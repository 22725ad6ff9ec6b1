"""A new annotation study: every system of a data set to be edited, or to have its errors marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.errors import InputError, counted
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.file.template import Made, quoted, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.outputs.file import SINGLE, Show
from nlgauge.study.protocols.outputs.template import (
    COMPREHENSION,
    INPUTS,
    Draft,
    Wish,
    checks_told,
    needless,
    show_line,
    shown_as,
    shown_for,
    unseen,
)
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED

TIMES = 2  # that each output is worked on
SHEET = 10  # texts for a judge: work takes longer than a rating
SCHEMES = ("mqm", "esa")  # of errors
RATING = {"post-edit": "likert", "spans": "continuous"}


def new(folder: str | Path, data: str | Path, wish: Wish) -> Made:
    """Make a study of a data set; criteria are asked after the work, and only where they are named."""
    protocol = wish.protocol
    known = SCHEMES if protocol == "spans" else ()
    if wish.scheme and wish.scheme not in known:
        raise InputError(
            f"there is no scheme {wish.scheme!r} of the protocol {protocol}"
            + (f"; choose one of {', '.join(known)}" if known else "; only spans has schemes of errors")
        )
    if wish.scheme == "esa" and not (wish.criteria or wish.task):
        wish = replace(wish, criteria=("overall-quality",))  # the score of ESA
    draft = Draft.of(folder, data, wish)
    asked: list[Criterion] = []
    notes: list[str] = []
    if wish.criteria or wish.task:
        way = RATING[protocol]
        asked, notes = draft.criteria(CALLED[way], ANSWERED[way], ())
    shows = shown_for(asked, draft.shown, wish.languages)
    if not {show.what for show in shows} & set(INPUTS):
        # whoever mends or marks a text must see what it is about
        shows = [*(shown_as(what, draft.shown) for what in INPUTS[:3] if what in draft.shown), *shows]
    each = max(1, min(SHEET, draft.items))
    judges = wish.judges or -(-TIMES * draft.items // each) * len(draft.systems)
    plan = draft.planned(SINGLE, "latin", each, judges, draft.whole)
    names = [criterion.id for criterion in asked]
    rated = f", then ratings for {', '.join(names)}" if names else ""
    kind = "post-editing of" if protocol == "post-edit" else "error marking in the outputs of"
    return draft.made(
        worded(f"annotations.title.{protocol}"),
        [*_work(wish, names), show_line(shows), plan.line],
        instructions=wording("instructions", worded(f"annotations.instructions.{protocol}"), wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice="texts before the first that counts; their inputs serve no more",
        panel="experts",
        checks=["timeout: 60  # minutes after which an abandoned text is dealt again", *_checks(protocol, shows)],
        sentence=(
            f"{kind} {counted(len(draft.systems), 'system')}{rated}, {counted(draft.inputs, 'input')}, "
            f"{counted(plan.judges, 'judge')} with {counted(plan.each, 'text')} each"
        ),
        notes=notes + unseen(asked, shows, draft.source.name),
    )


PLANTED = {
    "The the": "The the library in the old town opens at nine in the morning on every day but Sunday.",
    "banana": "To show that you read this text, please {}.",
    "there": "All visitors are kindly asked to leave there coats and bags at the desk beside the entrance.",
}
"""Texts with an error that whoever reads them finds, by what is wrong in them."""
BANANA = {
    "post-edit": "put the word apple in place of the word banana",
    "spans": "mark the word banana as an error and nothing else",
}


def _checks(protocol: str, shows: Sequence[Show]) -> list[str]:
    """The checks as a comment: errors were planted in their texts."""
    planted = {words: text.format(BANANA[protocol]) for words, text in PLANTED.items()}
    checks = [f"text: {quoted(text)}, errors: [{quoted(words)}]{needless(shows)}" for words, text in planted.items()]
    kind = ", severity: major" if protocol == "spans" else ""
    gold = f"{{text: …, gold: {{errors: [{{words: …{kind}}}]}}, why: …}}"
    return checks_told(checks, gold, more=COMPREHENSION)


def _work(wish: Wish, criteria: Sequence[str]) -> list[str]:
    """What is done to each text, and what is asked afterwards."""
    anchored = ", scale: esa" if wish.scheme == "esa" else ""  # the four anchors of its score
    asked = [f"  - {{id: {name}{anchored}}}" if anchored else f"  - {name}" for name in criteria]
    languages = wish.languages
    if wish.protocol == "spans":
        return [
            f"scheme: {wish.scheme or 'mqm'}  # mqm: categories and severities of errors; esa: severities, then a "
            "score (criteria below)",
            "# categories: [{id: accuracy, sub: [{id: addition}]}, {id: style}]  # or the scheme's; [] for none",
            "# severities: [{id: minor, weight: 1}, {id: major, weight: 5}]      # in place of the scheme's",
            "omissions: marker  # how to say that something is missing; source: by marking it there; no: not at all",
            "per: segment  # what penalties are counted by; or 100 words",
            *(["criteria:", *asked] if asked else ["# criteria: [overall-quality]  # asked after the marking"]),
        ]
    if asked:
        return ["words: spaces  # signs: HTER of Chinese, Japanese … by signs", "criteria:", *asked]
    ends = [worded(f"annotations.effort.{end}") for end in ("low", "high")]
    labels = [", ".join(f"{code}: {words[code]}" for code in languages) for words in ends]
    return [
        "words: spaces  # signs: HTER of Chinese, Japanese … by signs",
        "criteria:  # asked after the editing; [] for nothing",
        "  - id: effort",
        *wording("definition", worded("annotations.effort.definition"), languages, "    "),
        *wording("question", worded("annotations.effort"), languages, "    "),
        f"    scale: {{points: 5, labels: [{{{labels[0]}}}, {{{labels[1]}}}]}}",
        "    reverse: true",
    ]
