"""Score the outputs of one or more systems with any metrics, and say how each number was made."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.arguments import PRINTING, Arg, html, options_of
from nlgauge.errors import InputError, NeedsWholeSet
from nlgauge.options import ScoreOptions

if TYPE_CHECKING:
    from nlgauge.results import Scores

EXAMPLES = """\
examples:
  nlgauge score outputs.jsonl
  nlgauge score outputs.jsonl -m bleu -m "chrf(word=2)" -m rouge@2.f1 --ci
  nlgauge score --hyp tgen=out.txt --hyp base=base.txt --ref ref1.txt --ref ref2.txt
  nlgauge score captions.jsonl --preset coco         what the COCO caption kit prints (nlgauge list --presets)
  nlgauge score outputs.jsonl -m sentbleu --segments segments.jsonl
  nlgauge score outputs.jsonl -m bleu --ci --interval bca --cluster document
  nlgauge score outputs.jsonl --human clarity --ci
  nlgauge score outputs.jsonl --human clarity --control chrf     few judgements, a metric on all items
  nlgauge score outputs.jsonl.gz -m bleu --jobs 2 --json"""

RESAMPLING = ("ci", "trials", "level", "interval", "cluster", "seed")


ARGUMENTS = (
    *inputs.DATA,
    *inputs.KEPT,
    inputs.METRICS,
    *inputs.PRESET,
    *options_of(ScoreOptions),
    *inputs.HUMANS,
    Arg("--stream", "read in batches and keep only totals (files over 256 MB do so anyway)"),
    *PRINTING,
    *output.PRINTED,
    html("also write the scores as a page with plots"),
    output.FIGURES,
)


def run(arguments: argparse.Namespace) -> int:
    """Score, print, and write the segments where asked."""
    inputs.check_humans(arguments)
    if not arguments.ci and (arguments.cluster or arguments.interval != "percentile"):
        raise InputError("--interval and --cluster are about intervals: add --ci")
    output.Shown.of(arguments)  # refuses a file that cannot be written
    with inputs.pairwise_hint(inputs.source(arguments)):
        return _run_humans(arguments) if arguments.human else _run_metrics(arguments)


def _run_metrics(arguments: argparse.Namespace) -> int:
    from nlgauge import api
    from nlgauge.engine.stream import should_stream

    metrics = inputs.named(arguments, api.DEFAULT_METRICS)  # misspelt ones are refused before reading
    source = inputs.source(arguments)
    segments = common.output(arguments.segments)
    needing = {
        "--preset": arguments.preset,
        "--without": arguments.without,
        "--where": arguments.where,
        "--repeats number": arguments.repeats != "refuse",
    }
    whole = [option for option, given in needing.items() if given]
    if arguments.stream and whole:
        raise InputError(f"{whole[0]} needs the whole set in memory; leave --stream out")
    scores, asked, notes = None, None, list[str]()
    whole += ["--ci"] if arguments.ci else []
    if (arguments.stream and not arguments.ci) or (not whole and should_stream(inputs.files(source))):
        asked = inputs.asked(arguments, metrics)
        try:
            with common.progress(None, quiet=arguments.quiet) as bar:
                scores = api.score_large(source, asked.metrics, segments=segments, jobs=arguments.jobs, progress=bar)
        except NeedsWholeSet:
            if arguments.stream:
                raise
    if scores is None:
        data = inputs.load(source, arguments.repeats, arguments.without, inputs.where(arguments))
        notes = [inputs.ranked_by(source["path"])] if data.pairwise else []
        asked = asked or inputs.asked(arguments, metrics, data)
        with common.progress(len(data), quiet=arguments.quiet) as bar:
            scores = api.score(data, asked.metrics, progress=bar, **common.taken(arguments, ScoreOptions))
    assert asked is not None
    _show(arguments, replace(scores, notes=(*asked.notes, *scores.notes, *notes)), asked.to_dict())
    return 0


def _show(arguments: argparse.Namespace, scores: Scores, beside: Mapping[str, Any]) -> None:
    """Print the scores as the options ask; `beside` is what else belongs into JSON."""
    from nlgauge.report.text import print_scores
    from nlgauge.wording.paper import of_scores

    out = output.Shown.of(arguments)
    if out.page or out.figures:
        from nlgauge.report.scores import report_figures, write_report

        out.save_figures(lambda: report_figures(scores))
        if out.page:
            write_report(scores, None, out.page, title="Scores", summary=arguments.data)
    if arguments.json:
        out.save(scores.receipts.values())
        common.print_json({**scores.to_dict(), **beside})
        return
    bare = replace(scores, receipts={})
    out.show(scores.receipts.values(), lambda own: print_scores(scores if own else bare), lambda: of_scores(scores))


def _run_humans(arguments: argparse.Namespace) -> int:
    """Mean ratings, beside metrics where some were asked for, or helped by one."""
    from nlgauge import api, humans

    if arguments.stream or arguments.segments:
        raise InputError("--human needs the whole set and has no scores of segments; leave --stream and --segments out")
    metrics = inputs.named(arguments, ())
    controls = api.metrics(arguments.control) if arguments.control else ()
    data = inputs.load(inputs.source(arguments), arguments.repeats, arguments.without, inputs.where(arguments))
    asked = inputs.asked(arguments, metrics, data, beside=True)
    options = common.given(arguments, RESAMPLING)
    scores = humans.means(data, arguments.human, lower=arguments.lower, standardise=arguments.standardise, **options)
    if asked.metrics:
        with common.progress(len(data), quiet=arguments.quiet) as bar:
            scored = api.score(data, asked.metrics, jobs=arguments.jobs, progress=bar, **options)
        scores = humans.merged_scores(scored, scores)
    scores = replace(scores, notes=(*asked.notes, *scores.notes))
    estimates = [
        humans.estimate(data, criterion, controls, **common.given(arguments, ("target", "strata", "level", "jobs")))
        for criterion in (arguments.human if controls else ())
    ]
    beside = {"estimates": [estimate.to_dict() for estimate in estimates]} if estimates else {}
    shown = arguments.json or asked.metrics or arguments.ci or not estimates
    if shown:
        _show(arguments, scores, {**asked.to_dict(), **beside})
    if estimates:
        receipts = [*(scores.receipts.values() if shown else ()), *(estimate.receipt for estimate in estimates)]
        output.Shown.of(arguments).save(receipts)
    if not arguments.json:
        for estimate in estimates:
            print(estimate)
    return 0
