"""Search for edits of outputs that raise a metric without raising others: how easily can it be fooled, and how?"""

from __future__ import annotations

import argparse

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import LEVEL, RUN, Arg, html
from nlgauge.cli.common import number, positive
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge attack outputs.jsonl -m bleu --guard chrf
  nlgauge attack outputs.jsonl -m chrf --guard bleu --guard ter --edits 3 --kinds synonym,delete,swap --html attack.html
  nlgauge attack outputs.jsonl -m "bertscore(model=minilm-int8)" --guard chrf --system tgen --items 20

Kinds of edits: synonym (built-in English list), wordnet, delete, insert (words of the references), swap, repeat."""


ARGUMENTS = (
    *inputs.DATA,
    Arg("-m --metric SPEC", "the metric to raise, e.g. bleu (required)", many=True),
    Arg(
        "--guard SPEC",
        "a metric that must not rise (repeatable); without one a gain may be a true improvement",
        default=[],
        many=True,
    ),
    Arg(
        "--tolerance X", "by how much a guard may rise above its score of the output as given (default 0)", number, 0.0
    ),
    Arg("--kinds KIND,…", "kinds of edits, or all (default: all but wordnet)", many=True),
    Arg("--edits N", "at most N edits an output (default 5)", positive, 5),
    Arg("--candidates N", "try at most N edits at each step, drawn where there are more (default 200)", positive, 200),
    Arg("--system S", "edit the outputs of this system (repeatable; default: all)", many=True),
    Arg("--items N", "edit the outputs of at most N items, evenly spaced (default 50)", positive, 50),
    LEVEL,
    html("also write a page with the edits of each output"),
    *RUN,
)


def run(arguments: argparse.Namespace) -> int:
    """Search and print."""
    from nlgauge.meta.adversarial.search import attack

    if len(arguments.metric or ()) != 1:
        raise InputError(
            "name the one metric that is to be raised with -m SPEC, and those that must not rise with --guard SPEC"
        )
    kinds = arguments.kinds and [name for text in arguments.kinds for name in text.split(",") if name]
    source, page = inputs.source(arguments), common.output(arguments.html)
    data = inputs.load(source, arguments.repeats)
    with common.progress(None, quiet=arguments.quiet) as bar:
        found = attack(
            data,
            arguments.metric[0],
            arguments.guard,
            kinds=kinds,
            systems=arguments.system,
            progress=None if bar is None else lambda done: bar("texts scored", done),
            **common.given(arguments, ("items", "edits", "candidates", "tolerance", "level", "seed", "jobs")),
        )
    if page is not None:
        from nlgauge.report.attack import write_attack

        write_attack(found, page, source=data.origin)
    from nlgauge.report.attack import print_attack

    return common.show(arguments, found, print_attack)
