"""Judged outputs, one observation a row, read more widely than an evaluation set for scoring.

A published set of human judgements need not hold the texts any more: its rows may carry stored scores only. So a
row without a hypothesis is kept where it has a system or ratings, repeated (item, system) rows are kept as items
of their own (`17#2`), and unknown keys are allowed. What a row says is checked as everywhere (`nlgauge.io.rows`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from nlgauge.engine.grouping import Filter, look_up, no_row, spelled
from nlgauge.engine.remarks import normal
from nlgauge.errors import InputError, as_called, counted, first_of, option, suggest
from nlgauge.io import is_pairwise, load_pairs
from nlgauge.io.batches import RowBatch
from nlgauge.io.columns import Columns, check_given
from nlgauge.io.exported import REHEARSAL, none_counts, set_aside, simulated
from nlgauge.io.exported import told as told_aside
from nlgauge.io.rows import Chunk, to_batch
from nlgauge.io.streaming import NamedSystems
from nlgauge.io.tables import chunks
from nlgauge.types import EvaluationSet, Pair, Rating

SIZE = 4096
MINUS = "minus_"  # before a criterion whose ratings were turned, so that more is better


@dataclass(frozen=True)
class Observation:
    """One judged output; `text` is None where the set does not hold it any more."""

    item: str
    system: str
    text: str | None
    references: tuple[str, ...]
    source: Any
    ratings: Mapping[str, Rating]
    extra: Mapping[str, Any]
    reference_weights: tuple[float, ...] = ()
    post_edits: tuple[str, ...] = ()


@dataclass(frozen=True)
class About:
    """What belongs to an item, so that one of its rows may tell it for all."""

    references: tuple[str, ...] = ()
    source: Any = None
    reference_weights: tuple[float, ...] = ()

    def joined(self, other: About | Observation) -> About:
        """With what is not known yet."""
        return About(
            self.references or other.references,
            other.source if self.source is None else self.source,
            self.reference_weights or other.reference_weights,
        )

    def told(self, row: Observation) -> Observation:
        """The row, with what it does not say itself."""
        own = About(row.references, row.source, row.reference_weights)
        return row if (whole := own.joined(self)) == own else replace(row, **vars(whole))


@dataclass(frozen=True)
class Observations:
    """Everything judged, in the order of the rows; `pairs` are (better, worse) positions, one per judgement."""

    rows: tuple[Observation, ...]
    origin: str = "the data"
    pairs: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    about: Mapping[str, About] = field(default_factory=dict)  # what any row says of an item

    def __len__(self) -> int:
        return len(self.rows)

    def judgement_digest(self, criteria: Sequence[str]) -> str:
        """Twelve hexadecimal digits that identify what people said of which output, in the order of the rows."""
        rows = ([row.item, row.system, *(row.ratings.get(name) for name in criteria)] for row in self.rows)
        text = "\n".join(map(repr, (*rows, *self.pairs)))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of their first appearance."""
        return list(dict.fromkeys(row.system for row in self.rows))

    @property
    def criteria(self) -> list[str]:
        """The criteria that hold numbers anywhere, in the order of their first appearance."""
        found: dict[str, None] = {}
        for row in self.rows:
            for name, value in row.ratings.items():
                values = value if isinstance(value, tuple) else (value,)
                if any(not isinstance(value, str) for value in values):
                    found.setdefault(name)
        return list(found)


def by_judge(row: Any, criterion: str) -> dict[str, float]:
    """What each judge whose name is known said of an output; else the mean, under the empty name."""
    rating = row.ratings.get(criterion)
    values = list(rating) if isinstance(rating, tuple) else [rating]
    names = row.extra.get("raters")
    if isinstance(names, list) and len(names) == len(values):
        return {str(name): float(value) for name, value in zip(names, values, strict=True) if value is not None}
    known = [float(value) for value in values if value is not None]
    return {"": sum(known) / len(known)} if known else {}


def observe(
    data: Any,
    *,
    where: Sequence[Filter] = (),
    without: Sequence[str] = (),
    references: Any = None,
    drop_judged: bool = False,
    columns: Mapping[str, str] | None = None,
    lower: Sequence[str] = (),
) -> Observations:
    """The judged outputs of a file, a list of rows or an evaluation set.

    `where` keeps the rows whose key has the value; `without` leaves systems out. `references` is a file (or rows)
    that gives items their references, or "source" to compare outputs with their sources. `drop_judged` takes
    every text that was judged for an item out of that item's references. `columns` says which column holds a key.
    Criteria of which less is better (`lower`) become minus_CRITERION, with their signs turned.
    """
    if isinstance(data, Observations):
        found = data
    elif isinstance(data, EvaluationSet):
        found = _of_set(data)
    elif isinstance(data, str | os.PathLike):
        found = _of_file(data, where, columns)
    elif isinstance(data, Iterable):
        found = _of_rows(list(data), columns)
    else:
        raise InputError(f"judged outputs are a file, a list of rows or an evaluation set; got {data!r}")
    told = tuple(found.about.get(row.item, About()).told(row) for row in found.rows)
    found = replace(found, rows=told, about={})
    found = _turned(_filtered(found, where), lower)
    if references is not None:
        found = _with_references(found, references)
    if drop_judged:  # before systems are left out: a judged text is no independent reference for anybody
        found = _without_judged(found)
    if any(simulated(row.extra) for row in found.rows):
        found = replace(found, notes=(REHEARSAL, *found.notes))
    return _numbered(only(found, places_without(found, without)) if without else found)


