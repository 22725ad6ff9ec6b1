"""A machine beside people in comparisons: how often they prefer the same text, and whether the machine goes by places.

Every answer stands for some comparisons of two texts (`answers.wins`); those of the same two texts by a machine and by
a person are held against each other, with three outcomes: the one, the other, a tie. Where the machine judged two texts
several times (samples, both orders), each person's preference is held against all of them, as a mean. The interval is
over inputs, because what is said of the texts of one input goes together. The ceiling is the same share between people
who judged the same two texts. Beside it stands Cohen's κ, by how often each side saw each outcome.

Position: the share of decided screens on which the machine chose the text in the first place (of several texts: which
place its best text stood in), which is 1 in as many as there are texts if places do not matter and the design shows
every text equally often in each; and of pairs judged in both orders the share with the same preference in both.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.alternative import AlternativeTest, alternative_annotator
from nlgauge.stats.results import Estimate
from nlgauge.stats.shares import share, sign_test
from nlgauge.study.analysis.counting import sort
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.comparisons.answers import best_of, wins
from nlgauge.study.protocols.comparisons.file import comparison_study
from nlgauge.study.protocols.outputs.abstaining import judged
from nlgauge.study.protocols.outputs.machines import epsilon, machines_of

Outcome = Literal[-1, 0, 1]
Pair = tuple[str, str]
"""Two texts, by their ids in alphabetical order."""


@dataclass(frozen=True)
class Duel:
    """One comparison of two texts by one judge; 1: the first text of the pair won, -1: the second, 0: a tie."""

    panel: str
    judge: str
    criterion: str
    item: str
    pair: Pair
    outcome: int
    turned: bool  # whether the second text of the pair stood first on the screen


@dataclass(frozen=True)
class Position(Jsonable):
    """Whether a machine goes by places."""

    KEYS = "machine, criterion, places, p, both_orders = both, same, first_twice, second_twice"

    machine: str
    criterion: str
    places: tuple[Estimate, ...]  # for each place the share of decided screens whose best text stood there
    p: float  # pairwise: exact sign test of the first place against the second; NaN for more texts
    both: int  # pairs judged in both orders
    same: Estimate | None  # of these, the share with the same preference in both
    first_twice: int  # of the others, how often the first place won in both orders
    second_twice: int


@dataclass(frozen=True)
class MachineCompared(Jsonable):
    """One machine beside one panel of people on one criterion."""

    KEYS = "machine, people, criterion, same, decided, ceiling, kappa, alternative_annotator = alternative, undefined"

    machine: str
    people: str
    criterion: str
    same: Estimate  # share of equal preferences, ties included
    decided: Estimate | None  # the same where neither saw a tie
    ceiling: Estimate | None  # between people
    kappa: float
    alternative: AlternativeTest | None
    undefined: tuple[str, ...] = ()


@dataclass(frozen=True)
class Machines(Jsonable):
    """Every machine of a study: beside people, and its places."""

    KEYS = "machines = beside, machine_places = places"

    beside: tuple[MachineCompared, ...]
    places: tuple[Position, ...]


NO_MACHINES = Machines((), ())


def machines_compared(frozen: Frozen, judgements: Sequence[Judgement], *, level: float = 0.95) -> Machines:
    """Every machine beside every panel of people that judged the same pairs, and every machine's places."""
    study = comparison_study(frozen.study)
    counted = sort(judgements, study.surplus).counted
    fought: dict[tuple[str, str], list[Duel]] = defaultdict(list)
    for duel in duels(frozen, counted):
        fought[duel.panel, duel.criterion].append(duel)
    beside, places = [], []
    for machine in machines_of(frozen, study, judgements):
        for asked in study.questions_asked:
            if not (own := fought.get((machine, asked.id), [])):
                continue
            screens = [judgement for judgement in counted if judgement.panel == machine]
            places.append(position(frozen, screens, own, level=level))
            others = {people: fought.get((people, asked.id), []) for people in study.people}
            compared = (
                beside_people(own, duels, epsilon=epsilon(study, people), level=level)
                for people, duels in others.items()
            )
            beside += [found for found in compared if found is not None]
    return Machines(tuple(beside), tuple(places))


def duels(frozen: Frozen, counted: Iterable[Judgement]) -> Iterator[Duel]:
    """The comparisons of two texts that answers stand for."""
    for judgement in counted:
        for criterion, answer in judged(judgement).answer.items():
            for winner, loser, part in wins(answer, len(judgement.texts)):
                texts = (judgement.texts[winner], judgement.texts[loser])
                pair: Pair = (min(texts), max(texts))
                outcome = 0 if part == 0.5 else 1 if texts[0] == pair[0] else -1
                turned = judgement.texts.index(pair[1]) < judgement.texts.index(pair[0])
                about = judgement.panel, judgement.judge, criterion, frozen.text[pair[0]].item
                yield Duel(*about, pair=pair, outcome=outcome, turned=turned)


