"""METEOR++ and METEOR++ 2.0 by hand, and what must hold of them: bounds, identity, when they are METEOR Universal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError, MissingResource, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.pool import Numbering, number_texts
from nlgauge.lexicons import phrases as patterns
from nlgauge.metrics.explanation import Links, Ngrams, Passage
from nlgauge.metrics.meteor_plus import MeteorPlus, MeteorPlus2
from nlgauge.metrics.meteor_universal import MeteorUniversal, refuse_endless
from nlgauge.metrics.spec import parse


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "patterns.tsv"
    path.write_text(
        "# two ways to say it\n\nnot only [1] but also [2]\tboth [1] and [2]\n"
        "[1] 's [2]\tthe [NN,2] of [NP,1]\nboth [1] and [2]\t[1] and [2]\n",
        encoding="utf-8",
    )
    return str(path)


# `other` needs no dictionaries: words are matched by equality, all are content words (weight 0.7 each cancels out).
PLAIN: dict[str, Any] = {"lang": "other", "function": "none", "paraphrases": "none"}


def plus(**options: Any) -> MeteorPlus:
    return MeteorPlus(**{**PLAIN, **options})


def plus2(table: str, **options: Any) -> MeteorPlus2:
    return MeteorPlus2(**{**PLAIN, "patterns": table, **options})


def meteor(precision: float, recall: float, chunks: int, matched: float) -> float:
    fmean = precision * recall / (0.7 * precision + 0.3 * recall)
    return fmean * (1 - 0.3 * (chunks / matched) ** 1.4)


# -- copy words ----------------------------------------------------------------------------------------------------


def test_copy_words_by_hand() -> None:
    # Shared: he met in 2019 (4 of 6, 4 of 5; chunks: "he met", "in 2019"); copy words of the output: Ann, Rome, 2019;
    # of the reference: Bob, 2019. One is shared.
    texts = ["He met Ann Rome in 2019"], [["He met Bob in 2019"]]
    metric = plus(kappa=0.2)
    row = metric.corpus_rows(*texts)[0]
    assert row[23:].tolist() == [3, 2, 1]
    precision = 0.8 * 4 / 6 + 0.2 * 1 / 3
    recall = 0.8 * 4 / 5 + 0.2 * 1 / 2
    assert metric.score(row) == pytest.approx(meteor(precision, recall, 2, 4))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The cat sat", set()),
        ("The cat saw Ann. She left", {"ann"}),  # sentence starts are no names
        ("NATO met iPhone-makers in mid-2019", {"nato", "iphone", "2019"}),
        ("( McDonald said )", {"mcdonald"}),
        ("— 3.5 %", {"3.5"}),
        ("", set()),
    ],
)
def test_words_by_shape(text: str, found: set[str]) -> None:
    shaped = plus()._shaped(text)
    assert {word.strip(".") for word in shaped} == found


def test_a_lower_cased_output_still_copies() -> None:
    assert plus().corpus_rows(["ann left rome"], [["then Ann left Rome"]])[0, 23:].tolist() == [2, 2, 2]


def test_lists_rare_words_and_function_words(tmp_path: Path) -> None:
    (tmp_path / "copy.txt").write_text("Traffic\nquake\n", encoding="utf-8")
    (tmp_path / "function.txt").write_text("in\nquake\n", encoding="utf-8")
    texts = ["traffic in Rome quake"], [["the traffic in Rome"]]
    listed = plus(copy=f"{tmp_path}/copy.txt")
    assert listed.corpus_rows(*texts)[0, 23:].tolist() == [2, 1, 1]
    excepted = plus(copy=f"{tmp_path}/copy.txt", function=f"{tmp_path}/function.txt")
    assert excepted.corpus_rows(*texts)[0, 23:].tolist() == [1, 1, 1]
    rare = plus(copy="none", rare=1)
    rows = rare.corpus_rows(["a b", "a c"], [["a b"], ["a d"]])
    assert rows[:, 23:].tolist() == [[1, 1, 1], [0, 1, 0]]  # a occurs twice, c in no reference
    with pytest.raises(InputError, match=r"call prepare"):
        from nlgauge.kernels.batch import Batch

        rare.rows(Batch(["a"], [["a"]]))


def _texts(count: int, seed: int) -> tuple[list[str], list[list[str]]]:
    generator = random.Random(seed)
    words = ["the", "a", "cat", "not", "only", "and", "Ann", "Rome", "2019", ",", "naïve", "猫", "of"]
    forms = ["{}", "{}", "not only {} but also {}", "both {} and {}", "{} 's {}", "the {1} of {0}"]

    def text() -> str:
        parts = generator.choices(forms, k=generator.randrange(5))
        return " ".join(part.format(*generator.choices(words, k=2)) for part in parts)

    return [text() for _ in range(count)], [[text() for _ in range(1 + n % 3)] for n in range(count)]


def test_without_copy_words_it_is_meteor_universal(table: str) -> None:
    texts = _texts(60, 1)
    base = MeteorUniversal(**PLAIN)
    for metric in (plus(copy="none"), plus2("none", copy="none")):
        assert np.array_equal(metric.corpus_rows(*texts)[:, :23], base.corpus_rows(*texts))
        assert np.array_equal(metric.segments(*texts), base.segments(*texts))
        assert metric.corpus(*texts) == base.corpus(*texts)
    lowered = (
        [text.lower().replace("2019", "x") for text in texts[0]],
        [[text.lower().replace("2019", "x") for text in refs] for refs in texts[1]],
    )
    assert np.array_equal(plus().segments(*lowered), base.segments(*lowered))
    assert np.array_equal(plus(kappa=0).segments(*texts), base.segments(*texts))
    assert np.array_equal(plus2("none").segments(*texts), plus().segments(*texts))


def test_bounds_and_identity(table: str) -> None:
    texts = _texts(60, 2)
    for metric in (plus(), plus(kappa=1), plus2(table), plus2(table, syntactic=1)):
        scores = metric.segments(*texts)
        assert ((scores >= 0) & (scores <= 1)).all()
        same = [text for text in texts[0] if text]
        assert metric.segments(same, [[text] for text in same]) == pytest.approx(1)
        assert metric.segments(["", "", "a"], [["a"], [""], [""]]).tolist() == [0, 0, 0]


def test_a_copied_word_counts_more_and_a_spurious_one_costs_more() -> None:
    reference = [["they saw Ann there today"]]
    base = MeteorUniversal(**PLAIN)
    with_name, without = "they saw Ann here today", "they saw someone there today"
    assert base.corpus([with_name], reference) == pytest.approx(base.corpus([without], reference))
    assert plus().corpus([with_name], reference) > plus().corpus([without], reference)
    spurious = "they saw Ann Bob today"
    assert base.corpus([spurious], reference) == base.corpus([with_name], reference)
    assert plus().corpus([spurious], reference) < plus().corpus([with_name], reference)
    falling = [plus(kappa=kappa).corpus([without], reference) for kappa in (0, 0.25, 0.5, 0.75)]
    assert falling == sorted(falling, reverse=True) and len(set(falling)) == 4


# -- syntactic paraphrases -----------------------------------------------------------------------------------------


def test_a_pattern_by_hand(table: str) -> None:
    texts = ["she speaks not only french but also dutch"], [["she speaks both french and dutch"]]
    metric = plus2(table)
    row = metric.corpus_rows(*texts)[0]
    # Equal: she speaks french dutch. By pattern: not only but also | both and. All in one chunk that covers both.
    assert row[26:].tolist() == [4, 2, 0, 0]
    assert row[20:23].tolist() == [0, 8, 6]  # which counts as no chunk
    precision, recall = (4 + 0.6 * 4) / 8, (4 + 0.6 * 2) / 6
    assert metric.score(row) == pytest.approx(precision * recall / (0.7 * precision + 0.3 * recall))
    swapped = metric.corpus_rows(texts[1][0], [texts[0]])[0]
    assert swapped[26:].tolist() == [2, 4, 0, 0]


def test_gaps_may_change_places(table: str) -> None:
    # the car of ann | ann 's car: "car" and "ann" are two chunks; the words between them belong to no chunk.
    row = plus2(table, copy="none").corpus_rows(["the car of ann"], [["ann 's car"]])[0]
    assert row[26:].tolist() == [2, 1, 0, 0] and row[20:23].tolist() == [2, 4, 3]


def test_words_that_match_already_stay(table: str) -> None:
    row = plus2(table, copy="none").corpus_rows(["both ann and bob"], [["ann and bob"]])[0]
    assert row[4:6].tolist() == [3, 3] and row[26:].tolist() == [1, 0, 0, 0]


def test_the_gaps_must_hold_the_same(table: str) -> None:
    metric = plus2(table, copy="none")
    rows = metric.corpus_rows(["not only x but also dutch"], [["both french and dutch"]])
    assert not rows[0, 26:].any()
    far = "not only french and some more words but also dutch"
    reference = [["both french and dutch"]]
    assert not plus2(table, copy="none", gap=2).corpus_rows([far], reference)[0, 26:].any()
    assert plus2(table, copy="none").corpus_rows([far], reference)[0, 26:].any()


def test_patterns_never_lower_a_score(table: str) -> None:
    texts = _texts(100, 4)
    with_them, without = plus2(table).segments(*texts), plus().segments(*texts)
    assert (with_them >= without).all() and (with_them > without).any()
    weights = [plus2(table, syntactic=weight).segments(*texts) for weight in (0.2, 0.6, 1.0)]
    assert (weights[0] <= weights[1] + 1e-12).all() and (weights[1] <= weights[2] + 1e-12).all()


def test_long_texts_that_repeat_a_pattern_end(table: str) -> None:
    texts = ["not only a but also b " * 15], [["both a and b " * 15]]
    assert plus().corpus(*texts) < plus2(table).corpus(*texts) <= 1
    beyond = ["not only a but also b " + "x " * 1000], [["both a and b"]]
    with kernels.use("native"):
        assert plus2(table).corpus(*beyond) == plus().corpus(*beyond)


def test_the_best_reference_is_that_of_the_whole_score(table: str) -> None:
    metric = plus2(table)
    references = ["she speaks french well", "she speaks both french and dutch"]
    hypothesis = "she speaks not only french but also dutch"
    best = max(metric.corpus([hypothesis], [[text]]) for text in references)
    assert metric.corpus([hypothesis], [references]) == best


def test_both_backends_agree(table: str) -> None:
    texts = _texts(60, 5)
    rows = []
    for name in ("native", "python"):
        with kernels.use(name):
            rows.append(plus2(table).corpus_rows(*texts))
    assert np.array_equal(*rows)


# -- what the user supplies ------------------------------------------------------------------------------------------


def test_a_missing_table_is_named(table: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = ["not only a but also b"], [["both a and b"]]
    monkeypatch.delenv("NLGAUGE_PATTERNS", raising=False)
    with pytest.raises(MissingResource, match="NLGAUGE_PATTERNS"):
        MeteorPlus2(**PLAIN).corpus(*texts)
    monkeypatch.setenv("NLGAUGE_PATTERNS", table)
    assert MeteorPlus2(**PLAIN).corpus(*texts) == plus2(table).corpus(*texts)
    with pytest.raises(InputError, match="there is no table"):
        plus2(f"{tmp_path}/no").corpus(*texts)
    with pytest.raises(InputError, match="copy words"):
        plus(copy=f"{tmp_path}/no").corpus(*texts)
    with pytest.raises(SpecError, match="patterns"):
        parse("meteor++2(patterns=what)")
    assert parse(str(plus2(table))) == plus2(table)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not only [1]", "1 columns"),
        ("[1] [2]\tboth [1] and [2]", "no word"),
        ("both [1]\tboth [2]", "same gaps"),
        ("both [1] [1]\tboth [1]", "same gaps"),
        ("a [1] [2] [3] [4] [5]\tb [1] [2] [3] [4] [5]", "more than 4"),
    ],
)
def test_a_bad_line_is_refused(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(f"# comment\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"line 2: .*{message}"):
        patterns.read_patterns(path)


def test_occurrences_by_definition() -> None:
    found = list(patterns.occurrences(("a", 1, "b"), ["a", "x", "b", "b"], 3))
    assert [(one.words, one.gaps) for one in found] == [((0, 2), {1: (1, 2)}), ((0, 3), {1: (1, 3)})]


def test_the_explanation_shows_copy_words_and_patterns_of_the_reference_that_counts(table: str) -> None:
    metric = plus2(table)
    text, references = (
        "Ann speaks not only Dutch but also Thai !",
        ["nothing", "Ann speaks both Dutch and Thai in 1999"],
    )
    told = metric.explain(text, references)
    assert told.score == metric.segments([text], [references])[0] and told.counted == (2,) and told.detailed
    links, copies, mine, theirs = told.parts
    assert isinstance(links, Links)
    assert [link.hypothesis for link in links.links] == [(0, 1), (1, 2), (4, 5), (7, 8)]
    assert isinstance(copies, Ngrams)
    assert {row.words[0]: row.state for row in copies.rows} == {
        "dutch": "matched",
        "thai": "matched",
        "1999": "missing",
    }
    assert isinstance(mine, Passage) and isinstance(theirs, Passage)
    assert mine.levels == (1, 1, 2, 2, 1, 2, 2, 1, 0) and theirs.levels == (1, 1, 2, 1, 2, 1, 0, 0)
    shown = {figure.name: figure.value for figure in told.figures}
    assert (shown["copy words shared"], shown["matched by patterns"], shown["matched in the output"]) == (
        2,
        4,
        8,
    )


@pytest.mark.parametrize("field", ["alpha=2", "delta=1.5", "gamma=-0.5", "stem=1.01", "beta=101", "paraphrase=-2"])
def test_weights_outside_their_range_are_refused(field: str) -> None:
    with pytest.raises(SpecError, match=r"from 0 to 1(00)?, or -1 for that of the language and task"):
        parse(f"meteor-universal(lang=other,function=none,paraphrases=none,{field})")


@pytest.mark.parametrize("name", ["meteor-universal", "meteor-next", "meteor++"])
def test_texts_that_could_not_be_aligned_in_time_are_refused_by_name(name: str) -> None:
    metric = parse(f"{name}(lang=other,function=none,paraphrases=none)")
    long = "the " * 5000
    with pytest.raises(InputError, match=r"segment 1 has texts of 5,000 and 4,999 words .*split the texts"):
        metric.corpus(["a", long], [["a", "b"], ["c", long[:-4]]])
    varied = " ".join(map(str, range(5000)))
    refuse_endless(str, number_texts(Batch([varied], [[varied]]), Numbering(), str.split))  # does not mind
