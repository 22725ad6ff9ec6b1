"""The texts of subjects, from an evaluation set or a list, with their pictures.

A text's id is made of a hash, so that neither its name nor its order tells a judge (or the page's source) who wrote it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from nlgauge.errors import InputError, counted, shortened, suggest
from nlgauge.io.files import near_names
from nlgauge.io.trees import unshowable
from nlgauge.study.file.places import PlacedError, placed
from nlgauge.study.file.study import Subject
from nlgauge.study.model import Text

if TYPE_CHECKING:
    from nlgauge.study.protocols.triangle.file import TriangleStudy
    from nlgauge.types import EvaluationSet, Segment

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")  # none of these can carry a script

LONGEST_TEXT = 2_000_000  # characters: three of them are a page of some megabytes
MOST_NAMED = 30  # items that a refusal lists
LARGEST_IMAGE = 50_000_000  # bytes: it is read whole, for its hash and for whoever looks at it


def read_texts(study: TriangleStudy, folder: str | Path) -> list[Text]:
    """All texts of a triangle test, A's and then B's, each in the order of its source."""
    root = Path(folder)
    found = [text for name in sorted(study.subjects) for text in _of_subject(study, name, study.subjects[name], root)]
    return checked(found, root)


def checked(found: list[Text], root: Path, *, empty: bool = False) -> list[Text]:
    """The same texts; refused where one cannot be shown, is empty (unless that may be), or is there twice."""
    for text in found:
        keys, item = (f"subjects.{text.subject}", "systems", "data", "goals"), f"the input {shortened(text.item)}"
        wrong, longest = "", max(map(len, (text.text, text.caption, text.context)))
        if not empty and not text.text.strip():
            spot = "which every judge would spot; leave the input out (items: …) or mend the data"
            wrong = f"an empty text for {item}, {spot}"
        elif longest > LONGEST_TEXT:
            most = f"at most {LONGEST_TEXT:,} are shown, so shorten it or leave the input out (items: …)"
            wrong = f"a text of {longest:,} characters for {item}; {most}"
        elif signs := unshowable(text.text + text.caption + text.context):
            wrong = f"{signs} in the text for {item}; take it out of the data"
        if wrong:
            raise PlacedError(f"subject {text.subject} has {wrong}", *keys)
        if text.image:
            with placed(*keys):
                image_path(root, text.image, f"subject {text.subject}, input {shortened(text.item)}")
    ids: dict[str, Text] = {}
    for text in found:
        if text.id in ids:
            raise PlacedError(
                f"two texts of {text.subject} for the input {shortened(text.item)} are the same; leave one of them out",
                f"subjects.{text.subject}",
                "data",
            )
        ids[text.id] = text
    return found


def image_path(root: Path, name: str, where: str) -> Path:
    """The file of a picture: relative, inside the study's folder, there, and of a kind that browsers show."""
    path = Path(name)
    if path.is_absolute() or name.startswith(("\\", "~")) or ":" in name or "\x00" in name:
        raise InputError(f"{where}: the image {name!r} must be a path relative to the study's folder; put it there")
    try:
        target = (root / path).resolve()
        there = target.is_file()
    except (OSError, RuntimeError):  # a name too long, links that lead in a circle
        raise InputError(
            f"{where}: the image {shortened(name)} cannot be opened; give it a shorter name, without links"
        ) from None
    if not target.is_relative_to(root.resolve()):
        raise InputError(f"{where}: the image {name!r} lies outside the study's folder; copy it into the folder")
    if target.suffix.lower() not in IMAGES:
        raise InputError(f"{where}: the image {name!r} must be one of {', '.join(IMAGES)}; save it as one of these")
    if not there:
        raise InputError(f"{where}: there is no image {name!r} in {root}; put it there, or mend the name in the data")
    size = target.stat().st_size
    if size > LARGEST_IMAGE:
        raise InputError(
            f"{where}: the image {name!r} has {size / 1e6:,.0f} MB; at most {LARGEST_IMAGE / 1e6:.0f} MB are shown, so "
            "make it smaller"
        )
    return target


def text_id(seed: int, subject: str, item: str, text: str) -> str:
    """An id that says nothing to those who do not know the seed."""
    secret = "\x1f".join((str(seed), subject, item, text)).encode("utf-8", "surrogatepass")
    return "t" + hashlib.sha256(secret).hexdigest()[:15]


