"""Corpora with known properties: texts made of templates, names and rules, checked to be as asked for.

`config` is the file, `stock` what there is, `plan` what each set uses, `making` the texts, `checking` what they showed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from nlgauge.corpus.generate.config import NOISE, Config, RandomOrder
from nlgauge.corpus.generate.making import Found, Making, round_of
from nlgauge.corpus.generate.plan import Plan, SplitPlan, arrangement, plan
from nlgauge.corpus.generate.rules import Lexicalisation, Names, Rules
from nlgauge.corpus.generate.stock import gather
from nlgauge.errors import InputError
from nlgauge.io.outputs import reading
from nlgauge.io.streaming import collector_paused
from nlgauge.io.write import atomic_file
from nlgauge.jsonable import Jsonable

# Whether sets have the properties asked for, by what their texts showed.


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
            ("entities", kind.subjects.options[0], kind.subjects.options, kind.subjects.shares, found.subjects)
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
            ("predicates", kind.subjects.options[0], kind.predicates.options, kind.predicates.shares, found.predicates)
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
        missed = [_missed(options, shares, counts) for _, _, options, shares, counts in own]
        excess, miss = max(excess for excess, _ in missed), max(miss for _, miss in missed)
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


MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Generated(Jsonable):
    """What was written: the folder, texts by set, and every property, asked for and found."""

    KEYS = "folder, texts, properties, left_out"

    folder: Path
    texts: dict[str, int]
    properties: tuple[Property, ...]
    left_out_predicates: tuple[str, ...]
    left_out_entities: int

    @property
    def left_out(self) -> dict[str, Any]:
        """What the texts do not tell."""
        return {"predicates": self.left_out_predicates, "entities": self.left_out_entities}


def generate(
    config: Config,
    folder: Path,
    *,
    beside: Path,
    progress: Callable[[str, int], None] | None = None,
) -> Generated:
    """Write the sets and a manifest into a folder; all of it, or nothing where a property does not come out.

    Paths of the configuration begin `beside`; `progress` is told the set and how many texts were added.
    """
    stock = gather(config, beside)
    planned = plan(config, stock)
    used = {name for split in planned.splits for name in split.templates}
    rules = arrangement(config, sorted(used))
    entities = _entities(planned, stock.entities)
    counted: dict[str, Found] = {}
    with ExitStack() as files:
        files.enter_context(reading([beside / path for path in (*config.source, *config.fill)]))
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; expected a folder to write to")
        _refuse_left_over(folder, config)
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if made:
            files.callback(_remove_empty, folder)
        about = files.enter_context(atomic_file(folder / MANIFEST))  # moved into its place last
        files.enter_context(collector_paused())
        for split in planned.splits:
            out = files.enter_context(atomic_file(folder / f"{split.name}.jsonl"))
            making = Making(config, split, rules, entities)
            for rows in making.rows():
                out.write(b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows]))
                if progress is not None:
                    progress(split.name, len(rows))
            counted[split.name] = making.found
        properties = check(config, planned, counted)
        refuse_unmet(properties)
        result = Generated(
            folder,
            {name: found.texts for name, found in counted.items()},
            properties,
            planned.left_out_predicates,
            planned.left_out_entities,
        )
        known = Rules(
            {name: _used(planned, name) for name in sorted(used)},
            {name: _named(names, config.called.number) for name, names in entities.items()},
            rules,
            _shares(counted["train"]),
            dict(counted["train"].predicates.most_common()),
        )
        manifest = {**result.to_dict(), "config": asdict(config), "rules": known.to_dict()}
        about.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return result


def _refuse_left_over(folder: Path, config: Config) -> None:
    """Sets of an earlier corpus beside the new ones would look like part of it."""
    if not (folder / MANIFEST).is_file():
        return
    try:
        earlier = set(orjson.loads((folder / MANIFEST).read_bytes())["texts"]) - set(config.splits)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise InputError(
            f"{folder / MANIFEST} is no manifest of nlgauge corpus generate; name another folder"
        ) from None
    if left := sorted(name for name in earlier if (folder / f"{name}.jsonl").exists()):
        raise InputError(
            f"{folder} has sets of an earlier corpus, which this one does not have: {', '.join(left)}; remove their "
            "files, or name another folder"
        )


def _remove_empty(folder: Path) -> None:
    """A folder made for nothing goes again."""
    if not any(folder.iterdir()):
        folder.rmdir()


def _entities(planned: Plan, known: dict[str, Any]) -> dict[str, Any]:
    """Those that any set can name."""
    used: dict[str, None] = {}
    for split in planned.splits:
        for kind in split.kinds.options:
            used.update(dict.fromkeys(kind.subjects.options))
        for options in split.values.values():
            used.update(dict.fromkeys(options.options))
        for facts in split.facts.values():
            used.update(dict.fromkeys(value for values in facts.values() for value in values))
    return {name: known[name] for name in used}


def _used(planned: Plan, predicate: str) -> tuple[Lexicalisation, ...]:
    """The lexicalisations of a predicate in any set."""
    found = {known.name: known for split in planned.splits for known in split.templates[predicate].options}
    return tuple(found.values())


def _named(names: Names, number: int) -> Names:
    """With those names only that texts use."""
    return replace(names, names=names.names[:number] if number else names.names)


def _shares(found: Found) -> dict[str, float]:
    """Of each template among those of its predicate."""
    totals: dict[str, int] = {}
    for name, count in found.templates.items():
        predicate = name.rpartition("/")[0]
        totals[predicate] = totals.get(predicate, 0) + count
    return {name: count / totals[name.rpartition("/")[0]] for name, count in sorted(found.templates.items())}
