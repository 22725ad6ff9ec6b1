"""PARENT: texts from tables, judged by reference and table together (Dhingra et al. 2019).

References of tables say more than the table holds, or less. PARENT's precision therefore counts an n-gram as right
where it stands in the reference, or else as far as the table entails it; its recall weighs the reference's n-grams
by how far the table entails them, and asks beside how much of each value of the table the text mentions (the
longest common subsequence). Both recalls are joined by a weighted geometric mean whose weight λ (`lam`) is fixed
or, with `auto`, one minus the share of the table that the reference itself mentions.

Equal to the authors' table_text_eval.py (google-research/language, 94e93d8; recorded cases of 865fae6). With several
references that program takes precision, recall and F of the reference with the highest F (`multi=best`);
KaijuML/parent takes the highest of each (`multi=highest`). The score of a set is the mean of its segments' scores, as
the authors report it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self

import numpy as np
import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import at, readable, suffix, text_lines
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python import parent as plain
from nlgauge.kernels.python.tokens import splitter
from nlgauge.lexicons.digests import State, file_state
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.explanation import Cell, Cells, Explanation, Figure, Part, Passage
from nlgauge.metrics.matching import common_subsequence, segment_words
from nlgauge.text import tables, tokenizers
from nlgauge.text.tables import Table, TableError

# Which words a table entails, learnt from tables with their texts (Glickman, Dagan and Koppel 2006).
#
# How likely a table entails a word that does not stand in it is the highest share, over the words of the table, of
# those tables with that word whose texts have the word in question. The words of a table are those of its values (and
# entities) and its attributes, each attribute as one word joined by `_`.
#
# Counts are read from a file: a JSON object as the authors of PARENT publish them, with the number of tables for each
# word and of tables and texts for each `word|||word`; or JSON lines with `source` (a table) and `references`, from
# which they are counted, once for each pair of table and reference.


_ROWS = (".jsonl", ".ndjson")
_CHUNK = 8192
_BETWEEN = "|||"

Split = Callable[[str], list[str]]
Pair = tuple[Table, str]


def check_file(value: str) -> str | None:
    """What was expected, where the name is not that of a file of counts or of rows."""
    if suffix(value) in (".json", *_ROWS):
        return None
    return "overlap, or a file: counts (.json) or tables with texts (.jsonl, .ndjson), each also .gz or .zst"


@dataclass
class Cooccurrence:
    """For each word of tables the share of texts, of those about such tables, that have a word."""

    split: Split
    shares: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, tok: str, lower: bool) -> Cooccurrence:
        """The model of a file; read once for each tokeniser."""
        with readable(path):
            return _read(path, tok, lower, file_state(path))

    def chances(self, texts: Iterable[str], table: Table) -> list[float]:
        """How likely the table entails each word of each text, one text after another."""
        inside = words_of(table, self.split)
        shares = [self.shares[word] for word in inside if word in self.shares]
        known: dict[str, float] = dict.fromkeys(inside, 1.0)
        found: list[float] = []
        for text in texts:
            for word in self.split(text):
                if word not in known:
                    known[word] = max((share.get(word, 0.0) for share in shares), default=0.0)
                found.append(known[word])
        return found

    def learn(self, pairs: Iterable[Pair]) -> Self:
        """Count tables and texts."""
        tables_with: Counter[str] = Counter()
        both: dict[str, Counter[str]] = {}
        for table, text in pairs:
            words = set(self.split(text))
            for inside in words_of(table, self.split):
                tables_with[inside] += 1
                both.setdefault(inside, Counter()).update(words)
        self.shares = {
            inside: {word: count / tables_with[inside] for word, count in counts.items()}
            for inside, counts in both.items()
            if counts
        }
        return self


def words_of(table: Table, split: Split) -> set[str]:
    """The words of the values and entities, and each attribute as one word."""
    words = {word for value in table.values for word in split(value)}
    return words | {"_".join(split(attribute)) for attribute in table.attributes}


@lru_cache(maxsize=4)
def _read(path: str, tok: str, lower: bool, state: State) -> Cooccurrence:
    model = Cooccurrence(splitter(tok, lower, "none"))
    if suffix(path) in _ROWS:
        model.learn(_pairs(path))
    else:
        model.shares = _shares(path)
    if not model.shares:
        raise InputError(
            f"{path} has no words that occur together; expected co-occurrence counts, or rows with source and "
            "references"
        )
    return model


def _shares(path: str) -> dict[str, dict[str, float]]:
    text = "\n".join(line for _, lines in text_lines(path, _CHUNK) for line in lines)
    try:
        counts = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON ({error}); expected an object of co-occurrence counts") from None
    if not isinstance(counts, dict):
        raise InputError(
            f'{path} is not an object; expected co-occurrence counts: {{"word": 3, "word{_BETWEEN}other": 2}}'
        )
    shares: dict[str, dict[str, float]] = {}
    for key, count in counts.items():
        if not _is_count(count):
            raise InputError(f"{path}: the count of {key!r} is {count!r}; expected a number from 0 on")
        inside, between, word = key.partition(_BETWEEN)
        if between and counts.get(inside):
            shares.setdefault(inside, {})[word] = count / counts[inside]
    return shares


def _is_count(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _pairs(path: str) -> Iterator[Pair]:
    for first, lines in text_lines(path, _CHUNK):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                raise InputError(f"{at(path, number)}: not JSON; expected rows with source and references") from None
            texts = row.get("references") if isinstance(row, dict) else None
            if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
                raise InputError(f"{at(path, number)}: references must be a list of texts, at least one")
            try:
                table = tables.read(row.get("source"))
            except TableError as error:
                raise InputError(f"{at(path, number)}: {error}") from None
            for text in texts:
                yield table, text


_OUTPUTS = ("p", "r", "f1")
_OVERLAP = "overlap"
_HEURISTIC = -1.0  # the kernel's sign for λ by the heuristic


def _check_lam(value: str) -> str | None:
    try:
        fits = value == "auto" or 0 <= float(value) <= 1
    except ValueError:
        fits = False
    return None if fits else "auto, or a number from 0 to 1"


def _check_entailment(value: str) -> str | None:
    return None if value == _OVERLAP else check_file(value)


@dataclass(frozen=True)
class Parent(Metric):
    """n-gram precision and recall of a text against references and the table it was written from.

    The source is a table: rows [attribute, value] or [entity, attribute, value], an object, or name[value] as text.

    >>> table = [["name", "michael dahlquist"], ["born", "december 22 , 1965"], ["occupation", "drummer"]]
    >>> text, reference = "michael dahlquist was a drummer", "michael dahlquist was a drummer from seattle"
    >>> round(Parent().corpus([text], [[reference]], sources=[table]), 3)
    0.847
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    lam: str = option(
        "auto",
        "λ, the weight of the recall of the table: a number from 0 to 1, or auto (by the reference)",
        check=_check_lam,
    )
    entailment: str = option(
        _OVERLAP,
        "how likely the table entails a word: overlap, or a file of co-occurrence counts or of tables with texts",
        check=_check_entailment,
    )
    smooth: float = option(1e-5, "what replaces a precision or recall of 0 beyond single words", low=0, high=1)
    multi: str = option(
        "best",
        "several references: best (all of the one with the highest F) or highest (of each its highest)",
        choices=("best", "highest"),
    )
    tok: str = option("none", "tokeniser of texts and values", check=tokenizers.check)
    lower: bool = option(True, "lower-case before tokenising, as the authors' program does")
    output: str = option("f1", "which of precision, recall and F is the score", choices=_OUTPUTS, scoring=True)
    counts: Cooccurrence | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "parent"
    needs = ("references", "source")
    cite = (
        "Dhingra, Faruqui, Parikh, Chang, Das and Cohen (2019), Handling divergent reference texts when evaluating "
        "table-to-text generation. ACL."
    )
    reference = "google-research/language table_text_eval (94e93d8); KaijuML/parent with multi=highest"
    at = "order"
    columns = ("precision", "recall", "f", "segments")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lam != "auto":  # one spelling for one number
            object.__setattr__(self, "lam", repr(abs(float(self.lam))).removesuffix(".0"))

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.entailment == _OVERLAP else (self.entailment,)

    @property
    def needs_prepare(self) -> bool:
        return self.entailment != _OVERLAP

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        if not self.needs_prepare:
            return self
        return dataclasses.replace(self, counts=Cooccurrence.of(self.entailment, self.tok, self.lower))

    def rows(self, batch: Batch) -> Array:
        found = [_table(batch, number) for number in range(len(batch))]
        joined = Batch(
            batch.hypotheses,
            [[*texts, *table.values] for texts, table in zip(batch.references, found, strict=True)],
            jobs=batch.jobs,
        )
        return active().parent_rows(
            joined.tokens(self.tok, lower=self.lower),
            references=np.fromiter(map(len, batch.references), dtype=np.int64, count=len(batch)),
            chances=self._chances(batch, found),
            order=self.order,
            weight=_HEURISTIC if self.lam == "auto" else float(self.lam),
            smooth=self.smooth,
            multi=self.multi,
            jobs=batch.jobs,
        )

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., _OUTPUTS.index(self.output)], totals[..., 3])

    def explained(self, batch: Batch) -> Explanation:
        """Which words reference or table support, and which cells of the table the text mentions."""
        table = _table(batch, 0)
        count = len(batch.references[0])
        every = Batch(batch.hypotheses, [[*batch.references[0], *table.values]])
        words, others = segment_words(every, self.tok, lower=self.lower)
        values = others[count:]
        filled = [value for value in values if value]
        inside = {word for value in filled for word in value}
        given = self._chances(batch, [table])
        chances = iter(()) if given is None else iter(given.tolist())
        texts = [
            plain.Text(text, [float(word in inside) if given is None else next(chances) for word in text])
            for text in (words, *others[:count])
        ]
        weight = _HEURISTIC if self.lam == "auto" else float(self.lam)
        options = plain.Options(self.order, weight, self.smooth, given is None)
        found = [plain.segment_score(texts[0], reference, filled, options) for reference in texts[1:]]
        best = max(range(count), key=lambda k: found[k][2])
        cells = _cells(table, values, words)
        precision, recall, f = found[best]
        if self.multi == "highest":
            precision, recall, f = (max(column) for column in zip(*found, strict=True))
        figures = [
            *self._orders(texts[0], texts[best + 1], options),
            Figure(
                "table mentioned",
                _mean([cell.found for cell in cells.cells if cell.value]),
                "mean over the cells",
            ),
            Figure("λ", plain.table_weight(filled, texts[best + 1], options), "weight of the table in the recall"),
            Figure("precision", precision),
            Figure("recall", recall),
            Figure("F", f),
        ]
        parts: list[Part] = [_supported(words, others[best], inside), cells]
        notes = (
            ["of each figure the highest over the references counts"] if self.multi == "highest" and count > 1 else []
        )
        row = [precision, recall, f, 1.0]
        counted = () if notes else (best + 1,)
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=counted)

    def _orders(self, hypothesis: plain.Text, reference: plain.Text, options: plain.Options) -> list[Figure]:
        figures = []
        for n in range(1, self.order + 1):
            precision = plain.precision_of(hypothesis, reference, n, options)
            recall = plain.recall_of(hypothesis, reference, n, options)
            figures += [
                Figure(f"precision {n}", precision, "n-grams in the reference, or entailed by the table"),
                Figure(f"recall {n}", recall, "of the reference's n-grams, as far as the table entails them"),
            ]
        return figures

    def _chances(self, batch: Batch, found: list[Table]) -> Array | None:
        """How likely each table entails each word of its texts; None where the kernel sees it by itself."""
        if self.entailment == _OVERLAP:
            return None
        counts = self.counts or Cooccurrence.of(self.entailment, self.tok, self.lower)
        chances: list[float] = []
        for hypothesis, references, table in zip(batch.hypotheses, batch.references, found, strict=True):
            chances += counts.chances((hypothesis, *references), table)
        return np.array(chances, dtype=np.float64)


def _table(batch: Batch, number: int) -> Table:
    try:
        return tables.read((batch.sources or [])[number])
    except TableError as error:
        raise InputError(f"{batch.place(number)}: {error}") from None


def _mean(shares: list[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0


def _supported(words: list[str], reference: list[str], table: set[str]) -> Passage:
    """The output's words by who has them."""
    legend = ("neither has it", "in the table", "in the reference", "in both")
    levels = tuple((word in table) + 2 * (word in reference) for word in words)
    return Passage("The output's words in table and reference", tuple(words), levels, legend)


def _cells(table: Table, values: list[list[str]], words: list[str]) -> Cells:
    cells = []
    for attribute, text, value in zip(table.attributes, table.values, values, strict=True):
        pairs = common_subsequence(words, value)
        shared = tuple(value[theirs] for mine, theirs in pairs if mine is not None and theirs is not None)
        cells.append(Cell("", attribute, text if value else "", len(shared) / max(len(value), 1), shared))
    return Cells("Cells of the table, and how far the output mentions them", tuple(cells))
