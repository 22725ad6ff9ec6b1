"""Set metrics by hand, by brute force and beside NLTK and sacreBLEU; repetition and copying by hand."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics import BLEU

import nlgauge
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Passage
from nlgauge.metrics.repetition import fragments
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse


def made(rng: random.Random, n: int, longest: int = 9) -> list[str]:
    return [
        " ".join(rng.choice("abcdefgh"[: rng.randint(2, 8)]) for _ in range(rng.randint(0, longest))) for _ in range(n)
    ]


def on(spec: str) -> SetMetric:
    metric = parse(spec)
    assert isinstance(metric, SetMetric)
    return metric


@pytest.mark.parametrize("order", [1, 2, 4])
def test_self_bleu_equals_nltk_and_sacrebleu_on_every_text(order: int) -> None:
    rng = random.Random(order)
    smooth = SmoothingFunction().method1
    theirs = BLEU(tokenize="none", effective_order=True, max_ngram_order=order)
    for _ in range(25):
        texts = made(rng, rng.randint(2, 30))
        words = [text.split() for text in texts]
        others = [words[:i] + words[i + 1 :] for i in range(len(words))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nltk = [
                sentence_bleu(refs, mine, [1 / order] * order, smoothing_function=smooth)
                for mine, refs in zip(words, others, strict=True)
            ]
        ours = on(f"selfbleu(tok=none)@{order}")
        np.testing.assert_allclose(ours.segments(texts), nltk, rtol=0, atol=1e-12)
        assert ours.corpus(texts) == pytest.approx(np.mean(nltk), abs=1e-12)
        sacre = [theirs.sentence_score(text, texts[:i] + texts[i + 1 :]).score / 100 for i, text in enumerate(texts)]
        mine = on(f"selfbleu(tok=none,smooth=exp,effective=yes)@{order}").segments(texts)
        np.testing.assert_allclose(mine, sacre, rtol=0, atol=1e-12)


def test_self_bleu_reference_lengths() -> None:
    texts = ["a b", "a b c d", "a b c d e f"]
    # For the second text 2 and 6 are equally close: the shorter counts, so there is no penalty.
    closest = on("selfbleu(tok=none)@1").segments(texts)
    assert closest == pytest.approx([math.exp(1 - 4 / 2), 1.0, 4 / 6])
    shortest = on("selfbleu(tok=none,reflen=shortest)@1").segments(texts)
    assert shortest == pytest.approx([math.exp(1 - 4 / 2), 1.0, 4 / 6])
    average = on("selfbleu(tok=none,reflen=average)@1").segments(texts)
    assert average == pytest.approx([math.exp(1 - 5 / 2), 1.0, 4 / 6])


def test_copies_make_self_bleu_one_and_uniqueness_low() -> None:
    texts = ["the wind is west"] * 3 + ["rain"]
    assert on("uniqueness").corpus(texts) == 0.5
    assert on("uniqueness").segments(texts) == pytest.approx([1 / 3] * 3 + [1])
    assert on("selfbleu").segments(texts)[:3] == pytest.approx([1, 1, 1])
    assert on("selfbleu").segments(texts)[3] == 0


def brute(texts: list[str], order: int) -> Counter[tuple[str, ...]]:
    words = [text.split() for text in texts]
    return Counter(tuple(one[i : i + order]) for one in words for i in range(len(one) - order + 1))


def test_counts_and_entropies_by_brute_force() -> None:
    rng = random.Random(2)
    for _ in range(40):
        texts = made(rng, rng.randint(1, 50), 6)
        for order in (1, 2, 3):
            counts = brute(texts, order)
            total = counts.total()
            ratio = len(counts) / total if total else 0
            assert on(f"distinct(tok=none)@{order}").corpus(texts) == pytest.approx(ratio)
            assert on(f"vocabulary(tok=none)@{order}").corpus(texts) == len(counts)
            once = sum(count == 1 for count in counts.values())
            assert on(f"vocabulary(tok=none)@{order}.once").corpus(texts) == once
            entropy = -sum(c / total * math.log2(c / total) for c in counts.values())
            assert on(f"entropy(tok=none)@{order}").corpus(texts) == pytest.approx(entropy, abs=1e-12)
            if order > 1:
                before = brute(texts, order - 1)
                given = -sum(
                    c / total * math.log2(c / total / (before[ngram[:-1]] / before.total()))
                    for ngram, c in counts.items()
                )
                ours = on(f"entropy(tok=none)@{order}.conditional").corpus(texts)
                assert ours == pytest.approx(given, abs=1e-12)


def test_type_token_ratios_and_windows_by_hand() -> None:
    texts = ["a b a", "b c"]
    assert on("ttr").corpus(texts) == 3 / 5
    assert on("ttr(form=root)").corpus(texts) == pytest.approx(3 / math.sqrt(5))
    assert on("ttr(form=log)").corpus(texts) == pytest.approx(math.log(3) / math.log(5))
    assert on("msttr@2").corpus(texts) == 1.0  # ab | ab; c is left out
    assert on("msttr@3").corpus(["a a b", "c c c", "a"]) == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_windows_stay_where_they_are_when_texts_are_left_out() -> None:
    scorer = on("msttr@2").on(["a a", "b c", "d d d", "e"])  # aa bc dd de: ends in texts 0, 1, 2, 3
    left = scorer.left_out(np.arange(4), 4)
    assert left == pytest.approx([(1 + 0.5 + 1) / 3, (0.5 + 0.5 + 1) / 3, (0.5 + 1 + 1) / 3, (0.5 + 1 + 0.5) / 3])


def test_novelty_against_references_and_a_training_text(tmp_path: Path) -> None:
    texts, references = ["a b c", "c c"], [["a b"], ["d"]]
    assert on("novelty").corpus(texts, references) == pytest.approx(1 / 3)
    assert on("novelty(count=tokens)").corpus(texts, references) == pytest.approx(3 / 5)
    assert on("novelty@2").corpus(texts, references) == pytest.approx(2 / 3)
    train = tmp_path / "train.txt"
    train.write_text("c c\nx\n")
    metric = on(f'novelty(train="{train}")@2')
    assert metric.needs == ("outputs",) and metric.corpus(texts) == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="nowhere"):
        on("novelty(train=nowhere.txt)").corpus(texts)


def test_conditional_entropy_of_words_alone_is_refused() -> None:
    with pytest.raises(SpecError, match="at least 2"):
        parse("entropy@1.conditional")


def test_the_interval_of_a_negative_conditional_entropy_holds_it() -> None:
    """log2 4 - log2 7 for four pairs of seven words, all different."""
    rows = [
        {"item": n, "system": "s", "hypothesis": t, "references": ["x"]} for n, t in enumerate(["a b", "c d", "e f g"])
    ]
    (score,) = nlgauge.score(rows, "entropy@2.conditional", ci=True).scores
    assert score.value == pytest.approx(math.log2(4 / 7))
    assert score.low is not None and score.high is not None
    assert score.low < score.value < score.high


def test_repetition_by_hand() -> None:
    texts = ["a b a b", "c", "x x x"]
    none = [["-"]] * 3
    assert parse("rep@1").segments(texts, none) == pytest.approx([0.5, 0, 2 / 3])
    assert parse("rep@2").segments(texts, none) == pytest.approx([1 / 3, 0, 0.5])
    assert parse("rep@2").corpus(texts, none) == pytest.approx((1 / 3 + 0.5) / 2)  # "c" has no bigram
    assert parse("rep-w@1").segments(texts, none) == pytest.approx([0, 0, 2 / 3])
    assert parse("rep-w@2").segments(texts, none) == pytest.approx([0.5, 0, 2 / 3])


def test_copying_from_texts_dialogues_and_tables() -> None:
    batch = Batch(["a b x", "b a"], [[], []], sources=["a b c", [["e", "b"], ["f", "a"]]])
    rate = parse("copyrate")
    assert rate.rows(batch).tolist() == [[2, 3], [2, 2]]
    assert parse("copyrate@2").rows(batch).tolist() == [[1, 2], [0, 1]]
    assert float(rate.score(rate.rows(batch).sum(axis=0))) == pytest.approx(4 / 5)
    rows = parse("fragments").rows(batch)
    assert rows.tolist() == [[2 / 3, 4 / 3, 1], [1, 1, 1]]
    for sources in (None, ["a", None]):
        with pytest.raises(InputError, match="source"):
            rate.rows(Batch(["a", "b"], [[], []], sources=sources))


def greedy_runs(words: list[str], source: list[str]) -> list[tuple[int, int]]:
    """The paper's algorithm, word by word."""
    runs = {tuple(source[i:j]) for i in range(len(source)) for j in range(i + 1, len(source) + 1)}
    found, at = [], 0
    while at < len(words):
        length = max((k for k in range(1, len(words) - at + 1) if tuple(words[at : at + k]) in runs), default=0)
        if length:
            found.append((at, length))
        at += max(length, 1)
    return found


