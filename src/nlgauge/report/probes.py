"""Probes on the terminal and as a page: perturbations by metrics with a small curve in each cell, and challenges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.meta.probes.figures import FEWEST
from nlgauge.meta.probes.perturbations import MEANINGS, PERTURBATIONS
from nlgauge.meta.probes.results import Challenge, Coverage, Preference, Probes, Reaction, sentences
from nlgauge.report.components import (
    component,
    details,
    finding,
    grid,
    header,
    method,
    minus,
    paragraph,
    section,
)
from nlgauge.report.figures import Figure
from nlgauge.report.pages import page, write
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_table
from nlgauge.stats.results import Estimate
from nlgauge.wording.markup import element
from nlgauge.wording.numbers import limited
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

BARS = "▁▂▃▄▅▆▇█"
ALARMS = (
    "Loss where the meaning is preserved, by that where it is changed",
    "The same without the changes of case and punctuation",
    "How often the version that keeps the meaning scores better",
)
NOTHING = "–"
WIDE, TALL, EDGE = 132.0, 54.0, 6.0  # of a small curve on the page
STYLE = """
.curves td{padding:.3rem .5rem}
.curves svg{margin:0}
.curves .about{display:block;font-weight:400;color:var(--soft);font-size:.8rem;max-width:16rem;white-space:normal}
svg .curve{fill:none;stroke:var(--soft);stroke-width:1.8}
svg .curve.preserved{stroke:var(--blue)}
svg .curve.changed,svg .curve.damaged{stroke:var(--vermilion)}
svg .curve.damaged{stroke-dasharray:5 3}
svg .dot.preserved{fill:var(--blue)}
svg .dot.changed,svg .dot.damaged{fill:var(--vermilion)}
"""


def print_probes(probes: Probes | None, verdict: Challenge | None) -> None:
    """The tables, what they mean, and the receipts."""
    parts = [part for part in (probes, verdict) if part is not None]
    for number, part in enumerate(parts):
        if number:
            print()
        if isinstance(part, Probes):
            _print_perturbations(part)
        else:
            _print_challenge(part)


def _print_perturbations(probes: Probes) -> None:
    rows = []
    for entry in probes.rows:
        cells = [cell(probes, metric, entry) for metric in probes.metrics]
        rows.append([entry.perturbation, entry.meaning, texts(entry), *cells])
    print_table(["perturbation", "meaning", "texts", *_heads(probes.metrics)], rows)
    print_lines(["", legend(probes), ""])
    if probes.false_alarms:
        alarms = []
        for row in probes.false_alarms:
            shares = [bounded(row.ratio, "{:.2f}"), bounded(row.wording, "{:.2f}"), bounded(row.prefers, "{:.0%}")]
            alarms.append([row.metric, *shares, f"{row.n:,}"])
        heads = ["metric", "loss, meaning preserved / changed", "without case, punctuation"]
        print_table([*heads, "scores preserved meaning higher", "texts"], alarms)
        print()
    notes = [f"note: {note}" for note in _notes(probes, probes.rows)]
    print_lines([*str(probes).split("\n"), *notes, "", *folded(probes.receipts.values())])


def _notes(probes: Probes, entries: Sequence[Coverage]) -> list[str]:
    return [*probes.notes, *(str(entry) for entry in entries if entry.reasons)]


def _challenge_rows(verdict: Challenge) -> Iterator[tuple[str, list[str]]]:
    """Each situation, with its number of items and the cells of the metrics."""
    for situation in (*verdict.situations, "all"):
        cells = [verdict.of(metric, situation) for metric in verdict.metrics]
        yield situation, [str(cells[0].n), *map(preferred, cells)]


def texts(entry: Coverage) -> str:
    """How many texts a row rests on, with a word where they are few."""
    return f"{entry.applied:,}{' (few)' if 0 < entry.applied < FEWEST else ''}"


def _print_challenge(verdict: Challenge) -> None:
    rows = [[situation, *cells] for situation, cells in _challenge_rows(verdict)]
    print_table(["situation", "items", *_heads(verdict.metrics)], rows)
    print_lines(["", challenge_legend(verdict), "", *str(verdict).split("\n"), "", *folded(verdict.receipts.values())])


def _heads(metrics: Mapping[str, str]) -> list[str]:
    return [f"{metric} {ARROWS.get(direction, '')}" for metric, direction in metrics.items()]


def cell(probes: Probes, metric: str, entry: Coverage) -> str:
    """Curve, share of texts judged worse at the mildest severity, Kendall's tau."""
    curve = probes.curve(metric, entry.perturbation)
    steady = probes.steadiness(metric, entry.perturbation)
    if not curve:
        return NOTHING
    first = curve[0].worse.estimate
    tau = f"{steady.tau.estimate:+.2f}" if steady and math.isfinite(steady.tau.estimate) else NOTHING
    return f"{bars(curve, largest(probes, metric))} {first:>4.0%} {tau}"


