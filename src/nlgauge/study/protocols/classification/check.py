"""What `study check` says of a classification: texts and balance as of ratings, true classes, how many outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nlgauge.errors import counted
from nlgauge.stats.discrimination.planning import answers_needed
from nlgauge.study.checks.findings import Finding
from nlgauge.study.checks.foresight import ALPHA, POWER
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.classification.file import ClassStudy, class_study
from nlgauge.study.protocols.classification.layout import truth_of
from nlgauge.study.protocols.classification.simulation import Classifiers
from nlgauge.study.protocols.outputs.check import (
    agreement_findings,
    balance_findings,
    machine_findings,
    quality_findings,
    rehearsal_findings,
)
from nlgauge.study.protocols.ratings.check import text_findings

UNEVEN = 1.5  # times its even share, from which on a class is right for who always answers it


def check_design(frozen: Frozen, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    study = class_study(frozen.study)
    yield from text_findings(frozen, study, lines)
    yield from _truth(frozen, study, lines)
    yield from balance_findings(frozen, study, lines)
    yield from agreement_findings(frozen, study, lines)
    yield from machine_findings(frozen, study, lines)
    yield from quality_findings(study, lines)
    if simulate:
        yield from rehearsal_findings(frozen, Classifiers(dropouts=0.1))


def _truth(frozen: Frozen, study: ClassStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    line = lines.get("truth_column", 0) or lines.get("truth", 0) or lines.get("classes", 0)
    texts = [text for text in frozen.served if not text.role]
    found = Counter(truth for text in texts if (truth := truth_of(text)) is not None)
    known = found.total()
    if not known:
        yield Finding(
            "risk",
            "truth",
            "the true class of no output is known (truth_column, truth), so that judges are neither right nor wrong; "
            "only how far they agree will be told",
            line,
        )
        return
    listed = ", ".join(f"{name} {found[name]:,}" for name in study.names)
    unknown = f"; of {counted(len(texts) - known, 'output')} it is unknown" if known < len(texts) else ""
    yield Finding("note", "truth", f"outputs by true class: {listed}{unknown}", line, {"classes": dict(found)})
    often, number = found.most_common(1)[0]
    if number > UNEVEN * known * study.chance and number / known > study.chance + 0.1:
        yield Finding(
            "risk",
            "truth",
            f"{number:,} of {known:,} outputs are of the class {often}: who always answers it is right in "
            f"{100 * number / known:.0f} %; take as many of each class",
            line,
        )
    if study.accuracy:
        needed = answers_needed(ALPHA, 1 - POWER, study.chance, study.accuracy).stable
        yield Finding(
            "risk" if needed > known else "note",
            "accuracy",
            f"to tell an accuracy of {100 * study.accuracy:g} % from {100 * study.chance:.3g} % by guessing, one judge "
            f"needs {needed:,} outputs (exact binomial test, one-sided α = {ALPHA:g}, power {POWER:g}); {known:,} have "
            "a known class, and further judges of the same outputs add less than further outputs",
            lines.get("accuracy", 0),
            {"needed": needed, "outputs": known},
        )
