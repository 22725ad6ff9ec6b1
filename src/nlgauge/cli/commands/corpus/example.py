"""Write a small corpus with templates, referring expressions, orders and splits, made for the examples."""

from __future__ import annotations

import argparse
from importlib.resources import files

from nlgauge.cli import common

EXAMPLES = """\
examples:
  nlgauge corpus example -o places.jsonl
  nlgauge corpus example --config -o places.yaml"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    common.add_target(parser, "the file to write")
    parser.add_argument(
        "--config", action="store_true", help="write a configuration for nlgauge corpus generate instead"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_example)


def _example(arguments: argparse.Namespace) -> int:
    from nlgauge.io import atomic_file

    path = common.output(arguments.output)
    assert path is not None  # the option is required
    with atomic_file(path) as out:
        out.write(files("nlgauge").joinpath(f"corpus/example.{'yaml' if arguments.config else 'jsonl'}").read_bytes())
    if arguments.json:
        common.print_json({"config" if arguments.config else "corpus": str(path)})
    else:
        print(f"The example {'configuration' if arguments.config else 'corpus'}: {path}")
    return 0
