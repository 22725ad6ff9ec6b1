"""What gave it away, in the judges' words: the words they marked, and the words typical of right and wrong answers.

A word counts once an answer. "Most marked" says in how many of the answers that had the word on screen it was marked.
Keyness compares answers that found the odd text with those that did not (`stats.keyness`): a word typical of correct
answers points to a true trace of the author; one typical of wrong answers misleads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.stats.keyness import Key, keyness
from nlgauge.study.model import Judgement, Text, odd_position
from nlgauge.study.protocols.triangle.analysis.wording import p_text
from nlgauge.text.tokenizers import words

MOST = 25  # words listed
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Marked:
    """One word: answers that marked it, answers that had it on screen, and where the marks lay."""

    word: str
    marked: int
    shown: int
    in_odd: int  # answers that marked it in the text that was the odd one
    correct: int  # of the answers that marked it

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return dict(vars(self))


@dataclass(frozen=True)
class Reasons:
    """The summary of marks and reasons."""

    answers_with_reasons: int
    answers_with_marks: int
    marked: tuple[Marked, ...]
    keys_of_marks: tuple[Key, ...]
    keys_of_reasons: tuple[Key, ...]
    lost_marks: int  # marks outside their text, or in texts that are not at hand
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "answers_with_reasons": self.answers_with_reasons,
            "answers_with_marks": self.answers_with_marks,
            "marked": [one.to_dict() for one in self.marked],
            "keys_of_marks": [one.to_dict() for one in self.keys_of_marks],
            "keys_of_reasons": [one.to_dict() for one in self.keys_of_reasons],
            "lost_marks": self.lost_marks,
            "sentence": self.sentence,
        }


def reasons(answers: Sequence[Judgement], texts: Mapping[str, Text]) -> Reasons | None:
    """None where nobody gave a reason or marked a word."""
    written = [one for one in answers if one.reason.strip()]
    marking = [one for one in answers if one.highlights]
    if not written and not marking:
        return None
    marks = {one.id: _marked_words(one, texts) for one in marking}
    lost = sum(found[2] for found in marks.values())
    counted, in_odd, correct = Counter[str](), Counter[str](), Counter[str]()
    for one in marking:
        everywhere, odd, _ = marks[one.id]
        counted.update(everywhere)
        in_odd.update(odd)
        correct.update(everywhere if one.correct else ())
    shown = Counter[str]()
    for one in marking:
        shown.update({word for text in one.texts if text in texts for word in _words(texts[text].text)})
    listed = tuple(
        Marked(word, k, shown[word], in_odd[word], correct[word])
        for word, k in sorted(counted.items(), key=lambda pair: (-pair[1], shown[pair[0]], pair[0]))[:MOST]
    )
    of_marks = _keys([(one.correct, marks[one.id][0]) for one in marking])
    of_reasons = _keys([(one.correct, frozenset(_words(one.reason))) for one in written])
    return Reasons(
        len(written),
        len(marking),
        listed,
        of_marks,
        of_reasons,
        lost,
        _sentence(len(answers), len(written), len(marking), listed, of_marks, of_reasons),
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
    right = [found for correct, found in pairs if correct]
    wrong = [found for correct, found in pairs if not correct]
    return tuple(keyness(right, wrong)[:MOST])


def _sentence(
    n: int, written: int, marking: int, marked: Sequence[Marked], marks: Sequence[Key], said: Sequence[Key]
) -> str:
    parts = [f"Of {n:,} answers {written:,} gave a reason in words and {marking:,} marked words."]
    if marked:
        top = ", ".join(f"“{one.word}” ({one.marked} of the {one.shown} that saw it)" for one in marked[:3])
        parts.append(f"Most marked: {top}.")
    for what, keys in (("marks", marks), ("reasons", said)):
        sure = [key for key in keys if key.p_adjusted <= 0.05]
        if sure:
            names = ", ".join(
                f"“{key.word}” ({'correct' if key.log_odds > 0 else 'wrong'} answers, adjusted "
                f"{p_text(key.p_adjusted)})"
                for key in sure[:5]
            )
            parts.append(f"Typical words in the {what}: {names}.")
        elif keys:
            parts.append(f"No word of the {what} was shown to be typical of correct or of wrong answers.")
    return " ".join(parts)
