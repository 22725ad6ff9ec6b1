"""The generated tables are those of the installed `regex` package."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from nlgauge.text.categories import class_of, escaped, ranges, tables, without, word_characters

regex = pytest.importorskip("regex", reason="the tables are compared with the package regex")

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_unicode_tables.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_unicode_tables", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def live(tool: ModuleType) -> list[str]:
    table: list[str] = tool.classes()
    return table


def stored(tool: ModuleType) -> list[str]:
    """The class of every code point, read back from the tables."""
    result = [tool.OTHER] * tool.CODE_POINTS
    for key, name in tool.NAMES.items():  # H comes last and overwrites L
        for first, last in ranges(tables()[name.upper()]):
            for code in range(first, last + 1):
                result[code] = key
    return result


def test_tables_equal_regex(tool: ModuleType, live: list[str]) -> None:
    same_version = tool.unicode_version() == tables()["unicode"]
    differing = [
        f"U+{code:04X}: table {ours}, regex {theirs}"
        for code, (ours, theirs) in enumerate(zip(stored(tool), live, strict=True))
        # Another version of Unicode assigns code points that were free; those assigned in both must agree.
        if ours != theirs and (same_version or tool.OTHER not in (ours, theirs))
    ]
    assert not differing, differing[:20]


def test_files_are_what_the_tool_writes(tool: ModuleType, live: list[str]) -> None:
    if tool.unicode_version() != tables()["unicode"]:
        pytest.skip(f"regex follows Unicode {tool.unicode_version()}, the tables Unicode {tables()['unicode']}")
    assert tool.TABLES_FILE.read_text(encoding="utf-8") == tool.tables_source(live, tables()["unicode"])
    assert tool.CPP_FILE.read_text(encoding="utf-8") == tool.cpp_source(live, tables()["unicode"])


def test_cpp_table_equals_python_table(tool: ModuleType) -> None:
    source = tool.CPP_FILE.read_text(encoding="utf-8")
    head, tail = source.split("inline constexpr std::uint8_t index")
    letters = "".join(re.findall(r'^    "([^"]{64})"', head, flags=re.MULTILINE))
    numbers = [int(number) for number in re.findall(r"\d+", tail[tail.index("{") : tail.index("}")])]
    assert len(numbers) * tool.BLOCK == tool.CODE_POINTS
    table = "".join(letters[number * tool.BLOCK : (number + 1) * tool.BLOCK] for number in numbers)
    differing = [f"U+{i:04X}" for i, (a, b) in enumerate(zip(table, stored(tool), strict=True)) if a != b]
    assert not differing, differing[:20]


def test_space_is_what_str_split_splits_at() -> None:
    spaces = {chr(code) for first, last in ranges(tables()["SPACE"]) for code in range(first, last + 1)}
    assert spaces == {chr(code) for code in range(0x110000) if not chr(code).split()}


def test_classes_for_re() -> None:
    assert escaped([(0x21, 0x23)]) == "\\U00000021-\\U00000023"
    assert without([(1, 5), (8, 8)], [(2, 3), (8, 9)]) == [(1, 1), (4, 5)]
    assert re.fullmatch(f"[{class_of('PUNCTUATION')}]+", "!«。]-")
    assert not re.search(f"[{class_of('PUNCTUATION')}]", "+$a1 ")
    assert re.fullmatch(f"[{word_characters()}]+", "naïve१हिन्दी")
    assert not re.search(f"[{word_characters()}]", "中 .")
