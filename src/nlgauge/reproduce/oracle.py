"""The oracle: how good a story is by the rules of the generated corpus. It is not people, and stands for them.

Each sentence is parsed by the patterns. It is worth 1 where it is specific and in keeping with the prompt and with what
was said before, 0.4 where it is generic, 0.25 where it is well-formed but out of keeping (another name, gender, object,
place; means that do not fit the problem, or others than before; a step of the story told too late), 0.1 where it
repeats what was said, and 0 where it is no sentence. A story is worth the mean, less 0.15 without a proper end (its
last sentence tells the outcome, and no other does) and less 0.15 where it has fewer than three or more than six
sentences. The score is 1 + 4 times that, from 1 to 5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from nlgauge.errors import InputError
from nlgauge.reproduce.lexicon import (
    GENERIC,
    HELPERS,
    JOBS,
    MEN,
    OPENERS,
    PATTERNS,
    PLACES,
    PROBLEMS,
    PROMPTS,
    WOMEN,
    WORDS,
    Problem,
    Role,
)
from nlgauge.reproduce.stories import ORDER, Facts

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
