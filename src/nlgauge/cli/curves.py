"""The course of a training as one line: each figure's last value and a curve of its epochs."""

from __future__ import annotations

from collections.abc import Mapping

_BARS = "▁▂▃▄▅▆▇█"
WIDTH = 24


def sparkline(values: list[float]) -> str:
    """The last values as bars, the lowest of them lowest."""
    shown = values[-WIDTH:]
    low, high = min(shown), max(shown)
    spread = high - low or 1.0
    return "".join(_BARS[round((value - low) / spread * (len(_BARS) - 1))] for value in shown)


class Curves:
    """Figures of the epochs so far."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    def heard(self, figures: Mapping[str, float]) -> str:
        """One more epoch, and the line."""
        for name, value in figures.items():
            self.values.setdefault(name, []).append(value)
        said = [
            f"{name.replace('_', ' ')} {figures[name]:.4g} {sparkline(self.values[name])}"
            for name in figures
            if name != "epoch"
        ]
        epoch = [f"epoch {figures['epoch']:g}"] if "epoch" in figures else []
        return "  ".join([*epoch, *said])
