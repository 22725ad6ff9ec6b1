"""Encoders of which only the upper layers learn, over one that ships: what is kept, and what stays as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.learned.comparator import Comparator, Written
from nlgauge.learned.folder import Folder, open_folder
from nlgauge.learned.paired import BASES, base
from nlgauge.models.weights import read
from nlgauge.training.run import train

pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
TEXTS = ["a fine red boat", "boat boat boat", "the boat is red and fine", "no"]
SCORE = """
import sys
from pathlib import Path
from nlgauge.learned.comparator import Written
from nlgauge.learned.folder import open_folder
print(open_folder(Path(sys.argv[1])).form.alone([Written(text, "a boat") for text in sys.argv[2:]]).tolist())
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))


def learnt(folder: Path, more: str) -> Folder:
    rows = [
        {"item": f"i{item}", "system": f"s{place}", "source": f"boat {item}", "hypothesis": f"{text} {item}"}
        | {"ratings": {"quality": [float(place)]}}
        for item in range(12)
        for place, text in enumerate(TEXTS)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "config.yaml").write_text(
        "kind: comparator\nname: upper\ndata: [{path: rows.jsonl, human: quality}]\nstrong: false\nweak: false\n"
        f"epochs: 1\nbatch: 32\nlongest: 32\nrate: 1e-3\n{more}",
        encoding="utf-8",
    )
    return train(folder / "config.yaml", folder / "upper").folder


@pytest.mark.parametrize("name", BASES)
def test_only_the_upper_layer_learns_and_is_kept(name: str, tmp_path: Path) -> None:
    folder = learnt(tmp_path, f"encoder: {name}\nlayers: 1\n")
    form = folder.form
    assert isinstance(form, Comparator) and form.over == name
    stored = read(tmp_path / "upper" / "weights.safetensors")
    assert {each.split(".")[2] for each in stored if each.startswith("encoder.")} == {"5"}
    assert not any(each.startswith("embeddings.") for each in stored)
    assert (tmp_path / "upper" / "weights.safetensors").stat().st_size < 2_000_000
    under = base(name).weights
    for each, values in form.weights.items():
        if each.startswith(("embeddings.", "encoder.layer.0.", "encoder.layer.4.")):
            assert np.array_equal(values, under[each])
    assert any(not np.array_equal(form.weights[each], under[each]) for each in stored if each in under)
    here = form.alone([Written(text, "a boat") for text in TEXTS])
    told = subprocess.run(
        [sys.executable, "-c", SCORE, str(tmp_path / "upper"), *TEXTS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert np.array(json.loads(told.stdout)) == pytest.approx(here, abs=1e-6)


def test_an_encoder_that_was_changed_since_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt(tmp_path, "encoder: reader\nlayers: 1\n")
    monkeypatch.setattr("nlgauge.learned.paired.base", lambda name: base("nlgauge-mt"))
    with pytest.raises(InputError, match="was learnt over another reader than is installed; train it again"):
        open_folder(tmp_path / "upper")


def test_all_layers_of_a_shipped_encoder_may_learn_and_are_then_kept(tmp_path: Path) -> None:
    folder = learnt(tmp_path, "encoder: nlgauge-mt\n")
    assert isinstance(folder.form, Comparator) and folder.form.over == ""
    assert "embeddings.word_embeddings.weight" in read(tmp_path / "upper" / "weights.safetensors")


def test_more_layers_than_there_are_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="layers is 9, and reader has 6; leave layers out"):
        learnt(tmp_path, "encoder: reader\nlayers: 9\n")


def test_no_other_encoder_lies_under_one() -> None:
    with pytest.raises(
        InputError, match="nubia is no encoder that others are learnt over; expected reader or nlgauge-mt"
    ):
        base("nubia")
