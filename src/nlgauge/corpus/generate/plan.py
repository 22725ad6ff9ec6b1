"""Which templates, entities and values each set uses, or why the data cannot give what is asked for."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from nlgauge.corpus.generate.config import (
    Alphabetical,
    ByBoth,
    ByContent,
    ByEntity,
    ByPredicate,
    Choice,
    Config,
    Every,
    Insertion,
    Number,
    RandomOrder,
)
from nlgauge.corpus.generate.rules import Arrangement, Lexicalisation
from nlgauge.corpus.generate.stock import Stock
from nlgauge.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class Options(Generic[T]):
    """What may be drawn, and the share of each."""

    options: tuple[T, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class KindPlan:
    """A kind of entity: those that texts are about, and their predicates."""

    subjects: Options[str]
    predicates: Options[str]


@dataclass(frozen=True)
class SplitPlan:
    """What one set draws from. `facts`: the values of subject and predicate, where only those of the data will do."""

    name: str
    size: int
    kinds: Options[KindPlan]
    templates: dict[str, Options[Lexicalisation]]
    values: dict[str, Options[str]]
    facts: dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Plan:
    """All sets, and what had to be left out: predicates whose entities have too few for the inputs asked for, entities
    without the pronoun or description asked for."""

    splits: tuple[SplitPlan, ...]
    left_out_predicates: tuple[str, ...]
    left_out_entities: int


def arrangement(config: Config, predicates: Sequence[str]) -> Arrangement:
    """The rules of order, segmentation, aggregation and reference."""
    named = sorted(predicates)
    orders: tuple[tuple[str, ...], ...] = ()
    if isinstance(config.order, RandomOrder):
        orders = _random_orders(named, config.order.orders, config.seed)
    elif isinstance(config.order, ByContent):
        orders = (tuple(dict.fromkeys([*config.order.first, *named])),)
    elif isinstance(config.order, Alphabetical):
        orders = (tuple(named),)
    segmentation = config.segmentation
    inserting = config.aggregation if isinstance(config.aggregation, Insertion) else None
    return Arrangement(
        order=config.order.name,
        orders=orders,
        segmentation=segmentation.name,
        every=segmentation.triples if isinstance(segmentation, Every) else 0,
        sentences=segmentation.sentences if isinstance(segmentation, Number) else (),
        begin=segmentation.begin if isinstance(segmentation, ByPredicate | ByBoth) else (),
        by_entity=isinstance(segmentation, ByEntity | ByBoth),
        insert=inserting.insert if inserting else {},
        always=inserting is None or inserting.share == 1,
        first=config.references.first,
        again=config.references.again,
        within=config.references.within,
    )


def _random_orders(named: Sequence[str], count: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Different orders; refused where there are not so many."""
    most = 1
    for size in range(2, len(named) + 1):
        most = min(most * size, count)
    if count > most:
        raise InputError(
            f"order.orders asks for {count} orders, and {len(named)} predicates have {most}; ask for fewer"
        )
    rng = random.Random(seed)
    found: dict[tuple[str, ...], None] = {}
    while len(found) < count:
        found[tuple(rng.sample(named, len(named)))] = None
    return tuple(found)


def plan(config: Config, stock: Stock) -> Plan:
    """Choose for every set; refuse with the number there is."""
    ranked = list(config.only or stock.frequencies)
    chosen, lacking = _predicates(config, stock, ranked)
    weights = dict(zip(chosen, config.predicates.frequency.weights(len(chosen)), strict=True))
    kinds = _members(config, stock, chosen)
    used = dict.fromkeys(predicate for _, known in kinds for predicate in known)
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for fact in stock.facts:
        values[fact.predicate].setdefault(fact.object)
    left_out = sum(not _can(config, stock, name) for kind in stock.kinds for name in kind)
    splits = []
    for name, held in config.splits.items():
        subjects = [
            _chosen(list(group), config.entities, held.entities, "entities", f" with {known[0]}")
            for group, known in kinds
        ]
        splits.append(
            SplitPlan(
                name,
                held.size,
                _kind_options(config, kinds, subjects, weights),
                {
                    predicate: _options(
                        _chosen(
                            stock.lexicalisations[predicate],
                            config.templates,
                            held.templates,
                            "templates",
                            f" of {predicate}",
                            f" ({stock.annotated[predicate]} as annotated, with articles and possessives)"
                            if stock.annotated.get(predicate, 0) > len(stock.lexicalisations[predicate])
                            else "",
                        ),
                        config.templates,
                    )
                    for predicate in used
                },
                {
                    predicate: _options(
                        _chosen(list(values[predicate]), config.values, held.values, "values", f" of {predicate}"),
                        config.values,
                    )
                    for predicate in used
                },
                _facts(stock, used) if config.facts == "given" else {},
            )
        )
    return Plan(tuple(splits), lacking, left_out)


