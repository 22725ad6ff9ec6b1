"""Every test has a cache of its own, and no hub."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("HF_HUB_CACHE", "NLGAUGE_DEVICE", "NLGAUGE_EMBEDDINGS", "NLGAUGE_EMBEDDINGS_GB"):
        monkeypatch.delenv(name, raising=False)
