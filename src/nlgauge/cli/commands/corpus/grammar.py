"""Grammars: check one and what texts make of it, parse texts with it, draw texts from it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.cli import common, inputs
from nlgauge.cli.commands import Part
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


def _options(parser: argparse.ArgumentParser) -> None:
    """What can be done with a grammar."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    checks = actions.add_parser("check", help="what is wrong with a grammar, and what texts make of it")
    parses = actions.add_parser("parse", help="the trees of texts, or the least edits that make them grammatical")
    samples = actions.add_parser("sample", help="texts drawn by the weights of the rules")
    for action, act in ((checks, _check), (parses, _parse), (samples, _sample)):
        action.add_argument("grammar", metavar="GRAMMAR", help="a file of rules, or person or wind")
        action.set_defaults(act=act)
    for action in (checks, parses):
        action.add_argument("data", nargs="?", metavar="DATA", help="evaluation set, or lines of a .txt file")
        inputs.add_columns(action)
        action.add_argument("--references", action="store_true", help="read the references of DATA as well")
        common.add_page(action, "also write a page with tables and trees")
        action.add_argument(
            "--limit",
            type=common.whole,
            default=10,
            metavar="N",
            help="texts of each system whose trees are shown (default 10; 0: all)",
        )
        action.add_argument(
            "--parses", type=common.positive, default=1, metavar="N", help="trees of a text that are shown (default 1)"
        )
    checks.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="confidence level of shares (default 0.95)"
    )
    parses.add_argument("--text", action="append", metavar="TEXT", help="a text to be parsed (repeatable)")
    samples.add_argument(
        "-n", "--number", type=common.positive, default=10, metavar="N", help="how many texts (default 10)"
    )
    common.add_seed(samples)
    samples.add_argument(
        "--depth", type=common.positive, default=40, metavar="N", help="levels that a tree may have (default 40)"
    )
    samples.add_argument("--trees", action="store_true", help="show the tree of each text")
    for action in (checks, parses, samples):
        common.add_json(action)


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


PARTS = {
    "grammar": Part(
        "grammars: check one, parse texts with it, draw texts from it",
        _options,
        None,
        about=(__doc__ or "").strip(),
        examples=EXAMPLES,
    )
}
