r"""Bytes and lines from files, plain or compressed, with errors a reader can act on.

Lines end at "\n" only ("\r\n" counts as one ending). `str.splitlines` would also cut at U+2028, "\x0b",
"\x1c" and others, which occur inside real outputs and would shift every later segment against its
reference.
"""

from __future__ import annotations

import difflib
import gzip
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from nlgauge.errors import InputError, needing

BLOCK = 1 << 20
BOM = b"\xef\xbb\xbf"
MOST_BLANK = 1 << 20  # bytes of blanks and line ends in a row: a packed file can hold any number
COMPRESSED = (".gz", ".zst")

StrPath = str | os.PathLike[str]


def at(path: StrPath, line: int, unit: str = "line") -> str:
    """Where something was found: "outputs.jsonl, line 3"."""
    return f"{os.fspath(path)}, {unit} {line:,}"


def suffix(path: StrPath) -> str:
    """The extension that tells the format, without a compression's: ".jsonl" for outputs.jsonl.gz."""
    name = Path(path)
    if name.suffix.lower() in COMPRESSED:
        name = name.with_suffix("")
    return name.suffix.lower()


def check_name(path: StrPath) -> str:
    """The name of a file; refused where no file can have it."""
    name = os.fspath(path)
    if "\0" in name:
        raise InputError(f"{name!r} holds a NUL character, which no name of a file can; mend the name")
    return name


def refuse_endless(path: StrPath) -> None:
    """Refuse what may never end, or never begin: a named pipe, and devices but for terminals and /dev/null.

    The pipes of a shell (`<(command)`, /dev/stdin) have no name in any folder, and are read.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    name = os.fspath(path)
    if stat.S_ISFIFO(mode) and os.path.exists(os.path.realpath(path)):
        raise InputError(f"{name} is a named pipe, which may never end; write its content to a file first")
    if stat.S_ISCHR(mode) and not _is_quiet(name):
        raise InputError(f"{name} is a device; expected a file")


def _is_quiet(device: str) -> bool:
    if os.path.samefile(device, os.devnull):
        return True
    with open(device, "rb", buffering=0) as file:
        return file.isatty()


@contextmanager
def readable(path: StrPath) -> Iterator[None]:
    """Turn what can go wrong in reading a file into an InputError that names it."""
    name = check_name(path)
    refuse_endless(path)
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"no such file: {name}{near_names(path)}") from None
    except PermissionError:
        raise InputError(f"{name}: no permission to read this file; change its mode or its owner") from None
    except IsADirectoryError:
        raise InputError(f"{name} is a folder; expected a file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(_broken(name, "gzip", error)) from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None


def _broken(name: str, kind: str, error: object) -> str:
    return f"{name} is not a complete {kind} file ({error}); it is truncated or damaged: fetch or write it again"


def near_names(path: StrPath) -> str:
    """A half sentence with the names in the same folder that look alike."""
    folder, name = Path(path).parent, Path(path).name
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return f"; there is no folder {folder}"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(str(folder / match) for match in near)}?" if near else ""


def blocks(path: StrPath) -> Iterator[bytes]:
    """The file's bytes, decompressed according to its name, without a leading byte-order mark."""
    kind = Path(path).suffix.lower()
    with readable(path), open(path, "rb") as raw:
        pieces = _decompressed(raw, kind, path)
        first = next(pieces, b"")
        while 0 < len(first) < len(BOM) and BOM.startswith(first) and (more := next(pieces, b"")):
            first += more
        blank = 0
        for block in chain([first.removeprefix(BOM)], pieces):
            blank = blank + len(block) if block.isspace() else 0
            if blank >= MOST_BLANK:
                raise InputError(
                    f"{os.fspath(path)} holds a megabyte or more of empty lines or blanks in a row; it is "
                    "damaged, or not a file of texts"
                )
            if block:
                yield block


def _decompressed(raw: BinaryIO, kind: str, path: StrPath) -> Iterator[bytes]:
    if kind == ".gz":
        return _pieces(gzip.GzipFile(fileobj=raw).read)
    if kind == ".zst":
        return _unzstd(raw, path)
    return _pieces(raw.read)


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(BLOCK):
        yield piece


def zstandard(purpose: str) -> Any:
    """The optional package, or the sentence that says how to install it."""
    with needing(purpose, "zstd"):
        import zstandard as package
    return package


def _unzstd(raw: BinaryIO, path: StrPath) -> Iterator[bytes]:
    """Frame by frame by hand: the package's own stream reader ends a truncated file without a word."""
    package = zstandard(f"reading {os.fspath(path)}")
    decompressor, frame = package.ZstdDecompressor(), None
    try:
        for piece in _pieces(raw.read):
            data = piece
            while data:
                frame = frame or decompressor.decompressobj()
                yield frame.decompress(data)
                data = frame.unused_data
                if frame.eof:
                    frame = None
    except package.ZstdError as error:
        raise InputError(_broken(os.fspath(path), "zstd", error)) from None
    if frame is not None:
        raise InputError(_broken(os.fspath(path), "zstd", "the last frame has no end"))


def byte_lines(path: StrPath, size: int) -> Iterator[tuple[int, list[bytes]]]:
    """Lists of `size` lines without their ending, each list with the number of its first line."""
    number, waiting = 1, list[bytes]()
    for lines in _cut(blocks(path)):
        waiting += lines
        start = 0
        while len(waiting) - start >= size:
            yield number, waiting[start : start + size]
            start, number = start + size, number + size
        del waiting[:start]
    if waiting:
        yield number, waiting


def _cut(source: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Cut blocks at line feeds; `tail` gathers the pieces of a line that runs over several blocks."""
    tail: list[bytes] = []
    for block in source:
        lines = block.split(b"\n")
        if len(lines) == 1:
            tail.append(block)
            continue
        lines[0] = b"".join([*tail, lines[0]])
        last = lines.pop()
        tail = [last] if last else []
        yield lines
    if tail:
        yield [b"".join(tail)]


def text_lines(path: StrPath, size: int, *, keep_returns: bool = False) -> Iterator[tuple[int, list[str]]]:
    r"""As `byte_lines`, decoded; the "\r" of a "\r\n" is dropped unless asked for."""
    for number, lines in byte_lines(path, size):
        joined = b"\n".join(lines)
        texts = decode(joined, path, number).split("\n")
        if not keep_returns and b"\r" in joined:
            texts = [text.removesuffix("\r") for text in texts]
        yield number, texts


def decode(data: bytes, path: StrPath, first_line: int) -> str:
    """The text of some lines, or an InputError with the line and byte that are not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = first_line + before.count(b"\n")
        byte = error.start - (before.rfind(b"\n") + 1) + 1
        wide = first_line == 1 and data[:2] in (b"\xff\xfe", b"\xfe\xff")
        hint = "the file looks like UTF-16" if wide else f"found 0x{data[error.start]:02x}"
        raise InputError(
            f"{at(path, line)}: byte {byte:,} is not valid UTF-8 ({hint}); convert the file to UTF-8, e.g. with iconv"
        ) from None
