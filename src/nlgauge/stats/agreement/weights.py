"""How near two categories are: Gwet's weights of agreement, and Krippendorff's distances.

Weights (1 on the diagonal, 0 to 1 elsewhere; Gwet 2014, as irrCAC computes them) serve the kappas and AC2;
distances (0 on the diagonal) serve Krippendorff's alpha. Any weights w give the distances 1 - w.
Labels have no order unless one was declared, so that anything but `identity` is refused for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest
from nlgauge.stats.agreement.ratings import Ratings

Weights = str | Array
Distance = str | Array | Callable[[Any, Any], float]

SCALES = ("nominal", "ordinal", "interval", "ratio")
LARGEST = 5000  # categories for which a full table of distances is made


def weight_matrix(weights: Weights, ratings: Ratings) -> Array:
    """The weights of agreement between all categories."""
    size = len(ratings.categories)
    if not isinstance(weights, str):
        return _own_weights(np.asarray(weights, dtype=np.float64), size)
    if weights not in _WEIGHTS:
        raise InputError(f"there are no weights called {weights!r}; {suggest(weights, _WEIGHTS)}")
    if size > LARGEST:
        raise InputError(f"{size:,} different values are too many for categories; treat the ratings as interval data")
    if weights == "identity" or size < 2:
        return np.eye(size)
    positions = _positions(ratings, f"{weights} weights")
    if weights == "ratio" and positions[0] < 0:
        raise InputError(
            "ratio weights need ratings from 0 up; there are negative ones: use interval (quadratic) weights"
        )
    apart = _WEIGHTS[weights](positions)
    return np.asarray(1 - apart / apart.max())


def _positions(ratings: Ratings, purpose: str) -> Array:
    if not ratings.ordered:
        raise InputError(
            f"{purpose} need an order of the categories, but the ratings are labels; declare the categories in order, "
            "or use numbers"
        )
    if ratings.numbers is not None:
        return ratings.numbers
    return np.arange(1.0, len(ratings.categories) + 1)


def _own_weights(weights: Array, size: int) -> Array:
    if weights.shape != (size, size):
        raise InputError(
            f"the weights must be a table of {size} × {size}, one row and column for each category; got {weights.shape}"
        )
    if not (np.all(np.isfinite(weights)) and weights.min() >= 0 and weights.max() <= 1):
        raise InputError("weights of agreement must lie between 0 and 1")
    if not (np.allclose(np.diag(weights), 1) and np.allclose(weights, weights.T)):
        raise InputError("weights of agreement must be 1 on the diagonal and the same in both directions")
    return weights


def _linear(at: Array) -> Array:
    return np.abs(at[:, None] - at)


def _quadratic(at: Array) -> Array:
    return np.asarray((at[:, None] - at) ** 2)


def _ordinal(at: Array) -> Array:
    """The number of pairs of categories that lie between two: only the order counts."""
    between = _linear(np.arange(len(at), dtype=np.float64)) + 1
    return between * (between - 1) / 2


def _ratio(at: Array) -> Array:
    total = at[:, None] + at
    with np.errstate(invalid="ignore"):
        return np.where(total == 0, 0.0, ((at[:, None] - at) / np.where(total == 0, 1, total)) ** 2)


def _bipolar(at: Array) -> Array:
    total = at[:, None] + at
    product = (total - 2 * at[0]) * (2 * at[-1] - total)
    return np.where(product == 0, 0.0, _quadratic(at) / np.where(product == 0, 1, product))


_WEIGHTS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda at: 1 - np.eye(len(at)),
    "linear": _linear,
    "quadratic": _quadratic,
    "ordinal": _ordinal,
    "radical": lambda at: np.sqrt(_linear(at)),
    "ratio": _ratio,
    "circular": lambda at: np.asarray(np.sin(np.pi * (at[:, None] - at) / (at[-1] - at[0] + 1)) ** 2),
    "bipolar": _bipolar,
}
WEIGHTS = tuple(_WEIGHTS)


def midranks(tally: Array) -> Array:
    """Each category's mean rank among all ratings: Krippendorff's ordinal distance is that of these, squared.

    The sum of the frequencies from one category to another, less half of both, is the difference of their mean ranks.
    """
    return np.asarray(np.cumsum(tally) - tally / 2)


def scores(distance: Distance, ratings: Ratings, tally: Array) -> Array | None:
    """The numbers whose squared differences are the distances (interval, ordinal); None for other distances."""
    if not isinstance(distance, str) or distance not in ("ordinal", "interval"):
        return None
    if distance == "interval":
        if ratings.numbers is None:
            _positions(ratings, "interval distances")
            raise InputError("interval distances need numbers; the ratings are labels: use ordinal distances")
        return ratings.numbers
    _positions(ratings, "ordinal distances")
    return midranks(tally)


def distance_matrix(distance: Distance, ratings: Ratings, tally: Array) -> Array:
    """The distances between all categories. `tally` counts the ratings in each (ordinal distances depend on it)."""
    size = len(ratings.categories)
    if size > LARGEST:
        raise InputError(
            f"{size:,} different values are too many for a table of distances; round them, or use interval distances"
        )
    at = scores(distance, ratings, tally)
    if at is not None:
        return _quadratic(at)
    if callable(distance):
        return _own_distances(distance, ratings.categories)
    if not isinstance(distance, str):
        return _checked(np.asarray(distance, dtype=np.float64), size)
    if distance == "nominal":
        return 1 - np.eye(size)
    if distance == "ratio":
        positions = _positions(ratings, "ratio distances")
        if size and positions[0] < 0:
            raise InputError("ratio distances need ratings from 0 up; there are negative ones: use interval distances")
        return _ratio(positions)
    if distance in _WEIGHTS:
        return 1 - weight_matrix(distance, ratings)
    raise InputError(f"there is no distance {distance!r}; {suggest(distance, {*SCALES, *_WEIGHTS})}")


def _own_distances(distance: Callable[[Any, Any], float], categories: tuple[Any, ...]) -> Array:
    size = len(categories)
    table = [[distance(first, second) for second in categories] for first in categories]
    return _checked(np.array(table, dtype=np.float64).reshape(size, size), size)


def _checked(table: Array, size: int) -> Array:
    if table.shape != (size, size):
        raise InputError(
            f"the distances must be a table of {size} × {size}, one row and column for each category; got {table.shape}"
        )
    if not np.all(np.isfinite(table)) or table.min(initial=0) < 0:
        raise InputError("distances must be finite and not negative")
    if np.any(np.diag(table)) or not np.allclose(table, table.T):
        raise InputError("a distance must be 0 between a category and itself and the same in both directions")
    return table
