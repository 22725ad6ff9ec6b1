"""Who sees which texts in which order: the six triads in random blocks of six, and the texts that fill them.

The triads ABB ABA AAB BAA BAB BBA come in random order within each block of six (González Corbelle, Alonso and Bugarín
2020, section 4.1), so that 64 judges give four triads eleven times and two ten times. Where a judge makes several
evaluations, consecutive ones form the judge's sheet, and the triads of a sheet are as balanced as its length allows.

Each input serves equally often in each of four roles (A odd, A paired, B odd, B paired; counts differ by at most one
wherever that is possible) and a triad's three inputs differ. A continuation for late judges finishes the last block and
goes on from the counts so far. Everything follows from the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Literal

from nlgauge.errors import counted
from nlgauge.study.file.places import PlacedError
from nlgauge.study.model import TRIADS, Slot, Text, odd_position

Role = tuple[str, bool]  # the subject, and whether its text is the odd one
ROLES: tuple[Role, ...] = (("A", True), ("A", False), ("B", True), ("B", False))
TRIES = 30  # draws from which the best balanced is taken


def assign(
    texts: Sequence[Text],
    panel: str,
    count: int,
    *,
    per_judge: int = 1,
    seed: int,
    inputs: Literal["different", "any"] = "different",
    before: Sequence[Slot] = (),
) -> list[Slot]:
    """`count` slots for a panel; with `before`, the balanced continuation of those slots."""
    random = Random(f"{seed}/{panel}/{len(before)}")
    triads = _triads([slot.role for slot in before], count, per_judge, random)
    pool = _Pool(texts, inputs, before, per_judge)
    filled = pool.fill(triads, random)
    prefix = panel_prefix(panel, seed)
    return [
        Slot(f"{prefix}-{number}", panel, number, (number - 1) // len(TRIADS) + 1, triad, chosen)
        for number, (triad, chosen) in enumerate(zip(triads, filled, strict=True), start=len(before) + 1)
    ]


@cache
def panel_prefix(panel: str, seed: int) -> str:
    """A short name for a panel's slots, made of letters and digits only."""
    return f"s{Random(f'{seed}/{panel}').getrandbits(32):08x}"


def seat_of(number: int, per_judge: int) -> int:
    """The sheet that a slot belongs to: consecutive slots, as many as a judge evaluates."""
    return (number - 1) // per_judge + 1


def counts(slots: Iterable[Slot]) -> dict[str, int]:
    """How often each triad stands in some slots.

    >>> counts([])["ABB"]
    0
    """
    found = Counter(slot.role for slot in slots)
    return {triad: found[triad] for triad in TRIADS}


def role_counts(slots: Iterable[Slot], texts: Iterable[Text]) -> dict[Role, Counter[str]]:
    """How often each input serves in each role."""
    items = {text.id: text.item for text in texts}
    return _served(slots, items)


def _served(slots: Iterable[Slot], unit: Mapping[str, str]) -> dict[Role, Counter[str]]:
    found: dict[Role, Counter[str]] = {role: Counter() for role in ROLES}
    for slot in slots:
        for place, text in enumerate(slot.texts):
            found[_role(slot.role, place)][unit[text]] += 1
    return found


@cache
def _role(triad: str, place: int) -> Role:
    return triad[place], place == odd_position(triad)


def _triads(before: Sequence[str], count: int, per_judge: int, random: Random) -> list[str]:
    """The next `count` triads: the rest of the last block, then whole blocks.

    Where a block begins within a judge's sheet, the triads which that sheet has had least come first; among equals, and
    in the rest of the block, the order is random.
    """
    sequence = list(before)
    wanted = len(before) + count
    while len(sequence) < wanted:
        begun = len(sequence) % len(TRIADS)
        block = [triad for triad in TRIADS if triad not in sequence[len(sequence) - begun :]]
        random.shuffle(block)
        done = len(sequence) % per_judge
        if done:
            sheet = Counter(sequence[len(sequence) - done :])
            own = min(per_judge - done, len(block))
            first = sorted(block, key=lambda triad: sheet[triad])[:own]
            random.shuffle(first)
            block = first + [triad for triad in block if triad not in first]
        sequence += block
    return sequence[len(before) : wanted]


