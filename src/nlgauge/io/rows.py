"""From rows (dictionaries of any origin) to checked columns.

A chunk of rows is checked column by column with set operations, which costs a fraction of a microsecond a
row; only when a check fails is the offending row looked for, to name its line.

Keys of a row:

* `item` (text or whole number, kept as text) and `hypothesis` (text; null: the output is missing, the row
  is left out and counted; "": a legal, empty output);
* `system` (text; where no row names one, the system is called "unnamed");
* `references` (list of texts) or `reference` (one text) or `reference_1`, `reference_2`, … (also `ref1`,
  …); an empty cell among the numbered ones is no reference;
* `source` (text, or a list or object: a table, a dialogue history; `source.json` holds such a value as JSON
  text);
* `reference_weights` (numbers from -1 to 1, one for each of the row's references, the largest above 0): how good
  each reference is, for ΔBLEU;
* `post_edit` (text) or `post_edits` (list of texts): this output as people corrected it, for HTER and its like;
* `ratings` (criterion → number or list of numbers, null where a rater gave none) or `ratings.<criterion>`;
* `category`, `split`, `document` and the other descriptive keys of `io.columns.DESCRIPTIVE`, the members of `extra`,
  and keys that begin with `x_`: kept with the segment, read by no metric.

Columns that are called otherwise are renamed before (`io.columns`). Anything else is refused, so that a misspelt key
cannot silently empty a column, unless `allow_extra` is given. A row with neither system nor hypothesis describes its
item only (its references, its source).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import orjson

from nlgauge.errors import InputError
from nlgauge.io.batches import ItemRow, RowBatch, picked
from nlgauge.io.columns import BESIDE, EDITED, NUMBERED, SHARED, TEXTS, check_keys
from nlgauge.io.files import at
from nlgauge.types import NOTHING, UNNAMED, Rating, Segment

PREFERENCES = frozenset({"a", "b", "tie"})
MISSING_RATING = re.compile(r"\s*(n/?a\b.*)?", re.IGNORECASE | re.DOTALL)

Row = dict[str, Any]


@dataclass(slots=True)
class Chunk:
    """Some rows of one file, and where each stands."""

    rows: list[Any]
    lines: Sequence[int]
    path: str
    unit: str = "line"

    def at(self, row: int) -> str:
        """The place of a row, for a message."""
        return at(self.path, self.lines[row], self.unit)


def to_batch(chunk: Chunk, *, allow_extra: bool = False) -> RowBatch:
    """Check a chunk of segment rows and turn it into columns."""
    keys = prepare(chunk, TEXTS, allow_extra=allow_extra)
    items = names(chunk, "item")
    hypotheses = values_of(chunk, "hypothesis")
    missing, item_rows = 0, list[ItemRow]()
    if type(None) in set(map(type, hypotheses)):
        item_rows = _item_rows(chunk, items, hypotheses, keys)
        missing = sum(row.has_output for row in item_rows)
        kept = [row for row, text in enumerate(hypotheses) if text is not None]
        lines = [chunk.lines[row] for row in kept]
        items, hypotheses = picked(items, kept), picked(hypotheses, kept)
        chunk = Chunk(picked(chunk.rows, kept), lines, chunk.path, chunk.unit)
    check(chunk, "hypothesis", hypotheses, {str}, "a text in quotation marks")
    systems, unnamed = names(chunk, "system", UNNAMED), list[int]()
    if UNNAMED in systems:
        unnamed = [row for row, values in enumerate(chunk.rows) if values.get("system") is None]
    return RowBatch(
        items=items,
        systems=systems,
        hypotheses=hypotheses,
        references=references(chunk, keys),
        sources=sources(chunk, keys),
        ratings=ratings(chunk, keys),
        extra=extras(chunk, keys - TEXTS - BESIDE - SHARED, keys),
        lines=chunk.lines,
        path=chunk.path,
        unit=chunk.unit,
        missing=missing,
        unnamed=unnamed,
        item_rows=item_rows,
        post_edits=post_edits(chunk, keys),
        reference_weights=reference_weights(chunk, keys),
    )


def prepare(chunk: Chunk, texts: frozenset[str], *, allow_extra: bool) -> set[str]:
    """The keys in use, after refusing rows that are no objects and keys that are not known."""
    check(chunk, "the row", chunk.rows, {dict}, "an object with the keys item, system, hypothesis, references …")
    keys: set[Any] = set().union(*chunk.rows)
    check_keys(keys, texts, allow_extra, lambda key: chunk.at(_first(chunk.rows, lambda row: key in row)))
    if any(key == "source.json" or key.startswith("ratings.") or NUMBERED.fullmatch(key) for key in keys) or (
        "reference" in keys and "references" in keys
    ):
        chunk.rows = [_gathered(row, chunk, number) for number, row in enumerate(chunk.rows)]
        keys = set().union(*chunk.rows)
    return keys


def _first(values: Sequence[Any], fails: Callable[[Any], bool]) -> int:
    return next(position for position, value in enumerate(values) if fails(value))


def describe(value: Any) -> str:
    """A value's kind in words, for messages."""
    kinds: dict[type, str] = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    kinds |= {list: "a list", tuple: "a list", dict: "an object", type(None): "null"}
    shown = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "…"
    return f"{kinds.get(type(value), type(value).__name__)} ({shown})" if value is not None else "null"


