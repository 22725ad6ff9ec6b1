"""The experiment on frequent choices: the pCRU demonstration over seeds.

Does a metric of similarity to a corpus rank the generator first that always makes the most frequent choice, and do
readers? The readers are simulated, and their taste is assumed: what is counted is how often the demonstration comes
out as it is told, over corpora, trainings and readers drawn anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nlgauge.corpus.pcru.demonstration import CORPUS, demonstrate
from nlgauge.experiments.analysis import of_differences
from nlgauge.generators.kept import RESULT, claim, keep, read_kept
from nlgauge.jsonable import Jsonable
from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.meta.observations import observe
from nlgauge.meta.report import make_report
from nlgauge.meta.settings import Settings
from nlgauge.stats.permutation import sign_flip_test
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import share

METRICS = ("nist", "bleu", "rouge@4", "se")
GREEDY = "pcru-greedy"
RULES = "rules"


@dataclass(frozen=True)
class Ranked(Jsonable):
    """A metric or a group of readers over seeds: how often it ranks greedy choices first, how often the hand-written
    realiser, and by how many ranks greedy stands above the realiser, on average."""

    by: str
    human: bool
    greedy: Estimate
    rules: Estimate
    ranks: Estimate
    p: float


@dataclass(frozen=True)
class Bias(Jsonable):
    """The rankings, and the share of seeds in which all metrics rank greedy first and no readers do."""

    KEYS = "name, ..."
    name: ClassVar = "frequency-bias"

    rows: tuple[Ranked, ...]
    biased: Estimate
    seeds: tuple[int, ...]
    seconds: float


def frequency_bias(
    folder: str | Path,
    seeds: Sequence[int],
    *,
    size: int = 450,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Bias:
    """The demonstration for each seed that has no file in the folder yet, and what they show together."""
    home, start = Path(folder).expanduser(), time.monotonic()
    claim(home, {"experiment": "frequency-bias", "forecasts": size}, "an experiment", "another experiment")
    (home / "cells").mkdir(exist_ok=True)
    cells = []
    for done, seed in enumerate(seeds):
        progress(done, len(seeds))
        own = home / "cells" / f"seed-{seed}.json"
        if not own.is_file():
            keep(own, _ranks(seed, size))
        cells.append(read_kept(own))
    progress(len(seeds), len(seeds))
    found = summary(cells, tuple(seeds), round(time.monotonic() - start, 1))
    keep(home / RESULT, found.to_dict())
    return found


def reported(rows: list[dict[str, Any]], seed: int, people: str | None) -> BelzReiter:
    """What metrics and readers make of the demonstration's rows; `people` is the system that people wrote."""
    settings = Settings(draws=0, seed=seed)
    made = make_report(observe(rows), settings, metrics=METRICS, full=True, reference_system=people).belz_reiter
    assert made is not None  # asked for
    return made


def _ranks(seed: int, size: int) -> dict[str, Any]:
    """The rank of each system by each metric and group of readers."""
    made = reported(demonstrate(seed, size).against_references(), seed, CORPUS)
    return {
        "seed": seed,
        "columns": [
            {"by": column.name, "human": column.human, "ranks": dict(zip(made.systems, column.ranks, strict=True))}
            for column in made.columns
        ],
    }


def summary(cells: Sequence[Mapping[str, Any]], seeds: tuple[int, ...], seconds: float) -> Bias:
    """Counts over seeds with exact limits; differences of ranks with Student's."""
    rows = []
    for place, column in enumerate(cells[0]["columns"]):
        ranks = [cell["columns"][place]["ranks"] for cell in cells]
        ahead = [float(own[RULES] - own[GREEDY]) for own in ranks]
        rows.append(
            Ranked(
                column["by"],
                column["human"],
                share([own[GREEDY] == 1 for own in ranks], seeds),
                share([own[RULES] == 1 for own in ranks], seeds),
                of_differences(ahead),
                sign_flip_test(ahead).p,
            )
        )
    hits = [all((column["ranks"][GREEDY] == 1) is not column["human"] for column in cell["columns"]) for cell in cells]
    return Bias(tuple(rows), share(hits, seeds), seeds, seconds)
