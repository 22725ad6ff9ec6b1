"""One writer for the JSON of all results: order, names, what is left out, what is not defined."""

from __future__ import annotations

import contextlib
import json
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import MissingExtra
from nlgauge.jsonable import Entry, Jsonable, entries, plain, rows


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Limits(Jsonable):
    low: float
    high: float = math.inf


@dataclass(frozen=True)
class Bare:
    """No mixin, no method."""

    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Whole(Jsonable):
    KEYS = "n, ..., width, not secret, warnings = notes, name or null, source if any, *limits, top = limits.high"

    name: str
    colour: Colour
    limits: Limits | None
    secret: str = "s"
    n: int = 0
    notes: tuple[str, ...] = ()
    source: str = ""
    bare: Bare = field(default_factory=lambda: Bare({"a": math.nan}))

    @property
    def width(self) -> float:
        return math.nan if self.limits is None else self.limits.high - self.limits.low


def test_the_fields_in_their_order_where_nothing_is_said() -> None:
    assert Limits(0.5).to_dict() == {"low": 0.5, "high": None}
    assert Limits.KEYS == "..."


def test_keys_say_order_names_and_what_is_left_out() -> None:
    full = Whole("a", Colour.RED, Limits(1.0, 3.0), notes=("few",), source="x", n=2).to_dict()
    assert json.dumps(full) == (
        '{"n": 2, "colour": "red", "bare": {"shares": {"a": null}}, "width": 2.0, "warnings": ["few"], "name": "a", '
        '"source": "x", "low": 1.0, "high": 3.0, "top": 3.0}'
    )
    empty = Whole("", Colour.RED, None).to_dict()
    assert json.dumps(empty) == (
        '{"n": 0, "colour": "red", "bare": {"shares": {"a": null}}, "width": null, "warnings": [], "name": null, '
        '"top": null}'
    )


def test_the_mixin_adds_no_field_and_no_dictionary() -> None:
    assert [one.name for one in fields(Limits)] == ["low", "high"]
    assert not hasattr(Whole("a", Colour.RED, None), "__dict__")


def test_values_become_plain() -> None:
    value = {
        1: np.array([[1.0, math.nan]]),
        "integer": np.int64(3),
        "number": np.float64(0.5),
        "exact": Decimal("0.25"),
        "path": Path("a") / "b",
        "names": frozenset({"b", "a"}),
        "own": Limits(-math.inf),
        "flag": np.bool_(True),
    }
    assert json.dumps(plain(value)) == (
        '{"1": [[1.0, null]], "integer": 3, "number": 0.5, "exact": 0.25, "path": "a/b", "names": ["a", "b"], '
        '"own": {"low": null, "high": null}, "flag": true}'
    )
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain(object())


def test_methods_and_tuples_as_rows() -> None:
    @dataclass(frozen=True)
    class Means(Jsonable):
        KEYS = "means = _means"
        means: tuple[tuple[str, float], ...]

        def _means(self) -> list[dict[str, Any]]:
            return rows(self.means, "system mean")

    assert Means((("a", 1.0), ("b", math.nan))).to_dict() == {
        "means": [{"system": "a", "mean": 1.0}, {"system": "b", "mean": None}]
    }


def test_what_cannot_be_read_is_refused() -> None:
    class Wrong(Jsonable):
        KEYS = "a as b"

    with pytest.raises(TypeError, match=r"Wrong\.KEYS: 'a as b' is no entry"):
        entries(Wrong)


@dataclass(frozen=True)
class Counted(Jsonable):
    KEYS = "names = len(names), first = initial, ..."

    names: tuple[str, ...]
    first: str = ""
    n: int = 2

    @property
    def initial(self) -> str:
        return self.names[0]


def test_how_many_there_are_and_a_key_in_place_of_a_field() -> None:
    assert list(Counted(("a", "b", "c")).to_dict().items()) == [("names", 3), ("first", "a"), ("n", 2)]


def every() -> list[type[Jsonable]]:
    """All results of the package."""
    for module in pkgutil.walk_packages(nlgauge.__path__, "nlgauge."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError, MissingExtra):  # of extras that are not there
                import_module(module.name)
    found, waiting = [], [Jsonable]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("nlgauge."):
                found.append(kind)
    return found


def attributes(kind: type[Any]) -> set[str]:
    """What `dir` does not tell: fields without a default, and what subclasses are to have."""
    return {name for parent in kind.__mro__ for name in vars(parent).get("__annotations__", ())}


def test_all_keys_name_what_there_is() -> None:
    wrong = [
        f"{kind.__module__}.{kind.__name__}: {entry.path[0]}"
        for kind in every()
        for entry in entries(kind)
        if entry.path[0] not in {*dir(kind), *attributes(kind)}
    ]
    assert wrong == []
    twice = [kind.__name__ for kind in every() if len({entry.key for entry in named(kind)}) < len(named(kind))]
    assert twice == []


def named(kind: type[Jsonable]) -> list[Entry]:
    """Its entries but those of parts."""
    return [entry for entry in entries(kind) if entry.key is not None]
