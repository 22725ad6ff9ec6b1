"""semantics: overlap of named entities, semantic roles and discourse relations.

Words are lower-cased and punctuation is left out. With `items` for the formulas, a feature counts

    roles           a word that fills a role, with the role (SR-Or-* of Giménez and Màrquez 2007)
    roles-verbs     the same with the predicate (SR-Orv-*)
    fillers         what fills a role as a whole, with the role (SR-Mr-*)
    role-names      roles, whatever fills them (SR-Or)
    entities        a word of a named entity, with the entity's type (NE-Oe-*)
    entities-words  the same, and words outside of entities with no type (NE-Oe-**)
    names           an entity as a whole, with its type (NE-Me-*)
    connectives     a connective, with the discourse relation that it signals (`text.connectives`)
    discourse       discourse relations, whatever signals them

Roles are those of `models.frames`, read off a dependency parse; the authors use a labeller of PropBank's roles. Most
sentences have no named entity and no connective: these features tell segments apart only where others do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nlgauge.metrics.base import option
from nlgauge.metrics.modelled import model_option
from nlgauge.metrics.syntax import Found, ItemMetric, Items, output_option
from nlgauge.models.frames import frames
from nlgauge.models.interface import Parse

# English connectives and the discourse relations they signal, by a list of our own.
#
# Relations are the four classes of the Penn Discourse Treebank (Prasad et al. 2008) in a finer cut. A connective counts
# wherever its words stand; the longest that fits is taken. Words that mostly do something else, or whose relation words
# alone do not tell (and, as, for, since, so), are left out.


_CUES = {
    "contrast": "but|however|yet|whereas|on the other hand|by contrast|"
    "in contrast|conversely|rather than|instead|instead of",
    "concession": "although|though|even though|despite|in spite of|nevertheless|nonetheless|"
    "even if|still|albeit|notwithstanding|regardless of",
    "cause": "because|because of|due to|owing to|thanks to|given that|on account of|inasmuch as",
    "result": "therefore|thus|hence|consequently|as a result|so that|accordingly|in consequence|thereby",
    "condition": "if|unless|provided that|as long as|in case|otherwise|only if|whether",
    "purpose": "in order to|in order that|so as to",
    "before": "before|until|till|prior to|previously|earlier",
    "after": "after|afterwards|then|subsequently|later|once|as soon as|thereafter",
    "meanwhile": "while|when|meanwhile|at the same time|during|whenever|simultaneously|in the meantime",
    "addition": "also|moreover|furthermore|in addition|besides|as well as|additionally|not only|likewise|similarly",
    "alternative": "or|either|alternatively|nor|neither",
    "example": "for example|for instance|such as|in particular|namely|in other words|that is|specifically",
    "exception": "except|except for|apart from|other than",
    "conclusion": "in conclusion|finally|in short|in sum|overall|to sum up|all in all",
}
_RELATIONS = {tuple(cue.split()): relation for relation, cues in _CUES.items() for cue in cues.split("|")}
_LONGEST = max(map(len, _RELATIONS))


def connectives(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The connectives of a text, given by its words in lower case, with the relation of each."""
    text = list(words)
    place = 0
    while place < len(text):
        for size in range(_LONGEST, 0, -1):
            cue = tuple(text[place : place + size])
            if len(cue) == size and cue in _RELATIONS:
                yield " ".join(cue), _RELATIONS[cue]
                place += size
                break
        else:
            place += 1


PLURALS = {
    "roles": "words in roles",
    "roles-verbs": "words in roles of predicates",
    "fillers": "fillers of roles",
    "role-names": "roles",
    "entities": "words of named entities",
    "entities-words": "words, by type of named entity",
    "names": "named entities",
    "connectives": "connectives",
    "discourse": "discourse relations",
}


@dataclass(frozen=True)
class Semantics(ItemMetric):
    """Overlap of semantic roles, named entities or discourse relations of output and reference; 0 to 1.

    `feature` says what is counted: words with the roles they fill and of which predicate by default.
    """

    model: str = model_option("parser", "spacy-en")
    feature: str = option("roles-verbs", "what is counted", choices=tuple(PLURALS), scoring=True)
    output: str = output_option()

    name = "semantics"
    cite = "Giménez and Màrquez (2007), Linguistic features for automatic evaluation of heterogenous MT systems. WMT."
    reference = "the paper's formulas; roles from a dependency parse, connectives from a list of our own"
    plurals = PLURALS
    lengths = dict.fromkeys(PLURALS, 1)

    @staticmethod
    def items(parse: Parse) -> Found:
        return meanings(parse)


def meanings(parse: Parse) -> Found:
    """The items of every feature."""
    found: dict[str, Items] = {name: Counter() for name in PLURALS}
    words = ["" if word.pos in ("PUNCT", "SPACE") else word.text.lower() for word in parse.words]
    for frame in frames(parse):
        predicate = " ".join(parse.words[number].lemma.lower() for number in frame.predicate)
        for role, numbers in frame.roles:
            filler = [words[number] for number in numbers if words[number]]
            found["roles"].update((word, role) for word in filler)
            found["roles-verbs"].update((word, role, predicate) for word in filler)
            found["fillers"][" ".join(filler), role] += 1
            found["role-names"][(role,)] += 1
    outside = set(range(len(words)))
    for entity in parse.entities:
        places = range(entity.first, entity.last)
        outside.difference_update(places)
        name = [words[place] for place in places if words[place]]
        found["entities"].update((word, entity.label) for word in name)
        found["names"][" ".join(name), entity.label] += 1
    found["entities-words"].update(found["entities"])
    found["entities-words"].update((words[number], "") for number in outside if words[number])
    for connective, relation in connectives(word.text.lower() for word in parse.words):
        found["connectives"][connective, relation] += 1
        found["discourse"][(relation,)] += 1
    return {name: [items] for name, items in found.items()}
