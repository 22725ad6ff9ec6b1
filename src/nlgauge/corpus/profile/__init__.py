"""A profile of a corpus: its inputs, texts, splits, noise, and the systems whose outputs it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nlgauge.corpus.entries import Corpus
from nlgauge.corpus.profile.bands import ByFrequency
from nlgauge.corpus.profile.sides import (
    RARE,
    Inputs,
    Outputs,
    Overlap,
    overlaps,
    profile_inputs,
    profile_outputs,
    with_templates,
)
from nlgauge.corpus.profile.slots import checker
from nlgauge.corpus.profile.systems import Slots, System, profile_systems, slot_errors
from nlgauge.corpus.templates import Accuracy
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.limits import check_level


@dataclass(frozen=True)
class Profile(Jsonable):
    """`noise` are the slot errors of the corpus's own texts, an estimate by `method`."""

    inputs: Inputs
    outputs: Outputs | None
    overlaps: tuple[Overlap, ...]
    method: str
    noise: Slots | None
    systems: tuple[System, ...]
    accuracy: Accuracy | None = None
    frequency: tuple[ByFrequency, ...] = ()


def profile(
    corpus: Corpus,
    *,
    under: int = RARE,
    without: Sequence[str] = (),
    seed: int = 12345,
    level: float = 0.95,
) -> Profile:
    """Describe a corpus; entries whose input is no list of triples or attributes are left out."""
    entries = tuple(entry for entry in corpus.entries if entry.triples)
    if not entries:
        raise InputError("no entry has a triple or an attribute; expected inputs such as name[Blue Spice]")
    check_level(level)
    known = {entry.key for entry in entries}
    outputs = tuple(output for output in corpus.outputs if output.key in known and output.system not in without)
    corpus = with_templates(Corpus(entries, outputs))
    check = checker(entry.triples for entry in entries)
    texts = [[check.check(entry.triples, text.text) for text in entry.texts] for entry in entries if entry.texts]
    return Profile(
        inputs=profile_inputs(entries, under=under),
        outputs=profile_outputs(corpus) if texts else None,
        overlaps=overlaps(corpus.entries),
        method=check.method,
        noise=slot_errors(texts, seed=seed, level=level) if texts else None,
        systems=profile_systems(corpus, check, seed=seed, level=level) if outputs else (),
    )
