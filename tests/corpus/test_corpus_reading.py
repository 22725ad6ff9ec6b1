"""Corpora are read from WebNLG's XML, E2E's CSV and JSON lines, and what is wrong is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.corpus.entries import Slot, Triple
from nlgauge.corpus.profile import profile
from nlgauge.corpus.reading import read
from nlgauge.errors import InputError
from nlgauge.report.corpus_profile import notes

ENRICHED = """<?xml version="1.0" encoding="utf-8"?>
<benchmark><entries><entry category="Airport" eid="Id7" size="2">
<originaltripleset><otriple>Ilva_Airport | city | Ilva</otriple>
<otriple>Ilva | land | Marn</otriple></originaltripleset>
<modifiedtripleset><mtriple>Ilva_Airport | cityServed | Ilva</mtriple>
<mtriple>Ilva | country | Marn</mtriple></modifiedtripleset>
<entitymap><entity>AGENT-1 | Ilva_Airport</entity><entity>BRIDGE-1 | Ilva</entity>
<entity>PATIENT-1 | Marn</entity></entitymap>
<lex comment="good" lid="Id1">
<sortedtripleset><sentence ID="1"><striple>Ilva | country | Marn</striple></sentence>
<sentence ID="2"><striple>Ilva_Airport | cityServed | Ilva</striple></sentence></sortedtripleset>
<references><reference entity="Ilva" number="1" tag="BRIDGE-1" type="name">Ilva</reference></references>
<text>Ilva is in Marn. Ilva Airport serves it.</text>
<template>BRIDGE-1 is in PATIENT-1 . AGENT-1 serves BRIDGE-1 .</template>
</lex></entry></entries></benchmark>"""
PLAIN = """<benchmark><entries><entry category="Airport" eid="Id7" size="1">
<modifiedtripleset><mtriple>Ilva_Airport | cityServed | Ilva</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1">Ilva Airport serves Ilva.</lex></entry></entries></benchmark>"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_enriched_xml_has_templates_mentions_and_orders(tmp_path: Path) -> None:
    (entry,) = read([write(tmp_path / "a.xml", ENRICHED)]).entries
    assert entry.item == "2:Airport:Id7" and entry.annotated
    assert entry.triples[1] == Triple("Ilva", "country", "Marn") and entry.original[1].predicate == "land"
    (text,) = entry.texts
    assert text.order == ((1,), (0,)) and text.mentions[0].slot == "BRIDGE-1"
    assert text.template is not None and len(text.template.sentences) == 2
    assert text.template.slots[0] == Slot("BRIDGE-1", (("cityServed", "object"), ("country", "subject")))


def test_texts_of_other_languages_are_left_out(tmp_path: Path) -> None:
    russian = PLAIN.replace("</lex>", '</lex><lex lang="ru" lid="Id2">Ильва</lex><lex lang="" lid="Id3">Ilva.</lex>')
    (entry,) = read([write(tmp_path / "a.xml", russian)]).entries
    assert [text.text for text in entry.texts] == ["Ilva Airport serves Ilva.", "Ilva."]


def test_plain_xml_and_folders_of_splits(tmp_path: Path) -> None:
    for split in ("train", "dev"):
        (tmp_path / split / "1triples").mkdir(parents=True)
        write(tmp_path / split / "1triples" / "Airport.xml", PLAIN)
    entries = read([tmp_path]).entries
    assert [entry.split for entry in entries] == ["dev", "train"]
    assert entries[0].texts[0].text == "Ilva Airport serves Ilva." and not entries[0].annotated


def test_csv_of_e2e_joins_the_texts_of_an_input(tmp_path: Path) -> None:
    path = write(
        tmp_path / "e2e.csv",
        'mr,ref\n"name[Cocum], customer rating[1 out of 5]",Cocum is poor.\n'
        '"name[Cocum], customer rating[1 out of 5]",Poor Cocum.\n',
    )
    (entry,) = read([path]).entries
    assert [str(triple) for triple in entry.triples] == ["name[Cocum]", "customer rating[1 out of 5]"]
    assert [text.text for text in entry.texts] == ["Cocum is poor.", "Poor Cocum."]


@pytest.mark.parametrize(
    "source",
    ["Ilva | country | Marn", ["Ilva | country | Marn"], [["Ilva", "country", "Marn"]]],
    ids=["text", "texts", "cells"],
)
def test_sources_of_evaluation_sets(tmp_path: Path, source: object) -> None:
    rows = [
        {
            "item": "1",
            "system": name,
            "source": source,
            "references": ["r"],
            "hypothesis": name,
            "ratings": {"q": [1, 2]},
        }
        for name in ("a", "b")
    ]
    corpus = read([write(tmp_path / "set.jsonl", "".join(json.dumps(row) + "\n" for row in rows))])
    assert corpus.entries[0].triples == (Triple("Ilva", "country", "Marn"),)
    assert [text.text for text in corpus.entries[0].texts] == ["r"]  # once, though two rows have it
    assert [(output.system, output.ratings["q"]) for output in corpus.outputs] == [("a", 1.5), ("b", 1.5)]


