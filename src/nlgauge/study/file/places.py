"""What only the texts of a study show to be wrong, with the key of the study file that says so.

Reading a file tells the line of each key; reading texts and dealing them out does not. Whoever refuses there names the
keys, the nearest first, and `frozen.freeze` looks up which of them the file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nlgauge.errors import InputError


class PlacedError(InputError):
    """Something wrong at a key of the study file."""

    def __init__(self, message: str, *places: str, file: Path | None = None, line: int = 0) -> None:
        """`places` are paths of keys, of which the first that the file has is meant."""
        super().__init__(f"{file}, line {line}: {message}" if file is not None and line else message)
        self.message, self.places, self.line = message, places, line


@contextmanager
def placed(*places: str) -> Iterator[None]:
    """Give a place to a refusal that knows none."""
    try:
        yield
    except PlacedError:
        raise
    except InputError as error:
        raise PlacedError(str(error), *places) from None


def line_of(lines: Mapping[str, int], *places: str) -> int:
    """The line of the first key that the file has, or of the nearest key that contains one; else where it begins."""
    for place in places:
        parts = place.split(".")
        above = (".".join(parts[:depth]) for depth in range(len(parts), 0, -1))
        found = next((lines[name] for name in above if name and name in lines), 0)
        if found:
            return found
    return lines.get("", 0)
