"""The page of a design statement: one file that loads nothing and needs no script."""

from __future__ import annotations

from html import escape

from nlgauge.report.page import page
from nlgauge.report.style import CSS
from nlgauge.study.statement import short
from nlgauge.study.statement.types import SOURCES, Entry, Field, Statement

STYLE = """
dl{margin:.4rem 0}dt{font-weight:600;margin-top:.9rem}dd{margin:.1rem 0 0;white-space:pre-line;max-width:80ch}
dd ul{margin:.1rem 0;padding-left:1.2rem}.from{color:var(--soft);font-weight:400;font-size:.82rem}
"""
# One sheet of paper: each field is a paragraph, and what paper has no room for (air, large type) is for screens.
BRIEF = """
dl.brief dt,dl.brief dd{display:inline;margin:0;overflow-wrap:anywhere}dl.brief div{margin:.45rem 0;max-width:80ch}
dl.brief dt::after{content:": "}
@media print{@page{margin:12mm}body{font-size:9pt;line-height:1.3}main{max-width:none;padding:0;margin:0}
h1{font-size:13pt;margin:0 0 4pt}p{margin:0 0 3pt}dl.brief{margin:0}dl.brief div{margin:0 0 2.5pt;max-width:none}
footer{margin:4pt 0 0;padding:0;border:0}}
"""


def statement_page(statement: Statement) -> str:
    """The statement in its form."""
    brief = statement.form == "short"
    title = f"Design statement: {short.title(statement) if brief else statement.title}"
    parts = [f"<h1>{escape(title)}</h1>"]
    parts += [f"<p><strong>Note: {escape(warning)}.</strong></p>" for warning in statement.warnings]
    parts.append(
        f"<p>{statement.stated} of {statement.total} fields are stated ({100 * statement.completeness:.0f} %).</p>"
    )
    if brief:
        rows = "".join(
            f"<div>{_pair(escape(name), _text(text)).strip()}</div>\n" for name, text in short.rows(statement)
        )
        parts.append(f'<dl class="brief">{rows}</dl>')
        missing = ", ".join(short.named(statement))
        parts.append(f"<p>Missing: {escape(missing)}.</p>" if missing else "")
    else:
        for section in statement.sections:
            own = "".join(_field(field) for field in section.fields if not field.missing)
            parts.append(f"<h2>{escape(section.name)}</h2>\n<dl>{own}</dl>" if own else "")
        parts.append(_missing(statement))
    body = "\n".join(part for part in parts if part)
    css = CSS + STYLE + (BRIEF if brief else "")
    return page(title, body, css=css, closing="", script=False)


def _pair(name: str, value: str) -> str:
    return f"<dt>{name}</dt><dd>{value}</dd>\n"


def _field(field: Field) -> str:
    name = f'{escape(field.name)} <span class="from">({SOURCES[field.source]})</span>'
    if len(field.entries) == 1 and not field.entries[0].label:
        return _pair(name, _text(field.entries[0].text))
    return _pair(name, f"<ul>{''.join(map(_entry, field.entries))}</ul>")


def _entry(entry: Entry) -> str:
    label = f"{escape(entry.label)}: " if entry.label else ""
    return f"<li>{label}{_text(entry.text)}</li>"


def _text(text: str) -> str:
    """Other people's words, which may run from right to left."""
    return f'<bdi dir="auto">{escape(text.strip())}</bdi>'


def _missing(statement: Statement) -> str:
    if not statement.missing:
        return ""
    rows = "".join(f"<li>{escape(remedy)}: {escape(names)}</li>" for remedy, names in statement.gaps)
    return f"<h2>Missing</h2>\n<ul>{rows}</ul>"
