"""Configurations for tests of controlled corpora: places, people and what is said of them, in the file itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from nlgauge.corpus.generate import Generated, generate
from nlgauge.corpus.generate.config import NOISE, read_config

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
BUILDING = [name for name in PLACES if name not in PEOPLE]
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
        f"{name} {kind}" for kind in ("Hall", "Bridge") for name in ("Arden", "Corby", "Lake", "Elm", "Oak", "Fir")
    ],
    "person": [
        f"{name} Bean" for name in ("Alan", "Ann", "Bo", "Cy", "Dee", "Ed", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim")
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


FREQUENCIES = st.one_of(
    st.just("uniform"),
    st.floats(0.2, 1.5).map(lambda exponent: {"kind": "zipf", "exponent": round(exponent, 2)}),
)


@st.composite
def _choices(draw: st.DrawFn, least: int, most: int) -> dict[str, Any]:
    """A number and a frequency, which may be given by shares."""
    number = draw(st.integers(least, most))
    given = st.lists(st.integers(2, 5), min_size=number, max_size=number).map(
        lambda shares: {"kind": "given", "shares": sorted(shares, reverse=True)}
    )
    return {"number": number, "frequency": draw(st.one_of(FREQUENCIES, given))}


ORDERS = ["input", "alphabetical", {"kind": "content", "first": ["year"]}, {"kind": "random", "orders": 3}]
SEGMENTATIONS = [
    "entity",
    *({"kind": "every", "triples": triples} for triples in (1, 2, 3)),
    {"kind": "predicate", "begin": ["style"]},
    {"kind": "both", "begin": ["year"]},
    {"kind": "number", "sentences": [1, 2]},
]


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """What may be asked of buildings: every kind of property, in sizes that most often can be had."""
    triples = draw(st.sampled_from([[1], [2], [1, 2], [1, 2, 3], [3]]))
    subjects = draw(st.sampled_from([[1], [1, 2]]))
    kinds = ["name", "pronoun", "description"]
    # three of three in every text are alike frequent, and of few entities in texts about two of them, all must be
    predicates: dict[str, Any] = {"number": draw(st.integers(3, 4))}
    if triples == [1]:
        predicates["frequency"] = draw(FREQUENCIES)
    return {
        "only": draw(st.permutations(BUILDING)),
        "train": draw(st.integers(300, 500)),
        "dev": draw(st.integers(150, 200)),
        "triples": triples,
        "subjects": subjects,
        "seed": draw(st.integers(0, 99)),
        "predicates": predicates,
        "templates": draw(_choices(1, 2)),
        "entities": draw(_choices(4 if 2 in subjects else 2, 6)),
        "values": draw(_choices(1, 3)),
        "called": {"number": draw(st.integers(1, 2)), "frequency": draw(FREQUENCIES)},
        "order": draw(st.sampled_from(ORDERS)),
        "segmentation": draw(st.sampled_from(SEGMENTATIONS)),
        "references": {
            "first": draw(st.sampled_from(["name", "description"])),
            "again": draw(st.sampled_from(kinds)),
            "within": draw(st.sampled_from(kinds)),
        },
        "noise": {kind: draw(st.sampled_from([0, 0.05, 0.1])) for kind in NOISE}
        | {"splits": draw(st.sampled_from([["train"], ["train", "seen"]]))},
        "tests": {
            "seen": 150,
            "other": {
                "size": 150,
                "templates": draw(st.sampled_from([0, 0.5, 1])),
                "entities": draw(st.sampled_from([0, 0.5, 1])),
                "values": draw(st.sampled_from([0, 1])),
            },
        },
    }


def strategy_keys() -> set[str]:
    """The keys that `configurations` varies: those that are not always the same."""
    seen: dict[str, set[str]] = {}

    @example_settings(max_examples=40, deadline=None, database=None)
    @given(configurations())
    def look(config: dict[str, Any]) -> None:
        for key, value in config.items():
            seen.setdefault(key, set()).add(repr(value))

    look()
    return {key for key, values in seen.items() if len(values) > 1}


def impossible(config: dict[str, Any]) -> bool:
    """What three templates a predicate, texts of one fact and predicates of one value cannot give."""
    return bool(
        (config["templates"]["number"] == 2 and config["tests"]["other"]["templates"] == 0)
        or (config["noise"]["missing"] > 0 and config["triples"] == [1] and config["subjects"] == [1])
        or (config["noise"]["added"] > 0 and config["triples"] == [3] and config["predicates"]["number"] == 3)
        or (config["noise"]["wrong"] > 0 and config["values"]["number"] == 1)
    )
