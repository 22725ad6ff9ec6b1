"""What judges were asked beside the texts and what they answered; which wordings and translations they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from nlgauge.errors import counted
from nlgauge.study.analysis.sample import Answered, Sample
from nlgauge.study.file.study import Question, Study
from nlgauge.study.file.translations import missing
from nlgauge.study.languages import DEFAULT, content
from nlgauge.study.statements.facts import Facts
from nlgauge.study.statements.told import CriterionTold
from nlgauge.study.statements.types import Entry, Field, designed, plain, stored


def wordings(questions: Sequence[Question]) -> tuple[Entry, ...]:
    """Questions put to the judge, each with the answers it offers, by their names."""
    return tuple(map(_question, questions))


def answered(
    facts: Facts | None, asked: Callable[[Sample], Iterable[Answered]], *, panels: int
) -> list[tuple[str, str]]:
    """What the judges of each panel answered, where anybody did; the panel is named where there are several."""
    return [
        (f"{sample.panel}: {answer.text}" if panels > 1 else answer.text, ", ".join(answer.told))
        for sample in (() if facts is None else facts.samples)
        for answer in asked(sample)
        if answer.given
    ]


def translated(study: Study) -> tuple[Entry, ...]:
    """The study's own translations of the pages, each with its size and the hash of its file."""
    total = len(content(DEFAULT, "pages"))
    return tuple(
        Entry(
            f"{total - len(missing(own)):,} of {total:,} phrases, the others in {own.fallback}; SHA-256 {own.sha256}",
            f"{own.name} ({tag})",
        )
        for tag, own in study.pages.items()
    )


def _question(question: Question) -> Entry:
    ends = (question.low, question.high) if question.type == "scale" else ()
    offered = ["; ".join(_in_language(words)) for words in (*question.options, *(end for end in ends if end))]
    how = f"{question.points} points" if question.type == "scale" else question.type
    told = f" ({how}{': ' if offered else ''}{' / '.join(offered)})" if question.type != "text" else ""
    return Entry("; ".join(_in_language(question.text)) + told, question.id)


def _in_language(words: Mapping[str, str]) -> Iterator[str]:
    for language, text in words.items():
        yield f"{text} ({language})" if language else text


def wording_entries(one: CriterionTold, words: Callable[[Mapping[str, str]], tuple[Entry, ...]]) -> tuple[Entry, ...]:
    """The question in every language, by `words`; of several wordings each by its name."""
    if not one.wordings:
        return words(one.wording)
    return tuple(
        replace(entry, label=f"{name}, {entry.label}" if entry.label else name, wording=name)
        for name, wording in one.wordings.items()
        for entry in words(wording)
    )


def dealt_fields(study: Study, facts: Facts | None) -> Iterator[Field]:
    """Who read which wording, and what it did, where judges are dealt one of several."""
    names = study.wordings
    if not names:
        return
    read = facts.read if facts is not None else {}
    dealt = f"each judge is dealt one of {len(names)} wordings at registration, in blocks by the seed"
    dealt += "".join(f"; {name}: {counted(read[name], 'judge')}" for name in names if name in read)
    yield designed("dealt_wordings", "Wordings dealt to judges", plain(dealt), brief=True)
    found: tuple[Entry, ...] = ()
    if facts is not None and facts.answered:
        told = tuple(entry for _, sentence in facts.wordings for entry in plain(sentence))  # which name the criterion
        found = told or plain("not known before nlgauge study analyse")
    yield stored("effect_of_wording", "Effect of the wording", found, brief=True)
