"""A dependency tree that rules can ask and mend, and the mending of what parsers of news text get wrong in captions.

Labels are those of spaCy's English models (ClearNLP). Errors that the words themselves show are mended: "a chef slices
onions" and "wearing a hat rides" read as noun phrases (an article of one thing before a plural), "a train passes" with
the noun as a part of the verb, and "a red scarf and black gloves" with the first noun as a modifier of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nlgauge.lexicons.wordnet import WordNet
from nlgauge.models.interface import Parse

# Word lists of the scene-graph rules: closed classes and a few words that mean quantity, colour or size.


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _counted(words: str) -> dict[str, str]:
    return {word: str(value) for value, word in enumerate(words.split())}


# Nouns that only quantify what follows their "of" (Schuster and Manning 2016 call them quantificational modifiers).
QUANTIFIERS = _listed(
    "group lot number bunch couple pair handful dozen ton plenty majority variety crowd pack herd flock set series "
    "collection load heap hundred thousand dozens hundreds thousands lots tons one both all some each none any most "
    "many several few two three four five six seven eight nine ten half"
)
# Nouns whose plural is one thing: "a pair of" them is no two, and their base form ends in s.
PLURAL_ONLY = _listed(
    "sunglasses goggles jeans pants shorts trousers overalls scissors binoculars pyjamas pajamas tights leggings "
    "headphones earphones clothes tongs pliers spectacles briefs dungarees bleachers"
)
NUMBERS = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
) | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "hundred": "100",
    "thousand": "1000",
    "dozen": "12",
    "couple": "2",
}
# Adjectives that point at something and describe nothing.
POINTING = _listed("other another same such own only certain various different each every first last next")
# Prepositions of more than one word, as their first word followed by the others.
_COMPLEX = (
    "in front of, in back of, on top of, on board of, in between, next to, close to, out of, off of, inside of, "
    "outside of, ahead of, away from, along with, together with, across from, because of, instead of, near to"
)
COMPLEX = {tuple(words.split()) for words in _COMPLEX.split(", ")}
# Verbs that only introduce the verb they govern: "tries to catch".
INTRODUCING = _listed(
    "try attempt begin start prepare continue appear seem want get go stop finish help learn be use have manage "
    "pretend about ready need like love come proceed"
)
# Verbs that link a subject with what it is: "looks happy".
LINKING = _listed("be look seem appear become feel stay remain get turn sound")
NOT_OBJECTS = _listed(
    "someone somebody something anyone anybody anything everyone everybody everything nobody nothing one other "
    "there way while"
)
FEMALE = _listed("woman girl lady mother grandmother daughter sister wife aunt queen actress waitress bride female")
MALE = _listed("man boy guy father grandfather son brother husband uncle king actor waiter groom male gentleman")
MANY_IN_ONE = _listed("couple family team people crowd band")
COLORS = _listed(
    "red orange yellow green blue purple violet pink brown black white grey gray beige tan turquoise teal gold "
    "golden silver maroon navy cream crimson scarlet magenta cyan indigo lavender olive colored colorful coloured "
    "colourful blond blonde brunette dark light bright multicolored"
)
SIZES = _listed(
    "big large small little tiny huge giant enormous tall short long wide narrow thick thin massive gigantic mini "
    "miniature immense great vast high low deep shallow fat"
)


NOUNS = ("NOUN", "PROPN")


@dataclass
class Node:
    """A word of the tree, lower-cased, with its base form."""

    number: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int


class Tree:
    """The words of one text; `children` are in the order of the text."""

    def __init__(self, parse: Parse, wordnet: WordNet) -> None:
        self.wordnet = wordnet
        self.nodes = [
            Node(
                number=number,
                text=word.text.lower(),
                lemma=word.lemma.lower(),
                pos=word.pos,
                tag=word.tag,
                dep=word.dep,
                head=word.head,
            )
            for number, word in enumerate(parse.words)
        ]
        self._link()
        for node in self.nodes:
            self._mend_article(node)
            self._mend_main_verb(node)
        for node in self.nodes:
            self._mend_coordination(node)
            self._mend_subject(node)
        for node in self.nodes:
            node.lemma = self._base(node)

    def _link(self) -> None:
        self._children: list[list[Node]] = [[] for _ in self.nodes]
        for node in self.nodes:
            if node.head != node.number:
                self._children[node.head].append(node)

    def children(self, node: Node, *deps: str) -> list[Node]:
        """The dependants of a word, of these relations where any are named."""
        found = self._children[node.number]
        return [child for child in found if child.dep in deps] if deps else found

    def child(self, node: Node, *deps: str) -> Node | None:
        """The first of them."""
        return next(iter(self.children(node, *deps)), None)

    def parent(self, node: Node) -> Node | None:
        """The head; None at a root."""
        return None if node.head == node.number else self.nodes[node.head]

    def coordinated(self, node: Node, wanted: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
        """A word and those joined to it by `and`, as far as they are wanted."""
        yield node
        for child in self.children(node, "conj"):
            if wanted(child):
                yield from self.coordinated(child, wanted)

    # -- mending ---------------------------------------------------------------------------------------------

    def _attach(self, node: Node, head: Node, dep: str | None = None) -> None:
        node.head = head.number
        node.dep = dep or node.dep
        self._link()

    def _mend_article(self, root: Node) -> None:
        """`a` before a plural root: the first plural after a noun that can be a verb is the verb of the clause."""
        article = next((child for child in self.children(root, "det") if child.text in ("a", "an")), None)
        if root.tag != "NNS" or root.dep != "ROOT" or article is None:
            return
        between = self.nodes[article.number + 1 : root.number + 1]
        if any(node.text in QUANTIFIERS or node.pos == "NUM" for node in between):
            return
        for verb in between[1:]:
            subject = self.nodes[verb.number - 1]
            if verb.tag == "NNS" and subject.pos in NOUNS and self.wordnet.morphy(verb.text, "v"):
                self._make_verb(verb, subject, root)
                return

    def _make_verb(self, verb: Node, subject: Node, old: Node) -> None:
        earlier = [child for child in (*self.children(verb), *self.children(old)) if child.number < verb.number]
        verb.pos, verb.tag, verb.dep, verb.head = "VERB", "VBZ", "ROOT", verb.number
        for child in earlier:
            if child is not subject:
                self._attach(child, subject)
        self._attach(subject, verb, "nsubj")
        for child in self.children(verb, "appos", "npadvmod", "dep"):
            if child.pos in NOUNS and child.number > verb.number:
                child.dep = "dobj"
        if old is not verb:
            self._attach(old, verb, "dobj")
            for child in self.children(old, "prep", "conj", "punct", "advcl"):
                if child.text != "of":
                    self._attach(child, verb)

    def _mend_main_verb(self, verb: Node) -> None:
        """`a man wearing a red hat rides`, with `rides` read as a plural that the hat belongs to."""
        if verb.tag != "NNS" or verb.dep not in ("dobj", "pobj") or not self.wordnet.morphy(verb.text, "v"):
            return
        thing, root = self.nodes[verb.number - 1], self._root(verb)
        if thing.pos not in NOUNS or root.pos not in NOUNS or root.number >= thing.number:
            return
        articles = [child.text for child in self.children(verb, "det")]
        inside = thing.head == verb.number and ("a" in articles or "an" in articles)
        beside = not articles and (thing.dep, thing.head) == (verb.dep, verb.head)
        if not inside and not beside:
            return
        thing.dep, thing.head = verb.dep, verb.head
        for child in [child for child in self.children(verb) if child.number < thing.number]:
            self._attach(child, thing)
        verb.pos, verb.tag, verb.dep, verb.head = "VERB", "VBZ", "ROOT", verb.number
        self._attach(root, verb, "nsubj")

    def _root(self, node: Node) -> Node:
        for _ in self.nodes:
            node = self.nodes[node.head]
        return node

    def _mend_coordination(self, first: Node) -> None:
        """`red scarf and black gloves`, where the scarf was read as a modifier of the gloves."""
        second = self.parent(first)
        if first.pos not in NOUNS or first.dep not in ("nmod", "compound") or second is None:
            return
        joint = self.child(first, "cc")
        if joint is None or second.pos not in NOUNS or not first.number < joint.number < second.number:
            return
        for child in self.children(first, "conj"):
            self._attach(child, second, "amod" if child.pos == "ADJ" else "compound")
        first.dep, first.head = (second.dep, second.head) if second.dep != "ROOT" else ("ROOT", first.number)
        self._attach(second, first, "conj")
        for child in self.children(second, "det"):
            if child.number < first.number:
                self._attach(child, first)

    def _mend_subject(self, node: Node) -> None:
        """A noun read as the first part of a verb is its subject: `a train passes`."""
        verb = self.parent(node)
        if node.dep != "compound" or node.pos not in NOUNS or verb is None or verb.pos != "VERB":
            return
        if node.number < verb.number and not self.children(verb, "nsubj", "nsubjpass"):
            for child in self.children(verb, "det", "amod", "nummod"):
                if child.number < node.number:
                    self._attach(child, node)
            self._attach(node, verb, "nsubj")

    # -- base forms ------------------------------------------------------------------------------------------

    def _base(self, node: Node) -> str:
        """WordNet's base form where the parser's lemma is none: `rides` is no form of `rid`."""
        if node.text in PLURAL_ONLY:
            return node.text
        if node.pos == "NUM":
            return NUMBERS.get(node.text, node.text)
        part = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v"}.get(node.pos)
        if part is None or node.tag in ("NN", "NNP", "VB", "VBP"):
            return node.lemma
        found = [base for base in self.wordnet.morphy(node.text, part) if base != node.text]
        return found[0] if found else node.lemma
