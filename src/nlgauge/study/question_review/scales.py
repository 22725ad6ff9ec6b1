"""Scales read from a wording: is every end worded, and is there as much room for blame as for praise?

Labels are found beside numbers (“1 = poor”, “5 (excellent)”, “poor (1)”) or as a list (“poor / fair / good”, “was it good,
very good or perfect?”). Each is looked up in the rule file's valence: a known word, perhaps with a degree before it
(“very”, “slightly”) or a negation. A label that nothing is known about counts for neither side.
"""

# ruff: noqa: E501 - patterns read better in one piece

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nlgauge.study.question_review.book import Book

_NUMBER = r"[-+\u2212]?\d{1,3}"
_AFTER = re.compile(
    rf"(?<![\w.,–—-])({_NUMBER})(?:%| points?| stars?)?\s*(?:=|:|\)|\.(?=\s)|[–—-](?=\s)|\(|means|is|being|stands for|for(?= (?:not|very|no|an?|the|poor|bad|completely)\b)|meaning|indicates|→|,\s+(?:which )?(?:meaning|being))\s*[\"“'‘]?"
    r"([^\W\d_][^,;/|()\d\n=:.\"”]*)"
)
_BARE = re.compile(r"(?<!\S)(\d{1,2})\s+([^\W\d_][^\W\d_ ]*(?: [^\W\d_]+){0,4}?)(?=\s+\d{1,2}\s|\s*[,;/.)]|\s*$)")
_LETTERED = re.compile(r"\(?\b([a-g])\)\s*([^()/,;?]+?)(?=\s*[,;/]|\s*\(?\b[a-g]\)|\s*\.?$)")
_BEFORE = re.compile(rf"([^\W\d_][\w’ -]*?)[\"”']?\s*\(\s*({_NUMBER})\s*\)")
_SPLIT = re.compile(r"\s*(?:,\s*(?:or|and)\b|[,/;|•·→<>\n]|\bor\b|\s[–—-]+\s|[–—]|\bto\b|\bthrough\b)\s*")
_NONE = re.compile(r"\b(?:not at all|no|none|nothing|never|not|least|little|lowest|minimum|absent|zero|cannot)\b", re.I)
_ENDS = re.compile(r"[\"“‘']([^\"”’']+)[\"”’'] (?:on|at) the (left|right|bottom|top)")
_COUNTS = re.compile(r"\bhow many (?!stars|points)|\bcount\b|\bthe number of (?!stars|points)", re.I)
_ROW = re.compile(
    r"(?:\[ ?\]\s*)?(?<![\w.])[01](?:\s*(?:,|/|–|-|\||○|□|\[ ?\])?\s*)(?:1\b|2\b)[\d\s,/|–○□\[\]-]*(?:or \d+)?"
)
_OF = re.compile(r"(?<=\w )/ ?(?:5|6|7|10|20|100)\b(?=\s*(?:points?)?\s*[:_.?]|\s*$)")
_OTHER = re.compile(r"(?:for|on|each|that|in|with|of|at|is|are)\b", re.I)
_SEVERAL = re.compile(r"\b(?:select|tick|choose|mark|check) all\b|\ball that apply\b", re.I)
_ASKS = re.compile(r"(?:how|is|are|does|do|did|which|what|rate|please|was|were|to what)\b", re.I)
_RANGE = re.compile(
    rf"(?<![\w.,$€£])(?:from\s+|between\s+|of\s+)?\(?(?P<low>{_NUMBER})%?\)?\s*(?:to|through|and|[-–—]|\.\.\.?|…)\s*\(?(?P<high>\+?\d{{1,3}})%?\)?(?!\w|,\d|\.\d)",
    re.I,
)
_POINTS = re.compile(
    r"\b(?P<points>\d{1,3}|three|four|five|six|seven|nine|ten|eleven)[- ]?(?:point|step|star|level|grade)s?\b[- ]?(?:likert[- ]?)?(?:type )?(?:scale|rating|slider)|\bout of (?P<out>\d{1,3}|five|seven|ten|a hundred|one hundred|twenty)\b|\blikert(?:[- ]type)?[- ]scale\b|\b(?:one|1) to (?:five|seven|ten|four|six)\b|\bfrom one (?:star )?to (?:five|ten|seven)(?: stars)?\b|\b(?:number|amount) of stars\b|\bhow many (?:stars|points)\b|\(?max(?:imum|\.)? \d+(?: points)?\)?|\b1[ ,/|•□○-]+2[ ,/|•□○-]+3\b|\b(?:number|mark|score|grade|value|figure|points?|stars?|rating)s? (?:of )?(?:up to|of at most|not above|no higher than|below|under) \d{1,3}\b|\b(?:between|from) (?:nought|zero|one|1) (?:star |point )?(?:and|to) (?:three|four|five|six|seven|nine|ten|twenty|a hundred|one hundred)\b|\bup to (?:\d{1,3}|three|four|five|six|seven|ten|twenty) (?:stars|points|marks)\b|\bon a (?:\d{1,3}|five|seven|ten|hundred)[- ]?(?:point )?(?:scale|basis)\b",
    re.I,
)
_COUNTED = re.compile(
    r"^\s*(?:words?|sentences?|minutes?|seconds?|hours?|years?|pages?|texts?|items?|paragraphs?|times|times|lines?|days?|examples?|people|characters|pairs|summaries|questions|responses|turns?|reasons?|keywords|facts|pounds|euros|dollars|cents|judges|annotators|months|weeks|words?-long|tokens|%\s+of\s+the\s+\w+)\b",
    re.I,
)
_RATING = re.compile(
    r"\b(?:rate|rating|score|scores|scale|grade|slider|points?|stars?|judge|evaluate|assess|rank|mark|assign|likert|value|number|how\b[^.]*\?)",
    re.I,
)
_WORDED = re.compile(
    r"\b(?:label(?:l?ed|s)|worded|anchors?|anchored|(?:described|explained|defined|given|shown|listed) (?:below|above|next|in|on|beside|under)|see (?:below|above|the)|scale (?:below|above|described|shown)|low(?:est|er)?\b.*\bhigh(?:est|er)?\b|worst\b.*\bbest|best\b.*\bworst|(?:higher|larger|bigger|more|lower) (?:\w+ )?(?:is|are|means?|=|for|numbers?|scores?|values?)|not at all|(?:highest|lowest|best|worst)\b|left\b.*\bright\b|poor\b.*\bexcellent|bad\b.*\bgood|ends? (?:means?|is|stands?)|very \w+ to very|strongly|completely|percent(?:age)?)\b",
    re.I,
)


