"""The files of the packaged models as they were published: SHA-256 by alias, version and file (`known.json`).

`tools/known_models.py` adds those of the packages installed, for a version that is not in the table yet.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Literal

Standing = Literal["known", "unknown", "changed"]


@cache
def table() -> dict[str, dict[str, dict[str, str]]]:
    """Alias -> version -> file -> SHA-256."""
    found: dict[str, dict[str, dict[str, str]]] = json.loads(
        resources.files("nlgauge.models").joinpath("known.json").read_text(encoding="utf-8")
    )
    return found
