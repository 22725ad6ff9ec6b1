"""Coverage of intervals and type-I error of tests for correlations, by simulation: the tables of docs/correlation.md.

    python tools/simulate_correlation.py [--runs 1000] [--only 4] [--real DIR]

Scores of S systems on I items are sums of normal effects: the quality of a system, the difficulty of an item, the
quality of the output itself; people and metrics add noise of their own. `--real` takes real scores instead: the table
of SummEval and WebNLG 2017, whose evaluation sets are in that folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.meta.measures import measure, wanted
from nlgauge.meta.observations import observe
from nlgauge.meta.table import arrange, human_scores
from nlgauge.stats.correlation import compare_metrics, correlate, correlate_with_interval

Array = NDArray[np.float64]
DRAWS = 400


def scores(
    generator: np.random.Generator,
    systems: int,
    items: int,
    metrics: int,
    *,
    system: float = 0.5,
    item: float = 0.7,
    metric_system: float = 0.0,
    metric_item: float = 0.0,
    heavy: bool = False,
    effects: Array | None = None,
) -> tuple[Array, Array]:
    """Human (S, I) and metric (M, S, I) scores; `metric_system` and `metric_item` are biases of each metric."""
    quality = generator.normal(size=(systems, items)) + item * generator.normal(size=(1, items))
    quality = quality + (system * generator.normal(size=(systems, 1)) if effects is None else effects[:, None])
    human = quality + generator.normal(size=(systems, items))
    noise = generator.normal(size=(metrics, systems, items))
    if heavy:  # the last metric's errors have heavy tails and the same variance
        noise[-1] = generator.standard_t(3, size=(systems, items)) / np.sqrt(3)
    noise += metric_system * generator.normal(size=(metrics, systems, 1))
    noise += metric_item * generator.normal(size=(metrics, 1, items))
    return human, quality + noise


def coverage(runs: int) -> Iterator[tuple[str, ...]]:
    """Share of 95 % intervals that hold the true value."""
    effects = 0.5 * np.random.default_rng(0).normal(size=8)
    cases: list[dict[str, Any]] = [
        {"statistic": "pearson"},
        {"statistic": "spearman"},
        {"statistic": "kendall-b"},
        {"statistic": "pearson", "average": "item"},
        {"statistic": "kendall-b", "average": "item"},
        {"statistic": "acc23", "average": "item"},
        {"statistic": "pearson-pdp", "average": "item"},
    ]
    for case in cases:
        large = np.random.default_rng(1)
        parts = [correlate(*_two(scores(large, 8, 20_000, 1, effects=effects)), **case).estimate for _ in range(8)]
        truth = float(np.mean(parts))
        row = [_label(case) + ", over items, 8 systems"]
        for items in (20, 50, 100, 200):
            row.append(_covers(runs, lambda g, i=items: scores(g, 8, i, 1, effects=effects), truth, case))
        yield tuple(row)


def coverage_of_systems(runs: int) -> Iterator[tuple[str, ...]]:
    """Systems drawn at random; Pearson of means over 100 items, and both sides resampled."""
    noise = 2 / 100
    truth = 0.25 / (0.25 + noise)
    for statistic in ("pearson", "spearman", "kendall-b"):
        rho = truth
        value = {
            "pearson": rho,
            "spearman": 6 / np.pi * np.arcsin(rho / 2),
            "kendall-b": 2 / np.pi * np.arcsin(rho),
        }[statistic]
        row = [f"{statistic}, system level, over systems"]
        for systems in (8, 15, 30, 60):
            row.append(
                _covers(
                    runs,
                    lambda g, s=systems: _independent(g, s),
                    float(value),
                    {"statistic": statistic, "level": "system", "over": "systems"},
                )
            )
        yield tuple(row)
    row = ["pearson, pooled, over both, 100 items"]
    pooled = (0.25 + 0.49 + 1) / (0.25 + 0.49 + 2)
    for systems in (8, 15, 30, 60):
        row.append(_covers(runs, lambda g, s=systems: scores(g, s, 100, 1), pooled, {"over": "both"}))
    yield tuple(row)


def coverage_of_items(runs: int) -> Iterator[tuple[str, ...]]:
    """System level, items drawn: the expected correlation of other items, and that of the systems' true means."""
    for systems, items in ((25, 40), (25, 100), (8, 40), (8, 100)):
        for statistic in ("pearson", "kendall-b"):
            case: dict[str, Any] = {"statistic": statistic, "level": "system"}
            generator = np.random.default_rng(1)
            others = true = 0
            for run in range(runs):
                quality, bias = (spread * generator.normal(size=(systems, 1)) for spread in (0.4, 0.15))
                expected = np.mean(
                    [correlate(*_biased(generator, quality, bias, items), **case).estimate for _ in range(50)]
                )
                found = correlate_with_interval(
                    *_biased(generator, quality, bias, items), draws=DRAWS, seed=run, **case
                )
                others += found.low <= expected <= found.high
                true += found.low <= correlate(quality, quality + bias, **case).estimate <= found.high
            name = f"{statistic}, {systems} systems, {items} items"
            yield name, f"{100 * others / runs:.1f}", f"{100 * true / runs:.1f}"