def _predicates(config: Config, stock: Stock, ranked: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The predicates chosen, and those left out because no entity has enough of the others and the names asked for."""
    candidates = list(ranked)
    while candidates:
        chosen = _chosen(candidates, config.predicates, 1.0, "predicates", "")
        usable = {predicate for _, known in _members(config, stock, chosen) for predicate in known}
        if len(usable) == len(chosen):
            return chosen, tuple(name for name in ranked if name not in candidates)
        candidates = [name for name in candidates if name in usable or name not in chosen]
    raise InputError(
        f"no entity has {max(config.triples)} of the {len(ranked)} predicates and the pronoun or description asked "
        "for; ask for fewer triples, or give the entities names, pronouns and descriptions (names)"
    )


def _members(config: Config, stock: Stock, predicates: Sequence[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Kinds of entities that have enough of the predicates, with those; a predicate of several kinds goes with
    the one that has it most often. Given facts: each entity for itself."""
    known: dict[str, set[str]] = defaultdict(set)
    for fact in stock.facts:
        known[fact.subject].add(fact.predicate)
    if config.facts == "given":
        alone = [
            name
            for kind in stock.kinds
            for name in kind
            if len(known[name] & set(predicates)) >= max(config.triples) and _can(config, stock, name)
        ]
        shown = {predicate for name in alone for predicate in known[name]}
        return [(tuple(alone), tuple(name for name in predicates if name in shown))] if alone else []
    found = []
    able = [tuple(name for name in kind if _can(config, stock, name)) for kind in stock.kinds]
    counts = [Counter(predicate for name in kind for predicate in known[name]) for kind in able]
    home = {name: max(range(len(able)), key=lambda kind: counts[kind][name]) for name in predicates}
    for number, kind in enumerate(able):
        own = tuple(name for name in predicates if home[name] == number and counts[number][name])
        if len(own) >= max(config.triples):
            found.append((kind, own))
    return found


def _can(config: Config, stock: Stock, name: str) -> bool:
    """Whether an entity can be referred to as asked; pronouns and descriptions are needed only of several triples."""
    rules = config.references
    asked = {rules.first} | ({rules.again, rules.within} if max(config.triples) > 1 else set())
    return all(stock.entities[name].of(kind) for kind in asked)


def _chosen(available: Sequence[T], choice: Choice, overlap: float, what: str, whose: str, more: str = "") -> list[T]:
    """The first for training; for another set as many, of which a share is training's."""
    number = choice.number or len(available)
    fresh = number - round(overlap * number)
    if number + fresh > len(available):
        asked = f"{number} {what}{whose}" + (f" and {fresh} others for a test" if fresh else "")
        raise InputError(
            f"{what}.number asks for {asked}, and the data have {len(available)}{more}; ask for fewer, or add some "
            "(lexicalisations, names and known in the file, or a table of facts by fill)"
        )
    return [*available[: number - fresh], *available[number : number + fresh]]


def _options(chosen: Sequence[T], choice: Choice) -> Options[T]:
    return Options(tuple(chosen), tuple(choice.frequency.weights(len(chosen))))


def _kind_options(
    config: Config,
    kinds: Sequence[tuple[Sequence[str], Sequence[str]]],
    subjects: Sequence[list[str]],
    weights: dict[str, float],
) -> Options[KindPlan]:
    """Kinds by the shares of their predicates."""
    found, shares = [], []
    mean = sum(config.triples) / len(config.triples)
    for chosen, (_, known) in zip(subjects, kinds, strict=True):
        if len(chosen) < max(config.subjects):
            raise InputError(
                f"subjects asks for {max(config.subjects)} entities an input, and there are {len(chosen)} with "
                f"{known[0]}; ask for fewer"
            )
        own = [weights[name] for name in known]
        share = sum(own)
        if config.facts == "recombined" and max(own) / share * mean > 1 + 1e-9:
            top = known[own.index(max(own))]
            raise InputError(
                f"{top} is to be {max(own) / share:.0%} of the triples about its entities, and with {mean:g} triples "
                f"an entity it can be {1 / mean:.0%}; ask for fewer triples or for shares that are more alike"
            )
        predicates = Options(tuple(known), tuple(weight / share for weight in own))
        found.append(KindPlan(_options(chosen, config.entities), predicates))
        shares.append(share)
    return Options(tuple(found), tuple(share / sum(shares) for share in shares))


def _facts(stock: Stock, used: dict[str, None]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for fact in stock.facts:
        if fact.predicate in used:
            own = found[fact.subject]
            own[fact.predicate] = (*own.get(fact.predicate, ()), fact.object)
    return dict(found)
