"""Sentences of running text, and words that carry little meaning of their own.

A text is cut at line breaks, and after a full stop, question mark, exclamation mark or ellipsis (with what closes
quotes and brackets behind it) where white space follows; not after an initial or a common English abbreviation. The
marks of Chinese and Japanese need no white space.
"""

from __future__ import annotations

import re

_END = re.compile(r"(?:[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[」』”’）]*)|\n")
_ABBREVIATED = (
    "mr mrs ms dr prof st jr sr vs etc e.g i.e cf approx no fig vol pp inc ltd corp co gen col capt lt sgt rep sen gov "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# The closed classes of English: articles, pronouns, prepositions, conjunctions, auxiliaries, and adverbs of degree.
_CLOSED = """
    a an the this that these those each every either neither some any no all both few more most other such own same
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one who whom whose which what
    of in on at by for with about against between among into through during before after above below to from up down
    out off over under within without across along around behind beside beyond near toward towards upon since until per
    and or but nor so yet if because as while although though unless whether than when where why how
    am is are was were be been being do does did doing done have has had having can could may might must shall should
    will would ought
    not only very too just also then there here again once further now ever never quite rather almost even still
    s t d ll m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn ain
"""
FUNCTION_WORDS = frozenset(_CLOSED.split())


def sentences(text: str) -> list[str]:
    """The sentences of a text, without white space around them; none for an empty text."""
    found, start = [], 0
    for end in _END.finditer(text):
        if end.group() == "." and _abbreviated(text[start : end.start()]):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _abbreviated(before: str) -> bool:
    """Whether the full stop after this belongs to an abbreviation or an initial rather than ends a sentence."""
    words = before.rsplit(maxsplit=1)
    if not words or before[-1:].isspace():
        return False
    word = words[-1].lstrip("\"'“‘([")
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


def is_content(word: str) -> bool:
    """Whether a word is of letters only and no English function word."""
    return word.isalpha() and word.lower() not in FUNCTION_WORDS
