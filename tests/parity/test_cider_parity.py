"""CIDEr-D against recorded numbers and, live, against pycocoevalcap; compiled kernels against their twins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases
from texts import seeded, segments
from twins import rows_of_both

from nlgauge import kernels
from nlgauge.metrics.cider import Cider, CiderD

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]
TOKENISERS = {"whitespace": "none", "PTB": "ptb", "PTB, lowercase, punctuation removed": "ptb"}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", cases("CIDEr-D"))
def test_recorded(case: Case, backend: str) -> None:
    # GEM-metrics, which names no tokeniser, runs the caption kit's
    metric = CiderD(tok=TOKENISERS[case.options.get("tokenize", "PTB")])
    with kernels.use(backend):
        scores = metric.segments(case.hypotheses, case.references).tolist()
        corpus = metric.corpus(case.hypotheses, case.references)
    assert corpus == pytest.approx(np.mean(scores), abs=1e-12)
    case.check({"corpus": corpus, "segments": scores} if isinstance(case.expected, dict) else corpus)


# -- beside pycocoevalcap --------------------------------------------------------------------------------


def theirs(hypotheses: list[str], references: list[list[str]], sigma: float) -> tuple[float, Any]:
    """Score and segment scores as pycocoevalcap gives them for texts split at white space."""
    package = pytest.importorskip("pycocoevalcap.cider.cider", reason="the live comparison runs pycocoevalcap")
    names = range(len(hypotheses))
    kit = package.Cider(sigma=sigma)
    corpus, scores = kit.compute_score(
        dict(zip(names, references, strict=True)), {name: [hypotheses[name]] for name in names}
    )
    return float(corpus), scores


def unlike_pycocoevalcap(
    hypotheses: list[str], references: list[list[str]], sigma: float = 6.0
) -> list[tuple[str, Any]]:
    """By kernels, the segments whose score is another than pycocoevalcap's, and the corpus score where it is."""
    corpus, scores = theirs(hypotheses, references, sigma)
    found: list[tuple[str, Any]] = []
    for backend in BACKENDS:
        with kernels.use(backend):
            metric = CiderD(tok="none", sigma=sigma)
            same = np.isclose(metric.segments(hypotheses, references), scores, rtol=1e-12, atol=1e-13)
            found += [(backend, (hypotheses[place], references[place])) for place in np.flatnonzero(~same)]
            if metric.corpus(hypotheses, references) != pytest.approx(corpus, rel=1e-12, abs=1e-13):
                found.append((backend, corpus))
    return found


def any_words(references: list[list[str]]) -> bool:
    """pycocoevalcap cannot take the maximum of no document frequencies."""
    return any(text.split() for texts in references for text in texts)


@settings(deadline=None, max_examples=80)
@given(segments(), st.sampled_from((6.0, 1.0, 20.0)))
def test_awkward_text_equals_pycocoevalcap(texts: list[tuple[str, list[str]]], sigma: float) -> None:
    references = [refs for _, refs in texts]
    if any_words(references):
        assert unlike_pycocoevalcap([text for text, _ in texts], references, sigma) == []


@pytest.mark.slow
def test_many_segments_equal_pycocoevalcap() -> None:
    assert unlike_pycocoevalcap(*seeded(2000, 1, references=5)) == []


def test_repeated_words_equal_pycocoevalcap() -> None:
    draw = random.Random(2)

    def text() -> str:
        return " ".join(draw.choice("ab") for _ in range(draw.randint(0, 12)))

    assert (
        unlike_pycocoevalcap(
            [text() for _ in range(80)], [[text() for _ in range(draw.randint(1, 4))] for _ in range(80)]
        )
        == []
    )


# -- compiled and plain ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("native")
@settings(deadline=None, max_examples=80)
@given(segments(), st.integers(1, 6), st.sampled_from(("none", "ptb", "words")), st.booleans())
def test_native_equals_python(texts: list[tuple[str, list[str]]], order: int, tok: str, d: bool) -> None:
    metric = (CiderD if d else Cider)(order=order, tok=tok)
    np.testing.assert_array_equal(*rows_of_both(metric, [text for text, _ in texts], [refs for _, refs in texts]))


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("make", [Cider, CiderD])
def test_native_equals_python_on_many_and_on_long_texts(make: type[Cider | CiderD]) -> None:
    np.testing.assert_array_equal(*rows_of_both(make(tok="none"), *seeded(400, 4, references=4), jobs=3))
    words = [f"w{number * 7919 % 900}" for number in range(2000)]
    texts = [" ".join(words), " ".join(words[300:] + words[:200])]
    np.testing.assert_array_equal(
        *rows_of_both(make(tok="none"), texts, [[texts[1], " ".join(words[::-1])], ["w1 w2"]])
    )
