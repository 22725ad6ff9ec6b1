"""The stemmers by name: token in, stem out.

`porter` and `porter-original` stem words of more than three characters only, as rouge_score and ROUGE-1.5.5
do; the Snowball stemmers take every word. Those of the package snowballstemmer are plain Python; English also has a
compiled one of the same stems (native/snowball.cpp), which is used where it was built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import cast

from nlgauge.errors import InputError, needing, suggest
from nlgauge.text import porter

Stemmer = Callable[[str], str]

_LANGUAGES = """
arabic armenian basque catalan czech danish dutch english esperanto estonian finnish french german greek
hindi hungarian indonesian irish italian lithuanian nepali norwegian persian polish portuguese romanian
russian serbian sesotho spanish swedish tamil turkish yiddish
"""
SNOWBALL = tuple(_LANGUAGES.split())


def none(word: str) -> str:
    """The word itself."""
    return word


def porter_nltk(word: str) -> str:
    """Porter with NLTK's extensions, words of more than three characters, as rouge_score."""
    return porter.extended(word) if len(word) > 3 else word


def porter_original(word: str) -> str:
    """Porter as published in 1980, words of more than three characters."""
    return porter.original(word) if len(word) > 3 else word


@cache
def _compiled() -> Callable[[Sequence[str]], list[str]] | None:
    """The English stemmer for many words at a time; None without compiled kernels or where they are not wanted."""
    if os.environ.get("NLGAUGE_BACKEND") == "python":
        return None
    try:
        from nlgauge._native import stem_english
    except ImportError:
        return None
    return stem_english


@cache
def _snowball(language: str) -> Stemmer:
    compiled = _compiled() if language == "english" else None
    return (lambda word: compiled([word])[0]) if compiled else package_snowball(language)


@cache
def package_snowball(language: str) -> Stemmer:
    """The stemmer of the package snowballstemmer."""
    with needing(f"the stemmer snowball-{language}", "stem"):
        import snowballstemmer
    if language not in snowballstemmer.algorithms():
        raise InputError(
            f"the installed snowballstemmer has no stemmer for {language}: pip install --upgrade snowballstemmer"
        )
    return lru_cache(maxsize=2**16)(cast("Stemmer", snowballstemmer.stemmer(language).stemWord))


STEMMERS: dict[str, Stemmer] = {"none": none, "porter": porter_nltk, "porter-original": porter_original}
NAMES = (*STEMMERS, *(f"snowball-{language}" for language in SNOWBALL))


def check(value: str) -> str | None:
    """None for a stemmer's name; else what was expected, for the message of a metric's field."""
    return None if value in NAMES else f"a stemmer ({suggest(value, NAMES)})"


def stemmer(name: str) -> Stemmer:
    """The stemmer of that name."""
    if name not in NAMES:
        raise InputError(f"there is no stemmer {name!r}; {suggest(name, NAMES)}")
    return STEMMERS[name] if name in STEMMERS else _snowball(name.removeprefix("snowball-"))


def stem_words(name: str, words: Sequence[str]) -> list[str]:
    """The stems of many words."""
    compiled = _compiled() if name == "snowball-english" else None
    return compiled(words) if compiled else list(map(stemmer(name), words))


def described() -> list[tuple[str, str, str]]:
    """Name, one line on what it does, and the extra it needs (or an empty string)."""
    lines = [(name, (function.__doc__ or "").rstrip("."), "") for name, function in STEMMERS.items()]
    return [*lines, ("snowball-LANGUAGE", f"Snowball: {', '.join(SNOWBALL)}", "stem")]
