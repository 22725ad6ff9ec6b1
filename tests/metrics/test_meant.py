"""MEANT, MEANT 2.0 and XMEANT: the formulas by hand, an oracle in plain loops, properties, bad input."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.explanation import Graph
from nlgauge.metrics.meant import (
    PREDICATE,
    Analysis,
    Idf,
    Meant,
    Meant2,
    Phrases,
    assigned,
    f_score,
    role_weights,
    structural,
)
from nlgauge.metrics.spec import parse
from nlgauge.metrics.xmeant import Xmeant
from nlgauge.models.frames import Frame

BRIDGE = "The minister opened a new bridge in the capital on Monday."
PASSIVE = "On Monday a new bridge was opened by the minister in the city."
OTHER = "Rain fell in the north."
EQUAL = defaultdict[str, float](lambda: 1.0)


def phrases(table: list[list[float]], order: int = 1, alpha: float = 0.5) -> Phrases:
    found = np.array(table)
    return Phrases(found, np.ones(found.shape[0]), np.ones(found.shape[1]), order, alpha)


# -- phrases -------------------------------------------------------------------------------------------------


def covered(table: list[list[float]], weights: list[float], size: int) -> float:
    """The n-gram similarity in plain loops."""
    upper = lower = 0.0
    for start in range(len(table) - size + 1):
        best = 0.0
        for other in range(len(table[0]) - size + 1):
            total = sum(weights[start + k] * table[start + k][other + k] for k in range(size))
            best = max(best, total)
        upper += best
        lower += sum(weights[start + k] for k in range(size))
    return upper / lower


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_phrases_equal_the_formula(rows: int, columns: int, order: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    table, mine, theirs = draw.random((rows, columns)), draw.random(rows) + 0.1, draw.random(columns) + 0.1
    size = min(order, rows, columns)
    got = Phrases(table, mine, theirs, order, 0.5).both(range(rows), range(columns))
    assert got[0] == pytest.approx(covered(table.tolist(), mine.tolist(), size))
    assert got[1] == pytest.approx(covered(table.T.tolist(), theirs.tolist(), size))


def test_the_weight_of_recall() -> None:
    assert f_score(0.2, 0.8, 0.5) == pytest.approx(0.32)
    assert f_score(0.2, 0.8, 0.0) == pytest.approx(0.2) and f_score(0.2, 0.8, 1.0) == pytest.approx(0.8)
    assert f_score(0.0, 1.0) == 0.0


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_alignment_is_the_best(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).random((rows, columns)).round(2)
    got = sum(similarity for _, _, similarity in assigned(table))
    small = table if rows <= columns else table.T
    orders = permutations(range(small.shape[1]), small.shape[0])
    best = max((sum(small[k, place] for k, place in enumerate(order)) for order in orders), default=0.0)
    assert got == pytest.approx(best)


# -- frames --------------------------------------------------------------------------------------------------


def test_frames_by_hand() -> None:
    # words 0..3 of either text; the output lacks the patient and has a second frame that nothing answers
    mine = Analysis(("he", "ate", "and", "slept"), (Frame((1,), (("agent", (0,)),)), Frame((3,), ())))
    theirs = Analysis(("he", "ate", "a", "nut"), (Frame((1,), (("agent", (0,)), ("patient", (2, 3)))),))
    table = np.eye(4)
    table[2:, 2:] = 0.0
    weights = {PREDICATE: 2.0, "agent": 1.0, "patient": 3.0}
    precision, recall = structural(mine, theirs, phrases(table.tolist()), weights)
    # precision: frames cover 2 words and 1 word; the first is all matched, the second not at all
    assert precision == pytest.approx((2 * (2 + 1) / (2 + 1) + 1 * 0) / 3)
    # recall: one frame; of the weights 2 + 1 + 3 the predicate and the agent are matched
    assert recall == pytest.approx((2 + 1) / (2 + 1 + 3))


def test_only_equal_roles_are_compared() -> None:
    mine = Analysis(("a", "b"), (Frame((0,), (("agent", (1,)),)),))
    theirs = Analysis(("a", "b"), (Frame((0,), (("patient", (1,)),)),))
    assert structural(mine, theirs, phrases(np.eye(2).tolist()), EQUAL) == pytest.approx((0.5, 0.5))


def test_a_filler_that_changed_its_role_has_no_second_choice() -> None:
    # the output's agent (word 1) is the reference's patient; the reference's agent (word 2) is half as similar
    mine = Analysis(("a", "b"), (Frame((0,), (("agent", (1,)),)),))
    theirs = Analysis(("a", "b", "c"), (Frame((0,), (("patient", (1,)), ("agent", (2,)))),))
    found = structural(mine, theirs, phrases([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]), EQUAL)
    assert found == pytest.approx((1 / 2, 1 / 3))


def test_precision_and_recall_each_take_their_own_side_of_a_filler() -> None:
    # the agent "b c" of the reference has the output's "b" and a word more
    mine = Analysis(("a", "b"), (Frame((0,), (("agent", (1,)),)),))
    theirs = Analysis(("a", "b", "c"), (Frame((0,), (("agent", (1, 2)),)),))
    found = structural(mine, theirs, phrases([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), EQUAL)
    assert found == pytest.approx((1.0, (1 + 1 / 2) / 2))


def test_roles_weigh_as_often_as_they_occur() -> None:
    texts = [Analysis(("a", "b", "c"), (Frame((0,), (("agent", (1,)), ("patient", (2,)))),)) for _ in range(2)]
    texts.append(Analysis(("a",), (Frame((0,), ()),)))
    weights = role_weights(texts)
    # three predicates weigh a quarter each beside four roles
    assert weights[PREDICATE] == pytest.approx(0.75 / 4.75) and weights["agent"] == pytest.approx(2 / 4.75)
    assert 0 < weights["modal"] < weights["agent"]


def test_rare_words_weigh_more() -> None:
    idf = Idf.of([Analysis(("the", "cat"), ()), Analysis(("the", "dog"), ())])
    assert idf.weight("the") == pytest.approx(math.log2(1 + 3 / 3))
    assert idf.weight("cat") == pytest.approx(math.log2(1 + 3 / 2))
    assert idf.weight("fish") == pytest.approx(math.log2(1 + 3 / 1))


# -- the metrics ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [Meant(), Meant(structure=1.0), Meant2(), Meant2(structure=1.0)])
def test_properties(metric: Meant | Meant2) -> None:
    texts = [BRIDGE, BRIDGE, BRIDGE, "", "Bridges"]
    references = [[BRIDGE], [PASSIVE], [OTHER], [BRIDGE], [BRIDGE]]
    same, passive, other, empty, fragment = metric.segments(texts, references)
    assert same == pytest.approx(1.0) and empty == 0.0
    assert 1 > passive > other and 1 > fragment >= 0
    best = metric.segments([BRIDGE, BRIDGE], [[OTHER, PASSIVE], [BRIDGE]])
    alone = metric.segments([BRIDGE, BRIDGE], [[PASSIVE, PASSIVE], [BRIDGE]])
    assert best[0] == pytest.approx(alone[0], abs=0.05)  # the better counts; weights differ by the other reference


def test_a_passive_says_the_same_to_frames_and_another_order_to_n_grams() -> None:
    references = [[PASSIVE], [OTHER]]
    texts = [BRIDGE, OTHER]
    assert Meant(structure=1.0).segments(texts, references)[0] > 0.95
    ordered, bags = (Meant2(structure=0.0, order=n).segments(texts, references)[0] for n in (3, 1))
    assert ordered < bags


def test_another_labeller_is_asked() -> None:
    asked = []

    def none(parse: object) -> list[Frame]:
        asked.append(parse)
        return []

    plain = Meant(structure=1.0).labelled(none)
    assert plain.corpus([BRIDGE], [[PASSIVE]]) == pytest.approx(Meant(structure=0.0).corpus([BRIDGE], [[PASSIVE]]))
    assert asked


def test_explanation_shows_the_frames_and_their_partners() -> None:
    told = Meant().explain(BRIDGE, [OTHER, PASSIVE])
    assert told.counted == (2,)
    output, reference = told.parts
    assert isinstance(output, Graph) and isinstance(reference, Graph)
    place = next(triple for triple in output.triples if "locative" in triple.words)
    assert place.matched and place.by == ("in the city",)
    assert Meant().segments([BRIDGE], [[OTHER, PASSIVE]])[0] == pytest.approx(told.score)


def test_xmeant_with_vectors_of_both_languages(tmp_path: Path) -> None:
    words = {"dogs": "1 0 0", "hunde": "1 0 0", "bark": "0 1 0", "bellen": "0 1 0", "cats": "0 0 1"}
    path = tmp_path / "both.txt"
    path.write_text("".join(f"{word} {row}\n" for word, row in words.items()), encoding="utf-8")
    metric = Xmeant(vectors=str(path))
    scores = metric.segments(["Dogs bark.", "Cats bark.", "Cats."], sources=["Hunde bellen."] * 3)
    assert scores.tolist() == pytest.approx([1.0, 0.5, 0.0])
    told = metric.explain("Dogs bark.", source="Hunde bellen.")
    assert told.score == pytest.approx(1.0) and "one phrase" in told.notes[0]


@pytest.mark.slow
def test_xmeant_knows_a_translation_by_the_packaged_encoder() -> None:
    texts = ["The dog chased the cat.", "The minister opened a bridge."]
    good, bad = Xmeant().segments(texts, sources=["Der Hund jagte die Katze."] * 2)
    assert good > bad + 0.1


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="prepare"):
        Meant().rows(Batch([BRIDGE], [[BRIDGE]]))
    with pytest.raises(InputError, match="no source"):
        Xmeant().corpus([BRIDGE])
    with pytest.raises(InputError, match="needs a text"):
        Xmeant().corpus([BRIDGE], sources=[{"name": "x"}])
    with pytest.raises(SpecError, match="structure"):
        parse("meant(structure=2)")
    with pytest.raises(SpecError, match="vectors"):
        parse("meant(vectors=minilm)")
    with pytest.raises(SpecError, match="or the path"):
        Meant(vectors=str(tmp_path / "none.txt")).corpus([BRIDGE], [[BRIDGE]])


def test_a_table_of_phrases_has_what_each_pair_has() -> None:
    rng = np.random.default_rng(4)
    left, right = [(0,), (1,), (2, 3), (4,)], [(0,), (1, 2), (3,)]
    mine, theirs = rng.random(5) * (np.arange(5) != 1), rng.random(4)  # one word weighs nothing
    phrases = Phrases(rng.random((5, 4)), mine, theirs, 2, 0.8)
    assert phrases.table(left, right).tolist() == [[phrases.f(a, b) for b in right] for a in left]
    assert phrases.table([], right).shape == (0, 3)
