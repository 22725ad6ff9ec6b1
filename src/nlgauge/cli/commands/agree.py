"""Say whether judges agree: coefficients for the scale of the ratings, with intervals, gaps allowed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.arguments import JSON, LEVEL, Arg, html
from nlgauge.cli.common import Output, number, positive
from nlgauge.options import DEFAULT_SEED

if TYPE_CHECKING:
    from nlgauge.agreement import Agreement

EXAMPLES = """\
examples:
  nlgauge agree ratings.csv                                    rows item, judge, value
  nlgauge agree outputs.jsonl --criterion fluency --criterion adequacy     an evaluation set with lists of ratings
  nlgauge agree ratings.csv --scale ordinal --categories 1,2,3,4,5 --judges
  nlgauge agree ratings.csv -c krippendorff -c icc2 --interval bootstrap --trials 2000
  nlgauge agree ratings.jsonl --linked pairs.jsonl --band 0.5  the same texts scored and compared: which way agrees more
  nlgauge agree ratings.csv --aggregate dawid-skene -o labels.jsonl"""


ARGUMENTS = (
    Arg("data DATA", "judgements or an evaluation set: .jsonl, .csv, .tsv, .parquet (.gz, .zst)"),
    Arg(
        "--criterion --human NAME",
        "which ratings, where there are several criteria (repeatable: one table for each)",
        many=True,
    ),
    Arg(
        "--scale",
        "what the values mean (default: guessed from them, and said)",
        ("nominal", "ordinal", "interval", "ratio"),
    ),
    Arg(
        "-c --coefficient NAME",
        "percent, cohen, scott, fleiss, conger, brennan-prediger, gwet, krippendorff, icc1, icc1k, icc2, icc2k, "
        "icc3, icc3k, kendall-w, pearson, spearman, kendall; for lists jaccard, f1, krippendorff-masi; or all "
        "(repeatable; default: those that suit the scale)",
        many=True,
    ),
    Arg("--categories A,B,…", "all values of the scale, in order, used or not"),
    Arg(
        "--interval",
        "how to find limits (default: the coefficient's formula, or the jackknife where it has none)",
        ("analytic", "jackknife", "bootstrap", "none"),
        "analytic",
    ),
    LEVEL,
    Arg("--trials N", "draws of the bootstrap (default 1000)", positive, 1000),
    Arg("--judges", "also a line on every judge, and agreement without them"),
    Arg(
        "--repeats",
        "a repeated (item, system) of an evaluation set: refuse it (default), or keep it as item 17#2",
        ("refuse", "number"),
        "refuse",
    ),
    Arg(
        "--linked PAIRS",
        "games over the same texts (as for rate): agreement by scoring, by comparing, and between the two",
    ),
    Arg("--linked-criterion NAME", "which question of PAIRS, where there are several"),
    Arg("--band X", "with --linked: scores that differ by no more are a tie (default 0)", number),
    inputs.column("judge=worker_id"),
    Arg(
        "--aggregate",
        "also write one value for each item to the file of -o",
        ("mean", "z", "weighted", "majority", "dawid-skene"),
    ),
    Arg("-o --output FILE", "where --aggregate writes (.jsonl or .csv)", Output),
    Arg("--seed N", "seed of all draws", int, DEFAULT_SEED),
    JSON,
    *output.PRINTED,
    html("also write a page with a plot of the values and their intervals"),
    output.FIGURES,
)


def run(arguments: argparse.Namespace) -> int:
    """Compute and print."""
    from nlgauge import agreement
    from nlgauge.errors import InputError

    target = common.output(arguments.output)
    out = output.Shown.of(arguments)
    if arguments.linked is not None:
        return _linked(arguments)
    common.refuse(arguments, ("band", "linked_criterion"), "is for --linked, which sets comparisons beside scores")
    if (arguments.aggregate is None) != (target is None):
        raise InputError("--aggregate and -o go together: the one says how, the other where to")
    criteria: list[str | None] = list(dict.fromkeys(arguments.criterion or [None]))
    if target is not None and len(criteria) > 1:
        raise InputError("--aggregate writes the values of one criterion: give --criterion once")
    results = []
    columns = inputs.columns(arguments)
    for criterion in criteria:
        given = agreement.judgements(arguments.data, criterion, repeats=arguments.repeats, columns=columns)
        results.append(
            agreement.agree(
                given,
                coefficients=arguments.coefficient,
                categories=_categories(arguments.categories),
                **common.given(arguments, ("scale", "interval", "level", "trials", "seed", "judges")),
            )
        )
    receipts = [result.receipt for result in results]
    from nlgauge.report.people import paper_figures, write_page
    from nlgauge.wording.paper import of_agreement

    out.save_figures(lambda: paper_figures(of_agreement(results), "coefficient"))
    if target is not None:
        from nlgauge.io import write_rows

        rows, notes = agreement.aggregate(given, arguments.aggregate)
        write_rows(iter(rows), target)
        for note in (*notes, f"{len(rows):,} {given.unit} written to {target}"):
            print(f"nlgauge: {note}", file=sys.stderr)
    if out.page is not None:
        told = {"title": "Do the judges agree?", "origin": arguments.data, "axis": "coefficient"}
        write_page(of_agreement(results), out.page, receipts=receipts, **told)
    if arguments.json:
        out.save(receipts)
        common.print_json(_json([result.to_dict() for result in results]))
        return 0
    out.show(receipts, lambda own: _print(results, own), lambda: of_agreement(results))
    return 0


def _linked(arguments: argparse.Namespace) -> int:
    """Scoring against comparing the same texts."""
    from nlgauge.errors import InputError
    from nlgauge.linked import agree_linked
    from nlgauge.report.text import print_lines, print_table

    other = ("scale", "coefficient", "categories", "judges", "aggregate", "html", "figures")
    if refused := [name for name in other if getattr(arguments, name)]:
        raise InputError(f"--{refused[0]} does not go with --linked, which always computes kappa of verdicts on pairs")
    if len(arguments.criterion or ()) > 1:
        raise InputError("--linked takes one --criterion of the ratings")
    found = agree_linked(
        arguments.data,
        arguments.linked,
        (arguments.criterion or [None])[0],
        pair_criterion=arguments.linked_criterion,
        band=arguments.band or 0.0,
        columns=inputs.columns(arguments),
        **common.given(arguments, ("level", "trials", "seed")),
    )
    if arguments.json:
        common.print_json(found.to_dict())
        return 0
    headers, rows = found.cells()
    print_table(headers, rows, right=range(1, len(headers)))
    notes = [f"note: {note}" for note in found.notes]
    print_lines(["", found.sentence, *notes, "", found.scored.receipt, found.compared.receipt])
    return 0


def _print(results: Sequence[Agreement], receipts: bool) -> None:
    from nlgauge.report.people import print_agreement

    for place, result in enumerate(results):
        if len(results) > 1:
            print(f"{'' if place == 0 else chr(10)}{result.criterion}\n")
        print_agreement(result if receipts else replace(result, receipt=""))


def _json(found: list[dict[str, Any]]) -> dict[str, Any]:
    """One object: that of the criterion, or the coefficients of all with one object for each criterion beside."""
    if len(found) == 1:
        return found[0]
    return {"coefficients": [row for criterion in found for row in criterion["coefficients"]], "criteria": found}


def _categories(text: str | None) -> list[float] | list[str] | None:
    names = None if text is None else [part.strip() for part in text.split(",")]
    try:
        return names and [float(name) for name in names]
    except ValueError:
        return names
