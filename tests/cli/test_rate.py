"""`nlgauge rate`: formats, keys, sentences, refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError

METHODS = ("bradley-terry", "glicko2", "glicko2-zhou", "trueskill", "elo")


def rows(games: int = 400, seed: int = 1) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    skill = {"good": 1.5, "fair": 0.0, "poor": -1.5}
    out = []
    for k in range(games):
        a, b = rng.choice(list(skill), size=2, replace=False)
        chance = 1 / (1 + np.exp(skill[b] - skill[a]))
        outcome = "tie" if rng.random() < 0.1 else "a" if rng.random() < chance else "b"
        out.append(
            {
                "a": str(a),
                "b": str(b),
                "outcome": outcome,
                "item": k // 4,
                "judge": f"j{k % 2}",
                "x_len": k % 3,
            }
        )
    return out


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    return path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["rate", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rate", *arguments]) == 2
    out = capsys.readouterr()
    assert out.out == "" and out.err.count("\n") == 1
    return out.err


@pytest.mark.parametrize("method", METHODS)
def test_stable_keys(games: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    found = as_json(capsys, str(games), "--method", method, "--trials", "50")
    assert found["method"] == method and isinstance(found["converged"], bool)
    assert [r["player"] for r in found["ratings"]] == ["good", "fair", "poor"]
    for rating in found["ratings"]:
        assert {"player", "rating", "low", "high", "games"} <= set(rating)
        assert rating["low"] <= rating["rating"] <= rating["high"]
        assert rating["games"] == rating["wins"] + rating["ties"] + rating["losses"]
        assert rating["rank_low"] <= rating["rank"] <= rating["rank_high"]
    rated = found["games_used"] if method == "glicko2-zhou" else 400  # which draws from those recorded
    assert sum(r["games"] for r in found["ratings"]) == 2 * found["n"] == 2 * rated
    assert "good" in found["sentence"]


def test_table_and_sentence(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", str(games), "--matrix", "--next", "2"]) == 0
    out = capsys.readouterr().out
    assert "rank" in out and "good is rated highest" in out and "sandwich over 100 items" in out
    assert "share of points" in out and "bits" in out
    assert "nan" not in out


def test_options(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, str(games), "--order", "judge", "--covariates", "--ties", "rao-kupper", "--next", "1")
    assert set(found["parameters"]) == {"order: j0", "order: j1", "x_len", "θ"}
    assert len(found["next"]) == 1 and found["next"][0]["bits"] > 0
    elo = as_json(capsys, str(games), "--scale", "elo", "--interval", "information")
    assert sum(r["rating"] for r in elo["ratings"]) == pytest.approx(3000)
    first = as_json(capsys, str(games), "--method", "glicko2-zhou", "--seed", "3")
    again = as_json(capsys, str(games), "--schedule", "glicko2-zhou", "--seed", "3")  # another name of it
    assert first == again and first["converged"]
    capped = as_json(capsys, str(games), "--method", "glicko2-zhou", "--max-games", "100")
    assert not capped["converged"] and capped["games_used"] == 100
    assert capped["n"] == 100 and sum(one["games"] for one in capped["ratings"]) == 200  # those drawn, each of two
    assert "|n=100|" in capped["receipt"]


def test_csv_says_the_same(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows(1)[0]))
        writer.writeheader()
        writer.writerows(rows())
    assert as_json(capsys, str(path)) == as_json(capsys, str(games))


def test_pairwise_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    pairs = [
        {
            "item": str(k),
            "system_a": "x",
            "system_b": "y",
            "hypothesis_a": "t",
            "hypothesis_b": "u",
            "ratings": {"preference": [("a", "b", "tie")[k % 3], "a", None]},
        }
        for k in range(30)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in pairs), encoding="utf-8")
    found = as_json(capsys, str(path))
    assert found["n"] == 60 and "30 verdicts without a preference left out" in found["notes"]
    sides = [{**row, "ratings": {"preference": "ab"[k % 2]}} for k, row in enumerate(pairs)]
    for row in sides:
        del row["system_a"], row["system_b"]
    found = nlgauge.rate(sides)
    assert "the sides a and b" in found.notes[-1]
    assert "places are rated, not systems" in found.sentence and "rated highest" not in found.sentence


def test_recorded_pairs(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, str(shared / "data" / "pandalm_pairwise.jsonl.gz"))
    assert found["n"] == 2997 and sum(r["ties"] for r in found["ratings"]) == 2 * 326
    assert found["ratings"][0]["player"] == "llama-7b"


def test_python_takes_rows_frames_and_files(games: Path) -> None:
    pandas = pytest.importorskip("pandas")
    one, two, three = (nlgauge.rate(x) for x in (games, rows(), pandas.DataFrame(rows())))
    assert str(one) == str(two) == str(three)
    assert one["good"].rank == 1 and one.order[0] == "good"
    with pytest.raises(InputError, match="did you mean good"):
        one["goood"]
    with pytest.raises(InputError, match="no option 'k'"):
        nlgauge.rate(rows(), "trueskill", k=3)
    with pytest.raises(InputError, match="no method 'bradley'"):
        nlgauge.rate(rows(), "bradley")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "empty"),
        (['{"a": "x", "b": "y", "outcome": "A"}'], "line 1: the outcome is 'A'; expected a, b or tie"),
        (['{"a": "x", "b": "x", "outcome": "a"}'], "line 1: 'x' plays against itself"),
        (['{"a": "x", "b": "y", "outcome": "a"}', '{"a": "x", "b": "y"}'], "line 2: no outcome"),
        (['{"a": "x", "outcome": "a"}'], "no b"),
        (['{"a": "x", "b": "y", "outcome": "a", "jugde": 1}'], "unknown key 'jugde'"),
        (['{"a": "x", "b": "y", "outcome": "a", "x_len": "long"}'], "x_len is 'long'; expected a number"),
        (
            ['{"a": "x", "b": "y", "outcome": "a", "item": 1}', '{"a": "x", "b": "y", "outcome": "b"}'],
            "1 of 2 games name item",
        ),
        (['{"a": null, "b": "y", "outcome": "a"}'], "a is None; expected a name"),
        (['{"q": 1}'], "neither a game nor a pairwise row"),
        (["[1]"], "not an object"),
        (['{"ratings": {"preference": null}}'], "no games with a preference"),
        (
            ['{"a": "x", "b": "y", "outcome": "tie"}', '{"a": "u", "b": "v", "outcome": "tie"}'],
            "2 parts that never meet: {u, v}, {x, y}",
        ),
        (['{"a": "x", "b": "y", "outcome": "a"}'], "results one way only: {x}, {y}"),
    ],
)
def test_refused_games(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[str], words: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert words in refusal(capsys, str(path))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "elo", "--ties", "half"), "--ties is for bradley-terry, not for elo"),
        (("--method", "trueskill", "-k", "3"), "-k is for elo, not for trueskill"),
        (("--level", "1.2"), "level"),
        (("--ridge", "-1"), "ridge"),
        (("--interval", "deviation"), "interval of bradley-terry"),
        (("--method", "glicko2", "--interval", "sandwich"), "interval of glicko2"),
        (("--method", "glicko"), "invalid choice"),
        (("--trials", "1", "--interval", "bootstrap"), "at least two trials"),
        (("--trials", "200000", "--interval", "bootstrap"), "at most 100,000 trials"),
        (("--ridge", "1e-300"), "holds no strength back"),
        (("--ridge", "1e308"), "makes all strengths 0"),
    ],
)
def test_refused_options(
    games: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert words in refusal(capsys, str(games), *arguments)


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refusal(capsys, "nowhere.jsonl")


def test_ratings_of_single_outputs_name_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(
        json.dumps({"item": 1, "system": "s", "hypothesis": "x", "ratings": {"fluency": [3]}}),
        encoding="utf-8",
    )
    assert "nlgauge compare DATA --human fluency" in refusal(capsys, str(path))


def test_an_order_effect_of_pairs_in_one_order_only() -> None:
    one_way = [{"a": a, "b": b, "outcome": "ab"[k % 3 == 0]} for k in range(30) for a, b in ("xy", "yz", "zx")]
    assert any("both orders" in note for note in nlgauge.rate(one_way, order="common").notes)
    both = [*one_way, {"a": "y", "b": "x", "outcome": "a"}]
    assert not any("both orders" in note for note in nlgauge.rate(both, order="common").notes)
    assert not any("both orders" in note for note in nlgauge.rate(one_way).notes)


def test_the_receipt_is_explained(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    receipt = as_json(capsys, str(games), "--ties", "half", "--interval", "bootstrap", "--trials", "50")["receipt"]
    assert "|rate=bradley-terry(ties=half)|n=400|players=3|judges=2|" in receipt
    assert receipt.endswith("|ci=bootstrap:50|level=0.95|seed=12345")
    assert main(["explain", receipt]) == 0
    assert "games: 400" in capsys.readouterr().out


def test_covariates_need_numbers_in_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text('{"a": "x", "b": "y", "outcome": "tie"}\n' * 3, encoding="utf-8")
    assert "the games hold none" in refusal(capsys, str(path), "--covariates")
    assert "--ties half" in refusal(capsys, str(path))
    assert "all games are ties" in as_json(capsys, str(path), "--ties", "half")["notes"][0]


def test_a_missing_outcome_is_called_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "null.jsonl"
    path.write_text('{"a": "x", "b": "y", "outcome": null}\n', encoding="utf-8")
    assert "the outcome is missing" in refusal(capsys, str(path))


def test_options_are_named_as_the_caller_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tied = [{"a": "x", "b": "y", "outcome": "tie", "item": str(n)} for n in range(4)]
    with pytest.raises(InputError, match='use ties="half"'):
        nlgauge.rate(tied)
    path = tmp_path / "tied.jsonl"
    path.write_text("\n".join(map(json.dumps, tied)), encoding="utf-8")
    assert "use --ties half" in refusal(capsys, str(path))


def test_games_are_drawn_until_the_order_is_certain_and_counted(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = as_json(capsys, str(games), "--schedule", "least-certain", "--certainty", "0.9")
    assert found["method"] == "trueskill" and found["converged"] and found["games_recorded"] == 400
    assert [row["player"] for row in found["ratings"]] == ["good", "fair", "poor"]
    assert sum(row["games"] for row in found["ratings"]) == 2 * found["n"] < 2 * 200
    assert "schedule=least-certain" in found["receipt"] and "certainty=0.9" in found["receipt"]
    assert as_json(capsys, str(games), "--schedule", "least-certain", "--certainty", "0.9") == found
    strict = as_json(capsys, str(games), "--schedule", "random", "--certainty", "0.999999999999")
    assert not strict["converged"] and strict["n"] == 400 and "recorded games ended" in strict["notes"][-1]
    fitted = as_json(capsys, str(games), "--schedule", "random", "--method", "bradley-terry")
    assert fitted["method"] == "bradley-terry" and fitted["n"] < 400
    assert main(["rate", str(games), "--schedule", "random"]) == 0
    out = capsys.readouterr().out
    assert "drawn  won" in out and f"{fitted['n']} games of 3 players drawn from 400 recorded" in " ".join(out.split())
    zhou = as_json(capsys, str(games), "--method", "glicko2-zhou")
    assert zhou["games_recorded"] == 400 and zhou["n"] == zhou["games_used"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--schedule", "random", "--method", "glicko2-zhou"], "draws its games itself"),
        (["--certainty", "0.9"], "--certainty is for --schedule"),
        (["--max-games", "9"], "--max-games is for --schedule"),
        (["--schedule", "random", "--certainty", "1"], "between 0.5 and 1"),
    ],
)
def test_options_of_drawing_are_refused_where_nothing_is_drawn(
    games: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    assert told in refusal(capsys, str(games), *options)


def test_single_outputs_are_rated_from_the_games_of_their_items(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = as_json(capsys, str(games), "--outputs", "--plays", "4000")
    outputs = {(row["item"], row["system"]) for row in found["outputs"]}
    played = {(str(row["item"]), row[side]) for row in rows() for side in ("a", "b")}
    assert outputs == played and found["n"] == 4000 and found["games_recorded"] == 400
    assert list(found["means"]) == ["good", "fair", "poor"]
    assert sum(row["games"] for row in found["outputs"]) == 8000
    own = [row["score"] for row in found["outputs"] if row["system"] == "good" and row["score"] is not None]
    assert found["means"]["good"] == pytest.approx(np.mean(own))
    assert main(["rate", str(games), "--outputs"]) == 0
    assert "10,000 games of" in " ".join(capsys.readouterr().out.split())
    assert "--plays is for --outputs" in refusal(capsys, str(games), "--plays", "9")
    assert "does not go with --outputs" in refusal(capsys, str(games), "--outputs", "--method", "elo")
