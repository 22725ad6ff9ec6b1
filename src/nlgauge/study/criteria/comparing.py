"""Criteria compared by definition, not by name.

Studies measure the same under different names, and different things under the same name (Schoch, Yang and Ji 2020,
section 4). A definition is therefore compared by the constructs it is made of, by what the output is judged by, and by
what is judged. A definition of one's own names its constructs, or they are read from its words.

Neighbouring questions about similar things anchor one another: the second answer is adjusted too little from the first
(Gehlbach and Barge 2012, after Schoch, Yang and Ji 2020, section 3.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

from nlgauge.jsonable import Jsonable
from nlgauge.study.criteria.catalogue import catalogue, constructs
from nlgauge.study.criteria.types import Criterion

Relation = Literal["same", "near", "different", "unknown"]

ALIKE = 0.5
"""Share of common content words from which two definitions without known constructs are called near."""
_LITTLE = """a an and are as at be been but by can could do does for from has have how if in into is it its no nor not
of on one only or other out should so than that the their them then there they this those to was were what when
which who will with would text output outputs answer summary"""
_EMPTY_WORDS = frozenset(_LITTLE.split())
# “Choice of words does not count”; “it may be grammatical and still sound odd”.
_EXCLUDING = re.compile(r"\b(?:do not count|does not count|not judged|not counted|no fault|may be .* and still)\b")
_EXCEPT = re.compile(
    r"\b(?:regardless of|irrespective of|apart from|not counting|leaving aside|even if|as opposed to)\b"
)


@dataclass(frozen=True)
class Comparison(Jsonable):
    """How two criteria stand to each other, and by what that was seen."""

    first: str
    second: str
    relation: Relation
    same_name: bool
    shared: tuple[str, ...]  # constructs of both
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    basis: Literal["constructs", "read", "words"]  # declared, read from a definition, or the words themselves
    why: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {self.why}"


@dataclass(frozen=True)
class Anchor:
    """Two questions asked one after the other about things so similar that the first colours the second."""

    place: int  # of the first of the two, counted from 0
    comparison: Comparison

    def __str__(self) -> str:
        pair = self.comparison
        return (
            f"{pair.first} and {pair.second} are asked one after the other and ask for "
            f"{'the same thing' if pair.relation == 'same' else 'similar things'} ({pair.why}): the first answer "
            "anchors the second; put another question between them, ask only one of them, or vary the order "
            "(criteria_order: random)"
        )


def constructs_in(definition: str) -> tuple[str, ...]:
    """The constructs a definition speaks of, as far as its words tell (English); what it excludes is passed over."""
    text = " ".join(definition.casefold().replace("’", "'").split())
    clauses = (clause for clause in re.split(r"[.;:]\s", text) if not _EXCLUDING.search(clause))
    kept = "; ".join(_EXCEPT.split(clause)[0] for clause in clauses)
    return tuple(name for name, pattern in _cues().items() if pattern.search(kept))


def measured(criterion: Criterion) -> tuple[frozenset[str], bool]:
    """The constructs of a criterion, and whether it names them itself."""
    if criterion.measures:
        return frozenset(criterion.measures), True
    return frozenset(constructs_in(criterion.definition)), False


def compare(first: Criterion, second: Criterion) -> Comparison:
    """Two criteria by their definitions; their names play no part."""
    (ours, told), (theirs, told_too) = measured(first), measured(second)
    named = bool(_names(first.name) & _names(second.name))
    basis: Literal["constructs", "read", "words"] = "constructs" if told and told_too else "read"
    if ours and theirs:
        relation, why = _by_constructs(first, second, ours, theirs)
    else:
        basis, (relation, why) = "words", _by_words(first.definition, second.definition)
    shared, mine, others = (tuple(sorted(names)) for names in (ours & theirs, ours - theirs, theirs - ours))
    found = {"shared": shared, "only_first": mine, "only_second": others}
    return Comparison(first.id, second.id, relation, named, **found, basis=basis, why=why)


def anchors(asked: Sequence[Criterion]) -> list[Anchor]:
    """The neighbours among criteria, in the order judges meet them, that ask for the same or similar things."""
    pairs = (compare(one, other) for one, other in pairwise(asked))
    return [Anchor(place, pair) for place, pair in enumerate(pairs) if pair.relation in ("same", "near")]


def namesakes(criterion: Criterion, others: Iterable[Criterion] | None = None) -> list[Comparison]:
    """Where names mislead: criteria of the same name defined otherwise, and of other names defined the same."""
    known = catalogue().values() if others is None else others
    found = (compare(criterion, other) for other in known if other.id != criterion.id)
    return [pair for pair in found if pair.relation in (("near", "different") if pair.same_name else ("same",))]


def _by_constructs(
    first: Criterion, second: Criterion, ours: frozenset[str], theirs: frozenset[str]
) -> tuple[Relation, str]:
    known = constructs()
    if ours == theirs:
        apart = []
        if first.frame != second.frame:
            apart.append(f"one judges the output by {_FRAMES[first.frame]}, the other by {_FRAMES[second.frame]}")
        if first.unit != second.unit:
            apart.append(f"one judges a {first.unit}, the other a {second.unit}")
        both = f"both ask whether {_glosses(ours)}"
        return ("near", f"{both}, but {' and '.join(apart)}") if apart else ("same", both)
    if ours & theirs:
        which = "first" if ours > theirs else "second" if ours < theirs else ""
        wider = f" and the {which} asks for more" if which else ""
        return "near", f"both ask whether {_glosses(ours & theirs)}{wider}"
    kin = sorted((our, other) for our in ours for other in theirs if other in known[our].akin)
    if kin:
        one, other = kin[0]
        return "near", f"“{known[one].about}” and “{known[other].about}” are close to each other"
    return "different", f"the first asks whether {_glosses(ours)}, the second whether {_glosses(theirs)}"


_FRAMES = {"itself": "itself", "input": "its input", "outside": "something outside both"}


def _by_words(first: str, second: str) -> tuple[Relation, str]:
    """The last resort for definitions whose words show no construct."""
    ours, theirs = _content(first), _content(second)
    if ours and ours == theirs:
        return "same", "their definitions are made of the same words"
    share = len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0
    if share >= ALIKE:
        return "near", f"their definitions share {share:.0%} of their words"
    return "unknown", "the definition of one shows no construct of the catalogue; name them under measures"


def _content(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold())) - _EMPTY_WORDS


def _names(name: str) -> frozenset[str]:
    """The names a name holds: “informativeness or coverage” is two."""
    return frozenset(" ".join(re.findall(r"\w+", part)) for part in name.casefold().split(" or "))


def _glosses(names: Iterable[str]) -> str:
    return " and ".join(constructs()[name].about for name in sorted(names))


@cache
def _cues() -> dict[str, re.Pattern[str]]:
    return {
        name: re.compile(r"\b(?:" + "|".join(re.escape(cue) for cue in construct.cues) + ")")
        for name, construct in constructs().items()
    }
