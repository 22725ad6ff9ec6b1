"""What the tables of docs/comparators.md measure: games that people decided, and how well a judge foresees them.

Items are the units throughout: intervals draw whole items, approximate randomisation exchanges whole items, and the
ratings of systems are fitted again in every draw, those of people as well as those of the judge, so that figures and
their differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.stats import rankdata

from nlgauge.errors import InputError
from nlgauge.judging.asking import OUTCOMES, Verdict, Vote, by_gap
from nlgauge.judging.estimates import learned
from nlgauge.judging.matches import Match
from nlgauge.learned.comparator import TIE, A, B, davidson, softmax, verdicts
from nlgauge.stats import bootstrap, holm, intervals, paired_tests
from nlgauge.stats.skill.bradley_terry import fit, refit
from nlgauge.stats.skill.games import Games

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Figure = dict[str, float]
DRAWS, SEED = 1000, 12345
MOST = 100.0  # where nearly all judges' scores end; a few go beyond 100,000
SIGNS = np.array([1.0, -1.0, 0.0])  # of the outcomes A, B, TIE


@dataclass(frozen=True)
class Score:
    """What a person gave an output, and the same standardised among the outputs shown together."""

    output: int
    value: float
    standard: float


@dataclass(frozen=True)
class Played:
    """Games between outputs, as one person decided each of them."""

    items: Ints  # of each output, numbered
    systems: NDArray[np.str_]  # of each output
    ones: Ints  # the outputs that met
    others: Ints
    outcomes: Ints
    scores: tuple[Score, ...] = ()

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def clusters(self) -> list[int]:
        """The item of each game."""
        return self.items[self.ones].tolist()

    def only(self, kept: NDArray[np.bool_]) -> Played:
        """The games between outputs of these, and their scores."""
        some = kept[self.ones] & kept[self.others]
        return self.some(some, tuple(score for score in self.scores if kept[score.output]))

    def some(self, games: NDArray[np.bool_], scores: tuple[Score, ...] = ()) -> Played:
        """These games."""
        ones, others = self.ones[games], self.others[games]
        return replace(self, ones=ones, others=others, outcomes=self.outcomes[games], scores=scores)

    @property
    def people(self) -> Said:
        """What people said."""
        return Said(self.outcomes, SIGNS[self.outcomes])


@dataclass(frozen=True)
class Said:
    """What a judge says of each game; `leans` is above 0 where the first is nearer to winning, also in a tie."""

    outcomes: Ints
    leans: Array

    def some(self, games: NDArray[np.bool_]) -> Said:
        """Of these games."""
        return Said(self.outcomes[games], self.leans[games])

    @property
    def decided(self) -> Said:
        """Without a band of ties."""
        return Said(np.where(self.leans > 0, A, np.where(self.leans < 0, B, TIE)), self.leans)


def by_comparator(played: Played, made: Array) -> Said:
    """By strengths and inclinations to tie, (outputs, 2)."""
    ones, others = made[played.ones], made[played.others]
    return Said(verdicts(softmax(davidson(ones, others))), ones[:, 0] - others[:, 0])


def by_difference(played: Played, values: Array, folds: Ints) -> Said:
    """By a metric's difference, with the band of ties of most three-way accuracy on the other folds of items."""
    gaps = values[played.ones] - values[played.others]
    rows = zip(played.outcomes.tolist(), gaps.tolist(), strict=True)
    judged = [
        Verdict(Match("", "", "", "", "", human=(OUTCOMES[said],)), (Vote(None, gap=gap),), None) for said, gap in rows
    ]
    own = folds[played.ones]
    margins = {
        fold: learned([verdict for verdict, lies in zip(judged, own.tolist(), strict=True) if lies != fold])
        for fold in sorted(set(own.tolist()))
    }
    said = [OUTCOMES.index(by_gap(gap, margins[fold])) for gap, fold in zip(gaps.tolist(), own.tolist(), strict=True)]
    return Said(np.array(said), gaps)


