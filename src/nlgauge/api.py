"""What one types in Python: `load`, `score`, `compare`. The commands are thin skins over these."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.digest import Summary
from nlgauge.engine.grouping import item_labels
from nlgauge.engine.local import segment_rows, system_rows
from nlgauge.engine.pairing import (
    aligned,
    comparisons,
    pair_remarks,
    rankings,
    refuse_identical,
    system_pairs,
    together_remarks,
)
from nlgauge.engine.remarks import (
    ci_fact,
    copy_notes,
    data_notes,
    family_facts,
    label_fact,
    model_remarks,
    resampling_remarks,
    size_notes,
    trials_remarks,
)
from nlgauge.engine.scripts import text_remarks
from nlgauge.engine.sets import SetTexts, split
from nlgauge.engine.stream import score_stream
from nlgauge.errors import InputError, option
from nlgauge.io import is_pairwise, load_pairs, pairs_to_set, write_rows
from nlgauge.io import load as load_rows
from nlgauge.io.files import StrPath
from nlgauge.io.loading import Repeats
from nlgauge.metrics.base import Metric, check_texts
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.options import CompareOptions, Interval, ScoreOptions, facts, keywords
from nlgauge.receipt import receipts
from nlgauge.results import Comparison, Comparisons, Score, Scores
from nlgauge.stats.limits import check_draws, check_interval_draws
from nlgauge.stats.multiple import trials_for
from nlgauge.types import UNNAMED, Column, EvaluationSet, References, per_segment

Specs = str | Metric | Sequence[str | Metric]
Texts = Sequence[str] | Mapping[str, Sequence[str]]  # hypotheses of one system, or of several by name
Progress = Callable[[str, int], None]  # what is being done, segments done since the last call
Labels = dict[str, str]  # item -> what it is grouped by
Limits = dict[tuple[str, Metric], tuple[float, float]]

DEFAULT_METRICS = ("bleu", "chrf", "ter")
DEFAULT_TRIALS = {"ar": 10_000, "bootstrap": 1_000}
LIBERAL = (
    "the paired bootstrap, as Moses and sacreBLEU define it, calls differences significant too often; for a claim of "
    "your own prefer approximate randomisation (test ar)"
)
INTERVAL_TRIALS = 1000  # draws for the interval of a difference tested by randomisation


def load(
    data: Any = None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    allow_extra: bool = False,
    repeats: Repeats = "refuse",
    columns: Mapping[str, str] | None = None,
) -> EvaluationSet:
    """Read an evaluation set; pairwise rows become one segment for each side.

    Args:
        data: a path (JSON lines, JSON, CSV, TSV, Parquet, a WMT folder), a list of paths, a list of dictionaries or
            `Segment` objects, or a data frame
        hyp: line files of outputs in place of `data`, by system
        refs: line files of references, beside `hyp`
        src: a line file of sources, beside `hyp`
        pair: the language pair, where a WMT folder holds several
        allow_extra: keep unknown keys instead of refusing them
        repeats: a repeated (item, system): refuse it, or keep it as item "17#2" (number), since some published sets
            hold several outputs for one input without saying which system wrote which
        columns: the column that holds a key, where it has another name: {"hypothesis": "my_output"}

    >>> row = {"item": "1", "system": "a", "hypothesis": "x y", "references": ["x z"]}
    >>> load([row, row | {"system": "b", "hypothesis": "x"}])
    <EvaluationSet the data: 2 segments, 2 systems, 1 item, 1 reference an item>
    """
    if hyp is not None and not isinstance(hyp, Mapping):
        raise InputError("hyp must map each system's name to its file: hyp={'tgen': 'out.txt'}")
    if isinstance(data, str | os.PathLike) and os.path.isfile(data) and is_pairwise(data, columns):
        of_sets = {"hyp": hyp, "refs": refs, "src": src, "pair": pair, "repeats": repeats != "refuse"}
        given = [name for name, value in of_sets.items() if value]
        if given:
            raise InputError(f"{os.fspath(data)} holds pairwise rows, to which {', '.join(given)} does not apply")
        return pairs_to_set(load_pairs(data, columns=columns, allow_extra=allow_extra), os.fspath(data))
    return load_rows(
        data, hyp=hyp, refs=refs, src=src, pair=pair, allow_extra=allow_extra, repeats=repeats, columns=columns
    )


@dataclass(frozen=True)
class Chosen:
    """Metrics that were asked for, each once, and the canonical form of each spec that was given as a text."""

    metrics: tuple[Metric, ...]
    spellings: Mapping[str, str]

    @classmethod
    def of(cls, specs: Specs) -> Chosen:
        """The metrics that specs name; a misspelt one is refused."""
        if not isinstance(specs, str | Metric | Iterable):
            raise InputError(f"metrics are given by name, such as 'chrf', or as a list of names; got {specs!r}")
        given = [specs] if isinstance(specs, str | Metric) else list(specs)
        wrong = next((spec for spec in given if not isinstance(spec, str | Metric)), None)
        if wrong is not None:
            raise InputError(f"a metric is given by its name, such as 'chrf'; got {wrong!r}")
        if not given:
            raise InputError("no metric given; name at least one, for example bleu")
        named = [(spec, spec if isinstance(spec, Metric) else parse(spec)) for spec in given]
        spellings = {spec: str(metric) for spec, metric in named if isinstance(spec, str)}
        return cls(tuple(dict.fromkeys(metric for _, metric in named)), spellings)


def metrics(specs: Specs) -> tuple[Metric, ...]:
    """The metrics that specs name, each once; a misspelt one is refused."""
    return Chosen.of(specs).metrics


@keywords(ScoreOptions)
def score(
    data: EvaluationSet | Texts | Any,
    references: References | Specs | None = None,
    specs: Specs | None = None,
    *,
    sources: Sequence[Any] | None = None,
    progress: Progress | None = None,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Every metric for every system, with a bootstrap interval where `ci` asks for one.

    Either `score(data, metrics)` or `score(hypotheses, references, metrics)`; without metrics they are those of
    `DEFAULT_METRICS`.

    Args:
        data: an evaluation set, anything `load` reads, or hypotheses: those of one system, or of several by name
        references: a text or a list of texts for each hypothesis; beside an evaluation set the metrics
        specs: a metric's spec, such as "chrf(word=2)", or several
        sources: the text (table, dialogue) that each hypothesis was made from
        progress: called with a system's name and the segments done since the last call

    >>> round(score(["the cat sat on the mat"], ["the cat sat on a mat"], "wer").scores[0].value, 3)
    0.167
    >>> score({"a": ["x y"], "b": ["x z"]}, [["x y", "y x"]], ["wer", "chrf"])["a", "chrf"].value
    100.0
    """
    ci, level, cluster, interval = options["ci"], options["level"], options["cluster"], options["interval"]
    trials, seed, jobs = options["trials"], options["seed"], options["jobs"]
    check_draws(trials, level, seed)
    if ci:
        check_interval_draws(trials)
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"jobs must be a whole number from 1 up; got {jobs!r}")
    data, asked = _given(data, references, specs, sources)
    chosen = asked.metrics
    _require(data, chosen)
    columns = [data.column(system) for system in data.systems]
    grouped = item_labels(data, cluster) if ci and cluster is not None else None
    summed, of_sets = split(chosen)
    rows = system_rows(columns, summed, jobs=jobs, progress=progress) if summed else {}
    texts = SetTexts(columns, of_sets)
    limits: Limits = {}
    remarks = [*copy_notes(columns), *text_remarks(chosen, columns, data.language)]
    if ci:
        clusters = {column.system: _labels_of(column, grouped) for column in columns}
        limits, noted = _intervals(rows, summed, clusters, trials=trials, level=level, seed=seed, interval=interval)
        more, told = _set_intervals(texts, clusters, level=level, groups=trials, seed=seed)
        limits |= more
        sizes = [len(column) for column in columns]
        remarks += [*noted, *told, *resampling_remarks(cluster, grouped and grouped.values(), sizes, interval, level)]
    if segments := options["segments"]:
        known = {column.system: texts.segments(column.system) for column in columns}
        parts = (segment_rows(column, rows.get(column.system, {}), chosen, known[column.system]) for column in columns)
        write_rows(chain.from_iterable(parts), segments)
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
            results.append(
                Score(
                    column.system, str(metric), value, n=len(column), low=low, high=high, level=level, details=details
                )
            )
    clustered = label_fact("cluster", cluster, grouped)
    said = facts(ScoreOptions, options, interval={"ci": ci_fact(interval, trials)}, cluster=clustered) if ci else {}
    return _scores(results, asked, data.summary, data.digests, said, [*remarks, *texts.remarks()])


