"""Data of any size, batch by batch, in memory that does not grow with the file (but for 8 bytes a row)."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge.errors import InputError, NeedsWholeSet, option
from nlgauge.io.batches import DuplicateWatch, Located, RowBatch, merged
from nlgauge.io.columns import Columns, check_given
from nlgauge.io.files import StrPath, byte_lines, near_names, readable, text_lines
from nlgauge.io.rows import to_batch
from nlgauge.io.tables import chunks

# Plain line files: one file per system, one or more reference files, perhaps a source file.
#
# Line n is item n. An empty line in the first reference file is an empty reference; in a second or later one
# it means that this segment has no such reference, so that the number of references may differ. (sacreBLEU's
# command line counts every empty line as an empty reference; with one reference file the two agree.)


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
            yield RowBatch(
                items=items,
                systems=systems,
                hypotheses=hypotheses,
                references=references,
                sources=sources,
                ratings=None,
                extra=None,
                lines=lines,
                path=name,
            )
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


# Folders as the WMT shared tasks publish them, read as line files.
#
# Two layouts are known:
#
# * that of the metrics task (mt-metrics-eval): `sources/en-de.txt`, `references/en-de.refA.txt`,
#   `system-outputs/en-de/SYSTEM.txt`; an output named like a reference in use is that reference, and is left
#   out;
# * that of the submissions: `newstest2017.SYSTEM.4959.en-de[.txt]` beside `newstest2017-ende-src.en` and
#   `newstest2017-ende-ref.de`, or beside `reference.txt` and `source.txt`.


SUBMISSION = re.compile(
    r"(?P<set>[^.]+)\.(?P<system>.+)\.(?P<number>\d+)\.(?P<pair>[a-z]{2,3}-[a-z]{2,3})(\.txt)?(\.gz|\.zst)?"
)
LAYOUTS = (
    "system-outputs/en-de/SYSTEM.txt with references/en-de.refA.txt, "
    "or newstest2017.SYSTEM.1234.en-de with newstest2017-ende-ref.de or reference.txt"
)


class LineFiles(NamedTuple):
    """The files of one language pair."""

    hyp: dict[str, Path]
    refs: list[Path]
    src: Path | None
    pair: str = ""


def wmt_files(folder: StrPath, pair: str | None = None) -> LineFiles:
    """Find one language pair's files in a WMT folder."""
    root = Path(folder)
    if not root.exists():
        raise InputError(f"no such folder: {root}{near_names(root)}")
    with readable(root):
        if (root / "system-outputs").is_dir():
            return _metrics_task(root, pair)
        return _submissions(root, pair)


def _not_wmt(root: Path, reason: str) -> InputError:
    return InputError(f"{root} is a folder but not a WMT set: {reason}; expected {LAYOUTS}")


def _choose(root: Path, pairs: set[str], pair: str | None) -> str:
    known = ", ".join(sorted(pairs))
    if pair is None and len(pairs) == 1:
        return next(iter(pairs))
    if pair is None:
        raise InputError(
            f"{root} holds several language pairs ({known}); choose one, e.g. {option('pair', min(pairs))}"
        )
    if pair not in pairs:
        raise InputError(f"{root} has no language pair {pair!r}; it holds {known}")
    return pair


def _metrics_task(root: Path, pair: str | None) -> LineFiles:
    outputs = root / "system-outputs"
    pairs = {entry.name for entry in outputs.iterdir() if entry.is_dir() and any(entry.glob("*.txt*"))}
    if not pairs:
        raise _not_wmt(root, "system-outputs holds no folder with outputs")
    chosen = _choose(root, pairs, pair)
    refs = sorted((root / "references").glob(f"{chosen}.*.txt*")) or sorted(
        (root / "references").glob(f"{chosen}.txt*")
    )
    if not refs:
        raise _not_wmt(root, f"no reference file references/{chosen}.refA.txt")
    used = {_plain(path.name).removeprefix(f"{chosen}.") for path in refs}
    found = {_plain(path.name): path for path in sorted((outputs / chosen).glob("*.txt*"))}
    hyp = {system: path for system, path in found.items() if system not in used}
    sources = sorted((root / "sources").glob(f"{chosen}.txt*"))
    return LineFiles(hyp, refs, sources[0] if sources else None, chosen)


def _plain(name: str) -> str:
    return re.sub(r"\.txt(\.gz|\.zst)?$", "", name)


def _submissions(root: Path, pair: str | None) -> LineFiles:
    files = sorted(entry for entry in root.iterdir() if entry.is_file())
    found = [(match, path) for path in files if (match := SUBMISSION.fullmatch(path.name))]
    if not found:
        raise _not_wmt(root, "no file is named like a submission")
    chosen = _choose(root, {match["pair"] for match, _ in found}, pair)
    kept = [(match, path) for match, path in found if match["pair"] == chosen]
    names = [match["system"] for match, _ in kept]
    hyp = {
        match["system"] if names.count(match["system"]) == 1 else f"{match['system']}.{match['number']}": path
        for match, path in kept
    }
    source, target = chosen.split("-")
    refs = _beside(files, chosen, f"-ref.{target}", "reference")
    if not refs:
        raise _not_wmt(root, f"no reference file ending in -ref.{target} and no reference.txt")
    sources = _beside(files, chosen, f"-src.{source}", "source")
    return LineFiles(hyp, refs, sources[0] if sources else None, chosen)