@dataclass(frozen=True)
class Label:
    """A point of a scale as worded."""

    text: str
    valence: int | None  # −3 … 3; None: nothing is known about its words
    strength: int  # 1 slightly, 2 plain, 3 very
    floor: bool  # “not at all”: the lower end of a scale that only goes one way
    side: str = ""  # “A” or “B” where the label says which of two is better


def labels(text: str, book: Book) -> list[list[Label]]:
    """The lists of labels in a wording, longest first."""
    found: list[list[Label]] = []
    if _SEVERAL.search(text):
        return found
    ends = dict(reversed(pair) for pair in _ENDS.findall(text))
    if len(ends) == 2:
        found.append([_label(words, book) for words in ends.values()])
    numbered = {int(n.replace("\u2212", "-")): words for n, words in _AFTER.findall(text)}
    if len(numbered) < 2:
        numbered = {int(n.replace("\u2212", "-")): words for words, n in _BEFORE.findall(text)}
    if len(numbered) < 2:
        numbered = {int(n): words for n, words in _BARE.findall(text)}
        numbered = numbered if len(numbered) > 2 else {}
    if len(numbered) < 2:
        numbered = {ord(letter): words for letter, words in _LETTERED.findall(text)}
    if len(numbered) >= 2 and not any(_ASKS.match(words) for words in numbered.values()):
        found.append([_label(_short(words), book) for _, words in sorted(numbered.items())])
    else:
        found += [run for part in _parts(text) for run in _runs(part, book)]
    return sorted(found, key=len, reverse=True)


