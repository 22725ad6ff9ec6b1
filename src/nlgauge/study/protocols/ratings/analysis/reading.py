"""A rating study's judgements, given to its analysis with what the log tells of exclusions, records and discussions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge.study.protocols.outputs.analysis.reading import folder_by, service_by
from nlgauge.study.protocols.ratings.analysis import analyse
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.ratings.analysis.rounds import Opened
from nlgauge.study.protocols.ratings.analysis.rows import Rated, sort_out
from nlgauge.study.service import Service, opened
from nlgauge.study.store import Store


def analyse_folder(folder: str | Path, *, recheck: str | Path | None = None, **options: Any) -> RatingResult:
    """The analysis of a study's folder; see `folder_by` and `analyse`. In `recheck` experts judged a sample again."""
    experts = None if recheck is None else _experts(recheck, unit=bool(options.get("unit")))
    return folder_by(analyse, folder, experts=experts, logged=_logged, **options)


def _logged(service: Service) -> Mapping[str, Any]:
    """Who is left out, the judges' records, and the discussions."""
    return {
        "excluded": service.quality.excluded(),
        "records": service.quality.records(),
        "rounds": [Opened(one["at"], tuple(one["data"]["texts"])) for one in service.events("discussion")],
    }


def _experts(folder: str | Path, *, unit: bool) -> Rated:
    """What the experts answered so far in the study that judges a sample again."""
    service = opened(folder, Store.at(folder, create=False))
    return sort_out(service.frozen, service.judgements(), unit=unit)


def analyse_service(
    service: Service,
    *,
    seed: int = 12345,
    panel: str | None = None,
    unit: bool = False,
    **_: Any,
) -> RatingResult:
    """The analysis of a launched study; its log says so from now on."""
    return service_by(analyse, service, logged=_logged, seed=seed, panel=panel, unit=unit)
