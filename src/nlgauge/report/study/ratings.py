"""The page of a rating study: means with limits, agreement, judges, panels, tables and the sentences to paste.

One file that loads nothing and needs no script; it computes nothing of its own.

How ratings are distributed, by criterion and system: bars of shades for points, histograms for all other scales.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.report.components import (
    bullets,
    component,
    details,
    grid,
    header,
    legend,
    paragraph,
    section,
    table_of,
    titled,
)
from nlgauge.report.components import finding as finding_of
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, content, page, write
from nlgauge.report.scatter import scatter
from nlgauge.report.study import words
from nlgauge.report.study.advice import advice
from nlgauge.report.study.annotations import EXAMPLES_CSS, error_figures, errors_section, examples_section
from nlgauge.report.study.columns import COLUMNS, LIMITS
from nlgauge.report.study.own import conclusions, spoken_of
from nlgauge.report.study.ratings_text import beside_part, rating_parts, shown
from nlgauge.report.study.ratings_words import caution, number
from nlgauge.report.study.sentences import related
from nlgauge.report.study.triangle import contents, said_section
from nlgauge.report.study.triangle_text import Part
from nlgauge.report.study.wordings import KIND as WORDINGS
from nlgauge.report.study.wordings import wording_figures, wordings_section
from nlgauge.report.style import STUDY_CSS
from nlgauge.report.svg import Drawing, Panel, Row, mark, shade, swatch
from nlgauge.stats.diagnosis import RULE
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.protocols.annotations.analysis.results import Edited, Marked
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.ratings.analysis.results import Rating, RatingResult
from nlgauge.study.protocols.ratings.analysis.spread import Distribution
from nlgauge.wording.markup import element
from nlgauge.wording.numbers import capitalised, figure, in_full, signs

MEANS = (
    "Means with 95 % limits that hold for other judges and items where the model has both; of yes-or-no answers shares "
    "with exact limits, of magnitudes ratios. The diamond marks the first cluster."
)
KINDS = {
    "likert": "Likert ratings",
    "continuous": "Ratings on a slider",
    "binary": "Yes-or-no ratings",
    "magnitude": "Magnitude estimation",
    "rankme": "RankME: several outputs by magnitude",
    "post-edit": "Post-editing",
    "spans": "Error marking",
    "classification": "Classification",
    "task": "Questions answered by readers",
    "chat": "Conversations rated by those who had them",
}
BESIDE = "With and without"
OPEN = ("Means", "Strengths")  # the tables that are read first; a protocol names its own in `Spoken.opened`


def write_rating_report(result: RatingResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    css = EXAMPLES_CSS if isinstance(result.own, Edited | Marked) else ""
    return write_page(result.title or "Rating study", rating_sections(result), path, css=css)


def write_page(title: str, body: Markup, path: str | Path, *, css: str = "") -> Path:
    """One file with the content of a report."""
    return write(page(title, body, css=STUDY_CSS + css, closing=NUMBERS), path)


def headlines(result: RatingResult) -> list[str]:
    """A sentence for each criterion in each panel of people (of machines where there are no people)."""
    if found := conclusions(result):
        return found
    crews = {group.panel for group in result.judging if group.judges or not group.named}
    return [
        " ".join(filter(None, (_headline(rating, result), caution(rating))))
        for rating in result.ratings
        if rating.panel in crews or not crews
    ]


def headline(result: RatingResult) -> str:
    """The same in one line; the main outcome comes first."""
    return " ".join(headlines(result))


def _headline(rating: Rating, result: RatingResult) -> str:
    """The best system, and whether the systems differ."""
    best, models = rating.best.system, rating.models
    where = result.where(rating)
    if len(models.means) < 2:
        return f"One system was rated: {best}, {number(rating.best.mean, rating)} for {where}."
    above = "better than" if rating.criterion.measure else "rated above"
    top = () if models.clusters is None else models.clusters.groups[0]
    if len(top) == 1:
        rest = "the other system" if len(models.means) == 2 else "all other systems"
        return f"{best} is {above} {rest} for {where}."
    if models.clusters is not None and len(models.clusters.groups) > 1:
        others = len(models.means) - len(top)
        rest = "the other system" if others == 1 else "the other systems"
        return f"{', '.join(top)} are {above} {rest} for {where}."
    most = "lowest" if rating.criterion.lower else "highest"
    return f"No significant order of the systems was found for {where}; {best} has the {most} mean."


def rating_sections(result: RatingResult) -> Markup:
    """The content of the page."""
    named = all(group.named for group in result.judging)
    judges = sum(not row.excluded for group in result.judging for row in group.judges)
    who = people(judges) if named else "judges who are not named"
    about = f"{KINDS.get(result.protocol, result.protocol.capitalize())}; {answers(result.n)} of {who}."
    told = [beside_part(beside, result) for beside in result.beside if beside.left_out or len(beside.variants) > 1]
    spoken = spoken_of(result)
    parts = [
        section("How the systems are rated", MEANS, grid(_mean_figures(result))),
        spread_section(result),
        errors_section(result.own),
        agreement(result),
        wordings_section(result),
        panels(result, "means"),
        section("Judges", "", grid(_judge_figures(result))),
        said_section(result.samples),
        examples_section(result.own),
        with_and_without(told, result.excluded, "means"),
        tables(rating_parts(result), opened=() if spoken is None else spoken.opened),
        sentences(result),
    ]
    return whole_page(result.title or "Rating study", about, finding(result, headlines(result)), parts)


def rating_figures(result: RatingResult) -> list[Figure]:
    """The plots of the page, in its order."""
    first = [*_mean_figures(result), *spread_figures(result), *error_figures(result.own), *agreement_figures(result)]
    return [*first, *wording_figures(result), *panel_figures(result, "means"), *_judge_figures(result)]


def whole_page(title: str, about: str, finding: Markup, parts: Sequence[Markup]) -> Markup:
    """The content of a page: what was found, a table of contents, the sections."""
    return content(header(title, about), finding, contents(parts), *parts)


def answers(number: int) -> str:
    """`1 answer`, `240 answers`."""
    return f"{number:,} {'answer' if number == 1 else 'answers'}"


def finding(result: OutputResult, lines: Sequence[str]) -> Markup:
    """What was found in a line for each criterion, and what to know before believing it."""
    said = [paragraph(line, "head" if place == 0 else "head also") for place, line in enumerate(lines)]
    known = [f"{signs(capitalised(note))}." for note in words.warnings(result)]
    return finding_of(*said, component("study.known", known))


def _mean_figure(rating: Rating, where: str) -> Figure:
    clusters, told, rows = rating.models.clusters, rating.criterion.told, []
    for mean in rating.models.means:
        value, low, high = shown(mean, rating)
        value = mean.raw if rating.criterion.points == 2 else value
        text = number(value, rating)
        known = f", from {number(low, rating)} to {number(high, rating)}" if math.isfinite(low) else ""
        look = "best" if clusters is not None and mean.system in clusters.groups[0] else "dot"
        about = f"{mean.system}: {text}{known}"
        rows.append(Row(mean.system, told(value), told(low), told(high), text=text, shape=look, about=about))
    drawing = Panel(rows, title=f"Means for {where}", axis=f"{mean_name(rating)}, 95 % limits").draw()
    keys = [(mark("best"), "first cluster")] if clusters is not None else []
    return Figure("means", where, _given(rating), drawing, legend=keys)


def _mean_figures(result: RatingResult) -> list[Figure]:
    return [_mean_figure(rating, result.where(rating)) for rating in result.ratings]


def _given(rating: Rating) -> str:
    return f"{rating.n:,} {'rating' if rating.n == 1 else 'ratings'} by {rating.by}"


def agreement_figures(result: OutputResult) -> list[Figure]:
    """Coefficients with limits."""
    figures = []
    for part in result.parts:
        rows = [
            Row(row.name, c.estimate, c.low, c.high, text=signs(figure(c.estimate)), about=str(c))
            for row in (part.agreeing.agreement.rows if part.agreeing.agreement is not None else ())
            if (c := row.coefficient) is not None and math.isfinite(c.estimate)
        ]
        if rows:
            where, axis = result.where(part), "coefficient, 95 % limits"
            drawing = Panel(rows, title=f"Agreement on {where}", axis=axis, zero=True).draw()
            figures.append(Figure("agreement", where, "coefficients with limits", drawing))
    return figures


def mean_name(rating: Rating) -> str:
    """What a mean of a criterion is, and on which scale."""
    asked = rating.criterion
    if asked.measure:
        return f"mean: {asked.measure}"
    if asked.ratios:
        return "ratio of a system's magnitudes to the mean" if asked.by_judge else "geometric mean of magnitudes"
    if asked.points == 2:
        return "share of yes"
    low, high = (0, 1) if asked.unit else (asked.low, asked.high)
    scale = f"{asked.points} points" if asked.points else "a slider"
    return f"mean rating (from {in_full(low)} to {in_full(high)}, {scale})"


def agreement(result: OutputResult) -> Markup:
    """The same, and the diagnosis where they are low."""
    said = []
    for part in result.parts:
        if part.agreeing.diagnosis is not None:
            why, what = signs(str(part.agreeing.diagnosis)), signs(advice(part.agreeing))
            said.append(component("study.led", f"{result.where(part)}.", f"{why}."))
            said.append(component("study.led", "What to do:", f"{what}."))
    rule = details("Who and what is named", paragraph(f"{RULE}.")) if said else Markup()
    return section("Do the judges agree?", "", grid(agreement_figures(result)), *said, rule)


def panel_figures(result: OutputResult, what: str) -> list[Figure]:
    """Systems by one panel and another; `what` is shown of them."""
    figures = []
    for pair in result.panels:
        if len(pair.means) > 2:
            names, x, y = (list(column) for column in zip(*pair.means, strict=True))
            title = f"Systems' {what} for {pair.where}: {pair.first} and {pair.second}"
            drawing, _ = scatter(x, y, x_name=pair.first, y_name=pair.second, labels=names, title=title)
            figures.append(Figure(f"{what} of panels", pair.where, related(pair.systems), drawing))
    return figures


def panels(result: OutputResult, what: str) -> Markup:
    """The same as a section."""
    return section("Panels compared", "Each point is a system.", grid(panel_figures(result, what)))


def _judge_figures(result: RatingResult) -> list[Figure]:
    figures = []
    for group in result.judging:
        if len(group.judges) > 1 and group.seconds:
            drawing, _ = scatter(
                [judge.median_seconds for judge in group.judges],
                [judge.mean for judge in group.judges],
                x_name="median seconds to answer",
                y_name="mean logarithm" if result.ratings[0].criterion.ratios else "mean rating (0 to 1)",
                labels=[judge.judge for judge in group.judges],
                title=f"Judges of the panel {group.panel}",
            )
            aside = f"{people(len(group.judges))}: time and lenience"
            figures.append(Figure("judges", group.panel, aside, drawing))
    return figures


def with_and_without(parts: Sequence[Part], excluded: Mapping[str, str], what: str) -> Markup:
    """Who was left out and why, and the figures with and without, before anybody has to look for them."""
    if not parts:
        return Markup()
    reasons = [f"{judge}: {reason}" for judge, reason in excluded.items()]
    return section(
        BESIDE,
        f"The same {what} of all judges, without those left out or who failed a check, and with weights. {LIMITS}",
        paragraph("Judges left out:" if reasons else "No judge is left out."),
        bullets(reasons),
        *(element("div", titled(part[0], table_of(part, stacked=True)), class_="beside") for part in parts),
    )


def tables(parts: Sequence[Part], *, opened: Sequence[str] = ()) -> Markup:
    """Every table that no section has shown, by kind: the main figures open (`opened` as well), the others folded."""
    kinds: dict[str, list[Part]] = {}
    for part in parts:
        kind = part[0].partition(":")[0].partition(" (")[0]
        if kind not in (BESIDE, WORDINGS):
            kinds.setdefault(kind, []).append(part)
    shown = {kind for kind in kinds if kind in OPEN or kind in opened}
    alone = [kind for kind in kinds if len(kinds[kind]) == 1 and kind not in shown]
    first = sorted((kind for kind in kinds if kind not in alone), key=lambda kind: kind not in shown)
    main = [_kind(kind, kinds[kind], opened=kind in shown) for kind in first]
    rest = [_kind(kind, kinds[kind], opened=False) for kind in alone]
    more = element("div", titled("More", *rest), class_="group") if rest else Markup()
    return section("Tables", "", *main, more)


def _kind(kind: str, parts: Sequence[Part], *, opened: bool) -> Markup:
    """A kind with one table has no heading but the table's own."""
    words, column = COLUMNS.get(kind, ("", ""))
    about = paragraph(words if column in ("", *parts[0][1]) else "", "soft")
    if len(parts) == 1:
        return details(parts[0][0], about, table_of(parts[0]), opened=opened)
    shown = [details(part[0], table_of(part), opened=opened) for part in parts]
    return element("div", titled(kind, about, *shown), class_="group")


