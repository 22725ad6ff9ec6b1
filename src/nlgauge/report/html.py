"""The report: one self-contained page with the conclusion, tables, plots, examples and receipts.

It reads result objects and computes no score, interval or p-value of its own. Nothing is loaded from
elsewhere, and but for one script of ours, without which the page is complete, none may run (`report.script`); the
content-security policy in its head says so to the browser.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from nlgauge import __version__
from nlgauge.io import atomic_path
from nlgauge.report.examples import Example, examples_html
from nlgauge.report.markup import minus
from nlgauge.report.script import ELEMENT, HASH
from nlgauge.report.style import CSS, printable
from nlgauge.report.svg import Panel, Row, legend_mark
from nlgauge.results import Comparison, Comparisons, Ranking, Score, Scores
from nlgauge.wording.conclusion import (
    Table,
    conclusion,
    delta_places,
    headline_parts,
    method,
    significant,
    tabulate,
)
from nlgauge.wording.numbers import count, decimals, interval, number, p_value, percent, signed
from nlgauge.wording.rankings import LEGEND, long_rankings, ranking_cells
from nlgauge.wording.tables import ARROWS

Segments = Mapping[str, Mapping[str, Sequence[float]]]  # metric -> system -> one score per segment
UNTESTED = "No significance test was made: the differences may be due to the choice of items."
MOST_ROWS = 20  # rows a plot of differences may have; the table always has them all

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '@hash'">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<main>
{body}
<footer>Made with nlgauge {version}. Scores are rounded; the JSON output has them in full.</footer>
</main>
@script
</body>
</html>
""".replace("@hash", HASH).replace("@script", ELEMENT.replace("{", "{{").replace("}", "}}"))


def write_report(
    scores: Scores,
    comparisons: Comparisons | None,
    path: str | Path,
    *,
    title: str = "Evaluation report",
    segments: Segments | None = None,
    examples: Sequence[Example] | None = None,
    summary: str | None = None,
) -> Path:
    """Write the page and return its path; `summary` is a line about the data, shown under the title."""
    target = Path(path)
    page = render_report(
        scores, comparisons, title=title, segments=segments, examples=examples, summary=summary
    )
    with atomic_path(target) as temporary:
        temporary.write_text(printable(page), encoding="utf-8")
    return target


def render_report(
    scores: Scores,
    comparisons: Comparisons | None = None,
    *,
    title: str = "Evaluation report",
    segments: Segments | None = None,
    examples: Sequence[Example] | None = None,
    summary: str | None = None,
) -> str:
    """The page as text."""
    tested = comparisons if comparisons is not None and comparisons.comparisons else None
    table = tabulate(scores, tested)
    parts = [
        f"<header><h1>{escape(title)}</h1>{_paragraph(summary, 'soft')}</header>",
        _finding(scores, tested),
        _score_section(scores, table),
        _dot_section(scores, table),
        _comparison_section(tested, table) if tested else "",
        _segment_section(segments, table) if segments else "",
        f"<section><h2>Examples</h2>{examples_html(examples)}</section>" if examples else "",
        _method_section(scores, tested),
    ]
    body = "\n".join(part for part in parts if part)
    return _PAGE.format(title=escape(title), css=CSS, body=body, version=__version__)


def _paragraph(text: str | None, look: str = "") -> str:
    return f'<p class="{look}">{escape(text)}</p>' if text else ""


def _finding(scores: Scores, tested: Comparisons | None) -> str:
    """Who leads, whether the lead is significant, and the full sentences behind a click."""
    ranked, lead = headline_parts(scores, tested)
    if tested:
        full = _paragraph(conclusion(scores, tested))
        rest = f"{_paragraph(lead)}<details><summary>In full, for a paper</summary>{full}</details>"
    else:
        rest = _paragraph(UNTESTED) if len(scores.systems) > 1 else ""
    return f'<section class="finding" aria-label="Conclusion">{_paragraph(ranked, "head")}{rest}</section>'


def _metric_head(metric: str, table: Table) -> str:
    direction = table.directions.get(metric, "higher")
    return (
        f'{escape(metric)} <span aria-hidden="true">{ARROWS.get(direction, "")}</span>'
        f'<span class="hidden"> ({direction} is better)</span>'
    )


