"""What a judge sees after a practice answer: the three texts again, the odd one and the choice named in words."""

from __future__ import annotations

import re
from pathlib import Path

import made
import pytest
from made import Visitor

from nlgauge.study.fields import LANGUAGES
from nlgauge.study.service import Service
from nlgauge.web.language import load


def cards(page: str) -> list[str]:
    return re.findall(r'<section class="text[^"]*".*?</section>', page, re.DOTALL)


def test_the_texts_are_shown_again_with_the_odd_one_and_the_choice(visitor: Visitor) -> None:
    visitor.ready()
    visitor.send("practice", {"answer": "0"})
    found, say = cards(visitor.get("/practice/1").text), load("en").say
    told = ("A dog barked.", "A hound bayed.", "A dog ran.")
    assert all(text in card for text, card in zip(told, found, strict=True))
    assert [say("feedback_odd") in card for card in found] == [False, True, False]
    assert [say("feedback_chosen") in card for card in found] == [True, False, False]


def test_a_right_choice_carries_both_words(visitor: Visitor) -> None:
    visitor.ready()
    visitor.send("practice", {"answer": "1"})
    found, say = cards(visitor.get("/practice/1").text), load("en").say
    both = [say("feedback_odd") in card and say("feedback_chosen") in card for card in found]
    assert both == [False, True, False]


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_is_said_in_each_language(tmp_path: Path, code: str) -> None:
    plain = {"question": "Which?", "instructions": None, "consent": None, "questions": None}
    example = {"texts": ["One.", "Two!", "Three."], "odd": 2}
    service = made.launched(tmp_path / "study", languages=[code], practice={"examples": [example]}, **plain)
    visitor = Visitor(made.client(service, tmp_path / "study"), made.links(service, "experts")[0])
    visitor.send("begin")
    visitor.send("practice", {"answer": "2"})
    page, say = visitor.get("/practice/1").text, load(code).say
    for key in ("feedback_texts", "feedback_odd", "feedback_chosen"):
        assert say(key) in page
    service.store.close()


def test_pictures_are_shown_again(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    for number in range(14):
        (folder / f"{number}.png").write_bytes(made.PIXEL)
    subjects = {
        name: {"texts": [{"text": f"{name}{k}", "image": f"{k}.png"} for k in range(14)]} for name in "AB"
    }
    service = made.launched(folder, subjects=subjects, practice=1)
    visitor = Visitor(made.client(service, folder), made.links(service, "experts")[0])
    visitor.ready()
    visitor.send("practice", {"answer": "2"})
    sources = re.findall(r'<img src="([^"]+)"', visitor.get("/practice/1").text)
    assert len(sources) == 3
    assert all(visitor.browser.get(source).content == made.PIXEL for source in sources)
    service.store.close()


def test_nothing_is_shown_before_the_answer(service: Service, visitor: Visitor) -> None:
    visitor.ready()
    before = visitor.get("/practice/1")
    assert before.status_code == 303 and not service.judgements()