def test_fragments_are_the_longest_runs_from_the_left() -> None:
    assert fragments(["a", "b", "c", "d"], ["a", "b", "x", "a", "b", "c"]) == [(0, 3)]
    assert fragments(["a", "b", "a", "b"], ["b", "a"]) == [(0, 1), (1, 2), (3, 1)]
    assert fragments([], ["a"]) == []
    generator = random.Random(3)
    for _ in range(300):
        letters = "abc"[: generator.randrange(1, 4)]
        words, source = (generator.choices(letters, k=generator.randrange(14)) for _ in "ab")
        assert fragments(words, source) == greedy_runs(words, source), (words, source)


def test_fragments_of_a_long_text_that_repeats_a_word_take_no_square_of_its_length() -> None:
    start = time.perf_counter()
    assert fragments(["the"] * 30_000, ["the"] * 30_000) == [(0, 30_000)]
    assert time.perf_counter() - start < 5  # looking at every place took hours


def test_repetition_and_copying_are_explained_word_by_word() -> None:
    def levels(spec: str, text: str) -> tuple[int, ...]:
        told = parse(spec).explain(text, source="a b c d")
        (part,) = told.parts
        assert isinstance(part, Passage) and told.score == parse(spec).segments([text], sources=["a b c d"])[0]
        return part.levels

    assert levels("rep@2", "a b x a b") == (0, 0, 0, 1, 1)
    assert levels("rep-w@2", "a b a x x a") == (0, 0, 1, 0, 1, 0)
    assert levels("copyrate@2", "x a b c") == (0, 1, 1, 1)
    assert levels("fragments", "a b x c d a") == (1, 1, 0, 2, 2, 1)
    assert levels("fragments", "") == levels("copyrate", "") == levels("rep@1", "") == ()


def test_a_training_text_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(InputError, match="has no text"):
        parse(f'novelty(train="{tmp_path}/train.txt")').corpus(["a b"])
    with pytest.raises(SpecError, match="a plain text file, one text a line, not a data file"):
        parse("novelty(train=train.jsonl.gz)")
