"""The stemmers, live beside NLTK and snowballstemmer."""

from __future__ import annotations

import builtins
import random
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError, MissingExtra
from nlgauge.text import porter, stemmers

_ENDINGS = """
sses ies ss s eed ed ing ied y at bl iz ational tional enci anci izer abli bli alli entli eli ousli ization ation
ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er
ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll lle
"""
ENDINGS = tuple(_ENDINGS.split())


def made_words(count: int, seed: int) -> list[str]:
    """Stems of mixed letters with up to three of the endings the rules know."""
    generator = random.Random(seed)
    return [
        "".join(generator.choices("aeiouybcdlmnstwxz'é0", k=generator.randint(1, 6)))
        + "".join(generator.choices(ENDINGS, k=generator.randint(0, 3)))
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("mode", "ours"), [("NLTK_EXTENSIONS", porter.extended), ("ORIGINAL_ALGORITHM", porter.original)]
)
def test_porter_equals_nltk_on_made_words(mode: str, ours: Any) -> None:
    from nltk.stem.porter import PorterStemmer

    theirs = PorterStemmer(mode=mode)
    differing = {
        word: (ours(word), theirs.stem(word)) for word in made_words(15000, 3) if ours(word) != theirs.stem(word)
    }
    assert not differing, list(differing.items())[:10]


@given(word=st.text(min_size=1, max_size=15))
@settings(max_examples=300, deadline=None)
def test_porter_equals_nltk_on_any_text(word: str) -> None:
    from nltk.stem.porter import PorterStemmer

    assert porter.extended(word) == PorterStemmer().stem(word)


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("dies", "die"),  # NLTK keeps the e in words of four letters
        ("dying", "die"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("happy", "happi"),
        ("enjoy", "enjoy"),
        ("relational", "relat"),
        ("geology", "geolog"),
        ("controlling", "control"),
        ("news", "news"),
        ("the", "the"),
        ("was", "was"),  # three letters: left alone
    ],
)
def test_porter_by_hand(word: str, stem: str) -> None:
    assert stemmers.stemmer("porter")(word) == stem


def test_flavours_differ() -> None:
    assert stemmers.stemmer("porter")("skies") == "sky"
    assert stemmers.stemmer("porter-original")("skies") == "ski"
    assert stemmers.stemmer("porter-original")("ties") == "ti"


def test_short_words_keep_their_case() -> None:
    assert stemmers.stemmer("porter")("Was") == "Was"
    assert stemmers.stemmer("porter")("Runs") == "run"
    assert stemmers.stemmer("none")("Running") == "Running"


def test_snowball_equals_its_package() -> None:
    package = pytest.importorskip("snowballstemmer", reason="needs nlgauge[stem]")
    for language in set(stemmers.SNOWBALL) & set(package.algorithms()):
        ours, theirs = stemmers.stemmer(f"snowball-{language}"), package.stemmer(language)
        for word in ("running", "Häuser", "chanteuses", "книгами", "a", ""):
            assert ours(word) == theirs.stemWord(word)
    assert stemmers.stemmer("snowball-german")("häuser") == "haus"


# Beginnings and whole words with a rule of their own, endings only Snowball knows, and what is no English word.
_SPECIAL = """
arsen commun emerg gener inter later organ past univers succ proc exc even cann inn earr herr out skis skies idly gently
ugly early only singly sky news howe atlas cosmos bias andes y yy yay d l t d't 'past ''s ß İ 猫 👩 é Y aYy
"""
_SNOWBALL_ENDINGS = ("", "ly", "ingly", "edly", "eedly", "ogist", "lessli", "'", "'s", "'s'", "us", *ENDINGS)


def english_words(count: int, seed: int) -> list[str]:
    """Made words, and each of the special ones with each ending."""
    special = [start + ending for start in _SPECIAL.split() for ending in _SNOWBALL_ENDINGS]
    generator = random.Random(seed)
    made = [word + generator.choice(_SNOWBALL_ENDINGS) for word in made_words(count, seed)]
    return [*special, *made]


def test_compiled_english_by_hand() -> None:
    words = "generously dying skies egg egging hoped hopping succeed agreed 'twas news yes cats' a"
    stems = "generous die sky egg egg hope hop succeed agre twas news yes cat a"
    assert stemmers.stem_words("snowball-english", words.split()) == stems.split()


@pytest.mark.parametrize("count", [4_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_compiled_english_equals_its_package(count: int) -> None:
    package = pytest.importorskip("snowballstemmer", reason="needs nlgauge[stem]")
    if int(version("snowballstemmer").partition(".")[0]) < 3:
        pytest.skip("the rules for English changed with Snowball 3")
    native = pytest.importorskip("nlgauge._native")
    words = english_words(count, 5)
    pairs = zip(words, native.stem_english(words), package.stemmer("english").stemWords(words), strict=True)
    assert [pair for pair in pairs if pair[1] != pair[2]] == []
    with pytest.raises(TypeError, match="must be a string"):
        native.stem_english([3])


def test_compiled_porter_equals_its_twin() -> None:
    native = pytest.importorskip("nlgauge._native")
    words = [word.lower() for word in english_words(4000, 6)] + ["", "a", "is", "ies", "猫猫s"]
    assert native.stem_porter(words) == [porter.extended(word) for word in words]


def test_snowball_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_snowball(name: str, *arguments: Any) -> Any:
        if name == "snowballstemmer":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)  # as Python does
        return real(name, *arguments)

    stemmers._snowball.cache_clear()
    stemmers.package_snowball.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without_snowball)
    with pytest.raises(MissingExtra, match=r'pip install "nlgauge\[stem\]"'):
        stemmers.stemmer("snowball-french")


def test_unknown_names() -> None:
    assert stemmers.check("porter") is None
    assert stemmers.check("snowball-french") is None
    assert "did you mean" in (stemmers.check("portr") or "")
    with pytest.raises(InputError, match="no stemmer 'snowball-klingon'"):
        stemmers.stemmer("snowball-klingon")
