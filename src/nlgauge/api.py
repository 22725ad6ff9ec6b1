"""What one types in Python: `load`, `score`, `compare`. The commands are thin skins over these."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.digest import Summary
from nlgauge.engine.accounts import (
    ci_fact,
    cluster_remark,
    data_notes,
    family_facts,
    few_items_remark,
    label_fact,
    model_remarks,
    size_notes,
)
from nlgauge.engine.copies import copy_notes
from nlgauge.engine.grouping import item_labels
from nlgauge.engine.local import system_rows
from nlgauge.engine.pairing import (
    aligned,
    comparisons,
    pair_remarks,
    rankings,
    refuse_identical,
    system_pairs,
    together_remarks,
)
from nlgauge.engine.scripts import text_remarks
from nlgauge.engine.segments import segment_rows
from nlgauge.engine.sets import SetTexts, split
from nlgauge.engine.stream import score_stream
from nlgauge.errors import InputError, option
from nlgauge.io import is_pairwise, load_pairs, pairs_to_set, write_rows
from nlgauge.io import load as load_rows
from nlgauge.metrics.base import Metric, check_texts
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.receipt import receipts
from nlgauge.results import Comparison, Comparisons, Score, Scores
from nlgauge.stats.limits import check_interval_draws
from nlgauge.stats.multiple import trials_for
from nlgauge.types import UNNAMED, Column, EvaluationSet, References, per_segment
from nlgauge.wording.numbers import ALPHA

Specs = str | Metric | Sequence[str | Metric]
Texts = Sequence[str] | Mapping[str, Sequence[str]]  # hypotheses of one system, or of several by name
Progress = Callable[[str, int], None]  # what is being done, segments done since the last call
Test = Literal["ar", "bootstrap"]
Ties = Literal["count", "ignore"]
Interval = Literal["percentile", "bca"]

DEFAULT_METRICS = ("bleu", "chrf", "ter")
DEFAULT_SEED = 12345  # sacreBLEU's, so that its draws and ours are the same
DEFAULT_TRIALS = {"ar": 10_000, "bootstrap": 1_000}
LIBERAL = (
    "the paired bootstrap, as Moses and sacreBLEU define it, calls differences significant too often; for a claim of "
    "your own prefer approximate randomisation (test ar)"
)
INTERVAL_TRIALS = 1000  # draws for the interval of a difference tested by randomisation


def load(data: Any = None, **options: Any) -> EvaluationSet:
    """Read an evaluation set: a file, line files (`hyp`, `refs`, `src`), a WMT folder (`pair`), rows, a data frame.

    Pairwise rows become one segment for each side. `columns` says which column holds a key, where it is called
    otherwise: {"hypothesis": "my_output"}. See `nlgauge.io.load` for all options.
    """
    if not isinstance(options.get("hyp", {}), Mapping):
        raise InputError("hyp must map each system's name to its file: hyp={'tgen': 'out.txt'}")
    columns = options.get("columns")
    if isinstance(data, str | os.PathLike) and os.path.isfile(data) and is_pairwise(data, columns):
        own = {name: options.pop(name) for name in ("columns", "allow_extra") if name in options}
        given = [name for name, value in options.items() if value not in (None, "refuse")]
        if given:
            raise InputError(f"{os.fspath(data)} holds pairwise rows, to which {', '.join(given)} does not apply")
        return pairs_to_set(load_pairs(data, **own), os.fspath(data))
    return load_rows(data, **options)


def metrics(specs: Specs) -> tuple[Metric, ...]:
    """The metrics that specs name, each once; a misspelt one is refused."""
    if not isinstance(specs, str | Metric | Iterable):
        raise InputError(f"metrics are given by name, such as 'chrf', or as a list of names; got {specs!r}")
    chosen = [specs] if isinstance(specs, str | Metric) else list(specs)
    wrong = next((spec for spec in chosen if not isinstance(spec, str | Metric)), None)
    if wrong is not None:
        raise InputError(f"a metric is given by its name, such as 'chrf'; got {wrong!r}")
    if not chosen:
        raise InputError("no metric given; name at least one, for example bleu")
    return tuple(dict.fromkeys(spec if isinstance(spec, Metric) else parse(spec) for spec in chosen))


def score(
    data: EvaluationSet | Texts | Any,
    references: References | Specs | None = None,
    specs: Specs | None = None,
    *,
    sources: Sequence[Any] | None = None,
    ci: bool = False,
    trials: int = DEFAULT_TRIALS["bootstrap"],
    level: float = 0.95,
    interval: Interval = "percentile",
    cluster: str | None = None,
    seed: int = DEFAULT_SEED,
    segments: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Every metric for every system, with a bootstrap interval where `ci` asks for one.

    Either `score(data, metrics)`, where `data` is an evaluation set or anything `load` reads, or
    `score(hypotheses, references, metrics)` with lists: references are a text or a list of texts for each hypothesis;
    hypotheses are those of one system, or of several by name.

    >>> round(score(["the cat sat on the mat"], ["the cat sat on a mat"], "wer").scores[0].value, 3)
    0.167
    >>> score({"a": ["x y"], "b": ["x z"]}, [["x y", "y x"]], ["wer", "chrf"])["a", "chrf"].value
    100.0

    `segments` names a file that gets one row per segment with
    its scores. The interval is percentile or bca; with `cluster`, a key of the rows such as document, items that share
    its value are drawn together.
    """
    check_draws(trials, level, seed)
    if ci:
        check_interval_draws(trials)
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"jobs must be a whole number from 1 up; got {jobs!r}")
    data, asked = _given(data, references, specs, sources)
    chosen = metrics(asked)
    _require(data, chosen)
    columns = [data.column(system) for system in data.systems]
    labels = item_labels(data, cluster) if ci and cluster is not None else None
    summed, of_sets = split(chosen)
    rows = system_rows(columns, summed, jobs=jobs, progress=progress) if summed else {}
    texts = SetTexts(columns, of_sets)
    limits: dict[tuple[str, Metric], tuple[float, float]] = {}
    remarks: list[str] = [*copy_notes(columns), *text_remarks(chosen, columns, data.language)]
    if ci:
        clusters = {column.system: _labels_of(column, labels) for column in columns}
        limits, noted = _intervals(rows, summed, clusters, trials=trials, level=level, seed=seed, interval=interval)
        found, more = _set_intervals(texts, clusters, level=level, groups=trials, seed=seed)
        limits |= found
        remarks += noted + more
        if labels is not None:
            remarks.append(cluster_remark(str(cluster), list(labels.values()), swapped=False))
        else:
            remarks += few_items_remark([len(column) for column in columns], interval, level)
    if segments is not None:
        known = {column.system: texts.segments(column.system) for column in columns}
        write_rows(
            (
                row
                for column in columns
                for row in segment_rows(column, rows.get(column.system, {}), chosen, known[column.system])
            ),
            segments,
        )
    results = []
    for column in columns:
        for metric in chosen:
            details: dict[str, float] = {}
            if isinstance(metric, SetMetric):
                value = texts.value(metric, column.system)
            else:
                totals = rows[column.system][metric.rows_key()].sum(axis=0)
                value, details = float(metric.score(totals)), metric.details(totals)
                if void := metric.void(totals):
                    remarks.append(f"{metric} of {column.system}: {void}")
            low, high = limits.get((column.system, metric), (None, None))
            results.append(Score(column.system, str(metric), value, len(column), low, high, level, details))
    facts = {}
    if ci:
        facts = {
            "ci": ci_fact(interval, trials),
            **label_fact("cluster", cluster, labels),
            "level": level,
            "seed": seed,
        }
    return _scores(results, asked, data.summary, data.digests, facts, [*remarks, *texts.remarks()])


