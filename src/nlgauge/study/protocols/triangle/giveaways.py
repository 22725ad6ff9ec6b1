"""Surface traits by which a judge could find the odd text without reading for its author.

Two kinds of figures. For lengths and the like: how often a judge who compares nothing else would pick the odd one, in
triads drawn as the study draws them (guessing: one in three); this is the size of the leak in the unit of the test
itself. For words and endings: in which share of each subject's texts they occur.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nlgauge.jsonable import rows
from nlgauge.study.designs.triangle import assign
from nlgauge.study.model import Text, odd_position

TRIADS_DRAWN = 600
GROSS = 0.45  # share of odd texts found by one trait alone from which a trait is reported
FAR = 0.5  # difference between the shares of texts with a word from which it is reported
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"[.!?…؟。]+(?:\s|$)")


@dataclass(frozen=True)
class Trait:
    """One trait that differs: the words for it and its figures."""

    name: str
    message: str
    figures: dict[str, Any]


def traits(texts: Sequence[Text], *, seed: int, inputs: Literal["different", "any"]) -> list[Trait]:
    """Every trait that gives the author away grossly."""
    drawn = drawn_triads(texts, seed=seed, inputs=inputs)
    measured = ((name, unit, {text.id: measure(text.text) for text in texts}) for name, measure, unit in _MEASURES)
    found = [trait for name, unit, value in measured for trait in numeric(name, unit, texts, value, drawn)]
    return [*found, *_marks(texts), *_pictures(texts)]


Drawn = Sequence[tuple[int, Sequence[Text]]]
"""Triads: the place of the odd text, and the three texts."""


def drawn_triads(texts: Sequence[Text], *, seed: int, inputs: Literal["different", "any"]) -> Drawn:
    """Triads as the study draws them."""
    by_id = {text.id: text for text in texts}
    return [
        (odd_position(slot.role), [by_id[text] for text in slot.texts])
        for slot in assign(texts, "check", TRIADS_DRAWN, seed=seed, inputs=inputs)
    ]


def _sentence_length(text: str) -> float:
    return len(text.split()) / max(1, len(_SENTENCE.findall(text)))


def _share(test: Callable[[str], bool]) -> Callable[[str], float]:
    return lambda text: sum(map(test, text)) / max(1, len(text))


_MEASURES: tuple[tuple[str, Callable[[str], float], str], ...] = (
    ("length", lambda text: float(len(text.split())), "words"),
    ("characters", lambda text: float(len(text)), "characters"),
    ("sentence length", _sentence_length, "words a sentence"),
    ("digits", _share(str.isdigit), "of the characters"),
    ("capitals", _share(str.isupper), "of the characters"),
    ("punctuation", _share(lambda c: not c.isalnum() and not c.isspace()), "of the characters"),
    ("line breaks", lambda text: float(text.count("\n")), "line breaks"),
)
_PLURAL = {"characters", "digits", "capitals", "line breaks"}


def numeric(name: str, unit: str, texts: Sequence[Text], value: Mapping[str, float], drawn: Drawn) -> Iterator[Trait]:
    """A trait with a number for each text, if a judge who compares nothing else would find the odd text too often."""
    found = statistics.fmean(_chance(odd, [value[text.id] for text in triad]) for odd, triad in drawn)
    if found < GROSS:
        return
    means = {subject: statistics.fmean(value[text.id] for text in texts if text.subject == subject) for subject in "AB"}
    share = unit == "of the characters"
    shown = {subject: f"{100 * mean:.1f} %" if share else f"{mean:.1f}" for subject, mean in means.items()}
    yield Trait(
        name,
        f"{name} {'give' if name in _PLURAL else 'gives'} the author away: "
        f"a judge who compares nothing else finds the odd text in {100 * found:.0f} % of "
        f"triads (guessing: 33 %); A has {shown['A']} {unit} on average, B {shown['B']}",
        {"found": round(found, 4), "A": means["A"], "B": means["B"], "unit": unit},
    )


def _chance(odd: int, values: Sequence[float]) -> float:
    """The chance that the text whose value lies farthest from the mean of the two others is the odd one."""
    far = [abs(values[k] - (sum(values) - values[k]) / 2) for k in range(3)]
    best = max(far)
    top = [k for k in range(3) if best - far[k] <= 1e-9 * (1 + best)]
    return (odd in top) / len(top)


def _marks(texts: Sequence[Text]) -> Iterator[Trait]:
    """Words, signs and endings that most texts of one subject have and most of the other's lack."""
    have: dict[str, Counter[str]] = {"A": Counter(), "B": Counter()}
    total = Counter(text.subject for text in texts)
    for text in texts:
        words = _TOKEN.findall(text.text.lower())
        marks = {f"“{word}”" for word in words}
        if words:
            marks |= {f"beginning with “{words[0]}”", f"ending in “{text.text.rstrip()[-1:]}”"}
            marks.add("beginning in lower case" if text.text.lstrip()[:1].islower() else "beginning in upper case")
        have[text.subject].update(marks)
    both = ((mark, have["A"][mark] / total["A"], have["B"][mark] / total["B"]) for mark in {*have["A"], *have["B"]})
    far = sorted((row for row in both if abs(row[1] - row[2]) >= FAR), key=lambda row: (-abs(row[1] - row[2]), row[0]))
    if not far:
        return
    listed = "; ".join(f"{mark}: {100 * a:.0f} % of A, {100 * b:.0f} % of B" for mark, a, b in far[:5])
    more = f"; and {len(far) - 5} more" if len(far) > 5 else ""
    yield Trait(
        "vocabulary",
        f"words and signs give the author away, by the share of texts that have them: {listed}{more}",
        {"marks": rows(far, "mark A B")},
    )


def _pictures(texts: Sequence[Text]) -> Iterator[Trait]:
    for name in ("image", "caption", "context"):
        shares = {
            subject: statistics.fmean(bool(getattr(text, name)) for text in texts if text.subject == subject)
            for subject in "AB"
        }
        if shares["A"] != shares["B"]:
            yield Trait(
                name,
                f"{100 * shares['A']:.0f} % of A's texts and {100 * shares['B']:.0f} % of B's have a {name}, which "
                "tells them apart at a glance",
                dict(shares),
            )
