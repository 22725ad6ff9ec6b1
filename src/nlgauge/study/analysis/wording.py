"""How p-values stand in sentences: never 0, and never as a long row of noughts."""

from __future__ import annotations

from nlgauge.stats.results import format_p


def p_text(p: float) -> str:
    """`p = 0.0007`, `p = 3e-12`, `p < 1e-300`."""
    return f"p < {_LEAST:g}" if p < _LEAST else f"p = {p_number(p)}"


def p_number(p: float) -> str:
    """`0.0007`, `3e-12`, `<1e-300`."""
    if p < _LEAST:
        return f"<{_LEAST:g}"
    return format_p(p) if p >= 1e-6 else f"{p:.0e}"


_LEAST = 1e-300
