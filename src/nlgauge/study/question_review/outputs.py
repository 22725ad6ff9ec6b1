"""Wordings against the outputs that will be judged: praised traits, and examples that look like one system.

Schoch, Yang and Ji (2020) give both as examples: full stops called formal, where one system ends every sentence with
one (section 3.2), and examples picked after the look of one's own system (section 3.3). Whether a trait or a likeness
belongs to one system is asked by a permutation test that swaps the systems' labels within each item, where all have
the same items, and over all outputs otherwise. The statistic is the mean of a system less the mean of the others, of
whichever system it is largest for; p = (1 + draws at least as large) / (1 + draws).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import MissingExtra
from nlgauge.jsonable import Jsonable
from nlgauge.study.machine_judges.encoders import Encoder, encoder, unit
from nlgauge.study.question_review.book import CountedTrait, Piece, Remark, book, languages
from nlgauge.study.question_review.reading import plain, sentences
from nlgauge.types import EvaluationSet

DRAWS = 2_000
MOST = 300  # outputs of a system that are compared; more are drawn from
FAR = 1.5  # times as frequent as in the other systems from which a trait is told of
LEVEL = 0.01
SIMILAR = 0.01  # least difference of mean similarities worth telling
_LITERAL = re.compile(r"[\"“‘']([^\"“”‘’']{1,25})[\"”’']")
_IGNORED = re.compile(r"\b(?:ignor|disregard|regardless|irrespective|do not (?:consider|let)|no matter)", re.I)
_ENDING = re.compile(r"\b(?:end|ends|ending|finish|finishes|close|closes)\b", re.I)


@dataclass(frozen=True)
class Likeness(Jsonable):
    """How a measure differs between systems."""

    system: str  # the one with the largest mean
    means: Mapping[str, float]
    others: float  # the mean of the other systems
    difference: float
    ratio: float | None  # None where the others have none
    p: float
    draws: int
    outputs: int
    method: str


Measured = Mapping[str, NDArray[np.float64]]
"""One value for each output of each system; of equal length and order where the items are the same."""


def permuted(values: Measured, *, paired: bool, seed: int, draws: int = DRAWS) -> Likeness:
    """The system whose mean is largest, and how often chance alone puts one as far ahead."""
    names = list(values)
    generator = np.random.default_rng(seed)
    means = np.array([values[name].mean() for name in names])
    ahead = _ahead(means)
    best = int(np.argmax(means))
    sizes = [len(values[name]) for name in names]
    if paired:
        table = np.stack([values[name] for name in names], axis=1)
        drawn = np.array([_ahead(generator.permuted(table, axis=1).mean(axis=0)) for _ in range(draws)])
    else:
        pool, cuts = np.concatenate([values[name] for name in names]), np.cumsum(sizes)[:-1]
        parts = (np.split(generator.permutation(pool), cuts) for _ in range(draws))
        drawn = np.array([_ahead(np.array([part.mean() for part in each])) for each in parts])
    others = float(np.delete(means, best).mean())
    top = float(means[best])
    return Likeness(
        system=names[best],
        means={name: round(float(mean), 4) for name, mean in zip(names, means, strict=True)},
        others=round(others, 4),
        difference=round(top - others, 4),
        ratio=round(top / others, 2) if others > 0 else None,
        p=(1 + int((drawn >= ahead - 1e-12).sum())) / (1 + draws),
        draws=draws,
        outputs=sum(sizes),
        method="permutation of labels " + ("within items" if paired else "over all outputs"),
    )


def _ahead(means: NDArray[np.float64]) -> float:
    """The largest mean less the mean of the others."""
    best = means.max()
    return float(best - (means.sum() - best) / (len(means) - 1))


def texts_of(data: EvaluationSet, seed: int) -> tuple[dict[str, list[str]], bool]:
    """At most `MOST` outputs of each system, and whether they answer the same items in the same order."""
    generator = np.random.default_rng(seed)
    columns = data.aligned()
    paired = bool(columns) and len(columns[0]) > 0
    if not paired:
        columns = [data.column(system) for system in data.systems]
    chosen: dict[str, list[str]] = {}
    same = sorted(generator.permutation(len(columns[0]))[:MOST]) if paired else []
    for column in columns:
        places = same if paired else sorted(generator.permutation(len(column))[:MOST])
        chosen[column.system] = [column.hypotheses[place] for place in places]
    return chosen, paired


def review_traits(pieces: Sequence[Piece], data: EvaluationSet, *, seed: int) -> list[Remark]:
    """Traits that the wordings name and that one system's outputs have far more often than the others'."""
    if len(data.systems) < 2:
        return []
    texts, paired = texts_of(data, seed)
    found: dict[str, Remark] = {}
    for piece in pieces:
        if piece.role in ("example", "labels") or piece.language not in languages():
            continue
        for sentence in sentences(plain(piece.text)):
            if _IGNORED.search(sentence.text):
                continue
            for name, count in _named(sentence.text, piece.language).items():
                if name in found:
                    continue
                values = {system: np.array([count(text) for text in own]) for system, own in texts.items()}
                result = permuted(values, paired=paired, seed=seed)
                if result.p < LEVEL and (result.ratio is None or result.ratio >= FAR):
                    found[name] = _trait(piece, name, result)
    return list(found.values())


def _ends_in(sign: str, text: str) -> float:
    return float(text.rstrip().endswith(sign))


def _named(sentence: str, language: str) -> dict[str, Callable[[str], float]]:
    """The traits a sentence speaks of, each with how to count it in an output."""
    named: dict[str, Callable[[str], float]] = {
        trait.name: trait.count for trait in book(language).traits if trait.mention.search(sentence)
    }
    told = bool(named) or re.search(r"\b(?:words?|signs?|phrases?|end|ends|ending|starts?|use|uses|contain)", sentence)
    for sign in _LITERAL.findall(sentence) if told else ():
        if not sign[0].isalnum() and _ENDING.search(sentence):
            named[f"endings in “{sign}”"] = partial(_ends_in, sign)
        elif len(sign.split()) <= 2:
            pattern = re.compile(rf"(?<!\w){re.escape(sign)}(?!\w)", re.I)
            named[f"“{sign}”"] = CountedTrait(sign, pattern, pattern).count
    return named


def _trait(piece: Piece, name: str, result: Likeness) -> Remark:
    shown = ", ".join(f"{system} {mean:.2f}" for system, mean in result.means.items())
    times = f"{result.ratio:.1f} times as many as" if result.ratio is not None else "against none in"
    reason = (
        f"the wording names {name}, of which the outputs of {result.system} have {times} the others' "
        f"(mean per output: {shown}; p = {result.p:.4f}): judges are told to favour or to mark down one system"
    )
    mended = "Leave the trait out, or say that it does not count."
    told: dict[str, Any] = {"reason": reason, "rewording": mended, "figures": {"trait": name, **result.to_dict()}}
    return Remark.of(piece, "trait of one system", "demand characteristics", name, **told)


class WordPairs:
    """Words and pairs of neighbouring words, as tf–idf vectors: the n-gram view of likeness."""

    name = "n-grams"

    def __init__(self) -> None:
        self.cut = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the vectors depend on."""
        return {"encoder": self.name, "ngrams": [1, 2]}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of length 1; idf over the texts given."""
        counted = []
        for text in texts:
            words = re.findall(r"\w+|[^\w\s]", text.casefold())
            counted.append(Counter(words) + Counter(map(" ".join, pairwise(words))))
        spread = Counter(term for counts in counted for term in counts)
        column = {term: place for place, term in enumerate(term for term, n in spread.items() if n > 1)}
        rows = np.zeros((len(texts), max(1, len(column))), dtype=np.float32)
        for row, counts in zip(rows, counted, strict=True):
            for term, number in counts.items():
                if term in column:
                    row[column[term]] = (1 + np.log(number)) * (1 + np.log((1 + len(texts)) / (1 + spread[term])))
        return unit(rows)


def encoders(extra: str = "") -> list[Encoder]:
    """Word and character n-grams, and a neural encoder: the one named, else MiniLM where it is installed."""
    chosen: list[Encoder] = [WordPairs(), encoder("chars")]
    if extra in ("none", "chars"):
        return chosen
    try:
        chosen.append(encoder(extra or "minilm"))
    except MissingExtra:
        if extra:
            raise
    return chosen


def review_examples(
    examples: Sequence[Piece], data: EvaluationSet, *, seed: int, using: Sequence[Encoder] | None = None
) -> list[Remark]:
    """Whether the examples of the instructions are significantly nearer to one system's outputs."""
    wanted = [piece for piece in examples if piece.role == "example" and piece.text.strip()]
    if not wanted or len(data.systems) < 2:
        return []
    texts, paired = texts_of(data, seed)
    examples_ = [piece.text for piece in wanted]
    models = encoders() if using is None else using
    results = {model.name: _nearer(model, examples_, texts, paired=paired, seed=seed) for model in models}
    told = {name: result for name, result in results.items() if result.p < LEVEL and result.difference >= SIMILAR}
    if not told:
        return []
    ahead = Counter(result.system for result in told.values()).most_common(1)[0][0]
    parts = "; ".join(
        f"{name}: {result.system} {result.means[result.system]:.3f}, others {result.others:.3f}, p = {result.p:.4f}"
        for name, result in results.items()
    )
    words = wanted[0].text if len(wanted) == 1 else f"{len(wanted)} examples"
    reason = (
        f"the examples are nearer to the outputs of {ahead} than to the others' (mean cosine similarity, {parts}): "
        "they are an anchor in its favour"
    )
    mended = "Take examples from no system that is judged, or as many from each, and balance good and bad ones."
    by = {name: result.to_dict() for name, result in results.items()}
    figures: dict[str, Any] = {"system": ahead, "examples": len(wanted), "by": by}
    remark: dict[str, Any] = {"reason": reason, "rewording": mended, "figures": figures}
    return [Remark.of(wanted[0], "examples like one system", "anchoring", words, **remark)]


def _nearer(
    one: Encoder, examples: Sequence[str], texts: Mapping[str, Sequence[str]], *, paired: bool, seed: int
) -> Likeness:
    """An output that is itself an example counts like any other: showing it is the strongest anchor."""
    flat = [text for own in texts.values() for text in own]
    vectors = unit(one.encode([*examples, *flat]))
    near = (vectors[len(examples) :] @ vectors[: len(examples)].T).mean(axis=1)
    values, start = {}, 0
    for system, own in texts.items():
        values[system] = near[start : start + len(own)].astype(np.float64)
        start += len(own)
    return permuted(values, paired=paired, seed=seed)


def quoted_examples(piece: Piece) -> list[Piece]:
    """Texts quoted in instructions, of four words or more: they are read as examples."""
    found = re.findall(r"“([^”]+)”|\"([^\"]+)\"|«([^»]+)»|‘([^’]+)’", piece.text)
    texts = ("".join(groups) for groups in found)
    return [replace(piece, text=text, role="example", labelled=False) for text in texts if len(text.split()) >= 4]