def largest(probes: Probes, metric: str) -> float:
    """The metric's largest mean loss under any perturbation: the depth of its curves."""
    losses = [row.loss.estimate for row in probes.reactions if row.metric == metric and row.n]
    return max([loss for loss in losses if math.isfinite(loss)], default=0.0)


def bars(curve: Sequence[Reaction], depth: float) -> str:
    """Quality from the clean text through the severities: a full bar is that of the clean text."""
    shares = [1.0, *(1 - row.loss.estimate / depth if depth > 0 else 1.0 for row in curve)]
    known = [min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0 for share in shares]
    return "".join(BARS[round(share * (len(BARS) - 1))] for share in known)


def legend(probes: Probes) -> str:
    """How to read a cell."""
    steps = ", ".join(f"{value:g}" for value in probes.severities)
    return (
        f"A cell: mean quality of the clean texts, then at severity {steps} (full bar: as the clean texts; lowest "
        "bar: the metric's largest loss in its column); share of texts scored worse at severity "
        f"{probes.severities[0]:g}; mean Kendall's tau-b between dose and loss. A good metric falls where the meaning "
        "is changed or the form damaged, and stays where the meaning is preserved."
    ) + (
        f" (few): fewer than {FEWEST} texts, so little is known and no bootstrap interval is given."
        if any(0 < entry.applied < FEWEST for entry in probes.coverage)
        else ""
    )


def challenge_legend(verdict: Challenge) -> str:
    """How to read the challenge table."""
    return (
        "A cell: items whose good output scores better than the bad one, ties in brackets, and the exact "
        f"{verdict.level:.0%} interval of the share. Most bad outputs were made from the reference and most good ones "
        "avoid its words, so that counting common words must fail: the shares compare metrics, and estimate nothing "
        "about other texts."
    )


def bounded(estimate: Estimate, form: str) -> str:
    """A number with its limits in brackets."""
    if not math.isfinite(estimate.estimate):
        return NOTHING
    return limited(form.format, estimate.estimate, estimate.low, estimate.high, "–")


def preferred(row: Preference) -> str:
    """Wins, ties and the interval."""
    tied = f" ({row.ties})" if row.ties else ""
    return f"{row.right}{tied} [{row.share.low:.0%}–{row.share.high:.0%}]"


def write_probe_report(
    probes: Probes | None, verdict: Challenge | None, path: str | Path, *, source: str | None = None
) -> Path:
    """Write the page and return its path."""
    return write(render_probe_report(probes, verdict, source=source), path)


def render_probe_report(probes: Probes | None, verdict: Challenge | None, *, source: str | None = None) -> str:
    """The page as text."""
    title = "How metrics react to perturbed texts" if probes else "Good against bad: the challenge set"
    where = f" of {source}" if source else ""
    about = f"{probes.texts:,} texts ({probes.on}{where}), seed {probes.seed}." if probes else ""
    said = [*(sentences(probes) if probes else ()), *([str(verdict)] if verdict else ())]
    own = [_curves(probes), _false_alarms(probes), _details(probes)] if probes else []
    lines = [line for part in (probes, verdict) if part for line in part.receipts.values()]
    last = method(_notes(probes, probes.coverage) if probes else [], lines)
    more = _challenge(verdict) if verdict else Markup()
    return page(title, header(title, about), finding(*map(paragraph, said)), *own, more, last, css=CSS + STYLE)


def _curves(probes: Probes) -> Markup:
    depth = {metric: largest(probes, metric) for metric in probes.metrics}
    groups = []
    for meaning, about in MEANINGS.items():
        rows = []
        for entry in (entry for entry in probes.coverage if entry.meaning == meaning):
            cells = []
            for metric in probes.metrics:
                steady = probes.steadiness(metric, entry.perturbation)
                known = steady is not None and math.isfinite(steady.tau.estimate)
                tau = minus(bounded(steady.tau, "{:.2f}")) if steady is not None and known else ""
                cells.append((_curve(probes.curve(metric, entry.perturbation), depth[metric]), tau))
            few = ", few: no interval" if 0 < entry.applied < FEWEST else ""
            what = f"{PERTURBATIONS[entry.perturbation].about}; {entry.applied:,} of {entry.texts:,} texts{few}"
            rows.append((entry.perturbation, what, cells))
        if rows:
            groups.append((about, rows))
    note = (
        "Each curve starts at the clean texts (left, top line) and shows the mean quality at severity "
        f"{', '.join(f'{value:g}' for value in probes.severities)}, with its {probes.level:.0%} interval. The bottom "
        "line is the metric's largest loss under any perturbation; below each curve stands Kendall's tau-b between "
        "dose and loss. Where the meaning is preserved the curve should stay at the top; elsewhere it should fall."
    )
    return section("Reactions", note, component("probes.reactions", probes.metrics, groups), linked=False)


