"""Magnitudes and pages in two parts without a browser: what they show, what they take, and what they say is wrong."""

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
from nlgauge.web.language import load
from nlgauge.web.login import Vault

EVERY = pytest.mark.parametrize("protocol", ["magnitude", "rankme"])
FIELDS = {"magnitude": ["c0"], "rankme": ["c0-0", "c0-1", "c0-2"]}
OWN = {"id": "odd <id>", "definition": "Formal in tone.", "question": "How formal is <this> text?"}


def design_of(protocol: str, **changes: Any) -> dict[str, Any]:
    subjects = {
        f"secret-{name}": {"texts": [{"text": f"Rain & <wind>, {name} {k}.", "source": f"rain({k})"} for k in range(3)]}
        for name in "xyz"
    }
    values: dict[str, Any] = {
        "protocol": protocol,
        "title": "How much?",
        "subjects": subjects,
        "criteria": [OWN],
        "standard": {"text": "Some <rain>.", "value": 40},
        "show": ["source"],
        "panels": {"public": {"judges": 3, "evaluations": 3, "access": "links"}},
        "corrections": "allow",
        "seed": 7,
    }
    if protocol == "rankme":
        values["design"] = {"kind": "bibd", "per_screen": 3}
    return values | changes


def launched(folder: Path, protocol: str, **changes: Any) -> Service:
    return begun(folder, design_of(protocol, **changes))


def begun(folder: Path, values: dict[str, Any]) -> Service:
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(values, sort_keys=False)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return launch(study.load(folder), folder, Store.at(folder))


@pytest.fixture
def protocol() -> str:
    return "magnitude"


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


def sent(protocol: str, *numbers: str) -> dict[str, str]:
    return dict(zip(FIELDS[protocol], numbers, strict=False))


@EVERY
def test_the_page_shows_the_standard_with_its_value(visitor: Visitor, service: Service, protocol: str) -> None:
    page = visitor.get().text
    assert heading(page) in ("Text 1 of 3", "Comparison 1 of 3")
    assert "Some &lt;rain&gt;." in page and "it has the value 40" in page
    assert "give 80 for twice as much of what the question asks about, 20 for half as much" in page
    assert page.count("Rain &amp; &lt;wind&gt;,") == (1 if protocol == "magnitude" else 3)
    for secret in ("secret", "odd &lt;id&gt;", *(text.id for text in service.frozen.texts)):
        assert secret not in page
    forms = made.Forms(page)
    assert set(FIELDS[protocol]) <= forms.labelled and len(forms.ids) == len(set(forms.ids))


@EVERY
def test_what_cannot_be_judged_is_no_number(protocol: str, tmp_path: Path) -> None:
    service = launched(tmp_path / "s", protocol, cannot_judge=True)
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        assert visitor.get().text.count("I cannot judge this") == 1
        both = visitor.send("answer", {**sent(protocol, "12", "3", "4"), "c0-cannot": "cannot_judge"})
        assert both.status_code == 422 and "not both" in both.text
        assert set(re.findall(r'<li><a href="#([\w-]+)">', both.text)) <= set(made.Forms(both.text).ids)
        assert visitor.send("answer", {"c0-cannot": "cannot_judge"}).status_code == 303
    assert service.judgements()[0].answer == {OWN["id"]: "cannot_judge"}
    service.store.close()


@EVERY
def test_numbers_are_stored_as_given_and_can_be_changed(visitor: Visitor, service: Service, protocol: str) -> None:
    assert visitor.send("answer", sent(protocol, "12,5", "1e-7", "٢٥٠٠")).status_code == 303
    (stored,) = service.judgements()
    meant = [12.5, 1e-7, 2500]
    assert stored.answer == {OWN["id"]: 12.5 if protocol == "magnitude" else meant}
    page = visitor.get("/change/" + stored.id).text
    assert 'value="12.5"' in page and (protocol == "magnitude" or 'value="1e-07"' in page)
    assert visitor.send("change", sent(protocol, "1.1250", "3", "4"), page).status_code == 303
    assert service.judgements()[1].answer == {OWN["id"]: 1.125 if protocol == "magnitude" else [1.125, 3, 4]}


@EVERY
@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("0", "error_magnitude_positive"),
        ("-2", "error_magnitude_positive"),
        ("good", "error_magnitude"),
        ("1e999", "error_magnitude"),
        ("1,000", "error_magnitude_separators"),
        ("", ""),
    ],
)
def test_what_is_no_number_above_0_is_told(
    visitor: Visitor, service: Service, protocol: str, given: str, key: str
) -> None:
    answer = visitor.send("answer", sent(protocol, "77", given, "5") if protocol == "rankme" else {"c0": given})
    usual = {"magnitude": "error_required", "rankme": "error_magnitudes"}[protocol]
    assert answer.status_code == 422 and load("en").say(key or usual) in answer.text
    (listed,) = re.findall(r'<li><a href="#([\w-]+)">', answer.text)
    assert listed == {"magnitude": "c0", "rankme": "c0-1"}[protocol]
    assert given in answer.text and (protocol == "magnitude" or 'value="77"' in answer.text)
    assert service.judgements() == []


