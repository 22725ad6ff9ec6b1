"""What may be concluded, in sentences that can stand in a paper.

A difference is called significant when its p-value, adjusted by Holm's method, is at most `ALPHA`. The
absence of a significant difference is never called equality: it is said that none was found. A difference
that was not tested is never called anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nlgauge.wording.numbers import ALPHA, capitalised, count, decimals, listing, number, p_digits, p_words
from nlgauge.wording.rankings import FEW, cluster_sentence, long_rankings

if TYPE_CHECKING:
    from nlgauge.results import Comparison, Comparisons, Scores

_TESTS = {
    "ar": "paired approximate randomisation",
    "bootstrap": "paired bootstrap resampling",
    "exact": "exact permutation of matched judgements",
    "control": "t-test with control variates",
}


@dataclass(frozen=True)
class Table:
    """The values of all systems on all metrics, from the scores or, failing those, from the comparisons."""

    values: dict[str, dict[str, float]]  # metric -> system -> value
    directions: dict[str, str]
    places: dict[str, int]

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for column in self.values.values() for system in column))

    def best(self, metric: str) -> tuple[str, ...]:
        """The systems with the best value as printed: a difference below the last decimal is a tie."""
        places = self.places[metric]
        printed = {system: number(value, places) for system, value in self.values[metric].items()}
        known = {system: float(text) for system, text in printed.items() if text[-1].isdigit()}
        if not known:
            return ()
        top = max(known.values()) if self.directions.get(metric) != "lower" else min(known.values())
        return tuple(system for system, value in known.items() if value == top)

    def ranking(self) -> list[str]:
        """Systems from best to worst by their mean rank over the metrics; ties keep the order of the data."""
        ranks: dict[str, list[int]] = {system: [] for system in self.systems}
        for metric, column in self.values.items():
            sign = 1 if self.directions.get(metric) == "lower" else -1
            for system, value in column.items():
                ranks[system].append(sum(sign * other < sign * value for other in column.values()))
        return sorted(ranks, key=lambda system: sum(ranks[system]) / len(ranks[system]))


def tabulate(scores: Scores | None, comparisons: Comparisons | None) -> Table:
    """The table behind the sentences."""
    values: dict[str, dict[str, float]] = {}
    directions: dict[str, str] = {}
    known: dict[str, int] = {}
    if comparisons is not None:
        known |= comparisons.places
        for row in comparisons.comparisons:
            directions[row.metric] = row.direction
            if scores is None:
                column = values.setdefault(row.metric, {})
                column.setdefault(row.baseline, row.baseline_value)
                column.setdefault(row.system, row.value)
    if scores is not None:
        known |= scores.places
        directions |= scores.directions
        for score in scores.scores:
            values.setdefault(score.metric, {})[score.system] = score.value
    places = {metric: known.get(metric, decimals(column.values())) for metric, column in values.items()}
    return Table(values, directions, places)


def significant(row: Comparison) -> bool:
    """Whether the difference is significant at `ALPHA` after Holm's correction."""
    return row.delta != 0 and row.p_adjusted <= ALPHA


def vanishes(row: Comparison, places: int) -> bool:
    """Whether a significant difference would be printed as nothing."""
    return significant(row) and not number(row.delta, places).strip("-0.")


def delta_places(row: Comparison, places: int) -> int:
    """Decimals for a difference and its interval: as many as the scores have, more where it would vanish."""
    return max(places, 1 - math.floor(math.log10(abs(row.delta)))) if vanishes(row, places) else places


def test_name(row: Comparison) -> str:
    """The test in words."""
    return _TESTS.get(row.test, row.test)


def headline(scores: Scores | None, comparisons: Comparisons | None) -> str:
    """Who is best by which metrics, and whether the lead over the nearest rival is significant."""
    return " ".join(sentence for sentence in headline_parts(scores, comparisons) if sentence)


