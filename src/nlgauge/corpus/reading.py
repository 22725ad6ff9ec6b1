"""Corpora out of files: WebNLG XML, plain and enriched, E2E's CSV, and JSON lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from nlgauge.corpus.entries import Corpus, Entry, Mention, Output, Text, Triple, make_template, slot_names
from nlgauge.errors import InputError
from nlgauge.io.columns import Columns
from nlgauge.io.files import StrPath, blocks, suffix
from nlgauge.io.tables import chunks

# Inputs as they are written: `name[value], …`, `subject | predicate | object`, lists of either or of three names.


_ATTRIBUTE = re.compile(r"\s*,?\s*([^,\[\]|]+?)\s*\[([^\[\]]*)\]")
_LINES = re.compile(r"<br\s*/?>|\n")


def parse_triple(given: Any, place: str) -> Triple:
    """`subject | predicate | object`, or a list of the three."""
    if isinstance(given, list) and all(isinstance(cell, str | int | float) for cell in given):
        parts = [str(cell) for cell in given]
        named = parts[1:2]  # E2E's attributes have no subject, and a value may be empty
    else:
        parts = named = [part.strip() for part in given.split(" | ")] if isinstance(given, str) else []
    if len(parts) != 3 or not all(named):
        raise InputError(
            f"{place}: {given!r} is no triple; expected subject | predicate | object, or [subject, predicate, object]"
        )
    return Triple(*parts)


def parse_source(source: Any, place: str) -> tuple[Triple, ...]:
    """The triples of an input; none where it is running text.

    >>> [str(triple) for triple in parse_source("name[Blue Spice], area[riverside]", "here")]
    ['name[Blue Spice]', 'area[riverside]']
    """
    if isinstance(source, str):
        if " | " in source:
            return tuple(parse_triple(line, place) for line in _LINES.split(source) if line.strip())
        found = list(_ATTRIBUTE.finditer(source))
        if found and sum(len(match.group()) for match in found) == len(source.rstrip()):
            return tuple(Triple("", match[1], match[2]) for match in found)
        return ()
    if not isinstance(source, list):
        return ()
    if any(isinstance(row, str) and " | " not in row for row in source):
        return ()  # the turns of a conversation
    return tuple(parse_triple(row, place) for row in source)


# JSON lines and CSV: enriched WebNLG with its own keys, `mr` and `ref` as E2E has them, evaluation sets.


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


# WebNLG's XML: plain (texts only) and enriched (Castro Ferreira et al. 2018: templates, entity maps, references).


class _Plain(ElementTree.TreeBuilder):
    """Refuses a document type, which WebNLG has none of: its entities could stand for any number of words."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Called before anything that it declares."""
        raise InputError(f"a document type ({name}) is declared; expected a file of WebNLG, which has none")


def read_xml(path: StrPath) -> Iterator[Entry]:
    """The entries of one file."""
    name = os.fspath(path)
    try:
        root = ElementTree.fromstring(b"".join(blocks(path)), ElementTree.XMLParser(target=_Plain()))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ElementTree.ParseError as error:
        line, column = error.position
        raise InputError(
            f"{name}, line {line:,}, column {column + 1:,}: not valid XML; expected a file of WebNLG"
        ) from None
    found = root.findall(".//entry")
    if not found:
        raise InputError(f"{name} holds no <entry>; expected a file of WebNLG")
    for element in found:
        yield _entry(element, f"{name}, entry {element.get('eid', '?')}")


def _entry(element: ElementTree.Element, place: str) -> Entry:
    triples = tuple(_triples(element, "modifiedtripleset/mtriple", place))
    if not triples:
        raise InputError(f"{place}: no <modifiedtripleset> with an <mtriple>; expected the triples of the input")
    original = element.find("originaltripleset")
    entities = dict(_pair(entity, place) for entity in element.findall("entitymap/entity"))
    # WebNLG 2020 has Russian texts beside; the rules for values are English.
    lexes = [lex for lex in element.findall("lex") if lex.get("lang") in (None, "", "en")]
    size, category = element.get("size", str(len(triples))), element.get("category", "")
    return Entry(
        item=f"{size}:{category}:{element.get('eid', '')}",
        triples=triples,
        texts=tuple(_text_of(lex, triples, entities, place) for lex in lexes),
        category=category,
        original=() if original is None else tuple(_triples(original, "otriple", place)),
        entities=entities or slot_names(triples),
        annotated=any(lex.find("template") is not None for lex in lexes),
    )


