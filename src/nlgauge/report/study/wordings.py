"""Does the wording matter? The tables and the section of a study whose judges read one of several wordings."""

from __future__ import annotations

import math

from markupsafe import Markup

from nlgauge.report.components import component, details, grid, paragraph, section, table_of, titled
from nlgauge.report.figures import Figure
from nlgauge.report.study.triangle_text import Part, p_cell
from nlgauge.report.svg import Panel, Row
from nlgauge.stats.dealt import Shift
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.outputs.analysis.wordings import WordingEffect
from nlgauge.study.statements.wording_effects import HEAD, of_wording, scale_difference, scale_mean, scale_size
from nlgauge.wording.numbers import signs

KIND = "Wordings"  # how the headings of the tables begin


def wording_parts(result: OutputResult) -> list[Part]:
    """Of each criterion the level of each wording, and how each system moves."""
    return [part for effect in result.wordings for part in _parts(effect)]


def _parts(one: WordingEffect) -> list[Part]:
    scale, found = one.scale, list[Part]()
    if one.level_p is not None:
        rows = [[one.first, f"{one.judges[one.first]}", scale_mean(scale, one.means[one.first]), *"-----"]]
        for name in list(one.judges)[1:]:
            shift = one.shifts.get(name)
            moved = "-----" if shift is None else [*_cells(one, shift), p_cell(shift.p)]
            rows.append([name, f"{one.judges[name]}", scale_mean(scale, one.means[name]), *moved])
        heads = ["wording", "judges", "mean", "ratio" if scale.ratios else "difference"]
        heads += ["low", "high", "detectable", "p"]
        found.append((f"{KIND}: level of {one.name}", heads, rows, list(range(1, 8))))
    if one.systems:
        rows = [[row.system, row.wording, *_cells(one, row.found), p_cell(row.found.p)] for row in one.systems]
        heads = ["system", "wording", f"against {one.first}", "low", "high", "detectable", "p"]
        found.append((f"{KIND}: systems on {one.name}", heads, rows, list(range(2, 7))))
    return found


def _cells(one: WordingEffect, shift: Shift) -> list[str]:
    told = [
        scale_difference(one.scale, value) if math.isfinite(value) else "-"
        for value in (shift.estimate, shift.low, shift.high)
    ]
    return [*told, scale_size(one.scale, shift.detectable)]


def wordings_section(result: OutputResult) -> Markup:
    """The questions as they were read, what each wording moves, and the words for it."""
    if not result.wordings:
        return Markup()
    said = []
    for effect in result.wordings:
        read = [(name, next(iter(words.values()))) for name, words in effect.questions.items()]
        said.append(titled(effect.name, component("study.named", read), paragraph(signs(of_wording(effect)))))
    return section(
        HEAD,
        "Each judge read one wording of the question. Judges are the units: what differs between wordings differs "
        "between people.",
        *said,
        grid(wording_figures(result)),
        *(details(part[0], table_of(part)) for part in wording_parts(result)),
    )


def wording_figures(result: OutputResult) -> list[Figure]:
    """What each wording moves, for every criterion of which that is known."""
    found = [_moved(effect) for effect in result.wordings]
    return [figure for figure in found if figure is not None]


def _moved(one: WordingEffect) -> Figure | None:
    """The level and each system, with 95 % limits where there are any."""
    shifts = [(f"level, {name}", shift) for name, shift in one.shifts.items()]
    shifts += [(f"{row.system}, {row.wording}", row.found) for row in one.systems]
    plain = one.scale.plain
    rows = [
        Row(
            name,
            plain(shift.estimate) or 0.0,
            plain(shift.low),
            plain(shift.high),
            text=signs(scale_difference(one.scale, shift.estimate)),
            shape="dot",
            about=f"{name}: {scale_difference(one.scale, shift.estimate)}",
        )
        for name, shift in shifts
    ]
    if not rows:
        return None
    against = f"{'ratio' if one.scale.ratios else 'difference'} to {one.first}"
    drawing = Panel(
        rows,
        title=f"What the wording moves: {one.name}",
        axis=f"{against}, 95 % limits",
        zero=not one.scale.ratios,
    ).draw()
    aside = f"{'times' if one.scale.ratios else 'differences'} against {one.first}"
    return Figure("wordings", one.name, aside, drawing)
