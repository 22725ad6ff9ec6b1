"""JSON lines and CSV: enriched WebNLG with its own keys, `mr` and `ref` as E2E has them, evaluation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nlgauge.corpus.entries import Corpus, Entry, Mention, Output, Text, Triple, make_template, slot_names
from nlgauge.corpus.reading.triples import parse_source, parse_triple
from nlgauge.errors import InputError
from nlgauge.io.columns import Columns
from nlgauge.io.files import StrPath
from nlgauge.io.tables import chunks

BATCH = 4096


def read_rows(path: StrPath, columns: Mapping[str, str] | None = None) -> Corpus:
    """Rows of a file; rows of one item are one entry, and what a system wrote is an output.

    `columns` says which column holds a key, where it has another name.
    """
    entries: dict[tuple[str, str], Entry] = {}
    outputs: list[Output] = []
    written: set[tuple[str, tuple[str, str]]] = set()
    named = Columns(columns, synonyms={}) if columns else None
    for chunk in chunks(path, BATCH, any_header=True, allow_extra=True, columns=named):
        for number, row in enumerate(chunk.rows):
            place = chunk.at(number)
            if not isinstance(row, dict):
                raise InputError(f"{place}: expected an object with keys such as triples and texts, or source")
            entry = _annotated(row, place) if "triples" in row else _plain(row, place)
            known = entries.get(entry.key)
            if known is None:
                entries[entry.key] = entry
            elif known.triples != entry.triples:
                raise InputError(
                    f"{place}: the item {entry.item!r} had another input before; give each input an item of its own"
                )
            elif "system" not in row:
                entries[entry.key] = replace(known, texts=known.texts + entry.texts)
            if "system" in row and row.get("hypothesis") is not None:
                output = _output(row, entry)
                if (output.system, output.key) in written:
                    raise InputError(
                        f"{place}: a second output of {output.system} for the item {output.item!r}; keep one"
                    )
                written.add((output.system, output.key))
                outputs.append(output)
    return Corpus(tuple(entries.values()), tuple(outputs))


def _annotated(row: Mapping[str, Any], place: str) -> Entry:
    try:
        return _enriched(row, place)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(
            f"{place}: not an entry of enriched WebNLG ({error}); expected triples and texts, and where there are any "
            "templates, entitymap (slot → entity) and lex with refs ([slot, kind, words]) and order, one for each text"
        ) from None


def _plain(row: Mapping[str, Any], place: str) -> Entry:
    source = _first(row, "source", "mr", "meaning_representation")
    if source is None:
        raise InputError(f"{place}: no input; expected one of the keys triples, source, mr")
    texts = _first(row, "references", "reference", "texts", "ref", "human_reference", "text")
    given = ([texts] if texts.strip() else []) if isinstance(texts, str) else texts or []
    if not (isinstance(given, list | tuple) and all(isinstance(text, str) for text in given)):
        raise InputError(f"{place}: references must be a text or a list of texts")
    return Entry(
        item=str(row.get("item", source)),
        triples=parse_source(source, place),
        texts=tuple(map(Text, given)),
        category=str(row.get("category") or ""),
        split=str(row.get("split") or ""),
    )


def _first(row: Mapping[str, Any], *keys: str) -> Any:
    """The value of the first key that the row has."""
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _output(row: Mapping[str, Any], entry: Entry) -> Output:
    given = row.get("ratings")
    means = {name: _mean(value) for name, value in (given if isinstance(given, dict) else {}).items()}
    ratings = {name: mean for name, mean in means.items() if mean is not None}
    return Output(entry.item, str(row["system"]), str(row["hypothesis"]), ratings, entry.split)


def _mean(value: Any) -> float | None:
    numbers = [float(v) for v in (value if isinstance(value, list) else [value]) if isinstance(v, int | float)]
    return sum(numbers) / len(numbers) if numbers else None


def _enriched(row: Mapping[str, Any], place: str) -> Entry:
    triples = tuple(parse_triple(given, place) for given in _list(row["triples"]))
    texts = row.get("texts")
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise InputError(f"{place}: no texts; expected a list of texts beside the triples")
    entities = {_text(slot): _text(name) for slot, name in (row.get("entitymap") or {}).items()}
    entities = entities or slot_names(triples)
    templates = row.get("templates")
    if templates is not None and len(templates) != len(texts):
        raise InputError(f"{place}: {len(texts)} texts but {len(templates)} templates; expected one for each text")
    lex: Sequence[Mapping[str, Any]] = row.get("lex") or [{}] * len(texts)
    return Entry(
        item=str(row.get("item", place)),
        triples=triples,
        texts=tuple(
            Text(
                text,
                make_template(_text(template).split(), entities, triples) if template else None,
                tuple(Mention(*map(_text, mention)) for mention in more.get("refs", ())),
                _order(more.get("order") or (), triples, place),
            )
            for text, template, more in zip(texts, templates or [None] * len(texts), lex, strict=True)
        ),
        category=str(row.get("category") or ""),
        split=str(row.get("split") or ""),
        original=tuple(parse_triple(given, place) for given in _list(row.get("otriples") or [])),
        entities=entities,
        annotated=templates is not None,
    )


def _list(given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise TypeError(f"{given!r} is no list")
    return given


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{given!r} is no text")
    return given


def _order(sentences: Sequence[Sequence[Any]], triples: Sequence[Triple], place: str) -> tuple[tuple[int, ...], ...]:
    """The triples of each sentence, given as triples or as their places."""
    places = range(len(triples))
    return tuple(
        tuple(
            places.index(given) if isinstance(given, int) else triples.index(parse_triple(given, place))
            for given in sentence
        )
        for sentence in sentences
    )
