"""Which device PyTorch is to use, and the precision of a model there."""

from __future__ import annotations

from typing import Any

from nlgauge.errors import InputError

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
