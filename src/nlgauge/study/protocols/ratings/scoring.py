"""An answer to one screen as numbers: whether it is the one asked for, and how good it calls the text."""

from __future__ import annotations

from nlgauge.study.model import Judgement
from nlgauge.study.protocols.ratings.criteria import AskedScale
from nlgauge.study.protocols.ratings.file import RatingStudy


def near(answer: object, wanted: float, within: float) -> bool:
    """Whether a number is the one asked for."""
    return isinstance(answer, int | float) and abs(answer - wanted) <= within + 1e-9


def share_near(scale: AskedScale, wanted: float, within: float) -> float:
    """The share of a scale's answers that are near enough to the one asked for."""
    answers = [scale.low + (scale.high - scale.low) * place / scale.steps for place in range(scale.steps + 1)]
    return sum(near(answer, wanted, within) for answer in answers) / len(answers)


def score(study: RatingStudy, judgement: Judgement) -> float | None:
    """How good a screen's answers call the text: their mean as shares of the scales, 1 the best."""
    shares = []
    for asked in study.questions_asked:
        value = judgement.answer.get(asked.id)
        if value is not None:
            share = (value - asked.scale.low) / (asked.scale.high - asked.scale.low)
            shares.append(1 - share if asked.reverse else share)
    return sum(shares) / len(shares) if shares else None
