"""Tokenised batches in plain Python, and the fall-through of the compiled kernels to them."""

from __future__ import annotations

import numpy as np
import pytest
from random_texts import random_texts

from nlgauge import kernels
from nlgauge.kernels import python
from nlgauge.kernels.batch import Batch

native_only = pytest.mark.skipif(not kernels.native_available(), reason="the compiled kernels are not built")


def test_tokens_of_a_batch() -> None:
    batch = python.tokens(["A cat.", ""], [["a dog", "Cats"], ["x"]], "13a", True, "porter", False, 1)
    assert len(batch) == 2
    assert batch.hypotheses == [["a", "cat", "."], []]
    assert batch.references == [[["a", "dog"], ["cat"]], [["x"]]]
    assert batch.hypothesis_sentences is None


def test_sentences_are_the_lines_that_are_not_empty() -> None:
    text = "One two.\n\n \n...\nthree\n"
    batch = python.tokens([text], [[text]], "rouge", False, "none", True, 1)
    assert batch.hypothesis_sentences == [[["one", "two"], [], [], ["three"]]]
    assert batch.hypotheses == [["one", "two", "three"]]
    assert batch.reference_sentences == [[[["one", "two"], [], [], ["three"]]]]
    assert batch.references == [[["one", "two", "three"]]]


def test_lists_with_lines_are_cut_as_tokens_are() -> None:
    texts = [text for text in random_texts(200, seed=5) if text]
    references = [[text, text[::-1]] for text in texts]
    whole = python.tokens(texts, references, "13a", False, "none", True, 1)
    assert whole.hypothesis_sentences is not None
    assert whole.reference_sentences is not None
    lists = python.tokens_from_lists(
        whole.hypotheses,
        whole.references,
        [[len(line) for line in lines] for lines in whole.hypothesis_sentences],
        [[[len(line) for line in lines] for lines in refs] for refs in whole.reference_sentences],
    )
    assert lists == whole
    assert python.tokens_from_lists(whole.hypotheses, whole.references).hypothesis_sentences is None


@native_only
@pytest.mark.parametrize(("tok", "stem"), [("ptb", "none"), ("ptb-keep", "none"), ("words", "porter-original")])
def test_compiled_kernels_take_any_tokeniser(tok: str, stem: str) -> None:
    """Scores under a tokeniser that is not compiled equal those of the plain kernels."""
    from nlgauge import _native

    assert tok not in _native.TOKENIZERS or stem not in _native.STEMMERS
    texts = [text.replace("\n", " ") for text in random_texts(300, seed=23)]
    references = [[texts[i - 1], texts[i - 2]] for i in range(len(texts))]
    rows = []
    for backend in ("native", "python"):
        with kernels.use(backend):
            tokens = Batch(texts, references).tokens(tok, stem=stem)
            rows.append(kernels.active().bleu_rows(tokens, 4, "closest", 1))
    assert rows[0].sum() > 0
    np.testing.assert_array_equal(rows[0], rows[1])


@native_only
def test_compiled_kernels_take_sentences_of_any_tokeniser() -> None:
    texts = ["A dog runs.\nIt barks at the cat.", "One line", "", "x\n\ny y y"]
    references = [["The dog ran.\nIt barked at a cat."], ["one\nline", "two"], ["z"], ["y\nx y"]]
    rows = []
    for backend in ("native", "python"):
        with kernels.use(backend):
            tokens = Batch(texts, references).tokens("ptb", stem="porter", sentences=True)
            rows.append(kernels.active().rouge_lsum_rows(tokens, "best", False, 1.0, 1))
    assert rows[0][:, 2].sum() > 0
    np.testing.assert_allclose(rows[0], rows[1], rtol=0, atol=1e-12)


def test_a_batch_tokenises_once() -> None:
    batch = Batch(["a b"], [["a c"]])
    first = batch.tokens("ptb")
    assert batch.tokens("ptb") is first
    assert batch.tokens("ptb", lower=True) is not first
