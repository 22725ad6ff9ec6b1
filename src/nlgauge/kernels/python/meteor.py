"""METEOR's greedy aligner of 2007, as NLTK has it: stage by stage, from the end of both texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.interface import References, Synonyms, Texts, WordLists
from nlgauge.text import porter
from nlgauge.text.tokenizers import tokenizer

Links = list[tuple[int, int, int]]  # hypothesis position, reference position, stage


def greedy_links(hypothesis: Sequence[str], reference: Sequence[str], wordnet: Synonyms | None) -> Links:
    """Each free hypothesis word takes the last free reference word that fits: by word, stem, then synonym."""
    links: dict[int, tuple[int, int]] = {}
    stems = {word: porter.extended(word) for word in (*hypothesis, *reference)}

    def stage(number: int, form: Callable[[str], str], fitting: Callable[[str], Iterable[str]]) -> None:
        taken = {j for j, _ in links.values()}
        free = defaultdict[str, list[int]](list)  # reference words by their form, the last on top
        for j, word in enumerate(reference):
            if j not in taken:
                free[form(word)].append(j)
        for i in range(len(hypothesis) - 1, -1, -1):
            if i not in links:
                found = [places for other in fitting(hypothesis[i]) if (places := free.get(other))]
                if found:
                    links[i] = (max(found, key=lambda places: places[-1]).pop(), number)

    stage(0, lambda word: word, lambda word: (word,))
    stage(1, stems.__getitem__, lambda word: (stems[word],))
    if wordnet is not None:
        # NLTK hands the stems of what is left to this stage.
        stage(2, stems.__getitem__, lambda word: wordnet.synonyms(stems[word]))
    return [(i, j, number) for i, (j, number) in sorted(links.items())]


def count_chunks(links: Links) -> int:
    """Runs of matches that are neighbours in both texts."""
    pairs = pairwise(links)
    return 1 + sum((a[0] + 1, a[1] + 1) != (b[0], b[1]) for a, b in pairs)


def links_score(links: Links, hyp: int, ref: int, alpha: float, beta: float, gamma: float) -> float:
    """The score of one alignment of texts of that many words."""
    if not links:
        return 0.0
    precision, recall = len(links) / hyp, len(links) / ref
    bottom = alpha * precision + (1 - alpha) * recall
    if bottom == 0:
        return 0.0
    penalty = gamma * (count_chunks(links) / len(links)) ** beta
    return float((1 - penalty) * (precision * recall / bottom))


def splitter(tok: str | None, lower: bool) -> Callable[[Any], list[str]]:
    """From a text, or from a list of its words where `tok` is None, to its words."""
    split: Callable[[Any], list[str]] = tokenizer(tok) if tok else list
    if not lower:
        return split
    # Word by word, as NLTK does it: some tokenisers split by case.
    return lambda text: [word.lower() for word in split(text)]


def meteor_rows(
    hypotheses: Texts | WordLists,
    references: References | Sequence[WordLists],
    tok: str | None,
    lower: bool,
    wordnet: Synonyms | None,
    alpha: float,
    beta: float,
    gamma: float,
    jobs: int,
) -> Array:
    """exact, stem and synonym matches, chunks, lengths and score of the best reference, and 1.

    Without `tok` the texts are lists of words; words are lower-cased one by one. The compiled kernel takes a
    compiled `wordnet`.
    """
    rows = np.zeros((len(hypotheses), 8))
    split = splitter(tok, lower)
    for number, (text, texts) in enumerate(zip(hypotheses, references, strict=True)):
        hypothesis, best = split(text), -1.0
        for reference in map(split, texts):
            links = greedy_links(hypothesis, reference, wordnet)
            score = links_score(links, len(hypothesis), len(reference), alpha, beta, gamma)
            if score > best:
                best = score
                stages = [sum(link[2] == stage for link in links) for stage in range(3)]
                chunks = count_chunks(links) if links else 0
                rows[number, :7] = (*stages, chunks, len(hypothesis), len(reference), score)
        rows[number, 7] = 1
    return rows
