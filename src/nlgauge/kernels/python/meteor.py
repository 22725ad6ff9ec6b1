"""METEOR's greedy aligner of 2007, as NLTK has it: stage by stage, from the end of both texts."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.interface import MeteorLexicon, References, Synonyms, Texts, WordLists
from nlgauge.kernels.pool import NumberedTexts
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


# The aligner of METEOR 1.3 to 1.5: all matches of all modules at once, resolved by a beam search.
#
# Denkowski and Lavie (2011, 2014) want as many words covered as possible, then as few chunks as possible, then small
# distances between the positions of matched words. What the program does was found by comparing with its output:
#
# * A match that shares no word with another is always part of the alignment. (A pair of words that are synonyms and
#   have the same stem is two matches, which are rivals; so is a pair that the paraphrase table has in both
#   directions.)
# * The search runs over the reference from left to right and keeps `beam` partial alignments. Of two the better has
#   more *weight*, then fewer closed chunks, then less distance; among equals the one that stood first stays first.
# * An equal word weighs 1 on each side. Of any other match a side weighs half its words, rounded down: a stem, a
#   synonym or a pair of single words weighs nothing and is only taken where it costs no chunk.
# * A chunk is counted when it closes, so one that is still open puts its alignment in front.
# * The distance of a match is charged to whoever comes after it: to the matches tried later at the same place and to
#   the alignment that leaves the place empty, but not to the one that takes the match.


EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
COLUMNS = 23


class Match(NamedTuple):
    """Words [ref, ref + ref_size) of the reference and [hyp, hyp + hyp_size) of the hypothesis."""

    ref: int
    hyp_size: int
    hyp: int
    module: int
    ref_size: int

    @property
    def weight(self) -> int:
        return 2 if self.module == EXACT else self.hyp_size // 2 + self.ref_size // 2


@dataclass(frozen=True)
class _Path:
    """A partial alignment, with all that the search compares."""

    weight: int = 0
    chunks: int = 0  # those that are closed
    distance: int = 0
    hyp_end: int | None = None  # where the open chunk ends in the hypothesis, if one is open
    ref_end: int = 0
    matches: tuple[Match, ...] = ()
    used: frozenset[int] = frozenset()  # positions of the hypothesis

    @property
    def rank(self) -> tuple[int, int, int]:
        return (-self.weight, self.chunks, self.distance)

    def is_free(self, match: Match) -> bool:
        return self.used.isdisjoint(range(match.hyp, match.hyp + match.hyp_size))

    def extended(self, match: Match) -> _Path:
        return _Path(
            weight=self.weight + match.weight,
            chunks=self.chunks + (self.hyp_end is not None and self.hyp_end != match.hyp),
            distance=self.distance,
            hyp_end=match.hyp + match.hyp_size,
            ref_end=match.ref + match.ref_size,
            matches=(*self.matches, match),
            used=self.used | set(range(match.hyp, match.hyp + match.hyp_size)),
        )

    def closed(self, refused: int = 0) -> _Path:
        """Without an open chunk; `refused` is the distance of the matches that were possible but not taken."""
        return replace(
            self,
            chunks=self.chunks + (self.hyp_end is not None),
            distance=self.distance + refused,
            hyp_end=None,
        )

    def grown(self, matches: Sequence[Match]) -> list[_Path]:
        """With each of the matches that is possible, and without."""
        paths, refused = [], 0
        for match in filter(self.is_free, matches):
            paths.append(replace(self.extended(match), distance=self.distance + refused))
            refused += abs(match.hyp - match.ref)
        return [*paths, self.closed(refused)]


def all_matches(hyp: Sequence[int], ref: Sequence[int], lexicon: MeteorLexicon) -> list[Match]:
    """Every match of every module, in the order in which the search tries them."""
    words, stems, synsets = (defaultdict[int, list[int]](list) for _ in range(3))  # places of the reference
    for j, word in enumerate(ref):
        words[word].append(j)
        stems[lexicon.stems[word]].append(j)
        for synset in _synsets(lexicon, word):
            synsets[synset].append(j)
    found = []
    for i, word in enumerate(hyp):
        synonyms = sorted({j for synset in _synsets(lexicon, word) for j in synsets.get(synset, ())})
        for module, places in ((STEM, stems.get(lexicon.stems[word], ())), (SYNONYM, synonyms)):
            found += [Match(j, 1, i, module, 1) for j in places if ref[j] != word]
        found += [Match(j, 1, i, EXACT, 1) for j in words.get(word, ())]
    found += _paraphrases(hyp, ref, lexicon)
    return sorted(found, key=lambda match: (match.ref, match.module))


def _synsets(lexicon: MeteorLexicon, word: int) -> Sequence[int]:
    synsets: Sequence[int] = lexicon.synsets[lexicon.synset_start[word] : lexicon.synset_start[word + 1]]
    return synsets


def _paraphrases(hyp: Sequence[int], ref: Sequence[int], lexicon: MeteorLexicon) -> list[Match]:
    """Entries of the table that start from the reference come first, then those that start from the hypothesis."""
    table = lexicon.table
    if table is None:
        return []
    return [Match(j, hyp_size, i, PARAPHRASE, ref_size) for j, ref_size, i, hyp_size in _pairs(ref, hyp, lexicon)] + [
        Match(j, hyp_size, i, PARAPHRASE, ref_size) for i, hyp_size, j, ref_size in _pairs(hyp, ref, lexicon)
    ]


def _pairs(text: Sequence[int], other: Sequence[int], lexicon: MeteorLexicon) -> Iterator[tuple[int, int, int, int]]:
    """Start and size of a phrase of one text, and of its paraphrase in the other."""
    table = lexicon.table
    where: dict[int, list[tuple[int, int]]] = {}
    for start, size, node in table.phrases([lexicon.table_words[word] for word in other]):
        where.setdefault(node, []).append((start, size))
    for start, size, node in table.phrases([lexicon.table_words[word] for word in text]):
        for partner in table.pairs(node):
            for place in where.get(int(partner), ()):
                yield start, size, *place


def _fixed(matches: list[Match], hyp: int, ref: int) -> set[int]:
    """The places in the list of matches that share no word with another."""
    on_hyp, on_ref = [0] * hyp, [0] * ref
    for match in matches:
        for place in range(match.hyp, match.hyp + match.hyp_size):
            on_hyp[place] += 1
        for place in range(match.ref, match.ref + match.ref_size):
            on_ref[place] += 1
    return {
        number
        for number, match in enumerate(matches)
        if max(on_hyp[match.hyp : match.hyp + match.hyp_size]) == 1
        and max(on_ref[match.ref : match.ref + match.ref_size]) == 1
    }


def align(hyp: Sequence[int], ref: Sequence[int], lexicon: MeteorLexicon, beam: int) -> list[Match]:
    """The alignment of two texts, in the order of the reference."""
    return resolved(all_matches(hyp, ref, lexicon), len(hyp), len(ref), beam)


def resolved(matches: list[Match], hyp: int, ref: int, beam: int) -> list[Match]:
    """Of all matches of texts of that many words those that go together best, in the order of the reference."""
    fixed = _fixed(matches, hyp, ref)
    by_place: dict[int, list[Match]] = {}
    for match in matches:
        by_place.setdefault(match.ref, []).append(match)
    certain = {matches[number].ref: matches[number] for number in fixed}
    paths = [_Path()]
    for place in range(ref):
        grown = []
        for path in paths:
            if place in certain:
                grown.append(path.extended(certain[place]))
            elif path.ref_end > place:
                grown.append(path)
            else:
                grown += path.grown(by_place.get(place, ()))
        paths = sorted(grown, key=lambda path: path.rank)[:beam]
    return list(min(paths, key=lambda path: path.closed().rank).matches)


def statistics(hyp: Sequence[int], ref: Sequence[int], matches: list[Match], lexicon: MeteorLexicon) -> list[float]:
    """The statistics that METEOR adds up: lengths, function words, per module content and function words, chunks."""
    is_function, size = lexicon.function, lexicon.sizes
    row = [0.0] * COLUMNS
    for side, text in enumerate((hyp, ref)):
        row[side] = sum(size[word] for word in text)
        row[2 + side] = sum(size[word] for word in text if is_function[word])
    for match in matches:
        first = 4 + 4 * match.module
        for word in hyp[match.hyp : match.hyp + match.hyp_size]:
            row[first + 2 * is_function[word]] += size[word]
        for word in ref[match.ref : match.ref + match.ref_size]:
            row[first + 1 + 2 * is_function[word]] += size[word]
    joined = sum((a.ref + a.ref_size, a.hyp + a.hyp_size) == (b.ref, b.hyp) for a, b in pairwise(matches))
    row[20] = len(matches) - joined
    row[21] = sum(match.hyp_size for match in matches)
    row[22] = sum(match.ref_size for match in matches)
    if _is_whole(row):
        row[20] = 0
    return row


def _is_whole(row: Sequence[float] | Array) -> bool:
    """One chunk covers both texts: it is not penalised, nor counted when segments are summed."""
    return bool(row[21] == row[0] and row[22] == row[1] and row[20] <= 1)


def statistics_score(row: Array, parameters: Sequence[float], weights: Sequence[float]) -> float:
    """METEOR's score of one row; the order of the sums is that of the compiled twin."""
    alpha, beta, gamma, delta = parameters
    hyp = delta * (row[0] - row[2]) + (1 - delta) * row[2]
    ref = delta * (row[1] - row[3]) + (1 - delta) * row[3]
    matched_hyp = matched_ref = 0.0
    for module, weight in enumerate(weights):
        content_hyp, content_ref, function_hyp, function_ref = row[4 + 4 * module : 8 + 4 * module]
        matched_hyp += weight * (delta * content_hyp + (1 - delta) * function_hyp)
        matched_ref += weight * (delta * content_ref + (1 - delta) * function_ref)
    if matched_hyp <= 0 or matched_ref <= 0:
        return 0.0
    precision, recall = matched_hyp / hyp, matched_ref / ref
    fmean = 1 / ((1 - alpha) / precision + alpha / recall)
    fragmentation = 0.0 if _is_whole(row) else row[20] / ((row[21] + row[22]) / 2)
    return float(fmean * (1 - gamma * fragmentation**beta))


def meteor_beam_rows(
    words: array[int],
    text_start: array[int],
    segment_text: array[int],
    lexicon: MeteorLexicon,
    parameters: Sequence[float],
    weights: Sequence[float],
    beam: int,
    jobs: int,
) -> Array:
    """METEOR's 23 statistics for the best reference (the first of equals), under (alpha, beta, gamma, delta) and a
    weight a module."""
    texts = NumberedTexts(words, text_start, segment_text)
    rows = np.zeros((len(texts), COLUMNS))
    for number in range(len(texts)):
        hypothesis, references = texts.segment(number)
        best = -1.0
        for reference in references:
            matches = align(hypothesis, reference, lexicon, beam)
            row = np.array(statistics(hypothesis, reference, matches, lexicon))
            score = statistics_score(row, parameters, weights)
            if score > best:
                best, rows[number] = score, row
    return rows
