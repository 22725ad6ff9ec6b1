"""What a wording is made of, for the comparison with wordings judged before (resemblance.py).

Runs of one to three words, as they stand and by classes of the rule file (“OUTPUT is COMPARATIVE than OUTPUT”);
the latter with what the sentence does, so that “we expect” in a statement and in a question are two things.
Quoted words and names are only marked as such, and answers are kept apart from the question by a sign of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from nlgauge.study.review.book import Book, book
from nlgauge.study.review.reading import HIDDEN, Sentence, plain, sentences
from nlgauge.study.review.scales import labels

# the more special list first: a word belongs to the first that knows it
CLASSES = (
    "modelname", "strongpos", "posadj", "negadj", "comparative", "fault", "hype", "paying", "criterion", "origin_adj",
    "machine", "people", "output", "score", "answer", "control", "making", "judged", "imperative", "fewnumber",
)  # fmt: skip
_WORD = re.compile(rf"{HIDDEN}+|[^\W\d_]+(?:[-’][^\W_]+)*|\d+(?:[.,]\d+)?|[^\w\s]")
_LONGEST_RUN = 3


def features(text: str, language: str = "en") -> dict[str, float]:
    """The features of a wording; each counts once, and together they have length one."""
    rules = book(language)
    found: set[str] = set()
    read = list(sentences(plain(text), rules.patterns))
    for sentence in read:
        found |= set(sentence_features(sentence, rules))
    found |= set(_scale(text, rules))
    found |= {f"#{'+'.join(one.mood[:1] for one in read[:4])}"}
    return dict.fromkeys(found, max(1, len(found)) ** -0.5)


def sentence_features(sentence: Sentence, rules: Book) -> Iterator[str]:
    """The features of one sentence."""
    words = ["MATERIAL"] if sentence.material else _words(sentence)
    mood = sentence.mood[:1]
    classes = [_class(word, rules.language) for word in words]
    low = ["^", *(word if word.isupper() and len(word) > 3 else word.casefold() for word in words), "$"]
    yield from _runs(low, "")
    yield from (f"{mood}:{run}" for run in _runs(["^", *classes, "$"], "") if run)
    kinds = [word for word in classes if word.isupper()]
    yield from (f"{mood}~{one}~{other}" for one, other in pairwise(kinds))


def _words(sentence: Sentence) -> list[str]:
    """Words of a sentence; answers with a sign before them, quotations and names as marks."""
    found = []
    for match in _WORD.finditer(sentence.masked):
        word = match[0]
        if word[0] == HIDDEN:
            hidden = sentence.text[match.start() : match.end()]
            if hidden[:1] in "“\"'‘«":
                found.append("QUOTE")
            else:
                found += [f"a.{one.casefold()}" for one in re.findall(r"[^\W\d_]+|/", hidden)]
        elif word[0].isdigit():
            found.append("NUMBER")
        elif match.start() and word[0].isupper() and len(word) > 1:
            found.append("NAME" if not word.isupper() else "CAPITALS")
        else:
            found.append(word)
    return found


@cache
def _class(word: str, language: str) -> str:
    rules = book(language)
    if word.isupper() and len(word) > 3:
        return word
    for name in CLASSES:
        if name in rules.words and re.fullmatch(rules.words[name], word, re.IGNORECASE):
            return name.upper()
    return word.casefold()


def _runs(words: Sequence[str], sign: str) -> Iterator[str]:
    for size in range(1, _LONGEST_RUN + 1):
        for place in range(len(words) - size + 1):
            yield sign + " ".join(words[place : place + size])


def _scale(text: str, rules: Book) -> Iterator[str]:
    """How the longest list of answers is made up."""
    found = labels(plain(text), rules)
    if not found:
        return
    points = found[0]
    up = sum((label.valence or 0) > 0 for label in points)
    down = sum((label.valence or 0) < 0 for label in points)
    floor = any(label.floor for label in points)
    yield f"#scale {min(up, 3)} {min(down, 3)} {floor}"
    yield f"#points {len(points)}"
    yield f"#lean {max(-2, min(2, up - down))} {floor}"
