"""Say in words what a metric spec or a receipt means."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common

if TYPE_CHECKING:
    from nlgauge.metrics.base import Metric

EXAMPLES = """\
examples:
  nlgauge explain bleu
  nlgauge explain "chrf(word=2,lower=yes)"
  nlgauge explain "nlgauge=0.1.0|metric=bleu(order=4,tok=13a)|n=300|refs=3|data=8c1f0a9be2d4"   (a receipt)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "what", metavar="SPEC|RECEIPT", help="a metric spec, or a receipt line as printed under a table"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def explain_metric(metric: Metric) -> dict[str, Any]:
    """A metric's facts and the meaning of each of its fields."""
    low, high = metric.bounds
    return {
        "spec": str(metric),
        "full": metric.full(),
        "about": metric.about()[0],
        "direction": metric.direction,
        "bounds": [low, None if math.isinf(high) else high],
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
    from nlgauge.metrics import receipt
    from nlgauge.metrics.spec import parse
    from nlgauge.report.text import print_table

    facts = receipt.read(arguments.what) if receipt.is_receipt(arguments.what) else {"metric": arguments.what}
    if "metric" not in facts or receipt.is_stored(
        facts["metric"]
    ):  # ratings by people, scores made elsewhere
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
    low, high = about["bounds"]
    print(f"Range {low:g} to {'∞' if high is None else format(high, 'g')}; {metric.direction} is better.")
    if not metric.additive:
        print(
            "Set metric, not additive: it describes a system's outputs as a set and is recomputed in resampling."
        )
    print(f"Needs: {', '.join(metric.needs)}. Equals: {metric.reference}.\nPaper: {metric.cite}\n")
    print_table(
        ("field", "value", "default", "meaning"),
        [
            (row["field"], _plain(row["value"]), _plain(row["default"]), _meaning(row))
            for row in about["fields"]
        ],
    )
    if facts:
        print("\nThe receipt also says:")
        for key, value in facts.items():
            print(f"  {receipt.meaning(key)}: {value}")
    return 0


def _meaning(row: dict[str, Any]) -> str:
    choices = f" ({', '.join(row['choices'])})" if row["choices"] else ""
    return f"{row['meaning']}{choices}"


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
