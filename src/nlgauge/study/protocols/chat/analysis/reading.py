"""A chat study's judgements from its folder's database or an exported file."""

from __future__ import annotations

from functools import partial

from nlgauge.study.protocols.chat.analysis import analyse
from nlgauge.study.protocols.ratings.analysis import reading

analyse_folder = partial(reading.analyse_folder, how=analyse)
analyse_service = partial(reading.analyse_service, how=analyse)
