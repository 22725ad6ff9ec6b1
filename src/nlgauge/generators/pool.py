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
    prepare: Callable[..., None],
    shared: tuple[Any, ...],
) -> Iterator[Made]:
    """What `work` makes of each item, as they are done; `prepare(*shared)` is called once in each process."""
    cores = os.cpu_count() or 1
    processes = min(len(items), cores, SHARING if torch.cuda.is_available() else cores)
    if processes < 2:
        prepare(*shared)
        yield from map(work, items)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=partial(_alone, prepare), initargs=shared) as pool:
        yield from pool.imap_unordered(work, items)


def _alone(prepare: Callable[..., None], *shared: Any) -> None:
    torch.set_num_threads(1)
    prepare(*shared)


def device() -> str:
    """Where networks are trained."""
    return "cuda" if torch.cuda.is_available() else "cpu"
