"""How a machine compares texts.

pairwise    {"q1": "1"}, "2" or "tie"           with degrees {"q1": {"choice": "1", "strength": 2}}
ranking     {"q1": [2, 1, 3]}                   the rank of text 1, of text 2 …
best-worst  {"q1": {"best": 2, "worst": 1}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.forms import Criteria, Form, Say, Scored, Work, whole_in
from nlgauge.study.protocols.comparisons.answers import SIDES, TIE, competition
from nlgauge.study.protocols.comparisons.file import PairwiseStudy, RankingStudy
from nlgauge.study.protocols.outputs.file import OutputStudy


@dataclass(frozen=True)
class Preferred(Form):
    """One of two texts, or neither."""

    ties: bool
    strength: tuple[Mapping[str, str], ...]

    def choices(self, place: int, language: str, say: Say) -> str:
        """Both texts, the tie, and the degrees."""
        texts = [say("text_number", number=number) for number in (1, 2)]
        shown = ", ".join([texts[0], *([say("preference_tie")] if self.ties else []), texts[1]])
        degrees = ", ".join(
            f"{degree} = {worded(words, language)}" for degree, words in enumerate(self.strength, start=1)
        )
        return f"{shown} ({degrees})" if degrees else shown

    def told(self, place: int, texts: int) -> str:
        """The numbers of the texts."""
        sides = '"1" or "2"' + (', or "tie" for no difference' if self.ties else "")
        if not self.strength:
            return sides
        none = ", 0 with a tie" if self.ties else ""
        return (
            f'an object {{"choice": …, "strength": …}}; the choice is {sides}; the strength a number from 1 to '
            f"{len(self.strength)}{none}"
        )

    def read(self, value: Any) -> Any:
        """A side, with its degree where degrees are asked for."""
        if not self.strength:
            return {"preference": _side(value)}
        if not isinstance(value, Mapping) or set(value) - {"strength"} != {"choice"}:
            raise ValueError("no choice with a strength")
        side = _side(value["choice"])
        return {"preference": side, "strength": whole_in(value.get("strength", 0 if side == TIE else None))}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """The higher score; of degrees the slightest, because scores say which and not how much."""
        gap = scores[0] - scores[1]
        equal = abs(gap) <= margin
        drawn = equal and not self.ties
        side = draw.choice(SIDES) if drawn else TIE if equal else SIDES[int(gap < 0)]
        return {"preference": side} | ({"strength": int(side != TIE)} if self.strength else {}), drawn


@dataclass(frozen=True)
class Ranked(Form):
    """A rank for each text."""

    ties: bool

    def choices(self, place: int, language: str, say: Say) -> str:
        """What the page says of ranks."""
        return say("ranking_help_ties") if self.ties else say("ranking_help")

    def told(self, place: int, texts: int) -> str:
        """As many ranks as texts."""
        return f"a list of {texts} whole numbers from 1 to {texts}: the rank of text 1, of text 2 and so on"

    def read(self, value: Any) -> Any:
        """Whole numbers."""
        if not isinstance(value, list):
            raise ValueError("no list of ranks")
        return {"ranks": [whole_in(rank) for rank in value]}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """From the highest score; a text no more than the margin below the one before it shares its rank."""
        chance = [draw.random() for _ in scores]
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], chance[place]))
        ranks, shared = [0] * len(scores), False
        for rank, place in enumerate(order):
            before = order[rank - 1]
            equal = rank > 0 and scores[before] - scores[place] <= margin
            shared |= equal
            ranks[place] = ranks[before] if equal and self.ties else rank + 1
        return {"ranks": competition(ranks)}, shared and not self.ties


class Extreme(Form):
    """The best and the worst text."""

    def choices(self, place: int, language: str, say: Say) -> str:
        """What the page says of both."""
        return f"{say('extremes_help')} ({say('best')}, {say('worst')})"

    def told(self, place: int, texts: int) -> str:
        """Two numbers of texts."""
        return f'an object {{"best": N, "worst": M}} with two different numbers of texts, from 1 to {texts}'

    def read(self, value: Any) -> Any:
        """Two places, counted from 0."""
        if not isinstance(value, Mapping) or set(value) != {"best", "worst"}:
            raise ValueError("no best and worst")
        return {end: whole_in(value[end]) - 1 for end in ("best", "worst")}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """The highest and the lowest score."""
        chance = [draw.random() for _ in scores]
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], chance[place]))
        best, worst = order[0], order[-1]
        drawn = any(
            abs(scores[place] - scores[end]) <= margin
            for end in (best, worst)
            for place in range(len(scores))
            if place != end
        )
        return {"best": best, "worst": worst}, drawn


def _side(value: Any) -> str:
    if value == TIE:
        return TIE
    number = whole_in(value)
    if number not in (1, 2):
        raise ValueError(f"{value!r} is neither text")
    return SIDES[number - 1]


def form_of(study: OutputStudy) -> Form:
    """A preference, ranks, or the best and the worst."""
    if isinstance(study, PairwiseStudy):
        return Preferred(study.ties, study.strength)
    return Ranked(study.ties) if isinstance(study, RankingStudy) else Extreme()


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The questions of the study."""
    return Criteria(study, language, say, form_of(study))
