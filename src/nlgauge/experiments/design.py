"""What the file of `nlgauge corpus experiment` may say.

corpus: places.yaml
factors:
  templates.number: [1, 3, 9]
seeds: 8
systems: {transformer: {steps: 800}, mine: {command: "python mine.py {train} {inputs} {output}"}}
claims:
  - {says: More templates are harder, factor: templates.number, levels: [1, 9], expect: lower}
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Literal

from nlgauge.corpus.generate.config import Config, read_node
from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.fields import Problem, Reader, key
from nlgauge.io.trees import read_tree, tree

MEASURES = {
    "strict": "share of the outputs that conform to the rules and say their input",
    "credit": "partial credit: 1 less edits by words",
    "said": "share of the facts that is said",
    "templates": "different templates used",
    "entropy": "of the templates of a predicate, in bits",
    "minority": "share of the clauses whose template is the rarest of its predicate in training",
    "names": "entropy of the names of an entity, in bits",
    "order": "share of the outputs of several facts whose order is one of the rules",
    "segmentation": "the same for sentences",
    "aggregation": "the same for conjunction and adjectives",
    "references": "the same for names, pronouns and descriptions",
}
NEEDED = "needed"
FEW = ("strict", "credit", "templates", "entropy")
NETWORKS = ("transformer", "lstm", "conv")
EXAMPLES = "examples."  # and a predicate: how many texts are about it, the others alike
PLACES = {
    "command": ("train", "dev", "inputs", "output", "seed"),
    "generator": ("config", "seed", "folder"),
    "parser": ("outputs", "rules", "output"),
}
NEEDS = {"command": ("train", "inputs", "output"), "generator": ("folder",), "parser": ("outputs", "output")}

READY = {
    "predictions": ("unique-ratio", "examples", "diverse-values", "conjunction"),
    "skew": ("skew",),
    "minority": ("minority",),
    "rules": ("rules",),
}
"""Ready-made designs: which files of `designs` each runs, one after the other."""


@dataclass(frozen=True)
class System:
    """A network that is trained, or a command."""

    SHORT: ClassVar[str] = "network"
    network: Literal["", "transformer", "lstm", "conv"] = key("that comes with nlgauge", default="")
    command: str = key("a command of your own: python mine.py {train} {dev} {inputs} {output}", default="")
    width: int = key("units of a layer; a multiple of 4", default=64, least=4, most=1024)
    rate: float = key("learning rate", default=0.003, least=1e-6, most=1.0)
    dropout: float = key("share of units dropped in training", default=0.1, least=0.0, most=0.9)
    steps: int = key("batches of 32 texts", default=1000, least=1)
    temperature: float = key(
        "words are drawn at this temperature (0: the likeliest)", default=0.0, least=0.0, most=10.0
    )


@dataclass(frozen=True)
class Claim:
    """What is expected of two levels of a factor: the measure at the second, beside the first."""

    says: str = key("the claim in words")
    factor: str = key("which factor")
    levels: tuple[str, ...] = key("two of its levels")
    expect: Literal["higher", "lower", "different"] = key("of the measure at the second level")
    measure: str = key("what is measured", default="strict")
    test: str = key("on which test set (the first)", default="")


@dataclass(frozen=True)
class Needed:
    """How many are needed: the least level of a factor of numbers at which a measure reaches so much."""

    over: str = key("a factor of rising numbers")
    reach: float = key("of the measure", least=0.0, most=1.0)
    measure: str = key("what is measured", default="strict")


@dataclass(frozen=True)
class Small:
    """What the small form has instead."""

    seeds: int = key("how many", default=3, least=1, most=1000)
    steps: int = key("batches of networks", default=0, least=0)
    factors: Mapping[str, Any] = key("levels of some factors", default={})
    set: Mapping[str, Any] = key("further keys of the configuration", default={})


@dataclass(frozen=True)
class Design:
    """One experiment."""

    factors: Mapping[str, Any] = key("levels by key of the configuration: {templates.number: [1, 3, 9]}")
    corpus: Any = field(
        default=None,
        metadata={"about": "a configuration of nlgauge corpus generate, or the name of its file"},
    )
    set: Mapping[str, Any] = key("keys of the configuration that are set otherwise", default={})
    about: str = key("what is asked", default="")
    crossing: Literal["full", "single"] = key(
        "every level with every other, or one factor at a time from the first levels", default="full"
    )
    seeds: int = key("how many", default=5, least=1, most=1000)
    first_seed: int = key("the first of them", default=1001, least=0)
    systems: Mapping[str, System] = key(
        "by name", default={"transformer": System("transformer"), "lstm": System("lstm")}
    )
    measures: tuple[str, ...] = key("to analyse", default=FEW, alone=True)
    needed: Needed | None = field(default=None, metadata={"about": "how many examples are needed"})
    tested: tuple[str, ...] = key("predicates that test inputs are about (all)", default=(), alone=True)
    claims: tuple[Claim, ...] = key("what is expected", default=())
    generator: str = key("a command that makes corpora: make.sh {config} {seed} {folder}", default="")
    parser: str = key("a command that judges outputs: parse.sh {outputs} {rules} {output}", default="")
    small: Small = field(default_factory=Small, metadata={"about": "the small form"})
    beside: str = key("the folder that paths begin at", default="", frozen=True)
    name: str = key("of the design", default="", frozen=True)

    @property
    def numbers(self) -> range:
        """The seeds."""
        return range(self.first_seed, self.first_seed + self.seeds)

    def levels(self, factor: str) -> dict[str, Any]:
        """Those of a factor by name."""
        given = self.factors[factor]
        return dict(given) if isinstance(given, Mapping) else {told(value): value for value in given}

    @property
    def combinations(self) -> list[dict[str, str]]:
        """Levels of all factors, by name."""
        known = {factor: list(self.levels(factor)) for factor in self.factors}
        every = [dict(zip(known, levels, strict=True)) for levels in product(*known.values())]
        if self.crossing == "full":
            return every
        over = self.needed.over if self.needed else ""
        first = {factor: levels[0] for factor, levels in known.items()}
        return [
            found
            for found in every
            if sum(level != first[factor] for factor, level in found.items() if factor != over) < 2
        ]

    def values(self, levels: Mapping[str, str]) -> dict[str, Any]:
        """The configuration of a combination, as plain values."""
        made: dict[str, Any] = _copied(self.corpus)
        chosen = {factor: self.levels(factor)[level] for factor, level in levels.items()}
        counts: dict[str, Any] = {}
        for place, value in {**self.set, **chosen}.items():
            if place.startswith(EXAMPLES):
                counts[place.removeprefix(EXAMPLES)] = value
            else:
                _put(made, place, value)
        for predicate, count in counts.items():
            _put(made, "predicates", _rare(made, predicate, count))
        return made

    def config(self, levels: Mapping[str, str], seed: int) -> Config:
        """The same, read; a design that was read has no combination that cannot be."""
        found, problems = read_node(tree({**self.values(levels), "seed": seed}))
        if found is None:
            raise InputError("; ".join(problem.message for problem in problems))
        return found

    def made_small(self) -> Design:
        """The small form."""
        systems = {
            name: replace(system, steps=self.small.steps or system.steps) if system.network else system
            for name, system in self.systems.items()
        }
        return replace(
            self,
            seeds=self.small.seeds,
            systems=systems,
            factors={**self.factors, **self.small.factors},
            set={**self.set, **self.small.set},
        )


def told(value: Any) -> str:
    """A level as it is called."""
    if isinstance(value, Mapping):
        return " ".join([str(value.get("kind", "")), *(f"{k} {told(v)}" for k, v in value.items() if k != "kind")])
    return ", ".join(map(told, value)) if isinstance(value, list) else str(value)


def _copied(value: Any) -> Any:
    return {name: _copied(inner) for name, inner in value.items()} if isinstance(value, dict) else value


def _put(made: dict[str, Any], place: str, value: Any) -> None:
    """Set a dotted key; a part that is written short gives way."""
    *path, last = place.split(".")
    for name in path:
        if not isinstance(made.get(name), dict):
            made[name] = {}
        made = made[name]
    made[last] = value


def _rare(made: Mapping[str, Any], predicate: str, count: Any) -> dict[str, Any]:
    """Shares of predicates such that one has so many texts and the others share the rest."""
    named, train = list(made.get("only", ())), made.get("train", 0)
    number = (made.get("predicates") or {}).get("number", 0) or len(named)
    if predicate not in named[:number] or number < 2:
        raise InputError(
            f"{EXAMPLES}{predicate} is no predicate used; name two or more in `only` of the configuration, "
            f"{suggest(predicate, named[:number])}"
        )
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count < train:
        raise InputError(
            f"{EXAMPLES}{predicate} must be a whole number from 1 to {train - 1}, fewer than there are texts (train), "
            f"not {shortened(count)}"
        )
    others = (train - count) / (number - 1)
    shares = [count if name == predicate else others for name in named[:number]]
    return {"number": number, "frequency": {"kind": "given", "shares": [share / train for share in shares]}}


def read_designs(name: str) -> list[Design]:
    """The designs of a file, or of a name that comes with nlgauge."""
    if Path(name).exists() or Path(name).suffix in (".yaml", ".yml"):
        return [read_design(Path(name))]
    shipped = Path(str(files("nlgauge").joinpath("experiments/designs")))
    known = {**READY, **{part: (part,) for parts in READY.values() for part in parts}}
    if name not in known:
        raise InputError(f"{name} is no file and no ready-made design; {suggest(name, [*known, 'frequency-bias'])}")
    return [read_design(shipped / f"{part}.yaml") for part in known[name]]


def read_design(path: Path) -> Design:
    """Read a file; what does not fit is refused with its line."""
    node = read_tree(path)
    if node is None:
        raise InputError(f"{path} is empty; nlgauge corpus experiment --help shows what stands in such a file")
    reader = Reader(called="the file")
    found: Design | None = reader.read(Design, node, "")
    if found is not None:
        found = replace(found, beside=str(path.parent), name=path.stem)
        found = _with_corpus(found, path, reader)
        for where, said in _problems(found) if not reader.problems else ():
            place = where
            while place not in reader.lines and "." in place:
                place = place.rpartition(".")[0]
            reader.problems.append(Problem(reader.lines.get(place, 0), where, said, reader.columns.get(place, 0)))
    if found is None or reader.problems:
        ordered = sorted(reader.problems, key=lambda problem: (problem.line, problem.column))
        raise InputError(f"{path}: {'; '.join(dict.fromkeys(problem.at_column() for problem in ordered))}")
    return found


def _with_corpus(design: Design, path: Path, reader: Reader) -> Design:
    """The configuration of the corpus in place of the name of its file; paths in it begin at that file's folder."""
    if design.corpus is None and not design.generator:
        reader.problems.append(
            Problem(0, "corpus", "the key 'corpus' is missing: name a configuration of nlgauge corpus generate")
        )
        return replace(design, corpus={})
    base = path.parent / design.corpus if isinstance(design.corpus, str) else None
    if base is None and not isinstance(design.corpus, dict | None):
        said = f"corpus must be keys of a configuration or the name of its file, not {shortened(design.corpus)}"
    elif base and not base.exists():
        said = f"corpus: there is no file {base}; expected a configuration of nlgauge corpus generate"
    else:
        said = ""
    if base is None or said:
        if said:
            reader.problems.append(
                Problem(reader.lines.get("corpus", 0), "corpus", said, reader.columns.get("corpus", 0))
            )
        return replace(design, corpus={} if said or not design.corpus else design.corpus)
    node = read_tree(base)
    values: Any = reader.read(Any, node, "corpus") if node is not None else None
    if not isinstance(values, dict):
        raise InputError(f"{base} holds no keys; expected a configuration of nlgauge corpus generate")
    return replace(design, corpus=values, beside=str(base.parent))


