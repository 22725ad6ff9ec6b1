"""What is said of a triangle study, made last: sentences to paste, warnings, and the JSON form with both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nlgauge.report.study import triangle_method
from nlgauge.report.study.triangle_panels import (
    exclusion,
    machine_beside,
    machine_notes,
    panel_notes,
    panels,
    sensitivity,
    verdict,
    verdict_in_json,
    verdict_notes,
)
from nlgauge.stats.discrimination.wording import chance, people
from nlgauge.stats.keyness import Key
from nlgauge.study.protocols.triangle.analysis.biases import Check, Haste
from nlgauge.study.protocols.triangle.analysis.results import Missing, StudyResult
from nlgauge.study.protocols.triangle.analysis.texts import ItemEffects, Reasons, TextEffect
from nlgauge.wording.numbers import at_most_seconds


class Said(NamedTuple):
    """A sentence to paste, with its heading, what it is about, and the panel of people where there are several."""

    about: str
    heading: str
    text: str
    panel: str = ""


FINDINGS = ("verdict", "machine", "panels")  # what stands at the top of a page

FOLLOWED = (
    "the rule of stopping was followed with the answers of all judges while the study ran, and is followed again "
    "without those left out: the risks stated are those of all judges"
)
QUESTIONS = {
    "position": "Is one place on the screen chosen more often?",
    "triads": "Are some of the six orders answered correctly more often?",
    "odd subject": "Is one author's text easier to spot among two of the other?",
    "learning": "Do judges get better or worse from answer to answer?",
    "practice": "Are judges better in the first triad that counts than in the last of practice?",
    "drift": "Do later judges answer better or worse than earlier ones?",
}


def said(result: StudyResult) -> list[Said]:
    """Sentences to paste, each under a heading."""
    several = len(result.verdicts) > 1
    parts = []
    for panel in result.verdicts:
        heading = f"Verdict of the {'machine' if panel.machine else 'panel'} {panel.panel}" if several else "Verdict"
        parts.append(Said("verdict", heading, verdict(panel), panel.panel if several and not panel.machine else ""))
    for panel in result.verdicts:
        heading = f"Sensitivity of the panel {panel.panel}" if several else "Sensitivity"
        parts.append(Said("sensitivity", heading, sensitivity(panel), panel.panel if several else ""))
    if result.panels is not None:
        parts.append(Said("panels", "Panels", panels(result.panels)))
    if result.attendance is not None and result.attendance.panels:
        parts.append(Said("judges", "Judges", " ".join(map(triangle_method.turnout, result.attendance.panels))))
    parts += [
        Said("exclusions", f"Exclusions: {both.panel}" if several else "Exclusions", exclusion(both))
        for both in result.exclusions
    ]
    parts += [
        Said("machine", f"The machine {beside.machine} beside {beside.people}", machine_beside(beside))
        for beside in result.machines
    ]
    if result.haste is not None:
        parts.append(Said("times", "Times", haste(result.haste)))
    parts += [Said("check", QUESTIONS[bias.name], check(bias)) for bias in result.checks if bias.p is not None]
    if result.items is not None:
        parts.append(Said("texts", "Texts", items(result.items)))
    if result.reasons is not None:
        parts.append(Said("reasons", "Reasons", reasons(result.reasons)))
    return [part for part in parts if part.text]


def sentences(result: StudyResult) -> tuple[tuple[str, str], ...]:
    """The same as headings and texts."""
    return tuple((part.heading, part.text) for part in said(result))


def sentence(result: StudyResult) -> str:
    """The verdict in words."""
    parts = [
        f"{f'Panel {panel.panel}: ' if len(result.verdicts) > 1 and not panel.machine else ''}{verdict(panel)}"
        for panel in result.verdicts
    ]
    if result.panels is not None:
        parts.append(panels(result.panels))
    return " ".join(parts)


def warnings(result: StudyResult) -> tuple[str, ...]:
    """What the reader must know before believing the verdict."""
    return tuple(dict.fromkeys(_warnings(result)))


def _warnings(result: StudyResult) -> Iterator[str]:
    yield from result.remarks
    if result.exclusions and result.plan.stopping.kind != "fixed":
        yield FOLLOWED
    yield from map(_missing, result.missing)
    if result.attendance is not None and result.attendance.screened:
        yield triangle_method.screening(result.attendance)
    for panel in result.verdicts:
        head = f"panel {panel.panel}: " if len(result.verdicts) > 1 else ""
        yield from (head + note for note in verdict_notes(panel))
        if panel.test is not None and panel.test.study.name == "exploratory":
            yield f"{head}exploratory: {panel.test.study.reason}"
        if panel.scope is not None and panel.scope.few:
            yield f"{head}few texts: the conclusion is limited to the {panel.scope.texts:,} texts shown"
    if result.panels is not None:
        yield from panel_notes(result.panels)
    for both in result.exclusions:
        if not both.same:
            yield f"panel {both.panel}: the conclusion changes with the judges who are left out; report both"
    for beside in result.machines:
        yield from (f"{beside.machine} beside {beside.people}: {note}" for note in machine_notes(beside))
    yield from (check(bias) for bias in result.checks if bias.found)
    if result.items is not None and result.items.odd:
        yield f"{len(result.items.odd)} texts are odd whoever wrote them; see the table of texts"
    if result.haste is not None and result.haste.fast_judges:
        yield _too_fast(result.haste)
    if result.reasons is not None and result.reasons.lost_marks:
        yield f"{result.reasons.lost_marks:,} marks lie outside the texts at hand and were left out"


def _missing(panel: Missing) -> str:
    if panel.answers:
        return f"the panel {panel.panel} has {panel.answers:,} of the {panel.planned:,} answers that were planned"
    return (
        f"the {'machine' if panel.machine else 'panel'} {panel.panel} was planned with {panel.planned:,} answers and "
        "has none: nothing is said about it, and the verdict leaves it out"
    )


# ------------------------------------------------------------------------------------------- panels, biases and texts


def check(found: Check) -> str:
    """What may be written of a bias: found only after correction for the number of tests."""
    if found.p is None:
        return "Nothing to test."
    counts, what = _looked_at(found)
    adjusted = "" if found.p_adjusted is None else f", Holm-adjusted {chance(found.p_adjusted)}"
    return f"{counts}; {what} was {'found' if found.found else 'not shown'} ({chance(found.p)}{adjusted})."


def _looked_at(found: Check) -> tuple[str, str]:
    """The counts in words, and what the test looks for."""
    table = found.table
    trend = f"a trend for {'the better' if found.better else 'the worse'}"
    if found.name == "position":
        chosen = ", ".join(f"{count:,}" for count, _ in table.values())
        expected = ", ".join(f"{number:.1f}" for number in found.expected)
        return f"The three places were chosen {chosen} times (expected {expected})", "a preference for a place"
    if found.name == "triads":
        counts = ", ".join(f"{name} {x}/{n}" for name, (x, n) in table.items())
        return f"Correct answers by triad: {counts}", "a difference between triads"
    if found.name == "odd subject":
        counts = ", ".join(f"{name} {x}/{n}" for name, (x, n) in zip(found.authors, table.values(), strict=True))
        return f"Correct answers by author of the odd text: {counts}", "a difference between the two"
    if found.name == "learning":
        counts = ", ".join(f"{x}/{n}" for x, n in table.values())
        return f"Correct by order of answering: {counts}", f"{trend} from answer to answer"
    if found.name == "practice":
        both, (gained, lost) = table["first answer"][1], found.changed
        return (
            f"Of {people(both)} {gained:,} were right only after practice, {lost:,} only in it",
            "a change after practice (practice texts may be easier or harder)",
        )
    counts = ", ".join(f"{x}/{n} in the {name} of judges" for name, (x, n) in table.items())
    return f"Correct answers {counts}", f"{trend} from judge to judge"


def haste(found: Haste) -> str:
    """How fast judges were."""
    head, fast, p = f"Half of the answers took {at_most_seconds(found.median)}", len(found.fast_judges), found.p_without
    if not fast:
        return f"{head}; no judge was too fast to have read the texts."
    rest = (
        "nobody is left without them"
        if p is None
        else f"without them {found.correct_without:,} of {found.answers_without:,} answers are correct, {chance(p)}"
    )
    were = "was" if fast == 1 else "were"
    return f"{head}; {fast:,} of {people(found.judges)} {were} too fast to have read the texts ({rest})."


def _too_fast(found: Haste) -> str:
    """What the fast judges mean for the verdict."""
    number = len(found.fast_judges)
    who = "1 judge was" if number == 1 else f"{number:,} judges were"
    if not found.answers_without:
        return f"{who} too fast, and nobody else answered: without them there is no test"
    effect = "changes" if found.changes else "does not change"
    return f"{who} too fast; leaving them out {effect} the exact test's conclusion"


def items(found: ItemEffects) -> str:
    """Texts that stand out, and texts that give their author away."""
    if found.p_odd_in_itself is None:
        first = "There was no wrong answer, so no text can be odd in itself."
    else:
        out = "stand out" if found.p_odd_in_itself <= 0.05 else "were not shown to stand out"
        first = f"Texts {out} whoever wrote them (all texts together, {chance(found.p_odd_in_itself)})."
    if found.odd:
        named = "; ".join(
            f"{called(text)}, chosen in {text.mistaken} of {text.errors} errors" for text in found.odd[:5]
        )
        first += f" Odd in itself: {named}{f' and {len(found.odd) - 5} more' if len(found.odd) > 5 else ''}."
    if found.p_gives_away is None:
        return first
    differ = "differ" if found.p_gives_away <= 0.05 else "were not shown to differ"
    return f"{first} Texts {differ} in how easily they are spotted as the odd one ({chance(found.p_gives_away)})."


def called(text: TextEffect) -> str:
    """What a reader calls a text: ids are hashes that hide the author from judges."""
    return f"{text.subject}'s text for {text.item}"


def reasons(found: Reasons) -> str:
    """What gave it away, in the judges' words."""
    parts = [
        f"Of {found.answers:,} answers {found.answers_with_reasons:,} gave a reason in words and "
        f"{found.answers_with_marks:,} marked words."
    ]
    if found.marked:
        top = ", ".join(f"“{word.word}” ({word.marked} of the {word.shown} that saw it)" for word in found.marked[:3])
        parts.append(f"Most marked: {top}.")
    parts += [_typical("marks", found.keys_of_marks), _typical("reasons", found.keys_of_reasons)]
    return " ".join(filter(None, parts))


