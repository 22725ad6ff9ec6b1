"""The page of a design statement: one file that loads nothing and needs no script."""

from __future__ import annotations

from markupsafe import Markup

from nlgauge.report.components import component, paragraph
from nlgauge.report.pages import page
from nlgauge.report.style import CSS
from nlgauge.study.statements import short
from nlgauge.study.statements.types import SOURCES, Statement
from nlgauge.wording.markup import element

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
    share = f"{100 * statement.completeness:.0f} %"
    parts = [
        element("h1", title),
        *(component("statement.warning", warning) for warning in statement.warnings),
        element("p", f"{statement.stated} of {statement.total} fields are stated ({share})."),
    ]
    if brief:
        missing = ", ".join(short.named(statement))
        parts += [
            component("statement.brief", short.rows(statement)),
            paragraph(f"Missing: {missing}." if missing else ""),
        ]
    else:
        for section in statement.sections:
            fields = [field for field in section.fields if not field.missing]
            parts.append(component("statement.section", section.name, fields, SOURCES) if fields else Markup())
        parts.append(component("statement.missing", statement.gaps) if statement.missing else Markup())
    return page(title, *parts, css=CSS + STYLE + (BRIEF if brief else ""), closing="", script=False)
