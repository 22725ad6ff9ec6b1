"""Strengths of systems for one criterion: the model that leads, and what stands beside it.

pairwise    Bradley and Terry's model with Rao and Kupper's (1967) ties; Davidson's (1970) beside it, and where degrees
            of preference were asked for Agresti's (1992) adjacent-categories model, on a scale of its own
ranking     Plackett and Luce's model; where texts share ranks, the pairs that rankings tell with Rao and Kupper's ties
best-worst  Luce's model of a first and a last place (`luce_orders`); (best − worst) / shown and maxdiff beside it

Strengths are log odds that sum to 0: of two systems the one stronger by s is preferred with odds exp(s) by judges who
have to choose. Whether systems differ at all is tested by the linear mixed model of scores (`stats.skill.scores`); what
it says of judges and items widens the limits of strengths, whose tests have its degrees of freedom. Ratings that depend
on the order of the answers (TrueSkill, Glicko-2, Elo) are shown, and nothing rests on them. Whatever cannot be had is a
note.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.mixed.profile import SaturatedError
from nlgauge.stats.mixed.results import Effect, Joint, t_p
from nlgauge.stats.multiple import holm
from nlgauge.stats.ranking import Clusters, clusters_of
from nlgauge.stats.results import Estimate
from nlgauge.stats.skill import Elo, TrueSkill, fit, game_by_game, parts
from nlgauge.stats.skill.best_worst import Trial, best_worst
from nlgauge.stats.skill.bradley_terry import BradleyTerry
from nlgauge.stats.skill.graph import dominance
from nlgauge.stats.skill.plackett_luce import LuceOrders, luce_orders
from nlgauge.stats.skill.ranks import expected_wins
from nlgauge.stats.skill.scores import Scores, dividing, fit_scores
from nlgauge.stats.skill.strength import fit_strengths
from nlgauge.stats.skill.two_way import Clustered, crossed, two_way
from nlgauge.study.protocols.comparisons.analysis.rows import Column
from nlgauge.wording.numbers import p_words

PRIOR = 0.1  # precision of the prior where someone always wins: a standard deviation of 3.2 logits
FEW = 14  # degrees of freedom below which tests are told to be cautious
CAUTIOUS = (
    "with few judges or items tests by sandwiches are cautious: simulation gave a difference in 0.3 to 0.5 % of "
    "studies with 5 judges and 15 items in which there was none, and in 1.7 to 4 % with 10 and 20, instead of 5 %"
)
INDEPENDENT = (
    "limits and p-values take all answers as independent, also those of one judge or about one item, and may claim too "
    "much"
)
DIVIDING = (
    "judges differ about {system} more than about others ({p}), and the F test has one variance for all: where one "
    "system alone divides the judges it found a difference in 10 % of simulated studies without one"
)
SATURATED = "the comparisons are too few, or agree too well, to tell how far judges and items differ"


@dataclass(frozen=True)
class SystemStrength(Jsonable):
    """One system: its strength with limits, its record, and the figures beside it."""

    KEYS = "strength = mean, ..."

    system: str
    mean: float  # the strength; NaN where there is no model
    low: float
    high: float
    error: float
    level: float
    method: str
    games: int  # comparisons with another text
    won: int
    tied: int
    share: float  # of comparisons won, a tie as half
    expected_wins: float
    counting: float = math.nan  # best-worst: (best − worst) / shown
    trueskill: float = math.nan
    glicko2: float = math.nan
    elo: float = math.nan


@dataclass(frozen=True)
class Matrix(Jsonable):
    """Who beats whom, systems from best to worst: comparisons won by the row, ties, and the row's share of points."""

    KEYS = "systems, *_counts, share"

    systems: tuple[str, ...]
    wins: Array
    ties: Array

    @property
    def share(self) -> Array:
        """NaN where two never met."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.wins + 0.5 * self.ties) / (self.wins + self.wins.T + self.ties)

    def _counts(self) -> dict[str, Any]:
        return {"wins": self.wins.astype(int), "ties": self.ties.astype(int)}


@dataclass(frozen=True)
class Models(Jsonable):
    """Everything about the systems' strengths on one criterion; without a model `reason` says why."""

    KEYS = (
        "systems = means, model or null, limits = method or null, level, tie_parameter = tie, test, pairs, clusters, "
        "wins = matrix, beside, lack_of_fit = _lack_of_fit, undefined = reason or null, notes"
    )

    means: tuple[SystemStrength, ...]  # from best to worst
    matrix: Matrix
    level: float
    reason: str
    notes: tuple[str, ...]
    model: str = ""  # in words
    method: str = ""  # of the limits
    tie: float = math.nan  # θ of Rao and Kupper; NaN without ties
    clustered: Clustered | None = None
    test: Joint | None = None  # whether any system is preferred to another
    clusters: Clusters | None = None
    pairs: tuple[Effect, ...] = ()  # differences, p-values corrected by Holm
    beside: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # by other models, by system
    deviance: tuple[float, int, float] | None = None  # of pairs against free ones: deviance, degrees of freedom, p

    def _lack_of_fit(self) -> dict[str, float] | None:
        return None if self.deviance is None else dict(zip(("deviance", "df", "p"), self.deviance, strict=True))


