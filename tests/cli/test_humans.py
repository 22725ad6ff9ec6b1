"""People's ratings on the command line and in Python: means, exact tests, plans, control variates, HUSE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import humans
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.stats import compare_judgements

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "looked",
    "at",
    "rain",
    "over",
    "some",
    "old",
    "town",
    "by",
    "night",
]


def make(path: Path, *, items: int = 40, judged: int = 40, gaps: bool = False) -> str:
    """Two systems with texts of varying quality, rated by two judges after their true quality."""
    generator = np.random.default_rng(1)
    lines = []
    for item in range(items):
        reference = [str(word) for word in generator.choice(WORDS, size=12)]
        for system, faults in (("good", 2), ("bad", 5)):
            wrong = int(generator.integers(0, 2 * faults))
            text = [word if place >= wrong else "x" for place, word in enumerate(reference)]
            row: dict[str, Any] = {
                "item": str(item),
                "system": system,
                "hypothesis": " ".join(text),
                "references": [" ".join(reference)],
                "document": f"d{item // 4}",
                "category": "even" if item % 2 == 0 else "odd",
                "x_logprob": float(generator.normal(-1 - 0.1 * wrong)),
            }
            if item < judged:
                ratings: list[float | None] = [
                    float(np.clip(round(5 - wrong / 2 + generator.normal(0, 0.6)), 1, 5)) for _ in range(2)
                ]
                if gaps and item % 5 == 0:
                    ratings[0] = None
                row["ratings"] = {"quality": ratings}
            lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return make(tmp_path / "d.jsonl")


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    result: dict[str, Any] = json.loads(out)
    return result


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert code == 2 and out == "" and len(err.strip().splitlines()) == 1, (code, out, err)
    return err


def test_compare_by_ratings(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "compare", data, "--human", "quality")
    (row,) = out["comparisons"]
    assert (row["metric"], row["system"], row["baseline"]) == ("quality", "bad", "good")
    assert (row["test"], row["trials"], row["n"]) == ("exact", 0, 40)
    rated = humans.judgements(nlgauge.load(data), "quality")
    expected = compare_judgements(rated.values["bad"], rated.values["good"])
    assert (row["p"], row["delta"]) == (expected.p, expected.delta)
    assert row["low"] == expected.low and row["p_adjusted"] == row["p"]
    assert "human=quality" in out["receipts"]["quality"] and "judgements=160" in out["receipts"]["quality"]
    assert "exact permutation of matched judgements" in out["conclusion"].lower()
    assert main(["explain", out["receipts"]["quality"]]) == 0
    assert "criterion that people rated: quality" in capsys.readouterr().out


def test_ratings_beside_metrics_and_on_a_page(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "r.html"
    out = as_json(capsys, "compare", data, "--human", "quality", "-m", "chrf", "--html", str(page))
    assert [row["metric"] for row in out["comparisons"]] == ["chrf", "quality"]
    assert set(out["receipts"]) == {"chrf", "quality"} and "quality" in page.read_text(encoding="utf-8")
    scores = as_json(capsys, "score", data, "--human", "quality", "-m", "chrf", "--ci")["scores"]
    assert [row["metric"] for row in scores] == ["chrf"] * 2 + ["quality"] * 2
    assert all(row["low"] < row["value"] < row["high"] for row in scores)


def test_missing_ratings_are_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "g.jsonl", judged=30, gaps=True)
    out = as_json(capsys, "compare", path, "--human", "quality")
    assert out["comparisons"][0]["n"] == 30
    assert any("10 of 40 items lack judgements" in note for note in out["notes"])
    scores = as_json(capsys, "score", path, "--human", "quality")
    assert scores["scores"][0]["n"] == 30 and any("30 of 40 items" in note for note in scores["notes"])


def test_clusters_and_bca(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = as_json(capsys, "score", data, "-m", "chrf", "--ci")["scores"][0]
    whole = as_json(capsys, "score", data, "-m", "chrf", "--ci", "--cluster", "document", "--interval", "bca")
    assert whole["scores"][0]["value"] == plain["value"] and whole["scores"][0]["low"] != plain["low"]
    assert "ci=bca:1000|cluster=document" in whole["receipts"]["chrf"]
    assert any("10 clusters" in note for note in whole["notes"])
    out = as_json(capsys, "compare", data, "-m", "chrf", "--human", "quality", "--cluster", "document")
    assert all("cluster=document" in line for line in out["receipts"].values())
    assert all(row["p"] >= 2 / 1024 for row in out["comparisons"])  # 10 clusters have 1024 swaps
    few = as_json(capsys, "compare", data, "--human", "quality", "--cluster", "category")
    assert any("no p can fall to 0.05" in note for note in few["notes"])


def test_control_variates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make(tmp_path / "few.jsonl", items=200, judged=30)
    out = as_json(capsys, "score", path, "--human", "quality", "--control", "chrf")
    found = {row["system"]: row for row in out["estimates"][0]["estimates"]}
    bad = found["bad"]
    assert (bad["n"], bad["total"]) == (30, 200) and bad["efficiency"] > 1.5 and bad["correlation"] > 0.6
    assert bad["high"] - bad["low"] < bad["plain_high"] - bad["plain_low"]
    assert main(["score", path, "--human", "quality", "--control", "chrf", "--strata", "category"]) == 0
    text = capsys.readouterr().out
    assert "30 of 200" in text and "worth" in text and "strata=category" in text
    out = as_json(capsys, "compare", path, "--human", "quality", "--control", "chrf", "--target", "set")
    (row,) = out["comparisons"]
    assert row["test"] == "control" and row["p"] < 0.05 and row["n"] == 30
    assert any("do the work of" in note for note in out["notes"])
    assert "t-test with control variates" in out["conclusion"].lower()


@pytest.mark.slow
def test_power(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", data, "--human", "quality", "--power", "0.8", "--effect", "0.5"]
    two = as_json(capsys, *arguments)["plans"][0]
    eight = as_json(capsys, *arguments, "--judges", "8")["plans"][0]
    assert two["judges"] == 2 and two["estimate"] >= 0.8 and two["items"] > eight["items"]
    assert main(arguments) == 0 and "For a power of 0.8" in capsys.readouterr().out


def test_huse(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "compare", data, "--human", "quality", "--baseline", "good", "--huse", "x_logprob")
    (found,) = out["huse"]
    assert found["system"] == "bad" and 0 <= found["huse"]["estimate"] <= 1.5 and found["n"] == 80
    assert main(["compare", data, "--human", "quality", "--baseline", "good", "--huse", "x_logprob"]) == 0
    assert "HUSE-Q" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "--human", "clarity"], "no ratings of 'clarity'"),
        (["compare", "--human", "quality", "--baseline", "ugly"], "no system 'ugly'"),
        (["compare", "-m", "bleu", "--cluster", "docment"], "did you mean document"),
        (["compare", "--power", "0.8"], "--power needs --human"),
        (["compare", "--human", "quality", "--effect", "1"], "--effect needs --power"),
        (["compare", "--human", "quality", "--power", "1.2"], "power asked for"),
        (["compare", "--human", "quality", "--power", "0.8", "--cluster", "document"], "leave --cluster out"),
        (["compare", "--human", "quality", "--test", "bootstrap"], "by permutation"),
        (["compare", "--human", "quality", "--huse", "x_logprob"], "--baseline"),
        (["compare", "--human", "quality", "--baseline", "good", "--huse", "x_p"], "no number 'x_p'"),
        (["compare", "--human", "quality", "--control", "chrf", "--interval", "bca"], "t intervals"),
        (["compare", "-m", "bleu", "--control", "chrf"], "--control needs --human"),
        (["score", "-m", "bleu", "--cluster", "document"], "add --ci"),
        (["score", "--human", "quality", "--target", "set"], "--target needs --control"),
        (["score", "--human", "quality", "--strata", "category"], "--strata needs --control"),
        (["score", "--human", "quality", "--control", "chrff"], "chrf"),
        (["score", "--human", "quality", "--control", "chrf", "--html", "p.html"], "the page cannot show"),
        (["score", "--human", "quality", "--stream"], "leave --stream"),
        (["score", "-m", "bleu", "--ci", "--cluster", "x_logprob"], "on which all their rows agree"),
    ],
)
def test_refusals(arguments: list[str], words: str, data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in refused(capsys, arguments[0], data, *arguments[1:])


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (["compare", "--human", "quality", "-m", "bleu", "--json"], ["bleu", "quality"]),
        (["compare", "--human", "quality", "--control", "chrf", "--json"], ["quality"]),
        (["score", "--human", "quality", "--control", "chrf"], ["quality"]),
        (["score", "--human", "quality", "--control", "chrf", "--json"], ["quality", "quality"]),
    ],
)
def test_receipts_are_written_whatever_is_printed(
    arguments: list[str], written: list[str], data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "receipts.txt"
    assert main([arguments[0], data, *arguments[1:], "--receipts", str(file)]) == 0
    assert [
        line.split("|")[1].partition("=")[2].partition("(")[0] for line in file.read_text(encoding="utf-8").splitlines()
    ] == written
    assert capsys.readouterr().out


@pytest.mark.parametrize("command", ["score", "compare"])
def test_ratings_are_shown_where_the_metric_beside_them_cannot_run(
    command: str, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    metric = "bertscore(model=nobody/has-this-model)"
    assert main([command, data, "--human", "quality", "-m", metric, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "was left out" in err and [one["metric"] for one in json.loads(out)["left_out"]] == [metric]


def test_who_judged(tmp_path: Path) -> None:
    rows = [
        {"item": "1", "system": "a", "hypothesis": "x", "ratings": {"q": [1, 2]}, "raters": [7, 9]},
        {"item": "2", "system": "a", "hypothesis": "x", "ratings": {"q": [3, 4]}, "raters": [9, 8]},
        {"item": "1", "system": "b", "hypothesis": "x", "ratings": {"q": [2, 2]}, "raters": [9, 7]},
        {"item": "2", "system": "b", "hypothesis": "x", "ratings": {"q": 3.5}},
    ]
    rated = humans.judgements(nlgauge.load(rows), "q")
    known = [(rater.name, rater.known) for rater in rated.judges]
    assert known == [("7", True), ("9", True), ("8", True), ("1", False)] and rated.count == 7
    np.testing.assert_array_equal(rated.values["a"][1], [np.nan, 3, 4, np.nan])
    words = [{"item": "1", "system": "a", "hypothesis": "x", "ratings": {"q": "tie"}}]
    with pytest.raises(InputError):
        humans.means(nlgauge.load(words), "q")


def test_facade(data: str) -> None:
    loaded = nlgauge.load(data)
    means = nlgauge.humans.means(loaded, "quality", interval="bca", cluster="document")
    assert means["good", "quality"].value > means["bad", "quality"].value
    judged = humans.compare(loaded, "quality", unit="judgements", pairing="judges", method="monte-carlo", trials=500)
    assert judged.comparisons[0].test == "ar" and judged.comparisons[0].trials == 500
    assert "quality" in str(humans.estimate(data, "quality", ["chrf", "wer"]))
    plan = humans.plan(loaded, "quality", effect=0.5, simulations=200)[0]
    assert "bad against good" in str(plan) and plan.power.items > 2


def test_few_judges_few_clusters_and_plans_for_one_comparison_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "item": str(item),
            "system": system,
            "hypothesis": "a",
            "ratings": {"q": [(item * 7 + place + len(system)) % 5 for place in range(3)]},
            "raters": ["x", "y", "z"],
            "document": str(item % 3),
        }
        for item in range(12)
        for system in ("a", "bb", "cccc")
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert main(["compare", str(path), "--human", "q", "--power", "0.8", "--effect", "2"]) == 0
    printed = capsys.readouterr().out
    assert "note: the interval and p speak of these 3 judges on other items; other judges may differ" in printed
    assert "|judges=3|" in printed and "in one comparison at α = 0.05" in printed
    assert "plan with --alpha 0.0166" in printed and "a pilot of 12 items" in printed
    for words in (["score", str(path), "--human", "q", "--ci"], ["compare", str(path), "--human", "q"]):
        assert main([*words, "--cluster", "document"]) == 0
        assert capsys.readouterr().out.count("the intervals are too narrow") == 1


def test_systems_without_common_items_are_named() -> None:
    rows = [
        {"item": f"{system}{item}", "system": system, "hypothesis": "x", "ratings": {"q": item}}
        for system in ("one", "two")
        for item in range(3)
    ]
    with pytest.raises(InputError, match="for both 'two' and 'one'"):
        humans.compare(rows, "q")


@pytest.mark.parametrize(
    ("command", "words", "sentence"),
    [
        ("score", ("--ci", "--trials", "1"), "at least 100 draws"),
        ("score", ("-m", "chrf", "--ci", "--trials", "99"), "at least 100 draws"),
        ("compare", ("--trials", "2000000"), "at most 1,000,000"),
    ],
)
def test_draws_too_few_or_too_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, words: tuple[str, ...], sentence: str
) -> None:
    path = make(tmp_path / "set.jsonl", items=5)
    assert main([command, path, "--human", "clarity", *words]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("given", [3, [3], None])
def test_names_of_a_wrong_type_are_refused(given: Any) -> None:
    rows = [{"item": 1, "system": "s", "hypothesis": "x", "references": ["x"], "ratings": {"q": 1}}]
    with pytest.raises(InputError, match="by name"):
        humans.means(rows, given)
    if given is None:  # as if it were left out
        assert nlgauge.score(rows, given).metrics == ["bleu", "chrf", "ter"]
        return
    with pytest.raises(InputError, match=r"by (its )?name"):
        nlgauge.score(rows, given)


@pytest.mark.parametrize(
    "asked",
    [
        lambda rows: humans.compare(rows, "q", trials="x"),
        lambda rows: humans.compare(rows, "q", level="x"),
        lambda rows: humans.means(rows, "q", seed="x"),
        lambda rows: humans.plan(rows, "q", power="x"),
        lambda rows: nlgauge.compare(rows, "chrf", trials="x"),
        lambda rows: nlgauge.score(rows, "chrf", jobs="x"),
        lambda rows: nlgauge.rate([{"a": "x", "b": "y", "outcome": "tie"}], 3),
        lambda rows: nlgauge.rate([{"a": "x", "b": "y", "outcome": "tie"}], "elo", k="x"),
        lambda rows: nlgauge.rate([{"a": "x", "b": "y", "outcome": "tie"}], ridge="x"),
    ],
)
def test_values_of_a_wrong_type_are_refused(asked: Any) -> None:
    rows = [
        {"item": i, "system": s, "hypothesis": "x", "references": ["x"], "ratings": {"q": i}}
        for i in range(3)
        for s in "ab"
    ]
    with pytest.raises(InputError):
        asked(rows)
