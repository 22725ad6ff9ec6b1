"""Texts that a metric's tokeniser was not made for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from nlgauge.metrics.base import Metric
from nlgauge.text.tokenizers import words
from nlgauge.types import Column
from nlgauge.wording.numbers import listing

LOOKED_AT = 500  # references: enough to know a language by
LEAST = 0.02  # of the words: English with names from elsewhere stays below


def script_remarks(chosen: Sequence[Metric], columns: Sequence[Column]) -> list[str]:
    """Words that rouge-score's tokeniser, which keeps a to z and 0 to 9, would cut or drop."""
    concerned = [str(metric) for metric in chosen if getattr(metric, "tok", "") == "rouge"]
    if not concerned:
        return []
    found = list(islice(_words(columns), LOOKED_AT * 20))
    cut = [word for word in found if not word.lower().isascii()]
    if len(cut) <= LEAST * len(found):
        return []
    return [
        f"{listing(concerned)}: rouge-score's tokeniser keeps a to z and 0 to 9 only and cuts or drops "
        f"{len(cut) / len(found):.0%} of the words of the references, such as {cut[0]!r}; tok=words keeps them"
    ]


def _words(columns: Sequence[Column]) -> Iterator[str]:
    for texts in columns[0].references[:LOOKED_AT]:
        for text in texts:
            yield from words(text)
