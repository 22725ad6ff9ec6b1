"""Comparators: games to learn from, what is learnt, and that it says the same of both orders."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.learned.comparator import (
    TIE,
    A,
    B,
    Comparator,
    Written,
    context_of,
    shortened,
    softmax,
    verdicts,
)
from nlgauge.learned.folder import open_folder, seal
from nlgauge.models.weights import read
from nlgauge.training.comparator import ComparatorTraining
from nlgauge.training.figures import calibrated, calibration_error, intervals, likelihood, quality, rescaled
from nlgauge.training.games import CONTEXT, DAMAGE, HUMAN, PEOPLE, STRONG, WEAK, Played, altered
from nlgauge.training.run import read_config, train

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fine-tuned")
pytest.importorskip("transformers", reason="transformers is not installed: nothing to tune")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_bert  # noqa: E402

WAYS = ("apart", "together")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)


def text_of(random: Random, kept: float) -> str:
    """Letters, some of them replaced by z: the fewer, the better."""
    return " ".join(letter if random.random() < kept else "z" for letter in random.choices("abcdefg", k=6))


def write_rated(path: Path, *, items: int = 40) -> None:
    """Four systems rated by two named judges, by how few letters were lost."""
    random = Random(1)
    with path.open("w", encoding="utf-8") as file:
        for item in range(items):
            for system in range(4):
                text = text_of(random, system / 3)
                good = float(sum(word != "z" for word in text.split()))
                row = {
                    "item": f"i{item}",
                    "system": f"s{system}",
                    "source": f"{'abcdefg'[item % 7]} {'abcdefg'[item // 7]}",
                    "hypothesis": text,
                    "references": [text_of(random, 1.0)],
                    "ratings": {"quality": [good, good]},
                    "raters": ["ann", "bob"],
                }
                file.write(json.dumps(row) + "\n")


def write_checkpoints(path: Path, *, items: int = 30, steps: tuple[int, ...] = (10, 50, 85, 100)) -> None:
    """One system as its training goes on."""
    random = Random(2)
    with path.open("w", encoding="utf-8") as file:
        for item in range(items):
            for step in steps:
                row = {
                    "item": f"c{item}",
                    "system": f"net@{step}",
                    "run": "net",
                    "step": step,
                    "source": f"{'abcdefg'[item % 7]} {'abcdefg'[item // 7]} a",
                    "hypothesis": text_of(random, step / 130),
                    "references": [text_of(random, 1.0)],
                }
                file.write(json.dumps(row) + "\n")


def configured(folder: Path, more: str = "", *, data: str = "") -> Path:
    tiny_bert(folder / "bert")
    write_rated(folder / "rated.jsonl")
    path = folder / "comparator.yaml"
    path.write_text(
        "kind: comparator\nname: letters\ndata:\n"
        + (data or "  - {path: rated.jsonl, human: quality}\n")
        + f"encoder: {folder / 'bert'}\nbatch: 16\nlongest: 40\nsplit: 0.2\nrate: 0.003\n"
        + more,
        encoding="utf-8",
    )
    return path


def learnt(folder: Path, path: Path, name: str = "kept") -> tuple[Comparator, dict[str, Any]]:
    training = read_config(path)
    assert isinstance(training, ComparatorTraining)
    found = train(training, folder / name, beside=folder)
    form = found.folder.form
    assert isinstance(form, Comparator)
    return form, found.figures["held_out"]


@pytest.mark.parametrize("reads", WAYS)
def test_it_learns_and_says_the_same_of_both_orders(tmp_path: Path, reads: str) -> None:
    path = configured(tmp_path, f"reads: {reads}\nstrong: false\nweak: false\nepochs: 8\n")
    form, held = learnt(tmp_path, path)
    assert held["accuracy_decided"] > 0.75 and held["accuracy"] > 1.2 * max(held["ties"], 1 - held["ties"]) / 2
    random = Random(3)
    texts = [Written(text_of(random, random.random()), "a b") for _ in range(12)]
    ones, others = zip(*combinations(texts, 2), strict=True)
    forth, back = form.probabilities(ones, others), form.probabilities(others, ones)
    assert np.abs(forth - back[:, [B, A, TIE]]).max() < 1e-6
    assert (verdicts(form.probabilities(texts, texts)) == TIE).all()
    assert (abs(held["first_favoured"]) < 1e-12) == (reads == "apart")
    code = (
        "import sys\nfrom pathlib import Path\nfrom nlgauge.learned.folder import open_folder\n"
        "from nlgauge.learned.comparator import Written\n"
        "form = open_folder(Path(sys.argv[1])).form\n"
        "print(form.probabilities([Written('a b z', 'a b')], [Written('z z z', 'a b')]).tolist())"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "kept")], capture_output=True, text=True, check=True
    )
    mine = form.probabilities([Written("a b z", "a b")], [Written("z z z", "a b")])
    assert json.loads(said.stdout) == mine.tolist()


def test_what_is_calibrated_is_what_the_metric_will_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are kept in eight bits, which moves what a head says."""
    seen: list[np.ndarray] = []

    def noted(logits: np.ndarray, outcomes: np.ndarray) -> tuple[float, float]:
        seen.append(logits)
        return 0.01, 1.0  # so sharp that rounding afterwards would be seen

    monkeypatch.setattr("nlgauge.training.comparator.calibrated", noted)
    path = configured(tmp_path, "strong: false\nweak: false\nepochs: 1\n")
    form, _ = learnt(tmp_path, path)
    examples, held = prepared(tmp_path, path)
    games = examples.games[held[examples.games[:, 0]]]
    ones, others = (
        [Written(examples.rows[place].text or "", context_of(examples.rows[place].source)) for place in side]
        for side in games[:, :2].T
    )
    assert np.abs(form.logits(ones, others) - rescaled(seen[0], 0.01, 1.0)).max() < 1e-3


