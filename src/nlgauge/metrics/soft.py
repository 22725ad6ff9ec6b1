"""Words and sub-word units of texts with their vectors: what the metrics share that match words softly.

Vectors come from a contextual encoder (a layer of it, or several joined, so that a cosine is the mean of those of
the layers), or from a list of word vectors; the vector of a word that an encoder reads in several units is the mean of
theirs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import mean_rows
from nlgauge.metrics.explanation import Heat, Losses, Mark, Share
from nlgauge.models.catalogue import ALIASES, of_kind
from nlgauge.models.interface import ContextualEncoder, StaticVectors, Units, Vectors
from nlgauge.models.matching import unit_rows
from nlgauge.models.resolve import check
from nlgauge.text import tokenizers

# The earth mover's distance: the least work that turns one distribution of weights into another, exactly.
#
# The kernel `transport` solves it; here weights may be any numbers from 0 up, and both sides are scaled to add up to
# 1.


def emd(a: Array, b: Array, cost: Array) -> tuple[float, Array]:
    """The distance between weights `a` (n) and `b` (m) under `cost` (n, m), and the flow (n, m) that attains it.

    >>> emd(np.array([1.0, 1.0]), np.array([2.0]), np.array([[0.0], [3.0]]))[0]
    1.5
    """
    mine, theirs, costs = _checked(a), _checked(b), np.asarray(cost, dtype=np.float64)
    if costs.shape != (len(mine), len(theirs)) or not np.isfinite(costs).all():
        raise InputError(
            f"costs must be finite numbers in {len(mine)} rows and {len(theirs)} columns; got {costs.shape}"
        )
    return active().transport(costs, mine, theirs)


def _checked(weights: Array) -> Array:
    found = np.asarray(weights, dtype=np.float64)
    total = found.sum() if found.ndim == 1 else 0.0
    if found.ndim != 1 or not np.isfinite(total) or (found < 0).any() or total <= 0:
        raise InputError("weights to be moved must be numbers from 0 up, not all of them 0")
    scaled: Array = found / total
    return scaled


# The first models got owners later; both names are theirs.
_OWNERS = ("google-bert/", "FacebookAI/", "distilbert/", "albert/", "xlnet/", "google-t5/")


def best_layer(model: str, layers: Sequence[int]) -> int:
    """The layer listed for a model; for others the one at five sixths of the way up, where those listed mostly lie."""
    name = model.partition(":")[0]
    for owner in _OWNERS:
        name = name.removeprefix(owner)
    listed = _layers().get(name)
    if listed is not None and listed in layers:
        return listed
    return layers[0] if len(layers) == 1 else round(layers[-1] * 5 / 6)


@cache
def _layers() -> dict[str, int]:
    return tomllib.loads(resources.files("nlgauge.metrics").joinpath("layers.toml").read_text(encoding="utf-8"))


# Parts of explanations for metrics that match words softly: which words are matched, and which cost the score.


MINE, THEIRS, BOTH, MOVED = "<", "^", "+", "*"


def greedy_heat(
    title: str,
    words: tuple[Sequence[str], Sequence[str]],
    table: Array,
    mine: Sequence[int] | NDArray[np.int64],
    theirs: Sequence[int] | NDArray[np.int64],
    other: str = "reference",
) -> Heat:
    """For a metric that takes each word's best partner: `mine` has the column of each row, `theirs` the row of each
    column; -1 where there is none."""
    signs = {(row, int(column)): MINE for row, column in enumerate(mine) if column >= 0}
    for column, row in enumerate(theirs):
        if row >= 0:
            signs[int(row), column] = BOTH if (int(row), column) in signs else THEIRS
    legend = (
        (MINE, "best for the word of the output"),
        (THEIRS, f"best for the word of the {other}"),
        (BOTH, "both"),
    )
    shown = tuple(line for line in legend if line[0] in signs.values())
    marks = tuple(Mark(row, column, sign) for (row, column), sign in sorted(signs.items()))
    return Heat(
        title=title,
        hypothesis=tuple(words[0]),
        reference=tuple(words[1]),
        table=rounded(table),
        marks=marks,
        legend=shown,
        other=other,
    )


def flow_heat(title: str, words: tuple[Sequence[str], Sequence[str]], table: Array, flow: Array) -> Heat:
    """For a metric that moves weight from words to words."""
    moved = [(int(row), int(column)) for row, column in np.argwhere(flow > 1e-9)]
    marks = tuple(Mark(row, column, MOVED) for row, column in moved)
    legend = ((MOVED, "weight moves between these words"),) if moved else ()
    return Heat(title, tuple(words[0]), tuple(words[1]), rounded(table), marks, legend)


def rounded(table: Array) -> tuple[tuple[float, ...], ...]:
    """A table as an explanation holds it: four digits tell all that can be seen."""
    return tuple(tuple(row) for row in np.round(table, 4).tolist())


def losses(
    title: str,
    missing: str,
    words: Sequence[str],
    shares: tuple[Array, Array],
    partners: Sequence[str],
) -> Losses:
    """From each word's gain and loss."""
    gains, lost = shares
    return Losses(
        title,
        missing,
        tuple(
            Share(word, float(gain + loss), float(gain), float(loss), partner)
            for word, gain, loss, partner in zip(words, gains, lost, partners, strict=True)
        ),
    )


