"""Learners that tell 1 from 0: probabilities, and metrics that tell captions of people from those of a machine.

The machine's captions are made up here: captions of people, spoilt.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.learned.learners import Linear, Logistic, learner_of
from nlgauge.learned.trained import Trained
from nlgauge.metrics.spec import parse
from nlgauge.training.featured import FeatureTraining
from nlgauge.training.learners import Net, Svm, Table, alike, platt
from nlgauge.training.run import read_config, recipe, train
from nlgauge.training.supervision import repeated, replaced

NONE = np.zeros((0, 2), dtype=np.int64)


def two_classes(number: int, seed: int, share: float = 0.5) -> Table:
    """Points of two classes around 1 and -1 in each of two features."""
    random = np.random.default_rng(seed)
    targets = (random.random(number) < share).astype(float)
    features = random.normal(size=(number, 2)) + (2 * targets - 1)[:, None]
    return Table(features, targets, [str(item) for item in range(number)], NONE)


def test_the_logistic_function_of_a_learner_by_hand() -> None:
    learner = Logistic(Linear(np.array([2.0]), -1.0))
    assert learner.predict(np.array([[0.5], [1.0]])).tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-1))])
    kept = learner_of(learner.kind, learner.arrays(), "here")
    assert kept.kind == "logistic linear"
    assert kept.predict(np.array([[1.0]])) == learner.predict(np.array([[1.0]]))


def test_both_classes_weigh_alike() -> None:
    assert alike(np.array([1.0, 0.0, 0.0, 0.0])).tolist() == pytest.approx([2.0, 2 / 3, 2 / 3, 2 / 3])


def test_platts_scaling_finds_the_probabilities_that_decisions_were_made_of() -> None:
    random = np.random.default_rng(3)
    decisions = random.normal(size=20_000)
    targets = (random.random(20_000) < 1 / (1 + np.exp(-3.0 * decisions))).astype(float)
    slope, offset = platt(decisions, targets)
    assert slope == pytest.approx(3.0, abs=0.15)
    assert offset == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("learner", [Svm(classify=True), Net(classify=True, hidden=(4,), epochs=40)])
def test_classifiers_give_probabilities_that_come_true(learner: Svm | Net) -> None:
    learnt, other = two_classes(600, 1, share=0.2), two_classes(2_000, 2)
    found = learner.fit(learnt, two_classes(200, 3, share=0.2), seed=1, report=lambda figures: None)
    said = found.predict(other.features)
    assert ((said > 0) & (said < 1)).all()
    assert np.mean((said > 0.5) == (other.targets == 1)) > 0.9
    sure = (said > 0.7) & (said < 0.95)
    assert np.mean(other.targets[sure]) == pytest.approx(np.mean(said[sure]), abs=0.12)


@pytest.mark.parametrize("learner", [Svm(classify=True), Net(classify=True)])
def test_ratings_are_no_classes(learner: Svm | Net) -> None:
    table = Table(np.zeros((3, 1)), np.array([1.0, 2.0, 3.0]), ["a", "b", "c"], NONE)
    with pytest.raises(InputError, match="classify: true tells 1 from 0"):
        learner.check(table)


def write_captions(shared: Path, path: Path, number: int) -> None:
    """Captions of Flickr8k; the machine's are those of people with words said twice or replaced by other words."""
    with gzip.open(shared / "data" / "flickr8k_references.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][:number]
    random = Random(1)
    words = [word for row in rows for text in row["references"] for word in text.split()]
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            for system in ("twice", "other"):
                text = random.choice(row["references"])
                spoilt = repeated(text, random) if system == "twice" else replaced(text, words, random)
                file.write(json.dumps({**row, "system": system, "hypothesis": spoilt}) + "\n")


@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("support", "{kind: support, classify: true}"),
        ("network", "{kind: network, classify: true, hidden: [12], epochs: 60}"),
    ],
)
def test_classifiers_over_features_tell_people_from_machines(
    shared: Path, tmp_path: Path, name: str, learner: str
) -> None:
    write_captions(shared, tmp_path / "set.jsonl", 120)
    path = tmp_path / "metric.yaml"
    path.write_text(
        f"kind: features\nname: {name}\ndata:\n  - path: set.jsonl\nsupervise: origin\nsplit: 0.25\n"
        f"features: [sentbleu, rougeL, chrf, ciderD, wer]\nlearner: {learner}\n",
        encoding="utf-8",
    )
    found = train(read_config(path), tmp_path / "kept", beside=tmp_path)
    held = found.figures["held_out"]
    assert held["auc"] > 0.7
    again = train(read_config(path), tmp_path / "again", beside=tmp_path)
    for array, values in found.folder.form.arrays().items():
        np.testing.assert_allclose(again.folder.form.arrays()[array], values, atol=1e-6)
    texts = (["a dog runs", "cat cat the of"], [["a dog is running", "the dog runs"], ["a cat sleeps"]])
    here = Trained(model=str(tmp_path / "kept")).corpus(*texts)
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys; from nlgauge.learned.trained import Trained;"
            "print(repr(Trained(model=sys.argv[1]).corpus(*json.loads(sys.argv[2]))))",
            str(tmp_path / "kept"),
            json.dumps(texts),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(said.stdout) == here
    assert 0 < here < 1


def test_composite_is_a_network_over_the_metrics_that_its_paper_names(tmp_path: Path) -> None:
    for name, expected in (
        ("composite", {"meteor-universal", "ciderD", "wmd", "spice"}),
        ("nneval", {"sentbleu", "meteor-universal", "ciderD", "wmd", "spice"}),
    ):
        (tmp_path / "recipe.yaml").write_text(recipe(name), encoding="utf-8")
        training = read_config(tmp_path / "recipe.yaml")
        assert isinstance(training, FeatureTraining)
        assert isinstance(training.learner, Net) and training.learner.classify
        assert {parse(spec).name for spec in training.features} == {parse(name).name for name in expected}
        assert training.supervise.kind == "origin"
