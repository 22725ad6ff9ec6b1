"""The report card of a model that rates outputs alone, by hand: least squares, correlations, samples, cost."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
from endpoints import Answer, Seen, completion, endpoint

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.judging.judge import Prices, Reached
from nlgauge.judging.rating import Rated, rate_by_rubric
from nlgauge.report.judging_text import rating_card_rows

MODEL = {"kind": "openai", "model": "tiny"}
RUBRIC = "1: nothing of the rain. 5: all of it."


def rows(items: int = 20) -> list[dict[str, Any]]:
    """Texts with as many words as they have, of systems that people rate from 1 to 5."""
    random = Random(3)
    return [
        {
            "item": f"i{item}",
            "system": system,
            "hypothesis": f"{system} " + " ".join(["rain"] * random.choice([3, 7, 15])) + f" {item}",
            "ratings": {"quality": [random.randint(1, 4), random.randint(1, 4)]},
            "raters": ["ann", "ben"],
        }
        for item in range(items)
        for system in ("tiny", "poor", "fair")
    ]


def quality(row: dict[str, Any]) -> float:
    return float(np.mean(row["ratings"]["quality"]))


def rated(data: list[dict[str, Any]], cache: Path, **options: Any) -> tuple[Rated, int]:
    """People's rating without its half, a point more for long texts and for `tiny`; the third sample one point off."""
    asked: dict[str, int] = {}
    said = {row["hypothesis"]: quality(row) for row in data}

    def behave(seen: Seen, _: int) -> Answer:
        (text,) = re.findall(r"BEGIN TEXT \w+\n(.*)\nEND", seen.user)
        asked[text] = asked.get(text, 0) + 1
        value = int(said[text]) + (len(text.split()) > 12) + text.startswith("tiny")
        value -= asked[text] == 3
        return completion(json.dumps({"q1": min(5, max(1, value))}))

    with endpoint(behave) as server:
        found = rate_by_rubric(data, MODEL, RUBRIC, reached=Reached(url=server.url), cache=cache, **options)
        return found, len(server.requests)


def test_biases_are_those_of_least_squares_and_agreement_is_that_of_scipy(tmp_path: Path) -> None:
    data = rows()
    found, _ = rated(data, tmp_path / "kept", human="quality", own="tiny", prices=Prices(1.0, 2.0))
    by_output = {(segment.item, segment.system): ratings for segment, ratings in found.outputs}
    values = np.array([by_output[row["item"], row["system"]][0] for row in data])
    people = np.array([quality(row) for row in data])
    words = np.log2([len(row["hypothesis"].split()) for row in data])
    own = np.array([row["system"] == "tiny" for row in data], dtype=float)
    wanted = np.linalg.lstsq(np.stack([np.ones(60), words, people, own], axis=1), values, rcond=None)[0]
    card = found.card
    assert card.longer is not None and card.own is not None and card.given_people
    assert card.longer.estimate == pytest.approx(wanted[1]) and card.longer.low > 0
    assert card.own.estimate == pytest.approx(wanted[3]) and card.own.low > 0.5
    assert card.pearson is not None and card.pearson.estimate == pytest.approx(pearsonr(values, people)[0])
    assert card.spearman is not None and card.spearman.estimate == pytest.approx(spearmanr(values, people)[0])
    assert card.pearson.low < card.pearson.estimate < card.pearson.high < 1
    assert card.cost == pytest.approx(60 * (9 * 1.0 + 3 * 2.0) / 1e6)
    assert card.cost_per_1000 == pytest.approx(1000 * card.cost / 60)
    points, ties = [], []
    for item in range(20):
        own_rows = [row for row in data if row["item"] == f"i{item}"]
        for k, one in enumerate(own_rows):
            for other in own_rows[k + 1 :]:
                gap = by_output[one["item"], one["system"]][0] - by_output[other["item"], other["system"]][0]
                ties.append(gap == 0)
                for judge in range(2):
                    said = one["ratings"]["quality"][judge] - other["ratings"]["quality"][judge]
                    points += [0.5 + 0.5 * np.sign(gap * said)] * (said != 0)
    assert card.decided is not None and card.decided.estimate == pytest.approx(np.mean(points))
    assert card.decided.n == len(points)
    assert card.ties is not None and card.ties.estimate == pytest.approx(np.mean(ties))
    told = [name for name, _, _ in rating_card_rows(card)]
    assert told == [
        *("ties", "length bias", "self-preference", "Spearman with people", "Pearson with people"),
        *("accuracy without ties", "cost"),
    ]


def test_consistency_is_told_over_samples_which_are_paid_for_once(tmp_path: Path) -> None:
    data = rows(6)
    found, requests = rated(data, tmp_path / "kept", samples=3)
    again, more = rated(data, tmp_path / "kept", samples=3)
    assert (requests, more) == (54, 0) and again.outputs == found.outputs
    apart = [abs(ratings[a] - ratings[b]) for _, ratings in found.outputs for a, b in ((0, 1), (0, 2), (1, 2))]
    card = found.card
    assert card.samples_agree is not None
    assert card.samples_agree.estimate == pytest.approx(np.mean(np.array(apart) == 0))
    assert card.samples_apart is not None and card.samples_apart.estimate == pytest.approx(np.mean(apart))
    assert card.pearson is None and card.own is None and not card.given_people


def test_a_budget_is_spent_on_outputs_of_all_systems(tmp_path: Path) -> None:
    found, requests = rated(rows(), tmp_path / "kept", budget=30)
    assert requests == 30 and set(found.means) == {"tiny", "poor", "fair"}


def test_the_command_prints_the_card_and_refuses_what_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, rubric = tmp_path / "d.jsonl", tmp_path / "rubric.txt"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    rubric.write_text(RUBRIC, encoding="utf-8")
    with endpoint(lambda *_: completion('{"q1": 3}')) as server:
        command = ["judge", str(data), "--judge", "openai", "--url", server.url, "--model", "tiny"]
        command += ["--rubric", str(rubric), "--cache", str(tmp_path / "kept")]
        assert main([*command, "--human", "quality", "--price-in", "1"]) == 0
        told = capsys.readouterr().out
        assert main([*command, "--human", "beauty"]) == 2
        assert main([*command, "--own", "tinny"]) == 2
        assert main([*command, "--rate", "samples"]) == 2
    assert "60 of 60 outputs rated" in told and "cost" in told and "100.0 %" in told  # all are ties
    assert "Pearson" not in told  # a judge that always says 3 has no correlation
    with pytest.raises(InputError, match="reads no rubric"):
        rate_by_rubric(rows(), {"kind": "metric", "metric": "chrf"}, RUBRIC)
