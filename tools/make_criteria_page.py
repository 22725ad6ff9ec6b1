"""Writes docs/studies/criteria.md from the catalogue of criteria: `python tools/make_criteria_page.py`.

A test compares the page with the catalogue, so that it cannot fall behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

from nlgauge.metrics.survey import TASKS
from nlgauge.study.criteria.catalogue import (
    FILES,
    catalogue,
    constructs,
    criteria,
    defaults_for,
    scales,
    sources,
)
from nlgauge.study.criteria.comparing import Comparison, compare
from nlgauge.study.criteria.types import Criterion, Wording
from nlgauge.study.languages import LANGUAGES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "studies" / "criteria.md"

INTRO = """# Criteria

What annotators (*judges*) are asked about. The catalogue holds the criteria of Sai, Mohankumar and Khapra (2022),
section 3.2, for each task, those of Belz and Reiter (2006), section 3, and a few that other studies ask for; each
with a definition, its questions, a scale, who may judge it and what these judges must and must not see.
Definitions are in our words; judges read them below the questions (`definitions: hidden` in a study file
leaves them out). Questions, labels and definitions are worded in the languages of the pages. A
question is marked *quoted* (the wording of the source) or *ours*; translations are always ours and have not
been reviewed by native speakers. (This page is written by `tools/make_criteria_page.py`.)

## In a study file

```yaml
criteria:
  - fluency                                           # as the catalogue has it
  - {id: relevance, task: captioning}                 # by name: another relevance than that of questions
  - {id: adequacy, wording: ours, scale: quality-7}   # asked otherwise
  - id: formality                                     # one's own
    definition: {en: It keeps the tone of an official letter., de: Es hält den Ton eines amtlichen Briefs.}
    question: {en: "How formal is this text?", de: "Wie förmlich ist dieser Text?"}
    scale: {points: 7, labels: [{en: Not at all, de: Gar nicht}, {en: Completely, de: Vollständig}]}
    judges: [monolingual]
    direction: none                                   # neither end is the better one
```

A criterion of one's own needs an id, a definition and a question. Its other keys: `name`, `form` (rating,
closed, comparison), `scale`, `cannot_judge`, `direction`, `reverse`, `judges`, `shown`, `withheld`, `before`,
`measures` or `same_as`, `frame`, `unit`, `synonyms`, `source`, `task`. Keys that contradict one another are refused: a
thing both shown and withheld, a reverse-keyed question whose high end is said to be the better one, labels
that fit neither the ends nor the points, a catalogue's id with another definition.

**Several wordings.** `wordings: {neutral: …, positive: …}` in place of `question` deals them to equal shares of the
judges, and the analysis says [whether the wording matters](wordings.md).

**Reverse-keyed questions.** To “Does the bot repeat itself?” a high answer is a bad one. Such wordings are
marked, and their answers are turned round (lowest + highest − answer) before they are analysed; the store
keeps what the judge gave.

**Withheld and shown later.** The plausibility of an answer is asked before its passage is shown: ratings and
magnitudes give it a page of its own without the passage, and a comparison that shows it is refused. Those
who judge generated questions never see the answers; a study that shows them is told so.

## Compared by definition

Names mislead: studies measure the same under different names and different things under the same name
(Schoch, Yang and Ji 2020, section 4). Each definition is therefore tied to the constructs it is made of, to
what the output is judged by (itself, its input, something outside both) and to what is judged (a text or a
conversation). Two criteria are the **same** where all of that is equal; **near** where they share a
construct, have constructs close to each other, or differ only in the last two; else **different**. For a
criterion of one's own the constructs are those under `measures`, else they are read from the words of its
definition (English), and where these show none the comparison is **unknown**.

Near or same criteria asked one after the other are reported as anchors: the second answer is adjusted too
little from the first. The defaults of every task are ordered so that no neighbours are.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRO, *_tables(), _relations(), _scales(), _constructs(), _undefined(), _sources()]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _tables() -> Iterator[str]:
    for name in FILES:
        title = "Any task" if name == "any" else TASKS[name].capitalize()
        rows = [one for one in catalogue().values() if (len(one.tasks) > 1) == (name == "any")]
        rows = [one for one in rows if name == "any" or one.tasks == (name,)]
        lines = [f"## {title}", ""]
        if name != "any":
            begins = ", ".join(f"`{one.id}`" for one in defaults_for(name))
            lines += [f"A new study begins with {begins}, in this order.", ""]
        lines += [
            "| criterion | definition | questions | scale | who may judge, with what | also called |",
            "|---|---|---|---|---|---|",
            *(_row(one) for one in rows),
        ]
        yield "\n".join(lines)


