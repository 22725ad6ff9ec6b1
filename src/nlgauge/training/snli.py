"""Pairs of sentences with a label, for training: SNLI's JSON lines (Bowman et al. 2015).

Pairs on which SNLI's annotators found no majority carry the label "-" and are left out, as everybody leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import readable

LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis, and the place of their label in `LABELS`."""

    premise: str
    hypothesis: str
    label: int


def read_pairs(path: str | Path) -> list[Pair]:
    """Every pair of a file that has a label."""
    found = list(_pairs(Path(path)))
    if not found:
        raise InputError(f"{path} holds no pair with one of the labels {', '.join(LABELS)}")
    return found


def _pairs(path: Path) -> Iterator[Pair]:
    with readable(path), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
                premise, hypothesis, label = row["sentence1"], row["sentence2"], row["gold_label"]
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: expected a JSON object with sentence1, sentence2 and gold_label "
                    f"({error}); SNLI's own files have this form"
                ) from None
            if label in LABELS:
                yield Pair(str(premise), str(hypothesis), LABELS.index(label))


def split(pairs: Sequence[Pair], held: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from, and `held` pairs to choose by.

    Several hypotheses were written for each premise: a premise is on one side only, or the choice would be too kind.
    """
    premises = sorted({pair.premise for pair in pairs})
    Random(f"{seed}/held").shuffle(premises)
    by_premise: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_premise.setdefault(pair.premise, []).append(pair)
    chosen: set[str] = set()
    number = 0
    for premise in premises:
        if number >= held:
            break
        chosen.add(premise)
        number += len(by_premise[premise])
    return (
        [pair for pair in pairs if pair.premise not in chosen],
        [pair for pair in pairs if pair.premise in chosen],
    )
