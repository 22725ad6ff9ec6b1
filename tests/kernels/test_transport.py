"""The transportation problem: against linear programming and POT, compiled against plain, and as a flow must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nlgauge import kernels
from nlgauge.kernels import active, python
from nlgauge.kernels.python.transport import distances

Array = NDArray[np.float64]
Problem = tuple[Array, Array, Array]


def linear_program(costs: Array, supply: Array, demand: Array) -> float:
    """The least cost, by a general solver."""
    from scipy.optimize import linprog

    rows, columns = costs.shape
    sums = np.zeros((rows + columns, rows * columns))
    for i in range(rows):
        sums[i, i * columns : (i + 1) * columns] = 1
    for j in range(columns):
        sums[rows + j, j::columns] = 1
    whole, largest = supply.sum(), max(float(costs.max()), 1e-300)  # its tolerances are absolute
    wanted = np.concatenate([supply, demand]) / whole
    return float(linprog(costs.ravel() / largest, A_eq=sums, b_eq=wanted, method="highs").fun) * whole * largest


def counts(rng: np.random.Generator, rows: int, columns: int) -> tuple[Array, Array]:
    """Word counts of two texts, scaled by each other's length: whole numbers with many equal sums."""
    a, b = rng.integers(1, 4, rows).astype(float), rng.integers(1, 4, columns).astype(float)
    return a * b.sum(), b * a.sum()


def shares(rng: np.random.Generator, rows: int, columns: int) -> tuple[Array, Array]:
    a, b = rng.random(rows) + 0.01, rng.random(columns) + 0.01
    return a / a.sum(), b / b.sum()


def problems(count: int, seed: int, largest: int = 9) -> list[Problem]:
    """Euclidean costs, costs with many ties, costs of 0, one row or column, whole and real amounts."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        rows, columns = rng.integers(1, largest + 1, 2)
        kind = number % 4
        if kind == 0:
            costs = distances(rng.normal(size=(rows + columns, 8)), range(rows), range(rows, rows + columns))
        elif kind == 1:
            costs = rng.integers(0, 3, (rows, columns)).astype(float)
        elif kind == 2:
            costs = np.zeros((rows, columns)) if number % 3 else np.full((rows, columns), 2.5)
        else:
            costs = rng.random((rows, columns)) * 10.0 ** rng.integers(-6, 7)
        amounts: Callable[..., tuple[Array, Array]] = counts if number % 2 else shares
        made.append((costs, *amounts(rng, int(rows), int(columns))))
    return made


def check_flow(problem: Problem, solved: tuple[float, Array]) -> None:
    """A flow sends what there is, delivers what is wanted, and costs what is said."""
    costs, supply, demand = problem
    total, flow = solved
    whole = supply.sum()
    assert (flow >= 0).all()
    assert np.allclose(flow.sum(axis=1), supply, atol=1e-12 * whole)
    assert np.allclose(flow.sum(axis=0), demand, atol=1e-12 * whole)
    assert (flow * costs).sum() == pytest.approx(total, rel=1e-10, abs=1e-10 * whole * costs.max())


def test_equals_linear_programming(backend: None) -> None:
    for problem in problems(240, 1):
        solved = active().transport(*problem)
        check_flow(problem, solved)
        scale = problem[1].sum() * max(problem[0].max(), 1e-300)
        assert solved[0] == pytest.approx(linear_program(*problem), abs=1e-8 * scale)


@pytest.mark.usefixtures("native")
def test_the_compiled_solver_takes_the_same_steps_as_the_plain_one() -> None:
    for problem in problems(300, 2, largest=25):
        mine, plain = (getattr(kind, "transport")(*problem) for kind in (_native(), python))  # noqa: B009
        assert mine[0] == plain[0] and np.array_equal(mine[1], plain[1])


def _native() -> Any:
    from nlgauge import _native

    return _native


@pytest.mark.usefixtures("native")
def test_large_problems_equal_pot() -> None:
    ot = pytest.importorskip("ot")
    for costs, supply, demand in problems(6, 3, largest=400):
        total, flow = active().transport(costs, supply, demand)
        check_flow((costs, supply, demand), (total, flow))
        whole = supply.sum()
        known = ot.emd2(supply / whole, demand / whole, np.ascontiguousarray(costs), numItermax=1_000_000)
        assert total / whole == pytest.approx(float(known), rel=1e-7, abs=1e-9 * costs.max())


def test_nothing_to_move_and_wrong_shapes(backend: None) -> None:
    empty = np.zeros(0)
    total, flow = active().transport(np.zeros((0, 0)), empty, empty)
    assert total == 0 and flow.shape == (0, 0)
    with pytest.raises(ValueError, match="a row for each supply"):
        active().transport(np.zeros((2, 2)), np.ones(2), np.ones(3))


def test_words_of_texts_are_numbered_in_order(backend: None) -> None:
    words, numbers, starts = active().number_words(["B a b.", "", "ü B  x\ud800"], "13a", True)
    assert words == ["b", "a", ".", "ü", "x\ud800"]
    assert numbers.tolist() == [0, 1, 0, 2, 3, 0, 4] and starts.tolist() == [0, 4, 4, 7]
    assert active().number_words([], "none", False)[2].tolist() == [0]


@pytest.mark.usefixtures("native")
def test_numbering_is_that_of_the_plain_kernels_on_many_texts() -> None:
    rng = np.random.default_rng(5)
    stock = ["a", "b", "naïve", "日本語", "3.5", "x" * 30, "don't", "—", "ß", "😀"] + [f"w{k}" for k in range(3000)]
    texts = [" ".join(rng.choice(stock, rng.integers(0, 30))) for _ in range(500)]
    for tok in ("13a", "none", "words", "intl"):
        mine, plain = (kind.number_words(texts, tok, True) for kind in (_native(), python))
        assert mine[0] == plain[0]
        assert np.array_equal(mine[1], plain[1]) and np.array_equal(mine[2], plain[2])


@pytest.mark.parametrize("bound", ["exact", "relaxed", "centroid"])
def test_bad_arguments_of_the_mover_are_refused(bound: str) -> None:
    with kernels.use("native"):
        if not kernels.native_available():
            pytest.skip("the compiled kernels are not built")
        move = active().mover_distances
        vectors, starts = np.zeros((2, 8)), np.array([0, 1, 2])
        pair = np.array([[0, 1]])
        words = np.array([0, 1], dtype=np.int32)
        assert move(vectors, words, None, starts, pair, bound, 1).tolist() == [0.0]
        for bad in (
            (np.zeros((2, 5)), words, None, starts, pair),
            (vectors, np.array([0, 2], dtype=np.int32), None, starts, pair),
            (vectors, words, np.ones(1), starts, pair),
            (vectors, words, None, np.array([0, 3, 2]), pair),
            (vectors, words, None, starts, np.array([[0, 2]])),
        ):
            with pytest.raises(ValueError):
                move(*bad, bound, 1)
        with pytest.raises(ValueError, match="exact, relaxed or centroid"):
            move(vectors, words, None, starts, pair, "other", 1)
