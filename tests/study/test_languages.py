"""A language is one folder: what it must hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nlgauge.study.languages import ABOUT, DEFAULT, HOME, LANGUAGES, content

ENGLISH_ONLY = {"criteria.json: scales.fluency-5-german"}  # quoted as it was asked
# words that are the same in English and another language
SAME = {("es", "No"), ("it", "No"), ("de", "Neutral"), ("fr", "Omission"), ("fr", "Style")}
OTHERS = [code for code in LANGUAGES if code != DEFAULT]


def lacking(code: str) -> set[str]:
    """What the folder of a language does not say and that of English does."""
    named = [
        f"{part}.json: {name}"
        for part in ("pages", "wordings")
        for name in content(DEFAULT, part)
        if not content(code, part).get(name)
    ]
    for part, texts in content(DEFAULT, "criteria").items():
        own = content(code, "criteria").get(part, {})
        for name, said in texts.items():
            whole = len(own.get(name, ())) == len(said) if isinstance(said, list) else name in own
            named += [] if whole else [f"criteria.json: {part}.{name}"]
    return set(named)


@pytest.mark.parametrize("code", OTHERS)
def test_a_folder_says_all_that_english_says(code: str) -> None:
    assert sorted(lacking(code) - ENGLISH_ONLY) == []


def texts(code: str) -> dict[str, set[str]]:
    """What a folder says beside the pages' phrases, by file and name; of phrases that are sought, these as well."""
    said = {f"wordings.json: {name}": words for name, words in content(code, "wordings").items()}
    for part, names in content(code, "criteria").items():
        said |= {f"criteria.json: {part}.{name}": words for name, words in names.items()}
    return {
        name: {words} if isinstance(words, str) else {*words, *(words.values() if isinstance(words, dict) else ())}
        for name, words in said.items()
    }


@pytest.mark.parametrize("code", OTHERS)
def test_nothing_is_left_in_english(code: str) -> None:
    own, same = texts(code), {words for spoken, words in SAME if spoken == code}
    left = [name for name, english in texts(DEFAULT).items() if (english & own.get(name, set())) - same]
    assert not left, "\n".join(["still in English:", *left])


@pytest.mark.parametrize("code", OTHERS)
def test_a_folder_says_nothing_else(code: str) -> None:
    """What English does not say is never read."""
    for part in ("pages", "wordings"):
        assert set(content(code, part)) <= set(content(DEFAULT, part))
    for part, texts in content(code, "criteria").items():
        assert set(texts) <= set(content(DEFAULT, "criteria")[part])


def test_the_documentation_names_every_language() -> None:
    pages = Path(__file__).resolve().parents[2] / "docs" / "studies"
    *names, last = sorted(ABOUT[code].english for code in LANGUAGES)
    assert f"Pages come in {', '.join(names)} and {last}." in (pages / "questionnaires.md").read_text(encoding="utf-8")
    assert f"| {', '.join(LANGUAGES)}, or [your own]" in (pages / "triangle.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_a_language_is_called_and_how_it_is_written(code: str) -> None:
    about = ABOUT[code]
    assert about.name and about.english and about.direction in ("ltr", "rtl") and len(about.group) <= 1
    assert about.order == 1 + LANGUAGES.index(code)
    re.compile(about.machines)
    assert {path.name for path in (HOME / code).iterdir()} == {
        "language.json",
        "pages.json",
        "wordings.json",
        "criteria.json",
    }
