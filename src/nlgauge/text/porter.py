"""The Porter stemmer (Porter 1980, "An algorithm for suffix stripping"), in two flavours.

`extended` is NLTK's default (`PorterStemmer.NLTK_EXTENSIONS`), which rouge_score uses; `original` is the
algorithm of the paper (`PorterStemmer.ORIGINAL_ALGORITHM`). Any character but a, e, i, o, u and y counts as a
consonant.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

# Forms that NLTK's flavour looks up before any rule.
_IRREGULAR = {
    **{"skies": "sky", "dying": "die", "lying": "lie", "tying": "tie"},
    **{f"{word}s": word for word in ("inning", "outing", "canning")},
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}


def rules(told: str) -> tuple[tuple[str, str], ...]:
    """Endings and what takes their place, from `ending:other` after `ending:other`."""
    return tuple((ending, other) for ending, _, other in (rule.partition(":") for rule in told.split()))


# Rules are tried in order; the first whose suffix fits decides, whether or not its condition holds.
_STEP_2 = rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize abli:able alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble"
)
_STEP_2_EXTENDED = [*((("bli", "ble") if rule[0] == "abli" else rule) for rule in _STEP_2), ("fulli", "ful")]
_STEP_3 = rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = (
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()  # noqa: SIM905 - legible
)


def _shape(word: str) -> str:
    """A `c` for each consonant and a `v` for each vowel; y is a vowel after a consonant."""
    shape: list[str] = []
    for letter in word:
        if letter in "aeiou":
            shape.append("v")
        elif letter == "y":
            shape.append("v" if shape and shape[-1] == "c" else "c")
        else:
            shape.append("c")
    return "".join(shape)


def _measure(stem: str) -> int:
    """m of the paper: how often a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _ends_cvc(stem: str, extended: bool) -> bool:
    """*o of the paper: consonant, vowel, consonant at the end, the last not w, x or y (-wil, -hop)."""
    shape = _shape(stem)
    if extended and shape == "vc":
        return True
    return shape.endswith("cvc") and stem[-1] not in "wxy"


def _replace(word: str, rules: Sequence[tuple[str, str]]) -> str:
    """The first rule whose suffix fits, applied where the stem before it has m > 0."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _step_1a(word: str, extended: bool) -> str:
    """Plurals."""
    if extended and len(word) == 4 and word.endswith("ies"):
        return word[:-1]  # dies, ties: the e stays
    for suffix, replacement in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(suffix):
            return word[: -len(suffix)] + replacement
    return word


def _step_1b(word: str, extended: bool) -> str:
    """Past tenses and participles, and the repair of what they leave."""
    if extended and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and "v" in _shape(stem):
            return _repaired(stem, extended)
    return word


def _repaired(stem: str, extended: bool) -> str:
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    shape = _shape(stem)
    if len(stem) >= 2 and stem[-1] == stem[-2] and shape[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if shape.count("vc") == 1 and _ends_cvc(stem, extended) else stem


def _step_1c(word: str, extended: bool) -> str:
    """y to i: after a consonant that is not the only letter (NLTK), or with a vowel in the stem (Porter)."""
    if not word.endswith("y"):
        return word
    shape = _shape(word[:-1])
    change = len(shape) > 1 and shape[-1] == "c" if extended else "v" in shape
    return word[:-1] + "i" if change else word


def _step_2(word: str, extended: bool) -> str:
    if not extended:
        return _replace(word, _STEP_2)
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):  # the l is counted with the stem, so that geo- and theo- are long enough
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2_EXTENDED)


def _step_4(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            fits = _measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if fits else word
    return word


def _step_5(word: str, extended: bool) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_cvc(stem, extended)):
            word = stem
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _stem(word: str, extended: bool) -> str:
    word = _step_1c(_step_1b(_step_1a(word, extended), extended), extended)
    return _step_5(_step_4(_replace(_step_2(word, extended), _STEP_3)), extended)


@lru_cache(maxsize=2**16)
def extended(word: str) -> str:
    """The stem by NLTK's flavour; the word is lower-cased."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    # NLTK leaves one and two characters alone, counted before lower-casing.
    return lower if len(word) <= 2 else _stem(lower, True)


@lru_cache(maxsize=2**16)
def original(word: str) -> str:
    """The stem by the published algorithm; the word is lower-cased."""
    return _stem(word.lower(), False)
