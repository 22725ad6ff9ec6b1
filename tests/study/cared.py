"""A study of outputs with every check of its judges, for several tests."""

from __future__ import annotations

from typing import Any

ITEMS = 24
WORDS = ("rain", "wind", "snow", "fog", "sun", "hail", "frost", "cloud", "storm", "heat", "dew", "mist")


def sentence(system: str, item: int) -> str:
    """Nine words, other ones for each item."""
    return " ".join([system, *(WORDS[(item * 5 + k * (item % 3 + 1)) % len(WORDS)] for k in range(7)), f"{item}."])


QUALITY: dict[str, Any] = {
    "attention": [
        {"text": "This is a check: please choose 2.", "answer": {"fluency": 2}},
        {"text": "This is a check: please choose 4.", "answer": {"fluency": 4}},
    ],
    "attention_each": 2,
    "degraded": 8,
    "repeats": 6,
    "gap": 4,
    "rule": {"exclude": ["attention", "degraded"], "failures": 1},
}
TEST: dict[str, Any] = {
    "questions": [
        {"text": "What do you judge?", "options": ["The text", "Its author"], "answer": 1},
        {"text": "Are there right answers?", "options": ["Yes", "No", "Sometimes"], "answer": 2},
    ],
    "attempts": 2,
}


def changes(**more: Any) -> dict[str, Any]:
    """What such a study changes in the usual description."""
    return {
        "subjects": {
            name: {"texts": [{"text": sentence(name, k)} for k in range(ITEMS)]}
            for name in ("rules", "neural", "people")
        },
        "criteria": ["fluency"],
        "scale": {"points": 7, "labels": ["bad", "good"]},
        "show": None,
        "quality": QUALITY,
        **more,
    }


def _marks(**more: Any) -> dict[str, Any]:
    return {
        "on": "output",
        "start": 4,
        "end": 9,
        "category": "fluency",
        "severity": "major",
        "note": "",
        **more,
    }


BESIDE = {"source": "none"}
SEVERAL = {"texts": [{"text": "The best one.", **BESIDE}, {"text": "A worse one."}, {"text": "The worst."}]}
TWO = {"texts": SEVERAL["texts"][:2]}
WRONG_WORD = {"text": "The catt sat on the mat all day long.", **BESIDE}
HELLO = {"text": "A short talk.", "history": ["Hello.", "What do you want?"]}
GOLD: dict[str, tuple[dict[str, Any], dict[str, Any], Any, Any]] = {
    "likert": (
        {"text": "Bad.", **BESIDE},
        {"answer": {"fluency": 2}, "within": 1},
        {"fluency": 1},
        {"fluency": 4},
    ),
    "continuous": (
        {"text": "Bad.", **BESIDE},
        {"answer": {"fluency": 20}, "within": 9},
        {"fluency": 25},
        {"fluency": 40},
    ),
    "binary": (
        {"text": "Bad.", **BESIDE},
        {"answer": {"grammaticality": 0}},
        {"grammaticality": 0},
        {"grammaticality": 1},
    ),
    "pairwise": (
        TWO,
        {"answer": {"fluency": 1}},
        {"fluency": {"preference": "a", "strength": 1}},
        {"fluency": {"preference": "tie", "strength": 0}},
    ),
    "ranking": (
        SEVERAL,
        {"answer": {"fluency": 1}},
        {"fluency": {"ranks": [1, 3, 2]}},
        {"fluency": {"ranks": [1, 1, 3]}},
    ),
    "best-worst": (
        SEVERAL,
        {"answer": {"fluency": 1}},
        {"fluency": {"best": 0, "worst": 2}},
        {"fluency": {"best": 1, "worst": 2}},
    ),
    "magnitude": (
        {"text": "Half as good.", **BESIDE},
        {"answer": {"fluency": 50}, "within": 10},
        {"fluency": 45},
        {"fluency": 100},
    ),
    "rankme": (SEVERAL, {"answer": {"fluency": 1}}, {"fluency": [90, 20, 10]}, {"fluency": [90, 90, 10]}),
    "post-edit": (
        WRONG_WORD,
        {"errors": ["catt"], "pattern": "The cat * mat."},
        {"outcome": "edited", "text": "The cat sat on a mat.", "ratings": {}},
        {"outcome": "edited", "text": "The catt sat on a mat.", "ratings": {}},
    ),
    "spans": (
        WRONG_WORD,
        {"errors": [{"words": "catt", "severity": "major"}]},
        {"spans": [_marks()], "none": False, "ratings": {}},
        {"spans": [_marks(severity="minor")], "none": False, "ratings": {}},
    ),
    "classification": (
        {"text": "Rain. Wind 5.", **BESIDE},
        {"answer": {"class": 1}},
        {"class": 1},
        {"class": 3},
    ),
    "task": (
        {"text": "The shop sells bread."},
        {"ask": [{"id": "what", "text": "What is sold?", "answer": "bread", "accepted": ["some bread"]}]},
        {"answers": {"what": {"text": "Some bread."}}, "confidence": 3},
        {"answers": {"what": {"text": "shoes"}}, "confidence": 3},
    ),
    "chat": (
        HELLO,
        {"answer": {"engagingness": 1}},
        {"ratings": {"engagingness": 1}},
        {"ratings": {"engagingness": 3}},
    ),
}
"""Of each protocol a screen, what is known of it, an answer that agrees, and one that does not."""


def trained(protocol: str, **more: Any) -> dict[str, Any]:
    """What a study with such a screen as practice, and as an attention check, changes in that of `rated.of`."""
    screen, known, _, _ = GOLD[protocol]
    criterion = {"binary": ["grammaticality"], "chat": ["engagingness"]}.get(protocol, ["fluency"])
    criteria = None if protocol in ("task", "post-edit", "spans", "classification") else criterion
    check = dict(screen)
    if "texts" in screen:
        check = {"texts": [one["text"] for one in screen["texts"]], **BESIDE}
    return {
        **({} if protocol in ("task", "classification") else {"criteria": criteria}),
        "practice": {"examples": [{**screen, "gold": known, "why": "Because of it."}], "required": 1, **more},
        "quality": {"attention": [check | known], "rule": {"exclude": ["attention"]}},
        "panels": {"public": {"judges": 6, "evaluations": 2, "access": "links"}},
    }
