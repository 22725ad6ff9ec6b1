"""`nlgauge style example`, `align` and `split`: articles of two sources, and which of them tell of the same."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, QUIET, SEED, Arg, Part, html, to_write
from nlgauge.cli.common import number, positive, whole
from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.style.forms import Article

_EXAMPLE = """\
examples:
  nlgauge style example -o papers --articles 500
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style example --outputs split -o outputs.jsonl

The folder has gazette.jsonl and courier.jsonl (articles) and events.jsonl (which of them tell of the same event). The
outputs are of copy (the headline as it is), style-only (the target's style, another event), content-only (the facts,
the source's style) and good (the facts in the target's style), for the test part of the split, in both directions."""


_EXAMPLE_OPTIONS = (
    to_write("the folder to write the newspapers to; with --outputs the file", metavar="PATH"),
    Arg("--outputs SPLIT", "write the four systems' outputs for this split's test part instead"),
    Arg("--articles N", "articles of each newspaper (default 2000)", positive),
    Arg("--words N", "words of an article (default 90)", positive),
    Arg("--days N", "days they cover (default 1095)", positive),
    SEED,
    JSON,
)


def _example(arguments: argparse.Namespace) -> int:
    from nlgauge.style.demonstration import NewspaperSettings, write_newspapers

    given = common.given(arguments, ("articles", "words", "days"))
    sizes = {name: value for name, value in given.items() if value is not None}
    if arguments.outputs:
        if sizes:
            raise InputError(f"--{next(iter(sizes))} is about the newspapers; leave it out with --outputs")
        return _outputs(arguments)
    path = common.output_folder(arguments.output)
    rows = write_newspapers(path, NewspaperSettings(**sizes, seed=arguments.seed))
    told = f"{path}: " + ", ".join(f"{name} {count:,}" for name, count in rows.items())
    return common.tell(arguments, {"folder": str(path), "rows": rows}, told)


def _outputs(arguments: argparse.Namespace) -> int:
    from nlgauge.io import write_rows
    from nlgauge.style.demonstration import SYSTEMS, outputs
    from nlgauge.style.forms import read_split

    path = common.target(arguments, common.output_rows)
    made = outputs(read_split(arguments.outputs)["test"], arguments.seed)
    if not made:
        raise InputError(f"the test part of {arguments.outputs} has no article; make another split")
    write_rows((transfer.to_row() for transfer in made), path)
    told = {"outputs": str(path), "systems": list(SYSTEMS), "rows": len(made)}
    return common.tell(arguments, told, f"{path}: {len(made):,} headlines by {', '.join(SYSTEMS)}")


_ALIGN = """\
examples:
  nlgauge style example -o papers --articles 500
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style align gazette.jsonl courier.jsonl --days 2 --floor .1 -o pairs.jsonl

A row of a file is an article: {"id": "g17", "source": "gazette", "date": "2026-01-31", "headline": "…", "text": "…"}.
A row of what is written is a pair: {"a": "g17", "b": "c4", "score": 0.61, "band": "strong"}, the closest first."""


READING = (
    Arg(
        "--clean",
        "leave out articles of empty text or, where it matters, without date, and texts that both sources have, "
        "instead of refusing them",
    ),
    Arg(
        "--tok NAME",
        "tokeniser: terms (default: words of any script, neighbouring pairs of Chinese characters), or one of "
        "nlgauge list",
        default="terms",
    ),
    inputs.column("text=body"),
)
_ALIGN_OPTIONS = (
    Arg("a A", "articles of one source"),
    Arg("b B", "articles of the other"),
    to_write("the file of pairs to write"),
    Arg("--days N", "the most days that may lie between two articles' dates (default 7)", whole, 7),
    Arg("--any-date", "compare all articles, dated or not"),
    Arg("--strong S", "strong pairs lie above (default .5)", number, 0.5),
    Arg("--weak S", "weak pairs lie above (default .185)", number, 0.185),
    Arg("--many", "all pairs above the weak threshold, not one for each article"),
    Arg(
        "--floor S", "begin the table of thresholds below the weak one, which shows what a lower one would add", number
    ),
    *READING,
    html("also write a page with the curve of thresholds, and a pair at each"),
    JSON,
    QUIET,
)


def read_sides(arguments: argparse.Namespace, files: Sequence[str], *, dated: bool) -> Sequence[list[Article]]:
    """The articles of each file."""
    from nlgauge.style.aligning.sides import cleaned, read_side

    sides = [read_side(file, inputs.columns(arguments)) for file in files]
    if not arguments.clean:
        return sides
    kept = cleaned(sides, dated=dated)
    print(
        f"nlgauge: note: left out are {kept.empty:,} articles of empty text, {kept.undated:,} without date and "
        f"{kept.in_several:,} whose text several sources have",
        file=sys.stderr,
    )
    return kept.sides


def _align(arguments: argparse.Namespace) -> int:
    from nlgauge.io import write_rows
    from nlgauge.report.style_pages import CURVE_HEADERS, curve_cells, summary, write_alignment
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.aligning.align import AlignSettings, align
    from nlgauge.style.forms import STRONG, WEAK

    path = common.target(arguments, common.output_rows)
    page = common.output_file(arguments.html)
    settings = AlignSettings(
        days=None if arguments.any_date else arguments.days,
        **common.given(arguments, ("strong", "weak", "many", "floor", "tok")),
    )
    sides = read_sides(arguments, [arguments.a, arguments.b], dated=settings.days is not None)
    with common.progress(len(sides[0]), quiet=arguments.quiet or arguments.json) as tell:
        found = align(
            sides[0], sides[1], settings, done=None if tell is None else lambda count: tell("articles compared", count)
        )
    write_rows((pair.to_row() for pair in found.pairs), path)
    if page is not None:
        write_alignment(found, {article.id: article.headline for side in sides for article in side}, page)
    if arguments.json:
        common.print_json(
            {
                "pairs": str(path),
                "sources": dict(zip(found.sources, found.articles, strict=True)),
                "strong": found.in_band(STRONG),
                "weak": found.in_band(WEAK),
                "curve": [{"threshold": point.threshold, "pairs": point.pairs} for point in found.curve],
            }
        )
        return 0
    print_lines([f"{path}: {summary(found)}", ""])
    print_table(CURVE_HEADERS, curve_cells(found), right=[0, 1])
    return 0


_SPLIT = """\
examples:
  nlgauge style example -o papers
  nlgauge style align papers/gazette.jsonl papers/courier.jsonl -o pairs.jsonl
  nlgauge style split papers/gazette.jsonl papers/courier.jsonl pairs.jsonl -o split
  nlgauge style split gazette.jsonl courier.jsonl pairs.jsonl --test 5000 --a1 5000 --a3 10000 -o split
  nlgauge style split herald.jsonl gazette.jsonl courier.jsonl hg.jsonl hc.jsonl gc.jsonl -o three

