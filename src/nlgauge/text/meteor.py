"""METEOR 1.5's normaliser (-norm): lower case, punctuation split off, some of it unified; found from its output.

Letters are those of Latin and Cyrillic; any other sign stands alone. Quotes become straight, hyphens between letters
a blank, abbreviations lose their full stops (U.S. is `us`). A full stop at the end of a word is split off unless the
word is an abbreviation the language's list names or the next word starts with a small letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set

_LETTERS = "A-Za-zÀ-ÖØ-öø-\u017e\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"
_CONTROLS = "".join(map(chr, range(0x21)))
_UNIFIED = str.maketrans({"‘": "'", "’": "'", "`": "'", "“": '"', "”": '"'})
_OTHER_SIGN = re.compile(rf"([^{_LETTERS}0-9\s.',-])")
_DOTS = re.compile(r"(\.{2,})")
_HYPHEN = re.compile(rf"([{_LETTERS}0-9.])-([{_LETTERS}0-9])")
_COMMAS = (
    (re.compile(r"([^0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([^0-9]),([0-9])"), r"\1 , \2"),
)
_NO, _YES = f"[^{_LETTERS}]", f"[{_LETTERS}]"


def _apostrophes(between: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """How an apostrophe is split off; `between` says what becomes of one between two letters."""
    return (
        (re.compile(f"({_NO})'({_NO})"), r"\1 ' \2"),
        (re.compile(rf"([^{_LETTERS}0-9])'({_YES})"), r"\1 ' \2"),
        (re.compile(f"({_YES})'({_NO})"), r"\1 ' \2"),
        (re.compile(f"({_YES})'({_YES})"), between),
    )


_ENGLISH = (*_apostrophes(r"\1 '\2"), (re.compile("([0-9])'(s)"), r"\1 '\2"))
_ROMANCE = (
    (re.compile(f"({_NO})'({_NO})"), r"\1 ' \2"),
    (re.compile(f"({_NO})'({_YES})"), r"\1 ' \2"),
    (re.compile(f"({_YES})'({_NO})"), r"\1 ' \2"),
    (re.compile(f"({_YES})'({_YES})"), r"\1' \2"),
)
_ANY = ((re.compile("'"), " ' "),)
_RULES = {"en": _ENGLISH, "fr": _ROMANCE, "it": _ROMANCE}


def _replaced(text: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, written in rules:
        text = pattern.sub(written, text)
    return text


def normalizer(
    language: str, prefixes: Set[str] = frozenset(), before_numbers: Set[str] = frozenset()
) -> Callable[[str], list[str]]:
    """The normaliser of a language.

    `prefixes` are abbreviations that keep their full stop, `before_numbers` those that keep it before a number.
    """
    apostrophes = _RULES.get(language, _ANY)

    def normalize(text: str) -> list[str]:
        text = f" {text.strip(_CONTROLS)} "
        if not text.isascii() or "`" in text:
            text = text.translate(_UNIFIED).replace("–", " - ")
        text = _OTHER_SIGN.sub(r" \1 ", text.replace("''", '"').replace("--", "-"))
        # a rule is tried only where its sign occurs: most texts have few
        if "-" in text:
            text = _HYPHEN.sub(r"\1 \2", text)
        if ".." in text:
            text = _DOTS.sub(r" \1 ", text)
        if "," in text:
            text = _replaced(text, _COMMAS)
        if "'" in text:
            text = _replaced(text, apostrophes)
        words = text.split()
        if "." in text:
            parts: list[str] = []
            for number, word in enumerate(words, 1):
                if word[-1] == ".":
                    parts += _without_stop(word, words[number] if number < len(words) else "")
                else:
                    parts.append(word)
            words = parts
        return list(map(str.lower, words))

    def _without_stop(word: str, following: str) -> list[str]:
        stem = word[:-1]
        if not stem.strip("."):
            return [word]
        if "." in stem and any(letter.isalpha() for letter in stem):
            return [stem.replace(".", "")]
        kept = stem in prefixes or following[:1].islower()
        kept = kept or (stem in before_numbers and following[:1].isdigit())
        return [word] if kept else [stem, "."]

    return normalize
