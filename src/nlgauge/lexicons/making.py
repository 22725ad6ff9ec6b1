"""Tables of one's own for METEOR: paraphrases and function words by METEOR Universal's procedure, and copy words.

Denkowski and Lavie (2014) get both from the bitext of a translation system. Phrases e1 and e2 of one language are
paraphrases as far as they translate the same foreign phrases (Bannard and Callison-Burch 2005):

    p(e2 | e1) = Σ_f p(f | e1) · p(e2 | f)

Translations below 0.001 are left out first, paraphrases below 0.01 at the end, and phrases that hold a punctuation mark
or a digit or consist of function words only. Function words have a relative frequency above 0.001. The files are what
`meteor-universal` reads (`paraphrases=FILE`, `function=FILE`).
"""

from __future__ import annotations

import gzip
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from nlgauge.errors import InputError

# A phrase table from a parallel corpus: IBM Model 1 both ways, the alignments joined, consistent phrase pairs counted.
#
# Brown et al. (1993) for the model, Koehn, Och and Marcu (2003) and Och and Ney (2003) for the rest. Plain and without
# chance: uniform start, a fixed number of steps, ties to the leftmost word. Model 1 knows nothing of word order, so
# this is for small corpora where no toolkit is at hand; a table from Moses or fast_align will be better.


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


Translation = tuple[str, str, float, float]  # foreign phrase f, own phrase e, p(f | e), p(e | f)
Paraphrase = tuple[float, str, str]  # p(e2 | e1), e1, e2


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, gzipped or plain."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def moses_table(path: Path, side: str = "target") -> Iterator[Translation]:
    """A phrase table in Moses' format: source ||| target ||| p(source | target) lex p(target | source) lex |||…

    `side` says which language the paraphrases shall be of.
    """
    for number, line in enumerate(lines_of(path), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("|||")]
        try:
            source, target, values = parts[0], parts[1], [float(value) for value in parts[2].split()]
            inverse, direct = values[0], values[2]
        except (IndexError, ValueError):
            raise InputError(
                f"{path}, line {number}: expected SOURCE ||| TARGET ||| p(s|t) lex(s|t) p(t|s) lex(t|s), as Moses "
                f"writes phrase tables; found {line[:60]!r}"
            ) from None
        if not (source and target and 0 <= inverse <= 1 and 0 <= direct <= 1):
            raise InputError(f"{path}, line {number}: a phrase is empty or a probability is not between 0 and 1")
        yield (source, target, inverse, direct) if side == "target" else (target, source, direct, inverse)


def parallel_table(foreign: Sequence[str], own: Sequence[str], longest: int = 7) -> Iterator[Translation]:
    """The same from a parallel corpus, lower-cased and split at blanks, aligned by `nlgauge.lexicons.making`."""
    if len(foreign) != len(own):
        raise InputError(
            f"{len(foreign)} foreign lines but {len(own)} own lines; a parallel corpus has a line for each line"
        )
    pairs = [(f.lower().split(), e.lower().split()) for f, e in zip(foreign, own, strict=True)]
    counts = phrase_counts([pair for pair in pairs if all(pair)], longest)
    of_foreign: Counter[str] = Counter()
    of_own: Counter[str] = Counter()
    for (f, e), count in counts.items():
        of_foreign[f] += count
        of_own[e] += count
    for (f, e), count in sorted(counts.items()):
        yield f, e, count / of_own[e], count / of_foreign[f]


def paraphrases(
    translations: Iterable[Translation],
    function: Collection[str] = frozenset(),
    *,
    translation: float = 0.001,
    least: float = 0.01,
    longest: int = 7,
) -> list[Paraphrase]:
    """Pivot a phrase table; ordered by the first phrase, then by falling probability."""
    by_foreign: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for f, e, inverse, direct in translations:
        if min(inverse, direct) >= translation and _is_usable(e, function, longest):
            by_foreign[f].append((e, inverse, direct))
    found: dict[tuple[str, str], float] = defaultdict(float)
    for options in by_foreign.values():
        for e1, inverse, _ in options:
            for e2, _, direct in options:
                if e1 != e2:
                    found[e1, e2] += inverse * direct
    kept = [(value, *pair) for pair, value in found.items() if value >= least]
    return sorted(kept, key=lambda entry: (entry[1], -entry[0], entry[2]))


def _is_usable(phrase: str, function: Collection[str], longest: int) -> bool:
    words = phrase.split()
    if len(words) > longest or all(word in function for word in words):
        return False
    return not any(unicodedata.category(sign)[0] in "PSN" for word in words for sign in word)


def function_words(texts: Iterable[str], above: float = 0.001) -> list[str]:
    """Words of a relative frequency above the limit, the most frequent first; punctuation is a word like any other."""
    counts = Counter(word for text in texts for word in text.lower().split())
    total = sum(counts.values())
    return [word for word, count in _by_frequency(counts) if count / total > above]


def copy_words(
    first: Sequence[str],
    second: Sequence[str],
    function: Collection[str] = frozenset(),
    *,
    share: float = 0.9,
    least: int = 5,
) -> list[str]:
    """Words that paraphrases keep: of the pairs that hold one (`least` at least), `share` have it on both sides."""
    if len(first) != len(second):
        raise InputError(f"{len(first)} lines but {len(second)} paraphrases; give a paraphrase for each line")
    seen: Counter[str] = Counter()
    both: Counter[str] = Counter()
    for one, other in zip(first, second, strict=True):
        here, there = set(one.lower().split()), set(other.lower().split())
        seen.update(here | there)
        both.update(here & there)
    return [
        word
        for word, count in _by_frequency(seen)
        if count >= least
        and both[word] / count >= share
        and word not in function
        and any(sign.isalnum() for sign in word)
    ]


def _by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def paraphrase_table(entries: Iterable[Paraphrase]) -> str:
    """The table as METEOR reads it, three lines an entry: probability, phrase, phrase."""
    return "".join(f"{value:.8g}\n{e1}\n{e2}\n" for value, e1, e2 in entries)


def word_table(words: Iterable[str]) -> str:
    """One word a line."""
    return "".join(f"{word}\n" for word in words)
