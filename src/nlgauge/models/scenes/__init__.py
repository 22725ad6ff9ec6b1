"""Scene graphs: the objects of a caption, their attributes, and the relations between them.

Follows the rules of the Stanford scene-graph parser (Schuster, Krishna, Chang, Fei-Fei and Manning 2015) in the form
SPICE gives them (Anderson, Fernando, Johnson and Gould 2016), rewritten for the labels of spaCy's English models:

* nouns are objects; a noun that modifies another is its attribute ("tennis court": court, tennis);
* quantifying nouns ("a group of people") give way to what they quantify; numbers are attributes, in digits;
* a verb without an object is an attribute of its subject; with one it is a relation; passives are turned round;
* a preposition relates its object with the noun it modifies or with the subject of the verb it modifies;
* what is joined by "and" shares subject, verb and preposition; pronouns stand for their antecedents;
* a possessor *has*; "X is Y" is an attribute where Y is an adjective and the relation *be* where it is a noun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nlgauge.lexicons.wordnet import WordNet
from nlgauge.models.interface import Parse
from nlgauge.models.scenes.tree import (
    COMPLEX,
    FEMALE,
    INTRODUCING,
    LINKING,
    MALE,
    MANY_IN_ONE,
    NOT_OBJECTS,
    NOUNS,
    NUMBERS,
    PLURAL_ONLY,
    POINTING,
    QUANTIFIERS,
    Node,
    Tree,
)

Tuple = tuple[str, ...]  # (object,), (object, attribute) or (subject, relation, object)


@dataclass(frozen=True)
class Scene:
    """The graph of one text: distinct tuples of base forms, in the order they were found."""

    objects: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    relations: tuple[tuple[str, str, str], ...]

    @property
    def tuples(self) -> tuple[Tuple, ...]:
        """All of them: objects, attributes, relations."""
        return (*((name,) for name in self.objects), *self.attributes, *self.relations)


def scene(parse: Parse, wordnet: WordNet) -> Scene:
    """The scene graph of a parsed text."""
    return _Rules(Tree(parse, wordnet)).scene()


class _Rules:
    """Reads a scene off one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.objects: dict[str, None] = {}
        self.attributes: dict[tuple[str, str], None] = {}
        self.relations: dict[tuple[str, str, str], None] = {}

    def scene(self) -> Scene:
        for node in self.tree.nodes:
            if self._is_object(node):
                self.objects[node.lemma] = None
                self._describe(node)
        for node in self.tree.nodes:
            if self._is_verb(node):
                self._clause(node)
            elif node.pos in ("ADP", "SCONJ", "ADV", "ADJ", "PART"):
                self._preposition(node)
        return Scene(tuple(self.objects), tuple(self.attributes), tuple(self.relations))

    # -- what is put down ------------------------------------------------------------------------------------

    def _attribute(self, owners: Iterable[Node], value: str) -> None:
        for owner in owners:
            self.attributes[owner.lemma, value] = None

    def _relate(self, subjects: Iterable[Node], relation: str, objects: Iterable[Node]) -> None:
        several = list(objects)
        for subject in subjects:
            for target in several:
                if subject is not target:
                    self.relations[subject.lemma, relation, target.lemma] = None

    # -- nouns -----------------------------------------------------------------------------------------------

    def _is_object(self, node: Node) -> bool:
        if node.pos not in NOUNS or node.lemma in NOT_OBJECTS or node.tag in ("WP", "PRP"):
            return False
        if node.dep in ("compound", "nmod", "nummod", "npadvmod", "quantmod"):
            return False
        return self._quantified(node) is None and not self._in_complex_preposition(node)

    def _quantified(self, node: Node) -> Node | None:
        """What `a group of` and its like quantify."""
        if node.lemma not in QUANTIFIERS and node.text not in QUANTIFIERS:
            return None
        preposition = next((child for child in self.tree.children(node, "prep") if child.text == "of"), None)
        return self.tree.child(preposition, "pobj") if preposition else None

    def _in_complex_preposition(self, node: Node) -> bool:
        before, after = self._text(node.number - 1), self._text(node.number + 1)
        return (before, node.text, after) in COMPLEX

    def _text(self, number: int) -> str:
        return self.tree.nodes[number].text if 0 <= number < len(self.tree.nodes) else ""

    def _things(self, node: Node) -> Iterator[Node]:
        """The objects that a noun phrase names: with those joined to it, quantifiers and pronouns replaced."""
        nominal = (*NOUNS, "PRON", "NUM", "DET", "ADJ")
        for joined in self.tree.coordinated(node, lambda other: other.pos in nominal):
            quantified = self._quantified(joined)
            if quantified is not None:
                yield from self._things(quantified)
            elif self._is_object(joined):
                yield joined
            elif joined.pos in ("PRON", "DET"):
                found = self._antecedent(joined)
                if found is not None:
                    yield found

    def _describe(self, node: Node) -> None:
        """The attributes that stand with a noun, and its possessor."""
        for child in self.tree.children(node, "amod", "nummod", "compound", "nmod"):
            adjectival = child.dep == "amod"
            for joined in self.tree.coordinated(child, lambda other: other.pos not in ("VERB",)):
                value = self._modifier(joined, adjectival=adjectival)
                if value:
                    self.attributes[node.lemma, value] = None
        for child in self.tree.children(node, "poss"):
            self._relate(self._things(child), "have", [node])
        self._count(node)

    def _modifier(self, node: Node, *, adjectival: bool) -> str:
        if node.lemma in POINTING or node.text in POINTING or node.pos in ("DET", "PUNCT", "SYM", "PRON"):
            return ""
        if node.pos == "NUM" or node.dep == "nummod":
            return NUMBERS.get(node.text, node.text)
        if adjectival and node.text.endswith("ing"):
            return (self.tree.wordnet.morphy(node.text, "v") or [node.lemma])[0]
        if adjectival and node.tag in ("VBN", "VBD") and self.tree.wordnet.morphy(node.text, "a"):
            return node.text
        parts = [child for child in self.tree.children(node, "npadvmod", "advmod") if self._hyphenated(child, node)]
        return "-".join([*(part.text for part in parts), node.text]) if parts else node.lemma

    def _hyphenated(self, first: Node, second: Node) -> bool:
        return first.number + 2 == second.number and self._text(first.number + 1) == "-"

    def _count(self, node: Node) -> None:
        """`a couple of` and `a pair of` are two."""
        preposition = self.tree.parent(node)
        head = self.tree.parent(preposition) if preposition and node.dep == "pobj" else None
        if head is None or self._quantified(head) is not node:
            return
        if head.lemma == "couple" or (head.lemma == "pair" and node.lemma not in PLURAL_ONLY):
            self.attributes[node.lemma, "2"] = None
        elif head.text in NUMBERS and head.text != "one":
            self.attributes[node.lemma, NUMBERS[head.text]] = None
        for child in self.tree.children(head, "nummod"):
            if head.lemma in ("couple", "pair"):
                continue
            self.attributes[node.lemma, NUMBERS.get(child.text, child.text)] = None

    # -- pronouns --------------------------------------------------------------------------------------------

    def _antecedent(self, pronoun: Node) -> Node | None:
        """The nearest subject before a pronoun that agrees with it, or else the nearest noun."""
        if pronoun.text in ("who", "whom", "which", "that", "whose"):
            return self._of_relative(pronoun)
        if pronoun.tag not in ("PRP", "PRP$"):
            return None
        possessed = self.tree.parent(pronoun) if pronoun.dep == "poss" else None
        before = [
            node
            for node in reversed(self.tree.nodes[: pronoun.number])
            if node is not possessed and self._is_object(node) and _agree(node, pronoun.text)
        ]
        subjects = [node for node in before if node.dep in ("nsubj", "nsubjpass", "ROOT", "attr")]
        return next(iter(subjects), None) or next(iter(before), None)

    def _of_relative(self, pronoun: Node) -> Node | None:
        node: Node | None = pronoun
        while node is not None and node.dep != "relcl":
            node = self.tree.parent(node)
        head = self.tree.parent(node) if node else None
        return next(self._things_alone(head), None) if head else None

    def _things_alone(self, node: Node) -> Iterator[Node]:
        """The object a noun names, without those joined to it."""
        quantified = self._quantified(node)
        if quantified is not None:
            yield from self._things_alone(quantified)
        elif self._is_object(node):
            yield node

    # -- verbs -----------------------------------------------------------------------------------------------

    def _is_verb(self, node: Node) -> bool:
        return node.pos in ("VERB", "AUX") and node.dep not in ("aux", "auxpass", "amod", "compound")

    def _subjects(self, node: Node, depth: int = 0) -> list[Node]:
        """What does, or suffers, the verb; taken over from the verb it depends on where it has none of its own."""
        own = self.tree.children(node, "nsubj", "nsubjpass")
        if own:
            return [thing for subject in own for thing in self._things(subject)]
        there = self.tree.child(node, "expl")
        if there is not None:
            return [thing for target in self.tree.children(node, "attr", "dobj") for thing in self._things(target)]
        parent = self.tree.parent(node)
        if parent is None or depth > len(self.tree.nodes):
            return []
        if node.dep in ("acl", "relcl") and parent.pos not in ("VERB", "AUX"):
            return list(self._things_alone(parent)) or list(self._things(parent))
        if node.dep in ("xcomp", "ccomp"):
            raised = self.tree.children(parent, "dobj")
            if raised and parent.lemma not in INTRODUCING:
                return [thing for target in raised for thing in self._things(target)]
        if parent.pos in NOUNS:
            return list(self._things_alone(parent)) if node.dep in ("advcl", "conj", "appos") else []
        return self._subjects(parent, depth + 1)

    def _is_passive(self, node: Node) -> bool:
        if self.tree.children(node, "nsubjpass", "auxpass", "agent"):
            return True
        return node.tag == "VBN" and node.dep in ("acl", "advcl") and not self.tree.children(node, "dobj")

    def _clause(self, verb: Node) -> None:
        subjects = self._subjects(verb)
        if verb.lemma in LINKING and self._linked(verb, subjects):
            return
        if self._introduces(verb):
            return
        name = " ".join([verb.lemma, *(child.text for child in self.tree.children(verb, "prt"))])
        passive = self._is_passive(verb)
        objects = [thing for child in self.tree.children(verb, "dobj") for thing in self._things(child)]
        has_object = bool(self.tree.children(verb, "dobj"))
        if passive:
            agents = [thing for by in self.tree.children(verb, "agent") for thing in self._objects_of(by)]
            self._relate(agents, name, subjects)
            if not agents:
                self._attribute(subjects, name)
        elif verb.lemma != "be":
            self._relate(subjects, name, objects)
            if not has_object:
                self._attribute(subjects, name)
        for child in self.tree.children(verb, "dative"):
            if child.pos in NOUNS:
                self._relate(subjects, "to", self._things(child))

    def _introduces(self, verb: Node) -> bool:
        complements = self.tree.children(verb, "xcomp")
        return verb.lemma in INTRODUCING and any(child.pos in ("VERB", "AUX") for child in complements)

    def _linked(self, verb: Node, subjects: list[Node]) -> bool:
        """`is red`, `looks happy`, `is a chef`; whether the verb did no more than link."""
        linked = verb.lemma == "be"
        for child in self.tree.children(verb, "acomp", "oprd"):
            for joined in self.tree.coordinated(child):
                linked = True
                if joined.pos in ("ADJ", "VERB"):
                    value = self._modifier(joined, adjectival=True)
                    if value and value not in INTRODUCING:
                        self._attribute(subjects, value)
        if verb.lemma == "be" and self.tree.child(verb, "expl") is None:
            for child in self.tree.children(verb, "attr"):
                self._relate(subjects, "be", self._things(child))
        return linked

    # -- prepositions ----------------------------------------------------------------------------------------

    def _preposition(self, node: Node) -> None:
        """Relates the objects of a preposition with what it modifies."""
        if node.dep == "agent" or not self.tree.children(node, "pobj", "pcomp"):
            return
        if self._text(node.number) == "of" and self._quantifies(node):
            return
        name, start = self._name(node)
        self._relate(self._governed(start), name, self._objects_of(node))

    def _quantifies(self, node: Node) -> bool:
        parent = self.tree.parent(node)
        return parent is not None and self._quantified(parent) is not None

    def _objects_of(self, preposition: Node) -> list[Node]:
        targets = self.tree.children(preposition, "pobj")
        return [thing for target in targets for thing in self._things(target)]

    def _name(self, node: Node) -> tuple[str, Node]:
        """The whole preposition, and the word of it that hangs on what it modifies: `in front of`, `in`."""
        before = [self._text(node.number - back) for back in (2, 1)]
        for size in (3, 2):
            words = (*before[3 - size :], node.text)
            if words in COMPLEX:
                first = self.tree.nodes[node.number - size + 1]
                return " ".join(words), first
        return node.text, node

    def _governed(self, node: Node) -> list[Node]:
        """What a preposition is about: the noun it modifies, or the subject of the verb or adjective."""
        head = self.tree.parent(node)
        for _ in self.tree.nodes:
            if head is None:
                return []
            if head.pos in NOUNS and head.dep != "npadvmod" and not self._in_complex_preposition(head):
                return list(self._things_alone(head))
            if head.pos in ("VERB", "AUX") and head.dep not in ("aux", "auxpass", "amod"):
                return self._subjects(head)
            head = self.tree.parent(head)
        return []


def _agree(noun: Node, pronoun: str) -> bool:
    """Whether a pronoun can stand for the noun, as far as number and sex tell."""
    if pronoun in ("he", "him", "his", "himself"):
        return noun.tag in ("NN", "NNP") and noun.lemma not in FEMALE
    if pronoun in ("she", "her", "hers", "herself"):
        return noun.tag in ("NN", "NNP") and noun.lemma not in MALE
    if pronoun in ("it", "its", "itself"):
        return noun.tag in ("NN", "NNP") and noun.lemma not in FEMALE | MALE
    if pronoun in ("they", "them", "their", "themselves"):
        return noun.tag in ("NNS", "NNPS") or noun.lemma in MANY_IN_ONE
    return False