def headline_parts(scores: Scores | None, comparisons: Comparisons | None) -> tuple[str, str]:
    """The two sentences of the headline; the second is empty where the leader was not tested."""
    table = tabulate(scores, comparisons)
    ranked = f"{_ranking_sentence(table, brief=True)}." if table.values else "Nothing was scored."
    if comparisons is None or not comparisons.comparisons:
        return ranked, ""
    leader = _leader(table)
    rival = _rival(leader, comparisons.comparisons)
    if rival is None:
        return ranked, ""
    clause, named = _lead_clause(leader, rival, comparisons.comparisons)
    # A system's name keeps its spelling at the start of a sentence; our own words do not.
    sentence = f"{clause if named else capitalised(clause)}."
    return ranked, " ".join([sentence, *_others(leader, comparisons.comparisons)])


def conclusion(scores: Scores | None, comparisons: Comparisons | None) -> str:
    """The sentences for a paper: best systems, significant differences, method with n, trials and seed."""
    table = tabulate(scores, comparisons)
    if not table.values:
        return "Nothing was scored."
    sentences = [f"{_ranking_sentence(table)}."]
    if comparisons is not None and comparisons.comparisons:
        sentences += _findings(comparisons, table.places)
        untested = [metric for metric in table.values if metric not in comparisons.metrics]
        if untested:
            sentences.append(f"Differences on {listing(untested)} were not tested.")
        sentences.append(f"{method(comparisons)}.")
    elif len(table.systems) > 1:
        sentences.append("The differences were not tested for significance.")
    return " ".join(sentences)


def method(comparisons: Comparisons) -> str:
    """The test, in the words of a methods section (no full stop)."""
    rows = comparisons.comparisons
    tests = listing(list(dict.fromkeys(map(_test_and_trials, rows))))
    sizes = sorted({row.n for row in rows})
    n = f"n = {count(sizes[0])}" + (f" to {count(sizes[-1])}" if len(sizes) > 1 else "")
    seed = f", seed {comparisons.seed}" if comparisons.seed is not None else ""
    over = ""
    if comparisons.family:
        many = "one comparison" if comparisons.family == 1 else f"{count(comparisons.family)} comparisons"
        over = f" over {many}" + (" within each metric" if comparisons.family < len(rows) else "")
    alone = ""
    if (comparisons.family or 0) > 1:
        ways = dict.fromkeys(row.simultaneous_method for row in rows if row.simultaneous_method)
        beside = f", simultaneous ones hold for all at once ({' or '.join(ways)})" if ways else ""
        alone = f"; intervals hold for one comparison each{beside}"
    return f"{tests[0].upper()}{tests[1:]}, {n}{seed}; p-values adjusted by Holm's method{over}, α = {ALPHA:g}{alone}"


def _test_and_trials(row: Comparison) -> str:
    return f"{test_name(row)} with {count(row.trials)} trials" if row.trials else test_name(row)


def _ranking_sentence(table: Table, *, brief: bool = False) -> str:
    metrics = list(table.values)
    if len(table.systems) == 1:
        system = table.systems[0]
        return f"{system} scores " + listing(
            [f"{number(table.values[metric][system], table.places[metric])} on {metric}" for metric in metrics]
        )
    winners: dict[tuple[str, ...], list[str]] = {}
    for metric in metrics:
        winners.setdefault(table.best(metric), []).append(metric)
    winners.pop((), None)
    ranking = table.ranking()
    ordered = sorted(winners.items(), key=lambda pair: (-len(pair[1]), ranking.index(pair[0][0])))
    if not ordered:
        return "No metric has a value"
    clauses: list[str] = []
    for systems, won in ordered:
        where = _where(won, metrics, brief=brief) if not clauses else _names(won)
        clauses.append(f"{_subject(systems, first=not clauses)} {where}")
    if brief and len(clauses) > 3:
        clauses[2:] = [f"{len(clauses) - 2} others on the rest"]
    return ", ".join(clauses)


