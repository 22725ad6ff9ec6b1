"""Make tables for METEOR from your own texts: paraphrases, function words, copy words."""

from __future__ import annotations

import argparse
from pathlib import Path

from nlgauge.cli import common
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge lexicon function-words corpus.hi -o function.words
  nlgauge lexicon paraphrases phrase-table.gz --function-words function.words -o paraphrase.gz
  nlgauge lexicon paraphrases --parallel corpus.en corpus.hi -o paraphrase.gz
  nlgauge lexicon copy-words questions.txt rephrased.txt -o copy.words
  nlgauge score outputs.jsonl -m "meteor-universal(lang=other,function=function.words,paraphrases=paraphrase.gz)"

`nlgauge lexicon TABLE --help` shows a table's options."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The tables and their options."""
    tables = parser.add_subparsers(title="tables", metavar="TABLE", dest="table", required=True)
    made = tables.add_parser("paraphrases", help="paraphrases by pivoting a phrase table (METEOR Universal)")
    made.add_argument("phrases", nargs="?", metavar="PHRASETABLE", help="Moses' phrase table (.gz or plain)")
    made.add_argument(
        "--parallel",
        nargs=2,
        metavar=("FOREIGN", "OWN"),
        help="a parallel corpus instead, tokenised, one sentence a line; aligned here (for small corpora)",
    )
    made.add_argument(
        "--side",
        choices=("target", "source"),
        default="target",
        help="the side of the phrase table the paraphrases shall be of (default: target)",
    )
    made.add_argument(
        "--min-translation", type=float, default=0.001, metavar="P", help="least translation (default 0.001)"
    )
    made.add_argument(
        "--min", type=float, default=0.01, metavar="P", help="least paraphrase probability (default 0.01)"
    )
    made.add_argument("--longest", type=int, default=7, metavar="N", help="words of a phrase (default 7)")
    made.set_defaults(make=_paraphrases)
    words = tables.add_parser("function-words", help="words above a relative frequency (METEOR Universal)")
    words.add_argument("texts", nargs="+", metavar="TEXT", help="tokenised text (.gz or plain)")
    words.add_argument("--above", type=float, default=0.001, metavar="F", help="relative frequency (default 0.001)")
    words.set_defaults(make=_function_words)
    copied = tables.add_parser("copy-words", help="words that paraphrases keep (METEOR++)")
    copied.add_argument("first", metavar="FIRST", help="tokenised sentences, one a line")
    copied.add_argument("second", metavar="SECOND", help="their paraphrases, one a line")
    copied.add_argument(
        "--share", type=float, default=0.9, metavar="P", help="share of pairs that keep it (default 0.9)"
    )
    copied.add_argument("--least", type=int, default=5, metavar="N", help="pairs a word must occur in (default 5)")
    copied.set_defaults(make=_copy_words)
    for table in (made, copied):
        table.add_argument("--function-words", metavar="FILE", help="words that make no entry by themselves")
    for table in (made, words, copied):
        table.add_argument(
            "-o",
            "--output",
            type=common.Output,
            required=True,
            metavar="FILE",
            help="where the table is written (.gz: gzipped)",
        )
        common.add_json(table)


def run(arguments: argparse.Namespace) -> int:
    """Make one table and say what it holds."""
    entries, notes = arguments.make(arguments)
    if entries == 0:
        notes.append("the table is empty: no entry passed the limits")
    if arguments.json:
        common.print_json({"table": arguments.table, "output": arguments.output, "entries": entries, "notes": notes})
        return 0
    what = {"paraphrases": "paraphrases", "function-words": "function words", "copy-words": "copy words"}
    print(f"{entries:,} {what[arguments.table]} in {arguments.output}.")
    for note in notes:
        print(f"Note: {note}.")
    return 0


def _paraphrases(arguments: argparse.Namespace) -> tuple[int, list[str]]:
    from nlgauge.lexicons import making

    _check_share("--min", arguments.min)
    _check_share("--min-translation", arguments.min_translation)
    _check_count("--longest", arguments.longest)
    if (arguments.phrases is None) == (arguments.parallel is None):
        raise InputError("give a phrase table, or a parallel corpus with --parallel FOREIGN OWN; one of the two")
    notes: list[str] = []
    function = _function(arguments)
    if arguments.parallel:
        foreign, own = (list(making.lines_of(Path(name))) for name in arguments.parallel)
        if function is None:
            function = frozenset(making.function_words(own))
            notes.append(f"{len(function)} function words were found in {arguments.parallel[1]}")
        translations = making.parallel_table(foreign, own, arguments.longest)
    else:
        translations = making.moses_table(Path(arguments.phrases), arguments.side)
        if function is None:
            notes.append("no --function-words were given, so phrases of function words only are kept")
    entries = making.paraphrases(
        translations,
        function or frozenset(),
        translation=arguments.min_translation,
        least=arguments.min,
        longest=arguments.longest,
    )
    capitals = sum(first != first.lower() for _, first, _ in entries)
    if capitals:
        notes.append(
            f"{capitals} entries hold capitals, which METEOR's lower-cased texts never match; make the phrase table of "
            "lower-cased text"
        )
    _write(arguments, making.paraphrase_table(entries))
    return len(entries), notes


def _function_words(arguments: argparse.Namespace) -> tuple[int, list[str]]:
    from nlgauge.lexicons import making

    _check_share("--above", arguments.above)
    words = making.function_words(
        (line for name in arguments.texts for line in making.lines_of(Path(name))), arguments.above
    )
    _write(arguments, making.word_table(words))
    return len(words), []


def _copy_words(arguments: argparse.Namespace) -> tuple[int, list[str]]:
    from nlgauge.lexicons import making

    _check_share("--share", arguments.share)
    _check_count("--least", arguments.least)
    first, second = (list(making.lines_of(Path(name))) for name in (arguments.first, arguments.second))
    words = making.copy_words(
        first, second, _function(arguments) or frozenset(), share=arguments.share, least=arguments.least
    )
    _write(arguments, making.word_table(words))
    return len(words), []


def _write(arguments: argparse.Namespace, table: str) -> None:
    from nlgauge.io.write import atomic_file

    with atomic_file(arguments.output) as out:
        out.write(table.encode("utf-8"))


def _function(arguments: argparse.Namespace) -> frozenset[str] | None:
    from nlgauge.lexicons.meteor import word_file

    if arguments.function_words is None:
        return None
    return word_file(Path(arguments.function_words), "function words")


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"{name} must be between 0 and 1; got {value}")


def _check_count(name: str, value: int) -> None:
    if value < 1:
        raise InputError(f"{name} must be at least 1; got {value}")