def score_large(
    source: Mapping[str, Any],
    specs: Specs = DEFAULT_METRICS,
    *,
    segments: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """As `score`, for data that do not fit into memory: `source` holds the arguments of `nlgauge.io.stream`."""
    asked = Chosen.of(specs)
    totals = score_stream(source, asked.metrics, segments=segments, jobs=jobs, progress=progress)
    results = [
        Score(
            system,
            str(metric),
            float(metric.score(sums[metric.rows_key()])),
            totals.segments[system],
            details=metric.details(sums[metric.rows_key()]),
        )
        for system, sums in totals.sums.items()
        for metric in asked.metrics
    ]
    return _scores(results, asked, totals.tally.summary(), totals.tally.digests, {})


@keywords(CompareOptions)
def compare(
    data: EvaluationSet | Texts | Any,
    references: References | Specs | None = None,
    specs: Specs | None = None,
    *,
    sources: Sequence[Any] | None = None,
    progress: Progress | None = None,
    **options: Unpack[CompareOptions],
) -> Comparisons:
    """Differences between systems with intervals and paired tests: against `baseline`, or all pairs without one.

    p-values are corrected by Holm's method within each metric; without `trials` the test makes as many as that needs.
    Intervals are of one difference each; simultaneous ones beside them hold for all differences of a metric at once
    (max-t over the bootstrap's draws; Bonferroni's for metrics of whole sets).

    Args:
        data: an evaluation set, anything `load` reads, or hypotheses by system
        references: a text or a list of texts for each hypothesis; beside an evaluation set the metrics
        specs: a metric's spec, such as "chrf(word=2)", or several
        sources: the text (table, dialogue) that each hypothesis was made from
        progress: called with a system's name and the segments done since the last call

    >>> texts = {"ours": ["a b c", "d e f", "g h"] * 9, "theirs": ["a b", "d f", "g h"] * 9}
    >>> found = compare(texts, ["a b c", "d e f", "g h"] * 9, "wer", baseline="theirs")
    >>> found["ours"].better, round(found["ours"].delta, 2), found["ours"].p < 0.01
    (True, -0.25, True)
    """
    test, level, cluster, interval = options["test"], options["level"], options["cluster"], options["interval"]
    seed, baseline = options["seed"], options["baseline"]
    check_draws(options["trials"] or 1, level, seed)
    data, asked = _given(data, references, specs, sources)
    chosen = asked.metrics
    summed, of_sets = split(chosen)
    if of_sets and test == "bootstrap":
        raise InputError(
            f"the paired bootstrap draws items twice, which makes any set less varied, so it says nothing about "
            f"{of_sets[0]}; use {option('test', 'ar')}"
        )
    pairs = _pairs(data, baseline)
    trials = options["trials"] or trials_for(len(pairs), DEFAULT_TRIALS[test])
    _require(data, chosen)
    columns = aligned(data, options["common"])
    grouped = item_labels(data, cluster) if cluster is not None else None
    labels = _labels_of(columns[0], grouped)
    rows = system_rows(columns, summed, jobs=options["jobs"], progress=progress) if summed else {}
    refuse_identical(rows, summed, pairs)
    texts = SetTexts(columns, of_sets)
    tested = _tested(rows, texts, pairs, summed, labels, {**options, "trials": trials})
    found: list[Comparison] = []
    noted: list[str] = []
    for metric in chosen:
        outcomes = [tested[(system, metric), (other, metric)] for system, other in pairs]
        found += comparisons(str(metric), pairs, outcomes, test=test, direction=metric.direction)
        noted += pair_remarks(str(metric), pairs, outcomes)
    n = len(columns[0])
    swapped = test == "ar"
    remarks = [
        *copy_notes(columns),
        *text_remarks(chosen, columns, data.language),
        *resampling_remarks(cluster, labels, [n], interval, level, swapped=swapped),
        *noted,
        *together_remarks(found),
        *([] if swapped else [LIBERAL]),
        *trials_remarks(trials, len(pairs), None if options["trials"] else DEFAULT_TRIALS[test]),
        *model_remarks(chosen),
        *texts.remarks(tested=True),
    ]
    if dropped := sum(data.missing().values()) if options["common"] else 0:
        remarks.append(f"compared on the {n:,} items that all systems have; {dropped:,} segments were left out")
    drawn = {"ci": ci_fact(interval, INTERVAL_TRIALS if swapped else trials)} if swapped or interval == "bca" else {}
    said = facts(
        CompareOptions,
        options,
        test={"test": f"{test}:{trials}"},
        interval=drawn,
        cluster=label_fact("cluster", cluster, grouped),
        baseline=family_facts(baseline, len(pairs)),
    )
    return Comparisons(
        comparisons=tuple(found),
        receipts=receipts(chosen, data.summary, data.digests, [n], said),
        notes=(*data_notes(data.summary), *remarks),
        seed=seed,
        family=len(pairs),
        places={str(metric): metric.places for metric in chosen},
        rankings=rankings(found),
    )


def _tested(
    rows: Mapping[str, Mapping[str, Array]],
    texts: SetTexts,
    pairs: Sequence[tuple[str, str]],
    summed: Sequence[Metric],
    labels: list[str] | None,
    options: CompareOptions,
) -> dict[tuple[tuple[str, Metric], tuple[str, Metric]], stats.PairedTest]:
    """The paired test of every pair by every metric: over rows, and of sets by computing them anew."""
    trials = options["trials"]
    assert trials is not None
    tested = stats.paired_tests(
        {(system, metric): rows[system][metric.rows_key()] for system in rows for metric in summed},
        {(system, metric): metric.score for system in rows for metric in summed},
        [((system, metric), (other, metric)) for metric in summed for system, other in pairs],
        test=options["test"],
        trials=trials,
        seed=options["seed"],
        level=options["level"],
        ties=options["ties"],
        interval=options["interval"],
        clusters=labels,
        family=lambda pair: pair[0][1],
    )
    for metric in texts.metrics:
        for system, other in pairs:
            tested[(system, metric), (other, metric)] = texts.test(
                metric,
                system,
                other,
                trials=trials,
                seed=options["seed"],
                level=options["level"],
                groups=INTERVAL_TRIALS,
                ties=options["ties"],
                clusters=labels,
            )
    return tested


def _given(data: Any, second: Any, third: Specs | None, sources: Sequence[Any] | None) -> tuple[EvaluationSet, Chosen]:
    """The set and the metrics, from data and metrics or from hypotheses, references and metrics."""
    systems = _systems(data, listed=second is not None and third is not None)
    if systems is None:
        if (third is not None and second is not None) or sources is not None:
            raise InputError(
                "references or sources beside data that bring their own; leave them out, or give hypotheses as a list"
            )
        chosen = Chosen.of(second or third or DEFAULT_METRICS)  # a misspelt one is refused before data are read
        return data if isinstance(data, EvaluationSet) else load(data), chosen
    if third is None and isinstance(second, str | Metric):
        second, third = None, second
    references = per_segment([()] * max(map(len, systems.values())) if second is None else second)
    for system, texts in systems.items():
        check_texts(texts, references, needed=False)
        wrong = next((place for place, text in enumerate(texts) if not isinstance(text, str)), None)
        if wrong is not None:
            whose = "" if system == UNNAMED else f" of {system}"
            raise InputError(f'hypothesis {wrong}{whose} is {texts[wrong]!r}, no text; use "" for an empty output')
    return EvaluationSet.of(systems, references, sources), Chosen.of(third or DEFAULT_METRICS)


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
) -> tuple[Limits, list[str]]:
    """Intervals by system and metric, and remarks; systems of the same size (and clusters) share their draws."""
    groups: dict[object, list[str]] = {}
    for system, mine in rows.items():
        clusters = labels[system]
        size = len(next(iter(mine.values())))
        groups.setdefault(size if clusters is None else tuple(clusters), []).append(system)
    limits: Limits = {}
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
            limits[system, metric] = (result.low, result.high)
            remarks += [f"{metric}, {system}: {text}" for text in result.notes]
    return limits, remarks


