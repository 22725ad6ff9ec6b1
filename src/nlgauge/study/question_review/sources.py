"""Where wordings come from: a file with one a line, JSON lines with “text”, or the study file of a folder.

The study file is read as a tree and not as a checked study, so that any protocol's keys are found and a file that
cannot be launched yet can be reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import decode, readable
from nlgauge.io.outputs import STUDY
from nlgauge.study.languages import LANGUAGES
from nlgauge.study.question_review.book import Piece, Role
from nlgauge.study.question_review.second import ENGLISH

if TYPE_CHECKING:
    import yaml

_ROLES: Mapping[str, Role] = {
    "title": "title",
    "question": "question",
    "wording": "question",
    "prompt": "question",
    "instructions": "instructions",
    "guidelines": "instructions",
    "context": "instructions",
    "explanation": "instructions",
    "definition": "definition",
    "consent": "consent",
    "agree": "consent",
}
_ROW_ROLES = ("line", "question", "instructions", "definition", "title", "consent", "labels", "example")
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|des|ist|sind|und|oder|nicht|wie|ein|eine[nmrs]?|sie|ihnen|diese[nmrs]?|von|zum?|zur|mit|für|"
    r"auf|als|im|bitte|welche[nmrs]?|wird|werden|haben)\b",
    re.IGNORECASE,
)


def language_of(text: str, default: str = "en") -> str:
    """The language of a wording of which nobody said it: German where its small words are, else the default.

    >>> language_of("Wie viel besser ist Text A als Text B?"), language_of("How good is text A?")
    ('de', 'en')
    """
    german = len(_GERMAN.findall(text))
    return "de" if german > 1 and german > len(ENGLISH.findall(text)) else default


LONGEST = 50_000  # characters of one wording: some rules look at pairs of its words


def from_file(path: str | Path, language: str | None = None) -> list[Piece]:
    """The wordings of a file, one a line, in a language or each in its own; empty lines are passed over."""
    with readable(path):
        content = Path(path).read_bytes()
    lines = decode(content.removeprefix(b"\xef\xbb\xbf"), path, 1).splitlines()
    json = Path(path).suffix in (".jsonl", ".json", ".ndjson")
    pieces = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if len(line) > LONGEST:
            raise InputError(
                f"{path}, line {number}: {len(line):,} characters; a wording has at most {LONGEST:,}: put one question "
                "or instruction on each line"
            )
        if json:
            pieces += _row(line, path, number, language)
        else:
            spoken = language or language_of(line)
            pieces.append(Piece(line.strip(), "line", number, "", str(path), spoken))
    if not pieces:
        raise InputError(f'{path} holds no questions; expected one a line, or JSON lines with "text"')
    return pieces


def _row(line: str, path: str | Path, number: int, language: str | None) -> list[Piece]:
    place = f"{path}, line {number}"
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f'{place}: not valid JSON ({error}); expected one object a line with "text"') from None
    text = row.get("text") if isinstance(row, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise InputError(f'{place}: expected an object with "text", a question or an instruction')
    role = row.get("role", "line")
    if role not in _ROW_ROLES:
        raise InputError(f"{place}: there is no role {role!r}; known: {', '.join(_ROW_ROLES)}")
    spoken = str(row.get("language") or language or language_of(text))
    labels = row.get("labels")
    made = [Piece(text, role, number, "", str(path), spoken, labelled=bool(labels))]
    if isinstance(labels, list) and labels:
        made.append(Piece(" / ".join(map(str, labels)), "labels", number, "labels", str(path), spoken))
    for example in row.get("examples") or ():
        made.append(Piece(str(example), "example", number, "examples", str(path), spoken))
    return made


def from_study(folder: str | Path) -> list[Piece]:
    """The wordings of a study: questions, instructions, labels, consent, and the texts of practice."""
    tree, path = study_tree(folder)
    spoken = _spoken(tree)
    found = list(_pieces(tree, (), str(path), _default_language(tree, spoken), spoken))
    return [replace(piece, language=piece.language or language_of(piece.text)) for piece in found]


def study_tree(folder: str | Path) -> tuple[yaml.Node, Path]:
    """The study file of a folder as a tree."""
    import yaml

    from nlgauge.io.trees import compose

    path = Path(folder) / STUDY
    if not path.exists():
        raise InputError(f"{folder} holds no {STUDY}; expected a study folder or a file with one question a line")
    with readable(path):
        content = path.read_bytes()
    try:
        node = compose(decode(content.removeprefix(b"\xef\xbb\xbf"), path, 1))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path}{line}: not valid YAML; check indentation, colons and quotes") from None
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{path} is empty or no mapping; make one with: nlgauge study new DIR --from DATA")
    return node, path


def value_of(node: Any) -> Any:
    """A tree as plain values, every scalar a text."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {str(key.value): value_of(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [value_of(value) for value in node.value]
    return node.value


def _spoken(tree: yaml.Node) -> frozenset[str]:
    """The languages that wordings may have: those of the pages, and those the file brings translations of."""
    own = value_of(tree).get("translations")
    return frozenset((*LANGUAGES, *own)) if isinstance(own, dict) else frozenset(LANGUAGES)


def _default_language(tree: yaml.Node, spoken: frozenset[str]) -> str:
    """The first language that the file names; none where it names none."""
    named = value_of(tree).get("languages")
    first = named[0] if isinstance(named, list) and named else named
    return first if isinstance(first, str) and first in spoken else ""


def _pieces(node: Any, path: tuple[str, ...], file: str, language: str, spoken: frozenset[str]) -> Iterator[Piece]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        keys = [str(key.value) for key, _ in node.value]
        worded = bool(keys) and set(keys) <= spoken
        for key, value in node.value:
            name = str(key.value)
            if worded:
                yield from _pieces(value, path, file, name, spoken)
            elif name in ("subjects", "panels", "ethics", "translations") and not path:
                continue  # texts to be judged and what only researchers read
            elif name == "labels" and isinstance(value, yaml.SequenceNode):
                yield from _labels(value, (*path, name), file, language)
            else:
                yield from _pieces(value, (*path, name), file, language, spoken)
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value, 1):
            yield from _pieces(value, (*path, str(place)), file, language, spoken)
    else:
        role = _role(path)
        if role is not None and node.value.strip():
            # scales of criteria come from the catalogue or are worded beside; those of questions at the end are keys
            labelled = "criteria" in path or path[0] == "closing"
            yield Piece(node.value, role, node.start_mark.line + 1, ".".join(path), file, language, labelled=labelled)


def _labels(node: Any, path: tuple[str, ...], file: str, language: str) -> Iterator[Piece]:
    """The points of a scale in each language."""
    points = [value_of(value) for value in node.value]
    spoken = {key for point in points if isinstance(point, dict) for key in point} or {language}
    for tag in sorted(spoken):
        words = [str(point.get(tag, "")) if isinstance(point, dict) else str(point) for point in points]
        if all(words):
            yield Piece(" / ".join(words), "labels", node.start_mark.line + 1, ".".join(path), file, tag)


def _role(path: tuple[str, ...]) -> Role | None:
    """What a key of the study file is for, by its last names."""
    names = [name for name in path if not name.isdigit()]
    if not names:
        return None
    if names[:2] == ["practice", "examples"] and names[-1] == "texts":
        return "example"
    if names[0] == "examples":
        return "example"
    if names[0] == "consent":
        return "consent"
    if names[:2] == ["criteria", "wordings"]:
        return "question"
    if names[-1] == "text" and names[0] in ("questions", "closing", "instructions"):
        return "instructions" if names[0] == "instructions" else "question"
    return _ROLES.get(names[-1])
