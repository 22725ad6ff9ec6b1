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
