"""What each key of a study file allows by itself, but not beside the others; each with the place of the key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nlgauge.study.addresses import is_address
from nlgauge.study.endings import completions
from nlgauge.study.fields import LANGUAGES

if TYPE_CHECKING:
    from nlgauge.study.design import Practice, Sequential, Study, Subject


def contradictions(study: Study) -> Iterator[tuple[str, str]]:
    """The place of a key and what is wrong there, for everything that is."""
    for name, value in dataclasses.asdict(study.risks).items():
        if not 0 < value < 1:
            yield f"risks.{name}", f"risks.{name} must lie between 0 and 1, not {value:g}; write 5 % as 0.05"
    if set(study.subjects) != {"A", "B"}:
        yield "subjects", f"subjects must be A and B, not {', '.join(study.subjects)}"
    for name, subject in study.subjects.items():
        yield from _subject_problems(f"subjects.{name}", subject)
    for name, panel in study.panels.items():
        if study.goal == "similarity" and panel.evaluations > 1 and panel.kind == "people":
            yield (
                f"panels.{name}.evaluations",
                "repeated evaluations are not allowed in a test of similarity: one judge's answers are not "
                "independent, and too little variation would pass for similarity; ask more judges, or set the "
                "goal to difference",
            )
        if not name.strip() or len(name) > 64:
            yield f"panels.{name}", "a panel's name must have between 1 and 64 characters"
        elif not name.isprintable():
            yield (
                f"panels.{name}",
                f"panels: the name {name!r} holds characters that cannot be seen; take them out",
            )
    yield from _language_problems(study)
    yield from _practice_problems(study.practice)
    yield from _question_problems(study)
    for path, completion in completions(study):
        for name in ("redirect", "failed_redirect", "screened_out_redirect"):
            address = getattr(completion, name)
            if address and not is_address(address):
                place = f"{path}.{name}"
                yield place, f"{place} must be an address that begins with https://, without spaces"
    if study.sequential is not None:
        yield from _look_problems(study, study.sequential)


def _subject_problems(path: str, subject: Subject) -> Iterator[tuple[str, str]]:
    if not subject.name.isprintable():
        yield (
            path,
            f"{path}.name: {subject.name!r} holds characters that cannot be seen; take them out",
        )
    if bool(subject.data) == bool(subject.texts):
        yield (
            path,
            f"{path} must name either data (an evaluation set) or texts (a list), not both and not neither",
        )
    if subject.data and bool(subject.system) == bool(subject.reference):
        yield (
            path,
            f"{path} must name a system of its data, or reference: 1 for the first reference of each item",
        )
    if subject.texts:
        for name in ("system", "reference", "items", "image", "caption", "context"):
            if getattr(subject, name):
                yield f"{path}.{name}", f"{path}.{name} belongs to data, not to a list of texts"


def _language_problems(study: Study) -> Iterator[tuple[str, str]]:
    repeated = [language for language in study.languages if study.languages.count(language) > 1]
    if repeated:
        yield "languages", f"the language {repeated[0]!r} is named twice"
    for path, words in wordings(study):
        if "" in words:
            continue
        for language in words:
            if language not in LANGUAGES:
                yield path, f"{path} has the language {language!r}; known: {', '.join(LANGUAGES)}"
        lacking = [language for language in study.spoken if language not in words]
        if lacking:
            yield path, f"{path} has no wording for {', '.join(lacking)}: judges would read another language"


def wordings(study: Study) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every wording that judges read, with the place of its key."""
    found: list[tuple[str, Mapping[str, str] | None]] = [
        ("title", study.title),
        ("question", study.question),
        ("instructions", study.instructions),
        ("context", study.context),
        *((f"{path}.text", completion.text) for path, completion in completions(study)),
    ]
    if study.consent is not None:
        found += [("consent.text", study.consent.text), ("consent.agree", study.consent.agree)]
    for number, question in enumerate(study.questions, start=1):
        found.append((f"questions.{number}.text", question.text))
        found += [
            (f"questions.{number}.options.{k}", option) for k, option in enumerate(question.options, start=1)
        ]
    found += [
        (f"practice.examples.{number}.explanation", example.explanation)
        for number, example in enumerate(study.practice.examples, start=1)
    ]
    yield from ((path, words) for path, words in found if words)


def _practice_problems(practice: Practice) -> Iterator[tuple[str, str]]:
    for number, example in enumerate(practice.examples, start=1):
        if len(example.texts) != 3:
            path = f"practice.examples.{number}.texts"
            yield path, f"a practice triad has three texts, not {len(example.texts)}"
    if practice.items and len(practice.items) < 3 * practice.triads:
        yield "practice.items", f"{practice.triads} practice triads need {3 * practice.triads} inputs"
    total = practice.triads + len(practice.examples)
    if practice.required > total:
        yield (
            "practice.required",
            f"practice.required is {practice.required}, but there are {total} practice triads",
        )


def _question_problems(study: Study) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for number, question in enumerate(study.questions, start=1):
        path = f"questions.{number}"
        if question.id in seen:
            yield path, f"two questions are called {question.id!r}"
        seen.add(question.id)
        if (question.type == "choice") != bool(question.options):
            need = "needs options" if question.type == "choice" else "cannot have options"
            yield path, f"the question {question.id!r} of type {question.type} {need}"


def _look_problems(study: Study, plan: Sequential) -> Iterator[tuple[str, str]]:
    if study.corrections == "allow":
        yield (
            "corrections",
            "corrections cannot be allowed in a sequential study: a correction that comes after a look would change "
            "a look that has been made",
        )
    if plan.plan == "wald":
        yield from _wald_problems(study, plan)
        return
    if not plan.looks or any(late <= early for early, late in zip(plan.looks, plan.looks[1:], strict=False)):
        yield "sequential.looks", "sequential.looks must be a list of increasing numbers of answers"
        return
    for name, panel in study.panels.items():
        if panel.judges * panel.evaluations != plan.looks[-1]:
            yield (
                "sequential.looks",
                f"the last look comes after {plan.looks[-1]} answers, but the panel {name} gives "
                f"{panel.judges * panel.evaluations}",
            )


def _wald_problems(study: Study, plan: Sequential) -> Iterator[tuple[str, str]]:
    if plan.looks:
        yield "sequential.looks", "Wald's test looks after every answer; leave sequential.looks out"
    if study.risks.alpha + study.risks.beta >= 1:
        yield "risks", "Wald's test needs risks α and β that add up to less than 1"
    for name, panel in study.panels.items():
        if panel.evaluations > 1 and panel.kind == "people":
            yield (
                f"panels.{name}.evaluations",
                "repeated evaluations are not allowed in Wald's test: it may end with similarity, for which one "
                "judge's answers are not independent; ask more judges, or plan looks (sequential: {looks: [...]})",
            )