def check(chunk: Chunk, name: str, values: Sequence[Any], allowed: set[type], expected: str) -> None:
    """Refuse a column with a value of another type, naming the first line that has one."""
    if set(map(type, values)) <= allowed:
        return
    row = _first(values, lambda value: type(value) not in allowed)
    raise InputError(f"{chunk.at(row)}: {name} is {describe(values[row])}; expected {expected}")


def values_of(chunk: Chunk, key: str) -> list[Any]:
    """One key's values, None where a row lacks it; rows that all have it are read without a call for each."""
    try:
        return list(map(itemgetter(key), chunk.rows))
    except KeyError:
        return [row.get(key) for row in chunk.rows]


def names(chunk: Chunk, key: str, default: str | None = None) -> list[str]:
    """The items' or systems' names; whole numbers are taken as text."""
    values = values_of(chunk, key)
    kinds = set(map(type, values))
    if type(None) in kinds:
        if default is None:
            row = values.index(None)
            raise InputError(f"{chunk.at(row)}: the key {key} is missing; expected a text or a whole number")
        values = [default if value is None else value for value in values]
    check(chunk, key, values, {str, int}, "a text or a whole number")
    if int in kinds:
        try:
            values = [str(value) for value in values]
        except ValueError:  # Python writes no whole number of over 4,300 digits
            row = _first(values, lambda value: isinstance(value, int) and value.bit_length() > 10_000)
            raise InputError(f"{chunk.at(row)}: {key} is a number of thousands of digits; use texts") from None
    if "" in values:
        raise InputError(f"{chunk.at(values.index(''))}: {key} is empty; expected a name")
    return values


def references(chunk: Chunk, keys: set[str]) -> list[tuple[str, ...]]:
    """The references of each row, () where it gives none."""
    if "references" not in keys:
        if "reference" not in keys:
            return [()] * len(chunk.rows)
        single = values_of(chunk, "reference")
        check(
            chunk,
            "reference",
            single,
            {str, type(None)},
            "a text (several texts go into the list references)",
        )
        return [() if text is None else (text,) for text in single]
    given = values_of(chunk, "references")
    if type(None) in set(map(type, given)):
        given = [() if texts is None else texts for texts in given]
    check(chunk, "references", given, {list, tuple}, 'a list of texts; wrap a single one: ["…"]')
    if not set(map(type, chain.from_iterable(given))) <= {str}:
        row = _first(given, lambda texts: any(type(text) is not str for text in texts))
        bad = next(text for text in given[row] if type(text) is not str)
        raise InputError(f"{chunk.at(row)}: references holds {describe(bad)}; expected a list of texts")
    return list(map(tuple, given))


def reference_weights(chunk: Chunk, keys: set[str]) -> list[tuple[float, ...]] | None:
    """The weights of each row's references, () where it gives none; None where no row gives any."""
    if "reference_weights" not in keys:
        return None
    values = values_of(chunk, "reference_weights")
    check(chunk, "reference_weights", values, {list, tuple, type(None)}, "a list of numbers from -1 to 1")
    texts = references(chunk, keys)
    for row, given in enumerate(values):
        problem = None if given is None else bad_weights(given, len(texts[row]))
        if problem:
            raise InputError(f"{chunk.at(row)}: {problem}")
    return [() if given is None else tuple(map(float, given)) for given in values]


