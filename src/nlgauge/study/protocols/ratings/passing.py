"""Which raters pass damaged copies and repeats, by simulated judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from nlgauge.arrays import Array
from nlgauge.stats.carefulness import Check, degraded, repeats
from nlgauge.study.protocols.outputs.passing import Passing
from nlgauge.study.protocols.outputs.quality import LEAST_REPEATS, Quality
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.protocols.ratings.simulation import Raters

JUDGES = 400  # simulated of each kind
TRIALS = 199  # permutations for each of them
MOST = 60  # copies or repeats of a judge that are simulated: with more, careful judges pass all the more


def tested(study: RatingStudy, quality: Quality) -> Mapping[str, Passing]:
    """Damaged copies and repeats, by `JUDGES` simulated judges of each kind; what gives no verdict is left out."""
    rule, found = quality.rule, {}

    def passed(copies: int, test: Callable[[Array, Array], Check], *, worse: bool) -> list[list[bool | None]]:
        """Of each kind of judge what the test says of each of them."""
        kinds = [_pairs(study, min(copies, MOST), lower if worse else 0.0, read) for lower, read in _KINDS]
        return [[test(a, b).passed for a, b in zip(*two, strict=True)] for two in kinds]

    if quality.degraded:
        test = partial(degraded, test=rule.test, alpha=rule.alpha)
        verdicts = passed(quality.degraded, test, worse=True)
        if None not in verdicts[0]:
            found["degraded"] = Passing(*(float(np.mean([right is True for right in own])) for own in verdicts))
    if quality.repeats >= LEAST_REPEATS:
        test = partial(repeats, alpha=rule.repeats, trials=TRIALS)
        verdicts = passed(quality.repeats, test, worse=False)
        found["repeats"] = Passing(*(float(np.mean([right is not False for right in own])) for own in verdicts))
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
        for asked in study.questions_asked:
            last = asked.scale.steps
            share = rng.normal(middle, like.noise) if read else rng.random(size)
            given += np.round(np.clip(share, 0, 1) * last) / last
        return given / len(study.questions_asked)

    return answered(seen), answered(seen - lower)
