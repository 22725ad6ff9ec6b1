"""A clock, and an empty store of each kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlgauge.study.store import Store
from nlgauge.study.store.tables import metadata

sys.path.insert(0, str(Path(__file__).parent))
import postgres_server
from studies import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    reason = postgres_server.why_not()
    if reason:
        pytest.skip(f"no PostgreSQL for this test: {reason}")
    with postgres_server.server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "sqlite":
        made = Store(f"sqlite:///{tmp_path / 'study.sqlite'}")
    else:
        made = Store(request.getfixturevalue("postgres_url"))
        with made.write() as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())
    yield made
    made.close()
