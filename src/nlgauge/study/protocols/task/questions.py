"""Questions about an output, and which answers are right.

Of a choice one option is right. A number is right within its tolerance. A short text is right where it equals one of
the accepted texts after both were normalised: in the order of `NORMALISATIONS`, those that the study names. Nothing is
scored when an answer is stored: scores follow from the frozen key.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from nlgauge.errors import InputError, shortened
from nlgauge.io.fields import Reader, Words, key
from nlgauge.io.trees import tree
from nlgauge.jsonable import Jsonable

Normalisation = Literal["width", "case", "accents", "punctuation", "articles"]
NORMALISATIONS: tuple[Normalisation, ...] = ("width", "case", "accents", "punctuation", "articles")
ARTICLES = re.compile(r"\b(a|an|the)\b")
PLACEHOLDER = "replace this"  # the answer that `study new` writes, and that no study may have
LONGEST_ANSWER = 500  # characters of a short text
NUMBER = re.compile(r"[-+−]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?", re.ASCII)
Given = Mapping[str, Any]
"""An answer: {"choice": place of the option}, {"text": …} or {"number": …}."""


@dataclass(frozen=True)
class TaskQuestion:
    """One question about an output."""

    SHORT: ClassVar[str] = "text"
    text: Words = key("the question")
    id: str = key("a short name for the answers; by default its number", default="")
    type: Literal["choice", "text", "number"] = key("how it is answered", default="text")
    options: tuple[Words, ...] = key("of a choice: the answers to choose from", default=())
    answer: str = key("the right answer: an option, a text or a number; judges never see it", default="")
    accepted: tuple[str, ...] = key("of a text: further answers that are right", default=())
    tolerance: float = key("of a number: how far from the answer is still right", default=0.0, least=0)
    items: tuple[str, ...] = key("only about these items of the set (default: all)", default=())


@dataclass(frozen=True)
class Posed(Jsonable):
    """A question as it is asked about an item, with its key."""

    id: str
    text: Mapping[str, str]
    type: str
    options: tuple[Mapping[str, str], ...] = ()
    place: int = -1  # of a choice: the right option
    accepted: tuple[str, ...] = ()  # of a text
    number: float = 0.0
    tolerance: float = 0.0

    @property
    def chance(self) -> float:
        """The share of right answers by guessing."""
        return 1 / len(self.options) if self.type == "choice" else 0.0

    def right(self, given: Given, normalise: Sequence[str]) -> bool:
        """Whether an answer is right."""
        if self.type == "choice":
            return bool(given["choice"] == self.place)
        if self.type == "number":
            gap = abs(float(given["number"]) - self.number)
            return gap <= self.tolerance + 1e-9 * max(1.0, abs(self.number))
        said = normalised(str(given["text"]), normalise)
        return said in {normalised(name, normalise) for name in self.accepted}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Posed:
        """What `to_dict` wrote."""
        return cls(**{**row, "options": tuple(row["options"]), "accepted": tuple(row["accepted"])})


def normalised(text: str, steps: Sequence[str]) -> str:
    """A short text as it is compared; spaces at the ends and repeated ones never count.

    >>> normalised("  The Eiffel-Tower! ", ("case", "punctuation", "articles"))
    'eiffel tower'
    """
    if "width" in steps:
        text = unicodedata.normalize("NFKC", text)
    if "case" in steps:
        text = text.casefold()
    if "accents" in steps:
        split = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", "".join(sign for sign in split if not unicodedata.combining(sign)))
    if "punctuation" in steps:
        text = "".join(" " if _is_mark(sign) else sign for sign in text)
    if "articles" in steps:
        text = ARTICLES.sub(" ", text)
    return " ".join(text.split())


def _is_mark(sign: str) -> bool:
    return sign in string.punctuation or unicodedata.category(sign).startswith("P")


def number_in(text: str) -> float | None:
    """The number in a field, which may have a decimal comma; None where it is none.

    >>> number_in("12,5"), number_in("a dozen")
    (12.5, None)
    """
    text = text.strip()
    if len(text) > 40 or NUMBER.fullmatch(text) is None:
        return None
    value = float(text.replace(",", ".").replace("−", "-"))
    return value if abs(value) < 1e300 else None


def question_problems(question: TaskQuestion, normalise: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a question: the key, and why; `normalise` is what the study does to short texts."""
    if not question.answer:
        yield "answer", "has no answer; give the right one (answer: …), or nothing can be scored"
        return
    answer = shortened(question.answer)
    if question.type == "choice":
        if len(question.options) < 2:
            yield "options", "is a choice, but has fewer than two options; give them (options: […])"
        elif place_of(question) is None:
            yield "answer", f"has the answer {answer}, which is none of its options; write it as it stands there"
        for language in dict.fromkeys(name for words in question.options for name in words):
            said = [words[language] for words in question.options if language in words]
            if len(set(said)) < len(said):
                where = f" in {language}" if language else ""
                yield "options", f"has two options that are the same{where}; leave one out"
    elif question.options:
        remedy = "set type: choice, or leave them out"
        yield "options", f"is answered by a {question.type}, so it cannot have options; {remedy}"
    if question.type == "number" and number_in(question.answer) is None:
        yield (
            "answer",
            f"is answered by a number, but the answer {answer} is none; write it in digits, such as 12.5, or set "
            "type: text",
        )
    right = (question.answer, *question.accepted)
    if question.type == "text" and not any(normalised(words, normalise) for words in right):
        yield (
            "answer",
            f"has the answer {answer}, of which nothing is left once it is normalised ({', '.join(normalise)}), so "
            "that no answer could be told right from wrong; write it otherwise, or leave a step of normalise out",
        )
    if question.tolerance and question.type != "number":
        yield "tolerance", "has a tolerance, which belongs to numbers (type: number); leave it out"
    if question.accepted and question.type != "text":
        yield "accepted", "accepts further answers, which belong to texts (type: text); leave them out"