def named(words: Sequence[str], places: Sequence[int] | NDArray[np.int64]) -> list[str]:
    """The words at these places; nothing for -1."""
    return [words[place] if place >= 0 else "" for place in places]


Read = TypeVar("Read")
AUTO = "auto"
UNITS = ("subword", "word")
CHUNK = 512  # segments whose vectors are in memory at a time
_LAYERS = re.compile(r"\d{1,3}(\+\d{1,3})*$")


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words or units of a text, as they are weighed, with their vectors of length 1 (0 where unknown)."""

    words: tuple[str, ...]
    vectors: Vectors
    spans: tuple[tuple[int, int], ...]  # of each, its first character in the text and the one after its last

    def __len__(self) -> int:
        return len(self.words)

    def first(self, number: int) -> Tokens:
        """The beginning of the text."""
        if len(self) <= number:
            return self
        return Tokens(self.words[:number], self.vectors[:number], self.spans[:number])


def kind_of(model: str) -> Literal["contextual", "static"]:
    """Whether a name is that of word vectors: an alias of some, or a file that is no network."""
    entry = ALIASES.get(model)
    if entry is not None:
        return "contextual" if "contextual" in entry.kinds else "static"
    path = Path(model).expanduser()
    return "static" if path.is_file() and path.suffix != ".onnx" else "contextual"


def check_either(value: str) -> str | None:
    """For a field that names an encoder or word vectors."""
    if check(kind_of(value), value) is None:
        return None
    known = ", ".join([*of_kind("contextual"), *of_kind("static")])
    return f"a contextual encoder or static word vectors: {known}, owner/name of the Hugging Face hub, or a path"


def check_layers(value: str) -> str | None:
    """For a field that names a layer or several."""
    if value == AUTO or _LAYERS.match(value):
        return None
    return "auto, the number of a layer, or several (3+4+6), whose cosines are averaged"


def layers_of(value: str, model: str, encoder: ContextualEncoder) -> tuple[int, ...]:
    """The layers a field names."""
    if value == AUTO:
        return (best_layer(model, encoder.layers),)
    return tuple(dict.fromkeys(int(layer) for layer in value.split("+")))


def layers_fact(layers: Sequence[int]) -> str:
    """For a receipt: layer4, layers3+4+6."""
    return f"layer{'s' if len(layers) > 1 else ''}{'+'.join(map(str, layers))}"


def best_of_references(
    batch: Batch, read: Callable[[list[str]], Mapping[str, Read]], score: Callable[[Read, Read], float]
) -> Array:
    """The rows of segments (a score, and 1): `score` of output and reference as `read` makes them of their texts; of
    several references the best counts."""
    found = []
    for part in chunks(batch):
        texts = read([text.strip() for texts in (part.hypotheses, *part.references) for text in texts])
        for hypothesis, references in zip(part.hypotheses, part.references, strict=True):
            mine = texts[hypothesis.strip()]
            found.append(max(score(mine, texts[text.strip()]) for text in references))
    return mean_rows(found)


def chunks(batch: Batch, size: int = CHUNK) -> Iterator[Batch]:
    """The batch in parts."""
    for start in range(0, len(batch), size):
        part = slice(start, start + size)
        sources = None if batch.sources is None else batch.sources[part]
        yield Batch(batch.hypotheses[part], batch.references[part], sources=sources, items=batch.items[part])


class Contextual:
    """Tokens of texts from an encoder. `unit` says whether words or the encoder's units are matched."""

    def __init__(self, encoder: ContextualEncoder, layers: Sequence[int], unit: str) -> None:
        self.encoder, self.layers, self.unit = encoder, tuple(layers), unit

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The words or units of each text, those that only delimit it left out."""
        return [self._words(text, units) for text, units in zip(texts, self.encoder.units(texts), strict=True)]

    def tokens(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """The same with their vectors."""
        distinct = list(dict.fromkeys(texts))
        several = self.encoder.encode_several(distinct, self.layers)
        found = {}
        for text, units in zip(distinct, self.encoder.units(distinct), strict=True):
            rows = [unit_rows(host(encoded.of(text))) for encoded in several.values()]
            joined = np.concatenate(rows, axis=1)
            vectors = unit_rows(self._joined(joined, units))
            found[text] = Tokens(self._words(text, units), vectors, self._spans(units))
        return found

    def remarks(self) -> list[str]:
        """Of the encoder."""
        return self.encoder.remarks()

    def similar(self, one: Tokens, other: Tokens) -> Array:
        """The cosine of each word of one text with each of the other."""
        return cosines(one.vectors, other.vectors)

    def labels(self, text: str, tokens: Tokens) -> tuple[str, ...]:
        """The words or units as a reader knows them."""
        (units,) = self.encoder.units([text])
        if self.unit == "word":
            return tokens.words
        shown = unit_texts(text, units)
        return tuple(label for label, special in zip(shown, units.special, strict=True) if not special)

    def _words(self, text: str, units: Units) -> tuple[str, ...]:
        if self.unit == "subword":
            return tuple(token for token, special in zip(units.tokens, units.special, strict=True) if not special)
        return word_texts(text, units)

    def _spans(self, units: Units) -> tuple[tuple[int, int], ...]:
        if self.unit == "subword":
            return tuple((start, stop) for start, stop in units.spans[~units.special].tolist())
        return word_spans(units)

    def _joined(self, rows: Vectors, units: Units) -> Vectors:
        if self.unit == "subword":
            return rows[~units.special]
        return means(rows, units.words)


class Static:
    """Tokens of texts from word vectors: a word as it is written, or in lower case where only that is known."""

    def __init__(self, vectors: StaticVectors, tok: str) -> None:
        self.vectors, self.tok = vectors, tok

    def split(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The words of each text."""
        return [tuple(tokenizers.tokenizer(self.tok)(text)) for text in texts]

    def tokens(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """The same with their vectors."""
        distinct = list(dict.fromkeys(texts))
        found = {}
        for text, words in zip(distinct, self.split(distinct), strict=True):
            known = [word if word in self.vectors else lower(word) for word in words]
            found[text] = Tokens(words, unit_rows(self.vectors.vectors(known)[0]), _found_in(text, words))
        return found

    def labels(self, text: str, tokens: Tokens) -> tuple[str, ...]:
        """The words as they are written."""
        return tokens.words

    def remarks(self) -> list[str]:
        """Of the vectors."""
        return self.vectors.remarks()

    def knows(self, word: str) -> bool:
        """Whether the word is listed as it is written."""
        return word in self.vectors

    def similar(self, one: Tokens, other: Tokens) -> Array:
        """The cosine, 0 for an unknown word; 1 for the same word, known or not, whatever its case."""
        found = cosines(one.vectors, other.vectors)
        mine, theirs = ([lower(word) for word in side.words] for side in (one, other))
        for row, word in enumerate(mine):
            for column, partner in enumerate(theirs):
                if word == partner:
                    found[row, column] = 1.0
        return found


def lower(word: str) -> str:
    """The word with its ASCII letters lower-cased; half a surrogate pair, which Python texts may hold, is kept."""
    return word.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")


def cosines(one: Vectors, other: Vectors) -> Array:
    """Of each row with each row, all of length 1 (or 0)."""
    found: Array = one.astype(np.float64) @ other.T.astype(np.float64)
    return np.clip(found, -1.0, 1.0)


def host(rows: Any) -> Vectors:
    """Vectors as a NumPy array, wherever they are."""
    return rows if isinstance(rows, np.ndarray) else rows.float().cpu().numpy()


def word_spans(units: Units) -> tuple[tuple[int, int], ...]:
    """The characters of each word that the units are parts of."""
    spans: dict[int, tuple[int, int]] = {}
    for word, (start, stop) in zip(units.words.tolist(), units.spans.tolist(), strict=True):
        if word >= 0:
            first, last = spans.get(word, (start, stop))
            spans[word] = min(first, start), max(last, stop)
    return tuple(spans.values())


def word_texts(text: str, units: Units) -> tuple[str, ...]:
    """The words that the units are parts of, as the text writes them."""
    return tuple(text[start:stop] for start, stop in word_spans(units))


def _found_in(text: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Where words stand one after the other; a word that the tokeniser has changed stands nowhere."""
    spans, at = [], 0
    for word in words:
        start = text.find(word, at)
        spans.append((start, start + len(word)) if start >= 0 else (at, at))
        at = max(at, spans[-1][1])
    return tuple(spans)


def unit_texts(text: str, units: Units) -> tuple[str, ...]:
    """The units as a reader knows them: what the text has there, a dot before what continues a word."""
    shown, before = [], -1
    for token, word, (start, stop) in zip(units.tokens, units.words.tolist(), units.spans.tolist(), strict=True):
        written = text[start:stop].strip() or token
        shown.append(f"·{written}" if word >= 0 and word == before else written)
        before = word
    return tuple(shown)


def means(rows: Vectors, words: NDArray[np.int64]) -> Vectors:
    """The mean row of each word, in order; -1 is of no word."""
    numbers = list(dict.fromkeys(word for word in words.tolist() if word >= 0))
    if not numbers:
        return rows[:0]
    return np.stack([rows[words == number].mean(axis=0) for number in numbers]).astype(np.float32)


def source_of(
    model: str, *, layer: str, unit: str, tok: str, dtype: str, purpose: str
) -> tuple[Contextual | Static, str]:
    """Where tokens come from, and what a receipt tells of it."""
    if kind_of(model) == "static":
        vectors = models.static(model, purpose=purpose)
        return Static(vectors, tok), vectors.info.fact()
    encoder = models.contextual(model, dtype=dtype, purpose=purpose)
    layers = layers_of(layer, model, encoder)
    return Contextual(encoder, layers, unit), f"{encoder.info.fact()}:{layers_fact(layers)}"
