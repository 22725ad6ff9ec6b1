"""The rarer actions of `nlgauge triangle`, and how all of them print."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

from nlgauge.cli import common


def action(actions: Any, name: str, summary: str) -> argparse.ArgumentParser:
    """One action, with the options that all have."""
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    parser.add_argument(
        "--protocol", default="triangle", metavar="NAME", help="the kind of test (default triangle)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def show(
    arguments: argparse.Namespace,
    found: dict[str, Any],
    rows: Sequence[tuple[str, str]],
    sentence: str,
    notes: Sequence[str] = (),
) -> int:
    """One JSON object, or a small table, the sentence and its notes."""
    if arguments.json:
        common.print_json(found)
        return 0
    from nlgauge.report.text import print_table

    if rows:
        print_table(("quantity", "value"), rows)
        print()
    print(sentence)
    for note in notes:
        print(f"note: {note}")
    return 0


def cell(value: int | None) -> str:
    """A count, or a dash where there is none."""
    return "-" if value is None else f"{value:,}"


def p_cell(p: float) -> str:
    """A p-value with its digits."""
    from nlgauge.stats.results import format_p

    return format_p(p) if p > 0 else "0"


def measure(found: dict[str, Any]) -> str:
    """`0.0510 (0.0000 to 0.2340)`."""

    def number(value: float | None) -> str:
        return "∞" if value is None or not math.isfinite(value) else f"{value:.4f}"

    level = f"{round(100 * found['level'], 8):g} %"
    return f"{number(found['estimate'])} ({level} interval {number(found['low'])} to {number(found['high'])})"


def configure(actions: Any) -> None:
    """The rarer actions."""


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {}
