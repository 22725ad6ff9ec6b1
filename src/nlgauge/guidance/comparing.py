"""What says which of two texts is better: a trained comparator, or any score by the difference of two.

The baselines of Zhou and Xu (2020) have the same form as their comparative evaluator, so that early stopping, selection
and skill ratings run with each: BLEU as the mean of BLEU-2, -3 and -4, perplexity, ADEM, and an adversarial evaluator.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.errors import InputError
from nlgauge.learned.comparator import TIE, A, B, Comparator, Written, verdicts
from nlgauge.learned.trained import Trained, opened
from nlgauge.metrics.base import Metric
from nlgauge.metrics.perplexity import Perplexity
from nlgauge.metrics.spec import parse

References = Mapping[str, Sequence[str]]  # by context
BLEU_ORDERS = (2, 3, 4)
SCORE = np.array([1.0, 0.0, 0.5])  # of the first text, by outcome


class Compares(Protocol):
    """What compares texts; its name tells it from others in logs."""

    @property
    def name(self) -> str:
        """What it is."""

    def outcomes(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """Probabilities (n, 3): the first text is better, the other is, neither."""


@dataclass(frozen=True)
class ByComparator:
    """A trained comparator; trained with `comparison: false` it is the adversarial evaluator."""

    name: str
    comparator: Comparator

    def outcomes(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """As the comparator says; that texts were cut is warned of once."""
        found = self.comparator.probabilities(ones, others)
        if self.comparator.remarks():
            _warn(f"{self.name} reads {self.comparator.words} words of a text, or less: longer ones are cut")
        return found


@cache
def _warn(message: str) -> None:
    """Once in a process."""
    warnings.warn(message, UserWarning, stacklevel=4)


@dataclass(frozen=True)
class ByScore:
    """The difference of two scores; one within the band is a tie. Each verdict is certain."""

    name: str
    scores: Callable[[Sequence[Written]], Sequence[float] | Array]  # of texts, each once
    lower: bool = False  # whether lower scores are better
    band: float = 0.0

    def __post_init__(self) -> None:
        if not self.band >= 0:
            raise InputError(f"the band within which scores tie must be 0 or more; got {self.band}")

    def outcomes(self, ones: Sequence[Written], others: Sequence[Written]) -> Array:
        """1 for the outcome that the difference says."""
        texts = {text: place for place, text in enumerate(dict.fromkeys([*ones, *others]))}
        found = np.asarray(self.scores(list(texts)), dtype=np.float64)
        if found.shape != (len(texts),) or np.isnan(found).any():
            raise InputError(f"{self.name} gave no number for some text; expected one for each text")
        one, other = (found[[texts[text] for text in side]] for side in (ones, others))
        with np.errstate(invalid="ignore"):  # infinite scores that are equal
            difference = np.where(one == other, 0.0, (other - one) if self.lower else (one - other))
        said = np.where(np.abs(difference) <= self.band, TIE, np.where(difference > 0, A, B))
        return np.eye(3)[said]


def by_folder(folder: str | Path, *, references: References | None = None, band: float = 0.0) -> Compares:
    """A trained comparator (also an adversarial evaluator), or a trained metric such as ADEM by its difference."""
    kept = opened(str(folder))
    if isinstance(kept.form, Comparator):
        return ByComparator(f"{kept.about.name}:{kept.digest[:12]}", kept.form)
    return by_metric(Trained(model=str(folder)), references=references, band=band)


def by_metric(spec: str | Metric, *, references: References | None = None, band: float = 0.0) -> ByScore:
    """A metric by its difference, whichever way it points; contexts are its sources, and find its references."""
    metric = parse(spec) if isinstance(spec, str) else spec
    if not metric.additive:
        raise InputError(f"{metric} scores a set of texts, not one text; it cannot compare two")

    def scores(texts: Sequence[Written]) -> Array:
        return metric.segments(
            [text.text for text in texts],
            _references(texts, references, str(metric), needed=_needs_references(metric)),
            sources=[text.context for text in texts],
        )

    return ByScore(_named(metric.full(), band), scores, lower=metric.direction == "lower", band=band)


def by_bleu(references: References, *, band: float = 0.0) -> ByScore:
    """The mean of BLEU-2, -3 and -4 of each text (sentence BLEU, smoothed as in sacreBLEU)."""
    orders = [parse(f"sentbleu@{order}") for order in BLEU_ORDERS]

    def scores(texts: Sequence[Written]) -> Array:
        given = _references(texts, references, "BLEU", needed=True)
        found: Array = np.mean([metric.segments([text.text for text in texts], given) for metric in orders], axis=0)
        return found

    return ByScore(_named("mean of sentbleu@2, @3, @4", band), scores, band=band)


def by_perplexity(
    model: str | Callable[[Sequence[Written]], Sequence[float] | Array] = "trigram", *, band: float = 0.0
) -> ByScore:
    """The less surprising text is better: by a language model of ours, or by a function that gives perplexities."""
    if isinstance(model, str):
        return by_metric(Perplexity(model=model), band=band)
    return ByScore(
        _named(f"perplexity by {getattr(model, '__name__', 'a function')}", band),
        model,
        lower=True,
        band=band,
    )


def _needs_references(metric: Metric) -> bool:
    return bool({"references", "post_edits"} & set(metric.needs))


def _references(
    texts: Sequence[Written], references: References | None, name: str, *, needed: bool
) -> list[Sequence[str]] | None:
    """Those of each text's context."""
    if not needed:
        return None
    known = references or {}
    lacking = next((text.context for text in texts if not known.get(text.context)), None)
    if lacking is not None:
        raise InputError(
            f"{name} needs references, and the context {lacking[:80]!r} has none; "
            "give references={context: [text, …]}"
        )
    return [known[text.context] for text in texts]


