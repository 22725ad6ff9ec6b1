"""Whether sets have the properties asked for, by what their texts showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.corpus.generate.config import NOISE, Config, RandomOrder
from nlgauge.corpus.generate.decks import round_of
from nlgauge.corpus.generate.making import Found
from nlgauge.corpus.generate.plan import Plan, SplitPlan
from nlgauge.errors import InputError

SLACK = 2  # draws by which a frequency may miss, beside those of a round that was not dealt to its end


@dataclass(frozen=True)
class Property:
    """A property of a set: what was asked for, what was found, and whether that is the same."""

    split: str
    what: str
    asked: float
    found: float
    holds: bool


def check(config: Config, planned: Plan, counted: Mapping[str, Found]) -> tuple[Property, ...]:
    """Every property of every set."""
    found: list[Property] = []
    for split in planned.splits:
        found += _of_split(config, split, counted[split.name])
        if split.name != "train":
            found += _overlaps(config, split, planned.splits[0], counted)
    return tuple(found)


def refuse_unmet(properties: Sequence[Property]) -> None:
    """Refuse where one does not hold."""
    wrong = [found for found in properties if not found.holds]
    if wrong:
        first = wrong[0]
        raise InputError(
            f"{first.split} cannot have what is asked for: {first.what} {first.asked:g}, and the texts give "
            f"{first.found:g} ({len(wrong)} of {len(properties)} properties); ask for more texts, or for less"
        )


def _of_split(config: Config, split: SplitPlan, found: Found) -> Iterator[Property]:
    name = split.name
    yield Property(name, "texts", split.size, found.texts, split.size == found.texts)
    about = sum(found.sizes.values())
    for size in dict.fromkeys(config.triples):
        share = config.triples.count(size) / len(config.triples)
        slack = len(split.kinds.options) * (SLACK + len(config.triples)) / about
        yield _near(name, f"share of entities with {size} triples", share, found.sizes[size] / about, slack)
    used = [predicate for kind in split.kinds.options for predicate in kind.predicates.options]
    yield _number(name, "predicates", len(set(used)), len(found.predicates))
    groups: list[tuple[str, str, Sequence[Hashable], Sequence[float], Counter[Any]]] = [
        *(
            (
                "entities",
                kind.subjects.options[0],
                kind.subjects.options,
                kind.subjects.shares,
                found.subjects,
            )
            for kind in split.kinds.options
        ),
        *(
            ("templates", key, [known.name for known in options.options], options.shares, found.templates)
            for key, options in split.templates.items()
        ),
    ]
    if not split.facts:
        groups += [
            ("values", key, [(key, value) for value in options.options], options.shares, found.values)
            for key, options in split.values.items()
        ]
        groups += [
            (
                "predicates",
                kind.subjects.options[0],
                kind.predicates.options,
                kind.predicates.shares,
                found.predicates,
            )
            for kind in split.kinds.options
        ]
    for what in dict.fromkeys(group[0] for group in groups):
        own = [group for group in groups if group[0] == what]
        if what != "predicates" and config.choice(what).number:
            shown, asked, which = min(
                (
                    (sum(counts[option] > 0 for option in options), len(options), key)
                    for _, key, options, _, counts in own
                ),
                key=lambda group: group[0] - group[1],
            )
            yield _number(name, what if shown == asked else f"{what} ({which})", asked, shown)
        excess, miss = map(
            max,
            zip(*(_missed(options, shares, counts) for _, _, options, shares, counts in own), strict=True),
        )
        yield Property(name, f"frequency of {what}, largest miss of a share", 0, miss, excess <= SLACK)
    if isinstance(config.order, RandomOrder):
        yield _number(name, "orders", config.order.orders, len(found.orders))
    if split.name in config.noise.splits:
        for kind in NOISE:
            rate = getattr(config.noise, kind)
            slack = (SLACK + len(NOISE) + 1) / split.size
            yield _near(name, f"rate of noise, {kind}", rate, found.noise[kind] / split.size, slack)


def _missed(options: Sequence[Hashable], shares: Sequence[float], counts: Counter[Any]) -> tuple[float, float]:
    """By how many draws an option misses its share at the most, beyond what a round that was not dealt to its end
    explains; and the largest miss as a share."""
    total = sum(counts[option] for option in options)
    size = round_of(shares)
    misses = [abs(counts[option] - total * share) for option, share in zip(options, shares, strict=True)]
    excess = max(miss - size * share for miss, share in zip(misses, shares, strict=True))
    return excess, max(misses) / max(total, 1)


def _overlaps(config: Config, split: SplitPlan, train: SplitPlan, counted: Mapping[str, Found]) -> Iterator[Property]:
    """By what the texts showed, of this set and of training."""
    mine, theirs = counted[split.name], counted["train"]
    held = config.splits[split.name]
    pairs: dict[str, list[tuple[set[Any], set[Any]]]] = {
        "entities": [
            (
                {name for name in kind.subjects.options if mine.subjects[name]},
                {name for name in other.subjects.options if theirs.subjects[name]},
            )
            for kind, other in zip(split.kinds.options, train.kinds.options, strict=True)
        ],
        "templates": [
            (
                {known.name for known in options.options if mine.templates[known.name]},
                {known.name for known in train.templates[key].options if theirs.templates[known.name]},
            )
            for key, options in split.templates.items()
        ],
    }
    if not split.facts:
        pairs["values"] = [
            (
                {value for value in options.options if mine.values[key, value]},
                {value for value in train.values[key].options if theirs.values[key, value]},
            )
            for key, options in split.values.items()
        ]
    for what, sets in pairs.items():
        asked: float = getattr(held, what)
        worst = max(
            ((len(own & other) / len(own), 0.5 / len(own)) for own, other in sets if own),
            key=lambda pair: abs(pair[0] - asked) - pair[1],
        )
        yield _near(split.name, f"overlap of {what} with training", asked, worst[0], worst[1])


def _number(split: str, what: str, asked: int, found: int) -> Property:
    return Property(split, f"number of {what}", asked, found, asked == found)


def _near(split: str, what: str, asked: float, found: float, slack: float) -> Property:
    return Property(split, what, asked, found, abs(asked - found) <= slack + 1e-9)
