"""The Penn Treebank word splitting of NLTK's `TreebankWordTokenizer` (after MacIntyre's tokenizer.sed, 1995).

A sentence at a time is expected: only a full stop at the very end is split off.
"""

from __future__ import annotations

import re

_OPENING_QUOTES = [
    (re.compile(r'^"'), "``"),
    (re.compile("(``)"), r" \1 "),
    (re.compile(r"""([ (\[{<])("|'')"""), r"\1 `` "),
]
_PUNCTUATION = [
    (re.compile(r"([:,])([^\d])"), r" \1 \2"),
    (re.compile(r"([:,])$"), r" \1 "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"([;@#$%&])"), r" \1 "),
    (re.compile(r"""([^.])(\.)([\])}>"']*)\s*$"""), r"\1 \2\3 "),  # the full stop that ends the sentence
    (re.compile("([?!])"), r" \1 "),
    (re.compile("([^'])' "), r"\1 ' "),
    (re.compile(r"([\]\[(){}<>])"), r" \1 "),
    (re.compile("--"), " -- "),
]
_CLOSING_QUOTES_AND_CLITICS = [
    (re.compile("''"), " '' "),
    (re.compile('"'), " '' "),
    (re.compile("([^' ])('[sSmMdD]|') "), r"\1 \2 "),
    (re.compile("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
]
_CONTRACTIONS = [
    re.compile(rf"(?i)\b({first})({second})\b")
    for first, second in (
        ("can", "not"),
        ("d", "'ye"),
        ("gim", "me"),
        ("gon", "na"),
        ("got", "ta"),
        ("lem", "me"),
        ("more", "'n"),
    )
] + [
    re.compile(r"(?i)\b(wan)(na)(?=\s)"),
    re.compile(r"(?i) ('t)(is)\b"),
    re.compile(r"(?i) ('t)(was)\b"),
]


def treebank(text: str) -> list[str]:
    """NLTK's Treebank splitting: punctuation and clitics (do n't, it 's) apart, quotes as `` and ''."""
    for pattern, replacement in _OPENING_QUOTES + _PUNCTUATION:
        text = pattern.sub(replacement, text)
    text = f" {text} "
    for pattern, replacement in _CLOSING_QUOTES_AND_CLITICS:
        text = pattern.sub(replacement, text)
    for pattern in _CONTRACTIONS:
        text = pattern.sub(r" \1 \2 ", text)
    return text.split()
