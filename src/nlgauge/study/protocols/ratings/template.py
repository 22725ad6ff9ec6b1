"""A new rating study: every system of a data set, the criteria of its task, a Latin square."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from nlgauge.errors import InputError, counted
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.designs.extras import Extras
from nlgauge.study.file.study import say
from nlgauge.study.file.template import Made, quoted, wording
from nlgauge.study.languages import worded
from nlgauge.study.protocols.outputs.check import MANY
from nlgauge.study.protocols.outputs.file import SINGLE, Show
from nlgauge.study.protocols.outputs.template import (
    COMPREHENSION,
    Draft,
    Wish,
    checks_told,
    needless,
    show_line,
)
from nlgauge.study.protocols.ratings.criteria import ANSWERED, CALLED, AskedScale, asked_of

USUAL = {
    "likert": ("fluency", "coherence"),
    "continuous": ("fluency", "coherence"),
    "binary": ("grammaticality",),
}
RATINGS = 3  # of each text
SHEET = 20  # texts for a judge
SCALE = {
    "likert": "# scale: {points: 7, labels: [{en: Very poor}, {en: Very good}]}  # for all criteria",
    "continuous": "# scale: {low: 0, high: 100, step: 1, labels: [{en: Very poor}, {en: Very good}]}",
    "binary": "# every question is answered by yes or no",
}


def new(
    folder: str | Path,
    data: str | Path,
    wish: Wish,
    *,
    kind: str = "",
    scale: str = "",
    words: str = "ratings",
    own: str = "",
) -> Made:
    """Make a rating study of a data set.

    Another protocol asks as a `kind` of ratings does, on the `scale` that it writes, and begins with its own `words`;
    where it asks a question of its `own`, by this name, its wordings are `definition` and `question` of these.
    """
    draft, protocol = Draft.of(folder, data, wish), kind or wish.protocol
    systems = len(draft.systems)
    own = "" if wish.criteria or wish.task else own
    names, notes, shows = [own], list[str](), list[Show]()
    if not own:
        asked, notes = draft.criteria(CALLED[protocol], ANSWERED[protocol], USUAL[protocol], paged=True)
        shows, lacking = draft.judged_by(asked)
        names, notes = [criterion.id for criterion in asked], notes + lacking
    each = max(1, min(SHEET, MANY // len(names), draft.items))
    judges = wish.judges or -(-RATINGS * draft.items // each) * systems
    plan = draft.planned(SINGLE, "latin", each, judges, draft.whole)
    return draft.made(
        worded(f"{words}.title"),
        [
            "criteria:  # of the catalogue, or your own: {id: …, definition: …, question: {en: …}}",
            *(_own_question(own, words, wish.languages) if own else [f"  - {name}" for name in names]),
            scale or SCALE[protocol],
            show_line(shows),
            plan.line,
        ],
        instructions=wording("instructions", worded(f"{words}.instructions"), wish.languages),
        judges=plan.judges,
        about=plan.about,
        practice="texts before the first that counts; their inputs serve no more",
        checks=_checks(names[0], protocol, plan.each, shows),
        sentence=(
            f"{wish.protocol} ratings of {counted(systems, 'system')} for {', '.join(names)}, "
            f"{counted(draft.inputs, 'input')}, {counted(plan.judges, 'judge')} with {counted(plan.each, 'text')} each"
        ),
        notes=notes,
    )


def _own_question(name: str, words: str, languages: Sequence[str]) -> list[str]:
    told = [wording(key, worded(f"{words}.{key}"), languages, "    ") for key in ("definition", "question")]
    return [f"  - id: {name}", *chain(*told)]


COPIES, GAP = 12, 5  # damaged copies of a judge, and screens between an original and its copy
PLACES = {"likert": (0.25, 0.75, 0), "continuous": (0.2, 0.8, 0.4), "binary": (1, 0, 0, 1, 0, 1)}
"""Where on the scale the answers stand that attention checks ask for: of two answers more checks are needed."""


def _checks(criterion: str, protocol: str, each: int, shows: Sequence[Show]) -> list[str]:
    """The block of checks as a comment, which keeps careful judges as it stands (`study check` says how many)."""
    asked = asked_of(CriterionEntry(id=criterion), protocol, None)
    assert asked is not None, f"{criterion} was chosen for {protocol}"
    places = PLACES[protocol]
    copies = protocol != "binary" and _fits(each)
    checks = [f"{_attention(criterion, asked.scale, place)}{needless(shows)}" for place in places]
    copied = [
        f"  degraded: {COPIES}  # damaged copies for each judge, which must be rated below their originals; fewer cost "
        "careful judges",
        f"  gap: {GAP}  # screens at least between an original and its copy",
    ]
    more = [
        *(copied if copies else []),
        "  repeats: 0  # texts for each judge that come again; 8 or more give a verdict",
        *COMPREHENSION,
    ]
    gold = f"{{text: …, gold: {{answer: {{{criterion}: {asked.scale.place(asked.scale.high)}}}, within: 1}}, why: …}}"
    exclude = f"attention{', degraded' * copies}"
    return checks_told(checks, gold, more=more, exclude=exclude)


def _attention(criterion: str, scale: AskedScale, place: float) -> str:
    number = round(place * scale.steps)
    value = scale.place(scale.low + (scale.high - scale.low) * number / scale.steps)
    called = say(scale.label(number), "en") if scale.points == 2 else ""
    within = "" if scale.points else ", within: 5"
    words = quoted(f"To show that you read this, please choose {called or value}.")
    return f"text: {words}, answer: {{{criterion}: {value}}}{within}"


def _fits(each: int) -> bool:
    """Whether a judge's screens have room for the damaged copies."""
    try:
        Extras(degraded=COPIES, gap=GAP).check(each)
    except InputError:
        return False
    return True
