"""FKGL, the Flesch–Kincaid grade level (Kincaid et al. 1975): how many years of school a text asks of its readers.

0.39 · words per sentence + 11.8 · syllables per word − 15.59, at least 0, from sums over the whole set, as EASSE prints
it for simplification: texts are lower-cased and split by the tokeniser first, every token is a word, marks included,
and every lone `.`, `?` or `!` ends a sentence. Syllables are counted by the rules of Fast's Lingua::EN::Syllable with
the exceptions that nltk_contrib lists; they are for English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.text import tokenizers

_ENDS = frozenset(".?!")
_CLOSING = re.compile(r"""["')\]}‘’“”«»]+""")  # after an end, still of the same sentence
_VOWELS = re.compile("[aeiouy]+")
_ONE_MORE = tuple(
    map(
        re.compile,
        (
            *("ia", "riet", "dien", "iu", "io", "ii", "[aeiouy]bl$", "mbl$", "[aeiou]{3}", "^mc", "ism$"),
            *(r"(.)(?!\1)([aeiouy])\2l$", "[^l]llien", "^coad.", "^coag.", "^coal.", "^coax."),
            *(r"(.)(?!\1)[gq]ua(.)(?!\2)[aeiou]", "dnt$"),
        ),
    )
)
_ONE_LESS = tuple(map(re.compile, ("cial", "tia", "cius", "cious", "gui", "ion", "iou", "sia$", ".ely$")))
_EXCEPTIONS = {
    word: syllables
    for syllables, words in {
        1: "the chummed peeped sheered flapped mimes ms st foamed brutes h'm gaped lb",
        2: "tottered moustaches messieurs bepatched caressed trespassed pencilled motioned poleman slandered sombre "
        "sidespring effaces mr mrs dr sr jr truckle fringed clattered capered mangroves suavely reclined effaced "
        "quivered deafened unstained stammered shivered gravesend 60 greyish",
        3: "shamefully disinterred sepulchre hemispheres veriest manoeuvred discoloured unexpressed",
        4: "satiated sailmaker etc sententiously",
        5: "particularized unostentatious",
        6: "propitiatory",
    }.items()
    for word in words.split()
}


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """The syllables of a lower-cased English word; 0 of a mark.

    >>> [syllables(word) for word in ("the", "reader", "bottle", "idea", ".")]
    [1, 2, 1, 2, 0]
    """
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    spoken = word.rstrip("e")  # a final e is silent
    more = sum(rule.search(spoken) is not None for rule in _ONE_MORE)
    less = sum(rule.search(spoken) is not None for rule in _ONE_LESS)
    return len(_VOWELS.findall(spoken)) + more - less


def sentences(words: Sequence[str]) -> int:
    """How many sentences the tokens of a text make."""
    count, open_, ended = 0, False, False
    for word in words:
        if ended and _CLOSING.fullmatch(word):
            ended = False  # closing marks follow an end once; more of them begin a sentence
            continue
        open_, ended = True, word in _ENDS
        if ended:
            count, open_ = count + 1, False
    return count + open_


@dataclass(frozen=True)
class Fkgl(Metric):
    """Flesch–Kincaid grade level of the outputs, English only: lower is simpler.

    It reads neither source nor reference, so that short scraps of words score best: report it beside SARI.

    >>> round(Fkgl().corpus(["The cat sat on the mat.", "Unquestionably complicated sentences intimidate readers."]), 2)
    8.73
    """

    tok: str = option("13a", "tokeniser", check=tokenizers.check)

    name = "fkgl"
    direction = "lower"
    bounds = (0.0, float("inf"))
    needs = ("outputs",)
    cite = (
        "Kincaid, Fishburne, Rogers and Chissom (1975), Derivation of new readability formulas for Navy enlisted "
        "personnel. Research Branch Report 8-75."
    )
    reference = "EASSE's corpus_fkgl"
    columns = ("words", "syllables", "sentences")
    places = 2

    def rows(self, batch: Batch) -> Array:
        split = tokenizers.tokenizer(self.tok)
        found = [split(text.lower()) for text in batch.hypotheses]
        counts = [(len(words), sum(map(syllables, words)), sentences(words)) for words in found]
        return np.array(counts, dtype=np.float64).reshape(-1, 3)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        words = totals[..., 0]
        grade = 0.39 * ratio(words, totals[..., 2]) + 11.8 * ratio(totals[..., 1], words) - 15.59
        return np.where(words > 0, np.maximum(grade, 0.0), 0.0)
