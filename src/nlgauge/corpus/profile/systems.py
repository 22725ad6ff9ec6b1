"""The outputs of systems: how diverse they are, and what they leave out, get wrong or add."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlgauge.arrays import Array
from nlgauge.corpus.entries import Corpus, Entry
from nlgauge.corpus.profile.slots import Checked, Checker
from nlgauge.corpus.templates import delexicalise, tokens
from nlgauge.jsonable import Jsonable
from nlgauge.stats.resample import bootstrap
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import share

KINDS = ("missing", "wrong", "added")


@dataclass(frozen=True)
class Slots(Jsonable):
    """Slot errors of a set of texts: each kind and all together by the slots of the inputs, and texts with any."""

    texts: int
    slots: int
    missing: float
    wrong: float
    added: float
    errors: Estimate
    faulty: Estimate
    by_slot: dict[str, dict[str, int]]


@dataclass(frozen=True)
class System(Jsonable):
    """One system; the numbers of `words` and different things are of all its outputs."""

    system: str
    texts: int
    distinct_texts: int
    distinct_templates: int
    words: float
    vocabulary: int
    bigrams: int
    slots: Slots


def profile_systems(corpus: Corpus, checker: Checker, *, seed: int = 12345, level: float = 0.95) -> tuple[System, ...]:
    """Every system of the data, the fewest slot errors first."""
    entries = {entry.key: entry for entry in corpus.entries}
    written: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
    for output in corpus.outputs:
        written[output.system].append((entries[output.key], output.text))
    found = []
    for system, texts in written.items():
        checked = [[checker.check(entry.triples, text)] for entry, text in texts]
        found.append(_system(system, texts, slot_errors(checked, seed=seed, level=level)))
    return tuple(sorted(found, key=lambda row: row.slots.errors.estimate))


def _system(name: str, texts: Sequence[tuple[Entry, str]], slots: Slots) -> System:
    lines = [[token.key for token in tokens(text) if token.key] for _, text in texts]
    templates = {str(delexicalise(text, entry.triples, entry.entities).template) for entry, text in texts}
    return System(
        system=name,
        texts=len(texts),
        distinct_texts=len({text for _, text in texts}),
        distinct_templates=len(templates),
        words=sum(map(len, lines)) / max(1, len(lines)),
        vocabulary=len({word for line in lines for word in line}),
        bigrams=len({pair for line in lines for pair in pairwise(line)}),
        slots=slots,
    )


def slot_errors(checked: Sequence[Sequence[Checked]], *, seed: int = 12345, level: float = 0.95) -> Slots:
    """Rates of errors over the texts of each item, with limits that hold for other items."""
    counts = [[len(text.missing) + len(text.wrong) + len(text.added) for text in texts] for texts in checked]
    rows = np.array(
        [(sum(own), sum(text.slots for text in texts)) for own, texts in zip(counts, checked, strict=True)],
        dtype=np.float64,
    )
    rate = float(_rate(rows.sum(axis=0)))
    low = high = math.nan
    # Where no error was found every draw is 0, and such limits would claim too much.
    if rate and len(rows) > 1:
        drawn = bootstrap(rows, _rate, seed=seed, level=level)
        low, high = drawn.low, drawn.high
    faulty = share(
        [float(bool(count)) for own in counts for count in own],
        [item for item, own in enumerate(counts) for _ in own],
        level=level,
        name="texts with any slot error",
    )
    flat = [text for texts in checked for text in texts]
    slots = sum(text.slots for text in flat)
    kinds = {kind: Counter(slot for text in flat for slot in getattr(text, kind)) for kind in KINDS}
    return Slots(
        texts=len(flat),
        slots=slots,
        **{kind: sum(counts.values()) / max(1, slots) for kind, counts in kinds.items()},
        errors=Estimate(
            estimate=rate,
            low=low,
            high=high,
            level=level,
            method="bootstrap over items",
            n=len(checked),
            name="slot errors by slots",
        ),
        faulty=faulty,
        by_slot={kind: dict(counts.most_common()) for kind, counts in kinds.items()},
    )


def _rate(sums: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Array = sums[..., 0] / sums[..., 1]
    return found
