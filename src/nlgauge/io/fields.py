"""One definition, three uses: reading YAML into frozen dataclasses, refusing by line what does not fit, JSON Schema.

A part of the study file is a dataclass. Its fields are the keys; their types say what may stand there (`str`, `int`,
`float`, `bool`, `Any`, `Literal`, `Words`, tuples, mappings, other parts, each perhaps `| None`); `key(...)` adds the
words of the documentation and the limits. A part with `SHORT = "field"` may be written as that field's value alone.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import yaml

from nlgauge.errors import shortened, suggest, unquoted
from nlgauge.io.trees import kind_of, plain, scalars, unshowable

"""The languages of the pages."""

Words = NewType("Words", dict[str, str])
"""A wording by language; one given without a language stands under the empty name and serves every language."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """Parts of which one is chosen by its `kind`: `Annotated[Part, KINDS]`. The kind alone will do: `design: latin`."""

    known: Mapping[str, type[Any]]


def key(
    about: str,
    *,
    default: Any = MISSING,
    least: float | None = None,
    most: float | None = None,
    written: float | None = None,
    frozen: bool = False,
    alone: bool = False,
) -> Any:
    """A field of a part of the study file: what it means, and its limits.

    `written`: the least that a file may say, where less is the default and only means that nothing was said. `frozen`:
    only the launch writes it. `alone`: a list of one may be written without brackets.
    """
    limits = {"least": least, "most": most, "written": written}
    metadata = {"about": about, **limits, "frozen": frozen, "alone": alone}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Problem:
    """Something in the file that cannot be used as it stands."""

    line: int  # counted from 1; 0: the file as a whole
    path: str  # for example "panels.public.judges"
    message: str
    column: int = dataclasses.field(default=0, compare=False)  # counted from 1; 0: not known

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message

    def at_column(self) -> str:
        """The same with the column, for files that are written by hand in one go."""
        return f"line {self.line}, column {self.column}: {self.message}" if self.column else str(self)


class Reader:
    """Reads a tree of YAML nodes by a dataclass, gathering every problem and the line of every key."""

    def __init__(self, *, frozen: bool = False, called: str = "the study file") -> None:
        """With `frozen`, what a launch wrote is read; `called` is the file in refusals."""
        self.frozen, self.called = frozen, called
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}
        self.columns: dict[str, int] = {}

    def _note(self, path: str, node: yaml.Node) -> None:
        self.lines[path], self.columns[path] = node.start_mark.line + 1, node.start_mark.column + 1

    def refuse(self, node: yaml.Node, path: str, message: str) -> None:
        """Note a problem at a node."""
        mark = node.start_mark
        self.problems.append(Problem(mark.line + 1, path, message, mark.column + 1))

    def refuse_unshowable(self, node: yaml.Node) -> None:
        """Note every text that no page and no database can hold."""
        for line, value in scalars(node):
            if wrong := unshowable(value):
                self.problems.append(Problem(line, "", f"the text holds {wrong}; take it out"))

    def read(self, hint: Any, node: yaml.Node, path: str, metadata: Mapping[str, Any] = {}) -> Any:
        """The value at a node, or None with a problem noted."""
        if hint is Any:
            return self._anything(node, path)
        origin = get_origin(hint)
        if origin in (types.UnionType, Union):
            if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null":
                return None
            return self.read(next(arm for arm in get_args(hint) if arm is not type(None)), node, path, metadata)
        if hint is Words:
            return self._words(node, path)
        if origin is Annotated:
            return self._kind(get_args(hint)[1], node, path)
        if origin is Literal:
            return self._choice(get_args(hint), node, path)
        if origin is tuple:
            return self._list(get_args(hint)[0], node, path, metadata)
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(get_args(hint)[1], node, path)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return self._part(hint, node, path)
        return self._scalar(hint, node, path, metadata)

    def _anything(self, node: yaml.Node, path: str) -> Any:
        """Plain values, whatever they are; a key given twice is refused."""
        if isinstance(node, yaml.ScalarNode):
            return plain(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._anything(child, path) for child in node.value]
        entries = self._entries(node, path, "keys") or {}
        return {name: self._anything(value, f"{path}.{name}") for name, (_, value) in entries.items()}

    def _kind(self, kinds: Kinds, node: yaml.Node, path: str) -> Any:
        """One of several parts, by its kind."""
        known = kinds.known
        if path and isinstance(node, yaml.ScalarNode):
            word = self._choice(tuple(known), node, path)
            return None if word is None else known[word]()
        entries = self._entries(node, path, "a kind")
        if entries is None:
            return None
        place = f"{path}.kind" if path else "kind"
        if "kind" not in entries:
            said = f"one of {', '.join(known)}; add, for example, kind: {next(iter(known))}"
            self.refuse(node, path, f"the key '{place}' is missing: {said}")
            return None
        self._note(place, entries["kind"][0])
        word = self._choice(tuple(known), entries["kind"][1], place)
        if word is None:
            return None
        rest = [pair for pair in node.value if getattr(pair[0], "value", None) != "kind"]
        return self._part(known[word], yaml.MappingNode(node.tag, rest, node.start_mark, node.end_mark), path)

    def _part(self, cls: type[Any], node: yaml.Node, path: str) -> Any:
        hints = _hints(cls)
        known = {
            field.name: field
            for field in dataclasses.fields(cls)
            if field.init and (self.frozen or not field.metadata.get("frozen"))
        }
        short = getattr(cls, "SHORT", "")
        if short and not isinstance(node, yaml.MappingNode):
            value = self.read(hints[short], node, path, known[short].metadata)
            return None if value is None else cls(**{short: value})
        entries = self._entries(node, path, f"keys such as {', '.join(list(known)[:3])}")
        if entries is None:
            return None
        values: dict[str, Any] = {}
        for name, (key_node, value_node) in entries.items():
            place = f"{path}.{name}" if path else name
            if name not in known:
                self.refuse(key_node, place, f"there is no key {shortened(place)}; {suggest(name, known)}")
                continue
            self._note(place, key_node)
            if known[name].default == "" and isinstance(value_node, yaml.ScalarNode) and not value_node.value:
                values[name] = ""  # left open on purpose
                continue
            value = self.read(hints[name], value_node, place, known[name].metadata)
            if value is None and not _optional(hints[name]):
                if not any(problem.path.startswith(place) for problem in self.problems):
                    way = "give a value" if _required(known[name]) else "give a value or leave the key out"
                    self.refuse(value_node, place, f"{place} is empty; {way}")
                values[name] = None
                continue
            values[name] = value
        lacking = [name for name, field in known.items() if name not in entries and _required(field)]
        for name in lacking:
            what = known[name].metadata["about"]
            place = f"{path}.{name}" if path else name
            self.refuse(node, path, f"the key {place!r} is missing: {what}; add {name}: …")
        broken = any(values.get(name, "") is None and not _optional(hints[name]) for name in values)
        return None if lacking or broken else cls(**values)

    def _entries(self, node: yaml.Node, path: str, expected: str) -> dict[str, tuple[yaml.Node, yaml.Node]] | None:
        if not isinstance(node, yaml.MappingNode):
            self.refuse(
                node,
                path,
                f"{path or self.called} must be a mapping with {expected}, not {kind_of(node)}",
            )
            return None
        entries: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.refuse(
                    key_node,
                    path,
                    f"a key of {path or self.called} must be a word; put it before a colon",
                )
            elif key_node.value in entries:
                self.refuse(
                    key_node,
                    path,
                    f"the key {shortened(key_node.value)} is given twice; leave one of them out",
                )
            else:
                entries[key_node.value] = (key_node, value_node)
        return entries

    def _mapping(self, hint: Any, node: yaml.Node, path: str) -> Any:
        entries = self._entries(node, path, "names of your choice")
        if entries is None:
            return None
        if not entries:
            self.refuse(node, path, f"{path} is empty; name at least one, with its keys below it")
        for name, (key_node, _) in entries.items():
            self._note(f"{path}.{name}", key_node)
        found = {name: self.read(hint, value, f"{path}.{name}") for name, (_, value) in entries.items()}
        return None if None in found.values() else found

    def _list(self, hint: Any, node: yaml.Node, path: str, metadata: Mapping[str, Any]) -> Any:
        if metadata.get("alone") and isinstance(node, yaml.ScalarNode):
            only = self.read(hint, node, path, metadata)
            return None if only is None else (only,)
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(
                node,
                path,
                f"{path} must be a list, not {kind_of(node)}; write it in brackets, [first, second], or one a line "
                "after “- ”",
            )
            return None
        for number, child in enumerate(node.value, start=1):
            self._note(f"{path}.{number}", child)
        found = tuple(
            self.read(hint, child, f"{path}.{number}", metadata) for number, child in enumerate(node.value, start=1)
        )
        return None if None in found else found

    def _words(self, node: yaml.Node, path: str) -> Words | None:
        if isinstance(node, yaml.ScalarNode):
            text = self._scalar(str, node, path, {})
            return None if text is None else Words({"": text})
        entries = self._entries(node, path, "a wording for each language, such as en: …")
        if entries is None:
            return None
        for name, (key_node, _) in entries.items():
            self._note(f"{path}.{name}", key_node)
        found: dict[str, Any] = {
            name: self._scalar(str, value, f"{path}.{name}", {}) for name, (_, value) in entries.items()
        }
        return None if None in found.values() or not found else Words(found)

    def _choice(self, known: tuple[str, ...], node: yaml.Node, path: str) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(node, path, f"{path} must be one of {', '.join(known)}, not {kind_of(node)}")
            return None
        if node.value not in known:
            self.refuse(node, path, f"{path} cannot be {shortened(node.value)}; {suggest(node.value, known)}")
            return None
        value: str = node.value  # the word as written: YAML would read "no" as false
        return value

    def _scalar(self, hint: Any, node: yaml.Node, path: str, metadata: Mapping[str, Any]) -> Any:
        names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(node, path, f"{path} must be {names[hint]}, not {kind_of(node)}")
            return None
        if hint is str:
            empty = node.tag == "tag:yaml.org,2002:null" or not node.value.strip()
            if empty:
                self.refuse(node, path, f"{path} is empty; give a text or leave the key out")
            return None if empty else node.value
        value = plain(node)
        fits = isinstance(value, bool) if hint is bool else _is_number(value, whole=hint is int)
        if not fits:
            self.refuse(node, path, f"{path} must be {names[hint]}, not {shortened(node.value)}")
            return None
        if hint is bool:
            return value
        least, most = metadata.get("least"), metadata.get("most")
        unsaid = metadata.get("written") if not self.frozen else None
        least = least if unsaid is None else unsaid
        if (least is not None and value < least) or (most is not None and value > most):
            limits = (
                f"between {_number(least)} and {_number(most)}"
                if least is not None and most is not None
                else f"at least {_number(least)}"
                if least is not None
                else f"at most {_number(most)}"
            )
            remedy = "" if unsaid is None else f"; leave the key out for the usual ({metadata['about']})"
            self.refuse(node, path, f"{path} must be {limits}, not {unquoted(node.value)}{remedy}")
            return None
        return hint(value)


def _number(limit: Any) -> str:
    """A limit in full: no whole number as a power of ten."""
    return str(limit) if isinstance(limit, int) else f"{limit:g}"


def _is_number(value: Any, *, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) if whole else math.isfinite(value)


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _optional(hint: Any) -> bool:
    return get_origin(hint) in (types.UnionType, Union) and type(None) in get_args(hint)


_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(cls: type[Any]) -> dict[str, Any]:
    """What may stand at each key; a file of thousands of parts asks for it as often."""
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls, include_extras=True)
    return _HINTS[cls]


# ------------------------------------------------------------------------------------------------- JSON Schema


def schema(form: type[Any] | Sequence[type[Any]], title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a study file, for editors; of several forms it has one."""
    inner = _schema(form) if isinstance(form, type) else {"oneOf": [_schema(variant) for variant in form]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **inner}


