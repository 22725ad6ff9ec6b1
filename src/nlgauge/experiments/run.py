"""A whole experiment: every cell that is not there yet, then the analysis. The same command goes on where it was."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.experiments.analysis import Analysis, adjusted, analyse
from nlgauge.experiments.cells import Cell, cells_of, make, plan_of, try_corpora
from nlgauge.experiments.design import Design
from nlgauge.experiments.systems import check_networks
from nlgauge.generators.kept import PLAN, RESULT, claim, keep, read_kept
from nlgauge.jsonable import Jsonable

Progress = Callable[[int, int], None]
Work = tuple[Cell, Path]


@dataclass(frozen=True)
class Experiment(Jsonable):
    """A design and what was found."""

    KEYS = "name = design.name, design = plan, *analysis"

    design: Design
    analysis: Analysis

    @property
    def plan(self) -> dict[str, Any]:
        """The design as its file has it."""
        return plan_of(self.design)


@dataclass(frozen=True)
class Experiments(Jsonable):
    """The experiments of a command; `seconds` is the wall time of calls that came to their end."""

    experiments: tuple[Experiment, ...]
    device: str
    seconds: float


def experiment(
    designs: Sequence[Design], folder: str | Path, *, progress: Progress = lambda done, total: None
) -> Experiments:
    """Run what is not finished, and analyse; each of several designs has a folder of its own."""
    home = Path(folder).expanduser()
    homes = [home / design.name if len(designs) > 1 else home for design in designs]
    networks = check_networks(designs)
    if not (home / PLAN).is_file():
        for design in designs:
            if not design.generator:
                try_corpora(design)
    begun = any(home.glob("**/cells/*.json"))
    earlier = begun and (home / PLAN).is_file() and (home / RESULT).is_file()
    plan = [{**plan_of(design), "beside": ""} for design in designs]
    claim(home, plan, "an experiment", "an experiment with another design", begun=begun)
    before = float(read_kept(home / RESULT)["seconds"]) if earlier else 0.0
    start = time.monotonic()
    for own in homes:
        (own / "cells").mkdir(parents=True, exist_ok=True)
    every = [(cell, own) for design, own in zip(designs, homes, strict=True) for cell in cells_of(design)]
    left = [(cell, own) for cell, own in every if not cell.path(own).is_file()]
    done = len(every) - len(left)
    progress(done, len(every))
    for _ in _finished(left, networks=networks):
        done += 1
        progress(done, len(every))
    analyses = [
        analyse(design, [read_kept(cell.path(own)) for cell in cells_of(design)])
        for design, own in zip(designs, homes, strict=True)
    ]
    found = tuple(map(Experiment, designs, adjusted(analyses)))
    seconds = round(before + time.monotonic() - start, 1) if left else before
    result = Experiments(found, _device() if networks else "", seconds)
    keep(home / RESULT, result.to_dict())
    return result


def make_cell(work: Work) -> None:
    """One cell, in a process that may have others after it."""
    cell, home = work
    make(cell, home)


def _finished(left: Sequence[Work], *, networks: bool) -> Iterator[None]:
    """The cells, beside each other: networks in processes, commands in threads that wait for them."""
    if not left:
        return
    if networks:
        from nlgauge.generators.pool import finished

        yield from finished(make_cell, left)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(make_cell, left)


def _device() -> str:
    from nlgauge.generators.pool import device

    return device()
