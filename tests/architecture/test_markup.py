"""Markup comes from templates and from builders that escape: no module puts tags around values by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nlgauge

ROOT = Path(nlgauge.__file__).parent
TAG = re.compile(r"(?<!\?P)</?[a-z][a-z0-9]*[\s>/]")  # the named groups of regular expressions are no tags
# What looks like a tag and is none, with the reason.
EXCEPTIONS = {
    "corpus/reading.py": "messages name the elements of a file in XML",
}


def made_by_hand(source: str) -> Iterator[int]:
    """The lines where a tag and a value are put together: in an f-string, by `+` or `%`, by `format`, in a `Template`.

    `Markup("<b>{}</b>").format(value)` is not among them, for it escapes its values.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.JoinedStr(values=parts):
                pass
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
                parts = [left, right]
            case ast.Call(func=ast.Attribute(value=ast.Constant() as text, attr="format" | "format_map" | "join")):
                parts = [text]
            case ast.Call(func=ast.Name(id="Template"), args=[*parts]):
                pass
            case _:
                continue
        if any(isinstance(part, ast.Constant) and TAG.search(str(part.value)) for part in parts):
            yield node.lineno


@pytest.mark.parametrize(
    "source",
    ['f"<b>{name}</b>"', '"<b>" + name', '"<b>%s</b>" % name', '"<b>{}</b>".format(name)', 'Template("<b>$name</b>")'],
)
def test_tags_around_values_are_found(source: str) -> None:
    assert list(made_by_hand(source)) == [1]


@pytest.mark.parametrize("source", ['Markup("<b>{}</b>").format(name)', 'rf"(?P<name>{word})"', 'element("b", name)'])
def test_what_escapes_or_is_no_tag_is_let_be(source: str) -> None:
    assert not list(made_by_hand(source))


def test_no_module_makes_markup_by_hand() -> None:
    found = {
        name: lines
        for path in sorted(ROOT.rglob("*.py"))
        if (lines := list(made_by_hand(path.read_text(encoding="utf-8"))))
        and (name := path.relative_to(ROOT).as_posix()) not in EXCEPTIONS
    }
    assert found == {}
