"""Classifiers: hashed features, logistic regression, calibration, drawn pairs, folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import nlgauge as ng
from nlgauge.errors import InputError
from nlgauge.learned.classifier import open_classifier
from nlgauge.learned.classifier_linear import Hashing, grams, matrix, pair_matrix, rarity
from nlgauge.learned.comparator import softmax
from nlgauge.training.classifier import ClassifierTraining
from nlgauge.training.classifier_examples import halves
from nlgauge.training.classifier_figures import log_loss, quality, temperature
from nlgauge.training.classifier_linear import margins, regression
from nlgauge.training.config import Data, Split
from nlgauge.training.run import CHECKPOINTS, read_config, train
from nlgauge.training.split import connected

LETTERS = "abcdefghijklmnoprstuvz"


def words(random: Random, many: int) -> list[str]:
    return ["".join(random.choices(LETTERS, k=random.randint(4, 8))) for _ in range(many)]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def pairs(events: int, *, filler: int = 20, seed: int = 1) -> list[dict[str, Any]]:
    """Articles with headlines of two of their words and a number."""
    random = Random(seed)
    stock = words(random, 400)
    rows = []
    for event in range(events):
        who, what = random.sample(stock, 2)
        text = [*random.choices(stock, k=filler), who, what, str(event)]
        random.shuffle(text)
        rows.append(
            {
                "item": f"e{event}",
                "system": "ab"[event % 2],
                "source": " ".join(text),
                "hypothesis": f"{who} {what} {event}" if event % 2 else f"{event}: {what}, {who.upper()}",
                "pair": f"p{event // 2}",
            }
        )
    return rows


# Features -------------------------------------------------------------------------------------------------------------


def by_hand(text: str, order: int, kind: str, *, exact: bool) -> int:
    """How many different n-grams a text has."""
    text = " ".join(text.split())
    text = text if exact else text.lower()
    if kind == "chars":
        marked = f"\x02{text}\x03"
        return len({marked[place : place + order] for place in range(len(marked) - order + 1)})
    tokens: list[str] = []
    for sign in text:
        category = unicodedata.category(sign)[0]
        chinese = "一" <= sign <= "鿿"
        if category in "LMN" and not chinese:
            if tokens and tokens[-1] and not ("一" <= tokens[-1][-1] <= "鿿"):
                tokens[-1] += sign
            else:
                tokens.append(sign)
        elif category == "Z":
            tokens.append("")
        elif exact or chinese:
            tokens += [sign, ""]
        else:
            tokens.append("")
    tokens = [token for token in tokens if token]
    return len({tuple(tokens[place : place + order]) for place in range(len(tokens) - order + 1)})


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "Il governo cade, il governo torna",
        "Перестройка: 12 министров, 12 отставок",
        "北京今天下雨,明天晴 12 度",
        "",
        "a",
        "  'Tis   \tÉtÉ  ",
    ],
)
def test_ngrams_are_those_counted_by_hand(text: str, exact: bool) -> None:
    how = Hashing(words=(1, 2), chars=(2, 3), bits=22, exact=exact)
    found = [len(set(part.buckets.tolist())) for part in grams([text, text], how)]
    wanted = [by_hand(text, n, "words", exact=exact) for n in (1, 2)]
    wanted += [by_hand(text, n, "chars", exact=exact) for n in (2, 3)]
    assert found == wanted


def test_a_text_has_the_same_features_wherever_it_stands() -> None:
    random = Random(1)
    texts = [" ".join(words(random, random.randint(0, 12))) for _ in range(300)] + ["", "雨", "Ещё раз!"]
    how = Hashing(bits=14)
    whole = matrix(texts, how)
    for place in (0, 17, 299, 300, 301, 302):
        assert abs(whole[place] - matrix([texts[place]], how)).max() == 0
    others = texts[::-1]
    rare = rarity(texts, how)
    beside = pair_matrix(texts, others, how, rare)
    for place in (0, 150, 299, 302):
        alone = pair_matrix([texts[place]], [others[place]], how, rare)
        assert abs(beside[place] - alone).max() == 0


def test_overlap_by_hand() -> None:
    how = Hashing(words=(1,), chars=(), bits=16, exact=False)
    rare = np.ones(how.buckets)
    (row,) = pair_matrix(["the cat saw 12 dogs"], ["The dogs ate 13 Rats"], how, rare)[:, :9].toarray()
    # shares of both texts; digits of both; capitals of the second; missing digits and capitals; rarest; lengths
    assert row == pytest.approx([0.4, 0.4, 0.0, 0.0, 0.5, np.log(2), np.log(2), 1.0, np.log(21 / 20)], abs=1e-12)


# Learning -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_weights_are_those_of_scikit_learn(k: int) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    random = np.random.default_rng(k)
    rows = csr_matrix(random.normal(size=(300, 12)) * (random.random((300, 12)) < 0.4))
    classes = random.integers(0, k, 300)
    found = regression(rows, classes, k, penalty=0.01, steps=5_000, tolerance=1e-10).reshape(13, -1)
    other = linear_model.LogisticRegression(C=1 / (300 * 0.01), tol=1e-12, max_iter=10_000).fit(rows, classes)
    assert pytest.approx(other.coef_, abs=1e-5) == found[:-1].T
    ours = softmax(margins(rows, found.ravel(), k))
    assert ours == pytest.approx(other.predict_proba(rows), abs=1e-5)


def test_the_gradient_vanishes_at_the_weights() -> None:
    random = np.random.default_rng(4)
    rows, classes = random.normal(size=(200, 5)), random.integers(0, 2, 200)
    found = regression(rows, classes, 2, penalty=0.1, tolerance=1e-12)
    chance = 1 / (1 + np.exp(-(rows @ found[:-1] + found[-1])))
    slope = rows.T @ (chance - classes) / 200 + 0.1 * found[:-1]
    assert abs(slope).max() < 1e-6
    assert abs((chance - classes).mean()) < 1e-6


def test_a_planted_miscalibration_is_undone() -> None:
    random = np.random.default_rng(5)
    true = random.normal(size=(6_000, 3)) * 1.5
    classes = np.array([random.choice(3, p=row) for row in softmax(true)])
    wrong = true * 4.0  # four times too sure
    found = temperature(wrong[:3_000], classes[:3_000])
    assert found == pytest.approx(4.0, rel=0.1)
    rest, told = wrong[3_000:], classes[3_000:]
    assert log_loss(rest / found, told) < log_loss(rest, told) - 0.2
    groups = list(range(3_000))
    before, after = (
        quality(softmax(logits), told, ("a", "b", "c"), groups).values["calibration_error"]
        for logits in (rest, rest / found)
    )
    assert after < 0.03
    assert before > 0.1


def test_precision_recall_and_f_by_hand() -> None:
    said = np.array([[0.9, 0.1]] * 6 + [[0.2, 0.8]] * 4)
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
    found = quality(said, classes, ("a", "b"), list(range(10)))
    a = found.by_class[0]
    assert (a["n"], a["precision"]["value"], a["recall"]["value"]) == (5, 4 / 6, 4 / 5)
    assert a["f"]["value"] == pytest.approx(2 * 4 / (2 * 4 + 2 + 1))
    assert a["f"]["low"] < a["f"]["value"] < a["f"]["high"]
    assert found.values["accuracy"] == 0.7


# Trainings ------------------------------------------------------------------------------------------------------------


def training(path: str, **more: Any) -> ClassifierTraining:
    given = {"reads": "pair", "negatives": "random", **more}
    return ClassifierTraining(name="try", data=(Data(path=path),), split=Split(held=0.2, by=("pair",)), **given)


def test_styles_in_italian_russian_and_chinese(tmp_path: Path) -> None:
    """Two papers in each language, told apart by casing, word order or punctuation, not by topic."""
    random = Random(2)
    topics = {
        "it": ["governo", "città", "sciopero", "università", "perché", "elezioni", "bilancio", "scuola"],
        "ru": ["правительство", "город", "забастовка", "университет", "выборы", "бюджет", "школа", "суд"],
        "zh": ["政府", "城市", "罢工", "大学", "选举", "预算", "学校", "法院"],
    }
    rows = []
    for language, stock in topics.items():
        for number in range(120):
            a, b = random.sample(stock, 2)
            space = "" if language == "zh" else " "
            plain, marked = f"{a}{space}{b}", f"«{b}»{space}{a}!" if language != "zh" else f"“{b}”{a}!"
            rows.append({"item": f"{language}{number}a", "system": "plain", "hypothesis": f"{plain}{number}"})
            rows.append({"item": f"{language}{number}b", "system": "marked", "hypothesis": f"{marked}{number}"})
    write(tmp_path / "rows.jsonl", rows)
    made = train(
        training("rows.jsonl", reads="alone", negatives="none", label="system"),
        tmp_path / "main",
        beside=tmp_path,
    )
    assert made.figures["held_out"]["accuracy"] > 0.97
    main = open_classifier(tmp_path / "main")
    assert main.labels == ("marked", "plain")
    assert main.decisions(["«школа» суд!", "суд школа", "“法院”大学!", "大学法院"]) == ["marked", "plain"] * 2


@pytest.mark.parametrize("negatives", ["random", "hard"])
def test_pairs_that_match_are_told_from_drawn_ones(tmp_path: Path, negatives: str) -> None:
    write(tmp_path / "rows.jsonl", pairs(400))
    found = train(training("rows.jsonl", negatives=negatives), tmp_path / "ah", beside=tmp_path)
    assert found.figures["held_out"]["accuracy"] > 0.95
    assert {row["label"] for row in found.figures["by_class"]} == {"match", "no match"}
    ah = open_classifier(tmp_path / "ah")
    chances = ah.probabilities(
        ["minister resigns over 12 letters today"] * 2, ["12 letters, minister", "rain in 13 towns"]
    )
    assert chances.sum(axis=1) == pytest.approx([1, 1])
    assert chances[0, 0] > 0.5 > chances[1, 0]


def test_drawn_pairs_stay_on_their_side_and_in_their_system(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", pairs(200))
    for negatives in ("random", "hard"):
        examples, held = training("rows.jsonl", negatives=negatives).prepared(tmp_path)
        own = {row.text: place for place, row in enumerate(examples.rows) if not examples.drawn[place]}
        groups = connected(examples)
        drawn = np.flatnonzero(examples.drawn)
        assert len(drawn) == 200
        for place in drawn:
            of = own[examples.rows[place].text]
            assert held[of] == held[place] and groups[of] != groups[place]
            assert examples.rows[of].system == examples.rows[place].system
        spared = examples.only(np.flatnonzero(held))
        ones, others = halves(spared)
        names = connected(spared)
        assert not {names[place] for place in ones} & {names[place] for place in others}
        assert abs(len(ones) - len(others)) <= 8


def test_hard_pairs_are_more_alike_than_random_ones(tmp_path: Path) -> None:
    rows = pairs(300)
    write(tmp_path / "rows.jsonl", rows)

    def shared(negatives: str) -> float:
        examples, _ = training("rows.jsonl", negatives=negatives).prepared(tmp_path)
        true = {row.item: row.text for row, drawn in zip(examples.rows, examples.drawn, strict=True) if not drawn}
        drawn = [row for row, made in zip(examples.rows, examples.drawn, strict=True) if made]
        same = [set((row.text or "").lower().split()) & set((true[row.item] or "").lower().split()) for row in drawn]
        return float(np.mean([len(words) for words in same]))

    assert shared("hard") > shared("random") + 0.3


def test_the_file_of_a_training_and_its_scores(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", pairs(200))
    path = tmp_path / "ah.yaml"
    path.write_text(
        "kind: classifier\nname: fits\ndata: [{path: rows.jsonl}]\nreads: pair\nnegatives: random\n"
        "split: {held: 0.2, by: pair}\nbody: {kind: linear, bits: 16}\n"
    )
    made = train(path, tmp_path / "ah")
    assert (made.folder.path / "README.md").read_text().count("| precision match |") == 1
    assert made.folder.learnt_rows
    rows = [{key: value for key, value in row.items() if key != "pair"} for row in pairs(40)]
    data = ng.load(str(write(tmp_path / "asked.jsonl", rows)))
    scores = ng.score(data, [f"trained(model={tmp_path / 'ah'})"])
    assert all(score.value > 0.8 for score in scores.scores)
    code = (
        "import sys; from nlgauge.learned.classifier import open_classifier\n"
        "c = open_classifier(sys.argv[1])\n"
        "print(*c.probabilities(['the mayor opens a bridge'] * 2, ['mayor, bridge', 'no rain'])[:, 0].tolist())"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path / "ah")], capture_output=True, text=True, check=True)
    here = open_classifier(tmp_path / "ah").probabilities(
        ["the mayor opens a bridge"] * 2, ["mayor, bridge", "no rain"]
    )
    assert [float(number) for number in ran.stdout.split()] == here[:, 0].tolist()


def test_an_interrupted_training_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", pairs(150))
    whole = train(training("rows.jsonl"), tmp_path / "whole", beside=tmp_path)

    class StopError(Exception):
        pass

    heard: list[float] = []

    def report(figures: dict[str, float]) -> None:
        heard.append(figures["penalty"])
        if len(heard) == 2:
            raise StopError

    with pytest.raises(StopError):
        train(training("rows.jsonl"), tmp_path / "half", beside=tmp_path, report=report)
    assert not (tmp_path / "half").exists()
    kept = sorted((tmp_path / f"half{CHECKPOINTS}").glob("*.npy"))
    assert len(kept) == 2
    stamps = [path.stat().st_mtime_ns for path in kept]
    again = train(training("rows.jsonl"), tmp_path / "half", beside=tmp_path)
    assert [path.stat().st_mtime_ns for path in kept] == stamps  # read, not made again
    assert again.folder.digest == whole.folder.digest


REFUSED: list[tuple[list[dict[str, Any]], dict[str, Any], str]] = [
    (pairs(60), {"reads": "alone", "negatives": "none", "label": "pairs"}, "no 'pairs'"),
    (
        [{**row, "system": "a"} for row in pairs(60)],
        {"reads": "alone", "negatives": "none", "label": "system"},
        "two classes or more",
    ),
    (
        [{**row, "system": "a" if number > 3 else "b"} for number, row in enumerate(pairs(60))],
        {"reads": "alone", "negatives": "none", "label": "system"},
        "b has .* to learn from",
    ),
    ([{**row, "hypothesis": " "} for row in pairs(60)], {}, "no row has two texts"),
    ([{**row, "source": ""} for row in pairs(60)], {}, "no row has two texts"),
    ([{**row, "hypothesis": "same"} for row in pairs(60)], {}, "no pair that does not match could be drawn"),
    (pairs(10), {}, "are needed"),
]


@pytest.mark.parametrize(("rows", "more", "said"), REFUSED)
def test_what_cannot_be_learnt_is_refused(
    tmp_path: Path, rows: list[dict[str, Any]], more: dict[str, Any], said: str
) -> None:
    write(tmp_path / "rows.jsonl", rows)
    with pytest.raises(InputError, match=said):
        train(training("rows.jsonl", **more), tmp_path / "out", beside=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("reads: pair", "label is missing"),
        ("label: system\nnegatives: hard\nreads: pair", "exclude each other"),
        ("negatives: hard", "negatives are of pairs"),
        ("label: system\nscaled: true", "leave it out"),
        ("label: system\nbody: boosted", "encoder, linear"),
    ],
)
def test_files_that_contradict_themselves(tmp_path: Path, more: str, said: str) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(f"kind: classifier\nname: x\ndata: [{{path: rows.jsonl}}]\n{more}\n")
    with pytest.raises(InputError, match=said):
        read_config(path)


def test_damaged_folders_and_wrong_lists_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "rows.jsonl", pairs(100))
    train(training("rows.jsonl"), tmp_path / "ah", beside=tmp_path)
    ah = open_classifier(tmp_path / "ah")
    with pytest.raises(InputError, match="reads pairs"):
        ah.probabilities(["a"])
    with pytest.raises(InputError, match="as many of both"):
        ah.probabilities(["a"], ["b", "c"])
    with pytest.raises(InputError, match="list of texts"):
        ah.probabilities("a", "b")
    assert ah.probabilities([], []).shape == (0, 2)
    broken = shutil.copytree(tmp_path / "ah", tmp_path / "broken")
    told = json.loads((broken / "metric.json").read_text())
    told["settings"]["labels"] = ["match"]
    (broken / "metric.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="changed or damaged"):
        open_classifier(broken)
