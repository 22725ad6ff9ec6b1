"""Review of what judges read: does a wording steer its answers? After Schoch, Yang and Ji (2020).

book        Piece (a wording with its place), Remark (what was found), the rules of a language (rules/*.toml)
reading     sentences, quoted words hidden
scales      labels of scales: balanced, worded
doubles     two things asked at once
rewording   neutral rewordings made from the question
wording     one wording against the rules; criteria, order and length of a study
second      second opinion: what the reader, a small network, makes of it
outputs     wordings and examples against the outputs that will be judged
sources     wordings of a file or a study folder

`review` takes wordings and gives remarks; it reads nothing and stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.study.question_review.book import Piece, Remark
from nlgauge.study.question_review.wording import review_piece, review_whole

if TYPE_CHECKING:
    from nlgauge.study.machine_judges.encoders import Encoder
    from nlgauge.types import EvaluationSet

__all__ = ["Piece", "Remark", "review", "review_folder"]


def review(
    pieces: Iterable[Piece | str],
    *,
    data: EvaluationSet | None = None,
    seed: int = 12345,
    using: Sequence[Encoder] | None = None,
) -> list[Remark]:
    """Remarks about wordings, in their order; with data also about traits and examples that favour one system."""
    given = [piece if isinstance(piece, Piece) else Piece(piece, line=n) for n, piece in enumerate(pieces, 1)]
    found = [remark for piece in given for remark in review_piece(piece)]
    if data is not None:
        from nlgauge.study.question_review.outputs import quoted_examples, review_examples, review_traits

        shown = [piece for piece in given if piece.role == "example"]
        shown += [
            quoted_example
            for piece in given
            if piece.role not in ("example", "labels")
            for quoted_example in quoted_examples(piece)
        ]
        found += review_traits(given, data, seed=seed)
        found += review_examples(shown, data, seed=seed, using=using)
    return sorted(found, key=lambda remark: remark.line)


def review_folder(
    folder: str | Path,
    *,
    data: EvaluationSet | None = None,
    seed: int = 12345,
    using: Sequence[Encoder] | None = None,
) -> list[Remark]:
    """Remarks about the study of a folder: its wordings, and the study as a whole."""
    from nlgauge.study.question_review.sources import from_study

    found = [*review(from_study(folder), data=data, seed=seed, using=using), *review_whole(folder)]
    return sorted(found, key=lambda remark: remark.line)
