"""Make training, development and test sets with known properties, from templates, entities and rules."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from nlgauge.cli import common

EXAMPLES = """\
examples:
  nlgauge corpus example -o places.jsonl
  nlgauge corpus generate places.yaml -o places

places.yaml:
  source: places.jsonl
  only: [location, architect]
  triples: [1, 2]
  templates: {number: 2, frequency: zipf}
  order: alphabetical
  segmentation: {kind: every, triples: 2}
  references: {within: pronoun}
  noise: {wrong: 0.05, missing: 0.05}
  train: 1000
  tests:
    seen: 100

Each set is a file of JSON lines (item, source, references, and the rules that made the text); manifest.json has the
rules, and every property as asked for and as found. A request that the data cannot give is refused with the number
there is. docs/controlled-corpora.md has every key."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("config", metavar="CONFIG", help="a file that says what to make")
    common.add_target(parser, "the folder to write to", metavar="FOLDER")
    parser.add_argument("--seed", type=common.seed, metavar="N", help="instead of the file's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(act=_generate)


def _generate(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.generate import generate
    from nlgauge.corpus.generate.config import read_config
    from nlgauge.report.text import print_lines, print_table

    folder = common.output(arguments.output)
    assert folder is not None  # the option is required
    config = read_config(arguments.config)
    if arguments.seed is not None:
        config = replace(config, seed=arguments.seed)
    total = sum(held.size for held in config.splits.values())
    with common.progress(total, quiet=arguments.json) as bar:
        found = generate(config, folder, beside=Path(arguments.config).parent, progress=bar)
    if arguments.json:
        common.print_json(found.to_dict())
        return 0
    texts = ", ".join(f"{name} {count:,}" for name, count in found.texts.items())
    print_lines([f"{found.folder}: {texts} texts", ""])
    cells = [[row.split, row.what, f"{row.asked:g}", f"{row.found:.4g}"] for row in found.properties]
    print_table(["set", "property", "asked", "found"], cells, right=[2, 3])
    notes = []
    if found.left_out_predicates:
        notes.append(
            f"note: {len(found.left_out_predicates)} predicates are left out: their entities have too few for the "
            "inputs asked for."
        )
    if found.left_out_entities:
        notes.append(
            f"note: {found.left_out_entities} entities are left out: they have no pronoun or description of the kind "
            "asked for."
        )
    print_lines(notes)
    return 0
