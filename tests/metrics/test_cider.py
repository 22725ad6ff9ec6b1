"""CIDEr and CIDEr-D by hand, properties, document frequencies from files, refusals."""

from __future__ import annotations

import doctest
import json
import math
import pickle
from pathlib import Path

import pytest

import nlgauge
from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics import cider as module
from nlgauge.metrics.cider import Cider, CiderD, save_frequencies
from nlgauge.metrics.spec import parse

HYPOTHESES = ["a man rides a horse", "two dogs play", "a red car"]
REFERENCES = [
    ["a man rides a brown horse", "someone on a horse"],
    ["two dogs play in the snow"],
    ["a red car is parked", "a car , red"],
]


pytestmark = pytest.mark.usefixtures("backend")


def test_by_hand() -> None:
    # unigrams only; of two documents one has each word, so all weigh log 2 but "a", which weighs nothing
    metric = Cider(order=1, tok="none")
    scores = metric.segments(["a cat cat", "a dog"], [["a cat dog"], ["a bird"]])
    assert scores[0] == pytest.approx(10 * 2 / (2 * math.sqrt(2)))
    assert scores[1] == 0
    # clipped: one cat of the two; three words against three, so no penalty
    assert CiderD(order=1, tok="none").segments(["a cat cat", "a dog"], [["a cat dog"], ["a bird"]])[
        0
    ] == pytest.approx(10 * 1 / (2 * math.sqrt(2)))


def test_penalty_on_other_lengths() -> None:
    references = [["x y"], ["z"]]
    plain, d = Cider(order=1, tok="none"), CiderD(order=1, tok="none", sigma=2.0)
    cosine = plain.segments(["x y w", "z"], references)[0]
    assert d.segments(["x y w", "z"], references)[0] == pytest.approx(cosine * math.exp(-1 / (2 * 2.0**2)))


def test_properties() -> None:
    for metric in (Cider(tok="none"), CiderD(tok="none")):
        same = ["a b c d e", "f g h i j"]
        assert metric.segments(same, [[text] for text in same]).tolist() == pytest.approx([10, 10])
        assert metric.corpus(["a b c d"], [["a b c d"]]) == 0  # one document: nothing is rare
        assert metric.corpus(["", "a"], [[""], ["b"]]) == 0
        scores = metric.segments(HYPOTHESES, REFERENCES)
        assert (scores >= 0).all() and (scores <= 10).all()
        assert metric.corpus(HYPOTHESES, REFERENCES) == pytest.approx(scores.mean())
        reordered = [list(reversed(texts)) for texts in REFERENCES]
        assert metric.segments(HYPOTHESES, reordered) == pytest.approx(scores)


def test_each_item_is_one_document_whatever_the_number_of_systems() -> None:
    worse = ["a dog", "three cats", "a car"]
    alone = nlgauge.score(nlgauge.EvaluationSet.of({"one": HYPOTHESES}, REFERENCES), ["ciderD"])
    both = nlgauge.score(nlgauge.EvaluationSet.of({"one": HYPOTHESES, "two": worse}, REFERENCES), ["ciderD"])
    assert both["one", "ciderD"].value == alone["one", "ciderD"].value
    assert both["two", "ciderD"].value < both["one", "ciderD"].value


def prepared(df: Path, **fields: object) -> list[float]:
    metric = CiderD(df=str(df), **fields).prepare([])  # type: ignore[arg-type]
    return metric.score(metric.rows(Batch(HYPOTHESES, REFERENCES))).tolist()


@pytest.mark.parametrize("name", ["df.jsonl", "df.jsonl.gz"])
def test_saved_frequencies(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save_frequencies(path, REFERENCES)
    expected = CiderD().segments(HYPOTHESES, REFERENCES)
    assert prepared(path) == pytest.approx(expected, abs=1e-12)
    # n-grams that the file does not have count as rare, and shorter ones than it counts may be asked for
    save_frequencies(path, [*REFERENCES, ["the sky"]] * 2)
    assert prepared(path) != pytest.approx(expected)
    assert len(prepared(path, order=2)) == 3


def test_frequencies_of_rows_with_references(tmp_path: Path) -> None:
    path = tmp_path / "references.jsonl"
    rows = [{"item": number, "system": s, "references": r} for s in "ab" for number, r in enumerate(REFERENCES)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert prepared(path) == pytest.approx(CiderD().segments(HYPOTHESES, REFERENCES), abs=1e-12)


HEADER = {"documents": 2, "order": 4, "tok": "ptb", "lower": False, "stem": "none"}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "is empty"),
        (["{"], "line 1: not JSON"),
        ([[1]], "line 1: not an object"),
        ([{"text": "a"}], "line 1: references must be a list"),
        ([{"references": ["a"]}, {"references": []}], "line 2: references must be a list"),
        ([HEADER | {"documents": 0}], "line 1: documents and order"),
        ([HEADER | {"order": 2}], "up to order 2"),
        ([HEADER | {"tok": "13a"}], "counted with tok='13a'"),
        ([HEADER, {"ngram": "a", "count": 1}], "line 2: ngram must be a list"),
        ([HEADER, {"ngram": ["a"], "count": 3}], "line 2: count must be a whole number from 1 to"),
    ],
)
def test_bad_files_are_refused_with_the_line(tmp_path: Path, lines: list[object], sentence: str) -> None:
    path = tmp_path / "df.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    with pytest.raises(InputError, match=sentence):
        prepared(path)


def test_missing_files_and_other_mistakes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        prepared(tmp_path / "none.jsonl")
    with pytest.raises(SpecError, match="df"):
        parse("ciderD(df=corpsu)")
    with pytest.raises(InputError, match="prepare"):
        CiderD().rows(Batch(HYPOTHESES, REFERENCES))
    with pytest.raises(ValueError, match="lower order"):
        kernels.active().cider_rows(
            Batch(["a"], [["a"]]).tokens("none"), kernels.active().document_frequencies(2), 4, 6.0, True, 1
        )


def test_the_table_travels_between_processes() -> None:
    metric = CiderD().prepare([Batch(HYPOTHESES, REFERENCES)])
    copy = pickle.loads(pickle.dumps(metric))
    batch = Batch(HYPOTHESES, REFERENCES)
    assert copy.rows(batch).tolist() == metric.rows(batch).tolist()


def test_doctests() -> None:
    assert doctest.testmod(module).failed == 0
