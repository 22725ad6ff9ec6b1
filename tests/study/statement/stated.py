"""Studies whose every field can be stated, run by simulated judges, and a small reader of LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import conversing
import rated
import studies

from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import gather
from nlgauge.study.statements.read import Read

STATED: dict[str, Any] = {
    "paper": "https://example.org/paper, experiment 2",
    "resources": "https://example.org/data",
    "contact": "A. Researcher, a@example.org",
    "task": "data-to-text generation",
    "input": "tables",
    "output": "one sentence",
    "input_language": "none",
    "output_language": "English",
    "dataset": "SumTime, test part",
    "selection": "drawn at random",
    "power": "0.9 for half a point",
    "preregistration": "no",
    "expertise": "readers of forecasts",
    "demographics": "students",
    "language_familiarity": "first language",
    "recruitment": "by e-mail",
    "pay": "5 euros",
    "pay_per_hour": "15 euros",
    "known_to_authors": "no",
    "authors_among_judges": "no",
    "training": "none outside the pages",
    "quality_control": "none outside the pages",
    "exclusions": "nobody by hand",
    "feedback": "a comment box at the end",
    "analysis": "means of each system",
    "significance": "Wilcoxon's test",
    "agreement": "alpha 0.61",
    "personal_data": "none",
    "special_data": "none",
    "impact": "none",
}
COMMON: dict[str, Any] = {
    "instructions": {
        "en": "Read & judge: 100 % of {text}_1.\n\nUse #2 ~ or \\3.",
        "de": "Lesen und urteilen.",
    },
    "consent": {"text": {"en": "We store your answers.", "de": "Wir speichern Ihre Antworten."}},
    "ethics": {
        "approval": "2026/17",
        "body": "Ethics board",
        "contact": "ask@example.org",
        "retention_days": 90,
    },
    "languages": ["en", "de"],
    "title": {"en": "How good?", "de": "Wie gut?"},
    "questions": [{"id": "age", "text": "How old are you?", "type": "number"}],
}
OWN = {**rated.OWN, "question": {"en": "How formal is this text?", "de": "Wie förmlich ist dieser Text?"}} | {
    "scale": {
        "points": 4,
        "low": 0,
        "labels": [{"en": "not at all", "de": "gar nicht"}, {"en": "fully", "de": "ganz"}],
    }
}
CRITERIA = {"formality": {"quality": "feature", "aspect": "form", "frame": "itself"}}


FORMAL = {
    **rated.FORMAL,
    "question": {"en": "Which text is more formal?", "de": "Welcher Text ist förmlicher?"},
}


def _compared(protocol: str, *, full: bool) -> dict[str, Any]:
    """What a comparative study says in both languages."""
    if not full:
        return {}
    degrees = [{"en": "slightly", "de": "etwas"}, {"en": "clearly", "de": "deutlich"}]
    return {"criteria": ["fluency", FORMAL]} | ({"strength": degrees} if protocol == "pairwise" else {})


def folder(path: Path, protocol: str, *, full: bool, **changes: Any) -> Path:
    """A study file; the full one tells everything that a person can tell."""
    names = ("rules", "neural", "people") if protocol != "triangle" else ("A", "B")
    stated = STATED | {"systems": {name: f"what {name} is" for name in names}, "criteria": CRITERIA}
    given = COMMON | {"statement": stated} if full else {}
    if protocol == "triangle":
        asked = {"question": {"en": "Which one is odd?", "de": "Welcher passt nicht?"}} if full else {}
        return studies.write(path, **{**given, **asked, **changes})
    if protocol in ("task", "chat"):
        return conversing.write(path, conversing.three(protocol) | given | changes)
    if protocol in rated.COMPARISONS:
        return rated.write(path, **rated.comparing(protocol, **{**given, **_compared(protocol, full=full), **changes}))
    if protocol == "classification":
        return rated.write(path, **rated.classifying(**given | changes))
    if protocol == "likert" and full:
        given = given | {"criteria": ["fluency", OWN]}
    if protocol in rated.MAGNITUDES:
        given = rated.estimating(protocol, criteria=["fluency"]) | given
    if protocol == "binary":
        given = given | {"criteria": ["grammaticality"]}
    if protocol in ("continuous", "spans"):
        given = given | {"criteria": ["fluency"]}
    return rated.write(path, **{"protocol": protocol, **given, **changes})


def run(path: Path, protocol: str, *, full: bool = True, **changes: Any) -> Read:
    """The statement after simulated judges came; one in five goes away."""
    where = folder(path, protocol, full=full, **changes)
    study = load(where)
    frozen = freeze(study, where)
    crowd = protocol_of(protocol).crowd(study, {"dropouts": 0.2})
    service, _ = rehearse(frozen, crowd, seed=3)
    facts = gather(service)
    return Read(statement_of(frozen, study.statement, facts), frozen, study.statement, facts)
