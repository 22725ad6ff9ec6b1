"""Trials of comparators on E2E: several seeds averaged, ties set on games that were held out, and no input read."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.learned.comparator import TIE, A, B, softmax

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "models"), str(HERE.parents[2] / "tools")]
import comparator_folds as folds  # noqa: E402
from tiny_models import tiny_bert  # noqa: E402


def write(folder: Path) -> None:
    """Five systems that lose fewer letters from one to the next, judged side by side by both criteria."""
    random = Random(1)
    rows: list[dict[str, Any]] = []
    for item in range(60):
        for system in range(5):
            words = [letter if random.random() < system / 4 else "z" for letter in random.choices("abcdefg", k=5)]
            words += "abcdefg"[item % 7], "abcdefg"[item // 7 % 7], "abcdefg"[item // 49]
            rows.append({"item": f"i{item}", "system": f"s{system}", "hypothesis": " ".join(words)})
    with gzip.open(folder / folds.FLAT, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({**row, "references": ["a b c"]}) + "\n" for row in rows)
    with gzip.open(folder / folds.SETS, "wt", encoding="utf-8") as file:
        for criterion in folds.CRITERIA:
            for item in range(60):
                own = [row for row in rows if row["item"] == f"i{item}"]
                shown = {
                    "systems": [row["system"] for row in own],
                    "hypotheses": [row["hypothesis"] for row in own],
                }
                scores = [float(sum(word != "z" for word in row["hypothesis"].split()) // 2) for row in own]
                about = {"dataset": f"e2e17/{criterion}", "item": f"i{item}", "ratings": {criterion: scores}}
                file.write(json.dumps({**about, **shown}) + "\n")


def test_seeds_are_averaged_and_more_of_them_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    write(tmp_path)
    tiny_bert(tmp_path / "bert")
    small = {"encoder": str(tmp_path / "bert"), "batch": 16, "longest": 40, "rate": 0.003, "epochs": 2}
    monkeypatch.setattr(folds, "CONFIG", {**folds.CONFIG, **small})
    out = tmp_path / "out"
    for seeds in ("1", "2"):
        monkeypatch.setenv("SEEDS", seeds)
        folds.main(str(tmp_path), str(out), "plain-both-naturalness-0")
    assert "2 seeds" in capsys.readouterr().out
    assert len(list((out / "seeds").iterdir())) == 2 and len(list(out.glob("*.npz"))) == 1
    with np.load(out / "plain-both-naturalness-0.npz") as kept:
        made, items = kept["made"], set(kept["items"].tolist())
        strengths = [made[kept["systems"] == f"s{system}", 0].mean() for system in range(5)]
    assert items == {f"i{item}" for item in range(60) if folds.fold(f"i{item}", 5) == 0}
    assert strengths[4] > strengths[0]
    learnt = [
        json.loads(line)
        for name in folds.CRITERIA
        for line in (out / "work" / "plain-both-naturalness-0-1" / f"{name}.jsonl").read_text().splitlines()
    ]
    assert not items & {row["item"] for row in learnt}  # of no criterion
    assert all(("source" in row) == ("quality" in row["ratings"]) for row in learnt)


def test_the_worth_of_a_tie_is_that_of_highest_accuracy() -> None:
    draw = np.random.default_rng(1)
    logits = draw.normal(size=(4000, 3))
    outcomes = (logits + np.array([0.0, 0.0, 0.5])).argmax(axis=1)
    assert folds.surest(logits, outcomes) == pytest.approx(0.5, abs=0.051)
    likely = np.array([draw.choice(3, p=chances) for chances in softmax(logits)])
    assert folds.surest(logits, likely) == 0  # which are calibrated: nothing is gained for sure


def test_games_are_those_of_one_judge() -> None:
    rows = [
        {"raters": ["x", "y"], "ratings": {"quality": [3.0, 1.0]}},
        {"raters": ["x"], "ratings": {"quality": [2.0]}},
        {"raters": ["y", "z"], "ratings": {"quality": [1.0, 9.0]}},
    ]
    ones, others, outcomes = folds.games(rows, "quality")
    assert sorted(zip(ones.tolist(), others.tolist(), outcomes.tolist(), strict=True)) == [
        (0, 1, A),
        (0, 2, TIE),
    ]
    assert B not in outcomes
