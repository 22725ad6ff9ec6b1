"""Low agreement: the planted reason is the one that is named; weights; plans."""

from __future__ import annotations

import json

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.diagnosis import bimodality, diagnose, explains
from nlgauge.stats.judge_weights import precision_weights, record_weights, weighted_system_means


def panel(seed: int, items: int = 60, judges: int = 6, noise: float = 0.7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(3, 1, size=(items, 1)) + noise * rng.normal(size=(items, judges)))


def test_a_careless_judge_is_found() -> None:
    table = panel(0, judges=4)
    table[:, 2] = np.random.default_rng(1).normal(3, 1.2, size=60)
    found = diagnose(table, list("abcd"))
    assert found.reason == "judges apart from the rest"
    suspects = {one.judge: one for one in found.judges if one.suspicions}
    assert set(suspects) == {"c"} and suspects["c"].suspicions == ("apart from the others",)
    assert suspects["c"].gain == pytest.approx(found.what_if["judges apart from the rest"] - found.alpha)
    assert found.alpha < found.what_if["judges apart from the rest"]
    assert f"without c alpha would be {found.what_if['judges apart from the rest']:.2f}" in str(found)


def test_different_levels_and_widths_are_called_use_of_the_scale() -> None:
    table = panel(2, judges=5, noise=0.4)
    table = table * [1, 1, 1, 0.3, 2.5] + [0, 2, -2, 1, -5]
    found = diagnose(table)
    assert found.reason == "different use of the scale"
    assert found.what_if["different use of the scale"] > found.alpha + 0.3
    words = [one.suspicions for one in found.judges]
    assert not any("apart from the others" in one for one in words)
    assert "narrow use of the scale" in words[3]
    assert found.judges[4].width > 2 and found.judges[4].gain < 0 and words[4] == ()  # alpha falls without them


def test_ambiguous_items_are_found() -> None:
    rng = np.random.default_rng(3)
    table = panel(3, judges=8, noise=0.4)
    for row in range(12):
        table[row] = np.where(rng.random(8) < 0.5, 1.0, 5.0) + 0.2 * rng.normal(size=8)
    found = diagnose(table, items=[f"t{k}" for k in range(60)])
    assert found.reason == "ambiguous items"
    planted = {f"t{k}" for k in range(12)}
    named = {one.item for one in found.items}
    assert len(named & planted) >= 10 and not named - planted
    assert found.items[0].bimodality > 5 / 9 and found.items[0].ratio > 4
    assert found.to_dict()["reason"] == "ambiguous items" and found.to_dict()["named"] == []


def of_three(seed: int, *, per: int = 20, careless: int = 0) -> np.ndarray:
    """24 judges with levels of their own rate `per` of 180 outputs on five points; the first of them at random."""
    rng = np.random.default_rng(seed)
    truth = (np.array([0.35, 0.55, 0.75]) + rng.normal(0, 0.05, (60, 1))).ravel()
    table = np.full((180, 24), np.nan)
    for judge, level in enumerate(rng.normal(0, 0.1, 24)):
        rows = 3 * rng.permutation(60)[:per] + (np.arange(per) + judge) % 3
        seen = truth[rows] + level + rng.normal(0, 0.15, per) if judge >= careless else rng.random(per)
        table[rows, judge] = np.rint(4 * np.clip(seen, 0, 1)) + 1
    return table


def test_honest_judges_are_not_named() -> None:
    """At 0.01 for a whole panel: hardly any of 60 panels of 24 honest judges names anybody."""
    found = [diagnose(of_three(seed)) for seed in range(60)]
    assert sum(bool(one.named) for one in found) <= 3
    assert not any(one.items for one in found)
    assert sum("different use of the scale" in one.reasons for one in found) >= 50  # they do differ in level,
    small = [one for one in found if one.reasons and not one.explaining]
    assert len(small) > 30  # which is not why they agree so little
    assert all(one.reason == "none found" and "No single reason explains it" in str(one) for one in small)


def test_a_reason_explains_a_good_part_of_what_lacks() -> None:
    assert not any(explains(now, then) for now, then in ((0.60, 0.64), (0.50, 0.54), (0.60, 0.65), (0.1, 0.25)))
    assert all(explains(now, then) for now, then in ((0.60, 0.67), (0.30, 0.43), (0.1, 0.3)))


def test_two_careless_of_24_are_named() -> None:
    found = [diagnose(of_three(seed, per=40, careless=2)) for seed in range(10)]
    assert sum(len({"1", "2"} & set(one.named)) for one in found) >= 18
    assert sum(len(set(one.named) - {"1", "2"}) for one in found) <= 2