def sentences(result: OutputResult) -> Markup:
    """For the paper."""
    said = [(head, signs(text)) for head, text in words.sentences(result)]
    return section("Sentences to paste", "", component("study.paste", said))


def spread_figures(result: RatingResult) -> list[Figure]:
    """One for each criterion and panel; of yes-or-no answers the share says it all."""
    return [
        _figure(rating, rating.distribution, result.where(rating))
        for rating in result.ratings
        if rating.distribution is not None and rating.criterion.points != 2
    ]


def spread_section(result: RatingResult) -> Markup:
    """The same as a section of the page; a legend stands above where all have the same."""
    figures = spread_figures(result)
    return section(
        "How the ratings are distributed",
        "All ratings that count, system by system, before any model. Bars: per cent of the ratings on each point, the "
        "best in full colour; histograms: upright lines are medians.",
        *(legend(keys) for keys in dict.fromkeys(tuple(figure.legend) for figure in figures)),
        grid(figures),
    )


def _figure(rating: Rating, found: Distribution, where: str) -> Figure:
    if not found.points:
        return Figure("ratings", where, _given(rating), _histograms(rating, found, where))
    keys = tuple((swatch(shade(k, len(found.points))), f"{point:g}") for k, point in enumerate(found.points))
    return Figure("ratings", where, _given(rating), _bars(found, where), legend=keys)


