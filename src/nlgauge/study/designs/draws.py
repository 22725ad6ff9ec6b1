"""Random choices that stay the same for ever, and cells dealt by them.

A design is an endless sequence of sheets of which the first n never change, however many are asked for and whatever
version of numpy is installed years later, when a late judge arrives. So only the raw bits of PCG64 are used, which
numpy promises to keep (NEP 19; it does not promise the same for `shuffle` or `integers`), and each question has its
own stream, named by a word.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np

from nlgauge.arrays import Ints

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Draws:
    """The random numbers of a panel of a study."""

    seed: int
    panel: str = ""

    def bits(self, word: str, *shape: int) -> Any:
        """Raw 64-bit words; the first rows do not depend on how many rows there are."""
        name = hashlib.sha256(f"{self.seed}/{self.panel}/{word}".encode()).digest()
        source = np.random.PCG64(int.from_bytes(name[:16], "big"))
        return source.random_raw(int(np.prod(shape))).reshape(shape)

    def shares(self, word: str, *shape: int) -> Floats:
        """Numbers from 0 to 1, without 1."""
        found: Floats = (self.bits(word, *shape) >> np.uint64(11)) * 2.0**-53
        return found

    def order(self, word: str, *shape: int) -> Ints:
        """A random order of 0 … n-1 along the last axis."""
        found: Ints = np.argsort(self.bits(word, *shape), axis=-1, kind="stable")
        return found

    def below(self, word: str, limit: int, *shape: int) -> Ints:
        """Whole numbers from 0 to below a limit."""
        found: Ints = (self.shares(word, *shape) * limit).astype(np.int64)
        return found


def deal(rounds: Sequence[Ints], treatments: int, per_sheet: int, count: int, draws: Draws) -> tuple[Ints, Ints, Ints]:
    """Every cell (item × treatment) once a round, cut into sheets: items, treatments and earlier rounds of the item,
    each (sheets, screens).

    A treatment is a system or a set of systems on one screen. A round goes through its items in a random order, once a
    layer, while the treatments go on in turn: slot q shows item q mod n with treatment (q + ⌊q / lcm(n, t)⌋) mod t,
    which meets every cell exactly once. Sheets are consecutive slots, hence: the items of a sheet differ while it is no
    longer than the list of items; its treatments are as even as they can be, but for a surplus of one where a turn is
    skipped; and any number of first sheets is even over items, treatments and cells.

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
        phase = (phase + len(item) + (len(item) - 1) // lcm(len(members), treatments)) % treatments
        tail = (item, treatment)
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
