"""The input side: predicates, entities, combinations, sizes, and how unevenly predicates are spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from nlgauge.corpus.entries import Corpus, Entity, Entry, Template, Text, slot_names
from nlgauge.corpus.templates import delexicalise, tokens
from nlgauge.jsonable import Jsonable
from nlgauge.text.sentences import sentences

RARE = 10  # van Miltenburg et al. (2020) count the predicates that occur less often


@dataclass(frozen=True)
class Inputs(Jsonable):
    """`combinations` counts sets of predicates, `rare` predicates with fewer than `under` triples.

    `head_share` is the share of triples with one of the most frequent tenth of the predicates, `gini` 0 where all
    predicates are as frequent and near 1 where one has nearly all triples, `skewness` the third standardised moment.
    """

    entries: int
    triples: int
    distinct_triples: int
    predicates: int
    entities: int
    combinations: int
    under: int
    rare: int
    head_share: float
    gini: float
    skewness: float
    sizes: dict[str, int]
    categories: dict[str, int]
    frequencies: dict[str, int]


def frequencies(entries: Sequence[Entry]) -> dict[str, int]:
    """How many triples have each predicate, the most frequent first (Figure 2 of the paper)."""
    return dict(Counter(triple.predicate for entry in entries for triple in entry.triples).most_common())


def profile_inputs(entries: Sequence[Entry], *, under: int = RARE) -> Inputs:
    """Count the inputs."""
    found = frequencies(entries)
    counts = np.array(sorted(found.values()), dtype=np.float64)
    triples = [triple for entry in entries for triple in entry.triples]
    head = counts[-max(1, len(counts) // 10) :]
    spread = counts.std()
    return Inputs(
        entries=len(entries),
        triples=len(triples),
        distinct_triples=len(set(triples)),
        predicates=len(found),
        entities=len({name for triple in triples for name in (triple.subject, triple.object) if name}),
        combinations=len({frozenset(triple.predicate for triple in entry.triples) for entry in entries}),
        under=under,
        rare=int((counts < under).sum()),
        head_share=float(head.sum() / counts.sum()),
        gini=gini(counts),
        skewness=float((((counts - counts.mean()) / spread) ** 3).mean()) if spread else 0.0,
        sizes={str(size): count for size, count in sorted(Counter(len(e.triples) for e in entries).items())},
        categories=dict(Counter(entry.category for entry in entries if entry.category).most_common()),
        frequencies=found,
    )


def gini(counts: Sequence[float] | np.typing.NDArray[np.float64]) -> float:
    """Gini's coefficient of counts.

    >>> gini([5, 5]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    ordered = np.sort(np.asarray(counts, dtype=np.float64))
    n, total = len(ordered), ordered.sum()
    if not total:
        return 0.0
    return float(2 * (np.arange(1, n + 1) * ordered).sum() / (n * total) - (n + 1) / n)


# The output side: templates, lengths, words, sentences, orders and segmentation, and Table 1 of the paper.


@dataclass(frozen=True)
class Lexicalisations(Jsonable):
    """Templates of one predicate: how many different ones among all, and how many texts have none."""

    predicate: str
    unique: int
    total: int
    ratio: float
    without: int


@dataclass(frozen=True)
class Order(Jsonable):
    """How the triples of inputs of one size are ordered and divided, over the texts in which all could be placed.

    `segmentations` counts, for instance, 2+1: two triples in the first sentence, one in the second.
    """

    size: int
    texts: int
    placed: int
    orders: int
    as_input: int
    segmentations: dict[str, int]


@dataclass(frozen=True)
class Outputs(Jsonable):
    """`source` says where templates come from: annotated, induced by delexicalisation, or both."""

    texts: int
    distinct_texts: int
    sentences: float
    words: float
    shortest: int
    longest: int
    vocabulary: int
    source: str
    templates: int
    distinct_templates: int
    references: dict[str, int]
    single: tuple[Lexicalisations, ...]
    overall: tuple[Lexicalisations, ...]
    orders: tuple[Order, ...]


def with_templates(corpus: Corpus) -> Corpus:
    """The corpus with a template for every text of an entry without annotation."""
    return replace(
        corpus,
        entries=tuple(entry if entry.annotated else _induced(entry) for entry in corpus.entries),
    )


def _induced(entry: Entry) -> Entry:
    names = entry.entities or slot_names(entry.triples)
    texts = []
    for text in entry.texts:
        found = delexicalise(text.text, entry.triples, names)
        texts.append(replace(text, template=found.template, mentions=found.mentions))
    return replace(entry, texts=tuple(texts), entities=names)


def profile_outputs(corpus: Corpus) -> Outputs:
    """Count the texts of a corpus whose texts have templates (`with_templates`)."""
    texts = [text for _, text in corpus.texts()]
    lines = [[token.text for token in tokens(text.text) if token.key] for text in texts]
    lengths = [len(line) for line in lines] or [0]
    templates = [str(text.template) for text in texts if text.template is not None]
    sources = {"annotated" if entry.annotated else "induced" for entry, _ in corpus.texts()}
    references = Counter(mention.kind for text in texts for mention in text.mentions)
    return Outputs(
        texts=len(texts),
        distinct_texts=len({text.text for text in texts}),
        sentences=_mean(len(sentences(text.text)) for text in texts),
        words=_mean(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        vocabulary=len({word.casefold() for line in lines for word in line}),
        source=" and ".join(sorted(sources)),
        templates=len(templates),
        distinct_templates=len(set(templates)),
        references=dict(references.most_common()),
        single=lexicalisations(corpus.entries, single=True),
        overall=lexicalisations(corpus.entries, single=False),
        orders=tuple(_orders(corpus.entries)),
    )


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def lexicalisations(entries: Iterable[Entry], *, single: bool) -> tuple[Lexicalisations, ...]:
    """Unique and total templates of each predicate, the highest ratio first.

    With `single` as in Table 1: inputs of one triple, by the predicate's original name, where texts without a template
    count together as one template (so did the paper's script; `countySeat` has 7/15 with and 6/14 without it).
    Otherwise all texts whose input has the predicate, and only those with a template.
    """
    found: dict[str, list[Template | None]] = defaultdict(list)
    for entry in entries:
        if single and len(entry.triples) != 1:
            continue
        given = entry.original if single and entry.original else entry.triples
        for predicate in dict.fromkeys(triple.predicate for triple in given):
            found[predicate] += [text.template for text in entry.texts]
    rows = []
    for predicate, templates in found.items():
        counted = [None if template is None else str(template) for template in templates]
        without = counted.count(None)
        kept = counted if single else [template for template in counted if template is not None]
        if kept:
            unique = len(set(kept))
            rows.append(Lexicalisations(predicate, unique, len(kept), unique / len(kept), without))
    return tuple(sorted(rows, key=lambda row: (-row.ratio, -row.total, row.predicate)))


def placed(entry: Entry, text: Text) -> tuple[tuple[int, ...], ...] | None:
    """The triples of an entry in the order of the text, sentence by sentence; None where one could not be placed.

    Annotated orders are taken. Otherwise a triple stands where its object does, first in a sentence that names its
    subject too: an estimate.
    """
    if text.order:
        return text.order if sum(map(len, text.order)) == len(entry.triples) else None
    if text.template is None:
        return None
    slots = {value: name for name, value in entry.entities.items()}
    named = [[str(part) for part in sentence] for sentence in text.template.sentences]
    where: list[tuple[int, int, int]] = []
    for number, triple in enumerate(entry.triples):
        subject, thing = slots.get(triple.subject), slots.get(triple.object)
        spots = [
            (subject not in sentence, place, sentence.index(thing))
            for place, sentence in enumerate(named)
            if thing is not None and thing in sentence
        ]
        if not spots:
            return None
        _, place, within = min(spots)
        where.append((place, within, number))
    found: dict[int, list[int]] = defaultdict(list)
    for place, _, number in sorted(where):
        found[place].append(number)
    return tuple(tuple(found[place]) for place in sorted(found))


def _orders(entries: Sequence[Entry]) -> Iterator[Order]:
    by_size: dict[int, list[tuple[Entry, Text]]] = defaultdict(list)
    for entry in entries:
        if len(entry.triples) > 1 and all(triple.subject for triple in entry.triples):
            by_size[len(entry.triples)] += [(entry, text) for text in entry.texts]
    for size, texts in sorted(by_size.items()):
        found = [order for order in (placed(entry, text) for entry, text in texts) if order is not None]
        flat = [tuple(number for sentence in order for number in sentence) for order in found]
        yield Order(
            size=size,
            texts=len(texts),
            placed=len(found),
            orders=len(set(flat)),
            as_input=sum(order == tuple(range(size)) for order in flat),
            segmentations=dict(
                Counter("+".join(str(len(sentence)) for sentence in order) for order in found).most_common()
            ),
        )


def entities(corpus: Corpus) -> list[Entity]:
    """Every entity with its realisations, the most frequent first, of texts that have mentions (`with_templates`)."""
    found: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for entry, text in corpus.texts():
        for mention in text.mentions:
            if mention.slot in entry.entities:
                found[entry.entities[mention.slot]][mention.kind, mention.text] += 1
    return [Entity(name, dict(counts.most_common())) for name, counts in sorted(found.items())]


# What the splits of a corpus have in common.


KINDS = ("inputs", "triples", "predicates", "entities", "templates", "texts")


@dataclass(frozen=True)
class Overlap(Jsonable):
    """Of the distinct things of a later split, how many the first has too."""

    first: str
    second: str
    kind: str
    shared: int
    distinct: int


def overlaps(entries: Sequence[Entry]) -> tuple[Overlap, ...]:
    """Every pair of splits, in their order in the data; none where there is one split."""
    splits = list(dict.fromkeys(entry.split for entry in entries))
    things = {
        split: [_things(kind, [entry for entry in entries if entry.split == split]) for kind in KINDS]
        for split in splits
    }
    return tuple(
        Overlap(first, second, kind, len(mine & theirs), len(theirs))
        for first, second in combinations(splits, 2)
        for kind, mine, theirs in zip(KINDS, things[first], things[second], strict=True)
    )


def _things(kind: str, entries: Iterable[Entry]) -> set[Hashable]:
    if kind == "inputs":
        return {frozenset(entry.triples) for entry in entries}
    if kind == "templates":
        return {str(text.template) for entry in entries for text in entry.texts if text.template is not None}
    if kind == "texts":
        return {text.text for entry in entries for text in entry.texts}
    triples = [triple for entry in entries for triple in entry.triples]
    if kind == "triples":
        return set(triples)
    if kind == "predicates":
        return {triple.predicate for triple in triples}
    return {name for triple in triples for name in (triple.subject, triple.object) if name}
