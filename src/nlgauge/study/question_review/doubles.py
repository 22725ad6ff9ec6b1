"""Questions that ask for two things at once.

Two criteria joined by “and”, “as well as”, “without” and the like, where the words belong to different groups of the rule
file (“grammar and spelling” is one notion); adjectives or nouns of quality that the groups do not know are told by their
endings. Lists of answers, brackets and labels of scales are set aside first.
"""

# ruff: noqa: E501 - patterns read better in one piece

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nlgauge.study.question_review.book import Book
from nlgauge.study.question_review.reading import Sentence

_JOINT = re.compile(
    r"(?:,\s*)?\b(?:and|as well as|but also|along with|together with|plus|while (?=(?:still|also|being|remaining|staying|sounding|reading|avoiding|keeping it|maintaining|at the same time)\b)|yet|without|but (?:still|also|not)|in addition to)\b(?: (?:also|yet|at the same time|still|being|simultaneously))*|\bbut\b|\s[&+]\s|(?<=[a-z])/(?=[a-z])|,\s+but\b",
    re.I,
)
_OR = re.compile(r"\bor\b", re.I)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|(?<![\w-])[-+]?\d+\s*(?:=|:|\)).*$|\b(?:from|between)\s+\d.*$")
# “and save you time”: a bare word before an object is a verb, unless it is one of these
_BARE_VERB = re.compile(
    r"(?!(?:the|its?|in|on|of|for|to|with|from|both|all|is|are|that|then|if|when|why|explain|say|tell|his|her|their|this|what|how|at|by|or|not|as|any|no|within|choose|select|submit|read|rate|mark)\b)"
    r"[a-z]{3,} (?:the|an?|its|your|you|all|any|it|them|every|each|their|what)\b"
)
_TWO_CLAIMS = re.compile(
    r"\b(?:is|was|are|has|have|had|were|could|can|would|will|understood|knew|gave|made|kept|told|found|felt|[a-z]+(?:s|ed))\b.*?[, ](and|as well as|but also|while|without|yet|and also)"
    r" ((?:also |still |always |never |\w+ly )?(?:is|are|was|were|has|have|had|it|they|I|did|does|can|could|would|will|knew|said|told|gave|got|made|kept|held|felt|found|understood|went|came|took|says|keeps|makes|gives|[a-z]{3,}ing|(?!details|facts|words|errors|sentences|events|others|readers|users|ideas|mistakes|topics|turns)[a-z]{3,}(?:s|ed)(?= (?:the|an?|my|me|it|its|to|in|all|every|no|well|\w+ly|on|with|what|any|like|as|from|by|how|that|right|good|natural|your|you|his|her|their|this|for|enough|nothing|of)\b))\b(?: \w+)?|(?:\w+ly|well)[ -]\w+(?:ed|en|t)\b)",
    re.I,
)
_REASONS = re.compile(
    r"\b(?:explain|say|tell|justify|describe|give|write|state|why|then|click|press|choose|select|submit|move|note|mark|highlight|if|read)\b",
    re.I,
)


def double(sentence: Sentence, book: Book) -> str:
    """The words of the two things asked for, or nothing."""
    text = _ASIDE.sub(" ", sentence.masked)
    both = book.patterns["two_comparatives"].search(text)
    if both and sentence.mood in ("question", "instruction", "claim"):
        return both[0]
    if (
        not (sentence.asks or book.patterns["rating"].search(text))
        or book.patterns["separate"].search(text)
        or re.search(r"\b(?:ignor|disregard|regardless|irrespective|do not consider)", text, re.I)
    ):
        return ""
    if sentence.mood == "claim" and _claimed(text):
        return _claimed(text)
    listed = re.search(
        r"(?<!at )\b([\w’-]+) as well as (?!possible|the (?:other|first|second|original|source)|you|it|a |an? |any)([\w’-]+)",
        text,
        re.I,
    )
    return (listed or [next(_found(text, book), "")])[0]


def _claimed(text: str) -> str:
    """“It picks up the topic as well as showing knowledge of it”: two things to agree with, or nothing."""
    found = _TWO_CLAIMS.search(text)
    return f"{found[1]} {found[2]}" if found else ""