def _typical(what: str, keys: Sequence[Key]) -> str:
    sure = [key for key in keys if key.p_adjusted <= 0.05]
    if not sure:
        return f"No word of the {what} was shown to be typical of correct or of wrong answers." if keys else ""
    names = ", ".join(
        f"“{key.word}” ({'correct' if key.log_odds > 0 else 'wrong'} answers, adjusted {chance(key.p_adjusted)})"
        for key in sure[:5]
    )
    return f"Typical words in the {what}: {names}."


def in_json(result: StudyResult) -> dict[str, Any]:
    """The stable JSON form of `study analyse`: figures, and what is said of them."""
    return {
        "protocol": result.plan.protocol,
        "goal": result.goal,
        "n": result.n,
        "result": verdict_in_json(result.leading) | {"concluded": result.concluded},
        "sentence": sentence(result),
        "warnings": list(warnings(result)),
        "study": result.study,
        "plan": result.plan.to_dict(),
        "verdicts": list(map(verdict_in_json, result.verdicts)),
        "panels": None
        if result.panels is None
        else result.panels.to_dict() | {"sentence": panels(result.panels), "warnings": panel_notes(result.panels)},
        "judges": None if result.attendance is None else triangle_method.attendance(result.attendance),
        "machines": [
            beside.to_dict() | {"notes": machine_notes(beside), "sentence": machine_beside(beside)}
            for beside in result.machines
        ],
        "excluded": {name: why for panel in result.exclusions for name, why in panel.left_out.items()},
        "with_and_without": [
            {
                "panel": panel.panel,
                "excluded": dict(panel.left_out),
                "same_conclusion": panel.same,
                "all_judges": verdict_in_json(panel.every),
                "without_those_left_out": verdict_in_json(panel.kept),
                "sentence": exclusion(panel),
            }
            for panel in result.exclusions
        ],
        "checks": [
            {"name": bias.name, "question": QUESTIONS[bias.name], **bias.to_dict(), "sentence": check(bias)}
            for bias in result.checks
        ],
        "times": None if result.haste is None else result.haste.to_dict() | {"sentence": haste(result.haste)},
        "texts": None if result.items is None else result.items.to_dict() | {"sentence": items(result.items)},
        "reasons": None if result.reasons is None else result.reasons.to_dict() | {"sentence": reasons(result.reasons)},
        "set_aside": {"practice": result.practice, "surplus": result.surplus, "corrected": result.corrected},
        "method": triangle_method.method(result),
        "digest": result.digest,
        "seed": result.seed,
    }