def _problems(design: Design) -> Iterator[tuple[str, str]]:
    """What does not fit together: the key, and why."""
    yield from _of_factors(design)
    for name, system in design.systems.items():
        if system.command and system.network:
            yield f"systems.{name}", f"{name} has a network and a command; leave one of them out"
        elif not system.command and not system.network:
            yield f"systems.{name}", f"{name} has neither network nor command; {suggest(name, NETWORKS)}"
        elif system.network and system.width % 4:
            yield f"systems.{name}.width", f"{name}: width must be a multiple of 4, not {system.width}"
        if system.command:
            yield from _of_command(f"systems.{name}.command", "command", system.command)
            if "{dev}" in system.command and not design.generator and "dev" not in design.corpus:
                yield (
                    f"systems.{name}.command",
                    f"{name} asks for {{dev}}, and the corpus has no such set; add dev: 50 to the configuration",
                )
    for kind, command in (("generator", design.generator), ("parser", design.parser)):
        if command:
            yield from _of_command(kind, kind, command)
    if design.generator and (design.tested or any(name.startswith(EXAMPLES) for name in design.factors)):
        yield "generator", f"`tested` and `{EXAMPLES}…` need nlgauge's own generator; leave the generator out"
    known = [*MEASURES, *([NEEDED] if design.needed else [])]
    for name in design.measures:
        if name not in MEASURES:
            yield "measures", f"there is no measure {name!r}; {suggest(name, MEASURES)}"
    for number, claim in enumerate(design.claims, 1):
        where = f"claims.{number}"
        if claim.measure not in known:
            yield where, f"claim {number}: there is no measure {claim.measure!r}; {suggest(claim.measure, known)}"
        elif claim.measure not in (*design.measures, NEEDED):
            yield where, f"claim {number} is about {claim.measure}; add it to measures"
        if claim.factor not in design.factors:
            yield where, f"claim {number}: there is no factor {claim.factor!r}; {suggest(claim.factor, design.factors)}"
        elif len(claim.levels) != 2:
            yield where, f"claim {number} has {len(claim.levels)} levels; expected two"
        else:
            for level in claim.levels:
                for form, tried in (("", design), ("the small form of ", design.made_small())):
                    if level not in (levels := tried.levels(claim.factor)):
                        said = f"{form}{claim.factor} has no level {level!r}; {suggest(level, levels)}"
                        yield where, f"claim {number}: {said}"
                        break
    if design.needed:
        yield from _of_needed(design, design.needed)


