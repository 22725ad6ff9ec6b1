"""Parts of explanations for metrics that match words softly: which words are matched, and which cost the score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.metrics.explanation import Heat, Losses, Mark, Share

Array = NDArray[np.float64]
MINE, THEIRS, BOTH, MOVED = "<", "^", "+", "*"


def greedy_heat(
    title: str,
    words: tuple[Sequence[str], Sequence[str]],
    table: Array,
    mine: Sequence[int] | NDArray[np.int64],
    theirs: Sequence[int] | NDArray[np.int64],
    other: str = "reference",
) -> Heat:
    """For a metric that takes each word's best partner: `mine` has the column of each row, `theirs` the row of each
    column; -1 where there is none."""
    signs = {(row, int(column)): MINE for row, column in enumerate(mine) if column >= 0}
    for column, row in enumerate(theirs):
        if row >= 0:
            signs[int(row), column] = BOTH if (int(row), column) in signs else THEIRS
    legend = (
        (MINE, "best for the word of the output"),
        (THEIRS, f"best for the word of the {other}"),
        (BOTH, "both"),
    )
    shown = tuple(line for line in legend if line[0] in signs.values())
    marks = tuple(Mark(row, column, sign) for (row, column), sign in sorted(signs.items()))
    return Heat(title, tuple(words[0]), tuple(words[1]), rounded(table), marks, shown, other)


def flow_heat(title: str, words: tuple[Sequence[str], Sequence[str]], table: Array, flow: Array) -> Heat:
    """For a metric that moves weight from words to words."""
    moved = [(int(row), int(column)) for row, column in np.argwhere(flow > 1e-9)]
    marks = tuple(Mark(row, column, MOVED) for row, column in moved)
    legend = ((MOVED, "weight moves between these words"),) if moved else ()
    return Heat(title, tuple(words[0]), tuple(words[1]), rounded(table), marks, legend)


def rounded(table: Array) -> tuple[tuple[float, ...], ...]:
    """A table as an explanation holds it: four digits tell all that can be seen."""
    return tuple(tuple(row) for row in np.round(table, 4).tolist())


def losses(
    title: str,
    missing: str,
    words: Sequence[str],
    shares: tuple[Array, Array],
    partners: Sequence[str],
) -> Losses:
    """From each word's gain and loss."""
    gains, lost = shares
    return Losses(
        title,
        missing,
        tuple(
            Share(word, float(gain + loss), float(gain), float(loss), partner)
            for word, gain, loss, partner in zip(words, gains, lost, partners, strict=True)
        ),
    )


def named(words: Sequence[str], places: Sequence[int] | NDArray[np.int64]) -> list[str]:
    """The words at these places; nothing for -1."""
    return [words[place] if place >= 0 else "" for place in places]
