"""EED and CharacTER by hand, at the edges."""

from __future__ import annotations

import pytest

from nlgauge import kernels
from nlgauge.kernels.python.edit import shift_cost, shifted
from nlgauge.metrics.character import Character
from nlgauge.metrics.eed import Eed, english


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> object:
    """Every test on both backends."""
    with kernels.use(request.param):
        yield


def test_eed_of_two_letters_by_hand() -> None:
    # Reference "ab" over hypothesis "a": rows (0, 1), then a: (1, 0), then b: (2, 1). The smallest cells are at place 1
    # twice: visits (-1, 1), so v = 1 (never at 0) + 1 (again at 1) = 2; (1 + 0.3 · 2) / (2 + 0.3 · 2).
    assert Eed(lang="none").corpus(["a"], [["ab"]]) == pytest.approx(1.6 / 2.6)
    assert Eed(lang="none", rho=0.0).corpus(["a"], [["ab"]]) == 0.5


def test_eed_jumps_at_blanks() -> None:
    swapped = ["he read the book because it rained today"], [["because it rained today he read the book"]]
    assert Eed(alpha=2.0).corpus(*swapped) < Eed(alpha=40.0).corpus(*swapped)


@pytest.mark.parametrize(
    ("lang", "hypothesis", "reference", "score"),
    [("none", "", "", 1.0), ("none", "abc", "", 1.0), ("none", "", "abc", 1.0), ("en", "", "", None)],
)
def test_eed_of_empty_texts(lang: str, hypothesis: str, reference: str, score: float | None) -> None:
    got = Eed(lang=lang).corpus([hypothesis], [[reference]])
    assert 0 <= got <= 1 and (score is None or got == score)
    assert Eed(lang="none", rho=0.0).corpus([""], [[""]]) == 0


def test_eed_takes_the_nearest_reference_and_the_mean_of_segments() -> None:
    eed = Eed()
    one = eed.segments(["a cat sat"], [["a cat sat down"]])[0]
    assert eed.segments(["a cat sat"], [["nothing like it", "a cat sat down"]])[0] == one
    assert eed.corpus(["a cat sat", "x"], [["a cat sat down"], ["x"]]) == pytest.approx(
        (one + eed.corpus(["x"], [["x"]])) / 2
    )


def test_english_preparation() -> None:
    assert english("Mr. Smith, e. g. 1. 5!") == " Mr. Smith , e.g. 1.5 ! "
    assert english("Mr Smith") == " Mr.mith "  # the authors' rule takes any character for the full stop


def test_character_by_hand() -> None:
    # "b a" becomes "a b" by one shift; the word a stands further on then, at 1 letter; no character differs: 1 / 3.
    assert Character().corpus(["b a"], [["a b"]]) == pytest.approx(1 / 3)
    assert Character().corpus(["abcd"], [["abxd"]]) == 1 / 4
    assert Character().corpus(["ab"], [["abcdefgh"]]) == 1  # never above 1, although 6 of 2
    assert Character().corpus(["The Cat"], [["the cat"]]) == 2 / 7
    assert Character(lower=True).corpus(["The Cat"], [["the cat"]]) == 0


def test_shifts_and_their_cost() -> None:
    assert shifted(["d", "e", "a", "b", "c"], ["a", "b", "c", "d", "e"]) == ["a", "b", "c", "d", "e"]
    assert shift_cost(["aa", "bb", "cc"], ["cc", "aa", "bb"]) == 2.0
    assert shift_cost(["c", "dd", "a", "bb"], ["a", "bb", "c", "dd"]) == 1.5


@pytest.mark.parametrize(
    ("hypothesis", "reference", "score"), [("", "", 0), ("a", "", 1), ("", "a", 1), (" \t", "\u00a0", 0)]
)
def test_character_of_empty_texts(hypothesis: str, reference: str, score: float) -> None:
    assert Character().corpus([hypothesis], [[reference]]) == score


def test_character_splits_at_any_white_space_and_can_tokenise() -> None:
    assert Character().corpus(["a\tb\u2003c"], [["a b c"]]) == 0
    assert Character().corpus(["a, b."], [["a , b ."]]) > 0
    assert Character(tok="13a").corpus(["a, b."], [["a , b ."]]) == 0


def test_character_takes_the_nearest_reference() -> None:
    assert Character().corpus(["a b"], [["x y", "a b"]]) == 0
