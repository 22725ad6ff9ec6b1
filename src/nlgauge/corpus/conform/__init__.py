"""Whether outputs follow the rules that made a corpus, and which of them: what a system really learned.

`parsing` reads a text as facts and templates, `nearest` counts the least edits to a text that conforms, `checking` is
one output, and here are systems.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import orjson

from nlgauge.corpus.conform.checking import FACTS, Checked, Checker
from nlgauge.corpus.conform.parsing import Fact
from nlgauge.corpus.entries import Corpus, Output
from nlgauge.corpus.generate import MANIFEST
from nlgauge.corpus.generate.config import read_config
from nlgauge.corpus.generate.plan import arrangement
from nlgauge.corpus.generate.rules import Rules
from nlgauge.corpus.generate.stock import gather, rules_of
from nlgauge.corpus.reading import read
from nlgauge.errors import InputError
from nlgauge.io.files import readable
from nlgauge.jsonable import Jsonable
from nlgauge.stats.resample import bootstrap
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import share

EXAMPLE = "example"  # the templates of the corpus that comes with nlgauge
OWN = "texts"  # what the texts of a corpus are called where there is no system


@dataclass(frozen=True)
class System(Jsonable):
    """One system: strict and partial credit, facts by what became of them, and how often each rule is followed, by
    outputs that say several facts."""

    system: str
    outputs: int
    strict: Estimate
    credit: Estimate
    edits: float
    facts: dict[str, int]
    followed: dict[str, float]
    orders: dict[str, int]
    templates: int


@dataclass(frozen=True)
class Template(Jsonable):
    """A template in a system's outputs: how often, its share of its predicate, that in training, and a verdict."""

    system: str
    template: str
    predicate: str
    used: int
    share: Estimate | None
    training: float
    verdict: str  # learned, never used, over-used, under-used, unseen


@dataclass(frozen=True)
class Predicate(Jsonable):
    """A predicate in a system's outputs, with its frequency and uniqueness ratio in training."""

    system: str
    predicate: str
    frequency: int
    ratio: float
    facts: dict[str, int]


@dataclass(frozen=True)
class Band(Jsonable):
    """A third of the predicates, by frequency or uniqueness ratio: what became of their facts, and the share said."""

    system: str
    by: str
    least: float
    most: float
    predicates: int
    facts: dict[str, int]
    said: Estimate


@dataclass(frozen=True)
class Confusion(Jsonable):
    """A template of the reference, and what the output has for the same fact."""

    system: str
    reference: str
    output: str
    count: int


@dataclass(frozen=True)
class Conformity(Jsonable):
    """Everything about the outputs of systems."""

    systems: tuple[System, ...]
    templates: tuple[Template, ...]
    predicates: tuple[Predicate, ...]
    bands: tuple[Band, ...]
    confusions: tuple[Confusion, ...]


@lru_cache(maxsize=8)
def _checker(path: str, stamp: tuple[int, int]) -> Checker:
    return Checker(_read_rules(Path(path)))


def rules_file(path: str | Path) -> Path:
    """The file of rules that is meant by its name, its folder, or as the example."""
    if path == EXAMPLE and not Path(path).exists():
        return Path(str(files("nlgauge").joinpath("corpus/example.jsonl")))
    return Path(path) / MANIFEST if Path(path).is_dir() else Path(path)


def checker(path: str | Path) -> Checker:
    """The checker of a file of rules, made once as long as the file stays the same."""
    path = rules_file(path)
    with readable(path):
        found = path.stat()
    return _checker(str(path), (found.st_mtime_ns, found.st_size))


def _read_rules(path: Path) -> Rules:
    """The rules of a manifest, of a configuration, or the templates and names of an annotated corpus."""
    if path.suffix in (".yaml", ".yml"):
        config = read_config(path)
        stock = gather(config, path.parent)
        predicates = sorted(config.only or stock.lexicalisations)
        known = {name: stock.lexicalisations[name] for name in predicates}
        return Rules(known, stock.entities, arrangement(config, predicates))
    if path.suffix != ".json":
        corpus = read([path])
        if not any(entry.annotated for entry in corpus.entries):
            raise InputError(f"{path} has no annotated templates; expected {_EXPECTED}")
        return rules_of(corpus)
    content = path.read_bytes()
    try:
        return Rules.from_dict(orjson.loads(content)["rules"])
    except orjson.JSONDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise InputError(f"{place}: {error.msg}; expected {_EXPECTED}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path} holds no rules ({error}); expected {_EXPECTED}") from None


