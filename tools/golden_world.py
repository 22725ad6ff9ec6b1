"""A world that stands still, for `golden.py`: the clock, names drawn at random, and what may differ all the same."""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

NOON = 1_800_000_000.0  # the time at which a part begins


class Clock:
    """Seconds that pass only when a script goes on."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


class Names:
    """Random names that count upwards, for each length alone, and can be recognised."""

    def __init__(self) -> None:
        self.drawn: dict[int, int] = {}

    def hex(self, size: int | None = None) -> str:
        size = size or 32
        self.drawn[size] = self.drawn.get(size, 0) + 1
        digits = 2 * size - 6
        return f"c0ffee{self.drawn[size]:0{min(digits, 6)}x}".ljust(2 * size, "0")  # its beginning tells it as well

    def bytes(self, size: int | None = None) -> bytes:
        return bytes.fromhex(self.hex(size))


CLOCK, NAMES = Clock(), Names()


def stand_still() -> None:
    """Before anything of the package is imported: some take the clock as they are defined."""
    assert not any(name.partition(".")[0] == "nlgauge" for name in sys.modules)
    os.environ |= {"COLUMNS": "110", "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    for name in [name for name in os.environ if name.startswith(("NLGAUGE_", "OPENAI_"))]:
        del os.environ[name]
    time.tzset()
    time.time = CLOCK
    secrets.token_hex = NAMES.hex
    secrets.token_bytes = NAMES.bytes
    secrets.randbelow = lambda most: most // 2


NORMAL: tuple[tuple[str, str], ...] = (
    (r'("cut": ?\d+, ?"seconds": ?)[\d.]+', r"\1<seconds>"),
    (r"\|backend=(?:python|native)\b", ""),
    (r'(name="token" value=")[0-9a-f]{64}', r"\1<token>"),
    (r"\bnonce(=[\"']?|-)[\w+/=-]{16,}", r"nonce\1<nonce>"),
    (r"/static/[0-9a-f]{8,64}/", "/static/<digest>/"),
    (r"/dashboard/report/[0-9a-f]{8,64}\.css", "/dashboard/report/<digest>.css"),
    (r"\bnlgauge=\d+\.\d+\.\d+\w*", "nlgauge=<version>"),
    (r"\bnlgauge \d+\.\d+\.\d+\w*", "nlgauge <version>"),
    (r'("(?:nlgauge|python|numpy|scipy|version)": ?")\d+\.\d+[\w.+]*', r"\1<version>"),
    (r"\b(python|numpy|scipy)=\d+\.\d+[\w.+]*", r"\1=<version>"),
)


def normal(text: str, folder: Path) -> str:
    """Without what may differ between two runs or two versions."""
    for path in sorted({str(folder), str(folder.resolve())}, key=len, reverse=True):
        text = text.replace(path, "<folder>")
    for pattern, new in NORMAL:
        text = re.sub(pattern, new, text)
    numbers: dict[str, int] = {}
    return re.sub(
        r"c0ffee[0-9a-f]{2,58}", lambda found: f"<name {numbers.setdefault(found[0], len(numbers) + 1)}>", text
    )


DIGEST = re.compile(r"(?<![0-9a-zA-Z-])[a-z]?(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{14,64}(?![0-9a-zA-Z])")


def undigested(text: str) -> str:
    """With digests, and ids made of them, numbered as they appear: a key called otherwise changes them all."""
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"<digest {numbers.setdefault(found[0][:14], len(numbers) + 1)}>"

    return DIGEST.sub(numbered, text)


def main(words: list[str]) -> int:
    """The command line, in this process."""
    from nlgauge.cli import main as command_line

    try:
        return command_line(words)
    except SystemExit as end:  # of argparse
        return int(end.code or 0)


@contextlib.contextmanager
def printed() -> Iterator[tuple[Callable[[], str], Callable[[], str]]]:
    """What is printed meanwhile, and what is said on standard error."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2)]

    def text(stream: io.TextIOWrapper) -> Callable[[], str]:
        def read() -> str:
            stream.flush()
            buffer = stream.buffer
            assert isinstance(buffer, io.BytesIO)
            return buffer.getvalue().decode()

        return read

    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        yield text(streams[0]), text(streams[1])
