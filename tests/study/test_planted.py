"""Errors that were planted in texts: which edits and marks mend and find them, and what cannot be planted."""

from __future__ import annotations

import time
from pathlib import Path

import cared
import pytest
import rated
from studies import Clock

from nlgauge.errors import InputError
from nlgauge.study.protocols.annotations import spans
from nlgauge.study.protocols.annotations.edits import fits, mended
from nlgauge.study.protocols.annotations.file import span_study
from nlgauge.study.protocols.outputs.gold import Known, Planted


@pytest.mark.parametrize(
    ("output", "words", "text", "right"),
    [
        ("He go home every day.", "go", "He goes home every day.", True),
        ("He go home every day.", "go", "He still go home every day.", False),
        ("She ate a apple.", "a", "She ate an apple.", True),
        ("She ate a apple.", "a", "She ate an apple from a tree.", True),
        ("The dog wags it tail.", "it", "The dog wags its tail.", True),
        ("I can swim, he said.", "can", "I can't swim, he said.", True),
        ("It costs 3 euros.", "3", "It costs 3.5 euros.", True),
        ("He is in in a hurry.", "in in", "He is in a hurry.", True),
        ("他吃了一本苹果。", "本", "他吃了一个苹果。", True),
        ("他吃了一本苹果。", "本", "他吃了那本苹果。", False),
        ("वह घर जात है", "जात", "वह घर जाता है", True),
    ],
)
def test_planted_words_are_whole_words_at_their_place(output: str, words: str, text: str, right: bool) -> None:
    known = Known(errors=(Planted(words),))
    assert mended({"outcome": "edited", "text": text}, known, output) is right


@pytest.mark.parametrize(
    ("words", "marked", "right"),
    [
        ("in in", "in in", True),
        ("in in", "sings", False),
        ("tune", "tune but", True),
        ("in in", "he is", False),
    ],
)
def test_marks_find_whole_words_at_their_place(tmp_path: Path, words: str, marked: str, right: bool) -> None:
    text = "He sings in tune but he is in in a hurry"
    study = span_study(rated.of("spans", tmp_path, Clock(), criteria=None).study)
    start = text.index(marked)
    given = {"on": "output", "start": start, "end": start + len(marked), "category": "", "severity": "minor"}
    assert spans.marked([given], [Planted(words)], text, study) is right
    second = {**given, "start": 30, "end": 32}  # one of the two words alone
    assert spans.marked([second], [Planted("in in")], text, study)


def test_words_that_stand_twice_are_refused(tmp_path: Path) -> None:
    check = {"text": "He sings in tune but he is in in a hurry", "errors": ["in"], **cared.BESIDE}
    with pytest.raises(InputError, match="stand in the text 3 times; give more words around"):
        rated.of("spans", tmp_path, Clock(), criteria=None, quality={"attention": [check]})


def test_no_text_of_a_judge_keeps_its_comparison_busy() -> None:
    known = Known(errors=(Planted("a"),), edits=("x",), pattern="*a*a*a*a*a*a*a*a*a*b")
    output = "This is a text. " * 2
    started = time.perf_counter()
    for text in ("a" * 40_000, "a " * 20_000, "ab" * 20_000 + "c", "a'" * 20_000, "1." * 20_000):
        assert not mended({"outcome": "edited", "text": text}, known, output)
    assert time.perf_counter() - started < 5
    assert fits("The cat sat on the mat.", "The cat * mat.") and not fits("The cat mat.", "The cat * mat.")
    assert fits("aXbXc", "a*b*c") and not fits("ab", "ab*b")


def test_a_question_without_a_scale_has_no_points(tmp_path: Path) -> None:
    asked = {"id": "age", "text": "Your age?", "options": ["under 40", "40 or more"], "points": 3}
    with pytest.raises(InputError, match="'age' of type choice has no points; leave points out"):
        rated.of("likert", tmp_path, Clock(), closing=[asked])
