"""What a plan says before launch: minutes of a judge, and the smallest difference that is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rated
import studies
from studies import Clock

from nlgauge.stats.mixed.planning import Variances, detectable, study_power
from nlgauge.study.checks.findings import Finding
from nlgauge.study.checks.foresight import READING, foreseen, of_ratings, of_shares
from nlgauge.study.designs.triangle import seat_of
from nlgauge.study.model import Slot, Text
from nlgauge.study.protocols import PROTOCOLS
from nlgauge.study.protocols.comparisons.protocol import BestWorst, Ranking


def told(frozen: Any, kind: str) -> Finding:
    (found,) = [one for one in foreseen(frozen, {}) if one.kind == kind]
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_tells_minutes_and_all_but_the_triangle_power(
    tmp_path: Path, clock: Clock, protocol: str
) -> None:
    frozen = rated.of(protocol, tmp_path / "s", clock).frozen
    assert 0 < told(frozen, "minutes").figures["minutes"] < 60
    power = [one for one in foreseen(frozen, {}) if one.kind == "power"]
    assert len(power) == (protocol != "triangle")  # which has a plan of its own
    assert all("is found with power 0.8" in one.message for one in power)


def test_minutes_follow_from_the_words_that_are_read(tmp_path: Path, clock: Clock) -> None:
    def study(words: int) -> Any:
        texts = {name: {"texts": [" ".join(["word"] * words) + f" {name} {k}" for k in range(12)]} for name in "AB"}
        return studies.launched(tmp_path / str(words), clock, subjects=texts).frozen

    short, long = (told(study(words), "minutes").figures for words in (10, 110))
    assert long["words"] - short["words"] == 300  # three texts
    assert long["minutes"] - short["minutes"] == pytest.approx(300 / READING, abs=0.11)


def test_a_sitting_of_more_than_an_hour_is_a_risk(tmp_path: Path, clock: Clock) -> None:
    texts = {name: {"texts": ["word " * 6000 + f"{name} {k}" for k in range(12)]} for name in "AB"}
    frozen = studies.launched(tmp_path / "s", clock, subjects=texts).frozen
    assert told(frozen, "minutes").severity == "risk"


def test_more_answers_find_smaller_differences(tmp_path: Path, clock: Clock) -> None:
    few, many = (
        rated.launched(
            tmp_path / str(judges),
            clock,
            panels={"public": {"judges": judges, "evaluations": 6, "access": "open"}},
        ).frozen
        for judges in (3, 30)
    )
    assert told(many, "power").figures["difference"] < told(few, "power").figures["difference"]


def test_nothing_is_told_where_systems_share_no_judges_or_no_items(tmp_path: Path, clock: Clock) -> None:
    frozen = rated.launched(tmp_path / "s", clock).frozen
    each = frozen.study.panels["public"].evaluations
    systems, items = (sorted({getattr(one, what) for one in frozen.served}) for what in ("subject", "item"))

    def found(place: Callable[[Slot, Text], int]) -> float:
        kept = []
        for slot in frozen.slots:
            text = frozen.text[slot.texts[0]]
            if not slot.role and text.subject == systems[place(slot, text) % len(systems)]:
                kept.append(slot)
        return of_ratings(frozen, "public", kept)[0]

    assert of_ratings(frozen, "public", [slot for slot in frozen.slots if not slot.role])[0] > 0
    assert math.isnan(found(lambda slot, _: seat_of(slot.number, each)))  # a judge sees one system
    assert math.isnan(found(lambda _, text: items.index(text.item)))  # an item is of one system


def test_best_and_worst_tell_less_than_a_ranking(tmp_path: Path, clock: Clock) -> None:
    chosen, ranked = (
        told(rated.of(protocol, tmp_path / protocol, clock).frozen, "power").figures
        for protocol in ("best-worst", "ranking")
    )
    assert BestWorst("best-worst").compared(4) == 5 and Ranking("ranking").compared(4) == 6
    assert chosen["meetings"] <= ranked["meetings"]


def test_the_detectable_difference_has_the_power() -> None:
    spread, design = (
        Variances(residual=0.05, item_system=0.02, judge_system=0.002),
        {"judges": 9, "items": 40},
    )
    least = detectable(spread, ratings_per_item=3, **design)
    assert study_power(spread, least, ratings_per_item=3, **design).estimate == pytest.approx(0.8, abs=1e-6)


def test_the_detectable_share_has_the_power_by_simulation() -> None:
    share = of_shares(0.5, 120)
    wins = np.random.default_rng(1).binomial(120, share, 20_000)
    assert (abs(wins - 60) / np.sqrt(30) > 1.96).mean() == pytest.approx(0.8, abs=0.02)
