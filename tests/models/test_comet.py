"""COMET from checkpoints in the layout its authors publish, made on the spot."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_checkpoints import TEXTS, needed, tiny_comet

from nlgauge import receipt
from nlgauge.cli import main
from nlgauge.errors import InputError, MissingModel, SpecError
from nlgauge.metrics.comet import Comet
from nlgauge.metrics.spec import parse
from nlgauge.models import catalogue, comet, runtime

SOURCES, OUTPUTS, REFERENCES = TEXTS, TEXTS[1:] + TEXTS[:1], TEXTS[3:] + TEXTS[:3]
QE = {"class_identifier": "referenceless_regression_metric", "hidden_sizes": [9, 4, 3]}
# Settings, and what unbabel-comet 2.2.7 (transformers 4.57, PyTorch 2.13) says with the same weights.
RECORDED: list[tuple[dict[str, Any], list[float]]] = [
    ({}, [0.0875536, 0.147037, 0.1364265, 0.1655681, 0.0618494, 0.1062524, 0.1346675]),
    ({"kind": "BERT"}, [0.3286696, 0.4014005, 0.0263831, 0.0563615, 0.0237479, 0.1555931, 0.3778326]),
    (
        {"layer_transformation": "softmax"},
        [-0.0487382, 0.0019531, 0.0097714, -0.0041872, -0.1058472, -0.0777174, -0.030105],
    ),
    (
        {"layer_transformation": "sparsemax_patch", "layer_norm": False, "kind": "BERT"},
        [0.0135632, -0.0939673, -0.1243936, -0.1455457, -0.1446359, -0.0098228, -0.0758974],
    ),
    (
        {"pool": "max", "final_activation": "Sigmoid"},
        [0.5436691, 0.5319577, 0.5129278, 0.5224532, 0.5191596, 0.5395876, 0.5445303],
    ),
    (
        {"pool": "cls", "layer": 2, "activations": "Sigmoid"},
        [-0.437636, -0.439086, -0.4406, -0.4400988, -0.439821, -0.4398705, -0.4364233],
    ),
    (QE, [-0.1883386, -0.1867767, -0.1887633, -0.1841069, -0.1868435, -0.1865049, -0.187995]),
]


def scored(metric: Comet) -> Any:
    given = [[text] for text in REFERENCES] if "references" in metric.needs else None
    return metric.segments(OUTPUTS, given, sources=SOURCES)


@pytest.mark.parametrize(("settings", "expected"), RECORDED)
def test_scores_are_those_of_unbabel_comet(tmp_path: Path, settings: dict[str, Any], expected: list[float]) -> None:
    metric = Comet(model=str(tiny_comet(tmp_path / "tiny", **settings)))
    assert scored(metric) == pytest.approx(expected, abs=2e-6)
    (remark,) = metric.remarks()
    assert remark.startswith("1 text longer than the ") and metric.remarks() == []


@pytest.mark.parametrize("settings", [settings for settings, _ in RECORDED])
def test_the_package_itself_says_the_same(tmp_path: Path, settings: dict[str, Any]) -> None:
    live = pytest.importorskip("comet", reason="unbabel-comet is not installed: nothing to compare with")
    transformers = needed("transformers")
    if not transformers.__version__.startswith("4."):
        pytest.skip("unbabel-comet 2.2.7 runs on transformers 4 only")
    folder = tiny_comet(tmp_path / "tiny", **settings)
    rows = [
        {"src": source, "mt": output, "ref": reference}
        for source, output, reference in zip(SOURCES, OUTPUTS, REFERENCES, strict=True)
    ]
    model = live.load_from_checkpoint(str(folder / "checkpoints" / "model.ckpt"))
    told = model.predict(rows, batch_size=3, gpus=0, progress_bar=False, num_workers=1)
    metric = Comet(model=str(folder))
    assert scored(metric) == pytest.approx(told.scores, abs=1e-5)
    given = [[text] for text in REFERENCES]
    assert metric.corpus(OUTPUTS, given, sources=SOURCES) == pytest.approx(told.system_score, abs=1e-5)


def test_sparsemax_is_the_nearest_point_of_the_simplex() -> None:
    assert list(comet.sparsemax(np.array([0.5, 0.1, -2.0]))) == pytest.approx([0.7, 0.3, 0.0])
    assert list(comet.sparsemax(np.array([3.0, 0.0]))) == [1.0, 0.0]
    assert list(comet.softmax(np.array([0.0, np.log(3)]))) == pytest.approx([0.25, 0.75])


def test_batches_and_kept_vectors_change_nothing_and_the_best_reference_counts(tmp_path: Path) -> None:
    metric = Comet(model=str(tiny_comet(tmp_path / "tiny")))
    with runtime.use(embeddings="off", batch_tokens=1):
        alone = scored(metric)
    assert alone == pytest.approx(RECORDED[0][1], abs=2e-6)
    first, again = scored(metric), scored(metric)
    assert np.array_equal(first, again)
    each = [metric.segments(["wind"], [[text]], sources=["rain"])[0] for text in REFERENCES]
    assert metric.segments(["wind"], [REFERENCES], sources=["rain"])[0] == max(each)


def test_the_encoder_lies_beside_the_checkpoint_or_where_it_is_asked_for(tmp_path: Path) -> None:
    folder = tiny_comet(tmp_path / "tiny", pretrained_model="xlm-roberta-large")
    expected = scored(Comet(model=str(folder)))
    (folder / "encoder").rename(tmp_path / "base")
    with pytest.raises(MissingModel, match=r"tokeniser of xlm-roberta-large, .* nlgauge models get xlm-rob"):
        scored(Comet(model=str(folder)))
    metric = Comet(model=str(folder), encoder=str(tmp_path / "base"))
    assert np.array_equal(scored(metric), expected) and parse(str(metric)) == metric
    (tmp_path / "base" / "config.json").unlink()
    with pytest.raises(InputError, match=r"holds no encoder: config\.json and a tokeniser are needed"):
        scored(metric)


def test_the_receipt_follows_weights_and_tokeniser(tmp_path: Path) -> None:
    folder = tiny_comet(tmp_path / "tiny")

    def digest() -> str:
        return receipt.read_by([Comet(model=str(folder))])["model"].split(":")[1]

    found = [digest()]
    with (folder / "encoder" / "tokenizer.json").open("a") as file:
        file.write(" ")
    found.append(digest())
    shutil.rmtree(folder)
    tiny_comet(folder, hidden_sizes=[3])
    found.append(digest())
    assert len(set(found)) == 3


def test_a_checkpoint_without_references_asks_for_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, data = tiny_comet(tmp_path / "qe", **QE), tmp_path / "set.jsonl"
    row = {"item": "1", "system": "a", "hypothesis": OUTPUTS[0], "source": SOURCES[0]}
    data.write_text(json.dumps(row) + "\n")
    assert main(["score", str(data), "-m", f"comet(model={folder})", "--json"]) == 0
    assert "-0.188" in capsys.readouterr().out
    usual = tiny_comet(tmp_path / "usual")
    assert main(["score", str(data), "-m", f"comet(model={usual})"]) == 2
    assert "reference" in capsys.readouterr().err
    del row["source"]
    data.write_text(json.dumps({**row, "references": ["rain"]}) + "\n")
    assert main(["score", str(data), "-m", f"comet(model={usual})"]) == 2
    assert "source" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("hparams.yaml", "is no checkpoint of COMET: there is no hparams.yaml in it\n"),
        ("checkpoints/model.ckpt", "is no whole checkpoint of COMET: it lacks checkpoints/model.ckpt\n"),
    ],
)
def test_a_folder_without_one_of_its_files_is_refused_at_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lacking: str, said: str
) -> None:
    folder, data = tiny_comet(tmp_path / "tiny"), tmp_path / "set.jsonl"
    (folder / lacking).unlink()
    row = {"item": "1", "system": "a", "hypothesis": "rain", "source": "Regen", "references": ["rain"]}
    data.write_text(json.dumps(row) + "\n")
    assert main(["score", str(data), "-m", f"comet(model={folder})"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and said in told.err and told.err.count("\n") == 1


class Harm:
    """What a pickle could do."""

    def __reduce__(self) -> Any:
        return print, ("harm",)


def test_pickles_that_run_something_or_lack_something_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_comet(tmp_path / "tiny")
    torch = needed("torch")
    whole = torch.load(folder / "checkpoints" / "model.ckpt", weights_only=True)
    torch.save({"state_dict": {}, "callbacks": Harm()}, folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="cannot be read without running what it holds"):
        comet.comet(str(folder))
    assert "harm" not in capsys.readouterr().out
    torch.save([1], folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="there is no state_dict in it"):
        comet.comet(str(folder))
    torch.save({"state_dict": {}}, folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match="does not hold the weights of COMET"):
        comet.comet(str(folder))
    del whole["state_dict"]["encoder.model.encoder.layer.1.output.dense.weight"]
    torch.save(whole, folder / "checkpoints" / "model.ckpt")
    with pytest.raises(InputError, match=r"no whole checkpoint: it has no weights for encoder\.layer\.1\.output"):
        comet.comet(str(folder))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"encoder_model": "MiniLM"}, "has the encoder_model MiniLM; read are XLM-RoBERTa, BERT"),
        ({"pool": "default"}, "has the pool default; read are avg, max, cls"),
        ({"activations": "Softplus"}, "has the activations Softplus; read are tanh, sigmoid"),
        ({"layer": 9}, "asks for layer 9, which its encoder does not have"),
        ({"layer": "last"}, "has the layer 'last'; read are mix and the number of one"),
    ],
)
def test_settings_that_are_not_read_are_named(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    folder = tiny_comet(tmp_path / "tiny", **settings)
    with pytest.raises(InputError, match=said):
        comet.comet(str(folder))


def test_what_is_no_checkpoint_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SpecError, match="must be the folder of a checkpoint"):
        parse("comet(model=no-such-folder)")
    with pytest.raises(MissingModel, match="comet needs a checkpoint, which is not installed"):
        comet.comet("none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"there is no hparams.yaml in it"):
        comet.comet(str(tmp_path / "empty"))
    folder = tiny_comet(tmp_path / "tiny")
    settings = folder / "hparams.yaml"
    kept = settings.read_text()
    settings.write_text("class_identifier: unified_metric\n")
    with pytest.raises(InputError, match="whose class_identifier is unified_metric; read are regression_metric"):
        comet.comet(str(folder))
    settings.write_text(kept.replace("regression_metric", "referenceless_regression_metric"))
    with pytest.raises(InputError, match="a network that does not fit its class_identifier"):
        comet.comet(str(folder))
    settings.write_text("class_identifier: regression_metric\n: [")
    with pytest.raises(InputError, match="cannot be read as settings"):
        comet.comet(str(folder))
    settings.write_text(kept)
    (folder / "checkpoints" / "model.ckpt").unlink()
    with pytest.raises(InputError, match=r"it lacks checkpoints/model\.ckpt"):
        comet.comet(str(folder))
    (folder / "checkpoints" / "model.ckpt").write_text("")
    monkeypatch.setattr(catalogue.util, "find_spec", lambda name: None)
    with pytest.raises(MissingModel, match=r'needs torch and .*pip install "nlgauge\[checkpoints\]"'):
        comet.comet(str(folder))
