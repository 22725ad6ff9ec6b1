"""Packaged models: their files are those that were published, or they are not run under the package's name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nlgauge import models
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.models import catalogue, resolve
from nlgauge.models.catalogue import ALIASES, ENTRIES


@pytest.mark.parametrize("alias", [entry.alias for entry in ENTRIES if not entry.lacking()])
def test_the_files_installed_here_are_known(alias: str) -> None:
    """Where a package was raised: python tools/known_models.py, after a look at what changed."""
    found = resolve.locate(alias, ALIASES[alias].kinds[0])
    assert found.standing == "known"
    assert found.by_file() == resolve.table()[alias][found.revision]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packaged reader, in a folder of our own."""
    folder = tmp_path / "reader"
    shutil.copytree(resolve.locate("reader", "entailment").path, folder)
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    elsewhere = catalogue.module_folder
    monkeypatch.setattr(
        catalogue, "module_folder", lambda module: folder if module.endswith("reader") else elsewhere(module)
    )
    return folder


def test_changed_weights_are_refused_loudly_and_run_only_by_their_path(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert resolve.locate("reader", "entailment").standing == "known"
    weights = package / "weights.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(InputError, match=r"weights.safetensors differs.*install nlgauge again.*name its path"):
        models.entailment("reader")
    assert main(["models", "check", "reader"]) == 2
    assert "not as it was published" in capsys.readouterr().err
    assert main(["models", "list", "--json"]) == 0
    listed = {row["alias"]: row["files"] for row in json.loads(capsys.readouterr().out)["models"]}
    assert listed["reader"] == "changed"
    assert models.entailment(str(package)).info.fact().endswith(":unknown")


def test_a_file_that_lacks_is_named_and_another_version_is_unknown(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package / "vocab.txt").unlink()
    with pytest.raises(InputError, match=r"vocab.txt differs"):
        _ = resolve.locate("reader", "entailment").digest
    monkeypatch.setattr(catalogue, "version", lambda package: "99")
    assert resolve.locate("reader", "entailment").standing == "unknown"


def test_the_fact_of_a_packaged_model_says_that_its_files_are_known() -> None:
    name, digest, files = models.entailment("reader").info.fact().split(":")
    assert name.startswith("reader@") and len(digest) == 12 and files == "known"
