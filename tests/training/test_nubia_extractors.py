"""NUBIA's extractors exchanged for other models: trained, scored, and opened again by a new process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from nlgauge.learned.trained import Nubia
from nlgauge.training.run import read_config, train

pytest.importorskip("torch", reason="torch is not installed: no tiny models")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert, tiny_causal

TEXTS = [("a b c d", "a b c d"), ("a z z d", "a b c d"), ("z z", "e f g"), ("g f e", "e f g")]
LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}
AGAIN = """
import json, sys
from nlgauge.learned.trained import Nubia
texts = json.loads(sys.argv[2])
print(Nubia(model=sys.argv[1]).segments([one for one, _ in texts], [[other] for _, other in texts]).tolist())
"""


def rated(path: Path) -> None:
    """Letters, some of them replaced by z; rated by how few were."""
    random = Random(1)
    with path.open("w", encoding="utf-8") as file:
        for item in range(80):
            reference = [random.choice("abcdefg") for _ in range(4 + item % 4)]
            kept = random.random()
            words = [word if random.random() < kept else "z" for word in reference]
            row = {
                "item": str(item),
                "system": "one",
                "hypothesis": " ".join(words),
                "references": [" ".join(reference)],
                "ratings": {"quality": [sum(word != "z" for word in words) / len(words)]},
            }
            file.write(json.dumps(row) + "\n")


def test_other_models_behind_the_features_are_learnt_with_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    encoder = tiny_bert(tmp_path / "encoder")
    classifier = tiny_bert(
        tmp_path / "classifier",
        network="BertForSequenceClassification",
        id2label=LABELS,
        label2id={label: number for number, label in LABELS.items()},
    )
    causal = tiny_causal(tmp_path / "causal", [*"abcdefgz"])
    rated(tmp_path / "rated.jsonl")
    features = [
        f"sim(model={encoder})",
        *(f"entailment(model={classifier},output={label})" for label in LABELS.values()),
        *(f"perplexity(model={causal},output={output})" for output in ("token", "reftoken")),
        *("length", "length(of=reference)"),
    ]
    path = tmp_path / "nubia.yaml"
    path.write_text(
        "kind: features\nname: swapped\ndata: [{path: rated.jsonl, human: quality}]\n"
        f"features: {json.dumps(features)}\n"
        "learner: {kind: network, hidden: [10], epochs: 30}\nscaled: true\nnormalised: true\nclipped: true\n",
        encoding="utf-8",
    )
    folder = train(read_config(path), tmp_path / "kept", beside=tmp_path).folder  # type: ignore[arg-type]
    metric = Nubia(model=str(folder.path))
    assert {Path(model).name for _, model in metric.models} == {"encoder", "classifier", "causal"}
    found = metric.segments([one for one, _ in TEXTS], [[other] for _, other in TEXTS]).tolist()
    assert found[0] == pytest.approx(1.0) and len(set(found)) > 2
    again = subprocess.run(
        [sys.executable, "-c", AGAIN, str(folder.path), json.dumps(TEXTS)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(again.stdout) == found
