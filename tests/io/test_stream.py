"""Streaming: the same rows and the same refusals as loading, in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from nlgauge import io
from nlgauge.digest import Tally
from nlgauge.errors import InputError
from nlgauge.io.batches import DuplicateWatch


def rows(count: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number in range(count):
        item = number // 3
        row: dict[str, Any] = {"item": str(item), "system": "abc"[number % 3], "hypothesis": f"h{number}\n"}
        row["references"] = [f"r{item}"] * (1 + item % 3)
        if number > count // 2:
            row |= {"source": f"s{item}", "ratings": {"q": number}, "split": "test"}
        if number % 50 == 7:
            row["hypothesis"] = None
        made.append(row)
    return made


def written(path: Path, data: list[dict[str, Any]]) -> Path:
    """The rows in the format of the path; CSV and TSV cannot say that an output is missing."""
    if path.name == "a.json":
        path.write_text(json.dumps(data))
    elif path.name == "a.parquet":
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        names = list(dict.fromkeys(key for row in data for key in row))
        parquet.write_table(pa.table({name: [row.get(name) for row in data] for name in names}), path)
    else:
        whole = path.name == "a.jsonl"
        io.write_rows([row for row in data if whole or row["hypothesis"] is not None], path)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv.gz", "a.json", "a.parquet"])
@pytest.mark.parametrize("batch", [1, 100, 700, 8192])
def test_streaming_equals_loading(tmp_path: Path, name: str, batch: int) -> None:
    path = written(tmp_path / name, rows(1500 if batch > 1 else 150))
    loaded, tally = io.load(path), Tally()
    got: dict[str, list[tuple[Any, ...]]] = {system: [] for system in loaded.systems}
    for part in io.stream(path, batch=batch):
        assert len(part) <= batch
        assert len(part.items) == len(part.systems) == len(part.references) == len(part.lines) == len(part)
        tally.missing += part.missing
        for column in part.columns():
            tally.add(column)
            got[column.system] += zip(column.items, column.hypotheses, column.references, strict=True)
    for system in loaded.systems:
        column = loaded.column(system)
        assert got[system] == list(zip(column.items, column.hypotheses, column.references, strict=True))
    assert tally.digest == loaded.digest
    assert tally.summary(len(loaded.items)) == loaded.summary
    assert (loaded.summary.missing > 0) == (name in ("a.jsonl", "a.json", "a.parquet"))


def test_columns_that_begin_late_are_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.io.streaming.PARSE", 10)
    data = [row for row in rows(100) if row["hypothesis"] is not None]
    (batch,) = io.stream(written(tmp_path / "a.jsonl", data))
    assert batch.sources == [row.get("source") for row in data]
    assert batch.ratings is not None
    assert [dict(each) for each in batch.ratings] == [row.get("ratings", {}) for row in data]
    assert batch.extra is not None
    splits = [{"split": "test"} if "split" in row else {} for row in data]
    assert [dict(each) for each in batch.extra] == splits
    assert list(batch.lines) == list(range(1, len(data) + 1))


def test_line_files_stream_abreast(tmp_path: Path) -> None:
    a, b, r = (tmp_path / name for name in "abr")
    for path in (a, b, r):
        path.write_text("".join(f"{path.name}{n}\n" for n in range(25)))
    parts = list(io.stream(hyp={"a": a, "b": b}, refs=[r], batch=10))
    sizes = [(part.systems[0], part.items[0], len(part)) for part in parts]
    assert sizes[:4] == [("a", "1", 10), ("b", "1", 10), ("a", "11", 10), ("b", "11", 10)]
    assert sizes[4:] == [("a", "21", 5), ("b", "21", 5)]
    assert parts[-1].references[-1] == ("r24",)
    r.write_text("".join(f"r{n}\n" for n in range(20)))
    with pytest.raises(InputError, match=f"{a} has 25 lines but {r} has 20 lines"):
        list(io.stream(hyp={"a": a, "b": b}, refs=[r], batch=10))


def test_duplicates_are_found_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = [{"item": n, "system": "a", "hypothesis": "h"} for n in range(2000)]
    io.write_jsonl([*data, data[41]], path)
    with pytest.raises(InputError) as caught:
        list(io.stream(path, batch=100))
    sentence = f"{path}, line 2,001: item '41' of system 'a' was already given at {path}, line 42;"
    assert str(caught.value).startswith(sentence)


def test_duplicates_in_different_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path in (first, second):
        io.write_jsonl([{"item": 1, "hypothesis": "h"}], path)
    with pytest.raises(InputError, match=rf"{second}, line 1: .* already given at {first}, line 1;"):
        list(io.stream([first, second]))


def test_duplicates_are_found_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.io.batches.FIRST_CHECK", 8)
    items = [str(n % 9) for n in range(1000)]
    watch = DuplicateWatch(lambda: (((item, "a"), "f", n, "line") for n, item in enumerate(items, 1)))
    added = 0
    with pytest.raises(InputError, match="f, line 10: item '0' of system 'a' was already given at f, line 1;"):
        for item in items:
            watch.add([item], ["a"])
            added += 1
    assert added == 15  # looked at after 8 and after 16 rows


def test_a_chance_clash_of_hashes_is_no_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.io.batches.FIRST_CHECK", 4)
    items = [str(n) for n in range(64)]
    passes = 0

    def reread() -> Iterable[Any]:
        nonlocal passes
        passes += 1
        return (((item, "a"), "f", line, "line") for line, item in enumerate(items, 1))

    watch = DuplicateWatch(reread, digest=lambda key: int(key[0]) % 60)
    for item in items:
        watch.add([item], ["a"])
    watch.check()
    assert passes == 1
    watch.check()
    assert passes == 1  # a cleared clash is not looked at again
    items.append("62")  # a real duplicate, of a key whose hash is already known to clash by chance
    watch.add(["62"], ["a"])
    with pytest.raises(InputError, match="line 65: item '62' of system 'a' was already given at f, line 63"):
        watch.check()


def test_streamed_rows_carry_their_references(tmp_path: Path) -> None:
    path, row = tmp_path / "a.jsonl", {"item": 1, "hypothesis": "h"}
    io.write_jsonl([row | {"references": ["r"]}, row | {"item": 2}], path)
    (batch,) = io.stream(path)
    with pytest.raises(InputError) as caught:
        batch.require(["references"])
    assert str(caught.value) == (
        f"{path}, line 2: item '2' of system 'unnamed' has no references, which a metric asked for needs; "
        "when data are streamed every row must carry its own references"
    )
    with pytest.raises(InputError, match=r"line 1: .* has no source"):
        batch.require(["source"])
    io.write_jsonl([row, {"item": 1, "references": ["r"]}], path)
    with pytest.raises(InputError, match=r"line 2: the row describes item '1' without an output; .* load"):
        list(io.stream(path))


MILLION = """
    import resource, sys
    from nlgauge import io
    def used():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    path, way = sys.argv[1:]
    before = used()
    if way == "stream":
        count = sum(map(len, io.stream(path)))
    else:
        data = io.load(path)
        count = len(data)
    print(count, used() - before)
"""


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("way", "limit_mb"), [("stream", 90), ("load", 700)])
def test_a_million_rows(tmp_path: Path, way: str, limit_mb: int) -> None:
    """Streaming keeps 8 bytes a row; a loaded set a few hundred, most of them the texts themselves."""
    path, text = tmp_path / "a.jsonl", "the quick brown fox jumps over the lazy dog near the river"
    with open(path, "w") as out:
        for n in range(500_000):
            shared = f'"item": {n}, "references": ["{n} {text}"], "hypothesis": "{text} {n}'
            out.write(f'{{"system": "a", {shared}"}}\n{{"system": "b", {shared}."}}\n')
    command = [sys.executable, "-c", textwrap.dedent(MILLION), str(path), way]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    count, megabytes = map(int, run.stdout.split())
    assert count == 1_000_000
    assert megabytes < limit_mb
