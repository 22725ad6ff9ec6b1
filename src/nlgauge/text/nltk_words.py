"""English as NLTK's `word_tokenize` splits it: sentence by sentence, by the rules of NLTK's revision of the Penn
Treebank's script.

Sentences are told apart by `text.sentences` in place of NLTK's trained model (Punkt), which comes as data of its own:
where the two disagree, a full stop inside a text stays with its word, or is split off.
"""

from __future__ import annotations

import re

from nlgauge.text.sentences import sentences

_CLITICS = "re|ve|ll|m|t|s|d|n"
_JOINED = "can not|d 'ye|gim me|gon na|got ta|lem me|more 'n"


def _joined(pair: str) -> str:
    first, second = pair.split()
    return rf"(?i)\b({first})({second})\b"


# In this order: quotes that open, punctuation, brackets, dashes; then, between blanks, quotes that close and clitics.
_RULES = [
    (re.compile(pattern), by)
    for pattern, by in (
        ("([«“‘„]|`+)", r" \1 "),
        ('^"', "``"),
        ("(``)", r" \1 "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        (rf"(?i)(?<!\w)'(?!(?:{_CLITICS})\b)(?=\w)", "' "),
        ("([^.])(\\.)([\\])}>\"'»”’ ]*)\\s*$", r"\1 \2 \3 "),
        (r"([:,])(\D)", r" \1 \2"),
        ("([:,])$", r" \1 "),
        (r"(\.{2,}|[;@#$%&]|[\u2012-\u2015])", r" \1 "),
        ("([^.])(\\.)([\\])}>\"']*)\\s*$", r"\1 \2\3 "),
        ("([?!])", r" \1 "),
        ("([^'])' ", r"\1 ' "),
        (r"([*\[\](){}<>])", r" \1 "),
        ("--", " -- "),
    )
]
_ENDINGS = [
    (re.compile(pattern), by)
    for pattern, by in (
        ("([»”’])", r" \1 "),
        ("''|\"", " '' "),
        (r"\s+", " "),
        ("([^' ])('[sSmMdD]|') ", r"\1 \2 "),
        ("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        *((_joined(pair), r" \1 \2 ") for pair in _JOINED.split("|")),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
    )
]


def nltk(text: str) -> list[str]:
    """NLTK's word_tokenize for English, case and punctuation kept; sentences by our own rule."""
    return [word for sentence in sentences(text) for word in split_sentence(sentence)]


def split_sentence(text: str) -> list[str]:
    """The words of one sentence."""
    for pattern, by in _RULES:
        text = pattern.sub(by, text)
    text = f" {text} "
    for pattern, by in _ENDINGS:
        text = pattern.sub(by, text)
    return text.split()
