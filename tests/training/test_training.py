"""Trained metrics: from judgements to a folder that scores, in small sets whose answer is known."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import nlgauge
from nlgauge.arrays import Array
from nlgauge.cli import main
from nlgauge.errors import InputError, SpecError
from nlgauge.learned.featured import Featured, shapley
from nlgauge.learned.folder import seal
from nlgauge.learned.learners import Learner, Linear, Network, Scale
from nlgauge.learned.trained import Trained
from nlgauge.meta.observations import Observation
from nlgauge.metrics.spec import parse
from nlgauge.training import examples as made
from nlgauge.training.learners import (
    LEARNERS,
    Net,
    Rank,
    Ridge,
    Svm,
    Table,
    _slopes,
    alike,
    chance_pairs,
)
from nlgauge.training.run import read_config, train

WORDS = ("fox", "dog", "river", "stone", "bridge", "under", "old", "tree", "bird", "sings")


def write_set(path: Path, *, items: int = 60, seed: int = 1, human: str = "quality") -> None:
    """Outputs that keep a share of the reference's words, rated by that share with a little noise."""
    random = Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for item in range(items):
            reference = [random.choice(WORDS) for _ in range(12)]
            for system in ("one", "two"):
                kept = random.random()
                words = [word if random.random() < kept else "zzz" for word in reference]
                share = np.mean([word != "zzz" for word in words])
                row = {
                    "item": f"i{item}",
                    "system": system,
                    "hypothesis": " ".join(words),
                    "references": [" ".join(reference)],
                    "ratings": {human: [float(share) + random.gauss(0, 0.03)]},
                }
                file.write(json.dumps(row) + "\n")


