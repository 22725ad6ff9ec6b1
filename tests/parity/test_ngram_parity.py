"""ΔBLEU, GLEU, RIBES, SARI and LEPOR beside recorded numbers, and beside NLTK itself on thousands of segments."""

from __future__ import annotations

import importlib
import random

import numpy as np
import pytest
from nltk.translate.gleu_score import corpus_gleu, sentence_gleu
from nltk.translate.ribes_score import corpus_ribes, sentence_ribes
from recorded import Case, cases
from texts import seeded

from nlgauge.metrics.base import Metric
from nlgauge.metrics.deltableu import DeltaBleu
from nlgauge.metrics.spec import parse

# `nltk.translate` names a function as its module `lepor`, so that `import … as` would find the function.
nltk_lepor = importlib.import_module("nltk.translate.lepor")

both = pytest.mark.usefixtures("backend")


@both
@pytest.mark.parametrize("case", cases("deltaBLEU"))
def test_deltableu_recorded(case: Case) -> None:
    metric = DeltaBleu()
    weights = case.options["ref_weights"]
    totals = metric.corpus_rows(case.hypotheses, case.references, reference_weights=weights).sum(axis=0)
    case.check(float(metric.score(totals)), case.expected["score"])
    # the author prints one decimal
    precisions = (100 * metric.precisions(totals)[0]).tolist()
    assert precisions == pytest.approx(case.expected["precisions"], abs=0.0501)


@both
@pytest.mark.parametrize("case", cases("GLEU(google)"))
def test_gleu_recorded(case: Case) -> None:
    case.check(parse("gleu(tok=none)").corpus(case.hypotheses, case.references))


@both
@pytest.mark.parametrize("case", cases("GLEU(gec)"))
def test_gleu_gec_recorded(case: Case) -> None:
    metric = parse("gleu-gec(level=segment)")
    case.check(100 * metric.corpus(case.hypotheses, case.references, sources=case.options["sources"]))


@both
@pytest.mark.parametrize("case", cases("RIBES"))
def test_ribes_recorded(case: Case) -> None:
    # These of NLTK were recorded when it counted pairs within runs only; those of compare-mt follow the authors.
    form = "nltk3.9" if case.system.startswith("nltk/") else "ntt"
    got = parse(f"ribes(form={form})").corpus(case.hypotheses, case.references)
    case.check(case.options.get("scale", 1) * got)


@both
@pytest.mark.parametrize("case", cases("SARI"))
def test_sari_recorded(case: Case) -> None:
    case.check(parse("sari").corpus(case.hypotheses, case.references, sources=case.options["sources"]))


@pytest.fixture(scope="module")
def corpus() -> tuple[list[str], list[list[str]]]:
    """Awkward texts, and short ones over four letters, where words repeat and places are ambiguous."""
    hypotheses, references = seeded(1500, seed=11)
    draw = random.Random(5)

    def letters() -> str:
        return " ".join(draw.choices("abcd", k=draw.randint(0, 9)))

    short = [letters() for _ in range(1000)]
    return hypotheses + short, references + [[letters() for _ in range(draw.randint(1, 3))] for _ in short]


def equal(metric: Metric, corpus: tuple[list[str], list[list[str]]], theirs: list[float]) -> bool:
    """Whether the score of every segment is the peer's."""
    return np.allclose(metric.segments(*corpus), theirs, rtol=0, atol=1e-12)


def split(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


@pytest.mark.parametrize(
    ("spec", "shortest", "longest"), [("gleu(tok=none)", 1, 4), ("gleu(tok=none,shortest=2)@3", 2, 3)]
)
def test_gleu_equals_nltk(corpus: tuple[list[str], list[list[str]]], spec: str, shortest: int, longest: int) -> None:
    hypotheses, references = corpus
    pairs = list(zip(map(split, references), split(hypotheses), strict=True))
    assert equal(parse(spec), corpus, [sentence_gleu(refs, hyp, shortest, longest) for refs, hyp in pairs])
    whole = corpus_gleu([refs for refs, _ in pairs], [hyp for _, hyp in pairs], shortest, longest)
    assert parse(spec).corpus(hypotheses, references) == pytest.approx(whole, abs=1e-12)


def test_ribes_equals_nltk(corpus: tuple[list[str], list[list[str]]]) -> None:
    hypotheses, references = corpus
    pairs = list(zip(map(split, references), split(hypotheses), strict=True))
    assert equal(parse("ribes"), corpus, [sentence_ribes(refs, hyp) for refs, hyp in pairs])
    assert equal(parse("ribes(alpha=0.5,beta=1)"), corpus, [sentence_ribes(refs, hyp, 0.5, 1.0) for refs, hyp in pairs])
    whole = corpus_ribes([refs for refs, _ in pairs], [hyp for _, hyp in pairs])
    assert parse("ribes").corpus(hypotheses, references) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (9.0, 2.0)])
def test_lepor_equals_nltk(corpus: tuple[list[str], list[list[str]]], alpha: float, beta: float) -> None:
    def score(hypothesis: str, reference: str) -> float:
        if not hypothesis.split() or not reference.split():
            return 0.0  # NLTK refuses texts without words
        return float(nltk_lepor.sentence_lepor([reference], hypothesis, alpha, beta, str.split)[0])

    theirs = [[score(hyp, ref) for ref in refs] for hyp, refs in zip(*corpus, strict=True)]
    spec = f"lepor(form=nltk,tok=none,alpha={alpha},beta={beta}"
    assert equal(parse(spec + ")"), corpus, [max(scores) for scores in theirs])
    assert equal(parse(spec + ",multi=average)"), corpus, [sum(scores) / len(scores) for scores in theirs])


def test_hlepor_gives_the_numbers_in_its_packages_documentation() -> None:
    hypotheses = [
        "It is a guide to action which ensures that the military always obeys the commands of the party",
        "It is to insure the troops forever hearing the activity guidebook that party direct",
    ]
    references = [
        ["It is a guide to action that ensures that the military will forever heed Party commands"],
        ["It is the practical guide for the army always to heed the directions of the party"],
    ]
    metric = parse("hlepor(tok=none)")
    assert round(metric.corpus(hypotheses, references), 4) == 0.6214
    assert round(metric.corpus(hypotheses[:1], references[:1]), 4) == 0.7842