def score_large(
    source: Mapping[str, Any],
    specs: Specs = DEFAULT_METRICS,
    *,
    segments: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """As `score`, for data that do not fit into memory: `source` holds the arguments of `nlgauge.io.stream`."""
    chosen = metrics(specs)
    totals = score_stream(source, chosen, segments=segments, jobs=jobs, progress=progress)
    results = [
        Score(
            system,
            str(metric),
            float(metric.score(sums[metric.rows_key()])),
            totals.segments[system],
            details=metric.details(sums[metric.rows_key()]),
        )
        for system, sums in totals.sums.items()
        for metric in chosen
    ]
    return _scores(results, specs, totals.tally.summary(), totals.tally.digests, {})


def compare(
    data: EvaluationSet | Texts | Any,
    references: References | Specs | None = None,
    specs: Specs | None = None,
    *,
    sources: Sequence[Any] | None = None,
    baseline: str | None = None,
    test: Test = "ar",
    trials: int | None = None,
    level: float = 0.95,
    interval: Interval = "percentile",
    cluster: str | None = None,
    seed: int = DEFAULT_SEED,
    ties: Ties = "count",
    common: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparisons:
    """Differences between systems with intervals and paired tests: against `baseline`, or all pairs without one.

    `compare(data, metrics)`, or `compare({name: hypotheses, …}, references, metrics)` as in `score`.
    p-values are corrected by Holm's method within each metric; without `trials` the test makes as many as that needs.
    Intervals are of one difference each; simultaneous ones beside them hold for all differences of a metric at once
    (max-t over the bootstrap's draws; Bonferroni's for metrics of whole sets). `common` allows systems that lack items
    of the others: all are then compared on the items that every one has. With `cluster`, a key of the rows such as
    document, items that share its value are drawn and swapped together.
    """
    check_draws(trials or 1, level, seed)
    if ties not in ("count", "ignore"):
        raise InputError(f"ties must be count or ignore; got {ties!r}")
    data, asked = _given(data, references, specs, sources)
    chosen = metrics(asked)
    summed, of_sets = split(chosen)
    if of_sets and test == "bootstrap":
        raise InputError(
            f"the paired bootstrap draws items twice, which makes any set less varied, so it says nothing about "
            f"{of_sets[0]}; use {option('test', 'ar')}"
        )
    pairs = _pairs(data, baseline)
    drawn = trials or trials_for(len(pairs), DEFAULT_TRIALS[test])
    _require(data, chosen)
    columns = aligned(data, common)
    grouped = item_labels(data, cluster) if cluster is not None else None
    labels = _labels_of(columns[0], grouped)
    rows = system_rows(columns, summed, jobs=jobs, progress=progress) if summed else {}
    refuse_identical(rows, summed, pairs)
    texts = SetTexts(columns, of_sets)
    tested = stats.paired_tests(
        {(system, metric): rows[system][metric.rows_key()] for system in rows for metric in summed},
        {(system, metric): metric.score for system in rows for metric in summed},
        [((system, metric), (other, metric)) for metric in summed for system, other in pairs],
        test=test,
        trials=drawn,
        seed=seed,
        level=level,
        ties=ties,
        interval=interval,
        clusters=labels,
        family=lambda pair: pair[0][1],
    )
    for of_set in of_sets:
        for system, other in pairs:
            tested[(system, of_set), (other, of_set)] = texts.test(
                of_set,
                system,
                other,
                trials=drawn,
                seed=seed,
                level=level,
                groups=INTERVAL_TRIALS,
                ties=ties,
                clusters=labels,
            )
    results: list[Comparison] = []
    remarks: list[str] = [*copy_notes(columns), *text_remarks(chosen, columns, data.language)]
    if labels is not None:
        remarks.append(cluster_remark(str(cluster), labels, swapped=test == "ar"))
    else:
        remarks += few_items_remark([len(columns[0])], interval, level)
    for metric in chosen:
        outcomes = [tested[(system, metric), (other, metric)] for system, other in pairs]
        results += comparisons(str(metric), pairs, outcomes, test=test, direction=metric.direction)
        remarks += pair_remarks(str(metric), pairs, outcomes)
    remarks += together_remarks(results)
    if test == "bootstrap":
        remarks.append(LIBERAL)
    remarks += trials_remarks(test, drawn, len(pairs), asked=trials is not None)
    remarks += model_remarks(chosen)
    remarks += texts.remarks(tested=True)
    dropped = sum(data.missing().values()) if common else 0
    n = len(columns[0])
    if dropped:
        remarks.append(f"compared on the {n:,} items that all systems have; {dropped:,} segments were left out")
    facts = {
        "test": f"{test}:{drawn}",
        "ties": ties,
        **(
            {"ci": ci_fact(interval, INTERVAL_TRIALS if test == "ar" else drawn)}
            if test == "ar" or interval == "bca"
            else {}
        ),
        **label_fact("cluster", cluster, grouped),
        **family_facts(baseline, len(pairs)),
        "level": level,
        "seed": seed,
    }
    return Comparisons(
        comparisons=tuple(results),
        receipts=receipts(chosen, data.summary, data.digests, [n], facts),
        notes=(*data_notes(data.summary), *remarks),
        seed=seed,
        family=len(pairs),
        places={str(metric): metric.places for metric in chosen},
        rankings=rankings(results),
    )


def check_draws(trials: int, level: float, seed: int) -> None:
    """Refuse what no resampling can be done with, before anything is computed."""
    if not isinstance(trials, int) or isinstance(trials, bool) or not isinstance(level, int | float):
        raise InputError(f"trials must be a whole number and level a number such as 0.95; got {trials!r} and {level!r}")
    if not 1 <= trials <= 10_000_000:
        raise InputError(f"the number of trials must lie between 1 and 10,000,000; got {trials}")
    if not 0 < level < 1:
        raise InputError(f"the confidence level must lie between 0 and 1, such as 0.95; got {level}")
    if not (isinstance(seed, int) and 0 <= seed < 2**63):
        raise InputError(f"the seed must be a whole number from 0 to 2^63 - 1; got {seed}")


def _given(data: Any, second: Any, third: Specs | None, sources: Sequence[Any] | None) -> tuple[EvaluationSet, Specs]:
    """The set and the metrics, from data and metrics or from hypotheses, references and metrics."""
    systems = _systems(data, listed=second is not None and third is not None)
    if systems is None:
        if (third is not None and second is not None) or sources is not None:
            raise InputError(
                "references or sources beside data that bring their own; leave them out, or give hypotheses as a list"
            )
        asked = second or third or DEFAULT_METRICS
        metrics(asked)  # a misspelt one is refused before data are read
        return data if isinstance(data, EvaluationSet) else load(data), asked
    if third is None and isinstance(second, str | Metric):
        second, third = None, second
    references = per_segment([()] * max(map(len, systems.values())) if second is None else second)
    for system, texts in systems.items():
        check_texts(texts, references, needed=False)
        wrong = next((place for place, text in enumerate(texts) if not isinstance(text, str)), None)
        if wrong is not None:
            whose = "" if system == UNNAMED else f" of {system}"
            raise InputError(f'hypothesis {wrong}{whose} is {texts[wrong]!r}, no text; use "" for an empty output')
    return EvaluationSet.of(systems, references, sources), third or DEFAULT_METRICS


def _systems(data: Any, *, listed: bool) -> Mapping[str, Sequence[str]] | None:
    """Hypotheses by system, where data are lists of texts; `listed`: so they must be."""
    if isinstance(data, Mapping) and data and all(map(_are_texts, data.values())):
        return data
    if _are_texts(data) or (listed and isinstance(data, list | tuple)):
        return {UNNAMED: data}
    return None


def _are_texts(given: Any) -> bool:
    return isinstance(given, list | tuple) and any(isinstance(text, str) for text in given)


def _require(data: EvaluationSet, chosen: Sequence[Metric]) -> None:
    """Refuse data that lack what a metric reads: references, sources, post-edits."""
    data.require(dict.fromkeys(need for metric in chosen for need in metric.needs))


def _intervals(
    rows: Mapping[str, Mapping[str, Array]],
    chosen: Sequence[Metric],
    labels: Mapping[str, list[str] | None],
    *,
    trials: int,
    level: float,
    seed: int,
    interval: Interval,
) -> tuple[dict[tuple[str, Metric], tuple[float, float]], list[str]]:
    """Intervals by system and metric, and remarks; systems of the same size (and clusters) share their draws."""
    groups: dict[object, list[str]] = {}
    for system, mine in rows.items():
        clusters = labels[system]
        size = len(next(iter(mine.values())))
        groups.setdefault(size if clusters is None else tuple(clusters), []).append(system)
    found: dict[tuple[str, Metric], tuple[float, float]] = {}
    remarks: list[str] = []
    for systems in groups.values():
        keys = [(system, metric) for system in systems for metric in chosen]
        results = stats.intervals(
            {(system, metric): rows[system][metric.rows_key()] for system, metric in keys},
            {key: key[1].score for key in keys},
            trials=trials,
            seed=seed,
            level=level,
            interval=interval,
            clusters=labels[systems[0]],
        )
        for (system, metric), result in results.items():
            found[system, metric] = (result.low, result.high)
            remarks += [f"{metric}, {system}: {text}" for text in result.notes]
    return found, remarks


def _set_intervals(
    texts: SetTexts, labels: Mapping[str, list[str] | None], *, level: float, groups: int, seed: int
) -> tuple[dict[tuple[str, Metric], tuple[float, float]], list[str]]:
    """Intervals of the set metrics by system and metric, and remarks."""
    found: dict[tuple[str, Metric], tuple[float, float]] = {}
    remarks: list[str] = []
    for system, clusters in labels.items():
        for metric in texts.metrics:
            spread = texts.interval(metric, system, level=level, groups=groups, seed=seed, clusters=clusters)
            found[system, metric] = (spread.low, spread.high)
            if spread.standard_error == 0:
                remarks.append(
                    f"{metric}, {system}: leaving out any item changes nothing, so the interval has no width, which "
                    "is not certainty"
                )
    return found, remarks


def _labels_of(column: Column, labels: Mapping[str, str] | None) -> list[str] | None:
    return None if labels is None else [labels[item] for item in column.items]


def trials_remarks(test: Test, trials: int, pairs: int, *, asked: bool) -> list[str]:
    """What is to be said of the number of trials, for so many pairs."""
    remarks = []
    if not asked and trials > DEFAULT_TRIALS[test]:
        remarks.append(
            f"{trials:,} trials in place of {DEFAULT_TRIALS[test]:,}, so that p-values can be significant after Holm's "
            f"correction over {pairs:,} pairs"
        )
    if pairs / (trials + 1) > ALPHA:
        remarks.append(f"with {trials:,} trials no corrected p can fall to {ALPHA}: use more")
    return remarks


def _pairs(data: EvaluationSet, baseline: str | None) -> list[tuple[str, str]]:
    systems = data.systems
    if len(systems) < 2:
        raise InputError(
            f"{data.origin} holds one system only ({systems[0]!r}); a comparison needs at least two on the same items"
        )
    return system_pairs(systems, baseline)


def _scores(
    results: Sequence[Score],
    specs: Specs,
    summary: Summary,
    digests: Callable[..., Mapping[str, str]],
    facts: Mapping[str, object],
    remarks: Sequence[str] = (),
) -> Scores:
    chosen = metrics(specs)
    spelt = [specs] if isinstance(specs, str | Metric) else specs
    return Scores(
        tuple(results),
        receipts(chosen, summary, digests, [score.n for score in results], facts),
        {str(metric): metric.direction for metric in chosen},
        (*data_notes(summary), *size_notes(results), *remarks, *model_remarks(chosen)),
        {str(metric): metric.places for metric in chosen},
        {spec: str(parse(spec)) for spec in spelt if isinstance(spec, str)},
    )