def _subject(systems: Sequence[str], *, first: bool) -> str:
    if len(systems) > 1:
        return f"{listing(systems)} share the best score on"
    return f"{systems[0]} has the best score on" if first else f"{systems[0]} on"


def _where(won: Sequence[str], metrics: Sequence[str], *, brief: bool) -> str:
    if len(metrics) == 1:
        return metrics[0]
    which = "" if brief and len(won) > 2 else f" ({_names(won)})"
    if len(won) == len(metrics):
        return f"{_both(len(metrics))} metrics{which}"
    return f"{len(won)} of {len(metrics)} metrics{which}"


def _names(metrics: Sequence[str]) -> str:
    return listing(metrics)


def _leader(table: Table) -> str:
    wins = dict.fromkeys(table.ranking(), 0)
    for metric in table.values:
        for system in table.best(metric):
            wins[system] += 1
    return max(wins, key=lambda system: wins[system])


def _verdicts(system: str, other: str, rows: Iterable[Comparison]) -> dict[str, int]:
    """metric -> 1 where `system` is significantly better than `other`, -1 where worse, 0 where undecided."""
    found = {}
    for row in rows:
        if {row.system, row.baseline} == {system, other}:
            sign = 1 if row.better == (row.system == system) else -1
            found[row.metric] = sign if significant(row) else 0
    return found


def _rival(leader: str, rows: Sequence[Comparison]) -> str | None:
    """The tested system over which the leader's lead is significant on the fewest metrics."""
    others = _tested_against(leader, rows)
    if not others:
        return None
    return min(others, key=lambda other: sum(_verdicts(leader, other, rows).values()))


def _tested_against(leader: str, rows: Sequence[Comparison]) -> list[str]:
    pairs = (row for row in rows if leader in (row.system, row.baseline))
    return list(dict.fromkeys(row.baseline if row.system == leader else row.system for row in pairs))


def _others(leader: str, rows: Sequence[Comparison]) -> Iterator[str]:
    """Over how many of several systems the lead is significant, by every metric."""
    verdicts = [_verdicts(leader, other, rows) for other in _tested_against(leader, rows)]
    if len(verdicts) > 1:
        beaten, total = sum(min(found.values()) == 1 for found in verdicts), len(verdicts)
        many = "all" if beaten == total else beaten or "none"
        metrics = listing(list(verdicts[0])) if len(verdicts[0]) == 1 else "every metric tested"
        better = f"is significantly better than {many} of them on {metrics}"
        yield f"{leader} was tested against {total} systems and {better}."


def _lead_clause(leader: str, rival: str, rows: Sequence[Comparison]) -> tuple[str, bool]:
    """The clause, and whether it begins with a system's name."""
    verdicts = _verdicts(leader, rival, rows)
    won, lost, open_ = _split(verdicts)
    if not won and not lost:
        return f"no significant difference between {leader} and {rival} was found on {_any_of(open_, verdicts)}", False
    parts = []
    if won:
        parts.append(f"{leader} is significantly better than {rival} on {_all_of(won, verdicts)}")
    if lost:
        parts.append(f"{rival} is significantly better than {leader} on {_all_of(lost, verdicts)}")
    if open_:
        parts.append(f"no significant difference between them was found on {_names(open_)}")
    return "; ".join(parts), True


