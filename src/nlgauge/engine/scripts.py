"""Texts that a metric's tokeniser or language was not made for: words that are cut, punctuation that is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nlgauge.metrics.base import Metric
from nlgauge.text.tokenizers import words
from nlgauge.types import Column
from nlgauge.wording.numbers import listing

LOOKED_AT = 500  # items whose references are looked at: enough to know a language by
LEAST = 0.02  # of the words: English with names from elsewhere stays below
ENGLISH = frozenset(
    {
        "meteor",
        "meteor++",
        "meteor++2",
        "spice",
        "spider",
        "fkgl",
        "average",
        "extrema",
        "greedy",
        "perplexity",
    }
)
_GLUED = re.compile(r"\w[.,;:!?]")
_OF_CHARACTERS = frozenset({"character", "levenshtein", "se"})  # no words to compare, or texts as they are


def text_remarks(chosen: Sequence[Metric], columns: Sequence[Column], language: str = "") -> list[str]:
    """What a reader must know of these metrics on these texts, in that language (empty: not known)."""
    return [
        *_cut(_by_tokeniser(chosen, "rouge"), columns),
        *_glued(_by_tokeniser(chosen, "none"), columns),
        *_foreign(chosen, language),
    ]


def _by_tokeniser(chosen: Sequence[Metric], tok: str) -> list[str]:
    return [
        str(metric)
        for metric in chosen
        if getattr(metric, "tok", "") == tok
        and getattr(metric, "norm", False) is not True  # METEOR's own normaliser splits as well
        and metric.name not in _OF_CHARACTERS
        and not metric.models
    ]


def _cut(concerned: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Words that rouge-score's tokeniser, which keeps a to z and 0 to 9, would cut or drop."""
    found = [word for text in _references(columns) for word in words(text)] if concerned else []
    cut = [word for word in found if not word.lower().isascii()]
    if len(cut) <= LEAST * len(found):
        return []
    return [
        f"{listing(concerned)}: rouge-score's tokeniser keeps a to z and 0 to 9 only and cuts or drops "
        f"{len(cut) / len(found):.0%} of the words of the references, such as {cut[0]!r}; tok=words keeps them"
    ]


def _glued(concerned: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Punctuation at the end of words, where a metric splits at white space."""
    found = [word for text in _references(columns) for word in text.split()] if concerned else []
    glued = [word for word in found if _GLUED.fullmatch(word[-2:])]
    if len(glued) <= LEAST * len(found):
        return []
    return [
        f"{listing(concerned)}: texts are split at white space, and {len(glued) / len(found):.0%} of the words of the "
        f"references end in punctuation, such as {glued[0]!r}, which does not match {glued[0][:-1]!r}; tok=13a splits "
        "it off"
    ]


def _foreign(chosen: Sequence[Metric], language: str) -> list[str]:
    """Metrics that know English only, on outputs in another language."""
    if language in ("", "en"):
        return []
    names = [
        str(metric) for metric in chosen if metric.name in ENGLISH or getattr(metric, "lang", "") == "en"
    ]
    return [f"{listing(names)}: made for English, but the outputs are in {language!r}"] if names else []


def _references(columns: Sequence[Column]) -> Iterator[str]:
    return (text for texts in columns[0].references[:LOOKED_AT] for text in texts)
