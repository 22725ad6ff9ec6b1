"""One training from beginning to end: examples, learning, figures on what was held out, the folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from nlgauge.errors import InputError, MissingExtra
from nlgauge.learned.folder import About, Folder, keep, refuse_other
from nlgauge.learned.form import Array
from nlgauge.training.card import card
from nlgauge.training.config import Progress, Report, Training, Work, set_name
from nlgauge.training.examples import Examples, batch_of, gather
from nlgauge.training.split import held_out, on_scale

CHECKPOINTS = ".checkpoints"
_ONE = "all outputs are of one system, {}: how systems differ could not be learnt"


@dataclass(frozen=True, eq=False)
class Result:
    """A trained metric with what is known of it."""

    folder: Folder
    figures: dict[str, Any]
    notes: tuple[str, ...]


def train(
    training: Training | str | Path,
    target: str | Path,
    *,
    beside: str | Path | None = None,
    cache: str | Path | None = None,
    progress: Progress = lambda what, done, total: None,
    report: Report = lambda figures: None,
) -> Result:
    """Learn what a configuration, or its file, says. Writes the folder `target`, whole or not at all.

    Paths of data begin at `beside`: the folder of the file, or the current one.
    Features are kept in `cache`, which several trainings may share, or beside the target.
    """
    if not isinstance(training, Training):
        beside = Path(training).parent if beside is None else beside
        training = _read(training)
    target, beside = Path(target), Path(beside or ".")
    refuse_other(target)
    if cache and Path(cache).exists() and not Path(cache).is_dir():
        raise InputError(f"{cache} is a file, and features are kept in a folder (cache); name another")
    checkpoints = target.with_name(f"{target.name}{CHECKPOINTS}")
    examples = gather(training, beside)
    held = held_out(examples, training.split, training.seed)
    examples = on_scale(examples, training, held)
    examples, held = training.supervise.completed(examples, held, training.seed)
    curve: list[dict[str, float]] = []
    systems = {row.system for row in examples.rows}
    work = Work(
        examples,
        held,
        checkpoints=checkpoints,
        features=Path(cache) if cache else checkpoints,
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
    figures: dict[str, Any] = {
        "kind": form.kind,
        "settings": about.settings,
        "sets": _counts(training, examples, held),
        "held_out": _figures(training.learnt(ready, batch_of(spared)), spared, ordered=training.ordered)
        if len(spared)
        else {},
    }
    recipe = {"config": {"kind": training.kind, **asdict(training)}, **figures, "curve": curve}
    told = card(training, figures, work.notes)
    return Result(keep(target, about, form, card=told, recipe=recipe), figures, tuple(work.notes))


def _read(path: str | Path) -> Training:
    try:
        from nlgauge.training.registry import read_config
    except ModuleNotFoundError as error:
        raise MissingExtra("training", error.name or "yaml", "train") from None
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


def _figures(predicted: Array, examples: Examples, *, ordered: bool) -> dict[str, float]:
    """How well what was held out is predicted, beside predicting the mean; or ordered, where people compared."""
    found = {}
    known = np.isfinite(examples.targets)
    if known.any():
        targets, said = examples.targets[known], predicted[known]
        if not ordered:
            found["error"] = float(np.sqrt(np.mean((said - targets) ** 2)))
            found["error_of_the_mean"] = float(targets.std())
        if len(targets) > 2 and said.std() > 0 and targets.std() > 0:
            found["pearson"] = float(np.corrcoef(said, targets)[0, 1])
        if set(targets.tolist()) == {0.0, 1.0}:
            found["accuracy"] = float(np.mean((said >= 0.5) == (targets == 1)))
            good, bad = said[targets == 1], said[targets == 0]
            found["auc"] = float(mannwhitneyu(good, bad).statistic / (len(good) * len(bad)))
    if len(examples.pairs):
        gaps = predicted[examples.pairs[:, 0]] - predicted[examples.pairs[:, 1]]
        found["pairs_in_order"] = float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2)
    return found
