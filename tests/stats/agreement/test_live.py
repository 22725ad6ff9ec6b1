"""Agreement beside the peers' own code on random ratings with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nlgauge.stats import agreement
from nlgauge.stats.agreement import Limits, UndefinedAgreement
from nlgauge.stats.agreement.icc import FORMS
from nlgauge.stats.agreement.weights import WEIGHTS, weight_matrix

Values = NDArray[np.float64]
NONE = Limits("none")


def random_ratings(seed: int, items: int, judges: int, levels: int, gaps: float) -> Values:
    """Judges who see the truth half of the time; every judge rates something, some items more than one judge."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, levels + 1, size=(items, 1))
    guess = generator.integers(1, levels + 1, size=(items, judges))
    values = np.where(generator.random((items, judges)) < 0.6, truth, guess).astype(float)
    values[generator.random((items, judges)) < gaps] = np.nan
    values[0], values[1] = 1.0, levels  # two items that all rated, so that nothing is undefined
    return values


CASES = [
    (seed, items, judges, levels, gaps)
    for seed, (items, judges, levels, gaps) in enumerate(
        [(8, 2, 2, 0.0), (30, 2, 5, 0.2), (25, 3, 4, 0.4), (40, 5, 3, 0.3), (15, 4, 7, 0.0), (60, 8, 5, 0.6)]
    )
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_krippendorff_package(case: tuple[Any, ...], scale: str) -> None:
    peer = pytest.importorskip("krippendorff")
    values = random_ratings(*case)
    expected = peer.alpha(values.T, level_of_measurement=scale)
    assert agreement.krippendorff(values, scale, limits=NONE).estimate == pytest.approx(expected, abs=1e-12)


def test_krippendorff_package_on_continuous_and_on_huge_values() -> None:
    peer = pytest.importorskip("krippendorff")
    generator = np.random.default_rng(3)
    values = generator.normal(size=(50, 1)) + generator.normal(size=(50, 3))
    values[generator.random((50, 3)) < 0.2] = np.nan
    for shifted in (values, values * 1e6, values + 1e5):
        for scale in ("ordinal", "interval", "nominal"):
            expected = peer.alpha(shifted.T, level_of_measurement=scale)
            assert agreement.krippendorff(shifted, scale, limits=NONE).estimate == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_irrcac(case: tuple[Any, ...], weights: str) -> None:
    pandas = pytest.importorskip("pandas")
    peer = pytest.importorskip("irrCAC.raw")
    values = random_ratings(*case)
    # The categories are declared: with a recent pandas irrCAC would count the gaps as one more of them.
    levels = sorted({float(value) for value in values[~np.isnan(values)]})
    raw = peer.CAC(pandas.DataFrame(values), weights=weights, categories=levels, digits=14)
    ratings = agreement.Ratings.of(values)
    computed = {
        "fleiss": agreement.fleiss(ratings, weights=weights),
        "gwet": agreement.gwet(ratings, weights=weights),
        "bp": agreement.brennan_prediger(ratings, weights=weights),
        "conger": agreement.conger(ratings, weights=weights),
        "krippendorff": agreement.krippendorff(ratings, 1 - weight_matrix(weights, ratings)),
    }
    for name, found in computed.items():
        expected = getattr(raw, name)()["est"]
        assert found.estimate == pytest.approx(expected["coefficient_value"], abs=1e-10), name
        assert found.error == pytest.approx(expected["se"], abs=1e-10), name
        low, high = expected["confidence_interval"]
        if name != "bp":  # irrCAC does not cut the lower limit where the coefficient cannot be lower
            low = max(low, -1.0)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9), name
        sides = 2 if name == "bp" else 1  # irrCAC's p for this one is one-sided
        assert found.p == pytest.approx(sides * expected["p_value"], abs=1e-10), name


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_statsmodels_cohen(weights: str) -> None:
    peer = pytest.importorskip("statsmodels.stats.inter_rater")
    for seed in range(5):
        values = random_ratings(seed, 40, 2, 4, 0.2)
        both = values[~np.isnan(values).any(axis=1)].astype(int)
        counts = np.zeros((4, 4))
        np.add.at(counts, (both[:, 0] - 1, both[:, 1] - 1), 1)
        expected = peer.cohens_kappa(counts, wt=None if weights == "identity" else weights)
        found = agreement.cohen(values, weights=weights, reference="normal")
        assert found.estimate == pytest.approx(expected.kappa, abs=1e-12)
        assert found.error == pytest.approx(expected.std_kappa, abs=1e-12)
        assert found.low == pytest.approx(expected.kappa_low, abs=1e-10)
        assert found.statistic == pytest.approx(expected.z_value, abs=1e-10)
        assert found.p == pytest.approx(expected.pvalue_two_sided, abs=1e-10)
        assert found.n == len(both)


