"""A small study of outputs, rated or compared, and answers to any protocol."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import conversing
import studies
import yaml

from nlgauge.study.file import study as design
from nlgauge.study.model import Evaluation
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.protocols.outputs.parts import asked_about
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store

COMPARISONS = ("pairwise", "ranking", "best-worst")
MAGNITUDES = ("magnitude", "rankme")
FORMAL = {
    "id": "formality",
    "definition": "The text keeps the tone of an official letter.",
    "question": "Which of these texts is more formal?",
}
OWN = {
    "id": "formality",
    "definition": "The text keeps the tone of an official letter.",
    "question": "How formal is this text?",
    "scale": {"points": 4, "low": 0, "labels": ["not at all", "completely"]},
}


def description(**changes: Any) -> dict[str, Any]:
    """A study file with some keys changed; a key set to None is left out."""
    values: dict[str, Any] = {
        "protocol": "likert",
        "title": "How good are these forecasts?",
        "subjects": {
            name: {"texts": [{"text": f"{name} says: rain in valley {k}.", "source": f"rain({k})"} for k in range(6)]}
            for name in ("rules", "neural", "people")
        },
        "criteria": ["fluency", OWN],
        "show": ["source"],
        "design": {"kind": "latin"},
        "panels": {"public": {"judges": 6, "access": "open"}},
        "seed": 7,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def write(folder: Path, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    text = yaml.safe_dump(description(**changes), sort_keys=False, allow_unicode=True)
    (folder / design.FILE).write_text(text, encoding="utf-8")
    return folder


def launched(folder: Path, clock: Callable[[], float], store: Store | None = None, **changes: Any) -> Service:
    write(folder, **changes)
    return launch(design.load(folder), folder, store or Store.memory(), clock=clock)


def of(protocol: str, folder: Path, clock: Callable[[], float], store: Store | None = None, **changes: Any) -> Service:
    """A launched study of six sheets with four evaluations each."""
    if protocol == "triangle":
        panels = {"public": {"judges": 6, "evaluations": 4, "access": "open"}}
        return studies.launched(folder, clock, store, **{"panels": panels, **changes})
    panels = {"public": {"judges": 6, "evaluations": 4, "access": "open"}}
    if protocol in ("task", "chat"):
        return conversing.launched(folder, conversing.three(protocol, panels=panels) | changes, clock, store)
    if protocol in COMPARISONS:
        return compared(protocol, folder, clock, store, **{"panels": panels, **changes})
    if protocol in MAGNITUDES:
        return launched(folder, clock, store, **estimating(protocol, **{"panels": panels, **changes}))
    if protocol == "classification":
        return launched(folder, clock, store, **classifying(**{"panels": panels, **changes}))
    scale = {"continuous": None, "binary": None, "spans": None}.get(protocol, OWN["scale"])
    own = {key: value for key, value in OWN.items() if key != "scale"} | ({"scale": scale} if scale else {})
    criteria = ["grammaticality", own] if protocol == "binary" else ["fluency", own]
    given = {"protocol": protocol, "panels": panels, "criteria": criteria, **changes}
    return launched(folder, clock, store, **given)


CLASSES: dict[str, Any] = {
    "question": "Who writes like this?",
    "classes": {
        "office": {"label": "The weather office", "description": "Short and exact."},
        "paper": {"label": "A newspaper"},
        "other": {},
    },
    "truth": {"rules": "office", "people": "paper"},
}


def classifying(**changes: Any) -> dict[str, Any]:
    """What a classification changes in the description; of one system the class is not known."""
    return {"protocol": "classification", "criteria": None, **CLASSES} | changes


def comparing(protocol: str, **changes: Any) -> dict[str, Any]:
    """What a comparative study changes in the description."""
    kind = {"kind": "pairs"} if protocol == "pairwise" else {"kind": "bibd", "per_screen": 3}
    values = {"protocol": protocol, "criteria": ["fluency", FORMAL], "design": kind}
    if protocol == "pairwise":
        values["strength"] = ["slightly", "clearly", "far"]
    return values | changes


def compared(
    protocol: str, folder: Path, clock: Callable[[], float], store: Store | None = None, **changes: Any
) -> Service:
    """A launched study of comparisons."""
    return launched(folder, clock, store, **comparing(protocol, **changes))


def estimating(protocol: str, **changes: Any) -> dict[str, Any]:
    """What a magnitude study changes in the description."""
    own = {key: value for key, value in OWN.items() if key != "scale"}
    kind = {"kind": "latin"} if protocol == "magnitude" else {"kind": "bibd", "per_screen": 3}
    values = {"protocol": protocol, "criteria": ["fluency", own], "design": kind}
    return values | {"standard": {"text": "Rain, somewhere.", "value": 100}} | changes


NUMBERS = (100, 50, 12.5, 1e-7, 2.5e12, 1.125, 9007199254740993.0)


RANKS = ([1, 2, 3], [1, 1, 1], [3, 1, 1], [2, 3, 1], [1, 1, 3])
ENDS = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
SIDES = (("a", 1), ("tie", 0), ("b", 3), ("a", 2), ("b", 1), ("a", 3), ("b", 2))


def _comparison(protocol: str, number: int) -> dict[str, Any]:
    if protocol == "pairwise":
        side, strength = SIDES[number % len(SIDES)]
        return {"preference": side, "strength": strength}
    if protocol == "ranking":
        return {"ranks": RANKS[number % len(RANKS)]}
    best, worst = ENDS[number % len(ENDS)]
    return {"best": best, "worst": worst}


def some_answer(service: Service, shown: Evaluation, number: int) -> Any:
    """An answer that the protocol takes, another for each number."""
    if service.study.protocol == "triangle":
        return number % 3
    if service.study.protocol == "task":
        return conversing.task_answer(shown, number)
    if service.study.protocol == "chat":
        return conversing.chat_answer(service, shown, number)
    if service.study.protocol in ("post-edit", "spans"):
        return _worked(service, shown, number)
    return _rated(service, shown, number)


def _worked(service: Service, shown: Evaluation, number: int) -> dict[str, Any]:
    """A post-edit, or errors with and without a place, and the ratings after them."""
    (text,) = shown.texts
    ratings = {"ratings": _rated(service, shown, number)}
    if service.study.protocol == "post-edit":
        if number % 3 == 0:
            return {"outcome": "unchanged", "text": text.text} | ratings
        return {"outcome": "edited", "text": f"{text.text} \N{CLOUD WITH RAIN}\n{number}"} | ratings
    if number % 3 == 0:
        return {"spans": [], "none": True} | ratings
    error = {"on": "output", "start": number % 4, "end": number % 4 + 3, "note": "é \N{CLOUD WITH RAIN}"}
    kinds = {"category": "accuracy", "severity": "major"}
    return {"spans": [error | kinds], "none": False} | ratings


def _rated(service: Service, shown: Evaluation, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    study = output_study(service.study)
    for place, _ in asked_about(shown.texts[0], study):
        asked: Any = study.questions_asked[place]
        if study.protocol in MAGNITUDES:
            given = [NUMBERS[(number + place + k) % len(NUMBERS)] for k in range(len(shown.texts))]
            found[asked.id] = given if study.protocol == "rankme" else given[0]
            continue
        if service.study.protocol in COMPARISONS:
            found[asked.id] = _comparison(service.study.protocol, number + len(found))
            continue
        values = asked.scale.values or tuple(range(0, 101))
        found[asked.id] = values[(number * 7 + len(found)) % len(values)]
    return found
