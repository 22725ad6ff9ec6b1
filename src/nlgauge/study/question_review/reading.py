"""A wording taken apart: its sentences, what each of them does, and what in it is not the researcher's own wording.

Three things are hidden from the rules by as many placeholder characters, so that places stay the same: words in
quotation marks (labels, statements to be judged); lists of answers (“Yes / No”, “1 = bad, 2 = good”, “very bad, bad,
good, very good”), which only the rules on scales read; and texts to be judged (“Speaker A: …”, on lines of their own).
What a sentence does (ask, instruct, define, claim) decides which rules read it; the words that tell are in the rule file.
"""

# ruff: noqa: E501 - patterns read better in one piece

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

HIDDEN = "\u25a1"
LONGEST = 1_000  # signs of a sentence that the rules read; what is longer is a table or a list, and would take long
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|„[^“”]*[“”]|\"[^\"]*\"|‘(?:[^’]|’(?=\w))*’(?!\w)|(?<!\w)'[^']+'(?!\w)")
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\betc)(?<!\bNo)(?<!\bDr)(?<!\bapprox)(?!(?<=\b[A-Z])\.\s+(?!How|What|Which|Please|Is|Are|Do|Does|Did|Would|Where|Why|The|This|You|Your|Now|Rate|To|In|Choose)\w)"
    r"(?!(?<=\d)\.\s+(?!How|What|Which|Please|Is|Are|Do|Does|Did|Would|Where|Why|The|This|You|Your|Now)\w)([.?!…]+[”\"')\]]*)(?=\s|$)(?!\s+\d+\s?[\])])|[\n\r]+|(?<=[.?!])\s*(?=\()"
)
_QUOTATION = 4  # words from which a quotation is a text, not a label
_APOSTROPHE = re.compile(r"(?<=\w)['\u2018\u02bc](?=\w)")
_CONTRACTED = re.compile("\\b(we|it|they|you|that|there|here|who|what|he|she|i)\u2019(ve|re|ll|s)\\b", re.I)
_FULL = {"ve": " have", "re": " are", "ll": " will", "s": " is"}
_CIRCLED = {0x2460 + n: str(n + 1) for n in range(10)} | {0x2776 + n: str(n + 1) for n in range(10)}  # ①, ❶
_SPACES = re.compile(r"[ \t\u00a0]+")

_OPEN = r"(?:(?<=[.?!:;\n(\[,])|(?<=[.?!:][”\"')])|^)[ \t]*"  # where a list of answers may begin
_ANSWER = (
    r"[^\s./?!:;()\[\]](?:[^./?!\n:;()\[\]]{0,68}[^\s./?!:;()\[\]])?"  # no space at its ends: one way to part a list
)
_SHORT = r"[\w’'%-]+(?: [\w’'%-]+){0,4}"
_ANSWERS = (
    re.compile(rf"{_OPEN}{_ANSWER}(?:\s+/\s*|\s*/\s+){_ANSWER}(?:\s*/\s*{_ANSWER})*(?=[.?!\n:;()\[\]]|$)"),
    re.compile(rf"{_OPEN}(?:{_SHORT}/){{2,}}{_SHORT}(?=[.?!\n)\]]|$)"),
    re.compile(r"\b(?:yes|no|true|false)(?:/(?:yes|no|true|false|unsure|maybe|partly))+(?!\w)", re.I),
    re.compile(
        rf"(?:(?<=[?:(\[])|(?<=scale: ))[ \t]*{_SHORT}(?:,\s*(?:or |and )?{_SHORT}){{2,}}(?:,? (?:or|and) {_SHORT})?(?=[.?)\]]|$)"
    ),
    re.compile(rf"(?<=[?:(])[ \t]*{_SHORT}(?:\s[–—-]+\s{_SHORT}){{2,}}(?=[.)]|$)"),
    re.compile(
        r"(?<![\w.])(?<![Tt]ext )(?<!stem )(?<!mary )(?<!ence )(?<!tion )(?<!eply )(?<!nswer )(?<!odel )(?<!utput )(?<!tory )[-+\u2212]?\d{1,3}(?:%| stars?| points?)?\s*(?:=|:(?=\s)|[–—](?=\s))\s*[^\W\d][^,;/|\n]*?(?=[,;/|\n)]|\.\s|\.?$|\s[-+\u2212]?\d{1,3}\s*[=:–—])"
    ),
    re.compile(rf"(?<=[.?!:])[ \t]*{_SHORT}\s+1(?:\W+\d)+\W+{_SHORT}(?=[.?!\n]|$)"),
    re.compile(r"(?<!\S)[01][.)]?\s+[^\W\d][^\d.?!\n]*?(?:\s+\d{1,2}[.)]?\s+[^\W\d][^\d.?!\n]*?){2,}(?=[.?!\n]|$)"),
    re.compile(
        r"(?<=[.!])[ \t]+(?:[^\W\d][\w’-]*(?: [\w’-]+){0,2}, ){3,}(?:or |and )?[\w’-]+(?: [\w’-]+){0,2}(?=\.?$)"
    ),
    re.compile(r"(?<=\d)\s*\((?!(?:ours?|my|baseline|previous|proposed|human|machine|AI|reference|gold)\b)[^()\d?]*\)"),
    re.compile(r"\[ ?[xX]?\][^\[\n—–.;]*|(?:\[[^\[\]?]{1,40}\]\s*){2,}"),
)


