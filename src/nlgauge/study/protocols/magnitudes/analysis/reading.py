"""A magnitude study's judgements from its folder's database or an exported file, and what its log tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nlgauge.study.protocols.magnitudes.analysis import analyse
from nlgauge.study.protocols.outputs.analysis.reading import exclusions, folder_by, service_by
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.service import Service


def analyse_folder(folder: str | Path, **options: Any) -> RatingResult:
    """The analysis of a study's folder; see `folder_by` and `analyse`."""
    return folder_by(analyse, folder, logged=exclusions, **options)


def analyse_service(service: Service, *, seed: int = 12345, panel: str | None = None, **_: Any) -> RatingResult:
    """The analysis of a launched study; its log says so from now on."""
    return service_by(analyse, service, logged=exclusions, seed=seed, panel=panel)
