"""The texts of the two subjects and their pictures; what is frozen."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from studies import write

from nlgauge.errors import InputError
from nlgauge.study.file.study import load
from nlgauge.study.freeze import frozen as freezing
from nlgauge.study.freeze import texts
from nlgauge.study.freeze.frozen import Frozen, freeze, practice_slot
from nlgauge.study.freeze.texts import read_texts
from nlgauge.study.model import Text

PIXEL = b"\x89PNG\r\n\x1a\n"


def data(folder: Path, **extra: Any) -> None:
    rows = [
        {
            "item": f"i{k}",
            "system": system,
            "hypothesis": f"{system} says {k}",
            "references": [f"one {k}", f"two {k}"],
            "source": [["06:00", "wind", "E"]],
            **extra,
        }
        for k in range(9)
        for system in ("human", "machine")
    ]
    folder.mkdir(exist_ok=True)
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def texts_of(folder: Path, a: dict[str, Any], b: dict[str, Any] | None = None, **more: Any) -> list[Text]:
    other = {"data": "d.jsonl", "system": "machine"} if b is None else b
    return read_texts(load(write(folder, subjects={"A": a, "B": other}, **more)), folder)


def test_systems_and_references(tmp_path: Path) -> None:
    data(tmp_path)
    found = texts_of(tmp_path, {"data": "d.jsonl", "reference": 2, "items": ["i3", "i4", "i5"], "context": "source"})
    assert [text.text for text in found if text.subject == "A"] == ["two 3", "two 4", "two 5"]
    assert found[0].context == "06:00 · wind · E"
    assert len({text.id for text in found}) == 3 + 9


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ({"data": "d.jsonl", "system": "humane"}, "no system 'humane'; did you mean human"),
        ({"data": "d.jsonl", "reference": 3}, "has 2 references, so there is no number 3"),
        ({"data": "d.jsonl", "system": "human", "items": ["i99"]}, "no item 'i99'"),
        ({"data": "d.jsonl", "system": "human", "image": "picture"}, "no key 'picture'"),
        ({"data": "e.jsonl", "system": "human"}, "no such file"),
        ({"texts": ["a", " ", "b"]}, "empty text|is empty"),
        ({"texts": [{"text": "same", "item": "1"}, {"text": "same", "item": "1"}]}, "are the same"),
    ],
)
def test_what_is_refused(tmp_path: Path, subject: dict[str, Any], message: str) -> None:
    data(tmp_path)
    with pytest.raises(InputError, match=message):
        texts_of(tmp_path, subject)


def listed(image: str) -> dict[str, Any]:
    return {"texts": [{"text": f"t{k}", "image": image, "caption": "a map"} for k in range(4)]}


def test_images(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    (folder / "maps").mkdir(parents=True)
    (folder / "maps" / "1.png").write_bytes(PIXEL)
    found = texts_of(folder, listed("maps/1.png"), listed("maps/1.png"))
    assert found[0].image == "maps/1.png"
    (tmp_path / "secret.png").write_bytes(PIXEL)
    os.symlink(tmp_path / "secret.png", folder / "maps" / "link.png")
    for bad, message in (
        ("/etc/passwd", "relative"),
        ("../secret.png", "outside"),
        ("maps/../../secret.png", "outside"),
        ("maps/link.png", "outside"),
        ("C:\\x.png", "relative"),
        ("https://x.org/1.png", "relative"),
        ("maps/2.png", "there is no image"),
        ("maps", "must be one of"),
        ("study.yaml", "must be one of"),
        ("maps/x.svg", "must be one of"),
    ):
        with pytest.raises(InputError, match=message):
            texts_of(folder, listed(bad), listed("maps/1.png"))


def test_freezing_fixes_everything(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", practice=1)
    first = freeze(load(folder), folder)
    assert freeze(load(folder), folder).digest == first.digest
    assert freeze(load(write(folder, practice=1, seed=8)), folder).digest != first.digest
    assert freeze(load(write(folder, practice=1, title="Other")), folder).digest != first.digest
    path = freezing.write(first, folder)
    assert freezing.read(folder) == first
    assert Frozen.from_dict(json.loads(path.read_text(encoding="utf-8"))) == first
    path.write_text(path.read_text(encoding="utf-8").replace("rain", "snow"), encoding="utf-8")
    with pytest.raises(InputError, match="was changed after launch"):
        freezing.read(folder)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not a frozen study"):
        freezing.read(folder)
    path.unlink()
    with pytest.raises(InputError, match="has not been launched"):
        freezing.read(folder)


def test_practice_inputs_serve_no_more(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", practice={"triads": 2, "items": ["1", "2", "3", "4", "5", "6"]})
    frozen = freeze(load(folder), folder)
    items = {text.id: text.item for text in frozen.texts}
    practised = {items[text] for slot in frozen.practice for text in slot.texts}
    assert practised == {"1", "2", "3", "4", "5", "6"}
    assert not practised & {items[text] for slot in frozen.slots for text in slot.texts}
    assert not practised & {text.item for text in frozen.served}
    orders = {practice_slot(frozen, 1, f"judge {k}").role for k in range(40)}
    assert len(orders) == 3  # the odd text stands first, second and last
    with pytest.raises(InputError, match="too few remain"):
        freeze(load(write(folder, practice=4)), folder)
    with pytest.raises(InputError, match="no input 'x'"):
        freeze(load(write(folder, practice={"triads": 1, "items": ["1", "2", "x"]})), folder)


def test_a_text_that_no_page_can_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "LONGEST_TEXT", 1_000)
    long = {"texts": ["🦊" * 1_001, "short", "shorter"]}
    folder = write(tmp_path / "s", subjects={"A": long, "B": {"texts": ["a", "b", "c"]}})
    with pytest.raises(InputError, match="a text of 1,001 characters for the input '1'; at most 1,000"):
        read_texts(load(folder), folder)
    long["texts"][0] = "🦊" * 1_000
    folder = write(tmp_path / "s", subjects={"A": long, "B": {"texts": ["a", "b", "c"]}})
    assert len(read_texts(load(folder), folder)[0].text) == 1_000
