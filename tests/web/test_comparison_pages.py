"""The pages of comparisons without a browser: what they show, what they take, and what they say is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
import yaml
from made import Visitor, heading
from researcher import CHEAP, GOOD, PAGES, Researcher
from starlette.testclient import TestClient

from nlgauge.study.file import study
from nlgauge.study.languages import LANGUAGES
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store
from nlgauge.web.login import Vault

OWN = {
    "id": "odd <id> & name",
    "definition": "The text keeps the tone of an official letter.",
    "question": "Which of <these> texts is more formal?",
}
DESIGNS = {
    "pairwise": {"design": "pairs", "strength": ["a <little>", "far"]},
    "ranking": {"design": {"kind": "bibd", "per_screen": 3}},
    "best-worst": {"design": {"kind": "bibd", "per_screen": 3}},
}
FIELDS = {
    "pairwise": ({"c0": "a-2", "c1": "tie"}, {"c0": "b-1", "c1": "b-2"}),
    "ranking": (
        {"c0-0": "2", "c0-1": "1", "c0-2": "2", "c1-0": "1", "c1-1": "2", "c1-2": "3"},
        {"c0-0": "1", "c0-1": "1", "c0-2": "1", "c1-0": "3", "c1-1": "2", "c1-2": "1"},
    ),
    "best-worst": (
        {"c0-best": "0", "c0-worst": "2", "c1-best": "1", "c1-worst": "0"},
        {"c0-best": "2", "c0-worst": "1", "c1-best": "2", "c1-worst": "0"},
    ),
}
ANSWERS = {
    "pairwise": [{"preference": "a", "strength": 2}, {"preference": "tie", "strength": 0}],
    "ranking": [{"ranks": [2, 1, 2]}, {"ranks": [1, 2, 3]}],
    "best-worst": [{"best": 0, "worst": 2}, {"best": 1, "worst": 0}],
}
TOLD = {
    "pairwise": "Text 1, far; No difference",
    "ranking": "2 1 2; 1 2 3",
    "best-worst": "Best · Text 1, Worst · Text 3; Best · Text 2, Worst · Text 1",
}
EVERY = pytest.mark.parametrize("protocol", DESIGNS)


def launched(folder: Path, protocol: str, **changes: Any) -> Service:
    subjects = {
        f"secret-{name}": {
            "texts": [
                {"text": f"Rain & <wind>, {name} {k}.", "source": f"rain({k})", "image": "p.png"} for k in range(3)
            ]
        }
        for name in "xyz"
    }
    values: dict[str, Any] = {
        "protocol": protocol,
        "title": "Which is better?",
        "subjects": subjects,
        "criteria": ["fluency", OWN],
        "show": ["source", "image"],
        "panels": {"public": {"judges": 3, "evaluations": 3, "access": "links"}},
        "reasons": {"text": "optional", "highlight": "optional"},
        "corrections": "allow",
        "seed": 7,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.png").write_bytes(made.PIXEL)
    text = yaml.safe_dump(values | DESIGNS[protocol] | changes, sort_keys=False)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return launch(study.load(folder), folder, Store.at(folder))


@pytest.fixture
def protocol() -> str:
    return "pairwise"


@pytest.fixture
def service(tmp_path: Path, protocol: str) -> Iterator[Service]:
    found = launched(tmp_path / "study", protocol)
    yield found
    found.store.close()


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> Visitor:
    found = Visitor(browser, made.links(service, "public")[0])
    assert found.send("begin").status_code == 303
    return found


@EVERY
def test_the_page_shows_the_texts_and_nothing_that_tells_whose_they_are(
    visitor: Visitor, service: Service, protocol: str
) -> None:
    page = visitor.get().text
    assert heading(page) == "Comparison 1 of 3"
    assert page.count("Rain &amp; &lt;wind&gt;,") == (2 if protocol == "pairwise" else 3)
    assert page.count("rain(") == 1, "the input stands once above the texts"
    assert "Which of &lt;these&gt; texts" in page
    for number in (0, 1):  # what is meant stands below each question and is tied to it
        assert f'id="c{number}-meaning"' in page and re.search(rf'described(by)="[^"]*c{number}-meaning', page)
    for secret in ("secret", "odd &lt;id&gt;", *(text.id for text in service.frozen.texts)):
        assert secret not in page
    assert re.search(r"<(input|option)[^>]* (checked|selected)", page) is None
    forms = made.Forms(page)
    assert len(forms.ids) == len(set(forms.ids))
    picture = re.search(r'<img src="([^"]+)"', page)
    assert picture and visitor.browser.get(picture[1]).content == made.PIXEL


@EVERY
def test_an_answer_is_stored_and_can_be_changed(visitor: Visitor, service: Service, protocol: str) -> None:
    first, second = FIELDS[protocol]
    last = len(service.frozen.slots[0].texts) - 1
    sent = visitor.send("answer", {**first, "reason": "clear", "mark": f"{last}-0-4"})
    assert sent.status_code == 303
    (stored,) = service.judgements()
    assert list(stored.answer.values()) == ANSWERS[protocol] and list(stored.answer) == ["fluency", OWN["id"]]
    assert (stored.reason, stored.highlights) == ("clear", ((last, 0, 4),))
    assert heading(visitor.get().text) == "Comparison 2 of 3"
    listed = visitor.get("/change").text
    assert TOLD[protocol] in re.sub("[\u2066-\u2069]", "", listed)
    page = visitor.get(f"/change/{stored.id}").text
    kept = len(FIELDS[protocol][0])
    assert len(re.findall(r"<(?:input|option)[^>]* (?:checked|selected)", page)) == kept + 1  # and the word marked
    assert visitor.send("change", second, page).status_code == 303
    before, after = service.judgements()
    assert after.replaces == before.id and after.answer != before.answer


MISTAKES: list[tuple[str, dict[str, str], list[str], str]] = [
    ("pairwise", {}, ["c0-0", "c1-0"], "Please answer this question."),
    ("pairwise", {"c0": "a-1", "c1": "a"}, ["c1-0"], "Please answer this question."),
    ("pairwise", {"c0": "a-3", "c1": "b-1"}, ["c0-0"], "Please answer this question."),
    ("ranking", {"c0-0": "1"}, ["c0-1-1", "c1-0-1"], "Please give every text a rank."),
    ("ranking", {**FIELDS["ranking"][0], "c1-0": "4"}, ["c1-0-1"], "Please give every text a rank."),
    (
        "ranking",
        {**FIELDS["ranking"][0], "c1-0": "2"},
        ["c1-0-1"],
        "Please give rank 1 to at least one text.",
    ),
    (
        "best-worst",
        {"c0-best": "1"},
        ["c0-worst-0", "c1-best-0"],
        "Please choose one text as the best and another as the worst.",
    ),
    (
        "best-worst",
        {**FIELDS["best-worst"][0], "c0-worst": "0"},
        ["c0-worst-0"],
        "The same text cannot be both the best and the worst.",
    ),
]


@pytest.mark.parametrize(("protocol", "fields", "places", "told"), MISTAKES)
def test_mistakes_are_listed_and_what_was_sent_is_kept(
    protocol: str, fields: dict[str, str], places: list[str], told: str, visitor: Visitor, service: Service
) -> None:
    answer = visitor.send("answer", fields)
    assert answer.status_code == 422 and told in answer.text
    assert re.findall(r'<li><a href="#([\w-]+)">', answer.text) == places
    assert set(places) <= set(made.Forms(answer.text).ids)
    assert service.judgements() == []
    assert visitor.send("answer", FIELDS[protocol][0]).status_code == 303


@EVERY
def test_what_cannot_be_judged_can_be_said_and_changed(protocol: str, tmp_path: Path) -> None:
    service = launched(tmp_path / "s", protocol, cannot_judge=True)
    box = "c0" if protocol == "pairwise" else "c0-cannot"
    first = FIELDS[protocol][0]
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert page.count("I cannot judge this") == 2 and {"c0-cannot", "c1-cannot"} <= made.Forms(page).labelled
        assert visitor.send("answer", {box: "cannot_judge"}).status_code == 422
        rest = {name: value for name, value in first.items() if name.startswith("c1")}
        sent = first if protocol == "ranking" else rest  # a rank that was chosen cannot be unchosen without scripts
        assert visitor.send("answer", {**sent, box: "cannot_judge"}).status_code == 303
        (stored,) = service.judgements()
        assert stored.answer == {"fluency": "cannot_judge", OWN["id"]: ANSWERS[protocol][1]}
        assert "I cannot judge this; " in visitor.get("/change").text
        form = visitor.get(f"/change/{stored.id}").text
        assert re.search(r'id="c0-cannot"[^>]*checked', form)
        assert visitor.send("change", first, form).status_code == 303
    assert list(service.judgements()[-1].answer.values()) == ANSWERS[protocol]
    service.store.close()


def test_a_rank_is_given_once_where_there_are_no_ties(tmp_path: Path) -> None:
    service = launched(tmp_path / "s", "ranking", ties=False)
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        sent = visitor.send("answer", FIELDS["ranking"][0])
    assert sent.status_code == 422 and "Please give each rank only once." in sent.text
    service.store.close()


@EVERY
def test_the_form_is_described(browser: TestClient, protocol: str) -> None:
    told = browser.get("/openapi.json").json()["paths"]["/j/{token}/answer"]["post"]
    fields = told["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert set(FIELDS[protocol][0]) <= set(fields["required"])


@EVERY
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(protocol: str, language: str, tmp_path: Path) -> None:
    own = OWN | {"question": {language: "?"}}
    changes = {"strength": [{language: "!"}]} if protocol == "pairwise" else {}
    service = launched(tmp_path / "s", protocol, languages=[language], criteria=["fluency", own], **changes)
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert f'lang="{language}"' in page and "{" not in re.sub(r"<[^>]+>", "", page)
        assert visitor.send("answer", {}).status_code == 422
    service.store.close()


@EVERY
def test_the_dashboard_shows_the_design(service: Service, tmp_path: Path, protocol: str) -> None:
    Vault(tmp_path / "study").set_password(GOOD, CHEAP)
    with made.client(service, tmp_path / "study") as site:
        inside = Researcher(site)
        assert inside.log_in().status_code == 303
        assert "of 3 systems for fluency" in inside.get("/study").text
        assert all(inside.get(page).status_code == 200 for page in PAGES)