# -- reading ---------------------------------------------------------------------------------------------------


def _of_set(data: EvaluationSet) -> Observations:
    rows = tuple(
        Observation(
            segment.item,
            segment.system,
            segment.hypothesis,
            segment.references,
            segment.source,
            segment.ratings,
            extra=segment.extra,
            reference_weights=segment.reference_weights,
            post_edits=segment.post_edits,
        )
        for segment in data.segments()
    )
    bare = tuple(
        Observation(said.item, said.system, None, said.references, said.source, said.ratings, extra=said.extra)
        for said in data.textless
    )
    return Observations(rows + bare, data.origin)


def _of_rows(records: list[Any], columns: Mapping[str, str] | None) -> Observations:
    if not records:
        raise InputError("the list of rows is empty; expected one row for each judged output")
    check_given(columns or {})
    named = Columns(columns)
    records = named.rows(records, "the data")
    named.finish("the data")
    return _gathered([Chunk(records, range(1, len(records) + 1), "the data", "row")], "the data")


def _of_file(path: str | os.PathLike[str], where: Sequence[Filter], columns: Mapping[str, str] | None) -> Observations:
    name = os.fspath(path)
    if os.path.isdir(path):
        raise InputError(f"{name} is a folder, which holds no judgements; expected a file of rows with ratings")
    check_given(columns or {})
    if is_pairwise(path, columns):
        return _of_pairs(name, where, columns)
    return _gathered(chunks(path, SIZE, allow_extra=True, columns=Columns(columns)), name)


def _gathered(source: Iterable[Chunk], origin: str) -> Observations:
    watch, rows = NamedSystems(), list[Observation]()
    about: dict[str, About] = {}
    for chunk in source:
        batch, without_text = _batch(chunk)
        watch.add(batch)
        fresh = list(_observations(batch, without_text))
        said: list[tuple[str, About | Observation]] = [
            (told.item, About(told.references, told.source, told.weights)) for told in batch.item_rows
        ]
        for item, facts in [*said, *((row.item, row) for row in fresh)]:
            about[item] = about.get(item, About()).joined(facts)
        rows += fresh
    if not rows:
        raise InputError(f"{origin} has no outputs and no judgements; expected rows with a system or with ratings")
    return Observations(tuple(rows), origin, about=about)


def _batch(chunk: Chunk) -> tuple[RowBatch, set[int]]:
    """The checked rows, and the lines whose text is missing; those that only describe an item become item rows."""
    lacking: set[int] = set()
    for number, row in enumerate(chunk.rows):
        if not isinstance(row, dict) or row.get("hypothesis") is not None:
            continue
        if row.get("system") is not None or row.get("ratings") or row.get("metrics"):
            chunk.rows[number] = row | {"hypothesis": ""}
            lacking.add(chunk.lines[number])
    return to_batch(chunk, allow_extra=True), lacking


def _observations(batch: RowBatch, without_text: set[int]) -> Iterator[Observation]:
    for row, text in enumerate(batch.hypotheses):
        yield Observation(
            item=batch.items[row],
            system=batch.systems[row],
            text=None if batch.lines[row] in without_text else text,
            references=batch.references[row],
            source=None if batch.sources is None else batch.sources[row],
            ratings={} if batch.ratings is None else batch.ratings[row],
            extra={} if batch.extra is None else batch.extra[row],
            reference_weights=() if batch.reference_weights is None else batch.reference_weights[row],
            post_edits=() if batch.post_edits is None else batch.post_edits[row],
        )


def _of_pairs(path: str, where: Sequence[Filter], columns: Mapping[str, str] | None) -> Observations:
    """Pairwise rows: each side an observation, each vote for a side a pair (ties between people are left out)."""
    counted, notes = _counted(path, where, columns)
    rows: list[Observation] = []
    places: dict[tuple[str, str, str], int] = {}
    votes: list[tuple[int, int]] = []
    ties = 0
    for pair in counted:
        sides = []
        for system, text in ((pair.system_a, pair.hypothesis_a), (pair.system_b, pair.hypothesis_b)):
            key = (pair.item, system, text)
            if key not in places:
                places[key] = len(rows)
                row = Observation(pair.item, system, text, pair.references, pair.source, {}, extra=pair.extra)
                rows.append(row)
            sides.append(places[key])
        for vote in pair.preferences:
            if vote == "tie":
                ties += 1
            else:
                votes.append((sides[0], sides[1]) if vote == "a" else (sides[1], sides[0]))
    if ties:
        notes += (f"{ties:,} votes for a tie say nothing about the order and were left out",)
    return Observations(tuple(rows), path, tuple(votes), notes)


