"""Writing: what is written is read back, and nothing is ever half-written."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlgauge import io
from nlgauge.errors import InputError
from nlgauge.io import write
from nlgauge.types import Segment

ODD = ["", " ", "\r", "\n", "\r\n", "a\rb", '"', '""', ",", "\t", "N/A"]
ODD += ["\u2028", "\x0b", "\x1c", "\x85", "\ufeff", "\x00", "[1]", "null", "=1"]
TEXT = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.sampled_from(ODD))
NAME = TEXT.filter(bool)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
RATINGS = st.dictionaries(
    st.sampled_from(["fluency", "overall quality", "x.y"]),
    st.one_of(NUMBER, st.lists(NUMBER).map(tuple)),
    max_size=2,
)
TABLE = st.lists(st.lists(TEXT, min_size=3, max_size=3), max_size=2)
SOURCE = st.one_of(st.none(), NAME, TABLE, st.dictionaries(TEXT, TEXT, max_size=1))
FILES = st.sampled_from(["a.jsonl", "a.csv", "a.tsv", "a.jsonl.gz", "a.csv.zst", "a.ndjson"])
UNCHECKED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=UNCHECKED)


@st.composite
def segments(draw: st.DrawFn) -> list[Segment]:
    items = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(NAME, min_size=1, max_size=2, unique=True))
    made = []
    for item in items:
        references, source = tuple(draw(st.lists(TEXT, max_size=3))), draw(SOURCE)
        for system in systems:
            made.append(Segment(item, system, draw(TEXT), references, source, draw(RATINGS)))
    return made


def ordered(rows: Any) -> list[Segment]:
    return sorted(rows, key=lambda segment: (segment.system, segment.item))


@QUICK
@given(made=segments(), name=FILES)
def test_round_trip(tmp_path: Path, made: list[Segment], name: str) -> None:
    path = tmp_path / name
    assert io.write_rows(made, path) == len(made)
    data = io.load(path)
    assert ordered(data) == ordered(made)
    assert data.digest == io.load(made).digest
    streamed = [key for part in io.stream(path) for key in zip(part.systems, part.items, strict=True)]
    assert sorted(streamed) == sorted((each.system, each.item) for each in made)


@QUICK
@given(lines=st.lists(TEXT.map(lambda text: text.replace("\n", " ").rstrip("\r")), min_size=1))
def test_line_files_round_trip(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "a.txt"
    for ending in ("\n", "\r\n"):
        path.write_bytes(b"\xef\xbb\xbf" + (ending.join(lines) + ending).encode())
        assert io.load(hyp={"a": path}).column("a").hypotheses == lines
    if lines[-1]:
        path.write_bytes(b"\xef\xbb\xbf" + "\n".join(lines).encode())
        assert io.load(hyp={"a": path}).column("a").hypotheses == lines


def failing() -> Iterator[dict[str, Any]]:
    yield from ({"item": n, "hypothesis": "h"} for n in range(10_000))
    raise RuntimeError("the scorer broke")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.csv"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(RuntimeError):
        if name == "a.csv":
            io.write_csv(failing(), path, columns=["item", "hypothesis"])
        else:
            io.write_jsonl(failing(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_atomic_path_keeps_modes_and_follows_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with io.atomic_path(link) as temporary:
        temporary.write_text("new")
        assert real.read_text() == "old"
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "real.txt"]


def test_new_files_get_the_users_mode(tmp_path: Path) -> None:
    umask = os.umask(0o027)
    try:
        with io.atomic_path(tmp_path / "fresh.txt") as temporary:
            temporary.write_text("x")
    finally:
        os.umask(umask)
    assert (tmp_path / "fresh.txt").stat().st_mode & 0o777 == 0o640


def test_devices_are_written_directly() -> None:
    assert io.write_jsonl([{"item": 1}], "/dev/null") == 1


def test_equal_rows_give_equal_archives(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        io.write_jsonl([{"item": 1}], tmp_path / name)
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert packed == (tmp_path / "b.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == b'{"item":1}\n'


def test_scores_of_numpy(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    io.write_jsonl([{"bleu": numpy.float64(1.5), "rows": numpy.array([1, 2])}], tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == '{"bleu":1.5,"rows":[1,2]}\n'


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(path: Path, rows: Any = ({"item": 1},)) -> str:
        with pytest.raises(InputError) as caught:
            io.write_rows(rows, path)
        return str(caught.value)

    away, folder, other = tmp_path / "no" / "a.jsonl", tmp_path / "d.jsonl", tmp_path / "a.xlsx"
    assert refusal(away) == f"cannot write {away}: there is no folder {tmp_path / 'no'}; make it first"
    folder.mkdir()
    assert refusal(folder) == f"{folder} is a folder; expected a file to write to"
    assert refusal(other).startswith(f"cannot write {other}: the extension .xlsx is not one of .jsonl")
    assert "a row is no valid JSON" in refusal(tmp_path / "a.jsonl", [{"item": {1, 2}}])
    assert "lone surrogate" in refusal(tmp_path / "a.csv", [{"item": "\ud800"}])
    with pytest.raises(InputError, match="has the column 'item', which was not named"):
        io.write_csv([{"item": 1}], tmp_path / "a.csv", columns=["system"])

    def denied(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    path = tmp_path / "a.jsonl"
    assert refusal(path) == f"cannot write {path}: no permission to write in {tmp_path}"
    assert os.listdir(tmp_path) == ["d.jsonl"]


def test_what_killed_writers_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    old = time.time() - 2 * write.STALE
    names = [".0123456789abcdef.tmp", ".0123456789abcdef.tmp.csv", "0123456789abcdef.tmp", ".ab.tmp", "a.csv"]
    for name in names:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (old, old))
    (tmp_path / ".aaaaaaaaaaaaaaaa.tmp").touch()  # somebody may have begun just now
    (tmp_path / ".bbbbbbbbbbbbbbbb.tmp").mkdir()
    with write.atomic_path(tmp_path / "b.csv") as temporary:
        os.utime(temporary, (old, old))  # a writer that takes its time
        assert write.sweep(tmp_path) == 1
        assert temporary.exists()
    kept = [*names[1:], ".aaaaaaaaaaaaaaaa.tmp", ".bbbbbbbbbbbbbbbb.tmp", "b.csv"]
    assert sorted(os.listdir(tmp_path)) == sorted(kept)
    assert write.sweep(tmp_path / "nowhere") == 0
