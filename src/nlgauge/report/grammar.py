"""A grammar on the terminal and as a page: findings, systems, coverage, and texts as trees with their edits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.corpus.grammar.checking import MEANINGS, Checked
from nlgauge.corpus.grammar.measuring import Assessment, Reading, entropy
from nlgauge.corpus.grammar.mending import LONGEST
from nlgauge.corpus.grammar.trees import Tree
from nlgauge.errors import counted, first_of
from nlgauge.report.components import component, header, plain_table, section
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.style import CSS
from nlgauge.report.text import print_lines, print_table
from nlgauge.wording.numbers import counts, interval, number, percent
from nlgauge.wording.tables import visible

Table = tuple[list[str], list[list[str]], tuple[int, ...]]  # headers, rows, columns of numbers
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


def summary(checked: Checked) -> list[str]:
    """The grammar's size in words."""
    grammar = checked.grammar
    parts = (
        counted(len(checked.categories), "category", "categories"),
        counted(len(grammar.visible), "rule"),
        counted(checked.words, "word"),
        counted(len(grammar.features), "feature"),
    )
    lines = [f"{grammar.name}: {', '.join(parts)}; texts are of {grammar.start}."]
    if checked.tables is None:
        return [*lines, "It cannot be used as it is."]
    lines[0] += f" Without features: {counted(len(checked.tables.rules), 'plain rule')}."
    if checked.left_recursive:
        lines.append(f"Left-recursive, which parsing handles: {first_of(checked.left_recursive)}.")
    return lines


def findings_table(checked: Checked) -> Table:
    """What is wrong, and where."""
    rows = [
        [finding.kind, finding.what, f"{finding.place.line}:{finding.place.column}", MEANINGS[finding.kind]]
        for finding in checked.findings
    ]
    return ["finding", "what", "line:column", "meaning"], rows, ()


def systems_table(assessed: Sequence[Assessment]) -> Table:
    """A row for each system."""
    level = percent(assessed[0].level)
    headers = ["system", "texts", "grammatical", f"{level} interval", "credit", "ambiguous"]
    headers += ["types", "structures", "combinations", "rules used", "bits"]
    rows = []
    for found in assessed:
        rules = len(found.tables.grammar.visible)
        right = [number(found.share, 3), interval(*found.interval, 3), number(found.credit, 3)]
        sizes = counts(found.ambiguous, found.types, len(found.structures), len(found.combinations))
        used = f"{rules - len(found.unused)} of {rules}"
        bits = number(entropy(found.structures), 2)
        rows.append([found.system, f"{len(found.readings):,}", *right, *sizes, used, bits])
    return headers, rows, tuple(range(1, len(headers)))


TOO_LONG = f"the text, or the shortest of the grammar, has more than {LONGEST} words"
EXPLAINED = (
    "Credit: 1 − edits / words, 1 for a grammatical text. Of the grammatical texts: types are distinct texts, "
    "structures their trees without words of lexicons, combinations the sets of rules used together, bits the entropy "
    "of structures."
)


def notes(assessed: Sequence[Assessment]) -> list[str]:
    """What else a reader must know."""
    return [
        f"{found.system}: {counted(found.too_long, 'text')} not mended, with credit 0: {TOO_LONG}."
        for found in assessed
        if found.too_long
    ]


def coverage_table(assessed: Sequence[Assessment]) -> Table:
    """A row for each category: how often it is used, and how many of its rules and words."""
    covered = [found.coverage() for found in assessed]
    rows = []
    for category in covered[0]:
        cells = []
        for rows_of in covered:
            row = rows_of[category]
            parts = [f"{row[f'{kind}_used']}/{row[kind]} {kind}" for kind in ("rules", "words") if row[kind]]
            cells.append(f"{row['uses']:,} ({', '.join(parts)})")
        rows.append([category, *cells])
    return ["category", *(found.system for found in assessed)], rows, ()


def rules_table(assessed: Sequence[Assessment]) -> Table:
    """A row for each rule: how often each system uses it."""
    rules = assessed[0].tables.grammar.visible
    rows = [[rule.name, *(f"{found.rules[rule.name]:,}" for found in assessed)] for rule in rules]
    headers = ["rule", *(found.system for found in assessed)]
    return headers, rows, tuple(range(1, len(headers)))


def print_checked(checked: Checked) -> None:
    """The size of a grammar and what is wrong with it."""
    print_lines(summary(checked))
    if checked.findings:
        print()
        headers, rows, _ = findings_table(checked)
        print_table(headers, rows)
    else:
        print_lines(["Nothing is dead, unreachable, unproductive or cyclic."])


def print_assessed(assessed: Sequence[Assessment]) -> None:
    """What the texts of each system make of the grammar."""
    for headers, rows, right in (systems_table(assessed), coverage_table(assessed), rules_table(assessed)):
        print()
        print_table(headers, rows, right=right)
    print()
    print_lines([EXPLAINED, *notes(assessed)])


def told(reading: Reading) -> str:
    """How a text was read, in a line."""
    parses = counted(reading.parses, "parse")
    if reading.grammatical:
        return parses
    if reading.mended is None:
        return f"not grammatical, and not mended: {TOO_LONG}"
    edits = ", ".join(map(str, reading.mended.edits))
    return f"not grammatical; credit {number(reading.credit, 3)}: {edits}"


def shown_trees(reading: Reading) -> list[Tree]:
    """The trees of the text, or that of the mended one."""
    return list(reading.trees) or ([reading.tree] if reading.tree else [])


def print_reading(name: str, reading: Reading) -> None:
    """One text: its parses, or the edits that mend it and the tree of the mended text."""
    print_lines([f"{name}{reading.text or '(empty)'}", f"  {told(reading)}"])
    if reading.mended:
        print_lines([f"  {reading.mended.text or '(empty)'}"])
    for place, tree in enumerate(shown_trees(reading), start=1):
        if reading.parses > 1:
            print_lines([f"  parse {place} of {reading.parses:,}"])
        print("\n".join(f"    {visible(line)}" for line in tree.drawn()))  # never wrapped


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
            _table("Categories", "How often each is used, with the rules and words used.", coverage_table(assessed)),
            _table("Rules", "How often each is used.", rules_table(assessed)),
        ]
    parts.append(section("Texts", "", *(_reading(name, reading) for name, reading in readings)))
    write(page(title, *parts, css=CSS + STYLE, closing=NUMBERS), path)


def _table(heading: str, about: str, table: Table) -> Markup:
    headers, rows, right = table
    return section(heading, about, plain_table(headers, rows, right, heading))


def _reading(name: str, reading: Reading) -> Markup:
    return component(
        "grammar.reading",
        name,
        reading.text or "(empty)",
        told(reading),
        steps=reading.mended.steps if reading.mended else None,
        trees=[_node(tree) for tree in shown_trees(reading)],
    )


def _node(tree: Tree) -> Markup:
    """The markup of a tree, made from the leaves upwards: trees may be deeper than calls may nest."""
    done: dict[int, Markup] = {}
    for part in reversed(list(tree.walk())):
        inner = [
            component("grammar.word", below) if isinstance(below, str) else done[id(below)] for below in part.parts
        ]
        done[id(part)] = component("grammar.node", part.category, "" if part.lexical else part.label, inner)
    return done[id(tree)]
