"""What judges read, reviewed before launch: nothing may say who wrote the texts, lead, or ask two things at once.

Schoch, Yang and Ji (2020) name the ways in which questions steer judges: framing, demand characteristics, anchoring.
For a triangle test that means: judges must not learn which authors are compared, nor what is hoped for. English rules
are complete as far as they go; of the other languages only the words for machines and people are known.
"""

# ruff: noqa: E501 - one rule a line

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nlgauge.study.checks.findings import Finding
from nlgauge.study.file.contradictions import wordings
from nlgauge.study.languages import ABOUT, LANGUAGES
from nlgauge.study.protocols.triangle.file import TriangleStudy

# What judges read before they answer, and the words from which it is too long.
LONGEST = {"title": 10_000, "question": 40, "instructions": 250, "context": 120, "consent.text": 500}
LEADING = (
    r"obvious(?:ly)?|clear(?:ly)?|of course|surely|better|best|worse|worst|unnatural|natural|strange|weird|fake|awkward"
    r"|fluent|poor(?:ly)?|bad(?:ly)?|good|suspicious|wrong|how much (?:more|less)"
)
HOPES = (
    r"(?:we|I) (?:hope|expect|believe|want to (?:show|prove|demonstrate))|our (?:\w+ )?(?:system|model|generator|method)"
    r"|state[- ]of[- ]the[- ]art"
)
NEGATED = r"not|\w+n't|never|except"
TWO = r"(?:and|or) (?:also |then )?(?:why|how|which|what|who|explain|rate|say)\b"


def review(study: TriangleStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Findings about every wording that judges read before they answer."""
    for path in LONGEST:
        holder, _, key = path.rpartition(".")
        words: Mapping[str, str] = getattr(getattr(study, holder) if holder else study, key, None) or {}
        for language, text in words.items():
            where = path if len(words) == 1 or not language else f"{path} ({language})"
            for message in _found(study, path, where, language, text):
                yield Finding("risk", "wording", message, _line(lines, path))
    if len(study.spoken) > 1:
        # the options of one question are told of once
        single = dict.fromkeys(
            re.sub(r"options\.\d+$", "options", path) for path, words in wordings(study) if list(words) == [""]
        )
        for path in single:
            yield Finding(
                "risk",
                "wording",
                f"{path} has one wording for {len(study.spoken)} languages ({', '.join(study.spoken)}): judges of the "
                "others read a language that is not theirs",
                _line(lines, path),
            )


def _line(lines: Mapping[str, int], path: str) -> int:
    return lines.get(path) or lines.get(path.partition(".")[0], 0)


def _found(study: TriangleStudy, path: str, where: str, language: str, text: str) -> Iterator[str]:
    called = [
        name
        for subject in study.subjects.values()
        for name in (subject.name, subject.system)
        if len(name) > 1 and _has(rf"{re.escape(name)}", text)
    ]
    if called:
        yield f"{where} names {called[0]!r}, one of the two authors: judges would know what to look for"
    spoken = [language] if language else [name for name in LANGUAGES if name in study.spoken]
    told = next((hit for name in spoken if (hit := _has(ABOUT[name].machines if name in ABOUT else "(?!)", text))), "")
    if path != "consent.text" and told and told.lower() not in {name.lower() for name in called}:
        yield (
            f"{where} says “{told}”: judges who know what kinds of author are compared look for signs of a machine and "
            "not for the odd text; speak of authors"
        )
    words = len(text.split())
    if words > LONGEST[path]:
        yield f"{where} has {words} words; more than {LONGEST[path]} are seldom read"
    if language in ("", "en") and "en" in study.spoken and path != "consent.text":
        yield from _english(path, where, text)


def _english(path: str, where: str, text: str) -> Iterator[str]:
    hope = _has(HOPES, text)
    if hope:
        yield f"{where} says “{hope}”: judges would learn what is hoped for and try to please"
    if path not in ("question", "instructions"):
        return
    led = _has(LEADING, text)
    if led:
        yield f"{where} says “{led}”, which leads: it tells judges by what to choose; ask for the different author only"
    if path != "question":
        return
    if text.count("?") > 1 or _has(TWO, text):
        yield f"{where} asks two things at once; ask for the odd text here, and for reasons with reasons: text"
    if _has(NEGATED, text):
        yield f"{where} is negated (“{_has(NEGATED, text)}”), which readers easily overlook; ask for what is to be chosen"


def _has(pattern: str, text: str) -> str:
    """The first words that fit a pattern as whole words, or nothing."""
    found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE)
    return found.group() if found else ""
