"""Halves of surrogate pairs, which Python texts may hold and libraries cannot encode."""

from __future__ import annotations

import re

_HALVES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with U+FFFD, the sign for what cannot be read, in place of each half."""
    return _HALVES.sub("\ufffd", text)
