"""A magnitude study's judgements from its folder's database or an exported file, and what its log tells."""

from __future__ import annotations

from functools import partial

from nlgauge.study.protocols.magnitudes.analysis import analyse
from nlgauge.study.protocols.ratings.analysis import reading

analyse_folder = partial(reading.analyse_folder, how=analyse)
analyse_service = partial(reading.analyse_service, how=analyse)
