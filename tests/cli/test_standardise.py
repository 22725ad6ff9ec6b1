"""Ratings as z-scores of each judge: in compare, score and meta, and joined back to the rows they came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge as ng
from nlgauge import humans, receipt
from nlgauge.cli import main
from nlgauge.meta.evaluate import meta_evaluate
from nlgauge.stats.aggregate import judge_z

Capture = pytest.CaptureFixture[str]
SHIFT = {"mild": (60.0, 5.0), "harsh": (20.0, 20.0), "wide": (50.0, 30.0)}  # each judge's level and spread


def rows() -> list[dict[str, Any]]:
    """Two systems on 30 items, each output by two of three judges whose use of the scale differs."""
    draw = np.random.default_rng(8)
    made = []
    for item in range(30):
        for system, better in (("new", 0.8), ("old", 0.0)):
            judges = draw.permutation(list(SHIFT))[:2].tolist()
            good = better + draw.normal()
            values = [SHIFT[judge][0] + SHIFT[judge][1] * (good + 0.5 * draw.normal()) for judge in judges]
            made.append(
                {
                    "item": f"i{item}",
                    "system": system,
                    "hypothesis": f"text {item}",
                    "ratings": {"q": values},
                    "raters": judges,
                    "metrics": {"m": good + draw.normal()},
                }
            )
    return made


def by_hand() -> dict[tuple[str, str], float]:
    """(item, system) -> mean z-score, from the definition."""
    given: dict[str, list[float]] = {judge: [] for judge in SHIFT}
    for row in rows():
        for judge, value in zip(row["raters"], row["ratings"]["q"], strict=True):
            given[judge].append(value)
    return {
        (row["item"], row["system"]): float(
            np.mean(
                [
                    (value - np.mean(given[judge])) / np.std(given[judge], ddof=1)
                    for judge, value in zip(row["raters"], row["ratings"]["q"], strict=True)
                ]
            )
        )
        for row in rows()
    }


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows()), encoding="utf-8")
    return str(path)


def printed(capsys: Capture, *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_aggregated_values_join_back_to_item_and_system(data: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "z.jsonl"
    assert main(["agree", data, "--aggregate", "z", "-o", str(target)]) == 0
    assert "60 outputs written" in capsys.readouterr().err
    found = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert {(row["item"], row["system"]): row["value"] for row in found} == pytest.approx(by_hand())


def test_pairs_and_repeated_outputs_keep_their_names_apart() -> None:
    pair = {"item": 1, "system_a": "x", "system_b": "y", "hypothesis_a": "a", "hypothesis_b": "b"}
    (row,), _ = ng.aggregate([pair | {"ratings": {"preference": ["a", "b", "a"]}}], "majority")
    assert (row["item"], row["system_a"], row["system_b"], row["value"]) == ("1", "x", "y", "a")
    twice, _ = ng.aggregate([rows()[0], rows()[0]], "mean", repeats="number")
    assert [(row["item"], row["system"]) for row in twice] == [("i0", "new"), ("i0#2", "new")]


def test_compare_and_score_by_z_scores(data: str, capsys: Capture) -> None:
    known = by_hand()
    means = {name: np.mean([z for (_, own), z in known.items() if own == name]) for name in ("new", "old")}
    scores = printed(capsys, "score", data, "--human", "q", "--standardise", "judges")
    assert {one["system"]: one["value"] for one in scores["scores"]} == pytest.approx(means)
    assert "q: z-scores of each judge (0: the judge's mean, 1: the judge's standard deviation)" in scores["notes"]
    (row,) = printed(capsys, "compare", data, "--human", "q", "--standardise", "judges")["comparisons"]
    assert row["delta"] == pytest.approx(means["old"] - means["new"])
    raw = humans.compare(data, "q")
    z = humans.compare(data, "q", standardise="judges")
    assert z.comparisons[0].p < raw.comparisons[0].p  # the judges' use of the scale is no longer noise
    assert receipt.read(z.receipts["q"])["standardise"] == "judges"
    assert "standardise" not in receipt.read(raw.receipts["q"])


def test_the_page_shows_the_z_scores_that_were_compared(data: str, tmp_path: Path, capsys: Capture) -> None:
    page = tmp_path / "page.html"
    assert main(["compare", data, "--human", "q", "--standardise", "judges", "--html", str(page)]) == 0
    capsys.readouterr()
    assert "z-scores of each judge" in page.read_text(encoding="utf-8")
    assert f"{humans.means(ng.load(data), 'q').scores[0].value:.2f}" not in page.read_text(encoding="utf-8")


def test_a_misspelt_criterion_is_refused_before_z_scores_are_made(data: str, capsys: Capture) -> None:
    assert main(["meta", data, "-m", "@m", "--human", "qq", "--standardise", "judges"]) == 2
    assert "has no criterion 'qq': did you mean q" in capsys.readouterr().err
    z, flat = judge_z([], [])
    assert len(z) == 0 and flat == []


def test_meta_by_z_scores(data: str, capsys: Capture) -> None:
    known = by_hand()
    scores = [row["metrics"]["m"] for row in rows()]
    expected = np.corrcoef([known[row["item"], row["system"]] for row in rows()], scores)[0, 1]
    found = printed(capsys, "meta", data, "-m", "@m", "--standardise", "judges", "--draws", "0")
    assert found["correlations"][0]["value"] == pytest.approx(expected)
    assert "|standardise=judges|" in found["receipts"]["@m"]
    assert meta_evaluate(rows(), "@m", standardise="judges", draws=0).get("@m", "q").value == pytest.approx(expected)


def test_a_judge_of_one_value_counts_as_0_and_is_told() -> None:
    more = [*rows(), rows()[0] | {"item": "x", "ratings": {"q": [7.0, 7.0]}, "raters": ["bored", "bored"]}]
    notes = humans.means(more, "q", standardise="judges").notes
    assert any("1 judge gave one value only and count as 0" in note for note in notes)


def test_what_cannot_be_standardised_is_refused(data: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["compare", data, "-m", "chrf", "--standardise", "judges"]) == 2
    assert "needs --human" in capsys.readouterr().err
    assert main(["compare", data, "--human", "q", "--standardise", "judges", "--power", "0.8"]) == 2
    assert "do not go together" in capsys.readouterr().err
    single = tmp_path / "single.jsonl"
    single.write_text("\n".join(json.dumps(row | {"ratings": {"q": 3.5}}) for row in rows()), encoding="utf-8")
    for command in (["meta", str(single), "-m", "@m"], ["score", str(single), "--human", "q"]):
        assert main([*command, "--standardise", "judges"]) == 2
        assert "one number, not one for each judge" in capsys.readouterr().err
