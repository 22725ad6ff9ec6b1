"""`nlgauge style train` and `transfer`: the classifiers that judge, and systems that are judged."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, QUIET, Arg, Part, quiet, seeded, to_write
from nlgauge.cli.common import Output, number, positive
from nlgauge.cli.output import FORMATS
from nlgauge.errors import InputError, MissingExtra, needing

_TRAIN = """\
examples:
  nlgauge style train split -o classifiers --evaluate
  nlgauge style train split -o classifiers --negatives hard
  nlgauge style train split -o bert --body bert-base-uncased --preset paper --evaluate

SPLIT is a folder that nlgauge style split wrote. The linear classifiers (the default) know any language, need no
torch and are trained in minutes; --body encoder is that which comes with nlgauge (English, blind to capitals), and
any other name is an encoder of the Hugging Face hub or a folder. FOLDER/main, hh and ah are trained metrics with their
cards, FOLDER/style.json has all figures. An interrupted training goes on when the same command is given again."""


_TRAIN_OPTIONS = (
    Arg("split SPLIT", "a folder that nlgauge style split wrote"),
    to_write("where the classifiers are written", metavar="FOLDER"),
    Arg(
        "--body NAME",
        "linear (default), encoder (that which comes with nlgauge), or an encoder's name on the hub or folder",
        default="linear",
    ),
    Arg(
        "--preset",
        "settings of encoders: ours (default), or those of De Mattei et al. (2020)",
        ("ours", "paper"),
        "ours",
    ),
    Arg(
        "--negatives",
        "pairs that do not match: at random (default, as in the paper) or among the most similar headlines",
        ("random", "hard"),
        "random",
    ),
    Arg("--evaluate", "also ask about the test part of the split (gold data)"),
    Arg("--held P", "share of the training parts that is held out, by aligned pairs (default .1)", number, 0.1),
    Arg("--epochs N", "of encoders, instead of the preset's", positive),
    Arg("--only", "train this one only (repeatable)", ("main", "hh", "ah"), many=True),
    Arg("--rows FOLDER", "also keep rows and configurations there, from which nlgauge train makes the same"),
    seeded("seed of what is held out, of drawn pairs and of encoders"),
    Arg("--force", "replace classifiers that are there"),
    Arg("--format", "text (default), markdown, latex or csv", FORMATS, "text"),
    QUIET,
    JSON,
)


def _train(arguments: argparse.Namespace) -> int:
    with needing("training", "train"):
        from nlgauge.cli.commands.train import shown
        from nlgauge.style.classifiers import ABOUT, CLASSIFIERS, LINEAR, StyleSettings, train_classifiers
    if not 0 <= arguments.held < 1:
        raise InputError(f"--held is a share from 0 to below 1, not {arguments.held:g}")
    for name in ("preset", "epochs"):
        if arguments.body == LINEAR and getattr(arguments, name) not in (None, "ours"):
            raise InputError(f"--{name} is of encoders; name one with --body, such as --body encoder")
    target = common.output_folder(arguments.output)
    if (target / ABOUT).is_file() and not arguments.force:
        raise InputError(f"{target} holds classifiers already; give a new folder, or replace them (--force)")
    kept = None if arguments.rows is None else common.output_folder(arguments.rows)
    settings = StyleSettings(
        epochs=arguments.epochs or 0,
        only=tuple(name for name in CLASSIFIERS if name in (arguments.only or CLASSIFIERS)),
        **common.given(arguments, ("body", "preset", "negatives", "held", "seed")),
    )
    try:
        with shown(quiet=arguments.quiet or arguments.json) as (progress, report):
            told: dict[str, Any] = {"progress": progress, "report": report}
            found = train_classifiers(arguments.split, target, settings, evaluate=arguments.evaluate, rows=kept, **told)
    except MissingExtra as error:
        print("note: --body linear trains without further packages", file=sys.stderr)
        raise error
    except KeyboardInterrupt:
        print("note: the same command goes on from what was kept", file=sys.stderr)
        raise
    if arguments.json:
        common.print_json({"folder": str(target), **found.to_dict()})
        return 0
    from nlgauge.report.style_classifiers import of_classifiers
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.wording.paper import written

    paper = of_classifiers(found)
    if arguments.format != "text":
        print(written(paper, arguments.format, []))
        return 0
    for heading, headers, rows, right in paper.parts:
        print_lines([heading, ""])
        print_table(headers, rows, right=right, keys=2)
        print_lines([""])
    print_lines([*paper.notes, f"{target / ABOUT} has these figures; each classifier lies beside it with its card."])
    return 0


_TRANSFER = """\
examples:
  nlgauge style transfer split -o outputs.jsonl
  nlgauge style transfer split -o outputs.jsonl --system SUM --system S2S1 --steps 1000
  nlgauge style transfer split -o outputs.jsonl --direction "gazette>courier"

SPLIT is a folder that nlgauge style split wrote. SUM writes a headline from the article (a pointer-generator for each
target source, learnt from rest and a3); S2S1 (a3), S2S2 (a3 and a1) and S2S3 (a1) translate the headline (an LSTM that
reads both ways, with attention, for each direction). A row of what is written is a transfer: {"id": "g17",
"direction": "gazette>courier", "system": "SUM", "text": "…"}. Networks that are trained are kept in a folder: the same
command goes on where it was. It needs pip install "nlgauge[train]"."""


_TRANSFER_OPTIONS = (
    Arg("folder SPLIT", "a folder that nlgauge style split wrote"),
    to_write("the file of transfers to write"),
    Arg("--system NAME", "SUM, S2S1, S2S2 or S2S3 (repeatable; default: all four)", many=True),
    Arg(
        "--direction A>B",
        "only from source A to the style of B (repeatable; default: all directions)",
        default=[],
        many=True,
    ),
    Arg(
        "--networks FOLDER", "where trained networks are kept (default: beside the output, as OUTPUT-networks)", Output
    ),
    Arg("--steps N", "steps that each network is trained for (1500)", positive),
    Arg("--batch N", "texts in a step (32)", positive),
    Arg("--width N", "units of a layer (128)", positive),
    Arg("--words N", "words and marks of an article that SUM reads (100)", positive),
    Arg("--jobs N", "networks trained at once (default: the cores)", positive),
    seeded("seed of the trainings"),
    JSON,
    quiet("no progress"),
)


def _transfer(arguments: argparse.Namespace) -> int:
    from nlgauge.errors import counted
    from nlgauge.io import write_rows
    from nlgauge.report.text import print_lines, print_table
    from nlgauge.style.forms import read_split
    from nlgauge.style.systems import FORMS, Settings, receipt_of, transfer

    path = common.target(arguments, common.output_rows)
    given = common.given(arguments, ("steps", "batch", "width", "words", "seed"))
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
            *(network["system"], network["reads"] or "articles", network["writes"], "+".join(network["parts"])),
            *(f"{network['examples']:,}", f"{network['vocabulary']:,}", f"{network['passes']:g}"),
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


PARTS = {
    "train": Part(
        "the classifiers of style and of content",
        _TRAIN_OPTIONS,
        _train,
        about=(
            "Train the three classifiers by which style transfer is judged: main (which source a headline is "
            "of), hh (whether two\n"
            "headlines tell of the same) and ah (whether a headline fits an article)."
        ),
        examples=_TRAIN,
    ),
    "transfer": Part(
        "systems that summarise or translate, trained on a split and run over its test part",
        _TRANSFER_OPTIONS,
        _transfer,
        about=(
            "Train systems that rewrite headlines in the style of another source, and run them over the test "
            "part of a split."
        ),
        examples=_TRANSFER,
    ),
}
