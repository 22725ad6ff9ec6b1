"""Installs what the tests use besides Python packages: a browser, a database server, axe-core, WordNet's files.

    python tools/system.py            install what is missing
    python tools/system.py --check    only say what is there

What is present stays as it is, and then this takes a fraction of a second. Debian's packages are installed where that
is allowed (root, or sudo without a password); axe-core goes into the virtual environment. Whatever cannot be installed
is named with the line to type, and the tests that need it are skipped with the same line: this never fails.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AXE = "axe-core@4.14.0"
NODE = ROOT / ".venv" / "node"
PATIENCE = 600  # seconds for one installation


def chromium() -> str:
    """The browser's program, or nothing."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""


def postgresql(name: str = "initdb") -> str:
    """A program of the database server, or nothing."""
    return shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))), "")


def wordnet() -> str:
    """The folder of WordNet's files, or nothing."""
    folder = Path("/usr/share/wordnet")
    return str(folder) if (folder / "index.noun").exists() else ""


def axe() -> str:
    """The script that looks for barriers in pages; NLGAUGE_AXE names one kept elsewhere."""
    own = Path(os.environ.get("NLGAUGE_AXE") or NODE / "node_modules" / "axe-core" / "axe.min.js")
    return str(own) if own.is_file() else ""


@dataclass(frozen=True)
class Part:
    """Something the tests use: how it is found, the Debian package that brings it, and what for."""

    name: str
    find: Callable[[], str]
    package: str
    use: str

    @property
    def line(self) -> str:
        """What to type to install it."""
        return f"sudo apt-get install --no-install-recommends {self.package}"


PARTS = (
    Part("Chromium", chromium, "chromium", "judges' pages in a real browser"),
    Part("PostgreSQL", postgresql, "postgresql", "studies on a database server"),
    Part("WordNet", wordnet, "wordnet-base", "synonyms"),
)
AXE_LINE = f"npm install --prefix {NODE.relative_to(ROOT)} {AXE}"


def rights() -> list[str] | None:
    """What stands before apt-get so that it may install; None where it may not, or is not there."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    asked = shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
    return ["sudo", "-n"] if asked and asked.returncode == 0 else None


def run(command: list[str]) -> bool:
    """Whether a command went well; its last words are shown where it did not."""
    print("  " + " ".join(command), flush=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=quiet, capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=ROOT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"  did not work: {error}")
        return False
    if done.returncode:
        print("\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-3:]))
    return done.returncode == 0


def install_packages(packages: list[str]) -> None:
    """Debian packages, without those that are only recommended (which would change half the system)."""
    before = rights()
    if before is None or not packages:
        return
    install = [*before, "apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *packages]
    if not run(install) and run([*before, "apt-get", "update", "--quiet"]):  # the list may be old or absent
        run(install)


def install_axe() -> None:
    """axe-core, pinned, into the virtual environment."""
    npm = shutil.which("npm")
    if npm:
        run([npm, "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(NODE), AXE])


def main() -> None:
    """Find, install, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say what is there")
    only_check = parser.parse_args().check
    missing = [part.package for part in PARTS if not part.find()]
    if not axe() and not shutil.which("npm"):
        missing.append("npm")
    if not only_check and (missing or not axe()):
        print("Installing what the tests use:", ", ".join([*missing, *([] if axe() else [AXE])]), flush=True)
        install_packages(missing)
        if not axe():
            install_axe()
    for name, found, line, use in (
        *((part.name, part.find(), part.line, part.use) for part in PARTS),
        ("axe-core", axe(), AXE_LINE, "barriers in pages"),
    ):
        if only_check and found:
            print(f"{name}: {found}")
        elif not found:
            print(f"{name} is missing: tests of {use} will be skipped; to have them: {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
