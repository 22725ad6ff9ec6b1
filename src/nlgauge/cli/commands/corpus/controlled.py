"""`nlgauge corpus generate`, `conform`, `experiment` and `example`: corpora of known properties."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from nlgauge.cli import common, inputs
from nlgauge.cli.commands import Part
from nlgauge.errors import InputError

_GENERATE = """\
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


def _generate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="a file that says what to make")
    common.add_target(parser, "the folder to write to", metavar="FOLDER")
    parser.add_argument("--seed", type=common.seed, metavar="N", help="instead of the file's")
    common.add_json(parser)


def _generate(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.generate import generate
    from nlgauge.corpus.generate.config import read_config
    from nlgauge.report.text import print_lines, print_table

    folder = common.target(arguments)
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


_CONFORM = """\
examples:
  nlgauge corpus conform outputs.jsonl --rules places/manifest.json
  nlgauge corpus conform outputs.jsonl --rules webnlg.jsonl --html conformity.html
  nlgauge score outputs.jsonl -m "conformity(rules=places/manifest.json)" --ci"""


def _conform_options(parser: argparse.ArgumentParser) -> None:
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
    common.add_rows(parser)
    common.add_level(parser)
    common.add_seed(parser)
    inputs.add_columns(parser, "source=input", extra=False)
    common.add_page(parser, "also write a page with tables, plots and heat maps")
    common.add_json(parser)


def _conform(arguments: argparse.Namespace) -> int:
    from nlgauge.corpus.conform import checker, conform, rules_file
    from nlgauge.corpus.reading import read
    from nlgauge.io.outputs import reading, refuse_harm

    page = common.output(arguments.html)
    with reading([rules_file(arguments.rules)]):
        if page is not None:
            refuse_harm(page)
    checks = checker(arguments.rules)
    corpus = read(arguments.data, inputs.columns(arguments))
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


_EXPERIMENT = """\
examples:
  nlgauge corpus experiment predictions -o predictions --small
  nlgauge corpus experiment templates.yaml -o templates --html templates.html

templates.yaml, beside the places.yaml of nlgauge corpus example --config:
  corpus: places.yaml
  set: {tests: {new: {size: 60, entities: 0}}}
  factors:
    templates.number: [1, 2]
  systems:
    lstm: {network: lstm, steps: 500}
    mine: {command: "python mine.py {train} {inputs} {output}"}
  seeds: 5
  claims:
    - {says: more templates are harder, factor: templates.number, levels: [1, 2], expect: lower}

Ready-made designs: predictions (unique-ratio, examples, diverse-values, conjunction), skew, minority, rules,
frequency-bias. Every cell (levels and seed) is a file of the folder, and the same command goes on where it was. A
command reads {train} and {inputs} (JSON lines with item and source) and writes {output} (item and hypothesis). Networks
need pip install "nlgauge[train]". docs/experiments.md has every key."""
BIAS = "frequency-bias"


def _experiment_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("design", metavar="DESIGN", help="a file, or the name of a ready-made design")
    common.add_target(parser, "cells and results", metavar="FOLDER")
    parser.add_argument("--small", action="store_true", help="the small form, for two CPU cores")
    parser.add_argument("--seeds", type=common.positive, metavar="N", help="how many seeds, instead of the design's")
    parser.add_argument(
        "--first-seed", type=common.seed, metavar="N", help="the first of them, instead of the design's"
    )
    common.add_page(parser, "also write a page with tables and plots")
    common.add_json(parser)
    common.add_quiet(parser, "no progress")


def _experiment(arguments: argparse.Namespace) -> int:
    page, folder = common.output(arguments.html), common.target(arguments)
    if arguments.design == BIAS and not Path(BIAS).exists():
        return _bias(arguments, folder, page)
    from nlgauge.experiments.design import read_designs
    from nlgauge.experiments.run import experiment
    from nlgauge.report.experiments import print_experiments, write_experiments

    designs = read_designs(arguments.design)
    if arguments.small:
        designs = [design.made_small() for design in designs]
    changes = {"seeds": arguments.seeds, "first_seed": arguments.first_seed}
    given = {name: value for name, value in changes.items() if value is not None}
    designs = [replace(design, **given) for design in designs]
    with common.stages(quiet=arguments.quiet) as progress:
        found = experiment(designs, folder, progress=lambda done, total: progress("cells", done, total))
    if page is not None:
        write_experiments(found, page)
    if arguments.json:
        common.print_json(found.to_dict())
    else:
        print_experiments(found)
    return 0


def _bias(arguments: argparse.Namespace, folder: Path, page: Path | None) -> int:
    from nlgauge.experiments.bias import frequency_bias
    from nlgauge.report.pcru import print_bias, write_bias

    if arguments.seeds == 1:
        raise InputError("--seeds 1 leaves nothing to count; expected 2 or more")
    seeds = arguments.seeds or (3 if arguments.small else 10)
    first = 1001 if arguments.first_seed is None else arguments.first_seed
    with common.stages(quiet=arguments.quiet) as progress:
        found = frequency_bias(
            folder, range(first, first + seeds), progress=lambda done, total: progress("seeds", done, total)
        )
    if page is not None:
        write_bias(found, page)
    if arguments.json:
        common.print_json(found.to_dict())
    else:
        print_bias(found)
    return 0


_EXAMPLE = """\
examples:
  nlgauge corpus example -o places.jsonl
  nlgauge corpus example --config -o places.yaml"""


def _example_options(parser: argparse.ArgumentParser) -> None:
    common.add_target(parser, "the file to write")
    parser.add_argument(
        "--config", action="store_true", help="write a configuration for nlgauge corpus generate instead"
    )
    common.add_json(parser)


def _example(arguments: argparse.Namespace) -> int:
    from nlgauge.io import atomic_file

    path = common.target(arguments)
    with atomic_file(path) as out:
        out.write(files("nlgauge").joinpath(f"corpus/example.{'yaml' if arguments.config else 'jsonl'}").read_bytes())
    if arguments.json:
        common.print_json({"config" if arguments.config else "corpus": str(path)})
    else:
        print(f"The example {'configuration' if arguments.config else 'corpus'}: {path}")
    return 0


PARTS = {
    "generate": Part(
        "a corpus with known properties, from templates, entities and rules",
        _generate_options,
        _generate,
        about="Make training, development and test sets with known properties, from templates, entities and rules.",
        examples=_GENERATE,
    ),
    "conform": Part(
        "which rules outputs follow, and what they leave out, get wrong or add",
        _conform_options,
        _conform,
        about="Which rules the outputs of systems follow, and what they leave out, get wrong or add.",
        examples=_CONFORM,
    ),
    "experiment": Part(
        "what makes a corpus hard to learn from: systems trained on many controlled corpora",
        _experiment_options,
        _experiment,
        about=(
            "Train systems on many controlled corpora, and say how the properties of a corpus change what they learn."
        ),
        examples=_EXPERIMENT,
    ),
    "example": Part(
        "a small corpus with templates, made for the examples",
        _example_options,
        _example,
        about="Write a small corpus with templates, referring expressions, orders and splits, made for the examples.",
        examples=_EXAMPLE,
    ),
}
