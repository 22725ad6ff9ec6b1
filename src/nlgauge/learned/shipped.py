"""The trained metrics that come with nlgauge, by name."""

from __future__ import annotations

from pathlib import Path

NUBIA = (
    "nubia",
    "nubia-light",
    "nubia-one-pass",
    "nubia-6dim-lreg",
    "nubia-6dim-nn",
    "nubia-8dim-lreg",
    "nubia-8dim-nn",
)
HEADS = ("similarity", "surprise", "refsurprise")  # of the metric `reading`
COMPARATOR = "nlgauge-compare"  # that of judges for whom none is named
NAMED = (*NUBIA, "nlgauge-mt", COMPARATOR, "sts")  # those that are offered
SHIPPED = (*NAMED, *(f"reading-{name}" for name in HEADS))
_HOME = Path(__file__).parent / "shipped"


def shipped(name: str) -> Path | None:
    """The folder of a metric that comes with nlgauge; None where the name is none of these."""
    return _HOME / name if name in SHIPPED else None