Files of articles, one a source, and files of pairs, as `style align` writes them for each two. The folder has
test.jsonl, a1.jsonl, a3.jsonl and rest.jsonl (articles; but for the rest each with `pair`, the id of the other source's
article) and split.json, the recipe: settings, sizes, what was left out, digests of all files."""


_SPLIT_OPTIONS = (
    Arg("files FILE", "articles of each source, and pairs of them (nlgauge style align)", nargs="+"),
    to_write("the folder to write to", metavar="FOLDER"),
    Arg("--test N", "pairs of the test set (default a quarter of the strong)", positive),
    Arg("--a1 N", "pairs of A1, the strongest (default a quarter of the strong)", positive),
    Arg("--a3 N", "pairs of A3, less strong (default all other strong pairs)", positive),
    *READING,
    SEED,
    JSON,
)


def _split(arguments: argparse.Namespace) -> int:
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.forms import PARTS, are_pairs, read_pairs
    from nlgauge.style.splitting import SplitSettings, split, write_split

    folder = common.output_folder(arguments.output)
    settings = SplitSettings(**common.given(arguments, ("test", "a1", "a3", "seed", "tok")))
    of_pairs = [file for file in arguments.files if are_pairs(file)]
    if not of_pairs:
        raise InputError(
            "none of the files has pairs (rows with a, b, score and band); give what nlgauge style align wrote, too"
        )
    of_articles = [file for file in arguments.files if file not in of_pairs]
    sides = read_sides(arguments, of_articles, dated=False)
    made = split(sides, [pair for file in of_pairs for pair in read_pairs(file)], settings)
    recipe = write_split(made, settings, arguments.files, folder)
    if arguments.json:
        common.print_json({"folder": str(folder), **recipe})
        return 0
    cells = [
        [
            part,
            *(f"{recipe['articles'][part][source]:,}" for source in made.sources),
            f"{found[0]:.3f} to {found[1]:.3f}" if (found := made.scores[part]) else "",
        ]
        for part in PARTS
    ]
    print_table(["part", *made.sources, "cosine of its pairs"], cells, right=range(1, len(made.sources) + 1))
    told = f"{made.same_text:,} articles whose text or headline is in an earlier part, and {made.for_balance:,} of"
    print_lines(["", f"{folder}: left out are {told} sources that have more."])
    return 0


PARTS = {
    "example": Part(
        "two invented newspapers, and four systems of known behaviour",
        _EXAMPLE_OPTIONS,
        _example,
        about=(
            "Write the demonstration: two invented newspapers over shared events, and four systems of known behaviour."
        ),
        examples=_EXAMPLE,
    ),
    "align": Part(
        "pairs of articles of two sources that tell of the same event",
        _ALIGN_OPTIONS,
        _align,
        about=(
            "Find the pairs of articles of two sources that tell of the same event: the cosine of their tf-"
            "idf vectors is above a\n"
            "threshold, and their dates lie close together."
        ),
        examples=_ALIGN,
    ),
    "split": Part(
        "a test set, A1, A3 and the rest, with no text in two parts",
        _SPLIT_OPTIONS,
        _split,
        about=(
            "Part the articles of two or more sources: a test set, A1 and A3 of pairs, and the rest, with no "
            "text in two parts."
        ),
        examples=_SPLIT,
    ),
}