def plain_lines(text: str) -> str:
    """A text with the ends of lines that every page has: places in it are the same on screen and in the store."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _of_subject(study: TriangleStudy, name: str, subject: Subject, root: Path) -> Iterator[Text]:
    rows = _listed(subject) if subject.texts else _from_set(name, subject, root)
    for item, written, image, caption, context in rows:
        text = plain_lines(written)
        own = text_id(study.seed, name, item, text)
        yield Text(own, name, item, text, image or None, caption=caption, context=context)


_Row = tuple[str, str, str, str, str]  # item, text, image, caption, context


def _listed(subject: Subject) -> Iterator[_Row]:
    for number, entry in enumerate(subject.texts, start=1):
        yield entry.item or str(number), entry.text, entry.image, entry.caption, entry.context


def _from_set(name: str, subject: Subject, root: Path) -> Iterator[_Row]:
    path = root / subject.data
    for segment in segments_of(f"subjects.{name}", subject, path):
        output = output_of(segment, subject, f"subjects.{name}", path)
        extra = {**segment.extra, "source": segment.source}
        image, caption, context = (_shown(extra, subject, name, what) for what in ("image", "caption", "context"))
        yield segment.item, output, image, caption, context


def read_set(path: Path, *keys: str) -> EvaluationSet:
    """An evaluation set that a study file names at one of these keys."""
    from nlgauge.io import load

    if not path.exists():
        raise PlacedError(
            f"no such file: {path}{near_names(path)}; put the evaluation set into the study's folder, or mend its name "
            "(data: …)",
            *keys,
        )
    # a study file names further columns itself: a prompt is no source there
    return load(path, allow_extra=True, columns={"source": "source"})


def segments_of(
    where: str, subject: Subject, path: Path, read: dict[Path, EvaluationSet] | None = None
) -> list[Segment]:
    """The rows of an evaluation set whose outputs, or references, are a subject's texts; `read` keeps the sets."""
    read = {} if read is None else read
    data = read[path] = read.get(path) or read_set(path, f"{where}.data", "data")
    if subject.system:
        if subject.system not in data.systems:
            raise PlacedError(
                f"{where}: {path} has no system {subject.system!r}; {suggest(subject.system, data.systems)}",
                f"{where}.system",
                "systems",
            )
        segments: list[Segment] = list(data.segments(subject.system))
    else:  # references belong to the item: any system's row shows them, each item once
        segments = list({segment.item: segment for segment in data}.values())
    wanted = set(subject.items)
    lacking = wanted - {segment.item for segment in segments}
    if lacking:
        known = list(dict.fromkeys(segment.item for segment in segments))
        raise PlacedError(
            f"items: {path} has no item {shortened(min(lacking))} of {subject.called}; "
            f"{suggest(min(lacking), known) if len(known) <= MOST_NAMED else 'name items of the set'}",
            f"{where}.items",
            "items",
        )
    return [segment for segment in segments if not wanted or segment.item in wanted]


def output_of(segment: Segment, subject: Subject, where: str, path: Path) -> str:
    """The text of a row: the system's output, or the reference that the subject names."""
    if not subject.reference:
        return segment.hypothesis
    if len(segment.references) < subject.reference:
        raise PlacedError(
            f"the item {shortened(segment.item)} of {path} has {counted(len(segment.references), 'reference')}, so "
            f"there is no number {subject.reference}; leave the item out (items: …), or take a reference that all have",
            f"{where}.reference",
            "systems",
        )
    return segment.references[subject.reference - 1]


def _shown(extra: dict[str, Any], subject: Subject, name: str, what: str) -> str:
    """A value of the row as a judge reads it."""
    key, place = getattr(subject, what), f"subjects.{name}.{what}"
    if not key:
        return ""
    if key not in extra:
        raise PlacedError(f"{place}: the rows have no key {key!r}; {suggest(key, extra)}", place)
    value = extra[key]
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        lines = [" · ".join(map(str, line)) if isinstance(line, list | tuple) else str(line) for line in value]
        return "\n".join(lines)
    return orjson.dumps(value).decode()
