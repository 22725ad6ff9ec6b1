"""Dictionaries that are missing, damaged or of another kind: one sentence that says how to get them, no traceback."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlgauge.errors import InputError, NlgaugeError
from nlgauge.lexicons import phrases, wordnet
from nlgauge.metrics.spec import parse

TEXTS = ["the cats sat"], [["the cat sits"]]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing is remembered from other tests, or for them."""
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    wordnet._opened.cache_clear()
    yield
    wordnet._opened.cache_clear()


def universal(monkeypatch: pytest.MonkeyPatch, folder: Path, lang: str = "en") -> str:
    """What METEOR Universal says of the folder named as METEOR's."""
    monkeypatch.setenv("NLGAUGE_METEOR", str(folder))
    with pytest.raises(NlgaugeError) as refused:
        parse(f"meteor-universal(lang={lang},paraphrases=none,task=li)").corpus(*TEXTS)
    return str(refused.value)


def test_a_folder_without_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = universal(monkeypatch, tmp_path)
    assert "meteor-1.5.jar was expected" in told and "pip install --no-deps pycocoevalcap" in told


@pytest.mark.parametrize("content", [b"no archive", None])
def test_an_archive_that_is_none_or_lacks_its_tables(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    if content is None:
        zipfile.ZipFile(jar, "w").close()
    else:
        jar.write_bytes(content)
    told = universal(monkeypatch, tmp_path)
    assert "no whole copy of METEOR 1.5" in told and "pip install --no-deps pycocoevalcap --force-reinstall" in told


def test_a_language_whose_paraphrases_pycocoevalcap_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meteor-1.5.jar").touch()
    monkeypatch.setenv("NLGAUGE_METEOR", str(tmp_path))
    with pytest.raises(NlgaugeError, match=r"paraphrase-de\.gz.*curl -LO https://\S+/meteor-1\.5\.tar\.gz && tar"):
        parse("meteor-universal(lang=de)").corpus(*TEXTS)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (gzip.compress(b"0.5\na\nb\n", mtime=0)[:-9], "is damaged"),
        (b"\x1f\x8b nothing", "is damaged"),
        (b"0.5\na\nb\n", "is damaged"),
        (gzip.compress(b"0.5\n\xff\nb\n", mtime=0), "is not UTF-8"),
        (gzip.compress(b"nan\na\nb\n", mtime=0), "line 1: expected a probability"),
        (gzip.compress(b"0.5\na\nb\n-1\na\nb\n", mtime=0), "line 4: expected a probability"),
    ],
)
def test_a_damaged_paraphrase_table(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "paraphrase.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        parse(f"meteor-universal(lang=other,function=none,paraphrases={path})").corpus(*TEXTS)


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "paraphrase.txt"
    path.write_text("0.5\na\nb\n", encoding="utf-8")
    monkeypatch.setenv("NLGAUGE_CACHE", str(path))  # a file is no folder
    with pytest.raises(InputError, match="set NLGAUGE_CACHE to a folder that can be written"):
        phrases.phrase_table(path)


def test_a_damaged_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match="apt install wordnet-base"):
        wordnet.wordnet()
    for name in ("noun", "verb", "adj", "adv"):
        for kind in ("index", "data"):
            (tmp_path / f"{kind}.{name}").write_bytes(b"\xff\xfe garbage\n")
    with pytest.raises(InputError, match=r"cannot be read .*apt install wordnet-base"):
        wordnet.wordnet()
