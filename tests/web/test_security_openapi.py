"""schemathesis over the site's own description: no 5xx, and no answer that the description does not know.

NLGAUGE_EXAMPLES sets how many requests each operation gets (by default a few, for a quick run).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attack
import made
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from researcher import CHEAP, GOOD, Researcher

from nlgauge.web.app import document
from nlgauge.web.login import Vault
from nlgauge.web.security import form_token

schemathesis = pytest.importorskip("schemathesis")
from schemathesis.checks import CHECKS, load_all_checks  # noqa: E402

EXAMPLES = int(os.environ.get("NLGAUGE_EXAMPLES", "4"))
WANTED = ("not_a_server_error", "status_code_conformance", "content_type_conformance")
LAST = ("/dashboard/close", "/dashboard/logout")  # what ends things comes last


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[attack.Site]:
    folder = tmp_path_factory.mktemp("site") / "study"
    folder.mkdir()
    (folder / "p.png").write_bytes(made.PIXEL)
    subjects = {name: {"texts": [{"text": f"{name} wrote {k}", "image": "p.png"} for k in range(9)]} for name in "AB"}
    panels = {
        "experts": {"judges": 40, "evaluations": 3, "access": "links"},
        "public": {"judges": 30, "access": "open"},
        "crowd": {"judges": 30, "access": "platform"},
    }
    with attack.opened(folder, subjects=subjects, panels=panels, corrections="allow") as found:
        Vault(folder).set_password(GOOD, CHEAP)
        yield found


class Knowledge:
    """What somebody with links, pages and a session would fill in."""

    def __init__(self, site: attack.Site) -> None:
        self.site, self.researcher = site, Researcher(site.browser)
        self.visitors = [site.visitor() for _ in range(6)]
        for visitor in self.visitors[1:]:
            visitor.practised()
        for visitor in self.visitors[3:]:
            visitor.send("answer", {"answer": "0", "reason": "because"})
        assert self.researcher.log_in().status_code == 303
        self.token = self.researcher.token("/study")
        self.claims = {visitor.path: self.claim(visitor) for visitor in self.visitors}
        self.judge = site.service.people.judges()[0]["id"]

    def fill(self, data: st.DataObject, path: str, case: Any) -> None:
        """Put what is known into a case, or leave in what was made up."""
        known = data.draw(st.booleans(), "known link")
        visitor = data.draw(st.sampled_from(self.visitors), "visitor")
        given_ = [judgement.id for judgement in self.site.service.judgements()]
        values: dict[str, Any] = {
            "claim": self.claims[visitor.path],
            "judge": self.judge,
            "change": given_[-1],
        }
        if path.startswith("/j/"):
            values["token"] = visitor.path.rpartition("/")[2]
        elif path.startswith(("/o/", "/p/")):
            values["token"] = self.site.link("open" if path[1] == "o" else "platform")[3:]
        if known:
            for name in case.path_parameters or {}:
                if name in values:
                    case.path_parameters[name] = values[name]
        if isinstance(case.body, dict) and data.draw(st.booleans(), "known form"):
            link = (case.path_parameters or {}).get("token", "")
            purpose = "register" if path.startswith("/o/") else path.rpartition("/")[2]
            case.body["token"] = (
                self.token if path.startswith("/dashboard") else form_token(made.SECRET, str(link), purpose)
            )
            case.body |= {name: values[name] for name in ("claim", "change") if name in case.body}
        if path.startswith("/p/") and known:
            case.query = {"PROLIFIC_PID": data.draw(st.text(max_size=8)), "SESSION_ID": data.draw(st.text())}

    def claim(self, visitor: made.Visitor) -> str:
        try:
            return visitor.hidden("answer")["claim"]
        except AssertionError:
            return "c0"


@pytest.mark.slow
def test_no_request_is_a_fault_and_every_answer_is_described(site: attack.Site) -> None:
    load_all_checks()
    checks = [CHECKS.get_one(name) for name in WANTED]
    schema = schemathesis.openapi.from_dict(described(site))
    operations = [result.ok() for result in schema.get_all_operations()]
    operations.sort(key=lambda one: (one.path in LAST, one.path.startswith("/dashboard"), one.path, one.method))
    assert len(operations) > 40
    knowledge = Knowledge(site)
    seen: dict[str, set[int]] = {}
    for operation in operations:
        drive(site, operation, knowledge, checks, seen)
    every = set().union(*seen.values())
    assert {200, 303, 403, 404} <= every and not {code for code in every if code >= 500} - {503}
    assert len(seen) == len(operations)


def drive(site: attack.Site, operation: Any, knowledge: Knowledge, checks: list[Any], seen: Any) -> None:
    """Some requests for one operation."""

    @seed(4)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def driven(data: st.DataObject) -> None:
        case = data.draw(operation.as_strategy(), "case")
        knowledge.fill(data, operation.path, case)
        answer = send(site, case)
        seen.setdefault(operation.label, set()).add(answer.status_code)
        case.validate_response(answer, checks=checks)
        attack.check_headers(answer)

    driven()


def send(site: attack.Site, case: Any) -> Any:
    """A case as a request of our browser, which keeps its cookies and follows nothing."""
    made_ = case.as_transport_kwargs(base_url="http://site.test")
    made_.pop("cookies", None)
    return site.browser.request(**{name: value for name, value in made_.items() if value is not None})


def described(site: attack.Site) -> dict[str, Any]:
    """Every route, the dashboard's too, which the served description leaves out."""
    app: Any = site.browser.app
    fields = app.state.site.pages.fields(site.service.study)
    return document([route for route in app.routes if route.path != "/openapi.json"], "", fields)


def test_the_served_description_names_no_page_of_the_dashboard(site: attack.Site) -> None:
    served = site.browser.get("/openapi.json").json()["paths"]
    assert "/j/{token}/answer" in served and "/health" in served
    assert not [path for path in served if "dashboard" in path]


def test_the_description_covers_every_route(site: attack.Site, tmp_path: Path) -> None:
    from starlette.routing import Route

    every = described(site)["paths"]
    app: Any = site.browser.app
    for route in app.routes:
        assert isinstance(route, Route)
        if route.path == "/openapi.json":
            continue
        path = route.path.replace(":short}", "}")
        for method in set(route.methods or ()) - {"HEAD"}:
            assert method.lower() in every[path], f"{method} {path}"
            assert every[path][method.lower()]["summary"], f"{method} {path}"
