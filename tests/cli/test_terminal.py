"""On a real terminal of 80 columns no header and no cell of a table is lost, and sentences are wrapped."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from nlgauge.wording.receipts import unbroken

COLUMNS = 80
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(arguments: list[str]) -> str:
    """What the command prints where someone is looking."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-m", "nlgauge", *arguments],
        stdin=child,
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={**environment, "TERM": "xterm"},
    ) as process:
        os.close(child)
        parts = []
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        os.close(parent)
    assert process.returncode == 0
    return CONTROL.sub("", b"".join(parts).decode()).replace("\r\n", "\n")


def cells_of(plain: str) -> list[str]:
    """Headers and cells of all plain tables of an output, found by the rules under the headers."""
    lines, found = plain.split("\n"), []
    for number, line in enumerate(lines):
        if not re.fullmatch(r"-+(  -+)*", line):
            continue
        spans = [match.span() for match in re.finditer("-+", line)]
        end = next((k for k in range(number, len(lines)) if not lines[k].strip()), len(lines))
        for row in (lines[number - 1], *lines[number + 1 : end]):
            found += [row[start:stop].strip() for start, stop in spans]
    return [cell for cell in found if cell]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("terminal")
    systems = ["the-template-system", "the-neural-system", "the-copying-system"]
    rows = [
        {
            "item": f"{item}",
            "system": system,
            "hypothesis": f"restaurant {item} by the river has {food} food"[(item % 3) * k :],
            "references": [f"restaurant {item} by the river has French food", "it is a small place"],
            "ratings": {"quality": [1 + (item + k) % 5, 1 + (item + k + k * item) % 5]},
        }
        for item in range(12)
        for k, (system, food) in enumerate(zip(systems, ("French", "good and cheap", "some"), strict=True))
    ]
    (path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)))
    games = [
        {"a": a, "b": b, "outcome": ("a", "b", "tie")[(i * i + j) % 3]}
        for i in range(9)
        for j, (a, b) in enumerate(
            [
                ("the-first-player", "the-second-player"),
                ("the-second-player", "the-third-player"),
                ("the-third-player", "the-first-player"),
            ]
        )
    ]
    (path / "games.jsonl").write_text("\n".join(map(json.dumps, games)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["agree", "set.jsonl", "--scale", "ordinal", "--judges"],
        ["rate", "games.jsonl", "--matrix"],
        ["compare", "set.jsonl", "-m", "bleu", "-m", "chrf", "-m", "ter", "--trials", "100"],
        ["meta", "set.jsonl", "-m", "bleu", "-m", "chrf", "-m", "ter", "--probe", "drop"],
        ["triangle", "test", "--correct", "36", "--judges", "98"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_nothing_is_lost_on_eighty_columns(arguments: list[str], folder: Path) -> None:
    arguments = [str(folder / word) if word.endswith(".jsonl") else word for word in arguments]
    plain = subprocess.run(
        [sys.executable, "-m", "nlgauge", *arguments], capture_output=True, encoding="utf-8", check=True
    ).stdout
    shown = on_terminal(arguments)
    cells = cells_of(plain)
    assert len(cells) > 5
    seen = " ".join(shown.split())
    for cell in cells:
        if " ".join(cell.split()) not in seen:  # a sentence in the last column may be wrapped
            assert all(word in seen for word in cell.split()), cell
            assert len(cell) > 24, cell
    long = [line for line in shown.split("\n") if len(line) > COLUMNS and not unbroken(line)]
    assert not long
