"""Intervals of few items come with a word on what simulation found."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import nlgauge as ng
from nlgauge import humans
from nlgauge.stats import agreement
from nlgauge.stats.agreement.chance import WIDENED

NARROW = "bootstrap intervals are somewhat narrow"


def rows(items: int) -> list[dict[str, object]]:
    return [
        {
            "item": f"i{k}",
            "system": system,
            "hypothesis": f"{'word ' * (1 + (k * size) % 5)}x{k}",
            "references": ["word word x"],
            "ratings": {"q": [1 + (k * size) % 5, 1 + (k + size) % 5]},
        }
        for k in range(items)
        for system, size in (("a", 2), ("b", 3))
    ]


@pytest.mark.parametrize(("items", "told"), [(20, True), (50, False)])
def test_bootstrap_intervals_of_fewer_than_50_items_say_so(items: int, told: bool) -> None:
    results = [
        ng.score(rows(items), "chrf", ci=True, trials=100),
        ng.compare(rows(items), "chrf", trials=99),
        humans.means(rows(items), "q", trials=100),
        humans.compare(rows(items), "q"),
    ]
    assert [any(NARROW in note for note in result.notes) for result in results] == [told] * 4
    assert not any(NARROW in note for note in ng.score(rows(20), "chrf").notes)  # no interval, no word


def test_figures_are_told_of_the_intervals_that_were_simulated() -> None:
    plain = " ".join(ng.score(rows(20), "chrf", ci=True, trials=100).notes)
    wider = " ".join(ng.score(rows(20), "chrf", ci=True, trials=100, level=0.99).notes)
    assert "of 20 items 89 to 93 %" in plain and NARROW in wider and "89 to 93 %" not in wider
    results = [
        ng.score(rows(20), "chrf", ci=True, trials=100, interval="bca"),
        ng.compare(rows(20), "chrf", trials=99, interval="bca"),
        humans.means(rows(20), "q", trials=100, interval="bca"),
        humans.compare(rows(20), "q", interval="bca"),
    ]
    assert not any(NARROW in note for result in results for note in result.notes)


def test_agreement_of_fewer_than_30_items_and_single_ratings_say_so() -> None:
    draw = np.random.default_rng(1)
    table = np.clip(draw.integers(1, 6, (40, 1)) + draw.integers(0, 2, (40, 3)), 1, 5).astype(float)
    few = agreement.cohen(table[:29, :2], weights="quadratic")
    assert any("fewer than 30 items the limits are rough" in note for note in few.notes)
    assert not agreement.cohen(table[:30, :2], weights="quadratic").notes
    single = table.copy()
    single[:8, 1:] = np.nan
    assert WIDENED in agreement.gwet(single, weights="ordinal").notes
    assert WIDENED in agreement.brennan_prediger(single, weights="ordinal").notes
    assert WIDENED not in agreement.gwet(single).notes and WIDENED not in agreement.gwet(table, weights="ordinal").notes


@pytest.mark.parametrize(("inputs", "told"), [(24, True), (40, False)])
def test_similarity_for_other_texts_of_few_inputs_says_so(inputs: int, told: bool) -> None:
    pytest.importorskip("sqlalchemy", reason="studies need the extra `study`")
    from nlgauge.report.study import triangle_panels as words
    from nlgauge.study.protocols.triangle.analysis.verdict import scope

    draw = np.random.default_rng(3)
    answers = []
    for number in range(240):
        items = tuple(f"i{k}" for k in draw.choice(inputs, 3, replace=False))
        answers.append(SimpleNamespace(items=items, texts=items, judge=f"j{number}", correct=number % 3 == 0))
    plan: Any = SimpleNamespace(goal="similarity", risk=0.05, p_d=0.4)
    found = scope(plan, cast("list[Any]", answers), True)
    assert found.beyond and (words.TOO_OFTEN in words.scope(found, plan.goal)) == told
