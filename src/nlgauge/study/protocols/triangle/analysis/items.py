"""Texts that stand out whoever wrote them, and texts that give their author away.

A judge who errs picks one of the two texts that belong together. If texts do not matter, either is picked with chance
½: a text that is picked far more often is odd in itself, by topic or length, whoever wrote it. Each text gets an
exact binomial test, Holm's correction over all texts, and all texts together a Monte-Carlo exact test in which the
coins of all errors are tossed anew. Likewise the share of correct answers is compared between the texts that stood as
the odd one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.stats.multiple import holm
from nlgauge.study.model import Judgement, odd_position
from nlgauge.study.protocols.triangle.analysis.biases import DRAWS, Counts
from nlgauge.study.protocols.triangle.analysis.wording import p_text

_COUNTS = ("shown", "chosen", "as_odd", "spotted", "errors", "mistaken")


@dataclass(frozen=True)
class TextEffect:
    """One text: how often shown and chosen, as the odd one and as one of the pair."""

    text: str
    subject: str
    item: str
    shown: int
    chosen: int
    as_odd: int
    spotted: int  # chosen when it was the odd one
    errors: int  # wrong answers to triads in which it was one of the pair
    mistaken: int  # of these, those that chose it
    p: float  # mistaken of errors against ½, two-sided
    p_adjusted: float

    @property
    def label(self) -> str:
        """What a reader calls it: ids are hashes that hide the author from judges."""
        return f"{self.subject}'s text for {self.item}"

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return dict(vars(self))


@dataclass(frozen=True)
class ItemEffects:
    """All texts, and the two tests over all of them (None: nothing to test)."""

    texts: tuple[TextEffect, ...]
    p_odd_in_itself: float | None
    p_gives_away: float | None
    draws: int
    sentence: str

    @property
    def odd(self) -> tuple[TextEffect, ...]:
        """Texts that are odd whoever wrote them, after Holm's correction."""
        return tuple(one for one in self.texts if one.p_adjusted <= 0.05 and 2 * one.mistaken > one.errors)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "p_odd_in_itself": self.p_odd_in_itself,
            "p_gives_away": self.p_gives_away,
            "draws": self.draws,
            "odd_whoever_wrote_them": [one.text for one in self.odd],
            "texts": [one.to_dict() for one in self.texts],
            "sentence": self.sentence,
        }


def item_effects(answers: Sequence[Judgement], *, seed: int = 12345, draws: int = DRAWS) -> ItemEffects:
    """Count, test each text, test all."""
    tallies: dict[str, dict[str, Any]] = {}
    for one in answers:
        odd = odd_position(one.role)
        for place, text in enumerate(one.texts):
            new = {"subject": one.role[place], "item": one.items[place]} | dict.fromkeys(_COUNTS, 0)
            tally = tallies.setdefault(text, new)
            tally["shown"] += 1
            tally["chosen"] += one.answer == place
            if place == odd:
                tally["as_odd"] += 1
                tally["spotted"] += one.correct
            elif not one.correct:
                tally["errors"] += 1
                tally["mistaken"] += one.answer == place
    p_values = _against_half(
        np.array([tally["mistaken"] for tally in tallies.values()], dtype=np.int64),
        np.array([tally["errors"] for tally in tallies.values()], dtype=np.int64),
    )
    adjusted = holm(p_values)
    effects = [
        TextEffect(text, **tally, p=float(p), p_adjusted=float(q))
        for (text, tally), p, q in zip(tallies.items(), p_values, adjusted, strict=True)
    ]
    effects.sort(key=lambda one: (one.p, -one.mistaken, one.text))
    rng = np.random.default_rng(seed)
    itself, away = _coins(answers, rng, draws), _spotting(effects, rng, draws)
    return ItemEffects(tuple(effects), itself, away, draws, _sentence(effects, itself, away))


def _against_half(count: Counts, of: Counts) -> Array:
    """Exact two-sided binomial test of ½: the distribution is symmetric, so twice the smaller tail."""
    from scipy.special import bdtr

    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(count, of - count), of, 0.5)))


def _coins(answers: Sequence[Judgement], rng: np.random.Generator, draws: int) -> float | None:
    """Σ (2 · mistaken − errors)² / errors over texts, against coins tossed anew for every error."""
    wrong = [one for one in answers if not one.correct]
    if not wrong:
        return None
    codes: dict[str, int] = {}
    chosen, other = [], []
    for one in wrong:
        odd = odd_position(one.role)
        rest = next(place for place in range(3) if place not in (odd, one.answer))
        chosen.append(codes.setdefault(one.texts[one.answer], len(codes)))
        other.append(codes.setdefault(one.texts[rest], len(codes)))
    # One row per error: +1 for the text chosen, −1 for its partner; a toss turns the row round.
    rows = np.zeros((len(wrong), len(codes)), dtype=np.float32)
    np.add.at(rows, (np.arange(len(wrong)), np.array(chosen)), 1)
    np.add.at(rows, (np.arange(len(wrong)), np.array(other)), -1)
    weight = 1 / np.maximum(np.abs(rows).sum(axis=0), 1)
    observed = float((rows.sum(axis=0) ** 2 * weight).sum())
    extreme, left = 0, draws
    while left:
        size = min(left, max(1, 2_000_000 // len(wrong)))
        signs = (2 * rng.integers(0, 2, size=(size, len(wrong)), dtype=np.int8) - 1).astype(np.float32)
        extreme += int(np.count_nonzero(((signs @ rows) ** 2 @ weight) >= observed * (1 - 1e-6)))
        left -= size
    return (extreme + 1) / (draws + 1)


def _spotting(effects: Sequence[TextEffect], rng: np.random.Generator, draws: int) -> float | None:
    """Pearson's distance of correct answers by odd text, against correct answers dealt anew."""
    sizes = np.array([one.as_odd for one in effects])
    right = np.array([one.spotted for one in effects])
    if (sizes > 0).sum() < 2 or right.sum() in (0, sizes.sum()):
        return None
    expected = sizes * right.sum() / sizes.sum()
    weight = np.where(sizes > 0, 1 / np.maximum(expected, 1e-12), 0.0)
    drawn = rng.multivariate_hypergeometric(sizes, int(right.sum()), size=draws, method="marginals")
    observed = ((right - expected) ** 2 * weight).sum()
    extreme = np.count_nonzero(((drawn - expected) ** 2 * weight).sum(axis=1) >= observed * (1 - 1e-9))
    return (int(extreme) + 1) / (draws + 1)


def _sentence(effects: Sequence[TextEffect], itself: float | None, away: float | None) -> str:
    if itself is None:
        first = "There was no wrong answer, so no text can be odd in itself."
    else:
        found = "stand out" if itself <= 0.05 else "were not shown to stand out"
        first = f"Texts {found} whoever wrote them (all texts together, {p_text(itself)})."
    odd = [one for one in effects if one.p_adjusted <= 0.05 and 2 * one.mistaken > one.errors]
    if odd:
        named = "; ".join(f"{one.label}, chosen in {one.mistaken} of {one.errors} errors" for one in odd[:5])
        first += f" Odd in itself: {named}{f' and {len(odd) - 5} more' if len(odd) > 5 else ''}."
    if away is None:
        return first
    differ = "differ" if away <= 0.05 else "were not shown to differ"
    return f"{first} Texts {differ} in how easily they are spotted as the odd one ({p_text(away)})."
