"""Every page: what it shows, what it keeps, what it refuses, and what it never tells."""

from __future__ import annotations

import html
import re
from pathlib import Path

import made
import pytest
from made import Forms, Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, arrivals
from nlgauge.web.language import load
from nlgauge.web.security import form_token


def site(tmp_path: Path, **changes: object) -> tuple[Service, TestClient, Visitor]:
    service = made.launched(tmp_path / "other", **changes)
    browser = made.client(service, tmp_path / "other")
    return service, browser, Visitor(browser, made.links(service, "experts")[0])


def test_the_title_is_in_the_language_of_the_judge(tmp_path: Path) -> None:
    _, browser, visitor = site(tmp_path, title={"en": "Who wrote it?", "ar": "من كتبه؟"})
    page = visitor.get().text
    assert "· Who wrote it?</title>" in page and "من كتبه" not in page
    page = browser.get("/?lang=ar").text
    assert "· من كتبه؟</title>" in page and "Who wrote it?" not in page


@pytest.mark.parametrize("contact", ["", "studies@example.org"])
def test_consent_says_whom_to_ask_for_erasure(tmp_path: Path, contact: str) -> None:
    _, _, visitor = site(tmp_path, ethics={"contact": contact})
    phrases = load("en")
    said = phrases.say("leave_erase", contact=contact) if contact else phrases.say("leave_erase_ask")
    assert said in visitor.get().text


# ------------------------------------------------------------------------------------------------------- questions


def test_wrong_answers_are_shown_beside_the_field_and_kept(service: Service, visitor: Visitor) -> None:
    visitor.send("consent", {"agree": "yes"})
    sent = visitor.send("questions", {"q1": "old & <b>", "q2": 'in "Lugo"'})
    assert sent.status_code == 422 and not service.people.personal()
    assert "<title>Error: " in sent.text and 'role="alert" tabindex="-1" autofocus' in sent.text
    assert '<a href="#q0-0">' in sent.text and '<a href="#q1">' in sent.text
    assert 'value="old &amp; &lt;b&gt;"' in sent.text and 'value="in &#34;Lugo&#34;"' in sent.text
    assert 'aria-invalid="true" aria-describedby="q1-mistake"' in sent.text


@pytest.mark.parametrize("given", ["nan", "inf", "12 years", "1,2,3"])
def test_a_number_is_a_number(visitor: Visitor, given: str) -> None:
    visitor.send("consent", {"agree": "yes"})
    assert visitor.send("questions", {"q0": "0", "q1": given}).status_code == 422


@pytest.mark.parametrize("fields", [{"q0": "2"}, {"q0": "-1"}, {"q0": "daily"}, {"q0": "0", "q2": "x" * 2001}])
def test_an_answer_outside_the_options_is_refused(visitor: Visitor, fields: dict[str, str]) -> None:
    visitor.send("consent", {"agree": "yes"})
    assert visitor.send("questions", fields).status_code == 422


def test_consent_needs_the_box_where_the_study_has_one(tmp_path: Path) -> None:
    service, _, visitor = site(
        tmp_path,
        consent={"text": "You may stop.", "agree": "I am of age."},
        question="Which?",
        questions=None,
        instructions=None,
    )
    assert visitor.send("consent", {"agree": "yes"}).status_code == 422
    assert visitor.send("consent", {"agree": "maybe", "ticked": "yes"}).status_code == 422
    assert visitor.send("consent", {"agree": "yes", "ticked": "yes"}).status_code == 303
    # no questions and no instructions: still nothing is dealt before the judge says so
    page = visitor.get().text
    assert heading(page) == load("en").say("instructions_title") and load("en").say("instructions_default")[:40] in page
    assert not [event for event in service.events() if event["kind"] == "began"]


def test_who_declines_has_left(service: Service, visitor: Visitor) -> None:
    visitor.send("consent", {"agree": "no"})
    assert heading(visitor.get().text) == load("en").say("withdrawn_title")
    assert service.events("declined")


# ------------------------------------------------------------------------------------------------------ evaluations


