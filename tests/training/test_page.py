"""docs/training.md has every key of a training file as its dataclass describes it.

`python tests/training/test_page.py` writes the tables of the page again.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from nlgauge.io.fields import Kinds
from nlgauge.training.config import Data, Split, Training
from nlgauge.training.run import kinds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"
KEYS = re.compile(r"(?<=<!-- keys -->\n).*(?=<!-- end of keys -->)", re.S)


def tables() -> str:
    """The keys of every training, of its parts, and of each kind with what can be chosen there."""
    parts: list[tuple[str, Any]] = [
        ("Keys of every training", Training),
        ("`data`: each file", Data),
        ("`split`", Split),
    ]
    for name, training in kinds().items():
        parts.append((f"`kind: {name}`", training))
    seen = set()
    for training in (Training, *kinds().values()):
        for key, choices in _chosen(training):
            for name, part in choices.known.items():
                if (key, name) not in seen and _keys(part):
                    seen.add((key, name))
                    parts.append((f"`{key}: {name}`", part))
    return "\n".join(_table(title, part) for title, part in parts)


def _chosen(training: type[Training]) -> Iterator[tuple[str, Kinds]]:
    for key, hint in get_type_hints(training, include_extras=True).items():
        if get_origin(hint) is Annotated:
            yield from ((key, told) for told in get_args(hint)[1:] if isinstance(told, Kinds))


NAMES = {
    part: name
    for training in (Training, *kinds().values())
    for _, choices in _chosen(training)
    for name, part in choices.known.items()
}


def _table(title: str, part: Any) -> str:
    """Its own keys, not those that every training has."""
    shared = {field.name for field in dataclasses.fields(Training)}
    own = part is not Training and issubclass(part, Training)
    rows = [_row(field) for field in _keys(part) if not (own and field.name in shared)]
    return "\n".join((f"### {title}", "", "| key | what it says | default |", "|---|---|---|", *rows, ""))


def _keys(part: Any) -> list[dataclasses.Field[Any]]:
    """The fields that a file may name."""
    return [field for field in dataclasses.fields(part) if "about" in field.metadata]


def _row(field: dataclasses.Field[Any]) -> str:
    default = field.default
    if isinstance(field.default_factory, type):
        default = NAMES.get(field.default_factory, "as below")
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    said = "must be given" if default is dataclasses.MISSING else _written(default)
    return f"| `{field.name}` | {field.metadata['about']} | {said} |"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "no" if not value else "yes"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value in ("", {}) else str(value)


def test_the_page_has_every_key_with_its_meaning_and_default() -> None:
    (written,) = KEYS.findall(PAGE.read_text(encoding="utf-8"))
    assert written == tables(), "run python tests/training/test_page.py"


if __name__ == "__main__":
    PAGE.write_text(KEYS.sub(lambda _: tables(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
