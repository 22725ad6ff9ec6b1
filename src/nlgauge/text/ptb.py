"""English as the COCO caption kit tokenises it: Stanford's PTBTokenizer, lower-cased, punctuation dropped.

The caption metrics (Chen et al. 2015, "Microsoft COCO Captions") run `PTBTokenizer -preserveLines
-lowerCase` of Stanford CoreNLP 3.4.1 on both sides and then remove punctuation tokens. This is a tokeniser
of our own, without Java, written to give the same tokens: at each position it takes the longest match of a
set of patterns, context to the right included, and the first of equals. Each text is tokenised by itself;
the Java program also looks at the first word of the next line when it decides whether a final `C.` ends a
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from nlgauge.text.categories import escaped, ranges, tables

# The words the tokeniser `ptb` knows: abbreviations and contractions, as parts of regular expressions.
#
# The lists began as what the author knew Stanford's PTBTokenizer to treat specially. Abbreviations and sentence
# starters were then compared with the output of version 3.4.1 for some 65,000 words in lower, title and upper case and
# corrected; file extensions and words with an apostrophe are common ones only and were merely sampled.


# Abbreviations that may end a sentence: a full stop is added before a capital and at the end of the text.
FINAL = (
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs|fri"
    "|ala|ariz|calif|colo|conn|ct|dak|fla|ga|ind|kans?|ky|md|mich|minn|mo|mont|neb|nev|okla|penn|tenn|va|vt|wisc?|wyo"
    "|inc|cos?|corp|ltd|plc|rt|bancorp|bhd|assn|univ|intl|sys|tel|est|ext|sq"
    r"|jr|sr|bros|pt[ey]s?|(?:ed|ph)\.d|blvd|rd|esq|etc|al|seq|bldg"
)
# Of these only with a capital: `mass.` and `wash.` are words at the end of a sentence.
FINAL_CAPITALISED = "(?:A[zZ]|A(?i:rk)|D(?i:el)|I(?i:ll)|L[aA]|M(?i:ass)|M(?i:iss)|O(?i:re)|P[aA]|T(?i:ex)|W(?i:ash))"
# Titles and such, after which no sentence ends.
INNER = (
    "mr|mrs|ms|drs?|profs?|sens?|reps?|attys?|lt|col|gen|messrs|govs?|adm|rev|maj|sgt|cpl|pvt|mt|capt|ste?|ave|pres"
    r"|lieut|hon|brig|co?mdr|pfc|spc|supts?|det|mme|mlle|msgr|insp|ens|dept|invt|elec|natl|vs|alex|wm|jos|cie"
    r"|a\.k\.a|cf|treas|ft|adj|adv|ph|sfc|m[ft]g"
)
BEFORE_NUMBERS = "nos?|op|art|figs?|prop|pp?|ca"
# After `C.` or `p.m.` and white space these show that a sentence has ended.
STARTERS = (
    "(?=[A-Z])(?i:the|an?|in|it|he|she|they|we|this|that|these|but|however|at|if|when|while|as|you|there|her|their"
    "|our|what|some|many|after|since|so|one|then|now|here|such|about|according|other|more|yet|last|once"
    "|additionally|earlier)"
)
EXTENSIONS = "docx?|exe|gif|gz|html?|java|jpe?g|mp3|pdf|png|py|txt|xml|zip"
# Words with an apostrophe that are not split at it.
APOSTROPHE_WORDS = (
    "APOS(?i:n)APOS?|[lLdD]APOS|(?i:ol)APOS|APOS(?i:em|cause|til)|APOS[2-9]0s|(?i:c)APOS(?i:mon)"
    "|[A-Za-z]+[aeiouyAEIOUY]QUOTE[aeiouA-Z][A-Za-z]*|[A-HJ-XZn]QUOTE[A-Za-z]{2,}"
)
SPLIT_WORDS = frozenset(["cannot", "gonna", "wanna", "gotta", "lemme", "gimme"])
# Signs that are tokens of their own; the Java program deletes those not listed.
SYMBOLS = (
    "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e\xa1-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u2013-\u2023\u2026"
    "\u2030-\u203b\u203e-\u2042\u2044\u207c-\u207e\u208c-\u208e\u2100-\u2101\u2103-\u2106\u2108-\u2109\u2114\u2116-"
    "\u2118\u211e-\u2123\u2125\u2127\u2129\u212e\u213a-\u213b\u2140-\u2144\u214a-\u214d\u214f\u2190-\u2bff\u3001-"
    "\u3002\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u037e\u0387\u0589\u05be\u05c0\u05c3"
    "\u05c6\u05f3-\u05f4\u0600-\u0603\u0606-\u060c\u061b\u061e-\u061f\u066a\u066d\u06d4\u0700-\u070d\u0964-\u0965"
)


# What the caption kit removes. Its list also has -LRB- and the like, which by then are in lower case: they stay,
# in its scores and in ours.
PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

_QUOTE_MARKS = str.maketrans(
    {"\u2018": "`", "\u201b": "`", "\x91": "`", "\u2039": "`", "\u2019": "'", "\x92": "'", "\u203a": "'"}
    | {"\u201c": "``", "\x93": "``", "\xab": "``", "\u201d": "''", "\x94": "''", "\xbb": "''"}
)
_BRACKETS = str.maketrans({"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"})
_SIGNS = {"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"} | {
    "¢": "cents",
    "£": "#",
    "¤": "$",
    "€": "$",
    "₠": "$",
    "\x80": "$",
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
}


def _plain(token: str) -> str:
    return token.replace("\xad", "") or "-"


def _quotes(token: str) -> str:
    return token.replace("&apos;", "'").translate(_QUOTE_MARKS)


def _brackets(token: str) -> str:
    return token.translate(_BRACKETS)


def _round_brackets(token: str) -> str:
    return token.replace("(", "-lrb-").replace(")", "-rrb-")


def _sign(token: str) -> str:
    return _SIGNS.get(token.lower(), token)


def _dashes(token: str) -> str:
    return "--" if 3 <= len(token) <= 4 else token


def _always(replacement: str) -> Callable[[str], str]:
    return lambda token: replacement


@dataclass(frozen=True)
class _Rule:
    """A pattern whose first group is the token and whose whole match includes the context it needs."""

    starts: str  # with what it can begin: a letter (a), a digit (d) or something else (p)
    pattern: re.Pattern[str]
    written: Callable[[str], str] = _plain
    stop: bool = False  # the token is an abbreviation whose full stop also ends the sentence


def _bmp(name: str, last: int = 0xFFFF) -> str:
    """A character class up to U+FFFF: the Java program drops every character beyond."""
    spans = [span for span in ranges(tables()[name]) if span[0] <= last]
    return escaped([(first, min(end, last)) for first, end in spans])


_APOS = "(?:['\x92\u2019]|&apos;)"
_APOS_LIKE = "(?:['`\x91\x92\u2018\u2019\u201b]|&apos;)"
_CLITIC = f"{_APOS}(?:[msdMSD]|(?i:re|ve|ll))"
_NAME = r"[A-Za-z][\w:.-]*"
_OUTSIDE_URL = r""" \t\n\f\r"<>|(){}"""
_ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+"
_HYPHENATED = r"[A-Za-z0-9][A-Za-z0-9.,\xad]*(?:-(?:[A-Za-z0-9\xad]+|[A-Za-z](?:\.[A-Za-z])+\.))+"