def bad_weights(given: Sequence[Any], count: int) -> str | None:
    """What is wrong with the weights of `count` references; None if nothing is."""
    for weight in given:
        if type(weight) not in (int, float) or not -1 <= weight <= 1:
            return f"reference_weights holds {describe(weight)}; expected numbers from -1 to 1"
    if len(given) != count:
        return (
            f"{len(given)} reference_weights for {count} references; expected one for each, in the row that gives "
            "the references"
        )
    if given and max(given) <= 0:
        return "no reference has a weight above 0; expected at least one, because scores are divided by the largest"
    return None


def post_edits(chunk: Chunk, keys: set[str]) -> list[tuple[str, ...]] | None:
    """The corrected outputs of each row, () where it gives none; None where no row gives any."""
    if not keys & EDITED:
        return None
    single, several = values_of(chunk, "post_edit"), values_of(chunk, "post_edits")
    check(chunk, "post_edit", single, {str, type(None)}, "a text (several texts go into the list post_edits)")
    check(chunk, "post_edits", several, {list, tuple, type(None)}, 'a list of texts; wrap a single one: ["…"]')
    found: list[tuple[str, ...]] = []
    for row, (one, many) in enumerate(zip(single, several, strict=True)):
        if one is not None and many:
            raise InputError(f"{chunk.at(row)}: post-edits are given twice; keep post_edit or post_edits")
        texts = tuple(many or ()) if one is None else (one,)
        for text in texts:
            if type(text) is not str:
                raise InputError(f"{chunk.at(row)}: post_edits holds {describe(text)}; expected a list of texts")
        found.append(texts)
    return found


def sources(chunk: Chunk, keys: set[str]) -> list[Any] | None:
    """The sources, or None where no row has one."""
    if "source" not in keys:
        return None
    values = values_of(chunk, "source")
    check(chunk, "source", values, {str, list, tuple, dict, type(None)}, "a text, a list or an object")
    return None if values.count(None) == len(values) else values


def plain_number(text: Any) -> float:
    """A number as data have it; Python would also read 1_000 as a thousand."""
    if isinstance(text, str) and "_" in text:
        raise ValueError(text)
    return float(text)


def refuse_unnamed(raters: Sequence[Any], given: Sequence[Any], place: str) -> None:
    """A rating by a rater who is null belongs to nobody: refuse it."""
    for rater, rating in zip(raters, given, strict=True):
        unnamed = _is_missing(rater) or (isinstance(rater, float) and math.isnan(rater))
        given_none = _is_missing(rating) or (isinstance(rating, float) and math.isnan(rating))
        if unnamed and not given_none:
            raise InputError(
                f"{place}: raters names nobody ({rater!r}) for a rating; expected one rater for each rating, or no "
                "key raters"
            )


def ratings(chunk: Chunk, keys: set[str]) -> list[Mapping[str, Rating]] | None:
    """The ratings, or None where no row has any."""
    if "ratings" not in keys:
        return None
    values = [row.get("ratings") or {} for row in chunk.rows]
    check(chunk, "ratings", values, {dict}, 'an object, e.g. {"fluency": [4, 5], "quality": 4.3}')
    if not any(values):
        return None
    return [_rated(value, chunk, row) if value else NOTHING for row, value in enumerate(values)]


def _rated(given: Row, chunk: Chunk, row: int) -> dict[str, Rating]:
    rated: dict[str, Rating] = {}
    for criterion, value in given.items():
        if type(value) in (list, tuple):
            rated[criterion] = tuple(_rating(criterion, given, chunk, row) for given in value)  # type: ignore[assignment]
        elif not _is_missing(value):
            rated[criterion] = _rating(criterion, value, chunk, row)
    return rated


def _is_missing(value: Any) -> bool:
    """Null, an empty cell, "N/A" with or without the rater's reason."""
    return value is None or (type(value) is str and MISSING_RATING.fullmatch(value) is not None)