def _beside(files: list[Path], pair: str, ending: str, plain: str) -> list[Path]:
    """The files with an ending such as -ref.de, those of this language pair if they say so; else
    reference*.txt.
    """
    ended = [path for path in files if re.search(re.escape(ending) + r"(\.txt)?(\.gz|\.zst)?$", path.name)]
    own = [path for path in ended if pair.replace("-", "") in path.name or pair in path.name]
    stem = re.compile(plain + r"[-_.]?\w*\.txt(\.gz|\.zst)?")
    return own or ended or [path for path in files if stem.fullmatch(path.name)]


BATCH = 8192
PARSE = 512  # rows parsed at a time: larger pieces leave the processor's cache and were slower when measured

Paths = StrPath | Sequence[StrPath]


def stream(
    path: Paths | None = None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    batch: int = BATCH,
    allow_extra: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[RowBatch]:
    """Checked batches of at most `batch` rows from a file, several files, a WMT folder or line files.

    `columns` says which column of a table holds a key: {"hypothesis": "my_output"}.
    Every row carries its own references: what is said once per item needs the whole set in memory (`load`).
    Duplicate (item, system) keys are refused, at the latest after the last batch.
    """
    source = batches(
        path, hyp=hyp, refs=refs, src=src, pair=pair, batch=batch, allow_extra=allow_extra, columns=columns
    )
    if hyp is not None or _is_folder(path):
        yield from source  # an item is a line and a system a file: there can be no duplicates
        return

    def reread() -> Iterator[Located]:
        for again in batches(path, batch=batch, allow_extra=allow_extra, columns=columns):
            for row, key in enumerate(zip(again.items, again.systems, strict=True)):
                yield key, again.path, again.lines[row], again.unit

    watch = DuplicateWatch(reread)
    for checked in _undisturbed(merged(source, batch)):
        for row in checked.item_rows:
            if not row.has_output:
                raise NeedsWholeSet(
                    f"{checked.path}, {checked.unit} {row.line:,}: the row describes item {row.item!r} "
                    "without an "
                    "output; when data are streamed every row must carry its own references: load the "
                    "set instead"
                )
        watch.add(checked.items, checked.systems)
        if len(checked) or checked.missing:
            yield checked
    watch.check()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Rows form no cycles, but millions of new containers keep the garbage collector busy for nothing."""
    was_running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_running:
            gc.enable()


def _undisturbed(source: Iterator[RowBatch]) -> Iterator[RowBatch]:
    """Each batch is made with the collector paused, and handed out with it running again."""
    while True:
        with collector_paused():
            batch = next(source, None)
        if batch is None:
            return
        yield batch


def batches(
    path: Paths | None,
    *,
    hyp: Mapping[str, StrPath] | None = None,
    refs: Sequence[StrPath] = (),
    src: StrPath | None = None,
    pair: str | None = None,
    batch: int = BATCH,
    allow_extra: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Iterator[RowBatch]:
    """As `stream`, without looking for duplicates."""
    if batch < 1:
        raise InputError(f"a batch holds at least one row; got batch={batch}")
    if (path is None) == (hyp is None):
        raise InputError("give either a path or line files (hyp=…, refs=…), not both and not neither")
    if columns and (hyp is not None or _is_folder(path)):
        raise InputError("columns belong to files of rows; line files and WMT folders have none")
    if hyp is not None:
        return line_batches(hyp, refs, src, batch)
    assert path is not None
    if refs or src is not None:
        raise InputError("refs and src belong to line files: give hyp={system: file} as well, and no path")
    if isinstance(path, str | os.PathLike) and _is_folder(path):
        files = wmt_files(path, pair)
        return line_batches(files.hyp, files.refs, files.src, batch)
    if pair is not None:
        raise InputError(f"pair={pair!r} chooses a language pair in a WMT folder; {path} is not a folder")
    check_given(columns or {})
    return _rows([path] if isinstance(path, str | os.PathLike) else path, batch, allow_extra, columns)


def target_language(path: Any, pair: str | None) -> str:
    """The language of the outputs in a WMT folder; empty for other data."""
    return wmt_files(path, pair).pair.partition("-")[2] if _is_folder(path) else ""


def _is_folder(path: Paths | None) -> bool:
    return isinstance(path, str | os.PathLike) and Path(path).is_dir()


def _rows(
    paths: Iterable[StrPath], size: int, allow_extra: bool, columns: Mapping[str, str] | None
) -> Iterator[RowBatch]:
    watch = NamedSystems()
    for path in paths:
        for chunk in chunks(path, min(size, PARSE), allow_extra=allow_extra, columns=Columns(columns)):
            batch = to_batch(chunk, allow_extra=allow_extra)
            watch.add(batch)
            yield batch


class NamedSystems:
    """Either every row names its system or none does: one that does not is a slip, not a system of its
    own.
    """

    def __init__(self) -> None:
        self._named = self._unnamed = ""

    def add(self, batch: RowBatch) -> None:
        """Refuse a batch that makes the two kinds meet."""
        if batch.unnamed:
            self._unnamed = self._unnamed or batch.at(batch.unnamed[0])
        if len(batch.unnamed) < len(batch) and not self._named:
            nameless = set(batch.unnamed)
            self._named = batch.at(next(row for row in range(len(batch)) if row not in nameless))
        if self._named and self._unnamed:
            raise InputError(
                f"{self._unnamed}: the key system is missing, but {self._named} names its system; "
                "name it in every row, or in none where all rows are one system's"
            )