def _named(name: str, band: float) -> str:
    return f"{name}, ties within {band:g}" if band else name


@dataclass(frozen=True)
class Meeting:
    """Which texts of two sets met, and how it ended: 1 where the first was better, 0 where the other was, 0.5."""

    ones: Ints
    others: Ints
    score: Array

    @property
    def wins(self) -> int:
        return int((self.score == 1.0).sum())

    @property
    def losses(self) -> int:
        return int((self.score == 0.0).sum())

    @property
    def ties(self) -> int:
        return len(self.score) - self.wins - self.losses


def check_texts(texts: Sequence[Written]) -> None:
    """Refuse what is no text with its context."""
    strange = next((text for text in texts if not isinstance(text, Written)), None)
    if strange is not None:
        raise InputError(f"expected texts as Written(text, context); got {str(strange)[:60]!r}")


def meet(
    ones: Sequence[Written], others: Sequence[Written], compares: Compares, number: int, seed: Sequence[int]
) -> Meeting:
    """Texts for one context, drawn at random from both sets, compared: `number` pairs, or all where there are fewer."""
    check_texts([*ones, *others])
    places: dict[str, list[int]] = {}
    for place, text in enumerate(others):
        places.setdefault(text.context, []).append(place)
    sizes = np.array([len(places.get(text.context, ())) for text in ones], dtype=np.int64)
    ends = np.cumsum(sizes)
    if not len(ones) or not ends[-1]:
        raise InputError("no two texts have the same context; generate from the same prompts each time")
    pairs = int(ends[-1])
    drawn = np.sort(np.random.default_rng(list(seed)).choice(pairs, min(number, pairs), replace=False))
    first = np.searchsorted(ends, drawn, side="right")
    second = np.array(
        [
            places[ones[one].context][left]
            for one, left in zip(first.tolist(), (drawn - ends[first] + sizes[first]).tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    said = verdicts(compares.outcomes([ones[place] for place in first], [others[place] for place in second]))
    return Meeting(first, second, SCORE[said])
