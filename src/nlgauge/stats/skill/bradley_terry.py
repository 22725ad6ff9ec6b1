"""Bradley–Terry strengths by maximum likelihood, with ties, an order effect and covariates.

The predictor of a game is η = λ_first − λ_second + z·γ, where z holds the order effect and further covariates.
Ties are counted as half a win each ("half": the rule of the chat arenas), or modelled: Davidson (1970) gives
the three results the weights exp(η/2), ν, exp(−η/2); Rao and Kupper (1967) let the first win with logit η − log
θ and the second with logit −η − log θ. All three likelihoods are concave, and Newton's method with step halving
finds the maximum. Strengths are log strengths that sum to 0. Without ties the estimates equal those of choix
and of R's BradleyTerry2, with "half" those of evalica.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError, option
from nlgauge.stats.skill.games import TIE, Games
from nlgauge.stats.skill.graph import require_connected, require_strongly_connected, strongly_connected
from nlgauge.stats.skill.tie_models import Ties, derivatives, game_scores, probabilities, saturated, sigmoid

Order = Literal["none", "common", "judge"]
TIE_RULES = ("davidson", "rao-kupper", "half", "drop")
ORDERS = ("none", "common", "judge")

STEPS = 100
SMALL = 1e-7  # a step this small ends the search: the error left is its square
APART = 25.0  # a predictor beyond this is on its way to infinity: odds of 7e10 in games that were played
SINGULAR = 1e12  # a condition number beyond this: an effect says what the players, or another effect, say
LEAST_RIDGE, MOST_RIDGE = 1e-6, 1e6  # a prior with standard deviations of 1,000 and of 0.001
MOST_WORK = 1e10  # products in one step of the search for effects of judges: about a second
FEW = 1 << 20  # cells of a table of counts that is filled directly


@dataclass(frozen=True)
class Cells:
    """Games that share their predictor, counted: the sufficient statistics. `design` are the covariates of each
    cell."""

    first: Ints
    second: Ints
    counts: Array  # (cells, 3): first wins, ties, second wins
    design: Array  # (cells, k)
    of_game: Ints  # the cell of each game
    outcome: Ints  # of each game: 0, 1, 2


@dataclass(frozen=True)
class BradleyTerry:
    """A fitted model; `strength` are log strengths that sum to 0 and `covariance` is that of all parameters.

    The parameters are the strengths, the covariates named in `effects`, and the tie parameter: log ν for
    Davidson, log θ for Rao and Kupper (`tie` is ν or θ; NaN where ties are not modelled).
    """

    players: tuple[str, ...]
    strength: Array
    effects: tuple[str, ...]
    effect: Array
    tie: float
    ties: Ties
    covariance: Array
    log_likelihood: float  # without multinomial constants
    deviance: float  # against the model with a probability of its own for each pair (and covariates)
    iterations: int
    ridge: float
    firth: bool
    n: int
    notes: tuple[str, ...]
    cells: Cells
    modelled: bool  # whether a tie parameter is among the parameters

    def contrast(self, player: str, reference: str) -> tuple[float, float]:
        """How much stronger a player is than another (log odds), and its standard error."""
        i, j = self.players.index(player), self.players.index(reference)
        c = self.covariance
        return float(self.strength[i] - self.strength[j]), math.sqrt(max(c[i, i] + c[j, j] - 2 * c[i, j], 0.0))

    def chances(self) -> Array:
        """The model's expected score of each player (row) against each other: wins and half the ties; no order."""
        chance = self.outcome_chances(self.strength[:, None] - self.strength[None, :])
        return np.asarray(chance[..., 0] + 0.5 * chance[..., 1])

    def outcome_chances(self, difference: Array) -> Array:
        """Chances of win, tie and loss (last axis) at a difference of log strengths; no order effect."""
        chance = probabilities(difference.ravel(), self.rule, self._tie_log)
        return chance.reshape(*difference.shape, 3)

    @property
    def rule(self) -> Ties:
        """The likelihood in use: with no ties in the data all rules are the plain model."""
        return self.ties if self.modelled else "half"

    @property
    def _tie_log(self) -> float:
        return math.log(self.tie) if self.modelled else 0.0

    def sandwich(self, clusters: Ints) -> Array:
        """The covariance that stays right when games of a cluster depend on each other: bread · meat · bread.

        The meat sums the products of each cluster's score vector; C / (C − 1) corrects for their number.
        """
        from scipy.sparse import coo_matrix

        cells = self.cells
        names, cluster = np.unique(clusters, return_inverse=True)
        if len(names) < 2:
            raise InputError("a sandwich or bootstrap interval needs at least two items or games")
        eta = _predictor(cells, self.strength, self.effect)
        scores = game_scores(eta, self.rule, self._tie_log)  # (cells, 3 outcomes, 2)
        g = scores[cells.of_game, cells.outcome]
        games, n, k = len(g), len(self.players), len(self.effect)
        row = np.arange(games)
        pieces = [(cells.first[cells.of_game], g[:, 0]), (cells.second[cells.of_game], -g[:, 0])]
        design = cells.design[cells.of_game]
        pieces += [(np.full(games, n + c), g[:, 0] * design[:, c]) for c in range(k)]
        if self.modelled:
            pieces.append((np.full(games, n + k), g[:, 1]))
        size = n + k + int(self.modelled)
        sums = sum(
            coo_matrix((value, (cluster[row], column)), shape=(len(names), size)).tocsr() for column, value in pieces
        )
        meat = np.asarray((sums.T @ sums).todense()) * len(names) / (len(names) - 1)
        return self.covariance @ meat @ self.covariance