def _curve(curve: Sequence[Reaction], depth: float) -> Markup:
    """One small drawing: severity to the right, quality lost downwards."""
    if not curve or not depth > 0:
        return element("span", "no loss" if curve else "not applied", class_="none")

    def down(loss: float) -> float:
        return EDGE + (TALL - 2 * EDGE) * min(1.0, max(0.0, loss / depth))

    def right(severity: float) -> float:
        return EDGE + (WIDE - 2 * EDGE) * severity

    look = curve[0].meaning
    points = [(right(0.0), down(0.0)), *((right(row.severity), down(row.loss.estimate)) for row in curve)]
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    rules = [element("path", class_="grid", d=f"M{EDGE:g} {y:.1f}H{WIDE - EDGE:g}") for y in (EDGE, TALL - EDGE)]
    limits, told = [], []
    for row in curve:
        if math.isfinite(row.loss.low):
            ends = f"M{right(row.severity):.1f} {down(row.loss.low):.1f}V{down(row.loss.high):.1f}"
            limits.append(element("path", class_="range", d=ends))
        means = f"severity {row.severity:g}: {row.clean:.4g} → {row.perturbed:.4g}"
        told.append(f"{means}, worse for {row.worse.estimate:.0%} of {row.n:,}")
    dots = [element("circle", class_=f"dot {look}", cx=x, cy=y, r="2.6") for x, y in points[1:]]
    drawn = [*rules, *limits, element("path", class_=f"curve {look}", d=line), *dots]
    size = {"viewBox": f"0 0 {WIDE:g} {TALL:g}", "width": f"{WIDE:g}", "height": f"{TALL:g}"}
    return element("svg", element("title", "; ".join(told)), *drawn, **size, role="img")


def _false_alarms(probes: Probes) -> Markup:
    alarms, figures = probes.false_alarms, []
    plots = (
        (ALARMS[0], [(row.metric, row.ratio) for row in alarms], "{:.2f}", "ratio of losses"),
        (ALARMS[1], [(row.metric, row.wording) for row in alarms], "{:.2f}", "ratio of losses"),
        (ALARMS[2], [(row.metric, row.prefers) for row in alarms], "{:.0%}", "share of texts"),
    )
    for title, rows, form, axis in plots:
        drawn = []
        for name, est in rows:
            if math.isfinite(est.estimate):
                text, about = form.format(est.estimate), f"{name}: {bounded(est, form)}"
                drawn.append(Row(name, est.estimate, est.low, est.high, text=text, about=about))
        if drawn:
            drawing = Panel(drawn, title=title, axis=axis, zero=axis == "ratio of losses").draw()
            figures.append(Figure("false alarms", title, "", drawing))
    return section("False alarms", "", grid(figures), linked=False)


def _details(probes: Probes) -> Markup:
    heads = ["metric", "perturbation", "severity", "texts", "clean", "perturbed", "loss", "effect", "AUC", "worse"]
    rows = []
    for row in probes.reactions:
        means = [f"{row.clean:.4g}", f"{row.perturbed:.4g}", bounded(row.loss, "{:.3g}")]
        sizes = [bounded(row.effect, "{:.2f}"), bounded(row.auc, "{:.2f}"), bounded(row.worse, "{:.0%}")]
        first = [row.metric, row.perturbation, f"{row.severity:g}", f"{row.n:,}"]
        rows.append([*first, *means, *sizes, f"{row.better:.0%}"])
    note = (
        "Loss: in the metric's own units. Effect: loss in standard deviations of the texts' losses. AUC: chance that "
        "a clean text scores better than a perturbed one, of any two texts. Worse, better: share of texts whose own "
        "score changed that way."
    )
    table = component("probes.table", [*heads, "better"], rows)
    return section("All figures", "", details(f"{len(rows):,} rows", paragraph(note, "soft"), table), linked=False)


def _challenge(verdict: Challenge) -> Markup:
    told = verdict.situations
    rows = [(name, told.get(name, "the whole set"), *cells) for name, cells in _challenge_rows(verdict)]
    shown = component("probes.table", ("situation", "bad against good", "items", *verdict.metrics), rows)
    return section("Challenge set", challenge_legend(verdict), shown, linked=False)
