"""Part the articles of two or more sources: a test set, A1 and A3 of pairs, and the rest, with no text in two parts."""

from __future__ import annotations

import argparse

from nlgauge.cli import common
from nlgauge.cli.commands.style import align

EXAMPLES = """\
examples:
  nlgauge style example -o papers
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style split gazette.jsonl courier.jsonl pairs.jsonl --test 5000 --a1 5000 --a3 10000 -o split
  nlgauge style split herald.jsonl gazette.jsonl courier.jsonl hg.jsonl hc.jsonl gc.jsonl -o three

Files of articles, one a source, and files of pairs, as `style align` writes them for each two. The folder has
test.jsonl, a1.jsonl, a3.jsonl and rest.jsonl (articles; but for the rest each with `pair`, the id of the other source's
article) and split.json, the recipe: settings, sizes, what was left out, digests of all files."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="articles of each source, and pairs of them (nlgauge style align)",
    )
    common.add_target(parser, "the folder to write to", metavar="FOLDER")
    parser.add_argument(
        "--test",
        type=common.positive,
        metavar="N",
        help="pairs of the test set (default a quarter of the strong)",
    )
    parser.add_argument(
        "--a1",
        type=common.positive,
        metavar="N",
        help="pairs of A1, the strongest (default a quarter of the strong)",
    )
    parser.add_argument(
        "--a3",
        type=common.positive,
        metavar="N",
        help="pairs of A3, less strong (default all other strong pairs)",
    )
    align.add_reading(parser)
    common.add_seed(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_split)


def _split(arguments: argparse.Namespace) -> int:
    from nlgauge.errors import InputError
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.forms import PARTS, are_pairs, read_pairs
    from nlgauge.style.splitting import SplitSettings, split, write_split

    folder = common.output_folder(arguments.output)
    settings = SplitSettings(**common.given(arguments, "test", "a1", "a3", "seed", "tok"))
    of_pairs = [file for file in arguments.files if are_pairs(file)]
    if not of_pairs:
        raise InputError(
            "none of the files has pairs (rows with a, b, score and band); give what nlgauge style align wrote, too"
        )
    of_articles = [file for file in arguments.files if file not in of_pairs]
    sides = align.read_sides(arguments, of_articles, dated=False)
    made = split(sides, [pair for file in of_pairs for pair in read_pairs(file)], settings)
    recipe = write_split(made, settings, arguments.files, folder)
    if arguments.json:
        common.print_json({"folder": str(folder), **recipe})
        return 0
    cells = []
    for part in PARTS:
        found = made.scores[part]
        cells.append(
            [
                part,
                *(f"{recipe['articles'][part][source]:,}" for source in made.sources),
                f"{found[0]:.3f} to {found[1]:.3f}" if found else "",
            ]
        )
    print_table(["part", *made.sources, "cosine of its pairs"], cells, right=range(1, len(made.sources) + 1))
    print_lines(
        [
            "",
            f"{folder}: left out are {made.same_text:,} articles whose text or headline is in an earlier part, and "
            f"{made.for_balance:,} of sources that have more.",
        ]
    )
    return 0
