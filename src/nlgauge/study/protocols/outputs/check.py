"""What `study check` says of any study of outputs: what is shown, neighbours that anchor, balance, a simulated run."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from urllib.parse import urlsplit

from nlgauge.errors import counted
from nlgauge.study.checks.findings import Finding
from nlgauge.study.criteria.comparing import anchors
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.designs import balance
from nlgauge.study.designs.triangle import seat_of
from nlgauge.study.file.study import say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import rightable
from nlgauge.study.protocols.outputs.judge import LanguageModel, MachineJudge, Measure
from nlgauge.study.protocols.outputs.passing import (
    KEEP,
    Passing,
    attention,
    kept,
    passing_finding,
    right_answers,
)
from nlgauge.study.protocols.outputs.protocol import output_protocol
from nlgauge.study.protocols.outputs.quality import LEAST_REPEATS, Quality, least_degraded

INPUT = frozenset(("source", "table", "image", "history", "context"))
"""The input in whatever form: one of them stands for another."""


MANY = 100  # ratings after which judges tire


def criteria_findings(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """What is not shown, not defined, next to its like, or too much."""
    for number, one in enumerate(study.questions_asked, start=1):
        line = lines.get(f"criteria.{number}", 0)
        for lacking in _lacking(study, number)[:1]:
            said = f"{one.id} is judged by the {lacking}, which judges do not see; add show: [{lacking}]"
            yield Finding("risk", "criteria", said, line)
        if not one.definition:
            said = f"{one.id} has no definition: what was judged cannot be compared with other studies"
            yield Finding("risk", "criteria", said, line)
    if study.abstainable:
        names = ", ".join(worded.id for worded in study.questions_asked if worded.id in study.abstainable)
        yield Finding(
            "note",
            "criteria",
            f"judges may answer “I cannot judge this” ({names}): such answers count in no mean, so plan for more "
            "answers than you need, and say in the instructions when it is to be chosen",
            lines.get("criteria", 0),
        )
    found = [study.meant(entry) for entry in study.criteria if study.criteria_order == "listed"]
    for anchor in anchors([criterion for criterion in found if criterion is not None]):
        yield Finding("risk", "anchoring", str(anchor), lines.get("criteria", 0))
    for name, panel in study.panels.items():
        answers = round(panel.evaluations * len(study.questions_asked) / len(study.parts))
        if answers > MANY and panel.kind == "people":
            yield Finding(
                "risk",
                "fatigue",
                f"panel {name}: {counted(panel.evaluations, 'screen')} with "
                f"{counted(len(study.questions_asked), 'question')} are {answers} answers of each judge; more than "
                f"{MANY} tire, so give each judge fewer (evaluations: …)",
                lines.get(f"panels.{name}", 0),
                {"answers_each": answers},
            )


def _lacking(study: OutputStudy, number: int) -> list[str]:
    """What a question compares with and judges do not see."""
    shown, criterion = study.seen_by_all, study.meant(study.criteria[number - 1])
    if criterion is None:
        return _not_among(shown, study.questions_asked[number - 1].shown)
    kinds = {study.panels[name].who for name in study.people}
    return lacking_of(criterion, shown, kinds.pop() if len(kinds) == 1 else None)


def lacking_of(criterion: Criterion, shown: Collection[str], who: str | None = None) -> list[str]:
    """What a criterion is judged by and nobody sees; nothing where one kind of judge sees all it needs.

    That end users need nothing to judge by helps only where the judges are said to be such (`who`).
    """
    usual = sorted(criterion.judges, key=lambda kind: kind != "monolingual")
    kinds = [kind for kind in usual if kind == who] or [kind for kind in usual if criterion.wording.fits(kind)]
    needed = [things for kind in kinds if (things := criterion.judges[kind]) or kind == who]
    lacking = [_not_among(shown, things) for things in needed]
    return lacking[0] if lacking and all(lacking) else []


def _not_among(shown: Collection[str], things: Sequence[str]) -> list[str]:
    return [thing for thing in things if thing not in shown and not (thing in INPUT and INPUT & set(shown))]


def balance_findings(frozen: Frozen, study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """The design in a sentence, and what came of it."""
    items, systems = len({text.item for text in frozen.served}), len(study.subjects)
    for name in study.people:
        panel = study.panels[name]
        design = study.design_for(name, study.screens(panel.evaluations))
        apart = len(study.parts) if study.apart else 1  # each part has the whole design
        table = design.sheets(items, systems, -(-panel.judges // apart), seed=study.seed, panel=name)
        found = balance(table)
        line = lines.get(f"panels.{name}", 0)
        each = "each criterion by itself: " if apart > 1 else ""
        yield Finding("note", "design", f"panel {name}: {each}{design.describe(items, systems)}", line)
        yield Finding("note", "balance", f"panel {name}: {each}{found.sentence()}", line, found.to_dict())
        whole, what, better = apart * design.complete(items, systems), "everything is even", "balanced"
        if whole > 2 * panel.judges:  # too many to ask for, but every square can be whole
            whole, what, better = apart * design.square(systems), "a square is complete", "whole squares"
        if whole > 1 and panel.judges % whole:
            nearest = -(-panel.judges // whole) * whole
            planned = f"{panel.judges} {'is' if panel.judges == 1 else 'are'} planned"
            said = f"panel {name}: {what} after each {whole} judges, but {planned}; {nearest} would be {better}"
            yield Finding("risk", "balance", said, line, {"complete": whole})


def agreement_findings(frozen: Frozen, study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """That no two judges are asked about the same, so that nobody will know whether judges agree."""
    judges: dict[frozenset[str], set[tuple[str, int]]] = {}
    for slot in frozen.slots:
        panel = study.panels[slot.panel]
        if not slot.role and panel.kind == "people":
            sheet = (slot.panel, seat_of(slot.number, panel.evaluations))
            for shown in combinations(slot.texts, min(2, len(slot.texts))):
                judges.setdefault(frozenset(shown), set()).add(sheet)
    if judges and max(map(len, judges.values())) < 2:
        yield Finding(
            "risk",
            "agreement",
            "no output is judged by two judges, so that agreement between judges cannot be known; ask more judges, "
            "give each more items (items_per_judge), or judge fewer items (items: …)",
            lines.get("design", 0) or lines.get("panels", 0),
            {"judged_twice": 0},
        )


def page_findings(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """That a screen has two pages, where it has."""
    if len(study.parts) > 1:
        first = [study.questions_asked[number].id for number in study.parts[0]]
        kept = sorted({str(show.what) for show in study.every_show} & study.hidden_in(0))
        yield Finding(
            "note",
            "pages",
            f"each text has two pages: {', '.join(first)} without the {', the '.join(kept)}, then the rest with it; "
            "the first answer is stored before the second page is shown",
            lines.get("criteria", 0),
        )


def machine_findings(frozen: Frozen, study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """What panels of machines lack, and what they will cost."""
    for name, panel in study.panels.items():
        if panel.judge is None:
            continue
        line = lines.get(f"panels.{name}.judge", 0) or lines.get(f"panels.{name}", 0)
        for risk in _machine_risks(panel.judge, panel.judges):
            yield Finding("risk", "machines", f"panel {name}{risk}", line)
        if isinstance(panel.judge, LanguageModel):
            yield _cost(frozen, study, name, panel.judge, line)


def _machine_risks(judge: MachineJudge, judges: int) -> Iterator[str]:
    """One judge counted several times, no address, no key."""
    model = isinstance(judge, LanguageModel)
    if judges > 1 and (isinstance(judge, Measure) or (isinstance(judge, LanguageModel) and judge.temperature == 0)):
        yield (
            f": {'a model at temperature 0' if model else 'a metric'} gives (nearly) the same answer each time, so "
            f"{judges} judges are one judge counted several times; set judges: 1, or a temperature above 0"
        )
    if not isinstance(judge, LanguageModel):
        return
    if not judge.url:
        yield " has no address of its model; add url: …, or give --url to study run-judge"
    variable = judge.key_env or "OPENAI_API_KEY"
    local = (urlsplit(judge.url).hostname or "") in ("localhost", "127.0.0.1", "::1")
    if not os.environ.get(variable, "").strip() and (judge.key_env or not local):
        remedy = "put the model's key there before study run-judge"
        yield f": the environment variable {variable} is empty or not set; {remedy}"


PER_TOKEN = 4  # characters, as a rule of thumb for English
AROUND = 900  # characters of the standard template and the form of the reply
REPLY = 60  # tokens of a short reply with its reason


def _cost(frozen: Frozen, study: OutputStudy, name: str, judge: LanguageModel, line: int) -> Finding:
    """Requests and tokens, by the length of what is sent."""
    own = [slot for slot in frozen.slots if slot.panel == name]
    kinds = [show.what for show in study.shown_to(name)]
    wordings = [say(words, study.spoken[0]) for words in (study.instructions, study.context)]
    wordings += [say(worded.question, study.spoken[0]) for worded in study.questions_asked]
    each = AROUND + sum(map(len, wordings))
    sent = 0
    for slot in own:
        texts = [frozen.text[text] for text in slot.texts]
        beside = sum(len(str(texts[0].beside.get(what, ""))) for what in kinds)
        sent += each + beside + sum(len(text.text) + len(text.context) for text in texts)
    reading, writing = sent // PER_TOKEN, len(own) * (judge.max_tokens or REPLY)
    judges = study.panels[name].judges
    sheets = f" ({judges} judges × {len(own) // judges:,} screens)" if judges > 1 else ""
    most = "at most" if judge.max_tokens else "about"
    return Finding(
        "note",
        "machines",
        f"panel {name}: {counted(len(own), 'request')} to {judge.model}{sheets}, about {reading:,} tokens to read (a "
        f"token is some {PER_TOKEN} characters) and {most} {writing:,} to write; a reply that cannot be read is asked "
        "for once more",
        line,
        {"requests": len(own), "prompt_tokens": reading, "completion_tokens": writing},
    )


def quality_findings(
    study: OutputStudy, lines: Mapping[str, int], tested: Mapping[str, Passing] | None = None
) -> Iterator[Finding]:
    """What training and checks are: those that cannot tell anything, the rule in a sentence, and who passes; `tested`
    says who passes the tests of ratings."""
    yield from _training(study, lines)
    quality = study.quality
    if quality is None:
        return
    line, rule = lines.get("quality", 0), quality.rule
    least, each = least_degraded(rule.alpha), "for each judge"
    if 0 < quality.degraded < least and rule.test != "t":
        yield Finding(
            "risk",
            "quality",
            f"{counted(quality.degraded, 'damaged copy', 'damaged copies')} {each} cannot reach p < {rule.alpha:g}, so "
            f"that nobody passes or fails by them; show at least {least}, better 10 or more",
            lines.get("quality.degraded", line),
            {"least": least},
        )
    if 0 < quality.repeats < LEAST_REPEATS and "repeats" in rule.exclude:
        yield Finding(
            "risk",
            "quality",
            f"{counted(quality.repeats, 'repeat')} {each} {'is' if quality.repeats == 1 else 'are'} no ground to leave "
            f"anybody out; show at least {LEAST_REPEATS}, or take repeats out of the rule",
            lines.get("quality.repeats", line),
        )
    added = quality.added
    told = f"{counted(added, 'additional screen')} {each}" if added else "no additional screens"
    out = "judges who fail are named, and nobody is left out by a rule"
    if rule.exclude:
        failing = f"judges who fail {counted(rule.failures, 'kind')} of check or more ({', '.join(rule.exclude)})"
        out = f"{failing} are left out by the rule (study exclude --by-rule)"
    yield Finding("note", "quality", f"{told}; {out}", line, {"screens": added, "exclude": list(rule.exclude)})
    protocol = output_protocol(study)
    chances = [protocol.chance(known, known.shown, study) for known in quality.attention]
    yield from _passing(quality, line, chances, tested or {})
    yield from _blind(study, quality, chances, lines)
    if quality.comprehension is not None and study.instructions is None:
        yield Finding(
            "risk",
            "quality",
            "there is a comprehension test but no instructions of the study's own that it could ask about",
            lines.get("quality.comprehension", line),
        )


def _training(study: OutputStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Practice with known answers: how many, and whom it sends away."""
    practice, protocol = study.practice, output_protocol(study)
    pages = rightable(study)
    if not sum(pages):
        return
    line = lines.get("practice.required", 0) or lines.get("practice", 0)
    told = f"training: after {counted(sum(pages), 'practice answer')} judges are told whether it was right"
    if not practice.required:
        yield Finding("note", "practice", f"{told}; nobody is sent away", line, {"known": sum(pages)})
        return
    chances = [
        protocol.chance(example.gold, example.words, study)
        for example, number in zip(study.examples, pages, strict=True)
        if example.gold is not None
        for _ in range(number)
    ]
    found = right_answers(chances, practice.required)
    yield passing_finding(
        f"{told}; the test ({practice.required} of {len(chances)} right) is passed by",
        found,
        line,
        remedy="write more examples, or ask for more right answers"
        if found.careful >= KEEP
        else "ask for fewer right answers, or leave required out",
        sent_away=True,
    )