def _rating(criterion: str, value: Any, chunk: Chunk, row: int) -> float | str:
    if type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if _is_missing(value):
        return math.nan
    if criterion == "preference":
        if type(value) is str and value in PREFERENCES:
            return value
        expected = 'expected "a", "b" or "tie"'
    else:
        expected = "expected a finite number (null where a rater gave none)"
    raise InputError(f"{chunk.at(row)}: the rating {criterion!r} is {describe(value)}; {expected}")


def extras(chunk: Chunk, descriptive: set[str], keys: set[str]) -> list[Mapping[str, Any]] | None:
    """The descriptive keys of each row, or None where no row has any."""
    if not descriptive and "extra" not in keys:
        return None
    nested = [row.get("extra") or {} for row in chunk.rows]
    check(chunk, "extra", nested, {dict}, "an object")
    return [
        extra | {key: value for key, value in row.items() if key in descriptive}
        for row, extra in zip(chunk.rows, nested, strict=True)
    ]


def _item_rows(chunk: Chunk, items: list[str], hypotheses: list[Any], keys: set[str]) -> list[ItemRow]:
    """What the rows without an output say about their items."""
    given, texts = references(chunk, keys), sources(chunk, keys)
    weights, rated = reference_weights(chunk, keys), ratings(chunk, keys)
    systems = names(chunk, "system", UNNAMED)
    about = extras(chunk, keys - TEXTS - BESIDE - SHARED, keys)
    found = []
    for row, text in enumerate(hypotheses):
        if text is not None:
            continue
        explicit, values = "hypothesis" in chunk.rows[row], chunk.rows[row]
        if not explicit and (values.get("system") is not None or not (given[row] or values.get("source"))):
            raise InputError(
                f"{chunk.at(row)}: the key hypothesis is missing; expected the system's output as a text "
                '("" for an empty output, null for one that is missing)'
            )
        source = None if texts is None else texts[row]
        weighted = () if weights is None else weights[row]
        judged = None
        if explicit and rated is not None and rated[row]:
            more = NOTHING if about is None else about[row]
            judged = Segment(
                item=items[row],
                system=systems[row],
                hypothesis="",
                references=given[row],
                source=source,
                ratings=rated[row],
                extra=more,
            )
        found.append(
            ItemRow(
                item=items[row],
                references=given[row],
                source=source,
                line=chunk.lines[row],
                has_output=explicit,
                weights=weighted,
                judged=judged,
            )
        )
    return found


def _gathered(row: Row, chunk: Chunk, number: int) -> Row:
    """Spread-out columns put together: reference_1 … into references, ratings.x into ratings, source.json."""
    plain: Row = {}
    numbered: list[tuple[int, Any]] = []
    rated: Row = {}
    for key, value in row.items():
        if match := NUMBERED.fullmatch(key):
            numbered.append((int(match[1]), value))
        elif key.startswith("ratings."):
            rated[key.removeprefix("ratings.")] = value
        elif key == "source.json":
            plain["source"] = parsed(value, key, chunk.at(number)) if value else row.get("source")
        elif key != "source" or "source" not in plain:
            plain[key] = value
    _gather_references(plain, numbered, chunk, number)
    if rated:
        given = plain.get("ratings") or {}
        if not isinstance(given, dict):
            raise InputError(
                f"{chunk.at(number)}: ratings must map criteria to numbers, but beside the ratings.… columns it is "
                f"{describe(given)}"
            )
        plain["ratings"] = given | rated
    return plain


def _gather_references(plain: Row, numbered: list[tuple[int, Any]], chunk: Chunk, number: int) -> None:
    texts = [value for _, value in sorted(numbered, key=lambda pair: pair[0]) if value is not None and value != ""]
    single = plain.pop("reference", None)
    given = [bool(plain.get("references")), single is not None, bool(texts)]
    if sum(given) > 1:
        raise InputError(
            f"{chunk.at(number)}: references are given in more than one way; "
            "keep one of references (a list), reference (one text) or reference_1, reference_2, …"
        )
    if single is not None or texts:
        plain["references"] = [single] if single is not None else texts


def parsed(text: Any, key: str, place: str) -> Any:
    """A cell that holds JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{place}: {key} is not valid JSON ({error}): {describe(text)}") from None
