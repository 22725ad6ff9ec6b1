"""tools/system.py: what it would type where programs are missing, with programs that only note what they were asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "system.py"
NOTE = '#!/bin/sh\necho "$(basename "$0") $*" >> "$(dirname "$0")/notes"\n'


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A path with nothing on it but the tools that install, which do nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("basename", "dirname", "sh"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    return folder


def add(folder: Path, name: str, status: int = 0) -> None:
    (folder / name).write_text(f"{NOTE}exit {status}\n")
    (folder / name).chmod(0o755)


def run(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the tool with root's rights pretended and no browser; what it said, and what it typed."""
    code = (
        "import os, runpy, sys; os.geteuid = lambda: 0; sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    environment = {"PATH": str(folder), "NLGAUGE_AXE": str(folder / "absent.js")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(TOOL), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    notes = folder / "notes"
    return done, notes.read_text().splitlines() if notes.exists() else []


def test_missing_programs_are_installed_without_recommended_ones(programs: Path) -> None:
    add(programs, "apt-get")
    add(programs, "npm")
    done, typed = run(programs)
    assert done.returncode == 0
    assert typed[0].startswith("apt-get install --yes --quiet --no-install-recommends chromium")
    assert typed[-1].startswith("npm install") and typed[-1].endswith("axe-core@4.14.0")
    assert "Chromium is missing: tests of judges' pages in a real browser will be skipped" in done.stderr


def test_an_old_list_of_packages_is_fetched_once(programs: Path) -> None:
    add(programs, "apt-get", status=100)
    done, typed = run(programs)
    assert done.returncode == 0 and [line.split()[1] for line in typed] == ["install", "update"]
    assert " npm" in typed[0]  # which axe-core comes by


def test_without_the_right_to_install_the_lines_are_named(programs: Path) -> None:
    done, typed = run(programs)
    assert done.returncode == 0 and typed == []
    assert "to have them: sudo apt-get install --no-install-recommends chromium" in done.stderr
    assert "npm install --prefix .venv/node axe-core@4.14.0" in done.stderr


def test_checking_installs_nothing(programs: Path) -> None:
    add(programs, "apt-get")
    done, typed = run(programs, "--check")
    assert done.returncode == 0 and typed == []
