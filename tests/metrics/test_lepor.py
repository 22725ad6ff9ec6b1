"""LEPOR and hLEPOR: factors by hand, where NLTK leaves the paper, and properties."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from nlgauge import kernels
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def of(spec: str, output: str, reference: str) -> float:
    return parse(spec).corpus([output], [[reference]])


def test_the_factors_by_hand() -> None:
    # Seven words beside six. Aligned: a, bird, stone and the full stop, the first a of the output with the only one.
    places = abs(1 / 7 - 1 / 6) + abs(2 / 7 - 2 / 6) + abs(6 / 7 - 5 / 6)
    expected = math.exp(1 - 7 / 6) * math.exp(-places / 7) * 2 / (7 / 4 + 6 / 4)
    assert of("lepor", "a bird is on a stone.", "a bird behind the stone.") == pytest.approx(expected)


def test_recall_and_precision_are_weighted() -> None:
    # Precision 1, recall 1/2; places 1/1 and 1/2.
    factors = math.exp(1 - 2) * math.exp(-abs(1 - 1 / 2))
    assert of("lepor(alpha=9)", "a", "a b") == pytest.approx(factors * 10 / (9 * 2 + 1))
    assert of("lepor(beta=9)", "a", "a b") == pytest.approx(factors * 10 / (2 + 9))


def test_of_several_places_the_nearest_with_a_common_neighbour_is_taken() -> None:
    # The a of "z a c" is nearer to the first of the reference, but only the second has c beside it: a 2-4, c 3-5.
    places = abs(2 / 3 - 4 / 5) + abs(3 / 3 - 5 / 5)
    expected = math.exp(1 - 5 / 3) * math.exp(-places / 3) * 2 / (3 / 2 + 5 / 2)
    assert of("lepor(tok=none,window=1)", "z a c", "a x y a c") == pytest.approx(expected)
    # Without neighbours to look at, the nearest.
    places = abs(2 / 3 - 1 / 5) + abs(3 / 3 - 5 / 5)
    expected = math.exp(1 - 5 / 3) * math.exp(-places / 3) * 2 / (3 / 2 + 5 / 2)
    assert of("lepor(tok=none,window=0)", "z a c", "a x y a c") == pytest.approx(expected)


def test_a_word_is_aligned_once_but_for_nltk() -> None:
    assert of("lepor", "the the the the", "the cat") < 0.2
    assert of("lepor(form=nltk)", "the the the the", "the cat") > 1


def test_nltk_rewards_a_difference_in_length() -> None:
    rest = math.exp(-(1 + 2 + 3 + 4) * (1 / 4 - 1 / 5) / 5) * 2 / (5 / 4 + 4 / 4)
    for form, factor in (("nltk", math.exp(1 - 4 / 5)), ("paper", math.exp(1 - 5 / 4))):
        assert of(f"lepor(form={form})", "a b c d e", "a b c d") == pytest.approx(factor * rest)


def test_harmonic_mean_of_the_factors_by_hand() -> None:
    # Lengths 3 and 4; a, b, c in the same places; precision 1, recall 3/4.
    sizes = math.exp(1 - 4 / 3)
    positions = math.exp(-(sum(place / 3 - place / 4 for place in (1, 2, 3))) / 3)
    words = 10 / (9 / 0.75 + 1)
    expected = 10 / (2 / sizes + 1 / positions + 7 / words)
    assert of("hlepor", "a b c", "a b c d") == pytest.approx(expected)


@pytest.mark.parametrize("spec", ["lepor", "hlepor"])
def test_properties(spec: str) -> None:
    rng = random.Random(1)
    for _ in range(50):
        words = rng.sample("abcdefghijkl", rng.randint(2, 12))
        text, other = " ".join(words), " ".join(rng.choices("abcdefgh", k=rng.randint(1, 12)))
        assert 0 <= of(spec, text, other) <= 1
        assert of(spec, text, text) == pytest.approx(1)
        assert of(spec, " ".join(words[::-1]), text) < 1
        assert of(spec, " ".join(words[:-1]), text) < 1
    assert parse(spec).segments(["", "a", "", "a"], [["a"], [""], [""], ["b"]]).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("spec", ["lepor", "hlepor"])
def test_several_references(spec: str) -> None:
    outputs, references = ["a b c"], ["a b", "a c b d"]
    alone = [of(spec, outputs[0], text) for text in references]
    assert parse(spec).corpus(outputs, [references]) == max(alone)
    assert parse(f"{spec}(multi=average)").corpus(outputs, [references]) == pytest.approx(sum(alone) / 2)
