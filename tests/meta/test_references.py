"""References as a system, and rankings as references are added."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rows import judged

from nlgauge.errors import InputError
from nlgauge.meta.observations import observe
from nlgauge.meta.references import _sizes, rate_references, reference_curve, warnings
from nlgauge.meta.report import make_report
from nlgauge.meta.settings import Settings
from nlgauge.metrics.spec import parse


def test_references_are_scored_against_the_others() -> None:
    """Two references an item: each is scored against the other, and so are the systems, by both in turn."""
    rows = judged(3, 6, references=2)
    metric = parse("rougeL")
    rated, notes = rate_references(observe(rows), [metric], trials=100)
    assert notes == []
    items = {row["item"]: row["references"] for row in rows}
    expected = sum(metric.segments([a], [[b]])[0] + metric.segments([b], [[a]])[0] for a, b in items.values()) / (
        2 * len(items)
    )
    for one in rated:
        assert one.references == pytest.approx(expected, abs=1e-12)
        mine = [row for row in rows if row["system"] == one.system]
        single = [metric.segments([r["hypothesis"]], [[text]])[0] for r in mine for text in r["references"]]
        assert one.score == pytest.approx(sum(single) / len(single), abs=1e-12)


def test_a_system_above_the_references_is_warned_of() -> None:
    rows = judged(3, 12, references=2)  # s0 repeats one reference word by word
    rated, _ = rate_references(observe(rows), [parse("bleu"), parse("ter")], trials=200)
    assert {(one.metric, one.system) for one in rated if one.outscores} >= {("bleu", "s0"), ("ter", "s0")}
    said = warnings(rated)
    assert any(text.startswith("warning: bleu puts") and "s0" in text for text in said)
    assert warnings([replace(one, score=0.0, direction="higher", references=1.0) for one in rated]) == []


def test_single_references_cannot_be_rated() -> None:
    rated, notes = rate_references(observe(judged(3, 4, references=1)), [parse("bleu")])
    assert rated == []
    assert "no item has two references" in notes[0]


def test_items_that_a_system_lacks_are_left_out_for_all() -> None:
    rated, notes = rate_references(observe(judged(3, 6)[:-1]), [parse("chrf")], trials=50)
    assert len(rated) == 3
    assert "5 items" in notes[0]


def test_systems_without_a_common_item() -> None:
    rows = [row for place, row in enumerate(judged(3, 6)) if place % 3 == (place // 3) % 3]
    rated, notes = rate_references(observe(rows), [parse("chrf")], trials=50)
    assert rated == []
    assert "no item that all systems have" in notes[0]


@pytest.mark.parametrize(("most", "sizes"), [(2, [1, 2]), (5, [1, 2, 3, 4, 5]), (11, [1, 2, 3, 4, 6, 8, 11])])
def test_sizes_grow_with_their_number(most: int, sizes: list[int]) -> None:
    assert _sizes(most) == sizes


def test_the_curve_ends_at_all_references() -> None:
    points = reference_curve(observe(judged(4, 10)), [parse("bleu"), parse("ter")], choices=4)
    assert [(one.metric, one.references) for one in points] == [
        (metric, size) for size in (1, 2, 3) for metric in ("bleu", "ter")
    ]
    assert all(one.tau == 1.0 and one.winner == 1.0 and one.choices == 1 for one in points if one.references == 3)
    assert all(-1 <= one.tau <= 1 for one in points)
    again = reference_curve(observe(judged(4, 10)), [parse("bleu"), parse("ter")], choices=4)
    assert [one.to_dict() for one in points] == [one.to_dict() for one in again]


def test_the_curve_needs_several_references_and_systems() -> None:
    assert reference_curve(observe(judged(4, 4, references=1)), [parse("bleu")]) == []
    with pytest.raises(InputError, match="fewer than three systems"):
        reference_curve(observe(judged(2, 4)), [parse("bleu")])
    with pytest.raises(InputError, match="items with several references"):
        make_report(observe(judged(4, 4, references=1)), Settings(draws=0, test="none"), metrics=["bleu"], curve=True)