def _counted(
    path: str, where: Sequence[Filter], columns: Mapping[str, str] | None
) -> tuple[list[Pair], tuple[str, ...]]:
    """The pairs that count, and what is to be said of the others.

    Of a study's export that is what the study's analysis counts, for one question and one panel. Several rows are about
    the same outputs there, so rows are chosen before outputs are made of them.
    """
    found = list(enumerate(load_pairs(path, allow_extra=True, coerce=True, columns=columns), start=1))
    for key, wanted in where:
        found = [(row, pair) for row, pair in found if spelled(pair.extra.get(key)) == wanted] or found
    reasons = [(pair, set_aside(pair.extra, f"{path}, row {row}")) for row, pair in found]
    aside = Counter(reason for _, reason in reasons if reason)
    counted = [pair for pair, reason in reasons if not reason]
    if aside and not counted:
        raise none_counts(path, aside)
    exported = any("judgement" in pair.extra for pair in counted)
    for key, several in (("criterion", "criteria"), ("panel", "panels")) if exported else ():
        there = list(dict.fromkeys(str(pair.extra.get(key)) for pair in counted))
        if len(there) > 1:
            raise InputError(
                f"the rows of {path} are of {len(there)} {several} ({', '.join(there)}), which are not taken together: "
                f"choose with {as_called(f'--where {key}={there[0]}', f'where=[({key!r}, {there[0]!r})]')}"
            )
    return counted, (told_aside(aside),) if aside else ()


def with_pairs(data: Observations, path: str) -> Observations:
    """With the judgements of a file of rows `item`, `better`, `worse` (names of systems)."""
    places = {(row.item, row.system): position for position, row in enumerate(data.rows)}
    pairs: list[tuple[int, int]] = []
    unknown = Counter[str]()
    for chunk in chunks(path, SIZE, allow_extra=True, any_header=True):
        for number, row in enumerate(chunk.rows):
            try:
                item, sides = str(row["item"]), (str(row["better"]), str(row["worse"]))
            except (KeyError, TypeError):
                raise InputError(
                    f"{chunk.at(number)}: expected the keys item, better and worse; pairs say which of two "
                    "systems was judged better on an item"
                ) from None
            if sides[0] == sides[1]:
                raise InputError(
                    f"{chunk.at(number)}: better and worse are both {sides[0]!r}; a pair needs two different systems"
                )
            if all((item, side) in places for side in sides):
                pairs.append((places[item, sides[0]], places[item, sides[1]]))
            else:
                unknown[next(side for side in sides if (item, side) not in places)] += 1
    if not pairs:
        raise InputError(
            f"none of the pairs of {path} is about outputs of {data.origin}; items and systems must have the same names"
        )
    notes = data.notes
    if unknown:
        names = first_of(sorted(unknown), 5)
        notes += (f"{unknown.total():,} pairs name outputs that the data lack ({names}) and were left out",)
    return replace(data, pairs=tuple(pairs), notes=notes)


# -- choosing --------------------------------------------------------------------------------------------------


def _filtered(data: Observations, where: Sequence[Filter]) -> Observations:
    for key, wanted in where:
        values = [spelled(look_up(row, key)) for row in data.rows]
        kept = [place for place, value in enumerate(values) if value == wanted]
        if not kept:
            raise no_row(data.origin, key, wanted, [look_up(row, key) for row in data.rows])
        data = only(data, kept)
    return data


def _turned(data: Observations, lower: Sequence[str]) -> Observations:
    """Ratings of which less is better as their negatives, under a name that says so."""
    for criterion in lower:
        if criterion not in data.criteria:
            raise InputError(f"{data.origin} has no criterion {criterion!r}: {suggest(criterion, data.criteria)}")
        rows = []
        for row in data.rows:
            ratings = dict(row.ratings)
            if criterion in ratings:
                ratings[MINUS + criterion] = _negative(ratings.pop(criterion))
            rows.append(replace(row, ratings=ratings))
        data = replace(data, rows=tuple(rows))
    return data


def _negative(rating: Rating) -> Rating:
    """A rating turned; one in words, which reading refuses for criteria, would have no number to turn."""
    values = rating if isinstance(rating, tuple) else (rating,)
    turned = tuple(-value for value in values if not isinstance(value, str))
    return turned if isinstance(rating, tuple) else turned[0]


