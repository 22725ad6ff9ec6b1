"""Configurations for tests of controlled corpora: places, people and what is said of them, in the file itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from nlgauge.corpus.generate import Generated, generate
from nlgauge.corpus.generate.config import read_config

PLACES = {
    "location": [
        "{subject} is located in {object}",
        "{subject} lies in {object}",
        "{object} is home to {subject}",
    ],
    "architect": [
        "{subject} was designed by {object}",
        "{object} designed {subject}",
        "{object} drew up {subject}",
    ],
    "style": [
        "{subject} is a {object} building",
        "{subject}'s style is {object}",
        "people call {subject} {object}",
    ],
    "year": ["{subject} dates from {object}", "{object} saw {subject} open", "{subject} opened in {object}"],
    "nationality": [
        "{subject} is {object}",
        "{subject} comes from {object}",
        "{subject} hails from {object}",
    ],
    "job": ["{subject} was a {object}", "{subject} worked as a {object}", "{subject}'s job was {object}"],
}
PEOPLE = ("nationality", "job")
VALUES = {
    "location": ["Ilva", "Torrek", "Marn", "St. Abb and Sons", "Oslo", "Ude"],
    "architect": ["Nora Quist", "Piet Oster", "Ines Vale", "Old Tom", "Eve Arp", "Udo Ley"],
    "style": ["Gothic", "Art Deco", "old", "Ionic", "modern", "Tudor"],
    "year": ["1900", "1958", "1932", "2001", "1888", "1777"],
    "nationality": ["USA", "Norway", "Italy", "Egypt", "Japan", "India"],
    "job": ["test pilot", "actor", "engineer", "uncle", "painter", "heir"],
}
ADJECTIVES = ["American", "Norwegian", "Italian", "Egyptian", "Japanese", "Indian"]
SUBJECTS = {
    "building": [
        f"{name} {kind}"
        for kind in ("Hall", "Bridge")
        for name in ("Arden", "Corby", "Lake", "Elm", "Oak", "Fir")
    ],
    "person": [
        f"{name} Bean"
        for name in ("Alan", "Ann", "Bo", "Cy", "Dee", "Ed", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim")
    ],
}


def settings(**given: Any) -> dict[str, Any]:
    """A configuration with all of them; what is given comes on top."""
    entities: dict[str, Any] = {
        name: {"names": [name, f"old {name}"], "pronoun": "it", "description": "the building"}
        for name in SUBJECTS["building"]
    }
    entities |= {
        name: {"names": [name, f"dear {name}"], "pronoun": "she", "description": "the person"}
        for name in SUBJECTS["person"]
    }
    entities |= {
        value: {"names": [value], "adjective": adjective}
        for value, adjective in zip(VALUES["nationality"], ADJECTIVES, strict=True)
    }
    facts = [
        f"{name} | {predicate} | {VALUES[predicate][number % 6]}"
        for kind, predicates in (("building", [p for p in PLACES if p not in PEOPLE]), ("person", PEOPLE))
        for number, name in enumerate(SUBJECTS[kind])
        for predicate in predicates
    ]
    return {"lexicalisations": PLACES, "names": entities, "known": facts, "train": 200, **given}


def made(folder: Path, **given: Any) -> tuple[Generated, dict[str, list[dict[str, Any]]]]:
    """A corpus of such a configuration: what the generator says of it, and the rows of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(settings(**given), sort_keys=False), encoding="utf-8")
    found = generate(read_config(path), folder / "out", beside=folder)
    return found, {
        name: [json.loads(line) for line in (folder / "out" / f"{name}.jsonl").read_text().splitlines()]
        for name in found.texts
    }