def _biased(generator: np.random.Generator, quality: Array, bias: Array, items: int) -> tuple[Array, Array]:
    """People, and a metric that errs by system, on outputs that share items."""
    shape = (len(quality), items)
    shared = quality + 0.7 * generator.normal(size=shape) + 0.7 * generator.normal(size=(1, items))
    return shared + generator.normal(size=shape), shared + bias + generator.normal(size=shape)


def coverage_of_fisher(runs: int) -> Iterator[tuple[str, ...]]:
    """Independent normal pairs, and outputs that share items."""
    rho = 0.5
    values = {
        "pearson": rho,
        "spearman": 6 / np.pi * np.arcsin(rho / 2),
        "kendall-b": 2 / np.pi * np.arcsin(rho),
    }
    for statistic, value in values.items():
        row = [f"{statistic}, Fisher's z, independent pairs"]
        for n in (10, 20, 50, 200):
            row.append(
                _covers(
                    runs,
                    lambda g, n=n: _bivariate(g, n, rho),
                    value,
                    {"statistic": statistic, "interval": "fisher"},
                )
            )
        yield tuple(row)
    row = ["pearson, percentile bootstrap, independent pairs"]
    for n in (10, 20, 50, 200):
        row.append(_covers(runs, lambda g, n=n: _bivariate(g, n, rho), rho, {}))
    yield tuple(row)
    effects = np.zeros(8)
    row = ["pearson, Fisher's z, 8 systems share each item"]
    for items in (10, 20, 50, 200):
        row.append(
            _covers(
                runs,
                lambda g, i=items: scores(g, 8, i, 1, item=2.0, effects=effects),
                5 / 6,
                {"interval": "fisher"},
            )
        )
    yield tuple(row)


def type_one(runs: int) -> Iterator[tuple[str, ...]]:
    """Share of p-values of at most .05 where two metrics are equally good."""
    effects = 0.5 * np.random.default_rng(0).normal(size=8)
    settings: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("independent errors", {}, {}),
        ("second metric's errors heavy-tailed", {"heavy": True}, {}),
        ("each metric errs by item", {"metric_item": 0.7}, {}),
        ("each metric errs by system", {"metric_system": 0.3}, {}),
        ("independent errors", {}, {"average": "item"}),
        ("independent errors", {}, {"average": "item", "statistic": "kendall-b"}),
        ("independent errors", {}, {"average": "item", "statistic": "acc23"}),
        ("independent errors", {}, {"average": "item", "statistic": "acc-eq"}),
        ("each metric errs by item", {"metric_item": 0.7}, {"average": "item"}),
        ("each metric errs by system", {"metric_system": 0.3}, {"average": "item"}),
        ("independent errors", {}, {"level": "system"}),
        ("each metric errs by system", {"metric_system": 0.3}, {"level": "system"}),
    ]
    for words, model, case in settings:
        row = [f"{_label(case)}; {words}"]
        for test in ("perm-input", "perm-both", "williams", "bootstrap items", "bootstrap both"):
            name, _, over = test.partition(" ")
            if name == "williams" and case.get("statistic", "pearson") != "pearson":
                row.append("–")
                continue
            hits = 0
            for run in range(runs):
                generator = np.random.default_rng([run, 7])
                human, metrics = scores(generator, 8, 50, 2, effects=effects, **model)
                found = compare_metrics(
                    human, metrics, "ab", test=name, over=over or "items", draws=200, seed=run, **case
                )
                hits += found[0].p <= 0.05
            row.append(f"{100 * hits / runs:.1f}")
        yield tuple(row)