def places_without(data: Observations, without: Sequence[str]) -> list[int]:
    """The places of the rows of other systems."""
    for system in without:
        if system not in data.systems:
            raise InputError(f"{data.origin} has no system {system!r} to leave out: {suggest(system, data.systems)}")
    kept = [place for place, row in enumerate(data.rows) if row.system not in without]
    if without and not kept:
        raise InputError(f"no row of {data.origin} is left without {', '.join(without)}")
    return kept


def only(data: Observations, kept: Sequence[int]) -> Observations:
    """Some of the rows, and the pairs of them."""
    places = {old: new for new, old in enumerate(kept)}
    pairs = tuple((places[a], places[b]) for a, b in data.pairs if a in places and b in places)
    return replace(data, rows=tuple(data.rows[place] for place in kept), pairs=pairs)


# -- references ------------------------------------------------------------------------------------------------


def _with_references(data: Observations, source: Any) -> Observations:
    if source == "source":
        missing = next((row for row in data.rows if not isinstance(row.source, str)), None)
        if missing is not None:
            raise InputError(f"item {missing.item!r} of {data.origin} has no text as its source to serve as reference")
        rows = tuple(replace(row, references=(str(row.source),)) for row in data.rows)
        return replace(data, rows=rows, notes=(*data.notes, "outputs are compared with their sources"))
    known: dict[str, tuple[str, ...]] = {}
    parts = (
        chunks(source, SIZE, allow_extra=True, columns=Columns())
        if isinstance(source, str | os.PathLike)
        else [Chunk(list(source), range(1, len(source) + 1), "the references", "row")]
    )
    for chunk in parts:
        batch = to_batch(chunk, allow_extra=True)
        given = [(told.item, told.references) for told in batch.item_rows]
        for item, texts in [*given, *zip(batch.items, batch.references, strict=True)]:
            if texts and known.setdefault(item, texts) != texts:
                raise InputError(
                    f"{chunk.path} gives item {item!r} twice, with different references; put all references of an "
                    "item into one row"
                )
    return _replaced(data, known)


def _replaced(data: Observations, known: Mapping[str, tuple[str, ...]]) -> Observations:
    """With the references given apart instead of the rows' own, which stay where an item was not given any."""
    rows = tuple(replace(row, references=known[row.item]) if known.get(row.item) else row for row in data.rows)
    own = [(old, new) for old, new in zip(data.rows, rows, strict=True) if old.references]
    changed = sum(new.item in known for _, new in own)
    notes = data.notes
    if changed:
        notes += (f"the references given apart replaced those of {counted(changed, 'row')}",)
    if 0 < changed < len(own):
        notes += (f"{counted(len(own) - changed, 'row')} kept references of their own: none were given apart",)
    if not any(row.item in known for row in data.rows):
        raise InputError(
            f"none of the references given apart is for an item of {data.origin}; items must have the same names"
        )
    return replace(data, rows=rows, notes=notes)


def _without_judged(data: Observations) -> Observations:
    judged: dict[str, set[str]] = {}
    for row in data.rows:
        if row.text is not None:
            judged.setdefault(row.item, set()).add(normal(row.text))
    changed, rows = 0, []
    for row in data.rows:
        kept = tuple(text for text in row.references if normal(text) not in judged.get(row.item, ()))
        changed += kept != row.references
        rows.append(replace(row, references=kept))
    note = f"judged texts were taken out of their own item's references in {counted(changed, 'row')}"
    dropping = option("drop_judged", flag="drop-judged-references")
    if not changed:
        note = f"{dropping} changed nothing: no reference equals a text that was judged for its item"
    bare = {
        n for n, (old, new) in enumerate(zip(data.rows, rows, strict=True)) if old.references and not new.references
    }
    notes = [note]
    if bare:
        notes.append(f"{len(bare):,} of {len(rows):,} outputs were left out: their items' only references were judged")
    if len(bare) == len(rows):
        raise InputError(f"every reference of {data.origin} was judged itself; leave {dropping} out")
    found = replace(data, rows=tuple(rows), notes=(*data.notes, *notes))
    return only(found, [place for place in range(len(rows)) if place not in bare]) if bare else found


def _numbered(data: Observations) -> Observations:
    """A repeated (item, system) becomes an item of its own, as `--repeats number` does elsewhere."""
    seen: Counter[tuple[str, str]] = Counter()
    rows, repeated = [], 0
    for row in data.rows:
        seen[row.item, row.system] += 1
        times = seen[row.item, row.system]
        rows.append(row if times == 1 else replace(row, item=f"{row.item}#{times}"))
        repeated += times > 1
    if not repeated:
        return data
    note = f"an (item, system) is repeated by {counted(repeated, 'row')}, kept as items of their own (…#2)"
    return replace(data, rows=tuple(rows), notes=(*data.notes, note))