def test_statsmodels_fleiss() -> None:
    peer = pytest.importorskip("statsmodels.stats.inter_rater")
    for seed in range(5):
        values = random_ratings(seed, 20, 4, 3, 0.0)
        counts = agreement.Ratings.of(values).counts()
        assert agreement.fleiss(values).estimate == pytest.approx(peer.fleiss_kappa(counts), abs=1e-12)
        randolph = peer.fleiss_kappa(counts, method="randolph")
        assert agreement.brennan_prediger(values).estimate == pytest.approx(randolph, abs=1e-12)


def test_pingouin_icc(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    peer = pytest.importorskip("pingouin")
    monkeypatch.setitem(peer.options, "round.column.CI95", None)
    for seed, (items, judges) in enumerate([(6, 4), (20, 2), (30, 3), (12, 5)]):
        values = random_ratings(seed, items, judges, 9, 0.1) + np.arange(judges)  # judges of different severity
        frame = pandas.DataFrame(values).stack().reset_index()
        frame.columns = ["item", "judge", "value"]
        expected = peer.intraclass_corr(frame, "item", "judge", "value", nan_policy="omit")
        whole = values[~np.isnan(values).any(axis=1)]  # form 1 takes the others too, and is compared without them
        found = [agreement.icc(whole if form[0] == "1" else values, form) for form in FORMS]
        assert [icc.estimate for icc in found] == pytest.approx(expected["ICC"].tolist(), abs=1e-10)
        assert [icc.statistic for icc in found] == pytest.approx(expected["F"].tolist(), rel=1e-10)
        assert [icc.p for icc in found] == pytest.approx(expected["pval"].tolist(), abs=1e-12)
        for icc, limits in zip(found, expected["CI95"], strict=True):
            assert (icc.low, icc.high) == pytest.approx(tuple(limits), abs=1e-10)


@pytest.mark.parametrize("levels", [5, 90])
def test_scipy_correlations(levels: int) -> None:
    from scipy import stats

    peers = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    values = random_ratings(4, 80, 3, levels, 0.2)
    for kind, peer in peers.items():
        expected = []
        for first, second in ((0, 1), (0, 2), (1, 2)):
            both = ~np.isnan(values[:, [first, second]]).any(axis=1)
            expected.append(peer(values[both, first], values[both, second]).statistic)
        found = agreement.pairwise_correlation(values, kind, limits=NONE).estimate  # type: ignore[arg-type]
        assert found == pytest.approx(np.mean(expected), abs=1e-12), kind


def test_kendall_w_against_friedman() -> None:
    from scipy import stats

    values = random_ratings(5, 12, 5, 4, 0.0)
    expected = stats.friedmanchisquare(*values)  # items are the treatments, judges the blocks
    found = agreement.kendall_w(values)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-10)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    ranked = np.arange(10.0)[:, None].repeat(3, axis=1)
    assert agreement.kendall_w(ranked).estimate == pytest.approx(1.0)


def test_nltk_sets() -> None:
    distances = pytest.importorskip("nltk.metrics.distance")
    agree = pytest.importorskip("nltk.metrics.agreement")
    generator = np.random.default_rng(8)
    values: list[list[frozenset[str] | None]] = [
        [frozenset(str(letter) for letter in generator.choice(list("abc"), size=2)) for _ in range(3)]
        for _ in range(12)
    ]
    triples = [(f"j{j}", f"i{i}", marks) for i, row in enumerate(values) for j, marks in enumerate(row)]
    for ours, theirs in (
        (agreement.masi_distance, distances.masi_distance),
        (agreement.jaccard_distance, distances.jaccard_distance),
    ):
        task = agree.AnnotationTask(data=triples, distance=theirs)
        assert agreement.krippendorff(values, ours).estimate == pytest.approx(task.alpha(), abs=1e-10)


def test_undefined_where_the_peer_divides_by_zero() -> None:
    with pytest.raises(UndefinedAgreement):
        agreement.cohen([[1, 1], [1, 1]])
