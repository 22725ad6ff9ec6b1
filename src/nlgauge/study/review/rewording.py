"""Neutral rewordings made from the question itself where its form is known, else advice in one sentence."""

# ruff: noqa: E501 - patterns and sentences read better in one piece

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nlgauge.study.review.book import Book, Rule
from nlgauge.study.review.reading import Sentence
from nlgauge.study.review.scales import Label

_ASKS = r"(?:how|what|which|do|does|did|is|are|was|were|would|can|could|please|rate|judge|choose|select|give|tell)"
_HINTS = r"\b(?:(?:much|newly|highly) )?(?:state-of-the-art|cutting-edge|award-winning|improved|advanced|novel|new|latest|superior|powerful|better) "
ADVICE = {
    "en": "Ask for one judgement in words that praise and blame nothing, with answers for both sides and for neither.",
    "de": "Nach einem Urteil fragen, in Worten, die weder loben noch tadeln, mit Antworten für beide Seiten und für keine.",
}
_BALANCED = {
    2: "bad / good",
    3: "bad / neither good nor bad / good",
    4: "very bad / bad / good / very good",
    5: "very bad / bad / neither good nor bad / good / very good",
    6: "very bad / bad / rather bad / rather good / good / very good",
    7: "very bad / bad / rather bad / neither good nor bad / rather good / good / very good",
}


