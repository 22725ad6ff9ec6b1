"""YiSi-0, -1, -2 and their maximum matching against the author's recorded numbers; compiled against plain; by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from recorded import FIXTURES, Case, cases
from texts import seeded, segments

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse
from nlgauge.metrics.yisi0 import Rarity, Yisi0, maximum_matching
from nlgauge.metrics.yisi1 import Yisi1
from nlgauge.metrics.yisi2 import Yisi2


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("case", cases("YiSi-0"))
def test_recorded_yisi0(case: Case, backend: str) -> None:
    metric = Yisi0(order=case.options["ngram_size"], alpha=case.options["alpha"])
    texts = case.hypotheses, case.references
    with kernels.use(backend):
        case.check({"segments": list(metric.segments(*texts)), "document": metric.corpus(*texts)})
        # printed with six digits: ours agree to the last of them
        assert metric.segments(*texts) == pytest.approx(case.expected["segments"], abs=5.1e-7)


def to_the_printed_digit(got: list[float], printed: list[float]) -> bool:
    """The author's program prints six digits of each number."""
    return [f"{value:.6g}" for value in got] == [f"{value:.6g}" for value in printed]


@pytest.mark.parametrize("case", cases("YiSi-1"))
def test_recorded_yisi1(case: Case) -> None:
    model = FIXTURES / "corpora" / "yisi" / "mini.d300.en"
    metric = Yisi1(model=str(model), order=case.options["ngram_size"], alpha=case.options["alpha"])
    texts = case.hypotheses, case.references
    scores = list(metric.segments(*texts))
    case.check({"segments": scores, "document": metric.corpus(*texts)})
    assert to_the_printed_digit(
        [*scores, metric.corpus(*texts)], [*case.expected["segments"], case.expected["document"]]
    )


@pytest.mark.parametrize("case", cases("YiSi-2"))
def test_recorded_yisi2(case: Case) -> None:
    output, source = (FIXTURES / "corpora" / "yisi" / f"mini.d300.{language}" for language in ("en", "de"))
    metric = Yisi2(model=str(output), source_model=str(source), order=case.options["ngram_size"])
    assert metric.alpha == case.options["alpha"]
    given = {"sources": case.options["sources"]}
    scores = list(metric.segments(case.hypotheses, **given))
    document = metric.corpus(case.hypotheses, **given)
    case.check({"segments": scores, "document": document})
    assert to_the_printed_digit([*scores, document], [*case.expected["segments"], case.expected["document"]])


@pytest.mark.parametrize("case", cases("YiSi-maxmatching"))
def test_recorded_matching(case: Case) -> None:
    pairs, total = maximum_matching(case.options["weights"])
    case.check({"total_weight": total})
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)


def test_a_ragged_table_has_no_matching() -> None:
    with pytest.raises(InputError, match="finite weights"):
        maximum_matching([[0.1, math.nan]])


@pytest.mark.parametrize("backend", ["native", "python"])
def test_by_hand(backend: str) -> None:
    with kernels.use(backend):
        plain = Yisi0(order=1, idf=False)
        # cats/cat: 2 · 3 / 7; sat/sit share one letter: 2 · 1 / 6
        assert plain.corpus(["cats"], [["cat"]]) == pytest.approx(6 / 7)
        assert plain.corpus(["sat"], [["sit"]]) == pytest.approx(1 / 3)
        assert plain.corpus(["the cat", "x"], [["the cat"], ["y"]]) == 0.5
        # precision 1 (both words found), recall 1/2: P R / (.8 P + .2 R) = .5 / .9
        assert plain.corpus(["a a"], [["a b"]]) == pytest.approx(0.5 / 0.9)
        # each with its own best reference: precision from the first, recall from the second
        assert plain.corpus(["a b"], [["a b c", "a"]]) == 1
        assert plain.corpus([""], [["a"]]) == plain.corpus(["a"], [[""]]) == plain.corpus([""], [[""]]) == 0
        # one byte of é's two is shared with è
        assert plain.corpus(["é"], [["è"]]) == 0.5
        assert Yisi0(order=1, unit="char").corpus(["é"], [["è"]]) == 0


def test_weights_by_hand() -> None:
    rarity = Rarity({"the": 3, "cat": 1}, references=3)
    assert rarity.weight("the") == math.log2(1 + 4 / 4)
    assert rarity.weight("The") == rarity.weight("the")
    assert rarity.weight("dog") == math.log2(1 + 4)


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")
@settings(max_examples=100, deadline=None)
@given(segments())
def test_native_equals_the_twin(texts: list[tuple[str, list[str]]]) -> None:
    lists = [text for text, _ in texts], [refs for _, refs in texts]
    for spec in ("yisi0", "yisi0(unit=char,idf=no)@2"):
        native = parse(spec).corpus_rows(*lists)
        with kernels.use("python"):
            assert np.array_equal(parse(spec).corpus_rows(*lists), native)


def test_bounds_and_identity_on_seeded_text() -> None:
    hypotheses, references = seeded(300, 4)
    scores = Yisi0().segments(hypotheses, references)
    assert (scores >= 0).all() and (scores <= 1 + 1e-12).all()
    copies = [refs[0] for refs in references]
    same = Yisi0().segments(copies, references)
    assert all(score == pytest.approx(1) or not copy.split() for score, copy in zip(same, copies, strict=True))
