"""The rating page without a browser: what it shows, what it takes, and what it says is wrong."""

from __future__ import annotations

import json
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

from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.file import study as design
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.service import Service, launch
from nlgauge.study.statements.build import statement_of
from nlgauge.study.store import Store
from nlgauge.web.login import Vault

OWN = {
    "id": "odd <id> & name",
    "definition": "The text keeps the tone of an official letter.",
    "question": "How formal is <this> text?",
    "scale": {"points": 3, "low": 0, "labels": ["not at all", "completely"]},
}


def launched(folder: Path, **changes: Any) -> Service:
    texts = [
        {
            "text": f"Rain & <wind> in valley {k}.",
            "source": f"rain({k})",
            "history": ["Hi.", "Yes?"],
            "image": "p.png",
        }
        for k in range(3)
    ]
    values: dict[str, Any] = {
        "protocol": "likert",
        "title": "How good?",
        "subjects": {"secret-a": {"texts": texts}, "secret-b": {"texts": texts}},
        "criteria": ["fluency", OWN],
        "show": ["source", "history", "image"],
        "design": "crossed",
        "panels": {"public": {"judges": 2, "access": "links"}},
        "reasons": {"text": "required", "highlight": "optional"},
        "corrections": "allow",
        "seed": 7,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "p.png").write_bytes(made.PIXEL)
    given = {name: value for name, value in (values | changes).items() if value is not None}
    (folder / design.FILE).write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
    return launch(design.load(folder), folder, Store.at(folder))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    found = launched(tmp_path / "study")
    yield found
    found.store.close()


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> Visitor:
    found = Visitor(browser, made.links(service, "public")[0])
    assert found.send("begin").status_code == 303
    return found


