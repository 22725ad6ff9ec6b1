"""The analysis of conversations: that of ratings for each criterion, and how long conversations were beside it.

covariates   lengths and failures by system, and how they go together with the ratings
reading      judgements from a study's folder or an exported file

Conversations that broke off have no ratings: they are set aside and counted, and a warning says of which systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from nlgauge.errors import InputError
from nlgauge.study.analysis.counting import sort
from nlgauge.study.analysis.notes import Note, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.chat.analysis.covariates import covariates
from nlgauge.study.protocols.chat.file import chat_study
from nlgauge.study.protocols.chat.protocol import rated
from nlgauge.study.protocols.outputs.analysis import Wanted
from nlgauge.study.protocols.ratings.analysis import analyse as analyse_ratings
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.triangle.analysis import digest

__all__ = ["analyse"]


def analyse(frozen: Frozen, judgements: Sequence[Judgement], **options: Unpack[Wanted]) -> RatingResult:
    """Analyse a chat study; the options are those of ratings' `analyse`."""
    study = chat_study(frozen.study)
    every = sort(judgements, "include").given
    broken = [judgement for judgement in every if judgement.answer.get("broken")]
    if broken and len(broken) == len(every):
        raise InputError("no conversation can be analysed: all broke off before they could be rated")
    result = analyse_ratings(
        frozen,
        [rated(judgement) for judgement in judgements],
        first=_breaks(frozen, broken),
        **options,
    )
    kept = sort(judgements, study.surplus, excluded=result.excluded).counted
    found = covariates(frozen, study, result, kept)
    return replace(
        result,
        aside={**result.aside, "broken": len(broken)},
        digest=digest(judgements),
        own=found,
    )


def _breaks(frozen: Frozen, broken: Sequence[Judgement]) -> list[Note]:
    if not broken:
        return []
    by_system = Counter(frozen.text[judgement.texts[0]].subject for judgement in broken)
    return [note("broken off", broken=len(broken), systems=dict(by_system.most_common()))]
