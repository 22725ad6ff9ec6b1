"""Pictures: only files inside the study's folder, only of kinds that cannot run, and sent as what they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import attack
import made
import pytest
from attack import check_headers
from made import PIXEL

from nlgauge.errors import InputError
from nlgauge.study.checks import run
from nlgauge.study.freeze import frozen
from nlgauge.study.store import Store
from nlgauge.web import pages

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
SECRET = b"\x89PNG\r\n\x1a\n the lab's own files"


def subjects(image: str) -> dict[str, Any]:
    texts = {name: [{"text": f"{name} wrote {k}"} for k in range(8)] for name in "AB"}
    texts["A"][0]["image"] = image
    return {name: {"texts": found} for name, found in texts.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a picture, beside files that are nobody's business."""
    found = tmp_path / "study"
    (found / "in").mkdir(parents=True)
    (tmp_path / "outside.png").write_bytes(SECRET)
    (tmp_path / "study-two").mkdir()
    (tmp_path / "study-two" / "x.png").write_bytes(SECRET)
    (found / "in" / "p.png").write_bytes(PIXEL)
    (found / "link.png").symlink_to(tmp_path / "outside.png")
    (found / "linked").symlink_to(tmp_path)
    (found / "zero.png").symlink_to("/dev/zero")
    (found / "code.svg").write_bytes(SVG)
    (found / "code.png").write_bytes(SVG)
    (found / "page.html").write_bytes(b"<script>alert(1)</script>")
    (found / "folder.png").mkdir()
    os.mkfifo(found / "pipe.png")
    (found / "loop.png").symlink_to("loop.png")
    return found


@pytest.mark.parametrize(
    "image",
    [
        "../outside.png",
        "in/../../outside.png",
        "/etc/passwd",
        "{outside}",
        "link.png",
        "linked/outside.png",
        "../study-two/x.png",
        "zero.png",
        "/dev/zero",
        "pipe.png",
        "folder.png",
        "code.svg",
        "page.html",
        "missing.png",
        "in\\..\\..\\outside.png",
        "..\\outside.png",
        "\\outside.png",
        "C:/x.png",
        "file:///etc/passwd",
        "https://e.example/x.png",
        "~/x.png",
        "in/p.png\x00.svg",
        "in/p\x00.png",
        "%2e%2e/outside.png",
        "..%2foutside.png",
        "in/p.png?x",
        "loop.png",
        ".",
        "..",
        "study.sqlite",
        "site.key",
        "x" * 5_000 + ".png",
    ],
)
def test_a_study_with_such_a_picture_is_refused(folder: Path, image: str) -> None:
    name = image.format(outside=folder.parent / "outside.png")
    with pytest.raises(InputError):
        made.launched(folder, Store.memory(), subjects=subjects(name))
    assert errors(folder)


def errors(folder: Path) -> list[str]:
    findings, _ = run.check(folder, simulate=False)
    return [finding.message for finding in findings if finding.severity == "error"]


def test_a_file_that_is_no_picture_is_an_error_whatever_it_is_called(folder: Path) -> None:
    made.launched(folder, Store.memory(), subjects=subjects("code.png")).store.close()
    assert any("code.png" in message for message in errors(folder))


def visited(site: attack.Site, wanted: str) -> tuple[made.Visitor, str, int]:
    """A judge who sees the picture, the claim and the place."""
    for _ in range(60):
        visitor = site.reading()
        page = visitor.get().text
        claim = visitor.hidden("answer", page)["claim"]
        for place in range(3):
            if f"/image/{claim}/{place}" in page:
                return visitor, claim, place
    raise AssertionError(f"nobody sees {wanted}")


@pytest.fixture
def site(folder: Path) -> Any:
    panels = {"experts": {"judges": 60, "access": "links"}}
    with attack.opened(folder, subjects=subjects("in/p.png"), panels=panels, **attack.BARE) as found:
        yield found


def test_a_picture_is_sent_as_what_it_is(site: attack.Site) -> None:
    visitor, claim, place = visited(site, "in/p.png")
    answer = visitor.get(f"/image/{claim}/{place}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content == PIXEL
    check_headers(answer)
    for odd in (
        "-1",
        "3",
        "99999999999999999999999",
        "0x0",
        "٠",
        "1.0",
        "in%2Fp.png",
        "..%2f..%2fin%2fp.png",
        "0%00",
        "%2e%2e",
        "..",
        "0/..",
        "0;.png",
        "0.png",
        "",
        "/",
    ):
        refused = visitor.get(f"/image/{claim}/{odd}")
        assert refused.status_code in (303, 404) or refused.content == answer.content, odd
        assert SECRET not in refused.content
    for odd in ("..", "%2e%2e%2f", "..%2f..%2foutside.png", "x" * 5_000, "%00", "' OR 1=1 --"):
        assert visitor.get(f"/image/{odd}/0").status_code == 404, odd


def test_what_took_the_place_of_a_picture_after_launch_is_not_sent(site: attack.Site, folder: Path) -> None:
    visitor, claim, place = visited(site, "in/p.png")
    picture = folder / "in" / "p.png"
    address = f"/image/{claim}/{place}"

    def put(change: Any) -> Any:
        picture.unlink()
        change()
        answer = visitor.get(address)
        assert SECRET not in answer.content and b"script" not in answer.content
        return answer

    assert put(lambda: picture.symlink_to(folder.parent / "outside.png")).status_code == 404
    assert put(lambda: picture.symlink_to("/dev/zero")).status_code == 404
    assert put(lambda: picture.write_bytes(SVG)).status_code == 404
    assert put(lambda: picture.symlink_to(folder / "page.html")).status_code == 404
    assert put(lambda: os.mkfifo(picture)).status_code == 404
    (folder / "in" / "p.png").unlink()
    assert visitor.get(address).status_code == 404
    picture.write_bytes(PIXEL)
    assert visitor.get(address).status_code == 200


def test_another_picture_than_the_frozen_one_is_not_sent(site: attack.Site, folder: Path) -> None:
    """Answers belong to what was frozen: judges must not see other pictures half-way."""
    visitor, claim, place = visited(site, "in/p.png")
    (folder / "in" / "p.png").write_bytes(PIXEL + b"changed")
    assert visitor.get(f"/image/{claim}/{place}").status_code == 404


def test_kinds_are_told_by_the_first_bytes() -> None:
    assert pages.sniffed(PIXEL) == "image/png"
    for content in (
        SVG,
        b"",
        b"GIF",
        b"<html>",
        b"%PDF-1.4",
        b"RIFF....WAVE",
        b"\x00\x00\x00\x20ftypisom",
        b"GIF88a<script>",
    ):
        assert pages.sniffed(content) is None
    allowed = {kind for _, kind in pages.SIGNATURES}
    assert "image/svg+xml" not in allowed


def test_the_frozen_pictures_are_those_of_the_folder(folder: Path) -> None:
    made.launched(folder, Store.memory(), subjects=subjects("in/p.png")).store.close()
    assert list(frozen.read(folder).images) == ["in/p.png"]