_EXPECTED = "the manifest.json of nlgauge corpus generate, its configuration (.yaml), or a corpus with templates"


def conform(
    corpus: Corpus,
    checks: Checker,
    *,
    level: float = 0.95,
    seed: int = 12345,
    progress: Callable[[str, int], None] | None = None,
) -> Conformity:
    """Check the outputs of every system; of a corpus without any, its own texts."""
    entries = {entry.item: entry for entry in corpus.entries if entry.triples}
    outputs = corpus.outputs or tuple(
        Output(entry.item, OWN, text.text) for entry in entries.values() for text in entry.texts
    )
    inputs = {
        item: [(triple.subject, triple.predicate, triple.object) for triple in entry.triples]
        for item, entry in entries.items()
    }
    by_system: dict[str, list[tuple[str, Checked]]] = defaultdict(list)
    for output in outputs:
        if output.item in inputs:
            by_system[output.system].append((output.item, checks.check(output.text, inputs[output.item])))
            if progress is not None:
                progress(output.system, 1)
    if not by_system:
        raise InputError("no output has an input of triples; expected rows with source, system and hypothesis")
    gold: dict[str, dict[Fact, str]] = {}
    if corpus.outputs:
        for item, entry in entries.items():
            if entry.texts:
                gold[item] = _templates(checks.check(entry.texts[0].text, inputs[item]))
    systems, templates, predicates, bands, confusions = [], [], [], [], []
    for system, checked in by_system.items():
        systems.append(_system(system, checked, level, seed))
        templates += _used(system, checked, checks.rules, level)
        own = _predicates(system, checked, checks.rules)
        predicates += own
        bands += _bands(system, checked, own, level)
        confusions += _confused(system, checked, gold)
    ranked = tuple(sorted(systems, key=lambda row: -row.credit.estimate))
    return Conformity(ranked, tuple(templates), tuple(predicates), tuple(bands), tuple(confusions))


def _templates(checked: Checked) -> dict[Fact, str]:
    found: dict[Fact, str] = {}
    for clause in checked.reading.clauses:
        found[clause.fact] = clause.template
        if clause.inserted is not None:
            found[clause.inserted] = "adjective"
    return found


def _system(system: str, checked: Sequence[tuple[str, Checked]], level: float, seed: int) -> System:
    items = [item for item, _ in checked]
    rows = [row for _, row in checked]
    several = [row for row in rows if len(row.reading.facts()) > 1]  # the others can break no such rule
    followed = {
        "order": [row.ordered for row in several],
        "segmentation": [row.segmented for row in several],
        "aggregation": [row.aggregated for row in several],
        "references": [row.referred for row in several],
    }
    return System(
        system=system,
        outputs=len(rows),
        strict=share([row.strict for row in rows], items, level=level),
        credit=_mean([row.credit for row in rows], items, level=level, seed=seed),
        edits=sum(row.edits for row in rows) / len(rows),
        facts=_counted(rows),
        followed={name: sum(hits) / len(several) for name, hits in followed.items() if several},
        orders=dict(Counter(name for row in rows for name in row.orders).most_common()),
        templates=len({clause.template for row in rows for clause in row.reading.clauses}),
    )


def _mean(values: Sequence[float], items: Sequence[str], *, level: float, seed: int) -> Estimate:
    """With bootstrap limits over items; none where all outputs are alike, which such limits would say too much of."""
    mean = sum(values) / len(values)
    if len(set(values)) == 1:
        return share(values, items, level=level)
    rows = np.column_stack([np.array(values), np.ones(len(values))])
    drawn = bootstrap(
        rows, lambda totals: totals[..., 0] / totals[..., 1], seed=seed, level=level, clusters=list(items)
    )
    return Estimate(mean, drawn.low, drawn.high, level, "bootstrap over items", len(values))


