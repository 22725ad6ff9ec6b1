"""The page of a probe: a grid of small curves, perturbations by metrics, false alarms, and the challenge set.

It reads results only. Like every page of ours it is one file, loads nothing and needs no script.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from nlgauge.meta.probes.figures import FEWEST
from nlgauge.meta.probes.perturbations import MEANINGS, PERTURBATIONS
from nlgauge.meta.probes.results import Challenge, Monotonicity, Probes, Reaction, sentences
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import paragraph
from nlgauge.report.page import page, write
from nlgauge.report.probes import bounded, challenge_legend, largest, preferred
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row
from nlgauge.wording.tables import ARROWS

WIDE, TALL, EDGE = 132.0, 54.0, 6.0
_STYLE = """
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


def write_probe_report(
    probes: Probes | None, verdict: Challenge | None, path: str | Path, *, source: str | None = None
) -> Path:
    """Write the page and return its path."""
    return write(render_probe_report(probes, verdict, source=source), path)


def render_probe_report(probes: Probes | None, verdict: Challenge | None, *, source: str | None = None) -> str:
    """The page as text."""
    title = "How metrics react to perturbed texts" if probes else "Good against bad: the challenge set"
    about = []
    if probes:
        where = f" of {source}" if source else ""
        about.append(f"{probes.texts:,} texts ({probes.on}{where}), seed {probes.seed}.")
    found = [*(sentences(probes) if probes else ()), *([str(verdict)] if verdict else ())]
    parts = [
        f"<header><h1>{escape(title)}</h1>{''.join(paragraph(text, 'soft') for text in about)}</header>",
        f'<section class="finding" aria-label="Conclusion">{"".join(map(paragraph, found))}</section>',
        _curves(probes) if probes else "",
        _false_alarms(probes) if probes and probes.false_alarms else "",
        _details(probes) if probes else "",
        _challenge(verdict) if verdict else "",
        _method(probes, verdict),
    ]
    return page(title, "\n".join(part for part in parts if part), css=CSS + _STYLE)


def _heads(metrics: Mapping[str, str]) -> str:
    return "".join(
        f'<th scope="col">{escape(metric)} <span aria-hidden="true">{ARROWS[direction]}</span>'
        f'<span class="hidden"> ({direction} is better)</span></th>'
        for metric, direction in metrics.items()
    )


def _curves(probes: Probes) -> str:
    depth = {metric: largest(probes, metric) for metric in probes.metrics}
    body = []
    for meaning, about in MEANINGS.items():
        entries = [entry for entry in probes.coverage if entry.meaning == meaning]
        if entries:
            span = 1 + len(probes.metrics)
            body.append(f'<tr><th scope="colgroup" colspan="{span}" class="group">{escape(about)}</th></tr>')
        for entry in entries:
            cells = "".join(
                f"<td>{_curve(probes.curve(metric, entry.perturbation), depth[metric])}"
                f"{_tau(probes.steadiness(metric, entry.perturbation))}</td>"
                for metric in probes.metrics
            )
            what = PERTURBATIONS[entry.perturbation].about
            few = ", few: no interval" if 0 < entry.applied < FEWEST else ""
            body.append(
                f'<tr><th scope="row">{escape(entry.perturbation)}<span class="about">{escape(what)}; '
                f"{entry.applied:,} of {entry.texts:,} texts{few}</span></th>{cells}</tr>"
            )
    note = (
        "Each curve starts at the clean texts (left, top line) and shows the mean quality at severity "
        f"{', '.join(f'{value:g}' for value in probes.severities)}, with its {probes.level:.0%} interval. The bottom "
        "line is the metric's largest loss under any perturbation; below each curve stands Kendall's tau-b between "
        "dose and loss. Where the meaning is preserved the curve should stay at the top; elsewhere it should fall."
    )
    return (
        f"<section><h2>Reactions</h2>{paragraph(note, 'soft')}"
        '<div class="scroll" tabindex="0" role="region" aria-label="Reactions"><table class="curves scores">'
        f'<thead><tr><th scope="col">perturbation</th>{_heads(probes.metrics)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div></section>"
    )


def _tau(steady: Monotonicity | None) -> str:
    if steady is None or not math.isfinite(steady.tau.estimate):
        return ""
    return f'<span class="about">τ {bounded(steady.tau, "{:.2f}").replace("-", "−")}</span>'


