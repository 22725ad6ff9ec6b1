"""Scales read from a wording: is every end worded, and is there as much room for blame as for praise?

Labels are found beside numbers (“1 = poor”, “5 (excellent)”, “poor (1)”) or as a list (“poor / fair / good”, “was it good,
very good or perfect?”). Each is looked up in the rule file's valence: a known word, perhaps with a degree before it
(“very”, “slightly”) or a negation. A label that nothing is known about counts for neither side.
"""

# ruff: noqa: E501 - patterns read better in one piece

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nlgauge.study.review.book import Book

_NUMBER = r"[-+\u2212]?\d{1,3}"
_AFTER = re.compile(
    rf"(?<![\w.,–—-])({_NUMBER})(?:%| points?| stars?)?\s*(?:=|:|\)|\.(?=\s)|[–—-](?=\s)|\(|means|is|being|stands for|for(?= (?:not|very|no|an?|the|poor|bad|completely)\b)|meaning|indicates|→|,\s+(?:which )?(?:meaning|being))\s*[\"“'‘]?"
    r"([^\W\d_][^,;/|()\d\n=:.\"”]*)"
)
_BEFORE = re.compile(rf"([^\W\d_][\w’ -]*?)[\"”']?\s*\(\s*({_NUMBER})\s*\)")
_SPLIT = re.compile(r"\s*(?:,\s*(?:or|and)\b|[,/;|•·→<>\n]|\bor\b|\s[–—-]+\s|[–—]|\bto\b|\bthrough\b)\s*")
_FLOOR = re.compile(r"\b(?:not at all|not|never|no|none|nothing|without|zero|least|lowest|worst)\b", re.I)
_NONE = re.compile(
    r"\b(?:not at all|no|none|nothing|never|not|least|little|lowest|minimum|absent|zero|cannot)\b", re.I
)
_ENDS = re.compile(r"[\"“‘']([^\"”’']+)[\"”’'] (?:on|at) the (left|right|bottom|top)")
_SEVERAL = re.compile(r"\b(?:select|tick|choose|mark|check) all\b|\ball that apply\b", re.I)
_ASKS = re.compile(r"(?:how|is|are|does|do|did|which|what|rate|please|was|were|to what)\b", re.I)
_RANGE = re.compile(
    rf"(?<![\w.,$€£])(?:from\s+|between\s+|of\s+)?\(?(?P<low>{_NUMBER})%?\)?\s*(?:to|through|and|[-–—]|\.\.\.?|…)\s*\(?(?P<high>\+?\d{{1,3}})%?\)?(?!\w|,\d|\.\d)",
    re.I,
)
_POINTS = re.compile(
    r"\b(?P<points>\d{1,3}|three|four|five|six|seven|nine|ten|eleven)[- ]?(?:point|step|star|level|grade)s?\b[- ]?(?:likert[- ]?)?(?:type )?(?:scale|rating|slider)|\bout of (?P<out>\d{1,3}|five|seven|ten|a hundred|one hundred|twenty)\b|\blikert(?:[- ]type)?[- ]scale\b|\b(?:one|1) to (?:five|seven|ten|four|six)\b|\bfrom one (?:star )?to (?:five|ten|seven)(?: stars)?\b|\b(?:number|amount) of stars\b|\bhow many (?:stars|points)\b|\b1[ ,/|•□○-]+2[ ,/|•□○-]+3\b",
    re.I,
)
_COUNTED = re.compile(
    r"^\s*(?:words?|sentences?|minutes?|seconds?|hours?|years?|pages?|texts?|items?|paragraphs?|times|times|lines?|days?|examples?|people|characters|pairs|summaries|questions|responses|turns?|reasons?|keywords|facts|pounds|euros|dollars|cents|judges|annotators|months|weeks|words?-long|tokens|%\s+of\s+the\s+\w+)\b",
    re.I,
)
_RATING = re.compile(
    r"\b(?:rate|rating|score|scores|scale|grade|slider|points?|stars?|judge|evaluate|assess|rank|mark|assign|likert|value|how\b[^.]*\?)",
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
    pieces = [piece.strip(" .?!\"“”'’") for piece in _SPLIT.split(part)]
    run: list[Label] = []
    for place, piece in enumerate(pieces):
        words = piece.split()
        label = _label(piece, book) if len(words) <= 5 else None
        if (
            (label is None or label.valence is None)
            and not run
            and len(words) > 1
            and place + 1 < len(pieces)
        ):
            for size in (2, 1):
                tail = _label(" ".join(words[-size:]), book)
                if tail.valence is not None:
                    label = tail
                    break
        if label is not None and (label.valence is not None or label.floor):
            run.append(label)
            continue
        if len(run) >= 3:
            yield run
        run = []
    if len(run) >= 3:
        yield run


def _label(text: str, book: Book) -> Label:
    words = re.findall(r"[^\W\d_]+(?:[-’][^\W\d_]+)*", text.casefold())
    joined = " ".join(words)
    strength = max(
        (level for word, level in book.strength.items() if re.search(rf"\b{word}\b", joined)), default=2
    )
    weak = any(level == 1 and re.search(rf"\b{word}\b", joined) for word, level in book.strength.items())
    known = [book.valence[word] for word in words if word in book.valence]
    side = (re.search(r"\b([AB])\b", text) or [""])[0]
    if re.search(r"\bneither\b|\bnor\b|\bneutral\b|\bsame\b|\bequal", joined):
        return Label(text, 0, 2, False, "")
    if re.search(r"\bpart(?:ly|ially)\b|\bsomewhere\b", joined):
        return Label(text, 0, 2, False, "")
    floor = bool(re.search(r"\bnot at all\b|^no\b|^none\b|^never\b|^nothing\b", joined))
    if not known:
        return Label(text, None, 1 if weak else strength, floor, side)
    value = max(known, key=abs)
    if not floor and re.search(r"\bnot\b|\bnon\b|\bless\b|\bleast\b", joined):
        value = -value
    return Label(text, value, 1 if weak else strength, floor, side)


def unbalanced(points: Sequence[Label]) -> bool:
    """Whether one side has more points, or stronger words at its end, than the other."""
    if any(label.floor for label in points) or len(points) < 2:
        return False
    if len(points) > 2 and all(label.side or label.valence == 0 for label in points):
        sides = [label.side for label in points if label.side]
        return sides.count("A") != sides.count("B")
    values = [label.valence for label in points]
    if len(points) == 2:
        return _ends_differ(points[0], points[1])
    up = sum(value is not None and value > 0 for value in values)
    down = sum(value is not None and value < 0 for value in values)
    unknown = sum(value is None for value in values)
    if up + down < 2 or unknown > len(values) // 2:
        return False
    if abs(up - down) > unknown:
        return True
    ranked = sorted(
        points, key=lambda label: label.valence or 0
    )  # “more, less or equally” has its middle last
    return unknown == 0 and _ends_differ(ranked[0], ranked[-1])


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


def unlabelled(text: str) -> str:
    """A numeric scale none of whose ends is worded, or nothing."""
    if _WORDED.search(text) or not _RATING.search(text):
        return ""
    scale = _scale(text)
    if not scale:
        return ""
    low_high = re.findall(r"\d+", scale)
    named = [words for number, words in _AFTER.findall(text) if number in low_high or not low_high]
    named += [words for words, number in _BEFORE.findall(text) if not _RATING.search(words)]
    bracketed = re.search(r"\d\s*\([^\d)]{3,}\)", text)
    return "" if bracketed or any(_says(words) for words in named) else scale


def _says(words: str) -> bool:
    return not re.match(r"(?:to|and|or|through|how|the|please|stars?|points?|scale)\b", words.strip(), re.I)


def _scale(text: str) -> str:
    for found in _RANGE.finditer(text):
        low, high = int(found["low"].replace("\u2212", "-")), int(found["high"])
        if high - low < 1 + (low != 0) or high > 1000 or _COUNTED.match(text[found.end() :]):
            continue
        if re.search(
            r"\b(?:texts?|items?|pages?|questions?|sentences?|sections?|steps?|tables?|figures?)\s*$",
            text[: found.start()],
            re.I,
        ):
            continue
        return found[0].strip()
    found_points = _POINTS.search(text)
    return found_points[0].strip() if found_points else ""
