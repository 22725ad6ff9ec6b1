"""What a metric is: a frozen dataclass whose fields are its grammar, rows of sufficient statistics, and a score.

Corpus score = `score(rows.sum(0))`; segment scores = `score(rows)`; resampling = `score(W @ rows)`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array as Array
from nlgauge.errors import InputError, SpecError, suggest
from nlgauge.kernels import use
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Explanation, generic
from nlgauge.metrics.scored import Beside, CorpusScore, Made, SegmentScores
from nlgauge.types import References, per_segment

Direction = Literal["higher", "lower"]
_LARGEST = {
    int: 2**31 - 1,
    float: 1e12,
}  # of a field without a limit of its own: kernels count in 32 bits, betas are squared
CHUNK = 8192  # segments tokenised at a time: keeps memory flat whatever the corpus size


def option(
    default: Any,
    help: str,
    *,
    choices: Sequence[str] | None = None,
    low: float | None = None,
    high: float | None = None,
    check: Callable[[Any], str | None] | None = None,
    scoring: bool = False,
    models: Sequence[str] = (),
) -> Any:
    """A field of a metric: default, meaning, and what values are allowed.

    Args:
        default: the value where none is given, which also tells the type
        help: what it means, in half a sentence
        choices: the texts allowed
        low: the smallest number allowed
        high: the largest number allowed
        check: returns what was expected, or None when the value is fine
        scoring: only `score` reads the field, so that specs that differ in nothing else share their rows
        models: the aliases of models that the field is meant for (`nlgauge models list` shows the metrics of each)

    >>> option(3, "longest match", low=1).metadata["help"]
    'longest match'
    """
    return dataclasses.field(
        default=default,
        metadata={
            "help": help,
            "choices": choices,
            "low": low,
            "high": high,
            "check": check,
            "scoring": scoring,
            "models": tuple(models),
        },
    )


def unprepared(said: str) -> InputError:
    """For rows asked of a metric that has not seen the corpus; `said` is what it weighs, and by what."""
    return InputError(f"{said} of the corpus; call prepare(corpus) and take the rows of the metric it returns")


@dataclass(frozen=True)
class Metric:
    """Base of all metrics whose statistics add up over segments."""

    name: ClassVar[str]
    direction: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("references",)
    cite: ClassVar[str] = ""  # the paper
    reference: ClassVar[str] = ""  # the implementation whose numbers this one equals
    published_on: ClassVar[str] = ""  # the model of published scores, where the default is a smaller one
    at: ClassVar[str | None] = None  # the field that `@` sets
    always_at: ClassVar[bool] = False  # whether `str` writes `@` even for the default, as in rouge@1
    learns_outputs: ClassVar[bool] = False  # whether `prepare` reads outputs and sources, not references alone
    shows_words: ClassVar[int] = 5_000  # of the longest text whose matches `explain` shows: the plain kernels are slow
    additive: ClassVar[bool] = True  # False for set metrics (metrics/sets.py): they have no rows to be summed

    def __init_subclass__(cls, **options: Any) -> None:
        """Guard each metric's `rows`: whoever calls it, a metric that needs references gets them."""
        super().__init_subclass__(**options)
        if "rows" in cls.__dict__:
            type.__setattr__(cls, "rows", _guarded(cls.__dict__["rows"]))

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            if spec.metadata:
                object.__setattr__(self, spec.name, _validated(self, spec, getattr(self, spec.name)))

    @property
    def places(self) -> int:
        """Decimals to print: two on scales that reach far above 1, four otherwise."""
        return 2 if math.isfinite(self.bounds[1]) and self.bounds[1] > 10 else 4

    @property
    def reads_sources(self) -> bool:
        """Whether the score depends on the sources, so that its receipt must name them."""
        return any(need in ("source", "source text") for need in self.needs)

    @property
    def reads_files(self) -> tuple[str, ...]:
        """The files that fields name, whose digests belong into the receipt."""
        return ()

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """The models the metric runs on: (kind, name) of each; kinds are those of `nlgauge.models`."""
        return ()

    @property
    def model_fact(self) -> str:
        """Which model, of which revision and digest, for the receipt; empty: none."""
        return ""

    @property
    def lexicon_fact(self) -> str:
        """Which dictionary of this machine, of which version and digest, for the receipt; empty: none."""
        return ""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts scored since this was last asked, such as texts read in windows."""
        return []

    def learnt_from(self, batch: Batch) -> dict[str, int]:
        """How many of these rows were learnt from, by the name of the trained metric: itself, or one within it."""
        return {}

    def details(self, totals: Array) -> dict[str, float]:
        """Figures behind the score of summed rows that stand beside it, such as BLEU's lengths; empty: none."""
        return {}

    def void(self, totals: Array) -> str:
        """Why the score of a set with these summed rows says nothing, though a number stands there; empty: it does."""
        return ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the k statistics in a row."""
        raise NotImplementedError

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """A value fitted on the whole corpus; only metrics that need a corpus-wide pass override this."""
        return self

    @property
    def needs_prepare(self) -> bool:
        """Whether `prepare` must see the corpus before `rows`."""
        return type(self).prepare is not Metric.prepare

    def rows(self, batch: Batch) -> Array:
        """The (n, k) sufficient statistics of a batch: the expensive half, and the only one that sees text."""
        raise NotImplementedError

    def score(self, totals: Array) -> Array:
        """From summed rows (..., k) to scores (...): cheap, pure, vectorised over the leading axes."""
        raise NotImplementedError

    # -- conveniences for one system held in memory ------------------------------------------------------------

    def corpus_rows(
        self,
        hypotheses: Sequence[str],
        references: References | None = None,
        *,
        sources: Sequence[Any] | None = None,
        reference_weights: Sequence[Sequence[float]] | None = None,
        jobs: int = 1,
    ) -> Array:
        """The rows of a whole list of segments, computed chunk by chunk.

        For a metric that needs post-edits, these stand in the place of the references. A metric that needs neither
        takes none.
        """
        listed = self._checked(hypotheses, references)
        for name, given in (("sources", sources), ("reference_weights", reference_weights)):
            if given is not None and len(given) != len(hypotheses):
                raise InputError(f"{len(given)} {name} for {len(hypotheses)} hypotheses; give one entry for each")

        def chunks() -> Iterable[Batch]:
            for batch, part in _chunks(hypotheses, listed, jobs):
                batch.sources = None if sources is None else list(sources[part])
                batch.reference_weights = None if reference_weights is None else reference_weights[part]
                if "post_edits" in self.needs:
                    batch.post_edits = batch.references
                yield batch

        metric = self.prepare(chunks()) if self.needs_prepare else self
        try:
            parts = [metric.rows(batch) for batch in chunks()]
        except TypeError as error:
            raise _named_segment(hypotheses, listed) or error from None
        return np.concatenate(parts) if parts else np.zeros((0, len(self.columns)))

    def _checked(self, hypotheses: Sequence[str], references: References | None) -> Sequence[Sequence[str]]:
        """The references after checks; an empty list for each segment where none are given and none are needed."""
        needed = bool({"references", "post_edits"} & set(self.needs))
        if references is None and needed:
            what = "references" if "references" in self.needs else "post-edits"
            raise InputError(f"{self} needs {what}: give a list for each hypothesis, [[text], [text], …]")
        if references is None:
            references = [()] * len(hypotheses)
        listed = per_segment(references)
        check_texts(hypotheses, listed, needed=needed)
        return listed

    def corpus(
        self, hypotheses: Sequence[str], references: References | None = None, **given: Unpack[Beside]
    ) -> CorpusScore:
        """The corpus score of hypotheses against references; `given` as in `corpus_rows`.

        References are a list of texts for each hypothesis, or one text each. The score is a float with a `receipt`.
        """
        rows = self.corpus_rows(hypotheses, references, **given)
        made = Made(self, hypotheses, self._checked(hypotheses, references), given)
        return CorpusScore(float(self.score(rows.sum(axis=0))), made)

    def segments(
        self, hypotheses: Sequence[str], references: References | None = None, **given: Unpack[Beside]
    ) -> SegmentScores:
        """One score per segment, as an array with a `receipt`; `given` as in `corpus_rows`."""
        scores = self.score(self.corpus_rows(hypotheses, references, **given))
        return SegmentScores.of(scores, Made(self, hypotheses, self._checked(hypotheses, references), given))

    # -- what one score is made of --------------------------------------------------------------------------------

    def explained(self, batch: Batch) -> Explanation:
        """What matched in a batch of one segment; metrics override this (see `nlgauge.metrics.explanation`).

        A metric that needs `prepare` is prepared before, and both with the plain kernels (`kernels.use("python")`),
        whose tables can be read.
        """
        return generic(self, batch)

    def explain(
        self,
        hypothesis: str,
        references: Sequence[str] = (),
        source: Any = None,
        *,
        reference_weights: Sequence[float] | None = None,
    ) -> Explanation:
        """What one score is made of, outside any corpus: a metric that is fitted on one sees this segment only."""
        if "references" in self.needs:
            check_texts([hypothesis], [references])
        batch = Batch([hypothesis], [list(references)], sources=None if source is None else [source])
        batch.reference_weights = None if reference_weights is None else [reference_weights]
        if "post_edits" in self.needs:
            batch.post_edits = batch.references
        self.refuse_long(batch)
        with use("python"):
            metric = self.prepare([batch]) if self.needs_prepare else self
            return metric.explained(batch)

    def refuse_long(self, batch: Batch) -> None:
        """Refuse to explain a segment that would take minutes, or hours, to align."""
        texts = [
            *batch.hypotheses,
            *(text for texts in (*batch.references, *(batch.post_edits or ())) for text in texts),
        ]
        words = max((max(len(text.split()), len(text) // 10) for text in texts if isinstance(text, str)), default=0)
        if words > self.shows_words:
            raise InputError(
                f"a text of this segment has about {words:,} words; {self} shows what matched in texts of up to "
                f"{self.shows_words:,}; its score alone is given by nlgauge score --segments"
            )

    # -- the spec ----------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        from nlgauge.metrics.spec import short

        return short(self)

    def full(self) -> str:
        """The spec with every field written out."""
        from nlgauge.metrics.spec import full

        return full(self)

    @classmethod
    def about(cls) -> tuple[str, str]:
        """What the metric is, in words, and the example of its docstring (empty where it has none)."""
        words, arrow, example = (inspect.getdoc(cls) or "").partition(">>>")
        return words.strip(), arrow + example

    def rows_key(self) -> str:
        """Equal for metrics whose rows are equal: the full spec without the fields only `score` reads."""
        from nlgauge.metrics.spec import full

        return full(self, scoring=False)


class MeanMetric(Metric):
    """Base of the metrics whose score of a set is the mean of its segments' scores: a row is a score, and 1."""

    column: ClassVar[str] = "score"

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of segment scores and their number."""
        return (self.column, "segments")

    def score(self, totals: Array) -> Array:
        """The mean over segments; 0 where there is none."""
        totals = np.asarray(totals, dtype=np.float64)
        return ratio(totals[..., 0], totals[..., 1])


def mean_rows(scores: Sequence[float] | Array) -> Array:
    """The rows of a `MeanMetric` from the scores of its segments."""
    found = np.asarray(scores, dtype=np.float64)
    return np.column_stack([found, np.ones(len(found))])


def _guarded(rows: Callable[[Any, Batch], Array]) -> Callable[[Any, Batch], Array]:
    """`rows` that first refuses segments without a reference or a source, where the metric needs them."""

    @functools.wraps(rows)
    def checked(self: Metric, batch: Batch) -> Array:
        if "references" in self.needs:
            batch.require_references()
        if "source" in self.needs:
            batch.require_sources()
        return rows(self, batch)

    return checked


def best_reference(segment: Array, scores: Array) -> NDArray[np.int64]:
    """Of rows for each reference, the one with the highest score in each segment; the first of equals."""
    order = np.lexsort((-scores, segment))
    return order[np.flatnonzero(np.diff(segment, prepend=-1))]


def ratio(part: Array, whole: Array) -> Array:
    """part / whole, and 0 where there is nothing."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)


