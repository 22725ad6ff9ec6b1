"""The examples of the README and the documentation are run, and must print what the pages say.

A `console` block holds commands after `$ ` and their standard output; a line `…` stands for any lines. A `python`
block with `>>>` is run as a doctest. All blocks of a page share one folder, in which the demo set has been written.
Where a page and the program differ, `python tests/docs/test_examples.py` rewrites the pages' outputs.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)


def pages_with(kind: str) -> list[Path]:
    return [
        page for page in PAGES if any(m[1] == kind for m in BLOCK.finditer(page.read_text(encoding="utf-8")))
    ]


def prepare(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "nlgauge", "demo", "-o", str(folder)], capture_output=True, check=True
    )


def run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    if words[0] == "nlgauge":
        words = [sys.executable, "-m", *words]
    environment = os.environ | {"COLUMNS": "110"}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    text = done.stdout if done.returncode == 0 else done.stdout + done.stderr
    return text.replace("|backend=python", "|backend=native")  # the pages show the compiled kernels


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block with the output that follows each."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def matches(expected: str, got: str) -> bool:
    pattern = r"(?:.*\n)*?".join(re.escape(piece) for piece in re.split(r"^…\n", expected, flags=re.M))
    return re.fullmatch(pattern, got) is not None


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo set, written once; every page works on a copy."""
    folder = tmp_path_factory.mktemp("demo")
    prepare(folder)
    return folder


@pytest.mark.parametrize("page", pages_with("console"), ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for command, expected in commands(block):
            got = run(command, tmp_path)
            assert matches(expected, got), f"$ {command}\n{got}"


@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.name)
def test_python_prints_what_the_page_says(
    page: Path, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    blocks = [block for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == "python"]
    source = "\n".join(block for block in blocks if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(test)
    assert result.failed == 0
    for block in blocks:
        if ">>>" not in block:
            compile(block, page.name, "exec")


def rewrite() -> None:
    """Put the program's present output into the console blocks."""
    for page in pages_with("console"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)

            def fresh(match: re.Match[str], folder: Path = folder) -> str:
                if match[1] != "console":
                    return match[0]
                out = ""
                for command, expected in commands(match[2]):
                    got = run(command, folder)
                    out += f"$ {command}\n" + (expected if matches(expected, got) else got)
                return f"```console\n{out}```"

            page.write_text(BLOCK.sub(fresh, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
