"""The data of a mixed model as arrays: one rating a row, its system, and the groups (judges, items) it belongs to.

Systems are coded by their means (one column each, no intercept): every other coding, treatment or sum, is a linear map
of these, and the variance components do not depend on it. Each random effect is an intercept for the levels of one
factor. A *slope* of systems by judges is the intercept of the factor judge × system, the compound-symmetric form that
keeps one variance; it says that judges differ in what they think of a system, and not only in lenience.

Scores of texts that were compared on a screen say nothing but how the texts of a screen differ (`within`): every screen
has a level of its own, which is taken away from scores and effects alike.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, suggest

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Factor:
    """A grouping of the rows: `codes` numbers the level of each row, `levels` names them."""

    name: str
    codes: Codes
    levels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.levels)


@dataclass(frozen=True)
class Design:
    """Ratings, the matrix of fixed effects (systems, then covariates, which are centred) and the random factors."""

    y: Array
    x: Array
    systems: tuple[str, ...]
    covariates: tuple[str, ...]
    factors: tuple[Factor, ...]
    screen: Factor | None = None  # rows that are known up to a constant of their own

    @property
    def free(self) -> int:
        """Ratings that are free to vary, before fixed effects are taken from them."""
        return self.n - (len(self.screen) if self.screen is not None else 0)

    @property
    def n(self) -> int:
        """Ratings."""
        return len(self.y)


def design(
    ratings: Sequence[float] | Array,
    systems: Sequence[Hashable],
    groups: Mapping[str, Sequence[Hashable]],
    *,
    slopes: Sequence[str] = (),
    covariates: Mapping[str, Sequence[float] | Array] | None = None,
) -> Design:
    """Check and code the data; `slopes` names groups whose levels may favour a system."""
    y = np.asarray(ratings, dtype=np.float64)
    if y.ndim != 1 or not len(y):
        raise InputError("a mixed model needs a flat list of ratings, at least one")
    if not np.all(np.isfinite(y)):
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise InputError(f"rating {row + 1:,} is {y[row]}; leave out rows without a rating")
    system = factor("system", systems, len(y))
    factors = [factor(name, labels, len(y)) for name, labels in groups.items()]
    for name in slopes:
        if name not in groups:
            raise InputError(f"a slope by {name!r} needs that group; {suggest(name, list(groups))}")
        factors.append(_crossed(next(factor for factor in factors if factor.name == name), system))
    extra = {name: _covariate(name, values, len(y)) for name, values in (covariates or {}).items()}
    x = np.zeros((len(y), len(system) + len(extra)))
    x[np.arange(len(y)), system.codes] = 1.0
    for place, column in enumerate(extra.values()):
        x[:, len(system) + place] = column
    _require_rank(x, extra)
    for group in factors:
        if len(group) < 2:
            raise InputError(
                f"there is only one {group.name}, so its variance cannot be estimated; leave the group out"
            )
        if len(group) >= len(y):
            raise InputError(
                f"every rating has its own {group.name}, so its variance cannot be told from the noise; leave it out"
            )
    return Design(y, x, system.levels, tuple(extra), tuple(factors))


def within(
    scores: Sequence[float] | Array,
    systems: Sequence[Hashable],
    screens: Sequence[Hashable],
    groups: Mapping[str, Sequence[Hashable]],
) -> tuple[Design, Array]:
    """Scores of texts by what they differ in from the others of their screen, with an effect of every group × system.

    Systems have all columns but one, as their effects are known up to a constant: the second result takes fixed effects
    to those of the systems, which sum to 0.
    """
    y = np.asarray(scores, dtype=np.float64)
    system, screen = factor("system", systems, len(y)), factor("screen", screens, len(y))
    factors = tuple(_crossed(factor(name, labels, len(y)), system) for name, labels in groups.items())
    basis = np.vstack([np.eye(len(system) - 1), np.full((1, len(system) - 1), -1.0)])
    x = centred(basis[system.codes], screen)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise InputError("the systems fall into groups that were never on a screen together")
    return Design(centred(y, screen), x, system.levels, (), factors, screen), basis


def centred(values: Array, screen: Factor) -> Array:
    """Less the mean of each screen, by columns."""
    number = np.bincount(screen.codes, minlength=len(screen))
    columns = values.reshape(len(values), -1)
    sums = np.column_stack([np.bincount(screen.codes, weights=v, minlength=len(screen)) for v in columns.T])
    return np.asarray(columns - (sums / number[:, None])[screen.codes]).reshape(values.shape)


def factor(name: str, labels: Sequence[Hashable], n: int) -> Factor:
    """Code labels by first appearance."""
    if len(labels) != n:
        raise InputError(f"one {name} per rating is needed: got {len(labels):,} for {n:,} ratings")
    numbers: dict[Any, int] = {}
    codes = np.empty(n, dtype=np.int64)
    for row, label in enumerate(labels):
        if label is None or (isinstance(label, float) and math.isnan(label)):
            raise InputError(f"rating {row + 1:,} has no {name}; name one, or leave the rating out")
        codes[row] = numbers.setdefault(label, len(numbers))
    return Factor(name, codes, tuple(str(label) for label in numbers))


def _crossed(first: Factor, second: Factor) -> Factor:
    """The factor of all combinations that occur."""
    pairs, codes = np.unique(first.codes * len(second) + second.codes, return_inverse=True)
    names = tuple(f"{first.levels[pair // len(second)]}:{second.levels[pair % len(second)]}" for pair in pairs)
    return Factor(f"{first.name}:{second.name}", np.asarray(codes, dtype=np.int64), names)


def _covariate(name: str, values: Sequence[float] | Array, n: int) -> Array:
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (n,) or not np.all(np.isfinite(column)):
        raise InputError(f"the covariate {name!r} needs one finite number for each of the {n:,} ratings")
    return np.asarray(column - column.mean())


def _require_rank(x: Array, extra: Mapping[str, Array]) -> None:
    if extra and np.linalg.matrix_rank(x) < x.shape[1]:
        raise InputError(
            f"the covariates ({', '.join(extra)}) are fixed by the systems or by each other, so that their effects "
            "cannot be told apart; leave one out"
        )
