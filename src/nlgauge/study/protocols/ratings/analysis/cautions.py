"""Systems whose means are in doubt, whatever their limits say.

A mixed model with judges as random effects takes a judge's low ratings for severity. Where one judge gave most of a
system's ratings and hardly any of the others', severity and quality cannot be told apart: the model puts the system
where the other judges would have it, the plain mean where this judge does. Both are shown, and the doubt goes along
with every sentence about the system. Texts that are empty or say `null` are a common cause: one person rates them all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.analysis.notes import Note, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated

if TYPE_CHECKING:
    from nlgauge.study.protocols.ratings.analysis.results import Rating

MOST = 1 / 3  # of a system's ratings by one judge, from which the judge's severity weighs
FEW = 0.2  # of that share: what the judge's share of the other systems' ratings stays below
TENTH = 0.1  # of the scale: a difference of model and plain mean that is told whatever the limits are
TRIFLE = 0.05  # of the scale: one that is not told even where it lies outside the limits
LACKING = 0.1  # of a system's texts that say nothing, from which that is told
NOTHING = frozenset(("", "null", "none", "nan", "n/a"))


@dataclass(frozen=True)
class Caution(Jsonable):
    """What is doubtful about one system's mean on one criterion."""

    KEYS = "system, model_mean = model, plain_mean = plain, means_apart = apart, judges = _judges"

    system: str
    ratings: int
    others: int  # ratings of all other systems
    judges: tuple[tuple[str, int, int], ...]  # who gave most: the judge, ratings of this system and of others
    model: float
    plain: float
    apart: bool  # whether model and plain mean differ by more than is to be passed over

    def told(self, criterion: Criterion) -> Mapping[str, Any]:
        """Its figures as they are told: means of magnitudes are ratios, without fixed decimals."""
        return {
            "system": self.system,
            "ratings": self.ratings,
            "others": self.others,
            "judges": self.judges,
            "model": criterion.told(self.model),
            "plain": criterion.told(self.plain),
            "places": criterion.places,
        }

    @property
    def _judges(self) -> list[dict[str, Any]]:
        return rows(self.judges, "judge ratings_of_system ratings_of_others")


def cautions_of(column: Column, models: Models) -> tuple[Caution, ...]:
    """The systems of a criterion whose means are in doubt, from best to worst."""
    if len(models.means) < 2:
        return ()
    given = Counter(zip(column.systems, column.judges, strict=True))
    of_judge = Counter(column.judges)
    found = []
    for mean in models.means:
        others = len(column) - mean.n
        own = {judge: count for (system, judge), count in given.items() if system == mean.system}
        most = tuple(
            (judge, count, of_judge[judge] - count)
            for judge, count in sorted(own.items(), key=lambda pair: -pair[1])
            if column.named and count / mean.n >= MOST and (of_judge[judge] - count) / others < FEW * count / mean.n
        )
        apart = _apart(mean, column)
        if most or apart:
            found.append(Caution(mean.system, mean.n, others, most, model=mean.mean, plain=mean.raw, apart=apart))
    return tuple(found)


def _apart(mean: SystemMean, column: Column) -> bool:
    """Whether the plain mean is far from the model's; of yes and no the plain share is what is shown."""
    if column.criterion.points == 2 or math.isnan(mean.low):
        return False
    width = 1.0 if column.criterion.ratios else column.criterion.width
    gap = abs(mean.mean - mean.raw)
    return gap > TENTH * width or (not mean.low <= mean.raw <= mean.high and gap > TRIFLE * width)


def empty_texts(frozen: Frozen, rated: Rated) -> dict[str, tuple[int, int]]:
    """By system: judged texts that are empty or say `null`, and all; only where they are many."""
    judged = {text for judgement in rated.counted for text in judgement.texts if text in rated.subject}
    texts = {text: frozen.text[text] for text in judged if not frozen.text[text].image}
    every = Counter(rated.subject[text][1] for text in texts)
    empty = Counter(rated.subject[name][1] for name, text in texts.items() if text.text.strip().lower() in NOTHING)
    if sum(empty.values()) == len(texts):  # what is judged is not a text, as in conversations
        return {}
    return {name: (count, every[name]) for name, count in empty.items() if count >= LACKING * every[name]}


def doubts(ratings: Sequence[Rating], *, several: bool) -> Iterator[Note]:
    """Texts that say nothing, judges who stand for a system, means that differ."""
    empty = {name: counts for rating in ratings for name, counts in rating.empty.items()}
    for name, (count, every) in sorted(empty.items(), key=lambda pair: -pair[1][0]):
        yield note("empty texts", empty=count, texts=every, system=name)
    for kind in ("severe judges", "means apart"):
        for rating in ratings:
            for caution in rating.cautions:
                if caution.judges if kind == "severe judges" else caution.apart:
                    values = caution.told(rating.criterion)
                    yield note(kind, **values).at(rating.criterion, rating.panel if several else "")
