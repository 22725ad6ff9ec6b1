"""METEOR's greedy aligner of 2007, as NLTK has it: stage by stage, from the end of both texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from nlgauge.kernels.interface import Array
from nlgauge.kernels.words import NumberedTexts

Links = list[tuple[int, int, int]]  # hypothesis position, reference position, stage


def greedy_links(
    hypothesis: Sequence[int],
    reference: Sequence[int],
    stems: Sequence[int],
    synonyms: Callable[[int], Sequence[int]] | None,
) -> Links:
    """Each free hypothesis word takes the last free reference word that fits: by word, stem, then synonym."""
    links: Links = []
    hyp, ref = list(range(len(hypothesis))), list(range(len(reference)))

    def stage(number: int, fits: Callable[[int, int], bool]) -> None:
        for i in reversed(hyp.copy()):
            j = next((j for j in reversed(ref) if fits(hypothesis[i], reference[j])), None)
            if j is not None:
                links.append((i, j, number))
                hyp.remove(i)
                ref.remove(j)

    stage(0, lambda word, other: word == other)
    stage(1, lambda word, other: stems[word] == stems[other])
    if synonyms is not None:
        # NLTK hands the stems of what is left to this stage.
        stage(2, lambda word, other: stems[other] in synonyms(stems[word]))
    return sorted(links)


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


def meteor_rows(
    words: Sequence[int],
    text_start: Sequence[int],
    segment_text: Sequence[int],
    stems: Sequence[int],
    synonym_start: Sequence[int],
    synonyms: Sequence[int],
    alpha: float,
    beta: float,
    gamma: float,
    jobs: int,
) -> Array:
    """Matches by stage, chunks, lengths and score of the best reference, and 1."""
    texts = NumberedTexts(words, text_start, segment_text)  # type: ignore[arg-type]
    rows = np.zeros((len(texts), 8))

    def related(word: int) -> Sequence[int]:
        return synonyms[synonym_start[word] : synonym_start[word + 1]]

    for number in range(len(texts)):
        hypothesis, references = texts.segment(number)
        best = -1.0
        for reference in references:
            links = greedy_links(hypothesis, reference, stems, related)
            score = links_score(links, len(hypothesis), len(reference), alpha, beta, gamma)
            if score > best:
                best = score
                stages = [sum(link[2] == stage for link in links) for stage in range(3)]
                chunks = count_chunks(links) if links else 0
                rows[number, :7] = (*stages, chunks, len(hypothesis), len(reference), score)
        rows[number, 7] = 1
    return rows


def meteor_leftover(
    words: Sequence[int],
    text_start: Sequence[int],
    segment_text: Sequence[int],
    stems: Sequence[int],
    forms: int,
) -> np.ndarray:
    """Stems of words that the first two stages leave over in a hypothesis: only theirs are the synonyms to look up."""
    texts = NumberedTexts(words, text_start, segment_text)  # type: ignore[arg-type]
    left = np.zeros(forms, dtype=bool)
    for number in range(len(texts)):
        hypothesis, references = texts.segment(number)
        for reference in references:
            linked = {link[0] for link in greedy_links(hypothesis, reference, stems, None)}
            for place, word in enumerate(hypothesis):
                if place not in linked:
                    left[stems[word]] = True
    return left
