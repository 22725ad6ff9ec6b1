"""Small judged sets for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "seven",
    "small",
    "birds",
    "sing",
]


def judged(systems: int = 4, items: int = 12, *, references: int = 3, seed: int = 1) -> list[dict[str, Any]]:
    """Rows whose better systems keep more of the reference and are rated higher by three noisy judges."""
    generator = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        texts = [" ".join(generator.permutation(WORDS)[:8]) for _ in range(references)]
        for system in range(systems):
            words = texts[item % references].split()
            kept = [word if generator.random() > 0.2 * system else "noise" for word in words]
            quality = 5 - system
            rows.append(
                {
                    "item": f"i{item}",
                    "system": f"s{system}",
                    "hypothesis": " ".join(kept),
                    "references": texts,
                    "ratings": {"quality": [quality + int(generator.integers(-1, 2)) for _ in range(3)]},
                    "metrics": {"good": quality + 0.1 * float(generator.normal()), "TER": float(system)},
                }
            )
    return rows
