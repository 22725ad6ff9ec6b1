"""Which rows a trained metric learnt from, kept as short digests: figures on these say nothing about new texts."""

from __future__ import annotations

import html
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

SIZE = (
    5  # bytes: among 10,000 rows that were learnt and 100,000 others one in a thousand sets has a false match
)


def row_digest(text: str, references: Sequence[str], source: Any = None) -> bytes:
    """A row by its output and references, or its source; capitals, spaces and escapes do not count."""
    about = sorted(map(_plain, references)) or [_plain(repr(source))]
    told = "\0".join((_plain(text), *about))
    return sha256(told.encode("utf-8", "surrogatepass")).digest()[:SIZE]


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).casefold().split())


def packed(digests: Iterable[bytes]) -> str:
    """Digests as a text, each once."""
    return b64encode(b"".join(sorted(set(digests)))).decode("ascii")


def unpacked(told: Any) -> frozenset[bytes]:
    """The digests of such a text; none where it is damaged."""
    try:
        whole = b64decode(told, validate=True)
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(whole[place : place + SIZE] for place in range(0, len(whole), SIZE))
