"""A small launched study and its site."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from nlgauge.study.service import Service

sys.path.insert(0, str(Path(__file__).parent))
import made
from researcher import Clock, Researcher, site


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    found = made.launched(tmp_path / "study")
    yield found
    found.store.close()


@pytest.fixture
def browser(service: Service, tmp_path: Path) -> Iterator[TestClient]:
    with made.client(service, tmp_path / "study") as found:
        yield found


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> made.Visitor:
    """Somebody with a personal link."""
    return made.Visitor(browser, made.links(service, "experts")[0])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watched(tmp_path: Path, clock: Clock) -> Iterator[tuple[Service, TestClient]]:
    """A study without consent, questions and practice, whose dashboard has a password."""
    service, browser = site(tmp_path / "study", clock)
    with browser:
        yield service, browser
    service.store.close()


@pytest.fixture
def outside(watched: tuple[Service, TestClient]) -> Researcher:
    return Researcher(watched[1])


@pytest.fixture
def inside(outside: Researcher) -> Researcher:
    assert outside.log_in().status_code == 303
    return outside
