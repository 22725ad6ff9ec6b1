"""The tokenisers by name: text in, list of tokens out.

Those of sacreBLEU, rouge_score, jiwer, NLTK and the COCO caption kit give the same tokens as those packages,
so that scores equal theirs; `words` is our own, for scripts that rouge_score's tokeniser would drop.
"""

from __future__ import annotations

import re
from functools import cache

from nlgauge.errors import InputError, suggest
from nlgauge.text.categories import class_of, word_characters
from nlgauge.text.mecab import ja, ko
from nlgauge.text.nltk_words import nltk
from nlgauge.text.ptb import ptb, ptb_keep
from nlgauge.text.sacrebleu import Tokenizer, char, intl, none, tercom_variants, v13a, zh

_ROUGE_WORD = re.compile("[a-z0-9]+")


def rouge(text: str) -> list[str]:
    """rouge_score: lower-cased always, runs of a-z and 0-9; the rest separates words and is dropped."""
    return _ROUGE_WORD.findall(text.lower())


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(f"[{class_of('HAN')}]|[{word_characters()}]+")


def words(text: str) -> list[str]:
    """Runs of letters, marks and numbers of any script; each Han ideograph a word; the rest is dropped."""
    return _word_pattern().findall(text)


_JIWER_SPACES = re.compile(r"\s\s+")


def jiwer(text: str) -> list[str]:
    """jiwer's default for words: runs of white space become a blank, then words stand between blanks.

    A single tab, line break or no-break space therefore does not separate words.
    """
    return [word for word in _JIWER_SPACES.sub(" ", text).strip().split(" ") if word]


def chars(text: str) -> list[str]:
    """jiwer's default for characters: every code point, blanks included, but for white space at the ends."""
    return list(text.strip())


TOKENIZERS: dict[str, Tokenizer] = {
    "none": none,
    "13a": v13a,
    "intl": intl,
    "char": char,
    "zh": zh,
    **tercom_variants(),
    "rouge": rouge,
    "words": words,
    "jiwer": jiwer,
    "chars": chars,
    "ptb": ptb,
    "ptb-keep": ptb_keep,
    "nltk": nltk,
    "ja": ja,
    "ko": ko,
}

EXTRAS = {"ja": "ja", "ko": "ko"}


def check(value: str) -> str | None:
    """None for a tokeniser's name; else what was expected, for the message of a metric's field."""
    return None if value in TOKENIZERS else f"a tokeniser ({suggest(value, TOKENIZERS)})"


def tokenizer(name: str) -> Tokenizer:
    """The tokeniser of that name."""
    try:
        return TOKENIZERS[name]
    except KeyError:
        raise InputError(f"there is no tokeniser {name!r}; {suggest(name, TOKENIZERS)}") from None


def described() -> list[tuple[str, str, str]]:
    """Name, one line on what it does, and the extra it needs (or an empty string)."""
    lines = [
        (name, (function.__doc__ or "").splitlines()[0].rstrip("."), EXTRAS.get(name, ""))
        for name, function in TOKENIZERS.items()
        if not name.startswith("tercom")
    ]
    tercom = "tercom: white space; options after a colon, joined by +, in the order norm, nopunct, asian"
    return [*lines[:5], ("tercom", tercom, ""), *lines[5:]]