def _score_section(scores: Scores, table: Table) -> str:
    known = {(score.system, score.metric): score for score in scores.scores}
    best = {metric: table.best(metric) if len(scores.systems) > 1 else () for metric in scores.metrics}
    head = "".join(
        f'<th scope="col" class="num">{_metric_head(metric, table)}</th>' for metric in scores.metrics
    )
    rows = []
    for system in table.ranking():
        cells = "".join(
            _score_cell(known.get((system, metric)), table.places[metric], best=system in best[metric])
            for metric in scores.metrics
        )
        name = f'<div class="name" dir="auto">{escape(system)}</div>'
        rows.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    sizes = sorted({score.n for score in scores.scores})
    n = " to ".join(count(size) for size in (sizes if len(sizes) < 2 else (sizes[0], sizes[-1])))
    levels = sorted({score.level for score in scores.scores if score.low is not None})
    people = _rated(scores)
    what = "items" if len(people) == len(scores.metrics) else "segments"
    notes = [*people, f"{n} {what} per system", "↑ higher is better, ↓ lower is better"]
    if len(scores.systems) > 1:
        notes.append("best of each metric in bold on a tint; systems from best to worst by mean rank")
    if levels:
        notes.append(f"below each score its {percent(levels[0])} interval")
    return (
        '<section><h2>Scores</h2><div class="scroll" tabindex="0" role="region" aria-label="Scores">'
        f'<table class="scores"><thead><tr><th scope="col">system</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{_paragraph('; '.join(notes) + '.', 'soft')}</section>"
    )


def _rated(scores: Scores) -> list[str]:
    """A word about each criterion that people rated: it is no metric."""
    from nlgauge.metrics import receipt  # loads numpy, which a page of stored results does without until here

    found = []
    for metric, line in scores.receipts.items():
        facts = receipt.read(line)
        if facts.get("human") == metric:
            unnamed, _, many = facts.get("judges", "1").rpartition(":")
            judges = f"{many} judge{'ments an output' if unnamed else 's'}, " if many != "1" else ""
            given = (
                f"{int(facts['judgements']):,} ratings"
                if facts.get("judgements", "").isdigit()
                else "ratings"
            )
            found.append(f"{metric}: mean rating by people ({judges}{given})")
    return found


def _score_cell(score: Score | None, places: int, *, best: bool) -> str:
    if score is None:
        return '<td class="num none">–</td>'
    bounds = interval(score.low, score.high, places)
    spread = f'<span class="ci">{minus(bounds)}</span>' if bounds else ""
    mark = '<span class="hidden"> best</span>' if best else ""
    look = "num best" if best else "num"
    return f'<td class="{look}">{minus(number(score.value, places))}{mark}{spread}</td>'


def _figure(heading: str, aside: str, drawing: str) -> str:
    return f"<figure><h3>{escape(heading)} <span>{escape(aside)}</span></h3>{drawing}</figure>"


def _dot_section(scores: Scores, table: Table) -> str:
    known = {(score.system, score.metric): score for score in scores.scores}
    several = len(scores.systems) > 1
    intervals = any(score.low is not None for score in scores.scores)
    if not several and not intervals:
        return ""  # a lone dot says nothing that its number does not
    figures = []
    for metric in scores.metrics:
        best = table.best(metric) if several else ()
        rows = []
        for system in table.ranking():
            score = known.get((system, metric))
            if score is None:
                continue
            text = minus(number(score.value, table.places[metric]))
            bounds = minus(interval(score.low, score.high, table.places[metric]))
            about = f"{system}: {text}" + (f" ({bounds})" if bounds else "")
            shape = "best" if system in best else "dot"
            rows.append(Row(system, score.value, score.low, score.high, text, shape, about))
        direction = table.directions.get(metric, "higher")
        desc = "; ".join(row.about for row in rows)
        drawing = Panel(
            rows, title=f"Scores of all systems on {metric}, {direction} is better", desc=desc
        ).draw()
        figures.append(_figure(metric, f"{direction} is better", drawing))
    key = [f"<li>{legend_mark('best')} best</li>"] if several else []
    if intervals:
        key.append("<li>bars: intervals of the table</li>")
    title = "Scores and their intervals" if intervals else "Scores, drawn"
    key.append("<li>each metric has its own scale, which need not start at zero</li>")
    return (
        f'<section><h2>{title}</h2><ul class="legend">{"".join(key)}</ul>'
        f'<div class="panels">{"".join(figures)}</div></section>'
    )


