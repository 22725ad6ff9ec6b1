"""Rows out of JSON lines, JSON arrays, CSV, TSV and Parquet files, in chunks of bounded size."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

import orjson

from nlgauge.errors import InputError, needing
from nlgauge.io.columns import PAIR_TEXTS, TEXTS, Columns, check_keys, listed_cell
from nlgauge.io.files import StrPath, at, blocks, byte_lines, decode, readable, suffix, text_lines
from nlgauge.io.rows import Chunk, Row, describe, parsed, plain_number

JSON_CELLS = frozenset({"references", "reference_weights", "ratings", "extra", "post_edits"})
AT_ONCE = 8192  # rows
FORMATS = ".jsonl, .ndjson, .json, .csv, .tsv (each also .gz or .zst), .parquet"


def chunks(
    path: StrPath,
    size: int,
    *,
    pairs: bool = False,
    allow_extra: bool = False,
    any_header: bool = False,
    each: str = "output",
    columns: Columns | None = None,
) -> Iterator[Chunk]:
    """The rows of a file as the format named by its extension; an empty file is refused.

    `any_header` is for a look at the first row: a table's columns are then not checked. `each` says what a row is, and
    `columns` which column is which key; without it columns keep their names.
    """
    kind = suffix(path)
    with readable(path):
        os.stat(path)
    known = PAIR_TEXTS if pairs else TEXTS
    check = _any_columns if any_header else _header_check(path, known, allow_extra)
    if kind in (".jsonl", ".ndjson"):
        source = _named(_json_lines(path, size), columns)
    elif kind == ".json":
        rows = _json_array(path, size) if _first_byte(path) == b"[" else _json_lines(path, size)
        source = _named(rows, columns)
    elif kind in (".csv", ".tsv"):
        source = _separated(path, size, "," if kind == ".csv" else "\t", check, columns)
    elif kind == ".parquet":
        source = _parquet(path, size, check, columns)
    else:
        raise InputError(
            f"{os.fspath(path)}: the extension {kind or '(none)'} is not one of {FORMATS}; rename the "
            "file, or give plain texts as line files (--hyp NAME=FILE --ref FILE; in Python hyp=…, refs=…)"
        )
    empty = True
    for chunk in source:
        empty = empty and not chunk.rows
        if chunk.rows:
            yield chunk
    if empty:
        raise InputError(f"{os.fspath(path)} is empty: it has no rows; expected one row for each {each}")


def records(
    data: Any, columns: Columns, each: str, listed: Callable[[Any], list[Any]] | None = None, *, origin: str = ""
) -> Iterator[Chunk]:
    """The rows of a file whatever its columns are called, or rows in memory, which `listed` makes a list of."""
    if isinstance(data, str | os.PathLike):
        return chunks(data, AT_ONCE, any_header=True, each=each, columns=columns)
    given = [dict(row) if isinstance(row, Mapping) else row for row in data] if listed is None else listed(data)
    origin = origin or f"the {each}s"
    rows = columns.rows(given, origin)
    columns.finish(origin)
    return iter([Chunk(rows, range(1, len(rows) + 1), origin, "row")])


def _named(source: Iterator[Chunk], columns: Columns | None) -> Iterator[Chunk]:
    """Rows whose columns have the names of their keys."""
    path = ""
    for chunk in source:
        if columns is not None:
            path = chunk.path
            chunk.rows = columns.rows(chunk.rows, path)
        yield chunk
    if columns is not None and path:
        columns.finish(path)


def _any_columns(columns: Sequence[str]) -> None:
    """The check that refuses nothing."""


def _first_byte(path: StrPath) -> bytes:
    for block in blocks(path):
        if start := block.lstrip(b" \t\r\n"):
            return start[:1]
    return b""


def _json_lines(path: StrPath, size: int) -> Iterator[Chunk]:
    for number, lines in byte_lines(path, size):
        numbers: Sequence[int] = range(number, number + len(lines))
        try:
            rows = list(map(orjson.loads, lines))
        except orjson.JSONDecodeError:
            kept = [(line, text) for line, text in zip(numbers, lines, strict=True) if text.strip()]
            numbers = [line for line, _ in kept]
            rows = [_json_line(text, path, line) for line, text in kept]
        yield Chunk(rows, numbers, os.fspath(path))


def _json_line(line: bytes, path: StrPath, number: int) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        text = decode(line, path, number)
        where = f"column {error.colno}" if error.lineno == 1 else "the end of the line"
        if text[error.colno - 1 :].startswith(("NaN", "Infinity", "-Infinity")):
            where += ", where NaN or an infinity stands, which JSON does not have: write null for what is missing"
        raise InputError(
            f"{at(path, number)}: not valid JSON ({error.msg} at {where}): {describe(text)}; "
            "expected one object on each line"
        ) from None


def _json_array(path: StrPath, size: int) -> Iterator[Chunk]:
    data = b"".join(blocks(path))
    try:
        rows = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        decode(data, path, 1)
        raise InputError(
            f"{at(path, error.lineno)}: not valid JSON ({error.msg} at column {error.colno}); "
            "expected a list of objects, or one object on each line"
        ) from None
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        yield Chunk(part, range(start + 1, start + 1 + len(part)), os.fspath(path), "row")


def _header_check(path: StrPath, texts: frozenset[str], allow_extra: bool) -> Callable[[Sequence[str]], None]:
    """A check of column names before any row is read."""
    required = {name for name in texts if not name.startswith("system")}

    def check(columns: Sequence[str]) -> None:
        check_keys(columns, texts, allow_extra, lambda _: f"{os.fspath(path)}, header")
        missing = sorted(required - set(columns))
        if missing and not ({"references", "reference", "source"} & set(columns) and missing == ["hypothesis"]):
            raise InputError(
                f"{os.fspath(path)}: no column {' and no column '.join(missing)}; found "
                f"{', '.join(columns)}; "
                "expected the columns item, system, hypothesis, references …; where they are called otherwise: "
                f"--column {missing[0]}=NAME (in Python columns={{{missing[0]!r}: NAME}})"
            )

    return check


@contextmanager
def _long_fields() -> Iterator[None]:
    """The csv module refuses fields over 131,072 characters; documents are longer. The limit is global:
    put it back.
    """
    before = csv.field_size_limit(1 << 30)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _separated(
    path: StrPath,
    size: int,
    mark: str,
    check: Callable[[Sequence[str]], None],
    columns: Columns | None,
) -> Iterator[Chunk]:
    """CSV or TSV: quoted as spreadsheets do (a field with quotation marks is quoted whole, inner marks
    doubled).
    """
    texts = chain.from_iterable(lines for _, lines in text_lines(path, size, keep_returns=True))
    reader = csv.reader((line + "\n" for line in texts), delimiter=mark, strict=True)
    header = next(_records(reader, path), (0, list[str]()))[1]
    if not header:
        return
    _check_header(header, path, mark)
    written = header
    if columns is not None:
        header = columns.header(header, os.fspath(path))
    check(header)
    records, rated = _records(reader, path), [name for name in header if name.startswith("ratings.")]
    while batch := _take(records, size):
        rows = [_cells(header, rated, record, path, line) for line, record in batch]
        if "reference" in header and "reference" not in written:
            rows = list(map(listed_cell, rows))
        yield Chunk(rows, [line for line, _ in batch], os.fspath(path))


def _take(records: Iterator[tuple[int, list[str]]], size: int) -> list[tuple[int, list[str]]]:
    with _long_fields():
        return list(islice(records, size))


def _records(reader: Any, path: StrPath) -> Iterator[tuple[int, list[str]]]:
    """Records that are not blank, with the number of the line each begins on."""
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"{at(path, line)}: not a valid row ({error}); a field that holds a quotation mark, a "
                "separator or a line break must be quoted whole, its inner quotation marks doubled"
            ) from None
        if record is None:
            return
        if record:
            yield line, record


def _refuse_twice(columns: Sequence[str], place: str) -> None:
    twice = sorted(name for name, count in Counter(columns).items() if count > 1)
    if twice:
        raise InputError(f"{place}: the column {twice[0]!r} occurs twice; expected each name once")


def _check_header(header: list[str], path: StrPath, mark: str) -> None:
    _refuse_twice(header, at(path, 1))
    other = next((sign for sign in ",;\t" if sign != mark and sign in header[0]), None)
    if len(header) == 1 and other:
        name = {",": "commas", ";": "semicolons", "\t": "tabs"}
        raise InputError(
            f"{at(path, 1)}: the columns seem separated by {name[other]}; expected {name[mark]} "
            "(.csv: commas, .tsv: tabs)"
        )


def _cells(header: list[str], rated: list[str], record: list[str], path: StrPath, line: int) -> Row:
    if len(record) != len(header):
        raise InputError(
            f"{at(path, line)}: {len(record)} fields; expected {len(header)} as in the header "
            f"({', '.join(header)}); quote fields that hold the separator"
        )
    row: Row = dict(zip(header, record, strict=True))
    if "" in record:  # an empty cell is absent, but for an empty output; an empty item is refused later
        row = {name: cell for name, cell in row.items() if cell or name.startswith(("hypothesis", "item"))}
    for name in row.keys() & JSON_CELLS:
        row[name] = parsed(row[name], name, at(path, line))
    for name in rated:
        if name in row:
            row[name] = _rating_cell(row[name], name, at(path, line))
    return row


def _rating_cell(cell: str, name: str, place: str) -> Any:
    if cell.startswith("["):
        return parsed(cell, name, place)
    try:
        return plain_number(cell)
    except ValueError:
        return cell


def _parquet(
    path: StrPath, size: int, check: Callable[[Sequence[str]], None], columns: Columns | None
) -> Iterator[Chunk]:
    with needing(f"reading {os.fspath(path)}", "parquet"):
        import pyarrow
        import pyarrow.parquet
    number = 1
    with readable(path), open(path, "rb") as raw:
        try:
            table = pyarrow.parquet.ParquetFile(raw)
            names = table.schema_arrow.names
            _refuse_twice(names, os.fspath(path))
            check(names if columns is None else columns.header(names, os.fspath(path)))
            for batch in table.iter_batches(batch_size=size):
                rows = batch.to_pylist()
                if columns is not None:
                    rows = columns.rows(rows, os.fspath(path))
                yield Chunk(rows, range(number, number + len(rows)), os.fspath(path), "row")
                number += len(rows)
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:
            raise InputError(
                f"{os.fspath(path)} is not a readable Parquet file ({error}); it is truncated or damaged"
            ) from None
