"""Example items for the report: the source, the references, and what each system made of it, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

Example = Mapping[str, Any]  # one row of an evaluation set: item, system, source, references, hypothesis, ratings


def examples_html(rows: Sequence[Example]) -> str:
    """One card per item, in the order of the rows."""
    items: dict[str, list[Example]] = {}
    for row in rows:
        items.setdefault(str(row.get("item", "")), []).append(row)
    return "".join(_card(item, outputs) for item, outputs in items.items())


def _card(item: str, outputs: Sequence[Example]) -> str:
    first = outputs[0]
    left = ""
    if first.get("source") is not None:
        left = f"<h4>Source</h4>{source_html(first['source'])}"
    references = first.get("references") or []
    plural = "s" if len(references) != 1 else ""
    right = f"<h4>Reference{plural}</h4><ul>{''.join(f'<li>{text_html(text)}</li>' for text in references)}</ul>"
    sides = f'<div class="sides"><div>{left}</div><div>{right}</div></div>' if left else right
    rows = "".join(
        f'<tr><th scope="row" dir="auto">{escape(str(row.get("system", "")))}</th>'
        f"<td>{text_html(row.get('hypothesis'))}{_marks(row.get('ratings'))}</td></tr>"
        for row in outputs
    )
    return (
        f'<article class="item"><h3>Item {escape(item)}</h3>{sides}'
        '<h4>Outputs</h4><table><thead class="hidden"><tr><th scope="col">system</th>'
        f'<th scope="col">output</th></tr></thead><tbody>{rows}</tbody></table></article>'
    )


def text_html(text: object) -> str:
    """A text in its own direction, with its line breaks; an empty one is said to be empty."""
    if text is None or not str(text).strip():
        return '<span class="none">(empty)</span>'
    return f'<span class="text" dir="auto">{escape(str(text))}</span>'


def source_html(source: object) -> str:
    """Text as text, triples as a table (pivoted where no entity has an attribute twice), turns as a list."""
    if isinstance(source, str):
        return text_html(source)
    if not isinstance(source, Sequence) or not source:
        return text_html(source)
    if all(_is_triple(part) for part in source):
        return _triples([tuple(str(cell) for cell in part) for part in source])
    return f"<ul>{''.join(f'<li>{text_html(_turn(part))}</li>' for part in source)}</ul>"


def _is_triple(part: object) -> bool:
    return isinstance(part, Sequence) and not isinstance(part, str) and len(part) == 3


def _triples(triples: Sequence[tuple[str, ...]]) -> str:
    cells = {(entity, attribute): value for entity, attribute, value in triples}
    attributes = list(dict.fromkeys(attribute for _, attribute, _ in triples))
    if len(cells) == len(triples) and len(attributes) <= 5:
        entities = list(dict.fromkeys(entity for entity, _, _ in triples))
        body = [[entity, *(cells.get((entity, name), "") for name in attributes)] for entity in entities]
        return _small_table(["", *attributes], body)
    return _small_table(["entity", "attribute", "value"], triples)


def _small_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col" class="wrap">{escape(text)}</th>' if text else "<td></td>" for text in headers)
    body = "".join(
        "<tr>" + "".join(f'<td dir="auto">{escape(cell) or "–"}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _turn(part: object) -> str:
    if isinstance(part, Mapping):
        return ": ".join(str(value) for value in part.values())
    if isinstance(part, Sequence) and not isinstance(part, str):
        return ": ".join(str(value) for value in part)
    return str(part)


def _marks(ratings: object) -> str:
    if not isinstance(ratings, Mapping) or not ratings:
        return ""
    words = []
    for criterion, marks in ratings.items():
        several = isinstance(marks, Sequence) and not isinstance(marks, str)
        words.append(f"{criterion} {' '.join(_mark(mark) for mark in (marks if several else [marks]))}")
    return f'<span class="marks">{escape(" · ".join(words))}</span>'


def _mark(mark: object) -> str:
    return f"{mark:g}" if isinstance(mark, float) else str(mark)
