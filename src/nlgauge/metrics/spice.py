"""SPICE (Anderson, Fernando, Johnson and Gould 2016): F1 over the tuples of scene graphs, without Java.

A caption is parsed into a scene graph: objects, attributes of objects, relations between objects. The references are
merged into one graph, in which objects that mean the same are one; a tuple of the output matches one of the references
if all of its elements are equal or share a WordNet synset. Precision, recall and F1 count tuples; `output=` also gives
F1 within objects, attributes and relations, and within those attributes that tell a colour, a number or a size.

The original runs the Stanford parser and its scene-graph rules; here the rules read the trees of spaCy, or of any
parser with its labels (`nlgauge.models.scenes`), so that scores agree closely but not to the digit. The score of a
set is the mean of its segments' scores; of a category, over the segments where output or references have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.lexicons.wordnet import WordNet, wordnet
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Graph, Triple
from nlgauge.metrics.modelled import model_option
from nlgauge.models.interface import Parser
from nlgauge.models.scenes import Scene, Tuple, scene
from nlgauge.models.scenes.tree import COLORS, SIZES

# How SPICE compares scene graphs: concepts that match by base form or WordNet synset, and graphs merged into one.


CATEGORIES = ("object", "attribute", "relation", "color", "count", "size")
Key = str | tuple[str, int]
Keys = frozenset[Key]


@lru_cache(maxsize=100_000)
def _keys(base: WordNet, name: str, parts: str) -> Keys:
    """The name itself and the synsets it belongs to, of these parts of speech."""
    senses = base.synsets(name.replace(" ", "_"))  # "pick up": a verb with its particle is a word of its own
    return frozenset((name, *(sense for sense in senses if sense[0] in parts)))


def keys(name: str, place: int, size: int, base: WordNet | None) -> Keys:
    """What an element of a tuple can be matched by; without a WordNet only by its name."""
    if base is None or name.isdecimal():
        return frozenset((name,))
    parts = "v" if (size, place) == (3, 1) else "nvar" if (size, place) == (2, 1) else "n"
    return _keys(base, name, parts)


@dataclass(frozen=True)
class Fact:
    """A tuple with what its elements can be matched by."""

    words: Tuple
    keys: tuple[Keys, ...]

    def matches(self, other: Fact) -> bool:
        """Whether all elements of both mean the same."""
        return len(self.keys) == len(other.keys) and all(
            not mine.isdisjoint(theirs) for mine, theirs in zip(self.keys, other.keys, strict=True)
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """Object, attribute or relation; attributes also by what they tell."""
        kind = CATEGORIES[len(self.words) - 1]
        if kind != "attribute":
            return (kind,)
        value = self.words[1]
        told = "count" if value.isdecimal() else "color" if value in COLORS else "size" if value in SIZES else ""
        return (kind, told) if told else (kind,)


def merged(scenes: Iterable[Scene], base: WordNet | None) -> tuple[Fact, ...]:
    """The facts of several graphs as of one: objects that mean the same are one, and equal facts count once."""
    several = list(scenes)
    objects: dict[str, Keys] = {}  # an object under the name it had first, with the keys of all its names
    known: dict[str, str] = {}
    for graph in several:
        for name in graph.objects:
            if name not in known:
                mine = keys(name, 0, 1, base)
                known[name] = next((old for old, theirs in objects.items() if not mine.isdisjoint(theirs)), name)
                objects[known[name]] = objects.get(known[name], frozenset()) | mine
    facts: dict[int, list[Fact]] = {1: [], 2: [], 3: []}
    for graph in several:
        for words in graph.tuples:
            size = len(words)
            named = tuple(known.get(word, word) if place in (0, 2) else word for place, word in enumerate(words))
            fact = Fact(
                named,
                tuple(
                    objects[word] if place in (0, 2) else keys(word, place, size, base)
                    for place, word in enumerate(named)
                ),
            )
            if not any(fact.matches(other) for other in facts[size]):
                facts[size].append(fact)
    return tuple(fact for some in facts.values() for fact in some)


def matched(mine: Sequence[Fact], theirs: Sequence[Fact]) -> dict[int, int]:
    """The largest one-to-one matching: places in `mine` -> places in `theirs`."""
    edges = [[k for k, other in enumerate(theirs) if fact.matches(other)] for fact in mine]
    owner: dict[int, int] = {}

    def placed(place: int, tried: set[int]) -> bool:
        for target in edges[place]:
            if target not in tried:
                tried.add(target)
                if target not in owner or placed(owner[target], tried):
                    owner[target] = place
                    return True
        return False

    for place in range(len(mine)):
        placed(place, set())
    return {place: target for target, place in owner.items()}


_OUTPUTS = ("f1", "p", "r", *CATEGORIES)
_TUPLES = ("all", "attributes", "objects")


@dataclass(frozen=True)
class Spice(Metric):
    """F1 over objects, attributes and relations of the scene graphs of output and references; made for captions."""

    model: str = model_option("parser", "spacy-en")
    synonyms: bool = option(True, "match words that share a WordNet synset")
    tuples: str = option("all", "all tuples, only objects and attributes, or only objects", choices=_TUPLES)
    output: str = option("f1", "F1, precision, recall, or the F1 of one category", choices=_OUTPUTS, scoring=True)

    name = "spice"
    needs = ("references", "parser")
    cite = "Anderson, Fernando, Johnson and Gould (2016), SPICE: Semantic propositional image caption evaluation. ECCV."
    reference = "close to SPICE 1.0 (Java): its rules over the trees of another parser"

    @property
    def columns(self) -> tuple[str, ...]:
        return (
            "f1",
            "p",
            "r",
            "segments",
            *(f"{name}{end}" for name in CATEGORIES for end in ("", " segments")),
        )

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (("parser", self.model),)

    @property
    def model_fact(self) -> str:
        return self.parser().info.fact()

    @property
    def lexicon_fact(self) -> str:
        return wordnet().fact  # the rules of scenes look base forms up, without synonyms too

    def parser(self) -> Parser:
        """The model, loaded once in a process."""
        return models.parser(self.model, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        graphs = self._graphs(batch)
        rows = np.zeros((len(batch), len(self.columns)))
        facts: dict[tuple[str, ...], tuple[Fact, ...]] = {}  # systems are judged by the same references
        for place, texts in enumerate(zip(batch.hypotheses, batch.references, strict=True)):
            both = (texts[0],), tuple(texts[1])
            for some in both:
                if some not in facts:
                    facts[some] = self._facts([graphs[text] for text in some])
            mine, theirs = (facts[some] for some in both)
            rows[place] = _row(mine, theirs, matched(mine, theirs))
        return rows

    def _graphs(self, batch: Batch) -> dict[str, Scene]:
        """The graph of each distinct text."""
        texts = list(dict.fromkeys([*batch.hypotheses, *(text for several in batch.references for text in several)]))
        base = wordnet()
        parses = self.parser().parse(texts)
        return {text: scene(parse, base) for text, parse in zip(texts, parses, strict=True)}

    def _facts(self, graphs: Sequence[Scene]) -> tuple[Fact, ...]:
        longest = {"all": 3, "attributes": 2, "objects": 1}[self.tuples]
        return tuple(
            fact for fact in merged(graphs, wordnet() if self.synonyms else None) if len(fact.words) <= longest
        )

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        place = self.columns.index(self.output)
        count = totals[..., self.columns.index("segments") if place < 3 else place + 1]
        mean: Array = np.divide(totals[..., place], count, out=np.zeros(totals[..., place].shape), where=count > 0)
        return mean

    def void(self, totals: Array) -> str:
        place = self.columns.index(self.output)
        if place < 3 or totals[place + 1]:
            return ""
        return f"neither outputs nor references have {_PLURALS[self.output]}, so there is nothing to score"

    def explained(self, batch: Batch) -> Explanation:
        """The tuples of both graphs, and which of them match."""
        graphs = self._graphs(batch)
        mine = self._facts([graphs[batch.hypotheses[0]]])
        theirs = self._facts([graphs[text] for text in batch.references[0]])
        pairs = matched(mine, theirs)
        row = _row(mine, theirs, pairs)
        back = {target: place for place, target in pairs.items()}
        parts = [
            Graph("The scene of the output", _triples(mine, pairs, theirs)),
            Graph(
                "The scene of the reference" if len(batch.references[0]) == 1 else "The scene of all references",
                _triples(theirs, back, mine),
            ),
        ]
        found = len(pairs)
        figures = [
            Figure("precision", row[1], f"{found} of {len(mine)} tuples of the output"),
            Figure("recall", row[2], f"{found} of {len(theirs)} tuples of the references"),
            Figure("F1", row[0]),
        ]
        for number, name in enumerate(CATEGORIES):
            if row[5 + 2 * number]:
                figures.append(Figure(f"F1 of {_PLURALS[name]}", row[4 + 2 * number]))
        return Explanation.of(self, batch, row, figures=figures, parts=parts)


_PLURALS = {
    "object": "objects",
    "attribute": "attributes",
    "relation": "relations",
    "color": "colours",
    "count": "counts",
    "size": "sizes",
}


def _row(mine: Sequence[Fact], theirs: Sequence[Fact], pairs: dict[int, int]) -> list[float]:
    """F1, precision, recall and 1; then for each category its F1 and whether there is anything of it."""
    row = [*_f1(len(pairs), len(mine), len(theirs)), 1.0]
    for name in CATEGORIES:
        left = {place for place, fact in enumerate(mine) if name in fact.categories}
        right = {place for place, fact in enumerate(theirs) if name in fact.categories}
        both = sum(place in left and target in right for place, target in pairs.items())
        row += [_f1(both, len(left), len(right))[0], float(bool(left or right))]
    return row


def _f1(both: int, left: int, right: int) -> tuple[float, float, float]:
    """F1, precision and recall; 0 where nothing matches."""
    if not both:
        return 0.0, 0.0, 0.0
    return 2 * both / (left + right), both / left, both / right


def _triples(facts: Sequence[Fact], pairs: dict[int, int], others: Sequence[Fact]) -> tuple[Triple, ...]:
    found = []
    for place, fact in enumerate(facts):
        other = others[pairs[place]].words if place in pairs else ()
        found.append(Triple(fact.words, place in pairs, () if other == fact.words else other))
    return tuple(found)
