"""What the log tells the analysis of ratings, and what experts answered in a study that judges a sample again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge.study.protocols.ratings.analysis.rounds import Opened
from nlgauge.study.protocols.ratings.analysis.rows import Rated, sort_out
from nlgauge.study.service import Service, opened
from nlgauge.study.store import Store


def logged(service: Service) -> Mapping[str, Any]:
    """Who is left out, the judges' records, and the discussions."""
    return {
        "excluded": service.quality.excluded(),
        "records": service.quality.records(),
        "rounds": [Opened(event["at"], tuple(event["data"]["texts"])) for event in service.events("discussion")],
    }


def experts_of(folder: str | Path, *, unit: bool) -> Rated:
    """What the experts answered so far."""
    service = opened(folder, Store.at(folder, create=False))
    return sort_out(service.frozen, service.judgements(), unit=unit)