def _rule(starts: str, pattern: str, written: Callable[[str], str] = _plain, *, stop: bool = False) -> _Rule:
    return _Rule(starts, re.compile(pattern), written, stop)


def _letters() -> tuple[str, str, str]:
    """Patterns for a letter, a letter or digit, and a word; a soft hyphen counts as a letter."""
    # The combining marks are those of the scripts the Java program knows; later ones it deletes.
    letters = rf"\xad{_bmp('LETTER')}{_bmp('MARK', 0xFFF)}"
    letter, alnum = f"[{letters}]", rf"[\d{letters}]"
    return letter, alnum, f"{letter}{alnum}*(?:[.!?]{letter}{alnum}*)*"


def _word_rules() -> list[_Rule]:
    """Words, contractions, tags, addresses."""
    letter, _, word = _letters()
    tag = rf"""</?{_NAME}(?:\s+{_NAME}(?:\s*=\s*(?:"[^"\n]*"|'[^'\n]*'))?)*\s*/?>"""
    site = rf"[^{_OUTSIDE_URL}.!?,`'$/:;@&+*%#=~\[\]-]+"
    path = rf"(?:/[^{_OUTSIDE_URL}]+[^{_OUTSIDE_URL}.!?,-])?"
    return [
        _rule("a", r"((?i:can))(?i:not)"),
        _rule("a", r"((?i:gon|wan))(?i:na)"),
        _rule("a", r"((?i:got))(?i:ta)"),
        _rule("a", r"((?i:lem|gim))(?i:me)"),
        _rule("p", "('[tT])(?i:is|was)"),
        _rule("p", "(-(?i:[lr][rcs]b)-)"),
        _rule("p", rf"({tag}|<[!?][A-Za-z-][^>\n]*>)"),
        _rule("p", "([\x96\x97\u2013\u2014\u2015]|&(?i:mdash|ndash|md);)", _always("--")),
        _rule("p", "(&(?i:amp|lt|gt);)", _sign),
        _rule("p", "(&nbsp;)", _always("")),
        _rule("a", f"({word}){_CLITIC}"),
        _rule("a", f"([A-Za-z]*[A-MO-Za-mo-z])[nN]{_APOS_LIKE}[tT]"),
        _rule("a", f"({word})"),
        _rule("ap", f"({APOSTROPHE_WORDS})".replace("QUOTE", _APOS_LIKE).replace("APOS", _APOS)),
        _rule("a", f"([yY]{_APOS}){letter}"),
        _rule("a", rf"((?i:https?)://[^{_OUTSIDE_URL}]+[^{_OUTSIDE_URL}.!?,'-])"),
        _rule("a", rf"((?i:www)\.(?:[^{_OUTSIDE_URL}.!?,]+\.)+[a-zA-Z]{{2,4}}{path})"),
        _rule("ad", rf"((?:{site}\.)+(?i:com|net|org|edu){path})"),
        _rule(
            "ad",
            rf"([a-zA-Z0-9][^{_OUTSIDE_URL}\xa0]*@(?:[^{_OUTSIDE_URL}.\xa0]+\.)*"
            rf"[^{_OUTSIDE_URL}.,;:!?'\xa0]+)",
        ),
        _rule("p", "(@[a-zA-Z_][a-zA-Z_0-9]*)"),
        _rule("p", f"(#{letter}+)"),
        _rule("p", rf"({_CLITIC})(?:[^A-Za-z]|\Z)", _quotes),
        _rule("a", f"([nN]{_APOS_LIKE}[tT])", _quotes),
    ]


