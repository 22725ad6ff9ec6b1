"""The compiled kernels that have no plain twin; `nlgauge.kernels.active()` gives the others with the twin's types."""

from collections.abc import Sequence

from nlgauge.kernels.interface import Buffer

TOKENIZERS: tuple[str, ...]
STEMMERS: tuple[str, ...]

class WordNet:
    def __init__(self, parts: Sequence[tuple[Buffer, Buffer, Sequence[tuple[str, str]], Buffer, bool]]) -> None: ...
    def synonyms(self, word: str) -> frozenset[str]: ...

def stem_english(words: Sequence[str]) -> list[str]: ...
def stem_porter(words: Sequence[str]) -> list[str]: ...