def _short(words: str) -> str:
    """A label without what follows it: “poor to” of “1 (poor) to 5”."""
    return re.sub(r"\s+(?:to|and|or|through)\s*$", "", words.strip().strip("\"“”'")).strip()


def _parts(text: str) -> Iterator[str]:
    """Where lists of answers stand: in brackets, after a colon or the question mark, or in the question itself."""
    yield from re.findall(r"\(([^()]*)\)", text)
    yield from re.findall(r"\[([^\[\]]*)\]", text)
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text)
    yield from re.split(r"[:?]", bare)[1:]
    yield re.split(r"[:?]", bare)[0]


def _runs(part: str, book: Book) -> Iterator[list[Label]]:
    """Neighbours in a list whose words are known; the first may end a longer phrase (“was it good, …”)."""
    if part.count(" / ") >= 2:  # a list of answers for certain, so that unknown ones belong to it
        listed = re.split(r"(?<=[.!\"”'’])\s", part.strip())[-1]
        yield [_label(piece.strip(" .?!\"“”'’"), book) for piece in listed.split(" / ")]
        return
    pieces = [piece.strip(" .?!\"“”'’") for piece in _SPLIT.split(part)]
    if len(pieces) > 3 and all(0 < len(piece.split()) <= 4 for piece in pieces):
        yield [_label(piece, book) for piece in pieces]
        return
    run: list[Label] = []
    for place, piece in enumerate(pieces):
        label = _label(piece, book) if len(piece.split()) <= 5 else None
        if (label is None or label.valence is None) and not run and place + 1 < len(pieces):
            label = _ending(piece, book) or label
        if label is not None and (label.valence is not None or label.floor):
            run.append(label)
            continue
        if len(run) >= 3:
            yield run
        run = []
    if len(run) >= 3:
        yield run


def _ending(piece: str, book: Book) -> Label | None:
    """The label at the end of a longer phrase."""
    words = piece.split()
    tails = (_label(" ".join(words[-size:]), book) for size in (3, 2, 1) if len(words) > size)
    return next((tail for tail in tails if tail.valence is not None), None)


def _valence(word: str, book: Book) -> int | None:
    """What is known of a word, of its adjective (“badly”: “bad”), or of what it denies (“unreadable”: “readable”)."""
    forms = [word]
    if word.endswith("ly"):
        forms += [word[:-2], word[:-2] + "le", word[:-3] + "y", word + "ful"]
    for form in forms:
        if form in book.valence:
            return book.valence[form]
    denied = re.match(r"(?:un|in|im|ir|dis|non-?)(\w{4,})", word)
    if denied:
        value = _valence(denied[1], book)
        return -value if value else None
    return -2 if re.fullmatch(r"\w{3,}less", word) else None


def _label(text: str, book: Book) -> Label:
    words = re.findall(r"[^\W\d_]+(?:[-’][^\W\d_]+)*", text.casefold())
    joined = " ".join(words)
    strength = max((level for word, level in book.strength.items() if re.search(rf"\b{word}\b", joined)), default=2)
    weak = any(level == 1 and re.search(rf"\b{word}\b", joined) for word, level in book.strength.items())
    # an adverb is a label only at the end: “strongly” in “strongly agree” is a degree
    known = [book.valence[word] for word in words[:-1] if word in book.valence]
    known += [value for word in words[-1:] if (value := _valence(word, book)) is not None]
    side = (re.search(r"\b([AB])\b", text) or [""])[0]
    if re.search(
        r"\bneither\b|\bnor\b|\bneutral\b|\bsame\b|\bequal|\bpart(?:ly|ially)\b|\bsomewhere\b|\bas \w+ as\b",
        joined,
    ):
        return Label(text, 0, 2, False, "")
    floor = bool(
        re.search(
            r"\bnot(?: \w+){0,2} at all\b|^not?\b(?! (?:sure|opinion|idea|very|so|too|particularly|quite|entirely|fully|completely)\b)|^none\b|^never\b|^nothing\b|^hardly\b|^makes no\b|^does not\b",
            joined,
        )
    )
    if not known:
        return Label(text, None, 1 if weak else strength, floor, side)
    value = max(known, key=abs)
    if not floor and re.search(r"\bnot\b|\bnon\b|\bless\b|\bleast\b", joined):
        value = -value
    return Label(text, value, 1 if weak else strength, floor, side)