def _of_factors(design: Design) -> Iterator[tuple[str, str]]:
    """Every level is tried alone, with the first of the others."""
    for part, factors in (("factors", design.factors), ("small.factors", design.small.factors)):
        for name, given in factors.items():
            if not isinstance(given, list | dict) or len(given) < 2:
                yield (
                    f"{part}.{name}",
                    f"{name} must be a list of two levels or more, or names with levels, not {shortened(given)}",
                )
                return
            if isinstance(given, list) and len({told(value) for value in given}) < len(given):
                yield f"{part}.{name}", f"{name} has a level twice; leave one of them out"
                return
            if name == "seed":
                yield f"{part}.{name}", "seed is no factor: `seeds` says how many there are of each cell"
                return
            if part == "small.factors" and name not in design.factors:
                yield f"{part}.{name}", f"there is no factor {name!r}; {suggest(name, design.factors)}"
                return
    if design.generator:
        return
    for form, tried in (("", design), ("small.", design.made_small())):
        first = {factor: next(iter(tried.levels(factor))) for factor in tried.factors}
        seen: set[str] = set()
        for factor in tried.factors:
            for level in tried.levels(factor):
                for where, said in _of_levels(tried, {**first, factor: level}, factor):
                    if said not in seen:
                        seen.add(said)
                        yield form * (form + where in design.small.factors) + where, f"{factor} {level}: {said}"
        if seen:
            return


