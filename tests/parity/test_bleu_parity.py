"""BLEU and sentence BLEU beside the recorded numbers of the official tools and beside sacreBLEU itself."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import Case, cases, recorded
from sacrebleu.metrics import BLEU

from nlgauge import kernels
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.bleu import Bleu, SentBleu, bleu_score, brevity_penalty, precisions

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]

TOKENISERS = {
    "13a": "13a",
    "none": "none",
    "intl": "intl",
    "char": "char",
    "whitespace": "none",
    "PTB": "ptb",
    "PTB, lowercase, punctuation removed": "ptb",
    "nltk word_tokenize": "none",  # the one case that uses it has neither punctuation nor clitics
}
SMOOTHINGS = {
    "chencherry.method1": "floor:0.1",
    "chencherry.method4": "nltk4:5",
    "nltk chencherry.method2 (+1)": "add-k:1",
    "+1 on all orders": "add-all:1",
    "+0.5": "add-all:0.5",
    "+1": "add-all:1",
}


def settings_of(case: Case) -> dict[str, Any]:
    """The fields of our metric for a recorded case."""
    options = case.options
    smooth = options.get("smooth_method")
    if smooth is None:
        # sacreBLEU smooths unless told otherwise; the other projects do not.
        smooth = "exp" if "sacrebleu" in (options.get("backend"), options.get("oracle")) else "none"
    elif options.get("smooth_value") is not None:
        smooth = f"{smooth}:{options['smooth_value']}"
    if "smoothing" in options:
        smooth = SMOOTHINGS[options["smoothing"]]
    if options.get("smooth_brevity_penalty"):
        smooth = smooth.replace("add-all", "add-all-bp")
    if options.get("flavour") == "coco-caption":
        smooth = "coco"
    return {
        "order": options.get("max_ngram_order", options.get("n_gram", 4)),
        "tok": TOKENISERS[options.get("tokenize", "none")],
        "lower": bool(options.get("lowercase")) or "lowercase" in str(options.get("tokenize")),
        "smooth": smooth,
        "effective": bool(options.get("effective_order")),
    }


def outcome(case: Case, fields: dict[str, Any]) -> dict[str, Any]:
    """The score of a case in its own scale, and the statistics behind it."""
    metric = Bleu(**fields)
    totals = metric.corpus_rows(case.hypotheses, case.references).sum(axis=0)
    correct, total = totals[2 : 2 + metric.order], totals[2 + metric.order :]
    return {
        "score": float(metric.score(totals)) * case.options.get("scale", 100) / 100,
        "counts": list(correct),
        "totals": list(total),
        "precisions": list(100 * precisions(totals, metric.order, metric.smooth)[0]),
        "bp": float(brevity_penalty(totals[0], totals[1])),
        "sys_len": totals[0],
        "ref_len": totals[1],
    }


def one_score_each(parameters: list[Any]) -> list[Any]:
    """Without the cases that state scores for several orders or weights: those are compared as BLEU."""
    return [
        parameter
        for parameter in parameters
        if not (
            parameter.values[0]
            and ("weights" in parameter.values[0].options or isinstance(parameter.values[0].expected, dict))
        )
    ]


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("BLEU", "sentBLEU"))
def test_recorded(case: Case) -> None:
    fields = settings_of(case)
    weights = case.options.get("weights")
    if weights:
        several = weights if isinstance(weights[0], list) else [weights]
        scores = []
        for each in several:
            fields.update(order=len(each), weights=":".join(map(str, each)))
            scores.append(outcome(case, fields)["score"])
        case.check(scores if isinstance(weights[0], list) else scores[0])
    elif isinstance(case.expected, dict) and "Bleu_1" in case.expected:
        for key, value in case.expected.items():
            case.check(outcome(case, {**fields, "order": int(key[-1])})["score"], value)
    elif isinstance(case.expected, dict) and "precisions" in case.expected:
        got = outcome(case, fields)
        case.check(got["score"], case.expected["score"])
        assert [round(value, 1) for value in got["precisions"]] == case.expected["precisions"]
    elif isinstance(case.expected, dict):
        case.check(outcome(case, fields))
    else:
        case.check(outcome(case, fields)["score"])


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", one_score_each(cases("sentBLEU")))
def test_recorded_by_the_sentence_metric(case: Case) -> None:
    got = SentBleu(**settings_of(case)).corpus(case.hypotheses, case.references)
    case.check(got * case.options["scale"] / 100 if "scale" in case.options else got)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("BLEU-statistics"))
def test_recorded_statistics(case: Case) -> None:
    got = outcome(case, settings_of(case))
    case.check({"correct": got["counts"], "total": got["totals"]})


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("BLEU-from-statistics", "sentBLEU-from-statistics"))
def test_recorded_score_from_statistics(case: Case) -> None:
    options = case.options
    totals = np.array([options["sys_len"], options["ref_len"], *options["correct"], *options["total"]], dtype=float)
    got = float(Bleu(**settings_of(case)).score(totals)) * options.get("scale", 100) / 100
    case.check(got)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("BLEU-modified-precision"))
def test_recorded_modified_precision(case: Case) -> None:
    got = []
    for n in case.options["n"]:
        row = Bleu(order=n, tok="none").corpus_rows(case.hypotheses, case.references)[0]
        got.append(row[1 + n] / row[1 + 2 * n])
    case.check(got)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("BLEU-brevity-penalty"))
def test_recorded_brevity_penalty(case: Case) -> None:
    hypothesis, references = (
        "w " * case.options["hyp_len"],
        ["w " * length for length in case.options["ref_lens"]],
    )
    row = Bleu(tok="none", reflen=case.options["mode"]).corpus_rows([hypothesis], [references])[0]
    case.check(float(brevity_penalty(row[0], row[1])))


@pytest.mark.usefixtures("backend")
def test_references_are_read_by_segment_and_not_transposed() -> None:
    """The recorded trap: one list per segment, handed to an interface that wants one list per reference,
    scores the first hypothesis against both references and forgets the second (8 words instead of 14)."""
    traps = [case for case in recorded() if case.metric == "TRAP:sacrebleu-transposed-refs"]
    if not traps:
        pytest.skip("no recorded numbers beside the project")
    (trap,) = traps
    got = outcome(trap, {"tok": "13a"})
    assert got["sys_len"] == 14
    assert got["totals"] == [14, 12, 10, 8]
    right = sacrebleu.corpus_bleu(trap.hypotheses, [list(column) for column in zip(*trap.references, strict=True)])
    assert got["score"] == pytest.approx(right.score / 100, abs=1e-12)
    assert abs(got["score"] - trap.expected["score"]) > 0.05


# -- beside sacreBLEU itself ---------------------------------------------------------------------------

SCRIPTS = [
    "the a of to in is was dog cat man house green ran sees 's 3.5 1,000 U.S. isn't state-of-the-art",
    "Der die das ist nicht Straße Übergröße äöü wäre können",
    "зима близко очень не и в на был дом",
    "这是 一个 测试 句子 我们 的 你好 世界",
    "هذا هو اختبار في من",
    "naïve café e\u0301 👩\u200d👩\u200d👧 😀 \u00a0 \u3000 \u2003x — “quoted” ‘x’ … % & &amp; &quot; "
    "< > ( ) [ ] , . ; : ! ? - / $5 #1",
]
WORDS = [text.split(" ") for text in SCRIPTS]
SPACES = [" ", " ", " ", " ", "  ", "\t", "\u00a0", ""]


def random_text(rng: random.Random, longest: int = 25) -> str:
    words = rng.choice(WORDS)
    pool = words if rng.random() < 0.8 else [word for some in WORDS for word in some]
    few = rng.sample(pool, min(len(pool), rng.choice([2, 6, 30])))
    return "".join(rng.choice(few) + rng.choice(SPACES) for _ in range(rng.randint(0, longest)))


def edited(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    for _ in range(rng.randint(0, 4)):
        spot = rng.randrange(len(words) + 1)
        words[spot : spot + rng.randint(0, 2)] = rng.sample(words, min(len(words), rng.randint(0, 2)))
    return " ".join(words)


def random_corpus(seed: int, size: int, most: int = 4) -> tuple[list[str], list[list[str]]]:
    rng = random.Random(seed)
    hypotheses = [random_text(rng) for _ in range(size)]
    references = [
        [edited(rng, text) if rng.random() < 0.85 else random_text(rng) for _ in range(rng.randint(1, most))]
        for text in hypotheses
    ]
    return hypotheses, references


def columns(references: list[list[str]]) -> list[list[str | None]]:
    """Our lists as sacreBLEU wants them: one per reference, with None where a segment has fewer."""
    most = max(map(len, references))
    return [[refs[j] if j < len(refs) else None for refs in references] for j in range(most)]


def both(smooth: str, value: float | None, **fields: Any) -> tuple[dict[str, Any], BLEU]:
    ours = {
        "order": fields.get("order", 4),
        "tok": fields.get("tok", "13a"),
        "lower": fields.get("lower", False),
        "smooth": smooth if value is None else f"{smooth}:{value}",
        "effective": fields.get("effective", False),
    }
    theirs = BLEU(
        lowercase=ours["lower"],
        force=True,
        tokenize=ours["tok"],
        smooth_method=smooth,
        smooth_value=value,
        max_ngram_order=ours["order"],
        effective_order=ours["effective"],
    )
    return ours, theirs


def disagreements(ours: dict[str, Any], theirs: BLEU, hypotheses: list[str], references: list[list[str]]) -> list[Any]:
    """Where statistics of segments, the corpus score or scores of sentences are not sacreBLEU's."""
    metric = Bleu(**ours)
    expected = theirs._extract_corpus_statistics(hypotheses, columns(references))
    corpus = theirs._aggregate_and_compute(expected).score
    sentences = [theirs._compute_score_from_stats(list(row)).score for row in expected]
    found: list[Any] = []
    for name in BACKENDS:
        with kernels.use(name):
            rows = metric.corpus_rows(hypotheses, references)
            wrong = [s for s in range(len(hypotheses)) if list(rows[s]) != [float(x) for x in expected[s]]]
            found += [(name, ours, hypotheses[s], references[s], rows[s]) for s in wrong[:1]]
            scores = {
                "corpus": (float(metric.score(rows.sum(axis=0))), corpus),
                "sentences": (metric.score(rows), sentences),
            }
            if ours["effective"]:
                scores["mean"] = (SentBleu(**ours).corpus(hypotheses, references), float(np.mean(sentences)))
            found += [
                (name, ours, what, mine, other)
                for what, (mine, other) in scores.items()
                if not np.allclose(mine, other, rtol=0, atol=1e-9)
            ]
    return found


