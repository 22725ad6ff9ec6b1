"""The features of BEER, computed by hand."""

from __future__ import annotations

import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics.beer import FEATURES
from nlgauge.metrics.spec import parse


def value(feature: str, hypothesis: str, *references: str) -> float:
    return float(parse(f"beer-features(feature={feature})").segments([hypothesis], [references])[0])


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        # matched: the, dog, ate, and not `a`, which has no partner; `a` and `the` are function words
        ("words-p", 3 / 4),
        ("words-r", 3 / 5),
        ("words-f1", 2 * 3 / 9),
        ("content-p", 2 / 2),
        ("content-r", 2 / 3),
        ("function-p", 1 / 2),
        ("function-r", 1 / 2),
        ("function-f1", 1 / 2),
    ],
)
def test_words_by_hand(feature: str, expected: float) -> None:
    assert value(feature, "The dog ate a", "the dog ate his bone") == pytest.approx(expected)


def test_character_ngrams_by_hand() -> None:
    # "abcd" and "bcde": three of four letters, two of three pairs, one of two triples, no four
    assert [value(f"char{n}-p", "ab cd", "b cde") for n in range(1, 5)] == pytest.approx([3 / 4, 2 / 3, 1 / 2, 0])
    assert value("char1-r", "abcd", "bcdefg") == pytest.approx(3 / 6)
    assert value("char1-f1", "abcd", "bcdefg") == pytest.approx(2 * 3 / 10)


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        # beta delta alpha gamma is 2 4 1 3 of the reference: one node that cannot be divided, pairs 24, 23 and 13 kept
        ("four", 1 / 3),
        ("monotone", 0.0),
        ("inverted", 0.0),
        ("larger", 0.0),
        ("trees", 1 / 5),
        ("kendall", 3 / 6),
        ("skip-p", 3 / 6),
        ("skip-r", 3 / 10),
        ("skip-f1", 2 * 0.5 * 0.3 / 0.8),
    ],
)
def test_order_by_hand(feature: str, expected: float) -> None:
    found = value(feature, "beta delta alpha gamma", "alpha beta gamma delta missing")
    assert found == pytest.approx(expected)


def test_words_without_a_partner_do_not_count_as_out_of_order() -> None:
    assert value("inverted", "two new one", "one two") == 1.0
    assert value("monotone", "one quite new two", "one other two") == 1.0


def test_a_single_match_is_in_order_and_none_has_no_order() -> None:
    for feature in ("monotone", "trees", "kendall"):
        assert value(feature, "alpha", "alpha beta") == 1.0
        assert value(feature, "alpha", "beta") == 0.0
        assert value(feature, "", "beta") == 0.0


def test_stems_and_synonyms_match() -> None:
    assert value("content-r", "dogs", "dog") == 1.0
    assert value("content-r", "automobile", "car") == 1.0
    assert value("content-r", "automobile", "carpet") == 0.0


def test_every_feature_takes_the_reference_with_most_character_ngrams_in_common() -> None:
    references = ("something else here", "alpha beta gamma")
    for feature in FEATURES:
        assert value(feature, "gamma alpha beta", *references) == value(feature, "gamma alpha beta", references[1])


def test_features_share_their_rows_and_the_sum_of_a_set_is_scored() -> None:
    keys = {parse(f"beer-features(feature={feature})").rows_key() for feature in FEATURES}
    assert len(keys) == 1
    metric = parse("beer-features(feature=words-p)")
    assert metric.corpus(["alpha", "alpha beta delta"], [["alpha"], ["beta"]]) == pytest.approx(2 / 4)


def test_less_is_better_where_it_counts_what_is_out_of_order() -> None:
    assert parse("beer-features(feature=inverted)").direction == "lower"
    assert parse("beer-features(feature=monotone)").direction == "higher"


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(SpecError, match="feature"):
        parse("beer-features(feature=words)")
