"""A study before and after a discussion: agreement and means of both rounds, and how many answers changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_out
from nlgauge.study.protocols.ratings.analysis.variants import alpha_of


@dataclass(frozen=True)
class Opened:
    """A discussion as the log has it."""

    at: float
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Discussed(Jsonable):
    """One criterion of one panel before and after the discussion."""

    KEYS = (
        "panel, outputs, rerated, changed, before, after, discussed_before, discussed_after, "
        "criterion = criterion.id, means = _means"
    )

    panel: str
    criterion: Criterion
    outputs: int  # discussed
    rerated: int  # answers given again
    changed: int  # of which another number
    before: float  # alpha of all outputs
    after: float
    discussed_before: float  # and of those discussed alone
    discussed_after: float
    means: tuple[tuple[str, float, float], ...]  # system, mean before, mean after

    @property
    def _means(self) -> list[dict[str, Any]]:
        return rows(self.means, "system before after")


def before_of(judgements: Sequence[Judgement], rounds: Sequence[Opened]) -> list[Judgement]:
    """The answers as they were when the first discussion began."""
    first = min(round_.at for round_ in rounds)
    return [judgement for judgement in judgements if not (judgement.replaces and judgement.answered_at >= first)]


def discussed(
    frozen: Frozen, judgements: Sequence[Judgement], rounds: Sequence[Opened], after: Rated, *, unit: bool
) -> tuple[Discussed, ...]:
    """Both rounds of every criterion of every panel that discussed."""
    if not rounds:
        return ()
    texts = {name for round_ in rounds for name in round_.texts}
    outputs = {after.subject[name] for name in texts if name in after.subject}
    earlier = sort_out(frozen, before_of(judgements, rounds), unit=unit)
    judges = {judgement.judge for judgement in after.counted}
    earlier = earlier.without({judgement.judge for judgement in earlier.counted} - judges)
    began = min(round_.at for round_ in rounds)
    again = [
        judgement
        for judgement in judgements
        if judgement.replaces and judgement.answered_at >= began and judgement.judge in judges
    ]
    found = []
    for panel in after.panels:
        for asked in after.criteria:
            old, new = earlier.column(asked, panel), after.column(asked, panel)
            own = [judgement for judgement in again if judgement.panel == panel and asked.id in judgement.answer]
            if len(old) and own:
                found.append(_one(old=old, new=new, own=own, judgements=judgements, outputs=outputs))
    return tuple(found)


def _one(
    old: Column,
    new: Column,
    own: Sequence[Judgement],
    judgements: Sequence[Judgement],
    outputs: set[tuple[str, str]],
) -> Discussed:
    by_id = {judgement.id: judgement for judgement in judgements}
    name = old.criterion.id
    changed = sum(judgement.answer[name] != by_id[judgement.replaces].answer.get(name) for judgement in own)
    means = [_means(column) for column in (old, new)]
    return Discussed(
        panel=old.panel,
        criterion=old.criterion,
        outputs=len(outputs & set(old.outputs)),
        rerated=len(own),
        changed=changed,
        before=alpha_of(old),
        after=alpha_of(new),
        discussed_before=alpha_of(old.only(outputs)),
        discussed_after=alpha_of(new.only(outputs)),
        means=tuple((system, means[0][system], means[1][system]) for system in means[0] if system in means[1]),
    )


def _means(column: Column) -> Mapping[str, float]:
    total: dict[str, list[float]] = {}
    for system, value in zip(column.systems, column.values.tolist(), strict=True):
        total.setdefault(system, []).append(value)
    return {system: sum(values) / len(values) for system, values in total.items()}


def disagreements(frozen: Frozen, judgements: Sequence[Judgement]) -> dict[str, float]:
    """For each output with several judges how far apart they are: the widest gap on any question, as a share of it."""
    rated = sort_out(frozen, judgements)
    given: dict[str, list[Judgement]] = {}
    for judgement in rated.counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    found = {}
    for text, own in given.items():
        gaps = []
        for asked in rated.criteria:
            values = [judgement.answer[asked.id] for judgement in own if asked.id in judgement.answer]
            if len(values) > 1:
                gaps.append((max(values) - min(values)) / (asked.high - asked.low))
        if gaps:
            found[text] = max(gaps)
    return found