def always(outcome: int, games: int) -> Said:
    """The same of every game."""
    return Said(np.full(games, outcome), np.full(games, SIGNS[outcome]))


def hits(outcomes: Ints, said: Said) -> Array:
    """For each game: right of three, one, right of two, decided by people. A judge that leans to none is half right."""
    decided = outcomes != TIE
    right = 0.5 + 0.5 * np.sign(said.leans) * SIGNS[outcomes]
    return np.column_stack([said.outcomes == outcomes, np.ones(len(outcomes)), right * decided, decided]) * 1.0


def three_way(sums: Array) -> Array:
    """Share of games whose outcome was foreseen."""
    return _share(sums[..., 0], sums[..., 1])


def tie_free(sums: Array) -> Array:
    """The same of the games that people decided, by which text the judge leans to."""
    return _share(sums[..., 2], sums[..., 3])


def _share(part: Array, whole: Array) -> Array:
    with np.errstate(invalid="ignore"):  # a draw may have no decided game
        found: Array = part / whole
    return found


ACCURACIES = {"three_way": three_way, "tie_free": tie_free}


def accuracies(
    outcomes: Ints, judges: Mapping[str, Said], clusters: Sequence[Any], against: str
) -> dict[str, dict[str, Any]]:
    """Both accuracies of each judge; the difference of `against` to it with p by AR, Holm over the judges."""
    rows = {name: hits(outcomes, said) for name, said in judges.items()}
    keys = [(name, kind) for name in judges for kind in ACCURACIES]
    blocks = {key: rows[key[0]] for key in keys}
    scores = {key: ACCURACIES[key[1]] for key in keys}
    found = intervals(blocks, scores, clusters=clusters, trials=DRAWS, seed=SEED)
    pairs = [((against, kind), (name, kind)) for name, kind in keys if name != against]
    tests = paired_tests(blocks, scores, pairs, clusters=clusters, seed=SEED)
    told: dict[str, dict[str, Any]] = {
        name: {
            "ties": float(np.mean(said.outcomes == TIE)),
            **{kind: _figure(found[name, kind]) for kind in ACCURACIES},
        }
        for name, said in judges.items()
    }
    for kind in ACCURACIES:
        own = [pair for pair in pairs if pair[0][1] == kind]
        for (_, (name, _)), p in zip(own, holm([tests[pair].p for pair in own]), strict=True):
            test = tests[(against, kind), (name, kind)]
            told[name][f"{kind}_lead"] = {
                "estimate": test.delta,
                "low": test.low,
                "high": test.high,
                "p": float(p),
            }
    return told


def between_people(groups: Iterable[tuple[int, Sequence[int]]]) -> dict[str, Figure] | None:
    """Two people on the same pair of outputs, the one as the judge of the other, both ways round."""
    rows, items = [], []
    for item, said in groups:
        for pair in combinations(said, 2):
            both = np.array([pair, pair[::-1]])
            told = hits(both[:, 0], Said(both[:, 1], SIGNS[both[:, 1]])).sum(axis=0)
            decided = np.all(both[0] != TIE)
            rows.append([*told, float(decided and both[0, 0] == both[0, 1]), float(decided)])
            items.append(item)
    if not rows:
        return None
    options: dict[str, Any] = {"clusters": items, "trials": DRAWS, "seed": SEED}
    table = np.array(rows)
    found = {kind: _figure(bootstrap(table, score, **options)) for kind, score in ACCURACIES.items()}
    return {
        **found,
        "both_decided": _figure(bootstrap(table, lambda sums: _share(sums[..., 4], sums[..., 5]), **options)),
    }


def draws(items: Ints) -> Array:
    """How often each item counts, (1 + draws, items): once, and as a bootstrap draws them. Absent items never."""
    present = np.unique(items)
    weights = np.zeros((1 + DRAWS, int(items.max()) + 1))
    weights[0, present] = 1.0
    random = np.random.default_rng(SEED)
    for row in weights[1:]:
        np.add.at(row, present[random.integers(len(present), size=len(present))], 1.0)
    return weights


