"""A study of outputs with every check of its judges, for several tests."""

from __future__ import annotations

from typing import Any

ITEMS = 24
WORDS = ("rain", "wind", "snow", "fog", "sun", "hail", "frost", "cloud", "storm", "heat", "dew", "mist")


def sentence(system: str, item: int) -> str:
    """Nine words, other ones for each item."""
    return " ".join(
        [system, *(WORDS[(item * 5 + k * (item % 3 + 1)) % len(WORDS)] for k in range(7)), f"{item}."]
    )


QUALITY: dict[str, Any] = {
    "attention": [
        {"text": "This is a check: please choose 2.", "answer": {"fluency": 2}},
        {"text": "This is a check: please choose 4.", "answer": {"fluency": 4}},
    ],
    "attention_each": 2,
    "degraded": 8,
    "repeats": 6,
    "gap": 4,
    "rule": {"exclude": ["attention", "degraded"], "failures": 1},
}
TEST: dict[str, Any] = {
    "questions": [
        {"text": "What do you judge?", "options": ["The text", "Its author"], "answer": 1},
        {"text": "Are there right answers?", "options": ["Yes", "No", "Sometimes"], "answer": 2},
    ],
    "attempts": 2,
}


def changes(**more: Any) -> dict[str, Any]:
    """What such a study changes in the usual description."""
    return {
        "subjects": {
            name: {"texts": [{"text": sentence(name, k)} for k in range(ITEMS)]}
            for name in ("rules", "neural", "people")
        },
        "criteria": ["fluency"],
        "scale": {"points": 7, "labels": ["bad", "good"]},
        "show": None,
        "quality": QUALITY,
        **more,
    }
