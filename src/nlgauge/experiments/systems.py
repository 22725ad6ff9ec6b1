"""Systems that are trained on a corpus and write: networks that come with nlgauge, and commands."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from nlgauge.corpus.conform.parsing import tokens
from nlgauge.errors import InputError, needing, shortened
from nlgauge.experiments.design import Design, System

Row = dict[str, Any]
LAST = 300  # characters of what a command said that are told


def written(
    system: System, folder: Path, tests: Mapping[str, Sequence[Row]], seed: int, *, name: str
) -> dict[str, list[str]]:
    """A text for each input of each test set, by a system that learnt from the training set in the folder."""
    if system.network:
        return _by_network(system, read_rows(folder / "train.jsonl", name), tests, seed)
    return {test: _by_command(system, folder, rows, seed, name=f"{name}, {test}") for test, rows in tests.items()}


def read_rows(path: Path, by: str) -> list[Row]:
    """The rows of a file; `by` says who had to write it."""
    if not path.is_file():
        raise InputError(f"{by} wrote no {path.name}; expected JSON lines there")
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise InputError(f"{by}: {path.name}, line {number} is no JSON in UTF-8 ({error})") from None
            if not isinstance(row, dict):
                raise InputError(f"{by}: {path.name}, line {number} is no row with keys: {shortened(line.decode())}")
            rows.append(row)
    return rows


def check_networks(designs: Sequence[Design]) -> bool:
    """Whether any system is a network; refused where these cannot be trained."""
    wanted = any(system.network for design in designs for system in design.systems.values())
    if wanted:
        with needing("a network of nlgauge", "train"):
            import nlgauge.generators.training  # noqa: F401
    return wanted


def prompt(row: Mapping[str, Any]) -> str:
    """An input as words: subject, predicate and object of each triple, lower-cased as conformity reads texts."""
    return " | ".join(
        " ".join([*tokens(subject), predicate, *tokens(value)]) for subject, predicate, value in row["source"]
    )


def _by_network(
    system: System, train: Sequence[Row], tests: Mapping[str, Sequence[Row]], seed: int
) -> dict[str, list[str]]:
    from nlgauge.generators.pool import device
    from nlgauge.generators.training import Decoding, Example, Generator, Hyperparameters, Vocabulary

    learnt = [Example(prompt(row), " ".join(tokens(row["references"][0]))) for row in train]
    own = {name: getattr(system, name) for name in ("network", "width", "rate", "dropout", "steps")}
    made = Hyperparameters(**own, stories=len(learnt), seed=seed)
    generator = Generator(made, Vocabulary(learnt, least=1), learnt, device())
    generator.learn(system.steps)
    decoding = Decoding(system.temperature) if system.temperature else Decoding(top=1)
    return {test: generator.write([prompt(row) for row in rows], decoding, seed) for test, rows in tests.items()}


def _by_command(system: System, folder: Path, rows: Sequence[Row], seed: int, *, name: str) -> list[str]:
    inputs, output = folder / "inputs.jsonl", folder / "outputs.jsonl"
    inputs.write_text("".join(json.dumps({"item": row["item"], "source": row["source"]}) + "\n" for row in rows))
    output.unlink(missing_ok=True)
    sets = {"train": folder / "train.jsonl", "dev": folder / "dev.jsonl"}
    run(system.command, {**sets, "inputs": inputs, "output": output, "seed": seed}, name)
    texts = {
        str(row.get("item")): str(row.get("hypothesis") or "")
        for row in read_rows(output, f"{name}: {shortened(system.command)}")
        if "hypothesis" in row
    }
    for row in rows:
        if str(row["item"]) not in texts:
            raise InputError(
                f"{name}: {shortened(system.command)} wrote no text for the item {row['item']}; expected a row with "
                "item and hypothesis for each row of {inputs}"
            )
    return [texts[str(row["item"])] for row in rows]


def run(command: str, places: Mapping[str, Any], name: str) -> None:
    """Run a command, its places filled in."""
    words = [word.format(**{place: str(value) for place, value in places.items()}) for word in shlex.split(command)]
    try:
        found = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise InputError(f"{name}: {words[0]} cannot be run ({error.strerror})") from None
    if found.returncode:
        said = (found.stderr or found.stdout).strip()[-LAST:]
        raise InputError(f"{name}: {shortened(command)} ended with code {found.returncode}: {said or 'no message'}")
