"""The wire format of Protocol Buffers, as much of it as reading weights from an ONNX file and writing a graph takes.

The package `onnx` would do it too, at the price of a dependency for one page of code. A message is a list of fields:
number, kind of wire (0 whole number, 2 bytes, 5 four bytes) and value.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

Value = int | memoryview
_WHOLE, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def fields(message: memoryview) -> Iterator[tuple[int, Value]]:
    """The fields of a message in order; what is written as bytes is a view of them, not a copy.

    ValueError where the bytes are no such message.
    """
    place = 0
    while place < len(message):
        key, place = read_varint(message, place)
        number, wire = key >> 3, key & 7
        if wire == _WHOLE:
            value, place = read_varint(message, place)
            yield number, value
            continue
        if wire == _BYTES:
            size, place = read_varint(message, place)
        elif wire in (_FOUR, _EIGHT):
            size = 4 if wire == _FOUR else 8
        else:
            raise ValueError(f"field {number} is written in an unknown way ({wire})")
        if place + size > len(message):
            raise ValueError("the message ends within a field")
        yield number, message[place : place + size]
        place += size


def read_varint(message: memoryview, place: int) -> tuple[int, int]:
    """A whole number of variable length, and the place after it."""
    value = shift = 0
    while place < len(message):
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
    raise ValueError("the message ends within a number")


def whole(number: int, value: int) -> bytes:
    """A field that holds a whole number; negative ones as two's complement in 64 bits."""
    return _varint(number << 3 | _WHOLE) + _varint(value & 0xFFFFFFFFFFFFFFFF)


def real(number: int, value: float) -> bytes:
    """A field that holds a number in single precision."""
    return _varint(number << 3 | _FOUR) + struct.pack("<f", value)


def text(number: int, value: str | bytes) -> bytes:
    """A field that holds text, bytes, or another message."""
    raw = value.encode() if isinstance(value, str) else value
    return opening(number, len(raw)) + raw


def opening(number: int, size: int) -> bytes:
    """What stands before the bytes of such a field; large ones are put behind it without being copied."""
    return _varint(number << 3 | _BYTES) + _varint(size)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
