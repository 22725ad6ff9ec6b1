"""The cache of embeddings: two processes, interruption, damage, its limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from nlgauge.models import cache
from nlgauge.models.cache import Memory, Store, shelves


def rows(value: float, count: int = 2) -> np.ndarray:
    return np.full((count, 4), value, dtype=np.float32)


def test_what_is_added_is_found_by_text_model_and_width(tmp_path: Path) -> None:
    store = Store("a model", 4, tmp_path)
    store.add({"rain": rows(1), "": rows(2, 0), "wind\ud800": rows(3, 5)})
    again = Store("a model", 4, tmp_path)
    found = again.find(["wind\ud800", "", "rain", "snow"])
    assert set(found) == {"rain", "", "wind\ud800"}
    assert np.array_equal(found["rain"], rows(1)) and np.array_equal(found["wind\ud800"], rows(3, 5))
    assert found[""].shape == (0, 4)
    assert Store("another", 4, tmp_path).find(["rain"]) == {}
    assert Store("a model", 2, tmp_path).find(["rain"]) == {}


def test_stores_see_what_others_write(tmp_path: Path) -> None:
    one, other = Store("m", 4, tmp_path), Store("m", 4, tmp_path)
    assert one.find(["rain"]) == {}
    other.add({"rain": rows(1)})
    assert np.array_equal(one.find(["rain"])["rain"], rows(1))


def test_an_interrupted_write_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store("m", 4, tmp_path)
    store.add({"rain": rows(1)})
    renamed: list[str] = []
    real = os.replace

    def stop(source: Path, target: Path) -> None:
        if str(target).endswith(".idx"):
            raise KeyboardInterrupt  # after the vectors, before the index
        renamed.append(str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        store.add({"wind": rows(2)})
    monkeypatch.undo()
    fresh = Store("m", 4, tmp_path)
    assert set(fresh.find(["rain", "wind"])) == {"rain"} and len(renamed) == 1
    assert not list(tmp_path.rglob("*.tmp"))
    # the vectors without an index are swept a day later
    (left,) = [path for path in tmp_path.rglob("*.vec") if not path.with_suffix(".idx").exists()]
    cache.trim(tmp_path, 10**9)
    assert left.exists()
    os.utime(left, (time.time() - 90_000,) * 2)
    cache.trim(tmp_path, 10**9)
    assert not left.exists() and set(fresh.find(["rain"])) == {"rain"}


@pytest.mark.parametrize("damage", ["vec-short", "vec-flipped", "idx-flipped", "idx-garbage", "vec-gone"])
def test_a_damaged_shard_is_encoded_again_not_believed(tmp_path: Path, damage: str) -> None:
    Store("m", 4, tmp_path).add({"rain": rows(1, 3)})
    (vectors,), (index,) = list(tmp_path.rglob("*.vec")), list(tmp_path.rglob("*.idx"))
    if damage == "vec-short":
        vectors.write_bytes(vectors.read_bytes()[:-20])
    elif damage == "vec-gone":
        vectors.unlink()
    elif damage.endswith("-flipped"):  # one bit, no byte more or less
        file, place = (vectors, 13) if damage == "vec-flipped" else (index, -9)
        content = bytearray(file.read_bytes())
        content[place] ^= 4
        file.write_bytes(content)
    else:
        index.write_bytes(b"nothing of the kind")
    store = Store("m", 4, tmp_path)
    assert store.find(["rain"]) == {}
    store.add({"rain": rows(1, 3)})
    assert np.array_equal(Store("m", 4, tmp_path).find(["rain"])["rain"], rows(1, 3))


def test_no_damage_to_an_index_is_believed(tmp_path: Path) -> None:
    Store("m", 4, tmp_path).add({"rain": rows(1, 3), "snow": rows(2, 2)})
    (index,) = tmp_path.rglob("*.idx")
    whole = index.read_bytes()
    for place in range(len(whole)):
        flipped = whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :]
        for damaged in (flipped, whole[:place], whole[:place] + bytes(len(whole) - place)):
            if damaged == whole:  # its last bytes may be noughts
                continue
            index.write_bytes(damaged)
            assert Store("m", 4, tmp_path).find(["rain", "snow"]) == {}
            assert [shelf.texts for shelf in shelves(tmp_path)] == [0]


def test_the_oldest_unused_shards_go_first(tmp_path: Path) -> None:
    store = Store("m", 4, tmp_path)
    for number, text in enumerate(("old", "used", "new")):
        store.add({text: rows(number, 1000)})
        for path in tmp_path.rglob("*.idx"):
            os.utime(path, (path.stat().st_mtime - 100,) * 2)
    store.find(["used"])
    cache.trim(tmp_path, 40_000)
    assert set(Store("m", 4, tmp_path).find(["old", "used", "new"])) == {"used", "new"}
    limited = Store("m", 4, tmp_path, limit=20_000)
    limited.add({"last": rows(9, 1000)})
    assert sum(shelf.size for shelf in cache.shelves(tmp_path)) < 20_000
    assert set(limited.find(["used", "new", "last"])) == {"last"}


def test_many_small_shards_become_one(tmp_path: Path) -> None:
    store = Store("m", 4, tmp_path)
    reader = Store("m", 4, tmp_path)
    for number in range(70):
        store.add({f"text {number}": rows(number)})
        if number == 60:
            assert len(reader.find([f"text {n}" for n in range(61)])) == 61
    assert len(list(tmp_path.rglob("*.idx"))) < 10
    for one in (reader, Store("m", 4, tmp_path)):
        found = one.find([f"text {number}" for number in range(70)])
        assert all(np.array_equal(found[f"text {number}"], rows(number)) for number in range(70))


def test_two_processes_at_once(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np; from pathlib import Path; from nlgauge.models.cache import Store\n"
        "store = Store('m', 4, Path(sys.argv[1]), limit=10**8)\n"
        "for n in range(40):\n"
        "    texts = [f'{k}' for k in range(n, n + 5)]\n"
        "    known = store.find(texts)\n"
        "    assert all(np.array_equal(rows, np.full((2, 4), float(text))) for text, rows in known.items())\n"
        "    store.add({t: np.full((2, 4), float(t), dtype=np.float32) for t in texts if t not in known})\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    found = Store("m", 4, tmp_path).find([f"{number}" for number in range(44)])
    assert len(found) == 44 and all(np.array_equal(part, rows(float(text))) for text, part in found.items())


def test_a_folder_that_cannot_be_written_costs_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store("m", 4, tmp_path / "file")
    store.add({"rain": rows(1)})
    assert store.find(["rain"]) == {}


def test_what_the_cache_holds_and_clearing(tmp_path: Path) -> None:
    Store("small", 4, tmp_path).add({"a": rows(1)})
    Store("large", 4, tmp_path).add({"a": rows(1, 900), "b": rows(2, 900)})
    assert [(shelf.setting, shelf.texts) for shelf in cache.shelves(tmp_path)] == [("large", 2), ("small", 1)]
    assert cache.clear(tmp_path) > 28_000 and cache.shelves(tmp_path) == []


def test_memory_keeps_what_was_used_last() -> None:
    memory = Memory(limit=3 * rows(0).nbytes)
    for number in range(3):
        memory.add({str(number): rows(number)})
    memory.find(["0"])
    memory.add({"3": rows(3)})
    assert set(memory.find(["0", "1", "2", "3"])) == {"0", "2", "3"}