def test_the_page_shows_the_text_and_nothing_that_tells_whose_it_is(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    assert heading(page) == "Text 1 of 6"
    assert "Rain &amp; &lt;wind&gt; in valley" in page and "rain(" in page and "Yes?" in page
    assert "How formal is &lt;this&gt; text?" in page
    assert explained(page)["c1"] == OWN["definition"]
    for secret in ("secret", "odd &lt;id&gt;", *(text.id for text in service.frozen.texts)):
        assert secret not in page
    assert re.search(r'<input type="radio"[^>]*checked', page) is None
    forms = made.Forms(page)
    controls = {name for name in forms.ids if re.fullmatch(r"c\d-\d", name)}
    assert controls == {f"c0-{k}" for k in range(5)} | {f"c1-{k}" for k in range(3)}
    assert controls <= forms.labelled and len(forms.ids) == len(set(forms.ids))
    picture = re.search(r'<img src="([^"]+)"', page)
    assert picture and visitor.browser.get(picture[1]).content == made.PIXEL


def explained(page: str) -> dict[str, str]:
    """What stands below each question and is tied to it, by the question's field."""
    found = dict(re.findall(r'<p class="meaning" id="(c\d)-meaning"[^>]*>([^<]+)</p>', page))
    assert all(re.search(rf'aria-describedby="[^"]*\b{name}-meaning\b', page) for name in found)
    return found


@pytest.mark.parametrize("protocol", ["likert", "continuous"])
def test_definitions_stand_below_their_questions(protocol: str, tmp_path: Path) -> None:
    own = OWN | {
        "question": {"en": "How formal?", "de": "Wie förmlich?"},
        "definition": {"en": "An official letter's tone.", "de": "Der Ton eines Amtsbriefs."},
        "scale": {"low": 0, "high": 4, "labels": ["no", "yes"]} | ({"points": 3} if protocol == "likert" else {}),
    }
    changes = {"protocol": protocol, "criteria": ["fluency", own], "languages": ["en", "de"]}
    for definitions, folder in (("shown", tmp_path / "a"), ("hidden", tmp_path / "b")):
        service = launched(folder, definitions=definitions, **changes)
        with made.client(service, folder) as browser:
            visitor = Visitor(browser, made.links(service, "public")[0])
            visitor.send("begin")
            read = [explained(visitor.get().text)]
            visitor.send("language", {"language": "de"})
            read.append(explained(visitor.send("answer", {}).text))  # and with what lacks
        service.store.close()
        row = statement_of(service.frozen)["definitions_read"]
        if definitions == "hidden":
            assert read == [{}, {}] and row.text.startswith("none")
            continue
        assert [one["c1"] for one in read] == ["An official letter&#39;s tone.", "Der Ton eines Amtsbriefs."]
        assert read[0]["c0"].startswith("The text is correct") and read[1]["c0"].startswith("Der Text ist")
        assert row.text == "all, beside the questions"


def test_the_statement_tells_how_outputs_were_shown(tmp_path: Path) -> None:
    for render in ("plain", "markdown"):
        service = launched(tmp_path / render, render=render, reasons={})
        service.store.close()
        told = [one.text for one in statement_of(service.frozen) if one.key == "rendering"]
        assert told == (["outputs were shown as Markdown"] if render == "markdown" else [])


def test_a_study_launched_before_definitions_were_shown_goes_on_without(service: Service) -> None:
    """What a launch fixed is what judges read: where it does not say that they read a definition, there is none."""
    values = service.frozen.to_dict()
    study = json.loads(json.dumps(values["study"]))
    for one in study["asked"]:
        del one["explained"]
    del study["definitions"]
    read = rating_study(design.Study.from_dict(study))
    assert not any(read.explanation(one) for one in read.questions_asked)
    assert all(one.definition for one in read.questions_asked)


def test_an_input_written_as_a_table_is_shown_as_one(tmp_path: Path) -> None:
    """In every study where all of them are; the file can say otherwise."""
    texts = [{"text": f"Rain {k}.", "source": f"name[Eagle {k}], food[<French>]"} for k in range(2)]
    other = [texts[0], texts[1] | {"source": "Rain [expected] in the north."}]
    text = [{"what": "source", "layout": "text"}]
    for number, (listed, show, tabular) in enumerate(
        ((texts, ["source"], True), (other, ["source"], False), (texts, text, False))
    ):
        folder = tmp_path / str(number)
        subjects = {"a": {"texts": listed}, "b": {"texts": listed}}
        service = launched(folder, subjects=subjects, show=show)
        with made.client(service, folder) as browser:
            visitor = Visitor(browser, made.links(service, "public")[0])
            visitor.send("begin")
            page = visitor.get().text
        service.store.close()
        assert ('<td dir="auto">&lt;French&gt;</td>' in page and ">Data</h2>" in page) == tabular
        assert (">Input</h2>" in page) != tabular


def test_an_answer_is_stored_as_given(visitor: Visitor, service: Service) -> None:
    sent = visitor.send("answer", {"c0": "4", "c1": "0", "reason": "clear", "mark": "0-0-4"})
    assert sent.status_code == 303
    (stored,) = service.judgements()
    assert stored.answer == {"fluency": 4, OWN["id"]: 0}
    assert (stored.reason, stored.highlights) == ("clear", ((0, 0, 4),))
    assert heading(visitor.get().text) == "Text 2 of 6"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, 3),
        ({"c0": "4"}, 2),
        ({"c0": "4", "c1": "2"}, 1),  # the reason is required
        ({"c0": "6", "c1": "2", "reason": "x"}, 1),
        ({"c0": "1.5", "c1": "nan", "reason": "x"}, 2),
        ({"c0": "x" * 500, "c1": "1e999", "reason": "x"}, 2),
    ],
)
def test_mistakes_are_listed_and_what_was_sent_is_kept(
    fields: dict[str, str], told: int, visitor: Visitor, service: Service
) -> None:
    answer = visitor.send("answer", fields)
    assert answer.status_code == 422
    listed = re.findall(r'<li><a href="#([\w-]+)">', answer.text)
    assert len(listed) == told and set(listed) <= set(made.Forms(answer.text).ids)
    if fields.get("c0") == "4":
        assert re.search(r'id="c0-3"[^>]*checked', answer.text)
    assert service.judgements() == []


def test_a_changed_answer_and_the_list_of_answers(visitor: Visitor, service: Service) -> None:
    visitor.send("answer", {"c0": "4", "c1": "0", "reason": "clear"})
    page = visitor.get("/change").text
    assert "4, 0" in page
    name = service.judgements()[0].id
    form = visitor.get(f"/change/{name}").text
    assert re.search(r'id="c0-3"[^>]*checked', form) and "clear" in form
    assert visitor.send("change", {"c0": "2", "c1": "1", "reason": "no"}, form).status_code == 303
    assert service.judgements()[-1].answer == {"fluency": 2, OWN["id"]: 1}


