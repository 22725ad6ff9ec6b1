"""BERTScore's setting for MiniLM, chosen by the rule of docs/decisions/models.md on WMT15 and WMT16.

    python tools/bertscore_settings.py DATA_FOLDER            WMT15 and WMT16, and what the rule takes
    python tools/bertscore_settings.py DATA_FOLDER wmt17      afterwards: the same on WMT17, which chooses nothing

Prints a Markdown table: a line for each setting, with the mean segment-level Pearson correlation over the to-English
pairs of each year and of both, the difference from the winner and its standard error.
"""

from __future__ import annotations

import gzip
import html
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.metrics.bertscore import Idf, with_f
from nlgauge.models.interface import ContextualEncoder, Units
from nlgauge.models.matching import unit_rows

Array = NDArray[np.float64]
FILES = {
    "wmt15": "wmt15_16_daseg.jsonl.gz",
    "wmt16": "wmt15_16_daseg.jsonl.gz",
    "wmt17": "wmt17_daseg.jsonl.gz",  # with the escapes of its makers' tokeniser undone, as no judge saw them
    "wmt17-file": "wmt17_daseg.jsonl.gz",  # as it lies
}
LAYERS = range(1, 7)
DRAWS, SEED = 1_000, 12345
STEP = 256  # texts whose every layer is in memory at once, as the network gives them


@dataclass(frozen=True)
class Setting:
    """One way of computing BERTScore's F1."""

    layer: int
    idf: bool
    punctuation: bool  # whether units of punctuation are matched and weighed
    centred: bool  # whether the mean vector of the references' units is taken away

    def __str__(self) -> str:
        parts = [f"layer {self.layer}", "idf" * self.idf]
        parts += ["no punctuation" * (not self.punctuation), "centred" * self.centred]
        return ", ".join(part for part in parts if part)


SETTINGS = [Setting(*values) for values in product(LAYERS, (False, True), (True, False), (False, True))]


@dataclass(frozen=True, eq=False)
class Year:
    """The scores of every setting on one year's to-English segments."""

    pair: NDArray[np.str_]
    human: Array
    scores: dict[Setting, Array]

    def groups(self) -> list[NDArray[np.int64]]:
        """The segments of each pair."""
        return [np.flatnonzero(self.pair == name) for name in sorted(set(self.pair.tolist()))]


