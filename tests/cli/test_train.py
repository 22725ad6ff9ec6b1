"""nlgauge train: a tiny reader from a few dozen pairs, read back by NumPy; and what is refused."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.cli import main
from nlgauge.models import entailment
from nlgauge.models.reader import reader

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert

LABELS = {"entailment": "a", "neutral": "b", "contradiction": "c"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def data(folder: Path, pairs: int = 135) -> tuple[Path, Path]:
    """Pairs whose label is the letter of the hypothesis, and wordings that steer where they hold an x."""
    chance = random.Random(1)

    def text() -> str:
        return " ".join(chance.choices("defghi", k=chance.randrange(4, 8)))

    snli, wordings = folder / "snli", folder / "wordings"
    for path in (snli, wordings):
        path.mkdir(parents=True)
    for name, number in (("train", pairs), ("test", 30)):
        rows = []
        for place in range(number):
            label = list(LABELS)[place % 3]
            rows.append({"sentence1": text(), "sentence2": " ".join(LABELS[label] * 3), "gold_label": label})
        rows.append({"sentence1": "d", "sentence2": "e", "gold_label": "-"})
        (snli / f"snli_{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("learn", "held"):
        rows = [{"text": f"{text()} {name[0]}", "biased": False, "kind": "neutral"} for _ in range(12)]
        rows += [{"text": f"x {text()} {name[0]}", "biased": True, "kind": "loaded"} for _ in range(12)]
        (wordings / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return snli, wordings


def options(snli: Path, wordings: Path, out: Path, *more: str) -> list[str]:
    return ["train", "reader", "--snli", str(snli), "--wordings", str(wordings), "-o", str(out), *more]


@pytest.mark.slow
def test_a_reader_is_trained_and_runs_without_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encoder = tiny_bert(tmp_path / "encoder", places=64)
    snli, wordings = data(tmp_path)
    out = tmp_path / "made"
    given = ["--encoder", str(encoder), "--epochs", "10", "--held-pairs", "15", "--batch", "8", "--json"]
    held = ["--held", str(wordings / "held.jsonl"), "--learning-rate", "0.003", "--seed", "2"]
    assert main(options(snli, wordings, out, *given, *held)) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert "epoch 10 of 10: " in said.err and "accuracy" in said.err
    assert found["pairs"] == {"train": 120, "held": 15, "test": 30}
    assert found["wordings"] == {"train": 24, "held": 24} and found["recipe"]["learning_rate"] == 0.003
    assert found["test_accuracy_packed"] > 0.6  # it has learnt the letters
    # the weights as written, on NumPy, say of the test file what the library said
    arguments = ["models", "check", str(out), "--pairs", str(snli / "snli_test.jsonl"), "--json"]
    assert main(arguments) == 0
    (checked,) = json.loads(capsys.readouterr().out)["models"]
    assert (checked["pairs"], checked["unlabelled"], checked["backend"]) == (30, 1, "numpy")
    assert checked["accuracy"] == pytest.approx(found["test_accuracy_packed"])
    assert same_as_the_library(out, encoder) < 1e-4
    assert main(options(snli, wordings, out, *given)) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--epochs", "3"],
            "--epochs is an option of nlgauge train reader; metric.yaml says it by its own keys",
        ),
        (["--held", "x"], "--held is an option of nlgauge train reader"),
        (["--recipe", "ruber"], "--recipe prints a recipe and trains nothing; leave metric.yaml out"),
        (["--cache", "kept"], "--cache is where features are kept, and kind vectors here has none"),
        (["-o", "metric.yaml/made"], "cannot write metric.yaml/made: metric.yaml is a file, not a folder"),
    ],
)
def test_options_that_would_change_nothing_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("metric.yaml").write_text("kind: vectors\nname: x\ndata: [{path: no.jsonl, human: y}]\n")
    assert main(["train", "metric.yaml", "-o", "made", *words]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["metric.yaml"]
    assert main(["train", "--recipes", "--seed", "3"]) == 2
    assert "--seed says how to train, and a recipe is only printed here" in capsys.readouterr().err


def test_a_file_of_kind_reader_says_what_the_short_form_says(tmp_path: Path) -> None:
    import argparse

    from nlgauge.cli.arguments import add
    from nlgauge.cli.commands import train
    from nlgauge.training.run import read_config

    path = tmp_path / "reader.yaml"
    path.write_text(
        "kind: reader\nsnli: snli\nwordings: [wordings]\nheld: [wordings/held.jsonl]\nepochs: 2\n"
        "learning_rate: 0.003\nheld_pairs: 15\nencoder: encoder\n"
    )
    parser = argparse.ArgumentParser()
    add(parser, train.ARGUMENTS)
    given = ["--epochs", "2", "--learning-rate", "0.003", "--held-pairs", "15", "--encoder", "encoder"]
    words = [
        "reader",
        "-o",
        "made",
        "--snli",
        "snli",
        "--wordings",
        "wordings",
        "--held",
        "wordings/held.jsonl",
    ]
    assert train._recipe(parser.parse_args([*words, *given])) == read_config(path)


@pytest.mark.slow
def test_an_interrupted_reader_goes_on_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.training import encoders
    from nlgauge.training.reader import ReaderTraining, gathered, train

    encoder = tiny_bert(tmp_path / "encoder", places=64)
    snli, wordings = data(tmp_path)
    recipe = ReaderTraining(
        str(snli), (str(wordings),), encoder=str(encoder), epochs=2, batch=16, held_pairs=15, every=3
    )
    given = gathered(recipe, tmp_path)
    train(recipe, given, tmp_path / "whole", lambda figures: None)
    real, steps = encoders._Stage._step, 0

    def interrupted(stage: Any, work: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > 11:
            raise KeyboardInterrupt
        real(stage, work)

    monkeypatch.setattr(encoders._Stage, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, given, tmp_path / "again", lambda figures: None)
    monkeypatch.setattr(encoders._Stage, "_step", real)
    train(recipe, given, tmp_path / "again", lambda figures: None)
    one, other = ((tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "again"))
    assert one == other and not (tmp_path / "again.checkpoint").exists()


def same_as_the_library(folder: Path, encoder: Path) -> float:
    """The largest difference between NumPy's numbers and those of the network that was trained."""
    from nlgauge.models.weights import read, unpacked
    from nlgauge.training.reader import ReaderNetwork, ReaderTraining

    training: Any = ReaderNetwork(encoder, ReaderTraining(snli="", wordings=()))
    training.load(unpacked(read(folder / "weights.safetensors")))
    texts = ["d e f", "x i", "g"]
    theirs = training.scores(training.wording_rows(texts), training.wording)
    apart = float(np.abs(reader(str(folder)).wording_logits(texts) - theirs).max())
    rows = training.rows(texts, texts[::-1], longest=64)
    scores = training.scores(rows, training.entailment)
    wanted = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    ours = entailment(str(folder)).probabilities(list(zip(texts, texts[::-1], strict=True)))
    return max(apart, float(np.abs(ours - wanted).max()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--snli": "nowhere"}, "there is no folder nowhere"),
        ({"--snli": "wordings"}, "expected one .jsonl file with train in its name"),
        ({"--wordings": "nowhere"}, "neither a file of wordings nor a folder"),
        ({"--wordings": "snli/snli_test.jsonl"}, "expected a JSON object with text, biased and kind"),
        ({"--held": "wordings"}, "so there is none to learn from"),
        ({"--held-pairs": "135"}, "135 pairs, and 135 are held back"),
        ({"--learning-rate": "0"}, "--learning-rate must be above 0"),
        ({"--encoder": "use"}, "which use is not"),
        ({"--encoder": "gpt"}, "is no uncased BERT"),
        ({"-o": "no/such/made"}, "there is no folder"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, str],
    said: str,
) -> None:
    data(tmp_path)
    monkeypatch.chdir(tmp_path)
    for kind, name in (("bert", "encoder"), ("gpt2", "gpt")):
        Path(name).mkdir()
        Path(name, "config.json").write_text(json.dumps({"model_type": kind}))
        Path(name, "vocab.txt").write_text("a\n")
    given = {
        "--snli": "snli",
        "--wordings": "wordings",
        "-o": "made",
        "--held-pairs": "15",
        "--encoder": "encoder",
    }
    words = [word for pair in (given | change).items() for word in pair]
    assert main(["train", "reader", *words]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[-1].startswith("nlgauge: ") and said in errors[-1]
    assert not Path("made").exists()


def test_pairs_measure_entailment_models_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snli, _ = data(tmp_path)
    file = str(snli / "snli_test.jsonl")
    assert main(["models", "check", "reader", "--pairs", file, "--kind", "sentence"]) == 2
    assert "--pairs measures entailment models" in capsys.readouterr().err
    assert main(["models", "check", "glove", "--pairs", file]) == 2
    assert "needs an entailment model, which glove is not; known: reader" in capsys.readouterr().err
    (snli / "none.jsonl").write_text('{"sentence1": "a", "sentence2": "b", "gold_label": "-"}\n')
    assert main(["models", "check", "--pairs", str(snli / "none.jsonl")]) == 2
    assert "holds no pair with one of the labels" in capsys.readouterr().err
    assert main(["models", "check", "--pairs", file]) == 0
    assert "of 30 pairs right (95 % interval" in capsys.readouterr().out
