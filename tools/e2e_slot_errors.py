"""How the slot errors that patterns find agree with people: figures of docs/corpus-profile.md.

    python tools/e2e_slot_errors.py ../shared/data

Judges of quality in the E2E challenge ranked five outputs at a time and ticked where information was missing or added.
Their marks are compared with the patterns of `nlgauge corpus profile` output by output and system by system. An output
counts as marked where at least half of its judges marked it.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np

from nlgauge.corpus.profile.slots import Checked, checker
from nlgauge.corpus.reading import read
from nlgauge.stats.agreement.cohen import cohen
from nlgauge.stats.correlation.coefficients import spearman

Output = tuple[str, str]  # item and system
DRAWS, SEED = 1000, 12345


def main(folder: Path) -> None:
    """Print the tables."""
    corpus = read([folder / "e2e17_primary_outputs.jsonl.gz"])
    inputs = {entry.item: entry.triples for entry in corpus.entries}
    check = checker(inputs.values()).check
    found = {(out.item, out.system): check(inputs[out.item], out.text) for out in corpus.outputs}
    marks, wins = read_judgements(folder / "e2e17_rankme_sets.jsonl.gz")
    for kind in ("missing", "added"):
        print_agreement(kind, found, marks)
    print_systems(found, marks, wins)


def read_judgements(path: Path) -> tuple[dict[Output, list[str]], dict[Output, list[float]]]:
    """What judges ticked for each output, and its wins against those beside it (1, ½, 0)."""
    marks: dict[Output, list[str]] = defaultdict(list)
    wins: dict[Output, list[float]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not row.get("checks"):
                continue  # naturalness
            for system, mark in zip(row["systems"], row["checks"], strict=True):
                marks[row["item"], system].append(mark)
            rated = zip(row["systems"], row["ratings"]["quality"], strict=True)
            for (one, value), (other, against) in combinations(rated, 2):
                won = 0.5 if value == against else float(value > against)
                wins[row["item"], one].append(won)
                wins[row["item"], other].append(1 - won)
    return marks, wins


def marked(marks: list[str], kind: str) -> bool:
    """Whether at least half of the judges ticked it."""
    return 2 * sum(kind in mark for mark in marks) >= len(marks)


def erred(found: Checked, kind: str) -> bool:
    """A wrong value leaves the right one out and adds another."""
    return bool(found.wrong or getattr(found, kind))


def print_agreement(kind: str, found: dict[Output, Checked], marks: dict[Output, list[str]]) -> None:
    """Output by output."""
    people = np.array([marked(given, kind) for given in marks.values()])
    rules = np.array([erred(found[output], kind) for output in marks])
    both = (people & rules).sum()
    kappa = cohen(np.column_stack([people, rules]).astype(int).tolist())
    print(
        f"{kind}: {len(people):,} outputs, people {people.sum():,}, patterns {rules.sum():,}, both {both:,}, "
        f"of people's {both / people.sum():.2f}, of the patterns' {both / rules.sum():.2f}, kappa {kappa.estimate:.2f} "
        f"[{kappa.low:.2f}, {kappa.high:.2f}]"
    )


def print_systems(
    found: dict[Output, Checked], marks: dict[Output, list[str]], wins: dict[Output, list[float]]
) -> None:
    """System by system: shares of outputs with something missing, and of comparisons won; rank correlations."""
    systems = sorted({system for _, system in marks})
    items = sorted({item for item, _ in marks})
    shape = (len(items), len(systems), 4)
    rows = np.zeros(shape)  # marked by people, found by patterns, share of wins, outputs
    for (item, system), given in marks.items():
        output = (item, system)
        rows[items.index(item), systems.index(system)] = (
            np.mean(["missing" in mark for mark in given]),
            erred(found[output], "missing"),
            np.mean(wins[output]),
            1,
        )
    total = rows.sum(axis=0)
    shares = total[:, :3] / total[:, 3:]
    for place in np.argsort(shares[:, 1]):
        print(f"{systems[place]:10}" + "".join(f"{value:8.1%}" for value in shares[place]))
    generator = np.random.default_rng(SEED)
    for name, column in (("marked as missing", 0), ("comparisons won", 2)):
        drawn = []
        for _ in range(DRAWS):
            chosen = rows[generator.integers(0, len(items), len(items))].sum(axis=0)
            drawn.append(spearman(chosen[:, 1] / chosen[:, 3], chosen[:, column] / chosen[:, 3]))
        low, high = np.quantile(drawn, [0.025, 0.975])
        print(f"rho with {name}: {spearman(shares[:, 1], shares[:, column]):.2f} [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
