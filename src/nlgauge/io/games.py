"""Games for skill ratings, from files or rows.

Three kinds of rows are read, told apart by the first:

* games `{"a": …, "b": …, "outcome": "a" | "b" | "tie"}`, with `item`, `judge`, numbers `x_…` and texts (`text_a`,
  `text_b`, `context`) where present; `a` is the player shown first;
* pairwise rows (`system_a`, `system_b`, `ratings.preference`: one verdict or a list): each verdict is a game. Where no
  row names its systems, the players are the sides "a" and "b";
* texts with ranks on a screen (`judgement`, `system`, `rank`, `per_screen`), as studies of ranking, best-worst, RankME
  export them: each two texts of a screen are a game, but for two of which nothing is known.

Rows of `nlgauge study export --long` also name their criterion and panel, of which one is read at a time, and say which
of them count (`io.exported`).
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from nlgauge.errors import InputError, suggest
from nlgauge.io.columns import DESCRIPTIVE, Columns
from nlgauge.io.exported import is_ours, none_counts, set_aside, simulated
from nlgauge.io.files import StrPath
from nlgauge.io.rows import PREFERENCES, Chunk, plain_number, refuse_unnamed
from nlgauge.io.tables import records

GAME_KEYS = frozenset({"a", "b", "outcome", "item", "judge", "extra", "text_a", "text_b", "context"})
TEXTS = (("text_a", "hypothesis_a"), ("text_b", "hypothesis_b"), ("context", "source"))
LARGEST = 1e100  # beyond this sums of squares leave the range of floats
COVARIATE = "x_"
RANKED = frozenset({"judgement", "system", "rank", "per_screen"})
EXPECTED = 'expected games {"a", "b", "outcome"} or pairwise rows {"system_a", "system_b", "ratings": {"preference"}}'


Ranked = tuple[float | None, float, Mapping[str, Any], Chunk, int]  # rank, texts on the screen, row, its place
Screens = dict[tuple[str, str], list[Ranked]]  # by judgement and criterion


@dataclass
class GameRows:
    """Games in columns; `item` and `judge` are empty where no row names them."""

    a: list[str] = field(default_factory=list)
    b: list[str] = field(default_factory=list)
    outcome: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    judge: list[str] = field(default_factory=list)
    covariates: dict[str, list[float]] = field(default_factory=dict)
    places: list[tuple[Chunk, int]] = field(default_factory=list)
    skipped: int = 0  # pairwise rows, or verdicts, without a preference
    sides: bool = False  # the players are the sides, not systems
    aside: Counter[str] = field(default_factory=Counter)  # rows of an exported study that do not count, by reason
    criteria: dict[str, None] = field(default_factory=dict)  # that the rows which count name
    panels: dict[str, None] = field(default_factory=dict)
    seen: dict[tuple[str, ...], str] = field(default_factory=dict)  # where the rows of an export stand
    simulated: bool = False  # whether judges of an exported study were simulated
    exported: bool = False  # whether the rows are those of a study

    def at(self, game: int) -> str:
        """Where a game was found, for a message."""
        chunk, row = self.places[game]
        return chunk.at(row)

    def texts(self, game: int) -> dict[str, str]:
        """The texts of a game and their context, as far as its row has them."""
        chunk, number = self.places[game]
        row = chunk.rows[number]
        found = {keys[0]: next((row[key] for key in keys if row.get(key)), "") for keys in TEXTS}
        return {key: value if isinstance(value, str) else "" for key, value in found.items()}


def read_games(
    data: StrPath | Iterable[Mapping[str, Any]],
    *,
    criterion: str | None = None,
    panel: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> GameRows:
    """The games of a file (.jsonl, .csv, .tsv, .parquet, compressed or not), or of rows.

    `criterion` and `panel` choose among the rows of an exported study; several of either are refused. `columns` says
    which column holds a key: {"a": "model_a"}.
    """
    origin = os.fspath(data) if isinstance(data, str | os.PathLike) else "the games"
    source = records(data, Columns(columns, {}), "game", _rows)
    found = GameRows()
    pairwise, ranked = False, False
    screens: Screens = {}
    first = True
    for chunk in source:
        for number, row in enumerate(chunk.rows):
            if not isinstance(row, Mapping):
                raise InputError(f"{chunk.at(number)}: not an object; {EXPECTED}")
            if first:
                first, ranked = False, _is_ranked(row)
                pairwise = not ranked and _is_pairwise(row, chunk.at(number))
                found.sides = pairwise and not {"system_a", "system_b"} & set(row)
            if (pairwise or ranked) and not _chosen(found, row, chunk.at(number), criterion, panel):
                continue
            found.simulated = found.simulated or simulated(row)
            found.exported = found.exported or is_ours(row)
            if ranked:
                _add_ranked(screens, row, chunk, number)
            else:
                (_add_pair if pairwise else _add_game)(found, row, chunk, number)
    for screen in screens.values():
        _add_screen(found, screen)
    if found.aside and not found.outcome and not found.skipped:
        raise none_counts(origin, found.aside)
    for name, wanted, there in (("criterion", criterion, found.criteria), ("panel", panel, found.panels)):
        _check_choice(name, wanted, list(there))
    if not found.outcome:
        raise InputError(
            f"there are no games{' with a preference' if pairwise or ranked else ''}; expected at least one"
        )
    _complete(found)
    return found


def _chosen(found: GameRows, row: Mapping[str, Any], place: str, criterion: str | None, panel: str | None) -> bool:
    """Whether a pairwise row counts and is of the criterion and panel that are asked for."""
    aside, asked = set_aside(row, place), True
    for key, wanted, there in (("criterion", criterion, found.criteria), ("panel", panel, found.panels)):
        given = row.get(key)
        if given not in (None, ""):
            asked = asked and wanted in (None, str(given))
            if not aside:
                there[str(given)] = None
    if aside and asked:
        found.aside[aside] += 1
    if aside or not asked:
        return False
    _once(found, row, place)
    return True


def _once(found: GameRows, row: Mapping[str, Any], place: str) -> None:
    """A row of an export stands there once: appended again it would be taken for further judgements."""
    if not is_ours(row):
        return
    key = tuple(str(row.get(name)) for name in ("judgement", "criterion", "item", "system", "system_a", "system_b"))
    if key in found.seen:
        raise InputError(
            f"{place}: the judgement {key[0]!r} was read before ({found.seen[key]}); expected every row of an export "
            "once"
        )
    found.seen[key] = place


def _check_choice(name: str, wanted: str | None, there: Sequence[str]) -> None:
    """One criterion and one panel at a time: a strength over several questions is an answer to none of them."""
    if wanted is not None and wanted not in there:
        known = suggest(wanted, there) if there else f"the rows name no {name}: leave --{name} out"
        raise InputError(f"there are no games of the {name} {wanted!r}; {known}")
    if wanted is None and len(there) > 1:
        several = "criteria" if name == "criterion" else "panels"
        raise InputError(
            f"the rows are of {len(there)} {several} ({', '.join(there)}), which are not rated together: choose with "
            f"--{name}" + (" (repeatable)" if name == "criterion" else "")
        )


def _rows(data: Any) -> list[Any]:
    if hasattr(data, "to_dict") and hasattr(data, "columns"):  # a data frame
        return [
            {k: v for k, v in row.items() if v is not None and not (isinstance(v, float) and math.isnan(v))}
            for row in data.to_dict("records")
        ]
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise InputError(f"games must be a file, a data frame or a list of rows; {EXPECTED}")
    return list(data)


def _is_pairwise(row: Mapping[str, Any], place: str) -> bool:
    if {"a", "b", "outcome"} <= set(row):
        return False
    if "outcome" in row or {"a", "b"} <= set(row):
        missing = sorted({"a", "b", "outcome"} - set(row))
        raise InputError(f"{place}: no {' and no '.join(missing)}; {EXPECTED}")
    _refuse_single(row, place)
    if "ratings" in row or "ratings.preference" in row:
        return True
    if is_ours(row) and {"system_a", "system_b"} <= set(row):  # whose judge could not judge
        return True
    raise InputError(f"{place}: neither a game nor a pairwise row (keys: {', '.join(map(str, row))}); {EXPECTED}")


def _is_ranked(row: Mapping[str, Any]) -> bool:
    shown = (None, "", 1, "1")  # by which no two texts were ranked
    return set(row) >= RANKED - {"rank"} and row["per_screen"] not in shown  # an empty rank may be no key


def _add_ranked(screens: Screens, row: Mapping[str, Any], chunk: Chunk, number: int) -> None:
    if not set(row) >= RANKED - {"rank"}:
        raise InputError(f"{chunk.at(number)}: expected {', '.join(sorted(RANKED))}, as in the rows before")
    given = row.get("rank")
    rank = None if given in (None, "") else _real(given, "rank", chunk.at(number))
    shown = _real(row["per_screen"], "per_screen", chunk.at(number))
    key = (str(row["judgement"]), str(row.get("criterion")))
    screens.setdefault(key, []).append((rank, shown, row, chunk, number))


def _add_screen(found: GameRows, screen: Sequence[Ranked]) -> None:
    """Each two texts of a screen; of two whose rank is not known, nothing is."""
    for (rank, shown, first, _, _), (other, _, second, chunk, number) in combinations(screen, 2):
        if rank is None and other is None:
            continue
        # a text without a rank is neither the first nor the last
        mine, theirs = (shown / 2 + 0.5 if place is None else place for place in (rank, other))
        outcome = "tie" if mine == theirs else "a" if mine < theirs else "b"
        sides = first["system"], second["system"]
        _append(found, first, sides, (outcome, first.get("judge")), (chunk, number))


def _refuse_single(row: Mapping[str, Any], place: str) -> None:
    """Ratings of single outputs are another kind of judgement, with a command of its own."""
    ratings = row.get("ratings")
    criteria = list(ratings) if isinstance(ratings, Mapping) else []
    criteria += [str(key).removeprefix("ratings.") for key in row if str(key).startswith("ratings.")]
    if criteria and "preference" not in criteria and not {"hypothesis_a", "system_a"} & set(row):
        raise InputError(
            f"{place}: these are ratings of single outputs ({', '.join(criteria)}), not preferences between two: use "
            f"`nlgauge compare DATA --human {criteria[0]}`"
        )
    if {"system", "value"} <= set(row) and not {"system_a", "ratings", "ratings.preference"} & set(row):
        named = str(row.get("criterion") or "")
        raise InputError(
            f"{place}: these are ratings of single outputs{f' ({named})' if named else ''}, not preferences between "
            f"two: use `nlgauge compare DATA --human {named or 'CRITERION'}` with an evaluation set, which `nlgauge "
            "study export DIR --set` writes"
        )


def _add_game(found: GameRows, row: Mapping[str, Any], chunk: Chunk, number: int) -> None:
    for key in row.keys() - GAME_KEYS - DESCRIPTIVE:
        if not key.startswith(COVARIATE):
            raise InputError(
                f"{chunk.at(number)}: unknown key {key!r}; {suggest(key, GAME_KEYS)}; numbers that may sway a verdict "
                f"are named {COVARIATE}…"
            )
    missing = sorted({"a", "b", "outcome"} - set(row))
    if missing:
        raise InputError(f"{chunk.at(number)}: no {' and no '.join(missing)}; {EXPECTED}")
    covariates = {key: _real(value, key, chunk.at(number)) for key, value in row.items() if key.startswith(COVARIATE)}
    _append(found, row, (row["a"], row["b"]), (row["outcome"], row.get("judge")), (chunk, number))
    for key, value in covariates.items():
        found.covariates.setdefault(key, []).append(value)


def _add_pair(found: GameRows, row: Mapping[str, Any], chunk: Chunk, number: int) -> None:
    ratings = row.get("ratings", {})
    given = row.get("ratings.preference", ratings.get("preference") if isinstance(ratings, Mapping) else None)
    verdicts = given if isinstance(given, list | tuple) else [given]
    raters = row.get("raters")
    if not (isinstance(raters, list) and len(raters) == len(verdicts)):
        raters = [row.get("judge")] * len(verdicts)
    else:
        refuse_unnamed(raters, verdicts, chunk.at(number))
    sides = row.get("system_a", "a"), row.get("system_b", "b")
    for verdict, judge in zip(verdicts, raters, strict=True):
        if verdict is None or (isinstance(verdict, float) and math.isnan(verdict)):
            found.skipped += 1
        else:
            _append(found, row, sides, (verdict, judge), (chunk, number))


def _append(
    found: GameRows, row: Mapping[str, Any], sides: tuple[Any, Any], verdict: tuple[Any, Any], place: tuple[Chunk, int]
) -> None:
    """A game between two sides; the verdict is its outcome and the judge."""
    (chunk, number), (outcome, judge) = place, verdict
    if not (isinstance(outcome, str) and outcome in PREFERENCES):
        said = "missing (null)" if outcome is None else repr(outcome)
        raise InputError(f"{chunk.at(number)}: the outcome is {said}; expected a, b or tie")
    found.a.append(_name(sides[0], "a", chunk, number))
    found.b.append(_name(sides[1], "b", chunk, number))
    found.outcome.append(outcome)
    for column, value, key in ((found.item, row.get("item"), "item"), (found.judge, judge, "judge")):
        if value is not None:
            column.append(_name(value, key, chunk, number))
    found.places.append(place)


def _name(value: Any, key: str, chunk: Chunk, number: int) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(f"{chunk.at(number)}: {key} is {value!r}; expected a name")
    return str(value)


def _real(value: Any, key: str, place: str) -> float:
    try:
        number = plain_number(value)
    except (TypeError, ValueError):
        number = math.nan
    if not abs(number) <= LARGEST or isinstance(value, bool):
        raise InputError(f"{place}: {key} is {value!r}; expected a number within ±{LARGEST:g}")
    return number


def _complete(found: GameRows) -> None:
    """A column that some games have must be there for all."""
    columns: list[tuple[str, Sequence[Any]]] = [("item", found.item), ("judge", found.judge)]
    for name, column in [*columns, *found.covariates.items()]:
        if column and len(column) != len(found.outcome):
            raise InputError(
                f"{len(column):,} of {len(found.outcome):,} games name {name}; expected it on every game or on none"
            )
