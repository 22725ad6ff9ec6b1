"""One note for several criteria where all say the same, or the same with other figures.

Three notes that differ in two numbers are read by nobody: the numbers that differ stand side by side, in the order of
the criteria that head the note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nlgauge.study.protocols.outputs.criteria import UNKNOWN

_FIGURE = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,]\d+)*")
_NAMES = re.compile(r" \([^()]* and \d+ more\)$")  # the first few of many judges


def merged(notes: Sequence[str], places: Sequence[str]) -> list[str]:
    """The notes, those that begin with one of `places` (criteria) and differ at most in figures as one."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for note in dict.fromkeys(notes):
        where = next((place for place in places if note.startswith(f"{place}: ")), "")
        text = note.removeprefix(f"{where}: ") if where else note
        key = f"at {_FIGURE.sub('#', _NAMES.sub('', text))}" if where else note
        groups.setdefault(key, []).append((where, text))
    return [_one(group) for group in groups.values()]


def _one(group: Sequence[tuple[str, str]]) -> str:
    where, text = group[0]
    if len(group) == 1:
        return f"{where}: {text}" if where else text
    heads, texts = [place for place, _ in group], [text for _, text in group]
    if len(set(heads)) < len(heads):  # two notes of one criterion: which figures belong to which would be lost
        return "; ".join(f"{head}: {one}" for head, one in group)
    if len(set(texts)) > 1:
        texts = [_NAMES.sub("", one) for one in texts]
    columns = zip(*(_FIGURE.findall(one) for one in texts), strict=True)
    figures = iter([each[0] if len(set(each)) == 1 else " / ".join(each) for each in columns])
    return f"{_listed(heads)}: {_FIGURE.sub(lambda _: next(figures), texts[0])}"


def _listed(places: Sequence[str]) -> str:
    """Several criteria; what all have in brackets stands once."""
    mark = f" ({UNKNOWN})"
    if all(one.endswith(mark) for one in places):
        return f"{', '.join(one.removesuffix(mark) for one in places)}{mark}"
    return ("; " if any(", " in one for one in places) else ", ").join(places)