def test_several_files_are_splits(tmp_path: Path) -> None:
    for names, splits in (
        (("trainset.xml", "my_test.xml", "latest.xml"), ["train", "test", "latest.xml"]),
        (("test_seen.xml", "test_unseen.xml"), ["test_seen.xml", "test_unseen.xml"]),
        (("a/train.xml", "b/train.xml"), ["a/train.xml", "b/train.xml"]),
        (("train.xml",), [""]),
    ):
        for folder in "ab":
            (tmp_path / folder).mkdir(exist_ok=True)
        entries = read([write(tmp_path / name, PLAIN) for name in names]).entries
        assert [entry.split.removeprefix(f"{tmp_path}/") for entry in entries] == splits
    with pytest.raises(InputError, match="the same file is named twice"):
        read([tmp_path / "train.xml", tmp_path / "train.xml"])


def test_templates_of_a_mixed_corpus_are_said_to_be_both(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, text) for name, text in (("train.xml", ENRICHED), ("test.xml", PLAIN))]
    found = profile(read(paths))
    assert found.outputs is not None and found.outputs.source == "annotated and induced"
    assert any(note.startswith("Where none are annotated, templates are induced") for note in notes(found))


def test_an_empty_cell_is_no_text(tmp_path: Path) -> None:
    path = write(tmp_path / "test.csv", 'mr,ref\n"name[Cocum], area[riverside]",\n')
    assert read([path]).entries[0].texts == ()


def test_outputs_belong_to_the_items_of_their_split(tmp_path: Path) -> None:
    paths = [
        write(
            tmp_path / f"{split}.jsonl",
            json.dumps({"item": "1", "source": f"name[{name}], area[riverside]", "system": "s", "hypothesis": name}),
        )
        for split, name in (("dev", "Cocum"), ("test", "Zizzi"))
    ]
    (system,) = profile(read(paths)).systems
    assert (system.texts, system.slots.by_slot["wrong"]) == (2, {})
    assert system.slots.by_slot["missing"] == {"area": 2}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.xml", "<benchmark><entries>", ["line 1", "not valid XML"]),
        ("a.xml", "<benchmark/>", ["no <entry>"]),
        ("a.xml", PLAIN.replace(" | Ilva</m", "</m"), ["entry Id7", "is no triple"]),
        ("a.jsonl", '{"item": "1", "text": "x"}', ["line 1", "no input"]),
        ("a.jsonl", '{"source": "It will rain.", "references": ["x"]}', ["no input with a triple"]),
        (
            "a.jsonl",
            '{"triples": ["a | b | c"], "texts": ["x"], "templates": []}',
            ["1 texts but 0 templates"],
        ),
        ("a.jsonl", '{"source": [["a", "b"]], "references": []}', ["line 1", "[subject, predicate, object]"]),
        ("a.jsonl", '{"triples": ["a | b | c"], "texts": [7]}', ["line 1", "no texts"]),
        ("a.jsonl", '{"triples": 3, "texts": ["x"]}', ["line 1", "not an entry of enriched WebNLG"]),
        (
            "a.jsonl",
            '{"triples": ["a | b | c"], "texts": ["x"], "lex": [{"refs": [["AGENT-1"]]}]}',
            ["line 1", "[slot, kind, words]"],
        ),
        (
            "a.jsonl",
            '{"triples": ["a | b | c"], "texts": ["x"], "lex": [{"order": [["a | b | d"]]}]}',
            ["line 1", "not an entry"],
        ),
        (
            "a.jsonl",
            '{"triples": ["a | b | c"], "texts": ["x"], "lex": [{"order": [[1]]}]}',
            ["line 1", "1 is not in range"],
        ),
        (
            "a.jsonl",
            '{"triples": ["a | b | c"], "texts": ["x"], "entitymap": {"AGENT-1": 3}}',
            ["line 1", "3 is no text"],
        ),
        (
            "a.jsonl",
            '{"triples": [{"subject": "a", "predicate": "b", "object": "c"}], "texts": ["x"]}',
            ["line 1", "is no triple"],
        ),
        (
            "a.jsonl",
            '{"item": "1", "mr": "name[A]", "ref": "x"}\n{"item": "1", "mr": "name[B]", "ref": "x"}',
            ["line 2", "'1' had another input before"],
        ),
        (
            "a.jsonl",
            '{"mr": "name[A]", "system": "s", "hypothesis": "A"}\n' * 2,
            ["line 2", "a second output of s"],
        ),
        (
            "a.xml",
            '<!DOCTYPE b [<!ENTITY e "words ">]>' + PLAIN.replace("Ilva.", "&e;&e;"),
            ["a.xml", "a document type (b) is declared"],
        ),
        ("a.jsonl", "[1]", ["line 1", "expected an object"]),
        ("a.csv", "mr,ref\n", ["a.csv"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read([write(tmp_path / name, text)])
    assert all(word in str(error.value) for word in words), str(error.value)
