"""Texts that a metric's tokeniser or language was not made for: words that are cut, punctuation that is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from nlgauge.kernels.batch import Batch
from nlgauge.lexicons.meteor import LANGUAGES as METEOR_LANGUAGES
from nlgauge.metrics.base import Metric
from nlgauge.models.catalogue import ALIASES, MULTILINGUAL
from nlgauge.text.tokenizers import words
from nlgauge.types import Column
from nlgauge.wording.numbers import listing

LOOKED_AT = 500  # items whose references are looked at: enough to know a language by
LEAST = 0.02  # of the words: English with names from elsewhere stays below
ENGLISH = frozenset({"meteor", "meteor++", "meteor++2", "spice", "spider", "fkgl"})  # whatever they run on
_METEOR_CODES = {"cs": "cz", "sv": "se", "nb": "no", "nn": "no"}  # where METEOR's are not the usual ones
_TOKENISERS = {"zh": "zh", "ja": "ja", "ko": "ko"}  # sacreBLEU's choice for the language
_MODELS = {"roberta-large": "bert-base-multilingual-cased"}  # bert-score's choice for English and for the rest
_GLUED = re.compile(r"\w[.,;:!?]")
_OF_CHARACTERS = frozenset({"character", "levenshtein", "se"})  # no words to compare, or texts as they are


def text_remarks(chosen: Sequence[Metric], columns: Sequence[Column], language: str = "") -> list[str]:
    """What a reader must know of these metrics on these texts, in that language (empty: not known)."""
    return [
        *_cut(_by_tokeniser(chosen, "rouge"), columns),
        *_glued(_by_tokeniser(chosen, "none"), columns),
        *_foreign(chosen, language),
        *_learnt(chosen, columns),
    ]


def _learnt(chosen: Sequence[Metric], columns: Sequence[Column]) -> list[str]:
    """Rows that a trained metric learnt from: what it says of them says nothing about new texts."""
    found: Counter[str] = Counter()
    for column in columns:
        batch = Batch(column.hypotheses, column.references, sources=column.sources)
        known: dict[str, int] = {}
        for metric in chosen:
            known |= metric.learnt_from(batch)
        found.update(known)
    total = sum(len(column.hypotheses) for column in columns)
    return [
        f"{rows:,} of {total:,} rows are among those that {name} learnt from: on new texts it does worse than on these"
        for name, rows in found.items()
        if rows
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


def for_language(metric: Metric, language: str) -> Metric | None:
    """The metric as it fits outputs in a language (empty: not known); None where it knows English only."""
    if language in ("", "en"):
        return metric
    changed: dict[str, str] = {}
    has = {spec.name: getattr(metric, spec.name) for spec in fields(metric)}
    if has.get("lang") == "en":
        code = _METEOR_CODES.get(language, language)
        if code not in METEOR_LANGUAGES:
            return None
        changed["lang"] = code
    if metric.name in ENGLISH or any(name in ALIASES and name not in MULTILINGUAL for _, name in metric.models):
        return None
    if has.get("model") in _MODELS:
        changed["model"] = _MODELS[has["model"]]
    if has.get("tok") == "rouge":
        changed |= {"tok": "words", "stem": "none"}
    if metric.name == "bleu" and has["tok"] == "13a" and language in _TOKENISERS:
        changed["tok"] = _TOKENISERS[language]
    return replace(metric, **changed) if changed else metric


def _foreign(chosen: Sequence[Metric], language: str) -> list[str]:
    """Metrics that are made for other outputs than these; of rouge-score's tokeniser the texts themselves tell."""
    fitting = {metric: for_language(metric, language) for metric in chosen}
    names = [str(metric) for metric, other in fitting.items() if other is None]
    told = [f"{listing(names)}: made for English, but the outputs are in {language!r}"] if names else []
    others = {
        str(metric): str(other)
        for metric, other in fitting.items()
        if other not in (None, metric) and getattr(metric, "tok", "") != "rouge"
    }
    if others:
        named, better = listing(list(others)), listing(list(others.values()))
        told.append(f"{named}: not made for outputs in {language!r}, as {better} is")
    return told


def _references(columns: Sequence[Column]) -> Iterator[str]:
    return (text for texts in columns[0].references[:LOOKED_AT] for text in texts)
