"""The page of a study: verdict, plots, tables and the sentences to paste.

Like every page of ours it is one file, loads nothing and needs no script; it computes nothing of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from markupsafe import Markup

from nlgauge.report.components import (
    Section,
    bullets,
    component,
    details,
    finding,
    grid,
    header,
    paragraph,
    section,
    table_of,
    titled,
)
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, content, page, write
from nlgauge.report.scatter import curves
from nlgauge.report.study import triangle_panels
from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.triangle_method import UNKNOWN, method, screening
from nlgauge.report.study.triangle_text import (
    Part,
    estimates,
    exclusions_part,
    judges_part,
    marks_part,
    p_cell,
    sample_parts,
    share,
    texts_part,
)
from nlgauge.report.style import STUDY_CSS
from nlgauge.report.svg import Drawing, Marked, Panel, Row
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.keyness import Key
from nlgauge.study.analysis.sample import Sample
from nlgauge.study.protocols.triangle.analysis.biases import Check
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.study.protocols.triangle.analysis.verdict import Verdict
from nlgauge.wording.markup import joined
from nlgauge.wording.numbers import at_most_seconds

GUESS = 1 / 3
ORDERS = (
    "Shares with exact 95 % limits. Each p is exact or Monte-Carlo exact; only what stays below 0.05 after Holm's "
    "correction is called found."
)
LOOKED_AT = {
    "position": "Places chosen",
    "triads": "Correct by triad",
    "odd subject": "Correct by odd author",
    "learning": "Correct by order of answering",
    "practice": "Practice and after",
    "drift": "Early and late judges",
}
BEGIN = 5  # the first few shares jump between 0 and 1 and would hide the rest


def write_study_report(result: StudyResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    return write(render_study_report(result), path)


def render_study_report(result: StudyResult) -> str:
    """The page as text."""
    return page(study_title(result), study_sections(result), css=STUDY_CSS, closing=NUMBERS)


def study_figures(result: StudyResult) -> list[Figure]:
    """The plots of the page, in its order."""
    first = [*_perceiver_figures(result), *_order_figures(result), *_time_figures(result)]
    return [*first, *_judge_figures(result), *_panel_figures(result)]


def study_title(result: StudyResult) -> str:
    """What stands above the page."""
    return result.plan.title or "Triangle study"


def study_sections(result: StudyResult) -> Markup:
    """The content of the page, for pages that bring a frame and a style sheet of their own; no style, no script."""
    single = "Share of correct answers of each judge."
    between = triangle_panels.panels(result.panels) if result.panels else ""
    return content(
        header(study_title(result), _subtitle(result)),
        _finding(result),
        _perceivers(result),
        _exclusions(result),
        _turnout(result),
        section("Did anything but the texts matter?", ORDERS, grid(_order_figures(result))),
        section("Times", words.haste(result.haste) if result.haste else "", grid(_time_figures(result))),
        _texts(result),
        section("Judges who answered several times", single, grid(_judge_figures(result))),
        section("Panels", between, grid(_panel_figures(result))),
        _reasons(result),
        _sentences(result),
        _method(result),
    )


def _subtitle(result: StudyResult) -> str:
    plan = result.plan
    panels = ", ".join(
        f"{panel.name}: a machine, {panel.answers:,} triads"
        if panel.machine
        else f"{panel.name}: {people(panel.judges)}"
        + (f" with {panel.replication} answers each" if panel.replication > 1 else "")
        for panel in plan.panels
    )
    return (
        f"Triangle test, goal {plan.goal}; planned α = {plan.alpha:g}, β = {plan.beta:g}, p_d = {100 * plan.p_d:g} %; "
        f"{panels}. Compared: {' and '.join(plan.subjects.values())}."
    )


def headline(result: StudyResult) -> str:
    """The verdict in a few words."""
    open_ = any(verdict.stopped is not None and not verdict.stopped.over for verdict in result.verdicts)
    if open_:
        return "The study goes on: the next look is not yet due."
    if result.leading.machine:
        can = "tells the authors apart" if result.goal == "difference" else "finds the texts similar"
        shown = "" if result.concluded else "It was not shown that "
        return f"{shown}{'The' if result.concluded else 'the'} machine {result.leading.panel} {can}."
    scope = result.leading.scope
    where = "" if scope is None or scope.beyond or not result.concluded else " among the texts shown"
    if result.goal == "difference":
        return f"Readers perceive a difference{where}." if result.concluded else "No perceptible difference was shown."
    return f"The texts can be called similar{where}." if result.concluded else "Similarity was not shown."


def _finding(result: StudyResult) -> Markup:
    said = [
        component("study.led", f"{part.heading}.", part.text)
        for part in words.said(result)
        if part.about in words.FINDINGS
    ]
    known = component("study.known", [_closed(note) for note in words.warnings(result)])
    return finding(paragraph(headline(result), "head"), *said, known)


def _closed(note: str) -> str:
    """A note as a sentence; several notes end with a full stop already."""
    return f"{note[:1].upper()}{note[1:]}{'' if note.endswith('.') else '.'}"


def _exclusions(result: StudyResult) -> Markup:
    """Who was left out and why, and the verdict with and without."""
    if not result.exclusions:
        return Markup()
    reasons = [f"{judge}: {reason}" for exclusion in result.exclusions for judge, reason in exclusion.left_out.items()]
    part, about = exclusions_part(result), "The same test of all judges and without those left out."
    return section(part[0], about, paragraph("Judges left out:"), bullets(reasons), table_of(part))


def contents(parts: Sequence[Markup]) -> Markup:
    """Links to the sections of a page."""
    sections = [part for part in parts if isinstance(part, Section)]
    return component("study.contents", sections) if sections else Markup()


def _perceiver_figures(result: StudyResult) -> list[Figure]:
    figures = [_perceiver_figure(result, verdict) for verdict in result.verdicts if verdict.test is not None]
    if len(result.course) > BEGIN + 1:
        figures.append(_course(result))
    return figures


def _perceivers(result: StudyResult) -> Markup:
    about = (
        "Limits: each holds alone with the confidence planned; “texts as clusters” speaks of other texts of the same "
        "kinds, the others of the texts shown."
    )
    said = [
        paragraph(f"{f'Panel {verdict.panel}: ' if len(result.verdicts) > 1 else ''}{text}")
        for verdict in result.verdicts
        if (text := triangle_panels.sensitivity(verdict))
    ]
    return section("How many people perceive a difference", about, grid(_perceiver_figures(result)), *said)


def _perceiver_figure(result: StudyResult, verdict: Verdict) -> Figure:
    rows = []
    for place, (name, value, low, high, p) in enumerate(estimates(verdict)):
        ends = [end for end in (low, high) if math.isfinite(end)]
        about = f"{name}: {share(value)}, from {share(low)} to {share(high)}"
        about += "" if p is None else f", p = {p_cell(p)}"
        least, most = (low, high) if len(ends) == 2 else (min(value, *ends), max(value, *ends))
        look = "dot" if place else "best"
        rows.append(Row(name, value, least, most, text=share(value), shape=look, about=about))
    similar = result.goal == "similarity"
    mark, name = (result.plan.p_d, f"limit {100 * result.plan.p_d:g} %") if similar else (0.0, "nobody")
    title, axis = f"p_d in the panel {verdict.panel}", "share of people who perceive a difference (p_d)"
    desc = "; ".join(row.about for row in rows)
    drawing = Marked(rows, mark=mark, name=name, title=title, desc=desc, axis=axis).draw()
    aside = f"{verdict.correct:,} of {verdict.answers:,} correct, p = {p_cell(verdict.p_value)}"
    return Figure("perceivers", verdict.panel if len(result.verdicts) > 1 else "p_d", aside, drawing)


def _course(result: StudyResult) -> Figure:
    shares = [total / count for count, total in enumerate(accumulate(result.course), start=1)]
    places = [*range(BEGIN, len(shares), max(1, len(shares) // 300))]
    x = [float(place + 1) for place in places]
    lines = [("correct", x, [shares[place] for place in places]), ("guessing", [x[0], x[-1]], [GUESS, GUESS])]
    title = "Share of correct answers as they came"
    drawing = curves(lines, x_name="answers so far", y_name="share correct", title=title)
    return Figure("course", "As answers came", "to look back on, not to stop by", drawing)


def _turnout(result: StudyResult) -> Markup:
    found = result.attendance
    if found is None:
        return Markup()
    note = paragraph(_closed(UNKNOWN[found.unknown]) if found.unknown else "")
    if not found.known:
        return section("Who took part", "", note)
    part, said = judges_part(found), paragraph(_closed(screening(found)) if found.screened else "")
    about = "Every judge who registered is counted once; those who were forgotten as that alone."
    return section(part[0], about, table_of(part), said, note, asked_of_judges(found.samples))


def asked_of_judges(samples: Sequence[Sample]) -> Markup:
    """What judges said when they were asked, with the questions."""
    shown = [titled(part[0], table_of(part)) for part in sample_parts(samples)]
    asked = {answer.question: answer.text for sample in samples for answer in (*sample.questions, *sample.closing)}
    if asked:
        shown.append(details("The questions as they were asked", component("study.named", asked.items())))
    return joined(shown)


def said_section(samples: Sequence[Sample]) -> Markup:
    """The same as a section of a page."""
    return section("What judges said when they were asked", "", asked_of_judges(samples)) if samples else Markup()


def _order_figures(result: StudyResult) -> list[Figure]:
    return [
        Figure(
            "checks", LOOKED_AT[check.name], f"p = {p_cell(check.p)}, Holm {p_cell(check.p_adjusted)}", _shares(check)
        )
        for check in result.checks
        if check.p is not None
    ]


def _shares(check: Check) -> Drawing:
    rows = []
    for label, (x, n) in check.table.items():
        if n:
            low, high = check.limits[label]
            shape = "worse" if check.found else "dot"
            rows.append(Row(label, x / n, low, high, text=f"{x}/{n}", shape=shape, about=f"{label}: {x} of {n}"))
    axis = "share of answers" if check.name == "position" else "share correct"
    return Marked(rows, mark=GUESS, name="one third", title=words.QUESTIONS[check.name], axis=axis).draw()


def _time_figures(result: StudyResult) -> list[Figure]:
    if result.haste is None:
        return []
    seconds = sorted(result.haste.seconds)
    top = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    row = Row(
        "seconds",
        result.haste.median,
        shape="median",
        about=f"half took {at_most_seconds(result.haste.median)}",
        values=tuple(min(value, top) for value in seconds),
    )
    drawing = Panel(
        [row],
        title="Seconds to answer",
        desc=words.haste(result.haste),
        axis="seconds to answer; the longest 5 % stand at the right end",
        tall=True,
    ).draw()
    return [Figure("times", "Seconds to answer", "upright line: median", drawing)]


def _texts(result: StudyResult) -> Markup:
    if result.items is None or not result.items.texts:
        return Markup()
    part = texts_part(result, len(result.items.texts))
    several = details(f"All {len(part[2]):,} texts, the oddest first", table_of(part))
    return section(part[0], words.items(result.items), several)


def _judge_figures(result: StudyResult) -> list[Figure]:
    figures = []
    for verdict in result.verdicts:
        ordered = sorted(verdict.by_judge, key=lambda counts: -counts[1] / counts[2])[:24]
        rows = [Row(name, x / n, text=f"{x}/{n}", about=f"{name}: {x} of {n}") for name, x, n in ordered]
        if rows:
            title = "Correct answers of each judge"
            drawing = Marked(rows, mark=GUESS, name="one third", title=title, axis="share correct").draw()
            figures.append(Figure("judges", verdict.panel, people(verdict.judges), drawing))
    return figures


def _panel_figures(result: StudyResult) -> list[Figure]:
    if result.panels is None:
        return []
    rows = []
    for gap in result.panels.differences:
        text = f"{100 * gap.estimate:+.0f} points".replace("-", "−")
        about = f"{gap.first} minus {gap.second}: {text}, p = {p_cell(gap.p)}"
        rows.append(Row(f"{gap.first} − {gap.second}", gap.estimate, gap.low, gap.high, text=text, about=about))
    drawing = Panel(rows, title="Difference of p_d between panels", axis="difference of p_d", zero=True).draw()
    return [Figure("panels", "Difference of p_d", "95 % intervals", drawing)]


def _reasons(result: StudyResult) -> Markup:
    found = result.reasons
    if found is None:
        return Markup()
    parts = [marks_part(result, len(found.marked))] if found.marked else []
    parts += _keys("Marked words, correct against wrong answers", found.keys_of_marks)
    parts += _keys("Words of the reasons, correct against wrong answers", found.keys_of_reasons)
    return section("What gave it away", words.reasons(found), *(titled(part[0], table_of(part)) for part in parts))


def _keys(heading: str, keys: Sequence[Key]) -> list[Part]:
    rows = []
    for key in keys:
        odds = f"{key.log_odds:+.2f}".replace("-", "−")
        rows.append([key.word, str(key.first), str(key.second), odds, f"{key.g2:.1f}", p_cell(key.p_adjusted)])
    heads = ["word", "correct", "wrong", "log odds", "G²", "p (Holm)"]
    return [(heading, heads, rows, [1, 2, 3, 4, 5])] if rows else []


def _sentences(result: StudyResult) -> Markup:
    # a bias that was found is told once, among what to know before believing the verdict
    own = [(heading, text) for heading, text in words.sentences(result) if text not in words.warnings(result)]
    said = [*own, *([("Participants and method", text)] if (text := method(result)) else [])]
    return section("Sentences to paste", "", component("study.paste", said), linked=False)


def _method(result: StudyResult) -> Markup:
    counted = (
        (result.practice, "practice judgements"),
        (result.surplus, "surplus judgements (left out by the rule fixed at launch)"),
        (result.corrected, "judgements replaced by corrections"),
    )
    aside = "; ".join(f"{count:,} {what}" for count, what in counted if count)
    text = (
        "The verdict is the exact binomial test; power is that of the planned p_d. Texts as clusters: covariance of "
        "answers that share inputs, Korn-Graubard limits. Repeated judges: chance-corrected beta-binomial model. "
        f"{f'Set aside: {aside}. ' if aside else ''}Seed of the Monte-Carlo tests {result.seed}; digest of the "
        f"judgements {result.digest}."
    )
    tested = [verdict for verdict in result.verdicts if verdict.test is not None]
    kinds = [paragraph(f"Panel {verdict.panel}: {verdict.test.study}.") for verdict in tested if verdict.test]
    return section("Method", "", paragraph(text, "soft"), *kinds, linked=False)
