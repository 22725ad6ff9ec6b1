"""What there is to make texts of: lexicalisations, names and facts, gathered from corpora, the file itself and tables.

A lexicalisation comes from the text of a single triple. An article or a possessive that the annotation has in the
referring expression belongs to the lexicalisation here, so that any entity fits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.corpus.entries import Corpus, Mention, Slot, Template, Text, Triple
from nlgauge.corpus.generate.config import Config, check_predicates
from nlgauge.corpus.generate.rules import PRONOUNS, SLOT, Arrangement, Lexicalisation, Names, Rules
from nlgauge.corpus.reading import parse_triple, read
from nlgauge.corpus.templates import plain
from nlgauge.errors import InputError, suggest
from nlgauge.io.tables import chunks
from nlgauge.text.sentences import FUNCTION_WORDS

_CLOSING = re.compile(r" ([,.;:?!)\]]|'s\b|'(?=\s|$)|n't\b)")
_OPENING = re.compile(r"([(\[]) ")
LEAST_NAMED = 10  # a name this much rarer than an entity's most frequent one is taken for a slip of the annotation
_BRACES = str.maketrans("{}", "()")
_CASES = {form: name for name, cases in PRONOUNS.items() for form in cases}


@dataclass(frozen=True)
class Stock:
    """Lexicalisations by predicate and names by entity, the most frequent first; the facts of the data.

    `kinds` are groups of entities that share predicates. `annotated` counts the templates of each predicate as they
    stand in the corpus, before articles and possessives were moved.
    """

    lexicalisations: dict[str, tuple[Lexicalisation, ...]]
    entities: dict[str, Names]
    facts: tuple[Triple, ...]
    kinds: tuple[tuple[str, ...], ...]
    frequencies: dict[str, int]
    annotated: dict[str, int]


def detokenised(text: str) -> str:
    """Punctuation without the spaces before it.

    >>> detokenised("Aarhus , Denmark 's ( old ) port")
    "Aarhus, Denmark's (old) port"
    """
    return _OPENING.sub(r"\1", _CLOSING.sub(r"\1", " ".join(text.split())))


def gather(config: Config, beside: Path) -> Stock:
    """All that a configuration names; paths begin `beside`."""
    corpus = read([beside / path for path in config.source]) if config.source else Corpus(())
    clauses, names, annotated = _of_corpus(corpus)
    for predicate, given in config.lexicalisations.items():
        for rank, words in enumerate(given):
            clauses[predicate].setdefault(words, 0)
            clauses[predicate][words] += len(given) - rank
        annotated[predicate] = max(annotated[predicate], len(clauses[predicate]))
    facts = Counter(triple for entry in corpus.entries for triple in entry.triples if triple.subject)
    facts.update(parse_triple(fact, "known") for fact in config.known)
    for path in config.fill:
        facts.update(_table(beside / path))
    stock = _stocked(clauses, names, facts, corpus, annotated)
    entities = stock.entities | {
        name: Names(given.names, given.pronoun, given.description, given.adjective)
        for name, given in config.names.items()
    }
    check_predicates(config, list(stock.frequencies))
    for name in config.names:
        if name not in stock.entities:
            raise InputError(f"names has {name!r}, which is in no fact; {suggest(name, stock.entities)}")
    return Stock(stock.lexicalisations, entities, stock.facts, stock.kinds, stock.frequencies, stock.annotated)


def rules_of(corpus: Corpus) -> Rules:
    """The templates and names of an annotated corpus, in any order and segmentation."""
    clauses, names, annotated = _of_corpus(corpus)
    facts = Counter(triple for entry in corpus.entries for triple in entry.triples if triple.subject)
    stock = _stocked(clauses, names, facts, corpus, annotated)
    counted = {predicate: sum(known.values()) for predicate, known in clauses.items()}
    shares = {
        known.name: clauses[predicate][known.words] / counted[predicate]
        for predicate, lexicalisations in stock.lexicalisations.items()
        for known in lexicalisations
    }
    free = Arrangement(free=True)
    return Rules(stock.lexicalisations, stock.entities, free, shares, stock.frequencies, counted)


def _of_corpus(
    corpus: Corpus,
) -> tuple[dict[str, Counter[str]], dict[str, Counter[tuple[str, str]]], Counter[str]]:
    clauses: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    templates: dict[str, set[str]] = defaultdict(set)
    spelled: dict[str, dict[str, str]] = defaultdict(dict)
    for entry, text in corpus.texts():
        for mention in text.mentions:
            if mention.slot in entry.entities and (called := _called(mention)):
                names[entry.entities[mention.slot]][called] += 1
        if len(entry.triples) == 1 and text.template is not None and entry.triples[0].subject:
            templates[entry.triples[0].predicate].add(str(text.template))
            if words := _clause(text, text.template, entry.entities.items(), entry.triples[0]):
                known = spelled[entry.triples[0].predicate]  # capitals make no other template
                clauses[entry.triples[0].predicate][known.setdefault(words.casefold(), words)] += 1
    return clauses, names, Counter({name: len(known) for name, known in templates.items()})


def _called(mention: Mention) -> tuple[str, str] | None:
    """The kind and words of a referring expression; a description with a capital inside is a name."""
    words = mention.text.split()
    if words and words[-1] in ("'s", "'"):
        words.pop()
    if _indefinite(words):
        words.pop(0)
    if not words or not words[-1].strip(",.;"):
        words = words[:-1]
    if not words:
        return None
    text = detokenised(" ".join(words))
    if len(words) == 1 and words[0].lower() in _CASES:
        return "pronoun", _CASES[words[0].lower()]
    if words[0].lower() != "the":
        return "name", text
    if len(words) == 1:
        return None
    inside = any(word[:1].isupper() or word[:1].isdigit() for word in words[1:])
    return "name" if inside else "description", f"the{text[3:]}"


def _clause(text: Text, template: Template, entities: Iterable[tuple[str, str]], triple: Triple) -> str | None:
    """The template of one triple as a clause; None where it is no sentence with both its entities."""
    roles = {slot: "subject" if name == triple.subject else "object" for slot, name in entities}
    if len(template.sentences) != 1 or template.sentences[0][-1] != ".":
        return None
    mentions = list(text.mentions)
    aligned = [mention.slot for mention in mentions] == [slot.name for slot in template.slots]
    told = iter(mentions if aligned else [])
    words: list[str] = []
    for part in template.sentences[0][:-1]:
        if not isinstance(part, Slot):
            words.append(part.translate(_BRACES))
            continue
        said = mention.text.split() if (mention := next(told, None)) else []
        if _indefinite(said):
            words.append("a")
        possessive = said[-1:] == ["'s"] or (len(said) == 1 and said[0].lower() in ("its", "his", "their"))
        words.append(f"{{{roles[part.name]}}}{' ' + chr(39) + 's' if possessive else ''}")
    if words and words[0].lower() in FUNCTION_WORDS:
        words[0] = words[0].lower()
    clause = detokenised(" ".join(words))
    found = [match[2] for match in SLOT.finditer(clause)]
    return clause if set(found) == {"subject", "object"} else None


def _indefinite(words: Sequence[str]) -> bool:
    """Whether an article begins them that is no part of a name: a test pilot, but A Severed Wasp."""
    return len(words) > 1 and words[0].lower() in ("a", "an") and words[1][:1].islower()


def _stocked(
    clauses: dict[str, Counter[str]],
    names: dict[str, Counter[tuple[str, str]]],
    facts: Counter[Triple],
    corpus: Corpus,
    annotated: Counter[str],
) -> Stock:
    lexicalisations = {
        predicate: tuple(
            Lexicalisation(f"{predicate}/{rank}", words)
            for rank, (words, _) in enumerate(sorted(known.items(), key=lambda item: (-item[1], item[0])), 1)
        )
        for predicate, known in clauses.items()
        if known
    }
    usable = {fact: count for fact, count in facts.items() if fact.predicate in lexicalisations}
    frequencies: Counter[str] = Counter()
    for fact, count in usable.items():
        frequencies[fact.predicate] += count
    ranked = dict(sorted(frequencies.items(), key=lambda item: (-item[1], item[0])))
    entities = {
        name: _names(name, names.get(name, Counter()))
        for name in dict.fromkeys(name for fact in usable for name in (fact.subject, fact.object))
    }
    ordered = tuple(sorted(usable, key=lambda fact: (-usable[fact], str(fact))))
    return Stock(lexicalisations, entities, ordered, _kinds(ordered, corpus), ranked, dict(annotated))


def _names(name: str, counts: Counter[tuple[str, str]]) -> Names:
    def ranked(kind: str) -> list[str]:
        found = sorted((-count, words) for (own, words), count in counts.items() if own == kind)
        return [words for count, words in found if count * LEAST_NAMED <= found[0][0]]

    known: dict[str, str] = {}
    for words in ranked("name"):
        known.setdefault(words.casefold(), words)
    pronouns = ranked("pronoun")
    descriptions = [words for words in ranked("description") if words.casefold() not in known]
    return Names(
        tuple(known.values()) or (plain(name),),
        pronouns[0] if pronouns else "",
        descriptions[0] if descriptions else "",
    )


def _kinds(facts: Sequence[Triple], corpus: Corpus) -> tuple[tuple[str, ...], ...]:
    """Entities that share predicates, within the category where the corpus has categories."""
    category: dict[str, str] = {}
    for entry in corpus.entries:
        for triple in entry.triples:
            category.setdefault(triple.subject, entry.category)
    leader: dict[tuple[str, str], str] = {}
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while above.setdefault(name, name) != name:
            name = above[name]
        return name

    for fact in facts:
        first = leader.setdefault((category.get(fact.subject, ""), fact.predicate), fact.subject)
        above[root(fact.subject)] = root(first)
    groups: dict[str, dict[str, None]] = defaultdict(dict)
    for fact in facts:
        groups[root(fact.subject)][fact.subject] = None
    return tuple(tuple(group) for group in groups.values())


def _table(path: Path) -> Iterator[Triple]:
    """The facts of a table."""
    for chunk in chunks(path, 4096, any_header=True, allow_extra=True):
        for number, row in enumerate(chunk.rows):
            cells = [row.get(name) for name in ("subject", "predicate", "object")] if isinstance(row, dict) else []
            if not cells or not all(isinstance(cell, str | int | float) and str(cell).strip() for cell in cells):
                raise InputError(
                    f"{chunk.at(number)}: no fact; expected the columns subject, predicate and object, all filled"
                )
            yield Triple(*(str(cell).strip() for cell in cells))