def beside_people(
    machine: Sequence[Duel], people: Sequence[Duel], *, epsilon: float = 0.1, level: float = 0.95
) -> MachineCompared | None:
    """A machine's comparisons held against those of people; None where they share no pair."""
    own: dict[Pair, list[int]] = defaultdict(list)
    for duel in machine:
        own[duel.pair].append(duel.outcome)
    shared = [duel for duel in people if duel.pair in own]
    if not shared:
        return None
    hits = [float(np.mean([outcome == duel.outcome for outcome in own[duel.pair]])) for duel in shared]
    firm = [(duel, outcomes) for duel in shared if duel.outcome and (outcomes := [x for x in own[duel.pair] if x])]
    agreed = [float(np.mean([x == person.outcome for x in outcomes])) for person, outcomes in firm]
    alternative, why = None, ""
    try:
        alternative = _alternative(own, shared, epsilon)
    except InputError as error:
        why = str(error)
    return MachineCompared(
        machine=machine[0].panel,
        people=people[0].panel,
        criterion=people[0].criterion,
        same=share(hits, [duel.item for duel in shared], level=level),
        decided=share(agreed, [duel.item for duel, _ in firm], level=level) if firm else None,
        ceiling=_ceiling(people, level),
        kappa=_kappa(hits, shared, own),
        alternative=alternative,
        undefined=(why,) if why else (),
    )


def position(frozen: Frozen, screens: Sequence[Judgement], own: Sequence[Duel], *, level: float = 0.95) -> Position:
    """Where the texts stood that a machine preferred: its screens, and what they say for one criterion."""
    criterion, size = own[0].criterion, len(screens[0].texts)
    best = [
        (place, frozen.text[judgement.texts[0]].item)
        for judgement in screens
        if (place := best_of(judgement.answer[criterion])) is not None
    ]
    items = [item for _, item in best]
    places = tuple(
        share([float(place == k) for place, _ in best], items, level=level) if best else Estimate(math.nan, level=level)
        for k in range(size)
    )
    first = sum(place == 0 for place, _ in best)
    p = sign_test(first, len(best) - first) if size == 2 and best else math.nan
    twice = _both_orders(own) if size == 2 else []
    return Position(
        machine=own[0].panel,
        criterion=criterion,
        places=places,
        p=p,
        both=len(twice),
        same=_equal(twice, level),
        # as shown first the pair's first text won, and turned round its second
        first_twice=sum(a.outcome == 1 and b.outcome == -1 for a, b in twice),
        second_twice=sum(a.outcome == -1 and b.outcome == 1 for a, b in twice),
    )


def _both_orders(own: Sequence[Duel]) -> list[tuple[Duel, Duel]]:
    """Pairs that one judge of a machine saw in both orders."""
    seen: dict[tuple[str, Pair], dict[bool, Duel]] = defaultdict(dict)
    for duel in own:
        seen[duel.judge, duel.pair].setdefault(duel.turned, duel)
    return [(orders[False], orders[True]) for orders in seen.values() if len(orders) == 2]


def _equal(pairs: Sequence[tuple[Duel, Duel]], level: float) -> Estimate | None:
    """The share of pairs of comparisons with the same outcome, over inputs."""
    hits = [float(a.outcome == b.outcome) for a, b in pairs]
    return share(hits, [a.item for a, _ in pairs], level=level) if pairs else None


def _ceiling(people: Sequence[Duel], level: float) -> Estimate | None:
    """How often two people prefer the same of the same two texts."""
    by_pair: dict[Pair, list[Duel]] = defaultdict(list)
    for person in people:
        by_pair[person.pair].append(person)
    pairs = [(a, b) for found in by_pair.values() for a, b in combinations(found, 2) if a.judge != b.judge]
    return _equal(pairs, level)


def _kappa(hits: Sequence[float], shared: Sequence[Duel], own: Mapping[Pair, Sequence[int]]) -> float:
    """Cohen's, from how often each side saw each outcome as the texts stood on the person's screen."""
    ours: Counter[int] = Counter()
    theirs: Counter[int] = Counter()
    for duel in shared:
        sign = -1 if duel.turned else 1
        theirs[sign * duel.outcome] += len(own[duel.pair])
        ours.update(sign * outcome for outcome in own[duel.pair])
    total = sum(ours.values())
    chance = sum(ours[x] * theirs[x] for x in (-1, 0, 1)) / total**2
    return math.nan if chance == 1 else (float(np.mean(hits)) - chance) / (1 - chance)


def _alternative(own: Mapping[Pair, Sequence[int]], shared: Sequence[Duel], epsilon: float) -> AlternativeTest:
    """The alternative annotator test over pairs; the machine's preference is what most of its judgements say."""
    pairs, judges = (
        list(dict.fromkeys(duel.pair for duel in shared)),
        list(dict.fromkeys(duel.judge for duel in shared)),
    )
    row, column = ({name: k for k, name in enumerate(names)} for names in (pairs, judges))
    table = np.full((len(pairs), len(judges)), np.nan)
    for duel in shared:
        table[row[duel.pair], column[duel.judge]] = duel.outcome
    most = np.array([Counter(own[pair]).most_common(1)[0][0] for pair in pairs], dtype=np.float64)
    return alternative_annotator(table, most, judges=judges, nearness="equal", epsilon=epsilon)