def prepared(folder: Path, path: Path) -> tuple[Played, np.ndarray]:
    training = read_config(path)
    assert isinstance(training, ComparatorTraining)
    return training.prepared(folder)


def test_strong_games_let_people_win_and_tie_what_has_one_origin(tmp_path: Path) -> None:
    path = configured(tmp_path, "weak: false\nhuman: false\ngames: 400\n")
    examples, held = prepared(tmp_path, path)
    assert examples.of(STRONG).all() and 380 <= len(examples.games) <= 400
    people = np.array([row.system == PEOPLE for row in examples.rows])
    for one, other, outcome, _ in examples.games.tolist():
        assert held[one] == held[other]
        if outcome == TIE:
            assert examples.rows[one].system == examples.rows[other].system and one != other
        else:
            better, worse = (one, other) if outcome == A else (other, one)
            assert people[better] and not people[worse]
            assert examples.items[one] == examples.items[other]
    assert 0.4 < np.mean(examples.games[:, 2] == TIE) < 0.6


def test_a_text_beats_a_damaged_copy_of_itself(tmp_path: Path) -> None:
    path = configured(tmp_path, "strong: false\nweak: false\nhuman: false\ndamaged: true\ngames: 200\n")
    examples, held = prepared(tmp_path, path)
    assert examples.of(DAMAGE).all() and 150 <= len(examples.games) <= 200
    assert len(examples) == len(held) == len(examples.items) == len(examples.targets)
    for own, other, outcome, _ in examples.games.tolist():
        assert outcome == A and held[own] == held[other]
        assert examples.given[own] and not examples.given[other]
        assert examples.rows[own].text != examples.rows[other].text
        assert examples.rows[own].source == examples.rows[other].source


def test_games_of_people_come_after_the_others_or_among_them(tmp_path: Path) -> None:
    after = read_config(configured(tmp_path, "damaged: true\n"))
    among = read_config(configured(tmp_path, "damaged: true\nmixed: true\n"))
    assert isinstance(after, ComparatorTraining) and isinstance(among, ComparatorTraining)
    assert [HUMAN in origins for origins, _ in after._stages] == [False, True]
    assert [HUMAN in origins and DAMAGE in origins for origins, _ in among._stages] == [True]


