"""Values are found in texts however they are written, and texts become templates."""

from __future__ import annotations

import doctest

import pytest

from nlgauge.corpus import entries, reading, templates
from nlgauge.corpus.entries import Entry, Mention, Text, Triple, make_template, slot_names
from nlgauge.corpus.profile import sides, slots
from nlgauge.corpus.templates import accuracy, delexicalise, keys, nearest, occurrences, variants


@pytest.mark.parametrize("module", [entries, reading, templates, slots, sides])
def test_examples_of_docstrings(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"1932-03-15"', "opened on March 15, 1932 by"),
        ('"1932-03-15"', "opened on the 15th of March 1932"),
        ("1988-11-22", "added on 1988-11-22"),
        ("3310.0", "a length of 3,310 metres"),
        ("Olympic_Stadium_(Athens)", "at the Olympic Stadium in"),
        ("Asherton,_Texas", "built in Asherton"),
        ("United_States", "from the U.S. and"),
        ("Massachusetts_Institute_of_Technology", "studied at MIT"),
        ("Atatürk_Monument", "the Ataturk monument"),
        ("English_language", "where English is spoken"),
        ('"A.C. Lumezzane"@en', "plays for AC Lumezzane"),
    ],
)
def test_a_value_is_found(value: str, text: str) -> None:
    assert list(occurrences(keys(text), value)), (keys(text), variants(value))


def test_a_value_is_found_by_most_of_its_words() -> None:
    words = keys("It contains compressed rice in a banana leaf with vegetables, from Italian cooks.")
    assert nearest(words, "compressed_rice_cooked_in_banana_leaf_with_vegetables", ()) == (2, 9)
    assert nearest(words, "Italy", ()) == (11, 11)
    assert nearest(words, "Peru", ()) is None and nearest(words, "Italy", {11}) is None


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("Ilva's mayor is Jana Lund.", "BRIDGE-1 mayor is PATIENT-1 ."),
        ("The Ilva Airport is in Ilva. It is old.", "AGENT-1 is in BRIDGE-1 . AGENT-1 is old ."),
        ("the Ilva region is led by Jana Lund", "the BRIDGE-1 region is led by PATIENT-1"),
    ],
)
def test_a_text_becomes_a_template(text: str, template: str) -> None:
    given = [Triple("Ilva_Airport", "city", "Ilva"), Triple("Ilva", "leader", "Jana_Lund")]
    assert str(delexicalise(text, given).template) == template


def test_missing_entities_and_mentions_are_told() -> None:
    given = [Triple("Ilva_Airport", "city", "Ilva"), Triple("Ilva", "leader", "Jana_Lund")]
    found = delexicalise("The Ilva Airport serves Ilva; it is new.", given)
    assert found.missing == ("PATIENT-1",)
    assert found.mentions == (
        Mention("AGENT-1", "description", "The Ilva Airport"),
        Mention("BRIDGE-1", "name", "Ilva"),
        Mention("AGENT-1", "pronoun", "it"),
    )


def test_entities_of_one_name_each_get_a_slot() -> None:
    given = [Triple("Addiction_(journal)", "abbreviation", '"Addiction"')]
    found = delexicalise("Addiction is abbreviated to Addiction.", given)
    assert sorted(slot.name for slot in found.template.slots) == ["AGENT-1", "PATIENT-1"]


def test_a_template_filled_with_its_mentions_is_the_text() -> None:
    given = [Triple("Ilva_Airport", "city", "Ilva")]
    found = delexicalise("Ilva Airport serves Ilva.", given)
    said = {mention.slot: mention.text for mention in found.mentions}
    assert found.template.fill(said) == "Ilva Airport serves Ilva ."


def test_accuracy_counts_slots_and_identical_templates() -> None:
    given = (Triple("Ilva_Airport", "city", "Ilva"),)
    names = slot_names(given)

    def text(words: str, template: str, *mentions: Mention) -> Text:
        return Text(words, make_template(template.split(), names, given), mentions)

    agent, patient = (
        Mention("AGENT-1", "name", "Ilva Airport"),
        Mention("PATIENT-1", "description", "the town"),
    )
    same = text("Ilva Airport serves Ilva.", "AGENT-1 serves PATIENT-1 .", agent, Mention("PATIENT-1", "name", "Ilva"))
    other = text("Ilva Airport serves the town.", "AGENT-1 serves PATIENT-1 .", agent, patient)
    found = accuracy([Entry("1", given, (same, other), entities=names, annotated=True)])
    assert found is not None
    assert (found.texts, found.annotated, found.induced, found.shared, found.identical) == (2, 4, 3, 3, 1)
    assert found.precision == 1 and found.recall == 0.75 and found.same == 0.5
    assert found.recall_by_kind == {"name": 1.0, "description": 0.0}
    assert accuracy([Entry("1", given, (Text("x"),))]) is None
