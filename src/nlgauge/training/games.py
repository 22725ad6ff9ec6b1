"""Games to learn a comparator from: which of two texts for a context is better, or that neither is.

    strong   what people wrote beats what a system wrote; two texts of people, or two of one checkpoint, tie
    weak     of two checkpoints of a system the later is better, where enough of the training lies between them and not
             both have almost converged
    human    which text people preferred, or how one judge rated two texts for a context, with a band of ties
    context  a text for its own context beats the same text for an altered one (not in the paper)
    damage   a text beats itself with words left out, exchanged or said twice, or cut short (not in the paper)

(Zhou and Xu 2020, section 3.1.) Games are drawn on each side of the split by itself. Ties within one checkpoint are of
one context where it wrote several texts for it, else of two contexts. An altered context has a value exchanged, dropped
or added where it is made of values, and is another context of the data otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array, Ints
from nlgauge.engine.grouping import look_up
from nlgauge.errors import InputError
from nlgauge.io import is_pairwise, load_pairs
from nlgauge.learned.comparator import TIE, A, B
from nlgauge.meta.observations import Observation, Observations, by_judge, observe
from nlgauge.meta.probes.perturbations import Perturbed, by_name
from nlgauge.meta.table import human_scores
from nlgauge.training.config import Data, set_name
from nlgauge.training.examples import Examples, about_of, chosen, criterion_of, ties_of, unescaped

if TYPE_CHECKING:
    from nlgauge.training.comparator import ComparatorTraining

STRONG, WEAK, HUMAN, CONTEXT, DAMAGE = range(5)
ORIGINS = {
    "strong": "references beside outputs of systems",
    "weak": "outputs of a system after different numbers of steps (run, step)",
    "human": "preferences, or two outputs of an item with ratings (human)",
    "context": "outputs with sources that differ",
    "damage": "outputs of several words",
}  # in the order of their numbers, with what they are made of
PEOPLE = "people"
OUTCOMES = {"a": A, "b": B, "tie": TIE}
VALUES = re.compile(r"(\w+)\[([^\]]*)\]")
MEANING = re.compile(rf"{VALUES.pattern}(?:,\s*{VALUES.pattern})*")
DAMAGES = ("drop", "truncate", "swap", "repeat", "number")  # of `nlgauge.meta.probes`
LIGHT = 0.2  # the least share of a text that is damaged
Worsen = Callable[[Observation, Sequence[Observation], Random], Observation]
UNTOLD = -1.0  # the step of a system that is no checkpoint
Game = tuple[int, int, int, int, float]  # two rows, the outcome, its origin, the share of the training between them


@dataclass(frozen=True, eq=False)
class Played(Examples):
    """Texts, and games between them."""

    games: Ints = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))  # a, b, outcome, origin
    margins: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def given(self) -> NDArray[np.bool_]:
        found = np.ones(len(self), dtype=bool)
        found[self.games[self.of(CONTEXT, DAMAGE), 1]] = False
        return found

    def only(self, places: Ints) -> Played:
        """Some of the texts, and the games between these."""
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        sides = new[self.games[:, :2]]
        kept = (sides >= 0).all(axis=1)
        some = super().only(places)
        return Played(
            **vars(some),
            games=np.concatenate([sides, self.games[:, 2:]], axis=1)[kept],
            margins=self.margins[kept],
        )

    def of(self, *origins: int) -> NDArray[np.bool_]:
        """Which games are of these origins."""
        return np.isin(self.games[:, 3], origins)

    def with_games(self, games: Sequence[Game]) -> Played:
        """And these."""
        if not games:
            return self
        more = np.array([game[:4] for game in games], dtype=np.int64)
        margins = np.array([game[4] for game in games])
        return replace(
            self,
            games=np.concatenate([self.games, more]),
            margins=np.concatenate([self.margins, margins]),
        )


def gather_games(training: ComparatorTraining, folder: Path) -> Played:
    """The texts of every data set, and what people said of them as games."""
    rows: list[Observation] = []
    sets: list[str] = []
    games: list[Game] = []
    notes: list[str] = []
    for data in training.data:
        path = str(folder / Path(data.path).expanduser())
        start = len(rows)
        made, played = (_preferred if is_pairwise(path, data.columns or None) else _rated)(path, data, training, notes)
        rows += made
        sets += [set_name(data)] * len(made)
        games += [(one + start, other + start, outcome, origin, share) for one, other, outcome, origin, share in played]
    if not rows:
        raise InputError("the data hold no text to learn from")
    examples = Played(
        tuple(rows),
        np.full(len(rows), np.nan),
        tuple(sets),
        notes=tuple(notes),
        items=tuple(about_of(row, training, name) for row, name in zip(rows, sets, strict=True)),
        ties=tuple(ties_of(row, training, name) for row, name in zip(rows, sets, strict=True)),
    )
    return examples.with_games(games if training.human else [])


def draw_games(examples: Played, held: NDArray[np.bool_], training: ComparatorTraining) -> Played:
    """With the strong and weak games of each side of the split."""
    ways: list[tuple[bool, Callable[[_Side, Random, int], Iterator[Game]]]] = [
        (training.strong, _Side.strong),
        (training.weak, _Side.weak),
    ]
    share = float(held.mean())
    found: list[Game] = []
    for side in (False, True):
        texts = _Side(examples, np.flatnonzero(held == side), training)
        number = round(training.games * (share if side else 1 - share))
        for wanted, way in ways:
            if wanted and number:
                found += way(texts, Random(f"{training.seed}/{way.__name__}/{side}"), number)
    whole = examples.with_games(found)
    if not training.ties:
        decided = whole.games[:, 2] != TIE
        whole = replace(whole, games=whole.games[decided], margins=whole.margins[decided])
    return whole


def altered_context(row: Observation, others: Sequence[Observation], random: Random) -> Observation:
    """A text beside an altered context, which loses to itself beside its own."""
    sources = [other.source for other in random.choices(others, k=1)]
    return replace(row, source=altered(row.source, sources, random))


def damaged_text(row: Observation, others: Sequence[Observation], random: Random) -> Observation:
    """A damaged text, which loses to what it was made of."""
    way, severity = random.choice(DAMAGES), random.uniform(LIGHT, 1.0)
    made = by_name(way).apply(row.text or "", severity, seed=random.getrandbits(32))
    return replace(row, text=made.text) if isinstance(made, Perturbed) else row


WORSE: Mapping[int, Worsen] = {CONTEXT: altered_context, DAMAGE: damaged_text}


def made_worse(
    examples: Played, held: NDArray[np.bool_], training: ComparatorTraining, origin: int
) -> tuple[Played, NDArray[np.bool_]]:
    """With rows that were made worse, which lose to what they were made of; on each side of the split by itself."""
    share = float(held.mean())
    rows, added, games = list(examples.rows), [], []
    for side in (False, True):
        places = [
            place
            for place in np.flatnonzero((held == side) & examples.given).tolist()
            if rows[place].source or origin == DAMAGE
        ]
        random = Random(f"{training.seed}/{tuple(ORIGINS)[origin]}/{side}")
        others = [rows[place] for place in places]
        for _ in range(round(training.games * (share if side else 1 - share)) if places else 0):
            place = random.choice(places)
            made = WORSE[origin](rows[place], others, random)
            if made != rows[place]:
                games.append((place, len(rows), A, origin, 1.0))
                rows.append(replace(made, ratings={}))
                added.append(place)
    whole = examples.followed_by(rows[len(examples) :], added, np.nan)
    return whole.with_games(games), np.concatenate([held, held[np.array(added, dtype=np.int64)]])


def altered(source: Any, others: Sequence[Any], random: Random) -> Any:
    """A source that a text was not written for: with another value, one less or one more; or another source."""
    values = _values(source)
    if not values:
        return random.choice(others)
    known = dict(values)
    more = [pair for pair in _values(random.choice(others)) if known.get(pair[0]) != pair[1]]
    way, pair = random.random(), random.choice(more) if more else None
    if pair and pair[0] in known and way < 0.7:
        known[pair[0]] = pair[1]
    elif pair and pair[0] not in known and way < 0.7:
        known = dict(random.sample(list({**known, pair[0]: pair[1]}.items()), len(known) + 1))
    elif len(known) > 1:
        del known[random.choice(sorted(known))]
    return known if isinstance(source, Mapping) else ", ".join(f"{name}[{value}]" for name, value in known.items())


def _values(source: Any) -> list[tuple[str, Any]]:
    """The names and values of a source: an object, or a meaning representation, `name[value], name[value]`."""
    if isinstance(source, Mapping):
        return list(source.items())
    return VALUES.findall(source) if isinstance(source, str) and MEANING.fullmatch(source) else []


def _preferred(
    path: str, data: Data, training: ComparatorTraining, notes: list[str]
) -> tuple[list[Observation], list[Game]]:
    """The texts and verdicts of pairwise rows, of which both texts are to be learnt from."""
    pairs = list(load_pairs(path, allow_extra=True, columns=data.columns or None))
    sides = [
        Observation(
            item=pair.item,
            system=system,
            text=text,
            references=pair.references,
            source=pair.source,
            ratings={},
            extra=pair.extra,
        )
        for pair in pairs
        for system, text in ((pair.system_a, pair.hypothesis_a), (pair.system_b, pair.hypothesis_b))
    ]
    fits = chosen(Observations(tuple(sides), path), data).reshape(-1, 2).all(axis=1)
    rows: list[Observation] = []
    games: list[Game] = []
    for place in np.flatnonzero(fits):
        games += [
            (len(rows), len(rows) + 1, OUTCOMES[verdict], HUMAN, 1.0)
            for verdict in pairs[place].preferences
            if verdict in OUTCOMES
        ]
        rows += sides[2 * place : 2 * place + 2]
    return rows, games


def _rated(
    path: str, data: Data, training: ComparatorTraining, notes: list[str]
) -> tuple[list[Observation], list[Game]]:
    """The texts of an evaluation set with those of people, and what the ratings of one context say of each two."""
    observed = observe(path, columns=data.columns or None, lower=(data.human,) if data.lower else ())
    notes += [f"{set_name(data)}: {note}" for note in observed.notes]
    fits = chosen(observed, data)
    rows = [unescaped(row) if data.unescape else row for row, kept in zip(observed.rows, fits, strict=True) if kept]
    rows = [row for row in rows if row.text is not None]
    if data.human:
        human_scores(observed, criterion_of(data))  # which refuses a criterion that nobody rated
    games = list(_compared(rows, criterion_of(data), training)) if data.human else []
    return [*rows, *_people(rows, training, set_name(data))], games


def _people(rows: Sequence[Observation], training: ComparatorTraining, name: str) -> Iterator[Observation]:
    """What people wrote for each context, once."""
    known: set[tuple[str, str]] = set()
    for row in rows:
        for text in row.references:
            said = (about_of(row, training, name), text)
            if said not in known:
                known.add(said)
                yield replace(row, system=PEOPLE, text=text, ratings={}, extra={})


def _compared(rows: Sequence[Observation], criterion: str, training: ComparatorTraining) -> Iterator[Game]:
    """A game for each two texts of a context that one judge rated, or of their means where judges are not named."""
    items: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row.ratings.get(criterion) is not None:
            items[row.item.partition("#")[0]].append(place)
    for places in items.values():
        given = {place: by_judge(rows[place], criterion) for place in places}
        for one, other in combinations(places, 2):
            for judge in sorted(given[one].keys() & given[other].keys()):
                gap = given[one][judge] - given[other][judge]
                if np.isfinite(gap):
                    outcome = TIE if abs(gap) <= training.tie else A if gap > 0 else B
                    yield one, other, outcome, HUMAN, 1.0


class _Side:
    """The texts on one side of the split."""

    def __init__(self, examples: Played, places: Ints, training: ComparatorTraining) -> None:
        self.training = training
        self.people: dict[str, list[int]] = defaultdict(list)  # by context
        self.outputs: dict[str, list[int]] = defaultdict(list)
        self.checkpoints: dict[tuple[str, str, float], dict[str, list[int]]] = {}  # by set, run and step
        for place in places.tolist():
            row, context = examples.rows[place], examples.items[place]
            if row.system == PEOPLE:
                self.people[context].append(place)
                continue
            self.outputs[context].append(place)
            run = str(look_up(row, training.run) or row.system)
            key = (examples.sets[place], run, _step(row, training.step))
            self.checkpoints.setdefault(key, defaultdict(list))[context].append(place)

    def strong(self, random: Random, number: int) -> Iterator[Game]:
        """Half of them wins of people, a quarter ties among people, a quarter ties within a checkpoint."""
        both = sorted(self.people.keys() & self.outputs.keys())
        if not both:
            return
        for _ in range(number // 2):
            context = random.choice(both)
            one, other = random.choice(self.people[context]), random.choice(self.outputs[context])
            yield (one, other, A, STRONG, 1.0) if random.random() < 0.5 else (other, one, B, STRONG, 1.0)
        groups = [self.people, *self.checkpoints.values()]
        for number_of in range(number - number // 2):
            group = groups[0] if number_of % 2 else random.choice(groups[1:])
            pair = _two(group, random)
            if pair:
                yield *pair, TIE, STRONG, 1.0

    def weak(self, random: Random, number: int) -> Iterator[Game]:
        """The later of two checkpoints wins."""
        pairs = sorted(self._apart())
        for _ in range(number if pairs else 0):
            margin, early, late = random.choice(pairs)
            shared = sorted(self.checkpoints[early].keys() & self.checkpoints[late].keys())
            context = random.choice(shared)
            one, other = (random.choice(self.checkpoints[key][context]) for key in (late, early))
            yield (one, other, A, WEAK, margin) if random.random() < 0.5 else (other, one, B, WEAK, margin)

    def _apart(self) -> Iterator[tuple[float, tuple[str, str, float], tuple[str, str, float]]]:
        """Checkpoints of one system that may be compared, with the share of the training between them."""
        systems: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, system, step in self.checkpoints:
            if step != UNTOLD:
                systems[name, system].append(step)
        for (name, system), steps in systems.items():
            last = max(steps)
            for early, late in combinations(sorted(steps), 2):
                margin = (late - early) / last
                keys = (name, system, early), (name, system, late)
                shared = self.checkpoints[keys[0]].keys() & self.checkpoints[keys[1]].keys()
                if margin >= self.training.margin and early < self.training.converged * last and shared:
                    yield margin, *keys


def _two(group: Mapping[str, list[int]], random: Random) -> tuple[int, int] | None:
    """Two texts, for one context where it has several, else for two."""
    several = [context for context, places in group.items() if len(places) > 1]
    if several:
        one, other = random.sample(group[random.choice(sorted(several))], 2)
        return one, other
    if len(group) < 2:
        return None
    first, second = random.sample(sorted(group), 2)
    return random.choice(group[first]), random.choice(group[second])


def _step(row: Observation, name: str) -> float:
    """How far its system had been trained."""
    told = look_up(row, name)
    if told is None:
        return UNTOLD
    try:
        step = float(told)
    except (TypeError, ValueError):
        step = UNTOLD
    if not 0 <= step < float("inf"):
        raise InputError(f"item {row.item} of {row.system}: {name} is {told!r}; expected a number of steps")
    return step
