"""What texts give away: those that stand out whoever wrote them, and what judges say gave the author away.

A judge who errs picks one of the two texts that belong together. If texts do not matter, either is picked with chance
½: a text that is picked far more often is odd in itself, by topic or length, whoever wrote it. Each text gets an
exact binomial test, Holm's correction over all texts, and all texts together a Monte-Carlo exact test in which the
coins of all errors are tossed anew. Likewise the share of correct answers is compared between the texts that stood as
the odd one.

Of words that judges marked or wrote, each counts once an answer. "Most marked" says in how many of the answers that had
the word on screen it was marked. Keyness compares answers that found the odd text with those that did not
(`stats.keyness`): a word typical of correct answers points to a true trace of the author; one typical of wrong answers
misleads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.jsonable import Jsonable
from nlgauge.stats.keyness import Key, keyness
from nlgauge.stats.multiple import holm
from nlgauge.study.model import Judgement, Text, odd_position
from nlgauge.study.protocols.triangle.analysis.biases import DRAWS, Counts
from nlgauge.text.tokenizers import words

MOST = 25  # words listed
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_COUNTS = ("shown", "chosen", "as_odd", "spotted", "errors", "mistaken")


@dataclass(frozen=True)
class TextEffect(Jsonable):
    """One text: how often shown and chosen, as the odd one and as one of the pair."""

    text: str
    subject: str
    item: str
    shown: int
    chosen: int
    as_odd: int
    spotted: int  # chosen when it was the odd one
    errors: int  # wrong answers to triads in which it was one of the pair
    mistaken: int  # of these, those that chose it
    p: float  # mistaken of errors against ½, two-sided
    p_adjusted: float


@dataclass(frozen=True)
class ItemEffects(Jsonable):
    """All texts, and the two tests over all of them (None: nothing to test)."""

    KEYS = "p_odd_in_itself, p_gives_away, draws, odd_whoever_wrote_them = _odd, texts"

    texts: tuple[TextEffect, ...]
    p_odd_in_itself: float | None
    p_gives_away: float | None
    draws: int

    @property
    def odd(self) -> tuple[TextEffect, ...]:
        """Texts that are odd whoever wrote them, after Holm's correction."""
        return tuple(text for text in self.texts if text.p_adjusted <= 0.05 and 2 * text.mistaken > text.errors)

    def _odd(self) -> list[str]:
        return [effect.text for effect in self.odd]


def item_effects(answers: Sequence[Judgement], *, seed: int = 12345, draws: int = DRAWS) -> ItemEffects:
    """Count, test each text, test all."""
    tallies: dict[str, dict[str, Any]] = {}
    for judgement in answers:
        odd = odd_position(judgement.role)
        for place, text in enumerate(judgement.texts):
            new = {"subject": judgement.role[place], "item": judgement.items[place]} | dict.fromkeys(_COUNTS, 0)
            tally = tallies.setdefault(text, new)
            tally["shown"] += 1
            tally["chosen"] += judgement.answer == place
            if place == odd:
                tally["as_odd"] += 1
                tally["spotted"] += judgement.correct
            elif not judgement.correct:
                tally["errors"] += 1
                tally["mistaken"] += judgement.answer == place
    mistaken, errors = (
        np.array([tally[name] for tally in tallies.values()], dtype=np.int64) for name in ("mistaken", "errors")
    )
    p_values = _against_half(mistaken, errors)
    effects = [
        TextEffect(text, **tally, p=float(p), p_adjusted=float(q))
        for (text, tally), p, q in zip(tallies.items(), p_values, holm(p_values), strict=True)
    ]
    effects.sort(key=lambda one: (one.p, -one.mistaken, one.text))
    rng = np.random.default_rng(seed)
    return ItemEffects(tuple(effects), _coins(answers, rng, draws), _spotting(effects, rng, draws), draws)


def _against_half(count: Counts, of: Counts) -> Array:
    """Exact two-sided binomial test of ½: the distribution is symmetric, so twice the smaller tail."""
    from scipy.special import bdtr

    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(count, of - count), of, 0.5)))


