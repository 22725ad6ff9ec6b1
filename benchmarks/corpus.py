"""A seeded corpus for the benchmarks: invented words with Zipf frequencies, hypotheses perturbed from references.

    python benchmarks/corpus.py FOLDER SEGMENTS      writes hyp.txt, hyp2.txt and ref1.txt … ref4.txt

Sentences have 5 to 40 words (20 on average), begin with a capital, and carry commas, full stops, numbers and, in one
sentence of ten, letters outside ASCII, so that tokenisers have real work to do. Each line is one segment.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = 30_000
ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st", "tr", "pl", "gr", "ch")
SYLLABLES = [onset + vowel for onset in ONSETS for vowel in "aeiou"]
ACCENTED = {"a": "á", "e": "é", "i": "ï", "o": "ö", "u": "ü"}


def words(rng: np.random.Generator) -> list[str]:
    """The vocabulary: frequent words are short, as in real text (about 5 letters a word in running text)."""
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        length = 1 + (len(made) > 100) + (len(made) > 2_000) + int(rng.random() < 0.3)
        made["".join(SYLLABLES[k] for k in rng.integers(len(SYLLABLES), size=length)) + "nsrt"[len(made) % 4]] = None
    return list(made)


def sentence(ids: list[int], vocabulary: list[str], commas: int, accent: bool) -> str:
    """Words as a sentence: capital, comma, number and full stop."""
    text = [vocabulary[k] for k in ids]
    if accent:
        text = [word.translate(str.maketrans(ACCENTED)) if k % 3 == 0 else word for k, word in enumerate(text)]
    if commas and len(text) > commas:
        text[commas - 1] += ","
    if ids[0] % 4 == 0:
        text.insert(len(text) // 2, f"{ids[0] % 90 + 10}.{ids[-1] % 10}")
    return " ".join(text).capitalize() + "."


def perturbed(ids: list[int], rng: np.random.Generator, draws: np.ndarray, rate: float) -> list[int]:
    """A copy with words replaced, dropped, repeated, and now and then a phrase moved."""
    out: list[int] = []
    chance = rng.random(len(ids))
    for position, (word, luck) in enumerate(zip(ids, chance, strict=True)):
        if luck < rate * 0.6:
            out.append(int(draws[position]))
        elif luck < rate * 0.8:
            continue
        elif luck < rate:
            out += [word, word]
        else:
            out.append(word)
    if len(out) > 8 and chance[0] < rate:
        cut = 2 + int(chance[1] * (len(out) - 5))
        out = out[cut : cut + 3] + out[:cut] + out[cut + 3 :]
    return out or [ids[0]]


def lines(segments: int, seed: int = 7) -> Iterator[tuple[str, ...]]:
    """For each segment: two hypotheses and four references."""
    rng = np.random.default_rng(seed)
    vocabulary = words(rng)
    weights = 1 / np.arange(1, VOCABULARY + 1) ** 1.05
    cumulated = np.cumsum(weights / weights.sum())
    for number in range(segments):
        length = int(np.clip(rng.normal(20, 7), 5, 40))
        draws = np.searchsorted(cumulated, rng.random((6, length + 1)))
        ids = [int(k) for k in draws[0][:length]]
        commas, accent = int(rng.integers(length)), number % 10 == 0
        texts = [perturbed(ids, rng, draws[1], 0.30), perturbed(ids, rng, draws[2], 0.34), ids]
        texts += [perturbed(ids, rng, draws[k], 0.5) for k in (3, 4, 5)]
        yield tuple(sentence(text, vocabulary, commas, accent) for text in texts)


def write(folder: Path, segments: int) -> None:
    """The six files of a corpus; an existing corpus of that size is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ["hyp.txt", "hyp2.txt", "ref1.txt", "ref2.txt", "ref3.txt", "ref4.txt"]
    if all((folder / name).exists() for name in names):
        return
    files = [(folder / f"{name}.part").open("w", encoding="utf-8") for name in names]
    for texts in lines(segments):
        for file, text in zip(files, texts, strict=True):
            file.write(text + "\n")
    for file, name in zip(files, names, strict=True):
        file.close()
        (folder / f"{name}.part").rename(folder / name)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
