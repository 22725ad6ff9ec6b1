"""Scores of style transfer: outputs judged by classifiers, tables of scores, what fails and why, comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.engine.remarks import data_notes, model_remarks
from nlgauge.jsonable import Jsonable
from nlgauge.learned.compliancy import classifiers
from nlgauge.metrics.base import Metric
from nlgauge.receipt import receipts
from nlgauge.results import Comparisons
from nlgauge.style.forms import ARROW, Article, Transfer
from nlgauge.style.scoring.comparing import (
    Asymmetry,
    Framing,
    Together,
    asymmetries_of,
    correlations_of,
    correlations_of_table,
    framing_of,
    framing_of_table,
)
from nlgauge.style.scoring.failures import Failures, failures_of, items_of
from nlgauge.style.scoring.judged import Judged, Progress, Settings, judge, table_of, tests_of
from nlgauge.style.scoring.posing import Posed, pose
from nlgauge.style.scoring.table import Table
from nlgauge.style.scoring.typed import Typed

METRICS = ("bleu", "rougeL")


@dataclass(frozen=True)
class StyleScores(Jsonable):
    """A table of scores with all that is known beside it; of a table that was typed in, most is not."""

    KEYS = "*table, stated = typed if any, *judged, correlations, framing if any, receipts = lines, notes"

    table: Table
    tests: Comparisons | None = None
    failures: tuple[Failures, ...] = ()
    asymmetries: tuple[Asymmetry, ...] = ()
    correlations: tuple[Together, ...] = ()
    framing: Framing | None = None
    typed: Typed | None = None
    items: tuple[Mapping[str, Any], ...] = ()  # every output with its decisions
    classifiers: tuple[Mapping[str, Any], ...] = ()  # precision, recall and F of each class
    settings: Settings | None = None
    success: str = ""
    misjudged: int = 0  # original headlines that the main classifier takes for another source than theirs
    originals: int = 0
    empty: Mapping[str, int] | None = None
    lacking: Mapping[tuple[str, str], int] | None = None
    receipts: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()

    @property
    def judged(self) -> dict[str, Any]:
        """What is known where outputs were judged; `items` are left to their own file."""
        if self.settings is None:
            return {}
        return {
            "success": self.success,
            "classifiers": self.classifiers,
            "originals": self.originals,
            "misjudged_originals": self.misjudged,
            "empty": self.empty or {},
            "lacking": [
                {"system": system, "direction": direction, "outputs": count}
                for (system, direction), count in (self.lacking or {}).items()
            ],
            "tests": self.tests or None,
            "failures": self.failures,
            "asymmetry": self.asymmetries,
        }

    @property
    def lines(self) -> Mapping[str, str]:
        """The receipts there are."""
        return self.receipts or {}


def score_transfers(
    articles: Sequence[Article],
    transfers: Sequence[Transfer],
    model: str,
    *,
    metrics: Sequence[str | Metric] | None = None,
    directions: Sequence[str] = (),
    success: str | None = None,
    gold: bool = True,
    families: Mapping[str, Sequence[str]] | None = None,
    data: Mapping[str, Sequence[str]] | None = None,
    settings: Settings | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[StyleScores, Posed]:
    """Judge what systems made of headlines, by the classifiers of a folder and by metrics (BLEU and ROUGE-L).

    Success of the style is reversal where the classifiers know two sources, and the target where they know more. Also
    returns what was judged, whose rows `nlgauge score` and `compare` read.
    """
    settings = settings or Settings()
    judges = classifiers(model)
    posed = pose(articles, transfers, directions=directions, known=judges.labels, gold=gold)
    chosen = (METRICS if gold else ()) if metrics is None else metrics
    judged = judge(posed, model, chosen, success=success, jobs=jobs, progress=progress)
    table = table_of(judged, settings)
    items = tuple(items_of(judged, posed, model))
    originals = {row["item"]: row["original_style"] == row["direction"].partition(ARROW)[0] for row in items}
    return (
        StyleScores(
            table,
            tests=tests_of(judged, settings),
            failures=failures_of(judged),
            asymmetries=asymmetries_of(judged, settings),
            correlations=correlations_of(judged, settings),
            framing=framing_of(judged, table, families, data or {}, settings) if families else None,
            items=items,
            classifiers=tuple(judges.figures()),
            settings=settings,
            success=judged.success,
            misjudged=sum(not right for right in originals.values()),
            originals=len(originals),
            empty=posed.empty,
            lacking=posed.lacking,
            receipts=_receipts(judged, settings),
            notes=(*data_notes(judged.data.summary), *model_remarks(list(judged.measures.values()))),
        ),
        posed,
    )


def scores_of_table(
    typed: Typed,
    *,
    families: Mapping[str, Sequence[str]] | None = None,
    data: Mapping[str, Sequence[str]] | None = None,
) -> StyleScores:
    """The same report of a table that somebody has already: no texts, so neither intervals nor tests."""
    return StyleScores(
        typed.table,
        typed=typed,
        correlations=correlations_of_table(typed.table),
        framing=framing_of_table(typed.table, families, data or {}) if families else None,
    )


def _receipts(judged: Judged, settings: Settings) -> dict[str, str]:
    facts = {"ci": f"bootstrap:{settings.draws}", "level": settings.level, "seed": settings.seed}
    sizes = [len(sample.items) for sample in judged.samples.values()]
    return receipts(list(judged.measures.values()), judged.data.summary, judged.data.digests, sizes, facts)
