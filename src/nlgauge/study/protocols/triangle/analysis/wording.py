"""How p-values stand in sentences (`p < .001` at the least) and tables (exact): never 0, no rows of noughts."""

from __future__ import annotations

from nlgauge.stats.discrimination.wording import chance as p_text
from nlgauge.stats.discrimination.wording import exact_chance

__all__ = ["p_number", "p_text"]


def p_number(p: float) -> str:
    """As exact as it is and without `p =`, for tables: `0.0007`, `3.1e-12`, `<1e-300`."""
    return exact_chance(p).removeprefix("p ").removeprefix("= ").replace("< ", "<")
