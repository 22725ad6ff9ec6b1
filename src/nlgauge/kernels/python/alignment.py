"""Words of a hypothesis beside words of each reference: RIBES, LEPOR, GTM. A row for each reference."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Words = Sequence[str]


def _pairs(tokens: interface.Tokens, of: Callable[[Words, Words], Sequence[float]], width: int) -> Array:
    """segment, what `of` says of hypothesis and reference, and the lengths of both."""
    batch = plain(tokens)
    rows = [
        [segment, *of(hypothesis, words), len(hypothesis), len(words)]
        for segment, (hypothesis, references) in enumerate(zip(batch.hypotheses, batch.references, strict=True))
        for words in references
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, width + 3)


def ribes_rows(tokens: interface.Tokens, form: str, jobs: int) -> Array:
    """segment, words placed, pairs of them in order, both lengths: a row for each reference.

    `form` is `nltk`, `nltk3.9` (counts pairs within runs only) or `ntt`.
    """

    def of(hypothesis: Words, reference: Words) -> Sequence[float]:
        places = rank_alignment(hypothesis, reference, form)
        return len(places), pairs_in_runs(places) if form == "nltk3.9" else pairs_in_order(places)

    return _pairs(tokens, of, 2)


def rank_alignment(hypothesis: Words, reference: Words, form: str) -> list[int]:
    """For each word of the hypothesis that can be placed, where it stands in the reference."""
    return [place for _, place in placed_words(hypothesis, reference, form)]


def placed_words(hypothesis: Words, reference: Words, form: str) -> list[tuple[int, int]]:
    """The words of the hypothesis that can be placed, by their places in both texts.

    A word is placed if it occurs once in both texts, or else by the shortest stretch of the hypothesis that begins or
    ends with it and occurs once in both. NLTK looks to the right first and stops one word short of the
    hypothesis's beginning where that is the longer side; the authors' script looks to the left first.
    """
    places = []
    there, here = _where(reference), _where(hypothesis)
    for i, word in enumerate(hypothesis):
        if word not in there:
            continue
        if len(there[word]) == len(here[word]) == 1:
            places.append((i, there[word][0]))
            continue
        longest = max(i, len(hypothesis) - i + 1) - 1 if form != "ntt" else len(hypothesis)
        right = _stretch(
            hypothesis, reference=reference, i=i, here=here[word], there=there[word], step=1, longest=longest
        )
        left = _stretch(
            hypothesis, reference=reference, i=i, here=here[word], there=there[word], step=-1, longest=longest
        )
        found = [stretch for stretch in ((left, right) if form == "ntt" else (right, left)) if stretch]
        if found:
            places.append((i, min(found, key=lambda stretch: stretch[0])[1]))
    return places


def _where(words: Words) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        found[word].append(place)
    return dict(found)


def _stretch(
    hypothesis: Words, reference: Words, i: int, here: list[int], there: list[int], step: int, longest: int
) -> tuple[int, int] | None:
    """How many further words in one direction make the stretch unique in both texts, and its place; None if none do."""
    for size in range(1, longest + 1):
        if not 0 <= i + step * size < len(hypothesis):
            return None
        word = hypothesis[i + step * size]
        here = [k for k in here if 0 <= k + step * size < len(hypothesis) and hypothesis[k + step * size] == word]
        there = [k for k in there if 0 <= k + step * size < len(reference) and reference[k + step * size] == word]
        if not there:
            return None
        if len(here) == len(there) == 1:
            return size, there[0]
    return None


def pairs_in_order(places: Sequence[int]) -> int:
    """How many pairs stand in ascending order."""
    before: list[int] = []
    count = 0
    for place in places:
        count += bisect_left(before, place)
        insort(before, place)
    return count


def pairs_in_runs(places: Sequence[int]) -> int:
    """How many pairs stand within a run of places that follow one another."""
    count = run = 0
    for before, place in zip([-2, *places], places, strict=False):
        run = run + 1 if place == before + 1 else 0
        count += run
    return count


def lepor_rows(tokens: interface.Tokens, form: str, window: int, jobs: int) -> Array:
    """segment, words aligned, sum of differences of position, both lengths: a row for each reference.

    `form` is `paper`, `nltk` or `hlepor` (as that package), `window` how many neighbours of a word are looked at.
    """

    def of(hypothesis: Words, reference: Words) -> Sequence[float]:
        pairs = lepor_alignment(hypothesis, reference, form, window)
        return len(pairs), place_differences(pairs, hypothesis, reference, form)

    return _pairs(tokens, of, 2)


def lepor_alignment(hypothesis: Words, reference: Words, form: str, window: int) -> list[tuple[int, int]]:
    """The words that are aligned, by their places in both texts."""
    if form == "hlepor" and list(hypothesis) == list(reference):
        return [(place, place) for place in range(len(hypothesis))]
    if form == "nltk":
        known = set(reference)
        mine = [i for i, word in enumerate(hypothesis) if word in known]
        return list(zip(mine, _farthest_alignment(hypothesis, reference), strict=True))
    return _nearest_alignment(hypothesis, reference, window, slip=form == "hlepor")


def place_differences(pairs: Sequence[tuple[int, int]], hypothesis: Words, reference: Words, form: str) -> float:
    """The sum of the differences between the aligned words' relative places in both texts."""
    total = 0.0
    for number, (i, k) in enumerate(pairs):
        # NLTK numbers aligned words among themselves, not by their place in the hypothesis
        place = number if form == "nltk" else i
        total += abs((place + 1) / len(hypothesis) - (k + 1) / len(reference))
    return total


