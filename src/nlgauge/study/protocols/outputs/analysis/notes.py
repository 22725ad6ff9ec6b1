"""What must be known before the figures of any study of outputs are believed, as notes; and the refusal of one without
answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from nlgauge.errors import InputError
from nlgauge.stats.diagnosis import FINE
from nlgauge.study.analysis.counting import none_counts
from nlgauge.study.analysis.notes import Note, note
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.abstaining import Declined
from nlgauge.study.protocols.outputs.analysis.between import ALIKE, Pair
from nlgauge.study.protocols.outputs.analysis.results import Crew, OfCriterion
from nlgauge.study.protocols.outputs.analysis.rows import Worded
from nlgauge.study.protocols.outputs.analysis.wordings import WordingEffect
from nlgauge.study.protocols.outputs.criteria import Worded as Asked

FEW_JUDGES = 5
FEW_ITEMS = 10


def nothing_counts(
    what: str, declined: Sequence[Declined], judges: Collection[str], left_out: Mapping[str, str]
) -> InputError:
    """The refusal of a study without an answer that counts: everybody may have declined, or be left out."""
    if not any(counted.cannot for counted in declined):
        return none_counts(what, judges, left_out)
    several = len({counted.panel for counted in declined}) > 1
    said = "; ".join(
        f"{counted.criterion.label}{f', panel {counted.panel}' * several}: {counted.cannot:,} of {counted.asked:,}"
        for counted in declined
    )
    return InputError(f"no {what} counts: all answers are “I cannot judge this” ({said})")


def absent(planned: Sequence[str], present: Sequence[str]) -> Iterator[Note]:
    """Panels that nobody answered for."""
    return (note("absent", panel=name) for name in planned if name not in present)


def questions_unknown(criteria: Sequence[Worded]) -> Iterator[Note]:
    """Questions that nobody knows."""
    unknown = tuple(asked.name for asked in criteria if not asked.known)
    if unknown:
        yield note("questions unknown", names=unknown)


def unread(asked: Sequence[Asked], answers: Sequence[Judgement]) -> Iterator[Note]:
    """Which wordings have no answer that counts, where others have."""
    names = next((list(question.wordings) for question in asked if question.wordings), [])
    read = {answer.wording for answer in answers}
    nobody = tuple(name for name in names if name not in read)
    if answers and nobody:
        yield note("unread wordings", names=nobody)


def pooled(effects: Sequence[WordingEffect]) -> Iterator[Note]:
    """What a reader of the main analysis must know."""
    for effect in effects:
        yield note("pooled wordings", name=effect.name, judges=effect.judges, matters=effect.matters)


def of_panel(group: Crew, planned: int, items: int, figures: str) -> Iterator[Note]:
    """Few judges, answers that lack, few items, judges who failed a check; `figures` are shown of the systems."""
    judges, done = len(group.judges), group.answers
    if group.named and judges < FEW_JUDGES:
        yield note("few in panel", panel=group.panel, judges=judges)
    if done < planned:
        yield note("incomplete", panel=group.panel, done=done, planned=planned, figures=figures)
    if items < FEW_ITEMS:
        yield note("few items", panel=group.panel, items=items)
    if group.failed:
        yield note("failed checks", panel=group.panel, failed=len(group.failed), judges=judges, figures=figures)


def of_machine(panel: str, answers: Sequence[Judgement], planned: int, *, measured: bool = False) -> Iterator[Note]:
    """What a reader of a machine's figures must know."""
    yield note("no people", panel=panel)
    judges = len({answer.judge for answer in answers})
    if judges > 1:
        yield note("one machine", panel=panel, judges=judges)
    if measured:
        yield note("measured", panel=panel)
    if len(answers) < planned:
        yield note("left open", panel=panel, left=planned - len(answers), planned=planned)


def low_agreement(part: OfCriterion, panel: str = "") -> Iterator[Note]:
    """Alpha below the usual mark, or not known; `panel` where it must be named."""
    alpha = part.agreeing.alpha
    if alpha < FINE:
        why = "diagnosed" if part.agreeing.diagnosis else "few" if part.named else "unnamed"
        kind = "unsettled" if part.agreeing.unsettled else "agree little"
        yield note(kind, alpha=alpha, fine=FINE, why=why).at(part.criterion, panel)
    elif part.agreeing.agreement is None:
        yield note("agreement unknown", reason=part.agreeing.reason).at(part.criterion, panel)


def alike(criteria: Sequence[Pair]) -> Iterator[Note]:
    """Criteria that may be one."""
    for pair in criteria:
        found = pair.outputs.pearson
        if found.defined and found.estimate > ALIKE and pair.outputs.n > FEW_ITEMS:
            p = None if math.isnan(pair.outputs.p) else pair.outputs.p
            yield note("alike", first=pair.first, second=pair.second, r=found.estimate, n=pair.outputs.n, p=p)
