"""Judgements and texts made for tests: random triads, texts and answers with known properties."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from nlgauge.study.model import TRIADS, Judgement, Text, odd_position

Choose = Callable[[np.random.Generator, str, tuple[str, ...]], int]


def texts(inputs: int) -> list[Text]:
    """Two texts for each input."""
    return [
        Text(
            f"{subject}{k}",
            subject,
            f"i{k}",
            f"The text number {k} by {subject} about the weather of that day.",
        )
        for k in range(inputs)
        for subject in "AB"
    ]


def judgements(
    correct: Sequence[bool] | None = None,
    n: int = 0,
    *,
    inputs: int = 24,
    per_judge: int = 1,
    panel: str = "public",
    seed: int = 1,
    choose: Choose | None = None,
    prefix: str = "j",
    **more: object,
) -> list[Judgement]:
    """One judgement after the other, triads in random blocks of six, texts of different inputs at random.

    `correct` fixes which answers are right (errors fall on either other place); `choose` decides instead.
    """
    rng = np.random.default_rng(seed)
    size = len(correct) if correct is not None else n
    blocks = (rng.permutation(6) for _ in itertools.count())
    order = itertools.islice(itertools.chain.from_iterable(blocks), size)
    rows = []
    for number, code in enumerate(order):
        triad = TRIADS[code]
        items = tuple(f"i{k}" for k in rng.choice(inputs, 3, replace=False))
        shown = tuple(f"{subject}{item[1:]}" for subject, item in zip(triad, items, strict=True))
        odd = odd_position(triad)
        if correct is not None:
            others = [place for place in range(3) if place != odd]
            answer = odd if correct[number] else int(rng.choice(others))
        elif choose is not None:
            answer = choose(rng, triad, shown)
        else:
            answer = int(rng.integers(3))
        at = 1_000_000.0 + 60.0 * number
        rows.append(
            Judgement(
                f"{prefix}{number}",
                "s",
                panel,
                f"{prefix}udge{number // per_judge}",
                f"{prefix}slot{number}",
                number,
                triad,
                shown,
                items,
                answer,
                at,
                at + 30.0,
                **more,  # type: ignore[arg-type]
            )
        )
    return rows


def first(k: int, n: int, seed: int = 0) -> list[bool]:
    """k correct answers of n, in random order."""
    right = [place < k for place in range(n)]
    np.random.default_rng(seed).shuffle(right)
    return right