@dataclass(frozen=True)
class _Fit:
    """The leading model's strengths in the order of the column's systems."""

    words: str
    strength: Array
    clustered: Clustered
    tie: float = math.nan
    deviance: tuple[float, int, float] | None = None
    by_scores: bool = False  # pairs are tested by the scores: strengths have no finite estimate without a prior


def fit_column(column: Column, *, level: float = 0.95) -> Models:
    """Fit what the answers allow; never refuses."""
    notes: list[str] = []
    wins, ties = column.games.wins()
    leading, reason = None, ""
    try:
        leading = _leading(column, notes)
    except InputError as error:
        reason = str(error)
    order = _order(column, leading)
    pick = np.ix_(order, order)
    means = _means(column, leading, order, level)
    found = Models(
        means=means,
        matrix=Matrix(tuple(column.systems[k] for k in order), wins[pick], ties[pick]),
        level=level,
        reason=reason,
        notes=tuple(dict.fromkeys(notes)),
    )
    if leading is None:
        return found
    differences = _differences(column, leading, order, level)
    return dataclasses.replace(
        found,
        model=leading.words,
        method=leading.clustered.method,
        tie=leading.tie,
        clustered=leading.clustered,
        test=_test(leading.clustered, differences),
        clusters=_clusters(means, differences, "scores" if leading.by_scores else "strengths"),
        pairs=differences,
        beside=_beside(column, leading.clustered.scores, level),
        deviance=leading.deviance,
    )


def _leading(column: Column, notes: list[str]) -> _Fit:
    """The model of the protocol; refused where systems never met, or nobody preferred anything."""
    games = column.games
    groups = parts(games)
    if len(groups) > 1:
        listed = "; ".join(", ".join(group) for group in groups)
        raise InputError(
            f"the systems fall into {len(groups)} groups that were never compared with each other ({listed}), so that "
            "nothing says which is better"
        )
    if column.ties == len(games):
        raise InputError("every comparison is a tie: no system was preferred to another")
    ridge = 0.0
    if len(dominance(games)) > 1:
        ridge = PRIOR
        notes.append(
            "some systems were always preferred to others, so that strengths have no finite estimate: they are those "
            f"with a normal prior of standard deviation {1 / math.sqrt(PRIOR):.1f}"
        )
    scores = _scores(column, ridge, notes)
    if ridge and scores is not None:
        notes.append(
            "pairs are therefore tested by the mixed model of scores, not by the limits of strengths; p is no smaller "
            "than a sign test of the items could make it"
        )
    if column.protocol == "pairwise" or (column.protocol == "ranking" and column.ties):
        return _bradley_terry(column, ridge, scores)
    return _luce(column, ridge, scores)


def _scores(column: Column, ridge: float, notes: list[str]) -> Scores | None:
    """The model that the test and the limits rest on; where it cannot be had sandwiches take its place, or with a prior
    the information alone (`_clustered`)."""
    try:
        found = fit_scores(column.games)
        if (odd := dividing(column.games)) is not None and odd[1] < 0.05:
            notes.append(DIVIDING.format(system=column.systems[odd[0]], p=p_words(odd[1])))
        return found
    except SaturatedError:
        reason = SATURATED
    except InputError as error:
        reason = str(error)
    if ridge:
        notes.append(f"{INDEPENDENT}: {reason}")
        return None
    notes.append(f"tests and limits are by sandwiches over judges and items: {reason}")
    if min(len(column.judges), len(column.items)) <= FEW:
        notes.append(CAUTIOUS)
    return None


def _bradley_terry(column: Column, ridge: float, scores: Scores | None) -> _Fit:
    games, ranks = column.games, column.protocol == "ranking"
    model = fit(games, ties="rao-kupper", ridge=ridge)
    words = "Bradley and Terry's model" + (" of the pairs that rankings tell" if ranks else "")
    words += ", Rao and Kupper's ties" if column.ties else ""
    assert games.judge is not None and games.item is not None
    found = _clustered(model, scores, games.judge, games.item, ridge)
    deviance = None if ranks or ridge else _deviance(model)
    return _Fit(words, model.strength, found, model.tie, deviance, by_scores=ridge > 0 and scores is not None)


