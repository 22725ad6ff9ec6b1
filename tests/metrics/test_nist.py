"""NIST: its definition on small texts, the corpus-wide pass, and what it refuses."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.nist import Nist
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]
HYPOTHESES = ["a b c d", "a a x"]
REFERENCES = [["a b d c", "b c"], ["a a a y"]]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def test_information_by_hand() -> None:
    # References: a b d c | b c | a a a y, ten words.
    # Counts: a 4, b 2, c 2, d 1, y 1; ab 1, bd 1, dc 1, bc 1, aa 2, ay 1.
    rows = Nist(order=2, tok="none").corpus_rows(HYPOTHESES, REFERENCES)
    a, b, c, d = math.log2(10 / 4), math.log2(10 / 2), math.log2(10 / 2), math.log2(10 / 1)
    ab, bc, aa = math.log2(4 / 1), math.log2(2 / 1), math.log2(4 / 2)
    expected = [[4, 3, a + b + c + d, ab + bc, 4, 3], [3, 4, 2 * a, aa, 3, 2]]
    np.testing.assert_allclose(rows, expected, rtol=0, atol=1e-12)


def test_references_of_equal_information_tie_though_their_sums_are_rounded() -> None:
    """b, d and c of the one, b, d and a of the other: log2 of the same product, 6.058893689053568 and …567 as sums."""
    rows = Nist(order=1, tok="none", multi="best").corpus_rows(["b e a d c"], [["b d c b", "d d a b b b"]])
    assert rows[0, 1] == 6  # the longer of equals
    explained = Nist(order=1, tok="none", multi="best")
    segment = Batch(["b e a d c"], [["b d c b", "d d a b b b"]])
    assert explained.prepare([segment]).explained(segment).row[1] == ("reference_length", 6.0)


def test_a_tie_that_nltk_breaks_by_rounding() -> None:
    """In order 2 `a d c` and `c a b d` carry the same information; NLTK's sum of the shorter is larger by 4e-16."""
    hypotheses, references = ["", "", "a b d c a d"], [["a"], ["a last"], ["c a d", "a d c", "c a b d"]]
    found = Nist(tok="none", multi="best")
    assert float(found.score(found.corpus_rows(hypotheses, references).sum(axis=0))) == pytest.approx(2.2307, abs=5e-5)


def test_best_takes_the_best_reference_of_each_order_and_its_length() -> None:
    # The first reference has every word of the hypothesis, and of the bigrams ab (log2(4)); the second has bc
    # (log2(2)). Both orders pick the first, of four words.
    rows = Nist(order=2, tok="none", multi="best").corpus_rows(HYPOTHESES, REFERENCES)
    information = sum(math.log2(10 / count) for count in (4, 2, 2, 1))
    np.testing.assert_allclose(rows[0], [4, 4, information, 2, 4, 3], rtol=0, atol=1e-12)


def test_penalty_is_one_half_at_two_thirds_of_the_length() -> None:
    nist = Nist(order=1)
    full, short = np.array([3.0, 3, 6, 3]), np.array([2.0, 3, 4, 2])
    assert float(nist.score(full)) == pytest.approx(2.0)
    assert float(nist.score(short)) == pytest.approx(1.0)
    assert float(nist.score(np.array([6.0, 3, 12, 6]))) == pytest.approx(2.0)


def test_information_comes_from_the_whole_corpus() -> None:
    """The same segment is worth more where its words are rare, however the corpus is cut into batches."""
    filler = ["x y z"] * 30
    alone = Nist(tok="none").segments(["a b"], [["a b"]])
    among = Nist(tok="none").segments(["a b", *filler], [["a b"], *([text] for text in filler)])
    assert among[0] > alone[0]
    batches = [Batch(["a b"], [["a b"]]), *(Batch([text], [[text]]) for text in filler)]
    fitted = Nist(tok="none").prepare(batches)
    assert np.array_equal(fitted.rows(batches[0]), Nist(tok="none").prepare(reversed(batches)).rows(batches[0]))
    assert float(fitted.score(fitted.rows(batches[0]))[0]) == among[0]


