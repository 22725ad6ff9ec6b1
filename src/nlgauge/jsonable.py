"""The JSON form of results: one writer for all dataclasses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from types import MethodType, MethodWrapperType
from typing import Any, ClassVar, Literal, NamedTuple, SupportsFloat

Empty = Literal["written", "null", "left out"]

_ENTRY = re.compile(r"(?:(?P<key>\w+) = )?(?:(?P<name>[\w.]+)|len\((?P<counted>[\w.]+)\))(?P<empty> or null| if any)?")


class Jsonable:
    """A dataclass with a stable JSON form: its fields in their order, unless `KEYS` says otherwise.

    `KEYS` names what is written, separated by commas:

    - `name`: a field, a property, or a method without arguments; `...` stands for all fields not named elsewhere;
    - `key = name`: under another key; a name may lead to a part of a part, `criterion.id`;
    - `key = len(name)`: how many there are;
    - `not name`: a field that is not written;
    - `*name`: the entries of a part among one's own, nothing where it is None;
    - `name or null`, `name if any`: null, or left out, where it is empty.

    Numbers that are not defined, or infinite, are null; a tuple is a list, an array a list of lists.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Share(Jsonable):
    ...     KEYS = "..., share, warnings = notes if any"
    ...     right: int
    ...     n: int
    ...     notes: tuple[str, ...] = ()
    ...     @property
    ...     def share(self) -> float:
    ...         return self.right / self.n if self.n else float("nan")
    >>> Share(0, 0).to_dict(), Share(1, 2, ("few answers",)).to_dict()
    ({'right': 0, 'n': 0, 'share': None}, {'right': 1, 'n': 2, 'share': 0.5, 'warnings': ['few answers']})
    """

    __slots__ = ()
    KEYS: ClassVar[str] = "..."

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        written: dict[str, Any] = {}
        for entry in entries(type(self)):
            value = _value(self, entry.path)
            if entry.key is None:
                written |= plain(value) or {}
            elif entry.empty == "written" or value:
                written[entry.key] = plain(value)
            elif entry.empty == "null":
                written[entry.key] = None
        return written


class Entry(NamedTuple):
    """One entry of `KEYS`: the key (None for the entries of a part), where its value is found, and what is written
    where that is empty."""

    key: str | None
    path: tuple[str, ...]
    empty: Empty = "written"


_KNOWN: dict[type, tuple[Entry, ...]] = {}


def entries(kind: type[Any]) -> tuple[Entry, ...]:
    """What is written of a class of dataclasses, in order."""
    if kind not in _KNOWN:
        _KNOWN[kind] = _entries(kind)
    return _KNOWN[kind]


def _entries(kind: type[Any]) -> tuple[Entry, ...]:
    every: list[str] = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    given = [entry.strip() for entry in kind.KEYS.split(",")]
    left_out = {entry.removeprefix("not ") for entry in given if entry.startswith("not ")}
    listed = [_entry(kind, entry) for entry in given if not entry.startswith("not ")]
    named = left_out | {name for entry in listed if entry is not None for name in (entry.key, entry.path[0])}
    rest = [Entry(name, (name,)) for name in every if name not in named]
    return tuple(entry for part in listed for entry in (rest if part is None else [part]))


def _entry(kind: type[Any], given: str) -> Entry | None:
    """None stands for the rest of the fields."""
    if given == "...":
        return None
    if given.startswith("*"):
        return Entry(None, tuple(given[1:].split(".")))
    found = _ENTRY.fullmatch(given)
    if found is None:
        raise TypeError(f"{kind.__name__}.KEYS: {given!r} is no entry")
    path = (*found["counted"].split("."), "__len__") if found["counted"] else tuple(found["name"].split("."))
    empty: dict[str | None, Empty] = {None: "written", " or null": "null", " if any": "left out"}
    return Entry(found["key"] or path[-1], path, empty[found["empty"]])


def _value(holder: Any, path: Iterable[str]) -> Any:
    for name in path:
        if holder is None:
            return None
        holder = getattr(holder, name)
        if isinstance(holder, MethodType | MethodWrapperType):
            holder = holder()
    return holder


def plain(value: Any) -> Any:
    """A value as JSON has it: texts, numbers, lists, and dictionaries with texts as keys.

    >>> plain({1: (float("nan"), 0.5), "by": {"b", "a"}})
    {'1': [None, 0.5], 'by': ['a', 'b']}
    """
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if value is None or kind is str or kind is int or kind is bool:
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, str | PurePath):
        return str(value)
    if hasattr(value, "tolist"):  # of numpy, which need not be there
        return plain(value.tolist())
    if isinstance(value, Set):
        return [plain(inner) for inner in sorted(value)]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(inner) for inner in value]
    if isinstance(value, SupportsFloat):
        return plain(float(value))
    raise TypeError(f"{kind.__name__} has no JSON form")


def rows(values: Iterable[Sequence[Any]], keys: str) -> list[dict[str, Any]]:
    """Tuples as objects with these keys, separated by spaces.

    >>> rows([("a", 1.5), ("b", 2.0)], "system mean")
    [{'system': 'a', 'mean': 1.5}, {'system': 'b', 'mean': 2.0}]
    """
    return [dict(zip(keys.split(), value, strict=True)) for value in values]