def read(folder: Path, year: str) -> Year:
    """Scores of a year."""
    with gzip.open(folder / FILES[year], "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = [row for row in rows if row["dataset"].startswith(year[:5]) and row["dataset"].endswith("-en")]
    read = html.unescape if year == "wmt17" else str
    texts = [(read(row["hypothesis"]).strip(), read(row["references"][0]).strip()) for row in rows]
    return Year(
        np.array([row["dataset"] for row in rows]),
        np.array([np.mean(row["ratings"]["da_z"]) for row in rows]),
        scored(models.contextual("minilm"), texts),
    )


def scored(encoder: ContextualEncoder, pairs: Sequence[tuple[str, str]]) -> dict[Setting, Array]:
    """F1 of each pair by every setting."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    units = dict(zip(texts, encoder.units(texts), strict=True))
    counts: Counter[int] = Counter()
    for _, reference in pairs:
        counts.update(set(units[reference].ids.tolist()))
    rarity = Idf(len(pairs), counts)
    kept = {text: kept_units(units[text]) for text in texts}
    weights = {text: weighed(encoder, units[text], rarity) for text in texts}
    found: dict[Setting, Array] = {}
    for layer, vectors in every_layer(encoder, texts):
        mean = np.vstack([vectors[t][~units[t].special] for t in {pair[1] for pair in pairs}]).mean(axis=0)
        for centred in (False, True):
            flat = {text: unit_rows(rows - mean if centred else rows) for text, rows in vectors.items()}
            both = [matched(flat[a], flat[b], (kept[a], kept[b]), (weights[a], weights[b])) for a, b in pairs]
            for place, (idf, punctuation) in enumerate(product((False, True), (True, False))):
                sides = np.array([one[place] for one in both])
                found[Setting(layer, idf, punctuation, centred)] = with_f(sides)[:, 2]
    return found


def every_layer(
    encoder: ContextualEncoder, texts: Sequence[str]
) -> Iterator[tuple[int, dict[str, NDArray[np.float32]]]]:
    """The vectors of all texts, layer by layer."""
    found: dict[int, dict[str, NDArray[np.float32]]] = {layer: {} for layer in LAYERS}
    for start in range(0, len(texts), STEP):
        some = texts[start : start + STEP]
        for layer, encoded in encoder.encode_several(some, LAYERS).items():
            found[layer] |= {text: np.array(encoded.of(text), dtype=np.float32) for text in some}
    for layer in LAYERS:
        yield layer, found.pop(layer)


def kept_units(units: Units) -> NDArray[np.bool_]:
    """Units that are not punctuation; what delimits a text is kept, to be matched as in the package."""
    words = [any(letter.isalnum() for letter in token) for token in units.tokens]
    return np.array(words, dtype=bool) | units.special


def weighed(encoder: ContextualEncoder, units: Units, rarity: Idf) -> tuple[Array, Array]:
    """Weights without and with idf."""
    flat = np.array([float(unit not in encoder.delimiters) for unit in units.ids.tolist()])
    return flat, np.array([rarity.weight(unit) for unit in units.ids.tolist()])


def matched(
    one: NDArray[np.float32],
    other: NDArray[np.float32],
    kept: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    weights: tuple[tuple[Array, Array], tuple[Array, Array]],
) -> list[tuple[float, float]]:
    """Precision and recall: without and with idf, each with and without punctuation."""
    cosines = one @ other.T
    bare = cosines[np.ix_(*kept)]
    sides = []
    for idf in (0, 1):
        mine, theirs = weights[0][idf], weights[1][idf]
        sides.append((mean(cosines.max(axis=1), mine), mean(cosines.max(axis=0), theirs)))
        sides.append((mean(bare.max(axis=1), mine[kept[0]]), mean(bare.max(axis=0), theirs[kept[1]])))
    return sides


def mean(values: NDArray[np.float32], weights: Array) -> float:
    """Weighted; 0 where nothing weighs anything."""
    total = weights.sum()
    return float(values @ weights / total) if total > 0 else 0.0


def correlations(year: Year, groups: Sequence[NDArray[np.int64]]) -> Array:
    """(settings, pairs): Pearson correlations over the segments of each group."""
    scores = np.stack([year.scores[setting] for setting in SETTINGS])
    found = np.empty((len(SETTINGS), len(groups)))
    for place, some in enumerate(groups):
        x, y = scores[:, some], year.human[some]
        x = x - x.mean(axis=1, keepdims=True)
        y = y - y.mean()
        found[:, place] = x @ y / np.sqrt((x * x).sum(axis=1) * (y @ y))
    return found


def told(years: dict[str, Year]) -> None:
    """The table, best first, and what the rule takes."""
    rng = np.random.default_rng(SEED)
    found = {name: correlations(year, year.groups()) for name, year in years.items()}
    total = np.hstack(list(found.values())).mean(axis=1)
    draws = np.empty((DRAWS, len(SETTINGS)))
    for draw in range(DRAWS):
        resampled = [
            correlations(year, [rng.choice(some, size=len(some)) for some in year.groups()]) for year in years.values()
        ]
        draws[draw] = np.hstack(resampled).mean(axis=1)
    best = int(np.argmax(total))
    errors = (draws - draws[:, [best]]).std(axis=0, ddof=1)
    print("| setting | " + " | ".join(years) + " | all pairs | less than the best by | standard error |")
    print("|---|" + "--:|" * (len(years) + 3))
    for place in np.argsort(-total, kind="stable"):
        each = " | ".join(f"{found[name][place].mean():.4f}" for name in years)
        less = total[best] - total[place]
        like = " (not told apart)" if place != best and less < errors[place] else ""
        print(f"| {SETTINGS[place]} | {each} | {total[place]:.4f} | {less:.4f}{like} | {errors[place]:.4f} |")
    error = draws[:, best].std(ddof=1)
    print(f"\nhighest: {SETTINGS[best]}, {total[best]:.4f} (standard error {error:.4f})")


if __name__ == "__main__":
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(FILES):
        raise SystemExit(__doc__)
    told({name: read(Path(sys.argv[1]), name) for name in sys.argv[2:] or ("wmt15", "wmt16")})
