"""Compiled and plain tokenisers give the same tokens, for every tokeniser and stemmer that is compiled."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_texts

from nlgauge.kernels import python
from nlgauge.text import stemmers, tokenizers

_native = pytest.importorskip("nlgauge._native", reason="the compiled kernels are not built")

TEXTS = random_texts(3000, seed=41)


def test_compiled_names_are_known() -> None:
    assert set(_native.TOKENIZERS) <= set(tokenizers.TOKENIZERS)
    assert set(_native.STEMMERS) <= set(stemmers.NAMES)
    assert {"none", "13a", "intl", "char", "zh", "tercom", "rouge"} <= set(_native.TOKENIZERS)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("tok", _native.TOKENIZERS)
def test_random_texts(tok: str, lower: bool) -> None:
    for text in TEXTS:
        expected = python.tokenize(text, tok, lower, "none")
        assert _native.tokenize(text, tok, lower, "none") == expected, repr(text)


@pytest.mark.parametrize("tok", _native.TOKENIZERS)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60), lower=st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_text(tok: str, text: str, lower: bool) -> None:
    assert _native.tokenize(text, tok, lower, "none") == python.tokenize(text, tok, lower, "none")


@pytest.mark.parametrize("stem", _native.STEMMERS)
@pytest.mark.parametrize("tok", ["none", "rouge", "words"])
def test_stems(tok: str, stem: str) -> None:
    from test_stemmers import made_words

    words = made_words(6000, 17)
    texts = [" ".join(words[i : i + 20]) for i in range(0, len(words), 20)] + [text.upper() for text in TEXTS[:500]]
    for text in texts:
        assert _native.tokenize(text, tok, False, stem) == python.tokenize(text, tok, False, stem), repr(text)
