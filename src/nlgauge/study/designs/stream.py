"""Every cell (item × treatment) once a round, cut into sheets.

A treatment is a system or a set of systems on one screen. A round goes through its items in a random order, once a
layer, while the treatments go on in turn: slot q shows item q mod n with treatment (q + ⌊q / lcm(n, t)⌋) mod t, which
meets every cell exactly once. Sheets are consecutive slots, hence: the items of a sheet differ while it is no longer
than the list of items; its treatments are as even as they can be, but for a surplus of one where a turn is skipped;
and any number of first sheets is even over items, treatments and cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.study.designs.draws import Draws


def deal(rounds: Sequence[Ints], treatments: int, per_sheet: int, count: int, draws: Draws) -> tuple[Ints, Ints, Ints]:
    """Items, treatments and earlier rounds of the item, each (sheets, screens).

    `rounds` are the items of one round after another, over and over; no round has fewer cells than a sheet.
    """
    wanted, filled, phase, number = count * per_sheet, 0, 0, 0
    served = np.zeros(1 + max(int(members.max()) for members in rounds), dtype=np.int64)
    parts: list[tuple[Ints, Ints, Ints]] = []
    tail: tuple[Ints, Ints] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    while filled < wanted:
        members = rounds[number % len(rounds)]
        members = members[draws.order(f"round {number}", len(members))]
        begun = filled % per_sheet  # screens of a sheet that the rounds before left unfinished
        if begun:
            late = np.isin(members, tail[0][-begun:])
            members = np.concatenate([members[~late], members[late]])
        item, treatment = _round(members, treatments, phase)
        if begun and per_sheet > len(members):
            _untangle(item, treatment, (tail[0][-begun:], tail[1][-begun:]), per_sheet - begun, treatments)
        parts.append((item, treatment, served[item]))
        served[members] += 1
        phase, tail = (
            (phase + len(item) + (len(item) - 1) // lcm(len(members), treatments)) % treatments,
            (
                item,
                treatment,
            ),
        )
        filled += len(item)
        number += 1
    if not parts:
        empty = np.zeros((0, per_sheet), dtype=np.int64)
        return empty, empty, empty
    item, treatment, before = (
        np.concatenate(part)[:wanted].reshape(count, per_sheet) for part in zip(*parts, strict=True)
    )
    return item, treatment, before


def _round(members: Ints, treatments: int, phase: int) -> tuple[Ints, Ints]:
    slot = np.arange(len(members) * treatments)
    turn = slot + slot // lcm(len(members), treatments)
    return members[slot % len(members)], (phase + turn) % treatments


def _untangle(item: Ints, treatment: Ints, tail: tuple[Ints, Ints], head: int, treatments: int) -> None:
    """Where a sheet begun in the last round goes on in this one, let no cell stand in it twice.

    Such cells change places with later ones of the round, of the same treatment where possible.
    """
    cell = item * treatments + treatment
    known = np.isin(cell, tail[0] * treatments + tail[1])
    twice = np.flatnonzero(known[:head])
    spare = head + np.flatnonzero(~known[head:])
    one, other = _matched(treatment, twice, spare)
    left = np.setdiff1d(twice, one)
    one = np.concatenate([one, left])
    other = np.concatenate([other, np.setdiff1d(spare, other)[: len(left)]])
    for array in (item, treatment):
        array[one], array[other] = array[other], array[one]


def _matched(treatment: Ints, twice: Ints, spare: Ints) -> tuple[Ints, Ints]:
    """Slots of both lists that have the same treatment, the n-th of one with the n-th of the other."""

    def ranked(slots: Ints) -> Ints:
        ordered = slots[np.argsort(treatment[slots], kind="stable")]
        own = treatment[ordered]
        rank = np.arange(len(own)) - np.searchsorted(own, own)
        keys: Ints = own * (len(treatment) + 1) + rank
        return np.stack([keys, ordered])

    first, second = ranked(twice), ranked(spare)
    _, here, there = np.intersect1d(first[0], second[0], assume_unique=True, return_indices=True)
    return first[1][here], second[1][there]
