"""`nlgauge corpus generate`, `conform`, `experiment` and `example`: corpora of known properties."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from nlgauge.cli import common, inputs
from nlgauge.cli.arguments import JSON, LEVEL, ROWS, SEED, Arg, Part, html, quiet, to_write
from nlgauge.cli.common import positive, seed
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


_GENERATE_OPTIONS = (
    Arg("config CONFIG", "a file that says what to make"),
    to_write("the folder to write to", metavar="FOLDER"),
    Arg("--seed N", "instead of the file's", seed),
    JSON,
)


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
    notes = {
        "predicates are left out: their entities have too few for the inputs asked for.": len(
            found.left_out_predicates
        ),
        "entities are left out: they have no pronoun or description of the kind asked for.": found.left_out_entities,
    }
    print_lines([f"note: {number} {why}" for why, number in notes.items() if number])
    return 0


_CONFORM = """\
examples:
  nlgauge corpus conform outputs.jsonl --rules places/manifest.json
  nlgauge corpus conform outputs.jsonl --rules webnlg.jsonl --html conformity.html
  nlgauge score outputs.jsonl -m "conformity(rules=places/manifest.json)" --ci"""


_CONFORM_OPTIONS = (
    Arg(
        "data OUTPUTS",
        "JSON lines with item, source (triples), system, hypothesis and references; without a system, the texts",
        nargs="+",
    ),
    Arg(
        "--rules RULES",
        "the folder or manifest.json of nlgauge corpus generate, its configuration, or a corpus with templates",
        required=True,
    ),
    ROWS,
    LEVEL,
    SEED,
    inputs.column("source=input"),
    html("also write a page with tables, plots and heat maps"),
    JSON,
)


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
        found = conform(corpus, checks, progress=bar, **common.given(arguments, ("level", "seed")))
    from nlgauge.report.conformity import print_conformity, write_conformity

    if page is not None:
        write_conformity(found, page, source=", ".join(arguments.data), rows=arguments.rows)
    return common.show(arguments, found, lambda shown: print_conformity(shown, arguments.rows))


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


_EXPERIMENT_OPTIONS = (
    Arg("design DESIGN", "a file, or the name of a ready-made design"),
    to_write("cells and results", metavar="FOLDER"),
    Arg("--small", "the small form, for two CPU cores"),
    Arg("--seeds N", "how many seeds, instead of the design's", positive),
    Arg("--first-seed N", "the first of them, instead of the design's", seed),
    html("also write a page with tables and plots"),
    JSON,
    quiet("no progress"),
)


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
    return common.show(arguments, found, print_experiments)


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
    return common.show(arguments, found, print_bias)


_EXAMPLE = """\
examples:
  nlgauge corpus example -o places.jsonl
  nlgauge corpus example --config -o places.yaml"""


_EXAMPLE_OPTIONS = (
    to_write("the file to write"),
    Arg("--config", "write a configuration for nlgauge corpus generate instead"),
    JSON,
)


def _example(arguments: argparse.Namespace) -> int:
    from nlgauge.io import atomic_file

    path = common.target(arguments)
    with atomic_file(path) as out:
        out.write(files("nlgauge").joinpath(f"corpus/example.{'yaml' if arguments.config else 'jsonl'}").read_bytes())
    told = {"config" if arguments.config else "corpus": str(path)}
    return common.tell(arguments, told, f"The example {'configuration' if arguments.config else 'corpus'}: {path}")


PARTS = {
    "generate": Part(
        "a corpus with known properties, from templates, entities and rules",
        _GENERATE_OPTIONS,
        _generate,
        about="Make training, development and test sets with known properties, from templates, entities and rules.",
        examples=_GENERATE,
    ),
    "conform": Part(
        "which rules outputs follow, and what they leave out, get wrong or add",
        _CONFORM_OPTIONS,
        _conform,
        about="Which rules the outputs of systems follow, and what they leave out, get wrong or add.",
        examples=_CONFORM,
    ),
    "experiment": Part(
        "what makes a corpus hard to learn from: systems trained on many controlled corpora",
        _EXPERIMENT_OPTIONS,
        _experiment,
        about=(
            "Train systems on many controlled corpora, and say how the properties of a corpus change what they learn."
        ),
        examples=_EXPERIMENT,
    ),
    "example": Part(
        "a small corpus with templates, made for the examples",
        _EXAMPLE_OPTIONS,
        _example,
        about="Write a small corpus with templates, referring expressions, orders and splits, made for the examples.",
        examples=_EXAMPLE,
    ),
}