def test_a_fitted_metric_is_the_same_metric() -> None:
    fitted = Nist().prepare([Batch(HYPOTHESES, REFERENCES)])
    assert fitted == Nist()
    assert str(fitted) == "nist"
    assert "counts" not in fitted.full()


def test_a_fitted_metric_can_be_sent_to_another_process() -> None:
    batch = Batch(HYPOTHESES, REFERENCES)
    fitted = Nist().prepare([batch])
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).rows(batch), fitted.rows(batch))


def test_ngrams_no_reference_of_the_corpus_has_inform_nothing() -> None:
    fitted = Nist(tok="none").prepare([Batch(["q"], [["q"]])])
    rows = fitted.rows(Batch(["a b"], [["a b"]]))
    assert rows[0, 2:7].tolist() == [0.0] * 5


def test_empty_and_short_texts() -> None:
    nist = Nist()
    assert nist.corpus(["", ""], [["a b"], [""]]) == 0
    assert nist.segments(["a"], [["a"]]).tolist() == [0.0]  # the only word of the corpus informs nothing
    assert math.isfinite(nist.corpus(["a b", ""], [["a c"], [""]]))
    assert nist.corpus(["x b"], [[""]]) == 0


def test_rows_need_the_corpus_first() -> None:
    with pytest.raises(InputError, match="prepare"):
        Nist().rows(Batch(HYPOTHESES, REFERENCES))


def test_lower_case_and_order() -> None:
    assert Nist(lower=True).corpus(["A B"], [["a b"]]) == Nist().corpus(["a b"], [["a b"]]) > 0
    assert Nist().corpus(["A B"], [["a b"]]) == 0
    assert parse("nist@3") == Nist(order=3)
    assert len(parse("nist@3").columns) == 8
    for field in ({"order": 0}, {"multi": "worst"}, {"tok": "no-such"}):
        with pytest.raises(SpecError, match=next(iter(field))):
            Nist(**field)


def test_the_table_grows_past_its_first_size() -> None:
    texts = [f"u{number} v{number} t" for number in range(3000)]
    counts = kernels.active().ngram_counts(3)
    tokens = kernels.active().tokens_from_lists([["t"]] * 3000, [[text.split()] for text in texts])
    counts.add(tokens)
    # Without a compiler all n-grams are kept; the kernel leaves out what follows an n-gram that occurs once.
    kept = {"python": 3000 + 3000 + 1 + 3000 + 3000 + 3000, "native": 3000 + 3000 + 1}
    assert len(counts) == kept[kernels.backend()]  # type: ignore[arg-type]
    rows = kernels.active().nist_rows(tokens, counts, 1, "pooled", 1)
    assert rows[0, 2] == math.log2(9000 / 3000)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_counts_are_those_of_a_plain_count_however_often_ngrams_come_back(order: int) -> None:
    """Few words, much repetition, several batches: n-grams are met once, twice, often, in one text and across."""
    random = Random(order)
    batches = [
        [["".join(random.choices("abc", k=1)) for _ in range(random.randint(0, 9))] for _ in range(40)]
        for _ in range(3)
    ]
    rows = []
    for name in BACKENDS:
        with kernels.use(name):
            active = kernels.active()
            tokens = [active.tokens_from_lists(texts, [[text] for text in texts]) for texts in batches]
            counts = active.ngram_counts(order)
            for batch in tokens:
                counts.add(batch)
            counts = pickle.loads(pickle.dumps(counts))
            counts.add(tokens[0])
            rows.append(np.concatenate([active.nist_rows(batch, counts, order, "pooled", 1) for batch in tokens]))
    assert all(np.array_equal(rows[0], other) for other in rows)