SMOOTH = [
    ("exp", None),
    ("none", None),
    ("floor", None),
    ("floor", 0.01),
    ("floor", 0.0),
    ("add-k", None),
    ("add-k", 2),
]


@pytest.mark.slow
@pytest.mark.parametrize("tok", ["13a", "none", "intl", "char", "zh"])
def test_equals_sacrebleu_for_every_tokeniser(tok: str) -> None:
    hypotheses, references = random_corpus(len(tok) * 1000 + ord(tok[0]), 800)
    for lower in (False, True):
        pair = both("exp", None, tok=tok, lower=lower, effective=lower)
        assert disagreements(*pair, hypotheses, references) == []


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_equals_sacrebleu_for_every_order_and_smoothing(order: int) -> None:
    hypotheses, references = random_corpus(order, 120)
    for smooth, value in SMOOTH:
        for effective in (False, True):
            ours, theirs = both(smooth, value, order=order, tok="none", effective=effective)
            assert disagreements(ours, theirs, hypotheses, references) == []
            # Small corpora, where whole orders are missing.
            for start in range(0, 40, 2):
                few = slice(start, start + 2)
                assert disagreements(ours, theirs, hypotheses[few], references[few]) == []


@pytest.mark.slow
def test_sentences_equal_sacrebleus_sentence_bleu() -> None:
    hypotheses, references = random_corpus(99, 2000)
    expected = [sacrebleu.sentence_bleu(h, refs).score for h, refs in zip(hypotheses, references, strict=True)]
    corpus = sacrebleu.corpus_bleu(hypotheses, columns(references), force=True).score
    for name in BACKENDS:
        with kernels.use(name):
            np.testing.assert_allclose(SentBleu().segments(hypotheses, references), expected, rtol=0, atol=1e-9)
            assert Bleu().corpus(hypotheses, references) == pytest.approx(corpus, abs=1e-9)


