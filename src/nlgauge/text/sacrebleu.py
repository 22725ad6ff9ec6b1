"""The tokenisers of sacreBLEU (Post 2018), as version 2.6 has them: none, 13a, intl, char, zh and tercom.

`13a` is that of mteval-v13a.pl (NIST), `intl` that of mteval-v14.pl, `tercom` that of tercom 7.25 (Snover et
al. 2006). Each takes the segment as sacreBLEU's metrics hand it over: without white space at its end, which
matters for `intl` (a full stop after a final number stays with it) and for a hyphen before a last line break.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product

from nlgauge.text.categories import class_of

Tokenizer = Callable[[str], list[str]]
Rules = list[tuple[re.Pattern[str], str]]


def none(text: str) -> list[str]:
    """White space only, for texts that are tokenised already."""
    return text.split()


def _apply(rules: Rules, text: str) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


# ASCII punctuation but for ' - , . which have rules of their own (' has none: it stays in the word).
_ASCII_PUNCTUATION = (re.compile(r"([ -&(-+/:-@\[-`{-~])"), r" \1 ")
_PERIODS_AND_DASHES: Rules = [
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),  # a period or comma stays in a number: 1,234.5
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
]
_WESTERN: Rules = [_ASCII_PUNCTUATION, *_PERIODS_AND_DASHES]


def _unescape(text: str) -> str:
    # In this order, one after the other, so that &amp;lt; becomes <.
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    return text


def v13a(text: str) -> list[str]:
    """mteval-v13a: entities resolved, ASCII punctuation split off, numbers kept whole (BLEU's default)."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return _apply(_WESTERN, f" {_unescape(text)} ").split()


@cache
def _intl_rules() -> Rules:
    punctuation, number, symbol = class_of("PUNCTUATION"), class_of("NUMBER"), class_of("SYMBOL")
    return [
        (re.compile(f"([^{number}])([{punctuation}])"), r"\1 \2 "),
        (re.compile(f"([{punctuation}])([^{number}])"), r" \1 \2"),
        (re.compile(f"([{symbol}])"), r" \1 "),
    ]


def intl(text: str) -> list[str]:
    """mteval-v14: punctuation of any script split off unless between numbers, and every symbol."""
    return _apply(_intl_rules(), text.rstrip()).split()


def char(text: str) -> list[str]:
    """Every code point but white space."""
    return [character for character in text if not character.isspace()]


# The ranges sacreBLEU tests. The first stands for Extension B, which its source writes as u'\u20000': that is
# U+2000 and a zero, and by the order of strings takes in U+2001 to U+2A6D: general punctuation, arrows …
_CHINESE = (
    "\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef"
)
_CHINESE_CHARACTER = re.compile(f"([{_CHINESE}])")


def zh(text: str) -> list[str]:
    """Chinese characters and full-width signs one by one; the rest as mteval does, without the entities."""
    return _apply(_WESTERN, _CHINESE_CHARACTER.sub(r" \1 ", text.strip())).split()


_POSSESSIVE = re.compile("'s ")
_ASIAN_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff61-\uff65"
)
# tercom also splits runs of kana, but by patterns anchored at the start of a text that by then begins with a
# blank, so they never match.
_ASIAN_CHARACTER = re.compile(
    f"([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_PUNCTUATION}])"
)
_TERCOM_PUNCTUATION = str.maketrans("", "", '.,?:;!"()')
_TERCOM_ASIAN_PUNCTUATION = re.compile(f"[{_ASIAN_PUNCTUATION}]")


def _tercom(text: str, norm: bool, nopunct: bool, asian: bool) -> list[str]:
    text = text.rstrip()
    if norm and text:
        text = _unescape(text.replace("\n-", "").replace("\n", " "))
        text = _apply([_ASCII_PUNCTUATION], f" {text} ")
        text = _apply(_PERIODS_AND_DASHES, _POSSESSIVE.sub(" 's ", text))
        if asian:
            text = _ASIAN_CHARACTER.sub(r" \1 ", text)
    if nopunct:
        text = text.translate(_TERCOM_PUNCTUATION)
        if asian:
            text = _TERCOM_ASIAN_PUNCTUATION.sub("", text)
    return text.split()


def tercom_variants() -> dict[str, Tokenizer]:
    """`tercom`, `tercom:norm`, `tercom:norm+nopunct` …: the options in the order norm, nopunct, asian."""
    variants: dict[str, Tokenizer] = {}
    for norm, nopunct, asian in product((False, True), repeat=3):
        options = [name for name, on in (("norm", norm), ("nopunct", nopunct), ("asian", asian)) if on]
        name = "tercom:" + "+".join(options) if options else "tercom"

        def tokenize(text: str, norm: bool = norm, nopunct: bool = nopunct, asian: bool = asian) -> list[str]:
            """tercom with some of its options."""
            return _tercom(text, norm, nopunct, asian)

        variants[name] = tokenize
    return variants
