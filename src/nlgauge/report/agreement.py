"""Agreement on the terminal: tables that fit, then the sentence and the notes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nlgauge.report.text import print_lines, print_table
from nlgauge.wording.agreement import cells, footer, judge_cells, judge_legend

if TYPE_CHECKING:
    from nlgauge.agreement import Agreement


def print_agreement(result: Agreement) -> None:
    """The tables, the sentence and the notes on standard output."""
    if not sys.stdout.isatty():
        print(result)
        return
    print_table(*cells(result), right=(1, 2, 3))
    if result.reports:
        print_table(*judge_cells(result), right=range(1, 8))
        print_lines([judge_legend(result)])
    print_lines(footer(result))
