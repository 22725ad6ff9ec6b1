"""Perplexity and SLOR: against the models' own probabilities, and a brute-force sum on a tiny network."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import models
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.perplexity import Perplexity
from nlgauge.metrics.slor import Slor
from nlgauge.metrics.spec import parse
from nlgauge.models.interface import Likelihood, ModelInfo
from nlgauge.models.likelihoods import FLOOR

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from tiny_models import tiny_causal

WORDS = ["rain", "and", "wind", "in", "the", "north", "of", "a", "sea", "sun"]
TEXTS = ["rain and wind in the north", "the sun", "a", "", "sea sea sea of rain and of sun"]


class Coin:
    """Each word has probability 1/4, each word alone 1/8."""

    info = ModelInfo("coin", "1", "d", "numpy")

    def tokens(self, texts: list[str]) -> list[tuple[str, ...]]:
        return [(*text.split(), "</s>") for text in texts]

    def score(self, texts: list[str]) -> list[Likelihood]:
        split = self.tokens(texts)
        return [Likelihood(one, np.full(len(one), math.log(1 / 4)), len(one) - 1) for one in split]

    def remarks(self) -> list[str]:
        return []


@pytest.fixture
def coin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "language", lambda *a, **k: Coin())


@pytest.mark.usefixtures("coin")
def test_perplexity_by_hand() -> None:
    texts, references = ["a b c", ""], [["a b"], ["a", "b c d"]]
    assert parse("perplexity").segments(texts) == pytest.approx([4, 4])
    # four tokens, the end among them, on three words; an empty text is one token and one word
    assert parse("perplexity.word").segments(texts) == pytest.approx([4 ** (4 / 3), 4])
    assert parse("perplexity.word").corpus(texts) == pytest.approx(4 ** (5 / 4))
    assert parse("perplexity.refword").segments(texts, references) == pytest.approx([4 ** (3 / 2), 4 ** (6 / 4)])
    assert parse("perplexity.reftoken").corpus(texts, references) == pytest.approx(4)
    assert parse("perplexity.reftoken").needs == ("references",)
    with pytest.raises(InputError, match="needs references"):
        parse("perplexity.reftoken").segments(texts)


@pytest.mark.usefixtures("coin")
def test_slor_with_unigrams_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("a b\na\n\n", encoding="utf-8")  # a twice, b once, the end twice: N = 5, V = 3
    metric = Slor(unigrams=str(file))
    known = {"a": 3 / 9, "b": 2 / 9, "</s>": 3 / 9}
    expected = [
        np.mean([math.log(1 / 4) - math.log(known.get(word, 1 / 9)) for word in (*text.split(), "</s>")])
        for text in ("a b", "c c a", "")
    ]
    texts = ["a b", "c c a", ""]
    assert metric.segments(texts) == pytest.approx(expected)
    assert metric.corpus(texts) == pytest.approx(np.mean(expected))
    references = Slor(unigrams=str(file), output="ref")
    assert references.segments(texts, [["a b", ""], ["a b"], ["c c a"]]) == pytest.approx(
        [(expected[0] + expected[2]) / 2, expected[0], expected[1]]
    )
    assert metric.reads_files == (str(file),)
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no text"):
        metric.segments(texts)
    with pytest.raises(InputError, match="cannot be read"):
        Slor(unigrams=str(tmp_path / "none.txt")).segments(texts)


def test_what_may_stand_in_the_fields() -> None:
    with pytest.raises(SpecError, match="a language model: trigram"):
        Perplexity(model="glove")
    with pytest.raises(SpecError, match="one text a line"):
        Slor(unigrams="news.jsonl")
    assert Slor(model="smollm2").models == (("language", "smollm2"), ("language", "trigram"))
    assert Slor(model="smollm2", unigrams="news.txt").models == (("language", "smollm2"),)


def test_trigrams_are_those_of_pocketsphinx() -> None:
    """Its own logarithms, the words before in reverse order; words it does not know are counted, and told."""
    model = models.language("trigram", purpose="the test")
    from pocketsphinx import NGramModel

    from nlgauge.models.resolve import locate

    theirs = NGramModel.readfile(str(locate("trigram", "language").path))

    def logp(*words: str) -> float:
        return theirs.prob(list(words)) * math.log(1.0001)

    expected = [
        logp("the", "<s>"),
        logp("xylophone", "the", "<s>"),
        logp("sat", "xylophone", "the"),
        FLOOR,
        logp("</s>", "qqzzx", "sat"),
    ]
    text = "The xylophone sat: QQzzx!"
    assert model.score([text])[0].logp == pytest.approx(expected)
    metric = parse("perplexity")
    metric.remarks()
    assert metric.segments([text]) == pytest.approx([math.exp(-np.mean(expected))])
    metric.segments([text])  # judged again, told once
    assert metric.remarks() == ["1 of the 4 words of distinct texts are not among those of trigram and count 1e-7 each"]
    alone = [logp("the"), logp("xylophone"), logp("sat"), FLOOR, logp("</s>")]
    assert parse("slor").segments([text]) == pytest.approx([(sum(expected) - sum(alone)) / 5])
    assert parse("perplexity").segments([""]) == pytest.approx([math.exp(-logp("</s>", "<s>"))])
    assert metric.explain(text).score == pytest.approx(math.exp(-np.mean(expected)))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal network with random weights that reads twelve tokens at once."""
    return tiny_causal(tmp_path_factory.mktemp("tiny-causal"), WORDS)


