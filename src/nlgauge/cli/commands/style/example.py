"""Write the demonstration: two invented newspapers over shared events, and four systems of known behaviour."""

from __future__ import annotations

import argparse

from nlgauge.cli import common
from nlgauge.errors import InputError

EXAMPLES = """\
examples:
  nlgauge style example -o papers --articles 500
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style example --outputs split -o outputs.jsonl

The folder has gazette.jsonl and courier.jsonl (articles) and events.jsonl (which of them tell of the same event). The
outputs are of copy (the headline as it is), style-only (the target's style, another event), content-only (the facts,
the source's style) and good (the facts in the target's style), for the test part of the split, in both directions."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    common.add_target(parser, "the folder to write the newspapers to; with --outputs the file", metavar="PATH")
    parser.add_argument(
        "--outputs",
        metavar="SPLIT",
        help="write the four systems' outputs for this split's test part instead",
    )
    parser.add_argument(
        "--articles", type=common.positive, metavar="N", help="articles of each newspaper (default 2000)"
    )
    parser.add_argument("--words", type=common.positive, metavar="N", help="words of an article (default 90)")
    parser.add_argument("--days", type=common.positive, metavar="N", help="days they cover (default 1095)")
    common.add_seed(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_example)


def _example(arguments: argparse.Namespace) -> int:
    from nlgauge.style.demonstration import NewspaperSettings, write_newspapers

    sizes = {
        name: value for name, value in common.given(arguments, "articles", "words", "days").items() if value is not None
    }
    if arguments.outputs:
        if sizes:
            raise InputError(f"--{next(iter(sizes))} is about the newspapers; leave it out with --outputs")
        return _outputs(arguments)
    path = common.output_folder(arguments.output)
    rows = write_newspapers(path, NewspaperSettings(**sizes, seed=arguments.seed))
    if arguments.json:
        common.print_json({"folder": str(path), "rows": rows})
    else:
        print(f"{path}: " + ", ".join(f"{name} {count:,}" for name, count in rows.items()))
    return 0


def _outputs(arguments: argparse.Namespace) -> int:
    from nlgauge.io import write_rows
    from nlgauge.style.demonstration import SYSTEMS, outputs
    from nlgauge.style.forms import read_split

    path = common.output_rows(arguments.output)
    assert path is not None  # the option is required
    made = outputs(read_split(arguments.outputs)["test"], arguments.seed)
    if not made:
        raise InputError(f"the test part of {arguments.outputs} has no article; make another split")
    write_rows((transfer.to_row() for transfer in made), path)
    if arguments.json:
        common.print_json({"outputs": str(path), "systems": list(SYSTEMS), "rows": len(made)})
    else:
        print(f"{path}: {len(made):,} headlines by {', '.join(SYSTEMS)}")
    return 0
