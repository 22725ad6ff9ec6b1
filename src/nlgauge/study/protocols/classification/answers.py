"""Which answers of a classification count, each beside the true class, and what they say of a group of outputs."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats import shares
from nlgauge.stats.agreement import Coefficient, krippendorff
from nlgauge.stats.classified import Codes, Sensitivity, guessing_test, sensitivity
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.results import Estimate
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.classification.file import CLASS, ClassStudy, class_study
from nlgauge.study.protocols.classification.layout import truth_of
from nlgauge.study.protocols.classification.protocol import ACCURACY
from nlgauge.study.protocols.outputs.analysis.rows import first_wording
from nlgauge.study.protocols.outputs.gold import CHECK
from nlgauge.study.protocols.ratings.analysis.rows import Criterion, Rated, sort_answers

ALL = "all"
LEVEL = 0.95


@dataclass(frozen=True)
class Answer:
    """One judge about one output; classes are counted from 0."""

    judge: str
    panel: str
    item: str
    system: str
    given: int
    truth: int | None


@dataclass(frozen=True)
class Answers:
    """A study's answers, sorted out."""

    study: ClassStudy
    rated: Rated  # right is 1 and wrong is 0; where no class is known, of each class whether it was answered
    rows: tuple[Answer, ...]
    seed: int = 0  # of the tests

    def without(self, judges: Collection[str]) -> Answers:
        """The same without some judges' answers."""
        rows = tuple(answer for answer in self.rows if answer.judge not in judges)
        return replace(self, rated=self.rated.without(judges), rows=rows)

    def group(self, *panels: str, system: str = "") -> Group:
        """The answers of panels, to all outputs or to those of a system."""
        kept = (answer for answer in self.rows if answer.panel in panels and system in ("", answer.system))
        return Group(system, self.study.names, tuple(kept), self.seed)


@dataclass(frozen=True)
class Group(Jsonable):
    """Answers to some outputs, and what they say, computed once."""

    KEYS = (
        "system = called, answers = len(rows), outputs, judges = len(judges), accuracy = known_accuracy, chance, "
        "p_guessing = p, d_prime = sensitivity.d_prime, criterion = sensitivity.criterion, alpha, confusion, by_class"
    )

    system: str  # empty: of all systems
    names: tuple[str, ...]  # of the classes
    rows: tuple[Answer, ...]
    seed: int

    @property
    def called(self) -> str:
        """The system."""
        return self.system or ALL

    @property
    def judges(self) -> list[str]:
        """Who answered."""
        return list(dict.fromkeys(answer.judge for answer in self.rows))

    @property
    def outputs(self) -> int:
        """How many were judged."""
        return len({(answer.item, answer.system) for answer in self.rows})

    @cached_property
    def known(self) -> list[Answer]:
        """Answers about outputs whose class is known."""
        return [answer for answer in self.rows if answer.truth is not None]

    def of(self, judge: str) -> Group:
        """The answers of one judge."""
        return replace(self, rows=tuple(answer for answer in self.rows if answer.judge == judge))

    @cached_property
    def confusion(self) -> Codes:
        """Answers by true class (rows, the last one unknown) and by class answered (columns)."""
        table = np.zeros((len(self.names) + 1, len(self.names)), dtype=np.int64)
        for answer in self.rows:
            table[-1 if answer.truth is None else answer.truth, answer.given] += 1
        return table

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of right answers, by these judges about other outputs: exact where each was judged once."""
        return self._share([float(answer.given == answer.truth) for answer in self.known], self.known, ACCURACY)

    @property
    def known_accuracy(self) -> Estimate | None:
        """The same; None where no class is known."""
        return self.accuracy if self.known else None

    @property
    def chance(self) -> float:
        """Right by guessing."""
        return 1 / len(self.names)

    @property
    def p_chance(self) -> float | None:
        """The p-value of a judge alone: the exact binomial test of guessing among equally likely classes."""
        n = len(self.known)
        return shares.binomial_test(round(self.accuracy.estimate * n), n, self.chance) if n else None

    @property
    def by_class(self) -> list[dict[str, Any]]:
        """Recall and precision, where classes are known."""
        return [
            {"class": name, "recall": self.recall(place), "precision": self.precision(place)}
            for place, name in enumerate(self.names if self.known else ())
        ]

    def recall(self, place: int) -> Estimate:
        """Of the answers about outputs of a class, the share that name it."""
        own = [answer for answer in self.known if answer.truth == place]
        return self._share([float(answer.given == place) for answer in own], own, "recall")

    def precision(self, place: int) -> Estimate:
        """Of the answers that name a class, the share about its outputs."""
        own = [answer for answer in self.known if answer.given == place]
        return self._share([float(answer.truth == place) for answer in own], own, "precision")

    def _share(self, hits: Sequence[float], rows: Sequence[Answer], name: str) -> Estimate:
        if not rows:
            return Estimate(math.nan, name=name)
        outputs, n = [(answer.item, answer.system) for answer in rows], len(rows)
        if len(set(outputs)) < n:
            return shares.share(hits, outputs, level=LEVEL, name=name)
        right = round(sum(hits))
        low, high = limits(right, n, tail=(1 - LEVEL) / 2)
        return Estimate(
            estimate=right / n, low=low, high=high, level=LEVEL, method="Clopper and Pearson's limits", n=n, name=name
        )

    @cached_property
    def _counted(self) -> tuple[Array, Codes]:
        """Answers of each class about each output whose class is known, and these classes."""
        place = {key: k for k, key in enumerate(dict.fromkeys((answer.item, answer.system) for answer in self.known))}
        counts = np.zeros((len(place), len(self.names)))
        truths = np.zeros(len(place), dtype=np.int64)
        for answer in self.known:
            row = place[answer.item, answer.system]
            counts[row, answer.given] += 1
            truths[row] = answer.truth or 0
        return counts, truths

    @cached_property
    def p(self) -> float:
        """That answers have nothing to do with the true classes."""
        return guessing_test(*self._counted, seed=self.seed) if self.known else math.nan

    @cached_property
    def sensitivity(self) -> Sensitivity | None:
        """d′ and the criterion, of two classes with outputs of both."""
        counts, truths = self._counted
        if len(self.names) != 2 or len(set(truths.tolist())) < 2:
            return None
        if len(set(counts.argmax(axis=1).tolist())) < 2 and counts.min(axis=1).max() == 0:
            return None  # every answer is the same
        return sensitivity(counts, truths, level=LEVEL, seed=self.seed)

    def table(self) -> tuple[list[str], list[str], Array]:
        """Outputs × judges: the number of the class from 1, NaN for gaps; of several answers the first counts."""
        outputs = {key: k for k, key in enumerate(dict.fromkeys((answer.item, answer.system) for answer in self.rows))}
        judges = {name: k for k, name in enumerate(self.judges)}
        table = np.full((len(outputs), len(judges)), np.nan)
        for answer in reversed(self.rows):
            table[outputs[answer.item, answer.system], judges[answer.judge]] = answer.given + 1
        return [f"{item} / {system}" for item, system in outputs], list(judges), table

    @cached_property
    def alpha(self) -> Coefficient | None:
        """Krippendorff's alpha on the class that was answered; None where judges share nothing or name one class."""
        try:
            return krippendorff(self.table()[2], "nominal", categories=list(range(1, len(self.names) + 1)))
        except InputError:
            return None


