"""Overlap of grammatical relations, roles, entities and connectives: counted by hand over trees given by hand."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from nlgauge.metrics import registry, syntax
from nlgauge.metrics.semantics import connectives, meanings
from nlgauge.metrics.spec import parse
from nlgauge.metrics.syntax import relations
from nlgauge.models.interface import Entity, Parse, Word


def tree(*words: tuple[str, str, str, int], entities: tuple[Entity, ...] = ()) -> Parse:
    """From word, part of speech, relation and number of the head (its own at the root)."""
    return Parse(
        tuple(Word(text, text.lower(), pos, pos, dep, head, 0, True, 0) for text, pos, dep, head in words),
        entities,
    )


DOGS = tree(
    ("Old", "ADJ", "amod", 1),
    ("dogs", "NOUN", "nsubj", 2),
    ("chase", "VERB", "ROOT", 2),
    ("Ann", "PROPN", "dobj", 2),
    (".", "PUNCT", "punct", 2),
    entities=(Entity(3, 4, "PERSON"),),
)
CATS = tree(
    ("Old", "ADJ", "amod", 1),
    ("cats", "NOUN", "nsubj", 2),
    ("chase", "VERB", "ROOT", 2),
    ("dogs", "NOUN", "dobj", 2),
)


def compared(metric: str, hypothesis: Parse, *references: Parse) -> float:
    """The score of trees in place of texts."""
    made = parse(metric)
    found = type(made).items  # type: ignore[attr-defined]
    counts = [syntax._counts(found(hypothesis), found(reference)) for reference in references]
    return float(made.score(made._row(counts)))  # type: ignore[attr-defined]


def test_items_of_grammar_are_those_of_the_tree_without_punctuation() -> None:
    found = relations(DOGS)
    assert found["relations"] == [
        Counter(
            [
                ("old", "amod", "dogs"),
                ("dogs", "nsubj", "chase"),
                ("chase", "ROOT", ""),
                ("ann", "dobj", "chase"),
            ]
        )
    ]
    assert found["levels"] == [Counter([("old", "3"), ("dogs", "2"), ("chase", "1"), ("ann", "2")])]
    assert found["chains"][1] == Counter([("old", "dogs"), ("dogs", "chase"), ("ann", "chase")])
    assert found["chains-relations"][2] == Counter([("amod", "nsubj", "ROOT")])
    assert found["chains-parts"][3] == Counter()


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("syntax", 1 / 4),  # chase as root
        ("syntax(feature=heads)", 2 / 4),  # and dogs under chase
        ("syntax(feature=ruled)", 2 / 4),  # old amod, chase ROOT
        ("syntax(feature=parts)", 3 / 4),  # old, dogs, chase
        ("syntax(feature=levels)", 3 / 4),
        ("syntax(feature=levels,output=overlap)", 3 / 5),
        # of one word 3 of 4, of two 1 of 3, of three none, of four neither text has any
        ("syntax(feature=chains)", (3 / 4 + 1 / 3 + 0) / 3),
        ("syntax(feature=chains-relations)", 1.0),
        ("semantics(feature=role-names)", 1.0),
        ("semantics(feature=roles)", 2 * 1 / 6),  # old as agent, of three words in roles each
        ("semantics(feature=fillers)", 0.0),
        ("semantics(feature=entities)", 0.0),
        ("semantics(feature=entities-words)", 3 / 4),
        ("semantics(feature=connectives)", 1.0),  # neither text has one
    ],
)
def test_scores_by_hand(metric: str, expected: float) -> None:
    assert compared(metric, DOGS, CATS) == pytest.approx(expected)


def test_precision_and_recall_by_hand() -> None:
    small = tree(("cats", "NOUN", "nsubj", 1), ("chase", "VERB", "ROOT", 1))
    assert compared("syntax(output=p)", small, CATS) == 1.0
    assert compared("syntax(output=r)", small, CATS) == 1 / 2
    assert compared("syntax(output=f1)", small, CATS) == pytest.approx(2 / 3)
    assert compared("syntax(output=overlap)", small, CATS) == 1 / 2


def test_each_feature_takes_its_best_reference() -> None:
    assert compared("syntax", DOGS, CATS, DOGS) == 1.0
    assert compared("syntax", DOGS, DOGS, CATS) == 1.0
    other = tree(("Ann", "PROPN", "ROOT", 0), entities=(Entity(0, 1, "PERSON"),))
    assert compared("semantics(feature=names)", DOGS, CATS, other) == 1.0
    assert compared("syntax(feature=parts)", DOGS, CATS, other) == 3 / 4


def test_roles_entities_and_connectives_of_a_tree() -> None:
    found = meanings(DOGS)
    assert found["roles"] == [Counter([("old", "agent"), ("dogs", "agent"), ("ann", "patient")])]
    assert found["roles-verbs"][0]["ann", "patient", "chase"] == 1
    assert found["fillers"] == [Counter([("old dogs", "agent"), ("ann", "patient")])]
    assert found["names"] == [Counter([("ann", "PERSON")])]
    assert found["entities-words"][0]["old", ""] == 1


def test_the_longest_connective_counts_and_only_once() -> None:
    said = "even though it rained , we went because of the dog instead of the cat"
    assert list(connectives(said.split())) == [
        ("even though", "concession"),
        ("because of", "cause"),
        ("instead of", "contrast"),
    ]
    assert not list(connectives(["in", "order"]))


@pytest.mark.parametrize("name", ["syntax", "semantics"])
def test_odd_texts_and_copies(name: str) -> None:
    cls = registry.load(name)
    texts = ["Mary sees the old dog because she looks.", "dog", "", "😀 ¿qué? — naïve", "зима близко"]
    for feature in cls.plurals:  # type: ignore[attr-defined]
        metric = parse(f"{name}(feature={feature})")
        assert metric.segments(texts, [["other words", text] for text in texts]).tolist() == [1.0] * len(texts)
    assert parse("syntax").segments(["", "dog"], [["dog"], [""]]).tolist() == [0.0, 0.0]


def test_features_share_their_rows_and_texts_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse("syntax(feature=chains,output=p)").rows_key() == parse("syntax").rows_key()
    parser = parse("syntax").loaded()  # type: ignore[attr-defined]
    parse("syntax").segments(["A dog ran."], [["A cat ran."]])
    monkeypatch.setattr(parser, "_pipeline", SimpleNamespace(pipe=list))  # would give texts for analyses
    assert parse("semantics(feature=fillers)").segments(["A dog ran."], [["A cat ran."]]) == [0.0]


def test_a_set_without_items_says_so() -> None:
    metric = parse("semantics(feature=names)")
    assert "named entities" in metric.void(metric.corpus_rows(["so it is"], [["it is so"]]).sum(axis=0))
