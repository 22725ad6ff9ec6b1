"""Agreement of people who score and of people who compare the same texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.cli import main
from nlgauge.linked import agree_linked


def written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def studies(noise: float, items: int = 60, seed: int = 1) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Texts of known quality: scores from 1 to 5 by severe and mild judges, and comparisons with little noise."""
    rng = np.random.default_rng(seed)
    scores, pairs = [], []
    for item in range(items):
        quality = {name: rng.normal() for name in "xyz"}
        for judge in range(3):
            for system, value in quality.items():
                seen = np.clip(round(3 + value + judge - 1 + noise * rng.normal()), 1, 5)
                scores.append({"item": item, "system": system, "judge": f"s{judge}", "value": int(seen)})
            for number, (a, b) in enumerate(("xy", "yz", "xz")):
                first, second = (a, b) if (item + number + judge) % 2 else (b, a)
                lead = quality[first] - quality[second] + 0.2 * rng.normal()
                outcome = "tie" if abs(lead) < 0.2 else "a" if lead > 0 else "b"
                pairs.append({"a": first, "b": second, "outcome": outcome, "item": item, "judge": f"c{judge}"})
    return scores, pairs


def test_kappas_by_hand() -> None:
    scores = [
        {"item": item, "system": system, "judge": judge, "value": value}
        for item, judge, values in (
            ("1", "p", (5, 3)),
            ("1", "q", (4, 2)),
            ("2", "p", (2, 3)),
            ("2", "q", (3, 3)),
            ("3", "p", (1, 4)),
            ("3", "q", (1, 2)),
            ("4", "p", (3, 2)),
            ("4", "q", (4, 1)),
        )
        for system, value in zip("xy", values, strict=True)
    ]
    games = [
        {"a": "y", "b": "x", "outcome": outcome, "item": item, "judge": judge}
        for item, said in (("1", "bb"), ("2", "aa"), ("3", "aa"), ("4", "bb"))
        for judge, outcome in zip("pq", said, strict=True)
    ]
    found = agree_linked(scores, games)
    assert found.pairs == 4 and found.compared["fleiss"].estimate == 1
    # One of four pairs differs (a verdict and a tie): with every second pair turned the shares are 3/8, 1/8 and 4/8.
    chance = (3 / 8) ** 2 + (1 / 8) ** 2 + (4 / 8) ** 2
    by_hand = (3 / 4 - chance) / (1 - chance)
    assert found.scored["fleiss"].estimate == pytest.approx(by_hand)
    assert found.between["percent"].estimate == 1
    assert found.difference.estimate == pytest.approx(1 - by_hand)
    tied = agree_linked(scores, games, band=1)
    assert tied.between["percent"].estimate == pytest.approx(3 / 4)  # item 2: half a point apart is a tie


def test_one_command_tells_both_agreements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, pairs = studies(noise=1.0)
    files = written(tmp_path / "scores.jsonl", scores), "--linked", written(tmp_path / "pairs.jsonl", pairs)
    assert main(["agree", *files, "--trials", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"] == 180 and found["difference"]["low"] > 0 and found["difference"]["estimate"] > 0.2
    assert found["compared"]["judges"] == found["scored"]["judges"] == 3
    assert found["scores"]["unit"] == "outputs" and found["between"]["coefficients"][0]["value"] > 0.5
    assert main(["agree", *files, "--trials", "200"]) == 0
    out = capsys.readouterr().out
    assert "comparing" in out and "People who compare agree more than those who score" in " ".join(out.split())


def test_what_cannot_be_linked_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, pairs = studies(noise=1.0, items=4)
    ratings = written(tmp_path / "scores.jsonl", scores)
    for name, games, told in (
        (
            "nobody",
            [{k: v for k, v in row.items() if k != "judge"} for row in pairs],
            "item, judge and both systems",
        ),
        ("others", [{**row, "item": f"other {row['item']}"} for row in pairs], "0 of 12 compared pairs"),
        ("twice", [*pairs, pairs[0]], "expected one verdict"),
        ("once", pairs[::7], "two judges or more compared 0 of"),
    ):
        assert main(["agree", ratings, "--linked", written(tmp_path / f"{name}.jsonl", games)]) == 2
        assert told in capsys.readouterr().err
    once = written(tmp_path / "once-scored.jsonl", [row for k, row in enumerate(scores) if k % 3 == k // 3 % 3])
    assert main(["agree", once, "--linked", written(tmp_path / "all.jsonl", pairs)]) == 2
    assert "two judges or more scored both texts of 0 of 12 pairs" in capsys.readouterr().err
    assert main(["agree", ratings, "--band", "1"]) == 2
    assert "--band is for --linked" in capsys.readouterr().err
    texts = written(tmp_path / "plain.jsonl", [{k: v for k, v in row.items() if k != "system"} for row in scores[::3]])
    assert main(["agree", texts, "--linked", written(tmp_path / "p.jsonl", pairs)]) == 2
    assert "ratings of single texts" in capsys.readouterr().err


def test_a_study_export_with_several_questions_is_linked_by_one_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, games = studies(noise=1.0, items=12)
    pairs = [
        {
            **{"item": row["item"], "judge": row["judge"], "criterion": criterion},
            **{"system_a": row["a"], "system_b": row["b"], "ratings.preference": row["outcome"]},
        }
        for criterion in ("clarity", "fluency")
        for row in games
    ]
    files = written(tmp_path / "scores.jsonl", scores), "--linked", written(tmp_path / "pairs.jsonl", pairs)
    assert main(["agree", *files, "--trials", "100"]) == 2
    assert "clarity, fluency" in capsys.readouterr().err
    assert main(["agree", *files, "--trials", "100", "--linked-criterion", "clarity", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    alone = agree_linked(scores, games, trials=100).compared["fleiss"].estimate
    assert found["pairs"] == 36 and found["compared"]["coefficients"][0]["value"] == alone
