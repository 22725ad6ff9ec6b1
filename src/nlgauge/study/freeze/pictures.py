"""Pictures as far as a study must know them: kind, size in pixels, and what else the file says about its origin.

Headers only, by the formats' own definitions (PNG, JPEG, GIF, WebP, AVIF): no picture is decoded. The site serves
pictures without their names, but byte by byte, so what a camera, a program or a generator wrote into them reaches
whoever saves a picture and looks.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError

KINDS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".webp": "WebP", ".avif": "AVIF"}
_WORDS = re.compile(rb"[\x20-\x7e]{4,}")
_SHOWN = 60  # characters of metadata that a message quotes


@dataclass(frozen=True)
class Picture:
    """What the header of a file says."""

    kind: str
    width: int
    height: int
    metadata: tuple[tuple[str, str], ...]  # (where, the words found there)


def picture(path: str | Path) -> Picture:
    """Read a picture's header; refused where the file is no picture of a known kind, or broken."""
    data = Path(path).read_bytes()
    try:
        found = _read(data)
    except (struct.error, IndexError):
        raise InputError(f"the picture {path} is broken: it ends in the middle") from None
    except ValueError as error:
        raise InputError(f"the picture {path} is broken: {error}") from None
    if found is None:
        raise InputError(f"{path} is no picture that browsers show (PNG, JPEG, GIF, WebP or AVIF)")
    if not (found.width > 0 and found.height > 0):
        raise InputError(f"the picture {path} is broken: it has no size")
    return found


def _read(data: bytes) -> Picture | None:
    kinds = (
        (data.startswith(b"\x89PNG\r\n\x1a\n"), _png),
        (data.startswith(b"\xff\xd8\xff"), _jpeg),
        (data[:6] in (b"GIF87a", b"GIF89a"), _gif),
        (data[:4] == b"RIFF" and data[8:12] == b"WEBP", _webp),
        (data[4:8] == b"ftyp" and b"avi" in data[8:32], _avif),
    )
    return next((read(data) for fits, read in kinds if fits), None)


def _words(data: bytes) -> str:
    """The readable words in some bytes."""
    text = " ".join(part.decode("ascii").strip() for part in _WORDS.findall(data))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _png(data: bytes) -> Picture:
    width = height = 0
    notes = []
    place, ended = 8, False
    while place + 8 <= len(data) and not ended:
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        if len(body) < length:
            raise ValueError("it ends in the middle")
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        elif kind in (b"tEXt", b"iTXt", b"zTXt", b"eXIf"):
            notes.append((kind.decode(), _words(body.replace(b"\0", b" "))))
        ended = kind == b"IEND"
        place += 12 + length
    if not ended:
        raise ValueError("it ends in the middle")
    return Picture("PNG", width, height, tuple(notes))


_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})


def _jpeg(data: bytes) -> Picture:
    width = height = 0
    notes = []
    place = 2
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            raise ValueError("a segment is missing")
        marker = data[place + 1]
        if marker == 0xFF or marker in _ALONE:  # a filler, or a marker without content
            place += 1 if marker == 0xFF else 2
            continue
        if marker in (0xDA, 0xD9):  # the picture itself begins
            break
        (length,) = struct.unpack(">H", data[place + 2 : place + 4])
        body = data[place + 4 : place + 2 + length]
        if len(body) < length - 2:
            raise ValueError("it ends in the middle")
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", body[1:5])
        elif marker == 0xFE:
            notes.append(("comment", _words(body)))
        elif marker == 0xE1 and body.startswith(b"Exif"):
            notes.append(("EXIF", _words(body[6:])))
        elif marker == 0xE1 and b"ns.adobe.com/xap" in body[:40]:
            notes.append(("XMP", _words(body[29:])))
        elif marker == 0xED:
            notes.append(("IPTC", _words(body[14:])))
        place += 2 + length
    return Picture("JPEG", width, height, tuple(notes))


def _gif(data: bytes) -> Picture:
    width, height = struct.unpack("<HH", data[6:10])
    notes = [("comment", _words(found)) for found in re.findall(rb"\x21\xfe.([\x09-\x7e]{4,})\x00", data, re.S)]
    return Picture("GIF", width, height, tuple(notes))


def _webp(data: bytes) -> Picture:
    width = height = 0
    notes = []
    for kind, body in _chunks(data[12:]):
        if kind == b"VP8X":
            width, height = (int.from_bytes(body[k : k + 3], "little") + 1 for k in (4, 7))
        elif kind == b"VP8L" and not width:
            (bits,) = struct.unpack("<I", body[1:5])
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        elif kind == b"VP8 " and not width:
            width, height = (value & 0x3FFF for value in struct.unpack("<HH", body[6:10]))
        elif kind in (b"EXIF", b"XMP "):
            notes.append((kind.decode().strip(), _words(body)))
    return Picture("WebP", width, height, tuple(notes))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 0
    while place + 8 <= len(data):
        kind, length = struct.unpack("<4sI", data[place : place + 8])
        if place + 8 + length > len(data):
            raise ValueError("it ends in the middle")
        yield kind, data[place + 8 : place + 8 + length]
        place += 8 + length + length % 2


def _avif(data: bytes) -> Picture:
    """The size is that of the largest `ispe` property; a rotation does not matter here."""
    sizes = [struct.unpack(">II", data[found.end() + 4 : found.end() + 12]) for found in re.finditer(rb"ispe", data)]
    if not sizes:
        raise ValueError("it has no size")
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    notes = []
    if b"Exif" in data:
        notes.append(("EXIF", _words(data[data.rindex(b"Exif") + 4 :][:400])))
    if b"<x:xmpmeta" in data:
        notes.append(("XMP", _words(data[data.index(b"<x:xmpmeta") :][:400])))
    return Picture("AVIF", width, height, tuple(notes))
