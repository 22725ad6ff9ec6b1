"""What a BERTScore is made of: the units that are matched, and what each costs precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Explanation, Figure, Heat, Losses, ordinal_reference
from nlgauge.metrics.soft import greedy_heat, losses, named, unit_texts
from nlgauge.models.interface import ContextualEncoder, Encoded
from nlgauge.models.matching import similarities

if TYPE_CHECKING:
    from nlgauge.metrics.bertscore import BertScore


def explained(metric: BertScore, batch: Batch) -> Explanation:
    """Of the reference with the highest F; precision, recall and F of the score are each of the best reference."""
    encoder = metric.loaded()
    texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
    encoded = encoder.encode(list(dict.fromkeys(texts)), metric.layer_of(encoder))
    weights = metric.weights(encoder, list(dict.fromkeys(texts)))
    single = np.array([_scores(encoded, weights, texts[0], text) for text in texts[1:]])
    best = int(np.argmax(single[:, 2]))
    highest = single.max(axis=0)
    which = ordinal_reference(best, len(single))
    parts = _parts(encoder, encoded, weights, (texts[0], texts[best + 1]), which)
    how = f"mean over the units{', weighted by idf' if metric.idf else ''}"
    figures = [
        Figure("precision", float(highest[0]), f"{how} of the output"),
        Figure("recall", float(highest[1]), f"{how} of the reference"),
        Figure("F1", float(highest[2]), "their harmonic mean"),
    ]
    notes = []
    if len(single) > 1:
        notes.append(f"each figure is of the best reference; grid and costs are of {which}")
    if metric.baseline != "none":
        notes.append("figures are before rescaling by the baseline")
    return Explanation.of(metric, batch, [*highest, 1.0], figures=figures, parts=parts, notes=notes, counted=[best + 1])


def _scores(
    encoded: Encoded, weights: Mapping[str, Array], hypothesis: str, reference: str
) -> tuple[float, float, float]:
    table = similarities(encoded, hypothesis, reference)
    mine, theirs = weights[hypothesis], weights[reference]
    if not mine.sum() or not theirs.sum():
        return 0.0, 0.0, 0.0
    precision = float(table.max(axis=1) @ mine / mine.sum())
    recall = float(table.max(axis=0) @ theirs / theirs.sum())
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _parts(
    encoder: ContextualEncoder,
    encoded: Encoded,
    weights: Mapping[str, Array],
    texts: tuple[str, str],
    which: str,
) -> list[Heat | Losses]:
    """The grid without units that weigh nothing and are nobody's partner, and the costs of those that weigh."""
    table = similarities(encoded, *texts)
    mine, theirs = (weights[text] for text in texts)
    if not mine.sum() or not theirs.sum():
        return []
    output, reference = (unit_texts(text, units) for text, units in zip(texts, encoder.units(texts), strict=True))
    rows, columns = np.flatnonzero(mine), np.flatnonzero(theirs)
    to, back = table.argmax(axis=1), table.argmax(axis=0)
    shown_rows = sorted({*rows.tolist(), *back[columns].tolist()})
    shown_columns = sorted({*columns.tolist(), *to[rows].tolist()})
    row_place = {row: place for place, row in enumerate(shown_rows)}
    column_place = {column: place for place, column in enumerate(shown_columns)}
    grid = greedy_heat(
        f"How similar the units of the output and of {which} are",
        ([output[row] for row in shown_rows], [reference[column] for column in shown_columns]),
        table[np.ix_(shown_rows, shown_columns)],
        [column_place[int(to[row])] if mine[row] else -1 for row in shown_rows],
        [row_place[int(back[column])] if theirs[column] else -1 for column in shown_columns],
    )
    sides = (
        ("the output", "precision", (output, reference), mine, rows, to, table.max(axis=1)),
        (which, "recall", (reference, output), theirs, columns, back, table.max(axis=0)),
    )
    costs: list[Heat | Losses] = []
    for whose, what, labels, weight, places, partners, best in sides:
        share = weight[places] / weight.sum()
        costs.append(
            losses(
                f"What units of {whose} cost {what}",
                f"1 − {what}",
                [labels[0][place] for place in places],
                (share * best[places], share * (1 - best[places])),
                named(labels[1], partners[places]),
            )
        )
    return [grid, *costs]
