"""Small launched studies with made-up texts, the site over them, and a visitor who fills in forms."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml
from starlette.testclient import TestClient

from nlgauge.study.file import study
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store
from nlgauge.web.app import create_app

SECRET = b"0123456789abcdef0123456789abcdef"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def description(**changes: Any) -> dict[str, Any]:
    """A study file with everything a judge can meet; a key set to None is left out."""
    values: dict[str, Any] = {
        "protocol": "triangle",
        "title": "Who wrote it?",
        "goal": "difference",
        "risks": {"alpha": 0.05, "beta": 0.05, "p_d": 0.5},
        "subjects": {
            "A": {"texts": [f"Rain will fall over valley {k}, then the sky clears." for k in range(14)]},
            "B": {"texts": [f"Valley {k}: showers expected; clearing later on." for k in range(14)]},
        },
        "question": {"en": "Which text is by another author?", "ar": "أي نص كتبه مؤلف آخر؟"},
        "instructions": {"en": "Read three texts and choose one.", "ar": "اقرأ ثلاثة نصوص واختر واحدًا."},
        "consent": {"text": {"en": "You may stop at any time.", "ar": "يمكنك التوقف في أي وقت."}},
        "questions": [
            {
                "id": "reads",
                "text": {"en": "Do you read forecasts?", "ar": "هل تقرأ النشرات؟"},
                "options": [{"en": "daily", "ar": "يوميًا"}, {"en": "never", "ar": "أبدًا"}],
                "required": True,
            },
            {"id": "age", "text": {"en": "How old are you?", "ar": "كم عمرك؟"}, "type": "number"},
            {"id": "town", "text": {"en": "Where do you live?", "ar": "أين تعيش؟"}, "type": "text"},
        ],
        "panels": {
            "public": {"judges": 4, "evaluations": 3, "access": "open"},
            "experts": {"judges": 3, "evaluations": 3, "access": "links"},
            "crowd": {"judges": 2, "evaluations": 3, "access": "platform"},
        },
        "practice": {
            "examples": [
                {
                    "texts": ["A dog barked.", "A hound bayed.", "A dog ran."],
                    "odd": 2,
                    "explanation": {"en": "Only one hound.", "ar": "كلب صيد واحد فقط."},
                }
            ]
        },
        "reasons": {"text": "optional", "highlight": "optional"},
        "completion": {"code": "C0DE-42", "failed_code": "N0PE-7"},
        "ethics": {"approval": "none needed", "contact": "study@example.org"},
        "seed": 7,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def launched(folder: Path, store: Store | None = None, **changes: Any) -> Service:
    """A launched study in a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    text = yaml.safe_dump(description(**changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return launch(study.load(folder), folder, store or Store.at(folder))


def client(service: Service, folder: Path, *, base: str = "", **options: Any) -> TestClient:
    """A browser without JavaScript, in the same process."""
    options = {"address": "http://site.test"} | options
    app = create_app(service, folder=folder, secret=SECRET, base=base, **options)
    return TestClient(app, base_url="http://site.test", raise_server_exceptions=False, follow_redirects=False)


class Forms(HTMLParser):
    """The forms of a page: action, method, and what each field would send."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "label" and "for" in given:
            self.labelled.add(given["for"])
        if tag == "form":
            self.forms.append({"action": given.get("action", ""), "method": given["method"], "fields": {}})
        elif tag == "input" and self.forms and "name" in given:
            if given["type"] in ("radio", "checkbox") and "checked" not in given:
                return
            self.forms[-1]["fields"][given["name"]] = given.get("value", "")


class Visitor:
    """Somebody with a link."""

    def __init__(self, browser: TestClient, path: str, **headers: str) -> None:
        self.browser, self.path, self.headers = browser, path, headers

    def get(self, path: str = "") -> Any:
        return self.browser.get(self.path + path, headers=self.headers)

    def hidden(self, purpose: str, page: str | None = None) -> dict[str, str]:
        """The hidden fields of the page's form for a purpose."""
        for form in Forms(self.get().text if page is None else page).forms:
            if form["action"].endswith(f"/{purpose}"):
                return {
                    name: value
                    for name, value in form["fields"].items()
                    if name in ("token", "claim", "change", "part")
                }
        raise AssertionError(f"the page has no form for {purpose}")

    def send(self, purpose: str, fields: Mapping[str, Any] = {}, page: str | None = None) -> Any:
        """Fill in the form of the present page and send it."""
        data = self.hidden(purpose, page) | dict(fields)
        return self.browser.post(f"{self.path}/{purpose}", data=data, headers=self.headers)

    def ready(self) -> None:
        """Through consent, questions and instructions to the first practice triad."""
        assert self.send("consent", {"agree": "yes"}).status_code == 303
        assert self.send("questions", {"q0": "1"}).status_code == 303
        assert self.send("begin").status_code == 303

    def practised(self) -> None:
        """To the first evaluation."""
        self.ready()
        assert self.send("practice", {"answer": "1"}).status_code == 303


def heading(page: str) -> str:
    """The first heading of a page."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    return found.group(1).strip() if found else ""


def links(service: Service, panel: str) -> list[str]:
    """The addresses of a panel."""
    return [link.path for link in service.arrivals.links(panel)]
