"""Comparison by definition: its relations are symmetric, names play no part, definitions of one's own are read."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import pytest

from nlgauge.study.criteria import anchors, compare, criteria, find, from_mapping, namesakes
from nlgauge.study.criteria.catalogue import constructs
from nlgauge.study.criteria.comparing import constructs_in
from nlgauge.study.criteria.types import Criterion

EVERYTHING = criteria()


def own(identity: str, definition: str, **keys: object) -> Criterion:
    return from_mapping({"id": identity, "definition": definition, "question": "How is it?", **keys}, "criteria.1")


OWN = [
    own("fluency-of-ours", "It sounds like something a native speaker would say.", name="Fluency"),
    own("odd", "Zebras would approve of the stripes."),
    own("odder", "Zebras would approve of the bright stripes."),
    own("conciseness", "It is not wordy and nothing is said twice."),
]


def test_relations_are_symmetric() -> None:
    for one, other in product([*EVERYTHING, *OWN], repeat=2):
        there, back = compare(one, other), compare(other, one)
        assert (there.relation, there.same_name, there.shared) == (back.relation, back.same_name, back.shared)
        assert (there.only_first, there.only_second) == (back.only_second, back.only_first)


def test_closeness_of_constructs_is_symmetric_and_never_to_itself() -> None:
    known = constructs()
    for name, construct in known.items():
        assert name not in construct.akin
        assert all(name in known[other].akin for other in construct.akin)


def test_everything_is_the_same_as_itself_under_any_name() -> None:
    for one in [*EVERYTHING, *OWN]:
        assert compare(one, replace(one, id="x", name="Something else")).relation == "same", one.id


def test_names_play_no_part() -> None:
    for one, other in permutations(EVERYTHING[:12], 2):
        renamed = compare(replace(one, name=other.name), other)
        assert renamed.relation == compare(one, other).relation and renamed.same_name


# Pairs as the papers define them.
@pytest.mark.parametrize(
    ("first", "second", "relation", "same_name"),
    [
        ("fluency", "naturalness", "near", False),
        ("fluency", "grammaticality", "near", False),
        ("fluency", "adequacy", "different", False),
        ("consistency", "faithfulness", "same", False),
        ("summary-informativeness", "coverage", "near", True),
        ("summary-informativeness", "summary-relevance", "same", False),
        ("summary-relevance", "question-relevance", "different", True),
        ("caption-relevance", "question-relevance", "near", True),
        ("semantic-adequacy", "faithfulness", "near", False),
        ("non-redundancy", "avoiding-repetition", "near", False),
        ("engagingness", "interestingness", "near", False),
        ("plausibility", "correctness", "different", False),
        ("coherence", "structure-and-coherence", "same", False),
        ("overall-quality", "fluency", "different", False),
    ],
)
def test_known_pairs(first: str, second: str, relation: str, same_name: bool) -> None:
    found = compare(find(first), find(second))
    assert (found.relation, found.same_name, found.basis) == (relation, same_name, "constructs")
    assert first in str(found) and found.to_dict()["relation"] == relation


def test_fluency_as_grammar_is_not_fluency_as_naturalness() -> None:
    as_grammar = own("g", "Whether the sentences are grammatical; style does not count.", name="Fluency")
    as_nature = own("n", "Whether a native speaker would have put it like that.", name="Fluency")
    found = compare(as_grammar, as_nature)
    assert found.same_name and found.relation == "near" and found.basis == "read"
    assert (found.only_first, found.only_second) == (("grammar",), ("naturalness",))
    assert {pair.second: pair.relation for pair in namesakes(as_nature)} == {
        "fluency": "near",
        "naturalness": "same",
    }
    assert {pair.second for pair in namesakes(as_grammar)} == {"fluency", "grammaticality"}


# Definitions in other words than the catalogue's, and the constructs they speak of.
@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("Free of spelling mistakes and grammatical errors", {"grammar", "spelling"}),
        ("How grammatical the text is, regardless of spelling", {"grammar"}),
        ("The summary contains no hallucinated facts", {"truth"}),
        ("Every fact of the table is mentioned", {"completeness"}),
        ("The response stays in character", {"persona"}),
        ("The response shows empathy with the user", {"emotion"}),
        ("How easy the text is to understand", set()),
        ("The text is easy to understand", {"clarity"}),
        ("The question can be answered by reading the passage", {"answerability"}),
        ("The output is human-like", {"humanness"}),
        ("The weather is fine", set()),
    ],
)
def test_definitions_are_read(definition: str, expected: set[str]) -> None:
    assert set(constructs_in(definition)) == expected


def test_the_catalogue_s_own_definitions_are_read_as_declared() -> None:
    """The words of a definition show what it is said to measure; at most one construct more is read into it."""
    for one in EVERYTHING:
        read = set(constructs_in(one.definition))
        assert set(one.measures) <= read and len(read - set(one.measures)) <= 1, (one.id, read)


def test_without_constructs_the_words_decide() -> None:
    _, odd, odder, _ = OWN
    assert compare(odd, odder).relation == "near" and compare(odd, odder).basis == "words"
    found = compare(odd, find("fluency"))
    assert found.relation == "unknown" and "measures" in found.why
    declared = replace(odd, measures=find("fluency").measures)
    assert compare(declared, find("fluency")).relation == "same"


def test_frame_and_unit_count() -> None:
    one = find("faithfulness")
    assert compare(one, replace(one, frame="outside")).relation == "near"
    found = compare(one, replace(one, unit="conversation"))
    assert found.relation == "near" and "a conversation" in found.why


def test_neighbours_that_are_alike_are_anchors() -> None:
    engaging, interesting, listening = map(find, ("engagingness", "interestingness", "listening"))
    (anchor,) = anchors([listening, engaging, interesting])
    assert anchor.place == 1 and "anchors the second" in str(anchor) and "similar things" in str(anchor)
    assert not anchors([engaging, listening, interesting])
    (twice,) = anchors([find("coherence"), find("structure-and-coherence")])
    assert "the same thing" in str(twice)
    assert anchors([]) == anchors([engaging]) == []
