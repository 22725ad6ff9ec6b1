"""Grammars: check one and what texts make of it, parse texts with it, draw texts from it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, SEED, Arg, Part, Parts, html
from nlgauge.cli.common import positive, whole
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.corpus.grammar import Tables
    from nlgauge.corpus.grammar.checking import Checked
    from nlgauge.corpus.grammar.measuring import Assessment, Reading

EXAMPLES = """\
examples:
  nlgauge corpus grammar check my.grammar                     dead rules, unreachable categories, cycles
  nlgauge corpus grammar check person outputs.jsonl           grammatical share, coverage and diversity by system
  nlgauge corpus grammar check wind forecasts.jsonl --references --html page.html
  nlgauge corpus grammar parse person --text "a tall happy toddler" --text "an tall man"
  nlgauge corpus grammar parse my.grammar lines.txt --parses 3 --json
  nlgauge corpus grammar sample person -n 5 --seed 7

GRAMMAR is a file of rules, or one that comes with nlgauge: person, wind. DATA is an evaluation set, or a text file
(.txt) with a text a line."""

REFERENCES = "references"


def _checked(arguments: argparse.Namespace) -> Checked:
    from nlgauge.corpus.grammar import find, read
    from nlgauge.corpus.grammar.checking import check

    return check(read(find(arguments.grammar)))


def _texts(arguments: argparse.Namespace) -> dict[str, list[tuple[str, str]]]:
    """Of each system, items and their texts; nothing without DATA."""
    from nlgauge.io.files import suffix

    if not arguments.data:
        if arguments.references or arguments.column:
            raise InputError("--references and --column are about DATA; name an evaluation set after the grammar")
        return {}
    if suffix(arguments.data) == ".txt":
        source = {"hyp": {Path(arguments.data).name.partition(".")[0]: arguments.data}}
        if arguments.references or arguments.column:
            raise InputError(f"{arguments.data} has lines only; --references and --column are about evaluation sets")
    else:
        named = {"columns": inputs.columns(arguments), "allow_extra": arguments.allow_extra}
        source = {"path": arguments.data, **named}
    data = inputs.load(source, "number")
    columns = [data.column(system) for system in data.systems]
    texts = {column.system: list(zip(column.items, column.hypotheses, strict=True)) for column in columns}
    if arguments.references:
        if REFERENCES in texts:
            raise InputError(f"{arguments.data} has a system called {REFERENCES}; leave --references out")
        seen = dict.fromkeys(
            (item, text)
            for column in columns
            for item, found in zip(column.items, column.references, strict=True)
            for text in found
        )
        if not seen:
            raise InputError(f"{arguments.data} has no references; leave --references out")
        texts[REFERENCES] = list(seen)
    return texts


def _check(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.grammar.measuring import Assessment, read_texts

    page = common.output(arguments.html)
    checked = _checked(arguments)
    assessed, shown = [], []
    for system, pairs in _texts(arguments).items():
        tables = _usable(checked)
        readings = read_texts(tables, [text for _, text in pairs], arguments.parses)
        assessed.append(Assessment(system, tables, readings, arguments.level))
        named = [(f"{system} {item}", reading) for (item, _), reading in zip(pairs, readings, strict=True)]
        shown += named[: arguments.limit or None]
    if page:
        _write(page, arguments, checked, assessed, shown)
    if arguments.json:
        systems = [found.to_dict() for found in assessed]
        common.print_json({**checked.to_dict(), **({"systems": systems} if systems else {})})
        return 0
    from nlgauge.report.grammar import print_assessed, print_checked

    print_checked(checked)
    if assessed:
        print_assessed(assessed)
    if page:
        print(f"\nwrote {page}")
    return 0


def _parse(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.grammar.measuring import read_texts

    page = common.output(arguments.html)
    checked = _checked(arguments)
    tables = _usable(checked)
    if bool(arguments.data) == bool(arguments.text):
        raise InputError("name texts to be parsed: either DATA or --text TEXT")
    texts = _texts(arguments) or {"": [("", text) for text in arguments.text]}
    shown = []
    for system, pairs in texts.items():
        chosen = pairs[: arguments.limit or None] if system else pairs
        readings = read_texts(tables, [text for _, text in chosen], arguments.parses)
        shown += [(f"{system} {item}".strip(), reading) for (item, _), reading in zip(chosen, readings, strict=True)]
    if page:
        _write(page, arguments, checked, [], shown)
    if arguments.json:
        common.print_json({"texts": [{"name": name, **found.to_dict()} for name, found in shown]})
        return 0
    from nlgauge.report.grammar import print_reading

    for place, (name, reading) in enumerate(shown):
        if place:
            print()
        print_reading(f"{name}: " if name else "", reading)
    if page:
        print(f"\nwrote {page}")
    return 0


def _sample(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.grammar.trees import sample

    tables = _usable(_checked(arguments))
    trees = sample(tables, arguments.number, seed=arguments.seed, depth=arguments.depth)
    if arguments.json:
        told = [{"text": tree.text, "tree": tree.to_dict()} for tree in trees]
        common.print_json({"grammar": tables.grammar.name, "seed": arguments.seed, "texts": told})
        return 0
    for tree in trees:
        print("\n".join([tree.text, *(f"  {line}" for line in tree.drawn())]) if arguments.trees else tree.text)
    return 0


def _write(
    page: Path,
    arguments: argparse.Namespace,
    checked: Checked,
    assessed: list[Assessment],
    shown: list[tuple[str, Reading]],
) -> None:
    from nlgauge.io.outputs import reading
    from nlgauge.report.grammar import write_grammar_page

    with reading([*checked.grammar.files, *filter(None, [arguments.data])]):  # lexicons are no arguments
        write_grammar_page(page, checked, assessed=assessed, readings=shown)


def _usable(checked: Checked) -> Tables:
    from nlgauge.corpus.grammar import Tables

    return checked.tables or Tables(checked.grammar)  # which says what is wrong


_GRAMMAR = Arg("grammar GRAMMAR", "a file of rules, or person or wind")
_TEXTS = (
    _GRAMMAR,
    Arg("data DATA", "evaluation set, or lines of a .txt file", nargs="?"),
    *inputs.COLUMNS,
    Arg("--references", "read the references of DATA as well"),
    html("also write a page with tables and trees"),
    Arg("--limit N", "texts of each system whose trees are shown (default 10; 0: all)", whole, 10),
    Arg("--parses N", "trees of a text that are shown (default 1)", positive, 1),
)
_ACTIONS = {
    "check": Part(
        "what is wrong with a grammar, and what texts make of it",
        (*_TEXTS, Arg("--level P", "confidence level of shares (default 0.95)", float, 0.95)),
        _check,
    ),
    "parse": Part(
        "the trees of texts, or the least edits that make them grammatical",
        (*_TEXTS, Arg("--text TEXT", "a text to be parsed (repeatable)", many=True)),
        _parse,
    ),
    "sample": Part(
        "texts drawn by the weights of the rules",
        (
            _GRAMMAR,
            Arg("-n --number N", "how many texts (default 10)", positive, 10),
            SEED,
            Arg("--depth N", "levels that a tree may have (default 40)", positive, 40),
            Arg("--trees", "show the tree of each text"),
        ),
        _sample,
    ),
}
PARTS = {
    "grammar": Part(
        "grammars: check one, parse texts with it, draw texts from it",
        (Parts(_ACTIONS, title="actions", metavar="ACTION", dest="action", each=(JSON,), described=False),),
        about=(__doc__ or "").strip(),
        examples=EXAMPLES,
    )
}