class _Pool:
    """The texts by subject and input, and how often each has served."""

    def __init__(self, texts: Sequence[Text], inputs: str, before: Sequence[Slot], per_judge: int) -> None:
        self.unit = {text.id: text.item if inputs == "different" else text.id for text in texts}
        self.by_unit: dict[str, dict[str, list[str]]] = {"A": {}, "B": {}}
        for text in texts:
            self.by_unit[text.subject].setdefault(self.unit[text.id], []).append(text.id)
        self.before, self.per_judge = before, per_judge
        _check_enough(self.by_unit, inputs)

    def fill(self, triads: Sequence[str], random: Random) -> list[tuple[str, ...]]:
        """Texts for each triad: the best balanced of several draws."""
        best: tuple[tuple[int, ...], list[list[str]]] | None = None
        for _ in range(TRIES):
            drawn, fault = self._draw(triads, random)
            if best is None or fault < best[0]:
                best = (fault, drawn)
            if not any(fault):
                break
        units = best[1] if best else []
        if self.per_judge > 1:
            _untangle(triads, units, len(self.before), self.per_judge, random)
        return self._texts(triads, units, random)

    def _draw(self, triads: Sequence[str], random: Random) -> tuple[list[list[str]], tuple[int, ...]]:
        """Units for each place of each triad, and how unbalanced they are: within roles, within subjects."""
        used = _served(self.before, self.unit)
        queues: dict[Role, list[str]] = {role: [] for role in ROLES}
        drawn = []
        for triad in triads:
            odd = odd_position(triad)
            places = [""] * 3
            taken: set[str] = set()
            # The odd text first: with few inputs the two others then follow from it.
            for place in (odd, *(p for p in range(3) if p != odd)):
                role = (triad[place], place == odd)
                unit = self._next(role, queues[role], taken, used, random)
                taken.add(unit)
                places[place] = unit
            drawn.append(places)
        self._even_out(triads, drawn, used, random)
        roles = max(_spread(used[role], self.by_unit[role[0]]) for role in ROLES)
        subjects = max(_spread(used[subject, True] + used[subject, False], self.by_unit[subject]) for subject in "AB")
        return drawn, (max(roles - 1, 0), max(subjects - 1, 0))

    def _even_out(
        self, triads: Sequence[str], drawn: list[list[str]], used: Mapping[Role, Counter[str]], random: Random
    ) -> None:
        """Put the least used unit in a place of the most used one until counts differ by at most one.

        First within each role, then within each subject: there a role is chosen in which the one served more often
        than the other, so that the roles stay even.
        """
        where: dict[tuple[Role, str], list[tuple[int, int]]] = {}
        for number, triad in enumerate(triads):
            for place, unit in enumerate(drawn[number]):
                where.setdefault((_role(triad, place), unit), []).append((number, place))
        for places in where.values():
            random.shuffle(places)
        goals = [(role,) for role in ROLES] + [tuple(r for r in ROLES if r[0] == subject) for subject in "AB"]
        for roles in goals:
            units = self.by_unit[roles[0][0]]
            while True:
                total = {unit: sum(used[role][unit] for role in roles) for unit in units}
                low, high = min(total.values()), max(total.values())
                if high - low < 2:
                    break
                few = [unit for unit in units if total[unit] == low]
                many = [unit for unit in units if total[unit] == high]
                if not any(
                    _replace(drawn, used, where, role, much, little)
                    for much in many
                    for little in few
                    for role in roles
                    if used[role][much] > used[role][little]
                ):
                    break

    def _next(
        self, role: Role, queue: list[str], taken: set[str], used: Mapping[Role, Counter[str]], random: Random
    ) -> str:
        """The first unit of the role's queue that this triad does not show yet; those passed over stay in front."""
        while True:
            for position, unit in enumerate(queue):
                if unit not in taken:
                    used[role][unit] += 1
                    return queue.pop(position)
            queue += self._round(role, queue, used, random)

    def _round(
        self, role: Role, waiting: Sequence[str], used: Mapping[Role, Counter[str]], random: Random
    ) -> list[str]:
        """The units for the next round of a role: those that lag behind, or all; least used by the subject first."""
        subject = role[0]
        units = list(self.by_unit[subject])
        ahead = Counter(waiting)
        served = {unit: used[role][unit] + ahead[unit] for unit in units}
        least = min(served.values())
        units = [unit for unit in units if served[unit] == least]
        random.shuffle(units)

        def shown(unit: str) -> tuple[int, int]:
            own = used[subject, True][unit] + used[subject, False][unit]
            return own, sum(used[other][unit] for other in ROLES)

        return sorted(units, key=shown)

    def _texts(self, triads: Sequence[str], drawn: Sequence[Sequence[str]], random: Random) -> list[tuple[str, ...]]:
        """A text for each unit: where a subject has several for an input, the least shown."""
        shown = Counter(text for slot in self.before for text in slot.texts)
        filled = []
        for triad, units in zip(triads, drawn, strict=True):
            chosen = []
            for subject, unit in zip(triad, units, strict=True):
                texts = self.by_unit[subject][unit]
                text = min(random.sample(texts, len(texts)), key=lambda text: shown[text])
                shown[text] += 1
                chosen.append(text)
            filled.append(tuple(chosen))
        return filled


