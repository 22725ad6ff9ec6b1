"""Adjusted p-values: worked by hand, and as R's p.adjust prints them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.stats import benjamini_hochberg, holm


def test_holm_by_hand() -> None:
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04, and the last raised to 0.06.
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02], rtol=1e-12)


def test_benjamini_hochberg_by_hand() -> None:
    # Sorted times 4/1, 4/2, 4/3, 4/4: 0.02, 0.02, 0.04, 0.04.
    np.testing.assert_allclose(benjamini_hochberg([0.01, 0.04, 0.03, 0.005]), [0.02, 0.04, 0.04, 0.02], rtol=1e-12)


def test_benjamini_hochberg_on_the_example_of_its_paper() -> None:
    # Benjamini and Hochberg 1995, section 4: of these fifteen p-values the first four are rejected at
    # q = 0.05, where Bonferroni's method (and Holm's) rejects the first three.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert np.count_nonzero(benjamini_hochberg(p) <= 0.05) == 4
    assert np.count_nonzero(holm(p) <= 0.05) == 3


@pytest.mark.parametrize("method", [holm, benjamini_hochberg])
def test_edges(method) -> None:
    assert method([]).tolist() == []
    assert method([0.2]).tolist() == [0.2]
    assert method([1.0, 1.0, 1.0]).tolist() == [1.0, 1.0, 1.0]
    for bad in ([0.5, 1.2], [-0.1], [float("nan")]):
        with pytest.raises(InputError, match="between 0 and 1"):
            method(bad)
    with pytest.raises(InputError, match="flat list"):
        method([[0.1, 0.2]])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusting_keeps_the_order_and_never_lowers_p(p: list[float]) -> None:
    for adjusted in (holm(p), benjamini_hochberg(p)):
        assert np.all(adjusted >= np.array(p) * (1 - 1e-12)) and np.all(adjusted <= 1)
        order = np.argsort(p, kind="stable")
        assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(holm(p) >= benjamini_hochberg(p) - 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_adjusted_as_statsmodels_does(method, name: str) -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    generator = np.random.default_rng(0)
    for size in (1, 2, 7, 40, 1000):
        for p in (generator.random(size), generator.random(size) ** 4, np.round(generator.random(size), 1)):
            np.testing.assert_allclose(method(p), multipletests(p, method=name)[1], atol=1e-12)
