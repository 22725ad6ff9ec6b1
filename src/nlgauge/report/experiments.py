"""Experiments with controlled corpora as tables and plots, for the terminal and for a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.errors import counted
from nlgauge.experiments.analysis import Cellmean, Effect, Verdict
from nlgauge.experiments.design import NEEDED
from nlgauge.report.components import grid, header, section, table_of, titled
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.scatter import curves
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_parts
from nlgauge.wording.numbers import exact_p, limited
from nlgauge.wording.paper import Part

if TYPE_CHECKING:
    from nlgauge.experiments.run import Experiment, Experiments

TITLE = "Experiments with controlled corpora"
COUNTS = ("templates", "entropy", "names", NEEDED)  # the other measures are shares
NOTES = (
    "Effects are mean differences over seeds, the combinations of the other factors averaged, with Student's limits "
    "(95 %); g is Hedges' g of the differences, p that of the exact sign-flip test, Holm the same adjusted for all "
    "claims and systems of the command.",
    "A claim holds where the limits leave 0 out on the side expected and p is .05 at the most; it is said for this "
    "corpus and these systems.",
)
LOGS = "Examples needed are compared as ratios: an effect of ×2 is twice as many."


def print_experiments(found: Experiments) -> None:
    """All tables, each under its heading."""
    for experiment in found.experiments:
        print_lines([*_about(experiment, several=len(found.experiments) > 1)])
        print_parts(parts(experiment))
    print_lines([f"note: {text}" for text in notes(found)])


def write_experiments(found: Experiments, path: str | Path) -> Path:
    """Write a page and return its path."""
    several = len(found.experiments) > 1
    body = [header(TITLE, " ".join(notes(found)))]
    for experiment in found.experiments:
        tables = [titled(part[0], table_of(part)) for part in parts(experiment)]
        about = " ".join(_about(experiment, several=several))
        body.append(section(experiment.design.name, about, grid(figures(experiment)), *tables))
    return write(page(TITLE, *body, closing=NUMBERS), path)


def notes(found: Experiments) -> list[str]:
    """What the numbers are, and how long they took."""
    needed = any(experiment.design.needed for experiment in found.experiments)
    minutes = f"{found.seconds / 60:.1f} minutes" + (f" ({found.device})" if found.device else "")
    return [*NOTES, *([LOGS] if needed else []), minutes]


def parts(experiment: Experiment) -> list[Part]:
    """The claims, the effect of each factor, the means of all combinations."""
    made = [_claims(experiment.analysis.verdicts)] if experiment.analysis.verdicts else []
    made += [_effects(experiment, factor) for factor in experiment.design.factors if _of(experiment, factor)]
    return [*made, *_needed(experiment), *_means(experiment)]


def figures(experiment: Experiment) -> list[Figure]:
    """The effects of each factor on each measure; curves where it was asked how many are needed."""
    made = []
    several = len({row.test for row in experiment.analysis.means}) > 1
    for factor in experiment.design.factors:
        for measure in experiment.design.measures:
            rows = []
            for row in _of(experiment, factor):
                if row.measure == measure and math.isfinite(row.estimate):
                    label = f"{row.system}{f', {row.test}' if several else ''}, {row.level}"
                    about = f"{row.level} beside {row.baseline}: {_difference(row)}"
                    rows.append(Row(label, row.estimate, row.low, row.high, about=about))
            if rows:
                heading = f"{measure} by {factor}"
                told = "; ".join(f"{row.label}: {row.about}" for row in rows)
                axis = f"difference from {_of(experiment, factor)[0].baseline}"
                drawing = Panel(rows, title=heading, desc=told, axis=axis, zero=True).draw()
                made.append(Figure("effects", heading, "", drawing))
    return [*made, *_curves(experiment)]


def _curves(experiment: Experiment) -> Iterator[Figure]:
    needed = experiment.design.needed
    if not needed:
        return
    first = {factor: next(iter(experiment.design.levels(factor))) for factor in experiment.design.factors}
    for system in experiment.design.systems:
        lines: dict[str, list[tuple[float, float]]] = {}
        for row in experiment.analysis.means:
            if row.system == system and row.measure == needed.measure:
                others = {factor: level for factor, level in row.levels.items() if factor != needed.over}
                moved = [f"{factor} {level}" for factor, level in others.items() if level != first[factor]]
                point = (math.log2(float(row.levels[needed.over])), row.estimate)
                lines.setdefault(", ".join(moved) or "base", []).append(point)
        heading = f"{system}: {needed.measure} by {needed.over}"
        drawn = [
            (name, [x for x, _ in sorted(points)], [y for _, y in sorted(points)]) for name, points in lines.items()
        ]
        drawing = curves(drawn, x_name=f"log2 of {needed.over}", y_name=needed.measure, title=heading)
        yield Figure("curves", heading, "", drawing)


def _about(experiment: Experiment, *, several: bool) -> list[str]:
    design = experiment.design
    size = f"{counted(len(design.combinations), 'combination')}, {counted(design.seeds, 'seed')}"
    return [f"{f'{design.name}: ' if several else ''}{size} from {design.first_seed}.", design.about]


def _claims(verdicts: Sequence[Verdict]) -> Part:
    cells, beyond = [], dict[str, None]()
    for row in verdicts:
        verdict = row.verdict + (f" ({row.bound})" if row.bound else "")
        holm = exact_p(row.p_adjusted) if math.isfinite(row.p_adjusted) else ""
        cells.append([row.claim, row.system, verdict, *_told(row.effect), holm])
        if row.censored:
            beyond[f"{row.censored} of {row.values} values of {row.system}"] = None
    heading = "Claims"
    heading += f" (examples needed lie beyond the levels tried in {', '.join(beyond)})" if beyond else ""
    return heading, ["claim", "system", "verdict", "means", "effect", "g", "p", "Holm"], cells, [3, 4, 5, 6, 7]


def _told(row: Effect) -> list[str]:
    """Both means, their difference, its size and p."""
    means = f"{_value(row.measure, row.baseline_mean)} → {_value(row.measure, row.level_mean)}"
    return [means, _difference(row), f"{row.size:+.2f}" if math.isfinite(row.size) else "–", exact_p(row.p)]


def _of(experiment: Experiment, factor: str) -> list[Effect]:
    return [row for row in experiment.analysis.effects if row.factor == factor and row.seeds]


def _effects(experiment: Experiment, factor: str) -> Part:
    several = len({row.test for row in experiment.analysis.effects}) > 1
    cells = [
        [row.system, *([row.test] if several else []), row.measure, row.level, *_told(row)]
        for row in _of(experiment, factor)
    ]
    headers = ["system", *(["test"] if several else []), "measure", "level", "means", "effect", "g", "p"]
    last = len(headers)
    return f"{factor}: beside {_of(experiment, factor)[0].baseline}", headers, cells, list(range(last - 4, last))


def _needed(experiment: Experiment) -> Iterator[Part]:
    """How many are needed at each combination of the other factors."""
    asked = experiment.design.needed
    rows = [row for row in experiment.analysis.means if row.measure == NEEDED]
    if not asked or not rows:
        return
    factors = list(rows[0].levels)
    cells = [[row.system, row.test, *row.levels.values(), _limited(row)] for row in rows]
    levels = list(experiment.design.levels(asked.over))
    ends = f"{levels[0]}: so many or fewer; one step above {levels[-1]}: more"
    heading = f"{asked.over} needed for {asked.measure} {asked.reach:.0%}, geometric means over seeds ({ends})"
    yield heading, ["system", "test", *factors, "needed"], cells, [2 + len(factors)]


def _means(experiment: Experiment) -> Iterator[Part]:
    """Of each test set, the measures side by side."""
    for test in dict.fromkeys(row.test for row in experiment.analysis.means):
        rows = [row for row in experiment.analysis.means if row.test == test]
        wanted = [name for name in experiment.design.measures if any(row.measure == name for row in rows)]
        by: dict[tuple[str, ...], dict[str, Cellmean]] = {}
        for row in rows:
            if row.measure in wanted:
                by.setdefault((row.system, *row.levels.values()), {})[row.measure] = row
        factors = list(experiment.design.factors)
        cells = [
            [*place, *(_limited(found[name]) if name in found else "" for name in wanted)]
            for place, found in by.items()
        ]
        first = 1 + len(factors)
        yield f"Means, {test}", ["system", *factors, *wanted], cells, list(range(first, first + len(wanted)))


def _limited(row: Cellmean) -> str:
    return limited(lambda value: _value(row.measure, value), row.estimate, row.low, row.high)


def _value(measure: str, value: float) -> str:
    if not math.isfinite(value):
        return ""
    if measure == NEEDED:
        return f"{2**value:.1f}"
    return f"{value:.2f}" if measure in COUNTS else f"{value:.1%}"


def _difference(row: Effect) -> str:
    """The effect with its limits: in points of per cent, as a ratio, or as it is."""

    def told(value: float) -> str:
        if row.measure == NEEDED:
            return f"×{2**value:.2f}"
        return f"{value:+.2f}" if row.measure in COUNTS else f"{100 * value:+.1f}"

    return limited(told, row.estimate, row.low, row.high)
