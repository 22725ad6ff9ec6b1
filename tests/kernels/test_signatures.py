"""The compiled kernels and the plain ones: the same functions, with the same names of arguments."""

from __future__ import annotations

import inspect
import re

import pytest

from nlgauge.kernels import python
from nlgauge.kernels.backends import Kernels

NAMES = sorted(name for name in vars(Kernels) if not name.startswith("_"))


def arguments(function: object) -> list[str]:
    """The names in the first line of what a compiled function says of itself."""
    head = str(function.__doc__).splitlines()[0]
    inside, plain = head[head.index("(") + 1 : head.rindex(") ->")], ""
    while plain != inside:
        inside, plain = re.sub(r"\[[^\[\]]*\]", "", inside), inside
    return re.findall(r"(\w+): ", inside)


def test_the_types_have_all_plain_kernels_and_no_other() -> None:
    known = {name for name in vars(python) if callable(getattr(python, name))}
    assert set(NAMES) == known


@pytest.mark.parametrize("name", NAMES)
def test_compiled_arguments_are_those_of_the_twin(name: str) -> None:
    compiled = pytest.importorskip("nlgauge._native", reason="the compiled kernels are not built")
    plain = list(inspect.signature(getattr(python, name)).parameters)
    assert arguments(getattr(compiled, name)) == plain