def test_names_stand_only_under_a_reason_that_is_given() -> None:
    for seed in range(20):
        found = diagnose(of_three(seed, careless=seed % 3))
        apart = [one for one in found.judges if "apart from the others" in one.suspicions]
        assert bool(apart) == ("judges apart from the rest" in found.reasons)
        assert all(one.gain > 0 and one.p < 0.01 for one in apart)
        assert bool(found.items) == ("ambiguous items" in found.reasons)
        assert all(one.judge in str(found) for one in apart)


def test_noise_alone_has_no_culprit() -> None:
    named = [diagnose(panel(seed, noise=1.2)).reason for seed in range(20)]
    assert named.count("none found") >= 16


def test_fine_agreement() -> None:
    assert diagnose(panel(4, noise=0.3)).reason == "agreement is fine"


def test_gaps_and_a_judge_with_one_value() -> None:
    table = panel(6, judges=5)
    table[np.random.default_rng(7).random(table.shape) < 0.3] = np.nan
    table[~np.isnan(table[:, 0]), 0] = 4.0
    found = diagnose(table)
    assert found.judges[0].suspicions == ("apart from the others",)
    with pytest.raises(InputError, match="names"):
        diagnose(table, ["a"])


def test_what_is_not_defined_is_null() -> None:
    row = diagnose(np.full((10, 3), 4.0)).to_dict()
    assert row["alpha"] is None and row["what_if"] == {}
    json.dumps(row, allow_nan=False)


def test_bimodality() -> None:
    assert bimodality(np.array([1.0] * 500 + [5.0] * 500)) == pytest.approx(1.0, abs=0.01)
    assert bimodality(np.random.default_rng(0).normal(size=20_000)) == pytest.approx(1 / 3, abs=0.02)
    assert bimodality(np.linspace(0, 1, 20_000)) == pytest.approx(5 / 9, abs=0.01)


def test_precision_weights_follow_the_variances() -> None:
    rng = np.random.default_rng(8)
    deviations = np.array([0.5, 0.5, 1.0, 2.0])
    found = []
    for _ in range(80):  # one study of four judges tells two precise ones apart only roughly
        table = rng.normal(size=(300, 1)) + rng.normal(size=(300, 4)) * deviations + [0, 3, -2, 1]
        table[rng.random(table.shape) < 0.1] = np.nan
        found.append(precision_weights(table))
    expected = 1 / deviations**2
    assert np.mean(found, axis=0) == pytest.approx(expected / expected.sum(), abs=0.04)
    with pytest.raises(InputError, match="three judges"):
        precision_weights(table[:, :2])


def test_weighting_helps() -> None:
    """Weighted item means lie nearer to the truth than plain ones, in most studies."""
    from nlgauge.stats.aggregate import weighted_means

    better = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=(40, 1))
        table = truth + rng.normal(size=(40, 5)) * [0.3, 0.4, 0.5, 2.0, 2.5]
        weighted = weighted_means(table, precision_weights(table)).values
        errors = [float(((v - truth[:, 0]) ** 2).mean()) for v in (weighted, table.mean(axis=1))]
        better += errors[0] < errors[1]
    assert better >= 28


def test_record_weights() -> None:
    found = record_weights({"a": 9, "b": 5, "c": 2}, {"a": 10, "b": 10, "c": 10})
    assert found["a"] == pytest.approx(np.log(10 / 2)) and found["b"] == 0 and found["c"] == 0
    with pytest.raises(InputError, match="11 right answers of 10"):
        record_weights({"a": 11}, {"a": 10})
    with pytest.raises(InputError, match="better than guessing"):
        record_weights({"a": 1}, {"a": 10})


def test_weighted_system_means() -> None:
    ratings, systems = [4.0, 2, 5, 3, 1, 1], ["A", "A", "A", "A", "B", "B"]
    items, judges = [1, 1, 2, 2, 1, 2], ["x", "y", "x", "y", "x", "y"]
    found = weighted_system_means(ratings, systems, items, judges, {"x": 3.0, "y": 1.0})
    assert found["A"].estimate == pytest.approx((3 * 4 + 2 + 3 * 5 + 3) / 8)
    assert found["A"].low < found["A"].estimate < found["A"].high
    assert found["B"].estimate == 1
    with pytest.raises(InputError, match="no weight"):
        weighted_system_means(ratings, systems, items, judges, {"x": 1.0})
    with pytest.raises(InputError, match="weight 0"):
        weighted_system_means(ratings, systems, items, ["y"] * 4 + ["x"] * 2, {"x": 0.0, "y": 1.0})


def test_coverage_of_weighted_means() -> None:
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        item, judge = (a.ravel() for a in np.indices((20, 4)))
        y = 3 + rng.normal(size=20)[item] + rng.normal(size=80)
        found = weighted_system_means(
            y, ["A"] * 80, item.tolist(), judge.tolist(), {"0": 1.0, "1": 2.0, "2": 3.0, "3": 1.0}
        )["A"]
        covered += found.low <= 3 <= found.high
    assert 178 <= covered <= 199
