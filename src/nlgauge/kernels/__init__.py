"""The expensive half of the metrics: text to counts.

Every kernel exists twice, with one signature: compiled (`nlgauge._native`) and in plain
Python (`nlgauge.kernels.python`), which is the oracle of the tests and the fallback where nothing was compiled.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from nlgauge.errors import InputError

if TYPE_CHECKING:
    from nlgauge.kernels.backends import Kernels

_forced: str | None = None


def native_available() -> bool:
    """Whether the compiled kernels can be imported."""
    try:
        from nlgauge import _native  # noqa: F401
    except ImportError:
        return False
    return True


def backend() -> str:
    """`native` or `python`: what is in use now. `NLGAUGE_BACKEND=python` forces the plain kernels."""
    wanted = _forced or os.environ.get("NLGAUGE_BACKEND") or "native"
    if wanted not in ("native", "python"):
        raise InputError(f"NLGAUGE_BACKEND must be native or python; got {wanted!r}")
    if wanted == "native" and native_available():
        return "native"
    return "python"


def active() -> Kernels:
    """The kernels in use."""
    if backend() == "native":
        from nlgauge import _native

        return cast("Kernels", _native)
    from nlgauge.kernels import python

    return cast("Kernels", python)


@contextmanager
def use(name: str) -> Iterator[None]:
    """Force a backend inside a `with` block (tests and benchmarks)."""
    global _forced  # noqa: PLW0603 - one switch for the process, restored on exit
    before, _forced = _forced, name
    try:
        yield
    finally:
        _forced = before
