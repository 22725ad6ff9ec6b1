"""Classifiers by an encoder: a tiny network made on the spot learns letters, alone and in pairs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from nlgauge.learned.classifier import open_classifier
from nlgauge.training.classifier import ClassifierTraining
from nlgauge.training.classifier_encoder import Encoder
from nlgauge.training.config import Data, Split
from nlgauge.training.run import train

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)


def rows(many: int) -> list[dict[str, Any]]:
    """Three sources with a letter of their own."""
    random = Random(1)
    return [
        {
            "item": f"i{number}",
            "system": "xyz"[number % 3],
            "hypothesis": " ".join([*random.choices("abcdefgh", k=4), "xyz"[number % 3], *random.choices("abcd", k=2)]),
            "source": " ".join(random.choices("abcdefgh", k=5)),
        }
        for number in range(many)
    ]


def training(folder: Path, **more: Any) -> ClassifierTraining:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(300)), encoding="utf-8")
    network = more.pop("network", {})
    encoder = tiny_bert(folder / "bert", layers=1, **network)
    settings = {"longest": 40, "batch": 16, "epochs": 6, "rate": 0.01, "dropout": 0.0, **more.pop("body", {})}
    return ClassifierTraining(
        name="letters",
        data=(Data(path="rows.jsonl"),),
        split=Split(held=0.25),
        label="system",
        body=Encoder(encoder=str(encoder), **settings),
        **more,
    )


# The second is run by PyTorch: the activation is not BERT's.
@pytest.mark.parametrize("network", [{}, {"hidden_act": "relu"}])
def test_three_sources_are_told_apart_in_any_process(tmp_path: Path, network: dict[str, str]) -> None:
    found = train(training(tmp_path, network=network), tmp_path / "main", beside=tmp_path)
    assert found.figures["held_out"]["accuracy"] > 0.9
    main = open_classifier(tmp_path / "main")
    assert main.labels == ("x", "y", "z")
    asked = ["a b c d x a b", "a g c h y d c", "d e f b z a c"]
    chances = main.probabilities(asked)
    assert chances.sum(axis=1) == pytest.approx(np.ones(3))
    assert main.decisions(asked) == ["x", "y", "z"]
    code = (
        "import sys, json; from nlgauge.learned.classifier import open_classifier\n"
        "print(json.dumps(open_classifier(sys.argv[1]).probabilities(sys.argv[2:]).tolist()))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "main"), *asked],
        capture_output=True,
        text=True,
        check=True,
    )
    assert np.array(json.loads(ran.stdout)) == pytest.approx(chances, abs=1e-6)


def test_pairs_are_read_together(tmp_path: Path) -> None:
    found = train(training(tmp_path, reads="pair", body={"epochs": 3}), tmp_path / "pair", beside=tmp_path)
    assert found.figures["held_out"]["accuracy"] > 0.8
    pair = open_classifier(tmp_path / "pair")
    assert pair.decisions(["a b c d e"] * 2, ["a b c d x a b", "h e f b z a c"]) == ["x", "z"]
    assert {row["label"] for row in found.figures["by_class"]} == {"x", "y", "z"}


def test_an_interrupted_training_goes_on(tmp_path: Path) -> None:
    plan = training(tmp_path, body={"epochs": 2, "every": 5})
    whole = train(plan, tmp_path / "whole", beside=tmp_path)

    class StopError(Exception):
        pass

    def progress(what: str, done: int, total: int) -> None:
        if what == "steps" and done >= 20:
            raise StopError

    with pytest.raises(StopError):
        train(plan, tmp_path / "half", beside=tmp_path, progress=progress)
    assert not (tmp_path / "half").exists()
    seen: list[int] = []
    again = train(plan, tmp_path / "half", beside=tmp_path, progress=lambda what, done, total: seen.append(done))
    assert seen[0] == 30  # the first that is told after step 20
    assert again.folder.digest == whole.folder.digest