def _blind(
    study: OutputStudy, quality: Quality, chances: Sequence[float], lines: Mapping[str, int]
) -> Iterator[Finding]:
    """Checks that whoever does nothing passes: beside others they tell whether judges invent, alone nothing."""
    blind = [number for number, one in enumerate(chances, start=1) if one >= 1]
    if blind and 2 * len(blind) > len(chances):
        yield Finding(
            "risk",
            "quality",
            f"{len(blind)} of {counted(len(chances), 'attention check')} can be passed by doing nothing; most should "
            "have something to be found",
            lines.get(f"quality.attention.{blind[0]}", 0) or lines.get("quality", 0),
        )


def _passing(quality: Quality, line: int, chances: Sequence[float], tested: Mapping[str, Passing]) -> Iterator[Finding]:
    """Which share of judges each check lets pass, and the rule as a whole."""
    rule, shown = quality.rule, quality.extras.attention
    by = dict(tested)
    if chances and shown:
        by["attention"] = attention(chances, shown, rule.attention)
    told = {
        "attention": counted(shown, "attention check"),
        "degraded": counted(quality.degraded, "damaged copy", "damaged copies"),
        "repeats": counted(quality.repeats, "repeat"),
    }
    for kind, found in by.items():
        yield passing_finding(f"{told[kind]}: passed by", found, line, remedy="", sent_away=False)
    if any(kind in by for kind in rule.exclude):
        found = kept(rule, by)
        worst = min((kind for kind in rule.exclude if kind in by), key=lambda kind: by[kind].careful)
        remedy = (
            f"give each judge more {_MORE[worst]}, or take {worst} out of the rule"
            if found.careful < KEEP
            else "give each judge more checks, or lower the share that may be missed (rule: {attention: …})"
        )
        open_ = [kind for kind in rule.exclude if kind not in by]
        without = f" (without {', '.join(open_)})" if open_ else ""
        yield passing_finding(f"the rule{without} keeps", found, line, remedy=remedy, sent_away=True)


