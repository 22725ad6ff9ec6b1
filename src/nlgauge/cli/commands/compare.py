"""Compare systems on the same items: differences with intervals, paired tests, and a sentence for the paper."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs, output
from nlgauge.cli.arguments import PRINTING, Arg, html, options_of
from nlgauge.cli.common import positive
from nlgauge.errors import InputError
from nlgauge.options import CompareOptions
from nlgauge.wording.numbers import ALPHA

if TYPE_CHECKING:
    from nlgauge.humans import Plan
    from nlgauge.metrics.base import Metric
    from nlgauge.results import Comparisons, Scores
    from nlgauge.stats.huse import Huse
    from nlgauge.types import EvaluationSet

EXAMPLES = """\
examples:
  nlgauge compare outputs.jsonl -m bleu -m ter --baseline tgen
  nlgauge compare outputs.jsonl -m chrf                          every pair of systems
  nlgauge compare outputs.jsonl -m bleu --test bootstrap --trials 2000 --seed 7
  nlgauge compare outputs.jsonl -m bleu -m chrf --html report.html
  nlgauge compare outputs.jsonl --preset wmt --language ja       a script's metrics (nlgauge list --presets)
  nlgauge compare outputs.jsonl --human clarity --baseline tgen      people's ratings, exact test
  nlgauge compare outputs.jsonl --human clarity --power 0.8 --effect 0.3 --judges 2
  nlgauge compare --hyp a=a.txt --hyp b=b.txt --ref ref.txt --json"""


MOST_TRIALS = 1_000_000
RESAMPLING = ("level", "interval", "cluster", "seed")


ARGUMENTS = (
    *inputs.DATA,
    *inputs.KEPT,
    inputs.METRICS,
    *inputs.PRESET,
    *options_of(CompareOptions),
    *inputs.HUMANS,
    Arg(
        "--power P",
        "with --human: how many items a study needs to find the differences with this chance, e.g. 0.8",
        float,
    ),
    Arg("--effect D", "with --power: the difference to be found (default: the observed one)", float),
    Arg("--alpha A", "with --power: level of the planned test (default 0.05, for one comparison)", float),
    Arg("--judges N", "with --power: judgements of each output (default: as many as now)", positive),
    html("also write a page with scores, intervals and plots"),
    output.FIGURES,
    Arg(
        "--huse KEY",
        "with --human: HUSE of each system against --baseline; KEY holds each text's log-probability per token",
    ),
    *PRINTING,
    *output.PRINTED,
)


def run(arguments: argparse.Namespace) -> int:
    """Compare and print."""
    from nlgauge import api

    _check(arguments)
    # Misspelt metrics are refused before anything is read.
    metrics = inputs.named(arguments, () if arguments.human else api.DEFAULT_METRICS)
    if arguments.control:
        api.metrics(arguments.control)
    source = inputs.source(arguments)
    out = output.Shown.of(arguments)
    with inputs.pairwise_hint(source):
        data = inputs.load(source, arguments.repeats, arguments.without, inputs.where(arguments))
        asked = inputs.asked(arguments, metrics, data, beside=bool(arguments.human))
        notes = [inputs.ranked_by(source["path"])] if data.pairwise else []
        return _compare(arguments, data, asked, out, notes)


def _compare(
    arguments: argparse.Namespace, data: EvaluationSet, asked: inputs.Asked, out: output.Shown, notes: Sequence[str]
) -> int:
    from nlgauge import api

    tables = []
    if asked.metrics:
        with common.progress(len(data), quiet=arguments.quiet) as bar:
            options = common.taken(arguments, CompareOptions)
            tables.append(api.compare(data, asked.metrics, progress=bar, **options))
    plans: list[Plan] = []
    joint: dict[str, Huse] = {}
    if arguments.human:
        from nlgauge import humans

        tables += _human_tables(data, arguments)
        plans = _plans(data, arguments)
        joint = _joint(data, arguments)
        result = humans.merged(*tables)
    else:
        result = tables[0]
    result = replace(result, notes=(*asked.notes, *result.notes, *notes, *_further(data, arguments)))
    if out.page is not None or out.figures is not None:
        from nlgauge.report.scores import report_figures, write_report

        shown = _shown(data, asked.metrics, arguments)
        out.save_figures(lambda: report_figures(shown, result))
        if out.page is not None:
            title = f"Comparison of {len(data.systems)} systems"
            write_report(shown, result, out.page, title=title, summary=str(data.summary))
    if arguments.json:
        from nlgauge.report.text import conclusion

        beside: dict[str, Any] = {"plans": [plan.to_dict() for plan in plans]} if plans else {}
        if joint:
            beside["huse"] = [{"system": system, **found.to_dict()} for system, found in joint.items()]
        out.save(result.receipts.values())
        common.print_json({**result.to_dict(), "conclusion": conclusion(None, result), **asked.to_dict(), **beside})
    else:
        _show(out, result)
        for plan in plans:
            print(f"\n{plan}")
        if arguments.alpha is None and plans and (pairs := len(plans) // len(arguments.human)) > 1:
            print(
                f"note: each plan is for one comparison at α = {ALPHA}; to find the difference in each of {pairs} "
                f"pairs after Holm's correction, plan with --alpha {int(1e4 * ALPHA / pairs) / 1e4:g}"
            )
        for system, found in joint.items():
            print(f"\n{system} against {arguments.baseline}: {found}")
    return 0


def _show(out: output.Shown, result: Comparisons) -> None:
    """Print the comparisons as the options ask."""
    from nlgauge.report.text import print_comparisons
    from nlgauge.wording.paper import of_comparisons

    bare = replace(result, receipts={})
    out.show(
        result.receipts.values(), lambda own: print_comparisons(result if own else bare), lambda: of_comparisons(result)
    )


def _check(arguments: argparse.Namespace) -> None:
    inputs.check_humans(arguments)
    for option, needed in (("power", "human"), ("effect", "power"), ("alpha", "power"), ("judges", "power")):
        if getattr(arguments, option) is not None and not getattr(arguments, needed):
            raise InputError(f"--{option} needs --{needed}")
    if arguments.trials is not None and arguments.trials > MOST_TRIALS:
        raise InputError(
            f"--trials may be at most {MOST_TRIALS:,}, more than any p-value needs; got {arguments.trials:,}"
        )
    if arguments.power is not None and arguments.cluster:
        raise InputError("--power plans for items that are independent of each other; leave --cluster out")
    if arguments.huse is not None and not (arguments.human and arguments.baseline):
        raise InputError("--huse needs --human and, as --baseline, the system whose texts people wrote")
    if arguments.human and arguments.test == "bootstrap" and not (arguments.metric or arguments.preset):
        raise InputError("ratings are compared by permutation; --test bootstrap is for metrics only")
    if arguments.human and arguments.ties != "count" and not (arguments.metric or arguments.preset):
        raise InputError("ratings are tested exactly where possible; --ties ignore is for metrics only")


def _human_tables(data: EvaluationSet, arguments: argparse.Namespace) -> list[Comparisons]:
    from nlgauge import humans

    if arguments.control:
        return [
            humans.compare_with_metric(
                data,
                criterion,
                arguments.control,
                **common.given(arguments, ("baseline", "target", "strata", "level", "jobs")),
            )
            for criterion in arguments.human
        ]
    options = common.given(arguments, (*RESAMPLING, "baseline", "trials", "standardise", "lower"))
    return [humans.compare(data, arguments.human, **options)]


def _further(data: EvaluationSet, arguments: argparse.Namespace) -> list[str]:
    """Where single judges' ratings of a file lead to: what is made for them."""
    from nlgauge import humans

    if not (arguments.human and arguments.data):
        return []
    values = humans.judgements(data, arguments.human[0]).values.values()
    if all(table.shape[1] < 2 for table in values):
        return []
    return [
        "mixed models of these ratings: nlgauge study import DIR "
        f"{shlex.quote(arguments.data)} --format set --scale LOW-HIGH, then nlgauge study analyse DIR"
    ]


