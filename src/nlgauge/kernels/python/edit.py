"""Edit distance: the alignment counts behind WER, MER, WIL, WIP and CER, and weighted distances.

Several alignments can have the fewest edits; the counts are those of the one that RapidFuzz (and so jiwer)
reports: common ends are matched first, and from the end backwards a deletion is preferred to an insertion,
and an insertion to a substitution. Distances are kept as bit vectors (Myers 1999; Hyyrö 2003, 2004), with a
Python integer as the vector: bit i of `up` (`down`) says that the matrix cell of reference word i is one
more (less) than the cell before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.interface import References, Texts
from nlgauge.kernels.python.tokens import plain

Words = Sequence[str]
BISECTION_BYTES = 1 << 20  # RapidFuzz bisects (Hirschberg) where the two bit matrices would take more


def edit_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """hits, substitutions, deletions, insertions: against the reference with the lowest error rate."""
    batch = plain(tokens)
    rows = []
    for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
        counts = [edit_counts(reference, hypothesis) for reference in references]
        rows.append(min(counts, key=error_rate))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def edit_counts(reference: Words, hypothesis: Words) -> tuple[int, int, int, int]:
    """hits, substitutions, deletions, insertions that turn the reference into the hypothesis."""
    distance, deletions = _align(reference, hypothesis, max(len(reference), len(hypothesis)))
    insertions = deletions + len(hypothesis) - len(reference)
    substitutions = distance - deletions - insertions
    return len(reference) - substitutions - deletions, substitutions, deletions, insertions


def edit_pairs(reference: Words, hypothesis: Words) -> list[tuple[int | None, int | None]]:
    """The alignment behind `edit_counts`: places in hypothesis and reference, None where a word has no partner."""
    return _pairs(reference, hypothesis, 0, 0, max(len(reference), len(hypothesis)))


def error_rate(counts: tuple[int, int, int, int]) -> float:
    """By which references compete."""
    hits, substitutions, deletions, insertions = counts
    # An empty reference counts as one word long, as in jiwer.
    return (substitutions + deletions + insertions) / max(hits + substitutions + deletions, 1)


def _align(reference: Words, hypothesis: Words, limit: int) -> tuple[int, int]:
    """Distance and number of deletions; `limit` bounds the distance and only decides when to bisect."""
    reference, hypothesis = _without_common_ends(reference, hypothesis)
    m, n = len(reference), len(hypothesis)
    if not m or not n:
        return m + n, m
    band = min(m, 2 * min(limit, max(m, n)) + 1)
    if m <= 64 or n < 10 or 2 * band * n // 8 < BISECTION_BYTES:
        columns = _columns(reference, hypothesis)
        return _last_row(columns[-1], m, n)[-1], _count_deletions(columns, m, n)
    half = n // 2
    left, right, middle = _middle(reference, hypothesis)
    first = _align(reference[:middle], hypothesis[:half], left)
    second = _align(reference[middle:], hypothesis[half:], right)
    return first[0] + second[0], first[1] + second[1]


def _middle(reference: Words, hypothesis: Words) -> tuple[int, int, int]:
    """Where the reference is cut when the hypothesis is halved, after the distances of both halves."""
    m, n = len(reference), len(hypothesis)
    half = n // 2
    left = _last_row(_columns(reference, hypothesis[:half])[-1], m, half)
    right = _last_row(_columns(reference[::-1], hypothesis[half:][::-1])[-1], m, n - half)
    middle = min(range(1, m + 1), key=lambda i: left[i] + right[m - i])  # from 1: so does RapidFuzz
    return left[middle], right[m - middle], middle


def _pairs(reference: Words, hypothesis: Words, i: int, j: int, limit: int) -> list[tuple[int | None, int | None]]:
    """As `_align`, with the steps themselves; the texts start at places i and j of the whole ones."""
    start = _common_start(reference, hypothesis)
    end = _common_start(reference[start:][::-1], hypothesis[start:][::-1])
    before: list[tuple[int | None, int | None]] = [(j + k, i + k) for k in range(start)]
    m, n = len(reference) - start - end, len(hypothesis) - start - end
    after: list[tuple[int | None, int | None]] = [(j + start + n + k, i + start + m + k) for k in range(end)]
    i, j = i + start, j + start
    reference, hypothesis = reference[start : start + m], hypothesis[start : start + n]
    if not m or not n:
        inside: list[tuple[int | None, int | None]] = [(None, i + k) for k in range(m)]
        return [*before, *inside, *((j + k, None) for k in range(n)), *after]
    band = min(m, 2 * min(limit, max(m, n)) + 1)
    if m <= 64 or n < 10 or 2 * band * n // 8 < BISECTION_BYTES:
        return [*before, *_walk(_columns(reference, hypothesis), m, n, i, j), *after]
    half = n // 2
    left, right, middle = _middle(reference, hypothesis)
    first = _pairs(reference[:middle], hypothesis[:half], i, j, left)
    second = _pairs(reference[middle:], hypothesis[half:], i + middle, j + half, right)
    return [*before, *first, *second, *after]


def _walk(columns: list[tuple[int, int]], m: int, n: int, i: int, j: int) -> list[tuple[int | None, int | None]]:
    """From the end backwards: a deletion rather than an insertion, an insertion rather than a substitution."""
    pairs: list[tuple[int | None, int | None]] = []
    while m or n:
        if m and (not n or columns[n][0] >> (m - 1) & 1):
            m -= 1
            pairs.append((None, i + m))
        elif n and (not m or columns[n - 1][1] >> (m - 1) & 1):
            n -= 1
            pairs.append((j + n, None))
        else:
            m, n = m - 1, n - 1
            pairs.append((j + n, i + m))
    return pairs[::-1]


def _without_common_ends(a: Words, b: Words) -> tuple[Words, Words]:
    start = _common_start(a, b)
    end = _common_start(a[start:][::-1], b[start:][::-1])
    return a[start : len(a) - end], b[start : len(b) - end]


def _common_start(a: Words, b: Words) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _columns(reference: Words, hypothesis: Words) -> list[tuple[int, int]]:
    """(up, down) after 0, 1, …, n words of the hypothesis."""
    every = (1 << len(reference)) - 1
    places: dict[str, int] = {}
    for i, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << i
    up, down = every, 0
    columns = [(up, down)]
    for word in hypothesis:
        match = places.get(word, 0)
        diagonal = (((match & up) + up) ^ up) | match | down
        right_up = (down | ~(diagonal | up)) << 1 | 1
        right_down = (diagonal & up) << 1
        up, down = (right_down | ~(diagonal | right_up)) & every, right_up & diagonal & every
        columns.append((up, down))
    return columns


def _last_row(column: tuple[int, int], m: int, n: int) -> list[int]:
    """The distances of n hypothesis words to the first 0, 1, …, m words of the reference."""
    up, down = column
    row = [n]
    for i in range(m):
        row.append(row[-1] + (up >> i & 1) - (down >> i & 1))
    return row


def _count_deletions(columns: list[tuple[int, int]], m: int, n: int) -> int:
    """Walks back from the end; only deletions are counted, for the lengths and the distance give the rest."""
    deletions = 0
    while m and n:
        if columns[n][0] >> (m - 1) & 1:
            deletions += 1
            m -= 1
        elif columns[n - 1][1] >> (m - 1) & 1:  # an insertion
            n -= 1
        else:
            m, n = m - 1, n - 1
    return deletions + m


def distance_rows(
    tokens: interface.Tokens,
    substitution: float,
    insertion: float,
    deletion: float,
    transposition: bool,
    jobs: int = 1,
) -> Array:
    """segment, weighted edit distance, hypothesis length, reference length: a row for each reference."""
    batch = plain(tokens)
    rows = [
        (
            segment,
            weighted_distance(reference, hypothesis, substitution, insertion, deletion, transposition),
            len(hypothesis),
            len(reference),
        )
        for segment, hypothesis in enumerate(batch.hypotheses)
        for reference in batch.references[segment]
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def weighted_distance(
    a: Words, b: Words, substitution: float, insertion: float, deletion: float, transposition: bool
) -> float:
    """The least cost of turning a into b. A transposition costs 1 and may enclose other edits."""
    matrix = [[j * insertion for j in range(len(b) + 1)]]
    last_row_of: dict[str, int] = {}
    for i, left in enumerate(a, start=1):
        above, row = matrix[-1], [i * deletion]
        matrix.append(row)
        last_match = 0
        for j, right in enumerate(b, start=1):
            cost = above[j - 1] + (0 if left == right else substitution)
            cost = min(cost, above[j] + deletion, row[j - 1] + insertion)
            k = last_row_of.get(right, 0)
            if transposition and k and last_match:
                between = (i - k - 1) * deletion + (j - last_match - 1) * insertion
                cost = min(cost, matrix[k - 1][last_match - 1] + between + 1)
            if left == right:
                last_match = j
            row.append(cost)
        last_row_of[left] = i
    return matrix[-1][-1]


# CDER's long jump distance (Leusch, Ueffing and Ney 2006) and the position-independent errors of PER.


Step = tuple[str, int | None, int | None]


def cder_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """errors with long jumps and reference length, of the reference with the lowest rate."""
    return _rows(tokens, long_jump_distance)


def per_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """position-independent errors and reference length, of the reference with the lowest rate."""
    return _rows(tokens, position_independent_errors)


def _rows(tokens: interface.Tokens, errors: Callable[[Words, Words], int]) -> Array:
    batch = plain(tokens)
    rows = []
    for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
        counts = [(errors(hypothesis, reference), len(reference)) for reference in references]
        # An empty reference counts as one word long in the comparison, as for WER.
        rows.append(min(counts, key=lambda count: count[0] / max(count[1], 1)))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def long_jump_distance(hypothesis: Words, reference: Words) -> int:
    """Insertions, deletions, substitutions and jumps, one each, of the cheapest walk through the grid.

    The walk passes each reference word once. A jump moves it to any place of the hypothesis, whose words may be
    passed several times or not at all; it starts and ends at the corners of the grid.
    """
    row = [0] + [1] * len(hypothesis)
    for word in reference:
        below = [row[0] + 1]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + 1, row[i - 1] + (other != word), row[i] + 1))
        jump = min(below) + 1
        row = [min(cell, jump) for cell in below]
    return row[-1]


def long_jump_walk(hypothesis: Words, reference: Words) -> list[Step]:
    """One of the cheapest walks, step by step: each is a kind and places in hypothesis and reference.

    The kinds are "match", "substitution", "insertion" (of a hypothesis word), "deletion" (of a reference word) and
    "jump", whose two places are those of the hypothesis between which it leads. The cost is the number of all but the
    matches.
    """
    landed = [[0] + [1] * len(hypothesis)]  # costs with jumps
    walked: list[list[int]] = [[0] + [2] * len(hypothesis)]  # costs without the jump at the row's end
    for word in reference:
        row, below = landed[-1], [landed[-1][0] + 1]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + 1, row[i - 1] + (other != word), row[i] + 1))
        walked.append(below)
        landed.append([min(cell, min(below) + 1) for cell in below])
    steps: list[Step] = []
    i, j, jumped = len(hypothesis), len(reference), False
    while i or j:
        if not jumped and landed[j][i] < walked[j][i]:
            start = walked[j].index(min(walked[j]))
            steps.append(("jump", start, i))
            i, jumped = start, True
            continue
        here = walked[j][i]
        if i and j and here == landed[j - 1][i - 1] + (hypothesis[i - 1] != reference[j - 1]):
            i, j, jumped = i - 1, j - 1, False
            steps.append(("match" if hypothesis[i] == reference[j] else "substitution", i, j))
        elif j and here == landed[j - 1][i] + 1:
            j, jumped = j - 1, False
            steps.append(("deletion", None, j))
        else:
            i -= 1
            steps.append(("insertion", i, None))
            jumped = True  # a jump has no place within a row
    return steps[::-1]


def position_independent_errors(hypothesis: Words, reference: Words) -> int:
    """The longer text's words less those that both have, whatever their order."""
    common = (Counter(hypothesis) & Counter(reference)).total()
    return max(len(hypothesis), len(reference)) - common


