"""Codes and closing words by panel: for who came too late, and on the researcher's page."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import made
import pytest
from made import Visitor
from researcher import Clock, Researcher, answer, first, site

from nlgauge.study.service import Service
from nlgauge.web.language import load

LINKS = {"judges": 2, "access": "links"}


def closed(folder: Path, **changes: Any) -> Visitor:
    """Somebody with an unused personal link of a study that was closed."""
    service = made.launched(folder, **changes)
    service.admin.close()
    return Visitor(made.client(service, folder), made.links(service, "experts")[0])


def test_an_unused_link_of_a_closed_study_shows_the_panels_code(tmp_path: Path) -> None:
    own = {"screened_out_code": "T00-LATE", "screened_out_redirect": "https://example.org/late"}
    visitor = closed(tmp_path / "s", panels={"experts": LINKS | {"completion": own}})
    page = visitor.get()
    assert page.status_code == 410 and load("en").say("closed") in page.text
    assert "T00-LATE" in page.text and page.headers["refresh"].endswith("url=https://example.org/late")


def test_the_studys_code_is_shown_where_the_panel_has_none(tmp_path: Path) -> None:
    visitor = closed(tmp_path / "s", panels={"experts": LINKS}, completion={"screened_out_code": "L8"})
    assert "L8" in visitor.get().text


@pytest.mark.parametrize("completion", [{"code": "C0DE-42"}, {"screened_out_code": "PLATF0RM"}])
def test_nobody_gets_a_code_that_is_not_theirs(tmp_path: Path, completion: dict[str, str]) -> None:
    visitor = closed(tmp_path / "s", completion=completion)  # another panel comes from a platform
    page = visitor.get()
    assert page.status_code == 410 and load("en").say("closed") in page.text
    assert completion.popitem()[1] not in page.text


def test_a_wrong_link_gets_none(tmp_path: Path) -> None:
    visitor = closed(tmp_path / "s", panels={"experts": LINKS}, completion={"screened_out_code": "L8"})
    for wrong in (visitor.path[:-4] + "0000", "/j/" + "0" * 44):
        page = visitor.browser.get(wrong)
        assert page.status_code == 404 and "L8" not in page.text


# ------------------------------------------------------------------------------------------- the researcher's page


def study_page(folder: Path, clock: Clock, **changes: Any) -> str:
    service, browser = site(folder, clock, **changes)
    researcher = Researcher(browser)
    researcher.log_in()
    page = html.unescape(researcher.get("/study").text)
    service.store.close()
    return " ".join(page.split())


def test_the_study_page_says_which_panel_reads_what_at_the_end(tmp_path: Path, clock: Clock) -> None:
    panels = {
        "public": LINKS,
        "experts": LINKS | {"completion": {"text": {"en": "Goodbye, expert.", "ar": "إلى اللقاء"}}},
        "crowd": LINKS,
    }
    page = study_page(tmp_path / "s", clock, panels=panels, completion={"text": {"en": "Bye.", "ar": "سلام"}})
    ends = page.partition("At the end: panels")[2]
    assert ends.startswith(' <span dir="auto">public, crowd</span>')
    common, _, own = ends.partition('At the end: panel <span dir="auto">experts</span>')
    assert "Bye." in common and "Goodbye, expert." in own and "Goodbye" not in common
    page = study_page(tmp_path / "t", clock, panels=panels, completion={"code": "X"})
    assert "the pages' usual words" in page.partition("At the end: panels")[2]


def test_one_text_for_all_is_shown_once(tmp_path: Path, clock: Clock) -> None:
    page = study_page(tmp_path / "s", clock, completion={"text": {"en": "Bye.", "ar": "سلام"}})
    assert page.count("At the end") == 1 and "<h3>At the end</h3>" in page
    assert "At the end" not in study_page(tmp_path / "t", clock)


def test_a_machine_cannot_be_forgotten(inside: Researcher, watched: tuple[Service, Any], clock: Clock) -> None:
    service = watched[0]
    answer(service, clock, "public", 1, first)
    machine = service.machines.enlist("chars", "public")
    shown = service.dealing.step(machine).evaluation
    assert shown is not None
    service.answers.answer(machine, shown.claim, 0)
    page = inside.get(f"/judges/{machine}/forget")
    assert page.status_code == 409 and "is a machine" in page.text and '<form class="stack"' not in page.text
    fields = {"confirm": "yes", "answers": "erase"}
    assert inside.post(f"/judges/{machine}/forget", fields, "/judges").status_code == 409
    assert any(one.judge == machine for one in service.judgements()) and not service.events("forgotten")
