"""Probes for the terminal: perturbations by metrics, with a small curve in each cell, and the sentences below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nlgauge.meta.probes.figures import FEWEST
from nlgauge.meta.probes.results import Challenge, Coverage, Preference, Probes, Reaction
from nlgauge.report.text import print_lines, print_table
from nlgauge.stats.results import Estimate
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

BARS = "▁▂▃▄▅▆▇█"
NOTHING = "–"


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
    headers = ["perturbation", "meaning", "texts", *_heads(probes.metrics)]
    rows = [
        [
            entry.perturbation,
            entry.meaning,
            texts(entry),
            *(cell(probes, metric, entry) for metric in probes.metrics),
        ]
        for entry in probes.rows
    ]
    print_table(headers, rows)
    print_lines(["", legend(probes), ""])
    if probes.false_alarms:
        print_table(
            [
                "metric",
                "loss, meaning preserved / changed",
                "without case, punctuation",
                "scores preserved meaning higher",
                "texts",
            ],
            [
                [
                    row.metric,
                    bounded(row.ratio, "{:.2f}"),
                    bounded(row.wording, "{:.2f}"),
                    bounded(row.prefers, "{:.0%}"),
                    f"{row.n:,}",
                ]
                for row in probes.false_alarms
            ],
        )
        print()
    notes = (*probes.notes, *(str(entry) for entry in probes.rows if entry.reasons))
    print_lines(
        [
            *str(probes).split("\n"),
            *(f"note: {note}" for note in notes),
            "",
            *folded(probes.receipts.values()),
        ]
    )


def texts(entry: Coverage) -> str:
    """How many texts a row rests on, with a word where they are few."""
    return f"{entry.applied:,}{' (few)' if 0 < entry.applied < FEWEST else ''}"


def _print_challenge(verdict: Challenge) -> None:
    headers = ["situation", "items", *_heads(verdict.metrics)]
    rows = []
    for situation in (*verdict.situations, "all"):
        cells = [verdict.of(metric, situation) for metric in verdict.metrics]
        rows.append([situation, str(cells[0].n), *(preferred(row) for row in cells)])
    print_table(headers, rows)
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
    text = form.format(estimate.estimate)
    if not math.isfinite(estimate.low):
        return text
    return f"{text} [{form.format(estimate.low)}–{form.format(estimate.high)}]"


def preferred(row: Preference) -> str:
    """Wins, ties and the interval."""
    tied = f" ({row.ties})" if row.ties else ""
    return f"{row.right}{tied} [{row.share.low:.0%}–{row.share.high:.0%}]"
