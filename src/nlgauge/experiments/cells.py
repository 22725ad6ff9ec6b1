"""Cells: for a combination of levels and a seed the corpus, what systems write of it, and what is counted."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from nlgauge.corpus.conform import checker
from nlgauge.corpus.conform.checking import Checked, Checker
from nlgauge.corpus.generate import MANIFEST, generate
from nlgauge.corpus.generate.config import Choice
from nlgauge.errors import InputError, shortened
from nlgauge.experiments.design import Design, first_test
from nlgauge.experiments.systems import Row, read_rows, run, written
from nlgauge.generators.kept import keep

# What is counted of the outputs of a system on one test set.


Fact = tuple[str, str, str]


def measured(checks: Checker, rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> dict[str, float | None]:
    """Every measure by the rules of the corpus; none where there is nothing to count."""
    checked = [
        checks.check(text, [(s, p, o) for s, p, o in row["source"]]) for row, text in zip(rows, texts, strict=True)
    ]
    clauses = [clause for row in checked for clause in row.reading.clauses]
    several = [row for row in checked if len(row.reading.facts()) > 1]
    given = sum(len(row["source"]) for row in rows)
    names = [
        (mention.entity, mention.words)
        for clause in clauses
        for mention in (clause.subject, clause.value)
        if mention.entity
    ]
    found: dict[str, float | None] = {
        "strict": _share(row.strict for row in checked),
        "credit": _share(row.credit for row in checked),
        "said": sum(len(row.facts["said"]) for row in checked) / given if given else None,
        **_of_templates([clause.template for clause in clauses]),
        "minority": _minority(checks, checked),
        "names": _entropy(names),
        "order": _share(row.ordered for row in several),
        "segmentation": _share(row.segmented for row in several),
        "aggregation": _share(row.aggregated for row in several),
        "references": _share(row.referred for row in several),
    }
    return found


def judged(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """What the verdicts of a parser of one's own give."""
    used = [str(name) for row in verdicts for name in row.get("templates") or ()]
    return {
        "strict": _share(bool(row["strict"]) for row in verdicts),
        "credit": _share(float(row.get("credit", row["strict"])) for row in verdicts),
        **(_of_templates(used) if used else {}),
    }


def _of_templates(used: Sequence[str]) -> dict[str, float | None]:
    return {
        "templates": float(len(set(used))),
        "entropy": _entropy([(name.rpartition("/")[0], name) for name in used]),
    }


def _minority(checks: Checker, checked: Sequence[Checked]) -> float | None:
    """Among the clauses of predicates that have several templates in training."""
    rarest: dict[str, str] = {}
    for predicate, known in checks.rules.lexicalisations.items():
        shares = {lexicalisation.name: checks.rules.shares.get(lexicalisation.name, 0.0) for lexicalisation in known}
        used = {name: share for name, share in shares.items() if share}
        if len(used) > 1:
            rarest[predicate] = min(used, key=lambda name: (used[name], name))
    hits = [
        clause.template == rarest[clause.fact[1]]
        for row in checked
        for clause in row.reading.clauses
        if clause.fact[1] in rarest
    ]
    return _share(hits)


def _share(hits: Iterable[float]) -> float | None:
    values = list(hits)
    return sum(values) / len(values) if values else None


def _entropy(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Of the second within each first, in bits, by how often each first is."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for group, value in pairs:
        groups[group][value] += 1
    total = 0.0
    for counts in groups.values():
        size = counts.total()
        total -= sum(count * math.log2(count / size) for count in counts.values())
    return max(0.0, total / len(pairs)) if pairs else None


@dataclass(frozen=True)
class Cell:
    """A combination of levels, one seed."""

    design: Design
    number: int  # of the combination
    seed: int

    @property
    def levels(self) -> dict[str, str]:
        """Those of all factors, by name."""
        return self.design.combinations[self.number]

    @property
    def name(self) -> str:
        """As its file is called."""
        return f"{self.number + 1:03}-seed-{self.seed}"

    @property
    def told(self) -> str:
        """As messages call it."""
        levels = ", ".join(f"{factor} {level}" for factor, level in self.levels.items())
        return f"{levels}, seed {self.seed}"

    def path(self, home: Path) -> Path:
        """Its file."""
        return home / "cells" / f"{self.name}.json"


def cells_of(design: Design) -> list[Cell]:
    """Every cell, seed by seed."""
    return [Cell(design, number, seed) for seed in design.numbers for number in range(len(design.combinations))]


def make(cell: Cell, home: Path) -> None:
    """The file of a cell: levels, texts and measures of every system on every test set."""
    design = cell.design
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder)
        tests = _corpus(cell, corpus)
        systems: dict[str, Any] = {}
        for name, system in design.systems.items():
            start = time.monotonic()
            texts = written(system, corpus, tests, cell.seed, name=f"{cell.told}, {name}")
            counted = {test: _counted(cell, corpus, rows, texts[test]) for test, rows in tests.items()}
            seconds = round(time.monotonic() - start, 2)
            systems[name] = {"measures": counted, "seconds": seconds, "texts": texts}
        sources = {test: [row["source"] for row in rows] for test, rows in tests.items()}
    found = {"levels": cell.levels, "seed": cell.seed, "systems": systems, "sources": sources}
    keep(cell.path(home), found)