def write_config(folder: Path, learner: str = "linear", more: str = "") -> Path:
    """A configuration beside its data."""
    write_set(folder / "judged.jsonl")
    path = folder / "metric.yaml"
    path.write_text(
        "kind: features\nname: share\ndata:\n  - {path: judged.jsonl, human: quality, licence: CC0}\n"
        f"features: [chrf, rougeL, length]\nlearner: {learner}\n{more}",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("learner", ["linear", "network", "support", "ranking"])
def test_every_learner_trains_saves_and_scores_alike_in_a_new_process(tmp_path: Path, learner: str) -> None:
    config = read_config(write_config(tmp_path, learner))
    found = train(config, tmp_path / "kept", beside=tmp_path)
    held = found.figures["held_out"]
    assert held["pearson"] > 0.9
    if learner != "ranking":  # which has no scale
        assert held["error"] < 0.6 * held["error_of_the_mean"]
    output, reference = "the quick zzz fox", "the quick brown fox"
    metric = Trained(model=str(tmp_path / "kept"))
    here = metric.corpus([output], [[reference]])
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from nlgauge.learned.trained import Trained;"
            "print(repr(Trained(model=sys.argv[1]).corpus([sys.argv[2]], [[sys.argv[3]]])))",
            str(tmp_path / "kept"),
            output,
            reference,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(said.stdout) == here
    assert found.folder.digest[:12] in metric.model_fact


def test_a_seed_gives_the_same_weights_again(tmp_path: Path) -> None:
    config = read_config(write_config(tmp_path, "{kind: network, epochs: 5}"))
    first, second = (train(config, tmp_path / name, beside=tmp_path).folder.form.arrays() for name in ("a", "b"))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_an_interrupted_training_keeps_what_was_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.training import featured

    monkeypatch.setattr(featured, "PART", 20)
    config = read_config(write_config(tmp_path))
    counted: list[str] = []
    real = featured.score_texts

    def interrupted(rows, metrics, *given, **named):  # type: ignore[no-untyped-def]
        if len(counted) == 4:
            raise KeyboardInterrupt
        counted.append(str(metrics[0]))
        return real(rows, metrics, *given, **named)

    monkeypatch.setattr(featured, "score_texts", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "kept", beside=tmp_path)
    assert not (tmp_path / "kept").exists()
    again: list[str] = []

    def heard(rows, metrics, *given, **named):  # type: ignore[no-untyped-def]
        again.append(str(metrics[0]))
        return real(rows, metrics, *given, **named)

    monkeypatch.setattr(featured, "score_texts", heard)
    train(config, tmp_path / "kept", beside=tmp_path)
    assert len(counted) + len(again) == 3 * 6  # three features of 120 examples, nothing twice


def test_an_item_is_known_by_its_references_whatever_their_order_capitals_and_name() -> None:
    def row(item: str, *references: str) -> Observation:
        return Observation(item, "one", "a", references, None, {}, {})

    same = {made.text_digest(row("1", "B c", "a")), made.text_digest(row("2", "A", "b  C"))}
    assert len(same) == 1 and made.text_digest(row("1", "a")) not in same


def test_shares_of_features_sum_up_and_equal_the_weights_of_a_linear_learner() -> None:
    random = np.random.default_rng(0)
    weights, values, average = random.normal(size=(3, 5))
    shares = shapley(lambda rows: rows @ weights, values, average)
    np.testing.assert_allclose(shares, weights * (values - average))
    network = Network([(random.normal(size=(12, 4)), np.ones(4)), (random.normal(size=(4, 1)), np.ones(1))])
    values, average = random.normal(size=(2, 12))  # more than are looked at in every subset
    made_of = shapley(network.predict, values, average)
    ends = network.predict(np.stack([values, average]))
    assert made_of.sum() == pytest.approx(ends[0] - ends[1])


@pytest.mark.parametrize("classify", [False, True])
def test_the_slopes_of_the_network_are_those_of_its_loss(classify: bool) -> None:
    random = np.random.default_rng(1)
    weights = [random.normal(size=shape) for shape in ((3, 4), (4,), (4, 1), (1,))]
    features, targets = random.normal(size=(7, 3)), random.normal(size=7)
    if classify:
        targets = (targets > 0).astype(float)
    shares = alike(targets) if classify else np.ones(7)

    def loss() -> float:
        made = Network([(weights[0], weights[1]), (weights[2], weights[3])]).predict(features)
        misses = -np.log(1 / (1 + np.exp(np.where(targets == 1, -made, made))))
        return float(np.mean(shares * (misses if classify else (made - targets) ** 2 / 2)))

    found = _slopes(weights, features, targets, shares, classify=classify)
    for array, slope in zip(weights, found, strict=True):
        for place in np.ndindex(array.shape):
            array[place] += 1e-6
            up = loss()
            array[place] -= 2e-6
            down = loss()
            array[place] += 1e-6
            assert slope[place] == pytest.approx((up - down) / 2e-6, abs=1e-6)


def test_ridge_without_penalty_is_least_squares() -> None:
    random = np.random.default_rng(2)
    features = random.normal(size=(50, 3))
    targets = features @ [1.0, -2.0, 0.5] + 0.7
    learnt = Table(features, targets, ["i"] * 50, np.zeros((0, 2), dtype=np.int64))
    found = Ridge(penalty=0.0).fit(learnt, learnt, seed=1, report=lambda figures: None)
    np.testing.assert_allclose(found.weights, [1.0, -2.0, 0.5], atol=1e-9)
    assert found.bias == pytest.approx(0.7)


def test_a_network_by_hand() -> None:
    hidden = (np.array([[1.0, -0.5], [0.25, 2.0]]), np.array([0.1, -0.2]))
    network = Network([hidden, (np.array([[3.0], [-1.0]]), np.array([0.5]))])
    first, second = math.tanh(2 - 0.25 + 0.1), math.tanh(-1 - 2 - 0.2)
    assert network.predict(np.array([[2.0, -1.0]])) == pytest.approx([3 * first - second + 0.5])


def test_support_vectors_say_what_libsvm_says() -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed: nothing to compare with")
    random = np.random.default_rng(5)
    features, others = random.normal(size=(120, 3)), random.normal(size=(50, 3))
    targets = np.sin(features[:, 0]) + 0.1 * random.normal(size=120)
    made = _fitted(Svm(cost=2.0, epsilon=0.05, gamma=0.3), features, targets)
    theirs = svm.SVR(C=2.0, epsilon=0.05, gamma=0.3).fit(features, targets)
    np.testing.assert_allclose(made.predict(others), theirs.predict(others), atol=1e-9)
    classes = (targets > 0).astype(float)
    chances = _fitted(Svm(cost=2.0, gamma=0.3, classify=True), features, classes).predict(others)
    told = svm.SVC(C=2.0, gamma=0.3, class_weight="balanced").fit(features, classes)
    decisions = told.decision_function(others)
    line = np.polyfit(decisions, np.log(chances / (1 - chances)), 1)  # Platt's slope and offset
    np.testing.assert_allclose(np.polyval(line, decisions), np.log(chances / (1 - chances)), atol=1e-9)
    assert line[0] > 0


def _fitted(learner: Svm, features: Array, targets: Array) -> Learner:
    table = Table(features, targets, [str(place) for place in range(len(targets))], np.zeros((0, 2), dtype=np.int64))
    return learner.fit(table, table, seed=1, report=lambda figures: None)


def test_a_score_is_divided_by_the_outputs_own_and_clipped(tmp_path: Path) -> None:
    path = write_config(tmp_path, more="scaled: true\nnormalised: true\nclipped: true\n")
    train(read_config(path), tmp_path / "kept", beside=tmp_path)
    metric = Trained(model=str(tmp_path / "kept"))
    text, reference = "the zzz fox sings", "the old fox sings"
    own = metric.learnt.predict(_batch(text, text))[0]
    plain = metric.learnt.predict(_batch(text, reference))[0]
    assert metric.corpus([text], [[reference]]) == pytest.approx(min(1.0, max(0.0, plain / own)))
    assert metric.corpus([text], [[text]]) == 1.0
    assert metric.bounds == (0.0, 1.0)


def _batch(output: str, reference: str):  # type: ignore[no-untyped-def]
    from nlgauge.kernels.batch import Batch

    return Batch([output], [[reference]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"learner: linear": "learner: forest"}, "learner cannot be 'forest'"),
        ({"kind: features": "kind: fetures"}, "kind cannot be 'fetures'"),
        ({"kind: features\n": ""}, "the key 'kind' is missing"),
        ({"[chrf, rougeL, length]": "[chrf, rouggeL]"}, "line 5"),
        ({"[chrf, rougeL, length]": "[]"}, "features is empty"),
        ({"judged.jsonl": "nothing.jsonl"}, "nothing.jsonl"),
        ({"human: quality": "human: fluency"}, "fluency"),
        ({"learner: linear": "learner: linear\nnormalised: true"}, "add scaled: true"),
        ({"human: quality": "human: quality, where: {nokey: '*'}"}, "has the key nokey"),
        (
            {
                "learner: linear": "learner: linear\nsupervise: {kind: origin, people: [nobody]}",
                "human: quality, ": "",
            },
            "'nobody'",
        ),
        (
            {"data:\n": "data:\n  - {path: judged.jsonl, human: quality}\n"},
            "two data sets are called 'judged'",
        ),
        ({"learner: linear": "learner: linear\nsplit: {sets: [other]}"}, "none of the data sets (judged)"),
        ({"length]": "length"}, "check indentation, colons and quotes"),
        (
            {"name: share\n": "name: share\nname: other\n"},
            "metric.yaml: line 3: the key 'name' is given twice; leave",
        ),
        (
            {
                "learner: linear": "learner: linear\nsupervise: {kind: next, negatives: 0}",
                "human: quality, ": "",
            },
            "line 7: negatives: 0 leaves nothing to learn as bad",
        ),
    ],
)
def test_what_cannot_be_learnt_is_refused(tmp_path: Path, change: dict[str, str], said: str) -> None:
    path = write_config(tmp_path)
    text = path.read_text(encoding="utf-8")
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert said in str(refused.value)
    assert not (tmp_path / "kept").exists()