def _set_intervals(
    texts: SetTexts, labels: Mapping[str, list[str] | None], *, level: float, groups: int, seed: int
) -> tuple[Limits, list[str]]:
    """Intervals of the set metrics by system and metric, and remarks."""
    limits: Limits = {}
    remarks: list[str] = []
    for system, clusters in labels.items():
        for metric in texts.metrics:
            spread = texts.interval(metric, system, level=level, groups=groups, seed=seed, clusters=clusters)
            limits[system, metric] = (spread.low, spread.high)
            if spread.standard_error == 0:
                remarks.append(
                    f"{metric}, {system}: leaving out any item changes nothing, so the interval has no width, which "
                    "is not certainty"
                )
    return limits, remarks


def _labels_of(column: Column, labels: Labels | None) -> list[str] | None:
    return None if labels is None else [labels[item] for item in column.items]


def _pairs(data: EvaluationSet, baseline: str | None) -> list[tuple[str, str]]:
    systems = data.systems
    if len(systems) < 2:
        raise InputError(
            f"{data.origin} holds one system only ({systems[0]!r}); a comparison needs at least two on the same items"
        )
    return system_pairs(systems, baseline)


def _scores(
    results: Sequence[Score],
    chosen: Chosen,
    summary: Summary,
    digests: Callable[..., Mapping[str, str]],
    said: Mapping[str, object],
    remarks: Sequence[str] = (),
) -> Scores:
    return Scores(
        tuple(results),
        receipts(chosen.metrics, summary, digests, [score.n for score in results], said),
        directions={str(metric): metric.direction for metric in chosen.metrics},
        notes=(*data_notes(summary), *size_notes(results), *remarks, *model_remarks(chosen.metrics)),
        places={str(metric): metric.places for metric in chosen.metrics},
        spellings=chosen.spellings,
    )
