"""What a corpus of inputs and texts holds, how its splits overlap, and what systems leave out, get wrong or add."""

from __future__ import annotations

import argparse
from dataclasses import replace

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, LEVEL, ROWS, SEED, Arg, Part, html
from nlgauge.cli.common import positive
from nlgauge.cli.output import FIGURES, FORMATS, save_figures
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge corpus profile train.xml dev.xml test.xml --html profile.html
  nlgauge corpus profile outputs.jsonl
  nlgauge corpus profile judged.jsonl --train train.jsonl --human semantics"""


ARGUMENTS = (
    Arg(
        "data DATA",
        "WebNLG XML (a file, or a folder of them), CSV with mr and ref, or JSON lines; several files are splits",
        nargs="+",
    ),
    ROWS,
    Arg("--under N", "a predicate with fewer triples is rare (default 10)", positive, 10),
    Arg(
        "--accuracy",
        "induce templates for annotated texts, too, and compare: every second entry (the rules were written while"
        " looking at the others of WebNLG)",
    ),
    Arg("--train DATA", "with --human: training data whose predicates are counted (repeatable)", many=True),
    Arg(
        "--human CRITERION", "with --train: ratings of the outputs by how frequent the rarest predicate of the input is"
    ),
    Arg("--without SYSTEM", "leave a system out (repeatable)", default=[], many=True),
    LEVEL,
    inputs.column("source=input"),
    SEED,
    Arg("--format", "text (default), markdown, latex, csv (predicates)", FORMATS, "text"),
    html("also write a page with tables and plots"),
    FIGURES,
    JSON,
)


def _profile(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.profile import profile
    from nlgauge.corpus.reading import read

    if bool(arguments.train) != bool(arguments.human):
        raise InputError("--train and --human go together: training data, and the criterion of the ratings")
    page = common.output(arguments.html)
    columns = inputs.columns(arguments)
    corpus = read(arguments.data, columns)
    _check_systems(arguments.without, {output.system for output in corpus.outputs})
    options = common.given(arguments, ("under", "without", "seed", "level"))
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
        ARGUMENTS,
        _profile,
        about=(__doc__ or "").strip(),
        examples=EXAMPLES,
    )
}
