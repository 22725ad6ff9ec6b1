"""A comparative study's judgements from its folder's database or an exported file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nlgauge.study.protocols.comparisons.analysis import analyse
from nlgauge.study.protocols.comparisons.analysis.results import ComparisonResult
from nlgauge.study.protocols.outputs.analysis.reading import exclusions, folder_by, service_by
from nlgauge.study.service import Service


def analyse_folder(folder: str | Path, **options: Any) -> ComparisonResult:
    """The analysis of a study's folder; see `folder_by` and `analyse`."""
    return folder_by(analyse, folder, logged=exclusions, **options)


def analyse_service(service: Service, *, seed: int = 12345, panel: str | None = None, **_: Any) -> ComparisonResult:
    """The analysis of a launched study; its log says so from now on."""
    return service_by(analyse, service, logged=exclusions, seed=seed, panel=panel)
