"""NLTK's rules for words: known cases, and beside NLTK itself on odd text."""

from __future__ import annotations

import random

import pytest

from nlgauge.text.tokenizers import nltk, split_sentence

ODD = [
    "don't",
    "cannot",
    "gonna",
    "wanna",
    "'tis",
    '"Hi"',
    "Mr.",
    "U.S.",
    "it's",
    "(ok)",
    "3,5",
    "10:30",
    "a,b",
    "``x''",
    "'quoted'",
    "more'n",
    "end.",
    "end.'",
    'end."',
    "--",
    "...",
    "a--b",
    "d'ye",
    "'ll",
    "I'LL",
    "‘a’",
    "«b»",
    "x*y",
    "$5",
    "50%",
    "a@b",
    "naïve",
    "зима",
]
MARKS = [*"abA0 .,;:'\"!?()[]{}<>`-…–—“”‘’«»$%&@#*\t", "n't", "'s", "...", "''", "can not"]


def test_words_of_several_sentences() -> None:
    assert nltk('Mr. Smith (born 1950) doesn\'t "know". He left at 10:30.') == [
        *("Mr.", "Smith", "(", "born", "1950", ")", "does", "n't", "``", "know", "''", "."),
        *("He", "left", "at", "10:30", "."),
    ]
    assert nltk("") == nltk(" \n ") == []


def test_a_sentence_is_split_as_by_nltk() -> None:
    theirs = pytest.importorskip("nltk.tokenize", reason="the live comparison runs NLTK").NLTKWordTokenizer()
    draw = random.Random(6)
    for number in range(4000):
        joined, parts = (" ", ODD) if number % 2 else ("", MARKS)
        text = joined.join(draw.choices(parts, k=draw.randint(1, 20)))
        assert split_sentence(text) == theirs.tokenize(text), text
