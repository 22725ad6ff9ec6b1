"""Set metrics on made-up texts: do intervals cover the expected score, do tests err too often?

Words come from a Zipf distribution; the truth is the mean score of many sets of the same size. Prints the
tables of docs/sets.md: `python tools/simulate_sets.py`.
"""

from __future__ import annotations

import sys

import numpy as np

from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.stats.sets import set_interval, set_test

SPECS = (
    "distinct(tok=none)@1",
    "distinct(tok=none)@2",
    "entropy(tok=none)@1",
    "selfbleu(tok=none)@2",
    "uniqueness(tok=none)",
    "msttr(tok=none)@50",
)
WORDS = 1000


def texts(rng: np.random.Generator, n: int, prefix: str = "") -> list[str]:
    """n texts of 1 to 15 words; short ones come up again and again, as in dialogue."""
    weights = 1 / np.arange(1, WORDS + 1)
    lengths = rng.integers(1, 16, n)
    words = rng.choice(WORDS, size=int(lengths.sum()), p=weights / weights.sum())
    return [" ".join(f"{prefix}{word}" for word in part) for part in np.split(words, np.cumsum(lengths)[:-1])]


def coverage(sets: int, n: int, draws: int, boots: int) -> None:
    rng = np.random.default_rng(7)
    made = [texts(rng, n) for _ in range(sets)]
    print("| score | truth | jackknife covers | s.e. / true s.d. | bootstrap covers | mean of its draws |")
    print("|---|---|---|---|---|---|")
    for spec in SPECS:
        metric = parse(spec)
        assert isinstance(metric, SetMetric)
        found = [set_interval(metric.on(outputs)) for outputs in made]
        values = np.array([one.estimate for one in found])
        truth = values.mean()
        covered = np.mean([one.low <= truth <= one.high for one in found])
        errors = np.mean([one.standard_error for one in found]) / values.std(ddof=1)
        inside, means = [], []
        for outputs in made[:boots]:
            drawn = [metric.corpus([outputs[i] for i in rng.integers(0, n, n)]) for _ in range(draws)]
            low, high = np.quantile(drawn, [0.025, 0.975])
            inside.append(low <= truth <= high)
            means.append(np.mean(drawn))
        cells = f"{truth:.4f} | {covered:.1%} | {errors:.2f} | {np.mean(inside):.0%} | {np.mean(means):.4f}"
        print(f"| `{metric}` | {cells} |", flush=True)


def errors(pairs: int, n: int, trials: int) -> None:
    """How often a difference is found where there is none: by the test, and by an interval that leaves 0 out."""
    rng = np.random.default_rng(8)
    print("\n| score | alike: test | interval | other words: test | interval |")
    print("|---|---|---|---|---|")
    for spec in SPECS:
        metric = parse(spec)
        assert isinstance(metric, SetMetric)
        cells = []
        for prefix in ("", "x"):
            wrong = []
            for number in range(pairs):
                a, b = texts(rng, n), texts(rng, n, prefix)
                scorers = [metric.on(outputs) for outputs in (a + b, a, b)]
                test = set_test(*scorers, trials=trials, seed=number)
                wrong.append((test.p <= 0.05, not test.low <= 0 <= test.high))
            cells += [f"{share:.1%}" for share in np.mean(wrong, axis=0)]
        print(f"| `{metric}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    coverage(int(400 * scale), 200, 100, int(60 * scale))
    errors(int(400 * scale), 100, 199)
