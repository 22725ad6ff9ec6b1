"""Line files and WMT folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import io
from nlgauge.errors import InputError


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_several_systems_and_references(tmp_path: Path) -> None:
    hyp = {"a": write(tmp_path / "a", "a1\n\na3"), "b": write(tmp_path / "b", "b1\r\nb2\r\nb3\r\n")}
    refs = [write(tmp_path / "r1", "r1\n\nr3\n"), write(tmp_path / "r2", "\ns2\ns3\n")]
    data = io.load(hyp=hyp, refs=refs, src=write(tmp_path / "src", b"\xef\xbb\xbfi1\ni2\ni3\n"))
    assert data.systems == ["a", "b"]
    assert data.items == ["1", "2", "3"]
    assert data.column("a").hypotheses == ["a1", "", "a3"]
    assert data.column("b").hypotheses == ["b1", "b2", "b3"]
    # an empty line: an empty reference in the first file, no reference in a later one
    assert data.column("b").references == [("r1",), ("", "s2"), ("r3", "s3")]
    assert data.column("b").sources == ["i1", "i2", "i3"]
    assert data.summary.empty == 1


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    text = "one\u2028two\x0b\x0c\x1c\x1d\x1e\x85\u2029three\rfour\nnext\n"
    data = io.load(hyp={"a": write(tmp_path / "a", text)}, refs=[write(tmp_path / "r", "x\ny\n")])
    assert data.column("a").hypotheses == text.split("\n")[:2]


def test_blocks_are_cut_at_any_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["é🙂" * n for n in range(40)]
    path = write(tmp_path / "a", b"\xef\xbb\xbf" + "\n".join(lines).encode())
    for block in (1, 2, 3, 7, 64):
        monkeypatch.setattr("nlgauge.io.files.BLOCK", block)
        for batch in (1, 7, 1000):
            got = [text for part in io.stream(hyp={"a": path}, batch=batch) for text in part.hypotheses]
            assert got == lines


def test_no_references_are_needed(tmp_path: Path) -> None:
    data = io.load(hyp={"a": write(tmp_path / "a", "x\n")})
    assert data.column("a").references == [()]


def test_unequal_line_counts_name_both(tmp_path: Path) -> None:
    a, r = write(tmp_path / "a.txt", "x\n" * 9000), write(tmp_path / "r.txt", "x\n" * 9002)
    with pytest.raises(InputError) as caught:
        io.load(hyp={"a": a}, refs=[a, r])
    assert str(caught.value) == (
        f"{a} has 9,000 lines but {r} has 9,002 lines; line n of every file must belong to the same segment: "
        "give files of equal length (a missing output is an empty line)"
    )


def test_invalid_utf8_names_line_and_byte(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"ok\n" * 8300 + b"ab\xffc\nok\n")
    with pytest.raises(InputError) as caught:
        io.load(hyp={"a": path})
    assert str(caught.value) == (
        f"{path}, line 8,301: byte 3 is not valid UTF-8 (found 0xff); convert the file to UTF-8, e.g. with iconv"
    )
    wide = write(tmp_path / "w.txt", "text\n".encode("utf-16"))
    with pytest.raises(InputError, match=r"line 1: byte 1 is not valid UTF-8 .the file looks like UTF-16"):
        io.load(hyp={"a": wide})


def test_arguments_are_checked(tmp_path: Path) -> None:
    path, empty = write(tmp_path / "a.txt", "x\n"), write(tmp_path / "empty.txt", "")
    with pytest.raises(InputError, match=r"empty\.txt is empty: it has no lines"):
        io.load(hyp={"a": empty})
    with pytest.raises(InputError, match="no hypothesis file"):
        io.load(hyp={})
    with pytest.raises(InputError, match=r"the system of .* has an empty name"):
        io.load(hyp={"": path})
    with pytest.raises(InputError, match="refs is a single path"):
        io.load(hyp={"a": path}, refs=str(path))
    with pytest.raises(InputError, match="either a path or line files"):
        io.load()
    with pytest.raises(InputError, match="refs and src belong to line files"):
        io.load(path, refs=[path])
    with pytest.raises(InputError, match="not a folder"):
        io.load(path, pair="en-de")
    with pytest.raises(InputError, match="at least one row"):
        list(io.stream(hyp={"a": path}, batch=0))


def metrics_task(root: Path, pair: str) -> None:
    write(root / "sources" / f"{pair}.txt", "s1\ns2\n")
    write(root / "references" / f"{pair}.refA.txt", "r1\nr2\n")
    write(root / "references" / f"{pair}.refB.txt", "q1\nq2\n")
    for system in ("refA", "Online-W", "M2.0"):
        write(root / "system-outputs" / pair / f"{system}.txt", f"{system}\nx\n")


def test_metrics_task_folder(tmp_path: Path) -> None:
    metrics_task(tmp_path, "en-de")
    data = io.load(tmp_path)
    assert data.systems == ["M2.0", "Online-W"]
    assert data.column("M2.0").references == [("r1", "q1"), ("r2", "q2")]
    assert data.column("M2.0").sources == ["s1", "s2"]
    metrics_task(tmp_path, "zh-en")
    with pytest.raises(InputError, match=r"several language pairs \(en-de, zh-en\); choose one"):
        io.load(tmp_path)
    with pytest.raises(InputError, match="no language pair 'de-en'; it holds en-de, zh-en"):
        io.load(tmp_path, pair="de-en")
    assert len(io.load(tmp_path, pair="zh-en")) == 4
    assert sum(map(len, io.stream(tmp_path, pair="zh-en"))) == 4


def test_submissions_folder(tmp_path: Path) -> None:
    for name in ("newstest2017.KIT.4950.en-de", "newstest2017.x.y.1.en-de.txt", "newstest2017.x.y.2.en-de"):
        write(tmp_path / name, "h\n")
    write(tmp_path / "newstest2017-ende-src.en", "s\n")
    write(tmp_path / "newstest2017-ende-ref.de", "r\n")
    write(tmp_path / "newstest2017-csde-ref.de", "wrong\n")
    data = io.load(tmp_path)
    assert data.systems == ["KIT", "x.y.1", "x.y.2"]
    assert data.column("KIT").references == [("r",)]
    assert data.column("KIT").sources == ["s"]


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder but not a WMT set: no file is named like a submission"):
        io.load(tmp_path)
    write(tmp_path / "newstest2017.KIT.4950.en-de", "h\n")
    with pytest.raises(InputError, match=r"no reference file ending in -ref\.de and no reference\.txt"):
        io.load(tmp_path)
    write(tmp_path / "m" / "system-outputs" / "en-de" / "a.txt", "h\n")
    with pytest.raises(InputError, match=r"no reference file references/en-de\.refA\.txt"):
        io.load(tmp_path / "m")
