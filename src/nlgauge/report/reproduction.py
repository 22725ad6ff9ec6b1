"""The tables of a reproduction, in the form of the paper, on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.report.components import header, paragraph, plain_table, section
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.text import print_lines, print_table

if TYPE_CHECKING:
    from nlgauge.reproduce.run import Reproduction

Rows = list[tuple[str, ...]]
Part = tuple[str, str, tuple[str, ...], Rows]  # heading, what it shows, heads of columns, rows
TITLE = "Learning to compare, reproduced"
ORACLE = (
    "Quality is said by the oracle of the rules, not by people: the rules of the generated stories score each text "
    "from 1 to 5."
)
NO_ORACLE = (
    "Nobody has scored the texts of this corpus, so that Tables 1, 2, 3 and 5, which need to know what is good, are "
    "left out. What each evaluator would choose stands below; the trained comparator lies in evaluators/comparator of "
    "the folder."
)
NAMES = {
    "comparator": "comparator (strong and weak)",
    "adem": "ADEM",
    "adversarial": "adversarial evaluator",
    "bleu": "BLEU",
    "perplexity": "perplexity",
}
ABLATED = {
    "comparator": "strong and weak supervision",
    "preferences": "and preferences of the oracle",
    "adversarial": "w/o comparison",
    "no-tie": "w/o tie option",
    "no-strong": "w/o strong supervision",
    "no-weak": "w/o weak supervision",
    "no-pretraining": "w/o pre-trained encoder",
}
KINDS = {"search": "hyperparameter search", "stopping": "early stopping"}


def print_reproduction(found: Reproduction) -> None:
    """All tables, what they rest on, and how long it took."""
    print_lines([ORACLE if "table1" in found.tables else NO_ORACLE, ""])
    for heading, about, headers, rows in parts(found.tables):
        print_lines([heading, about])
        print_table(headers, rows, right=range(1, len(headers)))
        print_lines([""])
    print_lines([_seconds(found)])


def write_page(found: Reproduction, path: str | Path) -> Path:
    """The same as one page."""
    body = header(TITLE) + paragraph(ORACLE if "table1" in found.tables else NO_ORACLE)
    for heading, about, headers, rows in parts(found.tables):
        body += section(heading, about, plain_table(headers, rows, range(1, len(headers)), heading))
    return write(page(TITLE, body + paragraph(_seconds(found), "soft"), closing=NUMBERS), path)


def parts(tables: Mapping[str, Any]) -> list[Part]:
    """Each table."""
    if "table1" not in tables:
        return [_agreement(KINDS[kind], groups) for kind, groups in tables["choices"].items()]
    return [
        _correlations(
            "Table 1: single texts", "Correlation with the oracle; 95 % limits over models.", tables["table1"]
        ),
        _correlations("Table 2: models", "Correlation with the oracle's mean over fresh outputs.", tables["table2"]),
        *(_wins(KINDS[kind], table) for kind, table in tables["table3"].items()),
        _ablations(tables["table5"]),
    ]


def _correlations(heading: str, about: str, rows: Sequence[Mapping[str, Any]]) -> Part:
    n = rows[0]["n"]
    cells: Rows = [(_named(row["evaluator"]), _limited(row["spearman"]), _limited(row["pearson"])) for row in rows]
    return heading, f"{about} n = {n:,}.", ("evaluator", "Spearman", "Pearson"), cells


def _wins(kind: str, table: Mapping[str, Any]) -> Part:
    rows: Rows = [
        (
            _named(row["evaluator"]),
            f"{row['wins']} of {table['groups']}",
            str(row["highest"]),
            f"{row['score']:.2f} ({row['low']:.2f} to {row['high']:.2f})",
            "–" if "p" not in row else f"{row['only_comparator']} : {row['only_this']}, p = {row['p']:.2g}",
        )
        for row in table["rows"]
    ]
    if "last" in table:
        rows.append(("the last checkpoint", str(table["last"]), "–", f"{table['last_score']:.2f}", "–"))
    rows.append(("by chance", f"{table['chance']:.1f}", "–", f"{table['mean_score']:.2f}", "–"))
    rows.append(("the truly best", str(table["groups"]), str(table["groups"]), f"{table['best_score']:.2f}", "–"))
    about = (
        "Wins: the option chosen is not surely below the best by the oracle (95 %, paired over prompts); highest: it "
        "is the one with the highest mean. Exact test: groups that only the comparator won, and only the other. The "
        f"oracle's means of a group lie {table['spread']:.2f} apart on average."
    )
    heads = ("evaluator", "wins", "highest", "mean score of the choice", "comparator : this")
    return f"Table 3: {kind}", about, heads, rows


def _ablations(rows: Sequence[Mapping[str, Any]]) -> Part:
    cells: Rows = []
    for row in rows:
        gap = _limited(row["difference"], sign="+") if "difference" in row else "–"
        cells.append((ABLATED[row["evaluator"]], _limited(row["spearman"]), _limited(row["pearson"]), gap))
    heads = ("comparator", "Spearman", "Pearson", "difference of Spearman")
    return "Table 5: ablations", f"Models by skill rating, as in Table 2. n = {rows[0]['n']:,}.", heads, cells


def _agreement(kind: str, groups: Sequence[Mapping[str, Any]]) -> Part:
    """How often evaluators choose alike, where nobody knows who is right."""
    names, rows = list(groups[0]["chosen"]), []
    for name in names:
        alike = [sum(group["chosen"][name] == group["chosen"][other] for group in groups) for other in names]
        rows.append((_named(name), *map(str, alike)))
    about = f"In how many of {len(groups)} groups two evaluators choose the same option."
    return f"Choices: {kind}", about, ("", *map(_named, names)), rows


def _named(evaluator: str) -> str:
    return NAMES.get(evaluator, evaluator)


def _limited(value: Mapping[str, float | None], sign: str = "") -> str:
    if value["estimate"] is None:
        return "–"
    estimate, low, high = (f"{value[name] or 0.0:{sign}.3f}" for name in ("estimate", "low", "high"))
    return estimate if value["low"] is None else f"{estimate} ({low} to {high})"


def _seconds(found: Reproduction) -> str:
    whole = sum(found.seconds.values()) / 60
    told = ", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in found.seconds.items())
    return f"{found.corpus}, seed {found.settings.seed}: {whole:.1f} minutes ({told})"
