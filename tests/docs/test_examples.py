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
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from ready import Ready

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)


def pages_with(kind: str) -> list[Path]:
    return [page for page in PAGES if any(m[1] == kind for m in BLOCK.finditer(page.read_text(encoding="utf-8")))]


def environment() -> dict[str, str]:
    return os.environ | {"COLUMNS": "110", "PYTHONIOENCODING": "utf-8"}


class Shell:
    """Runs the commands of the pages, those of nlgauge in a process that has imported it already."""

    def __init__(self, ready: Ready, scratch: Path) -> None:
        self.ready, self.scratch = ready, scratch

    def run(self, command: str, folder: Path) -> str:
        """What a command prints; where it fails, its errors too."""
        words = shlex.split(command)
        if words[0] == "nlgauge":
            code, output, errors = self.ready.run(words[1:], folder, self.scratch)
        else:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment())
            code, output, errors = done.returncode, done.stdout, done.stderr
        text = output if code == 0 else output + errors
        return text.replace("|backend=python", "|backend=native")  # the pages show the compiled kernels


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block with the output that follows each."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def matches(expected: str, got: str) -> bool:
    pattern = r"(?:.*\n)*?".join(re.escape(piece) for piece in re.split(r"^…\n", expected, flags=re.M))
    return re.fullmatch(pattern, got) is not None


def missing(got: str) -> str:
    """The sentence that says which model or dictionary a command lacks on this machine, or nothing."""
    found = re.fullmatch(r"nlgauge: (.+ needs .+, which (?:is not installed|was not found): .+)\n", got)
    return found[1] if found else ""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with Ready(environment()) as ready:
        yield Shell(ready, tmp_path_factory.mktemp("shell"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, shell: Shell) -> Path:
    """The demo set, written once; every page works on a copy."""
    folder = tmp_path_factory.mktemp("demo")
    shell.run("nlgauge demo -o .", folder)
    assert (folder / "report.html").is_file()
    return folder


@pytest.mark.parametrize("page", pages_with("console"), ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, shell: Shell, demo: Path, tmp_path: Path) -> None:
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    lacking = []
    for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for command, expected in commands(block):
            got = shell.run(command, tmp_path)
            if missing(got) and not missing(expected):
                lacking.append(f"$ {command}: {missing(got)}")
                continue
            assert matches(expected, got), f"$ {command}\n{got}"
    if lacking:  # everything else on the page was run
        pytest.skip("; ".join(lacking))


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
    with tempfile.TemporaryDirectory() as scratch, Ready(environment()) as ready:
        shell = Shell(ready, Path(scratch))
        for page in pages_with("console"):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                shell.run("nlgauge demo -o .", folder)

                def fresh(match: re.Match[str], folder: Path = folder) -> str:
                    if match[1] != "console":
                        return match[0]
                    out = ""
                    for command, expected in commands(match[2]):
                        got = shell.run(command, folder)
                        out += f"$ {command}\n" + (expected if matches(expected, got) else got)
                    return f"```console\n{out}```"

                page.write_text(BLOCK.sub(fresh, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
