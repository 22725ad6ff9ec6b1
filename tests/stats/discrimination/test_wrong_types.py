"""What is no number, or no list, is refused with one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nlgauge import triangle
from nlgauge.errors import InputError


@pytest.mark.parametrize(
    "call",
    [
        lambda: triangle.test(10**400, 10**401),
        lambda: triangle.test(True, 20),
        lambda: triangle.plan(0.05, 0.05, d_prime="x"),  # type: ignore[arg-type]
        lambda: triangle.group_sequential(5, 0.05, 0.3),  # type: ignore[arg-type]
        lambda: triangle.preference(1, 1, 1, null="x"),  # type: ignore[arg-type]
        lambda: triangle.beta_binomial(5, 3),  # type: ignore[arg-type]
        lambda: triangle.replicated_plan(0.05, 0.05, 0.3, per_judge=3, gamma="x"),  # type: ignore[arg-type]
        lambda: triangle.combine(5),  # type: ignore[arg-type]
        lambda: triangle.combine([5, 6]),  # type: ignore[list-item]
        lambda: triangle.sequential(0.05, 0.05, 0.5).follow(5),  # type: ignore[arg-type]
    ],
)
def test_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError):
        call()


def test_numbers_written_as_texts_are_numbers() -> None:
    assert triangle.plan("0.05", 0.05, 0.3) == triangle.plan(0.05, 0.05, 0.3)  # type: ignore[arg-type]