def check_texts(hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, needed: bool = True) -> None:
    """Refuse what would otherwise be scored wrongly without a word, transposed references above all."""
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str) or not hasattr(value, "__len__"):
            kind = "a single string" if isinstance(value, str) else f"a {type(value).__name__}"
            raise InputError(f"{name} must be a list with one entry per segment; got {kind}")
    if len(hypotheses) != len(references):
        raise InputError(
            f"{len(hypotheses)} hypotheses but {len(references)} lists of references: references are given per "
            "segment, [[ref1, ref2], [ref1], …], one list for each hypothesis"
        )
    for number, refs in enumerate(references):
        if isinstance(refs, str):
            raise InputError(
                f"the references of segment {number} are one string; expected a list of strings: [[ref], [ref], …]"
            )
        if not hasattr(refs, "__len__"):
            raise InputError(
                f"the references of segment {number} are {'None' if refs is None else f'a {type(refs).__name__}'}; "
                "expected a list of strings: [[ref], [ref], …]"
            )
        if needed and len(refs) == 0:
            raise InputError(f"segment {number} has no reference; give at least one or leave the segment out")


def _named_segment(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> InputError | None:
    """Which segment holds something that is not text; None if all do."""
    for number, (hypothesis, refs) in enumerate(zip(hypotheses, references, strict=True)):
        for text in (hypothesis, *refs):
            if not isinstance(text, str):
                kind = type(text).__name__
                return InputError(
                    f'segment {number} holds a {kind} where a text is expected; use "" for an empty output'
                )
    return None


def _chunks(hypotheses: Sequence[str], references: Sequence[Sequence[str]], jobs: int) -> Iterable[tuple[Batch, slice]]:
    """Batches, and which part of the lists each of them holds."""
    if len(hypotheses) <= CHUNK:
        if len(hypotheses):
            yield Batch(hypotheses, references, jobs=jobs), slice(None)
        return
    for start in range(0, len(hypotheses), CHUNK):
        part = slice(start, start + CHUNK)
        yield Batch(hypotheses[part], references[part], jobs=jobs), part


def _validated(metric: Metric, spec: dataclasses.Field[Any], value: Any) -> Any:
    """The value in its field's type, or a SpecError that says what was expected."""
    default: Any = spec.default
    kind = type(default)

    def refuse(expected: str) -> SpecError:
        return SpecError(f"the field {spec.name} of {metric.name} must be {expected}; got {value!r}")

    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        raise refuse({bool: "yes or no", int: "a whole number", float: "a number", str: "text"}[kind])
    low, high, choices = spec.metadata["low"], spec.metadata["high"], spec.metadata["choices"]
    high = _LARGEST.get(kind) if high is None else high
    if kind is float and not math.isfinite(value):
        raise refuse("a finite number")
    if low is not None and value < low:
        raise refuse(f"at least {low}")
    if high is not None and value > high:
        raise refuse(f"at most {high}")
    if choices is not None and value not in choices:
        raise SpecError(
            f"the field {spec.name} of {metric.name} must be one of {', '.join(choices)}; got {value!r} "
            f"({suggest(str(value), choices)})"
        )
    check = spec.metadata["check"]
    expected = check(value) if check else None
    if expected:
        raise refuse(expected)
    return value
