"""The texts to be rated, with what stands beside them: from an evaluation set, or from the study file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from nlgauge.errors import counted, shortened, suggest
from nlgauge.study.file.places import PlacedError
from nlgauge.study.freeze.texts import checked, output_of, plain_lines, read_set, segments_of, text_id
from nlgauge.study.model import Text
from nlgauge.study.protocols.outputs.file import (
    REFERENCES,
    STANDARD,
    OutputStudy,
    RatedSubject,
    RatedText,
    Show,
)
from nlgauge.study.protocols.outputs.gold import CHECK, WRITTEN_AS
from nlgauge.study.protocols.outputs.quality import Attention
from nlgauge.text import tables

if TYPE_CHECKING:
    from nlgauge.types import EvaluationSet


WRITTEN = ("source", "context")
"""What may be a table that is written as a text."""


def subjects_of(study: OutputStudy, root: Path) -> dict[str, RatedSubject]:
    """Every system with where its texts come from; the short form (data and systems) written out."""
    if study.subjects:
        return dict(study.subjects)
    path = root / study.data
    data = read_set(path, "data")
    known = [*data.systems, *([] if REFERENCES in data.systems else [REFERENCES])]
    for name in study.systems:
        if name not in known:
            raise PlacedError(f"systems: {path} has no system {name!r}; {suggest(name, known)}", "systems")
    return {
        name: RatedSubject(data=study.data, reference=1, items=study.items)
        if name not in data.systems
        else RatedSubject(data=study.data, system=name, items=study.items)
        for name in study.systems or data.systems
    }


def read_texts(study: OutputStudy, root: Path) -> list[Text]:
    """The texts of every system, each in the order of its source; every system has one for every item."""
    read: dict[Path, EvaluationSet] = {}
    found = [
        text
        for name, subject in study.subjects.items()
        for text in (
            [
                _written(study, name, entry.item or str(number), entry, f"subjects.{name}.texts.{number}")
                for number, entry in enumerate(subject.texts, start=1)
            ]
            or _from_set(study, name, subject, root, read)
        )
    ]
    _check_complete(study, found)
    return checked(found, root, empty=True)  # to say nothing is an output too


def with_layouts(study: OutputStudy, texts: Sequence[Text]) -> OutputStudy:
    """The study with it fixed whether inputs are shown as tables: where each of them is written as one."""

    def fixed(show: Show) -> Show:
        if show.what not in WRITTEN or show.layout != "auto":
            return show
        values = [text.beside.get(show.what) for text in texts]
        tabular = not study.marks_source and bool(values) and all(map(tables.rows, values))
        return replace(show, layout="table" if tabular else "text")

    panels = {
        name: panel if panel.show is None else replace(panel, show=tuple(map(fixed, panel.show)))
        for name, panel in study.panels.items()
    }
    return replace(study, show=tuple(map(fixed, study.show)), panels=panels)


def example_text(study: OutputStudy, number: int, example: RatedText) -> Text:
    """A text that only practice shows."""
    return _written(study, "practice", f"practice {number}", example, f"practice.examples.{number}")


def check_texts(study: OutputStudy, checks: Sequence[Attention]) -> list[Text]:
    """The texts of attention checks; the item is the check's number in the file."""
    found = []
    for number, check in enumerate(checks, start=1):
        beside = RatedText(check.text, source=check.source, reference=check.reference, history=check.history)
        shown = _beside_listed(study, beside, f"quality.attention.{number}")
        found += [
            replace(
                _text(study, f"check {place}", f"check {number}", words),
                context=check.context,
                beside=shown,
                role=CHECK,
            )
            for place, words in enumerate(check.shown, start=1)
        ]
    return found


def _text(study: OutputStudy, name: str, item: str, text: str) -> Text:
    text = plain_lines(text)
    return Text(text_id(study.seed, name, item, text), name, item, text)


def _written(study: OutputStudy, name: str, item: str, entry: RatedText, where: str) -> Text:
    """A text that stands in the study file."""
    return replace(
        _text(study, name, item, entry.text),
        image=entry.image or None,
        caption=entry.caption,
        context=entry.context,
        beside=_beside_listed(study, entry, where),
    )