def test_constant_ratings_are_refused(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    for row in rows:
        row["ratings"] = {"quality": [3]}
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="every output to learn from has the same rating of quality"):
        train(read_config(path), tmp_path / "kept", beside=tmp_path)


@pytest.mark.parametrize(
    ("features", "key", "value", "said"),
    [
        ("[length, chrf]", "references", [], "judged.jsonl: item 'i1' has no reference, and outputs"),
        ('[length, "rougeC"]', "source", None, "judged.jsonl: item 'i1' has no source"),
        ("[length]", "ratings", {"quality": [1e300]}, "item i1 of one: a rating of 'quality' is 1e+300"),
    ],
)
def test_a_row_that_lacks_something_is_named_before_anything_is_computed(
    tmp_path: Path, features: str, key: str, value: object, said: str
) -> None:
    path = write_config(tmp_path)
    path.write_text(path.read_text().replace("[chrf, rougeL, length]", features))
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    rows = [{**row, "source": "a text"} for row in rows]
    for row in rows[2:4]:
        row[key] = value
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError) as refused:
        train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert said in str(refused.value)
    assert not list(tmp_path.glob("kept*"))


def test_a_row_without_rating_is_left_out_by_name_and_one_system_is_noted(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    rows = [{**row, "system": "one", "item": f"{row['item']}{row['system']}"} for row in rows]
    rows[4]["ratings"] = {"quality": []}
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = train(read_config(path), tmp_path / "kept", beside=tmp_path)
    card = (tmp_path / "kept" / "README.md").read_text()
    for said in (
        "judged: 1 row without a text or a rating of quality left out, the first item i2one of one",
        "all outputs are of one system, one: how systems differ could not be learnt",
    ):
        assert said in found.notes
        assert said in card


def test_a_feature_that_fails_on_a_row_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nlgauge.training import featured

    real = featured.score_texts

    def failing(rows, metrics, *given, **named):  # type: ignore[no-untyped-def]
        found = real(rows, metrics, *given, **named)
        found[metrics[0]][0][3] = np.nan  # as the second output of the second item
        return found

    monkeypatch.setattr(featured, "score_texts", failing)
    with pytest.raises(InputError, match=r"the feature length gives no number for item i1 of two \(.*\); leave"):
        train(read_config(write_config(tmp_path)), tmp_path / "kept", beside=tmp_path)
    assert not (tmp_path / "kept").exists()


def test_a_metric_is_no_feature_of_itself(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    train(path, tmp_path / "kept")
    path.write_text(path.read_text().replace("[chrf, rougeL", f"[trained(model={tmp_path / 'kept'}), rougeL"))
    with pytest.raises(InputError, match="is the folder that is to be written"):
        train(path, tmp_path / "kept")


def test_a_file_is_no_store_of_features(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    with pytest.raises(InputError, match=r"metric\.yaml is no folder, and features are kept in a folder"):
        train(path, tmp_path / "kept", cache=path)


def test_the_card_says_what_its_figures_are_of(tmp_path: Path) -> None:
    path = write_config(tmp_path, more="scaled: true\nclipped: true\n")
    path.write_text(path.read_text().replace("[chrf, rougeL", "[cider, rougeL"))
    train(path, tmp_path / "kept")
    card = (tmp_path / "kept" / "README.md").read_text()
    assert "They are of scores before these are divided by the self-score and clipped." in card
    assert "the feature cider is fitted to all texts of the data" in card
    assert "also said when to stop" not in card  # a linear function looks at nothing


@pytest.mark.parametrize(("times", "more"), [(1e60, 0), (1e-60, 0), (1e-3, 1e7)])
def test_ratings_that_single_precision_cannot_hold_are_refused(tmp_path: Path, times: float, more: float) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    for row in rows:
        row["ratings"] = {"quality": [row["ratings"]["quality"][0] * times + more]}
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="single precision"):
        train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert not (tmp_path / "kept").exists()
    path.write_text(path.read_text() + "scaled: true\n")
    held = train(read_config(path), tmp_path / "kept", beside=tmp_path).figures["held_out"]
    assert held["error"] < 0.6 * held["error_of_the_mean"]


def test_a_damaged_store_of_features_is_made_again(tmp_path: Path) -> None:
    config = read_config(write_config(tmp_path))
    first = train(config, tmp_path / "a", beside=tmp_path, cache=tmp_path / "store").folder.digest
    kept = sorted((tmp_path / "store").glob("*.npy"))
    assert len(kept) >= 3
    kept[0].write_bytes(b"")
    kept[1].write_bytes(kept[1].read_bytes()[:50])
    np.save(kept[2], np.zeros((3, 2)))
    assert train(config, tmp_path / "b", beside=tmp_path, cache=tmp_path / "store").folder.digest == first


def test_the_name_of_a_shipped_metric_is_no_folder_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config(write_config(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="comes with nlgauge"):
        train(config, "nubia", beside=tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"linear"', '"network"'), ('"clipped": false', '"clipped": "no"'), ('"format": 1', '"format": "1"')],
)
def test_an_edited_folder_is_refused(tmp_path: Path, old: str, new: str) -> None:
    train(read_config(write_config(tmp_path)), tmp_path / "kept", beside=tmp_path)
    about = tmp_path / "kept" / "metric.json"
    assert old in about.read_text()
    about.write_text(about.read_text().replace(old, new))
    seal(about.parent)  # or the digest would refuse it first
    with pytest.raises(InputError, match="is it whole"):
        Trained(model=str(tmp_path / "kept"))


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    from nlgauge.models.weights import read, write

    train(read_config(write_config(tmp_path)), tmp_path / "kept", beside=tmp_path)
    weights = tmp_path / "kept" / "weights.safetensors"
    write(weights, {name: np.full_like(values, np.nan) for name, values in read(weights).items()})
    about = tmp_path / "kept" / "metric.json"
    told = json.loads(about.read_text())
    del told["content"]  # as in folders of earlier versions
    about.write_text(json.dumps(told))
    with pytest.raises(InputError, match="no number"):
        Trained(model=str(tmp_path / "kept"))


def test_a_broken_folder_is_refused(tmp_path: Path) -> None:
    train(read_config(write_config(tmp_path)), tmp_path / "kept", beside=tmp_path)
    (tmp_path / "kept" / "metric.json").write_text('{"name": "x"}')
    with pytest.raises(InputError, match="is it whole"):
        Trained(model=str(tmp_path / "kept"))
    with pytest.raises(SpecError, match="must be a folder that nlgauge train wrote"):
        Trained(model=str(tmp_path / "none"))


def write_preferences(path: Path) -> None:
    """The output that keeps more of the reference is preferred."""
    random = Random(3)
    with path.open("w", encoding="utf-8") as file:
        for item in range(40):
            words = [random.choice(WORDS) for _ in range(10)]
            sides = {
                side: [word if random.random() < keep else "zzz" for word in words]
                for side, keep in zip("ab", random.sample((0.9, 0.3), 2), strict=True)
            }
            better = max("ab", key=lambda side: sum(word != "zzz" for word in sides[side]))
            row = {
                "item": f"i{item}",
                "system_a": "one",
                "system_b": "two",
                "references": [" ".join(words)],
                "hypothesis_a": " ".join(sides["a"]),
                "hypothesis_b": " ".join(sides["b"]),
                "ratings": {"preference": [better]},
            }
            file.write(json.dumps(row) + "\n")


def test_preferences_are_ranked_and_other_learners_refuse_them(tmp_path: Path) -> None:
    path = write_config(tmp_path, "ranking")
    write_preferences(tmp_path / "preferred.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{path: judged.jsonl, human: quality, licence: CC0}", "{path: preferred.jsonl}"))
    found = train(read_config(path), tmp_path / "kept", beside=tmp_path)
    assert found.figures["held_out"]["pairs_in_order"] > 0.9
    path.write_text(path.read_text().replace("learner: ranking", "learner: linear"))
    with pytest.raises(InputError, match="learner: ranking"):
        train(read_config(path), tmp_path / "other", beside=tmp_path)


def test_ratings_beside_preferences_are_ranked_too() -> None:
    features = np.array([[0.0], [1.0], [0.0], [1.0]])
    targets, pairs = np.array([np.nan, np.nan, 1.0, 5.0]), np.array([[0, 1]])
    learnt = Table(features, targets, ["a", "a", "b", "b"], pairs)
    found = Rank(penalty=1e-6).fit(learnt, learnt, seed=1, report=lambda figures: None)
    assert isinstance(found, Linear) and abs(found.weights[0]) < 1e-3  # one pair each way


def test_a_folder_that_is_no_trained_metric_is_never_written_over(tmp_path: Path) -> None:
    config = read_config(write_config(tmp_path))
    with pytest.raises(InputError, match="is no trained metric"):
        train(config, tmp_path, beside=tmp_path)
    assert (tmp_path / "judged.jsonl").is_file()
    train(config, tmp_path / "kept", beside=tmp_path)
    train(config, tmp_path / "kept", beside=tmp_path)  # its own folder it may replace
    (tmp_path / "kept" / "thesis.txt").write_text("mine", encoding="utf-8")
    other = tmp_path / "other"
    other.mkdir()
    (other / "metric.json").write_text('{"my": "thing"}', encoding="utf-8")
    for name in ("kept", "other"):
        with pytest.raises(InputError, match="is no trained metric"):
            train(config, tmp_path / name, beside=tmp_path)
    assert (tmp_path / "kept" / "thesis.txt").is_file()


@pytest.mark.parametrize("target", ["/", "/dev/null"])
def test_what_is_no_folder_is_refused_before_anything_is_learnt(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(write_config(tmp_path)), "-o", target]) == 2
    assert "exists already; give a new folder" in capsys.readouterr().err


def test_explained_figures_are_the_features(tmp_path: Path) -> None:
    scale = Scale(np.array([0.5, 2.0]), np.array([1.0, 1.0]))
    form = Featured((parse("rougeL"), parse("length")), scale, Linear(np.array([2.0, 0.0]), 0.1))
    average, *figures = form.figures(_batch("the fox", "the fox"))
    assert (average.name, average.value) == ("an average text", 0.1)
    assert [figure.name for figure in figures] == ["rougeL", "length"]
    assert figures[0].value == 1.0
    assert "adds +1.0000" in figures[0].how


def test_the_story_of_a_training_names_the_rows_that_were_held_out(tmp_path: Path) -> None:
    found = train(write_config(tmp_path), tmp_path / "kept")
    story = json.loads((tmp_path / "kept" / "training.json").read_text())
    held = story["held_rows"]["judged"]
    assert sum(map(len, held.values())) == found.figures["sets"]["judged"]["held"]
    assert held.keys() <= {"one", "two"}


def test_learners_have_the_names_of_the_file() -> None:
    assert set(LEARNERS.known.values()) == {Ridge, Net, Svm, Rank}


def test_pairs_by_chance_put_the_better_first_and_leave_out_small_differences() -> None:
    targets = np.random.default_rng(2).normal(size=200)
    pairs = chance_pairs(targets, 5, 0.5, seed=3)
    assert 500 < len(pairs) < 1_000
    assert (targets[pairs[:, 0]] - targets[pairs[:, 1]] > 0.5).all()
    assert np.array_equal(pairs, chance_pairs(targets, 5, 0.5, seed=3))
    assert chance_pairs(targets, 0, 0.0, seed=3).shape == (0, 2)


def test_a_ranking_learns_from_items_with_one_output_only_across_items() -> None:
    random = np.random.default_rng(4)
    features = random.normal(size=(80, 2))
    table = Table(features, features @ [1.0, -2.0], [str(number) for number in range(80)], np.zeros((0, 2), dtype=int))
    with pytest.raises(InputError, match="set across"):
        Rank().check(table)
    learnt = Rank(across=10).fit(table, table, seed=1, report=lambda figures: None)
    assert learnt.weights[1] / learnt.weights[0] == pytest.approx(-2.0, rel=0.1)


def test_trainings_on_the_same_texts_share_a_cache_of_features(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    train(config, tmp_path / "first", cache=tmp_path / "kept")
    made_once = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    again = train(replace(read_config(config), seed=2), tmp_path / "second", beside=tmp_path, cache=tmp_path / "kept")
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == made_once
    assert len(made_once) == 3 and again.figures["held_out"]["pearson"] > 0.9
    assert not (tmp_path / "first.checkpoints").exists()


def test_features_that_count_over_the_corpus_are_learnt_from_and_score(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    path.write_text(path.read_text().replace("[chrf, rougeL, length]", "[cider, chrf]"))
    found = train(path, tmp_path / "kept")
    assert found.figures["held_out"]["pearson"] > 0.9
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    scores = nlgauge.score(nlgauge.load(rows), [f"trained(model={tmp_path / 'kept'})"])
    assert all(np.isfinite(score.value) for score in scores.scores)


def test_a_system_whose_texts_are_references_is_told(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    for row in rows:
        row["hypothesis"] = row["references"][0] if row["system"] == "two" else row["hypothesis"]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = [note for note in train(path, tmp_path / "kept").notes if "are references" in note]
    assert len(told) == 1 and told[0].startswith("judged: the texts of two are references (60 of 60 rows)")


def test_a_table_of_ones_own_is_learnt_from_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    with (tmp_path / "mine.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "model", "text", "reference", "quality"])
        for row in rows:
            rated = row["ratings"]["quality"][0]
            table.writerow([row["item"], row["system"], row["hypothesis"], row["references"][0], rated])
    wanted = "{path: mine.csv, human: quality, columns: {hypothesis: text, ratings.quality: quality}}"
    told = path.read_text().replace("{path: judged.jsonl, human: quality, licence: CC0}", wanted)
    path.write_text(told)
    assert train(path, tmp_path / "kept").figures["held_out"]["pearson"] > 0.9
    path.write_text(told.replace(", ratings.quality: quality", ""))
    with pytest.raises(InputError, match=r"column quality is no rating; name that column ratings\.quality"):
        train(path, tmp_path / "other")


def test_a_trained_metric_that_reads_the_source_can_be_attacked(tmp_path: Path) -> None:
    path = write_config(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    for row in rows:
        row["source"] = " ".join(reversed(row["references"][0].split()))
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path.write_text(path.read_text().replace("[chrf, rougeL, length]", "[chrf, copyrate]"))
    train(path, tmp_path / "kept")
    spec = f"trained(model={tmp_path / 'kept'})"
    found = nlgauge.attack(nlgauge.load(rows[:6]), spec, edits=2, candidates=20)
    assert len(found.paths) == 6 and found.gain.estimate > 0
    guarded = nlgauge.attack(nlgauge.load(rows[:6]), "length", spec, edits=2, candidates=20)
    assert all(way.final.guards[spec] <= way.guards[spec] for way in guarded.paths)
    with pytest.raises(InputError, match="source"):
        nlgauge.attack(nlgauge.load([{**row, "source": None} for row in rows[:6]]), spec, edits=1)


def test_keys_that_nothing_reads_are_named_and_those_in_use_are_not(tmp_path: Path) -> None:
    path = write_config(tmp_path, more="split: {by: [story]}\n")
    data = tmp_path / "judged.jsonl"
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    data.write_text("".join(json.dumps({**row, "flu": 1, "story": row["item"], "topic": "a"}) + "\n" for row in rows))
    notes = [note for note in train(path, tmp_path / "kept").notes if "no key" in note]
    assert len(notes) == 1 and notes[0].startswith("judged: 'flu' is no key that nlgauge knows")


def test_a_metric_is_replaced_where_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, target = str(write_config(tmp_path)), str(tmp_path / "kept")
    assert main(["train", config, "-o", target]) == 0
    assert f"Its card: {target}/README.md" in capsys.readouterr().out
    assert main(["train", config, "-o", target]) == 2
    assert "holds a trained metric already" in capsys.readouterr().err
    assert main(["train", config, "-o", target, "--force", "--seed", "5"]) == 0
    assert json.loads(Path(target, "training.json").read_text())["config"]["seed"] == 5
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    assert main(["train", config, "-o", str(tmp_path / "other"), "--force"]) == 2


def test_list_tells_one_metric_and_where_its_card_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "nubia"]) == 0
    assert "nubia/README.md" in capsys.readouterr().out
    assert main(["list", "chrf", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spec"] == "chrf"
    assert main(["list", "chrf", "--taxonomy"]) == 2