@dataclass(frozen=True)
class Sentence:
    """A sentence as written, and as most rules read it."""

    text: str
    masked: str
    shown: str = ""  # with quoted words, without answers and texts to be judged
    mood: str = "statement"  # question, instruction, definition, claim (a statement to agree with), answers
    material: bool = False  # a text to be judged

    @property
    def asks(self) -> bool:
        """Whether it ends in a question mark, brackets after it aside, or is a statement to agree with."""
        return "?" in self.masked or self.mood == "claim"


def plain(text: str) -> str:
    """One kind of apostrophe, single spaces, no quotation marks around the whole."""
    text = _CONTRACTED.sub(lambda found: found[1] + _FULL[found[2].casefold()], _APOSTROPHE.sub("\u2019", text))
    text = _SPACES.sub(" ", _APOSTROPHE.sub("\u2019", text).translate(_CIRCLED)).strip()
    whole = _QUOTED.fullmatch(text)
    return text[1:-1].strip() if whole and len(text) > 2 else text


def masked(text: str) -> str:
    """The text with quoted words hidden."""
    return _QUOTED.sub(_blank, text)


def unquoted(text: str) -> str:
    """The text with quotations of a few words and more cut out."""
    return _QUOTED.sub(lambda found: "“…”" if len(found[0].split()) >= _QUOTATION else found[0], text)


def sentences(text: str, signs: Mapping[str, re.Pattern[str]] | None = None) -> Iterator[Sentence]:
    """The sentences of a plain text; a bracket that follows a sentence is one of its own."""
    known = signs or {}
    shown = without_answers(_without_material(text, known), masked(text))
    hidden = "".join(HIDDEN if HIDDEN in pair else pair[0] for pair in zip(masked(text), shown, strict=True))
    found, start = [], 0
    for end in _END.finditer(hidden):
        found.append((start, end.end()))
        start = end.end()
    read = [
        _sentence(text[low:high], hidden[low:high], shown[low:high], known)
        for low, high in [*found, (start, len(text))]
        if text[low:high].strip()
    ]
    yield from _claims(read, text, known)


def without_answers(text: str, hidden: str) -> str:
    """The text with lists of answers hidden; they are looked for where quoted words are hidden already."""
    for pattern in _ANSWERS:
        for found in pattern.finditer(hidden):
            low, high = found.span()
            text = text[:low] + _blank(text[low:high]) + text[high:]
            hidden = hidden[:low] + _blank(text[low:high]) + hidden[high:]
    return text


def _blank(found: re.Match[str] | str) -> str:
    """Placeholders of the same length; the ends of lines stay."""
    text = found if isinstance(found, str) else found[0]
    return re.sub(r"[^\n]", HIDDEN, text)


def _without_material(text: str, signs: Mapping[str, re.Pattern[str]]) -> str:
    """Lines “Speaker A: …” or “Summary: …” hidden in a wording of several lines."""
    if "material" not in signs or "\n" not in text:
        return text
    return signs["material"].sub(_blank, text)


def _sentence(text: str, hidden: str, shown: str, signs: Mapping[str, re.Pattern[str]]) -> Sentence:
    lead, inner = len(text) - len(text.lstrip()), len(text.strip())
    cut = slice(lead, lead + min(inner, LONGEST))
    judged = "material" in signs and bool(signs["material"].match(text.strip()))
    return Sentence(text.strip(), hidden[cut], shown[cut], _mood(hidden[cut], shown[cut], signs), judged)


def _mood(hidden: str, shown: str, signs: Mapping[str, re.Pattern[str]]) -> str:
    if not re.search(r"\w", hidden) and not re.search(r"\w", shown):
        return "answers"
    if "?" in hidden:
        return "question"
    for mood in ("definition", "instruction"):
        if mood in signs and signs[mood].search(hidden):
            return mood
    return "statement"


def _claims(read: list[Sentence], text: str, signs: Mapping[str, re.Pattern[str]]) -> Iterator[Sentence]:
    """The sentences; where agreement is asked for, the last statement before the answers is a claim, as are quoted ones."""
    if "agreement" not in signs or not signs["agreement"].search(text):
        yield from read
        return
    quoted = [found[0].strip("“”\"'‘’«»„ ") for found in _QUOTED.finditer(text) if len(found[0].split()) >= 4]
    stated = [
        place for place, one in enumerate(read) if one.mood == "statement" and not signs["procedure"].search(one.masked)
    ]
    for place, one in enumerate(read):
        yield replace(one, mood="claim") if not quoted and stated and place == stated[-1] else one
    for claim in quoted:
        yield Sentence(claim, claim, claim, "claim")