def _row(criterion: Criterion) -> str:
    called = f"**{criterion.name}**<br>`{criterion.id}`"
    definition = criterion.definition + (f" *{criterion.note}*" if criterion.note else "")
    source = f" ({sources()[criterion.source]['short']})" if criterion.source else ""
    questions = "<br>".join(_question(wording) for wording in criterion.wordings)
    used = dict.fromkeys(wording.scale.id for wording in criterion.wordings if wording.scale)
    cells = (
        called,
        definition + source,
        questions,
        ", ".join(f"`{name}`" for name in used),
        _judges(criterion),
        ", ".join(criterion.synonyms),
    )
    return f"| {' | '.join(cells)} |"


def _question(wording: Wording) -> str:
    marks = [wording.mark, *(["reverse-keyed"] if wording.reverse else [])]
    marks += [f"for {' or '.join(wording.judges).replace('_', ' ')} judges"] if wording.judges else []
    return f"{wording.text['en']} *({', '.join(marks)})*"


def _judges(criterion: Criterion) -> str:
    told = [
        f"{who.replace('_', ' ')}: {', '.join(things) or 'the output alone'}"
        for who, things in criterion.judges.items()
    ]
    told += [f"**withheld**: {', '.join(criterion.withheld)}"] if criterion.withheld else []
    told += [f"**asked before** {' or '.join(criterion.before)} **is shown**"] if criterion.before else []
    return "<br>".join(told)


def _relations() -> str:
    pairs = [compare(one, other) for one, other in combinations(criteria(), 2)]
    same = [pair for pair in pairs if pair.relation == "same"]
    misleading = [pair for pair in pairs if pair.same_name and pair.relation != "same"]
    near = [pair for pair in pairs if pair.relation == "near" and not pair.same_name and _together(pair)]
    return "\n".join(
        [
            "## The same under other names, others under the same name",
            "",
            "| relation | pair | why |",
            "|---|---|---|",
            *_pairs("same", same),
            *_pairs("same name, not the same", misleading),
            *_pairs("near, and asked of the same task", near),
        ]
    )


def _together(pair: Comparison) -> bool:
    """Whether one study could ask both; those of any task are told of among themselves and not with every task."""
    one, other = catalogue()[pair.first], catalogue()[pair.second]
    return bool({*one.tasks} & {*other.tasks})


def _pairs(relation: str, pairs: Iterable[Comparison]) -> Iterator[str]:
    for pair in pairs:
        yield f"| {relation} | `{pair.first}`, `{pair.second}` | {pair.why} |"


def _scales() -> str:
    lines = ["## Scales", "", "| scale | answers | mark | languages |", "|---|---|---|---|"]
    for scale in scales().values():
        cited = f" ({sources()[scale.source]['short']})" if scale.source else ""
        spoken = "all" if len(scale.labels[0]) == len(LANGUAGES) else ", ".join(scale.labels[0])
        lines.append(f"| `{scale.id}` | {scale} | {scale.mark}{cited} | {spoken} |")
    lines += [
        "",
        "A scale of the catalogue with points becomes a slider from 0 to 100 between its ends "
        "where the protocol asks for one;",
        "`points` that the study file writes itself are refused there.",
        "A scale marked *ours* with a source follows it in part: `fluency-5` leaves out the name of the language,",
        "`score-0-5` has the range of the paper, which reports no labels.",
    ]
    return "\n".join(lines)


def _constructs() -> str:
    lines = [
        "## Constructs",
        "",
        "What definitions are made of; `measures` of one's own criteria takes these ids.",
        "",
        "| construct | meaning | kind | aspect | close to |",
        "|---|---|---|---|---|",
    ]
    for one in constructs().values():
        lines.append(f"| `{one.id}` | {one.about} | {one.kind} | {one.aspect} | {', '.join(sorted(one.akin)) or '–'} |")
    return "\n".join(lines)


def _undefined() -> str:
    return """## Named in the sources without a definition

Their definitions above are ours alone. In the survey, section 3.2: overall quality, task fulfilment,
relevance of a dialogue's reply, appropriate information or service, goal fulfilment, persona adherence,
emotion consistency, semantic adequacy; for the seven criteria of dialogue (making sense to humanness) it
gives a question and no definition, and for plausibility a description of when it is asked. In Belz and
Reiter: readability, clarity, general appropriateness, and no wording. Schoch, Yang and Ji name naturalness
and grammaticality only as criteria that overlap with fluency."""


def _sources() -> str:
    return "\n".join(["## Sources", "", *(f"- {one['short']}: {one['long']}." for one in sources().values())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
