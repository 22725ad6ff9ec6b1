"""Addresses of other sites: the one that judges are sent to at the end stands in a header, where no byte may stray."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

_HOST = re.compile(r"(.*?)(:[0-9]*)?", re.DOTALL)
_KEPT = "%/:?#[]@!$&'()*+,;=~"  # what has a meaning in an address, or is in percent form already


def is_address(text: str) -> bool:
    """Whether this is a whole web address; one with a space or a line break is not."""
    try:
        parts = urlsplit(in_ascii(text))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text


def in_ascii(address: str) -> str:
    """An address as headers hold it: a host of another script by its ASCII name, other characters in percent form."""
    parts = urlsplit(address)
    found = _HOST.fullmatch(parts.netloc)
    host, port = found.groups("") if found else (parts.netloc, "")
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    rest = (quote(part, safe=_KEPT) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, host + port, *rest))
