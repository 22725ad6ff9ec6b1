"""Trained metrics among the features of another: one folder holds all of it, wherever it lies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from nlgauge import receipt
from nlgauge.errors import InputError
from nlgauge.learned.folder import open_folder, seal
from nlgauge.learned.trained import Trained
from nlgauge.training.run import read_config, train

OUTPUTS, REFERENCES = ["the old dog sings"], [["the dog sings"]]


@pytest.fixture
def nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a metric over chrf and another trained metric, named by a path from the current folder."""
    random, words = Random(1), ["the", "old", "dog", "sings", "under", "bridges"]
    with (tmp_path / "judged.jsonl").open("w", encoding="utf-8") as file:
        for item in range(40):
            said = random.choices(words, k=6)
            row = {"item": str(item), "system": "one", "hypothesis": " ".join(said)}
            row |= {"references": [" ".join(random.choices(words, k=6))], "ratings": {"q": [random.random()]}}
            file.write(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    for name, features in (("inner", "rougeL"), ("outer", '"trained(model=inner)", chrf')):
        Path("config.yaml").write_text(
            f"kind: features\nname: {name}\ndata:\n  - {{path: judged.jsonl, human: q}}\nfeatures: [{features}]\n"
        )
        train(read_config("config.yaml"), name)
    return tmp_path / "outer"


def test_the_folder_scores_alike_elsewhere_and_after_it_was_moved(nested: Path, tmp_path: Path) -> None:
    here = Trained(model=str(nested)).corpus(OUTPUTS, REFERENCES)
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(nested, tmp_path / "elsewhere" / "renamed")
    shutil.rmtree(tmp_path / "inner")
    code = (
        "import json, sys; from nlgauge.learned.trained import Trained;"
        "print(repr(Trained(model=sys.argv[1]).corpus(*json.loads(sys.argv[2]))))"
    )
    for path, folder in ((str(moved), "/"), ("renamed", str(tmp_path / "elsewhere"))):
        said = subprocess.run(
            [sys.executable, "-c", code, path, json.dumps((OUTPUTS, REFERENCES))],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert float(said.stdout) == here


def test_another_metric_in_its_place_is_refused(nested: Path, tmp_path: Path) -> None:
    digest = open_folder(nested).digest
    inner = open_folder(tmp_path / "inner").digest
    assert json.loads((nested / "metric.json").read_text())["settings"]["within"]["0"]["digest"] == inner
    told = nested / "within" / "0" / "metric.json"
    told.write_text(told.read_text().replace('"inner"', '"other"'))
    seal(told.parent)
    with pytest.raises(InputError, match="is not the metric that was trained with"):
        open_folder(nested)
    shutil.rmtree(nested / "within")
    with pytest.raises(InputError, match="within/0 is missing"):
        open_folder(nested)
    assert digest != inner


def test_receipts_and_explanations_name_it_without_its_place(nested: Path) -> None:
    metric = Trained(model=str(nested))
    fact = receipt.write(metric, {}).partition("|model=")[2]
    assert "outer:" in fact and "+inner:" in fact and str(nested.parent) not in fact
    told = metric.explain(OUTPUTS[0], REFERENCES[0])
    assert [figure.name for figure in told.figures] == ["an average text", "inner", "chrf", "prediction"]
