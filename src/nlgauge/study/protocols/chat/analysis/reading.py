"""A chat study's judgements from its folder's database or an exported file."""

from __future__ import annotations

from functools import partial

from nlgauge.study.protocols.chat.analysis import analyse
from nlgauge.study.protocols.outputs.analysis.reading import exclusions, folder_by, service_by

analyse_folder = partial(folder_by, analyse, logged=exclusions)
analyse_service = partial(service_by, analyse, logged=exclusions)
