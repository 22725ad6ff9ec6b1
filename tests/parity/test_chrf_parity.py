"""chrF against recorded numbers and, live, against sacreBLEU; the compiled kernel against its Python twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases
from texts import seeded, segments

from nlgauge import kernels
from nlgauge.kernels import python as twin
from nlgauge.metrics.chrf import Chrf

sacrebleu = pytest.importorskip("sacrebleu", reason="the live comparison runs sacreBLEU beside ours")

OPTIONS = st.fixed_dictionaries(
    {
        "char": st.sampled_from((6, 6, 1, 3, 8)),
        "word": st.sampled_from((0, 1, 2, 4)),
        "beta": st.sampled_from((2.0, 1.0, 3.0, 0.5)),
        "lower": st.booleans(),
        "whitespace": st.booleans(),
        "eps": st.booleans(),
    }
)


def metric_of(options: dict[str, Any]) -> Chrf:
    """The metric a recorded case describes, in the words of the project that recorded it."""
    if "max_len" in options:  # NLTK: the F-score of each order, averaged
        return Chrf(char=options["max_len"], beta=options["beta"], eps=True)
    return Chrf(
        char=options["char_order"],
        word=options["word_order"],
        beta=options["beta"],
        lower=options.get("lowercase", False),
        whitespace=options.get("whitespace", False),
        eps=options.get("eps_smoothing", False),
    )


@pytest.mark.parametrize("case", cases("chrF", "chrF+", "chrF++"))
def test_recorded(case: Case) -> None:
    metric, scale = metric_of(case.options), case.options.get("scale", 100) / 100
    rows = metric.corpus_rows(case.hypotheses, case.references)
    lowest = case.options.get("min_len", 1)
    if lowest > 1:  # NLTK can leave out the short orders; here that means leaving out their columns
        rows, metric = (
            rows[:, 3 * (lowest - 1) :],
            Chrf(char=metric.char - lowest + 1, beta=metric.beta, eps=True),
        )
    corpus, by_segment = float(metric.score(rows.sum(axis=0))) * scale, metric.score(rows) * scale
    if isinstance(case.expected, dict):
        case.check({"corpus_F": corpus, "macro_avg_sentence_F": float(by_segment.mean())})
    elif isinstance(case.expected, list):
        case.check(by_segment.tolist())
    elif str(case.options.get("aggregate", "")).startswith("macro"):
        case.check(float(by_segment.mean()))
    else:
        case.check(corpus)


def theirs(metric: Chrf) -> Any:
    return sacrebleu.CHRF(
        char_order=metric.char,
        word_order=metric.word,
        beta=metric.beta,
        lowercase=metric.lower,
        whitespace=metric.whitespace,
        eps_smoothing=metric.eps,
    )


def streams(references: list[list[str]]) -> list[list[str | None]]:
    """References in sacreBLEU's layout: one list per reference number, None where a segment has fewer."""
    most = max(len(texts) for texts in references)
    return [[texts[k] if k < len(texts) else None for texts in references] for k in range(most)]


def unlike_sacrebleu(metric: Chrf, hypotheses: list[str], references: list[list[str]]) -> list[Any]:
    """Segments whose statistics or score are others than sacreBLEU's, and the corpus score where it is."""
    other = theirs(metric)
    statistics = np.array(other._extract_corpus_statistics(hypotheses, streams(references)))
    rows = metric.corpus_rows(hypotheses, references)
    wanted = [other.sentence_score(text, refs).score for text, refs in zip(hypotheses, references, strict=True)]
    same = (rows == statistics).all(axis=1) & np.isclose(metric.score(rows), wanted, rtol=0, atol=1e-9)
    found: list[Any] = [(hypotheses[place], references[place], rows[place]) for place in np.flatnonzero(~same)]
    corpus = float(metric.score(rows.sum(axis=0)))
    expected = other.corpus_score(hypotheses, streams(references)).score
    return found if corpus == pytest.approx(expected, abs=1e-9) else [*found, (corpus, expected)]


@settings(deadline=None, max_examples=150)
@given(segments(), OPTIONS)
def test_awkward_text_equals_sacrebleu(texts: list[tuple[str, list[str]]], options: dict[str, Any]) -> None:
    hypotheses, references = [text for text, _ in texts], [refs for _, refs in texts]
    assert unlike_sacrebleu(Chrf(**options), hypotheses, references) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_segments_equal_sacrebleu(seed: int) -> None:
    hypotheses, references = seeded(1000, seed)
    metric = Chrf(
        word=seed % 3,
        lower=seed % 2 == 1,
        whitespace=seed % 5 == 0,
        eps=seed % 4 == 0,
        beta=(2, 3, 0.5)[seed % 3],
    )
    assert unlike_sacrebleu(metric, hypotheses, references) == []


def agree(hypotheses: list[str], references: list[list[str]], metric: Chrf, jobs: int = 1) -> bool:
    """Whether compiled and plain kernels give the same rows."""
    native = pytest.importorskip("nlgauge._native", reason="the compiled kernels are not built")
    arguments = (
        hypotheses,
        references,
        metric.char,
        metric.word,
        metric.beta,
        metric.lower,
        metric.whitespace,
        metric.eps,
    )
    return np.array_equal(native.chrf_rows(*arguments, jobs), twin.chrf_rows(*arguments, 1))


@settings(deadline=None, max_examples=150)
@given(segments(), OPTIONS)
def test_native_equals_python(texts: list[tuple[str, list[str]]], options: dict[str, Any]) -> None:
    assert agree([text for text, _ in texts], [refs for _, refs in texts], Chrf(**options))


@pytest.mark.parametrize("jobs", [1, 3])
def test_native_equals_python_on_many_segments(jobs: int) -> None:
    hypotheses, references = seeded(400, 99)
    assert agree(hypotheses, references, Chrf(word=2), jobs)


@pytest.mark.parametrize("distinct", [2, 90, 3000])
def test_native_equals_python_on_a_very_long_text(distinct: int) -> None:
    """Long texts leave the small direct tables; a rich alphabet does so at the first orders already."""
    draw = np.random.default_rng(distinct)
    codes = draw.integers(0x4E00, 0x4E00 + distinct, size=(3, 12_000))
    texts = ["".join(chr(code) if code % 7 else " " for code in row) for row in codes.tolist()]
    assert agree(texts[:1], [[texts[0][3000:9000] + texts[1], texts[2]]], Chrf(word=2))


def test_the_python_backend_gives_the_same_score() -> None:
    hypotheses, references = seeded(50, 5)
    with kernels.use("python"):
        plain = Chrf(word=2).corpus(hypotheses, references)
    assert plain == Chrf(word=2).corpus(hypotheses, references)
