"""Which rules the outputs of systems follow, and what they leave out, get wrong or add."""

from __future__ import annotations

import argparse

from nlgauge.cli import common

EXAMPLES = """\
examples:
  nlgauge corpus conform outputs.jsonl --rules places/manifest.json
  nlgauge corpus conform outputs.jsonl --rules webnlg.jsonl --html conformity.html
  nlgauge score outputs.jsonl -m "conformity(rules=places/manifest.json)" --ci"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="OUTPUTS",
        help="JSON lines with item, source (triples), system, hypothesis and references; without a system, the texts",
    )
    parser.add_argument(
        "--rules",
        required=True,
        metavar="RULES",
        help="the folder or manifest.json of nlgauge corpus generate, its configuration, or a corpus with templates",
    )
    parser.add_argument(
        "--rows",
        type=common.whole,
        default=20,
        metavar="N",
        help="rows of long tables, spread from first to last (default 20; 0: all)",
    )
    parser.add_argument("--level", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)")
    common.add_seed(parser)
    common.add_columns(parser, "source=input", extra=False)
    common.add_page(parser, "also write a page with tables, plots and heat maps")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_conform)


def _conform(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.conform import checker, conform, rules_file
    from nlgauge.corpus.reading import read
    from nlgauge.io.outputs import reading, refuse_harm

    page = common.output(arguments.html)
    with reading([rules_file(arguments.rules)]):
        if page is not None:
            refuse_harm(page)
    checks = checker(arguments.rules)
    corpus = read(arguments.data, common.columns(arguments))
    with common.progress(None, quiet=arguments.json) as bar:
        found = conform(corpus, checks, progress=bar, **common.given(arguments, "level", "seed"))
    if page is not None:
        from nlgauge.report.conformity import write_conformity

        write_conformity(found, page, source=", ".join(arguments.data), rows=arguments.rows)
    if arguments.json:
        common.print_json(found.to_dict())
    else:
        from nlgauge.report.conformity import print_conformity

        print_conformity(found, arguments.rows)
    return 0
