"""What a triangle test tells for its design statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from nlgauge.study.file.study import say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import TRIADS
from nlgauge.study.protocols.triangle.file import TriangleStudy, triangle_study
from nlgauge.study.statements.told import CriterionTold, Sheets, Told, planned_sheets, texts_of


def told(frozen: Frozen, seen: Mapping[str, Sheets]) -> Told:
    """Everything but what every study file holds."""
    study = triangle_study(frozen.study)
    people = [name for name, panel in study.panels.items() if panel.kind == "people"]
    practice = study.practice
    total = practice.triads + len(practice.examples)
    told_after = "judges were told after each whether they were right" if practice.feedback else "without feedback"
    return Told(
        kind=f"choice of one of three texts (triangle test of {study.goal})",
        criteria=(_criterion(study),),
        screen=_screen(study),
        order="Triads come in random blocks of six, each block with the six orders of A and B in three places; within "
        "the triads, inputs and roles (A or B, odd or paired) are balanced.",
        planned=tuple((name, _triads(frozen, planned_sheets(frozen, name))) for name in people),
        realised=tuple((name, _triads(frozen, seen[name])) for name in people if seen.get(name)),
        practice=f"{total} practice triad{'s' * (total > 1)}, {told_after}; not analysed" if total else "none",
        examples=(*texts_of(frozen), *_explanations(study)),
        checks="none beside the practice: in a triad there is a right answer, and guessing is part of the test",
        screening=f"judges with fewer than {practice.required} of {total} practice triads right are not asked further"
        if practice.required
        else "nobody is turned away for practice answers",
        sample=_sample(frozen, study),
        power=_power(study),
        analysis="The number of correct answers of each panel; nothing is averaged.",
        significance="Exact binomial test against guessing (1/3)"
        if study.goal == "difference"
        else f"Exact binomial test against p_d = {100 * study.risks.p_d:g} %",
        agreement="no coefficient: an answer is right or wrong, and that judges guess is part of the test",
    )


def _criterion(study: TriangleStudy) -> CriterionTold:
    return CriterionTold(
        "difference",
        "perceptible difference",
        dict(study.question),
        definition="People can tell texts of one author from texts of the other.",
        origin="González Corbelle, Alonso and Bugarín (2020)",
        scale="one of three texts is chosen; no tie, no scale",
        size="3",
        values="first, second or third text on the screen",
        instrument="multiple choice",
        elicitation="other: choice of the odd one of three texts",
        quality="feature",
        aspect="both",
        frame="itself",
        relative=True,
    )


def _screen(study: TriangleStudy) -> str:
    inputs = "from three different inputs" if study.inputs == "different" else "from any inputs"
    subjects = study.subjects.values()
    beside = ["a context above all texts"] * bool(study.context)
    beside += ["a context above each text"] * any(subject.context for subject in subjects)
    beside += ["a picture with each text"] * any(subject.image for subject in subjects)
    more = f"; beside them {' and '.join(beside)}" if beside else ""
    return f"Three texts, two of one author and one of the other, {inputs}{more}; judges never see who wrote what."


def _triads(frozen: Frozen, sheets: Sheets) -> str:
    slots = [slot for sheet in sheets for slot in sheet]
    triads = Counter(slot.role for slot in slots)
    shown = ", ".join(f"{triad} {triads[triad]:,}" for triad in TRIADS)
    counts = Counter(dict.fromkeys((text.id for text in frozen.served), 0))
    counts.update(text for slot in slots for text in slot.texts)
    least, most = min(counts.values()), max(counts.values())
    times = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{len(slots):,} triads: {shown}; each text shown {times} times"


def _explanations(study: TriangleStudy) -> Iterator[tuple[str, str]]:
    for number, example in enumerate(study.practice.examples, start=1):
        if example.explanation:
            yield f"said after practice {number}", say(example.explanation, study.spoken[0])


def _sample(frozen: Frozen, study: TriangleStudy) -> str:
    items = len({text.item for text in frozen.served})
    each = ", ".join(
        f"{sum(text.subject == name for text in frozen.served):,} by {name}" + (f" ({called})" if called else "")
        for name, called in study.authors.items()
    )
    return f"{items:,} items; texts: {each}"


def _power(study: TriangleStudy) -> str:
    if study.sequential is not None:
        return ""  # the rule of stopping has no power of one number: a person says what was computed
    from nlgauge.stats import discrimination

    risks, said = study.risks, []
    for name, panel in study.panels.items():
        if panel.kind == "people":
            n = panel.judges * panel.evaluations
            plan = discrimination.plan(risks.alpha, risks.beta, risks.p_d, goal=study.goal, judges=n)
            each = " (each answer counted as a judge's)" if panel.evaluations > 1 else ""
            said.append(
                f"panel {name}: {plan.to_dict()['power']:.3f} with {n:,} answers{each}, α = {risks.alpha:g}, "
                f"β = {risks.beta:g}, p_d = {100 * risks.p_d:g} % (exact binomial)"
            )
    return "; ".join(said)
