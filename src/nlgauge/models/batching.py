"""Batches of like length under a budget of units, smaller ones when memory runs out, and windows over long texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, counted
from nlgauge.models import runtime

Part = TypeVar("Part")
Result = TypeVar("Result")
MOST = 8192  # texts in one batch, however short
HANDS = 3  # threads that feed a GPU: one sends it texts, one matches what it read before, one splits what comes next


def by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Places of the texts in batches of like length, so that texts × longest stays within the budget.

    The longest come first: a batch too large for the memory shows at once. A text longer than the budget goes alone.
    """
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    made: list[list[int]] = []
    room = 0
    for place in order:
        if room == 0:
            made.append([])
            room = min(MOST, max(1, budget // max(1, lengths[place])))
        made[-1].append(place)
        room -= 1
    return made


def halving(
    work: Callable[[list[int]], Result], places: list[int], exhausted: Callable[[BaseException], bool]
) -> Iterator[tuple[list[int], Result]]:
    """The results of a batch, or of its halves where memory runs out, down to single texts."""
    waiting = [places]
    while waiting:
        part = waiting.pop()
        try:
            result = work(part)
        except Exception as error:  # which kinds say that memory ran out, only `exhausted` knows
            if not exhausted(error):
                raise
            if len(part) == 1:
                raise InputError(
                    "the memory of the device does not hold the model and one text; use a smaller model, a half "
                    "precision (dtype=bf16), or another device (NLGAUGE_DEVICE=cpu)"
                ) from None
            middle = len(part) // 2
            waiting += [part[middle:], part[:middle]]
            continue
        yield part, result


def in_batches(
    lengths: Sequence[int],
    work: Callable[[list[int]], Result],
    exhausted: Callable[[BaseException], bool],
    *,
    budget: int,
    told: str = "",
) -> Iterator[tuple[list[int], Result]]:
    """What `work` makes of texts of like length, with their places; batches are halved where memory runs out."""
    now, done = runtime.current(), 0
    for batch in by_length(lengths, now.batch_tokens or budget):
        for part, made in halving(work, batch, exhausted):
            yield part, made
            done += len(part)
            if told and now.progress:
                now.progress(told, done, len(lengths))


def overlapped(work: Callable[[Part], Result], parts: Iterable[Part], *, resident: bool) -> list[Result]:
    """The result of each part; where a GPU does the arithmetic, parts are worked on side by side so that it need not
    wait.
    """
    if not resident:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(HANDS) as pool:
        return list(pool.map(work, parts))


def windows(content: int, room: int) -> list[tuple[int, int]]:
    """Where to cut `content` units into windows of at most `room`, neighbours sharing about half."""
    if content <= room:
        return [(0, content)]
    step = max(1, room // 2)
    starts = [*range(0, content - room, step), content - room]
    return [(start, start + room) for start in starts]


def owners(content: int, cuts: Sequence[tuple[int, int]]) -> Ints:
    """For each unit the window in which it stands farthest from an inner edge: where it sees most around it."""
    places = np.arange(content)
    owner, depth = np.zeros(content, dtype=np.int64), np.full(content, -1)
    for number, (start, stop) in enumerate(cuts):
        inside = places[start:stop]
        left = inside - start if start > 0 else np.full(stop - start, content)
        right = stop - 1 - inside if stop < content else np.full(stop - start, content)
        own = np.minimum(left, right)
        deeper = own > depth[start:stop]
        owner[start:stop][deeper], depth[start:stop][deeper] = number, own[deeper]
    return owner


def cut_pairs(number: int) -> list[str]:
    """The remark on pairs that lost the end of a text."""
    return [f"{counted(number, 'pair')} longer than the model takes lost the end of a text"] if number else []
