"""syntax: overlap of grammatical relations, as metrics over dependency parses count them.

Words are lower-cased and punctuation is left out. With `items` for the formulas, a feature counts

    relations         a word, its head and the relation between them (the triples of Owczarzak et al. 2007)
    heads             a word and its head
    ruled             a word and its relation to its head (DP-Or-* of Giménez and Màrquez 2007)
    levels            a word and its depth in the tree (DP-Ol-*)
    parts             a word and its part of speech (DP-Oc-*)
    chains            words with head, head of the head and so on, of 1 to 4 words (HWCM, Liu and Gildea 2005)
    chains-parts      the same chains, of parts of speech (DP-HWCMc-4)
    chains-relations  the same chains, of relations (DP-HWCMr-4)

HWCM proper is `syntax(feature=chains,output=p)`. The authors parse with Minipar or Collins's parser; here it is spaCy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from nlgauge.metrics.base import option
from nlgauge.metrics.items import Found, ItemMetric, Items, output_option
from nlgauge.metrics.modelled import model_option
from nlgauge.models.interface import Parse, Word

_LONGEST = 4  # words of a chain
_CHAINS = ("chains", "chains-parts", "chains-relations")
PLURALS = {
    "relations": "words with head and relation",
    "heads": "words with their heads",
    "ruled": "words with their relations",
    "levels": "words by level of the tree",
    "parts": "words by part of speech",
    "chains": "chains of head words",
    "chains-parts": "chains of parts of speech",
    "chains-relations": "chains of relations",
}


@dataclass(frozen=True)
class Syntax(ItemMetric):
    """Overlap of grammatical relations, from dependency parses of output and reference; 0 to 1.

    `feature` says what is counted: words with head and relation by default, or chains of heads (HWCM), words by
    relation, level or part of speech.
    """

    model: str = model_option("parser", "spacy-en")
    feature: str = option("relations", "what is counted", choices=tuple(PLURALS), scoring=True)
    output: str = output_option()

    name = "syntax"
    cite = (
        "Giménez and Màrquez (2007), Linguistic features for automatic evaluation of heterogenous MT systems. WMT; "
        "Liu and Gildea (2005), Syntactic features for evaluation of machine translation. ACL workshop; "
        "Owczarzak, van Genabith and Way (2007), Dependency-based automatic evaluation for machine translation. SSST."
    )
    reference = "the papers' formulas, over the trees of another parser"
    plurals = PLURALS
    lengths = {feature: _LONGEST if feature in _CHAINS else 1 for feature in PLURALS}

    @staticmethod
    def items(parse: Parse) -> Found:
        return relations(parse)


def relations(parse: Parse) -> Found:
    """The items of every feature."""
    words = parse.words
    kept = [number for number, word in enumerate(words) if word.pos not in ("PUNCT", "SPACE")]
    paths = {number: _path(parse, number) for number in kept}
    single: dict[str, Items] = {name: Counter() for name in PLURALS if name not in _CHAINS}
    for number in kept:
        word = words[number]
        text, path = word.text.lower(), paths[number]
        head = words[path[1]].text.lower() if len(path) > 1 else ""
        single["relations"][text, word.dep, head] += 1
        single["heads"][text, head] += 1
        single["ruled"][text, word.dep] += 1
        single["levels"][text, str(len(path))] += 1
        single["parts"][text, word.pos] += 1
    tells: tuple[Callable[[Word], str], ...] = (_text, _part, _relation)
    chains = {
        name: [
            Counter(
                tuple(tell(words[place]) for place in path[:length]) for path in paths.values() if len(path) >= length
            )
            for length in range(1, _LONGEST + 1)
        ]
        for name, tell in zip(_CHAINS, tells, strict=True)
    }
    return {**{name: [items] for name, items in single.items()}, **chains}


def _path(parse: Parse, number: int) -> list[int]:
    """A word, its head and so on to the root."""
    path = [number]
    while (head := parse.words[path[-1]].head) != path[-1] and len(path) <= len(parse.words):
        path.append(head)
    return path


def _text(word: Word) -> str:
    return word.text.lower()


def _part(word: Word) -> str:
    return word.pos


def _relation(word: Word) -> str:
    return word.dep
