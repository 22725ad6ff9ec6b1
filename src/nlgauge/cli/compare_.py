"""Compare systems on the same items: differences with intervals, paired tests, and a sentence for the paper."""

from __future__ import annotations

import argparse

from nlgauge.cli import common

EXAMPLES = """\
examples:
  nlgauge compare outputs.jsonl -m bleu -m ter --baseline tgen
  nlgauge compare outputs.jsonl -m chrf                          every pair of systems
  nlgauge compare outputs.jsonl -m bleu --test bootstrap --trials 2000 --seed 7
  nlgauge compare outputs.jsonl -m bleu -m chrf --html report.html
  nlgauge compare --hyp a=a.txt --hyp b=b.txt --ref ref.txt --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    common.add_data(parser)
    common.add_metrics(parser)
    parser.add_argument(
        "--baseline", metavar="SYSTEM", help="compare every other system with this one (default: all pairs)"
    )
    parser.add_argument(
        "--test",
        choices=("ar", "bootstrap"),
        default="ar",
        help="approximate randomisation (ar, the default) or paired bootstrap",
    )
    parser.add_argument(
        "--trials",
        type=common.positive,
        metavar="N",
        help="trials of the test (default 10000 for ar, 1000 for bootstrap)",
    )
    parser.add_argument(
        "--ties",
        choices=("count", "ignore"),
        default="count",
        help="trials equal to the observed difference: count them (default; valid at any n) or ignore, as sacreBLEU",
    )
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)"
    )
    parser.add_argument(
        "--common",
        action="store_true",
        help="compare on the items that all systems have, where some lack items",
    )
    parser.add_argument("--html", metavar="FILE", help="also write a page with scores, intervals and plots")
    common.add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare and print."""
    from nlgauge import api

    metrics = api.metrics(
        arguments.metric or list(api.DEFAULT_METRICS)
    )  # misspelt ones are refused before reading
    source = common.source(arguments)
    page = common.output(arguments.html, source)
    data = common.load(source, arguments.repeats)
    with common.progress(len(data), quiet=arguments.quiet) as bar:
        result = api.compare(
            data,
            metrics,
            baseline=arguments.baseline,
            test=arguments.test,
            trials=arguments.trials,
            level=arguments.level,
            seed=arguments.seed,
            ties=arguments.ties,
            common=arguments.common,
            jobs=arguments.jobs,
            progress=bar,
        )
    if page is not None:
        from nlgauge.report.html import write_report

        shown = api.score(
            data, metrics, ci=True, level=arguments.level, seed=arguments.seed, jobs=arguments.jobs
        )
        write_report(
            shown,
            result,
            page,
            title=f"Comparison of {len(data.systems)} systems",
            summary=str(data.summary),
        )
    if arguments.json:
        from nlgauge.report.text import conclusion

        common.print_json({**result.to_dict(), "conclusion": conclusion(None, result)})
    else:
        from nlgauge.report.text import print_comparisons

        print_comparisons(result)
    return 0
