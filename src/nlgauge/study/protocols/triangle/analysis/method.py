"""Participants and method as a paragraph to paste: what the study file and the answers tell, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.stats.discrimination.wording import people
from nlgauge.study.file.study import Panel, Study, say
from nlgauge.study.languages import ABOUT
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.study.protocols.triangle.file import TriangleStudy
from nlgauge.wording.direction import apart


def language_names(study: Study) -> dict[str, str]:
    """What the languages of the pages are called, those of the study's own translations among them."""
    names = {code: language.english for code, language in ABOUT.items()}
    return names | {tag: translation.name for tag, translation in study.pages.items()}


def method_of(study: TriangleStudy, result: StudyResult, *, simulated: bool = False) -> str:
    """Who judged, how they came, what they were asked, how triads were dealt, and what was left out."""
    if all(one.machine for one in result.verdicts):
        return ""
    said = ["The judges were simulated."] if simulated else []
    said += [_participants(study, name, panel, result) for name, panel in study.panels.items()]
    language = "en" if "en" in study.question else study.spoken[0]
    said += [
        f"The pages were in {_listed([language_names(study)[code] for code in study.spoken])}.",
        "Each evaluation showed three texts, two of one author and one of the other"
        + (", from three different inputs" if study.inputs == "different" else "")
        + f"; the question was: “{apart(say(study.question, language))}”",
        "The six triads (AAB, ABA, BAA, BBA, BAB, ABB) were balanced in blocks of six.",
        _practice(study),
        _left_out(result),
        _ethics(study),
    ]
    return " ".join(one for one in said if one)


def _participants(study: TriangleStudy, name: str, panel: Panel, result: StudyResult) -> str:
    verdict = next((one for one in result.verdicts if one.panel == name), None)
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
    known = "; ".join(one for one in how if one)
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
    said = [one for one in result.remarks if one.endswith("erased at the judges' request")]
    if result.surplus:
        said.append(f"{result.surplus:,} surplus ({late}), by a rule fixed at launch")
    out = sum(len(one.left_out) for one in result.exclusions)
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
    return " ".join(one for one in (asked, f"{text}." if text else "") if one)


def _listed(words: Sequence[str]) -> str:
    return " and ".join(one for one in (", ".join(words[:-1]), words[-1]) if one)