def unbalanced(points: Sequence[Label]) -> bool:
    """Whether one side has more points, or stronger words at its end, than the other."""
    if len(points) < 2:
        return False
    if len(points) > 2 and all(label.side or label.valence == 0 for label in points):
        sides = [label.side for label in points if label.side]
        return sides.count("A") != sides.count("B")
    yes = [bool(re.match(r"yes\b", label.text, re.I)) for label in points]
    no = [bool(re.match(r"no\b(?! (?:opinion|preference|idea))", label.text, re.I)) for label in points]
    if len(points) > 2 and sum(yes) > 2 and sum(yes) > sum(no) + 1:
        return True
    if any(label.floor for label in points):
        return False
    points = [_beside(label, points) for label in points]
    values = [label.valence for label in points]
    if len(points) == 2:
        return _ends_differ(points[0], points[1])
    up = sum(value is not None and value > 0 for value in values)
    down = sum(value is not None and value < 0 for value in values)
    unknown = sum(value is None for value in values)
    if up + down < 2 or unknown > len(values) // 2 or _from_none(points, up, down):
        return False
    if abs(up - down) > unknown:
        return True
    ranked = sorted(points, key=lambda label: label.valence or 0)  # “more, less or equally” has its middle last
    return unknown == 0 and _ends_differ(ranked[0], ranked[-1])


def contradictory(text: str, book: Book) -> str:
    """The numbered points of a scale that turn round on the way, or nothing: 1 = good, 2 = bad, 3 = very good."""
    numbered = {int(n.replace("\u2212", "-")): _short(words) for n, words in _AFTER.findall(text)}
    points = [(number, _label(words, book)) for number, words in sorted(numbered.items())]
    signs = [label.valence > 0 for _, label in points if label.valence]
    turns = sum(sign != following for sign, following in pairwise(signs))
    if len(signs) < len(points) or turns < 2:
        return ""
    return ", ".join(f"{number} = {label.text}" for number, label in points)


def one_sided(points: Sequence[Label], book: Book) -> bool:
    """“Somewhat warm, warm, deeply warm”, “a little / a lot / a great deal”: amounts with none for little or nothing."""
    if len(points) < 3 or not book.amounts:
        return False
    words = [
        re.findall(r"[^\W\d_]+(?:[-’][^\W\d_]+)*", label.text.casefold().replace("a little", "slightly"))
        for label in points
    ]
    lower = book.amounts["lower"]
    if any(
        label.floor or not lower.isdisjoint(said) or _denied(said) for label, said in zip(points, words, strict=True)
    ):
        return False
    shared = set.intersection(*map(set, words)) - {"a"} if all(words) else set()
    rests = [" ".join(word for word in said if word not in shared) for said in words]
    upper = book.amounts["upper"] | book.strength.keys()
    return len(set(rests)) == len(rests) and all(not rest or rest in upper for rest in rests)


def _denied(words: Sequence[str]) -> bool:
    return any(re.match(r"(?:un|in|im|ir|dis|non)\w{4,}|\w+n’t$|\w+less$", word) for word in words)


def _beside(label: Label, points: Sequence[Label]) -> Label:
    """“Acceptable” is in the middle of a scale, unless “unacceptable” is its other end."""
    last = (label.text.casefold().split() or [""])[-1]
    denied = any(re.search(rf"\b(?:un|in|im|ir|dis){re.escape(last)}\b", point.text, re.I) for point in points)
    middle = re.search(r"\b(?:neither|nor|part\w*|same|neutral|as)\b", label.text, re.I)
    return replace(label, valence=2) if label.valence == 0 and denied and not middle else label


