"""Pairwise rows: two outputs for one item, and which of them each annotator preferred.

Keys: `item`, `hypothesis_a`, `hypothesis_b`, `system_a`, `system_b` (absent: "a" and "b"), `references`,
`source`, `ratings` with `preference` ("a", "b", "tie", or a list with one per annotator), and the
descriptive keys of segments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from nlgauge.errors import InputError
from nlgauge.io.batches import RowBatch, duplicate
from nlgauge.io.columns import PAIR_TEXTS, SHARED, Columns
from nlgauge.io.files import StrPath
from nlgauge.io.loading import SetBuilder
from nlgauge.io.rows import Chunk, check, extras, names, prepare, ratings, references, sources
from nlgauge.io.streaming import BATCH
from nlgauge.io.tables import chunks
from nlgauge.types import NOTHING, EvaluationSet, Pair

SIDES = ("a", "b")


def is_pairwise(path: StrPath, columns: Mapping[str, str] | None = None) -> bool:
    """Whether the first row of a file holds two hypotheses."""
    row = next(chunks(path, 1, any_header=True)).rows[0]
    sides = {(columns or {}).get(key, key) for key in ("hypothesis_a", "hypothesis_b")}
    return isinstance(row, dict) and not sides.isdisjoint(row)


def load_pairs(
    path: StrPath | Sequence[Mapping[str, Any]],
    *,
    allow_extra: bool = False,
    coerce: bool = False,
    columns: Mapping[str, str] | None = None,
) -> list[Pair]:
    """Read a file of pairwise rows, or rows in memory. `coerce` takes hypotheses that are numbers or true/false as
    their JSON text.
    """
    places: dict[tuple[str, ...], str] = {}
    pairs: list[Pair] = []
    if isinstance(path, str | os.PathLike):
        source = chunks(path, BATCH, pairs=True, allow_extra=allow_extra, columns=Columns(columns))
    else:
        source = iter([Chunk(list(path), range(1, len(path) + 1), "the data", "row")])
    for chunk in source:
        for row, pair in enumerate(_pairs(chunk, allow_extra, coerce)):
            # of a study's export each row is one judge's answer to one question
            own = [str(pair.extra[name]) for name in ("judgement", "criterion") if name in pair.extra]
            key = (pair.item, *sorted((pair.system_a, pair.system_b)), *own)
            if key in places:
                systems = f"{pair.system_a} and {pair.system_b}"
                raise InputError(duplicate(pair.item, systems, chunk.at(row), places[key]))
            places[key] = chunk.at(row)
            pairs.append(pair)
    return pairs


def _pairs(chunk: Chunk, allow_extra: bool, coerce: bool) -> Iterator[Pair]:
    keys = prepare(chunk, PAIR_TEXTS, allow_extra=allow_extra)
    texts = [_texts(chunk, f"hypothesis_{side}", coerce) for side in SIDES]
    systems = [names(chunk, f"system_{side}", side) for side in SIDES]
    same = next((row for row, (a, b) in enumerate(zip(*systems, strict=True)) if a == b), None)
    if same is not None:
        raise InputError(f"{chunk.at(same)}: system_a and system_b are both {systems[0][same]!r}; expected two systems")
    given, rated = sources(chunk, keys), ratings(chunk, keys)
    more = extras(chunk, keys - PAIR_TEXTS - SHARED, keys)
    items, refs = names(chunk, "item"), references(chunk, keys)
    for row in range(len(chunk.rows)):
        yield Pair(
            item=items[row],
            system_a=systems[0][row],
            system_b=systems[1][row],
            hypothesis_a=texts[0][row],
            hypothesis_b=texts[1][row],
            references=refs[row],
            source=None if given is None else given[row],
            ratings=NOTHING if rated is None else rated[row],
            extra=NOTHING if more is None else more[row],
        )


def _texts(chunk: Chunk, key: str, coerce: bool) -> list[str]:
    values = [row.get(key) for row in chunk.rows]
    if coerce:
        values = [orjson.dumps(v).decode() if isinstance(v, bool | int | float) else v for v in values]
    check(chunk, key, values, {str}, "a text in quotation marks")
    return values


def pairs_to_set(pairs: Sequence[Pair], origin: str = "the pairs") -> EvaluationSet:
    """Each side as a segment; an (item, system) that occurs in several pairs is one segment and must say
    one text.
    """
    if not pairs:
        raise InputError("the list of pairs is empty; expected at least one")
    texts: dict[tuple[str, str], tuple[str, int]] = {}
    builder = SetBuilder()
    for number, pair in enumerate(pairs, start=1):
        sides = ((pair.system_a, pair.hypothesis_a), (pair.system_b, pair.hypothesis_b))
        for system, text in sides:
            known, first = texts.setdefault((pair.item, system), (text, number))
            if known != text:
                raise InputError(
                    f"pair {number:,}: the output of system {system!r} for item {pair.item!r} differs "
                    "from that in "
                    f"pair {first:,}; a system has one output for an item: give the items names of their own"
                )
            if first == number:
                source = [pair.source]
                builder.add(
                    RowBatch(
                        items=[pair.item],
                        systems=[system],
                        hypotheses=[text],
                        references=[pair.references],
                        sources=source,
                        ratings=None,
                        extra=None,
                        lines=[number],
                        path=origin,
                        unit="pair",
                    )
                )
    return builder.finish(origin, pairwise=True)
