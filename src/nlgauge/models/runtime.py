"""How models run on this machine: device, threads, size of batches, the cache of embeddings, progress.

None of it is meant to change a number (the precision, which does, is part of a metric's spec). Set by the environment
(NLGAUGE_DEVICE, NLGAUGE_THREADS, NLGAUGE_BATCH_TOKENS, NLGAUGE_EMBEDDINGS, NLGAUGE_EMBEDDINGS_GB) or, in Python, by
`with runtime.use(device="cuda:1"): …`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import InputError
from nlgauge.models.interface import Progress

GIB = 2**30
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,3})?")
_forced: dict[str, Any] = {}


@dataclass(frozen=True)
class Runtime:
    """Settings of a run."""

    device: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    threads: int = 0  # of the CPU; 0: as the libraries choose
    batch_tokens: int = 0  # units in a batch, padding included; 0: as suits the device
    embeddings: str = "auto"  # the cache on disk: on, off, or auto (on where the CPU encodes)
    limit: int = 4 * GIB  # bytes the cache may take
    progress: Progress | None = None


def current() -> Runtime:
    """The settings in force now."""
    found = Runtime(
        device=os.environ.get("NLGAUGE_DEVICE") or "auto",
        threads=_whole("NLGAUGE_THREADS"),
        batch_tokens=_whole("NLGAUGE_BATCH_TOKENS"),
        embeddings=os.environ.get("NLGAUGE_EMBEDDINGS") or "auto",
        limit=int(_number("NLGAUGE_EMBEDDINGS_GB", 4.0) * GIB),
    )
    found = replace(found, **_forced)
    if not _DEVICE.fullmatch(found.device):
        raise InputError(f"NLGAUGE_DEVICE must be auto, cpu, cuda, cuda:N or mps; got {found.device!r}")
    if found.embeddings not in ("on", "off", "auto"):
        raise InputError(f"NLGAUGE_EMBEDDINGS must be on, off or auto; got {found.embeddings!r}")
    return found


@contextmanager
def use(**settings: Any) -> Iterator[None]:
    """Other settings inside a `with` block."""
    global _forced  # noqa: PLW0603 - one set of settings for the process, restored on exit
    before, _forced = _forced, {**_forced, **settings}
    try:
        yield
    finally:
        _forced = before


def _whole(name: str) -> int:
    given = os.environ.get(name) or "0"
    if not given.isdecimal():
        raise InputError(f"{name} must be a whole number; got {given!r}")
    return int(given)


def _number(name: str, default: float) -> float:
    given = os.environ.get(name)
    try:
        value = float(given) if given else default
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise InputError(f"{name} must be a number of gibibytes; got {given!r}")
    return value


# Which device PyTorch is to use, and the precision of a model there.


DTYPES = ("float32", "bf16", "fp16")
_cuda: bool | None = None


def chosen(wanted: str) -> str:
    """The device: as asked for, or the first GPU where there is one."""
    if wanted == "auto":
        return "cuda" if cuda_available() else "cpu"
    if wanted == "cpu":
        return wanted
    if wanted.startswith("cuda") and not cuda_available():
        raise InputError(
            f"NLGAUGE_DEVICE asks for {wanted}, but PyTorch finds no CUDA device; use NLGAUGE_DEVICE=cpu or auto"
        )
    if wanted.partition(":")[0] not in ("cuda", "mps"):
        raise InputError(f"NLGAUGE_DEVICE must be auto, cpu, cuda, cuda:N or mps; got {wanted!r}")
    return wanted


def cuda_available() -> bool:
    """Whether PyTorch could use a GPU; PyTorch is imported only where the machine has a driver at all."""
    global _cuda  # noqa: PLW0603 - does not change while a process runs
    if _cuda is None:
        _cuda = _has_driver() and _torch_cuda()
    return _cuda


def _has_driver() -> bool:
    """A quick look: importing PyTorch takes seconds, and a cached run need not."""
    import ctypes

    for name in ("libcuda.so.1", "nvcuda.dll", "libamdhip64.so"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def _torch_cuda() -> bool:
    try:
        import torch
    except ModuleNotFoundError:
        return False
    return bool(torch.cuda.is_available())


def torch_dtype(name: str) -> Any:
    """PyTorch's name of a precision."""
    import torch

    return {"float32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]
