"""One thread for the small matrices of a mixed model.

A fit factorises matrices of a few hundred rows some hundred times; handing these to several threads of the linear
algebra library takes longer than the arithmetic (2.5 times on two free cores, far more on busy ones).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401 - brings its own copy of the library, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def single_threaded(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with linear algebra on one thread while it runs."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return run
