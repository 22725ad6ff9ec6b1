"""Which items belong together: labels by a key of the rows, such as document, category or source."""

from __future__ import annotations

from nlgauge.errors import InputError, suggest
from nlgauge.types import EvaluationSet

KNOWN_TO_ITEMS = "source"


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
