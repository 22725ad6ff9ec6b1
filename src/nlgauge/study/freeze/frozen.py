"""What is fixed at launch: the study, its texts, the assignments and the practice, under one SHA-256.

`freeze` makes it, `write` puts it beside the study file as `frozen.json`, `read` refuses a file whose hash no longer
fits. Nothing that happens afterwards changes it; evaluations added for late judges are in the store, as events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import orjson

from nlgauge import __version__
from nlgauge.errors import InputError
from nlgauge.io.files import readable
from nlgauge.io.outputs import FROZEN
from nlgauge.io.write import atomic_file
from nlgauge.study.designs.triangle import panel_prefix
from nlgauge.study.file.places import PlacedError, line_of
from nlgauge.study.file.study import FILE as STUDY_FILE
from nlgauge.study.file.study import Study, digest, inspect, refuse_broken_off
from nlgauge.study.freeze.texts import image_path
from nlgauge.study.model import Slot, Text
from nlgauge.study.protocols import protocol_of

FILE = FROZEN
BODY = ("study", "texts", "slots", "practice", "images")  # the keys under the hash


@dataclass(frozen=True)
class Frozen:
    """A launched study."""

    study: Study
    texts: tuple[Text, ...]  # of the study and of its practice
    slots: tuple[Slot, ...]
    practice: tuple[Slot, ...]  # `number` says which, `block` which of its orders
    images: Mapping[str, str]  # SHA-256 by path

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that is fixed."""
        return digest(self.body)

    @property
    def id(self) -> str:
        """The name under which the store keeps it: the beginning of the digest."""
        return self.digest[:16]

    @cached_property
    def text(self) -> Mapping[str, Text]:
        """The texts by id."""
        return {text.id: text for text in self.texts}

    @cached_property
    def served(self) -> tuple[Text, ...]:
        """The texts that may fill a slot: those of practice, damaged copies and attention checks excluded."""
        held = {text for slot in self.practice for text in slot.texts}
        inputs = {self.text[text].item for text in held}
        outputs = [text for text in self.texts if not text.role]
        return tuple(text for text in outputs if text.id not in held and text.item not in inputs)

    @cached_property
    def original(self) -> Mapping[str, str]:
        """The output of which a text is a damaged copy, by the copy's id."""
        outputs = {(text.subject, text.item): text.id for text in self.texts if not text.role}
        return {text.id: outputs[text.subject, text.item] for text in self.texts if text.role == "degraded"}

    @cached_property
    def shown_in(self) -> Mapping[str, tuple[str, ...]]:
        """The texts of every slot, by its id; slots added for late judges are in the store only."""
        return {slot.id: slot.texts for slot in self.slots}

    @cached_property
    def rounds(self) -> Mapping[int, tuple[Slot, ...]]:
        """The orders of each practice evaluation, by its number."""
        found: dict[int, list[Slot]] = {}
        for slot in self.practice:
            found.setdefault(slot.number, []).append(slot)
        return {number: tuple(slots) for number, slots in sorted(found.items())}

    @cached_property
    def body(self) -> dict[str, Any]:
        """What the hash is taken of. Of a study that was read it is what was written then: a later version of the
        program may know more keys, and must not find the hash of an older study wrong."""
        return {
            "study": self.study.to_dict(),
            "texts": [text.to_dict() for text in self.texts],
            "slots": [dict(vars(slot)) for slot in self.slots],
            "practice": [dict(vars(slot)) for slot in self.practice],
            "images": dict(self.images),
        }

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {"digest": self.digest, "nlgauge": __version__, **self.body}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], origin: str = "the frozen study") -> Frozen:
        """What `to_dict` wrote; refused where the hash does not fit."""
        try:
            named = _as_named_today(values)
            frozen = cls(
                Study.from_dict(named["study"]),
                tuple(Text(**text) for text in values["texts"]),
                tuple(Slot(**slot | {"texts": tuple(slot["texts"])}) for slot in named["slots"]),
                tuple(Slot(**slot | {"texts": tuple(slot["texts"])}) for slot in named["practice"]),
                dict(values["images"]),
            )
            stated = values["digest"]
            frozen.__dict__["body"] = {name: values[name] for name in BODY}
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{origin} is not a frozen study ({error}); launch the study again") from None
        if frozen.digest != stated:
            raise InputError(
                f"{origin} was changed after launch: its hash is {frozen.digest[:12]}…, not {str(stated)[:12]}…; "
                "restore it from the database or a copy"
            )
        return frozen


def _as_named_today(values: Mapping[str, Any]) -> dict[str, Any]:
    """Study, slots and practice of a design, with today's names where it was frozen under earlier ones.

    Before version 5 of the database the role of a slot was called its triad, and an imported design one that was found.
    """
    study = dict(values["study"])
    design = study.get("design")
    if isinstance(design, Mapping) and design.get("kind") == "found":
        study["design"] = {**design, "kind": "imported"}
    slots = {
        name: [{"role" if key == "triad" else key: value for key, value in slot.items()} for slot in values[name]]
        for name in ("slots", "practice")
    }
    return {"study": study, **slots}


def freeze(study: Study, folder: str | Path) -> Frozen:
    """Read the texts, set practice aside, and materialise every assignment, as the study's protocol does it."""
    root = Path(folder)
    try:
        found = protocol_of(study.protocol).freeze(study, folder)
    except PlacedError as error:
        raise _located(error, root) from None
    images = {
        text.image: hashlib.sha256(image_path(root, text.image, text.item).read_bytes()).hexdigest()
        for text in found.texts
        if text.image
    }
    return Frozen(found.study, found.texts, found.slots, found.practice, images)


def _located(error: PlacedError, root: Path) -> PlacedError:
    """The same refusal with the line of its key; a study that was made in Python has no file."""
    path = root / STUDY_FILE
    line = line_of(inspect(root)[2], *error.places) if path.exists() else 0
    return PlacedError(error.message, *error.places, file=path, line=line)


def write(frozen: Frozen, folder: str | Path) -> Path:
    """Put the frozen study beside its file."""
    path = Path(folder) / FILE
    with atomic_file(path, own=True, private=True) as out:
        out.write(orjson.dumps(frozen.to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return path


def read(folder: str | Path) -> Frozen:
    """The frozen study of a folder."""
    path = Path(folder) / FILE
    if Path(folder).is_dir() and not path.exists():
        refuse_broken_off(folder)
        raise InputError(f"{folder} has not been launched; do that with: nlgauge study launch {folder}")
    with readable(path):
        content = path.read_bytes()
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path} is not valid JSON ({error})") from None
    return Frozen.from_dict(values, str(path))


def practice_slot(frozen: Frozen, number: int, judge: str) -> Slot:
    """The order of a practice evaluation that a judge sees: each order is seen by as many."""
    orders = frozen.rounds[number]
    return orders[Random(f"{judge}/{number}").randrange(len(orders))]


def machine_slots(frozen: Frozen, name: str, like: str) -> list[Slot]:
    """The evaluations of a machine: those planned for a panel of people, under names of their own."""
    prefix = panel_prefix(name, frozen.study.seed)
    planned = [slot for slot in frozen.slots if slot.panel == like]
    return [
        replace(slot, id=f"{prefix}-{slot.number}", panel=name)
        for slot in protocol_of(frozen.study.protocol).screens(planned)
    ]
