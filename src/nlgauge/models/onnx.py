"""Networks on ONNX Runtime: no PyTorch. What the model file gives is its last layer.

Networks with 8-bit arithmetic scale their activations by batch, so they read one text at a time, several at once on
several threads: a text's vectors then depend on nothing else.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, needing
from nlgauge.models import runtime
from nlgauge.models.encoding import Shape
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Vectors

OUTPUT = "last_hidden_state"


def library(purpose: str) -> Any:
    """onnxruntime, or how to install it."""
    with needing(purpose, "encoder"):
        import onnxruntime
    return onnxruntime


def cores() -> int:
    """Threads to use: as asked for, also by the variable that PyTorch and BLAS heed, else one for each core."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    if runtime.current().threads or (told.isdecimal() and int(told)):
        return runtime.current().threads or int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def exhausted(error: BaseException) -> bool:
    """Whether ONNX Runtime says that memory ran out."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in ("bad_alloc", "Failed to allocate"))


class Apart:
    """Rows read one at a time, as many at once as there are threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(cores())

    def run(self, one: Callable[[Ints], Vectors], rows: Sequence[Ints]) -> Vectors:
        """What `one` gives for each row, one after the other."""
        return np.concatenate(list(self._pool.map(one, rows)))


class OnnxNetwork:
    """An encoder exported to ONNX."""

    resident = False
    budget = 2_048

    def __init__(self, path: Path, *, pad: int = 0, purpose: str = "this") -> None:
        onnxruntime = library(purpose)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        with loaded_by(f"{path} cannot be run by ONNX Runtime"):
            self._apart = Apart() if is_dynamic(path) else None
            if self._apart:
                options.intra_op_num_threads = 1
            elif runtime.current().threads:
                options.intra_op_num_threads = runtime.current().threads
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._pad = pad
        self._inputs = {node.name for node in self._session.get_inputs()}
        outputs = {node.name: node for node in self._session.get_outputs()}
        if OUTPUT not in outputs:
            raise InputError(f"{path} has no output {OUTPUT}; export the model with it (found: {', '.join(outputs)})")
        self.dim = int(outputs[OUTPUT].shape[-1])

    def shape(self, layers: int, longest: int) -> Shape:
        """The last of so many layers."""
        return Shape((layers,), self.dim, longest)

    def run(self, rows: Sequence[Ints], layers: Sequence[int]) -> Vectors:
        """Vectors of all units, rows one after the other."""
        return self._apart.run(lambda row: self._read([row]), rows) if self._apart else self._read(rows)

    def _read(self, rows: Sequence[Ints]) -> Vectors:
        longest = max(len(row) for row in rows)
        ids = np.full((len(rows), longest), self._pad, dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        fed = {name: value for name, value in given.items() if name in self._inputs}
        (layer,) = self._session.run([OUTPUT], fed)
        flat: Vectors = np.asarray(layer, dtype=np.float32)[mask.astype(bool)]
        return flat[:, None]

    def join(self, parts: Sequence[Any]) -> Any:
        """One array."""
        return np.concatenate(parts)

    def exhausted(self, error: BaseException) -> bool:
        """Whether memory ran out."""
        return exhausted(error)


def is_dynamic(path: Path) -> bool:
    """Whether activations are quantised as they come: the operators stand by name in the file."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(b"DynamicQuantizeLinear") >= 0
