"""Say which metrics follow human judgement: correlations with intervals, groups of metrics that differ, reports."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.commands import probe
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


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "data", nargs="?", metavar="DATA", help="judged outputs: .jsonl, .csv, .tsv, .parquet (.gz, .zst)"
    )
    parser.add_argument(
        "-m",
        "--metric",
        action="append",
        metavar="SPEC",
        help="metric or stored score, e.g. chrf, @BLEU, @* (repeatable; default: what the rows allow)",
    )
    inputs.add_preset(parser)
    parser.add_argument(
        "--human",
        action="append",
        metavar="CRITERION[:lower]",
        help="criterion of the ratings (repeatable; default: all); :lower where less is better, as with errors, which "
        "turns them into minus_CRITERION",
    )
    _add_choice_of_rows(parser)
    _add_method(parser)
    _add_reports(parser)
    common.add_run(parser)
    output.add_output(parser)
    probe.configure(parser)


def _add_choice_of_rows(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which rows")
    inputs.add_columns(group, extra=False)
    inputs.add_without(group)
    group.add_argument(
        "--references",
        metavar="FILE",
        help="references of items, rows item and references; the word source compares outputs with sources",
    )
    group.add_argument(
        "--drop-judged-references",
        action="store_true",
        help="take texts that were judged for an item out of its references",
    )
    group.add_argument(
        "--pairs", metavar="FILE", help="judgements as pairs: rows item, better, worse (names of systems)"
    )
    group.add_argument(
        "--margin",
        type=_margin,
        metavar="POINTS",
        help="ratings as pairs: the better and the worse of an item's outputs that differ by more than POINTS (25 "
        "of direct assessment at WMT18 and WMT19)",
    )


def _add_method(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how to correlate")
    group.add_argument(
        "--level",
        type=_level,
        default="segment",
        metavar="{segment,system}",
        help="correlate over outputs (default) or over systems",
    )
    group.add_argument(
        "--statistic",
        action="append",
        metavar="NAME",
        help="pearson (default), spearman, kendall, kendall-c, darr, accuracy, acc-eq, spa, … (repeatable)",
    )
    group.add_argument(
        "--average",
        choices=("none", "item", "system"),
        default="none",
        help="at segment level: pool all outputs (default), or average the correlations of items or systems",
    )
    group.add_argument(
        "--judgements",
        choices=("mean", "median", "each"),
        default="mean",
        help="several ratings of an output: their mean (default), median, or each as an observation of its own",
    )
    inputs.add_standardise(group)
    group.add_argument(
        "--per-reference",
        choices=("metric", "mean", "max"),
        default="metric",
        help="several references: as the metric defines (default), or each alone and the mean or best of them",
    )
    group.add_argument(
        "--system-score",
        choices=("corpus", "mean"),
        default="corpus",
        help="a system's score: the metric's corpus score (default) or the mean of its outputs' scores",
    )
    group.add_argument(
        "--score-digits",
        type=common.positive,
        default=0,
        metavar="N",
        help="round segment scores to N significant digits, so that equal ones tie (default: as computed)",
    )
    group.add_argument(
        "--over",
        choices=("items", "systems", "both"),
        default="items",
        help="what the intervals resample (default items)",
    )
    group.add_argument(
        "--draws", type=_draws, default=1000, metavar="N", help="bootstrap draws (default 1000; 0: no intervals)"
    )
    common.add_level(group, "--confidence")
    group.add_argument(
        "--test",
        choices=("auto", "perm-input", "perm-both", "perm-sys", "williams", "bootstrap", "none"),
        default="auto",
        help="test of differences between metrics, which swap items, outputs or systems; Williams' test; paired "
        "bootstrap; auto (default) swaps items where it is quick",
    )
    group.add_argument(
        "--trials",
        type=common.positive,
        default=0,
        metavar="N",
        help="trials of the tests (default: 1000, or more where many pairs are tested)",
    )


def _add_reports(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reports")
    group.add_argument(
        "--report",
        choices=("table", "belz-reiter"),
        default="table",
        help="the table of metrics by criteria (default), or scores, ranks, the full matrix and pairwise tests",
    )
    group.add_argument(
        "--rate-references",
        action="store_true",
        help="rate the references as one more system, each left out in turn, and warn of systems above them",
    )
    group.add_argument(
        "--reference-system",
        metavar="SYSTEM",
        help="a system of the data that people wrote: shown unranked, not correlated, warned of when outscored",
    )
    group.add_argument(
        "--references-curve", action="store_true", help="how stable the ranking is as references are added"
    )
    group.add_argument(
        "--bands",
        type=_bands,
        default=0,
        metavar="N",
        help="where each metric over- and underscores: N bands of outputs by people's scores, e.g. 5",
    )
    common.add_page(group, "also write a page with heat map, intervals and scatter plots")
    output.add_figures(group)


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


def run(arguments: argparse.Namespace) -> int:
    """Correlate and print."""
    if getattr(arguments, "probe", None) is not None:
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
    page = common.output(arguments.html)
    figures = common.output(arguments.figures)
    out = output.Shown.of(arguments)
    data = _observed(arguments)
    from nlgauge.meta.report import make_report

    metrics, asked = inputs.measures(arguments)
    found = make_report(data, settings, metrics=metrics, **_asked(arguments))
    found = replace(found, table=replace(found.table, notes=(*asked.notes, *found.table.notes)))
    from nlgauge.report.meta_html import meta_figures, write_meta_report

    output.save_figures(figures, lambda: meta_figures(found))
    if page is not None:
        write_meta_report(found, page)
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
        **common.given(arguments, "level", "average", "judgements", "standardise", "over", "draws"),
        **common.given(arguments, "confidence", "test", "trials", "seed", "margin"),
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