def _number_rules() -> list[_Rule]:
    """Numbers, dates, telephone numbers, money."""
    telephone = r"(?:\(\d{3}\) ?|\d{3}[- ])\d{3}[- ]\d{4}"
    return [
        _rule("d", r"(\d{1,2}[-/]\d{1,2}[-/]\d{2,4})"),
        _rule("dp", r"([-+]?(?:\d*(?:[.:,\xad]\d+)+|\d+))"),
        _rule("dp", r"([\u207a\u207b\u208a\u208b]?(?:[\u2070\xb9\xb2\xb3\u2074-\u2079]+|[\u2080-\u2089]+))"),
        _rule("d", r"((?:\d+[- ])?\d+/\d+)"),
        _rule("p", "([¼½¾⅓-⅞])", _sign),
        _rule("ap", r"([A-Z]*\$|#)"),
        _rule("p", "([\xa2-\xa5\x80\u20a0\u20a4\u20ac\u0e3f\uffe0\uffe1\uffe5\uffe6])", _sign),
        _rule("p", rf"({_APOS}\d\d)(?:\s|\Z)"),
        _rule("dp", f"({telephone})", _brackets),
    ]


def _abbreviation_rules() -> list[_Rule]:
    """Words that end with a full stop of their own."""
    final = f"(?:(?i:{FINAL})|{FINAL_CAPITALISED})"
    starter = rf"\s+(?:{STARTERS}(?:\s|\Z)|M[rs]\.)"
    return [
        _rule("a", rf"({final}\.)(?:\s(?:\s|[A-Z])|\s?\Z)", stop=True),
        _rule("a", rf"({final}\.|(?i:{INNER})\.)"),
        _rule("a", rf"([A-Za-z])\.{starter}"),
        _rule("a", rf"((?:{_ACRONYM})\.){starter}", stop=True),
        _rule("a", rf"((?:{_ACRONYM}|[A-Za-z])\.)"),
        _rule("a", rf"((?:{_ACRONYM}))\s"),
        _rule("a", rf"((?i:{BEFORE_NUMBERS})\.)\s?\d"),
    ]


def _compound_rules() -> list[_Rule]:
    """File names, hyphenated words and other words with signs in them."""
    _, alnum, word = _letters()
    part = f"(?:[dDoOlL]{_APOS_LIKE}(?={alnum}{{2}}))?{alnum}+"
    file = rf"{alnum}+(?:[-._/]{alnum}+)*\.(?i:{EXTENSIONS})"
    return [
        _rule("ad", rf"({file})(?:[\s.?!,]|\Z)"),
        _rule("a", rf"({word}\.)[,;:\u3001]"),
        _rule("ad", rf"({_HYPHENATED})(?:[^A-Za-z0-9.+]|\.(?:\s|\Z)|\Z)"),
        _rule("ad", rf"({_HYPHENATED}\.)[,;:]"),
        _rule("ad", f"({part}(?:[-\u2010\u2011\u058a_]{part})*)"),
        _rule("ad", r"([A-Za-z0-9]+(?:-[A-Za-z]+){0,2}(?:/[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}){1,2})"),
        _rule("a", "([A-Z]+(?:(?:&amp;|[+&])[A-Z]+)+)", lambda token: token.replace("&amp;", "&")),
        _rule("a", r"((?i:anti-|pro-|c\+\+|[cf]#))"),
    ]


