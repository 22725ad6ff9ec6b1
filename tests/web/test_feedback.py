"""What a judge sees after a practice answer: the three texts again, the odd one and the choice named in words."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import made
import pytest
from made import Visitor

from nlgauge.study.languages import LANGUAGES
from nlgauge.study.protocols.annotations.pages import PostEdit
from nlgauge.study.protocols.magnitudes.pages import Magnitude
from nlgauge.study.protocols.outputs.gold import Known
from nlgauge.study.protocols.task import pages as task
from nlgauge.study.protocols.task.questions import Posed
from nlgauge.study.service import Service
from nlgauge.study.store import Store
from nlgauge.web.language import load
from nlgauge.web.protocols import pages_of

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
import cared
import rated
from studies import Clock


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
    subjects = {name: {"texts": [{"text": f"{name}{k}", "image": f"{k}.png"} for k in range(14)]} for name in "AB"}
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


@pytest.mark.parametrize("protocol", cared.GOLD)
def test_training_says_what_was_right_and_lets_judges_try_again(tmp_path: Path, protocol: str) -> None:
    _, _, right, wrong = cared.GOLD[protocol]
    folder = tmp_path / "study"
    folder.mkdir()
    changes = cared.trained(protocol, required=0)
    service = rated.of(protocol, folder, Clock(), Store.at(folder), **changes)
    visitor = Visitor(made.client(service, folder), made.links(service, "public")[0])
    visitor.send("begin")
    pages, say = pages_of(protocol), load("en").say

    def fields(answer: Any) -> dict[str, Any]:
        form = {name: values[0] for name, values in pages.written(answer, service.study).items() if values}
        hidden = made.Forms(visitor.get().text if len(service.judgements()) == 0 else again).forms
        return {k: v for k, v in hidden[0]["fields"].items() if k in ("asked", "was", "part")} | form

    again = ""
    assert visitor.send("practice", fields(wrong)).headers["location"].endswith("/practice/1")
    page = visitor.get("/practice/1").text
    assert say("gold_wrong") in page and say("gold_answer") in page and "Because of it." in page
    again = visitor.get("/practice/1/again").text
    assert visitor.send("practice", fields(right), again).headers["location"].endswith("/practice/1")
    page = visitor.get("/practice/1").text
    assert say("gold_right") in page and say("gold_again") not in page
    assert visitor.get("/practice/1/again").status_code in (200, 303)
    assert visitor.get().status_code == 200 and len(service.judgements()) == 2
    service.store.close()


def test_the_score_of_first_tries_is_not_told_beside_a_further_one(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    changes = cared.trained("likert", required=0)
    changes["practice"]["examples"] *= 2
    service = rated.of("likert", folder, Clock(), Store.at(folder), **changes)
    visitor = Visitor(made.client(service, folder), made.links(service, "public")[0])
    visitor.send("begin")
    for number, given, place in ((1, 4, ""), (2, 4, ""), (2, 1, "/practice/2/again")):
        form = pages_of("likert").written({"fluency": given}, service.study)
        visitor.send("practice", {name: value for name, (value,) in form.items()}, visitor.get(place).text)
        told = visitor.get(f"/practice/{number}").text
        assert ("Right so far: 0 of 2" in told) == ((number, given) == (2, 4))
    assert load("en").say("gold_right") in told
    service.store.close()


def test_a_text_that_was_changed_is_never_told_to_need_no_change() -> None:
    pages, say = pages_of("post-edit"), load("en").say
    assert isinstance(pages, PostEdit)
    known = Known(pattern="* cat*", edits=("A cat.",))
    assert pages.to_do(known, None, load("en")) == "A cat."
    assert pages.to_do(Known(errors=()), None, load("en")) == say("edit_unchanged")
    assert pages.to_do(Known(pattern="* cat*"), None, load("en")) != say("edit_unchanged")


def test_right_numbers_are_told_as_they_could_be_typed() -> None:
    magnitude = pages_of("magnitude")
    assert isinstance(magnitude, Magnitude)
    assert magnitude.wanted_for(1_500_000, 250_000, None, load("de")) == "1250000–1750000"
    assert magnitude.wanted_for(5, 10, None, load("en")) == "0–15"
    question = Posed(id="n", text={"": "How many?"}, type="number", number=1_500_000)
    assert task._right(question, load("en")) == "1500000"
    assert task._words(question, {"number": 2_000_000.5}, load("en")) == "2000000.5"
