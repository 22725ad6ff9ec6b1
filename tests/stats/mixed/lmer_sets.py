"""A thousand simulated studies over ten designs, and what lme4 and lmerTest find in them.

python tests/stats/mixed/lmer_sets.py FOLDER     writes lmer_sets.csv beside this file (Rscript; five minutes)

The ratings are made again from their seeds wherever they are needed; kept are R's figures alone: the restricted log
likelihood (the better of two optimisers, set tight), F with Satterthwaite's degrees of freedom, and the deviations.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rating_studies import Study

FIGURES = Path(__file__).with_name("lmer_sets.csv")
SEEDS = 100  # of each design
DEVIATIONS = (0.0, 0.15, 0.4, 0.8, 1.5)  # over the residual's, of every random effect


@dataclass(frozen=True)
class Layout:
    """Who rates what: `each` texts of a judge where not every judge rates everything."""

    systems: int
    judges: int
    items: int
    kind: str  # crossed, square (an item once by a judge), nested items, nested judges or crowd
    points: int = 0  # 0: a slider of 100
    each: int = 0
    slopes: tuple[str, ...] = ("item", "judge")


LAYOUTS = {
    "crossed 8 x 15 points": Layout(3, 8, 15, "crossed", 5),
    "crossed 5 x 20 slider": Layout(4, 5, 20, "crossed"),
    "crossed 10 x 20 points": Layout(2, 10, 20, "crossed", 7),
    "crossed 3 x 40 slider": Layout(5, 3, 40, "crossed", slopes=("item",)),
    "square 12 x 24 points": Layout(4, 12, 24, "square", 5, slopes=("item", "judge")),
    "nested items 6 x 30 points": Layout(3, 6, 30, "nested items", 5, slopes=("judge",)),
    "nested judges 15 x 20 slider": Layout(3, 15, 20, "nested judges", slopes=("item",)),
    "crowd 30 x 20 slider": Layout(4, 30, 60, "crowd", each=20),
    "crowd 30 x 20 points": Layout(4, 30, 60, "crowd", 5, each=20),
    "crowd 50 x 8 slider": Layout(3, 50, 40, "crowd", each=8),
}


def rows_of(layout: Layout, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
    """System, judge and item of each rating."""
    s, j, i = (a.ravel() for a in np.indices((layout.systems, layout.judges, layout.items)))
    if layout.kind == "crowd":
        chosen = [rng.choice(layout.systems * layout.items, layout.each, replace=False) for _ in range(layout.judges)]
        texts = np.concatenate(chosen)
        return (
            texts % layout.systems,
            np.repeat(np.arange(layout.judges), layout.each),
            texts // layout.systems,
        )
    kept = {
        "crossed": np.ones(len(s), bool),
        "square": (i + j) % layout.systems == s,
        "nested items": i % layout.systems == s,
        "nested judges": j % layout.systems == s,
    }[layout.kind]
    return s[kept], j[kept], i[kept]


def simulated(name: str, seed: int) -> Study:
    """One study: deviations of the random effects and the systems' distance are drawn as well."""
    layout = LAYOUTS[name]
    rng = np.random.default_rng([seed, list(LAYOUTS).index(name)])
    s, j, i = rows_of(layout, rng)
    judge, item, favour, output = rng.choice(DEVIATIONS, 4)
    y = rng.choice([0.0, 0.2, 0.5]) * s
    y = y + judge * rng.normal(size=layout.judges)[j] + item * rng.normal(size=layout.items)[i]
    y = y + favour * rng.normal(size=(layout.systems, layout.judges))[s, j]
    y = y + output * rng.normal(size=(layout.systems, layout.items))[s, i]
    y = y + rng.normal(size=len(s))
    if layout.points:
        y = np.clip(np.round((layout.points + 1) / 2 + y), 1, layout.points)
    else:
        y = np.clip(np.round(50 + 15 * y), 0, 100)
    return Study(y, s, j, i)


def sets() -> Iterator[tuple[str, int]]:
    """All of them."""
    for name in LAYOUTS:
        for seed in range(SEEDS):
            yield name, seed


def figures() -> dict[tuple[str, int], dict[str, float]]:
    """What R found."""
    with FIGURES.open(encoding="utf-8", newline="") as lines:
        return {
            (row.pop("design"), int(row.pop("seed"))): {k: float(v) for k, v in row.items() if v != "NA"}
            for row in csv.DictReader(lines)
        }


def main(folder: Path) -> None:
    """Write the ratings, have R fit them, and keep its figures."""
    data = folder / "ratings.csv"
    with data.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("design", "seed", "slopes", "y", "system", "judge", "item"))
        for name, seed in sets():
            study = simulated(name, seed)
            for row in zip(study.y, study.system, study.judge, study.item, strict=True):
                writer.writerow((name, seed, "+".join(LAYOUTS[name].slopes), *row))
    subprocess.run(["Rscript", str(Path(__file__).with_suffix(".R")), str(data), str(FIGURES)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
