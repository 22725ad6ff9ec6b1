"""What each key of a study file allows by itself, but not beside the others; each with the place of the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nlgauge.errors import shortened, suggest
from nlgauge.study.file.endings import completions, is_address
from nlgauge.study.languages import LANGUAGES
from nlgauge.study.model import BETWEEN
from nlgauge.study.protocols import protocol_of

if TYPE_CHECKING:
    from nlgauge.study.file.study import Question, Study, Subject


OWN = (
    "for another one translate the pages (nlgauge study translation TAG) and name the file under translations in "
    "study.yaml"
)


def contradictions(study: Study) -> Iterator[tuple[str, str]]:
    """The place of a key and what is wrong there, for everything that is."""
    for name in study.panels:
        if not name.strip() or len(name) > 64:
            yield f"panels.{name}", f"a panel's name must have between 1 and 64 characters, not {len(name.strip()):,}"
        elif not name.isprintable():
            yield f"panels.{name}", f"panels: the name {name!r} holds characters that cannot be seen; take them out"
    yield from _language_problems(study)
    yield from _question_problems(study)
    for path, completion in completions(study):
        for name in ("redirect", "failed_redirect", "screened_out_redirect"):
            address = getattr(completion, name)
            if address and not is_address(address):
                place, wanted = f"{path}.{name}", "an address that begins with https://, without spaces"
                yield place, f"{place} must be {wanted}, not {shortened(address)}"
    yield from protocol_of(study.protocol).contradictions(study)


def subject_problems(path: str, subject: Subject) -> Iterator[tuple[str, str]]:
    """What is wrong with where a subject's texts come from."""
    if not subject.name.isprintable():
        odd = f"{shortened(subject.name)} holds characters that cannot be seen; take them out"
        yield f"{path}.name", f"{path}.name: {odd}"
    if bool(subject.data) == bool(subject.texts):
        yield (
            path,
            f"{path} must name either data (an evaluation set) or texts (a list), not both and not neither; "
            f"{'leave one of them out' if subject.data else 'add data: FILE and system: NAME, or texts: [...]'}",
        )
    if subject.data and bool(subject.system) == bool(subject.reference):
        yield (
            path,
            f"{path} must name a system of its data, or reference: 1 for the first reference of each item, "
            f"{'not both; leave one of them out' if subject.system else 'but has neither; add system: NAME'}",
        )
    if subject.texts:
        for name in ("system", "reference", "items", "image", "caption", "context"):
            if getattr(subject, name):
                yield f"{path}.{name}", f"{path}.{name} belongs to data, not to a list of texts; leave it out"


def _language_problems(study: Study) -> Iterator[tuple[str, str]]:
    repeated = [language for language in study.languages if study.languages.count(language) > 1]
    if repeated:
        yield "languages", f"the language {repeated[0]!r} is named twice; leave one out"
    known = (*LANGUAGES, *study.translations)
    for number, language in enumerate(study.languages, start=1):
        if language not in known:
            place, expected = f"languages.{number}", f"{suggest(language, known)}; {OWN}"
            yield place, f"{place} cannot be {shortened(language)}; {expected}"
    for path, words in wordings(study):
        if "" in words:
            continue
        for language in words:
            if language not in known:
                told = f"{path} has the language {shortened(language)}, which pages do not speak"
                yield f"{path}.{language}", f"{told}; {suggest(language, known)}; {OWN}"
        lacking = [language for language in study.spoken if language not in words]
        if lacking:
            yield (
                path,
                f"{path} has no wording for {', '.join(lacking)}: judges would read another language; add "
                f"{lacking[0]}: …, or take {lacking[0]} out of the languages of the study",
            )


def wordings(study: Study) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every wording that judges read, with the place of its key."""
    found: list[tuple[str, Mapping[str, str] | None]] = [
        ("title", study.title),
        ("instructions", study.instructions),
        ("context", study.context),
        *((f"{path}.text", completion.text) for path, completion in completions(study)),
    ]
    if study.consent is not None:
        found += [("consent.text", study.consent.text), ("consent.agree", study.consent.agree)]
    for path, question in _questions(study):
        found += [(f"{path}.{name}", getattr(question, name)) for name in ("text", "low", "high")]
        found += [(f"{path}.options.{k}", option) for k, option in enumerate(question.options, start=1)]
    for number, asked in enumerate(study.test.questions if study.test else (), start=1):
        path = f"quality.comprehension.questions.{number}"
        found.append((f"{path}.text", asked.text))
        found += [(f"{path}.options.{k}", option) for k, option in enumerate(asked.options, start=1)]
    found += protocol_of(study.protocol).wordings(study)
    yield from ((path, words) for path, words in found if words)


def _questions(study: Study) -> Iterator[tuple[str, Question]]:
    """The questions to the judge, before the first text and at the end, each with its place."""
    for key, asked in (("questions", study.questions), ("closing", study.closing)):
        for number, question in enumerate(asked, start=1):
            yield f"{key}.{number}", question


def _question_problems(study: Study) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for path, question in _questions(study):
        if question.id in seen:
            yield f"{path}.id", f"two questions are called {shortened(question.id)}; give each an id of its own"
        seen.add(question.id)
        yield from ((f"{path}{place}", f"{told} {wrong}") for place, told, wrong in _faults(question))


def _faults(question: Question) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a question: the key below its place, which question, and the fault."""
    name, options, between = f"the question {shortened(question.id)}", question.options, BETWEEN.strip()
    typed = f"{name} of type {question.type}"
    chosen = question.type in ("choice", "several")
    if chosen and not options:
        yield "", typed, "needs options; add options: [first, second]"
    elif question.type == "choice" and len(options) == 1:
        nothing = "has one option, so there is nothing to choose; add another, or leave the question out"
        yield ".options", name, nothing
    elif not chosen and options:
        yield ".options", typed, "cannot have options; leave them out, or set type: choice"
    if len({tuple(sorted(option.items())) for option in options}) < len(options):
        yield ".options", name, "has two options that are the same; leave one out"
    if question.type == "several" and any(between in text for option in options for text in option.values()):
        export = "which stands between the options of an answer in the export; write it in other words"
        yield ".options", f"an option of {name}", f"holds “{between}”, {export}"
    if question.type != "scale" and question.points != type(question).points:
        yield ".points", typed, "has no points; leave points out, or set type: scale"
    for end in ("low", "high") if question.type != "scale" else ():
        if getattr(question, end):
            yield f".{end}", typed, f"has no ends to name; leave {end} out, or set type: scale"
    if question.type == "scale" and bool(question.low) != bool(question.high):
        lacks = "high" if question.low else "low"
        yield "", name, f"names one end of its scale only; add {lacks}: …"