def _coins(answers: Sequence[Judgement], rng: np.random.Generator, draws: int) -> float | None:
    """Σ (2 · mistaken − errors)² / errors over texts, against coins tossed anew for every error."""
    wrong = [judgement for judgement in answers if not judgement.correct]
    if not wrong:
        return None
    codes: dict[str, int] = {}
    chosen, other = [], []
    for judgement in wrong:
        odd = odd_position(judgement.role)
        rest = next(place for place in range(3) if place not in (odd, judgement.answer))
        chosen.append(codes.setdefault(judgement.texts[judgement.answer], len(codes)))
        other.append(codes.setdefault(judgement.texts[rest], len(codes)))
    # One row per error: +1 for the text chosen, −1 for its partner; a toss turns the row round.
    rows = np.zeros((len(wrong), len(codes)), dtype=np.float32)
    np.add.at(rows, (np.arange(len(wrong)), np.array(chosen)), 1)
    np.add.at(rows, (np.arange(len(wrong)), np.array(other)), -1)
    weight = 1 / np.maximum(np.abs(rows).sum(axis=0), 1)
    observed = float((rows.sum(axis=0) ** 2 * weight).sum())
    extreme, left = 0, draws
    while left:
        size = min(left, max(1, 2_000_000 // len(wrong)))
        signs = (2 * rng.integers(0, 2, size=(size, len(wrong)), dtype=np.int8) - 1).astype(np.float32)
        extreme += int(np.count_nonzero(((signs @ rows) ** 2 @ weight) >= observed * (1 - 1e-6)))
        left -= size
    return (extreme + 1) / (draws + 1)


def _spotting(effects: Sequence[TextEffect], rng: np.random.Generator, draws: int) -> float | None:
    """Pearson's distance of correct answers by odd text, against correct answers dealt anew."""
    sizes, right = np.array([(effect.as_odd, effect.spotted) for effect in effects]).reshape(-1, 2).T
    if (sizes > 0).sum() < 2 or right.sum() in (0, sizes.sum()):
        return None
    expected = sizes * right.sum() / sizes.sum()
    weight = np.where(sizes > 0, 1 / np.maximum(expected, 1e-12), 0.0)
    drawn = rng.multivariate_hypergeometric(sizes, int(right.sum()), size=draws, method="marginals")
    observed = ((right - expected) ** 2 * weight).sum()
    extreme = np.count_nonzero(((drawn - expected) ** 2 * weight).sum(axis=1) >= observed * (1 - 1e-9))
    return (int(extreme) + 1) / (draws + 1)


@dataclass(frozen=True)
class Marked(Jsonable):
    """One word: answers that marked it, answers that had it on screen, and where the marks lay."""

    word: str
    marked: int
    shown: int
    in_odd: int  # answers that marked it in the text that was the odd one
    correct: int  # of the answers that marked it


@dataclass(frozen=True)
class Reasons(Jsonable):
    """The summary of marks and reasons."""

    KEYS = "..., not answers"

    answers_with_reasons: int
    answers_with_marks: int
    marked: tuple[Marked, ...]
    keys_of_marks: tuple[Key, ...]
    keys_of_reasons: tuple[Key, ...]
    lost_marks: int  # marks outside their text, or in texts that are not at hand
    answers: int  # all of them


def reasons(answers: Sequence[Judgement], texts: Mapping[str, Text]) -> Reasons | None:
    """None where nobody gave a reason or marked a word."""
    written = [judgement for judgement in answers if judgement.reason.strip()]
    marking = [judgement for judgement in answers if judgement.highlights]
    if not written and not marking:
        return None
    marks = {judgement.id: _marked_words(judgement, texts) for judgement in marking}
    counted, in_odd, correct, shown = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for judgement in marking:
        everywhere, odd, _ = marks[judgement.id]
        counted.update(everywhere)
        in_odd.update(odd)
        correct.update(everywhere if judgement.correct else ())
        shown.update({word for text in judgement.texts if text in texts for word in _words(texts[text].text)})
    listed = tuple(
        Marked(word, k, shown[word], in_odd[word], correct[word])
        for word, k in sorted(counted.items(), key=lambda pair: (-pair[1], shown[pair[0]], pair[0]))[:MOST]
    )
    return Reasons(
        answers_with_reasons=len(written),
        answers_with_marks=len(marking),
        marked=listed,
        keys_of_marks=_keys([(answer.correct, marks[answer.id][0]) for answer in marking]),
        keys_of_reasons=_keys([(answer.correct, frozenset(_words(answer.reason))) for answer in written]),
        lost_marks=sum(lost for *_, lost in marks.values()),
        answers=len(answers),
    )


def _words(text: str) -> list[str]:
    """The words without signs that turn the direction of writing: they would turn the sentences that quote a word."""
    return [word.lower() for word in words(_TURNING.sub("", text))]


def _marked_words(one: Judgement, texts: Mapping[str, Text]) -> tuple[frozenset[str], frozenset[str], int]:
    """Words touched by the marks of an answer: anywhere, in the odd text, and the number of marks without a text."""
    everywhere: set[str] = set()
    odd: set[str] = set()
    lost = 0
    for place, start, end in one.highlights:
        text = texts.get(one.texts[place]) if 0 <= place < len(one.texts) else None
        if text is None or not 0 <= start < end <= len(text.text):
            lost += 1
            continue
        found = set(_words(_whole_words(text.text, start, end)))
        everywhere |= found
        if place == odd_position(one.role):
            odd |= found
    return frozenset(everywhere), frozenset(odd), lost


def _whole_words(text: str, start: int, end: int) -> str:
    """The span widened to the blanks around it: a mark of half a word is a mark of the word."""
    while start > 0 and not text[start - 1].isspace() and not text[start].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace() and not text[end - 1].isspace():
        end += 1
    return text[start:end]


def _keys(pairs: Sequence[tuple[bool, frozenset[str]]]) -> tuple[Key, ...]:
    right, wrong = ([found for correct, found in pairs if correct is which] for which in (True, False))
    return tuple(keyness(right, wrong)[:MOST])
