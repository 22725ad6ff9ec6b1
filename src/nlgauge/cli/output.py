"""How results are printed: for a terminal or a paper, with receipts folded, whole, or in a file of their own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common
from nlgauge.cli.arguments import Arg
from nlgauge.cli.common import Output

if TYPE_CHECKING:
    from nlgauge.report.figures import Figure
    from nlgauge.wording.paper import Paper

FORMATS = ("text", "markdown", "latex", "csv")


def _receipts(text: str) -> str:
    """One of the two words, or a file that is written."""
    return text if text in ("short", "full") else Output(text)


PRINTED = (
    Arg(
        "--format",
        "text (default), or tables for a paper: markdown, latex (booktabs), csv (full digits)",
        FORMATS,
        "text",
    ),
    Arg(
        "--receipts short|full|FILE",
        "what several receipts have in common once (short, default), each whole (full), or into a file",
        _receipts,
        "short",
    ),
)
FIGURES = Arg("--figures DIR", "also write each plot of the page as an SVG file into this folder", Output)


def save_figures(folder: Path | None, figures: Callable[[], Sequence[Figure]]) -> None:
    """Write the plots into their folder, where one is given: before the page, so that nothing is written if refused."""
    if folder is not None:
        from nlgauge.report.figures import write_figures

        written = write_figures(figures(), folder)
        print(f"nlgauge: {len(written)} {'figure' if len(written) == 1 else 'figures'} in {folder}", file=sys.stderr)


@dataclass(frozen=True)
class Shown:
    """What the options ask for."""

    form: str
    receipts: str
    file: Path | None
    page: Path | None
    figures: Path | None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Shown:
        """Checked before anything is computed: the file must be one that can be written."""
        asked = arguments.receipts
        file = None if asked in ("short", "full") else common.output(asked)
        return cls(arguments.format, asked, file, common.output(arguments.html), common.output(arguments.figures))

    def save_figures(self, figures: Callable[[], Sequence[Figure]]) -> None:
        """Write the plots into their folder, where one is given."""
        save_figures(self.figures, figures)

    def save(self, receipts: Iterable[str]) -> None:
        """Write the receipts to their file, where one is given."""
        if self.file is not None:
            from nlgauge.io import atomic_path

            with atomic_path(self.file) as temporary:
                temporary.write_text("".join(f"{line}\n" for line in receipts), encoding="utf-8")

    def show(self, receipts: Iterable[str], text: Callable[[bool], None], paper: Callable[[], Paper]) -> None:
        """Print a result: `text` prints it for a terminal, with its own receipts or without any."""
        lines = list(dict.fromkeys(receipts))
        self.save(lines)
        if self.form != "text":
            self._print_paper(lines, paper())
            return
        text(self.receipts == "short")
        if self.receipts != "short":
            from nlgauge.report.text import print_lines

            print_lines(["", *(lines if self.file is None else [f"receipts: {self.file}"])])

    def _print_paper(self, receipts: list[str], paper: Paper) -> None:
        from nlgauge.wording.paper import written
        from nlgauge.wording.receipts import folded

        shown = receipts if self.receipts == "full" else [] if self.file else folded(receipts)
        print(written(paper, self.form, shown))
        if self.form == "csv":
            for note in (*paper.said, *paper.notes):
                print(f"nlgauge: {note}", file=sys.stderr)
