"""A study before and after a discussion: agreement and means of both rounds, and how many answers changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.ratings.analysis.agreeing import alpha_of
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, Rated, sort_out


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


def discussed(
    frozen: Frozen, judgements: Sequence[Judgement], rounds: Sequence[Opened], after: Rated, *, unit: bool
) -> tuple[Discussed, ...]:
    """Both rounds of every criterion of every panel that discussed."""
    if not rounds:
        return ()
    texts, began = {name for round_ in rounds for name in round_.texts}, min(round_.at for round_ in rounds)
    outputs = {after.subject[name] for name in texts if name in after.subject}
    later = {given.id for given in judgements if given.replaces and given.answered_at >= began}
    earlier = sort_out(frozen, [given for given in judgements if given.id not in later], unit=unit)
    earlier = earlier.without(earlier.judges - after.judges)
    again = [given for given in judgements if given.id in later and given.judge in after.judges]
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
    before, after = old.means(), new.means()
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
        means=tuple((system, before[system], after[system]) for system in before if system in after),
    )


def disagreements(frozen: Frozen, judgements: Sequence[Judgement]) -> dict[str, float]:
    """For each output with several judges how far apart they are: the widest gap on any question, as a share of it."""
    rated = sort_out(frozen, judgements)
    given: dict[str, list[Judgement]] = {}
    for judgement in rated.counted:
        given.setdefault(judgement.texts[0], []).append(judgement)
    return {text: gap for text, own in given.items() if (gap := _widest(rated, own)) is not None}


def _widest(rated: Rated, own: Sequence[Judgement]) -> float | None:
    gaps = []
    for asked in rated.criteria:
        values = [judgement.answer[asked.id] for judgement in own if asked.id in judgement.answer]
        if len(values) > 1:
            gaps.append((max(values) - min(values)) / (asked.high - asked.low))
    return max(gaps, default=None)
