"""Small result objects for the tests of tables, sentences and pages."""

from __future__ import annotations

from nlgauge.results import Comparison, Comparisons, Score, Scores


def scores(table: dict[str, dict[str, float]], *, lower: tuple[str, ...] = (), spread: float = 0.0) -> Scores:
    """metric -> system -> value, with symmetric intervals where a spread is given."""
    rows = tuple(
        Score(system, metric, value, 60, *((value - spread, value + spread) if spread else ()))
        for metric, column in table.items()
        for system, value in column.items()
    )
    receipts = {metric: f"nlgauge=0.1.0|metric={metric}|n=60|seed=7" for metric in table}
    return Scores(rows, receipts, {metric: "lower" if metric in lower else "higher" for metric in table})


def comparison(
    metric: str, system: str, delta: float, p: float, *, baseline: str = "base", direction: str = "higher"
) -> Comparison:
    """A comparison with a baseline of 50."""
    return Comparison(
        metric,
        system,
        baseline,
        50 + delta,
        50.0,
        delta,
        delta - 1,
        delta + 1,
        p,
        p,
        "ar",
        10000,
        60,
        direction,
    )


def comparisons(*rows: Comparison) -> Comparisons:
    """A table of comparisons made with seed 7."""
    receipts = {row.metric: f"nlgauge=0.1.0|metric={row.metric}|test=ar:10000|seed=7" for row in rows}
    return Comparisons(rows, receipts, seed=7, family=len(rows))
