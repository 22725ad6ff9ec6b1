"""Train systems on many controlled corpora, and say how the properties of a corpus change what they learn."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from nlgauge.cli import common
from nlgauge.errors import InputError

EXAMPLES = """\
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


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("design", metavar="DESIGN", help="a file, or the name of a ready-made design")
    common.add_target(parser, "cells and results", metavar="FOLDER")
    parser.add_argument("--small", action="store_true", help="the small form, for two CPU cores")
    parser.add_argument("--seeds", type=common.positive, metavar="N", help="how many seeds, instead of the design's")
    parser.add_argument(
        "--first-seed", type=common.seed, metavar="N", help="the first of them, instead of the design's"
    )
    common.add_page(parser, "also write a page with tables and plots")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(act=_experiment)


def _experiment(arguments: argparse.Namespace) -> int:
    page, folder = common.output(arguments.html), common.output(arguments.output)
    assert folder is not None  # the option is required
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
