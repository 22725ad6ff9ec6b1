"""A seeded corpus of English words for METEOR, whose last stage looks for synonyms: invented words have none.

    python benchmarks/english.py FOLDER SEGMENTS      writes hyp.txt and ref1.txt

Content words come from WordNet, as often as its authors tagged them in running text (cntlist.rev), with regular
endings; function words stand between them as often as in English prose. The sentences are no English: only the words,
their frequencies, their stems and their synonyms are. Hypotheses are perturbed as in corpus.py; of the words that are
replaced a third become a synonym, a third another form of the word, a third any word.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from corpus import perturbed, sentence
from nlgauge.lexicons.wordnet import WordNet, wordnet

LEMMAS = 10_000
FUNCTION_SHARE = 0.45  # of running text, about
FUNCTION_WORDS = """
    the of and to a in that is was it for on with as he be at by this had not but from are his have or an they which
    one you were her all she there would their we him been has when who will more no if out so said what up its about
    into than them can only other new some could time these two may then do first any my now such like
"""
ENDINGS = {
    "1": ("", "", "s"),
    "2": ("", "s", "ed", "ing"),
    "4": ("",),
}  # of nouns, verbs, adverbs; else as adverbs


def spelt(lemma: str, ending: str) -> str:
    """The lemma with a regular ending: hopes, hoping, flies, boxes."""
    if not ending:
        return lemma
    if lemma.endswith("y") and ending != "ing" and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + ("ies" if ending == "s" else "ied")
    if ending == "s":
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    return lemma.removesuffix("e") + ending


def counted(net: WordNet) -> list[tuple[tuple[str, str], int]]:
    """The lemmas most often tagged, with their part of speech, a number: `dog%1:05:00:: 1 42` is a line."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in (net.folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        lemma, _, sense = key.partition("%")
        if lemma.isalpha():
            counts[lemma, sense[0]] += int(count)
    return counts.most_common(LEMMAS)


class English:
    """Forms with their frequencies and, of each, its other forms and its synonyms."""

    def __init__(self, net: WordNet) -> None:
        self.forms: dict[str, int] = {word: number for number, word in enumerate(FUNCTION_WORDS.split())}
        weights = [1 / rank for rank in range(1, len(self.forms) + 1)]
        self.others: dict[int, list[int]] = {}
        self.synonyms: dict[int, list[int]] = {}
        lemmas = counted(net)
        scale = sum(weights) * (1 - FUNCTION_SHARE) / FUNCTION_SHARE / sum(count for _, count in lemmas)
        for (lemma, part), count in lemmas:
            endings = ENDINGS.get(part, ENDINGS["4"])
            forms = [self._number(spelt(lemma, ending), weights) for ending in endings]
            known = [self._number(word, weights) for word in sorted(net.synonyms(lemma)) if word.isalpha()]
            for form in forms:
                weights[form] += count * scale / len(forms)
                self.others[form] = forms
                self.synonyms[form] = known
        self.vocabulary = list(self.forms)
        self.cumulated = np.cumsum(weights) / sum(weights)

    def _number(self, word: str, weights: list[float]) -> int:
        if word not in self.forms:
            self.forms[word] = len(self.forms)
            weights.append(0.0)
        return self.forms[word]

    def draw(self, rng: np.random.Generator, size: int) -> list[int]:
        """Words of running text."""
        return [int(form) for form in np.searchsorted(self.cumulated, rng.random(size))]

    def replacement(self, form: int, other: int, luck: float) -> int:
        """A synonym of the word, another form of it, or the other word."""
        table = self.synonyms if luck < 1 / 3 else self.others if luck < 2 / 3 else {}
        choices = table.get(form) or [other]
        return choices[int(luck * 997) % len(choices)]


def lines(segments: int, seed: int = 7) -> Iterator[tuple[str, str]]:
    """For each segment a hypothesis and its reference."""
    rng, english = np.random.default_rng(seed), English(wordnet())
    for _ in range(segments):
        length = int(np.clip(rng.normal(20, 7), 5, 40))
        ids, others, luck = english.draw(rng, length), english.draw(rng, length), rng.random(length)
        draws = np.array([english.replacement(*row) for row in zip(ids, others, luck, strict=True)])
        commas = int(rng.integers(length))
        texts = (perturbed(ids, rng, draws, 0.30), ids)
        yield tuple(sentence(text, english.vocabulary, commas, accent=False) for text in texts)  # type: ignore[misc]


def write(folder: Path, segments: int) -> None:
    """The two files of a corpus; an existing corpus of that size or more is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ref1.txt"
    if path.exists() and path.read_text(encoding="utf-8").count("\n") >= segments:
        return
    pairs = list(lines(segments))
    for name, texts in zip(("hyp.txt", "ref1.txt"), zip(*pairs, strict=True), strict=True):
        (folder / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