def sort_out(frozen: Frozen, judgements: Sequence[Judgement], *, panel: str | None = None, seed: int = 0) -> Answers:
    """Apply the rules to a study's answers, and the true classes to what counts."""
    study = class_study(frozen.study)
    truth = {text.id: truth_of(text) for text in frozen.texts}
    known = any(truth[text.id] is not None for text in frozen.served)
    criteria: tuple[Criterion, ...]
    if known:
        criteria = (_asked(study, ACCURACY, "share of answers that name the true class"),)
    else:
        criteria = tuple(_asked(study, f"called {name}", f"share of answers {name}") for name in study.names)

    def scored(judgement: Judgement) -> Judgement:
        if judgement.role == CHECK:
            return judgement
        given, found = judgement.answer[CLASS] - 1, truth.get(judgement.texts[0])
        right: dict[str, Any] = {} if found is None else {ACCURACY: float(study.names[given] == found)}
        shares = {asked.id: float(place == given) for place, asked in enumerate(criteria)}
        return replace(judgement, answer=right if known else shares)

    rated = sort_answers(frozen, study, criteria, [scored(judgement) for judgement in judgements], panel=panel)
    answered = {judgement.id: judgement.answer[CLASS] - 1 for judgement in judgements}
    rows = []
    for judgement in rated.counted:
        item, system = rated.subject[judgement.texts[0]]
        name = truth[judgement.texts[0]]
        place = None if name is None else study.names.index(name)
        rows.append(Answer(judgement.judge, judgement.panel, item, system, answered[judgement.id], place))
    return Answers(study, rated, tuple(rows), seed)


def _asked(study: ClassStudy, name: str, measure: str) -> Criterion:
    """What is taken from the answers: that they are right, or, where nobody knows it, that they name a class."""
    question = first_wording(study.question)
    return Criterion(
        id=name, name=name, low=0, high=1, points=2, reverse=False, question=question, unit=True, measure=measure
    )
