"""Over- and underscoring: where along the scale of quality a metric puts outputs too high or too low."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.errors import InputError, option
from nlgauge.meta.observations import Observations
from nlgauge.meta.results import MetaEvaluation
from nlgauge.meta.settings import Settings
from nlgauge.stats.correlation.bands import Band, score_bands
from nlgauge.stats.results import Estimate, nulls
from nlgauge.wording.numbers import listing, percent


@dataclass(frozen=True)
class ScoreBands:
    """One metric against one criterion, from the band of the worst outputs to that of the best."""

    metric: str
    criterion: str
    rho: float  # of the ordinary metric that explains the differences best
    bands: tuple[Band, ...]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        rows = [_plain(dataclasses.asdict(band)) for band in self.bands]
        return nulls(vars(self) | {"bands": rows})

    def sentence(self) -> str:
        """Where the metric differs from an ordinary one, as far as intervals tell; empty where they do not."""
        told = [
            f"{'over' if band.beyond.estimate > 0 else 'under'}scores band {band.number} by "
            f"{abs(band.beyond.estimate):.1f} percentile points"
            for band in self.bands
            if _clear(band.beyond)
        ]
        if not told:
            return ""
        return (
            f"Beyond what its correlation with {self.criterion} explains, {self.metric} {listing(told)} "
            f"({percent(self.bands[0].beyond.level)} intervals, each for itself)."
        )


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return nulls(row | {key: nulls(row[key]) for key in ("difference", "beyond")})


def _clear(estimate: Estimate) -> bool:
    return estimate.low > 0 or estimate.high < 0


def check_bands(bands: int, data: Observations, settings: Settings) -> None:
    """Refuse what has no bands, before anything is scored."""
    if not bands:
        return
    if data.pairs:
        raise InputError("bands need scores by people; the judgements given are pairs")
    if settings.level == "system":
        raise InputError(
            f"bands are bands of outputs, not of systems: leave out {option('level', 'system')} (and the report of "
            f"Belz and Reiter), or leave out {option('bands')}"
        )


def bands_of(table: MetaEvaluation, data: Observations, settings: Settings, bands: int) -> tuple[ScoreBands, ...]:
    """The bands of every metric and criterion of a table, of the outputs that it correlates."""
    items: Sequence[str] = [row.item for row in data.rows]
    signs = {cell.metric: 1.0 if cell.direction == "higher" else -1.0 for cell in table.correlations}
    found = []
    for (metric, criterion), points in table.points.items():
        rows, rho = score_bands(
            np.asarray(points.human, dtype=np.float64),
            np.asarray(points.metric, dtype=np.float64),
            items,
            sign=signs[metric],
            bands=bands,
            draws=settings.draws,
            confidence=settings.confidence,
            seed=settings.seed,
        )
        found.append(ScoreBands(metric, criterion, rho, tuple(rows)))
    return tuple(found)
