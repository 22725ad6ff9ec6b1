"""One training from beginning to end: examples, learning, figures on what was held out, the folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.errors import InputError, MissingExtra
from nlgauge.learned.folder import About, Folder, alone, keep, refuse_other
from nlgauge.learned.rows_known import packed, row_digests
from nlgauge.training.card import card
from nlgauge.training.config import Progress, Report, Training, Work, set_name
from nlgauge.training.examples import Examples, batch_of
from nlgauge.training.figures import HeldOut, remarks

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
    target = Path(target).expanduser()
    with alone(target):
        return _trained(training, target, beside=beside, cache=cache, progress=progress, report=report)


def _trained(
    training: Training | str | Path,
    target: Path,
    *,
    beside: str | Path | None,
    cache: str | Path | None,
    progress: Progress,
    report: Report,
) -> Result:
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
