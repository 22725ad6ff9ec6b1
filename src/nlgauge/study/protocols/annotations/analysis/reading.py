"""The judgements of an annotation study from its folder or an exported file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nlgauge.study.protocols.annotations.analysis import AnnotationResult, analyse
from nlgauge.study.protocols.outputs.analysis.reading import exclusions, folder_by, service_by
from nlgauge.study.service import Service


def analyse_folder(folder: str | Path, **options: Any) -> AnnotationResult:
    """The analysis of a study's folder."""
    return folder_by(analyse, folder, logged=exclusions, **options)


def analyse_service(service: Service, *, seed: int = 12345, panel: str | None = None, **_: Any) -> AnnotationResult:
    """The analysis of a launched study; its log says so from now on."""
    return service_by(analyse, service, logged=exclusions, seed=seed, panel=panel)
