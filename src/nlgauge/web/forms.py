"""Forms as browsers send them (urlencoded), read with limits into plain dicts, and checked field by field.

Each form is described once: its fields serve for reading, and for the OpenAPI document.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request

from nlgauge.study.file.questionnaire import LONGEST_ANSWER, fault
from nlgauge.study.file.study import Question, Reasons
from nlgauge.study.refusals import Refused
from nlgauge.study.service.answers import LONGEST_REASON
from nlgauge.web.security import LARGEST_BODY, Stopped

NAME = re.compile(r"[0-9a-z]+(-p[0-9]{1,3})?", re.ASCII)
SLOWEST = 60.0  # seconds in which a form must have come
MOST_FIELDS = 4_000  # every word of three texts may be marked
Values = dict[str, list[str]]


@dataclass(frozen=True)
class Field:
    """One field of a form."""

    name: str
    about: str
    required: bool = True
    options: tuple[str, ...] = ()
    many: bool = False
    pattern: str = ""
    most: int = 200


TOKEN = Field("token", "the form's token, from the page", pattern="^[0-9a-f]{64}$")
CLAIM = Field("claim", "which showing of three texts is answered, from the page")
ANSWER = Field("answer", "the place of the text chosen", options=("0", "1", "2"))
REASON = Field("reason", "why, in words", required=False, most=LONGEST_REASON)
MARK = Field("mark", "place, beginning and end of marked words", required=False, many=True, pattern="^\\d+-\\d+-\\d+$")
FORMS: Mapping[str, tuple[Field, ...]] = {
    "consent": (
        TOKEN,
        Field("agree", "takes part or not", options=("yes", "no")),
        Field("ticked", "the box beside the study's own words", required=False, options=("yes",)),
    ),
    "questions": (TOKEN,),
    "closing": (TOKEN,),
    "begin": (TOKEN,),
    "comprehension": (TOKEN, Field("attempt", "which attempt at the test this is, from the page")),
    "practice": (TOKEN, CLAIM, ANSWER),
    "answer": (TOKEN, CLAIM, ANSWER, REASON, MARK),
    "change": (TOKEN, Field("change", "which answer is changed, from the page"), ANSWER, REASON, MARK),
    "discussion": (
        TOKEN,
        Field("change", "which answer is discussed, from the page"),
        ANSWER,
        Field("comment", "for the other judges", required=False, most=LONGEST_REASON),
    ),
    "language": (
        TOKEN,
        Field("language", "code of the language"),
        Field("here", "the page to come back to", required=False),
    ),
    "leave": (TOKEN,),
    "register": (TOKEN, Field("language", "code of the language", required=False)),
}
OWN_FORMS: Mapping[str, tuple[Field, ...]] = {
    "turn": (
        TOKEN,
        CLAIM,
        Field("act", "what is done: a message, asking again, the end", options=("say", "retry", "end")),
        Field("number", "how many messages came before, from the page", required=False, pattern="^[0-9]{1,4}$"),
        Field("message", "what the judge says", required=False, most=LONGEST_REASON),
    ),
    "read": (TOKEN, CLAIM),
}
"""Forms that only the pages of some protocols have."""


async def read(request: Request, most: int = LARGEST_BODY) -> Values:
    """The fields of a form; refused where they are too many or too large, or in another encoding."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise Stopped(413, "large")
    body = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise Stopped(413, "large")
    except TimeoutError:
        raise Stopped(408, "invalid") from None
    if body and kind != "application/x-www-form-urlencoded":
        raise Stopped(415, "type")
    return parse(bytes(body))


def parse(body: bytes) -> Values:
    """An urlencoded body as lists of values by name."""
    try:
        pairs = parse_qsl(
            body.decode("latin-1"),
            keep_blank_values=True,
            encoding="utf-8",
            errors="replace",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise Stopped(413, "large") from None
    found: Values = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return found


def one(form: Mapping[str, list[str]], name: str) -> str:
    """The value of a field, else nothing; no form of ours sends one twice, so of two none can be meant."""
    found = form.get(name, [""])
    if len(found) > 1:
        raise Stopped(422, "invalid")
    return found[0]


def name(form: Mapping[str, list[str]], field: str) -> str:
    """The name of a showing or an answer, as pages hand them out."""
    return checked_name(one(form, field))


def checked_name(given: str) -> str:
    """A name that pages can have handed out; anything else is unknown without asking the database."""
    if NAME.fullmatch(given) is None:
        raise Refused("unknown", "this page does not belong to an evaluation of this study")
    return given


def choice(form: Mapping[str, list[str]]) -> int | None:
    """The place of the text chosen."""
    given = one(form, "answer")
    return int(given) if given in ANSWER.options else None


def marks(form: Mapping[str, list[str]]) -> list[tuple[int, int, int]]:
    """The words marked, in the order of the texts."""
    found = []
    for value in form.get("mark", []):
        parts = value.split("-")
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            raise Stopped(422, "invalid")
        found.append((int(parts[0]), int(parts[1]), int(parts[2])))
    return sorted(set(found))


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a field, as a phrase with its values; `field` is the id of the control."""

    field: str
    key: str
    values: Mapping[str, object]


def answer_mistakes(form: Mapping[str, list[str]], asked: Reasons | None) -> Iterator[Mistake]:
    """What lacks in an answer to three texts; practice asks for no reasons."""
    if choice(form) is None:
        yield Mistake("answer-0", "error_choose", {})
    if asked is not None:
        yield from reason_mistakes(form, asked)


def reason_mistakes(form: Mapping[str, list[str]], asked: Reasons) -> Iterator[Mistake]:
    """What lacks in the reasons for an answer."""
    reason = one(form, "reason").strip()
    if asked.text == "required" and not reason:
        yield Mistake("reason", "error_reason", {})
    if len(reason) > LONGEST_REASON:
        yield Mistake("reason", "error_reason_long", {"most": LONGEST_REASON})
    if asked.highlight == "required" and not form.get("mark"):
        yield Mistake("marks", "error_highlight", {})


def option(given: str, options: int) -> int | None:
    """The number of an option, from 1; None where it is none of them."""
    return int(given) if given in {str(number) for number in range(1, options + 1)} else None


def personal(form: Mapping[str, list[str]], questions: Sequence[Question]) -> dict[str, str]:
    """The answers to questions put to the judge, by the question's name; fields are numbered on the page."""
    return {question.id: given(form, number, question) for number, question in enumerate(questions)}


def given(form: Mapping[str, list[str]], number: int, question: Question) -> str:
    """The answer to a question as it is kept; a number may be written with a decimal comma."""
    if question.type == "several":
        return ",".join(form.get(field_name(number), ()))
    value = one(form, field_name(number)).strip()
    return value.replace(",", ".") if question.type == "number" and value.count(",") == 1 else value


def field_name(number: int) -> str:
    """The name of a question's field: its place, because a question's own name may be any text."""
    return f"q{number}"


def personal_mistakes(
    answers: Mapping[str, str], questions: Sequence[Question], *, leaving: bool = False
) -> Iterator[tuple[int, str, dict[str, object]]]:
    """For each question answered wrongly: its place, the phrase that says so, and the phrase's values."""
    for number, question in enumerate(questions):
        if wrong := fault(question, answers[question.id], leaving=leaving):
            yield number, f"error_{wrong}", {"most": LONGEST_ANSWER} if wrong == "long" else {}
