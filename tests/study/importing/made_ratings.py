"""Made-up judgements that were collected elsewhere."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

CRITERIA = ("fluency", "adequacy")


def rows(*, items: int = 6, judges: int = 4, seed: int = 3, **extra: Any) -> list[dict[str, Any]]:
    """Ratings from 1 to 5: people write best, then the network, then the rules."""
    draw = random.Random(seed)
    means = {"people": 4.2, "neural": 3.3, "rules": 2.2}
    return [
        {
            "item": f"i{item}",
            "system": system,
            "judge": f"j{judge}",
            "criterion": criterion,
            "value": min(5, max(1, round(draw.gauss(mean, 0.8)))),
            "text": f"{system} on {item}",
            **extra,
        }
        for item in range(items)
        for system, mean in means.items()
        for judge in range(judges)
        for criterion in CRITERIA
    ]


def written(path: Path, table: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path
