"""Somebody at the dashboard of a small study, and judges who answer it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made
from starlette.testclient import TestClient

from nlgauge.study.service import Service
from nlgauge.study.store import Store
from nlgauge.web.login import Cost, Vault

GOOD = "seven small stones"
CHEAP = Cost(n=2, r=8, p=1)
PAGES = ("", "/links", "/judges", "/export", "/study", "/close", "/password")


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Researcher:
    """Somebody at the dashboard, with a browser that keeps cookies."""

    def __init__(self, browser: TestClient) -> None:
        self.browser = browser

    def get(self, path: str = "") -> Any:
        return self.browser.get(f"/dashboard{path}")

    def token(self, path: str) -> str:
        found = re.search(r'name="token" value="([0-9a-f]{64})"', self.get(path).text)
        assert found is not None
        return found.group(1)

    def log_in(self, password: str = GOOD) -> Any:
        return self.post("/login", {"password": password}, "/login")

    def post(self, path: str, fields: dict[str, str] | None = None, page: str = "", **headers: str) -> Any:
        data = {"token": self.token(page)} | (fields or {})
        return self.browser.post(f"/dashboard{path}", data=data, headers=headers)


def site(folder: Path, clock: Clock, base: str = "", **changes: Any) -> tuple[Service, TestClient]:
    service = made.launched(folder, Store.memory(), practice=None, questions=None, consent=None, **changes)
    service.context.clock = clock
    Vault(folder).set_password(GOOD, CHEAP)
    return service, made.client(service, folder, base=base)


def answer(service: Service, clock: Clock, panel: str, judges: int, choice: Callable[[Any], int]) -> None:
    """So many judges come and make all their evaluations, 40 seconds each."""
    for _ in range(judges):
        judge, _ = service.arrivals.register(panel, language="en")
        while (step := service.dealing.step(judge)).kind == "evaluation":
            assert step.evaluation is not None
            clock.now += 40
            service.answers.answer(judge, step.evaluation.claim, choice(step.evaluation))


def first(_: Any) -> int:
    return 0
