"""An adversarial search for the terminal: gain by number and kind of edits, and the outputs that were raised most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nlgauge.meta.adversarial.results import Attacks, Path
from nlgauge.report.differences import plain_difference
from nlgauge.report.text import print_lines, print_table
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import interval, number, percent, signed
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

MOST = 5  # outputs shown
LONGEST = 32  # characters of an item's name in a table
Table = tuple[list[str], list[list[str]], list[int]]  # headers, rows, the columns of numbers


def print_attack(found: Attacks) -> None:
    """Tables, conclusion, notes and receipts."""
    for headers, rows, right in (curve_table(found), kind_table(found)):
        print_table(headers, rows, right=right)
        print()
    if found.largest:
        print_lines([f"Largest gains ([-gone-] {{+come+}}; {shown(found, MOST)})", ""])
        headers, rows, right = example_table(found, found.largest[:MOST])
        print_table(headers, rows, right=right, keys=2)
        print()
    print_lines(
        [
            legend(found),
            "",
            str(found),
            *(f"note: {note}" for note in found.notes),
            "",
            *folded(found.receipts.values()),
        ]
    )


def heads(found: Attacks) -> list[str]:
    """The metric and its guards, with their arrows."""
    arrows = {found.metric: found.direction, **found.guards}
    return [f"{name} {ARROWS[direction]}" for name, direction in arrows.items()]


def scores(found: Attacks, score: float, guards: Mapping[str, float]) -> list[str]:
    """Scores of the metric and its guards."""
    values = {found.metric: score, **guards}
    return [number(value, found.places[name]) for name, value in values.items()]


def bounded(estimate: Estimate, places: int) -> str:
    """A gain with its interval in brackets."""
    limits = interval(estimate.low, estimate.high, places)
    return signed(estimate.estimate, places) + (f" [{limits}]" if limits else "")


def curve_table(found: Attacks) -> Table:
    """Mean scores after each number of edits."""
    rows = [
        [
            str(reached.edits),
            f"{reached.edited:,}",
            *scores(found, reached.score, reached.guards),
            bounded(reached.gain, found.places[found.metric]) if reached.edits else "",
        ]
        for reached in found.curve
    ]
    headers = ["edits", "outputs", *heads(found), "gain"]
    return headers, rows, list(range(1, len(headers)))


def kind_table(found: Attacks) -> Table:
    """What each kind of edit gained."""
    places = found.places[found.metric]
    rows = [
        [
            kind.kind,
            f"{kind.taken:,}",
            signed(kind.gain, places) if kind.taken else "",
            f"{kind.share:.0%}" if math.isfinite(kind.share) else "",
            bounded(kind.first, places),
        ]
        for kind in found.kinds
    ]
    return (
        ["kind", "edits taken", "gain of one", "share of gain", "first edit of this kind"],
        rows,
        [1, 2, 3, 4],
    )


def example_table(found: Attacks, paths: Sequence[Path]) -> Table:
    """Outputs with their scores before and after, and the words that changed."""
    rows = []
    for path in paths:
        before = scores(found, path.score, path.guards)
        after = scores(found, path.final.score, path.final.guards)
        changed = [f"{a} → {b}" for a, b in zip(before, after, strict=True)]
        rows.append([_short(path.item), path.system, *changed, plain_difference(path.text, path.final.text)])
    headers = ["item", "system", *heads(found), "output"]
    return headers, rows, list(range(2, len(headers) - 1))


def _short(name: str) -> str:
    """A name without its middle, where it is long: names of a set often begin alike."""
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


def shown(found: Attacks, most: int) -> str:
    """How many of the outputs that were raised are shown."""
    many = len(found.largest)
    return f"{most} of {many:,} outputs" if many > most else "all outputs with a gain"


def legend(found: Attacks) -> str:
    """How to read the tables."""
    gains = (
        *(reached.gain for reached in found.curve if reached.edits),
        *(kind.first for kind in found.kinds),
    )
    limits = (
        f" […] {percent(found.gain.level)} interval, bootstrap over items."
        if any(interval(gain.low, gain.high, 1) for gain in gains)
        else ""
    )
    turned = " A fall of the score counts as a gain: lower is better." if found.direction == "lower" else ""
    return (
        "Outputs: how many took so many edits; means are over all of them, one that stopped earlier keeps its score."
        f"{turned} First edit of this kind: mean over outputs of the best single edit, 0 where no edit"
        f"{' that the guards allow' if found.guards else ''} gains.{limits}"
    )