def _corpus(cell: Cell, folder: Path) -> dict[str, list[Row]]:
    """Write the corpus into a folder; the rows of its test sets whose input no training text has."""
    design, beside = cell.design, Path(cell.design.beside)
    held = folder
    if design.generator:
        config = folder / "config.json"
        config.write_text(json.dumps(design.values(cell.levels)), encoding="utf-8")
        run(design.generator, {"config": config, "seed": cell.seed, "folder": folder}, f"{cell.told}, generator")
        names = sorted(path.stem for path in folder.glob("*.jsonl") if path.stem not in ("train", "dev"))
        if not design.parser and not (folder / MANIFEST).is_file():
            raise InputError(
                f"{cell.told}: the generator made no {MANIFEST} with the rules; let it write one, or name a parser"
            )
    else:
        made = design.config(cell.levels, cell.seed)
        names = list(made.tests)
        try:
            generate(replace(made, tests={}) if design.tested else made, folder, beside=beside)
            if design.tested:
                held = folder / "tested"
                generate(replace(made, only=design.tested, predicates=Choice()), held, beside=beside)
        except InputError as error:
            raise InputError(f"{cell.told}: {error}") from None
    by = f"{cell.told}: {shortened(design.generator)}" if design.generator else cell.told
    seen = {_input(row, by) for row in read_rows(folder / "train.jsonl", by)}
    tests = {
        name: [row for row in read_rows(held / f"{name}.jsonl", by) if _input(row, by) not in seen] for name in names
    }
    empty = next((name for name, rows in tests.items() if not rows), None)
    if empty or not tests:
        raise InputError(
            f"{cell.told}: every input of the test set {empty} stands in training; ask for fewer training texts or "
            "more entities and values"
            if empty
            else f"{cell.told}: the generator made no test set; expected train.jsonl and another .jsonl file"
        )
    for claim in design.claims:
        first_test(list(tests), claim)
    return tests


def try_corpora(design: Design) -> None:
    """Make every corpus of the first seed, so that what cannot be made is refused before anything is trained."""
    for cell in cells_of(design)[: len(design.combinations)]:
        with tempfile.TemporaryDirectory() as folder:
            _corpus(cell, Path(folder))


def _input(row: Row, by: str) -> str:
    if "source" not in row or "item" not in row:
        raise InputError(f"{by}: a row has no item or no source; expected the form of generated rows")
    return json.dumps(row["source"])


def _counted(cell: Cell, folder: Path, rows: list[Row], texts: list[str]) -> dict[str, float | None]:
    design = cell.design
    if not design.parser:
        return measured(checker(folder / MANIFEST), rows, texts)
    outputs, output = folder / "judged.jsonl", folder / "verdicts.jsonl"
    output.unlink(missing_ok=True)
    outputs.write_text(
        "".join(
            json.dumps({"item": row["item"], "source": row["source"], "hypothesis": text}) + "\n"
            for row, text in zip(rows, texts, strict=True)
        )
    )
    run(design.parser, {"outputs": outputs, "rules": folder / MANIFEST, "output": output}, f"{cell.told}, parser")
    by = f"{cell.told}: {shortened(design.parser)}"
    verdicts = {str(row.get("item")): row for row in read_rows(output, by)}
    for row in rows:
        if "strict" not in verdicts.get(str(row["item"]), {}):
            raise InputError(
                f"{by} gave no verdict on the item {row['item']}; expected a row with item, "
                "strict (true or false), and perhaps credit and templates, for each output"
            )
    return judged([verdicts[str(row["item"])] for row in rows])


def plan_of(design: Design) -> dict[str, Any]:
    """What a folder is claimed with."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(design)))
    return found
