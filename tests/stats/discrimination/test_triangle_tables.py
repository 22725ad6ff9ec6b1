"""The three tables and the worked example of the triangle-test paper."""

from __future__ import annotations

from typing import Any

import pytest

import nlgauge as ng
from nlgauge.stats.discrimination import (
    critical,
    judges_table,
    max_correct_table,
    min_correct_table,
    needed,
    plan,
    test,
)
from nlgauge.stats.discrimination import normal as paper
from nlgauge.stats.discrimination.planning import design, keeps
from nlgauge.stats.discrimination.protocols import find

TRIANGLE = find("triangle")


def test_table_1_first_numbers_but_for_one_printed_cell(tables: dict[str, Any]) -> None:
    computed = {(r["p_d"], r["alpha"], r["beta"]): r for r in judges_table()}
    different = []
    for cell in tables["table1"]:
        ours = computed[cell["p_d"], cell["alpha"], cell["beta"]]
        assert ours["first"] == cell["exact_first_n"]
        assert ours["stable"] == cell["exact_stable_n"]
        if ours["first"] != cell["published"]:
            different.append(cell)
    assert len(tables["table1"]) == 125
    # 1181 is printed where 1178 judges suffice: the next number that works (1179 and 1180 fail), so one was overlooked.
    assert [(c["p_d"], c["alpha"], c["beta"], c["published"]) for c in different] == [(0.1, 0.05, 0.001, 1181)]
    high = TRIANGLE.from_p_d(0.1)
    works = [n for n in range(1170, 1182) if keeps(n, 0.05, 0.001, 1 / 3, high)]
    assert works == [1178, 1181]
    at_1178 = design(1178, alpha=0.05, p_d=0.1)
    assert (at_1178.min_correct, round(at_1178.alpha, 6), round(at_1178.power, 7)) == (
        420,
        0.049189,
        0.9990117,
    )


def test_table_1_normal_approximations(tables: dict[str, Any]) -> None:
    for cell in tables["table1"]:
        high = TRIANGLE.from_p_d(cell["p_d"])
        plain = paper.judges_needed(cell["alpha"], cell["beta"], 1 / 3, high)
        corrected = paper.judges_needed(cell["alpha"], cell["beta"], 1 / 3, high, continuity=True)
        assert (plain, corrected) == (cell["normal_no_cc"], cell["normal_with_cc"])


def test_table_2_exactly_and_the_papers_formula(tables: dict[str, Any]) -> None:
    computed = {(r["n"], r["alpha"]): r["min_correct"] for r in min_correct_table()}
    assert len(tables["table2"]) == len(computed) == 95
    for cell in tables["table2"]:
        assert computed[cell["n"], cell["alpha"]] == cell["published"] == cell["exact"]
        assert paper.min_correct(cell["n"], cell["alpha"], TRIANGLE) == cell["paper_normal_formula"]
    agree = sum(c["paper_normal_formula"] == c["published"] for c in tables["table2"])
    assert agree == tables["summary"]["table2"]["agree_paper_normal_formula"] == 40


def test_table_3_exactly_and_the_papers_formula(tables: dict[str, Any]) -> None:
    computed = {(r["n"], r["beta"], r["p_d"]): r["max_correct"] for r in max_correct_table()}
    assert len(tables["table3"]) == len(computed) == 100
    for cell in tables["table3"]:
        assert computed[cell["n"], cell["beta"], cell["p_d"]] == cell["published"]
        assert paper.max_correct(cell["n"], cell["beta"], cell["p_d"], TRIANGLE) == cell["paper_normal_ucl_max"]
        found = critical(cell["n"], beta=cell["beta"], p_d=cell["p_d"])
        assert found.power_if_no_difference == pytest.approx(cell["power_if_no_difference"], abs=6e-5)
        assert any("worse than guessing" in text for text in found.warnings) == cell["below_chance"]


def test_the_extended_tables(tables: dict[str, Any]) -> None:
    extension = tables["exact_extension"]["min_correct"]
    risks = [float(name[1:]) for name in extension["columns"][1:]]
    for n, *counts in extension["rows"]:
        for alpha, count in zip(risks, counts, strict=True):
            assert critical(n, alpha=alpha).count == count


def test_the_papers_own_plan_lies_in_a_dip(tables: dict[str, Any]) -> None:
    dip = tables["paper_plan_dip"]
    found = needed(dip["alpha"], dip["beta"], dip["p_d"])
    assert (found.first, found.stable, found.dips) == (23, dip["stable_n"], (24, 26, 28))
    for n, count, alpha, power in dip["rows"]:
        at = design(n, alpha=dip["alpha"], p_d=dip["p_d"])
        assert (at.min_correct, round(at.alpha, 5), round(at.power, 5)) == (count, alpha, power)
    planned = plan(0.05, 0.05, 0.5, judges=24)
    assert not planned.keeps_risks
    assert planned.power == pytest.approx(0.93234, abs=1e-5)
    assert any("power dip" in text and "23 or 25" in text for text in planned.warnings)


def test_worked_example(tables: dict[str, Any], recorded: dict[str, Any]) -> None:
    example = tables["worked_example_98_36"]
    exact = test(36, 98, goal="similarity", beta=0.01, p_d=0.3)
    assert exact.concluded
    assert exact.critical == example["max_x_beta01_pd30"] == 40
    assert exact.p_value == pytest.approx(example["P_X_le_36_at_pd_30"], rel=1e-6)
    assert exact.p_d.high == pytest.approx(0.23397, abs=5e-6)
    assert "99 % confidence at most 23.4 % of people" in exact.sentence
    by_formula = test(36, 98, goal="similarity", beta=0.01, p_d=0.3, method="normal")
    assert by_formula.p_d.high == pytest.approx(0.2212, abs=5e-5)
    assert round(by_formula.p_d.high, 3) == recorded["paper_triangle_examples"]["non_expert"]["normal_UCL99"]
    stricter = test(36, 98, goal="similarity", beta=0.01, p_d=0.2)
    assert not stricter.concluded
    assert stricter.p_value == pytest.approx(example["P_X_le_36_at_pd_20"], rel=1e-5)
    assert stricter.critical == example["max_x_beta01_pd20"]
    assert test(36, 98).p_value == pytest.approx(example["difference_test_p"], abs=1e-6)
    for level, limit in example["exact_clopper_pearson_ucl"].items():
        risk = 1 - float(level.rstrip("%")) / 100
        assert test(36, 98, goal="similarity", beta=risk, p_d=0.3).p_d.high == pytest.approx(limit, abs=5e-5)


def test_expert_panel_of_the_paper(recorded: dict[str, Any]) -> None:
    expert = recorded["paper_triangle_examples"]["expert"]
    assert needed(0.05, 0.05, 0.5).first == expert["needs_n_at_a05_b05_pd50"]
    assert critical(expert["n"], alpha=0.05).count == expert["min_correct_a05"]


def test_from_python() -> None:
    sentence = ng.triangle.test(correct=36, judges=98, goal="similarity", beta=0.01, p_d=0.30).sentence
    assert "can be called similar" in sentence and "23.4 %" in sentence
    assert ng.triangle.plan(alpha=0.05, beta=0.05, p_d=0.5).stable == 29
