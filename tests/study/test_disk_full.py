"""A disk that is full, or a folder that may not be written to: what was begun is removed, what was there stays."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from studies import write

from nlgauge.cli import main
from nlgauge.study.file import template
from nlgauge.study.freeze import frozen
from nlgauge.study.service import launch
from nlgauge.study.store import FILE


def full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def files(folder: Path) -> dict[str, bytes]:
    """What a folder holds; the mark of served folders and SQLite's index of its log come and go."""
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.name != "serving.lock" and not path.name.endswith(("-shm", "-wal"))
    }


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence of a refusal."""
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    return told


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    rows = [{"item": str(k), "system": name, "hypothesis": f"{name} says {k}"} for k in range(15) for name in "ab"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# --------------------------------------------------------------------------------------------------------- study new


def test_new_leaves_no_half_of_the_data(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    really = template.atomic_file

    @contextmanager
    def half_a_file(path: Path, **options: Any) -> Iterator[Any]:
        with really(path, **options) as out:
            out.write(data.read_bytes()[:100])
            full()
            yield

    monkeypatch.setattr(template, "atomic_file", half_a_file)
    assert main(["study", "new", str(tmp_path / "deep" / "s"), "--from", str(data)]) == 2
    assert "No space left on device" in said(capsys)
    assert sorted(path.name for path in tmp_path.iterdir()) == [data.name]
    monkeypatch.undo()
    assert main(["study", "new", str(tmp_path / "deep" / "s"), "--from", str(data)]) == 0


def test_new_removes_what_it_made_and_nothing_else(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    really = template.atomic_file

    def at_last_full(path: Path, **options: Any) -> Any:
        return full() if path.name == "study.yaml" else really(path, **options)

    monkeypatch.setattr(template, "atomic_file", at_last_full)
    assert main(["study", "new", str(folder), "--from", str(data)]) == 2
    assert "No space left on device" in said(capsys)
    assert files(folder) == {"notes.txt": b"mine"}


# ------------------------------------------------------------------------------------------------------ study launch


def test_a_launch_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "s")
    before = files(folder)
    monkeypatch.setattr(frozen, "write", full)
    for more in ([], ["--fresh"], ["--db", f"sqlite:///{tmp_path / 'own.db'}"]):
        assert main(["study", "launch", str(folder), *more]) == 2
        assert "No space left on device" in said(capsys)
        assert files(folder) == before and not (tmp_path / "own.db").exists()
    monkeypatch.undo()
    assert main(["study", "launch", str(folder)]) == 0


def test_a_fresh_launch_that_fails_puts_the_earlier_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "s")
    assert main(["study", "launch", str(folder)]) == 0
    assert main(["study", "links", str(folder)]) == 0
    links = capsys.readouterr().out.splitlines()[-1]
    before = files(folder)
    monkeypatch.setattr(frozen, "write", full)
    assert main(["study", "launch", str(folder), "--fresh"]) == 2
    assert "No space left on device" in said(capsys)
    assert files(folder) == before
    monkeypatch.undo()
    assert main(["study", "links", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == links
    write(folder, subjects={"A": {"data": "gone.csv", "system": "a"}, "B": {"data": "gone.csv", "system": "b"}})
    assert main(["study", "launch", str(folder), "--fresh"]) == 2  # texts that are not there
    assert files(folder) | {"study.yaml": b""} == before | {"study.yaml": b""}


def test_a_database_with_judges_is_never_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "s")

    def somebody_comes(*given: Any, **options: Any) -> Any:
        launch(*given, **options).arrivals.register("public")
        full()

    monkeypatch.setattr("nlgauge.study.service.launching.launch", somebody_comes)
    assert main(["study", "launch", str(folder)]) == 2
    assert (folder / FILE).exists() and (folder / frozen.FILE).exists()


@pytest.mark.parametrize("most", [0, 5_000, 60_000, 100_000])
@pytest.mark.parametrize("fresh", [False, True])
def test_files_that_may_not_grow(tmp_path: Path, most: int, fresh: bool) -> None:
    folder = write(tmp_path / "s")
    if fresh:
        assert main(["study", "launch", str(folder)]) == 0
    before = files(folder)
    done = subprocess.run(
        [sys.executable, "-m", "nlgauge", "study", "launch", str(folder), *(["--fresh"] if fresh else [])],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        check=False,
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert files(folder) == before
    if not fresh:
        assert [path.name for path in folder.iterdir()] == ["study.yaml"]  # no log of SQLite's either
