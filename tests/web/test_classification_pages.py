"""Pages of classifications without a browser: classes in every language, what is shown and what is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
import yaml
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.file import study
from nlgauge.study.languages import LANGUAGES, worded
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store


def described(**changes: Any) -> dict[str, Any]:
    texts = [{"text": f"Rain & <wind> {k}.", "truth": ("secret-one", "two")[k % 2]} for k in range(3)]
    return {
        "protocol": "classification",
        "title": "Whose?",
        "question": worded("classification.question"),
        "classes": {
            "secret-one": {"label": "The <Courier>", "description": "Shouts & whispers."},
            "two": {"label": "The Gazette"},
            "three": "Neither",
        },
        "subjects": {"secret-system": {"texts": texts}},
        "panels": {"public": {"judges": 3, "access": "links"}},
        "languages": list(LANGUAGES),
        "corrections": "allow",
        "seed": 7,
    } | changes


def begun(folder: Path, **changes: Any) -> Service:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / study.FILE).write_text(yaml.safe_dump(described(**changes), sort_keys=False), encoding="utf-8")
    return launch(study.load(folder), folder, Store.at(folder))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    found = begun(tmp_path / "study")
    yield found
    found.store.close()


@pytest.fixture
def browser(service: Service, tmp_path: Path) -> Iterator[TestClient]:
    with made.client(service, tmp_path / "study") as found:
        yield found


def test_wordings_are_in_every_language_of_the_pages() -> None:
    for name in ("title", "question", "instructions"):
        assert set(worded(f"classification.{name}")) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_judges_read_instructions_and_the_question_in_their_language(
    service: Service, browser: TestClient, language: str
) -> None:
    visitor = Visitor(browser, made.links(service, "public")[0], **{"accept-language": language})
    assert worded("classification.instructions")[language] in visitor.get().text
    assert visitor.send("begin").status_code == 303
    assert worded("classification.question")[language] in visitor.get().text


def test_a_page_shows_labels_and_descriptions_and_neither_names_nor_the_truth(
    service: Service, browser: TestClient
) -> None:
    visitor = Visitor(browser, made.links(service, "public")[0])
    visitor.send("begin")
    page = visitor.get().text
    assert heading(page) == "Text 1 of 3" and page.count('name="c0"') == 3
    for shown in (
        "The &lt;Courier&gt;",
        "Shouts &amp; whispers.",
        "The Gazette",
        "Neither",
        "Rain &amp; &lt;wind&gt;",
    ):
        assert shown in page
    for secret in ("secret", "truth", *(text.id for text in service.frozen.texts)):
        assert secret not in page
    forms = made.Forms(page)
    assert len(forms.ids) == len(set(forms.ids))


def test_a_class_is_stored_listed_by_its_label_and_changed(service: Service, browser: TestClient) -> None:
    visitor = Visitor(browser, made.links(service, "public")[0])
    visitor.send("begin")
    for wrong in ({}, {"c0": "4"}, {"c0": "two"}):
        assert visitor.send("answer", wrong).status_code == 422
    assert visitor.send("answer", {"c0": "2"}).status_code == 303
    (stored,) = service.judgements()
    assert stored.answer == {"class": 2}
    assert "The Gazette" in visitor.get("/change").text
    page = visitor.get("/change/" + stored.id).text
    assert visitor.send("change", {"c0": "3"}, page).status_code == 303
    assert [one.answer["class"] for one in service.judgements()] == [2, 3]


def test_descriptions_can_be_hidden(tmp_path: Path) -> None:
    service = begun(tmp_path / "s", definitions="hidden")
    with made.client(service, tmp_path / "s") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        assert "Shouts" not in visitor.get().text
    service.store.close()
