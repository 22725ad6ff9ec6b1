"""Say which metrics follow human judgement: correlations with intervals, groups of metrics that differ, reports."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.arguments import RUN, Arg, Group, html, level
from nlgauge.cli.commands import probe
from nlgauge.cli.common import positive
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.meta.observations import Observations
    from nlgauge.meta.settings import Settings

EXAMPLES = """\
examples:
  nlgauge meta judged.jsonl -m bleu -m chrf --human quality --level system
  nlgauge meta judged.jsonl -m sentbleu -m "rouge@1" --statistic kendall --average item --html meta.html
  nlgauge meta hanna.jsonl.gz -m "@*" --without Human --average item       scores stored in the rows
  nlgauge meta segments.jsonl --pairs pairs.jsonl -m chrf                  rows item, better, worse: WMT's tau
  nlgauge meta judged.jsonl --human da --margin 25 -m chrf                 the same, of direct assessments
  nlgauge meta judged.jsonl --report belz-reiter --reference-system corpus
  nlgauge meta --probe judged.jsonl -m bleu                                how metrics react to damage

Scores that the rows carry in their `metrics` object are metrics too: stored(name=BLEU), short @BLEU; @* is all."""


LEAST_DRAWS = 100  # as in stats.limits, which is not imported for --help


def _level(text: str) -> str:
    """Elsewhere --level is a confidence level, so the mix-up deserves a word."""
    if text not in ("segment", "system"):
        raise argparse.ArgumentTypeError(
            f"is segment or system, the level of the correlation, not {text!r}; the confidence of the intervals is "
            "--confidence"
        )
    return text


def _bands(text: str) -> int:
    if text.strip() in ("0", "1"):
        raise argparse.ArgumentTypeError(f"must be at least 2, not {text.strip()}")
    return common.positive(text)


def _margin(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number from 0 up, such as 25, not {text!r}")
    return value


def _draws(text: str) -> int:
    value = common.whole(text)
    if value and value < LEAST_DRAWS:
        raise argparse.ArgumentTypeError(f"must be at least {LEAST_DRAWS} for intervals, or 0 for none, not {value}")
    return value


ARGUMENTS = (
    Arg("data DATA", "judged outputs: .jsonl, .csv, .tsv, .parquet (.gz, .zst)", nargs="?"),
    Arg(
        "-m --metric SPEC",
        "metric or stored score, e.g. chrf, @BLEU, @* (repeatable; default: what the rows allow)",
        many=True,
    ),
    *inputs.PRESET,
    Arg(
        "--human CRITERION[:lower]",
        "criterion of the ratings (repeatable; default: all); :lower where less is better, as with errors, which "
        "turns them into minus_CRITERION",
        many=True,
    ),
    Group(
        "which rows",
        (
            inputs.column(),
            *inputs.KEPT,
            Arg(
                "--references FILE",
                "references of items, rows item and references; the word source compares outputs with sources",
            ),
            Arg("--drop-judged-references", "take texts that were judged for an item out of its references"),
            Arg("--pairs FILE", "judgements as pairs: rows item, better, worse (names of systems)"),
            Arg(
                "--margin POINTS",
                "ratings as pairs: the better and the worse of an item's outputs that differ by more than POINTS (25 "
                "of direct assessment at WMT18 and WMT19)",
                _margin,
            ),
        ),
    ),
    Group(
        "how to correlate",
        (
            Arg("--level {segment,system}", "correlate over outputs (default) or over systems", _level, "segment"),
            Arg(
                "--statistic NAME",
                "pearson (default), spearman, kendall, kendall-c, darr, accuracy, acc-eq, spa, … (repeatable)",
                many=True,
            ),
            Arg(
                "--average",
                "at segment level: pool all outputs (default), or average the correlations of items or systems",
                ("none", "item", "system"),
                "none",
            ),
            Arg(
                "--judgements",
                "several ratings of an output: their mean (default), median, or each as an observation of its own",
                ("mean", "median", "each"),
                "mean",
            ),
            inputs.standardise(),
            Arg(
                "--per-reference",
                "several references: as the metric defines (default), or each alone and the mean or best of them",
                ("metric", "mean", "max"),
                "metric",
            ),
            Arg(
                "--system-score",
                "a system's score: the metric's corpus score (default) or the mean of its outputs' scores",
                ("corpus", "mean"),
                "corpus",
            ),
            Arg(
                "--score-digits N",
                "round segment scores to N significant digits, so that equal ones tie (default: as computed)",
                positive,
                0,
            ),
            Arg("--over", "what the intervals resample (default items)", ("items", "systems", "both"), "items"),
            Arg("--draws N", "bootstrap draws (default 1000; 0: no intervals)", _draws, 1000),
            level("--confidence"),
            Arg(
                "--test",
                "test of differences between metrics, which swap items, outputs or systems; Williams' test; paired "
                "bootstrap; auto (default) swaps items where it is quick",
                ("auto", "perm-input", "perm-both", "perm-sys", "williams", "bootstrap", "none"),
                "auto",
            ),
            Arg("--trials N", "trials of the tests (default: 1000, or more where many pairs are tested)", positive, 0),
        ),
    ),
    Group(
        "reports",
        (
            Arg(
                "--report",
                "the table of metrics by criteria (default), or scores, ranks, the full matrix and pairwise tests",
                ("table", "belz-reiter"),
                "table",
            ),
            Arg(
                "--rate-references",
                "rate the references as one more system, each left out in turn, and warn of systems above them",
            ),
            Arg(
                "--reference-system SYSTEM",
                "a system of the data that people wrote: shown unranked, not correlated, warned of when outscored",
            ),
            Arg("--references-curve", "how stable the ranking is as references are added"),
            Arg(
                "--bands N",
                "where each metric over- and underscores: N bands of outputs by people's scores, e.g. 5",
                _bands,
                0,
            ),
            html("also write a page with heat map, intervals and scatter plots"),
            output.FIGURES,
        ),
    ),
    *RUN,
    *output.PRINTED,
    probe.PROBES,
)


def run(arguments: argparse.Namespace) -> int:
    """Correlate and print."""
    if arguments.probe is not None:
        return probe.run(arguments)
    probe.refuse_without(arguments)
    paired = "--pairs" if arguments.pairs else "--margin" if arguments.margin is not None else ""
    if paired and arguments.statistic and "pearson" in arguments.statistic:
        raise InputError(
            f"{paired} says which of two outputs is better, which allows --statistic darr and accuracy; pearson needs "
            "scores"
        )
    inputs.human_directions(arguments)
    settings = _settings(arguments)
    out = output.Shown.of(arguments)
    data = _observed(arguments)
    from nlgauge.meta.report import make_report

    metrics, asked = inputs.measures(arguments)
    found = make_report(data, settings, metrics=metrics, **_asked(arguments))
    found = replace(found, table=replace(found.table, notes=(*asked.notes, *found.table.notes)))
    from nlgauge.report.meta_html import meta_figures, write_meta_report

    out.save_figures(lambda: meta_figures(found))
    if out.page is not None:
        write_meta_report(found, out.page)
    receipts = found.table.receipts.values()
    if arguments.json:
        out.save(receipts)
        common.print_json({**found.to_dict(), **asked.to_dict()})
    else:
        from nlgauge.report.meta_text import of_meta, print_meta

        bare = replace(found, table=replace(found.table, receipts={}))
        out.show(receipts, lambda own: print_meta(found if own else bare), lambda: of_meta(found))
    return 0


def _settings(arguments: argparse.Namespace) -> Settings:
    from nlgauge.meta.settings import Settings

    return Settings(
        statistics=tuple(arguments.statistic or Settings.statistics),
        score=arguments.system_score,
        digits=arguments.score_digits,
        **common.given(arguments, ("level", "average", "judgements", "standardise", "over", "draws")),
        **common.given(arguments, ("confidence", "test", "trials", "seed", "margin")),
    ).checked()


def _observed(arguments: argparse.Namespace) -> Observations:
    from nlgauge.meta.observations import observe, with_pairs

    if not arguments.data:
        raise InputError("no data given: name a file of judged outputs (rows with ratings)")
    data = observe(
        arguments.data,
        where=inputs.where(arguments),
        without=arguments.without,
        references=arguments.references,
        drop_judged=arguments.drop_judged_references,
        columns=inputs.columns(arguments),
        lower=arguments.lower,
    )
    return with_pairs(data, arguments.pairs) if arguments.pairs else data


def _asked(arguments: argparse.Namespace) -> dict[str, Any]:
    from nlgauge.meta.observations import MINUS

    return {
        "human": [MINUS + name if name in arguments.lower else name for name in arguments.human or ()],
        "joined": arguments.per_reference,
        "full": arguments.report == "belz-reiter",
        "rated": arguments.rate_references,
        "reference_system": arguments.reference_system,
        "curve": arguments.references_curve,
        "bands": arguments.bands,
        "jobs": arguments.jobs,
    }
