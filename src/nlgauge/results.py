"""What the commands return: small frozen values with a stable `to_dict()` and a readable `str()`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from nlgauge.errors import NoSuchRow, needing, suggest
from nlgauge.jsonable import Jsonable

if TYPE_CHECKING:
    from nlgauge.wording.paper import Paper

Row = TypeVar("Row")


class Result(Jsonable):
    """What a function returns: a value that prints, and that goes into JSON, a data frame, a paper or a notebook.

    `str(result)` is what the command prints, `result.to_dict()` its JSON object. `ROWS` names the rows of that object;
    without one it is a row itself.
    """

    __slots__ = ()
    ROWS: ClassVar[str] = ""

    def paper(self) -> Paper:
        """Its tables, sentences and notes."""
        from nlgauge.wording.paper import of_any

        said = str(self) if type(self).__str__ is not Result.__str__ else ""
        return of_any(type(self).__name__, self.to_dict(), self.ROWS, said)

    def receipt_lines(self) -> Sequence[str]:
        """How the numbers were made."""
        lines: Mapping[str, str] = getattr(self, "receipts", {})
        line: str = getattr(self, "receipt", "")
        return [line] if line else list(lines.values())

    def __str__(self) -> str:
        from nlgauge.wording.paper import plain

        return plain(self.paper())

    def to_pandas(self) -> Any:
        """The rows as a data frame of pandas."""
        with needing("to_pandas", "pandas"):
            import pandas
        return pandas.DataFrame(list(self.paper().rows))

    def to_markdown(self) -> str:
        """Tables in Markdown, with notes and receipts."""
        return self._written("markdown")

    def to_latex(self) -> str:
        """Tables in LaTeX (booktabs), with notes, and receipts as comments."""
        return self._written("latex")

    def to_csv(self) -> str:
        """The rows in full digits."""
        return self._written("csv")

    def _written(self, form: str) -> str:
        from nlgauge.wording.paper import written

        return written(self.paper(), form, self.receipt_lines())

    def _repr_html_(self) -> str:
        from nlgauge.wording.paper import in_notebook

        return in_notebook(self.paper(), self.receipt_lines())


class Rows(Generic[Row]):
    """A result of rows: they are iterated, and asked for by place or by the names that tell them apart."""

    __slots__ = ()
    ROWS: ClassVar[str]  # the attribute that holds them
    NAMED: ClassVar[tuple[str, ...]] = ()  # the fields of a row that it is asked for by

    @property
    def entries(self) -> Sequence[Row]:
        """The rows, as they are iterated."""
        held: Sequence[Row] = getattr(self, self.ROWS)
        return held

    def named(self, name: str) -> str:
        """The name of a row, however it was asked for."""
        return name

    def __iter__(self) -> Iterator[Row]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Row]: ...
    @overload
    def __getitem__(self, key: str | tuple[str, ...]) -> Row: ...
    def __getitem__(self, key: int | slice | str | tuple[str, ...]) -> Row | Sequence[Row]:
        """A row by its place, or by the names that tell it from others."""
        if isinstance(key, int | slice):
            return self.entries[key]
        wanted = tuple(map(self.named, (key,) if isinstance(key, str) else key))
        names = [tuple(str(getattr(row, name)) for name in self.NAMED) for row in self.entries]
        fitting = [row for row, own in zip(self.entries, names, strict=True) if set(wanted) <= set(own)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise NoSuchRow(
                f"{len(fitting)} rows are named {', '.join(wanted)}; a row is named by {', '.join(self.NAMED)}"
            )
        known = {name for own in names for name in own}
        wrong = next((name for name in wanted if name not in known), None)
        hint = f"{wrong!r}; {suggest(wrong, sorted(known))}" if wrong else f"{', '.join(wanted)}"
        raise NoSuchRow(f"no row is named {hint}")


@dataclass(frozen=True)
class Score(Jsonable):
    """One metric for one system; `low` and `high` bound the interval where one was asked for.

    `details` are figures behind the score, such as BLEU's brevity penalty.
    """

    system: str
    metric: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    details: Mapping[str, float] = field(default_factory=dict)

    KEYS = "system, metric, value, n, *limits, *details"

    @property
    def limits(self) -> dict[str, float | None]:
        """The interval, for JSON, where there is one."""
        return {} if self.low is None else {"low": self.low, "high": self.high, "level": self.level}


@dataclass(frozen=True)
class Comparison(Jsonable):
    """One metric, one system against a baseline; `delta` is system minus baseline."""

    metric: str
    system: str
    baseline: str
    value: float
    baseline_value: float
    delta: float
    low: float
    high: float
    p: float
    p_adjusted: float
    test: str
    trials: int
    n: int
    direction: str = "higher"
    level: float = 0.95
    simultaneous_low: float = math.nan  # for all comparisons of the metric at once
    simultaneous_high: float = math.nan
    simultaneous_method: str = ""

    @property
    def better(self) -> bool:
        """Whether the system's score is on the good side of the baseline's."""
        return self.delta > 0 if self.direction == "higher" else self.delta < 0


@dataclass(frozen=True)
class Ranked(Jsonable):
    """A system among all that were compared: `rank_low` and `rank_high` bound its rank, as the WMT shared tasks do."""

    system: str
    value: float
    cluster: int
    rank_low: int
    rank_high: int
    better_than: tuple[str, ...]  # significantly
    worse_than: tuple[str, ...]


@dataclass(frozen=True)
class Ranking(Jsonable):
    """All systems by one metric, best first; a new cluster begins where every system above is significantly better than
    every one below."""

    metric: str
    direction: str
    systems: tuple[Ranked, ...]

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """The systems of each cluster, best first."""
        last = self.systems[-1].cluster
        return tuple(
            tuple(system.system for system in self.systems if system.cluster == number) for number in range(1, last + 1)
        )


@dataclass(frozen=True)
class Scores(Result, Rows[Score]):
    """A table of scores; `receipts` holds one line per metric that says how the numbers were made.

    `directions` ("higher" or "lower" is better) and `places` (decimals to print) are the metrics'.
    """

    scores: tuple[Score, ...]
    receipts: Mapping[str, str]
    directions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)  # specs as they were asked for -> canonical

    KEYS = "scores, receipts, notes"
    ROWS, NAMED = "scores", ("system", "metric")

    def paper(self) -> Paper:
        """Systems by metrics, the best of each in bold."""
        from nlgauge.wording.paper import of_scores

        return of_scores(self)

    def named(self, name: str) -> str:
        """A metric as it is called here, however it was spelt."""
        return self.spellings.get(name, name)

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the data."""
        return list(dict.fromkeys(score.system for score in self.scores))

    @property
    def metrics(self) -> list[str]:
        """The metrics, in the order asked for."""
        return list(dict.fromkeys(score.metric for score in self.scores))

    def __str__(self) -> str:
        from nlgauge.wording.tables import plain_scores

        return plain_scores(self)


@dataclass(frozen=True)
class Comparisons(Result, Rows[Comparison]):
    """A table of comparisons; p-values are adjusted by Holm's method over each `family` of tests.

    `rankings` has one for each metric by which all pairs of three or more systems were compared.
    """

    comparisons: tuple[Comparison, ...]
    receipts: Mapping[str, str]
    notes: tuple[str, ...] = ()
    seed: int | None = None
    family: int | None = None
    places: Mapping[str, int] = field(default_factory=dict)
    rankings: tuple[Ranking, ...] = ()

    KEYS = "comparisons, receipts, notes, seed, family, rankings"
    ROWS, NAMED = "comparisons", ("system", "baseline", "metric")

    def paper(self) -> Paper:
        """One row for each pair and metric; of many systems their ranking."""
        from nlgauge.wording.paper import of_comparisons

        return of_comparisons(self)

    @property
    def metrics(self) -> list[str]:
        """The metrics, in the order asked for."""
        return list(dict.fromkeys(comparison.metric for comparison in self.comparisons))

    def __str__(self) -> str:
        from nlgauge.wording.tables import plain_comparisons

        return plain_comparisons(self)