def _mark_rules() -> list[_Rule]:
    """Quotation marks, brackets, dashes, smileys and single signs."""
    return [
        _rule("p", '("|&quot;)[A-Za-z0-9$]', _always("``")),
        _rule("p", '("|&quot;)', _always("''")),
        _rule("p", r"([:;=]-?[()DPdp])(?:[^A-Za-z]|\Z)", _round_brackets),
        _rule("p", r"([(){}\[\]])", _brackets),
        _rule("p", "(-+)", _dashes),
        _rule("p", r"(\.{3,5}|(?:\.[ \xa0]){2,4}\.|\u2026)", _always("...")),
        _rule("p", r"(@+|_+|#+|\*+|(?:\\\*){1,3}|[?!]+|<<|>>)"),
        _rule("p", r"(')[A-Za-z]\S", _always("`")),
        _rule("p", "(&apos;|[`'\x91-\x94\u2018-\u201f\u2039\u203a\xab\xbb]{1,2})", _quotes),
        _rule("p", f"([{SYMBOLS}])"),
    ]


@cache
def _rules() -> dict[str, list[_Rule]]:
    """The rules to try, by the kind of the first character."""
    every = _word_rules() + _number_rules() + _abbreviation_rules() + _compound_rules() + _mark_rules()
    return {"": every} | {kind: [rule for rule in every if kind in rule.starts] for kind in "adp"}


def _kind(character: str) -> str:
    """The kind of a first character as in `_Rule.starts`; empty where it may be a mark or a sign."""
    if character.isdecimal():
        return "d"
    if character.isalpha():
        return "a"
    return "p" if character.isascii() else ""


# A plain word before a blank or a comma: no rule can take more, so there is no need to try them all.
_QUICK = re.compile("([A-Za-z]{2,})(?=,? )")


def _lexed(text: str) -> Iterator[str]:
    rules = _rules()
    position, end = 0, len(text)
    while position < end:
        quick = _QUICK.match(text, position)
        if quick and quick[1].lower() not in SPLIT_WORDS:
            yield quick[1].lower()
            position = quick.end(1)
            continue
        first = text[position]
        if first == " ":
            position += 1
            continue
        chosen, match, furthest = None, None, position
        for rule in rules[_kind(first)]:
            found = rule.pattern.match(text, position)
            if found and found.end() > furthest:
                chosen, match, furthest = rule, found, found.end()
        if chosen is None or match is None:
            position += 1  # white space, and what the Java program deletes: emoji, controls, private use
            continue
        yield chosen.written(match[1]).lower()
        if chosen.stop:
            yield "."
        position = match.end(1)


# Plain letters, blanks and commas, perhaps a full stop at the end, as most captions are: no rule reaches further than a
# word or a mark, but for words that are split and a last word that may be an abbreviation.
_PLAIN = re.compile(r"[A-Za-z ,]*+\.? *+")
_SPLIT_WORD = re.compile("|".join(sorted(SPLIT_WORDS)), re.IGNORECASE | re.ASCII)


@cache
def _abbreviation() -> re.Pattern[str]:
    return re.compile(f"(?:(?i:{FINAL}|{INNER}|{BEFORE_NUMBERS}|[a-z])|{FINAL_CAPITALISED})")


def _is_plain(text: str) -> bool:
    """Whether words and marks can be told apart without the rules."""
    if not _PLAIN.fullmatch(text):
        return False
    before, stop, _ = text.partition(".")
    if stop and before[-1:].isalpha() and _abbreviation().fullmatch(before.replace(",", " ").split()[-1]):
        return False
    return not _SPLIT_WORD.search(text)


def ptb_keep(text: str) -> list[str]:
    """Stanford's PTBTokenizer 3.4.1, lower-cased, punctuation kept."""
    if _is_plain(text):
        return text.lower().replace(",", " , ").replace(".", " . ").split()
    return " ".join(_lexed(text)).split()


def ptb(text: str) -> list[str]:
    """The COCO caption kit's: Stanford's PTBTokenizer 3.4.1, lower-cased, punctuation dropped."""
    if _is_plain(text):
        return text.lower().replace(",", " ").replace(".", " ").split()
    return [token for token in ptb_keep(text) if token not in PUNCTUATION]
