"""HUSE: can outputs be told from reference texts by human judgement and model probability together?

Hashimoto, Zhang and Liang (2019): every text, generated or reference, is a point (human judgement, log-probability per
token under the model). HUSE is twice the leave-one-out error of a k-nearest-neighbour classifier of these points: 1
where nobody could tell them apart, 0 where everybody could. HUSE-Q uses the judgement alone (quality), and
HUSE-D = 1 + HUSE − HUSE-Q says what the probabilities add (diversity): a model that copies good training sentences has
high HUSE-Q and low HUSE-D.

Features are divided by their standard deviations. A neighbour as near as the k-th counts too, whatever their number, as
in the authors' code; a vote that ends even counts as half an error. The authors' program takes one neighbour more than
its k = 15 says and gives an even vote to "reference": `huse(…, k=16, even="reference")` equals it.

What the number is not: the error of *this* classifier is at least that of the best one, so HUSE is overestimated, the
more so the fewer texts there are; without any difference it exceeds 1 a little, because leaving a text out leaves its
own class in the minority. The interval (estimate ± z times a bootstrap standard error) describes the classifier's
error on other samples of the same size and does not know of this bias. In a bootstrap sample a text stands beside its
own copies, which would make it its own neighbour: copies of a text are therefore left out together, and it is the
standard error, not the draws' shifted percentiles, that is used. Coverage is tabulated in docs/resampling.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Result
from nlgauge.stats.draws import cluster_codes
from nlgauge.stats.limits import normal_quantile
from nlgauge.stats.results import Estimate, of_level

Even = Literal["half", "reference"]

LARGEST = 4000  # texts: distances between all pairs are held in memory


@dataclass(frozen=True)
class Huse(Result):
    """HUSE with its two parts, each with an interval; `n` counts texts, of both kinds."""

    huse: Estimate
    quality: Estimate
    diversity: Estimate
    k: int
    n: int
    generated: int
    notes: tuple[str, ...] = ()

    @property
    def estimate(self) -> float:
        """HUSE itself, under the name all results share."""
        return self.huse.estimate

    def __str__(self) -> str:
        parts = [
            f"{part.name} {part.estimate:.3f}"
            + (f" ({part.low:.3f} to {part.high:.3f})" if math.isfinite(part.low) else "")
            for part in (self.huse, self.quality, self.diversity)
        ]
        level = f", {of_level(self.huse.level)} intervals" if math.isfinite(self.huse.low) else ""
        sentence = (
            f"{', '.join(parts)} (k = {self.k} nearest neighbours, {self.generated:,} generated and "
            f"{self.n - self.generated:,} reference texts{level})"
        )
        return "; note: ".join((sentence, *self.notes))


def huse(
    judgements: Sequence[float] | Array,
    log_probabilities: Sequence[float] | Array,
    generated: Sequence[bool] | NDArray[np.bool_],
    *,
    lengths: Sequence[int] | Array | None = None,
    items: Sequence[Hashable] | None = None,
    k: int = 15,
    even: Even = "half",
    trials: int = 200,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Huse:
    """HUSE, HUSE-Q and HUSE-D of texts that are generated (True) or references (False).

    `judgements` are mean ratings of typicality, one per text; `log_probabilities` are per token, or whole with
    `lengths` in tokens. `items` names what each text was written for: texts of one item are drawn together. No
    interval is made with `trials=0`.
    """
    reach = normal_quantile(level)
    human, model, label = _checked(judgements, log_probabilities, generated, lengths)
    _check_options(k, even, trials, int(label.sum()), len(label))
    units = np.arange(len(label)) if items is None else cluster_codes(items, len(label))
    both = _Neighbours(np.column_stack([_scaled(human), _scaled(model)]), label, k, even)
    alone = _Neighbours(_scaled(human)[:, None], label, k, even)
    everyone = np.ones(len(label))
    total, quality = 2 * both.error(everyone), 2 * alone.error(everyone)
    values = np.array([total, quality, 1 + total - quality])
    errors = _standard_errors(both, alone, units, label, trials, seed) if trials else np.full(3, np.nan)
    method = f"bootstrap standard error, {trials:,} draws" if trials else ""
    ends = ((values + sign * reach * errors).tolist() for sign in (-1, 1))
    parts = [
        Estimate(value, low, high, level, method, len(label), name=name)
        for name, value, low, high in zip(("HUSE", "HUSE-Q", "HUSE-D"), values.tolist(), *ends, strict=True)
    ]
    notes = ("HUSE above 1 means that no difference was found",) if total > 1 else ()
    return Huse(parts[0], parts[1], parts[2], k, len(label), int(label.sum()), notes=notes)


class _Neighbours:
    """The texts around each text, from near to far; weights say how often each text stands in a sample."""

    def __init__(self, features: Array, label: NDArray[np.bool_], k: int, even: Even) -> None:
        distances = ((features[:, None, :] - features[None, :, :]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)  # a text (and its copies) is never its own neighbour
        self.order = np.argsort(distances, axis=1, kind="stable")
        ordered = np.take_along_axis(distances, self.order, axis=1)
        # Up to where distances equal that at each place: rounding must not part equal ones.
        apart = ordered[:, 1:] > ordered[:, :-1] * (1 + 1e-9) + 1e-15
        ends = np.where(apart, np.arange(1, len(label))[None, :] - 1, len(label) - 1)
        tail = np.full((len(label), 1), len(label) - 1)
        self.ends = np.minimum.accumulate(np.hstack([ends, tail])[:, ::-1], axis=1)[:, ::-1]
        self.label, self.k, self.even = label, k, even

    def error(self, weights: Array) -> float:
        """The weighted leave-one-out error."""
        drawn = weights[self.order]
        drawn[:, -1] = 0.0  # the text itself, at infinite distance
        counts = np.cumsum(drawn, axis=1)
        made = np.cumsum(drawn * self.label[self.order], axis=1)
        texts = np.arange(len(weights))
        place = np.minimum((counts < self.k).sum(axis=1), len(weights) - 1)
        end = self.ends[texts, place]
        lead = 2 * made[texts, end] - counts[texts, end]  # votes for "generated" minus votes for "reference"
        wrong = np.where(self.label, lead < 0, lead > 0).astype(np.float64)
        wrong[lead == 0] = 0.5 if self.even == "half" else self.label[lead == 0]
        return float((wrong * weights).sum() / weights.sum())


def _standard_errors(
    both: _Neighbours,
    alone: _Neighbours,
    units: NDArray[np.intp],
    label: NDArray[np.bool_],
    trials: int,
    seed: int,
) -> Array:
    """Of HUSE, HUSE-Q and HUSE-D; whole items are drawn, or the two kinds of text each by itself."""
    generator = np.random.default_rng(seed)
    number = int(units.max()) + 1
    drawn = np.empty((trials, 3))
    for trial in range(trials):
        if number < len(units):
            drawn_items = np.bincount(generator.integers(number, size=number), minlength=number)
            weights = drawn_items[units].astype(np.float64)
        else:
            weights = np.zeros(len(units))
            for kind in (False, True):
                places = np.flatnonzero(label == kind)
                weights[places] = np.bincount(generator.integers(len(places), size=len(places)), minlength=len(places))
        total, quality = (2 * part.error(weights) for part in (both, alone))
        drawn[trial] = total, quality, 1 + total - quality
    return np.asarray(drawn.std(axis=0, ddof=1))


def _scaled(values: Array) -> Array:
    spread = float(values.std())
    return values / spread if spread > 0 else np.zeros_like(values)


def _checked(
    judgements: Sequence[float] | Array,
    log_probabilities: Sequence[float] | Array,
    generated: Sequence[bool] | NDArray[np.bool_],
    lengths: Sequence[int] | Array | None,
) -> tuple[Array, Array, NDArray[np.bool_]]:
    human, model = (np.asarray(values, dtype=np.float64) for values in (judgements, log_probabilities))
    label = np.asarray(generated)
    if not (human.ndim == model.ndim == label.ndim == 1 and len(human) == len(model) == len(label)):
        raise InputError(
            "HUSE needs one judgement, one log-probability and one label per text; got "
            f"{np.size(human)}, {np.size(model)} and {np.size(label)}"
        )
    if lengths is not None:
        tokens = np.asarray(lengths, dtype=np.float64)
        if tokens.shape != model.shape or not np.all(tokens > 0):
            raise InputError("lengths must hold one positive number of tokens per text")
        model = model / tokens
    for values, what in ((human, "judgement"), (model, "log-probability")):
        if not np.all(np.isfinite(values)):
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(f"text {place} has no finite {what}; HUSE needs one for every text")
    if not set(np.unique(label).tolist()) <= {0, 1}:
        raise InputError("generated must be true for generated texts and false for references")
    return human, model, label.astype(bool)


def _check_options(k: int, even: str, trials: int, made: int, n: int) -> None:
    if even not in ("half", "reference"):
        raise InputError(f"even votes must count half or go to reference; got {even!r}")
    if trials < 0 or trials == 1:
        raise InputError(f"an interval needs at least 2 draws, or 0 for none; got {trials}")
    if min(made, n - made) < 2 or not 1 <= k <= n - 2:
        raise InputError(
            f"HUSE with k = {k} needs at least 2 texts of each kind and {k + 2} in all; got {made} generated and "
            f"{n - made} references"
        )
    if n > LARGEST:
        raise InputError(f"HUSE compares all texts with each other: {n:,} are too many, draw {LARGEST:,} or fewer")