def _comparison_section(tested: Comparisons, table: Table) -> str:
    rows = tested.comparisons
    baselines = list(dict.fromkeys(row.baseline for row in rows))
    against = f" from {baselines[0]}" if len(baselines) == 1 else ""
    level = percent(rows[0].level)
    note = (
        f"System minus baseline, with its {level} interval; at the right the p-value after Holm's correction."
    )
    key = [
        ("better", "significantly better"),
        ("worse", "significantly worse"),
        ("open", "no significant difference found"),
    ]
    legend = "".join(f"<li>{legend_mark(shape)} {words}</li>" for shape, words in key)
    figures = "".join(_difference_figure(metric, tested, table) for metric in tested.metrics)
    return (
        f"{_ranking_section(tested, table)}<section><h2>Differences{escape(against)}</h2>"
        f"{_paragraph(note, 'soft')}"
        f'<ul class="legend">{legend}</ul><div class="panels">{figures}</div>'
        "<details><summary>All comparisons as a table</summary>"
        f"{_comparison_table(rows, table)}</details></section>"
    )


def _ranking_section(tested: Comparisons, table: Table) -> str:
    """Where systems are many: their order, clusters and ranges of ranks, and who is significantly better than whom."""
    rankings = long_rankings(tested)
    tables = []
    for metric, ranking in rankings.items():
        places = range(1, len(ranking.systems) + 1)
        head = "".join(
            f'<th scope="col"{"" if text == "system" else " class=num"}>{text}</th>'
            for text in ("place", "system", "score", "cluster", "ranks", *places)
        )
        body = "".join(
            f"<tr{_first_of_cluster(ranking, place)}>"
            + "".join(
                f"<td{' dir=auto' if column == 1 else ' class=num'}>{escape(cell)}</td>"
                for column, cell in enumerate((*cells, *signs))
            )
            + "</tr>"
            for place, (*cells, signs) in enumerate(ranking_cells(ranking, table.places.get(metric, 4)))
        )
        tables.append(
            f'<h3>{_metric_head(metric, table)}</h3><div class="scroll" tabindex="0" role="region" '
            f'aria-label="Ranking by {escape(metric)}"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
    if not tables:
        return ""
    legend = _paragraph(f"{LEGEND[0].upper()}{LEGEND[1:]}.", "soft")
    return f"<section><h2>Clusters</h2>{legend}{''.join(tables)}</section>"


def _first_of_cluster(ranking: Ranking, place: int) -> str:
    """A line above the first system of every cluster but the best."""
    begins = place and ranking.systems[place].cluster > ranking.systems[place - 1].cluster
    return ' class="line"' if begins else ""


def _shown(metric: str, tested: Comparisons, table: Table) -> tuple[list[Comparison], bool]:
    """The comparisons a plot shows; of very many pairs, those with the best-ranked system."""
    rows = [row for row in tested.comparisons if row.metric == metric]
    order = {system: rank for rank, system in enumerate(table.ranking())}
    rows.sort(key=lambda row: (order.get(row.baseline, 0), order.get(row.system, 0)))
    if len(rows) <= MOST_ROWS or len({row.baseline for row in rows}) == 1:
        return rows, False
    leader = min(order, key=lambda system: order[system])
    return [row for row in rows if leader in (row.system, row.baseline)], True


def _difference_figure(metric: str, tested: Comparisons, table: Table) -> str:
    chosen, cut = _shown(metric, tested, table)
    single = len({row.baseline for row in tested.comparisons}) == 1
    places = table.places.get(metric, 4)
    rows = []
    for row in chosen:
        shape = ("better" if row.better else "worse") if significant(row) else "open"
        words = {
            "better": "significantly better",
            "worse": "significantly worse",
            "open": "no significant difference",
        }
        fine = delta_places(row, places)
        bounds = interval(row.low, row.high, fine, sign=True)
        about = minus(
            f"{row.system} minus {row.baseline}: {signed(row.delta, fine)} ({bounds}), "
            f"adjusted p {p_value(row.p_adjusted)}, {words[shape]}"
        )
        label = row.system if single else f"{row.system} − {row.baseline}"
        rows.append(Row(label, row.delta, row.low, row.high, p_value(row.p_adjusted), shape, about))
    direction = table.directions.get(metric, "higher")
    side = "right of zero is better" if direction == "higher" else "left of zero is better"
    aside = side + (", pairs with the best-ranked system" if cut else "")
    desc = "; ".join(row.about for row in rows)
    drawing = Panel(rows, title=f"Differences on {metric}, {side}", desc=desc, zero=True).draw()
    return _figure(metric, aside, drawing)


def _comparison_table(rows: Sequence[Comparison], table: Table) -> str:
    heads = (
        "metric",
        "system",
        "score",
        "baseline",
        "score",
        "difference",
        "interval",
        "p",
        "p (Holm)",
        "verdict",
    )
    numeric = {2, 4, 5, 6, 7, 8}
    head = "".join(
        f'<th scope="col"{" class=num" if place in numeric else ""}>{text}</th>'
        for place, text in enumerate(heads)
    )
    body = []
    for row in rows:
        places = table.places.get(row.metric, 4)
        fine = delta_places(row, places)
        verdict = (
            ("better" if row.better else "worse") if significant(row) else "no significant difference found"
        )
        cells = (
            _metric_head(row.metric, table),
            escape(row.system),
            minus(number(row.value, places)),
            escape(row.baseline),
            minus(number(row.baseline_value, places)),
            minus(signed(row.delta, fine)),
            minus(interval(row.low, row.high, fine, sign=True)),
            escape(p_value(row.p)),
            escape(p_value(row.p_adjusted)),
            verdict,
        )
        body.append(
            "<tr>"
            + "".join(
                f"<td{' class=num' if place in numeric else ''}>{cell}</td>"
                for place, cell in enumerate(cells)
            )
            + "</tr>"
        )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="All comparisons"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _segment_section(segments: Segments, table: Table) -> str:
    figures = []
    for metric, columns in segments.items():
        rows = []
        # Segment scores may be of a metric that the table lacks: sentence BLEU beside corpus BLEU.
        places = decimals([value for values in columns.values() for value in values])
        places = table.places.get(metric, places)
        order = [system for system in table.ranking() if system in columns]
        order += [system for system in columns if system not in order]
        for system in order:
            values = [value for value in columns[system] if math.isfinite(value)]
            middle = statistics.median(values) if values else None
            text = minus(number(middle, places))
            about = f"{system}: median {text} of {count(len(values))} segments"
            rows.append(Row(system, middle, text=text, shape="median", about=about, values=values))
        desc = "; ".join(row.about for row in rows)
        drawing = Panel(rows, title=f"Segment scores on {metric}", desc=desc, tall=True).draw()
        direction = table.directions.get(metric)
        figures.append(_figure(metric, f"{direction} is better" if direction else "", drawing))
    note = (
        "How the scores of single segments are spread; the number is the median. A corpus score is not their "
        "mean: most metrics add up counts first."
    )
    key = f"<li>{legend_mark('median')} median</li>"
    return (
        f"<section><h2>Segment scores</h2>{_paragraph(note, 'soft')}"
        f'<ul class="legend">{key}</ul><div class="panels">{"".join(figures)}</div></section>'
    )


def _method_section(scores: Scores, tested: Comparisons | None) -> str:
    notes = []
    if tested is not None:
        notes.append(
            f"{method(tested)}. A difference is called significant when its adjusted p-value is at most α; "
            "where none was found the systems may still differ."
        )
    elif len(scores.systems) > 1:
        notes.append(
            "No significance test was made: differences in the table may be due to the choice of items."
        )
    notes += [*scores.notes, *(note for note in (tested.notes if tested else ()) if note not in scores.notes)]
    receipts = list(dict.fromkeys([*scores.receipts.values(), *(tested.receipts.values() if tested else ())]))
    lines = "\n".join(escape(line) for line in receipts)
    names = tuple(scores.systems) + tuple(scores.metrics)  # keep their spelling at the start of a sentence
    full = [note if note.startswith(names) else note[:1].upper() + note[1:] for note in notes]
    full = [note if note.endswith(".") else f"{note}." for note in full]
    return (
        f"<section><h2>Method and receipts</h2>{''.join(_paragraph(note) for note in full)}"
        '<p class="soft">Each line says how a number was made; '
        "<code>nlgauge explain</code> puts it into words.</p>"
        f"<pre>{lines}</pre></section>"
    )
