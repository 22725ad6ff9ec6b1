"""Agreement against the recorded numbers of the official tools and of papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats import agreement
from nlgauge.stats.agreement import Limits, UndefinedAgreement
from nlgauge.stats.agreement.weights import weight_matrix

NONE = Limits("none")


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "fixtures" / "statistics.json").read_text(encoding="utf-8"))
    return found


def table(rows: list[str]) -> np.ndarray[Any, Any]:
    """Rows of judges as texts with * for gaps, as items × judges."""
    return np.array([[np.nan if cell == "*" else float(cell) for cell in row.split()] for row in rows]).T


def data_c(recorded: dict[str, Any]) -> np.ndarray[Any, Any]:
    return table(recorded["krippendorff"][1]["data"])


def test_krippendorff(recorded: dict[str, Any]) -> None:
    checked = 0
    for case in recorded["krippendorff"][:4]:
        for scale in ("nominal", "ordinal", "interval", "ratio"):
            if scale in case:
                found = agreement.krippendorff(table(case["data"]), scale, limits=NONE).estimate
                assert found == pytest.approx(case[scale], abs=1e-12), (case["name"], scale)
                checked += 1
    assert checked == 10
    assert recorded["krippendorff"][1]["nominal_fraction"] == "904/1216"
    assert agreement.krippendorff(data_c(recorded)).estimate == pytest.approx(904 / 1216, abs=1e-14)


def test_krippendorff_ordinal_is_not_one_of_the_look_alikes(recorded: dict[str, Any]) -> None:
    traps, values = recorded["krippendorff"][4], data_c(recorded)
    ratings = agreement.Ratings.of(values)
    assert agreement.krippendorff(values, "ordinal").estimate == pytest.approx(traps["krippendorff_ordinal"], abs=5e-4)
    gwets = 1 - weight_matrix("ordinal", ratings)
    assert agreement.krippendorff(values, gwets).estimate == pytest.approx(
        traps["gwet_ordinal_weights(irrCAC)"], abs=5e-4
    )
    assert agreement.krippendorff(values, "linear").estimate == pytest.approx(traps["linear |a-b| distance"], abs=5e-4)
    assert agreement.krippendorff(values, lambda a, b: abs(a - b)).estimate == pytest.approx(0.8, abs=5e-4)


def test_gaps_are_no_category(recorded: dict[str, Any]) -> None:
    case = recorded["krippendorff"][6]
    values = [list(column) for column in zip(*case["data"], strict=True)]
    assert agreement.krippendorff(values).estimate == pytest.approx(case["right"])


def test_all_values_identical_is_refused_in_words() -> None:
    with pytest.raises(UndefinedAgreement, match="every rating is 2"):
        agreement.krippendorff([[2, 2], [2, 2], [2, None]])


def test_gwet_and_its_family_on_data_c(recorded: dict[str, Any]) -> None:
    case, values = recorded["gwet_irrCAC_raw4raters"], data_c(recorded)
    computed = {
        "fleiss_generalised": agreement.fleiss(values),
        "gwet_AC1": agreement.gwet(values),
        "krippendorff": agreement.krippendorff(values),
    }
    for name, found in computed.items():
        expected = case[name]
        assert found.estimate == pytest.approx(expected["coef"], abs=5e-4)
        assert (found.low, found.high) == pytest.approx(expected["ci"], abs=1e-3)
        assert found.p == pytest.approx(expected["p"], abs=5e-6)
        if "se" in expected:
            assert found.error == pytest.approx(expected["se"], abs=5e-4)
        if name != "krippendorff":
            assert found.observed == pytest.approx(expected["pa"], abs=5e-4)
            assert found.expected == pytest.approx(expected["pe"], abs=5e-4)
    names = {"quadratic": "interval", "ordinal(Gwet)": None}
    for name, expected in case["krippendorff_weights"].items():
        distance: Any = names.get(name, name)
        if distance is None:
            distance = 1 - weight_matrix("ordinal", agreement.Ratings.of(values))
        assert agreement.krippendorff(values, distance).estimate == pytest.approx(expected, abs=5e-4), name


def test_fleiss(recorded: dict[str, Any]) -> None:
    diagnoses, wikipedia, randolph = recorded["fleiss"]
    values = np.array([[float(rating) for rating in row] for row in diagnoses["rows"].split()])
    found = agreement.fleiss(values)
    assert found.estimate == pytest.approx(diagnoses["kappa"], abs=5e-8)
    assert found.observed == pytest.approx(diagnoses["Pbar"], abs=1e-9)
    assert found.expected == pytest.approx(diagnoses["Pe"], abs=1e-9)
    assert agreement.fleiss_zero_test(values)[0] == pytest.approx(diagnoses["z"], abs=5e-6)
    assert agreement.Ratings.of(values).counts().sum(axis=0).tolist() == diagnoses["category_totals"]
    found = agreement.fleiss_table(wikipedia["table"])
    assert found.estimate == pytest.approx(wikipedia["kappa"], abs=1e-14)
    assert found.expected == pytest.approx(wikipedia["Pe"], abs=1e-9)
    for case in randolph["cases"]:
        assert agreement.fleiss_table(case["table"], limits=NONE).estimate == pytest.approx(case["fleiss"], abs=5e-7)
        free = agreement.brennan_prediger_table(case["table"], limits=NONE).estimate
        assert free == pytest.approx(case["randolph"], abs=5e-7)


def test_cohen_as_sas_prints_it(recorded: dict[str, Any]) -> None:
    case = recorded["cohen"][0]
    for weights, expected in (("identity", case), ("linear", case["linear_weighted"])):
        found = agreement.cohen_table(case["table"], weights=weights, reference="normal")
        assert found.estimate == pytest.approx(expected["kappa"], abs=5e-5)
        assert found.error == pytest.approx(expected["ase"], abs=5e-5)
        assert (found.low, found.high) == pytest.approx(expected["ci"], abs=6e-5)
        assert found.statistic == pytest.approx(expected["z"], abs=6e-5)
        assert found.p == pytest.approx(expected.get("p_two_sided", expected.get("p")), abs=5e-5)
        assert found.estimate / found.statistic == pytest.approx(expected["ase0"], abs=5e-5)


def test_cohen_textbook_tables(recorded: dict[str, Any]) -> None:
    for case in recorded["cohen"][1:4]:
        assert agreement.cohen_table(case["table"]).estimate == pytest.approx(case["kappa"], abs=1e-9)


def test_cohen_and_relatives_as_irrcac_has_them(recorded: dict[str, Any]) -> None:
    case = recorded["cohen"][4]
    counts = np.array(case["table"])
    plain, linear, quadratic = (
        agreement.cohen_table(counts, weights=weights) for weights in ("identity", "linear", "quadratic")
    )
    assert [plain.estimate, linear.estimate, quadratic.estimate] == pytest.approx(case["verified"], abs=5e-7)
    for found, limits in ((plain, "ci"), (linear, "linear_ci"), (quadratic, "quadratic_ci")):
        assert (found.low, found.high) == pytest.approx(case[limits], abs=6e-4)
    values = np.array([pair for pair in np.ndindex(3, 3) for _ in range(counts[pair])], dtype=float)
    assert agreement.cohen(values).estimate == pytest.approx(plain.estimate, abs=1e-14)
    assert agreement.cohen(values).error == pytest.approx(plain.error, abs=1e-14)
    assert agreement.scott(values).estimate == pytest.approx(case["scott_pi"], abs=5e-4)
    gwet = agreement.gwet(values)
    assert gwet.estimate == pytest.approx(case["gwet_AC1"], abs=5e-4)
    assert (gwet.low, gwet.high) == pytest.approx(case["gwet_ci"], abs=1e-3)
    assert agreement.krippendorff(values).estimate == pytest.approx(case["krippendorff"], abs=5e-4)


def test_cohen_anxiety(recorded: dict[str, Any]) -> None:
    peer = pytest.importorskip("statsmodels.stats.tests.test_inter_rater")
    case = recorded["cohen"][5]
    values = np.asarray(peer.anxiety, dtype=float)[:, 1:]
    found = [
        agreement.cohen(values),
        agreement.cohen(values, weights="linear"),
        agreement.cohen(values, weights="quadratic"),
    ]
    levels = np.unique(values)
    ranks = np.searchsorted(levels, values).astype(float)  # irr weighs by place on the scale, not by value
    ranked = [found[0], *(agreement.cohen(ranks, weights=weights) for weights in ("linear", "quadratic"))]
    assert [kappa.estimate for kappa in ranked] == pytest.approx(
        [case["unweighted"], case["equal"], case["squared"]], abs=5e-7
    )
    assert [kappa.statistic for kappa in ranked] == pytest.approx(case["z"], abs=5e-6)


def test_icc_of_shrout_and_fleiss(recorded: dict[str, Any]) -> None:
    case = recorded["icc_cronbach"][0]
    values = np.array([case[f"J{judge}"] for judge in range(1, 5)], dtype=float).T
    found = agreement.intraclass(values)
    for form, expected in case["ICC"].items():
        assert found[form].estimate == pytest.approx(expected, abs=5.1e-3), form
    forms = ["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
    assert [found[form].low for form in forms] == pytest.approx(case["ci95_lower"], abs=5.1e-3)
    assert [found[form].high for form in forms] == pytest.approx(case["ci95_upper"], abs=5.1e-3)
    singles = [found[form] for form in forms[:3]]
    assert [result.statistic for result in singles] == pytest.approx(case["F"], abs=0.05)
    assert [result.df[1] for result in singles] == case["df2"]
    # Recorded as .16472; F = 1.794678 on 5 and 18 degrees of freedom has p = .164769, and so says pingouin when run.
    assert [result.p for result in singles] == pytest.approx(case["p"], abs=5e-5)


def test_own_distance_must_be_a_distance() -> None:
    values = [[1, 2], [2, 2], [1, 1]]
    with pytest.raises(InputError, match="same in both directions"):
        agreement.krippendorff(values, lambda a, b: float(a > b))
    with pytest.raises(InputError, match="finite and not negative"):
        agreement.krippendorff(values, lambda a, b: -float(a != b))
    with pytest.raises(InputError, match="2 × 2"):
        agreement.krippendorff(values, np.eye(3))
