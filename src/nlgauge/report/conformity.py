"""Conformity as tables."""

from __future__ import annotations

from nlgauge.corpus.conform import Band, Conformity, System
from nlgauge.corpus.conform.checking import FACTS
from nlgauge.report.corpus_profile import bounded, share, spread
from nlgauge.report.text import print_lines, print_table
from nlgauge.wording.paper import Part

NOTES = (
    "Credit is 1 less the least edits of words to a text that conforms and says the input, by the words of the "
    "shortest such text; 0 at the least.",
    "A fact that is said otherwise has its value in the text, in words of no template.",
)


def print_conformity(found: Conformity, rows: int) -> None:
    """All tables, each under its heading."""
    for heading, headers, cells, right in parts(found, rows):
        print_lines([heading, ""])
        print_table(headers, cells, right=right)
        print()
    print_lines([f"note: {text}" for text in NOTES])


def parts(found: Conformity, rows: int) -> list[Part]:
    """The tables; of long ones `rows` rows spread over all (0: all)."""
    made = [_systems(found), _facts(found), _rules(found), _templates(found, rows), _predicates(found, rows)]
    if found.bands:
        made.append(_bands(found))
    if found.confusions:
        made.append(_confusions(found, rows))
    return made


def _systems(found: Conformity) -> Part:
    cells = [
        [
            row.system,
            f"{row.outputs:,}",
            bounded(row.strict, ".1%"),
            bounded(row.credit, ".3f"),
            f"{row.edits:.2f}",
            f"{row.templates:,}",
        ]
        for row in found.systems
    ]
    headers = ["system", "outputs", "conforming", "credit", "edits an output", "templates used"]
    return "Conformity", headers, cells, [1, 2, 3, 4, 5]


def _facts(found: Conformity) -> Part:
    cells = [
        [row.system, *(f"{row.facts[name]:,} ({share(row.facts[name], _given(row))})" for name in FACTS)]
        for row in found.systems
    ]
    heading = "Facts, with shares of those of the inputs"
    return heading, ["system", *FACTS], cells, list(range(1, len(FACTS) + 1))


def _given(row: System) -> int:
    return sum(row.facts.values()) - row.facts["added"]


def _rules(found: Conformity) -> Part:
    names = ["order", "segmentation", "aggregation", "references"]
    cells = [
        [
            row.system,
            *(f"{row.followed[name]:.1%}" if row.followed else "" for name in names),
            ", ".join(f"{name} {count:,}" for name, count in row.orders.items()),
        ]
        for row in found.systems
    ]
    return (
        "Outputs of several facts that follow the rules",
        ["system", *names, "orders"],
        cells,
        list(range(1, len(names) + 1)),
    )


def _templates(found: Conformity, rows: int) -> Part:
    cells = [
        [
            row.system,
            row.template,
            f"{row.used:,}",
            "" if row.share is None else bounded(row.share, ".1%"),
            f"{row.training:.1%}",
            row.verdict,
        ]
        for row in spread(found.templates, rows)
    ]
    headers = ["system", "template", "used", "share of its predicate", "in training", "verdict"]
    return _heading("Templates", cells, found.templates), headers, cells, [2, 3, 4]


def _predicates(found: Conformity, rows: int) -> Part:
    cells = [
        [
            row.system,
            row.predicate,
            f"{row.frequency:,}",
            f"{row.ratio:.3f}",
            *(f"{row.facts[name]:,}" for name in FACTS),
        ]
        for row in spread(found.predicates, rows)
    ]
    headers = ["system", "predicate", "in training", "ratio", *FACTS]
    return (
        _heading("Predicates, by frequency and uniqueness ratio in training", cells, found.predicates),
        headers,
        cells,
        list(range(2, len(headers))),
    )


def _bands(found: Conformity) -> Part:
    cells = [
        [
            row.system,
            row.by,
            limits(row),
            f"{row.predicates:,}",
            bounded(row.said, ".1%"),
        ]
        for row in found.bands
    ]
    heading = "Facts said, thirds of the predicates"
    return heading, ["system", "by", "of training", "predicates", "said"], cells, [3, 4]


def limits(row: Band) -> str:
    """The least and most of a band, whole numbers in full."""
    return " to ".join(f"{value:,.0f}" if row.by == "frequency" else f"{value:.3g}" for value in (row.least, row.most))


def _confusions(found: Conformity, rows: int) -> Part:
    cells = [
        [row.system, row.reference, row.output or "(none)", f"{row.count:,}"] for row in spread(found.confusions, rows)
    ]
    heading = _heading("Templates of references and outputs, for the same fact", cells, found.confusions)
    return heading, ["system", "reference", "output", "facts"], cells, [3]


def _heading(text: str, cells: list[list[str]], whole: tuple[object, ...]) -> str:
    return text if len(cells) == len(whole) else f"{text} ({len(cells)} of {len(whole):,})"
