"""Which rows a trained metric learnt from, kept as short digests: figures on these say nothing about new texts."""

from __future__ import annotations

import html
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence, Set
from hashlib import sha256
from typing import Any

SIZE = 5  # bytes: among 10,000 rows that were learnt and 100,000 others one in a thousand sets has a false match


def row_digests(text: str, references: Sequence[str], source: Any = None) -> set[bytes]:
    """A row by its output with each reference, or with its source; capitals, spaces and escapes do not count."""
    about = map(_plain, references) if references else (_plain(repr(source)),)
    return {_digest(_plain(text), other) for other in about}


def is_known(learnt: Set[bytes], text: str, references: Sequence[str], source: Any = None) -> bool:
    """Whether an output was learnt with any of its references or with its source; earlier versions kept it with all
    references as one."""
    earlier = _digest(_plain(text), *sorted(map(_plain, references)))
    digests = row_digests(text, references) | row_digests(text, (), source)
    return earlier in learnt or not learnt.isdisjoint(digests)


def _digest(*texts: str) -> bytes:
    return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()[:SIZE]


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).casefold().split())


def packed(digests: Iterable[bytes]) -> str:
    """Digests as a text, each once."""
    return b64encode(b"".join(sorted(set(digests)))).decode("ascii")


def unpacked(told: Any) -> frozenset[bytes] | None:
    """The digests of such a text; None where it is damaged."""
    try:
        whole = b64decode(told, validate=True)
    except (TypeError, ValueError):
        return None
    return frozenset(whole[place : place + SIZE] for place in range(0, len(whole), SIZE))
