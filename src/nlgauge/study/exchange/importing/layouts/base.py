"""Which of two shapes a file has.

Judges of a crowd under numbers in place of the ids of their platform, which lead to people.
"""

from __future__ import annotations

from nlgauge.io.files import StrPath
from nlgauge.study.exchange.importing.tables import rows_of


def is_set(path: StrPath) -> bool:
    """Whether a file is an evaluation set: its first row has `ratings`."""
    return "ratings" in next(iter(rows_of(path)))[1]


class Relabelled:
    """The same number for the same id, in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self._numbers.setdefault(name, f"w{len(self._numbers) + 1:03}")


REMARK = "the ids of the crowd's platform were replaced by numbers, because they lead to people"
