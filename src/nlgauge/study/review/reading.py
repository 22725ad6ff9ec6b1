"""A wording taken apart: sentences, and the same without what is quoted.

Words in quotation marks are examples, labels or statements to be judged; they are hidden from most rules by as many
placeholder characters, so that places stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

HIDDEN = "\u25a1"
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|„[^“”]*[“”]|\"[^\"]*\"|‘(?:[^’]|’(?=\w))*’(?!\w)|(?<!\w)'[^']+'(?!\w)")
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\betc)(?<!\bNo)(?<!\bDr)(?<!\bapprox)(?<!\b[A-Z])"
    r"(?!(?<=\d)\.\s+(?!How|What|Which|Please|Is|Are|Do|Does|Did|Would|Where|Why|The|This|You|Your|Now)\w)([.?!…]+[”\"')\]]*)(?=\s|$)|[\n\r]+|(?<=[.?!])\s*(?=\()"
)
_APOSTROPHE = re.compile(r"(?<=\w)['\u2018\u02bc](?=\w)")
_SPACES = re.compile(r"[ \t\u00a0]+")


@dataclass(frozen=True)
class Sentence:
    """A sentence, and as most rules read it."""

    text: str
    masked: str

    @property
    def asks(self) -> bool:
        """Whether it ends in a question mark, brackets after it aside."""
        return "?" in self.masked


def plain(text: str) -> str:
    """One kind of apostrophe, single spaces, no quotation marks around the whole."""
    text = _SPACES.sub(" ", _APOSTROPHE.sub("\u2019", text)).strip()
    whole = _QUOTED.fullmatch(text)
    return text[1:-1].strip() if whole and len(text) > 2 else text


def masked(text: str) -> str:
    """The text with quoted words hidden."""
    return _QUOTED.sub(lambda found: HIDDEN * len(found[0]), text)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a plain text; a bracket that follows a sentence is one of its own."""
    hidden, start = masked(text), 0
    for end in _END.finditer(hidden):
        if text[start : end.end()].strip():
            yield Sentence(*_stripped(text[start : end.end()], hidden[start : end.end()]))
        start = end.end()
    if text[start:].strip():
        yield Sentence(*_stripped(text[start:], hidden[start:]))


def _stripped(text: str, hidden: str) -> tuple[str, str]:
    lead = len(text) - len(text.lstrip())
    return text.strip(), hidden[lead : lead + len(text.strip())]
