"""Files that a library cannot load, told in one sentence."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from nlgauge.errors import InputError

# What transformers, PyTorch and the readers they call raise over files that are missing, damaged or of another kind.
_KINDS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    ImportError,
    EOFError,
    pickle.PickleError,
    struct.error,
)
# Libraries in other languages whose exceptions derive from nothing but Exception.
_LIBRARIES = ("safetensors", "onnxruntime")


@contextmanager
def loaded_by(sentence: str) -> Iterator[None]:
    """Around a library's call: what it says of files becomes the reason in brackets after the sentence."""
    try:
        yield
    except Exception as error:  # tokenizers raises Exception itself, so no narrower clause would meet it
        if not _of_files(error):
            raise
        said = str(error).strip().splitlines()
        raise InputError(f"{sentence} ({(said or [type(error).__name__])[0][:200]})") from None


def _of_files(error: Exception) -> bool:
    kind = type(error)
    return isinstance(error, _KINDS) or kind is Exception or kind.__module__.partition(".")[0] in _LIBRARIES