def _curve(curve: Sequence[Reaction], depth: float) -> str:
    """One small drawing: severity to the right, quality lost downwards."""
    if not curve or not depth > 0:
        return '<span class="none">not applied</span>' if not curve else '<span class="none">no loss</span>'

    def down(loss: float) -> float:
        return EDGE + (TALL - 2 * EDGE) * min(1.0, max(0.0, loss / depth))

    def right(severity: float) -> float:
        return EDGE + (WIDE - 2 * EDGE) * severity

    look = curve[0].meaning
    points = [(right(0.0), down(0.0)), *((right(row.severity), down(row.loss.estimate)) for row in curve)]
    line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    bars = "".join(
        f'<path class="range" d="M{right(row.severity):.1f} {down(row.loss.low):.1f}V{down(row.loss.high):.1f}"/>'
        for row in curve
        if math.isfinite(row.loss.low)
    )
    dots = "".join(f'<circle class="dot {look}" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in points[1:])
    rule = "".join(f'<path class="grid" d="M{EDGE:g} {y:.1f}H{WIDE - EDGE:g}"/>' for y in (EDGE, TALL - EDGE))
    about = "; ".join(
        f"severity {row.severity:g}: {row.clean:.4g} → {row.perturbed:.4g}, "
        f"worse for {row.worse.estimate:.0%} of {row.n:,}"
        for row in curve
    )
    return (
        f'<svg viewBox="0 0 {WIDE:g} {TALL:g}" width="{WIDE:g}" height="{TALL:g}" role="img">'
        f'<title>{escape(about)}</title>{rule}{bars}<path class="curve {look}" d="{line}"/>{dots}</svg>'
    )


def _false_alarms(probes: Probes) -> str:
    figures = []
    for title, rows, axis, zero in (
        (
            "Loss where the meaning is preserved, by that where it is changed",
            [(row.metric, row.ratio, "{:.2f}") for row in probes.false_alarms],
            "ratio of losses",
            True,
        ),
        (
            "The same without the changes of case and punctuation",
            [(row.metric, row.wording, "{:.2f}") for row in probes.false_alarms],
            "ratio of losses",
            True,
        ),
        (
            "How often the version that keeps the meaning scores better",
            [(row.metric, row.prefers, "{:.0%}") for row in probes.false_alarms],
            "share of texts",
            False,
        ),
    ):
        drawn = [
            Row(
                name,
                est.estimate,
                est.low,
                est.high,
                form.format(est.estimate),
                about=f"{name}: {bounded(est, form)}",
            )
            for name, est, form in rows
            if math.isfinite(est.estimate)
        ]
        if drawn:
            desc = "; ".join(row.about for row in drawn)
            drawing = Panel(drawn, title=title, desc=desc, axis=axis, zero=zero).draw()
            figures.append(Figure("false alarms", title, "", drawing))
    return f"<section><h2>False alarms</h2>{grid(figures)}</section>"


def _details(probes: Probes) -> str:
    heads = (
        "metric",
        "perturbation",
        "severity",
        "texts",
        "clean",
        "perturbed",
        "loss",
        "effect",
        "AUC",
        "worse",
        "better",
    )
    rows = [
        (
            row.metric,
            row.perturbation,
            f"{row.severity:g}",
            f"{row.n:,}",
            f"{row.clean:.4g}",
            f"{row.perturbed:.4g}",
            bounded(row.loss, "{:.3g}"),
            bounded(row.effect, "{:.2f}"),
            bounded(row.auc, "{:.2f}"),
            bounded(row.worse, "{:.0%}"),
            f"{row.better:.0%}",
        )
        for row in probes.reactions
    ]
    note = (
        "Loss: in the metric's own units. Effect: loss in standard deviations of the texts' losses. AUC: chance that "
        "a clean text scores better than a perturbed one, of any two texts. Worse, better: share of texts whose own "
        "score changed that way."
    )
    return (
        f"<section><h2>All figures</h2><details><summary>{len(rows):,} rows</summary>{paragraph(note, 'soft')}"
        f"{_table(heads, rows, words=2)}</details></section>"
    )


def _challenge(verdict: Challenge) -> str:
    rows = []
    for situation in (*verdict.situations, "all"):
        cells = [verdict.of(metric, situation) for metric in verdict.metrics]
        about = verdict.situations.get(situation, "the whole set")
        rows.append((situation, about, str(cells[0].n), *(preferred(row) for row in cells)))
    heads = ("situation", "bad against good", "items", *verdict.metrics)
    note = paragraph(challenge_legend(verdict), "soft")
    return f"<section><h2>Challenge set</h2>{note}{_table(heads, rows, words=2)}</section>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int) -> str:
    """A plain table whose first columns hold words, the others numbers."""
    head = "".join(
        f'<th scope="col"{"" if place < words else " class=num"}>{escape(text)}</th>'
        for place, text in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{'' if place < words else ' class=num'}>{escape(text)}</td>" for place, text in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _method(probes: Probes | None, verdict: Challenge | None) -> str:
    notes: list[str] = []
    if probes:
        notes += [*probes.notes, *(str(entry) for entry in probes.coverage if entry.reasons)]
    receipts = [
        *(probes.receipts.values() if probes else ()),
        *(verdict.receipts.values() if verdict else ()),
    ]
    lines = "\n".join(escape(line) for line in receipts)
    said = "".join(map(paragraph, notes))
    return f"<section><h2>Notes and receipts</h2>{said}<pre>{lines}</pre></section>"
