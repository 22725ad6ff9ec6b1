"""Make tables for METEOR from your own texts: paraphrases, function words, copy words."""

from __future__ import annotations

import argparse
from pathlib import Path

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, Arg, Part, Parts, to_write
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge lexicon function-words corpus.hi -o function.words
  nlgauge lexicon paraphrases phrase-table.gz --function-words function.words -o paraphrase.gz
  nlgauge lexicon paraphrases --parallel corpus.en corpus.hi -o paraphrase.gz
  nlgauge lexicon copy-words questions.txt rephrased.txt -o copy.words
  nlgauge score outputs.jsonl -m "meteor-universal(lang=other,function=function.words,paraphrases=paraphrase.gz)"

`nlgauge lexicon TABLE --help` shows a table's options."""


def _paraphrases(arguments: argparse.Namespace) -> int:
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
    return _write(arguments, making.paraphrase_table(entries), len(entries), notes)


def _function_words(arguments: argparse.Namespace) -> int:
    from nlgauge.lexicons import making

    _check_share("--above", arguments.above)
    words = making.function_words(
        (line for name in arguments.texts for line in making.lines_of(Path(name))), arguments.above
    )
    return _write(arguments, making.word_table(words), len(words), [])


def _copy_words(arguments: argparse.Namespace) -> int:
    from nlgauge.lexicons import making

    _check_share("--share", arguments.share)
    _check_count("--least", arguments.least)
    first, second = (list(making.lines_of(Path(name))) for name in (arguments.first, arguments.second))
    words = making.copy_words(
        first, second, _function(arguments) or frozenset(), share=arguments.share, least=arguments.least
    )
    return _write(arguments, making.word_table(words), len(words), [])


def _write(arguments: argparse.Namespace, table: str, entries: int, notes: list[str]) -> int:
    """Write a table and say what it holds."""
    from nlgauge.io.write import atomic_file

    with atomic_file(arguments.output) as out:
        out.write(table.encode("utf-8"))
    if entries == 0:
        notes.append("the table is empty: no entry passed the limits")
    told = {"table": arguments.table, "output": arguments.output, "entries": entries, "notes": notes}
    said = f"{entries:,} {arguments.table.replace('-', ' ')} in {arguments.output}."
    return common.tell(arguments, told, said, *(f"Note: {note}." for note in notes))


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


_FUNCTION_WORDS = Arg("--function-words FILE", "words that make no entry by themselves")
_TABLES = {
    "paraphrases": Part(
        "paraphrases by pivoting a phrase table (METEOR Universal)",
        (
            Arg("phrases PHRASETABLE", "Moses' phrase table (.gz or plain)", nargs="?"),
            Arg(
                "--parallel FOREIGN OWN",
                "a parallel corpus instead, tokenised, one sentence a line; aligned here (for small corpora)",
                nargs=2,
            ),
            Arg(
                "--side",
                "the side of the phrase table the paraphrases shall be of (default: target)",
                ("target", "source"),
                "target",
            ),
            Arg("--min-translation P", "least translation (default 0.001)", float, 0.001),
            Arg("--min P", "least paraphrase probability (default 0.01)", float, 0.01),
            Arg("--longest N", "words of a phrase (default 7)", int, 7),
            _FUNCTION_WORDS,
        ),
        _paraphrases,
    ),
    "function-words": Part(
        "words above a relative frequency (METEOR Universal)",
        (
            Arg("texts TEXT", "tokenised text (.gz or plain)", nargs="+"),
            Arg("--above F", "relative frequency (default 0.001)", float, 0.001),
        ),
        _function_words,
    ),
    "copy-words": Part(
        "words that paraphrases keep (METEOR++)",
        (
            Arg("first FIRST", "tokenised sentences, one a line"),
            Arg("second SECOND", "their paraphrases, one a line"),
            Arg("--share P", "share of pairs that keep it (default 0.9)", float, 0.9),
            Arg("--least N", "pairs a word must occur in (default 5)", int, 5),
            _FUNCTION_WORDS,
        ),
        _copy_words,
    ),
}
_EACH = (to_write("where the table is written (.gz: gzipped)"), JSON)
ARGUMENTS = (Parts(_TABLES, title="tables", metavar="TABLE", dest="table", each=_EACH, described=False),)
