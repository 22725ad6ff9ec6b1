"""Hyperparameters by skill rating (Zhou and Xu 2020, §4.1): candidates meet, and the one rated highest is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.guidance.comparing import Compares, check_texts, meet
from nlgauge.guidance.stopping import MODEL, Journal, texts_of, written
from nlgauge.learned.comparator import Written
from nlgauge.options import DEFAULT_SEED
from nlgauge.skill import RateOptions, rate
from nlgauge.stats.skill import Games, Ratings

HALF = 0.5  # wins and losses that a trial has with each anchor before it plays, so that no rating is infinite
WIDEST = 50.0


def select(
    candidates: Mapping[str, Sequence[Written]],
    compares: Compares,
    *,
    comparisons: int = 1000,
    method: str = "bradley-terry",
    **options: Unpack[RateOptions],
) -> Ratings:
    """Skill ratings of candidates by what they wrote for the same contexts; `.best` is the one to keep.

    Every two candidates meet in `comparisons` pairs of texts (all pairs where there are fewer). `method` and `options`
    are those of `nlgauge.rate`: "glicko2-zhou" draws from these games as the paper does, until the order stands.
    """
    if len(candidates) < 2:
        raise InputError(f"a selection needs at least two candidates; got {len(candidates)}")
    check_texts([text for texts in candidates.values() for text in texts])
    seed = options.setdefault("seed", DEFAULT_SEED)
    names = tuple(candidates)
    contexts = {
        text.context: place for place, text in enumerate(text for texts in candidates.values() for text in texts)
    }
    first, second, score, item = [], [], [], []
    for one, other in combinations(range(len(names)), 2):
        texts = candidates[names[one]]
        met = meet(texts, candidates[names[other]], compares, comparisons, (seed, one, other))
        first.append(np.full(len(met.score), one))
        second.append(np.full(len(met.score), other))
        score.append(met.score)
        item.append(np.array([contexts[texts[place].context] for place in met.ones]))
    items = np.unique(np.concatenate(item), return_inverse=True)[1]
    games = Games(
        names,
        np.concatenate(first),
        np.concatenate(second),
        np.concatenate(score),
        items if items.any() else None,  # one context for all texts is no item
    )
    if method == "bradley-terry":
        options = {"ties": MODEL["ties"], "ridge": MODEL["ridge"], **options}
    return rate(games, method, **options)


class SkillObjective:
    """What a trial is worth to Optuna: its skill against the outputs of the first trials, which stay as they are.

    A rating is relative, and Optuna keeps one number for each trial. So the first `anchors` trials are rated one after
    the other, the first at 0, and keep their ratings; every later trial meets all of them, and its value is the rating
    under which those games are likeliest (log odds, ties as half wins). Values of one study are thus on one scale, and
    none changes later. `anchors` may also be given as texts by name (a baseline's, people's). At the end, `final` lets
    all trials meet each other.

    `optuna.create_study(direction="maximize").optimize(SkillObjective(generate, compares), n_trials=20)`;
    `generate(trial)` trains with the trial's hyperparameters and returns texts. With a `log` a study goes on later.
    """

    def __init__(
        self,
        generate: Callable[[Any], Sequence[Written]],
        compares: Compares,
        *,
        anchors: int | Mapping[str, Sequence[Written]] = 3,
        comparisons: int = 1000,
        seed: int = 12345,
        log: str | Path | None = None,
    ) -> None:
        self._generate, self.compares, self.comparisons, self.seed = generate, compares, comparisons, seed
        given = {} if isinstance(anchors, int) else dict(anchors)
        self._most = anchors if isinstance(anchors, int) else len(given)
        if self._most < 1 or comparisons < 1:
            raise InputError("anchors and comparisons must be at least 1")
        self.texts: dict[str, tuple[Written, ...]] = {}
        self.ratings: dict[str, float] = {}
        self._anchors: list[str] = []
        self._lock = threading.Lock()
        settings = {
            "compares": compares.name,
            "comparisons": comparisons,
            "anchors": self._most,
            "seed": seed,
        }
        self._journal = None if log is None else Journal(log, settings)
        for line in self._journal.lines if self._journal else ():
            self._keep(line["trial"], texts_of(line["texts"]), line["rating"])
        for name, texts in given.items():
            if name not in self.ratings:
                self.rate(name, texts)

    def __call__(self, trial: Any) -> float:
        """The objective of a study."""
        return self.rate(str(trial.number), self._generate(trial))

    def rate(self, name: str, texts: Sequence[Written]) -> float:
        """The rating of one more trial."""
        with self._lock:
            if name in self.ratings:
                raise InputError(f"trial {name!r} has a rating already; give another study a log of its own")
            check_texts(texts)
            met = [
                meet(texts, self.texts[anchor], self.compares, self.comparisons, (self.seed, place))
                for place, anchor in enumerate(self._anchors)
            ]
            points = np.array([game.score.sum() + HALF for game in met])
            numbers = np.array([len(game.score) + 2 * HALF for game in met])
            rating = _likeliest(points, numbers, np.array([self.ratings[name] for name in self._anchors]))
            self._keep(name, tuple(texts), rating)
            if self._journal:
                self._journal.append({"trial": name, "rating": rating, "texts": written(texts)})
            return rating

    def final(self, **options: Unpack[RateOptions]) -> Ratings:
        """All trials rated together by games of each with each, as `select` does."""
        options.setdefault("seed", self.seed)
        return select(self.texts, self.compares, comparisons=self.comparisons, **options)

    def _keep(self, name: str, texts: tuple[Written, ...], rating: float) -> None:
        self.texts[name], self.ratings[name] = texts, rating
        if len(self._anchors) < self._most:
            self._anchors.append(name)


def _likeliest(points: Array, numbers: Array, anchors: Array) -> float:
    """The rating under which these points of so many games are expected, where rivals have ratings that are known."""
    if not len(anchors):
        return 0.0
    from scipy.optimize import brentq
    from scipy.special import expit

    def excess(rating: float) -> float:
        return float((numbers * expit(rating - anchors) - points).sum())

    return float(brentq(excess, anchors.min() - WIDEST, anchors.max() + WIDEST))
