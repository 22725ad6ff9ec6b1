"""Agreement of judges who mark spans of a text, beyond common characters: pairs of spans that mean the same, and alpha.

`matched` pairs two judges' spans of one text one to one, the greatest overlap (common over all characters) first; what
remains has no partner. `character_alpha` is Krippendorff's nominal alpha with each character as a unit, so that a
judge's leaving a character unmarked counts as a judgement too; its limits leave whole texts out in turn, because the
characters of a span are one decision. It is not the unitised alpha (Krippendorff 1995), which takes spans as units.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import LEAST, Limits, left_out, with_limits
from nlgauge.stats.agreement.ratings import UndefinedAgreement
from nlgauge.stats.agreement.results import Coefficient

Span = tuple[int, int]
JACKKNIFE = Limits("jackknife")


def matched(first: Sequence[Span], second: Sequence[Span]) -> list[tuple[int, int]]:
    """Places of spans that overlap, each in one pair at most.

    Args:
        first: spans (start, end) of one judge, end excluded
        second: those of the other

    >>> matched([(0, 4), (6, 9)], [(7, 12), (0, 5), (8, 9)])
    [(0, 1), (1, 0)]
    """
    pairs = []
    for a, (start, end) in enumerate(first):
        for b, (begin, stop) in enumerate(second):
            common = min(end, stop) - max(start, begin)
            if common > 0:
                pairs.append((-common / (max(end, stop) - min(start, begin)), a, b))
    taken: tuple[set[int], set[int]] = set(), set()
    found = []
    for _, a, b in sorted(pairs):
        if a not in taken[0] and b not in taken[1]:
            taken[0].add(a)
            taken[1].add(b)
            found.append((a, b))
    return sorted(found)


def character_alpha(texts: Sequence[Sequence[Sequence[Hashable]]], *, limits: Limits = JACKKNIFE) -> Coefficient:
    """Krippendorff's alpha over the characters of texts: for each text, each judge's label of each of its characters.

    Texts with one judge do not enter.

    Args:
        texts: for each text a list of judges, for each judge the label of each character
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import character_alpha
    >>> first, second = "....ee....", "....eee..."
    >>> texts = [[first, second], ["..........", ".........."], ["ss........", "ss........"]]
    >>> round(character_alpha(texts).estimate, 3)
    0.877
    """
    used = [text for text in texts if len(text) > 1 and len(text[0])]
    if not used:
        raise InputError("no text was marked by two judges, so there is nothing to agree on")
    labels = {label: k for k, label in enumerate(dict.fromkeys(x for text in used for row in text for x in row))}
    sums = np.array([_sums(text, labels) for text in used])
    name = "Krippendorff's alpha (nominal, each character a unit)"
    if np.count_nonzero(sums[:, 1:].sum(axis=0)) < 2:
        raise UndefinedAgreement(name, "all characters have the same label")
    judges = max(len(text) for text in used)
    result = Coefficient(_alpha(sums.sum(axis=0)), level=limits.level, name=name, n=len(used), judges=judges)
    if limits.method == "none" or len(used) < 2:
        return result
    return with_limits(result, left_out(lambda kept: _alpha(sums[kept].sum(axis=0)), len(sums), limits), LEAST)


def _sums(text: Sequence[Sequence[Hashable]], labels: dict[Hashable, int]) -> NDArray[np.float64]:
    """The observed disagreement of a text's characters, and how often each label was given."""
    if len({len(row) for row in text}) > 1:
        raise InputError("every judge of a text has a label for each of its characters")
    counts = np.zeros((len(text[0]), len(labels)))
    for row in text:
        counts[np.arange(len(row)), [labels[label] for label in row]] += 1
    judges = len(text)
    within = (judges**2 - (counts**2).sum(axis=1)).sum() / (judges - 1)
    return np.concatenate([[within], counts.sum(axis=0)])


def _alpha(total: NDArray[np.float64]) -> float:
    counts = total[1:]
    n = counts.sum()
    between = n**2 - (counts**2).sum()
    return float(1 - (n - 1) * total[0] / between) if between > 0 else float("nan")
