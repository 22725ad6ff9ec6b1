"""Explanations: what they show adds up to the metric's own score, for every metric and on odd text."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import numpy as np
import orjson
import pytest

import nlgauge
from nlgauge import kernels
from nlgauge.errors import InputError, NlgaugeError
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
    "rougeW(form=lin,multi=best)@1.5",
    "meteor-universal(paraphrases=none)",
    "meteor-universal(paraphrases=none,norm=no,lang=de,delta=0.6)",
    "meteor-universal(paraphrases=none,count=letters)",
    # these read no table and so run everywhere
    *(f"{name}(lang=other,function=none,paraphrases=none)" for name in ("meteor-universal", "meteor-next", "meteor++")),
    "meteor++(lang=other,function=none,paraphrases=none,rare=1)",
    "meteor++2(lang=other,function=none,paraphrases=none,patterns=none)",
    "gleu(shortest=2,order=3)",
    "gleu-gec(level=segment,order=2)",
    *(f"sari(form={form},order=3)" for form in ("original", "easse", "easse-paper")),
    "sari.keep",
    "gtm(exponent=2)",
    "gtm(exponent=1.3,beta=2).p",
    "ribes(form=ntt)",
    "ribes(form=nltk3.9,lower=yes)",
    "deltableu(form=paper,order=2)",
    "deltableu(smooth=floor,reflen=average)",
    "cder(lower=yes)",
    "iter(norm=alignment,stem=none)",
    "iter(norm=reference,shift=0.4,stem_cost=0.1,deletion=0.7)",
    "eed(lang=none,alpha=0.5)",
    "charcut(match=1,norm=hypothesis)",
    *(f"rougeC(kind={kind})" for kind in ("l", "lsum", "w", "s", "su4")),
    "rougeC(limit=3,multi=best)@2.p",
    "lepor(form=nltk,multi=average)",
    "hlepor(multi=average,window=1)",
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
    batch.reference_weights = [[1.0, -0.5, 0.25][: len(references)]]
    if "post_edits" in metric.needs:
        batch.post_edits = batch.references  # type: ignore[attr-defined]
    return batch


def _source(metric: Metric) -> object:
    return [["the cat", "place", "the mat"]] if metric.name == "parent" else "the cat sat on the mat"


def prepared(metric: Metric) -> Metric:
    return metric.prepare([batch_of(metric, *segment) for segment in SEGMENTS]) if metric.needs_prepare else metric


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
    for hypothesis, references in ODD[:5] if metric.models else SEGMENTS:  # networks take their time
        row = native.rows(batch_of(metric, hypothesis, references))[0]
        with kernels.use("python"):
            told = plain.explained(batch_of(metric, hypothesis, references))
        assert [name for name, _ in told.row] == list(metric.columns)
        # encoders compute in single precision, whose last digits hang on what is encoded together
        near = 1e-6 if metric.models else 1e-12
        assert np.allclose([value for _, value in told.row], row, rtol=near, atol=near), (
            hypothesis,
            references,
        )
        assert told.score == pytest.approx(float(metric.score(row)), rel=near, abs=near)
        assert told.metric == str(metric)
        assert orjson.loads(orjson.dumps(told.to_dict()))["score"] == told.score  # as `explain --json` writes it
        check_parts(told)


def check_parts(told: Explanation) -> None:
    """Every part is consistent in itself."""
    shares = []
    for part in told.parts:
        if isinstance(part, Edits):
            assert [s.hypothesis for s in part.steps if s.hypothesis is not None] == [*range(len(part.hypothesis))]
            assert [s.reference for s in part.steps if s.reference is not None] == [*range(len(part.reference))]
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
    "multiwer per character levenshtein hter hbleu parent yisi0 gleu gleu-gec sari gtm ribes deltableu cder iter eed "
    "charcut rougeC lepor hlepor rep rep-w copyrate fragments greedy wmd"
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
    assert {" ".join(row.words): (row.hypothesis, row.reference, row.matched, row.state) for row in words.rows} == {
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
    told = parse("ter").explain("on the mat sat the cat", ["nothing alike at all really", "the cat sat on the mat"])
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


def values(told: Explanation) -> dict[str, float]:
    return {figure.name: figure.value for figure in told.figures}


def links(told: Explanation) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    (part,) = (part for part in told.parts if isinstance(part, Links))
    return [(link.hypothesis, link.reference) for link in part.links]


def test_sari_names_what_is_added_kept_and_deleted() -> None:
    told = parse("sari@1").explain("a b x", ["a c x", "a x"], "a b c")
    source = told.parts[0]
    assert isinstance(source, Passage) and source.levels == (1, 1, 0)
    added, kept, deleted = (part for part in told.parts if isinstance(part, Ngrams))
    shown = [
        {" ".join(r.words): (r.hypothesis, r.reference, r.matched) for r in part.rows}
        for part in (added, kept, deleted)
    ]
    assert shown[0] == {"x": (1, 1, 1)}
    assert shown[1] == {"a": (2, 2, 2), "b": (2, 0, 0), "c": (0, 1, 0)}  # the output's count twice
    assert shown[2] == {"b": (0, 2, 0), "c": (2, 1, 1)}
    assert values(told) == pytest.approx({"add": 1.0, "keep": 4 / 7, "delete": 0.5})  # P 1/2, R 2/3


def test_cder_shows_blocks_and_jumps() -> None:
    told = parse("cder").explain("d e f g a b c", ["a b c d e f g"])
    assert links(told) == [((4, 7), (0, 3)), ((0, 4), (3, 7))]
    assert values(told)["jumps"] == 3 and told.score == pytest.approx(3 / 7)
    empty = parse("cder").explain("c d", [""])
    assert values(empty)["jumps"] == 1 and empty.score == 1


def test_gtm_ribes_and_lepor_show_which_words_go_together() -> None:
    told = parse("gtm(exponent=2)").explain("a b c d", ["x", "c d a b"])
    assert told.counted == (2,) and links(told) == [((0, 2), (2, 4)), ((2, 4), (0, 2))]
    assert values(told)["size of the matching"] == pytest.approx(8**0.5)
    told = parse("ribes").explain("Bob hit John yesterday", ["John hit Bob yesterday"])
    assert links(told) == [((0, 1), (2, 3)), ((1, 2), (1, 2)), ((2, 3), (0, 1)), ((3, 4), (3, 4))]
    assert values(told)["pairs in order"] == 0.5
    told = parse("lepor").explain("a b", ["b a"])
    assert links(told) == [((0, 1), (1, 2)), ((1, 2), (0, 1))] and values(told)["words aligned"] == 2


def test_iter_tells_stems_from_other_words() -> None:
    told = parse("iter").explain("he runs fast", ["he running slowly"])
    assert values(told)["same stem"] == 1 and values(told)["substitutions"] == 1
    assert told.score == pytest.approx(0.5)
    told = parse("iter").explain("on the mat sat the cat", ["the cat sat on the mat"])
    shifts = told.parts[0]
    assert isinstance(shifts, Shifts) and shifts.shifts[-1].after == ("the", "cat", "sat", "on", "the", "mat")


def test_charcut_and_eed_mark_characters() -> None:
    told = parse("charcut").explain("this is in fact an estimate", ["this is actually an estimate"])
    output, _ = told.parts
    assert isinstance(output, Passage) and output.words[8:11] == ("i", "n", " ")
    assert output.levels[:8] == (1,) * 8 and output.levels[8] == 0
    moved = parse("charcut").explain("charlie alpha", ["alpha charlie"])
    assert (values(moved)["shifted"], values(moved)["inserted"], values(moved)["deleted"]) == (
        5,
        1,
        1,
    )  # a blank
    told = parse("eed(lang=none)").explain("abc", ["abc"])
    assert told.parts[0].levels == (1, 1, 1)  # type: ignore[union-attr]
    assert values(told) == pytest.approx({"edits and jumps": 0, "coverage": 0.3, "characters": 3})  # the start


def test_gleu_deltableu_and_rougec_by_hand() -> None:
    told = parse("gleu@2").explain("a b", ["a c", "a b c"])
    assert told.counted == (2,) and dict(told.row) == {"matches": 3, "ngrams": 5}
    told = parse("gleu-gec@1").explain("a b", ["a c"], "a b")
    assert [part.title for part in told.parts if isinstance(part, Ngrams)] == [
        "single words",
        "single words that the source has and the reference has not",
    ]
    assert dict(told.row)["correct_1"] == 0  # "a" matches, "b" is kept by mistake
    told = parse("deltableu@1").explain("a b", ["a", "b"], reference_weights=[1, -0.5])
    words = told.parts[1]
    assert isinstance(words, Ngrams) and [row.weight for row in words.rows] == [1, -0.5]
    assert dict(told.row)["correct_1"] == 0.5
    asked = {"document": ["the cat sat", "a dog"], "query": "the dog"}
    told = parse("rougeC(gamma=0.5)").explain("the dog sat", source=asked)
    assert told.references == ("the cat sat", "a dog")
    assert told.score == pytest.approx(0.5 * 1 + 0.5 * 3 / 5)


@pytest.mark.parametrize("name", ("ter", "character", "rougeL", "hter"))
def test_a_segment_too_long_to_be_shown_is_refused_at_once(name: str) -> None:
    long = " ".join(f"w{number % 997}" for number in range(20_000))
    begun = time.monotonic()
    with pytest.raises(InputError, match="about 20,000 words"):
        parse(name).explain(long, [long[::-1]])
    data = [{"item": "1", "system": "a", "hypothesis": long, "references": [long], "post_edit": long}]
    with pytest.raises(InputError, match="about 20,000 words"):
        nlgauge.explain(data, name, "1")
    assert time.monotonic() - begun < 10