def _plans(data: EvaluationSet, arguments: argparse.Namespace) -> list[Plan]:
    from nlgauge import humans

    if arguments.power is None:
        return []
    return [
        plan
        for criterion in arguments.human
        for plan in humans.plan(
            data,
            criterion,
            alpha=ALPHA if arguments.alpha is None else arguments.alpha,
            **common.given(arguments, ("baseline", "power", "judges", "effect", "seed")),
        )
    ]


def _joint(data: EvaluationSet, arguments: argparse.Namespace) -> dict[str, Huse]:
    from nlgauge import humans

    if arguments.huse is None:
        return {}
    criterion = arguments.human[0]
    rated = humans.judgements(data, criterion).values
    return {
        system: humans.huse(
            data,
            criterion,
            system,
            reference=arguments.baseline,
            log_probability=arguments.huse,
            **common.given(arguments, ("level", "seed")),
        )
        for system in rated
        if system != arguments.baseline
    }


def _shown(data: EvaluationSet, metrics: tuple[Metric, ...], arguments: argparse.Namespace) -> Scores:
    """The scores that stand on the page beside the comparisons."""
    from nlgauge import api, humans

    options = {"ci": True, **common.given(arguments, RESAMPLING)}
    tables = [api.score(data, metrics, jobs=arguments.jobs, **options)] if metrics else []
    if arguments.human:
        tables.append(
            humans.means(data, arguments.human, **common.given(arguments, ("lower", "standardise")), **options)
        )
    return humans.merged_scores(*tables)
