"""SARI: the three operations by hand in each of its forms."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nlgauge import kernels
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]
# Source a b c, output a b x, references a x and a c: with two references counts of source and output double.
SOURCE, OUTPUT, REFERENCES = "a b c", "a b x", ["a x", "a c"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def of(spec: str, output: str = OUTPUT, references: list[str] | None = None, source: str = SOURCE) -> float:
    return parse(spec).corpus([output], [references or REFERENCES], sources=[source])


def test_evaluate_by_hand() -> None:
    # Added: x, and the references add x: precision and recall 1.
    assert of("sari@1.add") == 100
    # Kept: a (2 of 2 in the references) and b (0 of 2): precision 1/2. To be kept: a twice, c once; kept a twice: 2/3.
    assert of("sari@1.keep") == pytest.approx(100 * 2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))
    # Deleted: c, twice, of which one reference keeps one: precision 1/2.
    assert of("sari@1.delete") == 50
    parts = [of(f"sari@1.{part}") for part in ("add", "keep", "delete")]
    assert of("sari@1") == pytest.approx(sum(parts) / 3)


def test_original_by_hand() -> None:
    # To be kept are a and c, each with the same weight: recall 1/2.
    assert of("sari(form=original)@1.keep") == 50
    assert of("sari(form=original)@1.delete") == 50


def test_easse_by_hand() -> None:
    # Kept: a 2, b 2; to be kept: a 2, c 1; right: a 2.
    assert of("sari(form=easse)@1.keep") == pytest.approx(100 * 2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))
    # Deleted: c 2; to be deleted: b 2, c 1; right: c 1.
    assert of("sari(form=easse)@1.delete") == pytest.approx(100 * 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_easse_averages_f_or_precision_and_recall_over_the_orders() -> None:
    # Adding: x (1 of 1, 1 of 1); pairs: b x is added, of the references' a x and a c neither: 0 of 1, 0 of 2.
    assert of("sari(form=easse)@2.add") == 50
    assert of("sari(form=easse-paper)@2.add") == pytest.approx(100 * 0.5)


def test_what_is_undefined_counts_one_or_nothing() -> None:
    # Nothing is added, to be added, deleted or to be deleted.
    same = {"output": "a b", "references": ["a b"], "source": "a b"}
    assert of("sari", **same) == pytest.approx(100)  # type: ignore[arg-type]
    for form in ("original", "easse", "easse-paper"):
        assert of(f"sari(form={form})@2.keep", **same) == pytest.approx(100)  # type: ignore[arg-type]
        assert of(f"sari(form={form})@2", **same) == pytest.approx(100 / 3)  # type: ignore[arg-type]


def test_an_empty_output_is_one_empty_word_for_evaluate() -> None:
    # Unigrams: the empty word is added, and nobody else adds it.
    assert of("sari@1.add", output="", references=["a"], source="a b") == 0
    assert of("sari(form=easse)@1.delete", output="", references=["a"], source="a b") == pytest.approx(200 / 3)


def test_sets_are_averaged_or_summed() -> None:
    outputs, references, sources = ["a b", "c"], [["a"], ["c d e"]], ["a b", "c"]
    metric = parse("sari")
    segments = metric.segments(outputs, references, sources=sources)
    assert metric.corpus(outputs, references, sources=sources) == pytest.approx(segments.mean())
    counts = parse("sari(form=easse)").corpus_rows(outputs, references, sources=sources)
    assert counts.shape == (2, 36)
    assert len(parse("sari(form=easse)").columns) == 36