def _split(verdicts: dict[str, int]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    won, lost, undecided = (tuple(metric for metric, v in verdicts.items() if v == sign) for sign in (1, -1, 0))
    return won, lost, undecided


def _all_of(some: Sequence[str], everything: Iterable[str]) -> str:
    total = len(list(everything))
    return _names(some) if len(some) < total or total == 1 else f"{_both(total)} metrics tested"


def _any_of(some: Sequence[str], everything: Iterable[str]) -> str:
    total = len(list(everything))
    if len(some) < total or total == 1:
        return _names(some)
    return "either metric tested" if total == 2 else f"any of the {total} metrics tested"


def _findings(comparisons: Comparisons, places: Mapping[str, int]) -> list[str]:
    """One sentence per baseline; systems with the same outcome share a clause. Pairs of many systems are counted."""
    rows = comparisons.comparisons
    baselines = list(dict.fromkeys(row.baseline for row in rows))
    if len(baselines) >= FEW:
        return [_tally(rows), *map(cluster_sentence, long_rankings(comparisons).values())]
    sentences = []
    for baseline in baselines:
        outcomes: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        against = [row for row in rows if row.baseline == baseline]
        for system in dict.fromkeys(row.system for row in against):
            outcomes.setdefault(_split(_verdicts(system, baseline, against)), []).append(system)
        clauses = [_outcome(systems, outcome, against, places) for outcome, systems in outcomes.items()]
        sentences.append(f"Against {baseline}: {'; '.join(clauses)}.")
    if len(baselines) == 1 and len({row.system for row in rows}) > 1:
        sentences.append("Differences among the other systems were not tested.")
    return sentences


def _tally(rows: Sequence[Comparison]) -> str:
    """All pairs of many systems: how many differ, metric by metric."""
    counts: dict[str, list[int]] = {}
    for row in rows:
        tally = counts.setdefault(row.metric, [0, 0])
        tally[0] += significant(row)
        tally[1] += 1
    if not any(found for found, _ in counts.values()):
        return f"No significant difference was found for any of the pairs of systems on {listing(list(counts))}."
    words = [
        (f"all {total}" if found == total else f"{found or 'none'} of {total}") + f" pairs of systems on {metric}"
        for metric, (found, total) in counts.items()
    ]
    rest = "" if all(found == total for found, total in counts.values()) else "; for the other pairs none was found"
    return f"The difference is significant for {listing(words)}{rest}."


def _outcome(
    systems: Sequence[str],
    outcome: tuple[tuple[str, ...], ...],
    rows: Sequence[Comparison],
    places: Mapping[str, int],
) -> str:
    everything = [metric for part in outcome for metric in part]
    verb = "scores" if len(systems) == 1 else "score"
    parts = []
    for metrics, how in zip(outcome[:2], ("better", "worse"), strict=True):
        if metrics:
            chance = _p_range(systems, metrics, rows, upper=True) + _how_little(systems, metrics, rows, places)
            parts.append(f"significantly {how} on {_all_of(metrics, everything)} ({chance})")
    undecided = outcome[2]
    if not undecided:
        return f"{listing(systems)} {verb} {' and '.join(parts)}"
    where = _any_of(undecided, everything)
    chance = _p_range(systems, undecided, rows, upper=False)
    nothing = "no significant difference was found"
    if not parts:
        return f"{nothing} for {listing(systems)} on {where} ({chance})"
    return f"{listing(systems)} {verb} {' and '.join(parts)}, while {nothing} on {where} ({chance})"


def _how_little(
    systems: Sequence[str], metrics: Sequence[str], rows: Sequence[Comparison], places: Mapping[str, int]
) -> str:
    """A significant difference that the scores' decimals do not show is said to be tiny."""
    tiny = [
        row.metric
        for row in rows
        if row.system in systems and row.metric in metrics and vanishes(row, places.get(row.metric, 4))
    ]
    if not tiny:
        return ""
    names = list(dict.fromkeys(tiny))
    least = max(10.0 ** -places.get(metric, 4) for metric in names)
    return f"; by less than {least:g} on {_names(names)}"


def _both(total: int) -> str:
    return "both" if total == 2 else f"all {total}"


def _p_range(systems: Sequence[str], metrics: Sequence[str], rows: Sequence[Comparison], *, upper: bool) -> str:
    found = [row.p_adjusted for row in rows if row.system in systems and row.metric in metrics]
    if len(found) == 1:
        return f"adjusted {p_words(found[0])}"
    if upper:
        return f"adjusted p ≤ {p_digits(max(found))}"
    return f"adjusted p ≥ {p_digits(min(found))}"
