"""The analysis of comparisons (pairwise, ranking, best-worst), from judgements to strengths, biases and sentences.

rows        which answers count, and who was preferred to whom
strengths   the model of the protocol with limits over judges and items, clusters, what stands beside it
biases      places on the screen, circular triads, agreement
judges      times, places, and whether a judge goes against the rest
planning    the next study from this one's errors
notes       what must be known before figures are believed; results: everything as one value
reading     judgements from a study's folder or an exported file

Panels and criteria are compared as ratings are (`outputs.analysis.between`). It knows no store and no web: a frozen
study and judgements come in, a `ComparisonResult` goes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nlgauge.study.analysis.notes import distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.comparisons.analysis.biases import agreeing_of, circles_of, places_of
from nlgauge.study.protocols.comparisons.analysis.judges import Judging, judging
from nlgauge.study.protocols.comparisons.analysis.notes import notes
from nlgauge.study.protocols.comparisons.analysis.planning import next_study
from nlgauge.study.protocols.comparisons.analysis.results import Comparison, ComparisonResult
from nlgauge.study.protocols.comparisons.analysis.rows import Column, Question, sort_out, won
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, fit_column
from nlgauge.study.protocols.comparisons.file import comparison_study
from nlgauge.study.protocols.comparisons.machines import NO_MACHINES, machines_compared
from nlgauge.study.protocols.outputs.analysis import refuse_peeking
from nlgauge.study.protocols.outputs.analysis.abstaining import declined_in
from nlgauge.study.protocols.outputs.analysis.between import pairs_of_criteria, pairs_of_panels
from nlgauge.study.protocols.outputs.analysis.notes import absent, nothing_counts, pooled, unread
from nlgauge.study.protocols.outputs.analysis.variants import ALL, KEPT, Beside, Mean, Variant, out_of
from nlgauge.study.protocols.outputs.analysis.wordings import Scale, effects
from nlgauge.study.protocols.outputs.control import rule_of
from nlgauge.study.protocols.triangle.analysis import digest

__all__ = ["Comparison", "ComparisonResult", "analyse"]


def analyse(
    frozen: Frozen,
    judgements: Sequence[Judgement],
    *,
    closed: bool = False,
    panel: str | None = None,
    seed: int = 12345,
    remarks: Sequence[str] = (),
    excluded: Mapping[str, str] | None = None,
) -> ComparisonResult:
    """Analyse a comparative study.

    Refused before the planned answers are there, unless the study was closed. `panel` names one panel to be analysed
    alone; `seed` serves the test of answers that decline. Judges in `excluded` (with reasons) are left out
    of everything but the strengths of all judges, which stand beside.
    """
    study, whole = comparison_study(frozen.study), sort_out(frozen, judgements)
    if not closed and panel not in whole.rated.machines:  # of a machine nothing of people's answers is looked at
        refuse_peeking(whole.rated)
    everybody = whole if panel is None else sort_out(frozen, judgements, panel=panel)
    out = out_of(everybody.rated.judges, excluded)
    told = everybody.without(out)
    rated, questions = told.rated, study.questions_asked
    every = {(name, asked.id): told.column(asked, name) for name in rated.panels for asked in told.criteria}
    columns = {key: column for key, column in every.items() if len(column)}
    declined = declined_in(rated, study.abstainable, seed=seed)
    if not columns:
        raise nothing_counts("comparison", declined, everybody.rated.judges, out)
    models = {key: fit_column(column) for key, column in columns.items()}
    machines = rated.machines
    found = tuple(_comparison(column, models[key], plan=key[0] not in machines) for key, column in columns.items())
    present = list(dict.fromkeys(name for name, _ in columns))
    judges = tuple(
        Judging(name, (), (), {}, ())  # a machine has neither times nor care
        if name in machines
        else judging(
            rated,
            name,
            [column for key, column in columns.items() if key[0] == name],
            too_fast=study.too_fast,
            rule=rule_of(study),
        )
        for name in present
    )
    failed = {judge.panel: judge.failed for judge in judges}
    found = tuple(
        replace(comparison, agreeing=comparison.agreeing.beside(failed[comparison.panel])) for comparison in found
    )
    told_strengths = {key: column for key, column in columns.items() if not models[key].reason}
    criteria = pairs_of_criteria(told_strengths, models)
    variants = [
        row
        for comparison in found
        if (row := _beside(comparison, everybody.column(comparison.criterion, comparison.panel), out)) is not None
    ]
    shares = won(told)
    people = [name for name in rated.panels if name not in machines]
    wordings = effects(
        questions,
        {asked.id: [shares.column(asked, name) for name in people] for asked in shares.criteria},
        told.counted,
        {asked.id: Scale(levels=False, what="shares won") for asked in told.criteria},
        seed=seed,
    )
    said = (
        *(note("remark", text=remark) for remark in remarks),
        *absent(rated.panels, present),
        *unread(questions, [judgement for judgement in told.counted if judgement.panel in people]),
        *pooled(wordings),
        *notes(rated, found, judges, criteria),
    )
    kept = [judgement for judgement in judgements if judgement.judge not in out]
    return ComparisonResult(
        protocol=study.protocol,
        title=study.called,
        study=frozen.id,
        comparisons=found,
        judging=judges,
        panels=pairs_of_panels(told_strengths, models, level=False),
        criteria=criteria,
        aside=rated.aside,
        notes=tuple(distinct(said)),
        names=rated.names,
        digest=digest(judgements),
        seed=seed,
        closed=closed,
        machines=machines_compared(frozen, kept) if panel is None else NO_MACHINES,
        beside=tuple(variants),
        excluded=out,
        declined=declined,
        wordings=wordings,
    )


def _comparison(column: Column, models: Models, *, plan: bool) -> Comparison:
    return Comparison(
        panel=column.panel,
        criterion=column.criterion,
        n=len(column),
        judges=len(column.judges),
        items=len(column.items),
        per_screen=column.places,
        games=len(column.games),
        ties=column.ties,
        models=models,
        places=places_of(column),
        circles=circles_of(column, models.matrix),
        agreeing=agreeing_of(column),
        planning=next_study(column, models) if plan else None,
    )


def _beside(one: Comparison, full: Column, excluded: Mapping[str, str]) -> Beside[Question] | None:
    """Both variants of a criterion, `full` with every judge; None where nobody of the panel is left out."""
    out = out_of(full.judges, excluded)
    if not out:
        return None
    every = fit_column(full)
    shares = bool(every.reason or one.models.reason)  # what has no strengths has shares of comparisons won
    variants = (
        Variant(ALL, len(full.judges), _means(every, shares), agreeing_of(full).alpha),
        Variant(KEPT, one.judges, _means(one.models, shares), one.agreeing.alpha),
    )
    return Beside(one.panel, one.criterion, variants, out, "shares of comparisons won" if shares else "strengths")


def _means(models: Models, shares: bool) -> dict[str, Mean]:
    return {
        system_strength.system: Mean(system_strength.share)
        if shares
        else Mean(system_strength.mean, system_strength.low, system_strength.high)
        for system_strength in models.means
    }