def oracle(folder: Path, text: str) -> list[float]:
    """Each token by a run of its own over what stands before it: all of it, or the window that the docs promise."""
    import torch
    import transformers

    network = transformers.GPT2LMHeadModel.from_pretrained(str(folder)).eval()
    names = ["<end>", "<unk>", *WORDS]
    ids = [0, *(names.index(word) for word in text.split() or ["<end>"])]
    longest, found = 12, []
    starts = [0]
    if len(ids) > longest:
        starts = [*range(0, len(ids) - longest, longest // 2), len(ids) - longest]
    for place in range(1, len(ids)):
        start = next(start for start in starts if place < start + longest)  # the first that reaches it
        with torch.no_grad():
            logits = network(torch.tensor([ids[start:place]])).logits[0, -1].double()
        found.append(float(torch.log_softmax(logits, dim=-1)[ids[place]]))
    return found


@pytest.mark.parametrize("memory", ["enough", "short"])
def test_a_causal_network_equals_the_sum_over_single_tokens(
    tiny: Path, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(WORDS * 4)
    texts = [*TEXTS, long]
    expected = [oracle(tiny, text) for text in texts]
    metric = Perplexity(model=str(tiny))
    model: Any = metric.loaded()
    if memory == "short":
        whole = model._run

        def run(rows: Any) -> Any:
            if len(rows) > 1:
                raise MemoryError("out of memory")
            return whole(rows)

        monkeypatch.setattr(model, "_run", run)
    assert metric.segments(texts) == pytest.approx([math.exp(-np.mean(one)) for one in expected], rel=1e-5)
    words = [max(1, len(text.split())) for text in texts]
    assert parse(f"perplexity(model={tiny}).word").corpus(texts) == pytest.approx(
        math.exp(-sum(map(sum, expected)) / sum(words)), rel=1e-5
    )
    assert metric.remarks() == [
        f"1 text is longer than the 12 tokens that {tiny} reads at once, and was read in windows that move on by 6"
    ]
    assert metric.remarks() == []


def test_slor_of_a_causal_network(tiny: Path, tmp_path: Path) -> None:
    """Its tokens counted in a file; or the words of the trigrams, where these are installed."""
    file = tmp_path / "corpus.txt"
    file.write_text("rain and rain\n", encoding="utf-8")  # N = 3, V = 2
    text = "rain in the north"
    total = sum(oracle(tiny, text))
    expected = (total - math.log(3 / 6) - 3 * math.log(1 / 6)) / 4
    assert Slor(model=str(tiny), unigrams=str(file)).segments([text]) == pytest.approx([expected], rel=1e-5)
    trigram: Any = models.language("trigram", purpose="the test")
    alone = sum(map(trigram.unigram, text.split()))
    assert Slor(model=str(tiny)).segments([f"{text}", "!"]) == pytest.approx([(total - alone) / 4, 0], rel=1e-5)
    assert "trigram@" in Slor(model=str(tiny)).model_fact


def test_surprise_is_the_logarithm_of_perplexity_by_token_and_shares_its_rows() -> None:
    texts, references = (
        ["the cat sat on the mat", "colourless green ideas"],
        [["the cat"], ["green ideas sleep"]],
    )
    for output, of in (("surprise", "token"), ("refsurprise", "reftoken")):
        surprise, plain = parse(f"perplexity(output={output})"), parse(f"perplexity(output={of})")
        assert surprise.rows_key() == plain.rows_key()
        assert surprise.segments(texts, references) == pytest.approx(np.log(plain.segments(texts, references)))
        assert surprise.bounds[0] == 0.0
