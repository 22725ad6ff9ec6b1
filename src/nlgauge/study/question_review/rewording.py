"""Neutral rewordings made from the question itself where its form is known for certain; else none.

A maker gives the mended wording, or nothing: it fills the frames of a few questions whose parts it knows (an adjective of the
word lists, “the summary”), leaves whole sentences out, or takes out words that English can do without. What it makes is
printed only if it reads as sentences (`is_sound`) and the review finds nothing in it (`wording.py`); otherwise the advice
for its kind of finding is, which the rule file holds.
"""

# ruff: noqa: E501 - patterns and sentences read better in one piece

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nlgauge.study.question_review.book import Book, Rule
from nlgauge.study.question_review.reading import Sentence
from nlgauge.study.question_review.scales import Label

_ASKS = r"(?:how|what|which|do|does|did|is|are|was|were|would|can|could|please|rate|judge|choose|select|give|tell)"
_HINTS = r"\b(?:(?:much|newly|highly) )?(?:state-of-the-art|cutting-edge|award-winning|improved|advanced|novel|new|latest|superior|powerful|better) "
_BE = r"(?:is|are|was|were)"
_BALANCED = {
    2: "bad / good",
    3: "bad / neither good nor bad / good",
    4: "very bad / bad / good / very good",
    5: "very bad / bad / neither good nor bad / good / very good",
    6: "very bad / bad / rather bad / rather good / good / very good",
    7: "very bad / bad / rather bad / neither good nor bad / rather good / good / very good",
}
# what no sentence has: words that need another after them, doubled or stranded signs, a word twice, “an” before a consonant
_BROKEN = (
    re.compile(r"\b(?:[Tt]he|an?|our|my|your|of|by|with|from|and|or|both|very|than)\s*[,.;:?!)”]"),
    re.compile(r"[,;:(]\s*[,;:.?!)]|\(\s|\s[,.;?!)]|\s’|\(-"),
    re.compile(r"\b(\w+) \1\b|\bthe one\s*[,.?]", re.I),
    re.compile(r"\ban (?![aeiou8“\"‘(]|hour|honest|heir|[FHLMNRSX][A-Z]?\b)|\ba (?=[aeio]\w)(?!one|eu)"),
    re.compile(r"\b[Tt](?:he|his|hat) (?:the|this|that|an?|is|are|was|were|and|or|of|by)\b"),
)
# what speaks of a sentence that is no longer there
_DANGLING = re.compile(
    r"\b(?:as well|the same|that so|do so|likewise|instead|this view|that view|agree with (?:them|him|her|it|this|that)|share (?:it|this|that)|"
    r"these (?:two )?(?:reasons|points)|(?:this|that) (?:holds|is|was|applies)|each one|this one|in that|(?:consider|mind|remember) (?:this|that|it)|such|therefore|however|otherwise|still|now)\b|^(?:and|but|so|then|or)\b",
    re.I,
)
_PRONOUN = re.compile(r"\b(?:it|they|them|its|their|he|she|him|her|his|one)\b", re.I)
_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|can|could|would|should|will|fits?|reads?|sounds?|makes?|[a-z]{3,}s (?=the|more|better))\b",
    re.I,
)
_MONEY = re.compile(
    r"\b(?:pay(?:s|ment|ments)?|paid|bonus|rewards?|rewarded|cents?|dollars?|euros?|pence|earn|vouchers?|coupons?|lottery|fee|credits?)\b|[$€£]",
    re.I,
)
_SEEKS = re.compile(r"(?:please )?(?:highlight|mark|underline|find|circle|tick|click|count|list|name)\b", re.I)
_IMPERATIVE = re.compile(
    r"(?:^|[.!:,;] |\b(?:please|then|and) )(?:rate|judge|score|give|choose|select|assign|mark|indicate|enter|move|assess|evaluate|use|pick)\b",
    re.I,
)
_THING = re.compile(r"\b(?:the|this|that|each|every|these|those|both|all|an?|two|three) [^\W\d]", re.I)

Maker = Callable[[str, Sentence, Sequence[Sentence], Book], str]