def _luce(column: Column, ridge: float, scores: Scores | None) -> _Fit:
    orders = [
        [[column.numbers[screen.systems[place]] for place in group] for group in screen.groups]
        for screen in column.screens
    ]
    model = luce_orders(column.systems, orders, ridge=ridge)
    ranking = column.protocol == "ranking"
    words = "Plackett and Luce's model" if ranking else "Luce's model of a first and a last place"
    found = _clustered(model, scores, *column.codes(), ridge)
    return _Fit(words, model.strength, found, by_scores=ridge > 0 and scores is not None)


def _clustered(
    model: BradleyTerry | LuceOrders, scores: Scores | None, judge: Any, item: Any, ridge: float
) -> Clustered:
    """With a prior the sandwich would say that what never varied is known; the curvature does not."""
    players = len(model.players)
    if ridge:
        cut = np.asarray(model.covariance[:players, :players])
        how = "answers taken as independent" if scores is None else "widened by the mixed model of scores"
        return Clustered((cut,), math.inf, f"limits from the information with the prior; {how}", scores)
    if scores is None:
        return two_way(model.sandwich, model.covariance, players, judge, item)
    return crossed(model.sandwich, scores, players, judge, item)


def _test(clustered: Clustered, pairs: tuple[Effect, ...]) -> Joint | None:
    """Of two systems that of their difference; of more that of the scores."""
    if clustered.scores is None:
        return None
    if len(pairs) == 1:
        statistic, p = pairs[0].statistic ** 2, pairs[0].p
        return Joint(statistic, (1.0, pairs[0].df), p, clustered.scores.test.method)
    return clustered.scores.test


def _deviance(model: BradleyTerry) -> tuple[float, int, float] | None:
    """Whether strengths on one line tell all: against a chance of its own for every pair, answers as independent."""
    from scipy.special import chdtrc

    free = len(model.cells.counts) * (2 if model.modelled else 1)
    df = free - (len(model.players) - 1) - int(model.modelled)
    if df < 1:
        return None
    return model.deviance, df, float(chdtrc(df, max(model.deviance, 0.0)))


def _order(column: Column, leading: _Fit | None) -> list[int]:
    """Best first: by the model, else by the share of points."""
    won, tied, lost = column.games.record()
    value = (won + 0.5 * tied) / np.maximum(won + tied + lost, 1) if leading is None else leading.strength
    return sorted(range(len(column.systems)), key=lambda k: (-float(value[k]), column.systems[k]))


def _means(column: Column, leading: _Fit | None, order: list[int], level: float) -> tuple[SystemStrength, ...]:
    games = column.games
    won, tied, lost = games.record()
    met = won + tied + lost
    chance = expected_wins(games.wins()[0])
    counts = _counts(column)
    sequential = {name: np.asarray(system.play(games).rating) for name, system in SEQUENTIAL.items()}
    found = []
    for k in order:
        estimate = error = margin = math.nan
        if leading is not None:
            estimate, error = float(leading.strength[k]), leading.clustered.error(k)
            margin = leading.clustered.margin(level, k)
        found.append(
            SystemStrength(
                system=column.systems[k],
                mean=estimate,
                low=estimate - margin,
                high=estimate + margin,
                error=error,
                level=level,
                method="" if leading is None else leading.clustered.method,
                games=int(met[k]),
                won=int(won[k]),
                tied=int(tied[k]),
                share=float((won[k] + 0.5 * tied[k]) / met[k]),
                expected_wins=float(chance[k]),
                counting=counts.get(column.systems[k], math.nan),
                **{name: float(rating[k]) for name, rating in sequential.items()},
            )
        )
    return tuple(found)


SEQUENTIAL: Mapping[str, Any] = {"trueskill": TrueSkill(tau=0.0), "glicko2": game_by_game(), "elo": Elo()}


def _counts(column: Column) -> dict[str, float]:
    """(best − worst) / shown, of best–worst choices."""
    if column.protocol != "best-worst":
        return {}
    shown: dict[str, list[int]] = {}
    for screen in column.screens:
        for place, name in enumerate(screen.systems):
            shown.setdefault(name, []).append((place == screen.answer["best"]) - (place == screen.answer["worst"]))
    return {name: float(np.mean(values)) for name, values in shown.items()}


