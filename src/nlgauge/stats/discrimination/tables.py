"""The three tables of the triangle-test paper, computed: judges needed, least and most correct answers.

The paper takes them from AENOR 2010 (after Schlich 1993 and Meilgaard et al. 1991). The exact binomial gives every
cell of Tables 2 and 3 and 124 of the 125 of Table 1; the cell α = 0.05, β = 0.001, p_d = 10 % is printed as 1181, where
1178 judges suffice and 1181 is the next number that does.
"""

from __future__ import annotations

from typing import Any

from nlgauge.stats.discrimination.binomial import highest_accepting, lowest_rejecting
from nlgauge.stats.discrimination.planning import RISKS, SHARES, needed
from nlgauge.stats.discrimination.protocols import Protocol, find

ODD_CELL = {"alpha": 0.05, "beta": 0.001, "p_d": 0.1, "printed": 1181, "exact": 1178}
TABLE2_JUDGES = tuple(range(6, 25))
TABLE3_JUDGES = (18, 24, 30, 36)


def all_tables(protocol: str | Protocol = "triangle") -> dict[str, list[dict[str, Any]]]:
    """The three tables under the names the command line prints."""
    return {
        "table1": judges_table(protocol),
        "table2": min_correct_table(protocol),
        "table3": max_correct_table(protocol),
    }


def judges_table(protocol: str | Protocol = "triangle") -> list[dict[str, Any]]:
    """Table 1: first and stable number of judges for each α, β and p_d."""
    rows = []
    for p_d in SHARES:
        for alpha in RISKS:
            for beta in RISKS:
                found = needed(alpha, beta, p_d, protocol=protocol)
                rows.append({"p_d": p_d, "alpha": alpha, "beta": beta, "first": found.first, "stable": found.stable})
    return rows


def min_correct_table(
    protocol: str | Protocol = "triangle", judges: tuple[int, ...] = TABLE2_JUDGES
) -> list[dict[str, Any]]:
    """Table 2: correct answers needed to conclude a difference; None where no count suffices."""
    asked = find(protocol)
    rows = []
    for n in judges:
        for alpha in RISKS:
            least = int(lowest_rejecting(n, alpha, asked.guess))
            rows.append({"n": n, "alpha": alpha, "min_correct": least if least <= n else None})
    return rows


def max_correct_table(
    protocol: str | Protocol = "triangle", judges: tuple[int, ...] = TABLE3_JUDGES
) -> list[dict[str, Any]]:
    """Table 3: correct answers allowed to conclude similarity; None where no count is low enough."""
    asked = find(protocol)
    rows = []
    for n in judges:
        for beta in sorted(RISKS):
            for p_d in sorted(SHARES):
                most = int(highest_accepting(n, beta, asked.from_p_d(p_d)))
                rows.append({"n": n, "beta": beta, "p_d": p_d, "max_correct": most if most >= 0 else None})
    return rows