def fit(
    games: Games,
    *,
    ties: Ties = "davidson",
    order: Order = "none",
    covariates: bool = False,
    ridge: float = 0.0,
    firth: bool = False,
) -> BradleyTerry:
    """Fit the model.

    `order` adds an advantage of being shown first, one for all or one for each judge; `covariates` uses those
    of the games. `ridge` is a normal prior on the strengths with mean 0 and variance 1/ridge; `firth` removes
    the first-order bias (Jeffreys' prior; ties must not be modelled). Without either, games that leave a
    strength without a finite estimate are refused.

    Args:
        games: the games, as `Games.of` makes them
        ties: how ties are modelled: davidson, rao-kupper, half or drop
        order: the advantage of being shown first: none, common, or judge for one of each judge
        covariates: whether those of the games are used
        ridge: precision of a normal prior on the strengths
        firth: whether the first-order bias is removed

    >>> from nlgauge.stats.skill import Games, fit
    >>> games = Games.of(a=["x", "y", "x", "z", "x"], b=["y", "z", "z", "x", "y"], outcome=["a", "a", "tie", "b", "b"])
    >>> [round(float(strength), 3) for strength in fit(games).strength]
    [0.567, 0.951, -1.518]
    """
    _check(games, ties, order, covariates, ridge, firth)
    if ties == "drop":
        games = games.take(np.flatnonzero(games.score != TIE))
        if not len(games):
            raise InputError("all games are ties, and ties are dropped: no games are left")
    tied = int((games.score == TIE).sum())
    modelled = ties in ("davidson", "rao-kupper") and tied > 0
    if len(games.players) < 2 or not (ridge or firth):
        require_strongly_connected(games)
    elif not ridge:
        require_connected(games)
    if modelled and firth:
        raise InputError(f"{option('firth')} is for games whose ties are halved or dropped, not modelled by {ties}")
    if modelled and tied == len(games):
        raise InputError(
            f"all games are ties, so that the tie parameter of {ties} has no finite estimate; use "
            f"{option('ties', 'half')}"
        )
    cells = _cells(games, order, covariates)
    effects = _effects(games, order, covariates)
    rule: Ties = ties if modelled else "half"
    solution = _newton(cells, len(games.players), rule, modelled, ridge, firth)
    notes = []
    if ridge:
        notes.append(f"prior: log strengths normal with mean 0 and standard deviation {1 / math.sqrt(ridge):.3g}")
    if firth:
        notes.append("prior: Jeffreys' (Firth's correction of bias)")
    if tied == len(games):
        notes.append("all games are ties: the strengths are equal, and the games do not say how precisely")
    n, k = len(games.players), cells.design.shape[1]
    theta = solution.theta
    strength = theta[:n] - theta[:n].mean()
    log_tie = theta[n + k] if modelled else math.nan
    return BradleyTerry(
        players=games.players,
        strength=strength,
        effects=effects,
        effect=theta[n : n + k],
        tie=math.exp(log_tie) if modelled else math.nan,
        ties=ties,
        covariance=solution.covariance(),
        log_likelihood=solution.value,
        deviance=2 * (saturated(cells.counts, rule) - solution.value),
        iterations=solution.steps,
        ridge=ridge,
        firth=firth,
        n=len(games),
        notes=tuple(notes),
        cells=cells,
        modelled=modelled,
    )


