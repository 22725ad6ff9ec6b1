"""WebNLG's XML: plain (texts only) and enriched (Castro Ferreira et al. 2018: templates, entity maps, references)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from xml.etree import ElementTree

from nlgauge.corpus.entries import Entry, Mention, Text, Triple, make_template, slot_names
from nlgauge.corpus.reading.triples import parse_triple
from nlgauge.errors import InputError
from nlgauge.io.files import StrPath, blocks


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
        texts=tuple(_text(lex, triples, entities, place) for lex in lexes),
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


def _text(lex: ElementTree.Element, triples: tuple[Triple, ...], entities: dict[str, str], place: str) -> Text:
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
