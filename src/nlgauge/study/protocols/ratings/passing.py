"""Which raters pass attention checks, damaged copies and repeats: chances on the scales, and simulated judges."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from nlgauge.stats.carefulness import degraded, repeats
from nlgauge.stats.mixed.design import Array
from nlgauge.study.protocols.outputs.passing import Passing
from nlgauge.study.protocols.outputs.quality import LEAST_REPEATS, Attention, Quality
from nlgauge.study.protocols.ratings.criteria import AskedScale
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.protocols.ratings.scoring import meets
from nlgauge.study.protocols.ratings.simulation import Raters

JUDGES = 400  # simulated of each kind
TRIALS = 199  # permutations for each of them
MOST = 60  # copies or repeats of a judge that are simulated: with more, careful judges pass all the more


def chance(study: RatingStudy, check: Attention) -> float:
    """That an answer at random passes an attention check."""
    scales = {one.id: one.scale for one in study.questions_asked}
    return prod(_share(scales[name], wanted, check.within) for name, wanted in check.answer.items())


def _share(scale: AskedScale, wanted: float, within: float) -> float:
    steps = _steps(scale)
    answers = [scale.low + (scale.high - scale.low) * k / steps for k in range(steps + 1)]
    return sum(meets(one, wanted, within) for one in answers) / len(answers)


def tested(study: RatingStudy, quality: Quality) -> Mapping[str, Passing]:
    """Damaged copies and repeats, by `JUDGES` simulated judges of each kind; what gives no verdict is left out."""
    rule, found = quality.rule, {}
    if quality.degraded:
        pairs = [_pairs(study, min(quality.degraded, MOST), lower, read) for lower, read in _KINDS]
        verdicts = [
            [degraded(a, b, test=rule.test, alpha=rule.alpha).passed for a, b in zip(*two, strict=True)]
            for two in pairs
        ]
        if None not in verdicts[0]:
            found["degraded"] = Passing(*(float(np.mean([one is True for one in own])) for own in verdicts))
    if quality.repeats >= LEAST_REPEATS:
        pairs = [_pairs(study, min(quality.repeats, MOST), 0.0, read) for _, read in _KINDS]
        shares = [
            np.mean(
                [
                    repeats(a, b, alpha=rule.repeats, trials=TRIALS).passed is not False
                    for a, b in zip(*two, strict=True)
                ]
            )
            for two in pairs
        ]
        found["repeats"] = Passing(*map(float, shares))
    return found


_KINDS = ((Raters().damage, True), (0.0, False))  # careful judges, and judges who do not read


def _pairs(study: RatingStudy, pairs: int, lower: float, read: bool) -> tuple[Array, Array]:
    """Answers to originals and to what comes later, judges × pairs, as shares of the scale; `lower` is the damage."""
    rng, like = np.random.default_rng(study.seed), Raters()
    size = (JUDGES, pairs)
    means = np.array(list(like.of(list(study.authors) or [""]).values()))
    seen = rng.choice(means, size) + rng.normal(0, like.judge_sd, (JUDGES, 1))
    seen += rng.normal(0, like.item_sd, size)

    def answered(middle: Array) -> Array:
        given = np.zeros(size)
        for one in study.questions_asked:
            steps = _steps(one.scale)
            share = rng.normal(middle, like.noise) if read else rng.random(size)
            given += np.round(np.clip(share, 0, 1) * steps) / steps
        return given / len(study.questions_asked)

    return answered(seen), answered(seen - lower)


def _steps(scale: AskedScale) -> int:
    return scale.points - 1 if scale.points else round((scale.high - scale.low) / scale.step)