def refit(model: BradleyTerry, counts: Array) -> Array | None:
    """The parameters for other counts of the same cells (a bootstrap draw); None where they are not finite."""
    start = np.concatenate([model.strength, model.effect, [model._tie_log] if model.modelled else []])
    if model.modelled and not counts[:, 1].any():
        return None
    # Firth's estimate is finite however one-sided the games are, as long as they connect the players.
    links = counts + counts[:, ::-1] if model.firth else counts
    if not model.ridge and not _finite(model.cells, links, len(model.players)):
        return None
    cells, n = replace(model.cells, counts=counts), len(model.players)
    with suppress(InputError):
        return _newton(cells, n, model.rule, model.modelled, model.ridge, model.firth, start=start).theta
    return None


def _check(games: Games, ties: str, order: str, covariates: bool, ridge: float, firth: bool) -> None:
    if ties not in TIE_RULES:
        raise InputError(f"ties must be one of {', '.join(TIE_RULES)}; got {ties!r}")
    if order not in ORDERS:
        raise InputError(f"order must be one of {', '.join(ORDERS)}; got {order!r}")
    if not isinstance(ridge, int | float) or not (math.isfinite(ridge) and ridge >= 0):
        raise InputError(f"ridge must be 0 or a positive number; got {ridge}")
    if ridge and not LEAST_RIDGE <= ridge <= MOST_RIDGE:
        reason = (
            "a prior so weak holds no strength back, and where results go one way only their size would be arbitrary"
            if ridge < LEAST_RIDGE
            else "a prior so strong makes all strengths 0, whatever the games"
        )
        raise InputError(f"ridge must lie between {LEAST_RIDGE:g} and {MOST_RIDGE:g}; got {ridge:g}: {reason}")
    if ridge and firth:
        raise InputError(f"give one prior: {option('ridge')} or {option('firth')}, not both")
    if order == "judge" and games.judge is None:
        raise InputError("an order effect for each judge needs games that name their judge")
    if order == "judge" and len(games) * len(games.judges) ** 2 > MOST_WORK:
        raise InputError(
            f"an order effect for each of {len(games.judges):,} judges of {len(games):,} games is too much to fit; use "
            f"{option('order', 'common')}"
        )
    if covariates and not games.covariates:
        raise InputError(f"{option('covariates')} uses numbers x_… of the games, but the games hold none")


def _effects(games: Games, order: Order, covariates: bool) -> tuple[str, ...]:
    names = {"none": (), "common": ("order",), "judge": tuple(f"order: {name}" for name in games.judges)}
    return (*names[order], *(games.covariates if covariates else ()))


def _design(games: Games, order: Order, covariates: bool) -> Array:
    columns: list[Array] = []
    if order == "common":
        columns.append(np.ones(len(games)))
    elif order == "judge" and games.judge is not None:
        columns += [(games.judge == number).astype(float) for number in range(len(games.judges))]
    if covariates:
        columns += games.covariates.values()
    return np.column_stack(columns) if columns else np.empty((len(games), 0))


