"""METEOR's tables of words grow while they are read: eight threads give the values of one."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from nlgauge.metrics.spec import parse

COMMON = (
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "runs",
    "running",
    "quickly",
    "fast",
    "big",
    "large",
    "house",
    "home",
)


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that are changed as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def texts(name: str, number: int) -> tuple[list[str], list[list[str]]]:
    """Segments of common words and of some that no other batch has."""
    draw = random.Random(f"{name} {number}")
    words = [*COMMON, *(f"{name[-1]}{number}word{k}" for k in range(150))]

    def text() -> str:
        return " ".join(draw.choices(words, k=25))

    return [text() for _ in range(40)], [[text(), text()] for _ in range(40)]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", ("meteor-next", "meteor-universal", "meteor++", "hmeteor"))
def test_eight_threads_give_the_values_of_one(name: str) -> None:
    metric = parse(name)
    batches = [texts(name, number) for number in range(32)]
    with ThreadPoolExecutor(8) as pool:  # first, so that every word is new
        together = list(pool.map(lambda batch: metric.segments(*batch).tolist(), batches))
    assert together == [metric.segments(*batch).tolist() for batch in batches]