def _triples(element: ElementTree.Element, where: str, place: str) -> Iterator[Triple]:
    return (parse_triple(found.text or "", place) for found in element.findall(where))


def _pair(entity: ElementTree.Element, place: str) -> tuple[str, str]:
    slot, sign, name = (entity.text or "").partition(" | ")
    if not sign:
        raise InputError(f"{place}: {entity.text!r} is no entity of a map; expected AGENT-1 | name")
    return slot.strip(), name.strip()


def _text_of(lex: ElementTree.Element, triples: tuple[Triple, ...], entities: dict[str, str], place: str) -> Text:
    template = " ".join((lex.findtext("template") or "").split())
    text = lex.findtext("text") if lex.find("text") is not None else lex.text
    return Text(
        (text or "").strip(),
        make_template(template.split(), entities, triples) if template else None,
        tuple(
            Mention(found.get("tag", ""), found.get("type", ""), (found.text or "").strip())
            for found in lex.findall("references/reference")
        ),
        tuple(
            tuple(triples.index(triple) for triple in _triples(sentence, "striple", place) if triple in triples)
            for sentence in lex.findall("sortedtripleset/sentence")
        ),
    )


SPLITS = ("train", "dev", "valid", "test")


def read(paths: Sequence[StrPath], columns: Mapping[str, str] | None = None) -> Corpus:
    """The corpus that files or folders hold together; several files are splits, named after their files.

    `columns` says which column of a table or key of JSON lines holds what ({"source": "mr"}).
    """
    parts = [_read(path, columns) for path in paths]
    if len(parts) > 1:
        named = zip(parts, _splits(paths), strict=True)
        parts = [
            Corpus(
                tuple(replace(entry, split=split) for entry in part.entries),
                tuple(replace(output, split=split) for output in part.outputs),
            )
            for part, split in named
        ]
    entries = [entry for part in parts for entry in part.entries]
    if not any(entry.triples for entry in entries):
        raise InputError(
            f"{os.fspath(paths[0])} holds no input with a triple or an attribute; expected WebNLG XML, a CSV file "
            "with the columns mr and ref, or JSON lines with triples or a source such as name[Blue Spice]"
        )
    return Corpus(tuple(entries), tuple(output for part in parts for output in part.outputs))


def _splits(paths: Sequence[StrPath]) -> list[str]:
    """Names of splits after their files: train, or else the file's name, or else its path, whichever is its own."""
    files = [Path(path).name for path in paths]
    words = [re.split(r"[^a-z]+", name.lower()) for name in files]
    known = [next((split for split in SPLITS if any(w.startswith(split) for w in own)), "") for own in words]
    if len({os.fspath(path) for path in paths}) < len(paths):
        raise InputError("the same file is named twice; several files are splits, each named once")
    return [
        split if split and known.count(split) == 1 else name if files.count(name) == 1 else os.fspath(path)
        for split, name, path in zip(known, files, paths, strict=True)
    ]


def _read(path: StrPath, columns: Mapping[str, str] | None) -> Corpus:
    if not os.path.isdir(path):
        return Corpus(tuple(read_xml(path))) if suffix(path) == ".xml" else read_rows(path, columns)
    files = sorted(Path(path).rglob("*.xml"))
    if not files:
        raise InputError(f"{os.fspath(path)} is a folder without .xml files; name a file, or a folder of WebNLG")
    entries = [
        replace(entry, split=next((s for s in SPLITS if s in file.relative_to(path).parts), ""))
        for file in files
        for entry in read_xml(file)
    ]
    return Corpus(tuple(entries))
