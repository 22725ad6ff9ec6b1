"""Names that PostgreSQL cannot even be asked for: unknown, and no fault."""

from __future__ import annotations

import sys
from pathlib import Path

import attack
import made
import pytest
from researcher import CHEAP, GOOD, Researcher

from nlgauge.study.store import Store
from nlgauge.web.login import Vault
from nlgauge.web.security import form_token

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
import postgres_server

ODD = ("%00", "a%00b", "%ED%A0%80", "%FF", "x" * 3_000, "%F0%9F%98%80")
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.slow
def test_odd_names_are_unknown(tmp_path: Path) -> None:
    reason = postgres_server.why_not()
    if reason:
        pytest.skip(f"no PostgreSQL for this test: {reason}")
    (tmp_path / "server").mkdir()
    with (
        postgres_server.server(tmp_path / "server") as url,
        attack.opened(tmp_path / "study", Store(url), corrections="allow", **attack.BARE) as site,
    ):
        Vault(site.folder).set_password(GOOD, CHEAP)
        visitor, researcher, browser = site.reading(), Researcher(site.browser), site.browser
        assert researcher.log_in().status_code == 303
        token, link = researcher.token("/study"), visitor.path.rpartition("/")[2]
        for odd in ODD:
            asked = [
                f"/j/{odd}",
                f"/j/{link[:12]}{odd}",
                f"/o/{odd}",
                f"/p/{odd}?PROLIFIC_PID=x",
                f"{site.link('platform')}?PROLIFIC_PID={odd}&SESSION_ID={odd}",
                f"{visitor.path}/change/{odd}",
                f"{visitor.path}/image/{odd}/0",
                f"{visitor.path}/practice/99999999999999999999",
                f"/dashboard/judges/{odd}/forget",
                f"/dashboard/judges?panel={odd}",
                f"/dashboard/setup/{odd}",
                f"/dashboard/links.csv?panel={odd}",
                f"/dashboard/links.txt?panel={odd}",
            ]
            found = {path: browser.get(path).status_code for path in asked}
            for purpose in ("answer", "change", "practice", "language"):
                own = form_token(made.SECRET, link, purpose)
                body = f"token={own}&claim={odd}&change={odd}&answer=0&language={odd}&reason={odd}"
                answer = browser.post(f"{visitor.path}/{purpose}", content=body, headers=FORM)
                found[purpose] = answer.status_code
            for path in (f"/judges/{odd}/forget", "/links", "/login"):
                body = f"token={token}&panel={odd}&count=1&password={odd}"
                found[path] = browser.post(f"/dashboard{path}", content=body, headers=FORM).status_code
            assert not {path: status for path, status in found.items() if status >= 500}, odd
        assert visitor.send("answer", {"answer": "0", "reason": "a\x00b"}).status_code == 303
        assert site.service.judgements()[-1].reason == "a\ufffdb"
