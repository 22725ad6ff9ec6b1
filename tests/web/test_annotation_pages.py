"""The pages of post-editing and error marking without a browser: what they show, take, carry and say is wrong."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
import yaml
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.file import study as design
from nlgauge.study.protocols.annotations.file import span_study
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store
from nlgauge.web import rehearsal

# an emoji outside the BMP, a combining accent, Arabic, a line break, a Windows line end, markup
TEXT = "Sun \U0001f31e & <b>cafe\u0301</b>,\nمطر غدًا\r\nthen rain {k}."
SHOWN = TEXT.replace("\r\n", "\n")
EFFORT = {
    "id": "effort",
    "definition": "How much work it takes to make the text acceptable.",
    "question": "How much work was it?",
    "scale": {"points": 5, "labels": ["None", "Very much"]},
    "reverse": True,
}


def launched(folder: Path, protocol: str, **changes: Any) -> Service:
    values: dict[str, Any] = {
        "protocol": protocol,
        "title": "Work",
        "subjects": {
            f"secret-{name}": {
                "texts": [{"text": TEXT.format(k=f"{k}{name}"), "source": f"rain ({k}) 🌧 soon"} for k in range(3)]
            }
            for name in "xyz"
        },
        "show": ["source"],
        "panels": {"public": {"judges": 3, "evaluations": 3, "access": "links"}},
        "corrections": "allow",
        "seed": 7,
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(values | changes, sort_keys=False, allow_unicode=True)
    (folder / design.FILE).write_text(text, encoding="utf-8")
    return launch(design.load(folder), folder, Store.at(folder))


@pytest.fixture
def changes() -> dict[str, Any]:
    return {"protocol": "spans", "omissions": "source"}


@pytest.fixture
def service(tmp_path: Path, changes: dict[str, Any]) -> Iterator[Service]:
    given = dict(changes)
    found = launched(tmp_path / "study", given.pop("protocol"), **given)
    yield found
    found.store.close()


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> Visitor:
    found = Visitor(browser, made.links(service, "public")[0])
    assert found.send("begin").status_code == 303
    return found


def on_screen(service: Service, visitor: Visitor) -> str:
    """The text as it is stored, which the page must show."""
    return rehearsal.on_screen(service, visitor.hidden("answer")["claim"]).texts[0].text


def carried(page: str) -> Any:
    found = re.search(r'name="errors" value="([^"]*)"', page)
    assert found
    return json.loads(html.unescape(found[1]))


def box(page: str, words: str, place: int = 0) -> str:
    """The box of a word."""
    for value, shown in re.findall(r'name="mark" value="([^"]+)"(?: checked)?><span>(.*?)</span>', page, re.S):
        if html.unescape(shown) == words and value.startswith(f"{place}-"):
            return str(value)
    raise AssertionError(f"no box for {words}")


POST_EDIT = pytest.mark.parametrize(
    "changes", [{"protocol": "post-edit", "criteria": [EFFORT], "reasons": {"highlight": "optional"}}]
)


@POST_EDIT
def test_a_post_edit_is_stored_as_it_was_written(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    assert heading(page) == "Text 1 of 3" and "secret" not in page
    assert re.search(r"<input[^>]* checked", page) is None
    text = on_screen(service, visitor)
    assert text.startswith("Sun 🌞 & <b>cafe\u0301</b>,\nمطر غدًا\nthen rain")
    area = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.S)
    assert area and html.unescape(area[1]) == text
    was = re.search(r'name="was" value="([^"]*)"', page)
    assert was
    edited = "\n" + text.replace("🌞", "🌤️").replace("\n", "\r\n") + "\n"  # browsers send their own line ends
    fields = {"outcome": "edited", "text": edited, "was": was[1], "c0": "4", "keys": "12", "active": "3.5"}
    assert visitor.send("answer", fields | {"mark": box(page, "then")}).status_code == 303
    (stored,) = service.judgements()
    assert stored.answer == {
        "outcome": "edited",
        "text": edited.replace("\r\n", "\n"),
        "active": 3.5,
        "keys": 12,
        "ratings": {"effort": 4},
    }
    place, start, end = stored.highlights[0]
    assert (place, text[start:end]) == (0, "then")
    changed = visitor.get(f"/change/{stored.id}").text
    area = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", changed, re.S)
    assert area and html.unescape(area[1]) == edited.replace("\r\n", "\n")


UNFIT: tuple[tuple[dict[str, str], str], ...] = (
    ({}, "Please answer this question."),
    ({"outcome": "edited"}, "The text is as it was."),
    ({"outcome": "rewritten"}, "The text is as it was."),
    ({"outcome": "unchanged", "text": "Rain."}, "You have changed the text."),
    ({"outcome": "edited", "text": " \n"}, "Please write the text as it should be."),
    ({"outcome": "edited", "text": "غ" * 40_001}, "Please shorten"),
)


@POST_EDIT
def test_an_outcome_that_does_not_fit_is_asked_for_again(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    was = re.search(r'name="was" value="([^"]*)"', page)
    assert was
    for fields, message in UNFIT:
        sent = {"text": on_screen(service, visitor), "was": was[1], "c0": "1"} | fields
        found = visitor.send("answer", sent, page)
        assert found.status_code == 422 and message in html.unescape(found.text), fields
        area = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", found.text, re.S)
        assert area and html.unescape(area[1]) == sent["text"], "what was written is not lost"
    assert not service.judgements()


@POST_EDIT
def test_what_the_browser_counts_is_no_reason_to_refuse(visitor: Visitor, service: Service) -> None:
    sent = {"text": "New.", "was": "forged", "outcome": "rewritten", "c0": "5", "keys": "-3", "active": "nan"}
    assert visitor.send("answer", sent).status_code == 303
    assert service.judgements()[0].answer == {
        "outcome": "rewritten",
        "text": "New.",
        "ratings": {"effort": 5},
    }
    # a forged hash does not make an unchanged text of a changed one
    sent = {"text": "New.", "was": made_of("New."), "outcome": "unchanged", "c0": "5"}
    assert visitor.send("answer", sent).status_code == 422 and len(service.judgements()) == 1


def made_of(text: str) -> str:
    from nlgauge.study.protocols.annotations.pages import fingerprint

    return fingerprint(text)


def test_errors_are_added_one_by_one_and_carried_by_the_page(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    text = on_screen(service, visitor)
    assert carried(page) == [] and "None yet." in page and "secret" not in page
    first = {
        "add": "words",
        "category": "accuracy/addition",
        "severity": "major",
        "note": " see <input> ",
        "errors": "[]",
    }
    found = visitor.send("answer", first | {"mark": [box(page, "🌞"), box(page, "<b>cafe\u0301</b>,")]})
    assert found.status_code == 200 and not service.judgements()
    (error,) = carried(found.text)
    assert text[error["start"] : error["end"]] == "🌞 & <b>cafe\u0301</b>,", "from the first to the last word ticked"
    assert re.search(r"<input[^>]*name=\"mark\"[^>]* checked", found.text) is None
    assert "Accuracy: Addition · Major" in found.text
    second = {
        "add": "words",
        "category": "accuracy/omission",
        "severity": "minor",
        "errors": json.dumps([error]),
    }
    found = visitor.send("answer", second | {"mark": box(page, "soon", 1)}, found.text)
    errors = carried(found.text)
    assert [one["on"] for one in errors] == ["output", "source"]
    gone = visitor.send("answer", {"remove": "0", "errors": json.dumps(errors)}, found.text)
    assert carried(gone.text) == errors[1:]
    whole = {"errors": json.dumps(errors), "found": "errors", "category": "", "severity": "major"}
    assert visitor.send("answer", whole, found.text).status_code == 303
    (stored,) = service.judgements()
    assert stored.answer == {"spans": errors, "none": False, "ratings": {}}
    assert errors[0]["note"] == "see <input>"
    changed = visitor.get(f"/change/{stored.id}").text
    assert carried(changed) == errors
    told = visitor.get("/change").text
    assert "Major, Minor" in told
    found = visitor.send("change", {"remove": "1", "errors": json.dumps(errors)}, changed)
    assert carried(found.text) == errors[:1]
    assert visitor.send("change", {"errors": "[]", "found": "none"}, changed).status_code == 303
    assert service.judgements()[-1].answer == {"spans": [], "none": True, "ratings": {}}


ERROR = {"on": "output", "start": 0, "end": 3, "category": "style", "severity": "minor", "note": ""}


LACKING: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"add": "words", "category": "style", "severity": "minor"},
        "Please mark the words of the error first.",
    ),
    ({"add": "words", "mark": "0-0-3", "severity": "minor"}, "Please choose the kind of error."),
    ({"add": "words", "mark": "0-0-3", "category": "style"}, "Please say how serious the error is."),
    (
        {"add": "words", "mark": ["0-0-3", "1-0-4"], "category": "style", "severity": "minor"},
        "one text at a time",
    ),
    ({}, "Please answer this question."),
    ({"found": "errors"}, "No error is marked yet."),
    ({"found": "none", "errors": json.dumps([ERROR])}, "You have marked errors."),
    ({"found": "none", "mark": "0-0-3"}, "not added them as an error"),
)


def test_a_part_of_the_ticked_words_is_marked_only_where_it_lies_within_them(
    visitor: Visitor, service: Service
) -> None:
    page, text = visitor.get().text, on_screen(service, visitor)
    ticked = box(page, "<b>cafe\u0301</b>,")
    place, start, end = map(int, ticked.split("-"))
    add = {"add": "words", "category": "style", "severity": "minor", "errors": "[]", "mark": ticked}
    for exactly, first, last, wanted in (
        ("yes", start + 3, end - 5, (start + 3, end - 5)),
        ("yes", start - 1, end, (start, end)),  # beyond the words
        ("", start + 3, end - 5, (start, end)),  # not asked for
    ):
        sent = {**add, "exactly": exactly, "exact": f"{place}-{first}-{last}"}
        (error,) = carried(visitor.send("answer", sent, page).text)
        assert (error["start"], error["end"]) == wanted
    assert text[start + 3 : end - 5] == "cafe\u0301"
    assert visitor.send("answer", {**add, "exactly": "yes", "exact": "x"}, page).status_code == 422


def test_what_lacks_is_said(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    for fields, message in LACKING:
        found = visitor.send("answer", fields, page)
        assert found.status_code == 422 and message in html.unescape(found.text), fields
        assert carried(found.text) == json.loads(fields.get("errors", "[]")), "errors marked before are not lost"
    assert not service.judgements()
    summary = html.unescape(visitor.send("answer", {}, page).text)
    assert re.search(r'<a href="#found-0">\u2068Is everything marked\?\u2069 Please answer', summary)


def test_severities_and_kinds_are_explained_and_called_alike_everywhere(visitor: Visitor, service: Service) -> None:
    page = html.unescape(visitor.get().text)
    study = span_study(service.study)
    for number, one in enumerate(study.grades):
        assert f'aria-describedby="severity-{number}-meaning"' in page
        assert re.search(rf'id="severity-{number}-meaning"[^>]*>{re.escape(one.definition["en"])}', page)
    for path in study.paths:
        assert f'<option value="{path}">{study.category_name(path)}</option>' in page
        assert f'<dt dir="auto">{study.category_name(path)}</dt>' in page
    assert study.category_name("accuracy/mistranslation") == "Accuracy: Wrong content"


BY_HAND = (
    "nothing",
    "{}",
    "[1]",
    json.dumps([ERROR | {"end": 10_000}]),
    json.dumps([ERROR | {"start": 3}]),
    json.dumps([ERROR | {"category": "beauty"}]),
    json.dumps([ERROR | {"severity": "terrible"}]),
    json.dumps([ERROR | {"on": "missing", "start": 0, "end": 0}]),
    json.dumps([ERROR] * 101),
)


def test_what_is_posted_by_hand_is_refused(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    for errors in BY_HAND:
        found = visitor.send("answer", {"errors": errors, "found": "errors"}, page)
        assert found.status_code == 422 and "Something in this answer does not fit" in found.text, errors
    assert not service.judgements()


@pytest.mark.parametrize("changes", [{"protocol": "spans", "scheme": "esa", "criteria": ["overall-quality"]}])
def test_esa_asks_for_severities_and_a_score(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    assert 'name="category"' not in page and "Minor" in page and "Neutral" not in page
    added = visitor.send("answer", {"add": "missing", "severity": "major", "c0": "40"})
    assert added.status_code == 200 and "Something is missing" in added.text
    assert re.search(r'name="c0" value="40"', added.text), "what was answered already is not lost"
    sent = {"errors": json.dumps(carried(added.text)), "found": "errors"}
    assert visitor.send("answer", sent).status_code == 422, "the score is missing"
    assert visitor.send("answer", sent | {"c0": "61"}).status_code == 303
    (stored,) = service.judgements()
    missing = {"on": "missing", "start": 0, "end": 0, "category": "", "severity": "major", "note": ""}
    assert stored.answer == {"spans": [missing], "none": False, "ratings": {"overall-quality": 61}}
