"""docs/studies/triangle.md, followed word for word: from a file of texts to the first page within a minute."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import browsing
import pytest
from browsing import ROOT, go, heading, screenshot, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "studies" / "triangle.md").read_text(encoding="utf-8")
ALLOWED = 60.0  # seconds from the first command to the first page


def commands() -> list[str]:
    """What the page tells to type, in its order, up to the command that serves."""
    blocks = re.findall(r"^```(?:console|text)\n(.*?)^```$", PAGE, re.M | re.S)
    typed = [line for block in blocks for line in re.findall(r"^\$ (nlgauge .*)$", block, re.M)]
    last = next(number for number, line in enumerate(typed) if line.startswith("nlgauge study serve"))
    return typed[: last + 1]


def free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_from_new_to_the_first_page_within_a_minute(browser: Browser, tmp_path: Path) -> None:
    run = [sys.executable, "-m"]
    subprocess.run([*run, "nlgauge", "demo", "-o", "."], cwd=tmp_path, check=True, capture_output=True)
    *before, serve = [shlex.split(line) for line in commands()]
    assert [words[2] for words in before if words[1] == "study"][:2] == ["new", "check"]
    start = time.monotonic()
    for words in before:
        done = subprocess.run([*run, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stderr}"
    if not free(8000):  # something else is running here; the page says what to do then
        serve += ["--port", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*run, *serve], cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        link = next(found[1] for line in process.stdout if (found := re.match(r"link +(http\S+)", line)))
        with visiting(browser) as page:
            page.goto(link)
            title = heading(page)
            taken = time.monotonic() - start
            assert title == "Before you begin"
            screenshot(page, "first-page-of-the-documentation")
            go(page, "button[name=agree][value=yes]")
            assert heading(page) == "What you will do"
    finally:
        process.terminate()
        process.wait(timeout=browsing.PATIENCE_START)
    print(f"{taken:.1f} s from `{shlex.join(before[0])}` to the first page")
    assert taken < ALLOWED