def doubled(questions: Sequence[Sentence], book: Book) -> str:
    """Two questions in one item that ask for different criteria, or nothing."""
    asked = [
        (sentence, set(_groups(_ASIDE.sub(" ", sentence.masked), book)))
        for sentence in questions
        if sentence.asks and not re.match(r"\W*(?:if|why|in that case|please)\b", sentence.masked, re.I)
    ]
    for place, (first, mine) in enumerate(asked):
        for second, theirs in asked[place + 1 :]:
            if mine and theirs and not mine & theirs:
                return f"{first.text} {second.text}"
    return ""


def _groups(text: str, book: Book) -> Iterator[str]:
    for name, pattern in book.groups.items():
        if pattern.search(text):
            yield name


def _found(text: str, book: Book) -> Iterator[str]:
    for joint in _JOINT.finditer(text):
        left, right = _before(text[: joint.start()]), _after(text[joint.end() :])
        if not left or not right or _options(text, joint.start()):
            continue
        words = f"{left.split()[-1]} {joint[0].strip()} {' '.join(right.split()[:3])}".strip()
        verbal = joint[0].strip(" ,").casefold().startswith("and") and _verbs(text, joint.start(), right, book)
        if (
            verbal
            or _clause(left, joint[0], right)
            or _phrases(left, right, book)
            or _adjacent(left, right, book)
            or (_known(left, right, book) and not _REASONS.match(right))
        ):
            yield words
    for joint in _OR.finditer(text):
        left, right = _before(text[: joint.start()]), _after(text[joint.end() :])
        if _faults(left, right, book):
            yield f"{' '.join(left.split()[-2:])} or {' '.join(right.split()[:3])}"


def _clause(left: str, joint: str, right: str) -> bool:
    """“Is it correct, and would you trust it?”: a second question after “and”."""
    return bool(
        joint.strip(" ,").casefold() in ("and", "and also", "but")
        and re.match(
            r"(?:also )?(?:(?:is|are|was|were|does|do|did|would|will|can|could|has|have|should) (?:it|they|you|he|she|the|this|its|there|that)\b"
            r"|how (?!it\b|they\b|to\b|the\b|you\b|do\b)[\w-]+ (?:is|are|was|were|does|do|did|you|it|they)\b|to what extent\b)",
            right,
            re.I,
        )
        and re.search(
            r"(?:^|[,:;] )(?:is|are|was|were|does|do|did|would|will|can|could|has|have|how|to what|should)\b",
            left,
            re.I,
        )
    )


def _phrases(left: str, right: str, book: Book) -> bool:
    """“A good plot and believable characters”, “the facts right and the sentences well formed”."""
    one = re.search(
        r"\b(?:have|has|contain|contains|use|uses|show|shows|display|with) (?:an? |the )?([\w-]+) [\w-]+$",
        left,
        re.I,
    )
    other = re.match(r"(?:an? |the )?([\w-]+) [\w-]+", right)
    if one and other and one[1].casefold() != other[1].casefold():
        return _is("adjective", one[1].casefold(), book) and _is("adjective", other[1].casefold(), book)
    one = re.search(r"^(?:are|is|was|were) .*?\b([\w-]+)$", left, re.I)
    other = re.match(r"(?:the|its|their|all) [\w-]+ ((?:well|badly)[ -][\w]+|[\w-]+)$", right)
    return bool(one and other) and all(
        _is("adjective", found[1].casefold(), book) or found[1].casefold() in ("right", "wrong")
        for found in (one, other)
        if found
    )


def _options(text: str, place: int) -> bool:
    """Whether the joint stands in a list of answers: “which is best, and which is worst?”, “between A and B”."""
    return bool(re.search(r"\b(?:between|both)\s+[\w ]{0,40}$", text[:place], re.I)) and not re.search(
        r"\bboth\s+[\w ]{0,40}$", text[:place], re.I
    )


def _before(text: str) -> str:
    return " ".join(re.split(r"[.?!:;]", text)[-1].split()[-11:])


def _after(text: str) -> str:
    return " ".join(re.split(r"[.?!:;]", text)[0].split()[:8])


def _group(word: str, book: Book) -> set[str]:
    return {name for name, pattern in book.groups.items() if pattern.fullmatch(word)}


def _last(text: str, book: Book) -> tuple[str, set[str]]:
    """The last word of a criterion in a text, and its groups."""
    best, place, groups = "", -1, set[str]()
    for name, pattern in book.groups.items():
        for found in pattern.finditer(text):
            if found.end() > place:
                best, place, groups = found[0], found.end(), {name}
            elif found.end() == place:
                groups.add(name)
    return best, groups


