"""What a meta-evaluation returns: correlations with intervals, groups of metrics that differ, and the points behind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from nlgauge.errors import option
from nlgauge.jsonable import Jsonable
from nlgauge.results import Result, Rows
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.wording.numbers import ALPHA, LEAST_P, capitalised, interval, listing, number, p_value, percent
from nlgauge.wording.paper import Paper, Part
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS, plain_table

if TYPE_CHECKING:
    from nlgauge.stats.regression import Line

PLACES = 3
FEWEST = 5  # systems over which a correlation may be talked about


@dataclass(frozen=True)
class MetaCorrelation(Jsonable):
    """One metric against one criterion. `n` outputs (systems at system level, pairs for pairs) have both scores."""

    metric: str
    criterion: str
    level: str
    statistic: str
    value: float
    low: float
    high: float
    n: int
    direction: str = "higher"
    average: str = "none"
    groups: int = 1
    cluster: int = 0
    notes: tuple[str, ...] = ()
    letters: str = ""  # metrics that share one do not differ significantly
    floor: float = 0.0  # the value of a metric that knows nothing
    threshold: float = math.nan  # differences of the metric up to it are ties, where ties were calibrated

    def in_group(self, group: tuple[int, str] | None) -> MetaCorrelation:
        """The cell with its group among the metrics: rank and letters."""
        return self if group is None else replace(self, cluster=group[0], letters=group[1])

    def level_with(self, other: MetaCorrelation) -> bool:
        """Whether no significant difference was found."""
        return bool(set(self.letters) & set(other.letters))

    @property
    def turned(self) -> bool:
        """Whether a negative value is the good one: less of the metric is better, and its scores were not turned."""
        return self.direction == "lower" and not STATISTICS[self.statistic].oriented

    @property
    def strength(self) -> float:
        """The value with its sign turned for metrics of which less is better: large is good. NaN sorts last."""
        if math.isnan(self.value):
            return -math.inf
        return -self.value if self.turned else self.value

    @property
    def against(self) -> bool:
        """Whether the metric goes against people: its whole interval lies on the wrong side."""
        return self.low > 0 if self.turned else self.high < self.floor

    @property
    def follows(self) -> bool:
        """Whether the metric goes with people, beyond what knows nothing; with its whole interval, if there is one."""
        worst = -self.high if self.turned else self.low
        return self.strength > self.floor and not worst <= self.floor


@dataclass(frozen=True)
class MetricTest(Jsonable):
    """Whether one metric correlates better with a criterion than another; p is adjusted by Holm's method."""

    criterion: str
    statistic: str
    better: str
    worse: str
    difference: float
    p: float
    p_adjusted: float
    method: str
    test: str = "ar"
    trials: int = 0

    @property
    def brief(self) -> str:
        """The test for a receipt, such as `perm-input:1000`."""
        return f"{self.test}:{self.trials}" if self.trials else self.test


@dataclass(frozen=True)
class Points:
    """What a scatter plot shows: one point per output or system."""

    human: Sequence[float]
    metric: Sequence[float]
    labels: Sequence[str] = ()

    def line(self, level: float) -> Line | None:
        """People's judgement by the metric's score, as a straight line."""
        from nlgauge.stats.regression import least_squares

        return least_squares(self.metric, self.human, level=level)


