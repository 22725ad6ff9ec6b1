"""Which of two shapes a file has."""

from __future__ import annotations

from nlgauge.io.files import StrPath
from nlgauge.study.importing.tables import rows_of


def is_set(path: StrPath) -> bool:
    """Whether a file is an evaluation set: its first row has `ratings`."""
    return "ratings" in next(iter(rows_of(path)))[1]
