"""The draws are sacreBLEU's, however they are cut into chunks, and both kernels count them alike."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.stats import Resampler, draws

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest):
    with kernels.use(request.param):
        yield request.param


def whole_rows(n: int, k: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(-20, 50, size=(n, k)).astype(np.float64)


def one_shot_bootstrap(rows: np.ndarray, trials: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).choice(len(rows), size=(trials, len(rows)), replace=True)
    return rows[drawn].sum(axis=1)


def one_shot_coins(rows: np.ndarray, trials: int, seed: int) -> np.ndarray:
    mask = np.random.default_rng(seed).integers(2, size=(trials, len(rows)), dtype=bool)
    return mask.astype(np.float64) @ rows


# Odd sizes, sizes around the 8, 32 and 64 bits a kernel handles at a time, and one that is cut by default.
SIZES = [(2, 9), (3, 1), (7, 40), (31, 33), (33, 65), (64, 10), (100, 64), (2501, 120)]


@pytest.mark.parametrize(("n", "trials"), SIZES)
@pytest.mark.parametrize("seed", [0, 12345])
def test_bootstrap_sums_are_those_of_one_call_of_choice(backend: str, n: int, trials: int, seed: int) -> None:
    rows = whole_rows(n, 5)
    [got] = Resampler(n, trials=trials, seed=seed).sums([rows])
    np.testing.assert_array_equal(got, one_shot_bootstrap(rows, trials, seed))


@pytest.mark.parametrize(("n", "trials"), SIZES)
@pytest.mark.parametrize("k", [1, 8, 11])
def test_randomisation_sums_are_those_of_one_call_of_integers(backend: str, n: int, trials: int, k: int) -> None:
    rows = whole_rows(n, k)
    [got] = Resampler(n, trials=trials, seed=9, kind="randomisation").sums([rows])
    np.testing.assert_array_equal(got, one_shot_coins(rows, trials, 9))


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(2, 90),
    trials=st.integers(1, 90),
    seed=st.integers(0, 2**40),
    cached=st.integers(1, 300),
    large=st.integers(1, 20),
    name=st.sampled_from(BACKENDS),
)
def test_chunks_of_any_size_give_the_same_stream(
    *, n: int, trials: int, seed: int, cached: int, large: int, name: str
) -> None:
    rows = whole_rows(n, 3)
    with pytest.MonkeyPatch.context() as patch, kernels.use(name):
        patch.setattr(draws, "CACHED", cached)
        patch.setattr(draws, "LARGE", large)
        [drawn] = Resampler(n, trials=trials, seed=seed).sums([rows])
        [chosen] = Resampler(n, trials=trials, seed=seed, kind="randomisation").sums([rows])
    np.testing.assert_array_equal(drawn, one_shot_bootstrap(rows, trials, seed))
    np.testing.assert_array_equal(chosen, one_shot_coins(rows, trials, seed))


@pytest.mark.skipif("native" not in BACKENDS, reason="the compiled kernels are not built")
@pytest.mark.parametrize(("n", "trials"), [(2, 3), (3, 3), (5, 1), (1_000_003, 1)])
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("single", [False, True])
def test_both_kernels_leave_the_generator_where_numpy_does(n: int, trials: int, before: int, single: bool) -> None:
    # An odd number of draws before or in the call leaves half a word behind. 2**32 modulo the largest n is
    # 954,414, so that numpy's method rejects one draw in 4,500 there.
    generators = [np.random.default_rng(11) for _ in range(3)]
    for generator in generators:
        generator.integers(0, 1000, size=before)
    from nlgauge import _native
    from nlgauge.kernels import python

    counts = [
        _native.count_draws(generators[0], n, trials, single),
        python.count_draws(generators[1], n, trials, single),
    ]
    generators[2].choice(n, size=(trials, n))
    np.testing.assert_array_equal(*counts)
    after = [generator.integers(0, 1000, size=9).tolist() for generator in generators]
    assert after[0] == after[1] == after[2]


def test_fractional_rows_agree_up_to_rounding(backend: str) -> None:
    rows = np.random.default_rng(1).normal(size=(333, 9))
    [got] = Resampler(333, trials=50, seed=1, kind="randomisation").sums([rows])
    np.testing.assert_allclose(got, one_shot_coins(rows, 50, 1), rtol=0, atol=1e-11)
    [got] = Resampler(333, trials=50, seed=1).sums([rows])
    np.testing.assert_allclose(got, one_shot_bootstrap(rows, 50, 1), rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", ["bootstrap", "randomisation"])
@pytest.mark.parametrize("large", [1, 300, 1 << 22])
def test_blocks_stacked_or_not_give_what_each_gives_alone(
    monkeypatch: pytest.MonkeyPatch, kind: draws.Kind, large: int
) -> None:
    blocks = [whole_rows(50, k, seed=k) for k in (1, 10, 2, 18)]
    monkeypatch.setattr(draws, "LARGE", large)
    resampler = Resampler(50, trials=30, seed=2, kind=kind)
    for together, block in zip(resampler.sums(blocks), blocks, strict=True):
        np.testing.assert_array_equal(together, resampler.sums([block])[0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bootstrap", "randomisation"])
def test_memory_stays_flat_for_a_million_segments(backend: str, kind: draws.Kind) -> None:
    rows = np.ones((1_000_000, 2))
    tracemalloc.start()
    try:
        [totals] = Resampler(len(rows), trials=9, seed=1, kind=kind).sums([rows])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6
    if kind == "bootstrap":
        np.testing.assert_array_equal(totals, 1e6)
    else:
        assert np.all(np.abs(totals - 5e5) < 5 * 500)  # five standard deviations of a million coins


@pytest.mark.parametrize(
    ("n", "trials", "seed", "message"),
    [(1, 10, 1, "at least 2 segments"), (5, 0, 1, "at least 1 trial"), (5, 10, -1, "seed must be")],
)
def test_what_cannot_be_resampled_is_refused(n: int, trials: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Resampler(n, trials=trials, seed=seed)


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match=r"expected rows of shape \(5, k\)"):
        Resampler(5, trials=3, seed=1).sums([np.ones((4, 2))])
