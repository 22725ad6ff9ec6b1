"""Semantic frames from a dependency parse: who did what to whom, when, where, why and how.

A shallow stand-in for a semantic role labeller, for metrics that compare predicates and their arguments (MEANT, YiSi
with structure). Each verb that is not an auxiliary opens a frame; its dependants fill roles by their relation, the
preposition or conjunction that introduces them, and the kind of entity they name. Participles and relative clauses
take the noun they modify as argument, verbs in a chain share the subject of the first. Labels of dependencies are
those of spaCy's English models (ClearNLP) or Universal Dependencies. A labeller of another kind plugs in as any
function `Labeller`.

Roles are the coarse ones of MEANT (Lo and Wu 2011), where rare distinctions of PropBank are merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nlgauge.models.interface import Parse, Word

ROLES: Final = (
    "agent",
    "patient",
    "beneficiary",
    "temporal",
    "locative",
    "purpose",
    "manner",
    "extent",
    "modal",
    "negation",
    "other",
)


@dataclass(frozen=True)
class Frame:
    """A predicate and what fills its roles; all are numbers of words of the parse, in order."""

    predicate: tuple[int, ...]
    roles: tuple[tuple[str, tuple[int, ...]], ...]


Labeller = Callable[[Parse], list[Frame]]


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SUBJECT = frozenset(("nsubj", "csubj"))
_PASSIVE = frozenset(("nsubjpass", "csubjpass", "nsubj:pass", "csubj:pass"))
_OBJECT = frozenset(("dobj", "obj"))
_ATTRIBUTE = frozenset(("attr", "acomp", "oprd"))
_DATIVE = frozenset(("dative", "iobj"))
_AGENT = frozenset(("agent", "obl:agent"))
_CLAUSE = frozenset(("ccomp", "xcomp"))
_AUXILIARY = frozenset(("aux", "auxpass", "aux:pass", "cop"))
_PARTICLE = frozenset(("prt", "compound:prt"))
_OBLIQUE = frozenset(("prep", "obl", "npadvmod", "obl:tmod", "obl:npmod", "nmod"))
_RELATIVE = frozenset(("acl:relcl", "relcl"))
_RELATIVES = frozenset(("who", "whom", "which", "that"))
_ADVERBIAL = frozenset(("advmod", "advcl"))
_DROPPED = frozenset(("punct", "cc", "mark", "preconj"))
_TIMES = _listed(
    "now then today yesterday tomorrow tonight soon later earlier already still yet again once recently currently "
    "previously finally always never often sometimes usually ago before after since until when while during whenever "
    "day week month year hour minute second morning afternoon evening night monday tuesday wednesday thursday friday "
    "saturday sunday january february march april may june july august september october november december decade "
    "century moment time season spring summer autumn winter weekend"
)
_PLACES = _listed(
    "here there outside inside outdoors indoors away home abroad everywhere nowhere where in at on near under over "
    "above below behind beside between across along around through into onto from toward towards past against among "
    "within beyond upon off opposite next front top"
)
_REASONS = frozenset(("because", "for", "so", "since", "due", "thus", "therefore", "to"))
_EXTENTS = _listed("very much more most less least almost nearly too quite only about far")
_MEANS = frozenset(("with", "by", "without", "as", "like", "via", "how"))
_NEGATIONS = frozenset(("not", "n't", "never", "no"))


def frames(parse: Parse) -> list[Frame]:
    """The frames of a text, in the order of their predicates."""
    return _Reader(parse).frames()


class _Reader:
    """Reads the frames off one tree."""

    def __init__(self, parse: Parse) -> None:
        self.words = parse.words
        self.children: dict[int, list[int]] = defaultdict(list)
        for number, word in enumerate(self.words):
            if word.head != number:
                self.children[word.head].append(number)
        self.dates = {
            number
            for entity in parse.entities
            if entity.label in ("DATE", "TIME")
            for number in range(entity.first, entity.last)
        }
        self.subtrees: dict[int, tuple[int, ...]] = {}

    def frames(self) -> list[Frame]:
        found = [self._frame(number) for number in range(len(self.words)) if self._is_predicate(number)]
        return [frame for frame in found if frame.roles]

    # -- predicates ------------------------------------------------------------------------------------------

    def _is_predicate(self, number: int) -> bool:
        word = self.words[number]
        if word.pos == "VERB":
            return word.dep not in _AUXILIARY and word.dep not in ("amod", "compound")
        if word.pos == "AUX":
            return word.dep not in _AUXILIARY
        return any(self.words[child].dep == "cop" for child in self.children[number])

    def _frame(self, number: int) -> Frame:
        kept = [child for child in self.children[number] if self.words[child].dep in _PARTICLE]
        roles: list[tuple[str, tuple[int, ...]]] = []
        seen: set[str] = set()
        for role, head in self._arguments(number):
            words = self._phrase(head)
            if words and number not in words and (role, words) not in roles:
                roles.append((role, words))
                seen.add(role)
        if not seen & {"agent", "patient"} or ("agent" not in seen and self.words[number].dep in ("conj", "xcomp")):
            roles += self._inherited(number, seen)
        roles.sort(key=lambda role: role[1])
        return Frame(tuple(sorted((number, *kept))), tuple(roles))

    def _is_passive(self, number: int) -> bool:
        deps = {self.words[child].dep for child in self.children[number]}
        return bool(deps & (_PASSIVE | {"auxpass", "aux:pass"}))

    # -- arguments -------------------------------------------------------------------------------------------

    def _arguments(self, number: int) -> Iterator[tuple[str, int]]:
        """Role and head of each dependant that fills one, and of the noun a participle or relative clause modifies."""
        word = self.words[number]
        for child in self.children[number]:
            role = self._role(child)
            if role:
                relative = word.dep in _RELATIVE and self.words[child].lemma.lower() in _RELATIVES
                yield role, word.head if relative else child
        if word.dep == "acl" and word.head != number:
            yield ("patient" if word.tag == "VBN" else "agent"), word.head

    def _role(self, child: int) -> str:
        word = self.words[child]
        if word.dep in _SUBJECT:
            return "agent"
        if word.dep in _PASSIVE or word.dep in _OBJECT or word.dep in _ATTRIBUTE or word.dep in _CLAUSE:
            return "patient"
        if word.dep in _AGENT:
            return "agent"
        if word.dep in _DATIVE:
            return "beneficiary"
        if word.dep == "neg" or (word.dep == "advmod" and word.text.lower() in _NEGATIONS):
            return "negation"
        if word.dep == "aux" and word.tag == "MD":
            return "modal"
        if word.dep in _OBLIQUE or word.dep in _ADVERBIAL:
            return self._circumstance(child)
        return ""

    def _circumstance(self, child: int) -> str:
        """The role of a prepositional phrase, an adverb or an adverbial clause."""
        word = self.words[child]
        heads = [number for number in self.children[child] if self.words[number].dep in ("pobj", "nummod")]
        if word.dep != "advcl" and any(
            number in self.dates or self.words[number].lemma.lower() in _TIMES for number in (child, *heads)
        ):
            return "temporal"
        cues = [
            self.words[number].text.lower()
            for number in self.children[child]
            if self.words[number].dep in ("mark", "case", "advmod", "aux")
        ]
        cue = word.text.lower() if word.dep in ("prep", "advmod") else next(iter(cues), "")
        if word.dep == "advcl" and not cues:
            return "manner"
        for role, listed in (
            ("temporal", _TIMES),
            ("purpose", _REASONS),
            ("manner", _MEANS),
            ("locative", _PLACES),
            ("extent", _EXTENTS),
        ):
            if cue in listed:
                return role
        return "manner" if word.dep == "advmod" else "other"

    def _inherited(self, number: int, seen: set[str]) -> list[tuple[str, tuple[int, ...]]]:
        """The subject that a verb shares with the verb it depends on: `sits and reads`, `wants to read`."""
        at, word = number, self.words[number]
        for _ in range(len(self.words)):
            if word.dep not in ("conj", "xcomp", "advcl", "pcomp") or word.head == at:
                return []
            governor = word.head
            subjects = [child for child in self.children[governor] if self.words[child].dep in _SUBJECT]
            passive = [child for child in self.children[governor] if self.words[child].dep in _PASSIVE]
            raised = [child for child in self.children[governor] if self.words[child].dep in _OBJECT]
            if word.dep == "xcomp" and raised:
                return [("agent", self._phrase(raised[0]))]
            if subjects or passive:
                head = (subjects or passive)[0]
                role = "patient" if (passive and not subjects and word.tag == "VBN") else "agent"
                return [] if role in seen else [(role, self._phrase(head))]
            owner = self.words[governor]
            if owner.dep == "acl" and owner.head != governor:
                return [("agent", self._phrase(owner.head))]
            at, word = governor, owner
        return []

    # -- phrases ---------------------------------------------------------------------------------------------

    def _phrase(self, head: int) -> tuple[int, ...]:
        """The words under a head: without clauses that hang on it, punctuation at its edges and a conjunction."""
        known = self.subtrees.get(head)
        if known is not None:
            return known
        found, waiting = [], [head]
        while waiting:
            number = waiting.pop()
            found.append(number)
            waiting += [child for child in self.children[number] if self._belongs(number, head, child)]
        found.sort()
        while found and self.words[found[0]].dep in _DROPPED:
            found.pop(0)
        while found and self.words[found[-1]].dep in _DROPPED:
            found.pop()
        self.subtrees[head] = tuple(found)
        return self.subtrees[head]

    def _belongs(self, parent: int, head: int, child: int) -> bool:
        word = self.words[child]
        if word.dep in _RELATIVE or word.dep == "acl":  # a frame of its own, with this phrase as argument
            return False
        return not (parent == head and word.dep == "conj" and word.pos in ("VERB", "AUX"))


def fillers(words: Sequence[Word], numbers: Sequence[int]) -> list[str]:
    """The lower-cased words of a role, punctuation left out."""
    return [words[number].text.lower() for number in numbers if words[number].pos not in ("PUNCT", "SPACE")]
