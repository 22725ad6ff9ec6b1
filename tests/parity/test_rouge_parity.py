"""ROUGE against recorded numbers and, live, against rouge_score; compiled kernels against their twins."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from recorded import Case, cases
from texts import seeded, segments
from twins import rows_of_both

from nlgauge.metrics.base import Metric
from nlgauge.metrics.rouge import Rouge, RougeL, RougeLsum

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="the live comparison runs rouge_score")

METRICS: dict[str, Any] = {
    "rouge1": lambda **options: Rouge(order=1, **options),
    "rouge2": lambda **options: Rouge(order=2, **options),
    "rouge3": lambda **options: Rouge(order=3, **options),
    "rougeL": RougeL,
    "rougeLsum": RougeLsum,
}
NAMES = ("precision", "recall", "fmeasure")

# ROUGE-1.5.5 replaces irregular forms by WordNet's exception lists instead of stemming them; these are those
# in the texts of the cases recorded from py-rouge (only words of more than three letters are looked up).
IRREGULAR = {
    "were": "be",
    "brought": "bring",
    "given": "give",
    "left": "leave",
    "lost": "lose",
    "said": "say",
    "sent": "send",
    "sought": "seek",
}


def options_of(case: Case) -> dict[str, Any]:
    """The fields a recorded case asks for, in the words of the project that recorded it."""
    given_options, fields = case.options, {}
    if given_options.get("stemmer"):
        fields["stem"] = "porter" if given_options["stemmer"] is True else "porter-original"
    if given_options.get("flavour") == "coco-caption":
        whitespace = given_options["tokenize"] == "whitespace"
        fields |= {"multi": "coco", "beta": given_options["beta"], "tok": "none" if whitespace else "rouge"}
    elif str(given_options.get("multi_ref", "")).startswith("average") or given_options.get("aggregator") == "Avg":
        fields["multi"] = "pooled"
    return fields | {"limit": given_options.get("word_limit", 0)}


def scores(rows: NDArray[np.float64]) -> dict[str, float]:
    """Mean precision, recall and F."""
    return dict(zip(NAMES, rows[:, :3].mean(axis=0).tolist(), strict=True))


def interval(metric: Metric, rows: NDArray[np.float64]) -> list[float]:
    """Lower end, middle and upper end of a bootstrap of the segments."""
    draw = np.random.default_rng(1)
    weights = np.array(
        [np.bincount(draw.integers(len(rows), size=len(rows)), minlength=len(rows)) for _ in range(1000)]
    )
    return [float(value) for value in np.percentile(metric.score(weights @ rows), (2.5, 50, 97.5))]


def check(case: Case, kind: str, expected: Any) -> None:
    """Compare one kind of ROUGE with what the case expects of it."""
    options, (hypotheses, references) = options_of(case), (case.hypotheses, case.references)
    if options.get("stem") == "porter-original":
        hypotheses = [regular(text) for text in hypotheses]
        references = [[regular(text) for text in texts] for texts in references]
    metric = METRICS[kind](**options)
    rows = metric.corpus_rows(hypotheses, references)
    if kind == "rougeLsum" and "aggregator" in case.options:
        # py-rouge takes ROUGE-W's root of precision and recall for ROUGE-L too whenever w is given
        rows[:, :2] **= 1 / case.options["w"]
        rows[:, 2] = 2 * rows[:, 0] * rows[:, 1] / (rows[:, 0] + rows[:, 1])
    if "bootstrap_ci" in case.options:
        ends = {
            name: METRICS[kind](**options, output=output) for name, output in zip(NAMES, ("p", "r", "f1"), strict=True)
        }
        case.check({name: interval(one, rows) for name, one in ends.items()}, expected)
    elif isinstance(expected, dict):
        scale = case.options.get("scale", 1)
        got: dict[str, Any] = {name: scale * value for name, value in scores(rows).items()}
        case.check(got | {"f_of_the_two_documents_sorted": sorted(rows[:, 2].tolist())}, expected)
    else:
        case.check(scores(rows)["fmeasure"], expected)


def regular(text: str) -> str:
    return re.sub(r"\w+", lambda word: IRREGULAR.get(word.group().lower(), word.group()), text)


@pytest.mark.parametrize("case", cases("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-L", "ROUGE-Lsum", "ROUGE-1/2/L"))
def test_recorded(case: Case) -> None:
    if case.metric == "ROUGE-1/2/L":
        for kind, expected in case.expected.items():
            check(case, kind, expected)
    else:
        check(case, "rouge" + case.metric.removeprefix("ROUGE-"), case.expected)


def differing(hypotheses: list[str], references: list[list[str]], *, stem: bool) -> list[str]:
    """The kinds whose precision, recall and F are not those of score_multi."""
    scorer = rouge_scorer.RougeScorer(list(METRICS), use_stemmer=stem)
    wanted = [scorer.score_multi(texts, text) for text, texts in zip(hypotheses, references, strict=True)]
    found = []
    for kind, make in METRICS.items():
        rows = make(stem="porter" if stem else "none").corpus_rows(hypotheses, references)
        theirs = np.array([score[kind] for score in wanted], dtype=float).reshape(-1, 3)
        if not (np.allclose(rows[:, :3], theirs, rtol=0, atol=1e-9) and (rows[:, 3] == 1).all()):
            found.append(kind)
    return found


@settings(deadline=None, max_examples=150)
@given(segments(), st.booleans())
def test_awkward_text_equals_rouge_score(texts: list[tuple[str, list[str]]], stem: bool) -> None:
    assert differing([text for text, _ in texts], [refs for _, refs in texts], stem=stem) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_segments_equal_rouge_score(seed: int) -> None:
    assert differing(*seeded(1000, seed, lines=True), stem=seed % 2 == 1) == []


def small_vocabulary(n: int, seed: int, letters: str, longest: int) -> tuple[list[str], list[list[str]]]:
    """Texts of few different words, so that there are many common subsequences of equal length."""
    draw = random.Random(seed)

    def text() -> str:
        return "".join(
            draw.choice(letters) + ("\n" if draw.random() < 0.2 else " ") for _ in range(draw.randint(0, longest))
        )

    return [text() for _ in range(n)], [[text() for _ in range(draw.randint(1, 3))] for _ in range(n)]


@pytest.mark.parametrize(("letters", "longest"), [("ab", 12), ("abc", 20), ("abcde", 9)])
def test_ties_between_subsequences_equal_rouge_score(letters: str, longest: int) -> None:
    assert differing(*small_vocabulary(120, longest, letters, longest), stem=False) == []


def test_texts_of_several_machine_words_equal_rouge_score() -> None:
    """Beyond 64 tokens a row of the table no longer fits one machine word."""
    draw = random.Random(3)
    for size in (63, 64, 65, 128, 129, 200):
        words = [draw.choice("abcdefgh") for _ in range(size)]
        other = [draw.choice("abcdefgh") for _ in range(draw.randint(60, 200))]
        assert differing([" ".join(words)], [[" ".join(other), " ".join(words[5:])]], stem=False) == []


@pytest.mark.usefixtures("native")
@settings(deadline=None, max_examples=150)
@given(
    segments(),
    st.sampled_from(sorted(METRICS)),
    st.fixed_dictionaries(
        {
            "multi": st.sampled_from(("best", "average", "pooled", "coco")),
            "beta": st.sampled_from((1.0, 1.2, 0.5, 0.0)),
            "tok": st.sampled_from(("rouge", "words", "none")),
            "limit": st.sampled_from((0, 0, 1, 3)),
        }
    ),
)
def test_native_equals_python(texts: list[tuple[str, list[str]]], kind: str, options: dict[str, Any]) -> None:
    np.testing.assert_array_equal(
        *rows_of_both(METRICS[kind](**options), [text for text, _ in texts], [refs for _, refs in texts])
    )


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("kind", METRICS)
def test_native_equals_python_on_many_and_on_long_texts(kind: str) -> None:
    metric = METRICS[kind](multi="average")
    np.testing.assert_array_equal(*rows_of_both(metric, *seeded(300, 4, lines=True), jobs=3))
    np.testing.assert_array_equal(*rows_of_both(metric, *small_vocabulary(60, 8, "abcd", 30)))
    words = [f"w{number * 7919 % 900}" for number in range(1100)]  # too many for the small direct tables
    np.testing.assert_array_equal(
        *rows_of_both(metric, [" ".join(words)], [[" ".join(words[300:] + words[:200]), " ".join(words[::-1])]])
    )
