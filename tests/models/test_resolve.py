"""Names of models: aliases, paths, ids of the hub; what is missing is told with the line that gets it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from nlgauge import models
from nlgauge.errors import InputError, MissingModel
from nlgauge.lexicons import digests
from nlgauge.models import catalogue, resolve
from nlgauge.models.catalogue import ALIASES, ENTRIES, KINDS, OWN
from nlgauge.models.interface import ModelInfo


def folder(path: Path, weights: bytes = b"weights") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps({"model_type": "bert", "num_hidden_layers": 2}))
    (path / "model.safetensors").write_bytes(weights)
    return path


def test_a_spacy_model_by_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve.check("parser", "de_core_news_sm") is None
    assert "de_core_news_sm" in str(resolve.check("parser", "german"))
    with pytest.raises(InputError, match=r"the test needs a parser: .* 'owner/name' is none of these"):
        resolve.locate("owner/name", "parser", "the test")
    monkeypatch.setattr(resolve, "module_folder", lambda module: None)
    with pytest.raises(MissingModel, match="python -m spacy download de_core_news_sm"):
        resolve.locate("de_core_news_sm", "parser", "the test")
    monkeypatch.setattr(resolve, "module_folder", lambda module: tmp_path)
    with pytest.raises(InputError, match="no spaCy model"):
        resolve.locate("de_core_news_sm", "parser", "the test")
    (tmp_path / "de_core_news_sm-3.8.0").mkdir()
    (tmp_path / "de_core_news_sm-3.8.0" / "meta.json").write_text("{}")
    found = resolve.locate("de_core_news_sm", "parser", "the test")
    assert (found.revision, found.path.name) == ("3.8.0", "de_core_news_sm-3.8.0") and len(found.digest) == 64


def test_a_folder_that_is_no_spacy_model(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed: nothing that loads a folder")
    with pytest.raises(InputError, match=r"holds no spaCy model: there is no config\.cfg in it"):
        models.parser(str(tmp_path))
    (tmp_path / "config.cfg").write_text("[nlp")
    with pytest.raises(InputError, match="no spaCy model could be loaded from"):
        models.parser(str(tmp_path))


def test_the_catalogue_is_whole() -> None:
    assert {kind for entry in ENTRIES for kind in entry.kinds} <= set(KINDS)
    for entry in ENTRIES:
        assert entry.install == OWN or entry.install.startswith("pip install ")
        assert entry.about and entry.package
    extras = Path(__file__).resolve().parents[2].joinpath("pyproject.toml").read_text()
    for entry in ENTRIES:  # every install line gets the package it is for
        if entry.install == OWN:
            assert entry.package == "nlgauge"
            continue
        extra = entry.install.rpartition("nlgauge[")[2].partition("]")[0]
        line = next((line for line in extras.splitlines() if line.startswith(f"{extra} = [")), "")
        assert entry.package in line or entry.package in entry.install


def test_a_missing_model_is_one_sentence_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "module_folder", lambda module: None)
    with pytest.raises(MissingModel) as caught:
        resolve.locate("minilm", "contextual", "bertscore")
    assert str(caught.value) == (
        'bertscore needs the model minilm, which is not installed: pip install "nlgauge[neural]"'
    )


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogue, "module_folder", lambda module: tmp_path)
    monkeypatch.setattr(catalogue, "has", lambda module: module != "torch")
    with pytest.raises(MissingModel, match=r"runs on torch, which is not installed: pip install"):
        resolve.locate("minilm", "contextual", "bertscore")


def test_a_hub_model_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(
        MissingModel,
        match=r"needs the model some/model, which is not installed: nlgauge models get some/model",
    ):
        resolve.locate("some/model", "contextual", "bertscore")


def test_a_hub_model_is_found_in_the_hubs_cache(tmp_path: Path) -> None:
    base = tmp_path / "hub" / "hub" / "models--some--model"
    commit = "0123456789abcdef" * 2
    folder(base / "snapshots" / commit)
    (base / "refs").mkdir()
    (base / "refs" / "main").write_text(commit)
    found = resolve.locate("some/model", "contextual")
    assert found.path.name == commit and found.revision == commit[:12]
    assert resolve.locate(f"some/model:{commit}", "contextual").path == found.path
    with pytest.raises(MissingModel, match="models get some/model:v2"):
        resolve.locate("some/model:v2", "contextual")


def test_the_digest_follows_the_files_not_the_place(tmp_path: Path) -> None:
    one, same = folder(tmp_path / "one"), folder(tmp_path / "same")
    other = folder(tmp_path / "other", b"other weights")
    digests = [resolve.locate(str(path), "contextual").digest for path in (one, same, other)]
    assert digests[0] == digests[1] != digests[2] and len(digests[0]) == 64
    (one / "notes.md").write_text("no part of the model")
    (one / "pytorch_model.bin").write_bytes(b"the same weights once more")
    assert resolve.locate(str(one), "contextual").digest == digests[0]
    (one / "model.safetensors").write_bytes(b"trained on")
    assert resolve.locate(str(one), "contextual").digest != digests[0]


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        ("minilm", True),
        ("owner/name", True),
        ("owner/name:v1.0", True),
        ("roberta-large", True),
        ("bert-base-uncased", True),
        ("t5-small", True),
        ("no-such-value", False),
        ("glove", False),
        ("", False),
        ("a b/c", False),
        ("a/b/c", False),
    ],
)
def test_which_names_may_stand_in_a_spec(name: str, fine: bool) -> None:
    assert (resolve.check("contextual", name) is None) == fine


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="bertscore needs a contextual encoder, which glove is not; known: minilm"):
        resolve.locate("glove", "contextual", "bertscore")
    with pytest.raises(InputError, match="did you mean minilm"):
        resolve.locate("minilmm", "contextual", "bertscore")


def test_pickled_weights_of_the_hub_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / "hub" / "models--some--model"
    snapshot = base / "snapshots" / ("ab" * 20)
    folder(snapshot)
    (base / "refs").mkdir()
    (base / "refs" / "main").write_text("ab" * 20)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert resolve.locate("some/model", "contextual").path == snapshot
    for path in snapshot.glob("*.safetensors"):
        path.rename(path.with_name("pytorch_model.bin"))
    with pytest.raises(InputError, match=r"pickled ones \(\.bin\) of the hub are not read"):
        resolve.locate("some/model", "contextual")
    (snapshot / "model.onnx").touch()  # beside the .bin, which would be read
    with pytest.raises(InputError, match="pickled"):
        resolve.locate("some/model", "contextual")
    (snapshot / "pytorch_model.bin").rename(tmp_path / "pytorch_model.bin")
    assert resolve.locate("some/model", "contextual").path == snapshot
    (tmp_path / "pytorch_model.bin").rename(snapshot / "pytorch_model.bin")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr(resolve, "_fetched", lambda *given: str(snapshot))
    with pytest.raises(InputError, match="pickled"):
        resolve.download("some/model")


def test_downloading_is_refused_offline_and_for_names_that_are_none() -> None:
    with pytest.raises(InputError, match="HF_HUB_OFFLINE"):
        resolve.download("some/model")
    with pytest.raises(InputError, match="is no owner/name"):
        resolve.download("not a model")


def test_a_receipt_tells_of_precision_where_it_is_not_full() -> None:
    assert ModelInfo("minilm", "0.1.0", "ab" * 32, "torch").fact() == "minilm@0.1.0:abababababab"
    assert ModelInfo("minilm", "0.1.0", "ab" * 32, "torch", "bf16").fact().endswith(":bf16")
    assert "minilm" in ALIASES


@pytest.mark.parametrize("damage", [b"", b"caf\xe9", b"hello\n"])
def test_a_damaged_note_of_a_digest_is_made_anew(
    damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(digests, "SETTLED", -1.0)  # the files are as new as can be
    where = folder(tmp_path / "model")
    whole = resolve.Located("model", where, "path").digest
    (note,) = (tmp_path / "cache" / "digests").iterdir()
    note.write_bytes(damage)
    assert resolve.Located("model", where, "path").digest == whole == note.read_text()


@pytest.mark.parametrize("settled", [-1.0, 2.0])
def test_a_file_changed_with_its_time_kept_has_another_digest(
    settled: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(digests, "SETTLED", settled)
    file = tmp_path / "glove.txt"
    file.write_text("a 0.5 1.0")
    before, was = digests.digest_of([file]), file.stat()
    time.sleep(0.02)  # more than a tick of the clock by which files are dated
    file.write_text("a 0.5 2.0")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)
    assert digests.digest_of([file]) != before


def test_a_digest_is_kept_once_its_files_have_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "glove.txt"
    file.write_text("a 0.5 1.0")
    digests.digest_of([file])
    assert not (tmp_path / "cache").exists()  # written this moment
    monkeypatch.setattr(digests, "SETTLED", -1.0)
    digests.digest_of([file])
    assert len(list((tmp_path / "cache" / "digests").iterdir())) == 1
