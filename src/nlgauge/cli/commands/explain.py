"""Say in words what a metric spec or a receipt means; with DATA, show what matched in one segment."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, Arg, html
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.metrics.base import Metric

EXAMPLES = """\
examples:
  nlgauge explain bleu
  nlgauge explain "chrf(word=2,lower=yes)"
  nlgauge explain "nlgauge=0.1.0|metric=bleu(order=4,tok=13a)|n=300|refs=3|data=8c1f0a9be2d4"   (a receipt)
  nlgauge explain bleu outputs.jsonl --item 17 --system tgen
  nlgauge explain ter outputs.jsonl --item 17 --system tgen --system base --html why.html
  nlgauge explain chrf --hyp tgen=out.txt --ref ref.txt --item 3 --json"""


ARGUMENTS = (
    Arg("what SPEC|RECEIPT", "a metric spec, or a receipt line as printed under a table"),
    *inputs.DATA,
    Arg("--item ID", "with DATA: the item whose output is explained"),
    Arg("--system S", "with DATA: the system (repeatable; not needed where there is one)", many=True),
    html("with DATA: also write a page that shows what matched"),
    JSON,
)


def explain_metric(metric: Metric) -> dict[str, Any]:
    """A metric's facts and the meaning of each of its fields."""
    card = getattr(metric, "card", None)  # of a trained metric
    return {
        **({"card": str(card)} if card else {}),
        "spec": str(metric),
        "full": metric.full(),
        "about": metric.about()[0],
        "direction": metric.direction,
        "bounds": common.finite(metric.bounds),
        "needs": list(metric.needs),
        "additive": metric.additive,
        "reference": metric.reference,
        "cite": metric.cite,
        "columns": list(metric.columns),
        "fields": [
            {
                "field": spec.name,
                "value": getattr(metric, spec.name),
                "default": spec.default,
                "choices": list(spec.metadata["choices"] or ()),
                "meaning": spec.metadata["help"],
            }
            for spec in dataclasses.fields(metric)
            if spec.metadata
        ],
    }


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation."""
    if arguments.data or arguments.hyp:
        return _run_segment(arguments)
    for option in ("item", "system", "html", "ref", "src"):
        if getattr(arguments, option):
            raise InputError(f"--{option} is about the segments of a set: name the DATA after the metric")
    from nlgauge import receipt
    from nlgauge.metrics.spec import parse
    from nlgauge.report.text import print_table

    facts = receipt.read(arguments.what) if receipt.is_receipt(arguments.what) else {"metric": arguments.what}
    if "metric" not in facts or receipt.is_stored(facts["metric"]):  # ratings by people, scores made elsewhere
        if arguments.json:
            common.print_json({"receipt": facts})
        else:
            print("\n".join(f"{receipt.meaning(key, facts)}: {value}" for key, value in facts.items()))
        return 0
    metric = parse(facts.pop("metric"))
    about = explain_metric(metric)
    if arguments.json:
        common.print_json({**about, "receipt": facts} if facts else about)
        return 0
    print(f"{about['spec']}\n{about['full']}\n\n{about['about']}\n")
    print(f"Range {common.score_range(about['bounds'])}; {metric.direction} is better.")
    if not metric.additive:
        print("Set metric, not additive: it describes a system's outputs as a set and is recomputed in resampling.")
    print(f"Needs: {', '.join(metric.needs)}. Equals: {metric.reference}.\nPaper: {metric.cite}")
    print(f"Card: {about['card']}\n" if "card" in about else "")
    fields = [(row["field"], _plain(row["value"]), _plain(row["default"]), _meaning(row)) for row in about["fields"]]
    if fields:
        print_table(("field", "value", "default", "meaning"), fields)
    if facts:
        print("\nThe receipt also says:")
        for key, value in facts.items():
            print(f"  {receipt.meaning(key)}: {value}")
    return 0


def _run_segment(arguments: argparse.Namespace) -> int:
    """Show what one output shares with its references."""
    from nlgauge import explaining, receipt
    from nlgauge.metrics.spec import parse

    what = arguments.what
    if receipt.is_receipt(what):
        what = receipt.read(what).get("metric", "")
    metric = parse(what)  # a misspelt one is refused before reading
    source = inputs.source(arguments)
    page = common.output(arguments.html)
    data = inputs.load(source, arguments.repeats)
    if arguments.item is None:
        raise InputError(f"say which item is to be explained: --item ID; {explaining.near('', data.items)}")
    explanations = [
        explaining.explain(data, metric, arguments.item, system) for system in dict.fromkeys(arguments.system or [None])
    ]
    if page:
        from nlgauge.report.explain_html import write_explanations

        write_explanations(explanations, page)
    if arguments.json:
        common.print_json({"explanations": [explanation.to_dict() for explanation in explanations]})
        return 0
    from nlgauge.report.explain_text import print_explanation

    for number, explanation in enumerate(explanations):
        if number:
            print()
        print_explanation(explanation)
    if page:
        print(f"\nwrote {page}")
    return 0


def _meaning(row: dict[str, Any]) -> str:
    choices = f" ({', '.join(row['choices'])})" if row["choices"] else ""
    return f"{row['meaning']}{choices}"


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
