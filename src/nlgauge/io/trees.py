"""YAML as trees of nodes with their lines: read from files, what cannot be read told by line, or made of values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from nlgauge.errors import InputError, shortened
from nlgauge.io.files import readable

_POWER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+", re.ASCII)
_HALVES = re.compile("[\ud800-\udfff]")
DEEPEST = 100  # levels of a study file; it needs seven
_NOWHERE = yaml.Mark("", 0, 0, 0, None, None)


def compose(text: str) -> yaml.Node | None:
    """The tree of a YAML document, or None where it is empty.

    By the compiled parser where PyYAML has it, which reads long texts many times as fast. What that one refuses is read
    again by the other, whose lines are right at the end of a file too.
    """
    try:
        return _composed(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return _composed(text, yaml.SafeLoader)


def read_tree(path: Path) -> yaml.Node | None:
    """That of a file."""
    with readable(path):
        content = path.read_bytes()
    text = ""
    try:
        text = content.decode("utf-8-sig")
        return compose(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"{path}, line {line}: the character U+{ord(text[error.position]):04X} cannot stand in YAML; take it out"
        ) from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}{_yaml_place(error)}") from None


def _yaml_place(error: yaml.YAMLError) -> str:
    """What is said of a file, after its name, that is no YAML: the line and what is wrong there."""
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or "not valid YAML"
    return (
        f", line {mark.line + 1}, column {mark.column + 1}: {what}; check indentation, colons and quotes"
        if mark
        else f": {error}"
    )


def _composed(text: str, loader: Any) -> yaml.Node | None:
    """The compiled parser builds its tree by calling itself without a limit: how deep it goes is looked at first, and
    whether a part holds itself, by an anchor."""
    around: list[str | None] = []  # the anchors of the collections that are open
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            around.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            around.pop()
        wrong = f"*{event.anchor} holds itself" if isinstance(event, yaml.AliasEvent) and event.anchor in around else ""
        if wrong or len(around) > DEEPEST:
            raise yaml.MarkedYAMLError(problem=wrong or "nested too deeply", problem_mark=event.start_mark)
    found: yaml.Node | None = yaml.compose(text, Loader=loader)
    return found


def scalars(node: Any) -> Iterator[tuple[int, str]]:
    """Every value and key of the file with its line; an anchor's once."""
    waiting, known = [node], set()
    while waiting:
        found = waiting.pop()
        if id(found) in known:
            continue
        known.add(id(found))
        if isinstance(found, yaml.ScalarNode):
            yield found.start_mark.line + 1, found.value
        elif isinstance(found, yaml.SequenceNode):
            waiting += found.value
        else:
            waiting += [part for pair in found.value for part in pair]


def unshowable(text: str) -> str:
    """What a text holds that no page and no database can; empty where it holds nothing of the kind."""
    if "\x00" in text:
        return "a NUL character"
    return "half of a surrogate pair" if _HALVES.search(text) else ""


def tree(value: Any) -> yaml.Node:
    """The tree of plain values, as if read from a file: texts keep every character, also those YAML cannot write."""
    if isinstance(value, Mapping):
        pairs = [(tree(str(name)), tree(inner)) for name, inner in value.items()]
        return yaml.MappingNode("tag:yaml.org,2002:map", pairs, _NOWHERE, _NOWHERE)
    if isinstance(value, list | tuple):
        return yaml.SequenceNode("tag:yaml.org,2002:seq", [tree(v) for v in value], _NOWHERE, _NOWHERE)
    if isinstance(value, str):
        return yaml.ScalarNode("tag:yaml.org,2002:str", value, _NOWHERE, _NOWHERE, style='"')
    word = str(value).lower() if isinstance(value, bool) else repr(value)
    kind = type(value).__name__
    return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", word, _NOWHERE, _NOWHERE)


def plain(node: yaml.ScalarNode) -> Any:
    """The value of a scalar."""
    if not node.style and _POWER.fullmatch(node.value):
        return float(node.value)  # YAML 1.1 takes 1e-3 for a word, because it lacks a point
    try:
        return yaml.safe_load(node.value) if not node.style else node.value
    except (yaml.YAMLError, ValueError):
        return node.value


def kind_of(node: yaml.Node) -> str:
    """What stands in place of something else."""
    if isinstance(node, yaml.ScalarNode):
        return shortened(node.value) if node.value else "nothing"
    return "a list" if isinstance(node, yaml.SequenceNode) else "keys with values"
