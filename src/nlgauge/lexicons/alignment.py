"""A phrase table from a parallel corpus: IBM Model 1 both ways, the alignments joined, consistent phrase pairs counted.

Brown et al. (1993) for the model, Koehn, Och and Marcu (2003) and Och and Ney (2003) for the rest. Plain and without
chance: uniform start, a fixed number of steps, ties to the leftmost word. Model 1 knows nothing of word order, so this
is for small corpora where no toolkit is at hand; a table from Moses or fast_align will be better.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

Sentence = Sequence[str]
Pair = tuple[Sentence, Sentence]
Links = set[tuple[int, int]]  # position in the first text, position in the second
Phrases = tuple[str, str]

NULL = ""  # the word that words without a counterpart come from
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def model1(pairs: Sequence[Pair], steps: int = 5) -> dict[str, dict[str, float]]:
    """given[first word][second word] = t(second | first) after `steps` steps of expectation and maximisation."""
    given: dict[str, dict[str, float]] = defaultdict(dict)
    for first, second in pairs:
        for word in (NULL, *first):
            given[word].update(dict.fromkeys(second, 1.0))
    for _ in range(steps):
        counts: dict[str, dict[str, float]] = {word: dict.fromkeys(row, 0.0) for word, row in given.items()}
        for first, second in pairs:
            for other in second:
                rows = [given[word][other] for word in (NULL, *first)]
                total = sum(rows)
                for word, value in zip((NULL, *first), rows, strict=True):
                    counts[word][other] += value / total
        for word, row in counts.items():
            total = sum(row.values())
            given[word] = {other: value / total for other, value in row.items()}
    return given


def best_links(first: Sentence, second: Sentence, given: dict[str, dict[str, float]]) -> Links:
    """Each word of the second text with the word of the first that explains it best; none where that is NULL."""
    links: Links = set()
    for j, other in enumerate(second):
        place, best = None, given[NULL].get(other, 0.0)
        for i, word in enumerate(first):
            if given[word].get(other, 0.0) > best:
                place, best = i, given[word][other]
        if place is not None:
            links.add((place, j))
    return links


def joined(one: Links, other: Links) -> Links:
    """grow-diag-final-and: the links of both directions, grown by neighbours, then those of words still without any."""
    links, union = one & other, one | other
    grew = True
    while grew:
        grew = False
        for i, j in sorted(links):
            for di, dj in _NEIGHBOURS:
                new = (i + di, j + dj)
                if new in union and new not in links and _adds(new, links, either=True):
                    links.add(new)
                    grew = True
    for new in (*sorted(one), *sorted(other)):
        if new not in links and _adds(new, links, either=False):
            links.add(new)
    return links


def _adds(new: tuple[int, int], links: Links, *, either: bool) -> bool:
    """Whether a link joins words that had none: on one side at least (`either`), or on both."""
    free = (all(i != new[0] for i, _ in links), all(j != new[1] for _, j in links))
    return any(free) if either else all(free)


def consistent(first: Sentence, second: Sentence, links: Links, longest: int) -> Iterator[Phrases]:
    """The phrase pairs no link of which leads outside, with unaligned words at the edges of the second phrase."""
    aligned = {j for _, j in links}
    for start in range(len(first)):
        for end in range(start, min(start + longest, len(first))):
            inside = [j for i, j in links if start <= i <= end]
            if not inside:
                continue
            low, high = min(inside), max(inside)
            if high - low >= longest or any(low <= j <= high and not start <= i <= end for i, j in links):
                continue
            phrase = " ".join(first[start : end + 1])
            left = low
            while left >= 0 and (left == low or left not in aligned):
                right = high
                while right < len(second) and (right == high or right not in aligned):
                    if right - left < longest:
                        yield phrase, " ".join(second[left : right + 1])
                    right += 1
                left -= 1


def phrase_counts(pairs: Sequence[Pair], longest: int = 7, steps: int = 5) -> Counter[Phrases]:
    """How often each phrase pair can be cut from the aligned corpus."""
    there = model1(pairs, steps)
    back = model1([(second, first) for first, second in pairs], steps)
    counts: Counter[Phrases] = Counter()
    for first, second in pairs:
        reverse = {(i, j) for j, i in best_links(second, first, back)}
        links = joined(best_links(first, second, there), reverse)
        counts.update(consistent(first, second, links, longest))
    return counts