def reword(rule: Rule, words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """The wording mended in the respect of a rule, or nothing: by a function, or by the rule's own sentence in its place."""
    if rule.rewording.startswith("="):
        return _MAKERS[rule.rewording[1:]](words, sentence, read, book)
    return _in_place(rule.rewording, sentence, read) if rule.rewording else ""


def without(sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """For a sentence that steers in a way no rule names: the wording without it, unless it is what is asked."""
    return "" if sentence.mood in ("question", "instruction", "claim") else _rest(sentence, read, book)


def is_sound(text: str) -> bool:
    """Whether a wording that was made reads as sentences: whole, with their ends, and nothing left over."""
    opened = [text.count(sign) for sign in "(“[«"]
    closed = [text.count(sign) for sign in ")”]»"]
    return (
        opened == closed
        and text == " ".join(text.split())
        and bool(re.match(r"[A-Z0-9“\"(‘]", text))
        and not any(pattern.search(text) for pattern in _BROKEN)
    )


def _in_place(wording: str, sentence: Sentence, read: Sequence[Sentence]) -> str:
    """The other sentences with one that stands in place of this one; a question stands alone, for its answers are others."""
    if sentence.asks or wording.endswith("?"):
        return wording
    if not all(map(_is_whole, (other for other in read if other.asks))):
        return ""
    return " ".join(dict.fromkeys(wording if other is sentence else other.text for other in read))


def _is_whole(sentence: Sentence) -> bool:
    """Whether it has a verb of its own, as far as one can tell."""
    return sentence.mood in ("instruction", "answers") or bool(_VERB.search(sentence.masked))


def _rest(sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """The other sentences, if they ask for something and make sense by themselves."""
    rest = [other for other in read if other is not sentence]
    asked = [other for other in rest if other.mood in ("question", "instruction", "claim")]
    if not asked or not all(map(_is_whole, asked)):
        return ""
    if any(_DANGLING.search(other.text) for other in rest if other.mood != "answers"):
        return ""
    text = " ".join(other.text for other in rest)
    pronoun, thing = _PRONOUN.search(text), _THING.search(text)
    if pronoun and (thing is None or thing.start() > pronoun.start()):
        named = set(
            re.findall(
                rf"\b(?:the|this) (?:[a-z-]+ )?{book.words['output']}\b(?! (?:(?-i:[A-Z])\b|\d))",
                sentence.text,
                re.I,
            )
        )
        alone = pronoun[0].casefold() == "it" and not re.search(r"\bit (?:to|that)\b", text)
        if len(named) != 1 or not alone or len(_PRONOUN.findall(text)) > 1:
            return ""
        return _PRONOUN.sub(_lowered(named.pop()), text, count=1)
    return text if thing or re.search(r"\bwhich\b", text, re.I) else ""


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _is_adjective(word: str, book: Book) -> bool:
    word = word.casefold()
    return word in book.opposites or bool(re.fullmatch(f"{book.words['posadj']}|{book.words['negadj']}", word, re.I))


def _both_ends(adjective: str, book: Book) -> str:
    """“natural or unnatural” for either of the two; nothing for an adjective without an opposite in the lists."""
    word = adjective.casefold()
    other = book.opposites.get(word)
    if other is None:
        return word if re.fullmatch(book.words["posadj"], word, re.I) else ""
    good, bad = (word, other) if re.fullmatch(book.words["posadj"], word, re.I) else (other, word)
    return f"{good} or {bad}"


def _thing(text: str, book: Book) -> str:
    """“the second summary”, “text A” or “this reply” as they stand; nothing for what is no name of an output."""
    named = rf"(?:(?:the|this|that|each) (?:[a-z-]+ )?{book.words['output']}|(?:the )?{book.words['output']} (?:[A-Z]|\d)|[A-Z]|the (?:first|second|left|right)(?:-hand)?(?: one)?)"
    found = text.strip(" ,.;:?!")
    if not re.fullmatch(named, found, re.I) or re.search(
        rf"\b{book.words['loaded']}\b|\b{book.words['emotive']}\b", found, re.I
    ):
        return ""
    return found if re.match(r"[A-Z]\b", found) else _lowered(found)


def _comparison(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“How much more fluent is A than B?” → “Which of the two is more fluent: A, B, or is there no difference?”"""
    text = sentence.text.partition("?")[0].rstrip(".! ")
    found = re.search(rf"\b(?P<how>{book.words['comp']})\b(?P<to> to (?:read|understand|follow))?", text, re.I)
    how = re.sub(r"^less ", "more ", found["how"].casefold()) if found else ""
    if not found or not (
        re.fullmatch(book.words["comparative"], how, re.I) or (how.startswith("more ") and _is_adjective(how[5:], book))
    ):
        return "How do the two texts compare: is the first better, the second, or is there no difference?"
    if found["how"].casefold() in ("worse", "inferior", "weaker", "poorer", "superior"):
        how = "better"
    if re.fullmatch(book.words["negadj"], how.removeprefix("more "), re.I):
        opposite = book.opposites.get(how.removeprefix("more "))
        how = f"more {opposite}" if opposite else "better"
    how += found["to"] or ""
    first, other = _compared(text[: found.start()], text[found.end() :], book)
    if not first or not other:
        return f"Which of the two texts is {how}, or is there no difference?"
    shared = [
        word
        for word in first.casefold().split()
        if word in other.casefold().split() and re.fullmatch(book.words["output"], word, re.I)
    ]
    return f"Which {shared[0] if shared else 'of the two'} is {how}: {first}, {other}, or is there no difference?"


def _compared(before: str, after: str, book: Book) -> tuple[str, str]:
    """The two things of “… more fluent is A than B” and “is A more fluent than B”; else nothing."""
    than = r"(?:than|versus|vs\.?|compared (?:to|with))"
    found = re.match(rf" {_BE} (?P<first>.+?) {than} (?P<other>.+)$", after, re.I)
    if found:
        return _thing(found["first"], book), _thing(found["other"], book)
    first, other = re.match(rf"{_BE} (.+?) $", before, re.I), re.match(rf" {than} (.+)$", after, re.I)
    return (_thing(first[1], book), _thing(other[1], book)) if first and other else ("", "")


def _presupposition(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    found = re.match(rf"(?:why {_BE}|what makes) (?P<it>.+?) (?:so |such )?(?P<how>[\w-]+)\W*$", sentence.text, re.I)
    if found and (it := _thing(found["it"], book)) and (how := _both_ends(found["how"], book)):
        return f"How {how} is {it}?"
    if re.search(r"\b(?:improve|enhance|worsen|degrade)", words, re.I):
        return "Compared with the other version, is the text better, worse, or is there no difference?"
    return ""


def _unloaded(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """The wording without an adjective that judges, before the name of an output: “the clumsy sentence” → “the sentence”."""
    judged = rf"(?:{book.words['loaded']}|{book.words['negadj']}|{book.words['emotive']}|(?:{book.words['loadedadv']}|well|badly)[ -]\w+)"
    found = re.search(
        rf"\b(?P<lead>the|this|that|these|those|its|each|every|our|my) (?:(?:{book.words['loadedadv']}|very|truly|really)[ -])?(?P<how>{judged}) (?P<it>(?:[a-z]+ )?{book.words['output']})\b",
        sentence.text,
        re.I,
    )
    if found and found["how"].casefold() in words.casefold() and not _SEEKS.match(sentence.text):
        bare = f"{sentence.text[: found.start()]}{found['lead']} {found['it']}{sentence.text[found.end() :]}"
        return " ".join(bare if other is sentence else other.text for other in read)
    return _two_sided(words, sentence, read, book)


def _two_sided(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“How unnatural is it?” → “How natural or unnatural is it?”"""
    found = re.match(
        rf"(?P<lead>(?:.*[,;:] )?how )(?P<how>[\w-]+)(?P<rest> (?:{_BE}|do(?:es)?|did|sounds?|seems?|would you say)\b.*)$",
        sentence.text,
        re.I,
    )
    if found and re.fullmatch(book.words["negadj"], found["how"], re.I) and (how := _both_ends(found["how"], book)):
        return f"{found['lead']}{how}{found['rest'].partition('?')[0]}?"
    found = re.match(
        rf"(?P<it>(?:the|this) {book.words['output']}) lacks? (?P<what>coherence|fluency|clarity|cohesion|variety|detail|structure|logic|accuracy|relevance)\b",
        sentence.text,
        re.I,
    )
    return f"How would you rate the {found['what']} of {_lowered(found['it'])}?" if found else ""


def _unled(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """“Don’t you agree that the summary is clear?” → “How clear or confusing is the summary?”"""
    if re.search(r"\bprefer\b", sentence.text, re.I):
        return "Which of the two texts do you prefer, or neither?"
    if re.search(rf"\b{book.words['comp']}\b", sentence.text, re.I):
        return _comparison(words, sentence, read, book)
    found = re.search(
        rf"\b(?P<it>(?:the|this|that) (?!the |this )(?:[a-z-]+ )?{book.words['output']}) (?:{_BE}|reads|sounds|seems|feels) (?:\w+ly )?(?P<how>[\w-]+)(?=[,.?!]|$)",
        sentence.text,
        re.I,
    )
    if found and (it := _thing(found["it"], book)) and (how := _both_ends(found["how"], book)):
        return f"How {how} is {it}?"
    return "" if sentence.asks else _rest(sentence, read, book)


def _unnegated(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """One negation, and no other: “not unclear” → “clear”, “Isn’t the text clear?” → “Is the text clear?”"""
    text = sentence.text
    denials = re.findall(
        r"n’t\b|\b(?:not|no|never|nothing|none|nor|neither|without|disagree|deny|untrue|false|fails?|lacks?|hardly|scarcely)\b",
        text,
        re.I,
    )
    if len(denials) != 1:
        return ""
    found = re.search(rf"\b(?P<be>{_BE}) (?P<it>.*?)not (?:very )?(?P<how>[\w-]+)(?=[,.?!]|$)", text, re.I)
    if found and _is_adjective(found["how"], book):
        bad = bool(re.fullmatch(book.words["negadj"], found["how"], re.I))
        how = book.opposites.get(found["how"].casefold(), "") if bad else found["how"]
        return (
            f"{text[: found.start()]}{found['be']} {found['it']}{how}{text[found.end() :]}"
            if how and (bad or re.match(_BE, text, re.I))
            else ""
        )
    found = re.match(
        r"(?P<verb>Is|Are|Was|Were|Does|Do|Did|Would|Could|Has|Have|Should)n’t (?P<rest>(?!you\b|it\b).*)$",
        text,
    )
    return f"{found['verb']} {found['rest']}" if found else ""


def _anonymous(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    if not sentence.asks:
        return _rest(sentence, read, book)
    bare = re.escape(words.removeprefix("by "))
    shorter = re.sub(
        rf"\s*,?\s*(?:(?:that (?:was|were) )?(?:written|produced|generated|created|composed|made|given) )?(?:by|from|of|with|using) (?:the |our |an? )?(?:[\w-]+ )?{bare}(?=[,.?!;:]|\s(?:{_BE}|on|in|for|to|to you)\b|$)",
        "",
        sentence.text,
        count=1,
        flags=re.I,
    )
    if shorter == sentence.text:
        thing = re.search(rf"{book.words['machine']}$", words, re.I)
        if thing is None or not re.match(r"(?:our|my)\b", words, re.I):
            return ""
        shorter = sentence.text.replace(words, f"the {thing[0]}", 1)
        shorter = shorter[:1].upper() + shorter[1:]
    return " ".join(shorter if other is sentence else other.text for other in read)


def _paid(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    if sentence.asks or not _MONEY.search(sentence.text):
        return ""
    return _in_place("You are paid the same whatever you answer.", sentence, read)


def _dropped(words: str, sentence: Sentence, read: Sequence[Sentence], book: Book) -> str:
    """The wording without the sentence; where that sentence is what is asked, without the words that hint."""
    if rest := _rest(sentence, read, book):
        return rest
    asked = re.search(rf"[;:] (?:so |and |but )?(?P<rest>{_ASKS}\b.*)$", sentence.text, re.I)
    if (
        asked
        and words in sentence.text[: asked.start()]
        and not _PRONOUN.search(asked["rest"])
        and not _DANGLING.search(asked["rest"])
    ):
        return asked["rest"][0].upper() + asked["rest"][1:]
    bare = re.sub(_HINTS, "", re.sub(r"^(?:our|my)\b", "the", words, flags=re.I), flags=re.I)
    if bare != words and sentence.mood in ("question", "instruction"):
        return " ".join(other.text.replace(words, bare, 1) for other in read)
    return ""


def split(sentence: Sentence, words: str, book: Book) -> str:
    """“How fluent and informative is it?” → two questions; only of adjectives that the lists know, or nouns of quality."""
    found = re.match(
        r"(?P<lead>how )(?P<one>[\w’-]+(?:, [\w’-]+)*),? (?:and|as well as|but also) (?:how )?(?P<other>[\w’-]+)(?P<rest> (?:is|are|was|were|do|does|did)\b.*)$",
        sentence.text,
        re.I,
    )
    if found:
        each = [*found["one"].split(", "), found["other"]]
        if all(_is_adjective(word, book) for word in each):
            return " ".join(f"({n}) {found['lead']}{word}{found['rest']}" for n, word in enumerate(each, 1))
        return ""
    found = re.match(
        rf"(?P<lead>{_BE} (?:the|this|that) (?:[a-z-]+ )?{book.words['output']}) (?P<one>[\w’-]+),? (?:and|as well as) (?P<other>[\w’-]+)(?P<rest>(?: (?:to|for|in) [^?,]+)?)\?",
        sentence.text,
        re.I,
    )
    if found and _is_adjective(found["one"], book) and _is_adjective(found["other"], book):
        return f"(1) {found['lead']} {found['one']}? (2) {found['lead']} {found['other']}{found['rest']}?"
    found = re.match(
        r"(?P<lead>(?:please )?(?:rate|judge|score|assess|evaluate) )the (?P<one>[a-z]+(?:ness|ity|cy|ence|ance|quality|style|grammar|tone|content|structure)),? (?:and|as well as) (?:the )?(?P<other>[a-z]+(?:ness|ity|cy|ence|ance|quality|style|grammar|tone|content|structure))(?P<rest> (?:of|in) .*)$",
        sentence.text,
        re.I,
    )
    if found:
        return f"(1) {found['lead']}the {found['one']}{found['rest']} (2) {found['lead']}the {found['other']}{found['rest']}"
    return ""


def balanced_labels(points: Sequence[Label]) -> str:
    """Advice: labels with as many points on both sides."""
    number = min(max(len(points), 2), 7)
    return f"Give as many points for blame as for praise, in equal steps: {_BALANCED[number]}."


def labelled(text: str, scale: str, book: Book) -> str:
    """The question with words for the ends of its scale."""
    numbers = re.findall(r"\d+", scale)
    short = 4 <= len(re.findall(r"[^\W\d]{2,}", text)) <= 25 and "(scale" not in text
    if len(numbers) < 2 or not short or not (text.endswith("?") or _IMPERATIVE.search(text)):
        return ""
    found = re.search(rf"\bhow (?P<it>{book.words['posadj']})\b", text, re.I)
    noun = re.search(r"\b(?:\w{3,}(?:ness|ity|cy|ence|ance)|humou?r|suspense|style|tone)\b", text, re.I)
    if found and found["it"].casefold() != "good":
        ends = (f"not at all {found['it'].casefold()}", f"completely {found['it'].casefold()}")
    else:
        ends = ("very low", "very high") if noun else ("very bad", "very good")
    meaning = f"({numbers[0]} = {ends[0]}, {numbers[-1]} = {ends[1]})"
    bare = re.search(rf"\({numbers[0]}\s*(?:[-–—]|to)\s*{numbers[-1]}\)", text)
    if bare:
        return text.replace(bare[0], meaning, 1)
    return f"{text} {meaning}" if text.endswith("?") else f"{text.rstrip('.')} {meaning}."


_MAKERS: dict[str, Maker] = {
    "comparison": _comparison,
    "presupposition": _presupposition,
    "unloaded": _unloaded,
    "two-sided": _two_sided,
    "unled": _unled,
    "unnegated": _unnegated,
    "anonymous": _anonymous,
    "dropped": _dropped,
    "paid": _paid,
}
