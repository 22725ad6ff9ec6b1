"""Comparators on E2E's RankME judgements, each learnt without a fold: python tools/comparator_folds.py DATA OUT NAME …

Writes OUT/NAME.npz for every NAME that is not there: what the comparator makes of each output of its fold (`made`:
strength, and inclination to tie), with `items` and `systems`. `tools/comparator_tables.py` makes tables of them. A NAME
is an arm, a criterion and a fold, such as full-quality-0 or no-ties-naturalness-3; one that ends in `-` stands for all
that begin with it, none for all. ENCODER=FOLDER begins with another encoder than MiniLM. On a large GPU
nine folds at once take one to two minutes.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.io.write import atomic_path
from nlgauge.learned.comparator import Comparator, Written
from nlgauge.training.run import train

SETS, FLAT = "e2e17_rankme_sets.jsonl.gz", "e2e17_flat.jsonl.gz"
CRITERIA = ("quality", "naturalness")
ITEM_FOLDS, SYSTEM_FOLDS = 5, 3
CONFIG = {
    "kind": "comparator",
    "name": "e2e",
    "encoder": os.environ.get("ENCODER", "minilm"),
    "split": 0.1,
    "batch": 64,
    "epochs": 4,
    "rate": 1e-4,
    "longest": 200,
    "weak": False,  # nobody kept the systems' checkpoints
    "contexts": True,
}
ARMS: dict[str, dict[str, bool]] = {
    "full": {},
    "systems": {},
    "no-ties": {"ties": False},
    "no-comparison": {"comparison": False, "contexts": False, "human": False},
    "no-strong": {"strong": False},
    "no-contexts": {"contexts": False},
    "no-human": {"human": False},
    "no-pretrained": {"pretrained": False},
}
Row = dict[str, Any]


def fold(name: str, folds: int) -> int:
    """In which fold an item lies, or a system."""
    return int(sha256(name.encode()).hexdigest(), 16) % folds


def read(path: Path) -> Iterator[Row]:
    """The rows of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def outputs(data: Path, criterion: str) -> list[Row]:
    """Every output that was judged, with its scores; the judge is the set in which it was."""
    references = {row["item"]: row["references"] for row in read(data / FLAT)}
    found: dict[tuple[str, str, str], Row] = {}
    for number, judged in enumerate(read(data / SETS)):
        if judged["dataset"] != f"e2e17/{criterion}":
            continue
        rated = zip(judged["systems"], judged["hypotheses"], judged["ratings"][criterion], strict=True)
        for system, text, score in rated:
            if score is None:
                continue
            item = judged["item"]
            row = found.setdefault(
                (item, system, text),
                {
                    **{"item": item, "system": system, "source": item, "hypothesis": text},
                    **{"references": references.get(item, []), "ratings": {criterion: []}, "raters": []},
                },
            )
            row["ratings"][criterion].append(score)
            row["raters"].append(f"set{number}")
    return list(found.values())


def names() -> Iterator[str]:
    """All there are, the folds of the whole comparator first."""
    for arm in ARMS:
        for criterion in CRITERIA:
            for number in range(SYSTEM_FOLDS if arm == "systems" else ITEM_FOLDS):
                yield f"{arm}-{criterion}-{number}"


def divided(name: str, rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """Those to learn from, and those of the fold. Where systems are held out, so are the items of the first fold."""
    arm, _, number = name.rsplit("-", 2)
    if arm == "systems":
        away = [fold("s" + row["system"], SYSTEM_FOLDS) == int(number) for row in rows]
        aside = [fold(row["item"], ITEM_FOLDS) == 0 for row in rows]
    else:
        away = aside = [fold(row["item"], ITEM_FOLDS) == int(number) for row in rows]
    learnt = [row for row, one, other in zip(rows, away, aside, strict=True) if not (one or other)]
    return learnt, [row for row, without in zip(rows, away, strict=True) if without]


def learnt(name: str, data: Path, out: Path) -> None:
    """Learn one, and write what it makes of its fold."""
    arm, criterion, _ = name.rsplit("-", 2)
    kept, some = divided(name, outputs(data, criterion))
    work = out / "work" / name
    work.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in kept)
    (work / "rows.jsonl").write_text(lines, encoding="utf-8")
    config = {**CONFIG, **ARMS[arm], "data": [{"path": "rows.jsonl", "human": criterion}]}
    (work / "config.yaml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    found = train(work / "config.yaml", work / "model")
    form = found.folder.form
    assert isinstance(form, Comparator)
    made = form.alone([Written(row["hypothesis"], row["source"]) for row in some])
    with atomic_path(out / f"{name}.npz", own=True) as new, new.open("wb") as file:
        np.savez_compressed(
            file,
            made=made.astype(np.float32),
            items=np.array([row["item"] for row in some]),
            systems=np.array([row["system"] for row in some]),
        )
    print(name, json.dumps(found.figures["held_out"]), flush=True)


def main(data: str, out: str, *wanted: str) -> None:
    """All that are wanted and not there."""
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names():
        asked = not wanted or any(
            name == each or (each[-1] == "-" and name.startswith(each)) for each in wanted
        )
        if asked and not (Path(out) / f"{name}.npz").exists():
            learnt(name, Path(data), Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