def _schema(hint: Any, metadata: Mapping[str, Any] = {}) -> dict[str, Any]:
    if hint is Any:
        return {}
    origin, arms = get_origin(hint), get_args(hint)
    if origin in (types.UnionType, Union):
        inner = _schema(next(arm for arm in arms if arm is not type(None)), metadata)
        return {"anyOf": [inner, {"type": "null"}]}
    if hint is Words:
        text = {"type": "string", "minLength": 1}
        return {"anyOf": [text, {"type": "object", "minProperties": 1, "additionalProperties": text}]}
    if origin is Annotated:
        return _kinds(arms[1].known)
    if origin is Literal:
        # YAML 1.1 editors read a bare "no" as false
        return {"enum": [*arms, False] if "no" in arms else list(arms)}
    if origin is tuple:
        several = {"type": "array", "items": _schema(arms[0], metadata)}
        return {"anyOf": [several["items"], several]} if metadata.get("alone") else several
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "minProperties": 1, "additionalProperties": _schema(arms[1])}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _object(hint)
    if hint is str:
        # YAML reads a bare 2020 as a number; the reader takes it as the text it is
        return {"type": ["string", "number", "boolean"]} if not metadata.get("strict") else {"type": "string"}
    name = {int: "integer", float: "number", bool: "boolean"}[hint]
    least = metadata.get("least") if metadata.get("written") is None else metadata["written"]
    limits = {"minimum": least, "maximum": metadata.get("most")}
    return {"type": name} | {word: limit for word, limit in limits.items() if limit is not None}


def _kinds(known: Mapping[str, type[Any]]) -> dict[str, Any]:
    forms: list[dict[str, Any]] = [{"enum": list(known)}]
    for name, cls in known.items():
        whole = _object(cls)
        whole["properties"] = {"kind": {"const": name}, **whole["properties"]}
        whole["required"] = ["kind", *whole["required"]]
        forms.append(whole)
    return {"oneOf": forms}


def _object(cls: type[Any]) -> dict[str, Any]:
    hints = _hints(cls)
    known = [field for field in dataclasses.fields(cls) if field.init and not field.metadata.get("frozen")]
    properties: dict[str, Any] = {}
    for field in known:
        properties[field.name] = _schema(hints[field.name], field.metadata) | {"description": field.metadata["about"]}
        if field.default is not MISSING and isinstance(field.default, str | int | float | bool):
            properties[field.name]["default"] = field.default
    whole: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": [f.name for f in known if f.default is MISSING and f.default_factory is MISSING],
    }
    short = getattr(cls, "SHORT", "")
    return {"anyOf": [properties[short], whole]} if short else whole
