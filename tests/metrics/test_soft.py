"""YiSi-1, YiSi-2, BERTr and softmatch by hand, on word vectors of two numbers and a network of arithmetic."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import receipt
from nlgauge.errors import InputError, MissingResource, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.yisi import covered
from nlgauge.metrics import soft, softmatch
from nlgauge.metrics.bertr import Bertr
from nlgauge.metrics.softmatch import SoftMatch
from nlgauge.metrics.spec import parse
from nlgauge.metrics.yisi0 import covering
from nlgauge.metrics.yisi1 import Yisi1
from nlgauge.metrics.yisi2 import Yisi2
from nlgauge.models.interface import ModelInfo, Parse, Word

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import arithmetic

HALF = 1 / math.sqrt(2)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """cat and dog are at right angles, pet between them, away opposite to cat."""
    path = tmp_path / "en.vec"
    path.write_text("cat 2 0\ndog 0 1\npet 1 1\naway -1 0\n")
    return str(path)


@pytest.fixture
def german(tmp_path: Path) -> str:
    path = tmp_path / "de.vec"
    path.write_text("Katze 1 0\nHund 0 3\ncat 0 1\n")
    return str(path)


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every encoder is the network of arithmetic, whose units are letters."""
    encoder = arithmetic(digest="0123456789abcdef")
    monkeypatch.setattr("nlgauge.models.contextual", lambda *_, **__: encoder)


def test_coverings_add_up_and_equal_the_plain_kernel() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        rows, columns, order = rng.integers(1, 7, size=3)
        table, weights = rng.random((rows, columns)), rng.random(rows) + 0.1
        found = covering(table, weights, int(order))
        assert found.score == pytest.approx(covered(table.tolist(), weights.tolist(), int(columns), int(order)))
        assert found.gains.sum() == pytest.approx(found.score)
        assert found.losses.sum() == pytest.approx(1 - found.score)
        assert (found.losses > -1e-12).all()
    nothing = covering(np.zeros((2, 0)), np.array([1.0, 3.0]), 2)
    assert nothing.score == 0 and nothing.losses.tolist() == [0.25, 0.75] and nothing.partners.tolist() == [-1, -1]


def test_yisi1_by_hand(vectors: str) -> None:
    plain = Yisi1(model=vectors, order=1, idf=False)
    # each word of either text reaches the other to HALF; below 0 counts as 0; unknown words reach themselves only
    assert plain.corpus(["cat"], [["pet"]]) == pytest.approx(HALF)
    assert plain.corpus(["cat"], [["away"]]) == 0
    assert plain.corpus(["Xyz"], [["xyZ"]]) == 1 and plain.corpus(["xyz"], [["abc"]]) == 0
    assert plain.corpus(["CAT"], [["pet"]]) == pytest.approx(HALF)  # known in lower case
    # precision 1, recall (1 + HALF) / 2
    recall = (1 + HALF) / 2
    assert plain.corpus(["cat"], [["cat pet"]]) == pytest.approx(recall / (0.8 + 0.2 * recall))
    assert plain.corpus(["cat"], [["cat pet", "cat"]]) == 1
    assert plain.corpus([""], [["cat"]]) == plain.corpus(["cat"], [[""]]) == 0
    # bigrams: cat dog against dog cat have nothing in common
    assert Yisi1(model=vectors, order=2, idf=False).corpus(["cat dog"], [["dog cat"]]) == 0


def test_yisi1_weighs_by_the_references(vectors: str) -> None:
    metric = Yisi1(model=vectors, order=1)
    with pytest.raises(InputError, match="call prepare"):
        metric.rows(Batch(["cat"], [["cat"]]))
    fitted = metric.prepare([Batch(["", ""], [["cat dog", "cat"], ["cat"]])])
    assert fitted.weights(("cat", "dog", "new")) == pytest.approx(
        [math.log2(1 + 4 / 4), math.log2(1 + 4 / 2), math.log2(1 + 4 / 1)]
    )


def test_yisi2_by_hand(vectors: str, german: str) -> None:
    plain = Yisi2(model=vectors, source_model=german, order=1, idf=False)

    def score(output: str, source: str) -> float:
        return plain.corpus([output], sources=[source])

    assert score("cat", "Katze") == 1 and score("pet", "Hund") == pytest.approx(HALF)
    assert score("cat", "cat") == 0  # both lists know the word, and say that it differs
    assert score("Obama", "obama") == 1  # neither knows it
    with pytest.raises(InputError, match="no source"):
        plain.corpus(["cat"])
    for wrong in ({"model": vectors}, {"source_model": german}):
        with pytest.raises(InputError, match="both languages"):
            Yisi2(**wrong)
    assert Yisi2().models == (("contextual", "bert-base-multilingual-cased"),)


