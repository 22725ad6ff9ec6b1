"""A statement as a LaTeX document that stands alone. Everything that is not ours is escaped, character by character.

Latin letters and the usual signs compile with every engine; other scripts need LuaLaTeX or XeLaTeX with a font that has
them, and the document says so in its first line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from nlgauge.study.statements import short
from nlgauge.study.statements.types import SOURCES, Field, Statement

_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "„": r"\quotedblbase{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "λ": r"$\lambda$",
    "′": r"$'$",
    "€": r"\texteuro{}",
    "·": r"\textperiodcentered{}",
    "\u00a0": "~",
    "\t": " ",
    "[": "{[}",
    "]": "{]}",
    "'": r"\textquotesingle{}",
}
_LAST = 0x17F  # of the Latin letters that T1 fonts have


def escaped(text: str) -> str:
    """Text that LaTeX sets as it is.

    >>> print(escaped("50 % of A_B & {x}"))
    50 \\% of A\\_B \\& \\{x\\}
    """
    known = unicodedata.normalize("NFC", text)
    return "".join(map(_character, known, [*known[1:], ""]))


def _character(one: str, following: str) -> str:
    if one == following and one in "-,":  # two of them would become one dash or quotation mark
        return one + "{}"
    if one in _SIGNS:
        return _SIGNS[one]
    if one == "\n":
        return "\n"
    return "" if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") else one


def latex(statement: Statement) -> str:
    """The whole document."""
    body = "\n".join(_lines(statement))
    brief = statement.form == "short"
    foreign = any(ord(name) > _LAST for name in body)
    first = ["% !TeX program = lualatex", "% holds scripts that pdfLaTeX cannot set"] if foreign else []
    head = [
        *first,
        r"\documentclass[10pt]{article}",
        r"\usepackage{iftex}",
        r"\ifPDFTeX",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{textcomp}",
        r"\else",
        r"\usepackage{fontspec}",
        r"\fi",
        rf"\usepackage[a4paper,margin={'1.8' if brief else '2.2'}cm]{{geometry}}",
        r"\setlength{\parindent}{0pt}",
        r"\setlength{\parskip}{3pt}",
        r"\sloppy",
        *([r"\pagestyle{empty}"] if brief else []),
        r"\begin{document}",
        *([r"\small"] if brief else []),  # one page
    ]
    return "\n".join([*head, body, r"\end{document}"]) + "\n"


def _lines(statement: Statement) -> Iterator[str]:
    brief = statement.form == "short"
    yield rf"\section*{{Design statement: {_line(short.title(statement) if brief else statement.title)}}}"
    for warning in statement.warnings:
        yield rf"\textbf{{Note: {_line(warning)}.}}\par"
    share = 100 * statement.completeness
    yield rf"{statement.stated} of {statement.total} fields are stated ({share:.0f}\,\%).\par"
    if brief:
        for name, text in short.rows(statement):
            yield rf"\textbf{{{_line(name)}:}} {_line(text)}\par"
    else:
        yield from _sections(statement)
    if statement.missing and brief:
        yield rf"\textbf{{Missing:}} {_line(', '.join(short.named(statement)))}.\par"
    elif statement.missing:
        for remedy, names in statement.gaps:
            yield rf"\textbf{{Missing, {_line(remedy)}:}} {_line(names)}.\par"


def _sections(statement: Statement) -> Iterator[str]:
    for section in statement.sections:
        stated = [field for field in section.fields if not field.missing]
        if stated:
            yield rf"\subsection*{{{_line(section.name)}}}"
            yield r"\begin{description}"
            for field in stated:
                yield from _field(field)
            yield r"\end{description}"


def _field(field: Field) -> Iterator[str]:
    yield rf"\item[{{{_line(field.name)}}}] \emph{{({_line(SOURCES[field.source])})}}"
    if len(field.entries) == 1 and not field.entries[0].label:
        yield _paragraphs(field.entries[0].text)
        return
    yield r"\begin{itemize}"
    for entry in field.entries:
        label = rf"\emph{{{_line(entry.label)}:}} " if entry.label else ""
        yield rf"\item {label}{_paragraphs(entry.text)}"
    yield r"\end{itemize}"


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def _paragraphs(text: str) -> str:
    """Lines as they stand; an empty line of the text is a paragraph of its own."""
    lines = [_line(line) for line in text.strip().splitlines()]
    return "\n".join(f"{line}\\newline" if following else line for line, following in _pairs(lines))


def _pairs(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line that holds something, and whether one follows."""
    held = [line for line in lines if line]
    for place, line in enumerate(held, start=1):
        yield line, place < len(held)
