"""The report of Belz and Reiter (2006), checked on their own tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rows import judged

from nlgauge.errors import InputError
from nlgauge.meta.observations import observe
from nlgauge.meta.report import make_report
from nlgauge.meta.settings import Settings
from nlgauge.report.meta_text import belz_parts

# Belz and Reiter (2006), Table 2: experts, non-experts, NIST-5, BLEU-4, ROUGE-4, SE
TABLE_2 = {
    "SumTime-Hybrid": (0.762, 0.77, 5.985, 0.552, 0.192, 0.582),
    "pCRU-greedy": (0.716, 0.68, 6.549, 0.613, 0.315, 0.673),
    "SumTime-Corpus": (0.644, 0.736, 8.262, 0.877, 0.569, 0.835),
    "pCRU-roulette": (0.622, 0.714, 5.833, 0.478, 0.156, 0.571),
    "pCRU-2gram": (0.536, 0.65, 5.592, 0.519, 0.223, 0.626),
    "pCRU-random": (0.484, 0.496, 4.287, 0.296, 0.075, 0.464),
}
COLUMNS = ("experts", "non-experts", "@NIST-5", "@BLEU-4", "@ROUGE-4", "@SE")
# Table 3, above the diagonal
TABLE_3 = {
    "experts": (0.845, 0.825, 0.791, 0.606, 0.576),
    "non-experts": (0.836, 0.812, 0.534, 0.627),
    "@NIST-5": (0.973, 0.884, 0.911),
    "@BLEU-4": (0.925, 0.949),
    "@ROUGE-4": (0.974,),
}
RANKS = {"@NIST-5": (2, 1, 0, 3, 4, 5), "@BLEU-4": (2, 1, 0, 4, 3, 5), "non-experts": (1, 3, 0, 2, 4, 5)}
QUICK = Settings(draws=50, trials=200)


def paper() -> list[dict[str, Any]]:
    return [
        {
            "item": "all",
            "system": system,
            "hypothesis": None,
            "ratings": {"experts": values[0], "non-experts": values[1]},
            "metrics": dict(zip(("NIST-5", "BLEU-4", "ROUGE-4", "SE"), values[2:], strict=True)),
        }
        for system, values in TABLE_2.items()
    ]


def test_table_3_follows_from_table_2() -> None:
    found = make_report(observe(paper()), QUICK, full=True, reference_system="SumTime-Corpus").belz_reiter
    assert found is not None
    for row, expected in TABLE_3.items():
        others = COLUMNS[COLUMNS.index(row) + 1 :]
        for column, value in zip(others, expected, strict=True):
            # the printed scores are rounded to three decimals, and so are the correlations
            assert found.matrix[row, column].of_means == pytest.approx(value, abs=0.0015)
            assert found.matrix[column, row].of_means == pytest.approx(value, abs=0.0015)
    assert found.systems == tuple(TABLE_2)
    for column in found.columns:
        if column.name in RANKS:
            assert column.ranks == RANKS[column.name]


def test_human_texts_that_are_outscored_are_warned_of() -> None:
    found = make_report(observe(paper()), QUICK, full=True, reference_system="SumTime-Corpus")
    assert any(
        "people rate 2 of 5 systems above the texts of SumTime-Corpus on experts" in text for text in found.warnings
    )
    assert not any("NIST" in text for text in found.warnings)
    above = {(one.metric, one.system) for one in found.rated if one.outscores}
    assert above == {
        ("experts", "SumTime-Hybrid"),
        ("experts", "pCRU-greedy"),
        ("non-experts", "SumTime-Hybrid"),
    }


def test_brackets_are_mean_correlations_of_single_judges() -> None:
    rows = [row | {"raters": ["x", "y", "z"]} for row in judged(4, 10)]
    found = make_report(observe(rows), QUICK, full=True, metrics=["bleu", "@good"]).belz_reiter
    assert found is not None
    systems = list(found.systems)
    judges = np.array(
        [[np.mean([r["ratings"]["quality"][k] for r in rows if r["system"] == s]) for s in systems] for k in range(3)]
    )
    good = [np.mean([r["metrics"]["good"] for r in rows if r["system"] == s]) for s in systems]
    mean = judges.mean(axis=0)
    own = np.mean([np.corrcoef(one, mean)[0, 1] for one in judges])
    other = np.mean([np.corrcoef(one, good)[0, 1] for one in judges])
    assert found.matrix["quality", "quality"].estimate == pytest.approx(own, abs=1e-12)
    assert found.matrix["quality", "@good"].estimate == pytest.approx(other, abs=1e-12)
    assert found.matrix["quality", "quality"].judges == 3
    assert found.matrix["bleu", "quality"].judges == 3  # one run for each reference
    assert found.matrix["@good", "quality"].estimate == found.matrix["@good", "quality"].of_means


def test_brackets_are_empty_where_single_judges_are_unknown() -> None:
    one_rating = [row | {"ratings": {"quality": row["ratings"]["quality"][0]}} for row in judged(5, 10)]
    for rows, why in ((one_rating, "has one rating an output"), (judged(5, 10), "who gave which rating")):
        report = make_report(observe(rows), QUICK, full=True, metrics=["@good"])
        found = report.belz_reiter
        assert found is not None
        cell = found.matrix["quality", "@good"]
        assert np.isnan(cell.estimate) and cell.judges == 0 and np.isfinite(cell.of_means)
        assert any(why in note for note in found.notes)
        (people, metric) = next(part for part in belz_parts(found) if "brackets" in part[0])[2]
        assert "(" not in " ".join(people) and " ".join(metric).count("(") == 2
        assert "judge" not in found.sentence()


def test_pairwise_tests_find_the_clear_differences() -> None:
    found = make_report(observe(judged(3, 20)), Settings(draws=0), full=True, metrics=["bleu"]).belz_reiter
    assert found is not None
    assert found.trials == 10_000
    people = {(one.first, one.second): one for one in found.tests if one.by == "quality"}
    assert len(people) == 3
    assert all(one.p_adjusted <= 0.05 and one.delta > 0 for one in people.values())


def test_judges_of_few_systems_are_left_out() -> None:
    rows = judged(4, 10)
    for place, row in enumerate(rows):
        row["raters"] = ["x", "y", f"once{place}"]
    found = make_report(observe(rows), QUICK, full=True, metrics=["@good"]).belz_reiter
    assert found is not None
    assert found.matrix["quality", "quality"].judges == 2
    assert any("40 of 42 judges" in note for note in found.notes)


def test_a_reference_system_is_not_scored_against_itself() -> None:
    rows = judged(4, 10)
    for row in rows:
        if row["system"] == "s0":
            row["hypothesis"] = row["references"][0].upper() + " ."
    found = make_report(observe(rows), QUICK, full=True, metrics=["chrf"], reference_system="s0").belz_reiter
    assert found is not None
    chrf = next(column for column in found.columns if column.name == "chrf")
    place = found.systems.index("s0")
    assert chrf.values[place] < 90
    assert chrf.ranks[place] == 0


def test_few_systems_are_refused() -> None:
    with pytest.raises(InputError, match="over 2 systems is 1 or -1"):
        make_report(observe(judged(2)), QUICK, full=True, metrics=["@good"])
    with pytest.raises(InputError, match="no system 'human'"):
        make_report(observe(judged()), QUICK, metrics=["@good"], reference_system="human")


def test_another_statistic_is_refused() -> None:
    with pytest.raises(InputError, match="about Pearson's r; leave out statistic"):
        make_report(observe(paper()), replace(QUICK, statistics=("spearman",)), full=True)