def test_yisi2_learns_from_all_outputs_of_a_set(vectors: str, german: str, tmp_path: Path) -> None:
    rows = [
        {"item": item, "system": system, "hypothesis": text, "source": source}
        for system, texts in (("a", ("cat", "dog")), ("b", ("cat", "cat pet")))
        for item, text, source in zip(("1", "2"), texts, ("Katze", "Hund Katze"), strict=True)
    ]
    spec = f"yisi2(model={vectors},source_model={german})@1"
    scores = nlgauge.score(rows, [spec])
    fitted = parse(spec).prepare(
        [
            Batch(
                ["cat", "dog", "cat", "cat pet"],
                [()] * 4,
                sources=["Katze", "Hund Katze"] * 2,
                items=list("1212"),
            )
        ]
    )
    # four outputs, three of them with cat; two sources, both with Katze
    assert isinstance(fitted, Yisi2)
    outputs, sources = fitted.outputs, fitted.rarity
    assert outputs is not None and sources is not None
    assert (outputs.references, outputs.holders["cat"], sources.references, sources.holders["Katze"]) == (
        4,
        3,
        2,
        2,
    )
    expected = fitted.score(
        fitted.rows(Batch(["cat", "cat pet"], [(), ()], sources=["Katze", "Hund Katze"])).sum(axis=0)
    )
    assert scores["b", spec].value == pytest.approx(float(expected))


def test_bertr_is_recall(vectors: str) -> None:
    metric = Bertr(model=vectors)
    assert metric.corpus(["cat"], [["cat pet"]]) == pytest.approx((1 + HALF) / 2)
    assert metric.corpus(["cat pet"], [["cat"]]) == 1
    assert metric.corpus(["cat"], [["away"]]) == -1  # the cosine itself
    assert metric.corpus([""], [["cat"]]) == metric.corpus(["cat"], [[""]]) == 0
    assert metric.segments(["cat"], [["pet", "cat"]]).tolist() == [1]


@pytest.mark.usefixtures("letters")
def test_on_an_encoder() -> None:
    for metric in (
        Yisi1(layer="1"),
        Yisi1(layer="1+2", unit="subword", idf=False),
        Bertr(layer="2"),
        SoftMatch(layer="2"),
    ):
        assert metric.segments(["abc", ""], [["abc"], ["abc"]]) == pytest.approx([1, 0], abs=1e-6)
        assert 0 < metric.corpus(["abc"], [["xbz"]]) < 1
    facts = receipt.read(receipt.write(Yisi1(layer="1+2", idf=False), {"n": 1}))
    assert facts["model"] == "arithmetic@1:0123456789ab:layers1+2"
    # two layers joined: a cosine is the mean of theirs
    tables = [soft.Contextual(nlgauge.models.contextual("x"), layers, "word") for layers in ((1,), (2,), (1, 2))]
    first, second, both = (one.similar(*one.tokens(["ab", "cd"]).values()) for one in tables)
    assert both == pytest.approx((first + second) / 2, abs=1e-6)
    with pytest.raises(SpecError, match=r"several \(3\+4\+6\)"):
        Yisi1(layer="3-6")


@pytest.mark.usefixtures("letters")
def test_softmatch_is_the_product_of_both() -> None:
    metric = SoftMatch(layer="2", order=2, alpha=0.5)
    told = metric.explain("abc", ["xbz", "q"])
    figures = {figure.name: figure.value for figure in told.figures}
    assert told.score == pytest.approx(figures["covered"] * figures["moved"])
    yisi = Yisi1(layer="2", order=2, alpha=0.5, idf=False)
    assert figures["covered"] == pytest.approx(yisi.corpus(["abc"], [["xbz"]]), abs=1e-6)
    assert metric.explain("", ["a"]).score == 0
    with pytest.raises(InputError, match="call prepare"):
        metric.rows(Batch(["a"], [["a"]]))
    fitted = metric.prepare([Batch(["", ""], [["ab", "a"], ["ac"]])])
    assert fitted.weights(("a", "b", "z")) == pytest.approx([1, math.log2(3), math.log2(5)])
    assert SoftMatch(idf=False).weights(("a", "b")).tolist() == [1, 1]


@pytest.mark.usefixtures("letters")
def test_softmatch_matches_the_beginning_of_a_long_text_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = SoftMatch(layer="0", idf=False)
    whole = metric.corpus(["abcdef"], [["abc"]])
    monkeypatch.setattr(softmatch, "LONGEST", 3)
    assert metric.corpus(["abcdef"], [["abc"]]) != whole
    remark = "softmatch matches the first 3 words and units of a text: 1 text is longer"
    assert remark in metric.remarks() and remark not in metric.remarks()


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize(
    "spec",
    [
        "yisi1(layer=2,idf=no)",
        "yisi1(layer=1,idf=no,unit=subword)@1",
        "bertr(layer=2)",
        "softmatch(layer=2)",
        "bertscore(layer=2)",
    ],
)
def test_losses_add_up_to_what_is_missing(spec: str) -> None:
    told = parse(spec).explain("abcd", ["xbcz", "bad"])
    figures = {figure.name: figure.value for figure in told.figures} | {"score": told.score}
    shares = [part for part in told.parts if part.kind == "losses"]
    assert shares
    if spec.startswith("bertscore") or spec.startswith("yisi1"):
        # of several references grid and costs are of the best one, which here is also best by itself
        figures = {f.name: f.value for f in parse(spec).explain("abcd", [told.references[told.counted[0] - 1]]).figures}
    for part in shares:
        assert part.total == pytest.approx(1 - figures[part.missing.removeprefix("1 − ")], abs=1e-6)  # type: ignore[union-attr]
        assert all(share.gain + share.loss == pytest.approx(share.weight) for share in part.words)  # type: ignore[union-attr]
    assert told.to_dict()["parts"][1]["total"] == pytest.approx(shares[0].total)  # type: ignore[union-attr]


