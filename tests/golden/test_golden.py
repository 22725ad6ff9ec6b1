"""Every command, exported file and page gives what it gave: `tools/golden.py check`, part by part.

Each part runs in a process of its own, because the clock must stand still before the package is imported.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "golden.py"
PARTS = sorted(path.parent.name for path in Path(__file__).parent.glob("*/script.txt"))
NEEDS = {"studies": ("sqlalchemy", "jinja2", "starlette", "uvicorn", "httpx", "markdown_it")}
"""What a part needs beyond a plain install, by the beginning of its name."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_outputs_are_what_they_were(part: str) -> None:
    for name in NEEDS.get(part.partition("-")[0], ()):
        if find_spec(name) is None:
            pytest.skip(f"the golden outputs of {part} need {name}, which is not installed")
    command = [sys.executable, str(TOOL), "check", "--close", "--only", part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
