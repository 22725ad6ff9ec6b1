"""A task's judgements from its folder's database or an exported file."""

from __future__ import annotations

from functools import partial

from nlgauge.study.protocols.outputs.analysis.reading import exclusions, folder_by, service_by
from nlgauge.study.protocols.task.analysis import analyse

analyse_folder = partial(folder_by, analyse, logged=exclusions)
analyse_service = partial(service_by, analyse, logged=exclusions)