def test_words_and_units_as_readers_know_them() -> None:
    class Read:
        tokens = ("[CLS]", "rain", "##fall", ".", "[SEP]")
        words: Any = np.array([-1, 0, 0, 1, -1])
        spans: Any = np.array([(0, 0), (0, 4), (4, 8), (8, 9), (0, 0)])
        special: Any = np.array([True, False, False, False, True])

    read: Any = Read()
    assert soft.unit_texts("Rainfall.", read) == ("[CLS]", "Rain", "·fall", ".", "[SEP]")
    assert soft.word_texts("Rainfall.", read) == ("Rainfall", ".")
    rows = np.arange(10, dtype=np.float32).reshape(5, 2)
    assert soft.means(rows, Read.words).tolist() == [[3, 4], [6, 7]]
    assert soft.means(rows, np.full(5, -1)).shape == (0, 2)


def test_which_models_fit(tmp_path: Path, vectors: str) -> None:
    assert soft.kind_of("glove") == soft.kind_of(vectors) == "static"
    assert soft.kind_of("minilm") == soft.kind_of("owner/name") == soft.kind_of(str(tmp_path)) == "contextual"
    with pytest.raises(SpecError, match="contextual encoder"):
        parse("softmatch(model=glove)")
    with pytest.raises(SpecError, match="contextual encoder"):
        parse("yisi1(model=spacy-en)")


class Trees:
    """A parser of three-word texts: who, does, whom; a text of one word has no verb."""

    info = ModelInfo("trees", "1", "ab", "numpy")

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self._one(text) for text in texts]

    def remarks(self) -> list[str]:
        return []

    def _one(self, text: str) -> Parse:
        parts, at, words = text.split(), 0, []
        for number, part in enumerate(parts):
            verb = number == 1
            dep = "ROOT" if verb else ("nsubj", "", "dobj")[number]
            words.append(Word(part, part, "VERB" if verb else "NOUN", "", dep, min(1, len(parts) - 1), at, True, 0))
            at += len(part) + 1
        return Parse(tuple(words), ())


def test_structure_by_hand(vectors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.models.parser", lambda *_, **__: Trees())
    metric = Yisi1(model=vectors, order=1, idf=False, structure=1.0, alpha=0.5)
    assert metric.needs_prepare and metric.models[1] == ("parser", "spacy-en")
    fitted = metric.prepare([Batch([""], [["cat sees dog"]])])
    assert dict(fitted.roles) == {"predicate": 1.25, "agent": 2.0, "patient": 2.0}

    def score(output: str, reference: str, **options: Any) -> float:
        return Yisi1(model=vectors, order=1, idf=False, alpha=0.5, **options).corpus([output], [[reference]])

    assert score("cat sees dog", "cat sees dog", structure=1.0) == 1
    # the same words in other roles: words alone are all there, but who did it is not
    assert score("dog sees cat", "cat sees dog", structure=0.0) == 1
    # precision: of predicate and arguments only the predicate counts; recall pairs the arguments whatever their roles
    precision = 1.25 / 5.25
    assert score("dog sees cat", "cat sees dog", structure=1.0) == pytest.approx(2 * precision / (1 + precision))
    mixed = 0.2 * precision + 0.8
    assert score("dog sees cat", "cat sees dog", structure=0.2) == pytest.approx(2 * mixed / (1 + mixed))
    # no frame in either text: words alone count; in one of them only: structure is 0
    assert score("cat", "pet", structure=0.2) == pytest.approx(HALF)
    assert score("cat", "cat sees dog", structure=1.0) == 0
    told = Yisi1(model=vectors, order=1, idf=False, structure=0.2).explain("dog sees cat", ["cat sees dog"])
    assert {"structure, precision", "structure, recall"} <= {figure.name for figure in told.figures}
    assert told.score == pytest.approx(
        Yisi1(model=vectors, order=1, idf=False, structure=0.2).corpus(["dog sees cat"], [["cat sees dog"]])
    )
    facts = receipt.read(receipt.write(metric, {"n": 1}))
    assert facts["model"].endswith(",trees@1:ab")


@pytest.mark.slow
def test_structure_on_a_parser() -> None:
    plain, framed = (parse(f"yisi1(model=glove,tok=13a,structure={share})") for share in ("0", "0.2"))
    texts = ["the dog bites the man .", "rain"], [["the man bites the dog ."], ["rain"]]
    try:
        found = framed.segments(*texts)
    except MissingResource as lacking:
        pytest.skip(str(lacking))
    assert found[0] < plain.segments(*texts)[0] and found[1] == pytest.approx(1)
