"""Plain line files: one file per system, one or more reference files, perhaps a source file.

Line n is item n. An empty line in the first reference file is an empty reference; in a second or later one
it means that this segment has no such reference, so that the number of references may differ. (sacreBLEU's
command line counts every empty line as an empty reference; with one reference file the two agree.)
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from nlgauge.errors import InputError
from nlgauge.io.batches import RowBatch
from nlgauge.io.files import StrPath, byte_lines, text_lines


def line_batches(
    hyp: Mapping[str, StrPath], refs: Sequence[StrPath], src: StrPath | None, size: int
) -> Iterator[RowBatch]:
    """Read all files abreast: for each block of lines one batch per system."""
    _check_arguments(hyp, refs)
    files = [*hyp.values(), *refs, *([] if src is None else [src])]
    readers = [text_lines(path, size) for path in files]
    first = 1
    while True:
        blocks = [next(reader, (first, list[str]()))[1] for reader in readers]
        length = len(blocks[0])
        if any(len(block) != length for block in blocks):
            raise InputError(_unequal(files))
        if not length:
            break
        lines = range(first, first + length)
        items = list(map(str, lines))
        references = _references(blocks[len(hyp) : len(hyp) + len(refs)], length)
        sources = None if src is None else blocks[-1]
        for (system, path), hypotheses in zip(hyp.items(), blocks, strict=False):
            systems, name = [system] * length, os.fspath(path)
            yield RowBatch(items, systems, hypotheses, references, sources, None, None, lines, name)
        first += length
    if first == 1:
        raise InputError(f"{os.fspath(files[0])} is empty: it has no lines; expected one line for each segment")


def _check_arguments(hyp: Mapping[str, StrPath], refs: Sequence[StrPath]) -> None:
    if not hyp:
        raise InputError("no hypothesis file; give at least one as system=file, e.g. hyp={'tgen': 'out.txt'}")
    if isinstance(refs, str | os.PathLike):
        raise InputError(f"refs is a single path ({os.fspath(refs)}); expected a list of reference files")
    if "" in hyp:
        raise InputError(f"the system of {os.fspath(hyp[''])} has an empty name; give it as system=file")


def _references(files: list[list[str]], length: int) -> list[tuple[str, ...]]:
    if not files:
        return [()] * length
    if not any("" in later for later in files[1:]):
        return list(zip(*files, strict=True))
    return [(first, *filter(None, later)) for first, *later in zip(*files, strict=True)]


def _unequal(files: Sequence[StrPath]) -> str:
    """Name the first file and the first that differs from it, with their counts."""
    names = [os.fspath(path) for path in files]
    if not all(os.path.isfile(path) for path in files):  # a pipe cannot be read a second time
        named = ", ".join(names)
        return f"{named} do not have the same number of lines; line n of every file must belong to one segment"
    counts = {name: sum(len(lines) for _, lines in byte_lines(name, 8192)) for name in names}
    first, *others = counts.items()
    other = next(pair for pair in others if pair[1] != first[1])
    return (
        f"{first[0]} has {_lines(first[1])} but {other[0]} has {_lines(other[1])}; line n of every file "
        "must belong to the same segment: give files of equal length (a missing output is an empty line)"
    )


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
