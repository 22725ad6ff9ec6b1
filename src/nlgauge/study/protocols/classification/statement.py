"""What a classification tells for its design statement."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.classification.file import CLASS, ClassStudy, class_study
from nlgauge.study.protocols.outputs.statement import beside_told, practice_told, told_by
from nlgauge.study.statements.told import CriterionTold, Sheets, Told


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = class_study(frozen.study)
    return told_by(
        frozen,
        seen,
        study,
        kind="classification of one text at a time",
        criteria=(_criterion(study),),
        screen=lambda panel: (
            f"One text{beside_told(study, panel, 'beside it')}, and the classes; judges never see which system wrote "
            "it."
        ),
        about="a text",
        practice=practice_told(study, "text"),
        analysis=(
            "Shares of right answers with exact limits at the effective number of answers (Korn and Graubard, outputs "
            "as clusters), and by system with a logistic mixed model; confusion matrices; of two classes d′ and the "
            "criterion of an A-not-A test; Krippendorff's alpha (nominal) on the class that was answered."
        ),
        significance=(
            "Guessing: true classes permuted over outputs; of single judges exact binomial tests. Systems: Wald tests "
            "of all pairs by the logistic mixed model, Holm's correction."
        ),
    )


def _criterion(study: ClassStudy) -> CriterionTold:
    (one,) = study.questions_asked
    labels = tuple((name, dict(one.scale.labels[place])) for place, name in enumerate(study.names))
    return CriterionTold(
        CLASS,
        CLASS,
        dict(one.question),
        definition="Which of the classes a reader takes the text to belong to.",
        origin="the study's own wording",
        scale=f"{len(study.names)} classes without an order",
        size=str(len(study.names)),
        values=", ".join(study.names),
        labels=labels,
        instrument="multiple choice",
        elicitation="output classification or labelling",
        quality="feature",
        aspect="both",
        frame="outside",
    )