def shared_errors(runs: int) -> Iterator[tuple[str, ...]]:
    """Share of p-values of at most .05 where a part of a metric's error is common to all outputs of an item.

    Both metrics err with a standard deviation of 1; for power the second one's is 1.2.
    """
    cases: list[dict[str, Any]] = [{}, {"average": "item"}, {"average": "item", "statistic": "kendall-b"}]
    for case in cases:
        for share in (0.0, 0.2, 0.4, 0.6):
            row = [f"{_label(case)}; {100 * share:.0f} % of the error by item"]
            for test in ("perm-input", "perm-both", "williams", "bootstrap"):
                row.append(" / ".join(_found(runs, share, spread, test, case) for spread in (1.0, 1.2)))
            yield tuple(row)


def _found(runs: int, share: float, spread: float, test: Any, case: dict[str, Any]) -> str:
    if test == "williams" and case.get("statistic", "pearson") != "pearson":
        return "–"
    hits = 0
    for run in range(runs):
        generator = np.random.default_rng([run, 11])
        quality = generator.normal(size=(16, 60)) + generator.normal(size=(1, 60))
        quality = quality + 0.5 * generator.normal(size=(16, 1))
        human = quality + generator.normal(size=quality.shape)
        errors = np.sqrt(1 - share) * generator.normal(size=(2, 16, 60))
        errors += np.sqrt(share) * generator.normal(size=(2, 1, 60))
        metrics = quality + errors * np.array([1.0, spread])[:, None, None]
        hits += compare_metrics(human, metrics, "ab", test=test, draws=200, seed=run, **case)[0].p <= 0.05
    return f"{100 * hits / runs:.1f}"


def of_systems(runs: int) -> Iterator[tuple[str, ...]]:
    """Two metrics that err by system: standard deviations .5 and .5 of the quality's, and for power .5 and 1.5."""
    for systems in (8, 12, 25):
        for statistic in ("pearson", "spearman", "kendall-b"):
            row = [f"{statistic}, {systems} systems"]
            tests: tuple[Any, ...] = ("perm-sys", "williams")
            for test in tests:
                shares = []
                for spread in (0.5, 1.5):
                    hits = 0
                    for run in range(runs):
                        generator = np.random.default_rng([run, 13])
                        quality = generator.normal(size=(systems, 1))
                        human = quality + 0.2 * generator.normal(size=quality.shape)
                        noise = np.array([0.5, spread])[:, None, None] * generator.normal(size=(2, systems, 1))
                        found = compare_metrics(
                            human,
                            quality + noise,
                            "ab",
                            statistic=statistic,
                            level="system",
                            test=test,
                            draws=400,
                            seed=run,
                        )
                        hits += found[0].p <= 0.05
                    shares.append(f"{100 * hits / runs:.1f}")
                row.append(" / ".join(shares))
            yield tuple(row)