def _of_levels(design: Design, levels: Mapping[str, str], factor: str) -> Iterator[tuple[str, str]]:
    try:
        found, problems = read_node(tree(design.values(levels)))
    except InputError as error:
        yield f"factors.{factor}", str(error)
        return
    for problem in problems:
        owner = next((name for name in (factor, *design.factors) if problem.path.startswith(name)), None)
        own = next((name for name in design.set if problem.path.startswith(name)), None)
        where = f"factors.{owner}" if owner else f"set.{own}" if own else "corpus"
        lacking = problem.message.startswith("there is no key") and not own and not owner
        yield f"factors.{factor}" if lacking else where, problem.message
    if found is not None and not found.tests:
        yield "corpus", "the corpus has no test set; add tests: {test: 200} to the configuration"


def _of_command(where: str, kind: str, command: str) -> Iterator[tuple[str, str]]:
    """A command with the places it needs, and no other."""
    try:
        words = shlex.split(command)
        command.format(**dict.fromkeys(PLACES[kind], ""))
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        places = ", ".join(f"{{{name}}}" for name in PLACES[kind])
        yield where, f"{shortened(command)} cannot be read ({error}); it may have {places}, and other braces doubled"
        return
    lacking = [f"{{{name}}}" for name in NEEDS[kind] if not any(f"{{{name}}}" in word for word in words)]
    if lacking:
        yield where, f"{shortened(command)} has no {' and no '.join(lacking)}; add what it reads and writes"


def _of_needed(design: Design, needed: Needed) -> Iterator[tuple[str, str]]:
    if needed.over not in design.factors:
        yield "needed.over", f"there is no factor {needed.over!r}; {suggest(needed.over, design.factors)}"
        return
    if needed.measure not in design.measures:
        yield "needed.measure", f"{needed.measure!r} is not measured; {suggest(needed.measure, design.measures)}"
    try:
        values = [float(level) for level in design.levels(needed.over)]
    except ValueError:
        values = []
    if not values or min(values) <= 0 or values != sorted(values):
        yield "needed.over", f"the levels of {needed.over} must be rising numbers above 0"


def first_test(tests: Sequence[str], claim: Claim) -> str:
    """The test set a claim is about."""
    if claim.test and claim.test not in tests:
        raise InputError(f"a claim is about the test set {claim.test!r}; {suggest(claim.test, tests)}")
    return claim.test or tests[0]
