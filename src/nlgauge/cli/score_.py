"""Score the outputs of one or more systems with any metrics, and say how each number was made."""

from __future__ import annotations

import argparse

from nlgauge.cli import common
from nlgauge.errors import InputError, NeedsWholeSet

EXAMPLES = """\
examples:
  nlgauge score outputs.jsonl
  nlgauge score outputs.jsonl -m bleu -m "chrf(word=2)" -m rouge@2.f1 --ci
  nlgauge score --hyp tgen=out.txt --hyp base=base.txt --ref ref1.txt --ref ref2.txt
  nlgauge score outputs.jsonl -m sentbleu --segments segments.jsonl
  nlgauge score outputs.jsonl.gz -m bleu --jobs 2 --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    common.add_data(parser)
    common.add_metrics(parser)
    parser.add_argument("--ci", action="store_true", help="bootstrap interval for every score")
    parser.add_argument(
        "--trials", type=common.positive, default=1000, metavar="N", help="bootstrap draws (default 1000)"
    )
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)"
    )
    parser.add_argument(
        "--segments",
        metavar="FILE",
        help="also write one row per segment with its scores (.jsonl, .csv, .tsv, .gz)",
    )
    parser.add_argument(
        "--stream",
        action="store_true",
        help="read in batches and keep only totals (files over 256 MB do so anyway)",
    )
    common.add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Score, print, and write the segments where asked."""
    from nlgauge import api
    from nlgauge.engine.stream import should_stream

    metrics = api.metrics(
        arguments.metric or list(api.DEFAULT_METRICS)
    )  # misspelt ones are refused before reading
    source = common.source(arguments)
    segments = common.output(arguments.segments, source)
    if arguments.stream and arguments.repeats != "refuse":
        raise InputError("--repeats number needs the whole set in memory; leave --stream out")
    scores = None
    if not arguments.ci and (
        arguments.stream or (arguments.repeats == "refuse" and should_stream(common.files(source)))
    ):
        try:
            with common.progress(None, quiet=arguments.quiet) as bar:
                scores = api.score_large(
                    source, metrics, segments=segments, jobs=arguments.jobs, progress=bar
                )
        except NeedsWholeSet:
            if arguments.stream:
                raise
    if scores is None:
        data = common.load(source, arguments.repeats)
        with common.progress(len(data), quiet=arguments.quiet) as bar:
            scores = api.score(
                data,
                metrics,
                ci=arguments.ci,
                trials=arguments.trials,
                level=arguments.level,
                seed=arguments.seed,
                segments=segments,
                jobs=arguments.jobs,
                progress=bar,
            )
    if arguments.json:
        common.print_json(scores.to_dict())
    else:
        from nlgauge.report.text import print_scores

        print_scores(scores)
    return 0
