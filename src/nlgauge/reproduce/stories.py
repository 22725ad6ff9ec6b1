"""Prompts and stories by rule: what people wrote, as far as the reproduction goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Literal

from nlgauge.errors import InputError
from nlgauge.generators.training import Example

# The words and sentence patterns of the generated stories.
#
# What the corpus shares with open-ended text, and why (written before any evaluator ran on it):
#
# * A prompt has thousands of good continuations: each sentence begins with one of 28 words, has one of several
#   patterns, and free words in them. Two good stories for one prompt share little but its own words.
# * One sentence in three is generic, out of four. Each of these is likelier than any single specific sentence, so that
#   likely texts are dull, and dull texts share n-grams with references.
# * What makes a story good is seen across sentences and beside the prompt (who, what, where, by which means, in which
#   order), not in any n-gram.
#
# Every slot of a pattern is one word, so that a sentence is parsed by comparing it word by word with patterns of its
# length.


Role = Literal["scene", "try", "find", "use", "end", "generic"]

WOMEN = (
    *("anna", "berta", "clara", "dora", "emma", "frida", "greta", "hanna", "ida", "julia"),
    *("karin", "lena", "mina", "nora", "olga", "paula", "rosa", "sara", "tilda", "vera"),
)
MEN = (
    *("adam", "bruno", "carl", "david", "emil", "felix", "georg", "henry", "igor", "jakob"),
    *("kurt", "leo", "max", "nils", "oskar", "peter", "robert", "simon", "tom", "victor"),
)
JOBS = ("baker", "sailor", "teacher", "painter", "farmer", "doctor", "singer", "writer", "guard", "cook")
PLACES = (
    *("harbour", "station", "market", "farm", "mill", "school", "bakery", "church", "museum", "castle"),
    *("library", "theatre", "bridge", "lake", "tower", "hotel", "garden", "factory", "port", "camp"),
)
HELPERS = (
    *("neighbour", "stranger", "soldier", "fisherman", "nurse", "student", "waiter", "tailor", "shepherd"),
    *("carpenter", "postman", "gardener", "miner", "pilot", "clerk", "priest"),
)
OPENERS = (
    *("slowly", "quietly", "yesterday", "later", "suddenly", "soon", "then", "meanwhile", "afterwards"),
    *("outside", "today", "again", "finally", "first", "next", "now", "once", "still", "early", "eagerly"),
    *("calmly", "bravely", "tonight", "somehow", "indeed", "luckily", "sadly", "gently"),
)
WORDS = {
    "adjective": (
        *("old", "young", "kind", "tired", "cheerful", "tall", "silent", "busy", "clever", "shy", "proud"),
        *("friendly", "lonely", "careful"),
    ),
    "trial": ("shook", "pushed", "kicked", "pulled", "turned", "studied", "touched", "watched", "lifted"),
    "span": ("minute", "hour", "moment", "morning", "week", "while"),
    "feeling": ("worried", "angry", "hopeful", "nervous", "helpless", "curious", "afraid", "restless"),
    "relative": ("mother", "father", "sister", "brother", "uncle", "aunt", "daughter", "son"),
    "weather": ("sky", "wind", "rain", "fog", "snow", "sun", "storm", "moon"),
    "look": ("grey", "cold", "heavy", "pale", "bright", "wild", "soft", "dark"),
    "spot": ("bench", "barrel", "door", "wall", "tree", "cart", "fence", "ladder", "stove", "curtain"),
    "manner": ("care", "patience", "courage", "skill", "luck", "force", "joy", "love"),
    "reaction": ("laughed", "danced", "cried", "sang", "smiled", "slept", "cheered", "whistled"),
    "treat": ("tea", "soup", "cake", "bread", "coffee", "cheese", "wine", "honey"),
}


@dataclass(frozen=True)
class Problem:
    """What is wrong with an object, what it is wrong with, what helps, and how one says that it is well again."""

    verb: str
    objects: tuple[str, ...]
    means: tuple[str, ...]
    solved: tuple[str, ...]


PROBLEMS = tuple(
    Problem(verb, *(tuple(words.split()) for words in lists))
    for verb, *lists in (
        ("open", "box gate safe chest drawer trunk locker", "key crowbar hairpin chisel drill", "open unlocked"),
        ("mend", "chair boat violin kite vase clock doll", "hammer clamp glue nail screw", "whole repaired"),
        ("clean", "carpet window statue oven coat mirror floor", "sponge brush broom cloth mop", "spotless shining"),
        ("move", "piano rock statuette log anvil wardrobe barricade", "rope lever horse tractor winch", "away moved"),
        ("see", "path cave well cellar attic tunnel stairs", "lamp candle torch lantern match", "lit visible"),
        ("reach", "nest shelf balloon flag apple roof bell", "stool pole crane stepladder net", "near reached"),
        (
            "read",
            "letter map diary sign book poster recipe",
            "dictionary magnifier translator lens primer",
            "clear understood",
        ),
        ("feed", "dog cat parrot goat rabbit donkey duck", "bone fish seed carrot biscuit", "full fed"),
    )
)

# In a pattern: WHO is the name or pronoun, OBJECT, PLACE, MEANS and SOLVED those of the prompt's problem, HELPER
# whoever helps, HIS the possessive; what is in brackets is a free word of that kind. An opener goes before.
PATTERNS: tuple[tuple[Role, str], ...] = (
    ("scene", "the (weather) over the PLACE turned (look)"),
    ("scene", "WHO felt (feeling) without HIS (relative)"),
    ("scene", "a (look) (weather) came down"),
    ("scene", "HIS (relative) sent WHOM some (treat)"),
    ("scene", "WHO missed (treat) and (treat)"),
    ("scene", "(weather) and (weather) kept WHOM awake"),
    ("scene", "no (relative) of WHOM was (feeling)"),
    ("scene", "PLACE and (spot) looked (look) to WHOM"),
    ("try", "WHO (trial) the OBJECT for a (span)"),
    ("try", "WHO (trial) and (trial) in vain"),
    ("try", "this OBJECT made WHOM (feeling)"),
    ("try", "WHO stood there like a (adjective) child"),
    ("try", "(manner) alone did nothing to that OBJECT"),
    ("try", "one (span) was not enough for WHOM"),
    ("try", "WHO tried (manner) but stayed (feeling)"),
    ("try", "neither (manner) nor (manner) helped WHOM"),
    ("find", "WHO found a MEANS behind some (spot)"),
    ("find", "WHO asked one (adjective) HELPER for a MEANS"),
    ("find", "a HELPER offered WHOM this MEANS"),
    ("find", "under a (spot) lay some HELPER 's MEANS"),
    ("find", "HIS (relative) had left a MEANS near that (spot)"),
    ("find", "WHO bought a MEANS from two (adjective) people"),
    ("find", "WHO swapped (treat) for a HELPER 's MEANS"),
    ("find", "every HELPER told WHOM to take a MEANS"),
    ("use", "WHO used the MEANS with (manner)"),
    ("use", "with that MEANS and some (manner) WHO began"),
    ("use", "this MEANS suited such a (adjective) OBJECT"),
    ("use", "WHO held HIS MEANS in one hand"),
    ("use", "HIS new MEANS worked within a (span)"),
    ("use", "(manner) guided WHOM and HIS MEANS"),
    ("use", "WHO took MEANS and (treat) along"),
    ("use", "every (span) WHO tried HIS MEANS on it"),
    ("end", "the OBJECT was SOLVED and WHO (reaction)"),
    ("end", "WHO left PLACE and OBJECT because all was SOLVED"),
    ("end", "they had (treat) beside a SOLVED OBJECT"),
    ("end", "WHO told HIS (relative) how it became SOLVED"),
    ("end", "SOLVED at last it made WHOM (feeling) no more"),
    ("end", "HIS OBJECT being SOLVED WHO (reaction) and (reaction)"),
    ("end", "everybody at PLACE (reaction) since it looked SOLVED"),
    ("end", "a (adjective) HELPER (reaction) when it got SOLVED"),
)
GENERIC = (
    ("nobody really knew what to say about it", 0.4),
    ("it was hard to tell what that meant", 0.3),
    ("things went on as they usually do", 0.2),
    ("people say that such is life", 0.1),
)
PROMPTS = (
    "WHO the JOB could not VERB the OBJECT at the PLACE",
    "at the PLACE there was something that WHO the JOB failed to VERB namely the OBJECT",
    "a story about WHO the JOB who wanted to VERB the OBJECT near the PLACE",
)


GENERIC_SHARE = 1 / 3
ORDER: tuple[Role, ...] = ("try", "find", "use", "end")
_BEGINNINGS: tuple[tuple[Role, ...], ...] = (("scene",), ("try",), ("scene", "try"))
_BY_ROLE = {role: [text.split() for kind, text in PATTERNS if kind == role] for role, _ in PATTERNS}


@dataclass(frozen=True)
class Facts:
    """What a prompt says."""

    name: str
    place: str
    thing: str
    problem: Problem

    @property
    def woman(self) -> bool:
        return self.name in WOMEN


def stories(number: int, seed: str) -> list[Example]:
    """So many, no prompt twice."""
    random = Random(seed)
    found: dict[str, Example] = {}
    while len(found) < number:
        facts, prompt = _prompt(random)
        found.setdefault(prompt, Example(prompt, written(facts, random)))
    return list(found.values())


def _prompt(random: Random) -> tuple[Facts, str]:
    problem = random.choice(PROBLEMS)
    facts = Facts(random.choice(WOMEN + MEN), random.choice(PLACES), random.choice(problem.objects), problem)
    slots = {
        "WHO": facts.name,
        "JOB": random.choice(JOBS),
        "VERB": problem.verb,
        "OBJECT": facts.thing,
        "PLACE": facts.place,
    }
    return facts, " ".join(slots.get(word, word) for word in random.choice(PROMPTS).split())


def written(facts: Facts, random: Random) -> str:
    """A story for these facts."""
    means, helper = random.choice(facts.problem.means), random.choice(HELPERS)
    sentences: list[str] = []
    for role in (*random.choice(_BEGINNINGS), "find", "use", "end"):
        left = [(text, weight) for text, weight in GENERIC if f"{text} ." not in sentences]
        if random.random() < GENERIC_SHARE and left:
            sentence = random.choices([text for text, _ in left], [weight for _, weight in left])[0]
        else:
            slots = {
                "WHO": facts.name if random.random() < 0.4 else "she" if facts.woman else "he",
                "WHOM": "her" if facts.woman else "him",
                "HIS": "her" if facts.woman else "his",
                "OBJECT": facts.thing,
                "PLACE": facts.place,
                "MEANS": means,
                "HELPER": helper,
                "SOLVED": random.choice(facts.problem.solved),
            }
            words = [
                random.choice(WORDS[word[1:-1]]) if word.startswith("(") else slots.get(word, word)
                for word in random.choice(_BY_ROLE[role])
            ]
            sentence = " ".join([random.choice(OPENERS), *words])
        sentences.append(f"{sentence} .")
    return " ".join(sentences)


# The oracle: how good a story is by the rules of the generated corpus. It is not people, and stands for them.
#
# Each sentence is parsed by the patterns. It is worth 1 where it is specific and in keeping with the prompt and with
# what was said before, 0.4 where it is generic, 0.25 where it is well-formed but out of keeping (another name, gender,
# object, place; means that do not fit the problem, or others than before; a step of the story told too late), 0.1
# where it repeats what was said, and 0 where it is no sentence. A story is worth the mean, less 0.15 without a proper
# end (its last sentence tells the outcome, and no other does) and less 0.15 where it has fewer than three or more than
# six sentences. The score is 1 + 4 times that, from 1 to 5.


SPECIFIC, DULL, ODD, REPEATED, BROKEN = 1.0, 0.4, 0.25, 0.1, 0.0
AMISS = 0.15
FEWEST, MOST = 3, 6
_NAMES = frozenset(WOMEN + MEN)
_THINGS = {thing: problem for problem in PROBLEMS for thing in problem.objects}
_CLASSES: dict[str, frozenset[str]] = {
    "WHO": _NAMES | {"she", "he"},
    "WHOM": frozenset({"her", "him"}),
    "HIS": frozenset({"her", "his"}),
    "OBJECT": frozenset(_THINGS),
    "PLACE": frozenset(PLACES),
    "MEANS": frozenset(means for problem in PROBLEMS for means in problem.means),
    "HELPER": frozenset(HELPERS),
    "SOLVED": frozenset(solved for problem in PROBLEMS for solved in problem.solved),
    "JOB": frozenset(JOBS),
    "VERB": frozenset(problem.verb for problem in PROBLEMS),
    **{f"({name})": frozenset(words) for name, words in WORDS.items()},
}
_GENERIC = frozenset(text for text, _ in GENERIC)
_FEMALE = {"she": True, "her": True, "he": False, "him": False, "his": False}


@dataclass(frozen=True)
class Parsed:
    """A sentence: what it does in a story, and what stands in the slots of its pattern."""

    role: Role
    slots: tuple[tuple[str, str], ...] = ()


@dataclass
class _Said:
    """What was said so far."""

    sentences: set[str] = field(default_factory=set)
    patterns: set[tuple[str, ...]] = field(default_factory=set)
    means: str = ""
    rank: int = -1


@cache
def _by_length(prompts: bool) -> dict[int, list[tuple[Role, tuple[str, ...]]]]:
    found: dict[int, list[tuple[Role, tuple[str, ...]]]] = defaultdict(list)
    asked: list[tuple[Role, str]] = [("scene", text) for text in PROMPTS]
    for role, text in asked if prompts else PATTERNS:
        pattern = tuple(text.split())
        found[len(pattern)].append((role, pattern))
    return found


def _fits(word: str, slot: str) -> bool:
    return word in _CLASSES[slot] if slot in _CLASSES else word == slot


def _matched(words: Sequence[str], *, prompt: bool = False) -> Parsed | None:
    for role, pattern in _by_length(prompt).get(len(words), ()):
        if all(map(_fits, words, pattern)):
            return Parsed(
                role,
                tuple((slot, word) for slot, word in zip(pattern, words, strict=True) if slot in _CLASSES),
            )
    return None


def parsed(sentence: str) -> Parsed | None:
    """A sentence without its full stop; None where it is none."""
    if sentence in _GENERIC:
        return Parsed("generic")
    opener, *words = sentence.split() or [""]
    return _matched(words) if opener in OPENERS else None


@cache
def facts_of(prompt: str) -> Facts:
    """What a prompt says."""
    found = _matched(prompt.split(), prompt=True)
    if found is None:
        raise InputError(f"{prompt[:80]!r} is no prompt of the generated stories, which alone the oracle knows")
    slots = dict(found.slots)
    return Facts(slots["WHO"], slots["PLACE"], slots["OBJECT"], _THINGS[slots["OBJECT"]])


def score(prompt: str, text: str) -> float:
    """From 1 to 5."""
    facts = facts_of(prompt)
    *whole, rest = text.split(".")
    sentences = [" ".join(part.split()) for part in (whole if not rest.strip() else [*whole, rest])]
    if not sentences:
        return 1.0
    said = _Said()
    made = [None if place == len(whole) else parsed(part) for place, part in enumerate(sentences)]
    worth = [_worth(part, found, facts, said) for part, found in zip(sentences, made, strict=True)]
    ends = [found is not None and found.role == "end" for found in made]
    value = sum(worth) / len(worth)
    value -= AMISS * (not ends[-1] or sum(ends) != 1)
    value -= AMISS * (not FEWEST <= len(sentences) <= MOST)
    return 1.0 + 4.0 * max(0.0, value)


def _worth(sentence: str, found: Parsed | None, facts: Facts, said: _Said) -> float:
    if found is None:
        return BROKEN
    again = sentence in said.sentences
    said.sentences.add(sentence)
    if found.role == "generic":
        return REPEATED if again else DULL
    content = (found.role, *(word for slot, word in found.slots if slot not in ("WHO", "WHOM", "HIS")))
    again = again or content in said.patterns
    said.patterns.add(content)
    fits = _in_keeping(found, facts, said)
    return REPEATED if again else SPECIFIC if fits else ODD


def _in_keeping(found: Parsed, facts: Facts, said: _Said) -> bool:
    right = True
    for slot, word in found.slots:
        if slot == "WHO" and word in _NAMES:
            right &= word == facts.name
        elif slot in ("WHO", "WHOM", "HIS"):
            right &= _FEMALE[word] == facts.woman
        elif slot == "OBJECT":
            right &= word == facts.thing
        elif slot == "PLACE":
            right &= word == facts.place
        elif slot == "SOLVED":
            right &= word in facts.problem.solved
        elif slot == "MEANS":
            right &= _means_fit(word, facts.problem, said)
    if found.role in ORDER:
        rank = ORDER.index(found.role)
        right &= rank >= said.rank
        said.rank = max(said.rank, rank)
    return right


def _means_fit(word: str, problem: Problem, said: _Said) -> bool:
    fits = word in problem.means and said.means in ("", word)
    said.means = said.means or word
    return fits
