"""Answers that are known beforehand: what attention checks ask for, and what training teaches.

Both have the same keys and are compared with an answer by the same method of the protocol (`OutputProtocol.agrees`). A
check stands among the screens that count and serves the rule of exclusion; a practice text with `gold` is followed by
a page that says whether the answer was right, what was expected, and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nlgauge.errors import counted, shortened
from nlgauge.io.fields import key
from nlgauge.study.model import PRACTICE
from nlgauge.study.protocols.task.questions import TaskQuestion

if TYPE_CHECKING:
    from nlgauge.study.model import Text
    from nlgauge.study.protocols.outputs.file import OutputStudy

CHECK = "check"
"""The role of a text of an attention check."""
WRITTEN_AS: Mapping[str, str] = {"table": "source", "question": "source", "answer": "source"}
"""The key of a text in the study file that holds what is shown beside it, where it is not called like it."""
_NUMBERED = re.compile(r"(?:practice|check) ([1-9][0-9]{0,8})", re.ASCII)
Problems = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class Planted:
    """An error that was put into a text."""

    SHORT: ClassVar[str] = "words"
    words: str = key("the words that are wrong, whole and as they stand in the text, where they stand once")
    category: str = key(
        "of marked errors: the category that the mark must have, or a kind within it; without it any",
        default="",
    )
    severity: str = key("of marked errors: the severity that the mark must have; without it any", default="")


@dataclass(frozen=True)
class Known:
    """The answer to a screen, known beforehand, in the form in which the protocol answers."""

    answer: Mapping[str, float] = key(
        "by criterion: the answer that is right; of several texts the place of the best one, from 1",
        default={},
    )
    within: float = key("how far from it an answer may be (for sliders and magnitudes)", default=0.0, least=0)
    errors: tuple[Planted, ...] | None = key(
        "of spans: errors that must be marked; of post-edit: words that must be changed; []: a text without errors, "
        "where no mark above the lightest severity, and no edit, is right",
        default=None,
    )
    edits: tuple[str, ...] = key("of post-edit: texts that are right; spaces do not count", default=())
    pattern: str = key(
        "of post-edit: a right text in which * stands for anything; beside edits or errors",
        default="",
    )
    ask: tuple[TaskQuestion, ...] = key("of a task: the questions about the text, each with its answer", default=())

    @property
    def named(self) -> tuple[str, ...]:
        """The forms in which it says what is right; an empty list of errors is one."""
        found = {"answer": self.answer, "edits": self.edits, "pattern": self.pattern, "ask": self.ask}
        said = tuple(name for name, value in found.items() if value)
        return said if self.errors is None else (*said, "errors")


@dataclass(frozen=True)
class Form:
    """How the known answers of a protocol are written: their keys, and what else can be wrong with one."""

    keys: tuple[str, ...] = ("answer", "within")
    wrong: Callable[[Known, Sequence[str]], Problems] | None = None  # a key of it, and what is wrong there


FORM = Form()
"""An answer for each criterion."""


def known_of(study: OutputStudy, text: Text) -> Known | None:
    """The known answer about a text of an attention check or of practice; None where there is none."""
    number = _NUMBERED.fullmatch(text.item)
    if number is None or not (text.role == CHECK or text.subject == PRACTICE):
        return None
    place = int(number[1]) - 1
    if text.role == CHECK:
        return study.quality.attention[place] if study.quality is not None else None
    examples = study.examples
    return examples[place].gold if place < len(examples) else None


def known_problems(study: OutputStudy, known: Known, place: str, texts: Sequence[str], form: Form) -> Problems:
    """What is wrong with a known answer about some texts."""
    foreign = [name for name in (*known.named, *(["within"] * bool(known.within))) if name not in form.keys]
    if foreign:
        yield (
            f"{place}.{foreign[0]}",
            f"{place}.{foreign[0]} means nothing in a study of the protocol {study.protocol}; right answers are "
            f"written there as {' or '.join(name for name in form.keys if name != 'within')}",
        )
        return
    asked = [question.id for question in study.questions_asked]
    if not known.named:
        forms = {
            "answer": f"{{{min(asked, default='x')}: 2}}",
            "errors": "[…]",
            "ask": "[{text: …, answer: …}]",
        }
        first = next(name for name in forms if name in form.keys and (asked or name != "answer"))
        yield place, f"{place} has no answer; write one, for example {first}: {forms[first]}"
        return
    if known.within and not known.answer:
        yield (
            f"{place}.within",
            f"{place}.within is the distance from an answer, and there is none; leave it out",
        )
    for name in known.answer:
        if name not in asked:
            yield (
                f"{place}.answer",
                f"{place}.answer names {shortened(name)}, which is not asked; "
                + (f"name one of {', '.join(sorted(asked))}" if asked else "the study asks no questions"),
            )
    if study.apart and len(study.parts) > 1 and known.answer and (lacking := set(asked) - set(known.answer)):
        yield (
            f"{place}.answer",
            f"{place}.answer says nothing of {min(lacking)}, and each judge is asked for one criterion only; give an "
            "answer for every criterion",
        )
    for inner, message in form.wrong(known, texts) if form.wrong is not None else ():
        yield f"{place}.{inner}", f"{place}.{inner}: {message}"


def best_problems(known: Known, texts: Sequence[str]) -> Problems:
    """Of several texts the best one must be one of them."""
    for value in known.answer.values():
        if value not in range(1, len(texts) + 1):
            yield (
                "answer",
                f"{value:g} is no place on the screen; give the best text's, from 1 to {len(texts)}",
            )


def gold_problems(study: OutputStudy, form: Form) -> Problems:
    """What is wrong with the known answers of practice."""
    practice = study.practice
    for number, example in enumerate(study.examples, start=1):
        if example.gold is not None:
            place = f"practice.examples.{number}.gold"
            yield from known_problems(study, example.gold, place, example.words, form)
        elif example.why is not None:
            place = f"practice.examples.{number}.why"
            yield place, f"{place} explains an answer, and none is known; add gold, or leave why out"
    known = sum(rightable(study))
    if practice.required > known:
        yield (
            "practice.required",
            f"practice.required asks for {practice.required} right answers, but {counted(known, 'practice answer')} "
            "can be right or wrong (examples with gold); lower it, or write more examples",
        )


def rightable(study: OutputStudy) -> list[int]:
    """Of each example of practice, how many of its pages have an answer that is known."""
    asked = [{study.questions_asked[number].id for number in part} for part in study.parts]
    return [
        0
        if example.gold is None
        else sum(not named.isdisjoint(example.gold.answer) for named in asked)
        if example.gold.named == ("answer",)
        else 1
        for example in study.examples
    ]