def _bars(found: Distribution, where: str) -> Drawing:
    rows = []
    for spread in found.systems:
        told = [f"{point:g} {share:.0f} %" for point, share in zip(found.points, spread.shares, strict=True)]
        about = f"{spread.system}: {', '.join(told)}"
        rows.append(Row(spread.system, text=f"{spread.n:,}", about=about, shares=spread.shares))
    axis = "per cent of ratings; at the right their number"
    return Panel(rows, title=f"Distribution of ratings for {where}", axis=axis, tall=True).draw()


def _histograms(rating: Rating, found: Distribution, where: str) -> Drawing:
    rows = []
    for spread in found.systems:
        low, first, middle, third, high = (number(value, rating) for value in spread.summary)
        about = f"{spread.system}: median {middle}, quartiles {first} and {third}, from {low} to {high}"
        median = spread.summary[2]
        rows.append(Row(spread.system, median, text=middle, shape="median", about=about, values=spread.values))
    asked = rating.criterion
    axis = asked.measure or "rating"
    if asked.ratios:
        axis = "natural logarithm of the magnitude" + (", less the judge's mean" if asked.by_judge else "")
    return Panel(
        rows,
        title=f"Distribution of ratings for {where}",
        desc="; ".join(signs(row.about) for row in rows),
        axis=f"{axis}; at the right the median",
        tall=True,
        span=(found.edges[0], found.edges[-1]),
    ).draw()
