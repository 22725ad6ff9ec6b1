"""The judgements of an annotation study from its folder or an exported file: as those of ratings."""

from __future__ import annotations

from functools import partial

from nlgauge.study.protocols.annotations.analysis import analyse
from nlgauge.study.protocols.ratings.analysis import reading

analyse_folder = partial(reading.analyse_folder, by=analyse)
analyse_service = partial(reading.analyse_service, by=analyse)
