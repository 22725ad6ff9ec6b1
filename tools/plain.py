"""The tests of what works without any extra, on the oldest and the newest Python found: `make plain`.

Each Python gets an environment of its own with the package, its own dependencies and pytest; tests that need more are
skipped, and their reasons counted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST = 11  # the minor version that pyproject.toml asks for
FOLDERS = (
    *("architecture", "cli", "contract", "corpus", "demo", "io", "kernels"),
    *("lexicons", "meta", "metrics", "report", "stats", "text"),
)
TESTERS = ("pytest", "pytest-xdist", "hypothesis")


def pythons() -> list[tuple[int, str]]:
    """The minor version and the program of every supported Python 3 of this machine."""
    places = [Path(found) for minor in range(OLDEST, 30) if (found := shutil.which(f"python3.{minor}"))]
    places += [Path(sys.executable), *Path.home().glob(".pyenv/versions/*/bin/python3")]
    found: dict[int, str] = {}
    for place in places:
        told = subprocess.run([place, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.match(r"Python 3\.(\d+)\.\d+$", told.strip())
        if version and int(version[1]) >= OLDEST:
            found.setdefault(int(version[1]), str(place))
    return sorted(found.items())


def tested(minor: int, program: str) -> bool:
    """Whether the tests pass on one Python; its environment is kept for the next time."""
    environment = ROOT / f".venv-plain-3.{minor}"
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([program, "-m", "venv", environment], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", ROOT, *TESTERS], check=True)
    folders = [f"tests/{folder}" for folder in FOLDERS]
    options = ["--plain", "-q", "-n", "auto", "--dist", "loadfile", "-m", "not alone and not long"]
    return subprocess.run([python, "-m", "pytest", *options, *folders], cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """The exit code: 0 where the tests pass on the oldest and the newest Python."""
    found = pythons()
    chosen = [found[0], found[-1]] if len(found) > 1 else found
    failed = []
    for minor, program in chosen:
        print(f"Python 3.{minor} without extras ({program})", flush=True)
        if not tested(minor, program):
            failed.append(f"3.{minor}")
    print(f"failed on Python {', '.join(failed)}" if failed else "passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