def place_of(question: TaskQuestion) -> int | None:
    """The place of the right option; the answer may stand in any of its languages."""
    return next((place for place, words in enumerate(question.options) if question.answer in words.values()), None)


def posed(question: TaskQuestion, number: int) -> Posed:
    """A question without problems, as it is asked."""
    common = (question.id or str(number), dict(question.text), question.type)
    if question.type == "choice":
        place = place_of(question)
        assert place is not None, "question_problems refuses it"
        return Posed(*common, options=tuple(dict(words) for words in question.options), place=place)
    if question.type == "number":
        return Posed(*common, number=number_in(question.answer) or 0.0, tolerance=question.tolerance)
    return Posed(*common, accepted=(question.answer, *question.accepted))


def from_row(value: Any, where: str, normalise: Sequence[str]) -> list[TaskQuestion]:
    """The questions that a row of a set holds, read as those of the study file are."""
    if not isinstance(value, list) or not value:
        raise InputError(
            f"{where} must hold a list of questions, not {shortened(value)}; write [{{text: …, type: …, answer: …}}]"
        )
    found = []
    for number, one in enumerate(value, start=1):
        place, reader = f"{where}, question {number}", Reader()
        plain = {name: held for name, held in one.items() if held is not None} if isinstance(one, dict) else one
        question: TaskQuestion | None = reader.read(TaskQuestion, tree(plain), "question")
        wrong = [problem.message for problem in reader.problems]
        if question is not None and question.items:
            wrong.append("items belongs to questions of the study file; leave it out")
        if question is not None and not wrong:
            wrong = [f"it {why}" for _, why in question_problems(question, normalise)]
        if wrong or question is None:
            raise InputError(f"{place}: {wrong[0] if wrong else 'it cannot be read'}")
        found.append(question)
    return found
