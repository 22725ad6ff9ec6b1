"""Tokenisers and stemmers."""

from __future__ import annotations


def describe() -> list[tuple[str, str, str]]:
    """Every tokeniser, then every stemmer: name, one line on it, and the extra it needs or ''."""
    from nlgauge.text import stemmers, tokenizers

    return tokenizers.described() + [(f"stem={name}", text, extra) for name, text, extra in stemmers.described()]
