"""Pages with gaps: what is filled in is escaped and not looked at again; a page made once equals a page made anew."""

from __future__ import annotations

import re

from markupsafe import Markup
from starlette.testclient import TestClient

from nlgauge.study.service import Service
from nlgauge.web import moulds
from nlgauge.web.moulds import Mould, gap
from nlgauge.web.site import Site


def test_gaps_are_filled_once() -> None:
    mould = Mould(f"<p>{gap('claim')}</p>{gap('section-1')}{gap('claim')}")
    values = {"claim": f"a<b {gap('section-1')}", "section-1": Markup("<b>it</b>")}
    page = mould.fill(values.__getitem__)
    assert page == f"<p>{'a&lt;b ' + str(gap('section-1'))}</p><b>it</b>{'a&lt;b ' + str(gap('section-1'))}"
    assert Mould("no gap").fill(values.__getitem__) == "no gap"


def test_every_page_of_a_judge_is_their_own(service: Service, browser: TestClient) -> None:
    """Two judges take turns through the whole study: each page holds its judge's link and claim, and no gap is left."""
    site: Site = browser.app.state.site  # type: ignore[attr-defined]
    judges = [service.arrivals.register("public") for _ in range(2)]
    seen: dict[str, list[str]] = {token: [] for _, token in judges}
    steps = [
        lambda judge: service.people.consent(judge, True),
        lambda judge: service.people.answer_questions(judge, {"reads": "1"}),
        service.dealing.begin,
        lambda judge: service.answers.answer_practice(judge, 1, 0),
        *[lambda judge: service.answers.answer(judge, _claim(service, judge), 0)] * 3,
        lambda judge: None,
    ]
    for step in steps:
        for judge, token in judges:
            page = browser.get(f"/j/{token}").text
            assert token in page or page.count("<form") == 0
            assert moulds.SIGN not in page
            assert not any(other in page for _, other in judges if other != token)
            site._moulds.clear()
            assert browser.get(f"/j/{token}").text == page
            seen[token].append(page)
            step(judge)
    claims = [re.findall(r'name="claim" value="([^"]+)"', page) for pages in seen.values() for page in pages]
    found = [claim for page in claims for claim in page]
    assert len(found) == len(set(found)) == 8  # one practice and three evaluations each


def _claim(service: Service, judge: str) -> str:
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    return shown.claim