def test_a_text_for_its_own_context_beats_itself_for_an_altered_one(tmp_path: Path) -> None:
    path = configured(tmp_path, "strong: false\nweak: false\nhuman: false\ncontexts: true\ngames: 200\n")
    examples, held = prepared(tmp_path, path)
    assert examples.of(CONTEXT).all() and 150 <= len(examples.games) <= 200
    assert len(examples) == len(held) == len(examples.items) == len(examples.targets)
    for own, other, outcome, _ in examples.games.tolist():
        assert outcome == A and held[own] == held[other]
        assert examples.rows[own].text == examples.rows[other].text
        assert examples.rows[own].source != examples.rows[other].source


def test_a_context_of_values_gets_another_value_one_more_or_one_less() -> None:
    source, other = "name[Aromi], area[riverside], food[French]", "name[Aromi], area[centre], price[low]"
    made = {str(altered(source, [other], Random(seed))) for seed in range(60)}
    assert "name[Aromi], area[centre], food[French]" in made  # exchanged
    assert any("price[low]" in text and "food[French]" in text for text in made)  # added
    assert {"area[riverside], food[French]", "name[Aromi], area[riverside]"} <= made  # dropped
    assert source not in made
    as_object = altered({"name": "Aromi", "area": "riverside"}, [{"area": "centre"}], Random(1))
    assert isinstance(as_object, dict) and as_object != {"name": "Aromi", "area": "riverside"}
    assert altered("tell me a story", ["and then?"], Random(1)) == "and then?"


def test_weak_games_take_checkpoints_apart_of_which_one_has_not_converged(tmp_path: Path) -> None:
    write_checkpoints(tmp_path / "net.jsonl")
    path = configured(
        tmp_path,
        "strong: false\nhuman: false\nrun: run\ngames: 300\n",
        data="  - {path: net.jsonl}\n",
    )
    examples, _ = prepared(tmp_path, path)
    steps = [row.extra.get("step") for row in examples.rows]
    seen = set()
    for (one, other, outcome, origin), margin in zip(examples.games.tolist(), examples.margins.tolist(), strict=True):
        late, early = (one, other) if outcome == A else (other, one)
        assert origin == WEAK and outcome != TIE and examples.items[one] == examples.items[other]
        assert margin == pytest.approx((steps[late] - steps[early]) / 100)
        seen.add((steps[early], steps[late]))
    assert seen == {(10, 50), (10, 85), (10, 100), (50, 85), (50, 100)}  # not (85, 100)


