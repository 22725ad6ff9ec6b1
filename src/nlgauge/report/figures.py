"""Figures: drawings with a heading, on a page, or each in an SVG file of its own.

A file needs nothing beside it: light colours are written out (programs that turn SVG into PDF know no variables), the
ground is white, heading and legend are in the picture. Shapes and shades tell everything that colours tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from nlgauge.errors import InputError
from nlgauge.io import atomic_path
from nlgauge.io.outputs import refuse_harm
from nlgauge.report.style import DRAWING, LIGHT, printable
from nlgauge.report.svg import BOLD, FONT, GUTTER, LINE, WIDTH, Drawing, put, wrapped
from nlgauge.wording.markup import element

Key = tuple[Markup, str]  # what a legend shows, in a square of 16 units, and what it means
SHEET = re.sub(r"var\(--(\w+)\)", lambda found: LIGHT[found[1]], DRAWING)
FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif'  # other programs know no system-ui
STYLE = element("style", Markup(SHEET.replace(FONTS, "sans-serif")))
LONGEST = 60  # letters of a heading in the name of a file


@dataclass(frozen=True)
class Figure:
    """A drawing, what is drawn (`kind`, the first words of its file's name) and of what."""

    kind: str
    heading: str
    aside: str
    drawing: Drawing
    legend: Sequence[Key] = ()

    @property
    def alone(self) -> str:
        """As a file."""
        parts, y = [], 6.0
        titled = self.kind[:1].upper() + self.kind[1:] + (f": {self.heading}" if self.heading else "")
        for look, words, size in (("strong", titled, FONT * BOLD), ("axis", self.aside, FONT)):
            for line in wrapped(words, WIDTH - 2 * GUTTER, size):
                y += LINE
                parts.append(put(look, GUTTER, y - 3, line))
        parts.append(element("g", self.drawing.body, transform=f"translate(0 {y + 4:g})"))
        y += 4 + self.drawing.height
        for key, words in self.legend:
            parts.append(element("g", key, transform=f"translate({GUTTER:g} {y:g})"))
            for line in wrapped(words, WIDTH - 3 * GUTTER - 16):
                y += LINE
                parts.append(put("axis", 2 * GUTTER + 16, y - 3, line))
            y += 3
        height = y + 6
        drawn = element(
            "svg",
            element("title", self.drawing.title),
            element("desc", self.drawing.desc),
            STYLE,
            element("rect", width="100%", height="100%", fill="#fff"),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH:g} {height:.0f}",
            width=f"{WIDTH:g}",
            height=f"{height:.0f}",
            role="img",
        )
        return printable(f"{drawn}\n")


def write_figures(figures: Sequence[Figure], folder: str | Path) -> list[Path]:
    """Write each figure to a file of the folder, numbered in the order of the page, and return their paths; figures of
    an earlier run that are not written anew are removed."""
    if not figures:
        raise InputError("there is no figure to write: a lone value without an interval is not drawn")
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InputError(f"{folder} is a file; expected a folder for the figures")
    written = [target / _named(number, figure) for number, figure in enumerate(figures, start=1)]
    for path in written:  # all of them before the first is written
        refuse_harm(path)
        if path.is_dir():
            raise InputError(f"{path} is a folder; expected a file to write to")
    try:
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    for path, figure in zip(written, figures, strict=True):
        with atomic_path(path) as temporary:
            temporary.write_text(figure.alone, encoding="utf-8")
    for path in set(target.glob("*.svg")) - set(written):
        if _ours(path):
            path.unlink()
    return written


def _named(number: int, figure: Figure) -> str:
    titled = f"{figure.kind} {figure.heading}".lower().replace("+", " plus ")  # chrf and chrf++
    words = re.sub(r"[\W_]+", "-", titled)[:LONGEST].strip("-")
    return f"{number:02}-{words}.svg"


def _ours(path: Path) -> bool:
    """Whether a file is a figure of `write_figures`: numbered, and with its style sheet."""
    named = re.fullmatch(r"\d{2,}-.+\.svg", path.name) is not None
    return named and path.is_file() and STYLE in path.read_text(encoding="utf-8", errors="replace")
