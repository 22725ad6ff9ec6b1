"""`compare` of many systems: order, clusters, ranges of ranks, and trials that Holm's correction leaves room for."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from nlgauge import EvaluationSet, compare, humans, load
from nlgauge.cli import main
from nlgauge.report.text import comparison_tables
from nlgauge.stats.multiple import trials_for


def systems(number: int, items: int = 40) -> EvaluationSet:
    """Systems in pairs: both of a pair are equally good, and clearly better than the next two."""
    draw = random.Random(5)
    words = [f"w{k}" for k in range(40)]
    references = [draw.choices(words, k=12) for _ in range(items)]

    def output(reference: list[str], noise: float) -> str:
        return " ".join(word if draw.random() > noise else draw.choice(words) for word in reference)

    made = {
        f"s{number:02d}": [output(reference, 0.05 + 0.2 * (number // 2)) for reference in references]
        for number in range(number)
    }
    return EvaluationSet.of(made, [[" ".join(reference)] for reference in references])


def test_many_systems_are_shown_in_clusters_and_not_pair_by_pair() -> None:
    found = compare(systems(8), ["chrf", "ter"], trials=2000)
    chrf, ter = found.rankings
    assert [set(cluster) for cluster in chrf.clusters] == [
        *({"s00", "s01"}, {"s02", "s03"}, {"s04", "s05"}, {"s06", "s07"})
    ]
    assert set(ter.clusters[0]) == {"s00", "s01"} and ter.direction == "lower"
    third = chrf.systems[2]
    assert (third.cluster, third.rank_low, third.rank_high) == (2, 3, 4)
    assert set(third.worse_than) == {"s00", "s01"} and len(third.better_than) == 4
    text = str(found)
    assert re.search(r"^3  s0[23] +\d\d\.\d\d +2 +3–4  -- \.\+\+\+\+$", text, re.M)
    assert text.count("s07") == 2 and "p (Holm)" not in text
    assert "On chrf the 8 systems form 4 clusters; s0" in text and "all at once (bootstrap max-t)." in text
    assert len(found.to_dict()["comparisons"]) == 56 and len(found.to_dict()["rankings"]) == 2
    assert len(comparison_tables(found)) == 2


def test_few_systems_and_a_baseline_keep_their_rows() -> None:
    few = compare(systems(4), "chrf", trials=200)
    assert "p (Holm)" in str(few) and len(few.rankings[0].systems) == 4
    based = compare(systems(8), "chrf", trials=200, baseline="s00")
    assert "p (Holm)" in str(based) and based.rankings == ()


def test_ranks_and_clusters_follow_from_who_is_significantly_better() -> None:
    found = compare(systems(7), "chrf", trials=500)
    order = [one.system for one in found.rankings[0].systems]
    values = [one.value for one in found.rankings[0].systems]
    assert values == sorted(values, reverse=True)
    better = {
        (row.system, row.baseline) if row.better else (row.baseline, row.system)
        for row in found.comparisons
        if row.p_adjusted <= 0.05
    }
    for place, one in enumerate(found.rankings[0].systems):
        assert {(one.system, other) for other in one.better_than} <= better
        assert one.rank_low == 1 + sum((other, one.system) in better for other in order)
        assert one.rank_high == len(order) - sum((one.system, other) in better for other in order)
        line = all((a, b) in better for a in order[:place] for b in order[place:])
        assert (place and one.cluster > found.rankings[0].systems[place - 1].cluster) == bool(place and line)


def test_trials_grow_with_the_pairs_unless_they_are_given() -> None:
    data = systems(24, items=12)
    found = compare(data, "chrf")  # 276 pairs need 11,040 trials
    assert trials_for(276, 10_000) == 11_040 and trials_for(100, 10_000) == 10_000
    assert {row.trials for row in found.comparisons} == {11_040}
    assert "test=ar:11040" in found.receipts["chrf"]
    assert any(note.startswith("11,040 trials in place of 10,000") for note in found.notes)
    given = compare(data, "chrf", trials=1000)
    assert {row.trials for row in given.comparisons} == {1000}
    assert any("with 1,000 trials no corrected p can fall to 0.05" in note for note in given.notes)


def test_raised_trials_are_told_for_ratings_too() -> None:
    draw = np.random.default_rng(4)
    rows = [
        {
            "item": f"i{item}",
            "system": f"s{system}",
            "hypothesis": "x",
            "ratings": {"quality": float(draw.normal())},
        }
        for system in range(24)
        for item in range(12)
    ]
    found = humans.compare(rows, "quality", method="monte-carlo")
    assert "test=ar:11040" in found.receipts["quality"]
    assert any(note.startswith("11,040 trials in place of 10,000") for note in found.notes)


def test_a_remark_on_many_pairs_is_one_line() -> None:
    ties = [note for note in compare(systems(8), "wer", trials=500).notes if "trials that equal" in note]
    assert len(ties) == 1 and re.match(r"wer, \d+ of 28 pairs: ", ties[0])


def test_ratings_of_which_every_pair_has_its_own_items_have_no_order() -> None:
    def rows(skipped: int) -> list[dict[str, object]]:
        draw = np.random.default_rng(2)
        return [
            {
                "item": str(item),
                "system": f"s{system}",
                "hypothesis": "x",
                "ratings": {"quality": float(draw.integers(1, 5) + system)},
            }
            for item in range(12)
            for system in range(3)
            if item != skipped or system != 1
        ]

    assert len(humans.compare(load(rows(-1)), "quality").rankings[0].systems) == 3
    assert humans.compare(load(rows(0)), "quality").rankings == ()


def test_the_page_and_json_have_the_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, page = tmp_path / "set.jsonl", tmp_path / "page.html"
    data.write_text("\n".join(json.dumps(segment.to_dict()) for segment in systems(7)), encoding="utf-8")
    options = ["-m", "chrf", "--trials", "500", "--html", str(page), "--json"]
    assert main(["compare", str(data), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["comparisons"]) == 21 and told["rankings"][0]["systems"][0]["cluster"] == 1
    html = page.read_text(encoding="utf-8")
    assert "<h2>Clusters</h2>" in html and html.count('<tr class="line">') == 3
