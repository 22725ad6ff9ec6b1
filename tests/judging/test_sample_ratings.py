"""Each output rated from games that a judge is asked about: by hand from the scores of a metric."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.judging.judge import Judged
from nlgauge.stats.skill.samples import common_references

CHRF = {"kind": "metric", "metric": "chrf"}
Output = tuple[str, str]


def rows(items: int = 15) -> list[dict[str, Any]]:
    """Four systems that spoil more and more letters of a reference."""
    random = Random(5)
    made = []
    for item in range(items):
        reference = random.choices("abcdefgh", k=9)
        for number in range(4):
            letters = [letter if random.random() > 0.2 * (number + 1) else "z" for letter in reference]
            made.append(
                {
                    "item": f"i{item}",
                    "system": f"s{number}",
                    "hypothesis": " ".join(letters),
                    "references": [" ".join(reference)],
                    "ratings": {"quality": 9 - letters.count("z")},
                }
            )
    return made


@pytest.fixture(scope="module")
def score() -> Callable[[Output], float]:
    """chrF of an output against its own reference."""
    held = rows()
    values = nlgauge.parse("chrf").segments([row["hypothesis"] for row in held], [row["references"] for row in held])
    found = {(row["item"], row["system"]): value for row, value in zip(held, values, strict=True)}
    return found.__getitem__


def rated(**options: Any) -> tuple[Judged, dict[Output, float]]:
    found = nlgauge.judge(rows(), CHRF, rate="samples", **options)
    assert found.sample_ratings is not None
    return found, dict(zip(found.sample_ratings.outputs, found.sample_ratings.found.scores.tolist(), strict=True))


def test_comparisons_with_all_others_of_an_item_become_one_to_five(score: Callable[[Output], float]) -> None:
    _, scores = rated(comparisons=3)
    for (item, system), value in scores.items():
        others = [score((item, f"s{number}")) for number in range(4) if f"s{number}" != system]
        own = score((item, system))
        points = sum(1.0 if own > other else 0.5 if own == other else 0.0 for other in others)
        assert value == pytest.approx(1 + 4 * points / 3)


def test_points_are_those_against_the_same_references_of_any_item(score: Callable[[Output], float]) -> None:
    found, scores = rated(references=10)
    outputs = list(scores)
    chosen = [outputs[k] for k in common_references(60, 10)]
    for output, value in scores.items():
        gaps = [score(output) - score(other) for other in chosen if other != output]
        assert value == pytest.approx(np.mean([3.0 if gap > 0 else 1.0 if gap == 0 else 0.0 for gap in gaps]))
    assert found.sample_ratings is not None
    assert found.sample_ratings.recorded == 60 * 10 - 10 - 45  # none with itself, two references once


def test_each_output_is_a_player_of_ten_thousand_games(score: Callable[[Output], float]) -> None:
    found, scores = rated()
    assert found.sample_ratings is not None
    games, outputs = found.sample_ratings.found.games, found.sample_ratings.outputs
    assert len(games) == 10_000 and found.sample_ratings.recorded == 15 * 6
    for a, b, won in zip(games.first.tolist(), games.second.tolist(), games.score.tolist(), strict=True):
        gap = score(outputs[a]) - score(outputs[b])
        assert outputs[a][0] == outputs[b][0] and won == (1.0 if gap > 0 else 0.5 if gap == 0 else 0.0)
    for item in {item for item, _ in outputs}:
        own = [output for output in outputs if output[0] == item]
        decided = [(a, b) for a in own for b in own if score(a) > score(b)]
        assert all(scores[a] > scores[b] for a, b in decided)
    assert any("same verdict" in note for note in found.sample_ratings.found.notes)


def test_outputs_of_all_items_meet_where_asked(score: Callable[[Output], float]) -> None:
    within, across = (rated(plays=4000, across=across)[1] for across in (False, True))
    truth = [score(output) for output in within]
    rank = [
        np.corrcoef(np.argsort(np.argsort(list(found.values()))), np.argsort(np.argsort(truth)))[0, 1]
        for found in (within, across)
    ]
    assert rank[1] > 0.95 > rank[0]  # only who met outputs of other items can be told from them


def test_what_people_said_goes_into_the_card_and_the_band() -> None:
    found, _ = rated(comparisons=3, human="quality", human_tie=1.0, margin="learn")
    assert found.card.agreement is not None and found.card.agreement.accuracy.n == 90
    assert found.band is not None and found.band.margin > 0
    ties = [verdict.outcome == "tie" for verdict in found.verdicts]
    assert found.sample_ratings is not None
    assert sum(sample.ties for sample in found.sample_ratings.found.samples) == 2 * sum(ties) > 0


def test_the_command_writes_the_set_with_the_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, written = tmp_path / "d.jsonl", tmp_path / "rated.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    command = [
        "judge",
        str(data),
        "--judge",
        "metric",
        "--metric",
        "chrf",
        "--rate",
        "samples",
        "--comparisons",
        "3",
    ]
    assert main([*command, "-o", str(written), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["sample_ratings"]
    held = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    _, scores = rated(comparisons=3)
    assert {(row["item"], row["system"]): row["ratings"]["score"] for row in held} == scores
    assert [row["score"] for row in told["outputs"]] == list(scores.values())
    assert main(command) == 0
    assert "mean score" in capsys.readouterr().out
    assert main(["compare", str(written), "--human", "score"]) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"plays": 5, "comparisons": 2}, "in one way"),
        ({"budget": 5}, "between systems"),
        ({"schedule": "random", "budget": 5}, "between systems"),
        ({"references": 1}, "at least 2"),
        ({"rate": "systems", "plays": 5}, "rate samples"),
        ({"rate": "words"}, "systems or samples"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        nlgauge.judge(rows(3), CHRF, **{"rate": "samples", **options})
