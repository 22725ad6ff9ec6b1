"""Comparators on E2E's RankME judgements, each learnt without a fold: python tools/comparator_folds.py DATA OUT NAME …

Writes OUT/NAME.npz for every NAME that is not there: what the comparator makes of each output of its fold (`made`:
strength, and inclination to tie), with `items` and `systems`. `tools/comparator_tables.py` makes tables of them. A NAME
is an arm, a criterion and a fold, such as full-quality-0 or no-ties-naturalness-3; one that ends in `-` stands for all
that begin with it, none for all but the trials. ENCODER=FOLDER begins with another encoder than MiniLM. On a large GPU
nine folds at once take one to two minutes.

Trials (`TRIALS`) are made only where they are named. Each is learnt with SEEDS seeds (2), whose strengths are averaged;
what a tie is worth is set for three-way accuracy on the games that the seeds held out within the training folds. The
same games say which trial to keep: a line of figures on them is printed for each fold, and `comparator_tables.py
--ours ARM` makes the tables of one. More SEEDS later go on from those that are there.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.io.write import atomic_path
from nlgauge.learned.comparator import TIE, A, B, Comparator, Written, davidson, softmax, verdicts
from nlgauge.training.figures import calibrated, quality, rescaled
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
TRIALS: dict[str, dict[str, Any]] = {
    "averaged": {"strong": False},
    "plain": {"strong": False, "contexts": False},
    "plain-both": {"strong": False, "contexts": False},
}
BLIND = ("plain", "plain-both")  # read no input: E2E's judges of naturalness were shown none
ALSO = {"plain-both": {"naturalness": "quality"}}  # learn these people's games too, beside their inputs
LIFTS = np.arange(-20, 21) / 20
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
    """All there are, the folds of the whole comparator first and the trials last."""
    for arm in (*ARMS, *TRIALS):
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
    keep(out / f"{name}.npz", made, some)
    print(name, json.dumps(found.figures["held_out"]), flush=True)


def tried(name: str, data: Path, out: Path, seeds: int) -> None:
    """Learn a trial with several seeds, and write the mean of what they make of its fold."""
    _, some = divided(name, outputs(data, name.rsplit("-", 2)[1]))
    made, logits, outcomes = [], [], []
    for seed in range(1, seeds + 1):
        path = out / "seeds" / f"{name}-{seed}.npz"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            found = by_seed(name, data, out, seed)
            with atomic_path(path, own=True) as new, new.open("wb") as file:
                np.savez_compressed(file, made=found[0], logits=found[1], outcomes=found[2])
        with np.load(path) as stored:
            made.append(stored["made"])
            logits.append(stored["logits"])
            outcomes.append(stored["outcomes"])
    held, true = np.concatenate(logits), np.concatenate(outcomes)
    lift = surest(held, true)
    whole = np.mean(made, axis=0) + np.array([0.0, lift / 2])
    keep(out / f"{name}.npz", whole, some)
    told = {"lift": lift, "always": float(np.mean(true == TIE)), **quality(rescaled(held, 1.0, lift), true)}
    print(name, f"{seeds} seeds, {len(true):,} games held out:", json.dumps(told), flush=True)


def by_seed(name: str, data: Path, out: Path, seed: int) -> tuple[Array, Array, Ints]:
    """What one seed makes of the fold, and its logits of the games that it held out, with their outcomes."""
    arm, criterion, _ = name.rsplit("-", 2)
    work = out / "work" / f"{name}-{seed}"
    work.mkdir(parents=True, exist_ok=True)
    sets = []
    for each in (criterion, *filter(None, [ALSO.get(arm, {}).get(criterion)])):
        learn, own = divided(name, outputs(data, each))
        if each == criterion:
            rows, some = ([seen(arm, row) for row in part] for part in (learn, own))
            learn = rows
        lines = "".join(json.dumps(row) + "\n" for row in learn)
        (work / f"{each}.jsonl").write_text(lines, encoding="utf-8")
        sets.append({"path": f"{each}.jsonl", "human": each, "name": each})
    config = {**CONFIG, **TRIALS[arm], "seed": seed, "data": sets}
    (work / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    folder = train(work / "config.yaml", work / "model").folder
    assert isinstance(folder.form, Comparator)
    told = {system: set(items) for system, items in folder.story["held_rows"][criterion].items()}
    spared = [row for row in rows if row["item"] in told.get(row["system"], ())]
    ones, others, outcomes = games(spared, criterion)
    made = folder.form.alone([Written(row["hypothesis"], row.get("source", "")) for row in (*spared, *some)])
    logits = davidson(made[ones], made[others])
    temperature, lift = calibrated(logits, outcomes)
    fold_made = made[len(spared) :] / temperature + np.array([0.0, lift / 2])
    return fold_made, rescaled(logits, temperature, lift), outcomes


def seen(arm: str, row: Row) -> Row:
    """What a comparator of the arm reads of a row; references would only tie the inputs together that share one."""
    hidden = ("source", "references") if arm in BLIND else ()
    return {key: value for key, value in row.items() if key not in hidden}


def games(rows: list[Row], criterion: str) -> tuple[Ints, Ints, Ints]:
    """Each two outputs that one judge saw together, and which had the higher score."""
    shown: dict[str, list[tuple[int, float]]] = {}
    for place, row in enumerate(rows):
        for judge, score in zip(row["raters"], row["ratings"][criterion], strict=True):
            shown.setdefault(judge, []).append((place, score))
    found = [
        (one, other, TIE if first == second else A if first > second else B)
        for own in shown.values()
        for (one, first), (other, second) in combinations(own, 2)
    ]
    ones, others, outcomes = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return ones, others, outcomes


def surest(logits: Array, outcomes: Ints) -> float:
    """What to add to ties for three-way accuracy: the best mean of three neighbours, so that no single one decides, and
    nothing where the gain is within one standard error."""
    hits = np.array([verdicts(softmax(rescaled(logits, 1.0, lift))) == outcomes for lift in LIFTS], dtype=float)
    smooth = np.convolve(hits.mean(axis=1), np.ones(3) / 3, "valid")
    best = 1 + int(smooth.argmax())
    gains = hits[best] - hits[len(LIFTS) // 2]
    return float(LIFTS[best]) if gains.mean() > gains.std() / np.sqrt(len(gains)) else 0.0


def keep(path: Path, made: Array, rows: list[Row]) -> None:
    """Write strengths and inclinations to tie."""
    with atomic_path(path, own=True) as new, new.open("wb") as file:
        np.savez_compressed(
            file,
            made=made.astype(np.float32),
            items=np.array([row["item"] for row in rows]),
            systems=np.array([row["system"] for row in rows]),
        )


def main(data: str, out: str, *wanted: str) -> None:
    """All that are wanted and not there; trials are made again where there are more seeds."""
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names():
        asked = any(name == each or (each[-1] == "-" and name.startswith(each)) for each in wanted)
        if name.rsplit("-", 2)[0] in TRIALS:
            if asked:
                tried(name, Path(data), Path(out), int(os.environ.get("SEEDS", "2")))
        elif (asked or not wanted) and not (Path(out) / f"{name}.npz").exists():
            learnt(name, Path(data), Path(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
