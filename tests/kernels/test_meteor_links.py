"""METEOR's greedy aligner in plain Python: by its definition, and not slow on texts without a common word."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from nlgauge.kernels.python.meteor import Links, greedy_links
from nlgauge.text import porter

WORDS = ["walk", "walks", "walking", "run", "running", "jog", "cat", "cats", "dog", "the", "a"]


class Sports:
    """A dictionary in which ways to move are synonyms."""

    def synonyms(self, word: str) -> frozenset[str]:
        moving = {"walk", "run", "jog"}
        return frozenset({word, *(moving if word in moving else ())})


def by_definition(hypothesis: list[str], reference: list[str], wordnet: Sports | None) -> Links:
    """NLTK's way: every free word of the hypothesis looks through all free words of the reference, from their ends."""
    links: Links = []
    hyp, ref = list(range(len(hypothesis))), list(range(len(reference)))
    stem = porter.extended

    def stage(number: int, fits: Callable[[str, str], bool]) -> None:
        for i in reversed(hyp.copy()):
            j = next((j for j in reversed(ref) if fits(hypothesis[i], reference[j])), None)
            if j is not None:
                links.append((i, j, number))
                hyp.remove(i)
                ref.remove(j)

    stage(0, lambda word, other: word == other)
    stage(1, lambda word, other: stem(word) == stem(other))
    if wordnet is not None:
        stage(2, lambda word, other: stem(other) in wordnet.synonyms(stem(word)))
    return sorted(links)


def test_links_are_those_of_the_definition() -> None:
    draw = random.Random(1)
    for _ in range(1000):
        hypothesis, reference = (draw.choices(WORDS, k=draw.randint(0, 9)) for _ in range(2))
        for wordnet in (None, Sports()):
            expected = by_definition(hypothesis, reference, wordnet)
            assert greedy_links(hypothesis, reference, wordnet) == expected


def test_32_000_words_without_a_common_one_take_seconds() -> None:
    begun = time.process_time()
    mine, theirs = ([f"{side}{k}" for k in range(32_000)] for side in "hr")
    assert greedy_links(mine, theirs, Sports()) == []
    assert time.process_time() - begun < 30  # every word with every other: twenty minutes
