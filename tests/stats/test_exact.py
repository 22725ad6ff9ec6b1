"""Exact tests against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

from nlgauge.errors import InputError
from nlgauge.stats.shares import fisher, sign_test


def test_fisher_equals_scipys() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        n, m = (int(k) for k in rng.integers(1, 60, 2))
        a, b = int(rng.integers(0, n + 1)), int(rng.integers(0, m + 1))
        assert fisher(a, n, b, m) == pytest.approx(fisher_exact([[a, n - a], [b, m - b]])[1], rel=1e-9)
    assert fisher(4000, 9000, 4300, 9000) == pytest.approx(fisher_exact([[4000, 5000], [4300, 4700]])[1], rel=1e-7)
    with pytest.raises(InputError):
        fisher(5, 4, 1, 2)


def test_the_sign_test_is_the_binomial_test_of_a_half() -> None:
    for more in range(8):
        for fewer in range(8):
            expected = binomtest(more, more + fewer).pvalue if more + fewer else 1.0
            assert sign_test(more, fewer) == pytest.approx(expected)
    with pytest.raises(InputError):
        sign_test(-1, 2)
