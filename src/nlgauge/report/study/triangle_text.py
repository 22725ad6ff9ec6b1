"""The analysis of a study on the terminal: tables, the sentences to paste, and what the reader must know."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.triangle_method import UNKNOWN, method
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.analysis.sample import Sample
from nlgauge.study.protocols.triangle.analysis.results import Attendance, StudyResult
from nlgauge.study.protocols.triangle.analysis.verdict import Verdict
from nlgauge.wording.numbers import counts, exact_p

Part = tuple[str, list[str], list[list[str]], list[int]]  # a heading, headers, rows, the columns of numbers
MOST_TEXTS = 10


def print_study(result: StudyResult) -> None:
    """Everything on standard output."""
    print_parts(parts(result))
    notes, text = words.warnings(result), method(result)
    print_lines([*said(result, notes), *(f"note: {note}" for note in notes)])
    if text:
        print("\nParticipants and method\n")
        print_lines([text])


def said(result: StudyResult, notes: Collection[str]) -> list[str]:
    """The sentences, each with its panel where there are several; those that are `notes` are told there."""
    parts = [part for part in words.said(result) if part.text not in notes]
    lines = [f"panel {part.panel}: {part.text}" if part.panel else part.text for part in parts]
    if result.attendance is not None and result.attendance.unknown:
        unknown = UNKNOWN[result.attendance.unknown]
        lines.append(f"{unknown[:1].upper()}{unknown[1:]}.")
    return lines


def parts(result: StudyResult) -> list[Part]:
    """The tables that say more than the sentences."""
    several, came = len(result.verdicts) > 1, result.attendance
    found = [verdict_part(verdict, several=several) for verdict in result.verdicts if verdict.test is not None]
    found += [exclusions_part(result)] if result.exclusions else []
    found += [judges_part(came)] if came is not None and came.panels else []
    found += sample_parts(came.samples) if came is not None else []
    found += [checks_part(result)] if any(check.p is not None for check in result.checks) else []
    if result.items is not None and (result.items.odd or (result.items.p_odd_in_itself or 1) <= 0.05):
        found.append(texts_part(result, MOST_TEXTS))
    if result.reasons is not None and result.reasons.marked:
        found.append(marks_part(result, MOST_TEXTS))
    return found


def share(value: float) -> str:
    """A share of people: `23.4 %`."""
    return "n/a" if math.isnan(value) else f"{100 * value:.1f} %"


def p_cell(p: float | None) -> str:
    """A p-value as exact as it is, or a dash where there was nothing to test: `0.0007`, `3.1e-12`, `<1e-300`."""
    if p is None or math.isnan(p):
        return "-"
    return "<1e-300" if p < 1e-300 else f"{p:.1e}" if p < 0.00005 else exact_p(p)


def verdict_part(verdict: Verdict, *, several: bool) -> Part:
    """The share who perceive a difference, estimated in every way that was used."""
    rows = [
        [name, share(value), share(low), share(high), p_cell(p)] for name, value, low, high, p in estimates(verdict)
    ]
    heading = "Who perceives a difference" + (f" (panel {verdict.panel})" if several else "")
    if verdict.machine:
        heading = f"In how many triads the machine {verdict.panel} perceives a difference"
    return heading, ["method", "p_d", "at least", "at most", "p"], rows, [1, 2, 3, 4]


def estimates(verdict: Verdict) -> list[tuple[str, float, float, float, float | None]]:
    """Method, p_d, lower and upper limit (NaN: that method has none), p."""
    found = verdict.test
    if found is None:
        return []
    rows: list[tuple[str, float, float, float, float | None]] = []
    looks = verdict.adjusted
    if looks is not None and found.per_judge == 1:
        p = looks.p_difference if found.goal == "difference" else looks.p_similarity
        rows.append(("in view of the looks", found.p_d.estimate, looks.low, looks.high, p))
    rows.append(("exact", found.p_d.estimate, found.p_d.low, found.p_d.high, found.p_value))
    if verdict.scope is not None and verdict.scope.test is not None:
        other = verdict.scope.test
        rows.append(("texts as clusters", other.p_d.estimate, other.p_d.low, other.p_d.high, other.p_value))
    if verdict.replicated is not None:
        model = verdict.replicated
        rows.append(("beta-binomial", model.p_d.estimate, model.p_d.low, model.p_d.high, model.difference_p))
    if verdict.paper_limit is not None:
        ends = (verdict.paper_limit, math.nan) if found.goal == "difference" else (math.nan, verdict.paper_limit)
        rows.append(("paper's formula", found.p_d.estimate, *ends, None))
    return rows


def exclusions_part(result: StudyResult) -> Part:
    """The verdict with and without the judges who are left out."""
    rows = []
    for exclusion in result.exclusions:
        for name, verdict in (("all judges", exclusion.every), ("without those left out", exclusion.kept)):
            found = verdict.test
            ends = (math.nan,) * 3 if found is None else (found.p_d.estimate, found.p_d.low, found.p_d.high)
            right = f"{verdict.correct:,}/{verdict.answers:,}"
            shown = [*map(share, ends), p_cell(verdict.p_value), "yes" if verdict.concluded else "no"]
            rows.append([exclusion.panel, name, f"{verdict.judges:,}", right, *shown])
    headers = ["panel", "of", "judges", "correct", "p_d", "at least", "at most", "p", f"{result.goal} shown"]
    return "With and without", headers, rows, [2, 3, 4, 5, 6, 7]


def judges_part(attendance: Attendance) -> Part:
    """What became of the judges of each panel."""
    rows = [
        [
            *(panel.panel, *counts(panel.planned, panel.registered, panel.finished, panel.failed)),
            *counts(panel.withdrawn, panel.forgotten, panel.in_progress),
        ]
        for panel in attendance.panels
    ]
    headers = ["panel", "planned", "registered", "finished", "failed practice", "withdrew", "forgotten"]
    return "Who took part", [*headers, "not at an end"], rows, [1, 2, 3, 4, 5, 6, 7]


def sample_parts(samples: Sequence[Sample]) -> list[Part]:
    """What the judges of each panel said about themselves and at the end; a question's name stands once."""
    found = []
    for sample in samples:
        who = f"the judges of the panel {sample.panel}"
        both = ((f"Who {who} were", sample.questions), (f"What {who} said at the end", sample.closing))
        for heading, asked in both:
            rows = [
                ["" if place else question.question, answer, f"{number:,}"]
                for question in asked
                for place, (answer, number) in enumerate(question.rows)
            ]
            if asked:
                head = f"{heading} ({people(sample.judges)} who answered)"
                found.append((head, ["question", "answer", "judges"], rows, [2]))
    return found


