"""Pictures that would show as broken, or that no page can hold, stop a launch, which then leaves nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from studies import write

from nlgauge.cli import main

sys.path.insert(0, str(Path(__file__).parent.parent / "web"))
from made import PIXEL

BROKEN = {
    "empty.png": b"",
    "code.png": b"<svg onload=alert(1)>",
    "half.png": PIXEL[:20],
    "half.gif": b"GIF89a\x01",
    "half.webp": b"RIFF\x16\0\0\0WEBPVP8 \x02\0\0\0ab",
    "half.avif": b"\0\0\0\x1cftypavif....ispe",
    "half.jpg": b"\xff\xd8\xff\xe0\0",
}


def study(folder: Path, image: str) -> Path:
    texts = {name: [{"text": f"{name} wrote {k}", "image": "ok.png"} for k in range(12)] for name in "AB"}
    texts["A"][0]["image"] = image
    write(folder, subjects={name: {"texts": found} for name, found in texts.items()})
    (folder / "ok.png").write_bytes(PIXEL)
    return folder


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    folder = study(tmp_path / "s", name)
    (folder / name).write_bytes(BROKEN[name])
    before = sorted(path.name for path in folder.iterdir())
    assert main(["study", "launch", str(folder)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and name in said and "buffer" not in said
    assert sorted(path.name for path in folder.iterdir()) == before
    (folder / name).write_bytes(PIXEL)
    assert main(["study", "launch", str(folder)]) == 0


def test_a_picture_that_is_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s", "huge.png")
    with (folder / "huge.png").open("wb") as file:
        file.write(PIXEL)
        file.truncate(3_000_000_000)  # takes no room
    for verb, stream in (("check", "out"), ("launch", "err")):
        assert main(["study", verb, str(folder)]) == 2
        assert "'huge.png' has 3,000 MB; at most 50 MB" in getattr(capsys.readouterr(), stream)


@pytest.mark.parametrize("name", ["ü 🦊.png", "X.PNG", "deep/er.png"])
def test_names_that_are_odd_but_right(tmp_path: Path, name: str) -> None:
    folder = study(tmp_path / "s", name)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(PIXEL)
    assert main(["study", "launch", str(folder)]) == 0
