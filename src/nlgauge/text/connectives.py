"""English connectives and the discourse relations they signal, by a list of our own.

Relations are the four classes of the Penn Discourse Treebank (Prasad et al. 2008) in a finer cut. A connective counts
wherever its words stand; the longest that fits is taken. Words that mostly do something else, or whose relation words
alone do not tell (and, as, for, since, so), are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
