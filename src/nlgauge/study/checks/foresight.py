"""Before launch: how long a judge will need, and the smallest difference that the planned answers find.

Minutes are reading, at the speed of silent reading, and answering, by a number of seconds for each answer that the
protocol names. Detectable differences need the spread of answers, which nobody knows before: of ratings it is the
median over 24 criteria of four published sets (`SPREAD`), of choices and right answers that of independent answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any

from nlgauge.errors import counted
from nlgauge.stats.mixed.planning import Variances, detectable
from nlgauge.study.checks.findings import Finding
from nlgauge.study.designs.triangle import seat_of
from nlgauge.study.file.study import Study, say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Slot, Text
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.parts import PART
from nlgauge.text.tokenizers import words

READING = 238  # words a minute: silent reading of English non-fiction (Brysbaert 2019)
LONG = 60  # minutes after which judges tire
POWER, ALPHA = 0.8, 0.05
SPREAD = Variances(residual=0.23**2, item_system=0.14**2, judge_system=0.05**2)
"""Of one rating, in shares of the scale: medians of 24 criteria of SummEval, DialSummEval, USR's Topical-Chat and
HANNA; what judges favour is not known from them, and assumed. How strict judges and how hard items are is left out: it
cancels where systems share judges and items, and nothing is told of other designs."""


def foreseen(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Minutes and detectable differences of every panel of people."""
    study = frozen.study
    protocol = protocol_of(study.protocol)
    for name, panel in study.panels.items():
        slots = [slot for slot in frozen.slots if slot.panel == name]
        if panel.kind == "people" and slots:
            line = lines.get(f"panels.{name}", 0)
            yield _minutes(frozen, name, slots, line)
            main = [slot for slot in slots if not slot.role]
            told, figures = protocol.detects(frozen, name, main)
            if told:
                how = f"with power {POWER:g} (two-sided test of one pair at {ALPHA:g})"
                yield Finding("note", "power", f"panel {name}: {told} is found {how}", line, figures)


def _minutes(frozen: Frozen, name: str, slots: Sequence[Slot], line: int) -> Finding:
    study = frozen.study
    protocol, panel = protocol_of(study.protocol), study.panels[name]
    begin = sum(_count(say(words, study.spoken[0])) for words in _before(study))
    begin += sum(_screen(frozen, orders[0]) for orders in frozen.rounds.values())
    sheets: dict[int, list[Slot]] = {}
    for slot in slots:
        sheets.setdefault(seat_of(slot.number, max(panel.evaluations, 1)), []).append(slot)
    read = [begin + sum(_screen(frozen, slot) for slot in own) for own in sheets.values()]

    def seconds(slots: Iterable[Slot]) -> float:
        return sum(protocol.answering(study, [frozen.text[text] for text in slot.texts]) for slot in slots)

    practice = seconds(orders[0] for orders in frozen.rounds.values())
    answering = [seconds(own) + practice for own in sheets.values()]
    minutes = [words / READING + spent / 60 for words, spent in zip(read, answering, strict=True)]
    mean, longest = sum(minutes) / len(minutes), max(minutes)
    reading = sum(read) / len(read)
    span = _time(60 * mean) + ("" if round(longest) == round(mean) else f" (at most {_time(60 * longest)})")
    answers = sum(answering) / len(answering)
    long = f"; judges tire after {LONG} minutes, so give each judge fewer texts" if mean > LONG else ""
    told = (
        f"panel {name}: a judge needs about {span}: some {_rough(reading):,} words at {READING} a minute, and "
        f"{_time(answers)} to answer{long}"
    )
    figures = {"minutes": round(mean, 1), "longest": round(longest, 1), "words": round(reading)}
    figures |= {"words_per_minute": READING, "answering_seconds": round(answers)}
    return Finding("risk" if long else "note", "minutes", told, line, figures)


def _time(seconds: float) -> str:
    return counted(round(seconds / 60), "minute") if seconds >= 90 else counted(round(seconds), "second")


def _rough(number: float) -> int:
    """Two digits: more would not be true."""
    return int(float(f"{number:.2g}"))


def _before(study: Study) -> Iterator[Mapping[str, str] | None]:
    yield study.instructions
    yield None if study.consent is None else study.consent.text
    for _, wording in protocol_of(study.protocol).wordings(study):
        yield wording  # questions are read once, then known


def _screen(frozen: Frozen, slot: Slot) -> int:
    texts: list[Text] = [frozen.text[text] for text in slot.texts]
    beside = [value for value in texts[0].beside.values() if not isinstance(value, int | float)]
    return sum(_count(f"{text.context} {text.text}") for text in texts) + sum(map(_count, map(str, beside)))


def _count(text: str) -> int:
    return len(words(text))


def of_ratings(frozen: Frozen, name: str, slots: Sequence[Slot]) -> tuple[float, dict[str, int]]:
    """The detectable difference of two systems' means as a share of the scale (NaN: none), and the design it is of."""
    panel = frozen.study.panels[name]
    every = ((slot, frozen.text[text]) for slot in slots for text in slot.texts)
    shown = [(slot, text) for slot, text in every if PART not in text.beside]  # of two pages one
    items = {text.item for _, text in shown}
    outputs = {(text.item, text.subject) for _, text in shown}
    sheets: dict[int, set[str]] = {}
    for slot, text in shown:
        sheets.setdefault(seat_of(slot.number, max(panel.evaluations, 1)), set()).add(text.subject)
    ratings = max(1, round(len(shown) / max(1, len(outputs))))
    design = {"judges": panel.judges, "items": len(items), "ratings": ratings}
    systems = {text.subject for _, text in shown}
    apart = max(map(len, sheets.values()), default=0) < 2 or len(outputs) == len(items)
    if len(systems) < 2 or panel.judges < 2 or len(items) < 2 or apart:
        return math.nan, design
    found = detectable(
        SPREAD,
        judges=panel.judges,
        items=max(2, len(outputs) // len(systems)),
        ratings_per_item=min(ratings, panel.judges),
        power=POWER,
        alpha=ALPHA,
    )
    return found, design


def in_deviations(frozen: Frozen, name: str, slots: Sequence[Slot]) -> tuple[str, dict[str, Any]]:
    """The same for numbers that have no scale, in standard deviations of one answer."""
    share, design = of_ratings(frozen, name, slots)
    if math.isnan(share):
        return "", {}
    size = share / math.sqrt(SPREAD.residual + SPREAD.item_system + SPREAD.judge_system)
    told = (
        f"with {design['items']} items and {counted(design['ratings'], 'answer')} to each output, a difference between "
        f"two systems of {size:.2g} standard deviations of one answer"
    )
    return told, {"standard_deviations": round(size, 4), **design}


def of_shares(share: float, answers: float, other: float = math.inf) -> float:
    """The share above `share` that so many independent answers tell from it, or from that share of `other` answers.

    By Cohen's arcsine: the difference of angles has variance 1 / n.

    >>> round(of_shares(0.5, 120), 2)
    0.63
    """
    z = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)
    angle = 2 * math.asin(math.sqrt(share)) + z * math.sqrt(1 / answers + 1 / other)
    return math.sin(min(angle, math.pi) / 2) ** 2