_MORE = {"attention": "attention checks", "degraded": "damaged copies", "repeats": "repeats"}


def rehearsal_findings(frozen: Frozen, crowd: Crowd) -> Iterator[Finding]:
    """The plan run once with simulated judges, some of whom go away."""
    from nlgauge.study.simulation import rehearse

    _, outcome = rehearse(frozen, crowd, seed=frozen.study.seed)
    for name, result in outcome.panels.items():
        panel = frozen.study.panels[name]
        planned = panel.judges * panel.evaluations
        if panel.kind == "people":
            complete = result["answers"] == planned
            yield Finding(
                "note" if complete else "error",
                "simulation",
                f"panel {name}: a simulated run with {counted(outcome.dropped, 'drop-out')} gave "
                f"{result['answers']:,} of {counted(planned, 'answer')}" + ("" if complete else ": please report this"),
                figures={"answers": result["answers"], "dropped": outcome.dropped},
            )


def design_findings(
    frozen: Frozen, study: OutputStudy, lines: Mapping[str, int], crowd: Crowd | None
) -> Iterator[Finding]:
    """What is said of design, judges and checks, and of a run with simulated judges where there are some."""
    yield from balance_findings(frozen, study, lines)
    yield from agreement_findings(frozen, study, lines)
    yield from machine_findings(frozen, study, lines)
    yield from quality_findings(study, lines)
    if crowd is not None:
        yield from rehearsal_findings(frozen, crowd)