def _first(text: str, book: Book) -> tuple[str, set[str], int]:
    best, place, groups = "", len(text) + 1, set[str]()
    for name, pattern in book.groups.items():
        found = pattern.search(text)
        if found and found.start() < place:
            best, place, groups = found[0], found.start(), {name}
        elif found and found.start() == place:
            groups.add(name)
    return best, groups, place


def _known(left: str, right: str, book: Book) -> bool:
    """Criteria of two groups on both sides, the right one near the joint."""
    mine, ours = _last(left, book)
    theirs, groups, place = _first(right, book)
    near = len(right[:place].split()) <= 5
    return bool(mine and theirs and near and not ours & groups)


def _adjacent(left: str, right: str, book: Book) -> bool:
    """Two adjectives, adverbs or nouns of quality side by side, known by their endings too."""
    one = re.search(r"((?:well|badly|poorly)[ -]\w+|[\w’-]+)$", left)
    other = re.match(
        r"(?:(?:how|very|also|not|still|its|the|their|is it|overall|more|less|to what extent|equally|sufficiently|is|are|was|were) )*((?:easy|pleasant|free|on|to|up|well|badly|poorly)[ -][\w -]+?(?=\b(?:is|are|was|of|in|on|for|do|does)\b|$)|[\w’-]+)",
        right,
    )
    if not one or not other:
        return False
    first, second = one[1].casefold(), other[1].strip().casefold()
    if first == second or _group(first, book) & _group(second, book):
        return False
    copula = re.match(r"(?:is|are|was|were) (?:the|this|it|its|these|they|your|each)\b", left, re.I)
    noun = re.search(r"\b(?:the|an?|this|of|its|your|and|both) [\w’-]+$", left, re.I)
    if copula and not noun and _is("adjective", second, book):
        return True
    return (
        any(_is(kind, first, book) and _is(kind, second, book) for kind in ("adjective", "criterionnoun", "adverb"))
        or (bool(re.search(r"\bfree of \w+$", left, re.I)) and _is("adjective", second, book))
        or (
            bool(re.search(r"\b(?:more|less) [\w-]+$", left, re.I))
            and bool(re.match(r"(?:better|worse|more|less|easier|clearer|has|have|makes?|\w+s)\b", right, re.I))
        )
        or (
            bool(re.search(rf"\bhow {re.escape(first)}$", left, re.I))
            and bool(re.match(r"(?:how )?[\w’-]+ (?:is|are|was|were|does|do|did|would|you)\b", right, re.I))
        )
    )


def _is(kind: str, word: str, book: Book) -> bool:
    if kind == "adverb":
        return bool(re.fullmatch(r"[a-z]{3,}ly", word)) and word not in (
            "only",
            "early",
            "family",
            "reply",
            "daily",
            "friendly",
        )
    known = (
        bool(re.fullmatch(book.words["posadj"] + "|" + book.words["negadj"], word)) if kind == "adjective" else False
    )
    if known:
        return True
    return bool(book.patterns[kind].fullmatch(word)) and not book.patterns["notadjective"].search(word)


def _verbs(text: str, place: int, right: str, book: Book) -> bool:
    """“Does it cover the facts and avoid repetition?”: a verb in its base form straight after “and”."""
    listed = re.match(rf"(?:also |still |yet )?(?:{book.patterns['verbs'].pattern})\b", right, re.I)
    verb = listed or _BARE_VERB.match(right)
    asked = re.search(
        r"(?:^|[,:;] |\b(?:well|much|extent|degree|often|far|\w+ly|please|and) )(?:does|do|did|can|could|would|will)\b(?! you (?:read|think))",
        text[:place],
        re.I,
    )
    return bool(verb and asked)


def _faults(left: str, right: str, book: Book) -> bool:
    """“Spelling mistakes or factual errors”, “hallucinations or omissions”: two faults in one question."""
    fault = book.words["fault"]
    one = re.search(rf"((?:[\w-]+ ){{0,2}}){fault}$", left, re.I)
    other = re.match(rf"((?:[\w-]+ ){{0,3}}?){fault}\b", right, re.I)
    if not one or not other:
        return False
    (_, mine), (_, theirs, _) = _last(one[0], book), _first(other[0], book)
    return bool(mine and theirs and not mine & theirs)
