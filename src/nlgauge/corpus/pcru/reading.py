"""Rule files, raw texts and inputs, read for the commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.corpus.pcru.rules import Relation, RuleBase, parse_rules
from nlgauge.corpus.pcru.wind import Wind, read_tuples, relations, wind_rules
from nlgauge.errors import InputError
from nlgauge.io.columns import Columns
from nlgauge.io.files import suffix, text_lines
from nlgauge.io.tables import chunks

BATCH = 4096
SHIPPED = "wind"


@dataclass(frozen=True)
class Input:
    """An input with its row; `winds` are its tuples where it has any, else it consists of relations."""

    item: str
    row: dict[str, Any]
    content: tuple[Relation, ...]
    winds: tuple[Wind, ...] = ()


def read_rules(path: str) -> RuleBase:
    """A rule file, or by the name `wind` the one that ships."""
    if path == SHIPPED:
        return wind_rules()
    lines = [line for _, part in text_lines(path, BATCH) for line in part]
    return parse_rules("\n".join(lines), path)


def read_texts(path: str) -> list[str]:
    """Raw texts: the lines of a .txt file, or the `references` (`reference`, `text`) of rows, each once."""
    if suffix(path) == ".txt":
        found = [line for _, part in text_lines(path, BATCH) for line in part if line.strip()]
    else:
        found, items = [], set()
        for row, place in _rows(path):
            given = next((row[key] for key in ("references", "reference", "text") if row.get(key)), None)
            texts = [given] if isinstance(given, str) else given
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise InputError(f"{place}: no text; expected references (a list of texts), reference or text")
            key = (str(row.get("item")), *texts)
            if "item" not in row or key not in items:  # an evaluation set repeats them for each system
                found += texts
            items.add(key)
    if not found:
        raise InputError(f"{path} has no text; expected one text a line")
    return found


def read_inputs(path: str, base: RuleBase, columns: Mapping[str, str] | None = None) -> list[Input]:
    """The inputs of rows, each item once: `source` is a list of wind tuples, or of [relation, argument, …].

    `columns` says which column holds a key, where it has another name.
    """
    found: dict[str, Input] = {}
    for number, (row, place) in enumerate(_rows(path, columns), start=1):
        item = str(row.get("item", number))
        if item in found:
            continue
        source = row.get("source")
        if _is_related(source):
            found[item] = Input(item, row, tuple(_relations(source, place, base)))
        else:
            winds = read_tuples(source, place)
            found[item] = Input(item, row, tuple(relations(winds)), winds)
    return list(found.values())


def _is_related(source: Any) -> bool:
    """Whether an input is relations: lists that begin with a name, where tuples begin with a number."""
    first = source[0] if isinstance(source, list) and source else None
    return isinstance(first, list) and bool(first) and isinstance(first[0], str)


def _relations(source: Any, place: str, base: RuleBase) -> Iterator[Relation]:
    for given in source:
        if not (isinstance(given, list) and given and all(isinstance(part, str | int) for part in given)):
            raise InputError(f"{place}: expected relations as lists [name, argument, …]; got {given!r}")
        relation = Relation(str(given[0]), tuple(map(str, given[1:])))
        if relation.name not in base.inputs:
            raise InputError(f"{place}: {relation} is no input of {base.origin}, which has {', '.join(base.inputs)}")
        yield relation


def _rows(path: str, columns: Mapping[str, str] | None = None) -> Iterator[tuple[dict[str, Any], str]]:
    named = Columns(columns, synonyms={}) if columns else None
    for chunk in chunks(path, BATCH, any_header=True, allow_extra=True, columns=named):
        for number, row in enumerate(chunk.rows):
            if not isinstance(row, dict):
                raise InputError(f"{chunk.at(number)}: expected an object with keys such as item and source")
            yield row, chunk.at(number)
