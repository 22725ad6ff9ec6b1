"""BERTScore (Zhang, Kishore, Wu, Weinberger and Artzi 2020): greedy matching of contextual embeddings.

Each sub-word unit of the hypothesis is matched with the most similar unit of the reference, by the cosine of their
vectors in one layer of an encoder, and the other way round; precision and recall are the (weighted) means, and F is
their harmonic mean. Equal to the authors' package bert-score 0.3.13 with the same model and layer:

* units that delimit a text ([CLS], [SEP]) can be matched but weigh nothing; with `idf` a unit weighs
  ln((N + 1) / (n + 1)), n of the N references having it, so that delimiters weigh nothing either;
* of several references the highest precision, the highest recall and the highest F are taken, each by itself;
* an empty text scores 0;
* `baseline` rescales to (x − b) / (1 − b) with the mean b of unrelated sentences, read from a file as bert-score's
  (LAYER,P,R,F; `nlgauge models baseline` makes one).

There a batch with padding cannot score below 0 and a text longer than the model is cut; here neither happens: long
texts are read in overlapping windows. The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.lexicons.digests import State, file_state
from nlgauge.metrics.base import option
from nlgauge.metrics.explanation import Explanation, Figure, Heat, Losses, ordinal_reference
from nlgauge.metrics.modelled import Idf, UnitIdfMetric, dtype_option, encoder_option
from nlgauge.metrics.soft import AUTO, greedy_heat, losses, named, unit_texts
from nlgauge.models.batching import overlapped
from nlgauge.models.interface import ContextualEncoder, Encoded
from nlgauge.models.matching import greedy, greedy_begun, similarities

# What a BERTScore is made of: the units that are matched, and what each costs precision and recall.


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


_OUTPUTS = ("p", "r", "f1")
CHUNK = 1_024  # segments whose vectors are in memory at a time
ON_DEVICE = 4_096  # the same on a GPU, where larger batches of like length pay


def _check_layer(value: str) -> str | None:
    return None if value == AUTO or (value.isdecimal() and int(value) < 1000) else "auto, or the number of a layer"


def _check_baseline(value: str) -> str | None:
    if value == "none" or Path(value).suffix in (".csv", ".tsv"):
        return None
    return "none, or a file of baselines (.csv or .tsv with the columns LAYER, P, R, F)"


@dataclass(frozen=True)
class BertScore(UnitIdfMetric):
    """Precision, recall and F of sub-word units matched by the similarity of their contextual embeddings.

    Scores hang on the model and the layer; those of different models cannot be compared.
    """

    model: str = encoder_option()
    layer: str = option(AUTO, "layer the vectors are from; auto: the best for the model", check=_check_layer)
    idf: bool = option(False, "weigh units by their inverse document frequency in the references")
    dtype: str = dtype_option()
    baseline: str = option(
        "none", "rescale by the baselines of this file (LAYER,P,R,F)", check=_check_baseline, scoring=True
    )
    output: str = option("f1", "precision, recall or F1", choices=_OUTPUTS, scoring=True)
    frequencies: Idf | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "bertscore"
    published_on = "roberta-large (English)"
    bounds = (-1.0, 1.0)
    cite = "Zhang, Kishore, Wu, Weinberger and Artzi (2020), BERTScore: Evaluating text generation with BERT. ICLR."
    reference = "bert-score 0.3.13"
    columns = (*_OUTPUTS, "segments")

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.baseline == "none" else (self.baseline,)

    def layer_of(self, encoder: ContextualEncoder) -> int:
        """The layer asked for, or the best for the model."""
        return self.layers_of(encoder)[0]

    def rows(self, batch: Batch) -> Array:
        self.require_frequencies("bertscore(idf=yes)")
        encoder = self.loaded()
        size = ON_DEVICE if encoder.resident else CHUNK
        begun = overlapped(lambda part: self._begun(encoder, *part), _chunks(batch, size), resident=encoder.resident)
        parts = [wait() for wait in begun]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.columns)))

    def _begun(
        self, encoder: ContextualEncoder, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Callable[[], Array]:
        """The rows of some segments, begun: the function waits for a GPU to end."""
        pairs = [
            (hypothesis.strip(), reference.strip())
            for hypothesis, several in zip(hypotheses, references, strict=True)
            for reference in several
        ]
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        encoded = encoder.encode(texts, self.layer_of(encoder))
        wait = greedy_begun(encoded, pairs, self.weights(encoder, texts))
        starts = np.cumsum([0, *(len(several) for several in references[:-1])])

        def rows() -> Array:
            best = np.maximum.reduceat(with_f(wait()), starts, axis=0)
            return np.hstack([best, np.ones((len(best), 1))])

        return rows

    def weights(self, encoder: ContextualEncoder, texts: Sequence[str]) -> dict[str, Array]:
        """What each unit of each text weighs."""
        units = encoder.units(texts)
        every = np.concatenate([np.zeros(0, dtype=np.int64), *(unit.ids for unit in units)])
        if self.frequencies is None:
            flat = np.ones(len(every))
            for delimiter in encoder.delimiters:  # few: quicker than a search in a list
                flat[every == delimiter] = 0.0
        else:
            distinct, places = np.unique(every, return_inverse=True)
            flat = np.array([self.frequencies.weight(unit) for unit in distinct.tolist()])[places]
        found, start = {}, 0
        for text, one in zip(texts, units, strict=True):
            stop = start + len(one)
            found[text] = flat[start:stop]
            if len(one) <= 2 and one.special.all():  # nothing but delimiters
                found[text] = np.zeros(len(one))
            start = stop
        return found

    def explained(self, batch: Batch) -> Explanation:
        """Which units are matched, and what each costs precision and recall."""
        return explained(self, batch)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        column, count = totals[..., _OUTPUTS.index(self.output)], totals[..., -1]
        mean: Array = column / np.maximum(count, 1)
        if self.baseline == "none":
            return mean
        floor = self._baseline()
        rescaled: Array = np.where(count > 0, (mean - floor) / (1 - floor), 0.0)
        return rescaled

    def _baseline(self) -> float:
        encoder = self.loaded()
        table = read_baselines(self.baseline)
        layer = self.layer_of(encoder)
        if layer not in table:
            raise InputError(f"{self.baseline} has no line for layer {layer}; expected LAYER,P,R,F for each layer")
        return table[layer][_OUTPUTS.index(self.output)]


def with_f(scores: Array) -> Array:
    """(n, 3) from precision and recall: with their harmonic mean, 0 where both are."""
    precision, recall = scores[:, 0], scores[:, 1]
    both = precision + recall
    f = np.divide(2 * precision * recall, both, out=np.zeros(len(scores)), where=both != 0)
    return np.column_stack([precision, recall, f])


def _chunks(batch: Batch, size: int) -> Iterator[tuple[Sequence[str], Sequence[Sequence[str]]]]:
    for start in range(0, len(batch), size):
        part = slice(start, start + size)
        yield batch.hypotheses[part], batch.references[part]


@lru_cache(maxsize=8)
def _read(path: str, state: State) -> dict[int, tuple[float, float, float]]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ","))
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is not text in UTF-8; expected a file of baselines (LAYER,P,R,F)") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if number == 1 and line and not line[0].strip().isdecimal():
            continue
        try:
            layer, p, r, f = int(line[0]), *(float(value) for value in line[1:4])
        except (ValueError, IndexError):
            raise InputError(
                f"{path}, line {number}: expected a layer and its baselines of P, R and F, got {','.join(line)[:60]!r}"
            ) from None
        if not all(-math.inf < value < 1 for value in (p, r, f)):
            raise InputError(f"{path}, line {number}: a baseline must be a finite number below 1")
        found[layer] = (p, r, f)
    return found


def read_baselines(path: str) -> dict[int, tuple[float, float, float]]:
    """Layer -> baselines of P, R and F1."""
    try:
        state = file_state(path)
    except OSError:
        raise InputError(f"{path} cannot be read; expected a file of baselines (LAYER,P,R,F)") from None
    return _read(path, state)


def baselines(
    encoder: ContextualEncoder, texts: Sequence[str], *, pairs: int = 10_000, seed: int = 12345
) -> dict[int, tuple[float, float, float]]:
    """The mean scores of unrelated sentences, for every layer: what `baseline` takes as the floor.

    Sentences are drawn in pairs of two different ones; as for the baselines of the authors, no idf.
    """
    lines = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(lines) < 2:
        raise InputError("baselines need at least two different sentences, one on each line")
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(lines), size=pairs)
    second = (first + rng.integers(1, len(lines), size=pairs)) % len(lines)
    drawn = [(lines[a], lines[b]) for a, b in zip(first, second, strict=True)]
    weigh = BertScore().weights
    sums = {layer: np.zeros(3) for layer in encoder.layers}
    step = 256  # pairs: every layer is in memory at once
    for start in range(0, pairs, step):
        part = drawn[start : start + step]
        some = list(dict.fromkeys(text for pair in part for text in pair))
        weights = weigh(encoder, some)
        for layer, encoded in encoder.encode_every(some).items():
            sums[layer] += with_f(greedy(encoded, part, weights)).sum(axis=0)
    return {layer: (float(p), float(r), float(f)) for layer, (p, r, f) in ((k, v / pairs) for k, v in sums.items())}