def _counted(rows: Iterable[Checked]) -> dict[str, int]:
    counts = dict.fromkeys(FACTS, 0)
    for row in rows:
        for name, facts in row.facts.items():
            counts[name] += len(facts)
    return counts


def _used(system: str, checked: Sequence[tuple[str, Checked]], rules: Rules, level: float) -> list[Template]:
    """Every template of the rules whose predicate the outputs had to say."""
    uses: dict[str, list[tuple[str, str]]] = defaultdict(list)
    asked: set[str] = set()
    for item, row in checked:
        asked.update(fact[1] for name, facts in row.facts.items() if name != "added" for fact in facts)
        for clause in row.reading.clauses:
            uses[clause.fact[1]].append((item, clause.template))
    found = []
    for predicate in sorted(asked & set(rules.lexicalisations)):
        own = uses[predicate]
        counts = Counter(template for _, template in own)
        for known in rules.lexicalisations[predicate]:
            training = rules.shares.get(known.name, 0.0)
            hits = [template == known.name for _, template in own]
            estimate = share(hits, [item for item, _ in own], level=level) if own else None
            verdict = _verdict(counts[known.name], estimate, training)
            found.append(
                Template(
                    system=system,
                    template=known.name,
                    predicate=predicate,
                    used=counts[known.name],
                    share=estimate,
                    training=training,
                    verdict=verdict,
                )
            )
    return found


def _verdict(used: int, estimate: Estimate | None, training: float) -> str:
    if not training:
        return "unseen" if not used else "learned"
    if not used:
        return "never used"
    assert estimate is not None  # it was used
    if estimate.low > training:
        return "over-used"
    return "under-used" if estimate.high < training else "learned"


def _predicates(system: str, checked: Sequence[tuple[str, Checked]], rules: Rules) -> list[Predicate]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _, row in checked:
        for name, facts in row.facts.items():
            for _, predicate, _ in facts:
                counts[predicate][name] += 1
    found = []
    for predicate, count in counts.items():
        frequency = rules.frequencies.get(predicate, 0)
        unique = sum(rules.shares.get(known.name, 0) > 0 for known in rules.lexicalisations.get(predicate, ()))
        total = rules.counted.get(predicate, frequency)
        ratio = unique / total if total else 0.0
        found.append(Predicate(system, predicate, frequency, ratio, {name: count[name] for name in FACTS}))
    return sorted(found, key=lambda row: (-row.frequency, row.predicate))


def _bands(
    system: str, checked: Sequence[tuple[str, Checked]], predicates: Sequence[Predicate], level: float
) -> list[Band]:
    """Thirds of the predicates; fewer than three are not cut."""
    known = [row for row in predicates if row.frequency]
    if len(known) < 3:
        return []
    found = []
    for by in ("frequency", "ratio"):
        ranked = sorted(known, key=lambda row: (getattr(row, by), row.predicate))
        cuts = [round(len(ranked) * third / 3) for third in range(4)]
        for start, end in pairwise(cuts):
            part = ranked[start:end]
            names = {row.predicate for row in part}
            kinds, items = [], []
            for item, row in checked:
                for kind, facts in row.facts.items():
                    own = sum(predicate in names for _, predicate, _ in facts)
                    kinds += [kind] * own
                    items += [item] * own
            given = [place for place, kind in enumerate(kinds) if kind != "added"]
            if given:
                values = [getattr(row, by) for row in part]
                said = share(
                    [kinds[place] == "said" for place in given],
                    [items[place] for place in given],
                    level=level,
                )
                counts = {name: kinds.count(name) for name in FACTS}
                found.append(
                    Band(
                        system=system,
                        by=by,
                        least=values[0],
                        most=values[-1],
                        predicates=len(part),
                        facts=counts,
                        said=said,
                    )
                )
    return found


def _confused(system: str, checked: Sequence[tuple[str, Checked]], gold: dict[str, dict[Fact, str]]) -> list[Confusion]:
    counts: Counter[tuple[str, str]] = Counter()
    for item, row in checked:
        mine = _templates(row)
        for fact, template in gold.get(item, {}).items():
            counts[template, mine.get(fact, "")] += 1
    return [
        Confusion(system, *pair, count)
        for pair, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