# CharacTER (Wang, Peter, Rosendahl and Ney 2016), step by step as the PyPI package `cer` 1.2 computes it.
#
# Greedy: of all shifts of a run of hypothesis words to where the reference has the same run, the one that lowers the
# word edit distance most is made, until none lowers it; of equally good ones the one whose word list comes last in
# the order of strings. Then the character edit distance is taken, and each run of words that stands elsewhere than
# before costs its mean word length. What depends on rounding there (rates are kept and subtracted, so that a shift
# that gains nothing can pass for a gain) is kept, since it decides which shifts are made.


def character_rows(hypotheses: Texts, references: References, jobs: int = 1) -> Array:
    """CharacTER (lowest over the references) and 1; words are what stands between white space."""
    rows = [
        (min(character(hypothesis.split(), reference.split()) for reference in texts), 1.0)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def character(hypothesis: list[str], reference: list[str]) -> float:
    """min(1, (character edits + cost of the shifts) / hypothesis characters)."""
    if hypothesis == reference:
        return 0.0
    if not hypothesis or not reference:
        return 1.0
    words = shifted(hypothesis, reference)
    letters = " ".join(words)
    edits = _distance(letters, " ".join(reference)) + shift_cost(words, hypothesis)
    return min(1.0, edits / len(letters))


def shifted(hypothesis: list[str], reference: list[str]) -> list[str]:
    """The hypothesis after the shifts."""
    words, rate = hypothesis, _distance(hypothesis, reference) / len(reference)
    while True:
        tries = [(rate - _distance(moved, reference) / len(reference), moved) for moved in _shifts(words, reference)]
        gain, best = max(tries, default=(0.0, words))
        if gain <= 0:
            return words
        words, rate = best, rate - gain


def _distance(a: Words, b: Words) -> int:
    return sum(edit_counts(a, b)[1:])


def _shifts(words: list[str], reference: list[str]) -> Iterator[list[str]]:
    """Each longest run of words that the reference has at another place, moved to that place."""
    for start, word in enumerate(words):
        for place, other in enumerate(reference):
            if word != other or start == place:
                continue
            length = 1
            while (
                start + length < len(words)
                and place + length < len(reference)
                and words[start + length] == reference[place + length]
            ):
                length += 1
            rest = words[:start] + words[start + length :]
            yield rest[:place] + words[start : start + length] + rest[place:]


def shift_cost(words: Words, original: Words) -> float:
    """The mean word length of each run of `original` that is found further on in `words`, summed.

    The walk over `original` goes on behind the run it has just found.
    """
    cost, start, n = 0.0, 0, len(words)
    while start < n:
        first = start
        if original[first] != words[first]:
            place = next((k for k in range(first + 1, n) if words[k] == original[first]), None)
            if place is not None:
                length = 1
                while first + length < n and place + length < n and original[first + length] == words[place + length]:
                    length += 1
                start = min(first + length - 1, n - 1)
                cost += sum(map(len, original[first : first + length])) / length
        start += 1
    return cost


# The extended edit distance of two strings (Stanchev, Wang and Ney 2019).
#
# A walk through the grid of hypothesis and reference characters: substitutions, insertions and deletions as usual,
# and, at the blanks of the reference, a jump to any place of the hypothesis. How often each place of the hypothesis is
# the cheapest of its row stands for how often it was visited; places visited again or never make the coverage penalty.


def eed_rows(
    hypotheses: Texts,
    references: References,
    alpha: float,
    rho: float,
    deletion: float,
    insertion: float,
    jobs: int = 1,
) -> Array:
    """The lowest distance over the references, and 1; the texts have been through the preprocessing already."""
    rows = [
        (min(eed(hypothesis, reference, alpha, rho, deletion, insertion) for reference in texts), 1.0)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def eed(hypothesis: str, reference: str, alpha: float, rho: float, deletion: float, insertion: float) -> float:
    """min(1, (edits + alpha · jumps + rho · v) / (reference length + rho · v))."""
    walked, visits = walk_costs(hypothesis, reference, alpha, deletion, insertion)
    coverage = rho * penalties(visits)
    cost, whole = walked + coverage, len(reference) + coverage
    if whole <= 0:  # an empty reference that costs nothing to leave places of the hypothesis unvisited
        return 1.0 if cost > 0 else 0.0
    return min(1.0, cost / whole)


def penalties(visits: list[int]) -> int:
    """Visits beyond the first of each place, and 1 for a place that was never visited."""
    return sum(times if times >= 0 else 1 for times in visits)


def walk_costs(
    hypothesis: str, reference: str, alpha: float, deletion: float, insertion: float
) -> tuple[float, list[int]]:
    """The cost of the cheapest walk, and how often each place of the hypothesis was visited, less 1."""
    # Row 0: any place of the hypothesis can be reached at cost 1.
    row = [0.0] + [1.0] * len(hypothesis)
    visits = [-1] * (len(hypothesis) + 1)
    for letter in reference:
        below = [row[0] + 1.0]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + deletion, row[i - 1] + float(other != letter), row[i] + insertion))
        cheapest = min(below)
        visits[below.index(cheapest)] += 1
        if letter == " ":
            below = [min(cell, alpha + cheapest) for cell in below]
        row = below
    return row[-1], visits
