"""A page on a grammar: findings, systems, coverage, and the trees of texts with the edits that mend them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from nlgauge.corpus.grammar.checking import Checked
from nlgauge.corpus.grammar.measuring import Assessment, Reading
from nlgauge.corpus.grammar.mending import Mended
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.report.grammar_text import (
    EXPLAINED,
    Table,
    coverage_table,
    findings_table,
    notes,
    rules_table,
    shown_trees,
    summary,
    systems_table,
    told,
)
from nlgauge.report.markup import header, plain_table, section
from nlgauge.report.page import NUMBERS, page, write
from nlgauge.report.style import CSS

STYLE = """
.parsed{border-top:1px solid var(--line);padding:.6rem 0}
.parsed p{margin:.2rem 0}
.tree,.tree ul{list-style:none;margin:0;padding:0;display:flex;gap:.35rem}
.tree{overflow-x:auto;padding:.4rem 0}
.tree li{display:flex;flex-direction:column;align-items:center;text-align:center}
.tree li>span{padding:0 .3rem;white-space:nowrap}
.tree li>span small{color:var(--soft);display:block;line-height:1.1}
.tree ul{padding-top:.3rem;border-top:1px solid var(--soft)}
.tree .word>span{font-weight:600}
.edits del{color:var(--vermilion)}
.edits ins{color:var(--blue);text-decoration-style:dashed}
"""

PARSED = Template(
    '<article class="parsed"><p><strong>$name</strong> <span dir="auto">$text</span></p>'
    '<p class="soft">$told</p>$edits$trees</article>'
)
EDITS = Template('<p class="edits" dir="auto">$steps</p>')
STEPS = {
    "keep": Template("$word"),
    "insert": Template("<ins>$by</ins>"),
    "delete": Template("<del>$word</del>"),
    "replace": Template("<del>$word</del> <ins>$by</ins>"),
}
TREE = Template('<ul class="tree" aria-label="tree">$node</ul>')
NODE = Template("<li><span>$category<small>$label</small></span><ul>$parts</ul></li>")
WORD = Template('<li class="word"><span dir="auto">$word</span></li>')


def write_grammar_page(
    path: str | Path,
    checked: Checked,
    *,
    assessed: Sequence[Assessment] = (),
    readings: Sequence[tuple[str, Reading]] = (),
) -> None:
    """Write the page: `readings` are texts with their names."""
    title = f"The grammar {checked.grammar.name}"
    parts = [header(title, " ".join(summary(checked)))]
    if checked.findings:
        parts.append(_table("Findings", "", findings_table(checked)))
    if assessed:
        parts += [
            _table("Systems", " ".join([EXPLAINED, *notes(assessed)]), systems_table(assessed)),
            _table(
                "Categories",
                "How often each is used, with the rules and words used.",
                coverage_table(assessed),
            ),
            _table("Rules", "How often each is used.", rules_table(assessed)),
        ]
    parts.append(section("Texts", "", *(_reading(name, reading) for name, reading in readings)))
    write(page(title, "\n".join(parts), css=CSS + STYLE, closing=NUMBERS), path)


def _table(heading: str, about: str, table: Table) -> str:
    headers, rows, right = table
    return section(heading, about, plain_table(headers, rows, right, heading))


def _reading(name: str, reading: Reading) -> str:
    return PARSED.substitute(
        name=escape(name),
        text=escape(reading.text or "(empty)"),
        told=escape(told(reading)),
        edits=_edits(reading.mended) if reading.mended else "",
        trees="".join(TREE.substitute(node=_node(tree)) for tree in shown_trees(reading)),
    )


def _edits(mended: Mended) -> str:
    steps = [STEPS[step.kind].substitute(word=escape(step.word), by=escape(step.by)) for step in mended.steps]
    return EDITS.substitute(steps=" ".join(steps))


def _node(tree: Tree) -> str:
    """The markup of a tree, made from the leaves upwards: trees may be deeper than calls may nest."""
    done: dict[int, str] = {}
    for part in reversed(list(tree.walk())):
        inner = [
            WORD.substitute(word=escape(below)) if isinstance(below, str) else done[id(below)] for below in part.parts
        ]
        label = "" if part.lexical else part.label
        done[id(part)] = NODE.substitute(
            category=escape(part.category),
            label=escape(label),
            parts="".join(inner) or WORD.substitute(word="∅"),
        )
    return done[id(tree)]