def _cells(games: Games, order: Order, covariates: bool) -> Cells:
    """Games with one predictor counted together; each by itself where covariates are used."""
    outcome = (2 - 2 * games.score).astype(np.int64)
    n = len(games.players)
    design = _design(games, order, covariates)
    if covariates or order == "judge":
        counts = np.zeros((len(games), 3))
        counts[np.arange(len(games)), outcome] = 1.0
        return Cells(games.first, games.second, counts, design, np.arange(len(games)), outcome)
    first, second = games.first, games.second
    if order == "none":  # without an order effect a meeting may be read either way
        swapped = first > second
        first, second = np.minimum(first, second), np.maximum(first, second)
        outcome = np.where(swapped, 2 - outcome, outcome)
    key = first * n + second
    if n * n <= FEW:
        occupied = np.flatnonzero(np.bincount(key, minlength=n * n))
        place = np.empty(n * n, dtype=np.int64)
        place[occupied] = np.arange(len(occupied))
        cell = place[key]
    else:
        occupied, cell = np.unique(key, return_inverse=True)
    counts = np.bincount(3 * cell + outcome, minlength=3 * len(occupied)).reshape(-1, 3).astype(float)
    shape = (len(occupied), design.shape[1])
    return Cells(occupied // n, occupied % n, counts, np.ones(shape), cell, outcome)


def _predictor(cells: Cells, strength: Array, effect: Array) -> Array:
    return strength[cells.first] - strength[cells.second] + cells.design @ effect


@dataclass(frozen=True)
class _Solution:
    theta: Array
    value: float
    steps: int
    information: Array
    players: int

    def covariance(self) -> Array:
        """The generalised inverse of the information: of strengths that sum to 0."""
        gauge = np.zeros(len(self.theta))
        gauge[: self.players] = 1 / math.sqrt(self.players)
        try:
            inverse = np.linalg.inv(self.information + np.outer(gauge, gauge))
        except np.linalg.LinAlgError:
            raise _separated() from None
        # with a prior on the strengths their mean is known too, but only differences are reported
        keep = np.eye(len(self.theta))
        keep[: self.players, : self.players] -= 1 / self.players
        return np.asarray(keep @ inverse @ keep.T)


def _separated() -> InputError:
    return InputError(
        "some strengths or effects have no finite estimate (results go one way only, or a covariate never varies "
        "against the others); leave out effects, add games, or give a prior "
        f"({option('ridge')} or {option('firth')})"
    )


def _newton(
    cells: Cells, n: int, rule: Ties, modelled: bool, ridge: float, firth: bool, *, start: Array | None = None
) -> _Solution:
    """Newton's method; steps are halved until the objective, with its prior, does not fall."""
    k = cells.design.shape[1]
    size = n + k + int(modelled)
    theta = _start(cells, n, size, rule, modelled) if start is None else start.copy()

    def evaluate(at: Array) -> tuple[float, float, Array, Array, Array, Array]:
        eta = _predictor(cells, at[:n], at[n : n + k])
        value, gradient, information = derivatives(eta, cells.counts, rule, float(at[-1]) if modelled else 0.0)
        hessian = _assembled(cells, information, n, modelled, ridge)
        prior = -0.5 * ridge * float(at[:n] @ at[:n])
        if firth:
            prior = 0.5 * float(np.linalg.slogdet(_gauged(hessian, n))[1])
        return value + prior, value, gradient, information, hessian, eta

    objective, value, gradient, information, hessian, eta = evaluate(theta)
    for step in range(1, STEPS + 1):
        curvature = hessian
        if firth:
            gradient, curvature = _firth(cells, eta, gradient, information, hessian, n)
        slope = _collected(cells, gradient, n, modelled)
        slope[:n] -= ridge * theta[:n]
        try:
            move = np.linalg.solve(_gauged(curvature, n), slope)
        except np.linalg.LinAlgError:
            raise _separated() from None
        largest = float(np.abs(move).max())
        scale = min(1.0, 5.0 / largest) if largest > 0 else 1.0
        while True:
            new = theta + scale * move
            if rule != "rao-kupper" or not modelled or new[-1] > 0:
                tried = evaluate(new)
                if tried[0] >= objective - 1e-9 * (1 + abs(objective)) or scale < 1e-8:
                    break
            scale /= 2
        theta, (objective, value, gradient, information, hessian, eta) = new, tried
        if np.abs(eta).max() > APART and not ridge:
            raise _separated()
        if largest * scale < SMALL:
            if k and np.linalg.cond(_gauged(hessian, n)) > SINGULAR:
                raise _separated()
            return _Solution(theta, value, step, hessian, n)
    raise _separated()


def _start(cells: Cells, n: int, size: int, rule: Ties, modelled: bool) -> Array:
    """The odds of each player's points, and the tie parameter that fits equal strengths."""
    theta = np.zeros(size)
    a, t, b = cells.counts.T
    won = np.bincount(cells.first, a + 0.5 * t, n) + np.bincount(cells.second, b + 0.5 * t, n)
    lost = np.bincount(cells.first, b + 0.5 * t, n) + np.bincount(cells.second, a + 0.5 * t, n)
    odds = np.log((won + 0.5) / (lost + 0.5))
    theta[:n] = odds - odds.mean()
    if modelled:
        share = cells.counts[:, 1].sum() / cells.counts.sum()
        theta[-1] = math.log((2 * share if rule == "davidson" else 1 + share) / (1 - share))
    return theta


def _collected(cells: Cells, gradient: Array, n: int, modelled: bool) -> Array:
    """The gradient by the parameters from that by the predictors."""
    g = gradient[:, 0]
    players = np.bincount(cells.first, g, n) - np.bincount(cells.second, g, n)
    return np.concatenate([players, cells.design.T @ g, [gradient[:, 1].sum()] if modelled else []])


def _assembled(cells: Cells, information: Array, n: int, modelled: bool, ridge: float) -> Array:
    """The information of all parameters: a weighted Laplacian of the players, bordered by effects and tie."""
    w, cross, own = information.T
    k = cells.design.shape[1]
    out = np.zeros((n + k + int(modelled),) * 2)
    between = np.bincount(cells.first * n + cells.second, w, n * n).reshape(n, n)
    between = between + between.T
    out[:n, :n] = np.diag(between.sum(axis=1) + ridge) - between
    borders: list[Array] = [w * cells.design[:, c] for c in range(k)] + ([cross] if modelled else [])
    for number, column in enumerate(borders):
        border = np.bincount(cells.first, column, n) - np.bincount(cells.second, column, n)
        out[:n, n + number] = out[n + number, :n] = border
    if k:
        out[n : n + k, n : n + k] = cells.design.T @ (w[:, None] * cells.design)
    if modelled:
        out[n : n + k, -1] = out[-1, n : n + k] = cells.design.T @ cross
        out[-1, -1] = own.sum()
    return out


def _gauged(hessian: Array, n: int) -> Array:
    """The strengths are known up to a constant: pin their sum, which leaves every difference alone."""
    out = hessian.copy()
    out[:n, :n] += 1.0 / n
    return out


def _firth(
    cells: Cells, eta: Array, gradient: Array, information: Array, hessian: Array, n: int
) -> tuple[Array, Array]:
    """The gradient with Firth's correction, and the curvature that goes with it.

    Each cell's leverage h is as good as h games more, half of them won: the score changes by h (1/2 − p). Counted in
    the curvature too, they keep steps short where games are few.
    """
    try:
        inverse = np.linalg.inv(_gauged(hessian, n))
    except np.linalg.LinAlgError:
        raise _separated() from None
    w, k = information[:, 0], cells.design.shape[1]
    x = np.zeros((len(w), n + k))
    row = np.arange(len(w))
    x[row, cells.first], x[row, cells.second], x[:, n:] = 1.0, -1.0, cells.design
    leverage = w * np.einsum("ij,jk,ik->i", x, inverse, x)
    more = np.zeros_like(gradient)
    more[:, 0] = leverage * (0.5 - sigmoid(eta))
    weights = information * (1 + leverage / np.maximum(cells.counts.sum(axis=1), 1))[:, None]
    return gradient + more, _assembled(cells, weights, n, False, 0.0)


def _finite(cells: Cells, counts: Array, n: int) -> bool:
    """Whether wins and ties lead from everybody to everybody, so that finite strengths exist."""
    forward, backward = counts[:, 0] + counts[:, 1] > 0, counts[:, 2] + counts[:, 1] > 0
    return strongly_connected(
        np.concatenate([cells.first[forward], cells.second[backward]]),
        np.concatenate([cells.second[forward], cells.first[backward]]),
        n,
    )
