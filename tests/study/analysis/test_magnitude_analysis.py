"""Simulated judges with known ratios: the analysis of magnitudes finds what was put in, with limits that hold."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import yaml

from nlgauge.errors import InputError
from nlgauge.report.study.own import tables
from nlgauge.report.study.words import sentence, sentences, warnings
from nlgauge.stats.mixed import linear_mixed
from nlgauge.study.file import study as design
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.protocols.magnitudes.analysis import analyse, sorted_out
from nlgauge.study.protocols.magnitudes.analysis.rows import analyse_rows
from nlgauge.study.protocols.magnitudes.file import estimation_study
from nlgauge.study.protocols.magnitudes.simulation import Estimators
from nlgauge.study.protocols.ratings.analysis.models import fit
from nlgauge.study.simulation import rehearse

RATIOS = {"rules": 0.8, "neural": 1.0, "people": 1.6}
CLEAR = {"id": "clearness", "definition": "It is clear.", "question": "How clear is this text?"}
STANDARD = {"text": "The standard.", "value": 50}
SPREAD = {"judge_sd": 0.3, "item_sd": 0.2, "noise": 0.3}


def study(folder: Path, protocol: str, **changes: Any) -> Frozen:
    values = {
        "protocol": protocol,
        "title": "Forecasts",
        "subjects": {name: {"texts": [f"{name} {k}" for k in range(12)]} for name in RATIOS},
        "criteria": [CLEAR],
        "design": "latin" if protocol == "magnitude" else {"kind": "bibd", "per_screen": 3, "items_per_judge": 6},
        "panels": {"public": {"judges": 9, "access": "open"}},
        "seed": 7,
        **changes,
    }
    folder.mkdir(exist_ok=True, parents=True)
    (folder / design.FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return freeze(design.load(folder), folder)


def recovered(frozen: Frozen, runs: int) -> tuple[float, float, float]:
    """Mean error of the log ratios of all pairs, its standard error, and the share of limits that hold the truth."""
    own = estimation_study(frozen.study)
    errors, inside = [], []
    for run in range(runs):
        service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=run)
        rated = sorted_out(frozen, own, service.judgements())
        models = fit(rated.column(rated.criteria[0], "public"))
        for pair in models.pairs:
            one, other = pair.name.split(" - ")
            truth = math.log(RATIOS[one] / RATIOS[other])
            errors.append((pair.estimate - truth) * (1 if one < other else -1))
            inside.append(pair.low <= truth <= pair.high)
    return float(np.mean(errors)), float(np.std(errors) / math.sqrt(len(errors))), float(np.mean(inside))


KINDS = [("magnitude", None), ("rankme", STANDARD)]


@pytest.mark.parametrize(("protocol", "standard"), KINDS)
def test_ratios_are_found_again_within_limits_that_hold(tmp_path: Path, protocol: str, standard: Any) -> None:
    frozen = study(tmp_path, protocol, **({"standard": standard} if standard else {}))
    bias, error, coverage = recovered(frozen, 15)
    assert abs(bias) < 4 * error and error < 0.02 and coverage > 0.87


def test_a_standard_gives_means_in_its_unit_and_a_free_unit_ratios_to_all(tmp_path: Path) -> None:
    middle = math.prod(RATIOS.values()) ** (1 / 3)
    crowd = Estimators(means=RATIOS, judge_sd=0.05, item_sd=0.05, noise=0.1)
    for standard, scale in ((STANDARD, 1.0), (None, middle)):
        frozen = study(tmp_path / str(standard is None), "magnitude", **({"standard": standard} if standard else {}))
        service, _ = rehearse(frozen, crowd, seed=1)
        found = analyse(frozen, service.judgements())
        (rating,) = found.ratings
        told = {row["system"]: row for row in rating.to_dict()["ratios"]}
        for name, ratio in RATIOS.items():
            row = told[name]
            assert row["low"] < row["estimate"] < row["high"]
            assert row["estimate"] == pytest.approx(ratio / scale, rel=0.12)
        assert rating.to_dict()["scale"]["transformation"] == "natural logarithm"
        assert "natural logarithms" in sentence(found)
        assert ("standard's value of 50" in sentence(found)) == (standard is not None)


def test_the_unit_of_a_judge_changes_nothing(tmp_path: Path) -> None:
    """Numbers ten or a thousand times as large say the same where each judge has a unit of their own."""
    frozen = study(tmp_path, "magnitude")
    service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=2)
    rows = [
        {
            "item": one.items[0],
            "system": frozen.text[one.texts[0]].subject,
            "judge": one.judge,
            "criterion": "clearness",
            "value": one.answer["clearness"],
        }
        for one in service.judgements()
    ]
    units = {judge: 10.0 ** Random(judge).uniform(-3, 3) for judge in {row["judge"] for row in rows}}
    moved = [row | {"value": row["value"] * units[row["judge"]]} for row in rows]
    (plain,), (scaled,) = analyse_rows(rows), analyse_rows(moved)
    for one, other in zip(plain.rating.models.pairs, scaled.rating.models.pairs, strict=True):
        assert one.name == other.name and other.estimate == pytest.approx(one.estimate, abs=0.01)
    assert scaled.rating.agreeing.alpha == pytest.approx(plain.rating.agreeing.alpha, abs=1e-9)
    for first, second in zip(plain.rating.models.means, scaled.rating.models.means, strict=True):
        assert first.raw == pytest.approx(second.raw, abs=1e-9)


def test_the_model_is_that_of_the_logarithms(tmp_path: Path) -> None:
    frozen = study(tmp_path, "magnitude", standard=STANDARD)
    service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=3)
    own = estimation_study(frozen.study)
    column = sorted_out(frozen, own, service.judgements()).column(
        sorted_out(frozen, own, service.judgements()).criteria[0], "public"
    )
    given = [one.answer["clearness"] for one in sorted(service.judgements(), key=lambda one: (one.answered_at, one.id))]
    assert np.allclose(column.values, np.log(np.array(given) / 50))
    models = fit(column)
    by_hand = linear_mixed(
        np.log(np.array(given) / 50),
        column.systems,
        {"judge": column.judges, "item": column.items},
        slopes=models.slopes,
    )
    assert {one.name: one.estimate for one in by_hand.means()} == pytest.approx(
        {one.system: one.mean for one in models.means}
    )


def test_rankme_implies_a_ranking_and_keeps_screens_apart(tmp_path: Path) -> None:
    frozen = study(
        tmp_path,
        "rankme",
        criteria=[CLEAR, CLEAR | {"id": "b", "question": "How brief?"}],
        panels={"public": {"judges": 8, "access": "open"}},
    )
    service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=4)
    found = analyse(frozen, service.judgements())
    assert [(one.criterion.id, one.n, one.judges) for one in found.ratings] == [
        ("clearness", 72, 4),
        ("b", 72, 4),
    ]
    assert [len(group.seconds) for group in found.judging] == [48], "times are of screens"
    assert [heading for heading, *_ in tables(found, first=False)] == [
        "Implied ranking: clearness",
        "Implied ranking: b",
    ]
    first = tables(found, first=False)[0]
    assert [row[0] for row in first[2]] == ["people", "neural", "rules"]
    won, tied, lost = (sum(int(row[place]) for row in first[2]) for place in (5, 6, 7))
    assert won == lost and won + lost + tied == 2 * 3 * 24, "three pairs on each of 24 screens"
    assert found.to_dict()["implied_rankings"][0]["tau_with_magnitudes"] == 1.0
    assert any("Kendall's τ with the magnitudes is 1.00" in text for _, text in sentences(found))


def test_a_reverse_keyed_question_is_turned_round(tmp_path: Path) -> None:
    bad = CLEAR | {"id": "noise", "question": "How noisy is it?", "reverse": True}
    frozen = study(tmp_path, "rankme", criteria=[bad])
    service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=5)
    found = analyse(frozen, service.judgements())
    assert found.ratings[0].best.system == "people" and tables(found, first=False)[0][2][0][0] == "people"


def test_an_early_look_and_slips_of_the_hand_are_told(tmp_path: Path) -> None:
    frozen = study(tmp_path, "magnitude")
    service, _ = rehearse(frozen, Estimators(means=RATIOS), seed=6)
    with pytest.raises(InputError, match="planned answers"):
        analyse(frozen, service.judgements()[:-1])
    from dataclasses import replace

    rows = service.judgements()
    slip = replace(rows[0], answer={"clearness": rows[0].answer["clearness"] * 1e6})
    found = analyse(frozen, [slip, *rows[1:]])
    assert any("1 of 108 numbers are more than 100 times as large" in note for note in warnings(found))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"value": 0}, "row 1: the value is 0; magnitudes are numbers above 0"),
        ({"value": "12"}, "row 1: the value is '12'"),
        ({"judge": None}, "row 1 has no judge"),
    ],
)
def test_rows_that_cannot_be(row: dict[str, Any], told: str) -> None:
    good = {"item": "1", "system": "a", "judge": "x", "criterion": "c", "value": 2.0}
    with pytest.raises(InputError, match=told):
        analyse_rows([good | row])
    with pytest.raises(InputError, match="without a standard"):
        analyse_rows([good], by_judge=False)
    with pytest.raises(InputError, match="there are no rows"):
        analyse_rows([])


@pytest.mark.parametrize("protocol", ["magnitude", "rankme"])
def test_judges_left_out_stand_beside(tmp_path: Path, protocol: str) -> None:
    """The figures are those of a study without the judge; what all judges say stands beside, as ratios."""
    frozen = study(tmp_path, protocol, standard=STANDARD)
    service, _ = rehearse(frozen, Estimators(means=RATIOS, **SPREAD), seed=3)
    given = service.judgements()
    judge = given[0].judge
    found = analyse(frozen, given, excluded={judge: "in haste"})
    rest = analyse(frozen, [one for one in given if one.judge != judge], closed=True)
    assert [one.mean for one in found.ratings[0].models.means] == pytest.approx(
        [one.mean for one in rest.ratings[0].models.means]
    )
    assert found.excluded == {judge: "in haste"} and found.ratings[0].judges == rest.ratings[0].judges == 8
    (said,) = (text for heading, text in sentences(found) if heading.startswith("Exclusions"))
    best = max(math.exp(one.mean) for one in rest.ratings[0].models.means)
    assert "geometric means with all judges are" in said and f"people {best:.2f}" in said
    assert tables(found, first=False) == tables(rest, first=False), "the implied ranking is without the judge too"