def test_the_form_is_described(browser: TestClient) -> None:
    told = browser.get("/openapi.json").json()["paths"]["/j/{token}/answer"]["post"]
    fields = told["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert fields["properties"]["c0"]["enum"] == ["1", "2", "3", "4", "5"]
    assert {"c0", "c1", "claim", "token"} <= set(fields["required"]) and "answer" not in fields["properties"]


def test_an_untouched_slider_is_no_answer(tmp_path: Path) -> None:
    show = {"show": ["source"], "reasons": {}, "protocol": "continuous", "criteria": ["fluency"]}
    service = launched(tmp_path / "slider", **show, practice=1)
    with made.client(service, tmp_path / "slider") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert re.search(r'<input type="range"[^>]*>', page) and 'type="range" name' not in page
        assert visitor.send("practice", {"c0": ""}).status_code == 422
        assert visitor.send("practice", {"c0": "100,0"}).status_code == 303
        assert visitor.send("answer", {"c0": "41"}).status_code == 303
    assert [(one.answer, one.practice) for one in service.judgements()] == [
        ({"fluency": 100}, True),
        ({"fluency": 41}, False),
    ]
    service.store.close()


@pytest.mark.parametrize("protocol", ["likert", "continuous"])
def test_what_cannot_be_judged_can_be_said_and_changed(protocol: str, tmp_path: Path) -> None:
    own = {key: value for key, value in OWN.items() if key != "scale" or protocol == "likert"}
    criteria = [{"id": "fluency", "cannot_judge": True}, own]
    service = launched(tmp_path / "s", protocol=protocol, reasons={}, criteria=criteria)
    box = "c0" if protocol == "likert" else "c0-cannot"
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert page.count("I cannot judge this") == 1 and "c0-cannot" in made.Forms(page).labelled
        assert ("cannot.js" in page) and page.count('value="cannot_judge"') == 1
        assert visitor.send("answer", {"c0": "", "c1": "cannot_judge"}).status_code == 422
        if protocol == "continuous":
            both = visitor.send("answer", {box: "cannot_judge", "c0": "3", "c1": "1"})
            assert both.status_code == 422 and "not both" in both.text
        assert visitor.send("answer", {box: "cannot_judge", "c1": "1"}).status_code == 303
        (stored,) = service.judgements()
        assert stored.answer == {"fluency": "cannot_judge", OWN["id"]: 1}
        assert "I cannot judge this, 1" in visitor.get("/change").text
        form = visitor.get(f"/change/{stored.id}").text
        assert re.search(r'id="c0-cannot"[^>]*checked', form)
        assert visitor.send("change", {"c0": "2", "c1": "1"}, form).status_code == 303
        told = browser.get("/openapi.json").json()["paths"]["/j/{token}/answer"]["post"]
        fields = told["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
        assert "cannot_judge" in fields["properties"][box]["enum"]
        assert ("c0" in fields["required"]) == (protocol == "likert")
    assert service.judgements()[-1].answer == {"fluency": 2, OWN["id"]: 1}
    service.store.close()


def test_judges_meet_the_criteria_in_orders_of_their_own_on_every_page(tmp_path: Path) -> None:
    panels = {"public": {"judges": 8, "access": "links"}}
    service = launched(tmp_path / "s", reasons={}, criteria_order="random", panels=panels)
    study, seen = rating_study(service.study), set()
    with made.client(service, tmp_path / "s") as browser:
        for link in made.links(service, "public"):
            visitor = Visitor(browser, link)
            visitor.send("begin")
            orders = set()
            for _ in range(2):
                orders.add(tuple(dict.fromkeys(re.findall(r'name="(c\d)"', visitor.get().text))))
                assert visitor.send("answer", {"c0": "4", "c1": "0"}).status_code == 303
            (order,) = orders
            seen.add(order)
            last = service.judgements()[-1]
            assert last.answer == {
                "fluency": 4,
                OWN["id"]: 0,
            }  # a field is its question's, wherever it stands
            assert order == tuple(f"c{number}" for number in study.order(last.judge, last.slot, 0))
    assert seen == {("c0", "c1"), ("c1", "c0")}
    service.store.close()


def test_the_dashboard_shows_the_design(service: Service, tmp_path: Path) -> None:
    Vault(tmp_path / "study").set_password(GOOD, CHEAP)
    with made.client(service, tmp_path / "study") as site:
        inside = Researcher(site)
        assert inside.log_in().status_code == 303
        for page, words in (("", "planned answers"), ("/study", "likert ratings of 2 systems")):
            found = inside.get(page)
            assert found.status_code == 200 and words in found.text
        assert all(inside.get(page).status_code == 200 for page in PAGES)


def test_what_only_experts_see(tmp_path: Path) -> None:
    panels = {"readers": {"judges": 1}, "experts": {"judges": 1, "show": ["source", "history"]}}
    service = launched(tmp_path / "panels", panels=panels, show=["history"], design="crossed")
    with made.client(service, tmp_path / "panels") as browser:
        for panel, sees in (("readers", False), ("experts", True)):
            visitor = Visitor(browser, made.links(service, panel)[0])
            visitor.send("begin")
            page = visitor.get().text
            assert ("rain(" in page) == sees and "Yes?" in page
            again = visitor.send("answer", {}).text  # what is shown again is the same
            assert ("rain(" in again) == sees and "Yes?" in again
    service.store.close()


def test_words_are_marked_whatever_another_judge_saw_first(tmp_path: Path) -> None:
    """Where an output is empty there is nothing to mark; the page of a text with words is another."""
    folder = tmp_path / "empty"
    folder.mkdir()
    rows = [("1", "a", ""), ("2", "a", ""), ("1", "b", "Rain."), ("2", "b", "Wind.")]
    keys = ("item", "system", "hypothesis")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in rows]
    (folder / "set.jsonl").write_text("\n".join(lines), encoding="utf-8")
    changes = {"subjects": None, "data": "set.jsonl", "show": [], "panels": {"public": {"judges": 4}}}
    service = launched(folder, **changes, design={"kind": "latin", "items_per_judge": 1})
    with made.client(service, folder) as browser:
        found = set()
        for link in made.links(service, "public"):
            visitor = Visitor(browser, link)
            visitor.send("begin")
            answer = visitor.get()
            assert answer.status_code == 200
            page = answer.text
            words = any(word in page for word in ("Rain.", "Wind."))
            assert ('name="mark"' in page) == words
            found.add(words)
    assert found == {True, False}
    service.store.close()


@pytest.mark.parametrize(
    ("show", "who", "question", "lacks"),
    [
        ("source", None, "of the source", ""),
        ("source", "bilingual", "of the source", ""),
        ("source", "monolingual", "of the reference", "reference"),
        ("reference", None, "of the reference", ""),
        ("reference", "monolingual", "of the reference", ""),
        ("reference", "bilingual", "of the source", "source"),
    ],
)
def test_adequacy_asks_for_what_is_shown_in_the_words_of_the_boxes(
    tmp_path: Path, show: str, who: str | None, question: str, lacks: str
) -> None:
    texts = [{"text": f"Regen {k}.", "source": f"Pluie {k}.", "reference": [f"Es regnet {k}."]} for k in range(3)]
    panel = {"judges": 2, "access": "links"} | ({"who": who} if who else {})
    service = launched(
        tmp_path / "s",
        subjects={"secret-a": {"texts": texts}, "secret-b": {"texts": texts}},
        criteria=["adequacy"],
        show=[show],
        panels={"public": panel},
    )
    visitor = Visitor(made.client(service, tmp_path / "s"), made.links(service, "public")[0])
    visitor.send("begin")
    page = visitor.get().text
    assert question in service.study.questions_asked[0].question["en"] and question in page
    assert f">{show.capitalize()}</h2>" in page and ">The translation to be judged</h2>" in page
    assert "a person" not in page and "hypothesis" not in page
    said = [one.message for one in check(tmp_path / "s", simulate=False)[0] if "judges do not see" in one.message]
    assert [f"the {lacks}," in one for one in said] == [True] * bool(lacks)
    service.store.close()


def test_outputs_are_rendered_as_the_study_says(tmp_path: Path) -> None:
    texts = [{"text": f"**Rain** {k}\n\n- <b>wind</b>", "source": "**as written**"} for k in range(3)]
    subjects = {"secret-a": {"texts": texts}, "secret-b": {"texts": texts}}
    plain = {"subjects": subjects, "show": ["source"], "reasons": {}}
    for how, wanted in (
        ("markdown", "<strong>Rain</strong>"),
        ("code", "<pre><code>**Rain**"),
        ("plain", ">**Rain**"),
    ):
        service = launched(tmp_path / how, render=how, **plain)
        visitor = Visitor(made.client(service, tmp_path / how), made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert wanted in page and "<b>wind" not in page and "**as written**" in page
        service.store.close()
    with pytest.raises(InputError, match="words are marked in it as it is written"):
        launched(tmp_path / "marked", render="markdown", subjects=subjects, show=["source"])