def on_real_scores(folder: Path, runs: int) -> Iterator[tuple[str, ...]]:
    """Sentence BLEU and chrF, standardised and swapped item by item at random: no difference is left by item."""
    cases: list[dict[str, Any]] = [{}, {"average": "item", "statistic": "kendall-b"}]
    tests: tuple[Any, ...] = ("perm-input", "perm-both", "williams", "bootstrap")
    for file, name, criteria in (
        ("summeval", "SummEval", ("expert_relevance", "expert_coherence")),
        ("webnlg17_human", "WebNLG 2017", ("fluency", "grammar")),
    ):
        data = observe(folder / f"{file}.jsonl.gz")
        grid = arrange(data, by_system=True)
        both = np.array(
            [grid.spread(one.values) for one in measure(data, wanted(["sentbleu", "chrf"], data, "segment"))]
        )
        both = (both - np.nanmean(both, axis=(1, 2), keepdims=True)) / np.nanstd(both, axis=(1, 2), keepdims=True)
        for criterion in criteria:
            human = grid.spread(human_scores(data, criterion))
            for case in cases:
                row = [f"{name}, {criterion.replace('_', ' ')}; {_label(case)}"]
                for test in tests:
                    hits = 0
                    for run in range(runs if test != "williams" or not case else 0):
                        swap = np.random.default_rng([run, 17]).random(human.shape[1]) < 0.5
                        swapped = np.where(swap, both, both[::-1])
                        found = compare_metrics(human, swapped, "ab", test=test, draws=200, seed=run, **case)
                        hits += found[0].p <= 0.05
                    row.append("–" if test == "williams" and case else f"{100 * hits / runs:.1f}")
                yield tuple(row)


def _covers(
    runs: int, make: Callable[[np.random.Generator], tuple[Array, Array]], truth: float, case: dict[str, Any]
) -> str:
    hits = defined = 0
    for run in range(runs):
        human, metric = _two(make(np.random.default_rng([run, 3])))
        found = correlate_with_interval(human, metric, draws=DRAWS, seed=run, **case)
        defined += found.low == found.low
        hits += found.low <= truth <= found.high
    return f"{100 * hits / max(defined, 1):.1f}"


def _two(made: tuple[Array, Array]) -> tuple[Array, Array]:
    return made[0], made[1][0]


def _independent(generator: np.random.Generator, systems: int) -> tuple[Array, Array]:
    """System means over 100 items whose outputs share nothing but the system."""
    quality = 0.5 * generator.normal(size=(systems, 1))
    spread = np.sqrt(2 / 100)
    human = quality + spread * generator.normal(size=(systems, 1))
    return human, (quality + spread * generator.normal(size=(systems, 1)))[None]


def _bivariate(generator: np.random.Generator, n: int, rho: float) -> tuple[Array, Array]:
    x, noise = generator.normal(size=(2, 1, n))
    return x, (rho * x + np.sqrt(1 - rho**2) * noise)[None]


def _label(case: dict[str, Any]) -> str:
    where = (
        "system level" if case.get("level") == "system" else {"item": "by item"}.get(case.get("average", ""), "pooled")
    )
    return f"{case.get('statistic', 'pearson')}, {where}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--only", type=int, help="the number of one table, from 1")
    parser.add_argument("--real", type=Path, help="the folder of summeval.jsonl.gz and webnlg17_human.jsonl.gz")
    asked = parser.parse_args()
    tables: list[tuple[str, Callable[[int], Iterator[tuple[str, ...]]]]] = (
        [
            (
                "| no difference by item | PERM-INPUT | PERM-BOTH | Williams | bootstrap, items |",
                partial(on_real_scores, asked.real),
            )
        ]
        if asked.real
        else [
            ("| interval | 20 items | 50 | 100 | 200 |", coverage),
            ("| interval | 8 systems | 15 | 30 | 60 |", coverage_of_systems),
            ("| interval | n = 10 | 20 | 50 | 200 |", coverage_of_fisher),
            (
                "| equally good metrics | PERM-INPUT | PERM-BOTH | Williams | bootstrap, items | bootstrap, both |",
                type_one,
            ),
            (
                "| 16 systems, 60 items | PERM-INPUT | PERM-BOTH | Williams | bootstrap, items |",
                shared_errors,
            ),
            ("| corpus scores, errors by system | PERM-SYS | Williams |", of_systems),
            ("| over items, system level | other items | true means |", coverage_of_items),
        ]
    )
    for number, (head, rows) in enumerate(tables, 1):
        if asked.only not in (None, number):
            continue
        print(head, flush=True)
        print("|" + "---|" * (head.count("|") - 1), flush=True)
        for row in rows(asked.runs):
            print("| " + " | ".join(row) + " |", flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
