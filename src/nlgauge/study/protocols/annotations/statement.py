"""What annotations tell for their design statement: what ratings tell, and what is done to each text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nlgauge.study.file.study import say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.languages import worded
from nlgauge.study.protocols.annotations.file import AnnotationStudy, SpanStudy, annotation_study
from nlgauge.study.protocols.ratings import statement as ratings
from nlgauge.study.statements.told import CriterionTold, Sheets, Told

KINDS = {
    "post-edit": "post-editing of one text at a time",
    "spans": "marking of errors in one text at a time",
}
OMISSIONS = {
    "no": "omissions are not marked",
    "marker": "omissions are added without a place in the text",
    "source": "omissions are marked in the source",
}


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = annotation_study(frozen.study)
    found = ratings.told(frozen, seen, with_it="a place to work on it and the questions that follow")
    own = _spans(study) if isinstance(study, SpanStudy) else _edit(study)
    return replace(
        found,
        kind=KINDS[study.protocol],
        criteria=(own, *found.criteria),
        analysis=_analysis(study) + (f" Questions that follow: {found.analysis}" if study.questions_asked else ""),
        significance="Wald tests of all pairs of systems by these models (Satterthwaite's degrees of freedom), Holm's "
        "correction; Wilcoxon's signed-rank tests of outputs' means and, of amounts, permutation tests within items "
        "beside it.",
    )


def _wording(study: AnnotationStudy) -> dict[str, str]:
    """The instructions are the question: those of the file, else those of the pages."""
    written = {code: say(study.instructions, code) for code in study.spoken} if study.instructions else {}
    usual = worded(f"annotations.instructions.{study.protocol}")
    return written or {code: usual[code] for code in study.spoken}


def _edit(study: AnnotationStudy) -> CriterionTold:
    return CriterionTold(
        "post-edit",
        "Post-editing",
        _wording(study),
        definition="What it takes to make the text acceptable: edits and time.",
        origin="the study's instructions",
        scale="the text as the judge leaves it, and whether it was changed, needed no change or was written anew",
        size="open",
        values="edited, unchanged, rewritten; any text",
        instrument="text field with the output in it",
        elicitation="evaluation through post-editing or annotation: the text is edited",
        quality="goodness",
        aspect="both",
        frame="input",
    )


def _spans(study: SpanStudy) -> CriterionTold:
    kinds = ", ".join(map(study.category_name, study.paths)) or "none"
    weights = ", ".join(f"{study.severity_name(severity.id)} ({severity.weight:g})" for severity in study.grades)
    explained = [sub_category for parts in study.paths.values() for sub_category in parts] + list(study.grades)
    read = all(category.definition for category in explained)
    with_each = ", each with a definition that judges read" if read else ""
    labels = tuple((severity.id, dict(severity.name)) for severity in study.grades if severity.name)
    return CriterionTold(
        "errors",
        "Errors",
        _wording(study),
        definition=f"Spans of the text that are wrong. Categories{with_each}: {kinds}. Severities with weights"
        f"{with_each}: {weights}.",
        shown=read,
        origin="MQM core" if study.scheme == "mqm" else "ESA",
        scale=f"spans of words with {'category and ' * bool(study.paths)}severity; {OMISSIONS[study.omissions]}; that "
        "there is no error must be said",
        size="open",
        values=f"severities {', '.join(map(study.severity_name, study.weights))}; categories {kinds}",
        labels=labels,
        instrument="words marked in the text, or ticked in a list",
        elicitation="evaluation through post-editing or annotation: errors are marked",
        quality="correctness",
        aspect="both",
        frame="input",
    )


def _analysis(study: AnnotationStudy) -> str:
    if isinstance(study, SpanStudy):
        return (
            f"The penalty of a text is the sum of its errors' weights, per {study.per}; systems are compared by a "
            "linear mixed model of penalties, tested on their square roots, with judges and items as random effects; "
            "errors are counted by category "
            "and severity with limits over inputs; agreement on characters, spans, categories and severities."
        )
    return (
        "HTER is case-sensitive TER of the output against its post-edit; systems are compared by linear mixed models "
        "of HTER and of characters changed, both tested on their square roots, and of the logarithm of seconds a word, "
        "with judges and items as random effects; edits are counted by kind with limits over inputs."
    )
