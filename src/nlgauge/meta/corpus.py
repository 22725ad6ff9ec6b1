"""System-level correlation of corpus scores: a system's score is the metric's own score of all its outputs.

Corpus BLEU is not the mean of sentence BLEU, so the statistics of the outputs are summed and scored, in the data and
in every bootstrap draw: `score(W @ rows)` with W how often each item stands in the draw. Means of segment scores are
the same with rows (score, 1).
"""

from __future__ import annotations

import numpy as np

from nlgauge.arrays import Array
from nlgauge.meta.measures import Measure, mean_rows, mean_score, settled
from nlgauge.meta.table import Grid
from nlgauge.stats.correlation.bootstrap import Draws, Over, with_interval
from nlgauge.stats.correlation.levels import Correlation, correlate
from nlgauge.stats.correlation.statistic import STATISTICS


def correlate_corpus(
    grid: Grid,
    judged: Array,
    measure: Measure,
    statistic: str,
    over: Over,
    draws: int,
    seed: int,
    confidence: float,
    *,
    mean: bool = False,
) -> tuple[Correlation, Array]:
    """The correlation over systems, with an interval where `draws` is not 0, and its value in every draw.

    `mean` takes means of segment scores instead of the metric's corpus score.
    """
    statistics = mean_rows(measure.values) if mean else measure.rows
    score = mean_score if mean else measure.score
    sign = measure.sign if STATISTICS[statistic].oriented else 1.0
    human, values = grid.spread(judged), grid.spread(measure.values)
    both = ~(np.isnan(human) | np.isnan(values))
    human = np.where(both, human, 0.0)
    rows = np.zeros((*grid.place.shape, statistics.shape[1]))
    rows[both] = statistics[grid.place[both]]

    def sides(weights: Array) -> tuple[Array, Array]:
        """Human means and corpus scores (draws, systems) when item i stands weights[draw, i] times."""
        size = weights @ both.T.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (weights @ human.T) / size
        totals = np.einsum("di,sik->dsk", weights, rows, optimize=True)
        scores = sign * score(totals)
        return settled(np.where(size > 0, means, np.nan)), settled(np.where(size > 0, scores, np.nan))

    people, scores = sides(np.ones((1, len(grid.items))))
    found = correlate(people[0], scores[0], statistic=statistic, level="system")
    if not draws:
        return found, np.empty(0)
    made = Draws.make(grid.place.shape, over, draws, seed)
    drawn = _values(sides(made.of("items", len(grid.items))), made, statistic)
    sizes = (int(both.any(axis=1).sum()), int(both.any(axis=0).sum()))
    return with_interval(found, drawn, over, confidence, sizes), drawn


def _values(sides: tuple[Array, Array], made: Draws, statistic: str) -> Array:
    people, scores = sides
    if made.systems is None and STATISTICS[statistic].coefficient and not np.isnan(people).any():
        return STATISTICS[statistic].batch(people, scores)
    times = made.of("systems", people.shape[1]).astype(np.int64)
    found = np.full(made.count, np.nan)
    for draw in range(made.count):
        chosen = np.repeat(np.arange(people.shape[1]), times[draw])
        found[draw] = correlate(
            people[draw, chosen], scores[draw, chosen], statistic=statistic, level="system"
        ).estimate
    return found
