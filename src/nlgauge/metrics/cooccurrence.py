"""Which words a table entails, learnt from tables with their texts (Glickman, Dagan and Koppel 2006).

How likely a table entails a word that does not stand in it is the highest share, over the words of the table, of
those tables with that word whose texts have the word in question. The words of a table are those of its values (and
entities) and its attributes, each attribute as one word joined by `_`.

Counts are read from a file: a JSON object as the authors of PARENT publish them, with the number of tables for each
word and of tables and texts for each `word|||word`; or JSON lines with `source` (a table) and `references`, from which
they are counted, once for each pair of table and reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import at, readable, suffix, text_lines
from nlgauge.kernels.python.tokens import splitter
from nlgauge.lexicons.files import State, file_state
from nlgauge.text import tables
from nlgauge.text.tables import Table, TableError

_ROWS = (".jsonl", ".ndjson")
_CHUNK = 8192
_BETWEEN = "|||"

Split = Callable[[str], list[str]]
Pair = tuple[Table, str]


def check_file(value: str) -> str | None:
    """What was expected, where the name is not that of a file of counts or of rows."""
    if suffix(value) in (".json", *_ROWS):
        return None
    return "overlap, or a file: counts (.json) or tables with texts (.jsonl, .ndjson), each also .gz or .zst"


@dataclass
class Cooccurrence:
    """For each word of tables the share of texts, of those about such tables, that have a word."""

    split: Split
    shares: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, tok: str, lower: bool) -> Cooccurrence:
        """The model of a file; read once for each tokeniser."""
        with readable(path):
            return _read(path, tok, lower, file_state(path))

    def chances(self, texts: Iterable[str], table: Table) -> list[float]:
        """How likely the table entails each word of each text, one text after another."""
        inside = words_of(table, self.split)
        shares = [self.shares[word] for word in inside if word in self.shares]
        known: dict[str, float] = dict.fromkeys(inside, 1.0)
        found: list[float] = []
        for text in texts:
            for word in self.split(text):
                if word not in known:
                    known[word] = max((share.get(word, 0.0) for share in shares), default=0.0)
                found.append(known[word])
        return found

    def learn(self, pairs: Iterable[Pair]) -> Self:
        """Count tables and texts."""
        tables_with: Counter[str] = Counter()
        both: dict[str, Counter[str]] = {}
        for table, text in pairs:
            words = set(self.split(text))
            for inside in words_of(table, self.split):
                tables_with[inside] += 1
                both.setdefault(inside, Counter()).update(words)
        self.shares = {
            inside: {word: count / tables_with[inside] for word, count in counts.items()}
            for inside, counts in both.items()
            if counts
        }
        return self


def words_of(table: Table, split: Split) -> set[str]:
    """The words of the values and entities, and each attribute as one word."""
    words = {word for value in table.values for word in split(value)}
    return words | {"_".join(split(attribute)) for attribute in table.attributes}


@lru_cache(maxsize=4)
def _read(path: str, tok: str, lower: bool, state: State) -> Cooccurrence:
    model = Cooccurrence(splitter(tok, lower, "none"))
    if suffix(path) in _ROWS:
        model.learn(_pairs(path))
    else:
        model.shares = _shares(path)
    if not model.shares:
        raise InputError(
            f"{path} has no words that occur together; expected co-occurrence counts, or rows with source and "
            "references"
        )
    return model


def _shares(path: str) -> dict[str, dict[str, float]]:
    text = "\n".join(line for _, lines in text_lines(path, _CHUNK) for line in lines)
    try:
        counts = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON ({error}); expected an object of co-occurrence counts") from None
    if not isinstance(counts, dict):
        raise InputError(
            f'{path} is not an object; expected co-occurrence counts: {{"word": 3, "word{_BETWEEN}other": 2}}'
        )
    shares: dict[str, dict[str, float]] = {}
    for key, count in counts.items():
        if not _is_count(count):
            raise InputError(f"{path}: the count of {key!r} is {count!r}; expected a number from 0 on")
        inside, between, word = key.partition(_BETWEEN)
        if between and counts.get(inside):
            shares.setdefault(inside, {})[word] = count / counts[inside]
    return shares


def _is_count(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _pairs(path: str) -> Iterator[Pair]:
    for first, lines in text_lines(path, _CHUNK):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                raise InputError(f"{at(path, number)}: not JSON; expected rows with source and references") from None
            texts = row.get("references") if isinstance(row, dict) else None
            if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
                raise InputError(f"{at(path, number)}: references must be a list of texts, at least one")
            try:
                table = tables.read(row.get("source"))
            except TableError as error:
                raise InputError(f"{at(path, number)}: {error}") from None
            for text in texts:
                yield table, text
