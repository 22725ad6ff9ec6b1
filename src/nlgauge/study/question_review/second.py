"""A second opinion on a wording: what the reader makes of it, a small network that ships along (docs/reader.md).

It has learnt from wordings that steer judges and from neutral ones. It is asked twice. A finding of a rule is dropped
where the reader holds the wording for neutral (below `NEUTRAL`). Where no rule is met but the reader is sure that the
wording steers (above `BIASED`), that is reported, with the kind it takes it for and the words that weigh most: those
without which it would be least sure. The limits were chosen on two sets of 80 wordings that it had not learnt from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nlgauge.models.reader import reader
from nlgauge.study.question_review.book import Book, book
from nlgauge.study.question_review.reading import Sentence, plain, sentences, unquoted

NEUTRAL = -1.0
SURELY = -2.5  # the same for answers written out, which rules read better than the reader does
BIASED = 1.5
LONGEST = 8  # sentences; it has learnt from single questions with a little around them
LANGUAGES = frozenset({"en"})
_FEWEST = 4  # words of what it is asked about
# words that hardly a line of English does without; the reader has learnt no other language
ENGLISH = re.compile(
    r"\b(?:the|is|are|was|were|of|to|how|this|that|these|which|what|it|its|you|your|do|does|did|please|and|or|with|from|"
    r"for|not|than|each|rate|choose|mark|have|has|by|on|as|at|if|we|our|a|be|no|more|very|good|well|score|answer)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[^,;:–—()]+")


@dataclass(frozen=True)
class Opinion:
    """The log-odds that a wording steers, in which way, and by which words."""

    odds: float
    label: str  # of the reader's, other than neutral
    sentence: Sentence
    words: str


def is_known(text: str, language: str) -> bool:
    """Whether the reader can say anything about a wording: one of some length in its language."""
    words = len(text.split())
    return language in LANGUAGES and words >= _FEWEST and 12 * len(ENGLISH.findall(text)) >= words


@lru_cache(maxsize=1024)
def odds(text: str, language: str) -> float:
    """The logarithm of the odds that a wording steers its judges.

    A text that is quoted in it to be judged may itself be loaded: it must steer without what it quotes, too, except
    where the quotation is what judges agree with.
    """
    asked = [text]
    if not book(language).patterns["agreement"].search(text):
        asked.append(unquoted(text))
    return float(_odds(reader(purpose="the review of wordings").wording_logits(asked)).min())


def opinion(text: str, rules: Book) -> Opinion | None:
    """The opinion on a whole wording; none for a language it has not learnt, and for long texts."""
    if rules.language not in LANGUAGES:
        return None
    read = [sentence for sentence in sentences(plain(text), rules.patterns) if sentence.mood != "answers"]
    if not 0 < len(read) <= LONGEST:
        return None
    network = reader(purpose="the review of wordings")
    found = network.wording_logits([text])
    label = network.wording_labels[1 + int(found[0, 1:].argmax())]
    whole = float(_odds(found)[0])
    sentence = read[_costliest(text, [sentence.text for sentence in read])] if len(read) > 1 else read[0]
    return Opinion(whole, label, sentence, _words(text, sentence.text))


def _words(text: str, sentence: str) -> str:
    """The clause of a sentence that speaks most for the opinion."""
    clauses = [match[0].strip() for match in _CLAUSE.finditer(sentence) if len(match[0].split()) > 1]
    return clauses[_costliest(text, clauses)] if len(clauses) > 1 else sentence


def _costliest(text: str, parts: Sequence[str]) -> int:
    """The part without which the reader would be least sure that the wording steers."""
    without = [" ".join(text.replace(part, " ", 1).split()) or "." for part in parts]
    return int(_odds(reader().wording_logits(without)).argmin())


def _odds(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """From the scores of neutral and of the kinds."""
    return np.asarray(np.logaddexp.reduce(scores[:, 1:], axis=1) - scores[:, 0])