def _from_none(points: Sequence[Label], up: int, down: int) -> bool:
    """“Irrelevant, somewhat relevant, relevant”: one quality from its absence upwards, in small steps."""
    few, side = (1, -1) if down == 1 else (0, 0)
    if not few or up < 2:
        return False
    lowest = next(label for label in points if label.valence is not None and label.valence * side > 0)
    denied = re.match(r"(?:un|in|im|ir|dis|non-?)(\w{4,})", lowest.text.casefold().split()[-1])
    return bool(
        denied
        and not re.match(r"(?:agree|satisf|likel)", denied[1])
        and any(label.strength == 1 and denied[1] in label.text.casefold() for label in points)
    )


def _ends_differ(first: Label, last: Label) -> bool:
    if first.valence is None or last.valence is None:
        return False
    if first.valence * last.valence > 0:
        # “good … better” may compare; “good … excellent” has no room for blame
        return first.text.casefold() != last.text.casefold()
    if first.valence == 0 or last.valence == 0:
        return True
    return {first.strength, last.strength} == {1, 3} or {
        (first.strength, abs(first.valence)),
        (last.strength, abs(last.valence)),
    } in ({(1, 2), (2, 3)},)


def lopsided(text: str) -> str:
    """A range of numbers with more room on one side of nought (“−1 to +3”), or nothing."""
    for found in _RANGE.finditer(text):
        low, high = int(found["low"].replace("\u2212", "-")), int(found["high"])
        if low < 0 < high and -low != high and _RATING.search(text):
            return found[0].strip()
    numbers = sorted({int(number.replace("\u2212", "-")) for number, _ in _AFTER.findall(text)})
    if len(numbers) > 1 and numbers[0] < 0 < numbers[-1] and -numbers[0] != numbers[-1]:
        return f"{numbers[0]} to +{numbers[-1]}"
    return ""


def unlabelled(text: str, book: Book) -> str:
    """A numeric scale none of whose ends is worded, or nothing."""
    rated = _RATING.search(text) or book.patterns["criterionnoun"].search(text)
    if _WORDED.search(text) or not rated or _COUNTS.search(text):
        return ""
    scale = _scale(text)
    if not scale:
        return ""
    low_high = re.findall(r"\d+", scale)
    named = [words for number, words in _AFTER.findall(text) if number.strip("-+\u2212") in low_high or not low_high]
    named += [words for words, number in _BEFORE.findall(text) if not _RATING.search(words)]
    named += [words for number, words in _BARE.findall(text) if number in low_high and not _OTHER.match(words)]
    bracketed = re.search(r"\d\s*\([^\d)]{3,}\)", text)
    return "" if bracketed or any(_says(words) for words in named) else scale


def _says(words: str) -> bool:
    return not re.match(r"(?:to|and|or|through|how|the|please|stars?|points?|scale|for)\b", words.strip(), re.I)


def _scale(text: str) -> str:
    for found in _ROW.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", found[0])]
        beside = re.search(r"[^\W\d_]\s*$", text[: found.start()]) and re.match(r"\s*[^\W\d_]", text[found.end() :])
        if len(numbers) >= 3 and numbers == list(range(numbers[0], numbers[-1] + 1)) and not beside:
            return " ".join(found[0].split()).strip(" ,/|-")
        if beside and len(numbers) >= 3 and not re.search(r"\b(?:of|is)\s*$", text[: found.start()]):
            return ""
        if (
            len(numbers) >= 3
            and beside
            and _RATING.search(text[: found.start()])
            and re.search(r"\bof\s*$", text[: found.start()])
        ):
            return " ".join(found[0].split()).strip(" ,/|-")
    ranges = list(_RANGE.finditer(text))
    for found in ranges if len(ranges) < 3 else ():
        low, high = int(found["low"].replace("\u2212", "-")), int(found["high"])
        if high - low < 1 + (low != 0) or high > 1000 or _COUNTED.match(text[found.end() :]):
            continue
        if not re.match(r"from|between", found[0].strip(), re.I) and re.search(
            r"\b(?:texts?|items?|pages?|questions?|sentences?|sections?|steps?|tables?|figures?|keys)\s*$",
            text[: found.start()],
            re.I,
        ):
            continue
        return found[0].strip()
    found_points = _POINTS.search(text) or _OF.search(text)
    return found_points[0].strip() if found_points else ""