def _replace(
    drawn: list[list[str]],
    used: Mapping[Role, Counter[str]],
    where: dict[tuple[Role, str], list[tuple[int, int]]],
    role: Role,
    much: str,
    little: str,
) -> bool:
    """Let `little` take one place of `much` in a role, where a triad does not show it yet."""
    places = where.get((role, much), [])
    for position, (number, place) in enumerate(places):
        if little not in drawn[number]:
            drawn[number][place] = little
            used[role][much] -= 1
            used[role][little] += 1
            where.setdefault((role, little), []).append(places.pop(position))
            return True
    return False


def _spread(used: Mapping[str, int], units: Iterable[str]) -> int:
    found = [used.get(unit, 0) for unit in units]
    return max(found) - min(found)


def _untangle(triads: Sequence[str], drawn: list[list[str]], start: int, per_judge: int, random: Random) -> None:
    """Swap units of one role between sheets until a judge sees no input twice, or no swap helps any more.

    Swapping within a role leaves every count as it was.
    """
    sheet = [seat_of(start + number + 1, per_judge) for number in range(len(triads))]
    seen: dict[int, Counter[str]] = {}
    for number, units in enumerate(drawn):
        seen.setdefault(sheet[number], Counter()).update(units)
    places: dict[Role, list[tuple[int, int]]] = {role: [] for role in ROLES}
    for number, triad in enumerate(triads):
        for place in range(3):
            places[_role(triad, place)].append((number, place))
    for _ in range(4):
        improved = False
        for role in ROLES:
            for number, place in places[role]:
                if seen[sheet[number]][drawn[number][place]] < 2:
                    continue
                candidates = random.sample(places[role], min(len(places[role]), 80))
                improved |= any(_swap(drawn, seen, sheet, (number, place), other) for other in candidates)
        if not improved:
            return


def _swap(
    drawn: list[list[str]],
    seen: dict[int, Counter[str]],
    sheet: Sequence[int],
    one: tuple[int, int],
    two: tuple[int, int],
) -> bool:
    """Swap two places if fewer inputs are then seen twice, and say whether that was done."""
    first, second = drawn[one[0]][one[1]], drawn[two[0]][two[1]]
    mine, theirs = seen[sheet[one[0]]], seen[sheet[two[0]]]
    if mine is theirs or first == second or mine[first] < 2:
        return False
    if second in drawn[one[0]] or first in drawn[two[0]]:
        return False
    # repeats lost where the units leave, minus repeats made where they arrive
    gain = 1 + (theirs[second] > 1) - (mine[second] > 0) - (theirs[first] > 0)
    if gain <= 0:
        return False
    drawn[one[0]][one[1]], drawn[two[0]][two[1]] = second, first
    mine[first] -= 1
    mine[second] += 1
    theirs[second] -= 1
    theirs[first] += 1
    return True


def _check_enough(by_unit: Mapping[str, Mapping[str, Sequence[str]]], inputs: str) -> None:
    """Three different inputs must be found for every triad: two of one subject, one of the other."""
    kind = "input" if inputs == "different" else "text"
    for subject in "AB":
        if len(by_unit[subject]) < 2:
            raise PlacedError(
                f"subject {subject} has {counted(len(by_unit[subject]), kind)}; a triad needs two of one subject: add "
                "texts",
                f"subjects.{subject}",
            )
    if len(set(by_unit["A"]) | set(by_unit["B"])) < 3:
        raise PlacedError(
            "a triad needs three different inputs, but the texts come from two; add texts, or set inputs: any",
            "subjects",
        )
