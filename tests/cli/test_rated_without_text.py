"""Outputs that people rated and whose text the data do not hold: no rating disappears without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlgauge as ng
from nlgauge import humans
from nlgauge.cli import main
from nlgauge.errors import InputError

Capture = pytest.CaptureFixture[str]


def rows() -> list[dict[str, Any]]:
    """Two systems with texts, and a human reference that was rated best and has none."""
    made = []
    for item in range(12):
        for system, mean in (("good", 4), ("poor", 2), ("human", 5)):
            text = None if system == "human" else f"{system} text {item}"
            ratings = {"clarity": [mean - item % 2, mean]}
            made.append(
                {
                    "item": f"i{item}",
                    "system": system,
                    "hypothesis": text,
                    "references": [f"text {item}"],
                    "ratings": ratings,
                    "x_topic": f"t{item % 4}",
                }
            )
    return made


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows()), encoding="utf-8")
    return str(path)


def printed(capsys: Capture, *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_score_and_compare_keep_the_ratings_and_say_so(data: str, capsys: Capture) -> None:
    scores = printed(capsys, "score", data, "--human", "clarity", "-m", "chrf")
    means = {one["system"]: one["value"] for one in scores["scores"] if one["metric"] == "clarity"}
    assert means == {"good": 3.75, "poor": 1.75, "human": 4.75}
    told = "clarity: 12 rated outputs of human without text; their ratings count"
    assert told in scores["notes"] and "12 rows without an output left out" in scores["notes"]
    compared = printed(capsys, "compare", data, "--human", "clarity", "--baseline", "human")
    assert {one["system"]: one["delta"] for one in compared["comparisons"]} == {"good": -1.0, "poor": -3.0}
    assert told in compared["notes"]
    assert "judgements=72" in compared["receipts"]["clarity"]


def test_clusters_strata_and_without_work_beside_them(data: str, capsys: Capture) -> None:
    printed(capsys, "compare", data, "--human", "clarity", "--cluster", "x_topic")
    left = printed(capsys, "score", data, "--human", "clarity", "--without", "human")
    assert {one["system"] for one in left["scores"]} == {"good", "poor"}
    assert not any("without text" in note for note in left["notes"])
    helped = humans.estimate(ng.load(data), "clarity", "chrf", strata="x_topic")
    assert list(helped.estimates) == ["good", "poor"]
    assert helped.notes == (
        "clarity: 12 rated outputs of human without text; a metric cannot help their ratings, which are left out",
    )
    assert "note: clarity: 12 rated outputs" in str(helped)


def test_an_item_that_only_such_an_output_has_counts() -> None:
    more = [*rows(), rows()[2] | {"item": "alone"}]
    assert humans.means(more, "clarity")["human", "clarity"].n == 13


@pytest.mark.parametrize("kind", ["two without text", "one of each"])
def test_an_output_rated_in_two_rows_is_refused_or_numbered(kind: str) -> None:
    extra = rows()[2] | ({} if kind == "two without text" else {"system": "good"})
    with pytest.raises(InputError, match=r"(?s)i0.*(row|line)"):
        ng.load([*rows(), extra])
    again = ng.load([*rows(), extra], repeats="number")
    assert (again.textless[-1].item, again.textless[-1].system) == ("i0#2", extra["system"])
    assert len(again.textless) == 13 and len(again) == 24


def test_agreement_counts_ratings_of_outputs_without_text(data: str) -> None:
    found, read = ng.agree(ng.load(data), "clarity"), ng.agree(data, "clarity")
    assert found.ratings == read.ratings == 72
    assert found.to_dict()["coefficients"] == read.to_dict()["coefficients"]


def test_meta_names_what_helps(data: str, capsys: Capture) -> None:
    assert main(["meta", data, "-m", "chrf"]) == 2
    told = capsys.readouterr().err
    assert "--without human" in told and "--reference-system human" in told and "-m @NAME" in told
    assert main(["meta", data]) == 2
    assert "--without human" in capsys.readouterr().err
    for help_ in ("--without", "--reference-system"):
        assert main(["meta", data, "-m", "chrf", help_, "human"]) == 0
    capsys.readouterr()
    with pytest.raises(InputError, match='without="human"'):  # an evaluation set is not read otherwise
        from nlgauge.meta.evaluate import meta_evaluate

        meta_evaluate(ng.load(data), "chrf")
