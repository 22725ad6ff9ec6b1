"""What learns: each learner is a part of the configuration that can fit itself to standardised features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from nlgauge.arrays import Array
from nlgauge.errors import InputError, needing
from nlgauge.io.fields import Kinds, key
from nlgauge.learned.form import sigmoid
from nlgauge.learned.learners import Learner, Linear, Logistic, Network, Support
from nlgauge.stats.correlation.darr import darr_pairs, told_apart
from nlgauge.training.config import Patience, Report

FOLDS = 3  # of the examples, by whose decisions probabilities are scaled
_CLASSIFY = "tell 1 from 0, both weighing alike, and give the probability of 1"


@dataclass(frozen=True, eq=False)
class Table:
    """Standardised features with what was said of them."""

    features: Array
    targets: Array
    items: Sequence[str]
    pairs: NDArray[np.int64]  # (n, 2): the better and the worse, where people compared


class Fits(Protocol):
    """A learner's part of the configuration."""

    def check(self, learnt: Table) -> None:
        """Refuse targets that it cannot learn; asked before features are computed, of which it sees none."""

    def fit(self, learnt: Table, held: Table, *, seed: int, report: Report) -> Learner:
        """Learn from the one; what is held out may say when to stop."""


@dataclass(frozen=True)
class Ridge:
    """A linear function with a penalty on its weights."""

    penalty: float = key("weight of the sum of squares, for each example", default=1e-3, least=0.0, most=1e6)

    def check(self, learnt: Table) -> None:
        """Any ratings will do."""
        _refuse_preferences(learnt.targets)

    def fit(self, learnt: Table, held: Table, *, seed: int, report: Report) -> Linear:
        """The weights with the least sum of squared misses and, of standardised features, of squared weights."""
        mean, centre = learnt.features.mean(axis=0), learnt.targets.mean()
        features = learnt.features - mean
        penalty = self.penalty * len(features) * np.eye(features.shape[1])
        weights = np.linalg.lstsq(features.T @ features + penalty, features.T @ (learnt.targets - centre), rcond=None)[
            0
        ]
        return Linear(weights, float(centre - mean @ weights))


@dataclass(frozen=True)
class Svm:
    """Support vector regression or classification with a Gaussian kernel, by scikit-learn's (libsvm's) optimiser."""

    cost: float = key("what a miss costs (C)", default=1.0, least=1e-6, most=1e4)
    epsilon: float = key("misses that cost nothing", default=0.1, least=0.0)
    gamma: float = key("width of the kernel; 0: one over the number of features", default=0.0, least=0.0, most=1e3)

    classify: bool = key(_CLASSIFY, default=False)

    def check(self, learnt: Table) -> None:
        """Two classes, or ratings that no number is near to."""
        _refuse_preferences(learnt.targets)
        if self.classify:
            _refuse_ratings(learnt.targets)
        elif np.ptp(learnt.targets) <= 2 * self.epsilon:
            least, most = learnt.targets.min(), learnt.targets.max()
            raise InputError(
                f"epsilon is {self.epsilon:g}, and ratings lie between {least:g} and {most:g}: one number is near "
                "enough to all of them, so that nothing would be learnt; lower epsilon"
            )

    def fit(self, learnt: Table, held: Table, *, seed: int, report: Report) -> Learner:
        """By libsvm; a classifier's decisions become probabilities by Platt's scaling (1999)."""
        with needing("a learner of kind support", "train"):
            from sklearn.svm import SVC, SVR
        gamma = self.gamma or 1.0 / max(1, learnt.features.shape[1])
        if not self.classify:
            found = SVR(C=self.cost, epsilon=self.epsilon, gamma=gamma).fit(learnt.features, learnt.targets)
            return Support(found.support_vectors_, found.dual_coef_[0], float(found.intercept_[0]), gamma)

        def classifier(rows: Array) -> Any:
            model = SVC(C=self.cost, gamma=gamma, class_weight="balanced")
            return model.fit(learnt.features[rows], learnt.targets[rows])

        names = list(dict.fromkeys(learnt.items))
        np.random.default_rng(seed).shuffle(names)
        fold = {name: place % FOLDS for place, name in enumerate(names)}
        folds = np.array([fold[item] for item in learnt.items])
        decisions = np.zeros(len(folds))
        for number in range(FOLDS):
            _refuse_ratings(learnt.targets[folds != number])
            if (folds == number).any():
                decisions[folds == number] = classifier(folds != number).decision_function(
                    learnt.features[folds == number]
                )
        slope, offset = platt(decisions, learnt.targets)
        found = classifier(np.ones(len(folds), dtype=bool))
        bias = slope * float(found.intercept_[0]) + offset
        return Logistic(Support(found.support_vectors_, slope * found.dual_coef_[0], bias, gamma))


