"""Many systems in one table: order, clusters and ranges of ranks, and who is significantly better than whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nlgauge.wording.numbers import listing, number

if TYPE_CHECKING:
    from nlgauge.results import Comparisons, Ranked, Ranking

FEW = 5  # systems whose pairs are shown one by one; more stand in the table of their ranking
RIGHT = (0, 2, 3, 4)
LEGEND = (
    "cluster: a new number begins where every system above is significantly better than every one below; ranks: those "
    "a system can have, given who is significantly better or worse; + significantly better than the system of that "
    "place, - worse, . no significant difference found"
)


def long_rankings(comparisons: Comparisons) -> dict[str, Ranking]:
    """The rankings of more systems than a few, by metric."""
    return {ranking.metric: ranking for ranking in comparisons.rankings if len(ranking.systems) > FEW}


def ranking_headers(ranking: Ranking, arrow: str) -> list[str]:
    """The columns of a ranking."""
    return [
        "",
        "system",
        f"{ranking.metric} {arrow}".rstrip(),
        "cluster",
        "ranks",
        f"1 to {len(ranking.systems)}",
    ]


def ranking_cells(ranking: Ranking, places: int) -> list[list[str]]:
    """One row per system; the last cell has a sign for each system, in the order of the rows."""
    return [
        [
            str(place),
            system.system,
            number(system.value, places),
            str(system.cluster),
            ranks(system),
            "".join(_sign(system, other) for other in ranking.systems),
        ]
        for place, system in enumerate(ranking.systems, start=1)
    ]


def ranks(ranked: Ranked) -> str:
    """The ranks that a system can have: `2–5`."""
    return str(ranked.rank_low) if ranked.rank_low == ranked.rank_high else f"{ranked.rank_low}–{ranked.rank_high}"


def _sign(ranked: Ranked, other: Ranked) -> str:
    if ranked.system == other.system:
        return " "
    return "+" if other.system in ranked.better_than else "-" if other.system in ranked.worse_than else "."


def cluster_sentence(ranking: Ranking) -> str:
    """How many clusters there are, and who is in the first."""
    clusters, many = ranking.clusters, len(ranking.systems)
    if len(clusters) == 1:
        return f"On {ranking.metric} the {many} systems form one cluster."
    first = clusters[0]
    named = listing(first) if len(first) <= FEW else f"{len(first)} systems"
    stand = "stands alone in" if len(first) == 1 else "form"
    return f"On {ranking.metric} the {many} systems form {len(clusters)} clusters; {named} {stand} the first."
