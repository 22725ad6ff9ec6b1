"""One training from beginning to end: examples, learning, figures on what was held out, the folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import yaml

from nlgauge import __version__
from nlgauge.errors import InputError, suggest
from nlgauge.io.fields import Kinds, Problem, Reader
from nlgauge.io.trees import read_tree
from nlgauge.learned.featured import Featured
from nlgauge.learned.folder import About, Folder, alone, keep, packed, refuse_other, row_digests
from nlgauge.learned.form import Form, scale_words
from nlgauge.learned.learners import Linear
from nlgauge.results import Result
from nlgauge.training.config import Progress, Recipe, Report, Training, Work, set_name
from nlgauge.training.examples import Examples, batch_of
from nlgauge.training.figures import HeldOut, remarks

# The card of a trained metric: what it learnt from, how, how well, and where it must not be believed.


def card(training: Training, form: Form, figures: Mapping[str, Any], notes: Sequence[str]) -> str:
    """As the Hugging Face hub shows it."""
    licences = sorted({data.licence for data in training.data if data.licence})
    opening = {
        "library_name": "nlgauge",
        "license": training.licence,
        "language": training.languages,
        "tags": ["evaluation", "metric", "natural-language-generation"],
        "license_of_data": licences,
    }
    lines = [
        "---",
        *(f"{name}: {json.dumps(told, ensure_ascii=False)}" for name, told in opening.items() if told),
        "---",
        f"# {training.name}",
        "",
        *([training.about, ""] if training.about else []),
        f"A metric trained with nlgauge {__version__}. It runs as `{training.command('FOLDER')}`.",
        *([f"Its {said}."] if (said := scale_words(figures["scale"])) else []),
        *(["They are kept between 0 and 1."] if training.clipped else []),
        "",
        "## Learnt from",
        "",
        "| data set | criterion | examples | held out | licence |",
        "|---|---|---|---|---|",
        *(
            _row(
                set_name(data),
                data.human or training.learns,
                **figures["sets"][set_name(data)],
                licence=data.licence,
            )
            for data in training.data
        ),
        "",
        "## What it is made of",
        "",
        f"Kind: {figures['kind']}; seed {training.seed}. The recipe is in training.json.",
        "",
        *(f"- {name}: {_said(value)}" for name, value in figures["settings"].items() if name != "features"),
        "",
        *_features(form, figures["settings"].get("features", ())),
        *_figures(training, figures),
        "## Limits",
        "",
        "- It knows the languages, genres and systems of the data above; elsewhere its scores may mean little.",
        "- A system that was tuned to it is flattered by it: report another metric beside it.",
        *(f"- {note}" for note in notes),
        "",
    ]
    return "\n".join(lines)


def _figures(training: Training, figures: Mapping[str, Any]) -> list[str]:
    if not figures["held_out"]:
        some = any(part["held"] for part in figures["sets"].values())
        why = "What was held out gives no figure" if some else "Nothing was held out"
        return ["## Figures", "", f"{why}, so how well it does is not known.", ""]
    intervals = figures["held_out_intervals"]
    said = [training.intervals_of] if intervals else []
    said += [training.figures_of] if training.figures_of else []
    if training.watches:
        said.append("What was held out also said when to stop, so that these figures are a little kind.")
    return [
        "## Figures",
        "",
        "| on what was held out | value | 95 % interval |",
        "|---|--:|---|",
        *(
            f"| {name.replace('_', ' ')} | {value:.4f} | {interval_words(intervals.get(name))} |"
            for name, value in figures["held_out"].items()
        ),
        "",
        *([" ".join(said), ""] if said else []),
    ]


def interval_words(ends: Sequence[float] | None) -> str:
    """The ends of an interval; a dash where there is none."""
    return f"{ends[0]:.4f} to {ends[1]:.4f}" if ends else "–"


def _features(form: Form, specs: Sequence[str]) -> list[str]:
    """The features, with the weights where the learner is a linear function."""
    learner = getattr(form, "learner", None)
    if not specs:
        return []
    if not isinstance(form, Featured) or not isinstance(learner, Linear):
        return ["| feature |", "|---|", *(f"| `{spec}` |" for spec in specs), ""]
    rows = zip(specs, learner.weights, form.scale.mean, form.scale.deviation, strict=True)
    return [
        "| feature | weight | mean | deviation |",
        "|---|--:|--:|--:|",
        *(f"| `{spec}` | {weight:+.4f} | {mean:.4g} | {spread:.4g} |" for spec, weight, mean, spread in rows),
        "",
        f"Weights are of standardised features, (value − mean) / deviation; {learner.bias:+.4f} is added.",
        "",
    ]


def _row(name: str, human: str, *, learnt: int, held: int, licence: str) -> str:
    return f"| {name} | {human} | {learnt:,} | {held:,} | {licence or 'not stated'} |"


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(part)}" for name, part in value.items())
    return ", ".join(f"`{part}`" for part in value) if isinstance(value, list) else f"`{value}`"


# The kinds of training by name, and the file that chooses one.


RECIPES = Path(__file__).parent / "recipes"
KINDS = {
    "features": "nlgauge.training.featured:FeatureTraining",
    "vectors": "nlgauge.training.vectors:VectorTraining",
    "pair": "nlgauge.training.pair:PairTraining",
    "reader": "nlgauge.training.reader:ReaderTraining",
    "reading": "nlgauge.training.featured:ReadingTraining",
    "sequence": "nlgauge.training.sequence:SequenceTraining",
    "comparator": "nlgauge.training.comparator:ComparatorTraining",
    "classifier": "nlgauge.training.classifier:ClassifierTraining",
}


def kinds() -> dict[str, type[Recipe]]:
    """Every kind of training, loaded."""
    found = {}
    for kind, place in KINDS.items():
        module, name = place.split(":")
        found[kind] = getattr(import_module(module), name)
    return found


def recipes() -> dict[str, str]:
    """The recipes that come with nlgauge: name, and what they say of themselves."""
    found = {}
    for path in sorted(RECIPES.glob("*.yaml")):
        about = yaml.safe_load(path.read_text(encoding="utf-8")).get("about", "")
        found[path.stem] = " ".join(str(about).split())
    return found


def recipe(name: str) -> str:
    """The text of a recipe, to be edited."""
    known = recipes()
    if name not in known:
        raise InputError(f"there is no recipe {name!r}; {suggest(name, known, 'nlgauge train --recipes')}")
    return (RECIPES / f"{name}.yaml").read_text(encoding="utf-8")


def read_config(path: str | Path) -> Recipe:
    """Read a file; every problem at once, with its line."""
    path = Path(path)
    node = read_tree(path)
    if node is None:
        raise InputError(f"{path} is empty; nlgauge train --help shows what stands in such a file")
    reader = Reader(called="the file")
    found: Any = reader.read(Annotated[Recipe, Kinds(kinds())], node, "")
    problems = reader.problems
    if found is not None:
        problems += [
            Problem(next((reader.lines[key] for key in place.split() if key in reader.lines), 0), place, message)
            for place, message in found.contradictions()
        ]
    if problems:
        said = dict.fromkeys(str(problem) for problem in sorted(problems, key=lambda problem: problem.line))
        raise InputError(f"{path}: {'; '.join(said)}")
    made: Recipe = found
    return made


CHECKPOINTS = ".checkpoints"
_ONE = "all outputs are of one system, {}: how systems differ could not be learnt"


@dataclass(frozen=True, eq=False)
class TrainedMetric(Result):
    """A trained metric with what is known of it."""

    KEYS = "folder = path, figures, notes"

    folder: Folder
    figures: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path


def train(
    training: Training | str | Path,
    target: str | Path,
    *,
    beside: str | Path | None = None,
    cache: str | Path | None = None,
    progress: Progress = lambda what, done, total: None,
    report: Report = lambda figures: None,
) -> TrainedMetric:
    """Learn what a configuration, or its file, says. Writes the folder `target`, whole or not at all.

    Args:
        training: a `Training`, or the file of one
        target: the folder that is written
        beside: where paths of data begin: the folder of the file, or the current one
        cache: keeps features, and may be shared by several trainings; beside the target without one
        progress: called with what is being done, how much of it is done, and how much there is
        report: called with the figures as they come

    >>> train("metric.yaml", "trained").figures  # doctest: +SKIP
    {'held_out': {'pearson': 0.61, …}}
    """
    target = Path(target).expanduser()
    with alone(target):
        if not isinstance(training, Training):
            beside = Path(training).parent if beside is None else beside
            training = _read(training)
        beside = Path(beside or ".")
        cache = Path(cache).expanduser() if cache else None
        refuse_other(target)
        if cache and os.path.lexists(cache) and not cache.is_dir():
            raise InputError(f"{cache} is no folder, and features are kept in a folder (cache); name another")
        checkpoints = target.with_name(f"{target.name}{CHECKPOINTS}")
        examples, held = training.prepared(beside)
        curve: list[dict[str, float]] = []
        systems = {row.system for row in examples.rows}
        work = Work(
            examples,
            held,
            checkpoints=checkpoints,
            features=cache or checkpoints,
            target=target,
            progress=progress,
            report=_both(curve.append, report),
            notes=[*examples.notes, *([_ONE.format(*systems)] if len(systems) == 1 else [])],
            beside=beside,
        )
        form = training.learn(work)
        about = About(
            name=training.name,
            kind=form.kind,
            settings=form.settings(),
            clipped=training.clipped,
            normalised=training.normalised,
            target={
                "criteria": sorted({data.human for data in training.data}),
                "supervise": training.supervise.kind,
                "target": training.target,
                "scaled": training.scaled,
            },
        )
        spared = examples.only(np.flatnonzero(held))
        ready = form.prepared([batch_of(examples)]) if form.fitted else form
        found = training.figures(ready, spared) if len(spared) else HeldOut()
        figures: dict[str, Any] = {
            "kind": form.kind,
            "settings": about.settings,
            "sets": _counts(training, examples, held),
            "held_out": found.values,
            "held_out_intervals": found.intervals,
            **({"by_class": found.by_class} if found.by_class else {}),
            "scale": training.scale(examples, held),
        }
        spared_rows: dict[str, dict[str, list[str]]] = {}  # the items of each set and system
        for name, row in zip(spared.sets, spared.rows, strict=True):
            spared_rows.setdefault(name, {}).setdefault(row.system, []).append(row.item)
        recipe = {
            "config": {"kind": training.kind, **asdict(training)},
            **figures,
            "curve": curve,
            "held_rows": spared_rows,  # so that other metrics can be asked about the same
            "learnt_rows": packed(
                digest
                for row, kept in zip(examples.rows, ~held & examples.given, strict=True)
                if kept
                for digest in row_digests(
                    row.text or "",
                    () if training.by_source and row.source is not None else row.references,
                    row.source,
                )
            ),
        }
        work.notes += remarks(training, found, examples.only(np.flatnonzero(~held)), spared)
        told = card(training, form, figures, work.notes)
        return TrainedMetric(keep(target, about, form, card=told, recipe=recipe), figures, tuple(work.notes))


def _read(path: str | Path) -> Training:
    found = read_config(path)
    if not isinstance(found, Training):
        raise InputError(f"{path} is of kind {found.kind}, which trains no metric; give it to nlgauge train")
    return found


def _both(*heard: Callable[[dict[str, float]], None]) -> Report:
    def report(figures: dict[str, float]) -> None:
        for hear in heard:
            hear(figures)

    return report


def _counts(training: Training, examples: Examples, held: Any) -> dict[str, dict[str, int]]:
    names = np.array(examples.sets)
    return {
        name: {"learnt": int(((names == name) & ~held).sum()), "held": int(((names == name) & held).sum())}
        for name in dict.fromkeys(map(set_name, training.data))
    }