def _beside_listed(study: OutputStudy, entry: RatedText, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for show in study.every_show:
        if show.what == "image":
            continue
        name = WRITTEN_AS.get(show.what, show.what)
        value = getattr(entry, name, "") if show.what != STANDARD else _first(_listed_as(entry, show))
        if not value:
            raise PlacedError(
                f"{where} has no {name}, which is to be shown (show: {show.what}); write it, or leave it out",
                where,
            )
        rows = tables.rows(value) if show.what == "table" else []
        found[show.what] = rows or (list(value) if isinstance(value, tuple) else plain_lines(value))
    return found


def _listed_as(entry: RatedText, show: Show) -> Any:
    """The value of a text's key, which rows of a set may have under another name."""
    return getattr(entry, "reference" if show.column == REFERENCES else show.column, "")


def _first(value: Any) -> Any:
    """Of several the first."""
    return value[0] if isinstance(value, list | tuple) and value else value


def _from_set(
    study: OutputStudy, name: str, subject: RatedSubject, root: Path, read: dict[Path, EvaluationSet]
) -> Iterator[Text]:
    where, path = f"subjects.{name}", root / subject.data
    for segment in segments_of(where, subject, path, read):
        row = {**segment.extra, "source": segment.source, REFERENCES: list(segment.references)}
        place = f"{path}: the item {shortened(segment.item)} of {name}"
        keys = ("show", "panels", f"{where}.image", where)
        images = [show for show in study.every_show if show.what == "image"]
        picture = images[0].held if images and not subject.image else subject.image
        yield replace(
            _text(study, name, segment.item, output_of(segment, subject, where, path)),
            image=str(_value(row, picture, place, *keys)) if picture else None,
            caption=_words(_value(row, subject.caption, place, f"{where}.caption")) if subject.caption else "",
            context=_words(_value(row, subject.context, place, f"{where}.context")) if subject.context else "",
            beside={show.what: _shown(row, show, place) for show in study.every_show if show.what != "image"},
        )


def _shown(row: Mapping[str, Any], show: Show, place: str) -> Any:
    """A value of a row as a page shows it: a text, a table as rows of cells, or a list of texts."""
    value = _value(row, show.held, place, "standard.column" if show.what == STANDARD else "show", "panels")
    if show.what == STANDARD:
        return _words(_first(value))
    if show.what == "reference":
        return [str(part) for part in value] if isinstance(value, list) else [str(value)]
    if show.what == "table" and (rows := tables.rows(value)):
        return rows
    if show.what == "table" and isinstance(value, list):
        return [[str(cell) for cell in line] if isinstance(line, list | tuple) else [str(line)] for line in value]
    if show.what == "history" and isinstance(value, list):
        return [_turn(turn) for turn in value]
    return _words(value)


def _value(row: Mapping[str, Any], key: str, place: str, *keys: str) -> Any:
    if row.get(key) in (None, "", []):
        held = [name for name, value in row.items() if value not in (None, "", [])]
        raise PlacedError(
            f"{place} has no {key!r} to be shown; add it to the data, or show what the row has: {suggest(key, held)}",
            *keys,
        )
    return row[key]


def _turn(turn: Any) -> str | list[str]:
    """What was said, after who said it where that is known."""
    if isinstance(turn, list | tuple) and len(turn) == 2:
        return [str(turn[0]), str(turn[1])]
    if isinstance(turn, dict) and "text" in turn:
        speaker = turn.get("speaker") or turn.get("role")
        return [str(speaker), str(turn["text"])] if speaker else str(turn["text"])
    return _words(turn)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return plain_lines(value)
    if isinstance(value, list):
        return "\n".join(" · ".join(map(str, line)) if isinstance(line, list | tuple) else str(line) for line in value)
    return orjson.dumps(value).decode()


def _check_complete(study: OutputStudy, texts: Sequence[Text]) -> None:
    """One text for every item of every system: a design deals whole grids."""
    by_system: dict[str, list[str]] = {name: [] for name in study.subjects}
    for text in texts:
        by_system[text.subject].append(text.item)
    every = dict.fromkeys(item for items in by_system.values() for item in items)
    held = [set(items) for items in by_system.values()]
    for name, items in by_system.items():
        repeated = [item for item in items if items.count(item) > 1] if len(set(items)) < len(items) else []
        if repeated:
            raise PlacedError(
                f"{name} has several texts for the item {shortened(repeated[0])}; leave all but one out of the data",
                *_keys(name),
            )
        own = set(items)
        lacking = [item for item in every if item not in own]
        if lacking:
            shared = sum(all(item in known for known in held) for item in every)
            raise PlacedError(
                f"{name} has no text for the item {shortened(lacking[0])}, which another system has "
                f"({counted(len(lacking), 'such item')}); name the {counted(shared, 'item')} that all systems have "
                "(items: [...]), or leave the system out",
                *_keys(name),
            )


def _keys(system: str) -> tuple[str, ...]:
    """Where a file may name a system, or where its texts come from."""
    return (f"subjects.{system}", "items", "systems", "data")


def grid(texts: Sequence[Text], systems: Sequence[str]) -> tuple[list[str], dict[tuple[int, int], str]]:
    """The items in order, and the id of the text of each item by each system, both by number."""
    items = list(dict.fromkeys(text.item for text in texts))
    row, column = {item: k for k, item in enumerate(items)}, {name: k for k, name in enumerate(systems)}
    return items, {(row[text.item], column[text.subject]): text.id for text in texts if text.subject in column}