def test_three_texts_in_the_same_form(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    cards = re.findall(r'<section class="text".*?</section>', page, re.DOTALL)
    plain = [re.sub(r'<div class="words".*?</div>', "", re.sub(r"\d", "#", card), flags=re.DOTALL) for card in cards]
    assert len(cards) == 3 and len(set(plain)) == 1
    parsed = Forms(page)
    assert {"answer-0", "answer-1", "answer-2", "reason", "language"} <= parsed.labelled
    assert len(parsed.ids) == len(set(parsed.ids))
    assert re.search(r'<progress aria-labelledby="progress-name" value="0" max="3">', page)


def test_nothing_on_a_page_tells_who_wrote_what(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    answer = visitor.get()
    told = answer.text + str(answer.headers)
    for text in service.frozen.texts:
        assert text.id not in told
    for slot in service.slots():
        assert slot.id not in told and slot.role not in told
    assert "subject" not in told and "C0DE" not in told


def test_a_page_is_the_same_each_time(visitor: Visitor) -> None:
    visitor.practised()
    assert visitor.get().text == visitor.get().text
    assert visitor.browser.head(visitor.path).status_code == 200


def test_an_answer_without_a_choice_keeps_what_was_typed(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    marks = re.findall(r'name="mark" value="([\d-]+)"', page)
    sent = visitor.send("answer", {"reason": "\nodd </textarea> tone", "mark": marks[2]})
    assert sent.status_code == 422 and load("en").say("error_choose") in sent.text
    assert "odd &lt;/textarea&gt; tone" in sent.text and f'value="{marks[2]}" checked' in sent.text
    assert not [judgement for judgement in service.judgements() if not judgement.practice]


def test_marks_are_places_in_the_original_text(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    found = re.findall(r'value="([\d-]+)"><span>(.*?)</span>', page)
    chosen = [found[1], found[-1]]
    visitor.send("answer", {"answer": "0", "mark": [value for value, _ in chosen]})
    (judgement,) = [judgement for judgement in service.judgements() if not judgement.practice]
    texts = [service.frozen.text[name].text for name in judgement.texts]
    assert [texts[place][start:end] for place, start, end in judgement.highlights] == [word for _, word in chosen]


@pytest.mark.parametrize("mark", ["0-0", "a-b-c", "3-0-1", "0-5-2", "0-0-99999", "0-0-99999999999", "٠-٠-١"])
def test_marks_outside_the_texts_are_refused(service: Service, visitor: Visitor, mark: str) -> None:
    visitor.practised()
    assert visitor.send("answer", {"answer": "0", "mark": mark}).status_code == 422
    assert not [judgement for judgement in service.judgements() if not judgement.practice]


def test_required_reasons(tmp_path: Path) -> None:
    service, _, visitor = site(tmp_path, reasons={"text": "required", "highlight": "required"})
    visitor.practised()
    sent = visitor.send("answer", {"answer": "0"})
    assert sent.status_code == 422
    assert load("en").say("error_reason") in sent.text and load("en").say("error_highlight") in sent.text
    assert visitor.send("answer", {"answer": "0", "reason": "x" * 20_001, "mark": "0-0-4"}).status_code == 422
    assert visitor.send("answer", {"answer": "0", "reason": "x" * 20_000, "mark": "0-0-4"}).status_code == 303
    assert len([judgement for judgement in service.judgements() if not judgement.practice]) == 1


def test_reasons_that_are_not_asked_are_not_stored(tmp_path: Path) -> None:
    service, _, visitor = site(tmp_path, reasons=None)
    visitor.practised()
    page = visitor.get().text
    assert "reason" not in page and "mark" not in page
    visitor.send("answer", {"answer": "0", "reason": "unasked", "mark": "0-0-4"})
    stored = service.judgements()[-1]
    assert (stored.reason, stored.highlights) == ("", ())


def test_the_same_form_twice_is_stored_once(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    data = visitor.hidden("answer") | {"answer": "1"}
    for _ in range(3):
        assert visitor.browser.post(f"{visitor.path}/answer", data=data).status_code == 303
    late = visitor.browser.post(f"{visitor.path}/answer", data=data | {"answer": "2"})
    assert late.status_code == 409  # the first answer stands, and the page says so
    assert load("en").say("answered") in late.text
    stored = [judgement for judgement in service.judgements() if not judgement.practice]
    assert [judgement.answer for judgement in stored] == [1]


def test_another_judges_evaluation_is_refused(service: Service, browser: TestClient, visitor: Visitor) -> None:
    visitor.practised()
    claim = visitor.hidden("answer")["claim"]
    other = Visitor(browser, made.links(service, "experts")[1])
    other.practised()
    sent = other.send("answer", {"answer": "0", "claim": claim})
    assert sent.status_code == 409 and heading(sent.text) == load("en").say("foreign_title")
    assert f'href="{other.path}"' in sent.text
    for claim in ("nobody", "", "x\x00y", "é", "c" * 300):
        assert other.send("answer", {"answer": "0", "claim": claim}).status_code == 404


def test_practice_out_of_turn(service: Service, visitor: Visitor) -> None:
    visitor.ready()
    assert visitor.send("practice", {}).status_code == 422
    claim = visitor.hidden("practice")
    assert visitor.send("practice", {"answer": "0"}).headers["location"] == f"{visitor.path}/practice/1"
    wrong = visitor.get("/practice/1").text
    assert load("en").say("feedback_wrong", chosen=1, odd=2) in wrong
    again = visitor.browser.post(f"{visitor.path}/practice", data=claim | {"answer": "1"})
    assert again.status_code == 409  # the first answer stands, and the page says so
    assert [judgement.answer for judgement in service.judgements()] == [0]
    assert visitor.get("/practice/7").status_code == 303


def test_without_feedback_there_is_none(tmp_path: Path) -> None:
    example = {"texts": ["One.", "Two!", "Three."], "odd": 2}
    _, _, visitor = site(tmp_path, practice={"examples": [example], "feedback": False})
    visitor.ready()
    assert visitor.send("practice", {"answer": "0"}).headers["location"] == visitor.path
    assert visitor.get("/practice/1").status_code == 303


def test_who_fails_the_practice_gets_the_other_code(tmp_path: Path) -> None:
    example = {"texts": ["One.", "Two!", "Three."], "odd": 2}
    _, browser, visitor = site(
        tmp_path,
        practice={"examples": [example], "required": 1},
        completion={"failed_code": "N0PE", "code": "YES", "failed_redirect": "https://example.org/no"},
        panels={"experts": {"judges": 3, "evaluations": 3, "access": "links"}},
    )
    visitor.ready()
    feedback = browser.get(visitor.send("practice", {"answer": "0"}).headers["location"]).text
    assert load("en").say("practice_over") not in feedback
    page = visitor.get()
    assert heading(page.text) == load("en").say("failed_title")
    assert "N0PE" in page.text and "YES" not in page.text
    assert page.headers["refresh"] == "30; url=https://example.org/no"


# ---------------------------------------------------------------------------------------------- changing, leaving


def test_an_answer_can_be_changed_where_the_study_allows(tmp_path: Path) -> None:
    service, browser, visitor = site(tmp_path, corrections="allow")
    visitor.practised()
    visitor.send("answer", {"answer": "0", "reason": "first thought"})
    page = visitor.get("/change")
    (address,) = re.findall(r'href="([^"]+/change/\w+)"', page.text)
    shown = browser.get(address).text
    assert "first thought" in shown and re.search(r'value="0"[^>]* checked', shown)
    assert visitor.send("change", {"answer": "", "reason": "kept"}, page=shown).status_code == 422
    assert visitor.send("change", {"answer": "2", "reason": "second"}, page=shown).status_code == 303
    again = visitor.send("change", {"answer": "2", "reason": "second"}, page=shown)
    assert again.status_code == 303
    first, second = [judgement for judgement in service.judgements() if not judgement.practice]
    assert (first.answer, second.answer, second.replaces) == (0, 2, first.id)
    assert browser.get(f"{visitor.path}/change/nothing").status_code == 404
    assert [judgement.answer for judgement, _ in service.answers.given(second.judge)] == [2]


def test_no_changes_where_the_study_refuses(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    visitor.send("answer", {"answer": "0"})
    assert "/change" not in visitor.get().text
    assert visitor.get("/change").status_code == 303
    judgement = service.judgements()[-1].id
    assert visitor.get(f"/change/{judgement}").status_code == 303


def test_leaving_asks_first(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    assert "study@example.org" in visitor.get("/leave").text
    assert heading(visitor.get().text) == load("en").say("evaluation_title", number=1, total=3)
    visitor.send("leave", page=visitor.get("/leave").text)
    assert heading(visitor.get().text) == load("en").say("withdrawn_title")
    assert service.events("withdrew")
    claim = visitor.browser.post(f"{visitor.path}/begin", data={"token": "x"})
    assert claim.status_code == 403


# -------------------------------------------------------------------------------------------------------- language


def test_the_browsers_language_first_then_the_judges(service: Service, browser: TestClient) -> None:
    arab = Visitor(browser, made.links(service, "experts")[0], **{"accept-language": "fr, ar;q=0.8"})
    page = arab.get().text
    assert '<html lang="ar" dir="rtl">' in page and load("ar").say("consent_title") in page
    assert arab.send("language", {"language": "en"}).status_code == 303
    assert '<html lang="en" dir="ltr">' in arab.get().text
    refused = arab.send("language", {"language": "xx"})
    assert refused.status_code == 422


def test_a_change_of_language_keeps_the_page(visitor: Visitor) -> None:
    visitor.ready()
    visitor.send("practice", {"answer": "1"})
    page = visitor.get("/practice/1").text
    assert 'name="here" value="/practice/1"' in page
    sent = visitor.send("language", {"language": "ar", "here": "/practice/1"}, page=page)
    assert sent.headers["location"] == f"{visitor.path}/practice/1"
    for here in ("//evil.example", "/../x", "https://evil.example", "/leave\r\nx: y"):
        sent = visitor.send("language", {"language": "ar", "here": here})
        assert sent.headers["location"] == visitor.path


def test_the_open_link_speaks_languages_too(service: Service, browser: TestClient) -> None:
    path = made.links(service, "public")[0]
    page = browser.get(f"{path}?lang=ar").text
    assert '<html lang="ar" dir="rtl">' in page
    form = next(form for form in Forms(page).forms if form["method"] == "post")
    own = browser.post(path, data=form["fields"], headers={"accept-language": "en"}).headers["location"]
    assert '<html lang="ar"' in browser.get(own).text


# --------------------------------------------------------------------------------------------- platforms, and ends


def test_who_does_not_finish_is_shown_the_way_back(tmp_path: Path) -> None:
    """Whoever came from a platform must be able to return to it: declined, full, closed."""
    ends = {"code": "YES", "screened_out_code": "0UT", "screened_out_redirect": "https://example.org/out"}
    panels = {
        "public": {"judges": 1, "access": "open"},
        "experts": {"judges": 1, "access": "links"},
        "crowd": {"judges": 1, "evaluations": 1, "access": "platform"},
    }
    service, browser, _ = site(tmp_path, completion=ends, panels=panels, practice=None, questions=None)
    door = made.links(service, "crowd")[0].partition("?")[0]

    def comes(person: str) -> Visitor:
        return Visitor(browser, browser.get(f"{door}?PROLIFIC_PID={person}").headers["location"])

    declined = comes("a")
    declined.send("consent", {"agree": "no"})
    page = declined.get()
    assert heading(page.text) == load("en").say("withdrawn_title")
    assert "0UT" in page.text and "YES" not in page.text and 'href="https://example.org/out"' in page.text
    assert page.headers["refresh"] == "30; url=https://example.org/out"
    expert = Visitor(browser, made.links(service, "experts")[0])
    expert.send("consent", {"agree": "no"})
    assert "0UT" not in expert.get().text and "refresh" not in expert.get().headers
    person = comes("b")
    person.send("consent", {"agree": "yes"})
    person.send("begin")
    person.send("answer", {"answer": "0"})
    assert "YES" in person.get().text
    late = browser.get(f"{door}?PROLIFIC_PID=c")
    assert (late.status_code, heading(late.text)) == (410, load("en").say("full_title"))
    assert "0UT" in late.text and late.headers["refresh"].endswith("https://example.org/out")
    service.admin.close()
    late = browser.get(f"{door}?PROLIFIC_PID=d")
    assert late.status_code == 410 and "0UT" in late.text
    assert "0UT" not in browser.get(made.links(service, "public")[0]).text


def test_platforms_bring_people(service: Service, browser: TestClient) -> None:
    path = made.links(service, "crowd")[0].partition("?")[0]
    for query in ("", "?PROLIFIC_PID=", "?PROLIFIC_PID={{%PROLIFIC_PID%}}", "?STUDY_ID=7"):
        page = browser.get(path + query)
        assert page.status_code == 400 and heading(page.text) == load("en").say("missing_id_title")
    preview = browser.get(f"{path}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h")
    assert preview.status_code == 200 and heading(preview.text) == load("en").say("preview_title")
    assert not service.people.judges()
    first = browser.get(f"{path}?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x")
    again = browser.get(f"{path}?PROLIFIC_PID=p1&SESSION_ID=y")
    turker = browser.get(f"{path}?workerId=w1&assignmentId=a&hitId=h")
    assert first.status_code == 303 and first.headers["location"] == again.headers["location"]
    assert turker.headers["location"] != first.headers["location"] and len(service.people.judges()) == 2
    assert "p1" not in first.headers["location"]
    assert browser.get(f"{path}?id={'x' * 300}").status_code == 422


def test_an_id_that_is_known_leads_to_nobody_elses_link(service: Service, browser: TestClient) -> None:
    """Ids are no secrets: who comes again needs the cookie of the first visit, or the platform's session."""
    path = made.links(service, "crowd")[0].partition("?")[0]
    own = browser.get(f"{path}?PROLIFIC_PID=p1&SESSION_ID=x").headers["location"]
    plain = browser.get(f"{path}?id=n1").headers["location"]
    cookies = dict(browser.cookies)
    browser.cookies.clear()  # another browser
    for query in ("PROLIFIC_PID=p1", "PROLIFIC_PID=p1&SESSION_ID=y", "PROLIFIC_PID=p1&SESSION_ID=", "id=n1"):
        answer = browser.get(f"{path}?{query}")
        assert answer.status_code == 409 and "location" not in answer.headers
        assert heading(answer.text) == load("en").say("elsewhere_title")
    assert browser.get(f"{path}?PROLIFIC_PID=p1&SESSION_ID=x").headers["location"] == own
    browser.cookies.clear()
    for name, value in cookies.items():
        browser.cookies.set(name, value)
    assert browser.get(f"{path}?id=n1").headers["location"] == plain
    for name, value in cookies.items():  # a cookie is good for its person only
        browser.cookies.set(name, next(other for other in cookies.values() if other != value))
    assert browser.get(f"{path}?id=n1").status_code == 409
    assert len(service.people.judges()) == 2


def test_an_open_link_registers_so_many_people_and_no_more(tmp_path: Path) -> None:
    panels = {"public": {"judges": 2, "access": "open", "registrations": 3}}
    service = made.launched(tmp_path / "study", panels=panels)
    with made.client(service, tmp_path / "study") as browser:
        link = made.links(service, "public")[0]
        token = form_token(made.SECRET, link.rpartition("/")[2], "register")
        sent = [browser.post(link, data={"token": token}).status_code for _ in range(5)]
    assert sent == [303, 303, 303, 410, 410]
    assert len(service.people.judges()) == 3
    service.store.close()


def test_a_platforms_link_registers_so_many_people_and_no_more(tmp_path: Path) -> None:
    panels = {"crowd": {"judges": 2, "access": "platform", "registrations": 3}}
    service = made.launched(tmp_path / "study", panels=panels)
    with made.client(service, tmp_path / "study") as browser:
        path = made.links(service, "crowd")[0].partition("?")[0]
        come = [browser.get(f"{path}?id=x{k}").status_code for k in range(5)]
        known = browser.get(f"{path}?id=x1").status_code
    assert come == [303, 303, 303, 410, 410] and known == 303
    service.store.close()


def test_who_registered_and_did_nothing_keeps_nobody_out_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = {"public": {"judges": 2, "access": "open", "registrations": 2}}
    service = made.launched(tmp_path / "study", panels=panels)
    for _ in range(2):
        service.arrivals.register("public")
    with pytest.raises(Refused, match="as many people"):
        service.arrivals.register("public")
    later = service.context.clock() + 25 * 3600
    monkeypatch.setattr(service.context, "clock", lambda: later)
    service.arrivals.register("public")
    service.store.close()


def test_judges_who_were_added_raise_the_limit_of_registrations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "REGISTRATIONS", 1)
    service = made.launched(tmp_path / "study", panels={"public": {"judges": 1, "access": "open"}})
    for _ in range(20):
        service.arrivals.register("public")
    with pytest.raises(Refused, match="as many people"):
        service.arrivals.register("public")
    service.admin.add_judges("public", 1)
    service.arrivals.register("public")
    service.store.close()


def test_the_link_of_a_judge_who_was_forgotten_is_none_any_more(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    service.people.forget(service.people.judges()[0]["id"])
    for path in ("", "/leave", "/change", "/practice/0"):
        assert visitor.browser.get(visitor.path + path).status_code == 404
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 410


def test_a_change_of_language_keeps_who_came(service: Service, browser: TestClient) -> None:
    """On a page before registration, which has no address of the judge's own."""
    path = made.links(service, "crowd")[0].partition("?")[0]
    service.admin.pause()
    page = browser.get(f'{path}?PROLIFIC_PID=p"1&SESSION_ID=<x>&lang=en').text
    form = next(form for form in Forms(page).forms if form["method"] == "get")
    assert form["fields"] == {"PROLIFIC_PID": 'p"1', "SESSION_ID": "<x>"}
    assert "<x>" not in page
    service.admin.resume()
    own = browser.get(path, params=form["fields"] | {"lang": "ar"}).headers["location"]
    assert '<html lang="ar"' in browser.get(own).text
    again = browser.get(path, params={"PROLIFIC_PID": 'p"1'}).headers["location"]
    assert again == own and len(service.people.judges()) == 1


def test_the_end_with_code_and_way_back(tmp_path: Path) -> None:
    _, _, visitor = site(
        tmp_path,
        completion={
            "code": "A&B",
            "redirect": "https://example.org/?cc=A&x=1",
            "text": {"en": "Bye.", "ar": "."},
        },
        panels={"experts": {"judges": 3, "evaluations": 3, "access": "links"}},
    )
    visitor.practised()
    for _ in range(3):
        visitor.send("answer", {"answer": "0"})
    page = visitor.get()
    assert "Bye." in page.text and "A&amp;B" in page.text
    assert 'href="https://example.org/?cc=A&amp;x=1"' in page.text
    assert page.headers["refresh"] == "30; url=https://example.org/?cc=A&x=1"


def test_paused_full_and_closed_say_so(service: Service, browser: TestClient, visitor: Visitor) -> None:
    visitor.practised()
    late = Visitor(browser, made.links(service, "experts")[1])
    late.practised()
    service.admin.pause()
    late.send("answer", {"answer": "0"}) if "/answer" in late.get().text else None
    assert heading(late.get().text) == load("en").say("paused_title")
    service.admin.resume()
    path = made.links(service, "public")[0]
    form = next(form for form in Forms(browser.get(path).text).forms if form["method"] == "post")
    service.admin.close()
    assert heading(visitor.get().text) == load("en").say("closed_title")
    fresh = browser.get(made.links(service, "experts")[2])
    assert fresh.status_code == 410 and heading(fresh.text) == load("en").say("closed_title")
    assert browser.get(path).status_code == 410  # said at once
    assert browser.post(path, data=form["fields"]).status_code == 410


def test_a_paused_study_turns_new_judges_away_at_the_door(service: Service, browser: TestClient) -> None:
    path = made.links(service, "public")[0]
    fields = next(form for form in Forms(browser.get(path).text).forms if form["method"] == "post")["fields"]
    begun = Visitor(browser, made.links(service, "experts")[0])
    begun.get()  # has seen the consent page
    busy = Visitor(browser, made.links(service, "experts")[1])
    busy.practised()
    assert "/answer" in busy.get().text
    service.admin.pause()
    crowd = made.links(service, "crowd")[0].partition("?")[0] + "?PROLIFIC_PID=somebody"
    before, title = len(service.people.judges()), load("en").say("paused_title")
    for page in (
        browser.get(made.links(service, "experts")[2]),  # a personal link, never followed
        browser.get(path),
        browser.post(path, data=fields),
        browser.get(crowd),
    ):
        assert (page.status_code, heading(page.text)) == (503, title)
    assert heading(begun.get().text) == title
    assert len(service.people.judges()) == before  # nobody is counted who could do nothing
    answers = len(service.judgements())
    busy.send("answer", {"answer": "0"})
    assert len(service.judgements()) == answers + 1
    assert heading(busy.get().text) == title
    service.admin.resume()
    assert heading(begun.get().text) != title and browser.get(path).status_code == 200


def test_full(tmp_path: Path) -> None:
    service, browser, _ = site(
        tmp_path,
        panels={"public": {"judges": 1, "access": "open"}, "experts": {"judges": 1}},
    )
    path = made.links(service, "public")[0]
    fields = next(form for form in Forms(browser.get(path).text).forms if form["method"] == "post")["fields"]
    own = Visitor(browser, browser.post(path, data=fields).headers["location"])
    own.practised()
    own.get()
    turned_away = browser.post(path, data=fields)
    assert turned_away.status_code == 410 and heading(turned_away.text) == load("en").say("full_title")


def test_simulated_studies_take_no_people(tmp_path: Path) -> None:
    from nlgauge.study.service import opened
    from nlgauge.study.store import Store

    made.launched(tmp_path / "s").store.close()
    rehearsed = opened(tmp_path / "s", Store.at(tmp_path / "s"), simulated=True)
    rehearsed.arrivals.register("public")
    live = opened(tmp_path / "s", Store.at(tmp_path / "s"))
    page = made.client(live, tmp_path / "s").get(made.links(live, "experts")[0])
    assert page.status_code == 409 and heading(page.text) == load("en").say("simulated_title")


# ----------------------------------------------------------------------------------------------- contexts, pictures


def test_contexts_are_shown_once_where_they_are_the_same(tmp_path: Path) -> None:
    same = {
        letter: {"texts": [{"text": f"{letter}{k} says rain.", "context": "The same sky."} for k in range(9)]}
        for letter in "AB"
    }
    _, _, visitor = site(tmp_path, subjects=same, context={"en": "Read well.", "ar": "اقرأ."})
    visitor.practised()
    page = visitor.get().text
    assert page.count("The same sky.") == 1 and page.count("Read well.") == 1


def test_pictures_by_place(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "human-1.png").write_bytes(made.PIXEL)
    pictured = {
        letter: {
            "texts": [
                {"text": f"{letter}{k} says rain.", "image": "human-1.png", "caption": f"Map {k}"} for k in range(9)
            ]
        }
        for letter in "AB"
    }
    service, browser, visitor = site(tmp_path, subjects=pictured)
    visitor.practised()
    page = visitor.get().text
    sources = re.findall(r'<img src="([^"]+)" alt="Map \d"', page)
    assert len(sources) == 3 and "human" not in page and ".png" not in page
    answers = [browser.get(source) for source in sources]
    assert {answer.headers["content-type"] for answer in answers} == {"image/png"}
    assert len({str(sorted(answer.headers.items())) for answer in answers}) == 1
    assert all(answer.headers["x-content-type-options"] == "nosniff" for answer in answers)
    stem = sources[0].rpartition("/")[0]
    for other in (
        f"{stem}/3",
        f"{stem}/-1",
        f"{stem}/x",
        f"{stem}/..%2f..%2fstudy.yaml",
        f"{visitor.path}/image/c0/0",
    ):
        assert browser.get(other).status_code == 404
    stranger = made.links(service, "experts")[1]
    assert browser.get(sources[0].replace(visitor.path, stranger)).status_code == 404
    outside = tmp_path / "secret.png"
    outside.write_bytes(made.PIXEL)
    (folder / "human-1.png").unlink()
    (folder / "human-1.png").symlink_to(outside)
    assert browser.get(sources[0]).status_code == 404
    (folder / "human-1.png").unlink()
    (folder / "human-1.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
    assert browser.get(sources[0]).status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "'; DROP TABLE judges; --",
        "👩‍🚀 over the moon",
        "\u202eevil\u202c",
        "a\n\n  b {{ 7*7 }}",
    ],
)
def test_texts_are_shown_as_text(tmp_path: Path, text: str) -> None:
    odd = {letter: {"texts": [f"{letter}{k} {text}" for k in range(9)]} for letter in "AB"}
    service, _, visitor = site(tmp_path, subjects=odd)
    visitor.practised()
    page = visitor.get().text
    shown = [html.unescape(found) for found in re.findall(r'<div class="words"[^>]*>(.*?)</div>', page, re.DOTALL)]
    known = {found.text for found in service.frozen.texts}
    assert len(shown) == 3 and set(shown) <= known
    assert page.count("<script") == 1  # the site's own
    word = re.findall(r'name="mark" value="(\d-\d+-\d+)"><span>', page)[-1]
    assert visitor.send("answer", {"answer": "0", "mark": word}).status_code == 303
    stored = service.judgements()[-1]
    ((place, start, end),) = stored.highlights
    assert service.frozen.text[stored.texts[place]].text[start:end] == text.rsplit(maxsplit=1)[-1]
