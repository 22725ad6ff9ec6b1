"""Assignments: balance over triads, roles and judges, for many sizes and seeds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.study.designs.triangle import ROLES, assign, counts, role_counts, seat_of
from nlgauge.study.model import TRIADS, Slot, Text, odd_position


def texts(a: int, b: int | None = None, each: int = 1) -> list[Text]:
    return [
        Text(f"{subject}{item}.{k}", subject, str(item), "x")
        for subject, number in (("A", a), ("B", a if b is None else b))
        for item in range(number)
        for k in range(each)
    ]


def spread(values: list[int]) -> int:
    return max(values) - min(values)


def check_roles(slots: list[Slot], given_texts: list[Text]) -> None:
    found = role_counts(slots, given_texts)
    items = {s: sorted({t.item for t in given_texts if t.subject == s}) for s in "AB"}
    for role in ROLES:
        assert spread([found[role][item] for item in items[role[0]]]) <= 1
    for subject in "AB":
        assert spread([found[subject, True][i] + found[subject, False][i] for i in items[subject]]) <= 1


def test_the_papers_two_examples() -> None:
    assert sorted(counts(assign(texts(60), "public", 64, seed=1)).values()) == [10, 10, 11, 11, 11, 11]
    assert sorted(counts(assign(texts(60), "public", 98, seed=1)).values()) == [16, 16, 16, 16, 17, 17]


def test_every_block_holds_each_triad_once() -> None:
    slots = assign(texts(20), "public", 60, seed=3)
    for block in range(1, 11):
        assert sorted(slot.role for slot in slots if slot.block == block) == sorted(TRIADS)
    orders = {tuple(slot.role for slot in slots if slot.block == block) for block in range(1, 11)}
    assert len(orders) > 5  # the order within a block is drawn anew


@settings(max_examples=60, deadline=None)
@given(inputs=st.integers(4, 40), judges=st.integers(1, 130), seed=st.integers(0, 10**9))
def test_balance_for_any_size_and_seed(inputs: int, judges: int, seed: int) -> None:
    given_texts = texts(inputs)
    slots = assign(given_texts, "p", judges, seed=seed)
    assert [slot.number for slot in slots] == list(range(1, judges + 1))
    assert spread(list(counts(slots).values())) <= 1
    item = {text.id: text.item for text in given_texts}
    subject = {text.id: text.subject for text in given_texts}
    for slot in slots:
        assert "".join(subject[text] for text in slot.texts) == slot.role
        assert len({item[text] for text in slot.texts}) == 3
    check_roles(slots, given_texts)


@settings(max_examples=40, deadline=None)
@given(inputs=st.integers(6, 40), judges=st.integers(1, 12), each=st.integers(2, 13), seed=st.integers(0, 10**9))
def test_a_judges_own_evaluations_are_balanced(inputs: int, judges: int, each: int, seed: int) -> None:
    given_texts = texts(inputs)
    slots = assign(given_texts, "p", judges * each, per_judge=each, seed=seed)
    assert spread(list(counts(slots).values())) <= 1
    check_roles(slots, given_texts)
    for seat in range(1, judges + 1):
        own = [slot for slot in slots if seat_of(slot.number, each) == seat]
        assert len(own) == each
        assert spread(list(counts(own).values())) <= 1


@settings(max_examples=40, deadline=None)
@given(
    first=st.integers(1, 50),
    more=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    seed=st.integers(0, 999),
)
def test_a_continuation_is_balanced_at_every_point(first: int, more: list[int], seed: int) -> None:
    given_texts = texts(15)
    slots = assign(given_texts, "p", first, seed=seed)
    for number in more:
        slots += assign(given_texts, "p", number, seed=seed, before=slots)
        assert spread(list(counts(slots).values())) <= 1
        assert len({slot.id for slot in slots}) == len(slots)
    found = role_counts(slots, given_texts)
    for role in ROLES:  # a continuation cannot mend what was dealt before it
        assert spread([found[role][str(item)] for item in range(15)]) <= 2


def test_judges_with_enough_inputs_see_none_twice() -> None:
    given_texts = texts(40)
    slots = assign(given_texts, "experts", 24, per_judge=6, seed=11)
    for seat in range(1, 5):
        seen = Counter(text[1:] for slot in slots if seat_of(slot.number, 6) == seat for text in slot.texts)
        assert max(seen.values()) == 1


def test_three_inputs_are_the_fewest() -> None:
    check_roles(assign(texts(3), "p", 30, seed=5), texts(3))
    with pytest.raises(InputError, match="three different inputs"):
        assign(texts(2), "p", 6, seed=5)
    with pytest.raises(InputError, match="subject B has 1"):
        assign(texts(6, 1), "p", 6, seed=5)


def test_any_inputs_never_show_a_text_twice() -> None:
    for slot in assign(texts(2), "p", 30, seed=5, inputs="any"):
        assert len(set(slot.texts)) == 3


def test_several_texts_for_an_input_take_turns() -> None:
    given_texts = texts(6, each=3)
    shown = Counter(text for slot in assign(given_texts, "p", 72, seed=2) for text in slot.texts)
    assert set(shown) == {text.id for text in given_texts}
    assert spread(list(shown.values())) <= 2


def test_unequal_sets_of_inputs() -> None:
    given_texts = texts(8, 14)
    slots = assign(given_texts, "p", 60, seed=2)
    check_roles(slots, given_texts)


def test_the_seed_and_the_panel_decide() -> None:
    assert assign(texts(9), "p", 30, seed=4) == assign(texts(9), "p", 30, seed=4)
    assert assign(texts(9), "p", 30, seed=4) != assign(texts(9), "p", 30, seed=5)
    other = assign(texts(9), "q", 30, seed=4)
    assert [s.role for s in other] != [s.role for s in assign(texts(9), "p", 30, seed=4)]
    assert not {s.id for s in other} & {s.id for s in assign(texts(9), "p", 30, seed=4)}


def test_where_the_odd_text_stands() -> None:
    assert [odd_position(triad) for triad in TRIADS] == [0, 1, 2, 0, 1, 2]
