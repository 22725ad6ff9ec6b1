"""How p-values stand in sentences and tables: never 0, and never as a long row of noughts."""

from __future__ import annotations

from nlgauge.stats.discrimination.wording import chance as p_text

__all__ = ["p_number", "p_text"]


def p_number(p: float) -> str:
    """The same without `p =`, for tables: `0.0007`, `3.1e-12`, `<1e-300`."""
    return p_text(p).removeprefix("p ").removeprefix("= ").replace("< ", "<")