def ratings(played: Played, said: Said, weights: Array) -> Array:
    """Skill ratings (Bradley and Terry with Davidson's ties, as `nlgauge.rate` has them), (1 + draws, systems).

    Systems are in alphabetical order. A draw without finite ratings has none, such as that of a judge who only ties.
    """
    names = sorted(set(played.systems[played.ones]) | set(played.systems[played.others]))
    one, other = (played.systems[side].tolist() for side in (played.ones, played.others))
    found = np.full((len(weights), len(names)), np.nan)
    try:
        model = fit(Games.of(one, other, [OUTCOMES[outcome] for outcome in said.outcomes.tolist()]))
    except InputError:
        return found
    cells = model.cells
    shape = (weights.shape[1], 3 * len(cells.counts))
    places = (played.items[played.ones], 3 * cells.of_game + cells.outcome)
    counts = coo_matrix((np.ones(len(played)), places), shape=shape).tocsr()
    order = [model.players.index(name) for name in names]
    for row, weight in zip(found, weights, strict=True):
        made = refit(model, np.asarray(counts.T @ weight).reshape(-1, 3))
        if made is not None:
            row[:] = made[order]
    return found


def means(played: Played, weights: Array) -> dict[str, Array]:
    """People's mean scores of each system in each draw: standardised within sets, up to `MOST`, and as given."""
    names, place = np.unique([played.systems[score.output] for score in played.scores], return_inverse=True)
    where = ([int(played.items[score.output]) for score in played.scores], place)
    shape = (weights.shape[1], len(names))

    def sums(values: Sequence[float]) -> Array:
        found: Array = weights @ coo_matrix((values, where), shape=shape).toarray()
        return found

    number = sums([1.0] * len(place))
    return {
        "within": sums([score.standard for score in played.scores]) / number,
        "capped": sums([min(score.value, MOST) for score in played.scores]) / number,
        "raw": sums([score.value for score in played.scores]) / number,
    }


def spearman(one: Array, other: Array) -> Array:
    """Over systems, in each draw."""
    first, second = (rankdata(values, axis=1, nan_policy="propagate") for values in (one, other))
    first, second = (values - values.mean(axis=1, keepdims=True) for values in (first, second))
    found: Array = (first * second).sum(axis=1) / np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    return found


def drawn(values: Array) -> Figure | None:
    """The first, with limits by the others; nothing where it is no number."""
    if np.isnan(values[0]):
        return None
    low, high = np.nanquantile(values[1:], [0.025, 0.975]).tolist()
    return {"estimate": float(values[0]), "low": low, "high": high}


def aligned(parts: Sequence[Array], texts: Sequence[str]) -> Array:
    """One table of strengths from several comparators, each of which read other outputs (the rest are not numbers).

    The zero of a comparator's strengths is arbitrary. Systems often write the same text, and one text has one strength:
    the zeros are those that bring the strengths of texts that several comparators read nearest to each other.
    """
    read: dict[str, dict[int, float]] = {}
    for number, part in enumerate(parts):
        for place in np.flatnonzero(np.isfinite(part[:, 0])).tolist():
            read.setdefault(texts[place], {})[number] = part[place, 0]
    equations, gaps = [], []
    for strengths in read.values():
        for one, other in combinations(sorted(strengths), 2):
            equations.append([(number == one) * 1.0 - (number == other) for number in range(len(parts))])
            gaps.append(strengths[one] - strengths[other])
    zeros = np.linalg.lstsq(np.array(equations), np.array(gaps), rcond=None)[0]
    whole = np.full_like(parts[0], np.nan)
    for part, zero in zip(parts, zeros.tolist(), strict=True):
        own = np.isfinite(part[:, 0])
        whole[own] = part[own] - np.array([zero, 0.0])
    return whole


def _figure(found: Any) -> Figure:
    return {"estimate": found.estimate, "low": found.low, "high": found.high}