@pytest.mark.parametrize(
    ("protocol", "language"), [("magnitude", "ar"), *(("rankme", language) for language in LANGUAGES)]
)
def test_every_language(protocol: str, language: str, tmp_path: Path) -> None:
    own = OWN | {"question": {language: "?"}}
    service = launched(tmp_path / "s", protocol, languages=[language], criteria=[own])
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert f'lang="{language}"' in page and "{" not in re.sub(r"<[^>]+>", "", page)
        said = visitor.send("answer", sent(protocol, "0", "1", "1"))
        assert said.status_code == 422 and load(language).say("error_magnitude_positive") in said.text
    service.store.close()


@EVERY
def test_the_form_is_described(browser: TestClient, protocol: str) -> None:
    told = browser.get("/openapi.json").json()["paths"]["/j/{token}/answer"]["post"]
    fields = told["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert set(FIELDS[protocol]) <= set(fields["required"])


@EVERY
def test_the_dashboard_shows_the_design(service: Service, tmp_path: Path, protocol: str) -> None:
    Vault(tmp_path / "study").set_password(GOOD, CHEAP)
    with made.client(service, tmp_path / "study") as site:
        inside = Researcher(site)
        assert inside.log_in().status_code == 303
        assert "of 3 systems for odd" in inside.get("/study").text
        assert all(inside.get(page).status_code == 200 for page in PAGES)


def test_a_free_unit_is_explained(tmp_path: Path) -> None:
    for protocol, words in (
        ("magnitude", "any number for the first text"),
        ("rankme", "for one of the texts"),
    ):
        service = launched(tmp_path / protocol, protocol, standard=None)
        with made.client(service, tmp_path / protocol) as browser:
            visitor = Visitor(browser, made.links(service, "public")[0])
            visitor.send("begin")
            page = visitor.get().text
            assert words in page and "it has the value" not in page
        service.store.close()


def test_rankme_asks_a_judge_for_one_criterion(tmp_path: Path) -> None:
    service = launched(tmp_path / "s", "rankme", criteria=["fluency", OWN])
    with made.client(service, tmp_path / "s") as browser:
        for number, (link, here, other) in enumerate(
            zip(made.links(service, "public"), ("c0", "c1"), ("c1", "c0"), strict=False)
        ):
            visitor = Visitor(browser, link)
            visitor.send("begin")
            page = visitor.get().text
            assert f'name="{here}-0"' in page and f'name="{other}-0"' not in page
            fields = {f"{here}-{place}": str(place + 1) for place in range(3)}
            foreign = {f"{other}-{place}": "1" for place in range(3)} | {"part": str(1 - number)}
            assert visitor.send("answer", foreign).status_code == 422, "another judge's question"
            assert visitor.send("answer", fields).status_code == 303
    assert [one.answer for one in service.judgements()] == [{"fluency": [1, 2, 3]}, {OWN["id"]: [1, 2, 3]}]
    service.store.close()


def test_a_first_page_and_a_second(tmp_path: Path) -> None:
    """Nothing of the second page is in the first, and the first answer stays as it is."""
    before = {"id": "guess", "definition": "Likely.", "question": "How likely?", "before": ["source"]}
    own = [one | {"scale": {"points": 3, "labels": ["no", "yes"]}} for one in (before, OWN)]
    values = design_of("likert", criteria=own)
    service = begun(tmp_path / "s", {k: v for k, v in values.items() if k not in ("standard", "corrections")})
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        assert "3 texts" in visitor.get().text, "texts are counted, not their pages"
        visitor.send("begin")
        first = visitor.get().text
        assert heading(first) == "Page 1 of 6" and "How likely?" in first
        assert "rain(" not in first and "How formal" not in first
        assert visitor.send("answer", {}).status_code == 422
        assert visitor.send("answer", {"part": "1", "c1": "2"}).status_code == 422, "the second page's fields"
        assert visitor.send("answer", {"part": "9", "c1": "2"}).status_code == 422
        assert visitor.send("answer", {"c0": "3"}).status_code == 303
        second = visitor.get().text
        assert heading(second) == "Page 2 of 6" and "rain(" in second and "How likely?" not in second
        output = re.findall(r"Rain &amp; &lt;wind&gt;, . .", first)
        assert output == re.findall(r"Rain &amp; &lt;wind&gt;, . .", second)
        again = visitor.send("answer", {"c0": "1"}, first)
        assert again.status_code in (303, 409) and [one.answer for one in service.judgements()] == [{"guess": 3}]
        assert visitor.send("answer", {"c1": "2"}).status_code == 303
    assert [one.answer for one in service.judgements()] == [{"guess": 3}, {OWN["id"]: 2}]
    service.store.close()