@dataclass(frozen=True)
class MetaEvaluation(Result, Rows[MetaCorrelation]):
    """The table of metrics by criteria."""

    KEYS = "correlations, tests, clusters, settings, notes, receipts, sentence"

    correlations: tuple[MetaCorrelation, ...]
    tests: tuple[MetricTest, ...] = ()
    notes: tuple[str, ...] = ()
    receipts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    points: Mapping[tuple[str, str], Points] = field(default_factory=dict, repr=False)

    ROWS, NAMED = "correlations", ("metric", "criterion", "statistic")

    def paper(self) -> Paper:
        """A table of metrics by criteria for each statistic."""
        parts: list[Part] = []
        for statistic in self.statistics:
            headers, rows = table_cells(self, statistic)
            name = f": {STATISTICS[statistic].words}" if len(self.statistics) > 1 else ""
            parts.append((f"Metrics against people{name}", headers, rows, list(range(1, len(headers)))))
        rows_of = [cell.to_dict() for cell in self.correlations]
        return Paper(parts, [self.sentence()], self.notes, rows_of, legend=legend(self))

    @property
    def metrics(self) -> list[str]:
        """Metrics, in the order they were asked for."""
        return list(dict.fromkeys(cell.metric for cell in self.correlations))

    @property
    def criteria(self) -> list[str]:
        """Criteria, in the order they were asked for."""
        return list(dict.fromkeys(cell.criterion for cell in self.correlations))

    @property
    def statistics(self) -> list[str]:
        """Statistics, in the order they were asked for."""
        return list(dict.fromkeys(cell.statistic for cell in self.correlations))

    def get(self, metric: str, criterion: str, statistic: str | None = None) -> MetaCorrelation:
        """One cell."""
        wanted = statistic or self.statistics[0]
        for cell in self.correlations:
            if (cell.metric, cell.criterion, cell.statistic) == (metric, criterion, wanted):
                return cell
        raise KeyError((metric, criterion, wanted))

    def ranked(self, criterion: str, statistic: str) -> list[MetaCorrelation]:
        """The metrics from best to worst."""
        cells = [cell for cell in self.correlations if (cell.criterion, cell.statistic) == (criterion, statistic)]
        return sorted(cells, key=lambda cell: -cell.strength)

    def clusters(self) -> list[dict[str, Any]]:
        """Per criterion and statistic the metrics in groups, best first, between which differences are significant."""
        found = []
        for statistic in self.statistics:
            for criterion in self.criteria:
                groups: dict[int, list[str]] = {}
                for cell in self.ranked(criterion, statistic):
                    if cell.cluster:
                        groups.setdefault(cell.cluster, []).append(cell.metric)
                if groups:
                    members = [groups[key] for key in sorted(groups)]
                    found.append({"criterion": criterion, "statistic": statistic, "clusters": members})
        return found

    def sentence(self) -> str:
        """What may be concluded, in words: for each criterion the best metric, whether it stands out, by what test."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """The conclusion, the lead over the runner-up, the test."""
        statistic = self.statistics[0]
        if self.settings.get("level") == "system" and (most := max(cell.n for cell in self.correlations)) < FEWEST:
            return [
                f"No conclusion: {most} systems are too few to say which metric follows people; at least {FEWEST} are "
                f"needed, or {option('level', 'segment')}."
            ]
        where = "over systems" if self.settings.get("level") == "system" else "over outputs"
        averaged = {"item": ", averaged over items", "system": ", averaged over systems"}
        where += averaged.get(str(self.settings.get("average")), "")
        if self.settings.get("pairs"):
            where = f"over {self.settings['pairs']:,} pairs of outputs"
        found = [f"By {STATISTICS[statistic].words} {where}: {'; '.join(_winners(self, statistic))}"]
        leads = _leads(self, statistic)
        found += [f"Lead over the runner-up: {'; '.join(leads)}"] if leads else []
        found += [tested] if (tested := self.tested(statistic)) else []
        return [f"{text}." for text in found]

    def tested(self, statistic: str) -> str:
        """The test between metrics, in the words of a methods section (no full stop); empty where none was made."""
        tests = [test for test in self.tests if test.statistic == statistic]
        if not tests:
            return ""
        most = max(sum(test.criterion == criterion for test in tests) for criterion in self.criteria)
        over = f"Holm over {most:,} pairs{' within each criterion' if len(self.criteria) > 1 else ''}"
        how = listing(list(dict.fromkeys(test.method for test in tests)))
        return f"{capitalised(how)}, {over if most > 1 else 'one pair'}, α = {ALPHA}"

    def __str__(self) -> str:
        lines = []
        for statistic in self.statistics:
            headers, rows = table_cells(self, statistic)
            if len(self.statistics) > 1:
                lines += [f"{STATISTICS[statistic].words}"]
            lines += [plain_table(headers, rows, right=range(1, len(headers))), ""]
        return "\n".join([*lines, *footer(self)])


def table_cells(found: MetaEvaluation, statistic: str) -> tuple[list[str], list[list[str]]]:
    """Headers and rows `value [low to high] cluster`: a metric a row, from best to worst mean strength."""
    headers = ["metric", *found.criteria]
    rows, best = [], leaders(found, statistic)
    rooms = {
        criterion: max(len(cell.letters) for cell in found.ranked(criterion, statistic)) for criterion in found.criteria
    }
    for metric in ordered(found, statistic):
        cells = [found.get(metric, criterion, statistic) for criterion in found.criteria]
        arrow = ARROWS[cells[0].direction]
        shown = (_cell(cell, best=cell in best, room=rooms[cell.criterion]) for cell in cells)
        rows.append([f"{metric} {arrow}", *shown])
    return headers, rows


def leaders(found: MetaEvaluation, statistic: str) -> list[MetaCorrelation]:
    """The best cell of each criterion, and those that are printed alike; none where there is one metric only."""
    if len(found.metrics) < 2:
        return []
    best = []
    for criterion in found.criteria:
        cells = [cell for cell in found.ranked(criterion, statistic) if math.isfinite(cell.strength)]
        best += [cell for cell in cells if number(cell.strength, PLACES) == number(cells[0].strength, PLACES)]
    return best


def floor_notes(cells: Sequence[MetaCorrelation]) -> list[str]:
    """What a metric that knows nothing reaches, and up to which difference scores were taken for ties."""
    notes = []
    for criterion, statistic in dict.fromkeys((cell.criterion, cell.statistic) for cell in cells):
        mine = [cell for cell in cells if (cell.criterion, cell.statistic) == (criterion, statistic)]
        floors = sorted({number(cell.floor, PLACES) for cell in mine if math.isfinite(cell.floor)})
        if not STATISTICS[statistic].share or not floors:
            continue
        reached = floors[0] if len(floors) == 1 else f"{floors[0]} to {floors[-1]}, by the metric's own ties"
        ties = [
            f"{cell.metric} {cell.threshold:.3g}" for cell in mine if math.isfinite(cell.threshold) and cell.threshold
        ]
        calibrated = f"; differences of scores that count as ties: up to {listing(ties)}" if ties else ""
        notes.append(
            f"{statistic} with {criterion}: a metric that knows nothing is expected to reach {reached}{calibrated}"
        )
    return notes


def against_notes(cells: Sequence[MetaCorrelation]) -> list[str]:
    """A word about each metric that goes significantly against people."""
    found: dict[tuple[str, str], list[MetaCorrelation]] = {}
    for cell in cells:
        if cell.against:
            found.setdefault((cell.metric, cell.statistic), []).append(cell)
    several = len({cell.statistic for cell in cells}) > 1
    notes = []
    for (metric, statistic), wrong in found.items():
        shown = listing([f"{cell.criterion} ({_cell(cell, plain=True)})" for cell in wrong])
        by = f" by {STATISTICS[statistic].words}" if several else ""
        notes.append(
            f"{metric} goes against people on {shown}{by}: {wrong[0].direction} is better by its definition, but "
            "the outputs it calls better were rated worse"
        )
    return notes


def ordered(found: MetaEvaluation, statistic: str) -> list[str]:
    """Metrics by their mean strength over the criteria, those without any defined value last."""
    mean = {}
    for metric in found.metrics:
        known = [
            cell.strength
            for cell in (found.get(metric, criterion, statistic) for criterion in found.criteria)
            if math.isfinite(cell.strength)
        ]
        mean[metric] = sum(known) / len(known) if known else -math.inf
    return sorted(found.metrics, key=lambda metric: -mean[metric])


def _cell(cell: MetaCorrelation, *, best: bool = False, plain: bool = False, room: int = 0) -> str:
    """`value* [low–high] letters`, with room for so many letters; plain without a mark and the room for one."""
    bounds = interval(cell.low, cell.high, PLACES)
    group = f" {cell.letters.ljust(room)}" if room else ""
    mark = "" if plain else "!" if cell.against else "*" if best else " "
    return number(cell.value, PLACES) + mark + (f" [{bounds}]" if bounds else "") + group


def legend(found: MetaEvaluation) -> str:
    """What the arrows, marks, brackets and letters of a table mean."""
    keys = ["↑ higher is better, ↓ lower is better"]
    settings = found.settings
    if len(found.metrics) > 1:
        keys += ["* best of its column", f"rows sorted by {row_order(found)}"]
    if any(cell.against for cell in found.correlations):
        keys.append("! its whole interval goes against people")
    if settings.get("draws"):
        keys.append(
            f"[…] {percent(float(settings['confidence']))} interval, bootstrap over {settings['over']}, "
            f"{settings['draws']:,} draws"
        )
    if any(cell.letters for cell in found.correlations):
        keys.append("a, b, …: metrics of a column that share a letter do not differ significantly")
    return "; ".join(keys)


def footer(found: MetaEvaluation) -> list[str]:
    """Legend, conclusion, notes and receipts."""
    lines = [legend(found), "", found.sentence()]
    lines += [f"note: {text}" for text in found.notes]
    return [*lines, "", *folded(found.receipts.values())] if found.receipts else lines


def row_order(found: MetaEvaluation) -> str:
    """How the rows are sorted, in words."""
    lower = any(cell.direction == "lower" for cell in found.correlations)
    plain = not any(STATISTICS[name].oriented for name in found.statistics)
    what = "correlation" + (" (signs of ↓ metrics reversed)" if lower and plain else "")
    return what if len(found.criteria) == 1 else f"mean {what} over the criteria"


def _winners(found: MetaEvaluation, statistic: str) -> list[str]:
    """One clause for each metric that is the best on some criteria."""
    best: dict[str, list[MetaCorrelation]] = {}
    undefined = []
    for criterion in found.criteria:
        cells = [cell for cell in found.ranked(criterion, statistic) if math.isfinite(cell.strength)]
        if cells:
            best.setdefault(cells[0].metric, []).append(cells[0])
        else:
            undefined.append(criterion)
    parts = [f"no metric has a defined correlation with {listing(undefined)}"] if undefined else []
    parts += _unfollowed([cell for cells in best.values() for cell in cells], len(found.metrics) == 1)
    for metric, found_best in best.items():
        cells = found_best if len(found.metrics) == 1 else [cell for cell in found_best if cell.follows]
        if not cells:
            continue
        shown = listing([f"{cell.criterion} ({number(cell.value, PLACES)})" for cell in cells])
        if len(found.metrics) == 1:
            parts.append(f"{metric} with {shown}")
            continue
        parts.append(f"{metric} follows {shown} best{_ahead(found, cells, statistic)}")
    return parts


def _unfollowed(best: Sequence[MetaCorrelation], alone: bool) -> list[str]:
    """The criteria that no metric follows, though one of several metrics is the best on them."""
    parts = []
    for cell in best:
        if cell.follows or alone:
            continue
        shown = f"{cell.metric} ({number(cell.value, PLACES)})"
        if cell.strength <= cell.floor:
            parts.append(f"no metric follows {cell.criterion}: even the best, {shown}, does not go with people")
        else:
            parts.append(
                f"no metric can be said to follow {cell.criterion}: the interval of the best, {shown}, holds "
                f"{number(cell.floor, PLACES) if cell.floor else 0}"
            )
    return parts


def _ahead(found: MetaEvaluation, cells: Sequence[MetaCorrelation], statistic: str) -> str:
    """Whether a best metric is significantly ahead, criterion by criterion."""
    clear, level = [], dict[str, list[str]]()
    for cell in cells:
        rest = [
            other for other in found.ranked(cell.criterion, statistic) if other.metric != cell.metric and other.cluster
        ]
        same = [other.metric for other in rest if other.level_with(cell)]
        if not cell.cluster or not rest:
            continue
        if same:
            names = listing(same) if len(same) <= 3 else f"{len(same)} others"
            level.setdefault(names, []).append(cell.criterion)
        else:
            clear.append(cell.criterion)
    several = len(cells) > 1
    words = [f"significantly ahead of all others{f' on {listing(clear)}' if several else ''}"] if clear else []
    for names, criteria in level.items():
        words.append(f"not significantly ahead of {names}{f' on {listing(criteria)}' if several else ''}")
    return f", {'; '.join(words)}" if words else ""


def _leads(found: MetaEvaluation, statistic: str) -> list[str]:
    """For each criterion the difference between the best metric and the next, with its adjusted p."""
    words = []
    for criterion in found.criteria:
        ranked = [cell for cell in found.ranked(criterion, statistic) if math.isfinite(cell.strength)][:2]
        test = next(
            (
                test
                for test in found.tests
                if (test.criterion, test.statistic) == (criterion, statistic)
                and {test.better, test.worse} == {cell.metric for cell in ranked}
            ),
            None,
        )
        if test is None:
            continue
        p = p_value(test.p_adjusted)
        shown = f"adjusted p {p if test.p_adjusted < LEAST_P else f'= {p}'}"
        on = f" on {criterion}" if len(found.criteria) > 1 else ""
        words.append(f"{number(ranked[0].strength - ranked[1].strength, PLACES)} over {ranked[1].metric}{on} ({shown})")
    return words
