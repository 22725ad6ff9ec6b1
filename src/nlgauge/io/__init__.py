"""Evaluation sets in and out: `load`, `stream`, pairwise rows, and writing that leaves nothing half-
written.
"""

from __future__ import annotations

from nlgauge.io.batches import RowBatch
from nlgauge.io.loading import load
from nlgauge.io.pairs import is_pairwise, load_pairs, pairs_to_set
from nlgauge.io.streaming import stream
from nlgauge.io.write import atomic_file, atomic_path, write_csv, write_jsonl, write_rows

__all__ = [
    "RowBatch",
    "atomic_file",
    "atomic_path",
    "is_pairwise",
    "load",
    "load_pairs",
    "pairs_to_set",
    "stream",
    "write_csv",
    "write_jsonl",
    "write_rows",
]
