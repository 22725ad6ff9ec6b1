"""Pictures of texts: only files that the study froze, inside its folder, of kinds that cannot carry a script."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.launch.texts import image_path

LOG = logging.getLogger("nlgauge.web")
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def read(folder: Path, name: str, frozen: str) -> tuple[bytes, str] | None:
    """A picture and its type by its first bytes; None where it is not the one with that SHA-256 any more, or none."""
    try:
        content = image_path(folder, name, "a text").read_bytes()
    except (InputError, OSError):
        content = b""
    kind = sniffed(content)
    if kind is None or hashlib.sha256(content).hexdigest() != frozen:
        LOG.warning("the picture %s is not the one that was frozen at launch; judges do not see it", name)
        return None
    return content, kind


def sniffed(content: bytes) -> str | None:
    """The type that the first bytes show; what a file is called does not count."""
    for signature, kind in SIGNATURES:
        if content.startswith(signature):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return None
