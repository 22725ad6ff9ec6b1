"""What must be known before the figures of ratings are believed, as notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlgauge.study.analysis.notes import Note, note
from nlgauge.study.protocols.outputs.analysis.between import Pair
from nlgauge.study.protocols.outputs.analysis.notes import (
    FEW_ITEMS,
    alike,
    low_agreement,
    of_machine,
    of_panel,
    questions_unknown,
)
from nlgauge.study.protocols.ratings.analysis.judges import Judging
from nlgauge.study.protocols.ratings.analysis.machines import MachineBeside
from nlgauge.study.protocols.ratings.analysis.results import Rating
from nlgauge.study.protocols.ratings.analysis.rows import Rated


def notes(
    rated: Rated,
    ratings: Sequence[Rating],
    judging: Sequence[Judging],
    criteria: Sequence[Pair],
    machines: Sequence[MachineBeside] = (),
) -> Iterator[Note]:
    """Of questions, panels, machines, models and agreement, in this order."""
    yield from questions_unknown(rated.criteria)
    for group in judging:
        planned = rated.planned.get(group.panel, 0)
        if group.panel in rated.machines:
            measured = group.panel in rated.measured
            yield from of_machine(group.panel, rated.of(group.panel), planned, measured=measured)
            continue
        items = next((rating.items for rating in ratings if rating.panel == group.panel), FEW_ITEMS)
        yield from of_panel(group, planned, items, "means")
        yield from (note("of panel", panel=group.panel, note=told) for told in group.notes)
    for beside in machines:
        told = {"machine": beside.machine, "people": beside.people, "criterion": beside.criterion}
        yield from (note("beside", reason=reason, **told) for reason in beside.undefined)
    for rating in ratings:
        panel = rating.panel if len(judging) > 1 else ""
        yield from (told.at(rating.criterion, panel) for told in rating.models.notes)
        if rating.panel in rated.machines:
            continue
        yield from low_agreement(rating, panel)
        yield from (told.at(rating.criterion, panel) for told in of_tests(rating))
    yield from alike(criteria)


def of_tests(rating: Rating) -> Iterator[Note]:
    """Where tests come to another verdict, about all systems or about two neighbours; where two means differ."""
    models = rating.models
    if (
        len(models.means) > 1
        and models.leading == "linear"
        and models.ordinal is not None
        and models.linear is not None
    ):
        linear, ordinal = models.linear.test().p, models.ordinal.test().p
        if (linear < 0.05) != (ordinal < 0.05):
            yield note("models disagree", linear=linear, ordinal=ordinal, judges=rating.judges)
    if models.split:
        yield note("tests disagree", pairs=models.split)
    if _adjusted(rating):
        yield note("adjusted")


def _adjusted(rating: Rating) -> bool:
    """Whether the table shows two means of a system that differ; of shares and ratios it shows other figures."""
    plain = rating.criterion.points == 2 or rating.criterion.ratios or rating.models.linear is None
    return not plain and any(f"{mean.mean:.2f}" != f"{mean.raw:.2f}" for mean in rating.models.means)
