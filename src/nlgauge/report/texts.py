"""Texts on a page: the source, the references and what systems made of it, and how two versions of a text differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from markupsafe import Markup

from nlgauge.report.components import component, text_of
from nlgauge.wording.markup import element, joined

Example = Mapping[str, Any]  # one row of an evaluation set: item, system, source, references, hypothesis, ratings
CSS = """
.example{border:1px solid #8884;border-radius:8px;padding:.75rem 1rem;margin:0 0 1rem}
.example p{margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.example ins{background:#2e9d5c40;text-decoration:underline}
.example del{background:#d0403540}
.example li{overflow-wrap:anywhere}
"""


def examples_of(rows: Sequence[Example]) -> Markup:
    """One card per item, in the order of the rows."""
    items: dict[str, list[Example]] = {}
    for row in rows:
        items.setdefault(str(row.get("item", "")), []).append(row)
    return component("texts.items", [_card(item, outputs) for item, outputs in items.items()])


def _card(item: str, outputs: Sequence[Example]) -> tuple[object, ...]:
    first = outputs[0]
    source = source_of(first["source"]) if first.get("source") is not None else ""
    shown = [(row.get("system", ""), row.get("hypothesis"), _marks(row.get("ratings"))) for row in outputs]
    return item, source, first.get("references") or [], shown


def source_of(source: object) -> Markup:
    """Text as text, triples as a table (pivoted where no entity has an attribute twice), turns as a list."""
    if isinstance(source, str) or not isinstance(source, Sequence) or not source:
        return text_of(source)
    if all(_is_triple(part) for part in source):
        return _triples([tuple(str(cell) for cell in part) for part in source])
    return component("texts.turns", [_turn(part) for part in source])


def _is_triple(part: object) -> bool:
    return isinstance(part, Sequence) and not isinstance(part, str) and len(part) == 3


def _triples(triples: Sequence[tuple[str, ...]]) -> Markup:
    cells = {(entity, attribute): value for entity, attribute, value in triples}
    attributes = list(dict.fromkeys(attribute for _, attribute, _ in triples))
    if len(cells) == len(triples) and len(attributes) <= 5:
        entities = list(dict.fromkeys(entity for entity, _, _ in triples))
        body = [[entity, *(cells.get((entity, name), "") for name in attributes)] for entity in entities]
        return component("texts.triples", ["", *attributes], body)
    return component("texts.triples", ["entity", "attribute", "value"], triples)


def _turn(part: object) -> str:
    if isinstance(part, Mapping):
        return ": ".join(str(value) for value in part.values())
    if isinstance(part, Sequence) and not isinstance(part, str):
        return ": ".join(str(value) for value in part)
    return str(part)


def _marks(ratings: object) -> str:
    if not isinstance(ratings, Mapping):
        return ""
    words = []
    for criterion, marks in ratings.items():
        several = isinstance(marks, Sequence) and not isinstance(marks, str)
        words.append(f"{criterion} {' '.join(_mark(mark) for mark in (marks if several else [marks]))}")
    return " · ".join(words)


def _mark(mark: object) -> str:
    return f"{mark:g}" if isinstance(mark, float) else str(mark)


def difference(before: str, after: str) -> Markup:
    """Two versions of a text with the words that went and those that came, as HTML."""
    return joined((element(kind, words) if kind else words for kind, words in _changes(before, after)), " ")


def plain_difference(before: str, after: str) -> str:
    """The same as text, with the signs of wdiff.

    >>> plain_difference("a big dog", "a large dog dog")
    'a [-big-] {+large+} dog {+dog+}'
    """
    signs = {"": "{}", "del": "[-{}-]", "ins": "{{+{}+}}"}
    return " ".join(signs[kind].format(words) for kind, words in _changes(before, after))


def _changes(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Runs of words: kept (``), gone (`del`) and come (`ins`)."""
    old, new = before.split(), after.split()
    for kind, a, b, c, d in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "", " ".join(old[a:b])
            continue
        yield from ((tag, " ".join(words)) for tag, words in (("del", old[a:b]), ("ins", new[c:d])) if words)
