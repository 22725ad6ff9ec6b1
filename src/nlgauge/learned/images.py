"""The vector of an image, as a source gives it: {"image": [0.1, …]}, or {"image": "FILE#NAME"} for a vector in a file
of NumPy: an array of a .npz by its name, a row of a .npy by its number. Files are looked for from the folder that the
command runs in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch

EXPECTED = 'an object with image: a list of numbers, or "FILE#NAME" of a .npz or .npy file'


def images(batch: Batch) -> Array:
    """(n, k): the vector of each segment's image; all of one length."""
    sources = batch.sources if batch.sources is not None else [None] * len(batch)
    found = [_image(source, batch.place(number)) for number, source in enumerate(sources)]
    for number, vector in enumerate(found):
        if len(vector) != len(found[0]):
            raise InputError(
                f"vectors of images differ in length: {len(found[0])} numbers for the first, {batch.place(0)}, and "
                f"{len(vector)} for number {number + 1}, {batch.place(number)}; give vectors of one network"
            )
    return np.array(found).reshape(len(batch), -1)


def _image(source: Any, where: str) -> Array:
    given = source.get("image") if isinstance(source, Mapping) else None
    if isinstance(given, str) and "#" in given:
        name, _, place = given.rpartition("#")
        vector = _kept(name, place, where)
    elif isinstance(given, Sequence) and not isinstance(given, str) and given:
        vector = given
    else:
        said = "no source" if source is None else f"{str(source)[:60]!r} as its source"
        raise InputError(f"{where} has {said}; expected {EXPECTED}")
    try:
        made = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        made = np.zeros(0)
    if made.ndim != 1 or not len(made) or not np.isfinite(made).all():
        raise InputError(f"the image of {where} is no list of numbers; expected {EXPECTED}")
    return made


def _kept(name: str, place: str, where: str) -> Any:
    path = Path(name).expanduser()
    try:
        held = _opened(str(path), path.stat().st_mtime_ns)
        return held[int(place)] if isinstance(held, np.ndarray) else held[place]
    except (OSError, EOFError) as error:
        raise InputError(f"the image of {where}: {name} cannot be read: {error}") from None
    except (KeyError, IndexError, ValueError) as error:
        raise InputError(f"the image of {where}: {name} holds no {place!r} ({error})") from None


@lru_cache(maxsize=8)
def _opened(name: str, changed: int) -> Any:
    held = np.load(name, allow_pickle=False)
    return held if isinstance(held, np.ndarray) else dict(held)