@dataclass(frozen=True)
class Rank:
    """A linear function that puts the better of two outputs above the worse, by the logistic loss."""

    penalty: float = key("weight of the sum of squares, for each pair", default=1e-3, least=0.0, most=1e6)
    margin: float = key("two outputs are a pair where their ratings differ by more than this", default=0.0, least=0.0)
    across: int = key(
        "outputs, by chance, that each is compared with too; for ratings that mean the same for every item",
        default=0,
        least=0,
        most=1_000,
    )

    def check(self, learnt: Table) -> None:
        """Some pairs."""
        if not len(self.pairs(learnt, seed=1)):
            apart = f"ratings more than {self.margin:g} apart (margin)" if self.margin else "different ratings"
            raise InputError(
                f"no item has two outputs with {apart}, so there is nothing to rank; "
                f"{'lower margin, ' if self.margin else ''}set across, or use another learner"
            )

    def pairs(self, learnt: Table, *, seed: int) -> NDArray[np.int64]:
        """(n, 2): preferences as people gave them, and pairs of an item's ratings."""
        rated = learnt.targets.copy()
        rated[learnt.pairs.ravel()] = np.nan  # what was compared is not paired again
        within = darr_pairs(rated, learnt.items, self.margin)
        across = chance_pairs(rated, self.across, self.margin, seed=seed)
        return np.concatenate([learnt.pairs, within, across])

    def fit(self, learnt: Table, held: Table, *, seed: int, report: Report) -> Linear:
        """By L-BFGS on the differences of features."""
        pairs = self.pairs(learnt, seed=seed)
        differences = learnt.features[pairs[:, 0]] - learnt.features[pairs[:, 1]]

        def loss(weights: Array) -> tuple[float, Array]:
            gaps = differences @ weights
            value = float(np.logaddexp(0.0, -gaps).mean() + self.penalty * weights @ weights)
            slope = -(differences / (1.0 + np.exp(np.clip(gaps, -500, 500)))[:, None]).mean(axis=0)
            return value, slope + 2.0 * self.penalty * weights

        found = minimize(loss, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B")
        return Linear(np.asarray(found.x), 0.0)


@dataclass(frozen=True)
class Net:
    """Fully connected layers with the hyperbolic tangent between them, by Adam (Kingma and Ba 2015)."""

    hidden: tuple[int, ...] = key("units of each hidden layer", default=(10,), least=1, most=4096)
    epochs: int = key("passes over the examples, at most", default=200, least=1, most=100_000)
    rate: float = key("learning rate", default=3e-3, least=1e-8, most=1.0)
    batch: int = key("examples in a step", default=64, least=1, most=100_000)
    patience: int = key(
        "epochs without gain on what is held out, after which it ends", default=20, least=1, most=100_000
    )
    decay: float = key("penalty on the weights in each step", default=1e-4, least=0.0, most=10.0)
    classify: bool = key(_CLASSIFY, default=False)

    def check(self, learnt: Table) -> None:
        """Ratings, or two classes."""
        _refuse_preferences(learnt.targets)
        if self.classify:
            _refuse_ratings(learnt.targets)

    def fit(self, learnt: Table, held: Table, *, seed: int, report: Report) -> Learner:
        """By Adam on the squared miss, or the cross-entropy; the weights that did best on what is held out are kept."""
        features, targets = learnt.features, learnt.targets
        random = np.random.default_rng(seed)
        sizes = [features.shape[1], *self.hidden, 1]
        layers = [
            (random.normal(0.0, np.sqrt(1.0 / max(1, left)), (left, right)), np.zeros(right))
            for left, right in pairwise(sizes)
        ]
        layers[-1] = (layers[-1][0], np.array([0.0 if self.classify else targets.mean()]))
        weights = [array for layer in layers for array in layer]
        first, second = ([np.zeros_like(array) for array in weights] for _ in range(2))
        patience, kept, step = Patience(self.patience), [array.copy() for array in weights], 0
        watched = held if len(held.targets) else learnt
        shares = alike(targets) if self.classify else np.ones(len(targets))
        for epoch in range(1, self.epochs + 1):
            order = random.permutation(len(targets))
            for start in range(0, len(order), self.batch):
                rows = order[start : start + self.batch]
                step += 1
                slopes = _slopes(weights, features[rows], targets[rows], shares[rows], classify=self.classify)
                for place, slope in enumerate(slopes):
                    first[place] += 0.1 * (slope - first[place])
                    second[place] += 0.001 * (slope**2 - second[place])
                    move = first[place] / (1 - 0.9**step) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
                    weights[place] -= self.rate * (move + self.decay * weights[place])
            miss = self._miss(weights, watched)
            report({"epoch": epoch, "held_out_loss": miss})
            if patience.better(miss):
                kept = [array.copy() for array in weights]
            elif patience.over:
                break
        return Logistic(_network(kept)) if self.classify else _network(kept)

    def _miss(self, weights: Sequence[Array], watched: Table) -> float:
        made, targets = _network(weights).predict(watched.features), watched.targets
        if self.classify:
            return float(np.mean(alike(targets) * np.logaddexp(0.0, np.where(targets == 1, -made, made))))
        return float(np.mean((made - targets) ** 2))


LEARNERS = Kinds({"linear": Ridge, "network": Net, "support": Svm, "ranking": Rank})


def chance_pairs(targets: Array, many: int, margin: float, *, seed: int) -> NDArray[np.int64]:
    """(n, 2): the better and the worse of each output and `many` others, of any item, that differ enough."""
    first = np.repeat(np.arange(len(targets)), many)
    second = np.random.default_rng(seed).integers(0, len(targets), len(first))
    gaps = targets[first] - targets[second]
    found = np.where((gaps > 0)[:, None], np.column_stack([first, second]), np.column_stack([second, first]))
    return found[told_apart(gaps, margin)]


def _network(weights: Sequence[Array]) -> Network:
    return Network(list(zip(weights[::2], weights[1::2], strict=True)))


def alike(targets: Array) -> Array:
    """A weight for each example, of mean 1, so that both classes weigh alike."""
    good = np.mean(targets == 1)
    if not 0 < good < 1:
        return np.ones(len(targets))
    weights: Array = np.where(targets == 1, 0.5 / good, 0.5 / (1.0 - good))
    return weights


def platt(decisions: Array, targets: Array) -> tuple[float, float]:
    """Slope and offset by which the logistic function makes probabilities of decisions (Platt 1999), both classes
    weighing alike. His targets, (n + 1) / (n + 2) and 1 / (m + 2), keep probabilities from 0 and 1."""
    good = targets == 1
    wanted = np.where(good, (good.sum() + 1) / (good.sum() + 2), 1 / ((~good).sum() + 2))
    weights = alike(targets)

    def loss(given: Array) -> tuple[float, Array]:
        made = given[0] * decisions + given[1]
        miss = weights * (sigmoid(made) - wanted)
        value = np.mean(weights * (np.logaddexp(0.0, made) - wanted * made))
        return float(value), np.array([np.mean(miss * decisions), np.mean(miss)])

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B")
    return float(found.x[0]), float(found.x[1])


def _refuse_preferences(targets: Array) -> None:
    if not np.isfinite(targets).all():
        raise InputError("preferences have no ratings that this learner could foretell; write learner: ranking")


def _refuse_ratings(targets: Array) -> None:
    if set(targets.tolist()) != {0.0, 1.0}:
        raise InputError(
            "classify: true tells 1 from 0, and the targets here are not both; learn with supervise: next or origin, "
            "leave classify out, or give more items"
        )


def _slopes(weights: Sequence[Array], features: Array, targets: Array, shares: Array, *, classify: bool) -> list[Array]:
    """The gradient of half the mean squared miss, or of the mean cross-entropy, in every weight."""
    inputs, made = [], features
    for number in range(0, len(weights), 2):
        made = np.tanh(made) if number else made
        inputs.append(made)
        made = made @ weights[number] + weights[number + 1]
    said = sigmoid(made[:, 0]) if classify else made[:, 0]
    back = (shares * (said - targets))[:, None] / len(targets)
    slopes: list[Array] = []
    for number in range(len(inputs) - 1, -1, -1):
        slopes = [inputs[number].T @ back, back.sum(axis=0), *slopes]
        if number:
            back = back @ weights[2 * number].T * (1.0 - inputs[number] ** 2)
    return slopes