def test_checkpoints_close_to_each_other_are_not_compared_and_large_margins_come_first(
    tmp_path: Path,
) -> None:
    write_checkpoints(tmp_path / "net.jsonl", steps=(10, 50, 59, 100))
    data = "  - {path: net.jsonl}\n"
    path = configured(tmp_path, "human: false\ngames: 300\n", data=data)
    examples, _ = prepared(tmp_path, path)
    weak = examples.of(WEAK)
    assert set(examples.margins[weak].round(2)) == {0.4, 0.41, 0.49, 0.5, 0.9}  # not 0.09
    training = read_config(path)
    assert isinstance(training, ComparatorTraining)
    places = np.arange(len(examples.games))
    for curriculum in (True, False):
        made = replace(training, curriculum=curriculum)
        order = made._ordered(SimpleNamespace(examples=examples), places, Random(1))  # type: ignore[arg-type]
        assert sorted(order) == places.tolist()
        margins = examples.margins[order][weak[order]]
        assert bool((np.diff(margins) <= 0).all()) == curriculum
        assert 0 < weak[order][: len(order) // 2].mean() < 1  # the others stay among them


def test_ratings_of_one_judge_become_games_with_a_band_of_ties(tmp_path: Path) -> None:
    judged = [
        ("1", "x", "a", [4, 1], ["ann", "bob"]),
        ("1", "y", "b", [3, 3], ["bob", "eve"]),
        ("1", "z", "c", [2, 5], ["ann", "bob"]),
        ("2", "x", "d", [5, 4], None),
        ("2", "y", "e", [4, 4], None),
    ]
    rows = [
        {"item": item, "system": system, "hypothesis": text, "source": f"s{item}", "ratings": {"q": given}}
        | ({"raters": names} if names else {})
        for item, system, text, given, names in judged
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = configured(
        tmp_path,
        "strong: false\nweak: false\ntie: 1\n",
        data="  - {path: rated.jsonl, human: quality}\n  - {path: own.jsonl, human: q}\n",
    )
    examples, _ = prepared(tmp_path, path)
    texts = [row.text for row in examples.rows]
    found = [
        (texts[one], texts[other], outcome)
        for one, other, outcome, origin in examples.games.tolist()
        if examples.sets[one] == "own" and origin == HUMAN
    ]
    # x, y share bob: 1, 3; x, z ann: 4, 2 and bob: 1, 5; y, z bob: 3, 5; where nobody is named, means: 4.5, 4
    assert sorted(found) == sorted([("a", "b", B), ("a", "c", A), ("a", "c", B), ("b", "c", B), ("d", "e", TIE)])


def test_preferences_with_ties_are_games(tmp_path: Path) -> None:
    rows = [
        {
            "item": str(item),
            "source": f"context {item}",
            "system_a": "x",
            "system_b": "y",
            "hypothesis_a": f"a {item}",
            "hypothesis_b": f"z {item}",
            "ratings": {"preference": ["a", "tie", "b"]},
        }
        for item in range(20)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = configured(tmp_path, "strong: false\nweak: false\n", data="  - {path: pairs.jsonl}\n")
    examples, held = prepared(tmp_path, path)
    assert np.bincount(examples.games[:, 2]).tolist() == [20, 20, 20] and 0 < held.sum() < len(held)
    whole = prepared(
        tmp_path,
        configured(tmp_path, "strong: false\nweak: false\nties: false\n", data="  - {path: pairs.jsonl}\n"),
    )
    assert np.bincount(whole[0].games[:, 2]).tolist() == [20, 20]


def test_a_preference_is_left_out_with_either_of_its_systems(tmp_path: Path) -> None:
    rows = [
        {
            "item": f"{item}",
            "source": f"context {item}",
            "system_a": "x",
            "system_b": "yz"[item % 2],
            "hypothesis_a": f"a {item}",
            "hypothesis_b": f"z {item}",
            "ratings": {"preference": "a"},
        }
        for item in range(40)
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for chosen in ("without: z", "where: {system: '[xy]'}"):
        data = f"  - {{path: pairs.jsonl, {chosen}}}\n"
        examples, _ = prepared(tmp_path, configured(tmp_path, "strong: false\nweak: false\n", data=data))
        assert {row.system for row in examples.rows} == {"x", "y"}
        assert examples.games.tolist() == [[2 * game, 2 * game + 1, A, HUMAN] for game in range(20)]


def test_without_ties_none_is_said_and_without_comparison_people_are_told(tmp_path: Path) -> None:
    form, held = learnt(tmp_path, configured(tmp_path, "ties: false\nweak: false\nstrong: false\nepochs: 2\n"))
    assert held["ties_said"] == 0 == held["ties"]
    form, held = learnt(
        tmp_path,
        configured(tmp_path, "comparison: false\nweak: false\ngames: 600\nfirst_epochs: 6\n"),
        "other",
    )
    random = Random(5)
    good = [Written(text_of(random, 1.0), "a b") for _ in range(30)]
    bad = [Written(text_of(random, 0.3), "a b") for _ in range(30)]
    assert (verdicts(form.probabilities(good, bad)) == A).mean() > 0.8


def test_an_encoder_that_forgot_begins_by_chance(tmp_path: Path) -> None:
    short = "strong: false\nweak: false\nepochs: 1\npacked: false\naverage: 0\n"
    known, _ = learnt(tmp_path, configured(tmp_path, short))
    forgot, _ = learnt(tmp_path, configured(tmp_path, short + "pretrained: false\n"), "other")
    name = "embeddings.word_embeddings.weight"
    began = read(tmp_path / "bert" / "model.safetensors")[name]
    assert np.abs(known.weights[name] - began).max() < 0.2 < np.abs(forgot.weights[name] - began).max()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("strong: false\nweak: false\nhuman: false\n", "nothing to learn from"),
        ("comparison: false\nstrong: false\n", "strong must be on"),
        ("comparison: false\ncontexts: true\n", "without comparison leave it off"),
    ],
)
def test_what_leaves_nothing_to_learn_is_refused(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_config(configured(tmp_path, more))


def test_a_step_that_is_no_number_is_named(tmp_path: Path) -> None:
    write_checkpoints(tmp_path / "net.jsonl", steps=(10, 50))
    text = (tmp_path / "net.jsonl").read_text(encoding="utf-8").replace('"step": 50', '"step": "late"', 1)
    (tmp_path / "net.jsonl").write_text(text, encoding="utf-8")
    path = configured(tmp_path, "human: false\n", data="  - {path: net.jsonl}\n")
    with pytest.raises(InputError, match="item c0 of net@50: step is 'late'; expected a number of steps"):
        prepared(tmp_path, path)


def test_long_texts_are_cut_at_the_nearest_sentence() -> None:
    sentence = " ".join(["word"] * 9) + " end."
    assert shortened(" ".join([sentence] * 3), 30) == " ".join([sentence] * 3)
    assert shortened(" ".join([sentence] * 5), 24) == " ".join([sentence] * 2)  # 20 is nearer than 30
    assert shortened(" ".join([sentence] * 5), 26) == " ".join([sentence] * 3)
    assert shortened("word " * 50, 7) == "word word word word word word word"  # no sentence ends near
    assert shortened("", 5) == ""


def test_contexts_of_every_kind_become_texts() -> None:
    assert context_of(None) == "" and context_of("as it is") == "as it is"
    assert context_of(["hi", "hello"]) == "hi\nhello"
    assert context_of({"name": "Blue Spice", "near": ["a", "b"]}) == "name: Blue Spice, near: a\nb"


def test_calibration_finds_the_temperature_that_data_were_made_with() -> None:
    draw = np.random.default_rng(1)
    logits = draw.normal(size=(4000, 3)) * 2
    true = softmax(logits / 2.5 + np.array([0, 0, 0.7]))
    outcomes = np.array([draw.choice(3, p=chances) for chances in true])
    temperature, lift = calibrated(logits, outcomes)
    assert temperature == pytest.approx(2.5, rel=0.1) and lift == pytest.approx(0.7, abs=0.12)
    assert likelihood(np.zeros((3, 3)), np.array([0, 1, 2])) == pytest.approx(np.log(1 / 3))
    made = rescaled(logits, temperature, lift)
    assert calibration_error(made, outcomes) < 0.03
    assert calibration_error(logits, outcomes) > 0.1


def test_limits_of_figures_hold_them_and_draw_items_whole() -> None:
    draw = np.random.default_rng(2)
    logits, outcomes = draw.normal(size=(600, 3)), draw.integers(3, size=600)
    alone = intervals(logits, outcomes, [str(place) for place in range(600)], seed=1)
    assert alone.keys() == quality(logits, outcomes).keys()
    for name, value in quality(logits, outcomes).items():
        low, high = alone[name]
        assert low < value < high
    hits = float(np.mean(verdicts(softmax(logits)) == outcomes))
    low, high = alone["accuracy"]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(hits * (1 - hits) / 600), rel=0.1)
    ten = [str(place) for place in range(60)] * 10  # each game ten times over: as many items as 60 games
    low, high = intervals(np.tile(logits[:60], (10, 1)), np.tile(outcomes[:60], 10), ten, seed=1)["accuracy"]
    once = float(np.mean(verdicts(softmax(logits[:60])) == outcomes[:60]))
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(once * (1 - once) / 60), rel=0.15)
    assert intervals(logits, outcomes, ["a", "b"] * 300, seed=1) == {}  # too few items


def test_a_folder_with_another_head_is_refused(tmp_path: Path) -> None:
    learnt(tmp_path, configured(tmp_path, "strong: false\nweak: false\nepochs: 1\n"))
    about = tmp_path / "kept" / "metric.json"
    about.write_text(about.read_text(encoding="utf-8").replace('"apart"', '"together"'), encoding="utf-8")
    seal(tmp_path / "kept")
    with pytest.raises(InputError, match="a head of 2 numbers"):
        open_folder(tmp_path / "kept")