def _nearest_alignment(hypothesis: Words, reference: Words, window: int, *, slip: bool) -> list[tuple[int, int]]:
    """Places of equal words, each used once: the nearest with a common word around, or else the nearest of all.

    `slip` repeats a slip of the package hlepor: the place found among those with a common word around is looked up
    among all that are left. There, too, the words before a place are none where fewer than `window` stand there.
    """
    here, there, pairs = _where(hypothesis), _where(reference), []

    def around(words: Words, place: int) -> set[str]:
        first = place - window if slip else max(0, place - window)
        return {*words[first:place], *words[place + 1 : place + window + 1]}

    for word, left in there.items():
        if len(left) == 1 == len(here.get(word, ())):
            pairs.append((here[word][0], left[0]))
            continue
        for i in here.get(word, ()):
            if not left:
                break
            mine = around(hypothesis, i)
            supported = [k for k in left if mine & around(reference, k)] or left
            nearest = min(supported, key=lambda k: abs(i - k))
            pairs.append((i, left.pop(supported.index(nearest) if slip else left.index(nearest))))
    return pairs


def _farthest_alignment(hypothesis: Words, reference: Words) -> list[int]:
    """Where each word of the hypothesis stands in the reference, by NLTK's rules.

    Of several places, those with an equal neighbour (one step left, else right; first words are never looked at) come
    before others, and of these the farthest from the word's own place is taken, the first of two.
    """
    there, places = _where(reference), []

    def equal(i: int, k: int) -> bool:
        return 0 < i < len(hypothesis) and 0 < k < len(reference) and hypothesis[i] == reference[k]

    for i, word in enumerate(hypothesis):
        candidates = there.get(word, [])
        if len(candidates) > 1:
            supported = [k for k in candidates if equal(i - 1, k - 1) or equal(i + 1, k + 1)]
            places.append(max((abs(i - k), -k) for k in supported or candidates)[1] * -1)
        else:
            places += candidates
    return places


def gtm_rows(tokens: interface.Tokens, exponent: float, jobs: int) -> Array:
    """segment, sum of length to the exponent of a greedy matching's runs, lengths of hypothesis and reference."""

    def of(hypothesis: Words, reference: Words) -> Sequence[float]:
        if exponent == 1:
            return ((Counter(hypothesis) & Counter(reference)).total(),)
        total = 0.0
        for _, _, length in greedy_runs(hypothesis, reference):
            total += length**exponent
        return (total,)

    return _pairs(tokens, of, 1)


def greedy_runs(hypothesis: Words, reference: Words) -> list[tuple[int, int, int]]:
    """Places in both texts and lengths of runs: time and again the longest one that shares no word with those
    before, the first of equals."""
    mine, theirs = [True] * len(hypothesis), [True] * len(reference)  # still free
    there, runs = _where(reference), list[tuple[int, int, int]]()

    def length(i: int, k: int) -> int:
        size = 0
        while (
            i + size < len(hypothesis)
            and k + size < len(reference)
            and mine[i + size]
            and theirs[k + size]
            and hypothesis[i + size] == reference[k + size]
        ):
            size += 1
        return size

    def starts() -> Iterator[tuple[int, int]]:
        return ((i, k) for i, word in enumerate(hypothesis) if mine[i] for k in there.get(word, ()))

    while longest := max((length(i, k) for i, k in starts()), default=0):
        for i, k in starts():
            if length(i, k) == longest:
                mine[i : i + longest] = theirs[k : k + longest] = [False] * longest
                runs.append((i, k, longest))
    return runs
