"""What the scores of a trained metric are measured in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def scale_words(scale: Mapping[str, Any]) -> str:
    """One sentence without its end; empty where nothing is known. `scale` stands in training.json."""
    low, high = (f"{float(scale.get(end, 0.0)):.4g}" for end in ("low", "high"))
    what = " and ".join(scale.get("criteria", ())) or "the ratings"
    said = {
        "ratings": f"scores are on the scale of {what}, {low} to {high} in what it learnt from, and may lie beyond",
        "deviations": f"scores of {what} are in standard deviations: 0 is an average output of those it learnt from",
        "range": f"scores of {what} are shares of the range it learnt from: 0 the lowest rating there, 1 the highest",
        "self": f"scores of {what} are shares of what the output would get if compared with itself",
        "probability": f"scores are the probability of {what}, 0 to 1",
        "order": "scores say which output is better; they have no unit",
    }
    return said.get(str(scale.get("unit")), "")
