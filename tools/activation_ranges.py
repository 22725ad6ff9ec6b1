"""Measure what enters the 8-bit products of a trained pair metric or comparator; write the ranges to its metric.json.

    python tools/activation_ranges.py nlgauge-mt wmt15_16_daseg.jsonl.gz stsb.jsonl.gz --every 4

The files are evaluation sets. The network runs in float32 over every so manieth pair of output and reference (of source
and output where it reads contexts), and over some texts beside nothing and beside themselves; the least and the highest
numbers, widened by a tenth, are the ranges (`nlgauge.models.int8`). A metric that has them computes in 8 bits where
ONNX Runtime is installed.
"""

from __future__ import annotations

import argparse
import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.io.files import text_lines
from nlgauge.learned.comparator import context_of
from nlgauge.learned.folder import ABOUT, open_folder, seal
from nlgauge.learned.paired import Paired
from nlgauge.models.bert import Bert, Layer, gelu
from nlgauge.models.int8 import Range, fits
from nlgauge.models.interface import Vectors
from nlgauge.models.kept_pairs import Pair
from nlgauge.models.scoring import NumpyScorer

WIDER = 1.1  # than what was seen
MOST = (16, 0, 16, 16)  # copies of large numbers in each product (`nlgauge.models.int8.PRODUCTS`)


class Watched(Bert):
    """A network that remembers the least and the highest numbers that entered a product, by layer."""

    def watch(self) -> None:
        """Begin."""
        self.seen: dict[tuple[int, int], Vectors] = {}

    def _note(self, layer: Layer, product: int, values: Vectors) -> None:
        number = next(k for k, own in enumerate(self._layers) if own is layer)
        ends = np.stack([values.min(axis=0), values.max(axis=0)])
        before = self.seen.setdefault((number, product), ends)
        self.seen[number, product] = np.stack([np.minimum(before[0], ends[0]), np.maximum(before[1], ends[1])])

    def _attended(
        self, layer: Layer, state: Vectors, shape: tuple[int, ...], asking: int, unseen: Vectors | None
    ) -> Vectors:
        taken = super()._attended(layer, state, shape, asking, unseen)
        self._note(layer, 0, state)
        self._note(layer, 1, taken)
        return taken

    def _fed(self, layer: Layer, state: Vectors) -> Vectors:
        inner = state @ layer.widen + layer.widen_bias
        gelu(inner, np.empty((2, *inner.shape), dtype=np.float32))
        self._note(layer, 2, state)
        self._note(layer, 3, inner)
        return super()._fed(layer, state)


def fitted(low: Vectors, high: Vectors, most: int) -> Range:
    """The narrowest range to which so many copies of large numbers can be brought."""
    lowest, highest = float(low.min()), float(high.max())
    best = Range(lowest, highest)
    for share in np.arange(0.95, 0.05, -0.01):
        end = share * max(-lowest, highest)
        ends = max(lowest, -end), min(highest, end)
        copies = np.maximum(np.ceil(low / ends[0]), np.ceil(high / ends[1])).astype(int)
        if (copies - 1).sum() > most:
            break
        places = np.flatnonzero(copies > 1).tolist()
        best = Range(*ends, [[place, int(copies[place])] for place in places])
    return best


def measured(form: Paired, pairs: Sequence[Pair]) -> list[list[Range]]:
    """The ranges of each layer's products; batches are of equal length, so that no padding is seen."""
    scorer = form.float_scorer()
    assert isinstance(scorer, NumpyScorer) and isinstance(scorer.bert, Bert)
    scorer.bert.__class__ = Watched
    assert isinstance(scorer.bert, Watched)
    scorer.bert.watch()
    groups: dict[int, list[Pair]] = {}
    for pair, (units, _) in zip(pairs, scorer.note_long(pairs), strict=True):
        groups.setdefault(len(units), []).append(pair)
    for group in groups.values():
        scorer.scores(group)
    found = []
    for layer in range(form.network["num_hidden_layers"]):
        ranges = [
            fitted(low, high, most)
            for (low, high), most in ((scorer.bert.seen[layer, k] * WIDER, most) for k, most in enumerate(MOST))
        ]
        found.append([Range(float(f"{r.low:.4g}"), float(f"{r.high:.4g}"), r.copies) for r in ranges])
    return found


def pairs_of(row: dict[str, Any], *, contexts: bool) -> list[Pair]:
    """What is read of a row."""
    outputs = [row[key] for key in ("hypothesis", "hypothesis_a", "hypothesis_b") if key in row]
    if contexts:
        return [(context_of(row["source"]), output) for output in outputs]
    return [(html.unescape(output), html.unescape(row["references"][0])) for output in outputs]


def read(paths: Sequence[str], every: int, *, contexts: bool) -> list[Pair]:
    """Some of the pairs, and of fewer the second text beside itself and beside nothing."""
    found: list[Pair] = []
    for path in paths:
        rows = [json.loads(line) for _, lines in text_lines(path, 10_000) for line in lines if line]
        pairs = [pair for row in rows for pair in pairs_of(row, contexts=contexts)]
        found += pairs[::every]
        found += [(text, text) for _, text in pairs[:: 20 * every]]
        found += [("", text) for _, text in pairs[:: 20 * every]]
    return found


def main() -> None:
    """Read, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("data", nargs="+", metavar="FILE")
    parser.add_argument("--every", type=int, default=4, metavar="N")
    arguments = parser.parse_args()
    form = open_folder(arguments.folder).form
    assert isinstance(form, Paired) and fits(form.network)
    path = arguments.folder / ABOUT
    about = json.loads(path.read_text(encoding="utf-8"))
    about["settings"]["ranges"] = measured(
        form, read(arguments.data, arguments.every, contexts=form.reads in form.CUT_FIRST)
    )
    path.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    seal(arguments.folder)


if __name__ == "__main__":
    main()
