"""Explanations: what they show adds up to the metric's own score, for every metric and on odd text."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import NlgaugeError
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import edit_counts, edit_pairs
from nlgauge.metrics.base import Metric
from nlgauge.metrics.explanation import Edits, Explanation, Links, Ngrams, Passage, Shifts
from nlgauge.metrics.matching import cheapest_edits, common_subsequence, matches_in
from nlgauge.metrics.registry import METRICS
from nlgauge.metrics.spec import parse

VARIANTS = [
    "bleu(smooth=nltk4,effective=yes)",
    "bleu(smooth=add-all-bp,reflen=average,lower=yes)@2",
    "sentbleu(smooth=floor)",
    "nist(multi=best)@3",
    "chrf+(beta=1,lower=yes)",
    "chrf++(eps=yes)",
    "chrf(whitespace=yes)",
    "ter(norm=yes,nopunct=yes)",
    "wer(average=macro,lower=yes)",
    "wer(tok=chars)",
    "se(unit=char)",
    *(
        f"{name}(multi={multi},jackknife={jackknife},limit=9,beta=1.2){order}"
        for name, order in (
            ("rouge", "@2"),
            ("rougeL", ""),
            ("rougeLsum", ""),
            ("rougeW", ""),
            ("rougeSU", "@4"),
        )
        for multi, jackknife in (
            ("best", "no"),
            ("best", "yes"),
            ("average", "no"),
            ("pooled", "no"),
            ("coco", "no"),
            ("recall", "no"),
        )
    ),
    "rouge@1",
    "rougeS@0",
    "multiwer(length=average)",
    "multiwer(length=closest)",
    "character(tok=13a,lower=yes)",
    "levenshtein(unit=word,norm=reference)",
    "levenshtein(substitution=1.5,insertion=0.3,norm=none)",
    "levenshtein(transposition=yes)",
    "yisi0(unit=char,idf=no)@2",
    "parent(lam=0.3)@2.r",
    "parent(multi=highest)",
    "meteor(synonyms=none,lower=no,average=micro)",
    "meteor-universal(paraphrases=none)",
    "meteor-universal(paraphrases=none,norm=no,lang=de,delta=0.6)",
    "meteor-universal(paraphrases=none,count=letters)",
]
SPECS = [
    *METRICS,
    *(spec for spec in VARIANTS if spec.partition("(")[0].partition("@")[0].rstrip("+") in METRICS),
]
ODD = [
    ("", ["something"]),
    ("a", ["a", ""]),
    ("same text here", ["same text here"]),
    ("on the mat sat the cat", ["the cat sat on the mat", "a cat"]),
    ("the the the the", ["the cat the", "the"]),
    ("¿qué? — naïve café,\n3.5 %…", ["¿qué? naïve café\n3,5 %"]),
    ("القط جلس على السجادة", ["القط على السجادة"]),
    ("एक दो तीन 👩‍👩‍👧", ["एक दो चार 😀", "एक"]),
    ("<b>one</b> & two\ttwo", ["one & two"]),
]
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    ".",
    ",",
    "ran",
    "3.5",
    "naïve",
    "zwölf",
    "猫",
    "the",
    "the",
]


def random_segments(count: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    generator = random.Random(seed)

    def text() -> str:
        words = generator.choices(WORDS, k=generator.randrange(12))
        return "".join(word + generator.choice(("  ", " ", " ", " ", "\n")) for word in words)

    for _ in range(count):
        yield text(), [text() for _ in range(generator.randrange(1, 4))]


SEGMENTS = [*ODD, *random_segments(40, 11)]


def batch_of(metric: Metric, hypothesis: str, references: list[str]) -> Batch:
    batch = Batch([hypothesis], [references], sources=[_source(metric)])
    if "post_edits" in metric.needs:
        batch.post_edits = batch.references  # type: ignore[attr-defined]
    return batch


def _source(metric: Metric) -> object:
    return [["the cat", "place", "the mat"]] if metric.name == "parent" else "the cat sat on the mat"


def prepared(metric: Metric) -> Metric:
    return (
        metric.prepare([batch_of(metric, *segment) for segment in SEGMENTS])
        if metric.needs_prepare
        else metric
    )


def skip_unless_ready(metric: Metric) -> None:
    """Set metrics have no rows, and some metrics want dictionaries that may not be here."""
    if not getattr(metric, "additive", True):
        pytest.skip("a set metric has no statistics of segments")
    try:
        prepared(metric).rows(batch_of(metric, "a b", ["a b"]))
    except NlgaugeError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("spec", SPECS)
def test_the_explanation_adds_up_to_the_metrics_own_statistics(spec: str) -> None:
    metric = parse(spec)
    skip_unless_ready(metric)
    native = prepared(metric)
    with kernels.use("python"):
        plain = prepared(metric)
    for hypothesis, references in SEGMENTS:
        row = native.rows(batch_of(metric, hypothesis, references))[0]
        with kernels.use("python"):
            told = plain.explained(batch_of(metric, hypothesis, references))
        assert [name for name, _ in told.row] == list(metric.columns)
        assert np.allclose([value for _, value in told.row], row, rtol=1e-12, atol=1e-12), (
            hypothesis,
            references,
        )
        assert told.score == pytest.approx(float(metric.score(row)), rel=1e-12, abs=1e-12)
        assert told.metric == str(metric)
        check_parts(told)


def check_parts(told: Explanation) -> None:
    """Every part is consistent in itself."""
    shares = []
    for part in told.parts:
        if isinstance(part, Edits):
            assert [s.hypothesis for s in part.steps if s.hypothesis is not None] == [
                *range(len(part.hypothesis))
            ]
            assert [s.reference for s in part.steps if s.reference is not None] == [
                *range(len(part.reference))
            ]
            for step in part.steps:
                both = step.hypothesis is not None and step.reference is not None
                assert both == (step.kind in ("match", "substitution"))
        elif isinstance(part, Ngrams):
            for row in part.rows:
                assert row.matched <= row.hypothesis and max(row.hypothesis, row.reference) > 0
            shares += [row.share for row in part.rows if row.share is not None]
        elif isinstance(part, Passage):
            assert len(part.words) == len(part.levels)
            assert all(0 <= level < len(part.legend) for level in part.levels)
        elif isinstance(part, Links):
            for link in part.links:
                assert 0 <= link.hypothesis[0] < link.hypothesis[1] <= len(part.hypothesis)
                assert 0 <= link.reference[0] < link.reference[1] <= len(part.reference)
        elif isinstance(part, Shifts):
            for shift in part.shifts:
                assert sorted(shift.before) == sorted(shift.after)
    if shares:
        assert sum(shares) == pytest.approx(told.score, abs=1e-9)


SHOWN = (
    "bleu sentbleu nist chrf ter rouge rougeL rougeLsum rougeW rougeS rougeSU cider ciderD wer cer mer wil wip se "
    "multiwer per character levenshtein hter hbleu parent yisi0"
)


@pytest.mark.parametrize("name", SHOWN.split())
def test_these_metrics_show_more_than_statistics(name: str) -> None:
    metric = parse(name)
    with kernels.use("python"):
        told = prepared(metric).explained(batch_of(metric, "the cat sat", ["the cat sat on the mat"]))
    assert told.detailed and told.parts and told.figures


def test_bleu_by_hand() -> None:
    told = parse("bleu@2").explain("the cat the cat on mat", ["the cat on the mat"])
    words, pairs = (part for part in told.parts if isinstance(part, Ngrams))
    assert {
        " ".join(row.words): (row.hypothesis, row.reference, row.matched, row.state) for row in words.rows
    } == {
        "the": (2, 2, 2, "matched"),
        "cat": (2, 1, 1, "clipped"),
        "on": (1, 1, 1, "matched"),
        "mat": (1, 1, 1, "matched"),
    }
    assert (words.matched, words.hypothesis) == (5, 6) and (pairs.matched, pairs.hypothesis) == (2, 5)
    assert [row.state for row in pairs.rows if row.words == ("the", "mat")] == ["missing"]
    passage = next(part for part in told.parts if isinstance(part, Passage))
    assert passage.levels == (2, 2, 1, 2, 2, 1)  # the second "the" is a word only, its "cat" begins "cat on"
    assert [figure.value for figure in told.figures] == [5 / 6, 2 / 5, 1.0]


def test_ter_shows_its_shifts_and_edits() -> None:
    told = parse("ter").explain(
        "on the mat sat the cat", ["nothing alike at all really", "the cat sat on the mat"]
    )
    shifts, edits = told.parts
    assert isinstance(shifts, Shifts) and isinstance(edits, Edits)
    assert shifts.shifts[-1].after == ("the", "cat", "sat", "on", "the", "mat")
    assert edits.count("match") == 6 and told.counted == (2,)


def test_wer_takes_the_reference_with_the_lowest_rate() -> None:
    told = parse("wer").explain("a x c", ["a b c d e", "a b c"])
    assert told.counted == (2,) and told.score == pytest.approx(1 / 3)
    (edits,) = told.parts
    assert isinstance(edits, Edits)
    assert [step.kind for step in edits.steps] == ["match", "substitution", "match"]


def test_a_metric_without_an_explanation_shows_its_statistics() -> None:
    class Plain(type(parse("bleu"))):  # type: ignore[misc]
        explained = Metric.explained

    told = Plain().explain("a b", ["a c"])
    assert not told.detailed and not told.parts
    assert told.score == parse("bleu").segments(["a b"], [["a c"]])[0]
    assert dict(told.row)["correct_1"] == 1 and "statistics only" in told.notes[0]


def test_edit_pairs_are_the_counted_alignment_also_where_texts_are_bisected() -> None:
    generator = random.Random(5)
    for size in [*range(20), 70, 300, 3000]:
        a, b = (generator.choices("abcd", k=size + generator.randrange(5)) for _ in "ab")
        pairs = edit_pairs(a, b)
        assert [j for j, _ in pairs if j is not None] == [*range(len(b))]
        assert [i for _, i in pairs if i is not None] == [*range(len(a))]
        both = [(j, i) for j, i in pairs if j is not None and i is not None]
        hits = sum(b[j] == a[i] for j, i in both)
        deletions, insertions = sum(j is None for j, _ in pairs), sum(i is None for _, i in pairs)
        assert (hits, len(both) - hits, deletions, insertions) == edit_counts(a, b)


def test_common_subsequence_and_cheapest_edits() -> None:
    assert matches_in(common_subsequence("abcbdab", "bdcaba")) == 4
    cost, pairs = cheapest_edits("sitting", "kitten", 1.0, 1.0, 1.0)
    assert cost == 3 and sum(a is None or b is None for a, b in pairs) == 1
    assert cheapest_edits("", "", 1, 1, 1) == (0, [])
