"""Encoders that come with nlgauge, over whose embeddings and lower layers others are learnt, so that these are kept
once: the reader, and the encoder of nlgauge-mt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nlgauge.errors import InputError
from nlgauge.learned.folder import ABOUT, WEIGHTS
from nlgauge.learned.form import Arrays
from nlgauge.learned.shipped import shipped
from nlgauge.lexicons.digests import digest_of
from nlgauge.models.resolve import Located, tokeniser_folder
from nlgauge.models.weights import read

READER = "reader"
BASES = (READER, "nlgauge-mt")
_ENCODER = ("embeddings.", "encoder.")  # how the names of an encoder's weights begin; others are a head's


@dataclass(frozen=True, eq=False)
class Base:
    """A shipped encoder."""

    name: str
    network: Mapping[str, Any]  # what tells its shape
    weights: Arrays  # in 8 bits
    digest: str


@lru_cache(maxsize=2)
def base(name: str) -> Base:
    """The encoder of this name."""
    if name == READER:
        folder = tokeniser_folder()
        network = Located(name, folder, "").config()
    else:
        found = shipped(name) if name in BASES else None
        if found is None:
            raise InputError(f"{name} is no encoder that others are learnt over; expected {' or '.join(BASES)}")
        folder = found
        network = json.loads((folder / ABOUT).read_text(encoding="utf-8"))["settings"]["network"]
    weights = {each: values for each, values in read(folder / WEIGHTS).items() if each.startswith(_ENCODER)}
    return Base(name, network, weights, digest_of([folder / WEIGHTS]))