def _differences(column: Column, leading: _Fit, order: list[int], level: float) -> tuple[Effect, ...]:
    """Every pair, the better first, by Wald's test; Holm's correction over all of them.

    Strengths that a prior holds finite say little of how sure a clean sweep is: then the scores are tested, and p is no
    smaller than the sign test of the pair's items could make it.
    """
    found = []
    limits = leading.clustered
    for i, j in combinations(order, 2):
        gap, error = float(leading.strength[i] - leading.strength[j]), limits.error(i, j)
        if error <= 0:
            return ()
        df, margin = limits.df(i, j), limits.margin(level, i, j)
        statistic, least = gap / error, 0.0
        if leading.by_scores and limits.scores is not None:
            both = {column.systems[i], column.systems[j]}
            met = {screen.item for screen in column.screens if both <= set(screen.systems)}
            least = 2.0 ** (1 - len(met))
            statistic = limits.scores.statistic(np.eye(len(order))[i] - np.eye(len(order))[j])
        found.append(
            Effect(
                estimate=gap,
                low=gap - margin,
                high=gap + margin,
                level=level,
                method=limits.method,
                n=len(column),
                name=f"{column.systems[i]} - {column.systems[j]}",
                error=error,
                df=df,
                statistic=statistic,
                p=max(t_p(statistic, df), min(least, 1.0)),
            )
        )
    adjusted = holm([effect.p for effect in found])
    return tuple(
        dataclasses.replace(difference, p_adjusted=float(p)) for difference, p in zip(found, adjusted, strict=True)
    )


def _clusters(means: tuple[SystemStrength, ...], pairs: tuple[Effect, ...], tested: str) -> Clusters | None:
    if not pairs:
        return None
    n = len(means)
    table = np.full((n, n), math.nan)
    for (i, j), one in zip(combinations(range(n), 2), pairs, strict=True):
        table[i, j] = table[j, i] = one.p_adjusted
    method = f"Wald tests of all differences of {tested}, Holm's correction"
    sizes = {strength.system: strength.games for strength in means}
    return clusters_of(list(sizes), [strength.mean for strength in means], table, method=method, sizes=sizes)


def _beside(column: Column, scores: Scores | None, level: float) -> dict[str, dict[str, Estimate]]:
    """Other models of the same answers, with limits clustered by judge; what has no finite estimate is left out."""
    judges = column.codes()[0] if len(column.judges) > 1 else None
    pairs = column.protocol == "pairwise"
    models = {
        "Davidson's ties": pairs and column.ties and partial(_other_ties, column, scores, level),
        "degrees of preference": column.degrees and partial(_degrees, column, judges, level),
        "maxdiff": column.protocol == "best-worst" and partial(_maxdiff, column, judges, level),
        "implied pairs": not pairs and not column.ties and partial(_other_ties, column, scores, level),
    }
    found: dict[str, dict[str, Estimate]] = {}
    for name, model in models.items():
        if callable(model):
            with suppress(InputError):
                found[name] = model()
    return found


def _other_ties(column: Column, scores: Scores | None, level: float) -> dict[str, Estimate]:
    games = column.games
    model = fit(games, ties="davidson")
    found = _clustered(model, scores, games.judge, games.item, ridge=0.0)
    estimates = {}
    for k, name in enumerate(model.players):
        value, margin = float(model.strength[k]), float(found.margin(level, k))
        limits = (value, value - margin, value + margin, level)
        estimates[name] = Estimate(*limits, method=found.method, n=len(column), name=name)
    return estimates


def _degrees(column: Column, judges: Any, level: float) -> dict[str, Estimate]:
    """Agresti's model of the answers from the second text far better to the first far better."""
    number = column.numbers
    degree = np.array([screen.degree for screen in column.screens])
    if (degree == 0).any():
        answer, answers = degree + column.degrees, 2 * column.degrees + 1
    else:  # without ties there is no middle
        answer, answers = degree + column.degrees - (degree > 0), 2 * column.degrees
    first, second = ([number[screen.systems[place]] for screen in column.screens] for place in (0, 1))
    found = fit_strengths(column.systems, first, second, answer, answers, level=level, clusters=judges)
    return dict(zip(found.players, found.strengths, strict=True))


def _maxdiff(column: Column, judges: Any, level: float) -> dict[str, Estimate]:
    trials = []
    for screen in column.screens:
        shown = tuple(column.numbers[name] for name in screen.systems)
        trials.append(Trial(shown, *(shown[screen.answer[end]] for end in ("best", "worst"))))
    clusters = None if judges is None else judges.tolist()
    found = best_worst(column.systems, trials, clusters=clusters, level=level)
    return dict(zip(found.players, found.strengths, strict=True))
