"""SPICE and SPIDEr: by hand on small captions, matching beside a search over all assignments, properties, bad input."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge as ng
from nlgauge.errors import InputError, SpecError
from nlgauge.lexicons.wordnet import wordnet
from nlgauge.metrics.cider import CiderD
from nlgauge.metrics.explanation import Graph
from nlgauge.metrics.spec import parse
from nlgauge.metrics.spice import CATEGORIES, Fact, Spice, keys, matched, merged
from nlgauge.metrics.spider import Spider
from nlgauge.models.scenes import Scene
from nlgauge.report.explain_html import render_explanations
from nlgauge.types import EvaluationSet

DOG = "A small dog runs on the grass."
CAPTIONS = [DOG, "Two red cars.", "", "A man in a hat plays the guitar."]


def test_by_hand() -> None:
    # output: dog, grass, (dog small), (dog run), (dog on grass); reference: dog, (dog brown), (dog run)
    row = Spice().explain(DOG, ["A brown dog runs."])
    assert dict(row.row) == pytest.approx(
        {
            "f1": 2 * 2 / 8,
            "p": 2 / 5,
            "r": 2 / 3,
            "segments": 1,
            "object": 2 / 3,
            "object segments": 1,
            "attribute": 0.5,
            "attribute segments": 1,
            "relation": 0,
            "relation segments": 1,
            "color": 0,
            "color segments": 1,
            "count": 0,
            "count segments": 0,
            "size": 0,
            "size segments": 1,
        }
    )


def test_synonyms_are_wordnets() -> None:
    texts = ["A small bicycle."], [["A little bike."]]
    assert Spice().corpus(*texts) == 1.0
    assert Spice(synonyms=False).corpus(*texts) == 0.0


def test_references_are_one_graph_in_which_synonyms_are_one_object() -> None:
    metric = Spice()
    two = metric.explain("A bike.", ["A bike.", "A bicycle."])
    assert two.score == 1.0
    graph = two.parts[1]
    assert isinstance(graph, Graph) and [triple.words for triple in graph.triples] == [("bike",)]
    assert metric.segments(["A dog."], [["A cat.", "A dog."]])[0] == pytest.approx(2 / 3)


def test_numbers_match_as_numbers() -> None:
    assert Spice(output="count").corpus(["Two dogs."], [["2 dogs."]]) == 1.0
    assert Spice(output="count").corpus(["Two dogs."], [["Three dogs."]]) == 0.0


def test_tuples_can_be_left_out() -> None:
    reference = [["A dog on a chair."]]
    assert Spice(tuples="objects").corpus(["A chair on a dog."], reference) == 1.0
    assert Spice(tuples="attributes").corpus(["A red chair on a dog."], reference) == pytest.approx(4 / 5)
    assert Spice().corpus(["A chair on a dog."], reference) == pytest.approx(4 / 6)


def test_categories_average_over_the_segments_that_have_them() -> None:
    hypotheses, references = ["A red car.", "A dog."], [["A red car."], ["A dog."]]
    assert Spice(output="color").corpus(hypotheses, references) == 1.0
    assert Spice(output="color").segments(hypotheses, references).tolist() == [1.0, 0.0]
    assert Spice().corpus(hypotheses, references) == 1.0
    noted = ng.score(EvaluationSet.of({"a": ["A dog."]}, [["A dog."]]), ["spice.color", "spice"])
    assert [note for note in noted.notes if "spice" in note] == [
        "spice.color of a: neither outputs nor references have colours, so there is nothing to score"
    ]
    assert all("|lexicon=wordnet@3" in line for line in noted.receipts.values())


def test_a_set_is_the_mean_and_order_does_not_matter() -> None:
    references = [[CAPTIONS[3], DOG], [DOG], [DOG], ["A guitar."]]
    scores = Spice().segments(CAPTIONS, references)
    assert Spice().corpus(CAPTIONS, references) == pytest.approx(scores.mean())
    turned = Spice().segments(CAPTIONS[::-1], [several[::-1] for several in references[::-1]])
    np.testing.assert_allclose(turned[::-1], scores)
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("output", ["f1", "p", "r"])
def test_a_caption_equals_itself_and_nothing_matches_nothing(output: str) -> None:
    metric = Spice(output=output)
    assert metric.segments([DOG, "", DOG, ""], [[DOG], [DOG], [""], [""]]).tolist() == [1, 0, 0, 0]


# -- matching ------------------------------------------------------------------------------------------------


def fact(*words: str) -> Fact:
    size = len(words)
    return Fact(words, tuple(keys(word, place, size, None) for place, word in enumerate(words)))


def facts_of(sets: list[set[int]]) -> list[Fact]:
    """Facts of one element that match where their sets meet."""
    return [Fact((str(place),), (frozenset(map(str, some)),)) for place, some in enumerate(sets)]


@settings(deadline=None, max_examples=60)
@given(*(st.lists(st.sets(st.integers(0, 5), max_size=3), max_size=5) for _ in range(2)))
def test_matching_is_the_largest(left: list[set[int]], right: list[set[int]]) -> None:
    mine, theirs = facts_of(left), facts_of(right)
    pairs = matched(mine, theirs)
    assert len(set(pairs.values())) == len(pairs)
    assert all(mine[place].matches(theirs[target]) for place, target in pairs.items())
    few, many = sorted((mine, theirs), key=len)
    best = max(sum(a.matches(b) for a, b in zip(few, order, strict=True)) for order in permutations(many, len(few)))
    assert len(pairs) == best


def test_tuples_of_other_length_or_words_do_not_match() -> None:
    assert fact("dog").matches(fact("dog"))
    assert not fact("dog").matches(fact("dog", "red"))
    assert not fact("dog", "red").matches(fact("dog", "big"))
    assert fact("a", "on", "b").matches(fact("a", "on", "b"))
    assert not fact("a", "on", "b").matches(fact("b", "on", "a"))


def test_categories_of_attributes() -> None:
    assert fact("dog", "red").categories == ("attribute", "color")
    assert fact("dog", "2").categories == ("attribute", "count")
    assert fact("dog", "big").categories == ("attribute", "size")
    assert fact("dog", "happy").categories == ("attribute",)
    assert fact("dog").categories == ("object",) and fact("a", "on", "b").categories == ("relation",)


def test_merging_keeps_the_first_name_and_drops_what_repeats() -> None:
    one = Scene(("bike",), (("bike", "red"),), ())
    two = Scene(("bicycle", "man"), (("bicycle", "red"),), (("man", "ride", "bicycle"),))
    got = [some.words for some in merged([one, two], wordnet())]
    assert got == [("bike",), ("man",), ("bike", "red"), ("man", "ride", "bike")]
    assert len(merged([one, two], None)) == 6


# -- explanations, SPIDEr, bad input ------------------------------------------------------------------------


def test_explanation_shows_both_graphs() -> None:
    told = Spice().explain("A small bicycle & a <dog>.", ["A little bike."])
    output, reference = told.parts
    assert isinstance(output, Graph) and isinstance(reference, Graph)
    assert [triple.by for triple in output.triples if triple.words == ("bicycle",)] == [("bike",)]
    assert all(triple.matched for triple in reference.triples)
    page = render_explanations([told])
    assert "✓ <bdi>bicycle</bdi>" in page and "✗" in page and "<dog>" not in page
    assert told.to_dict()["parts"][0]["kind"] == "graph"


def test_spider_is_the_mean_of_its_halves() -> None:
    references = [[DOG, "A dog."], ["Two cars."], [DOG], ["A man plays a guitar."]]
    halves = [CiderD().segments(CAPTIONS, references), Spice().segments(CAPTIONS, references)]
    np.testing.assert_allclose(Spider().segments(CAPTIONS, references), np.mean(halves, axis=0))
    assert Spider().corpus(CAPTIONS, references) == pytest.approx(np.mean(halves))
    told = Spider().explain(DOG, [DOG])
    assert told.score == pytest.approx(0.5)  # with one item CIDEr-D is 0 and SPICE 1


def test_bad_input() -> None:
    with pytest.raises(InputError, match="has no reference"):
        Spice().corpus(["A dog."], [[]])
    with pytest.raises(SpecError, match="output"):
        parse("spice.adverb")
    with pytest.raises(SpecError, match="tuples"):
        parse("spice(tuples=verbs)")
    with pytest.raises(SpecError, match="df"):
        parse("spider(df=frequencies.txt)")
    with pytest.raises(InputError, match="prepare"):
        from nlgauge.kernels.batch import Batch

        Spider().rows(Batch(["A dog."], [["A dog."]]))


def test_outputs_by_name() -> None:
    for name in ("f1", "p", "r", *CATEGORIES):
        assert parse(f"spice.{name}").full().count(f"output={name}") <= 1
        assert isinstance(parse(f"spice.{name}"), Spice)
