"""Trainings beside each other: one process a core, or several that share a GPU."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import torch

SHARING = 12  # processes that share a GPU

Item = TypeVar("Item")
Made = TypeVar("Made")


def finished(
    work: Callable[[Item], Made],
    items: Sequence[Item],
    *,
    prepare: Callable[..., None] | None = None,
    shared: tuple[Any, ...] = (),
    processes: int | None = None,
) -> Iterator[Made]:
    """What `work` makes of each item, as they are done; `prepare(*shared)` is called once in each process.

    There are as many processes as cores (on a GPU at most `SHARING`), unless a number is given; 1 is this process.
    """
    if processes is None:
        cores = os.cpu_count() or 1
        processes = min(cores, SHARING if torch.cuda.is_available() else cores)
    processes = min(len(items), processes)
    if processes < 2:
        if prepare:
            prepare(*shared)
        yield from map(work, items)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=partial(_alone, prepare), initargs=shared) as pool:
        yield from pool.imap_unordered(work, items)


def _alone(prepare: Callable[..., None] | None, *shared: Any) -> None:
    torch.set_num_threads(1)
    if prepare:
        prepare(*shared)


def with_memory_for(each: int) -> int:
    """How many processes that need so many bytes each a GPU has memory for; 1 where there is no GPU."""
    if not torch.cuda.is_available():
        return 1
    return max(1, min(SHARING, os.cpu_count() or 1, int(torch.cuda.mem_get_info()[0]) // each))


def device() -> str:
    """Where networks are trained."""
    return "cuda" if torch.cuda.is_available() else "cpu"
