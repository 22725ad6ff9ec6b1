"""Participants and method as a paragraph to paste, and what became of the judges: what file and answers tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge.stats.discrimination.wording import people
from nlgauge.study.file.study import Panel, say
from nlgauge.study.file.translations import language_names
from nlgauge.study.protocols.triangle.analysis.results import Attendance, StudyResult, Turnout
from nlgauge.study.protocols.triangle.file import TriangleStudy
from nlgauge.wording.languages import apart

UNKNOWN = {
    "": "",
    "exported": "an exported file holds answers alone: how many judges registered, declined or left without answering "
    "is known to the study's database only",
    "imported": "judges were imported with their answers: those who registered and never answered are not counted "
    "among them",
}
"""What the numbers of judges leave out."""


def turnout(found: Turnout) -> str:
    """What became of the judges of a panel."""
    erased = f"{found.forgotten:,} {'was' if found.forgotten == 1 else 'were'} forgotten"
    return (
        f"Panel {found.panel}: {people(found.registered)} registered ({found.planned:,} planned): {found.finished:,} "
        f"finished, {found.failed:,} failed the practice, {found.withdrawn:,} declined or withdrew, "
        f"{erased}, {found.in_progress:,} did not come to an end."
    )


def screening(found: Attendance) -> str:
    """What the practice keeps the conclusion from."""
    failed = sum(panel.failed for panel in found.panels)
    who = f"{people(failed)} who had" if found.known else "judges who had"
    return (
        f"screened by practice: {who} fewer than {found.required} of {found.practice} practice triads right were not "
        "asked further; p_d is the share among those who pass, and the conclusion is limited to them"
    )


def attendance(found: Attendance) -> dict[str, Any]:
    """The stable JSON form."""
    return {
        "panels": [panel.to_dict() | {"sentence": turnout(panel)} for panel in found.panels] if found.known else None,
        "practice": found.practice,
        "required": found.required,
        "screening": screening(found) if found.screened else None,
        "note": UNKNOWN[found.unknown] or None,
        "sample": [sample.to_dict() for sample in found.samples] if found.known else None,
    }


def method(result: StudyResult) -> str:
    """Who judged, how they came, what they were asked, how triads were dealt, and what was left out."""
    study = result.file
    if study is None or all(verdict.machine for verdict in result.verdicts):
        return ""
    language = "en" if "en" in study.question else study.spoken[0]
    said = [
        "The judges were simulated." if result.simulated else "",
        *(_participants(study, name, panel, result) for name, panel in study.panels.items()),
        f"The pages were in {_listed([language_names(study.pages)[code] for code in study.spoken])}.",
        "Each evaluation showed three texts, two of one author and one of the other"
        + (", from three different inputs" if study.inputs == "different" else "")
        + f"; the question was: “{apart(say(study.question, language))}”",
        "The six triads (AAB, ABA, BAA, BBA, BAB, ABB) were balanced in blocks of six.",
        _practice(study),
        _left_out(result),
        _ethics(study),
    ]
    return " ".join(filter(None, said))


def _participants(study: TriangleStudy, name: str, panel: Panel, result: StudyResult) -> str:
    verdict = next((verdict for verdict in result.verdicts if verdict.panel == name), None)
    if panel.kind != "people" or verdict is None:
        return ""  # the machine's own sentence says what it did
    several = len(study.panels) > 1
    each = "one evaluation each" if panel.evaluations == 1 else f"{panel.evaluations} evaluations each"
    who = f" ({apart(panel.description)})" if panel.description else ""
    text = f"{f'In the panel {apart(name)}, ' if several else ''}{people(verdict.judges)}{who} "
    text += f"gave {verdict.answers:,} answer{'' if verdict.answers == 1 else 's'} that count "
    text += f"(planned: {people(panel.judges)}, {each})."
    how = [
        f"recruitment: {apart(panel.recruitment)}" if panel.recruitment else "",
        f"pay: {apart(panel.pay)}" if panel.pay else "",
    ]
    known = "; ".join(filter(None, how))
    return f"{text} {known[0].upper()}{known[1:]}." if known else text


def _practice(study: TriangleStudy) -> str:
    practice = study.practice
    number = practice.triads + len(practice.examples)
    if not number:
        return "There was no practice."
    text = f"{number} practice triad{'' if number == 1 else 's'} {'with' if practice.feedback else 'without'} feedback"
    need = f", of which {practice.required} had to be answered correctly" if practice.required else ""
    return f"{text}{need} came first and {'was' if number == 1 else 'were'} not analysed."


def _left_out(result: StudyResult) -> str:
    late = "answers that came late to evaluations dealt again"
    said = [result.erased] if result.erased else []
    if result.surplus:
        said.append(f"{result.surplus:,} surplus ({late}), by a rule fixed at launch")
    out = sum(len(panel.left_out) for panel in result.exclusions)
    if out:
        said.append(f"the answers of {people(out)} (see exclusions)")
    if result.corrected:
        said.append(f"{result.corrected:,} replaced by the judges' own corrections")
    return f"Left out: {_listed(said)}." if said else ""


def _ethics(study: TriangleStudy) -> str:
    ethics = study.ethics
    text = f"Ethics approval: {apart(ethics.approval)}" if ethics.approval else ""
    if ethics.body:
        text = f"{text} ({apart(ethics.body)})" if text else f"Ethics body: {apart(ethics.body)}"
    asked = "Judges gave consent before anything was asked." if study.consent is not None else ""
    return " ".join(filter(None, (asked, f"{text}." if text else "")))


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
