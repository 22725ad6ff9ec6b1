"""A second opinion: how like a wording is to those of the development sets that were biased, and to the neutral ones.

A linear model (logistic regression, trained by tools/train_question_review.py, weights in `weights/`) over the
features of features.py. It is used twice. A finding of a weak rule, one that is often wrong alone, is dropped where
the wording is much like neutral ones (below `NEUTRAL`). Where no rule is met but the wording is much like biased ones
(above `BIASED`), that is reported, with the words that weigh most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from nlgauge.study.review.book import book
from nlgauge.study.review.features import features, sentence_features
from nlgauge.study.review.reading import Sentence, plain, sentences

NEUTRAL = -0.7
BIASED = 0.8
LONGEST = 6  # sentences; the model has learnt from single questions with a little around them


@dataclass(frozen=True)
class Opinion:
    """The log-odds that a wording is biased, and what speaks most for it."""

    odds: float
    sentence: Sentence
    runs: tuple[str, ...]  # of words, the weightiest first
    bias: str  # framing, demand characteristics, anchoring or presentation


@dataclass(frozen=True)
class _Model:
    constant: Sequence[float]
    sorts: Sequence[str]
    weights: Mapping[str, Sequence[float]]  # for biased; then for each sort among the biased


@cache
def _model(language: str) -> _Model | None:
    file = resources.files("nlgauge.study.review") / "weights" / f"{language}.json"
    if not file.is_file():
        return None
    given = json.loads(file.read_text(encoding="utf-8"))
    return _Model(given["constant"], given["sorts"], given["weights"])


def opinion(text: str, language: str) -> Opinion | None:
    """The opinion on a wording; none for a language without weights and for long texts."""
    model = _model(language)
    if model is None:
        return None
    rules = book(language)
    read = [one for one in sentences(plain(text), rules.patterns) if one.mood != "answers"]
    if not 0 < len(read) <= LONGEST:
        return None
    found = features(text, language)
    sums = [
        constant
        + sum(model.weights[name][place] * value for name, value in found.items() if name in model.weights)
        for place, constant in enumerate(model.constant)
    ]
    parts = [
        {name: model.weights[name][0] for name in set(sentence_features(one, rules)) if name in model.weights}
        for one in read
    ]
    place = max(range(len(read)), key=lambda n: sum(parts[n].values()))
    runs = [
        name
        for name in sorted(parts[place], key=lambda name: -parts[place][name])
        if _readable(name, read[place])
    ]
    sort = max(range(len(model.sorts)), key=lambda n: sums[n + 1])
    return Opinion(sums[0], read[place], tuple(runs[:2]), model.sorts[sort])


def _readable(run: str, sentence: Sentence) -> bool:
    """Whether it stands in the sentence as it is, and says something."""
    return len(run) > 5 and run in sentence.text.casefold()
