"""The earth mover's distance against POT and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.metrics.soft import emd


def test_by_hand() -> None:
    cost = np.array([[0.0, 2.0], [1.0, 3.0]])
    work, flow = emd(np.array([3.0, 1.0]), np.array([1.0, 1.0]), cost)
    # both ways to fill the margins cost the same here: 0.5 · 0 + 0.25 · 2 + 0.25 · 3, or 0.25 · 0 + 0.5 · 2 + 0.25 · 1
    assert work == pytest.approx(1.25)
    assert flow.sum(axis=1) == pytest.approx([0.75, 0.25]) and flow.sum(axis=0) == pytest.approx([0.5, 0.5])
    assert emd(np.ones(3), np.ones(3), 1 - np.eye(3))[0] == 0


def test_weight_may_have_to_be_sent_back() -> None:
    # the first row takes the column that is cheapest for both, and must give it up to the second
    cost = np.array([[0.0, 1.0], [0.0, 9.0]])
    work, flow = emd(np.ones(2), np.ones(2), cost)
    assert work == pytest.approx(0.5) and flow.tolist() == [[0.0, 0.5], [0.5, 0.0]]


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_pot(seed: int) -> None:
    ot = pytest.importorskip("ot", reason="POT is not installed: no live comparison")
    rng = np.random.default_rng(seed)
    for _ in range(25):
        n, m = rng.integers(1, 25, size=2)
        a, b = rng.random(n) + 0.01, rng.random(m) + 0.01
        if seed % 3 == 1:
            a[:], b[:] = 1, 1
        if seed % 3 == 2:
            a[1:] *= rng.random(n - 1) < 0.5
        cost = rng.random((n, m)) if seed % 2 else rng.integers(0, 4, size=(n, m)) / 2
        work, flow = emd(a, b, cost)
        assert work == pytest.approx(ot.emd2(a / a.sum(), b / b.sum(), cost), abs=1e-12)
        assert (flow >= 0).all() and (flow * cost).sum() == pytest.approx(work)
        assert np.allclose(flow.sum(axis=1), a / a.sum(), atol=1e-12)
        assert np.allclose(flow.sum(axis=0), b / b.sum(), atol=1e-12)


def test_what_cannot_be_moved_is_refused() -> None:
    for weights in (np.array([-1.0, 2.0]), np.zeros(2), np.array([np.nan, 1.0]), np.ones((2, 1))):
        with pytest.raises(InputError, match="numbers from 0 up"):
            emd(weights, np.ones(2), np.ones((2, 2)))
    with pytest.raises(InputError, match="2 rows and 3 columns"):
        emd(np.ones(2), np.ones(3), np.ones((3, 2)))
    with pytest.raises(InputError, match="finite"):
        emd(np.ones(1), np.ones(1), np.array([[np.inf]]))