def reword(rule: Rule, words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """A neutral wording by the function that the rule names, or the rule's own sentence."""
    if not rule.rewording.startswith("="):
        return rule.rewording
    return _MAKERS[rule.rewording[1:]](words, sentence, read, book)


def plainly(sentence: Sentence, text: str) -> str:
    """For a sentence that steers in a way no rule names: the wording without it, or advice if it is what is asked."""
    if sentence.mood in ("question", "instruction", "claim") or sentence.text not in text:
        return ADVICE["en"]  # the second opinion knows no other language
    return " ".join(text.replace(sentence.text, " ").split()) or "Leave this sentence out."


def _comparison(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“How much more fluent is A than B?” → “Which text is more fluent: A, B, or is there no difference?”"""
    text = sentence.text.rstrip("?.! ")
    found = re.search(
        rf"{book.words['comp']}\s*(?P<verb>is|are|was|were|does|do|did)?\s*(?P<rest>.*?)\s*\b(?:than|versus|vs\.?|compared (?:to|with)|over)\s+(?P<other>.+)$",
        text,
        re.I,
    )
    if not found:
        return "How do the two texts compare: is the first better, the second, or is there no difference?"
    quality = found[0][: found.start("verb") - found.start() if found["verb"] else len(found[0])]
    quality = (re.match(book.words["comp"], quality, re.I) or [quality])[0].casefold()
    quality = re.sub(r"^less ", "more ", quality)
    other = _trimmed(found["other"])
    first = _trimmed(found["rest"]) if found["verb"] else _subject(text[: found.start()])
    if not first or len(first.split()) > 6 or len(other.split()) > 6:
        return f"Which of the two texts is {quality}, or is there no difference?"
    noun = _noun(first, other)
    return f"Which {noun} is {quality}: {first}, {other}, or is there no difference?"


def _subject(before: str) -> str:
    """What stands before “is more fluent than”: the thing compared."""
    found = re.search(
        r"(?:^|\b(?:is|are|was|were|does|do|did|that|find|think|extent is|extent are)\s+)(?P<it>(?:the |this |that )?[\w-]+(?: [\w-]+){0,3}?)\s*(?:is|are|was|were|reads?|sounds?|seems?|looks?|cover[s]?)?\s*$",
        before,
        re.I,
    )
    return _trimmed(found["it"]) if found else ""


def _trimmed(text: str) -> str:
    text = re.sub(
        r"\s+(?:is|are|was|were|does|do|did|in terms of.*|cover|read|sound|seem)$", "", text.strip(" ,.;:?!")
    )
    return re.sub(
        r"^(?:(?:does|do|did|is|are|was|were|that|rate how much|how much|you|find|think|say|to what extent)\s+)+",
        "",
        text,
        flags=re.I,
    ).strip()


def _noun(first: str, other: str) -> str:
    shared = [
        word
        for word in first.casefold().split()
        if word in other.casefold().split() and word not in ("the", "a", "one")
    ]
    return shared[0] if shared else "of the two"


def _presupposition(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    found = re.search(r"\bhow (?:badly|poorly|terribly|severely|horribly) (.*)$", sentence.text, re.I)
    if found:
        return "How well " + _unfailing(found[1])
    found = re.search(
        r"\b(?:why is|why are|what makes) (?P<it>.+?) (?:so |such )?(?P<how>[\w-]+)\W*$", sentence.text, re.I
    )
    if found and not re.search(r"\bthan\b", sentence.text):
        return f"How {_positive(found['how'], book)} is {found['it']}?"
    if re.search(r"\b(?:improve|enhance|worsen|degrade)", words, re.I):
        return "Compared with the other version, is the text better, worse, or is there no difference?"
    return "Ask first whether it is so, on a scale with both ends worded; ask for reasons after that, whatever the answer."


def _unfailing(rest: str) -> str:
    return re.sub(r"\b(?:misrepresents?|distorts?)\b", "represent", rest)


def _positive(word: str, book: Book) -> str:
    """“natural or unnatural” for either of the two."""
    word = word.casefold()
    other = book.opposites.get(word)
    if other is None:
        return word
    good, bad = (word, other) if re.fullmatch(book.words["posadj"], word) else (other, word)
    return f"{good} or {bad}"


def _unloaded(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    if re.fullmatch(book.words["emotive"], words, re.I):
        bare = re.sub(
            rf"(?<=\w )(?:{re.escape(words)})[, ]+(?:and )?(?=[^\W\d])", "", _whole(read), count=1, flags=re.I
        )
        return bare if bare != _whole(read) else f"Say it without “{words}”, in words that do not judge."
    stripped = re.sub(
        rf"\b(?:(?:{book.words['loadedadv']}|very|truly|really)[ -])?(?:{book.words['loaded']}|{book.words['negadj']}|(?:{book.words['loadedadv']}|well|badly)[ -]\w+)\s+(?=[\w-]+)",
        "",
        words,
        count=1,
        flags=re.I,
    )
    if stripped == words or words.casefold().startswith("how "):
        return _two_sided(words, sentence, read, book)
    return _whole(read).replace(words, stripped, 1)


def _two_sided(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“How unnatural is it?” → “How natural or unnatural is it?”"""
    for bad, good in book.opposites.items():
        if re.fullmatch(book.words["negadj"], bad) and re.search(
            rf"\b{re.escape(bad)}\b", sentence.text, re.I
        ):
            return re.sub(rf"\b{re.escape(bad)}\b", f"{good} or {bad}", sentence.text, count=1, flags=re.I)
    found = re.search(r"\bhow [\w-]+(?: [\w-]+)? (is|are|was|were|does|do|did) (.*)$", sentence.text, re.I)
    if found:
        how = (
            "How good or bad" if found[1].casefold() in ("is", "are", "was", "were") else "How well or badly"
        )
        return f"{how} {found[1]} {found[2]}"
    found = re.search(r"(?P<it>(?:the|this) [\w-]+) lacks? (?P<what>[\w-]+)", sentence.text, re.I)
    if found:
        return f"How would you rate the {found['what']} of {found['it']}?"
    return "Ask with both ends of the scale in the question, for example “How good or bad is the text?”"


def _unled(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“Don’t you agree that the summary is clear?” → “How clear is the summary?”"""
    found = re.search(
        r"(?P<it>(?:the|this|that(?! the| this)) (?:[\w-]+ ){0,2}?[\w-]+) (?:is|was|are|were|reads|sounds|seems|feels) (?:\w+ly )?(?P<how>(?:well|easy to) [\w-]+|[\w-]+?)(?=[,.?!]|$)",
        sentence.text,
        re.I,
    )
    if compared := _which(sentence.text, book):
        return compared
    if found and found["how"].casefold() != "it":
        return f"How {_positive(found['how'], book)} is {found['it'][0].lower()}{found['it'][1:]}?"
    rest = re.sub(re.escape(words) + r"[, ]*(?:that )?", "", sentence.text, count=1, flags=re.I).strip(" ,")
    if len(rest.split()) >= 4 and not rest.endswith("?") and rest != sentence.text:
        return f"Leave out “{words}”, and ask what judges think instead of telling them."
    others = [one.text for one in read if one is not sentence]
    if others:
        return " ".join(others)
    return "Ask openly, for example “How … is the text?” or “Do you agree or disagree that …?”"


def _which(text: str, book: Book) -> str:
    """“Don’t you find that A reads more naturally?” → “Which of the two texts reads more naturally, …?”"""
    if re.search(r"\bprefer\b", text, re.I):
        return "Which of the two texts do you prefer, or neither?"
    found = re.search(
        rf"\b(?P<verb>is|are|was|were|reads?|sounds?|seems?|feels?|looks?) (?:\w+ly )?(?P<how>{book.words['comp']}|more \w+ly|better|worse)\b",
        text,
        re.I,
    )
    if not found:
        return (
            "Which of the two texts is better, or is there no difference?"
            if re.search(r"\b(?:better|worse)\b", text, re.I)
            else ""
        )
    one = {"are": "is", "was": "is", "were": "is", "read": "reads", "sound": "sounds", "seem": "seems"}
    verb = one.get(found["verb"].casefold(), found["verb"].casefold())
    return f"Which of the two texts {verb} {found['how'].casefold()}, or is there no difference?"


def _unnegated(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    text = sentence.text
    if re.search(r"\b(?:disagree|deny|untrue)\b", text, re.I):
        return "State it without a negation, and ask how far judges agree or disagree."
    found = re.search(r"\bnot (?:very )?([\w-]+)", text, re.I)
    if found and re.fullmatch(rf"un{book.words['posadj']}", found[1], re.I):
        return text.replace(found[0], found[1][2:], 1)
    if (
        found
        and found[1].casefold() in book.opposites
        and re.fullmatch(book.words["negadj"] + "|difficult", found[1], re.I)
    ):
        return text.replace(found[0], book.opposites[found[1].casefold()], 1)
    plainer = re.sub(r"^(\w+)n’t\b", lambda hit: hit[1].replace("Ca", "Can").replace("Wo", "Will"), text)
    plainer = re.sub(
        r"\b(is|are|was|were|does|do|did|would|can|could)(?:n’t| not)\b", r"\1", plainer, count=1
    )
    plainer = re.sub(r"\s(?:not|never)\b", "", plainer, count=1) if plainer == text else plainer
    plainer = re.sub(r"\bno (?=\w+)", "any ", plainer, count=1) if plainer == text else plainer
    return plainer if plainer != text else "State it without the negation and turn the answers round."


def _anonymous(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    if not sentence.asks:
        rest = [one.text for one in read if one is not sentence]
        if any("?" in one for one in rest):
            return " ".join(rest)
        return "Name the texts only by neutral letters in random order (“text A”, “text B”), and say nothing about who made them."
    shorter = re.sub(
        rf"\s*,?\s*(?:(?:that (?:was|were) )?(?:written|produced|generated|created|composed|made|given) )?(?:by|from|of|with|using) (?:the |our |an? )?(?:[\w-]+ )?{re.escape(words.removeprefix('by '))}",
        "",
        sentence.text,
        count=1,
        flags=re.I,
    )
    if shorter == sentence.text:
        thing = re.search(rf"{book.words['machine']}$", words, re.I)
        lead = "the " if re.match(r"(?:our|my|the|this|an?)\b", words, re.I) else ""
        shorter = sentence.text.replace(words, lead + thing[0] if thing else lead + "text" if lead else "", 1)
        shorter = " ".join(shorter.split())
    return shorter[:1].upper() + shorter[1:]


def _dropped(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """The wording without the sentence; where that sentence is what is asked, without the words that hint."""
    rest = [one.text for one in read if one is not sentence]
    asks = sentence.mood in ("question", "instruction")
    if any("?" in one for one in rest) or (rest and not asks):
        return " ".join(rest)
    asked = re.search(rf"[;:,–—] (?:so |and |but )?(?P<rest>{_ASKS}\b.*)$", sentence.text, re.I)
    if asked and words in sentence.text[: asked.start()]:
        return asked["rest"][0].upper() + asked["rest"][1:]
    bare = re.sub(_HINTS, "", re.sub(r"^(?:our|my)\b", "the", words, flags=re.I), flags=re.I)
    if (
        bare != words
        and asks
        and not re.search(r"n’t\b|\b(?:clearly|surely|obviously)\b", sentence.text, re.I)
    ):
        return _whole(read).replace(words, bare, 1)
    return f"Ask the same without “{words}”." if asks else "Leave this sentence out."


def _fatigue(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    return "Ask each judge for at most about fifty texts a session, with breaks."


def _whole(read: Sequence[Sentence]) -> str:
    return " ".join(one.text for one in read)


def split(sentence: Sentence, words: str) -> str:
    """“How fluent and informative is it?” → two questions."""
    found = re.match(
        r"(?P<lead>.*?\bhow )(?P<one>[\w’-]+(?:, [\w’-]+)*),? (?:and|as well as|but also) (?:how )?(?P<other>[\w’-]+)(?P<rest> .*)$",
        sentence.text,
        re.I,
    )
    if found:
        each = [*found["one"].split(", "), found["other"]]
        return " ".join(f"({n}) {found['lead']}{word}{found['rest']}" for n, word in enumerate(each, 1))
    found = re.match(
        r"(?P<lead>(?:is|are|was|were) (?:the |this )?[\w-]+(?: [\w-]+)?) (?P<one>[\w’-]+),? (?:and|as well as) (?:is it )?(?P<other>[^?]+)\?",
        sentence.text,
        re.I,
    )
    if found:
        return f"(1) {found['lead']} {found['one']}? (2) {found['lead']} {found['other']}?"
    found = re.match(
        r"(?P<lead>.*?\b(?:rate|judge|score|assess|evaluate) )(?:the )?(?P<one>[\w -]+?),? (?:and|as well as) (?:the )?(?P<other>[\w -]+?)(?P<rest> (?:of|in) .*)$",
        sentence.text,
        re.I,
    )
    if found:
        return f"(1) {found['lead']}the {found['one']}{found['rest']} (2) {found['lead']}the {found['other']}{found['rest']}"
    return f"Two questions, each with its own answer, in place of “{words}”."


def balanced_labels(points: Sequence[Label]) -> str:
    """Labels with as many points on both sides."""
    number = min(max(len(points), 2), 7)
    return f"As many points for blame as for praise, in equal steps: {_BALANCED[number]}"


def labelled(text: str, scale: str, book: Book) -> str:
    """The question with words for the ends of its scale."""
    numbers = re.findall(r"\d+", scale)
    low, high = (numbers[0], numbers[-1]) if len(numbers) > 1 else ("1", numbers[0] if numbers else "5")
    found = re.search(rf"\b{book.words['posadj']}\b", text, re.I)
    how = found[0].casefold() if found else "good"
    ends = ("very bad", "very good") if how == "good" else (f"not at all {how}", f"completely {how}")
    return f"{text.rstrip('.')} ({low} = {ends[0]}, {high} = {ends[1]})"


_MAKERS: dict[str, Callable[[str, Sentence, Sequence[Sentence], Book], str]] = {
    "comparison": _comparison,
    "presupposition": _presupposition,
    "unloaded": _unloaded,
    "two-sided": _two_sided,
    "unled": _unled,
    "unnegated": _unnegated,
    "anonymous": _anonymous,
    "dropped": _dropped,
    "fatigue": _fatigue,
}
