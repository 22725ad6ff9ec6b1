"""Which judgements count, and when one may look."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_studies import first, judgements, texts

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_words as words
from nlgauge.study.model import odd_position
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, Stopping, analyse
from nlgauge.study.protocols.triangle.analysis.answers import select

PLAN = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 30),))


def test_practice_never_counts() -> None:
    practice = judgements(first(30, 30), prefix="p", practice=True)
    found = analyse(PLAN, [*judgements(first(12, 30)), *practice], texts(24))
    assert (found.n, found.verdicts[0].correct, found.practice) == (30, 12, 30)


@pytest.mark.parametrize(("rule", "n"), [("exclude", 30), ("include", 33)])
def test_surplus_by_the_rule_fixed_at_launch(rule: str, n: int) -> None:
    late = judgements(first(3, 3), prefix="late", surplus=True)
    found = analyse(replace(PLAN, surplus=rule), [*judgements(first(12, 30)), *late], texts(24))
    assert (found.n, found.surplus) == (n, 33 - n)


def test_a_correction_replaces_in_its_place() -> None:
    rows = judgements(first(12, 30))
    old = next(one for one in rows if not one.correct)
    once = replace(old, id="c1", replaces=old.id, answer=odd_position(old.role), answered_at=old.answered_at + 1e6)
    found = analyse(PLAN, [*rows, once], texts(24))
    assert (found.n, found.verdicts[0].correct, found.corrected) == (30, 13, 1)
    again = replace(once, id="c2", replaces="c1", answer=old.answer, answered_at=old.answered_at + 2e6)
    found = analyse(PLAN, [again, once, *rows], texts(24))  # in any order
    assert (found.n, found.verdicts[0].correct, found.corrected) == (30, 12, 2)
    kept = select([*rows, once], PLAN).counted
    assert [one.slot for one in kept] == [one.slot for one in select(rows, PLAN).counted]
    # two corrections of one answer: the later one stands
    rival = replace(once, id="c3", answer=old.answer, answered_at=old.answered_at + 3e6)
    assert analyse(PLAN, [*rows, rival, once], texts(24)).verdicts[0].correct == 12


def test_a_correction_of_a_practice_answer_is_practice() -> None:
    rows = judgements(first(12, 30))
    practice = judgements(first(1, 1), prefix="p", practice=True)
    fixed = replace(practice[0], id="c", replaces=practice[0].id, practice=False)
    assert analyse(PLAN, [*rows, *practice, fixed], texts(24)).n == 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "AAA"}, "has the triad 'AAA'"),
        ({"answer": 3}, "has the answer 3"),
        ({"texts": ("a", "b")}, "names 2 texts"),
        ({"answered_at": 0.0}, "answered before it was shown"),
        ({"replaces": "gone"}, "'gone', which is not among"),
        ({"replaces": "j1"}, "another judge or other texts"),
        ({"replaces": "j0"}, "go in a circle"),
        ({"panel": "nobody"}, "a panel 'nobody' that the plan does not name"),
        ({"id": "j1"}, "occurs twice"),
        ({"study": "another"}, "several studies"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    rows = judgements(first(12, 30))
    rows[0] = replace(rows[0], **change)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        analyse(PLAN, rows, texts(24))


def test_peeking_is_refused_with_the_reason() -> None:
    rows = judgements(first(12, 30))[:29]
    with pytest.raises(InputError, match=r"29 of 30 planned answers: .* multiplies the risk"):
        analyse(PLAN, rows, texts(24))
    with pytest.raises(InputError, match="no judgement counts"):
        analyse(PLAN, [], texts(24))
    closed = analyse(replace(PLAN, closed=True), rows, texts(24))
    assert closed.verdicts[0].test is not None
    assert closed.verdicts[0].test.study.name == "exploratory"
    assert any("closed with 29 of 30" in note for note in words.warnings(closed))


LOOKS = replace(PLAN, panels=(PanelPlan("public", 72),), stopping=Stopping("looks", (24, 48, 72)))


def test_between_looks_nothing_is_shown() -> None:
    found = analyse(LOOKS, judgements(first(20, 24))[:23], texts(24))
    assert not found.concluded
    assert found.checks == () and found.items is None and found.haste is None and found.course == ()
    assert "next planned look is after 24" in words.sentence(found)
    assert "p_value" not in words.in_json(found)["result"]


def test_a_look_ends_the_study_and_later_answers_are_not_part_of_it() -> None:
    rows = judgements([True] * 20 + [False] * 20)
    found = analyse(LOOKS, rows, texts(24))
    assert found.concluded and found.verdicts[0].answers == 24
    assert "after 24 answers found 20 correct, where at least 17 conclude" in words.sentence(found)
    test = found.verdicts[0].test
    assert test is not None and test.study.name == "confirmatory" and "An estimated" in words.sentence(found)
    going = analyse(LOOKS, judgements(first(16, 40)), texts(24)).verdicts[0]
    assert going.stopped is not None and (going.stopped.state, going.stopped.next_look) == ("continue", 48)
    last = analyse(LOOKS, judgements(first(20, 72)), texts(24)).verdicts[0]
    assert last.stopped is not None and last.stopped.state == "undecided" and not last.concluded


def test_a_sequential_study_closed_early_is_undecided() -> None:
    found = analyse(replace(LOOKS, closed=True), judgements(first(12, 30)), texts(24))
    assert not found.concluded and found.n == 30 and found.items is not None
    assert "closed after 30 answers" in words.sentence(found)


def test_walds_test() -> None:
    plan = replace(PLAN, p_d=0.5, stopping=Stopping("wald"))
    found = analyse(plan, judgements([True] * 12), texts(24))
    assert found.concluded and found.verdicts[0].answers < 12
    assert "answers that came after it are not part of the test" in words.sentence(found)
    low = analyse(plan, judgements([False] * 12), texts(24))
    assert not low.concluded and "ended with similarity" in words.sentence(low)
    assert "goes on" in words.sentence(analyse(plan, judgements([True, False]), texts(24)))
    assert words.sentence(analyse(plan, [], texts(24))).startswith(
        "The triangle test compared the texts of A with those of B. Wald's sequential test goes on after 0 answers"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"panels": ()}, "names no panel"),
        ({"panels": (PanelPlan("a", 3), PanelPlan("a", 4))}, "same name"),
        ({"surplus": "maybe"}, "rule for surplus"),
        ({"stopping": Stopping("looks")}, "after how many answers"),
        ({"alpha": 0.0}, "alpha must lie between"),
        ({"goal": "sameness"}, "no goal"),
    ],
)
def test_plans_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(PLAN, **options)  # type: ignore[arg-type]
