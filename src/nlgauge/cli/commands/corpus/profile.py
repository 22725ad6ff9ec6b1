"""What a corpus of inputs and texts holds, how its splits overlap, and what systems leave out, get wrong or add."""

from __future__ import annotations

import argparse
from dataclasses import replace

from nlgauge.cli import common, inputs
from nlgauge.cli.commands import Part
from nlgauge.cli.output import FORMATS, add_figures, save_figures
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge corpus profile train.xml dev.xml test.xml --html profile.html
  nlgauge corpus profile outputs.jsonl
  nlgauge corpus profile judged.jsonl --train train.jsonl --human semantics"""


def _options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA",
        help="WebNLG XML (a file, or a folder of them), CSV with mr and ref, or JSON lines; several files are splits",
    )
    common.add_rows(parser)
    parser.add_argument(
        "--under",
        type=common.positive,
        default=10,
        metavar="N",
        help="a predicate with fewer triples is rare (default 10)",
    )
    parser.add_argument(
        "--accuracy",
        action="store_true",
        help="induce templates for annotated texts, too, and compare: every second entry (the rules were written while "
        "looking at the others of WebNLG)",
    )
    parser.add_argument(
        "--train",
        action="append",
        metavar="DATA",
        help="with --human: training data whose predicates are counted (repeatable)",
    )
    parser.add_argument(
        "--human",
        metavar="CRITERION",
        help="with --train: ratings of the outputs by how frequent the rarest predicate of the input is",
    )
    parser.add_argument(
        "--without", action="append", default=[], metavar="SYSTEM", help="leave a system out (repeatable)"
    )
    common.add_level(parser)
    inputs.add_columns(parser, "source=input", extra=False)
    common.add_seed(parser)
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text (default), markdown, latex, csv (predicates)"
    )
    common.add_page(parser, "also write a page with tables and plots")
    add_figures(parser)
    common.add_json(parser)


def _profile(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.profile import profile
    from nlgauge.corpus.reading import read

    if bool(arguments.train) != bool(arguments.human):
        raise InputError("--train and --human go together: training data, and the criterion of the ratings")
    page = common.output(arguments.html)
    columns = inputs.columns(arguments)
    corpus = read(arguments.data, columns)
    _check_systems(arguments.without, {output.system for output in corpus.outputs})
    options = common.given(arguments, "under", "without", "seed", "level")
    found = profile(corpus, **options)
    if arguments.accuracy:
        from nlgauge.corpus.templates import accuracy

        measured = accuracy(corpus.entries[1::2])
        if measured is None:
            raise InputError(
                "--accuracy needs annotated templates, and no second, fourth or further entry has one; leave it out"
            )
        found = replace(found, accuracy=measured)
    if arguments.human:
        from nlgauge.corpus.profile.bands import by_frequency
        from nlgauge.corpus.profile.sides import frequencies

        counted = frequencies(read(arguments.train, columns).entries)
        found = replace(found, frequency=by_frequency(corpus, counted, arguments.human, **options))
    if arguments.figures is not None or page is not None:
        from nlgauge.report.corpus_profile import figures, write_profile

        save_figures(arguments.figures, lambda: figures(found))
        if page is not None:
            write_profile(found, page, source=", ".join(arguments.data), rows=arguments.rows)
    if arguments.json:
        common.print_json(found.to_dict())
    elif arguments.format == "text":
        from nlgauge.report.corpus_profile import print_profile

        print_profile(found, arguments.rows)
    else:
        from nlgauge.report.corpus_profile import of_profile
        from nlgauge.wording.paper import written

        print(written(of_profile(found, arguments.rows), arguments.format, []))
    return 0


def _check_systems(without: list[str], known: set[str]) -> None:
    from nlgauge.errors import suggest

    for name in without:
        if name not in known:
            told = suggest(name, known) if known else "the data hold no outputs of systems"
            raise InputError(f"--without {name}: there is no such system; {told}")


PARTS = {
    "profile": Part(
        "inputs, templates, splits and noise of a corpus; slot errors of systems",
        _options,
        _profile,
        about=(__doc__ or "").strip(),
        examples=EXAMPLES,
    )
}
