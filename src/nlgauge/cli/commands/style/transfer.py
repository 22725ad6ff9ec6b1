"""Train systems that rewrite headlines in the style of another source, and run them over the test part of a split."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nlgauge.cli import common

EXAMPLES = """\
examples:
  nlgauge style transfer split -o outputs.jsonl
  nlgauge style transfer split -o outputs.jsonl --system SUM --system S2S1 --steps 1000
  nlgauge style transfer split -o outputs.jsonl --direction "gazette>courier"

SPLIT is a folder that nlgauge style split wrote. SUM writes a headline from the article (a pointer-generator for each
target source, learnt from rest and a3); S2S1 (a3), S2S2 (a3 and a1) and S2S3 (a1) translate the headline (an LSTM that
reads both ways, with attention, for each direction). A row of what is written is a transfer: {"id": "g17",
"direction": "gazette>courier", "system": "SUM", "text": "…"}. Networks that are trained are kept in a folder: the same
command goes on where it was. It needs pip install "nlgauge[train]"."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("folder", metavar="SPLIT", help="a folder that nlgauge style split wrote")
    common.add_target(parser, "the file of transfers to write")
    parser.add_argument(
        "--system",
        action="append",
        metavar="NAME",
        help="SUM, S2S1, S2S2 or S2S3 (repeatable; default: all four)",
    )
    parser.add_argument(
        "--direction",
        action="append",
        default=[],
        metavar="A>B",
        help="only from source A to the style of B (repeatable; default: all directions)",
    )
    parser.add_argument(
        "--networks",
        type=common.Output,
        metavar="FOLDER",
        help="where trained networks are kept (default: beside the output, as OUTPUT-networks)",
    )
    parser.add_argument(
        "--steps", type=common.positive, metavar="N", help="steps that each network is trained for (1500)"
    )
    parser.add_argument("--batch", type=common.positive, metavar="N", help="texts in a step (32)")
    parser.add_argument("--width", type=common.positive, metavar="N", help="units of a layer (128)")
    parser.add_argument(
        "--words",
        type=common.positive,
        metavar="N",
        help="words and marks of an article that SUM reads (100)",
    )
    parser.add_argument(
        "--jobs", type=common.positive, metavar="N", help="networks trained at once (default: the cores)"
    )
    common.add_seed(parser, "seed of the trainings")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(act=_transfer)


def _transfer(arguments: argparse.Namespace) -> int:
    from nlgauge.errors import counted
    from nlgauge.io import write_rows
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.forms import read_split
    from nlgauge.style.systems import FORMS, Settings, receipt_of, transfer

    path = common.output_rows(arguments.output)
    assert path is not None  # the option is required
    given = common.given(arguments, "steps", "batch", "width", "words", "seed")
    settings = Settings(**{name: value for name, value in given.items() if value is not None})
    folder = Path(arguments.networks) if arguments.networks else path.with_name(f"{path.stem}-networks")
    found = transfer(
        read_split(arguments.folder),
        folder,
        systems=tuple(dict.fromkeys(arguments.system or FORMS)),
        directions=arguments.direction,
        settings=settings,
        jobs=arguments.jobs,
        progress=None if arguments.quiet else _tell,
    )
    write_rows((transferred.to_row() for transferred in found.transfers), path)
    if arguments.json:
        common.print_json({"outputs": str(path), "rows": len(found.transfers), **receipt_of(found)})
        return 0
    print_lines([f"{path}: {counted(len(found.transfers), 'headline')} of {', '.join(found.directions)}", ""])
    cells = [
        [
            network["system"],
            network["reads"] or "articles",
            network["writes"],
            "+".join(network["parts"]),
            f"{network['examples']:,}",
            f"{network['vocabulary']:,}",
            f"{network['passes']:g}",
            "kept" if network["name"] in found.reused else f"{network['seconds']:.0f}",
        ]
        for network in found.networks
    ]
    heads = ["system", "reads", "writes", "learnt from", "examples", "words", "passes", "seconds"]
    print_table(heads, cells, right=[4, 5, 6, 7])
    return 0


def _tell(done: int, total: int) -> None:
    ends = "\r" if sys.stderr.isatty() and done < total else "\n"
    print(f"networks: {done} of {total}", end=ends, file=sys.stderr, flush=True)
