"""Duplicate (item, system) keys in data that do not fit into memory.

Eight bytes a row are kept: the 64-bit hash of the key. Equal hashes are looked for whenever the number of
rows has doubled and at the end, so that the cost stays that of one sort; where two hashes agree, the rows
are read once more to tell a duplicate from a chance clash and to name both lines.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from nlgauge.errors import InputError, option
from nlgauge.io.files import at

FIRST_CHECK = 1 << 16

Key = tuple[str, str]
Located = tuple[Key, str, int, str]  # key, path, line, unit
Hash = Callable[[Key], int]


class DuplicateWatch:
    """Remembers the keys that went by; `reread` yields all rows' keys again with their places."""

    def __init__(self, reread: Callable[[], Iterable[Located]], digest: Hash = hash) -> None:
        self._reread = reread
        self._digest = digest
        self._digests = array("q")
        self._next_check = FIRST_CHECK
        self._cleared: Counter[int] = Counter()

    def add(self, items: Sequence[str], systems: Sequence[str]) -> None:
        """Remember some keys; refuse a duplicate if the time has come to look."""
        self._digests.extend(map(self._digest, zip(items, systems, strict=True)))
        if len(self._digests) >= self._next_check:
            self.check()
            self._next_check = 2 * len(self._digests)

    def check(self) -> None:
        """Refuse a duplicate among the keys so far."""
        import numpy as np  # only streams need it

        digests = np.sort(np.frombuffer(self._digests, dtype=np.int64))
        repeated = digests[1:][digests[1:] == digests[:-1]]
        counts = Counter(repeated.tolist())
        # a hash known to clash by chance is looked at again only when it has occurred once more
        suspects = {digest for digest, count in counts.items() if self._cleared[digest] != count}
        if suspects:
            self._verify(suspects, len(self._digests))
            self._cleared = counts

    def _verify(self, suspects: set[int], rows: int) -> None:
        seen: dict[Key, str] = {}
        for number, (key, path, line, unit) in enumerate(self._reread()):
            if number >= rows:
                return
            if self._digest(key) in suspects:
                place = at(path, line, unit)
                if key in seen:
                    raise InputError(duplicate(key[0], key[1], place, seen[key]))
                seen[key] = place


def duplicate(item: str, system: str, here: str, there: str) -> str:
    """The sentence for two rows with the same key."""
    return (
        f"{here}: item {item!r} of system {system!r} was already given at {there}; each item may occur once "
        "for a system: remove one row, name the repeated items apart, or keep both with "
        f"{option('repeats', 'number')}"
    )
