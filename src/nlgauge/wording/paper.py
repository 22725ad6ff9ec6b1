"""Tables for papers and spreadsheets: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import orjson

from nlgauge.wording.markup import element, joined
from nlgauge.wording.numbers import signs

if TYPE_CHECKING:
    from markupsafe import Markup

    from nlgauge.agreement import Agreement
    from nlgauge.results import Comparisons, Ranking, Scores
    from nlgauge.stats.skill import Ratings

Part = tuple[str, list[str], list[list[str]], list[int]]  # a heading, headers, rows, the columns of numbers
Cell = tuple[int, int]
LONGEST = 50  # letters of a heading in a label
LATEX: Mapping[str, str] = {
    **{
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
    },
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", "|": r"\textbar{}"},
    **{"−": r"$-$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "∞": r"$\infty$"},
    **{
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "▲": r"$\triangle$",
        "–": "--",
        "…": r"\ldots{}",
        "²": r"$^2$",
    },
    **{
        letter: rf"$\{name}$"
        for letter, name in zip("αβκρτχ", ("alpha", "beta", "kappa", "rho", "tau", "chi"), strict=True)
    },
}


@dataclass(frozen=True)
class Paper:
    """What a result says: its tables, sentences, notes, the rows of its JSON form, and the cells to be set in bold."""

    parts: Sequence[Part]
    said: Sequence[str]
    notes: Sequence[str]
    rows: Sequence[Mapping[str, Any]]
    bold: Collection[Cell] = ()  # row and column of the first table
    legend: str = ""  # what the marks in the cells mean; CSV has none


def written(paper: Paper, form: str, receipts: Sequence[str]) -> str:
    """The result as `markdown`, `latex` or `csv`; receipts stand below, in LaTeX as comments, and not in CSV."""
    if form == "csv":
        return comma_separated(paper.rows)
    tables = tables_for(form, paper.parts, paper.bold)
    legend = [f"{paper.legend}."] if paper.legend else []
    said = [signs(text) for text in (*legend, *paper.said, *(f"Note: {note}." for note in paper.notes))]
    if form == "markdown":
        kept = ["```", *receipts, "```"] if receipts else []
        return "\n".join([*tables, "\n\n".join(said), "", *kept])
    return "\n".join([*tables, "\n\n".join(map(tex, said)), "", *(f"% {line}" for line in receipts)])


def in_notebook(paper: Paper, receipts: Sequence[str]) -> Markup:
    """HTML for a notebook, which brings its own looks: tables, sentences, notes, and receipts to unfold."""
    legend = [f"{paper.legend}."] if paper.legend else []
    said = [*legend, *paper.said, *(f"Note: {note}." for note in paper.notes)]
    made = [_notebook_table(part, paper.bold if place == 0 else ()) for place, part in enumerate(paper.parts)]
    made += [element("p", signs(text)) for text in said]
    if receipts:
        how = element("summary", "How these numbers were made")
        made.append(element("details", how, element("pre", "\n".join(receipts))))
    return joined(made)


def _notebook_table(part: Part, bold: Collection[Cell]) -> Markup:
    heading, headers, rows, right = part

    def cell(kind: str, text: str, place: int, line: int | None = None) -> Markup:
        shown = signs(text) if place in right else text
        content = element("b", shown) if (line, place) in bold else shown
        return element(kind, content, style=f"text-align: {'right' if place in right else 'left'}")

    head = element("tr", *(cell("th", text, place) for place, text in enumerate(headers)))
    body = [
        element("tr", *(cell("td", text, place, line) for place, text in enumerate(row)))
        for line, row in enumerate(rows)
    ]
    return element("table", element("caption", heading), element("thead", head), element("tbody", *body))


def tables_for(form: str, parts: Sequence[Part], bold: Collection[Cell] = ()) -> list[str]:
    """The tables in `markdown` or `latex`; `bold` are cells of the first."""
    cells = [bold, *[()] * (len(parts) - 1)]
    if form == "markdown":
        return [markdown(part, own) for part, own in zip(parts, cells, strict=True)]
    labels = _labels([heading for heading, *_ in parts])
    return [latex(part, own, label) for part, own, label in zip(parts, cells, labels, strict=True)]


def _labels(headings: Sequence[str]) -> list[str]:
    """What tables are referred to by: their headings in letters that TeX allows, with a number where two are alike."""
    found: list[str] = []
    for heading in headings:
        first = heading.lower().partition(";")[0]
        plain = unicodedata.normalize("NFKD", first).encode("ascii", "ignore").decode()
        name = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST].strip("-") or "table"
        numbered = (f"{name}-{number}" for number in count(2))
        found.append(next(label for label in chain([name], numbered) if label not in found))
    return found


def of_any(name: str, form: Mapping[str, Any], rows: str, said: str) -> Paper:
    """A result that has no table of its own: the rows of its JSON form, or its figures one below the other."""
    lines = form[rows] if rows else [form]
    keys = [key for key in dict.fromkeys(chain.from_iterable(lines)) if key not in ("sentence", "notes", "receipt")]
    shown = [key for key in keys if not any(isinstance(line.get(key), list | dict) for line in lines)]
    cells = [[_plain_cell(line.get(key)) for key in shown] for line in lines]
    heading = re.sub(r"(?<!^)(?=[A-Z])", " ", name).capitalize()
    numbers = [
        place for place, key in enumerate(shown) if any(isinstance(line.get(key), int | float) for line in lines)
    ]
    part: Part = (heading, shown, cells, numbers)
    if not rows:
        part = (heading, ["", "value"], [[key, cell] for key, cell in zip(shown, cells[0], strict=True)], [1])
    told = [said or str(form.get("sentence") or "")]
    notes = form.get("notes") or form.get("warnings") or ()
    return Paper([part], [text for text in told if text], () if said else notes, lines)


def _plain_cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plain(paper: Paper) -> str:
    """The result as text for a terminal."""
    from nlgauge.wording.tables import plain_table

    tables = [plain_table(headers, rows, right=right) for _, headers, rows, right in paper.parts]
    return "\n\n".join([*tables, *paper.said, *(f"note: {note}" for note in paper.notes)])


def of_scores(scores: Scores) -> Paper:
    """Systems by metrics, the best of each in bold."""
    from nlgauge.wording.tables import score_cells

    headers, rows, marks = score_cells(scores, mark="")
    bold = {(row, column) for row, line in enumerate(marks) for column, best in enumerate(line) if best}
    part: Part = (
        "Scores" if not bold else "Scores; the best of each column in bold",
        headers,
        rows,
        _after(headers),
    )
    return Paper([part], [], scores.notes, scores.to_dict()["scores"], bold)


def of_comparisons(found: Comparisons) -> Paper:
    """One row for each pair and metric; of many systems their ranking."""
    from nlgauge.wording.conclusion import conclusion, tabulate
    from nlgauge.wording.rankings import RIGHT, long_rankings, ranking_cells, ranking_headers
    from nlgauge.wording.tables import (
        ARROWS,
        comparison_cells,
        comparison_headers,
        comparison_right,
        several,
    )

    places, ranked = tabulate(None, found).places, long_rankings(found)
    rows = [
        comparison_cells(row, places[row.metric], together=several(found))
        for row in found.comparisons
        if row.metric not in ranked
    ]
    parts: list[Part] = [_overview(found.rankings, places)] if len(found.rankings) > 1 else []
    if rows:
        numbers = list(comparison_right(found))
        parts.append(("Differences between systems", comparison_headers(found), rows, numbers))
    for metric, ranking in ranked.items():
        *headers, _ = ranking_headers(ranking, ARROWS.get(ranking.direction, ""))
        headers += map(str, range(1, len(ranking.systems) + 1))  # signs side by side would be read as dashes by TeX
        cells = [[*own, *signs_] for *own, signs_ in ranking_cells(ranking, places[metric])]
        parts.append((f"Ranking by {metric}", headers, cells, list(RIGHT)))
    return Paper(parts, [conclusion(None, found)], found.notes, found.to_dict()["comparisons"])


def _overview(rankings: Sequence[Ranking], places: Mapping[str, int]) -> Part:
    """Systems by metrics, each score with its cluster."""
    from nlgauge.wording.numbers import number
    from nlgauge.wording.tables import ARROWS

    cells = [
        {
            ranked.system: f"{number(ranked.value, places[ranking.metric])} ({ranked.cluster})"
            for ranked in ranking.systems
        }
        for ranking in rankings
    ]
    heads = [f"{ranking.metric} {ARROWS.get(ranking.direction, '')}".rstrip() for ranking in rankings]
    rows = [[ranked.system, *(column.get(ranked.system, "") for column in cells)] for ranked in rankings[0].systems]
    headers = ["system", *heads]
    return "Scores; in parentheses the clusters of systems", headers, rows, _after(headers)


def of_agreement(results: Sequence[Agreement]) -> Paper:
    """The coefficients of each criterion."""
    from nlgauge.wording.agreement import cells

    found: list[Part] = []
    for result in results:
        headers, rows = cells(result)
        heading = f"Agreement of the judges{f' on {result.criterion}' if result.criterion else ''}"
        found.append((heading, list(headers), [list(row) for row in rows], [1, 2, 3]))
    said = [f"{result.criterion}: {result.sentence}" if len(results) > 1 else result.sentence for result in results]
    notes = tuple(dict.fromkeys(note for result in results for note in result.notes))
    return Paper(found, said, notes, [row for result in results for row in result.to_dict()["coefficients"]])


def of_ratings(results: Mapping[str, Ratings]) -> Paper:
    """The ratings of each criterion."""
    parts: list[Part] = []
    for criterion, result in results.items():
        headers, rows = result.cells()
        numbers = [place for place in range(len(headers)) if place != 1]
        parts.append((f"Ratings{f' on {criterion}' if criterion else ''}", headers, rows, numbers))
    said = [f"{name}: {one.sentence}" if len(results) > 1 else one.sentence for name, one in results.items()]
    notes = tuple(dict.fromkeys(note for result in results.values() for note in result.notes))
    rows_of = [
        {**({"criterion": criterion} if criterion else {}), **row}
        for criterion, one in results.items()
        for row in one.to_dict()["ratings"]
    ]
    return Paper(parts, said, notes, rows_of)


def _after(headers: Sequence[str]) -> list[int]:
    return list(range(1, len(headers)))


def markdown(part: Part, bold: Collection[Cell] = ()) -> str:
    """A table in Markdown, its heading above."""
    heading, headers, rows, right = part
    marks = ["---:" if place in right else "---" for place in range(len(headers))]
    cells = [
        [
            f"**{text}**" if (row, column) in bold else text
            for column, text in enumerate(cell.replace("|", r"\|") for cell in line)
        ]
        for row, line in enumerate(rows)
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in (headers, marks, *cells))
    return f"**{heading}**\n\n{table}\n"


def latex(part: Part, bold: Collection[Cell] = (), label: str = "") -> str:
    """A table in LaTeX; needs the package booktabs. It is referred to as `tab:` and its label."""
    heading, headers, rows, right = part
    columns = "".join("r" if place in right else "l" for place in range(len(headers)))
    cells = [
        [
            rf"\textbf{{{text}}}" if (row, column) in bold else text
            for column, text in enumerate(
                tex(signs(cell) if place in right else cell) for place, cell in enumerate(line)
            )
        ]
        for row, line in enumerate(rows)
    ]
    # after the end of a row a bracket would be taken for its option
    begun = ["{}" + row[0] if row[0].startswith("[") else row[0] for row in cells]
    cells = [[first, *row[1:]] for first, row in zip(begun, cells, strict=True)]
    lines = [" & ".join(row) + r" \\" for row in ([*map(tex, headers)], *cells)]
    above = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        lines[0],
        r"\midrule",
    ]
    named = [rf"\label{{tab:{label}}}"] if label else []
    caption = rf"\caption{{{tex(heading)}}}"
    below = [r"\bottomrule", r"\end{tabular}", caption, *named, r"\end{table}", ""]
    return "\n".join([*above, *lines[1:], *below])


def tex(text: str) -> str:
    """Text that LaTeX sets as it is."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def comma_separated(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; what is missing is an empty cell, a list or an object its JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(names)
    for row in rows:
        table.writerow([_cell(row.get(name)) for name in names])
    return out.getvalue().removesuffix("\n")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return orjson.dumps(value).decode() if isinstance(value, list | dict) else value
