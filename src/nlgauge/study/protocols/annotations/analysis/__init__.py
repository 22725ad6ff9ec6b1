"""The analysis of post-edits and marked errors.

measures   numbers of each answer (HTER, seconds a word; penalties, errors), to be analysed as ratings are
edits      edits by kind and system
errors     errors by category, severity and system; agreement on spans
results    what is found beyond ratings, with examples
reading    judgements from a study's folder or an exported file

What is measured goes through the analysis of ratings (means by mixed models, clusters, agreement, judges, panels, the
next study), so that its numbers are found in one way only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.annotations.analysis import edits, errors
from nlgauge.study.protocols.annotations.analysis.measures import measured
from nlgauge.study.protocols.annotations.file import SpanStudy, annotation_study
from nlgauge.study.protocols.outputs.analysis import Wanted
from nlgauge.study.protocols.ratings.analysis import analyse as analyse_numbers
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import sort_out
from nlgauge.study.protocols.triangle.analysis import digest


def analyse(frozen: Frozen, judgements: Sequence[Judgement], **options: Unpack[Wanted]) -> RatingResult:
    """Analyse a study of post-edits or of marked errors; see `ratings.analysis.analyse`."""
    study = annotation_study(frozen.study)
    numbers, measures = measured(frozen, judgements)
    esa = isinstance(study, SpanStudy) and study.scheme == "esa"  # whose score is the main outcome
    result = analyse_numbers(frozen, numbers, measures=measures, asked_first=esa, **options)
    sorted_ = sort_out(frozen, numbers, panel=options.get("panel"), measures=measures)
    counting = {judgement.id for judgement in sorted_.counted}
    counted = [
        judgement for judgement in judgements if judgement.id in counting and judgement.judge not in result.excluded
    ]
    people = [judgement for judgement in counted if judgement.panel not in sorted_.machines]
    counted = people or counted  # what a machine edits or marks is never pooled with people's
    own = errors.marked if isinstance(study, SpanStudy) else edits.edited
    return replace(result, digest=digest(judgements), own=own(frozen, counted))