def checks_part(result: StudyResult) -> Part:
    """The tests of biases."""
    rows = []
    for check in result.checks:
        found = "yes" if check.found else "no" if check.p else "-"
        rows.append([words.QUESTIONS[check.name], p_cell(check.p), p_cell(check.p_adjusted), found])
    return "Did anything but the texts matter?", ["question", "p", "p (Holm)", "found"], rows, [1, 2]


def texts_part(result: StudyResult, most: int) -> Part:
    """Texts, the oddest first."""
    rows = []
    for text in result.items.texts[:most] if result.items is not None else ():
        author = result.plan.subjects.get(text.subject, text.subject)
        shares = [(text.chosen, text.shown), (text.spotted, text.as_odd), (text.mistaken, text.errors)]
        rows.append([text.item, author, *(f"{part}/{whole}" for part, whole in shares), p_cell(text.p_adjusted)])
    headers = ["input", "author", "chosen", "spotted when odd", "chosen in errors", "p (Holm)"]
    return "Texts that stand out", headers, rows, [2, 3, 4, 5]


def marks_part(result: StudyResult, most: int) -> Part:
    """Words that judges marked."""
    marked = result.reasons.marked[:most] if result.reasons is not None else ()
    rows = [[row.word, str(row.marked), str(row.shown), str(row.in_odd), str(row.correct)] for row in marked]
    headers = ["word", "marked", "seen", "marked in the odd text", "of these answers correct"]
    return "Words that judges marked", headers, rows, [1, 2, 3, 4]
