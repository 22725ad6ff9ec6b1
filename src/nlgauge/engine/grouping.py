"""Which items belong together: labels by a key of the rows, such as document, category or source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from nlgauge.errors import InputError, first_of, suggest
from nlgauge.types import EvaluationSet, Segment

KNOWN_TO_ITEMS = "source"
Filter = tuple[str, str]


class Row(Protocol):
    """What every kind of row has to be chosen by."""

    @property
    def item(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def source(self) -> Any: ...
    @property
    def ratings(self) -> Mapping[str, Any]: ...
    @property
    def extra(self) -> Mapping[str, Any]: ...


def where(data: EvaluationSet, filters: Sequence[Filter]) -> EvaluationSet:
    """The rows whose keys have these values, all of them."""
    for key, wanted in filters:
        values = [look_up(segment, key) for segment in data.judged()]
        if wanted not in map(spelled, values):
            raise no_row(data.origin, key, wanted, values)
        data = data.where(partial(_has, key, wanted))
    return data


def _has(key: str, wanted: str, segment: Segment) -> bool:
    return spelled(look_up(segment, key)) == wanted


def look_up(row: Row, key: str) -> Any:
    """The value of a row's key; `metrics.BLEU` looks into an object. None where the row lacks it."""
    own = {"item": row.item, "system": row.system, "source": row.source, "ratings": row.ratings}
    if key in own or key in row.extra:
        return own[key] if key in own else row.extra[key]
    head, dot, rest = key.partition(".")
    inside = own.get(head, row.extra.get(head)) if dot else None
    return inside.get(rest) if isinstance(inside, Mapping) else None


def spelled(value: Any) -> str:
    """A value as one would type it: true, 3, text."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def no_row(origin: str, key: str, wanted: str, values: Iterable[Any]) -> InputError:
    """The refusal of a filter that no row passes."""
    known = list(values)
    if all(value is None for value in known):
        return InputError(f"no row of {origin} has the key {key}")
    shown = sorted(set(map(spelled, known)))
    return InputError(f"no row of {origin} has {key}={wanted}; its values are: {first_of(shown, 8)}")


def item_labels(data: EvaluationSet, key: str) -> dict[str, str]:
    """item -> its label; every item needs one, and its rows must not disagree."""
    labels: dict[str, str] = {}
    keys: set[str] = {KNOWN_TO_ITEMS}
    for segment in data.judged():
        keys |= segment.extra.keys()
        value = segment.source if key == KNOWN_TO_ITEMS else segment.extra.get(key)
        if value is None:
            continue
        known = labels.setdefault(segment.item, str(value))
        if known != str(value):
            raise InputError(
                f"{data.origin}: item {segment.item!r} has the {key} {known!r} in one row and {str(value)!r} in "
                "another; items can be grouped only by a key on which all their rows agree"
            )
    if not labels:
        raise InputError(f"{data.origin}: no row has the key {key!r} to group items by; {suggest(key, keys)}")
    for item in dict.fromkeys(segment.item for segment in data.judged()):
        if item not in labels:
            raise InputError(
                f"{data.origin}: item {item!r} has no {key} to be grouped by; give it one, or choose another key"
            )
    return labels
