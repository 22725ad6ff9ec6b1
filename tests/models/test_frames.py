"""Semantic frames read off a dependency tree: hand-made trees in both label sets, and spaCy's."""

from __future__ import annotations

import pytest

from nlgauge import models
from nlgauge.models.frames import ROLES, Frame, fillers, frames
from nlgauge.models.interface import Entity, Parse, Word


def tree(*rows: str, entities: tuple[Entity, ...] = ()) -> Parse:
    """One word for each row: text pos tag dep head (from 0); the lemma is the text in lower case."""
    words = []
    for row in rows:
        text, pos, tag, dep, head = row.split()
        words.append(Word(text, text.lower(), pos, tag, dep, int(head), 0, True, 0))
    return Parse(tuple(words), entities)


def told(parse: Parse) -> list[tuple[str, list[tuple[str, str]]]]:
    """Predicate, and role with words, as text."""

    def text(numbers: tuple[int, ...]) -> str:
        return " ".join(parse.words[number].text for number in numbers)

    return [(text(frame.predicate), [(role, text(words)) for role, words in frame.roles]) for frame in frames(parse)]


def test_a_clause_in_the_labels_of_spacy_and_of_universal_dependencies() -> None:
    spacy = tree(
        "Boys PROPN NNS nsubj 1",
        "throw VERB VBP ROOT 1",
        "balls NOUN NNS dobj 1",
        "at ADP IN prep 1",
        "night NOUN NN pobj 3",
        ". PUNCT . punct 1",
    )
    universal = tree(
        "Boys NOUN NNS nsubj 1",
        "throw VERB VBP root 1",
        "balls NOUN NNS obj 1",
        "at ADP IN case 4",
        "night NOUN NN obl 1",
        ". PUNCT . punct 1",
    )
    expected = [("throw", [("agent", "Boys"), ("patient", "balls"), ("temporal", "at night")])]
    assert told(spacy) == told(universal) == expected


def test_passives_particles_and_negation() -> None:
    parse = tree(
        "Lamps NOUN NNS nsubjpass 3",
        "were AUX VBD auxpass 3",
        "not PART RB neg 3",
        "put VERB VBN ROOT 3",
        "up ADP RP prt 3",
        "by ADP IN agent 3",
        "men NOUN NNS pobj 5",
    )
    assert told(parse) == [
        ("put up", [("patient", "Lamps"), ("negation", "not"), ("agent", "by men")]),
    ]


def test_entities_that_name_a_time_fill_the_temporal_role() -> None:
    rows = ("It PRON PRP nsubj 1", "rained VERB VBD ROOT 1", "in ADP IN prep 1", "1999 NUM CD pobj 2")
    assert told(tree(*rows))[0][1][-1] == ("locative", "in 1999")
    assert told(tree(*rows, entities=(Entity(3, 4, "DATE"),)))[0][1][-1] == ("temporal", "in 1999")


def test_a_text_without_a_verb_has_no_frame() -> None:
    assert frames(tree("Rain NOUN NN ROOT 0")) == []
    assert frames(Parse((), ())) == []


def test_spacy_relative_clauses_participles_and_chains() -> None:
    parser = models.parser("spacy-en")
    relative, chained = parser.parse(
        [
            "The dog that chased the cat was hungry.",
            "A man wearing a hat sits on a bench and reads a book.",
        ]
    )
    assert told(relative)[0] == ("chased", [("agent", "The dog"), ("patient", "the cat")])
    assert told(chained) == [
        ("wearing", [("agent", "A man"), ("patient", "a hat")]),
        ("sits", [("agent", "A man"), ("locative", "on a bench")]),
        ("reads", [("agent", "A man"), ("patient", "a book")]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "...",
        "Go!",
        "He said she said they said so, and so on and on, because, well, why not?",
        "🙂 naïve — «quoted» text\nwith lines.",
        "is is is was were be been being",
    ],
)
def test_frames_of_any_text_are_well_formed(text: str) -> None:
    (parse,) = models.parser("spacy-en").parse([text])
    for frame in frames(parse):
        assert isinstance(frame, Frame)
        for role, words in frame.roles:
            assert role in ROLES
            assert words == tuple(sorted(set(words)))
            assert not set(words) & set(frame.predicate)
            assert all(0 <= number < len(parse.words) for number in words)
            assert len(fillers(parse.words, words)) <= len(words)