counts = st.integers(0, 40)


@settings(max_examples=300, deadline=None)
@given(
    order=st.integers(1, 6),
    smooth=st.sampled_from(SMOOTH),
    effective=st.booleans(),
    data=st.data(),
)
def test_score_equals_sacrebleus_for_any_statistics(
    order: int, smooth: tuple[str, float | None], effective: bool, data: st.DataObject
) -> None:
    method, value = smooth
    total = data.draw(st.lists(st.integers(0, 30), min_size=order, max_size=order))
    correct = [data.draw(st.integers(0, most)) for most in total]
    lengths = [data.draw(counts), data.draw(counts)]
    expected = BLEU.compute_bleu(
        list(correct), list(total), *lengths, method, value, effective_order=effective, max_ngram_order=order
    )
    spelled = method if value is None else f"{method}:{value}"
    row = np.array([*lengths, *correct, *total], dtype=float)
    got = bleu_score(np.stack([row, row])[None], order, spelled, effective=effective)
    assert got.shape == (1, 2)
    assert got[0] == pytest.approx([expected.score] * 2, abs=1e-9)


odd_text = st.text(
    st.one_of(
        st.sampled_from(list("ab .,-'&;$5\u00a0\u3000\u2028\x1c\x85\t\n\u0301中文ا😀\u200d")),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(
    hypothesis=odd_text,
    references=st.lists(odd_text, min_size=1, max_size=4),
    tok=st.sampled_from(["13a", "none", "intl", "char", "zh"]),
    lower=st.booleans(),
)
def test_odd_text_equals_sacrebleu(hypothesis: str, references: list[str], tok: str, lower: bool) -> None:
    hypotheses = [hypothesis, f"{hypothesis} {references[0]}"]
    pair = both("exp", None, tok=tok, lower=lower, effective=True)
    assert disagreements(*pair, hypotheses, [references, references]) == []


@pytest.mark.skipif(len(BACKENDS) < 2, reason="no compiled kernels: nothing to compare with")
@pytest.mark.parametrize("reflen", ["closest", "shortest", "average"])
@pytest.mark.parametrize("length", [3, 25, 400])
def test_both_kernels_count_alike(reflen: str, length: int) -> None:
    rng = random.Random(length)
    words = [str(number) for number in range(max(3, length // 4))]
    hypotheses = [rng.choices(words, k=rng.randint(0, length)) for _ in range(60)]
    references = [[rng.choices(words, k=rng.randint(0, length)) for _ in range(rng.randint(1, 5))] for _ in hypotheses]
    for hyp, refs in zip(hypotheses, references, strict=True):
        refs[0] = hyp[: len(hyp) // 2] + refs[0]
    for order in (1, 4, 9):
        results = []
        for name in BACKENDS:
            with kernels.use(name):
                tokens = kernels.active().tokens_from_lists(hypotheses, references)
                results.append(kernels.active().bleu_rows(tokens, order, reflen, 3))
        assert np.array_equal(*results)


@pytest.mark.usefixtures("backend")
def test_batches_share_nothing_between_segments() -> None:
    hypotheses, references = random_corpus(5, 300)
    together = Bleu().rows(Batch(hypotheses, references))
    alone = [Bleu().rows(Batch([h], [refs]))[0] for h, refs in zip(hypotheses, references, strict=True)]
    assert np.array_equal(together, np.stack(alone))
