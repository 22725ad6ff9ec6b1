"""Prompts and stories by rule: what people wrote, as far as the reproduction goes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from nlgauge.generators.training import Example
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
