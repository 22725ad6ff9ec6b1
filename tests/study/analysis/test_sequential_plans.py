"""Sequential studies: Wald's plan and planned looks, the live verdict, and the risks of whole rules."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_studies import first, judgements, texts
from studies import Clock, launched, write

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as said
from nlgauge.report.study import triangle_words as words
from nlgauge.stats import discrimination
from nlgauge.stats.discrimination.sequential import Sequential
from nlgauge.study.file.study import load
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, Stopping, analyse
from nlgauge.study.protocols.triangle.analysis.looks import _looks, _wald, rule_of
from nlgauge.study.protocols.triangle.analysis.reading import live, live_verdict

PUBLIC = (PanelPlan("public", 72),)
WALD = Plan("difference", 0.05, 0.05, 0.3, PUBLIC, stopping=Stopping("wald"))
LOOKS = replace(WALD, stopping=Stopping("looks", (24, 48, 72)))


def problems(folder: Path, **changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        load(write(folder, **changes))
    return str(caught.value)


def test_what_the_study_file_takes(tmp_path: Path) -> None:
    study = load(write(tmp_path, sequential={"plan": "wald"}))
    assert Plan.of_study(study).stopping == Stopping("wald")
    study = load(write(tmp_path, sequential={"looks": [6, 12], "spending": "pocock"}))
    assert Plan.of_study(study).stopping == Stopping("looks", (6, 12), "pocock")
    load(write(tmp_path, sequential={"plan": "wald"}, goal="similarity"))
    for changes, message in (
        ({"sequential": {"plan": "sprt"}}, "looks"),
        ({"sequential": {"plan": "looks"}}, "increasing numbers"),
        ({"sequential": {}}, "increasing numbers"),
        ({"sequential": {"plan": "wald", "looks": [6, 12]}}, "looks after every answer"),
        ({"sequential": {"looks": [6, 10]}}, "but the panel public gives 12"),
        ({"sequential": {"plan": "wald"}, "corrections": "allow"}, "would change a look"),
        ({"sequential": {"plan": "wald"}, "risks": {"alpha": 0.5, "beta": 0.5, "p_d": 0.3}}, "less than 1"),
        (
            {"sequential": {"plan": "wald"}, "panels": {"experts": {"judges": 4, "evaluations": 6}}},
            "it may end with similarity",
        ),
    ):
        assert message in problems(tmp_path, **changes)


def test_wald_ends_with_the_planned_answers_and_then_concludes_nothing() -> None:
    short = replace(WALD, panels=(PanelPlan("public", 20),))
    found = analyse(short, judgements(first(9, 20, seed=3)), texts(24), draws=99).verdicts[0]
    assert found.stopped is not None and found.stopped.state == "undecided"
    assert not found.concluded and "neither conclusion" in said.verdict(found)
    assert "at most 20 answers" in said.verdict(found)


@pytest.mark.parametrize("goal", ["difference", "similarity"])
def test_wald_may_end_either_way_for_either_goal(goal: str) -> None:
    plan = replace(WALD, goal=goal)
    high = analyse(plan, judgements([True] * 12), texts(24), draws=99)
    low = analyse(plan, judgements([False] * 12), texts(24), draws=99)
    assert high.verdicts[0].stopped is not None and high.verdicts[0].stopped.state == "difference"
    assert low.verdicts[0].stopped is not None and low.verdicts[0].stopped.state == "similarity"
    assert (high.concluded, low.concluded) == (goal == "difference", goal == "similarity")


def test_p_in_view_of_the_looks_agrees_with_the_rule() -> None:
    """At a look's critical count p is the risk spent so far; one correct answer fewer does not reach α."""
    rule = discrimination.group_sequential((24, 48, 72), 0.05, 0.3)
    for look in rule.looks:
        assert look.critical is not None
        at = discrimination.adjusted(rule, look.critical, look.judges, risk=0.05, p_d=0.3)
        assert at.p_difference == pytest.approx(look.spent, rel=1e-9)
    fewer = discrimination.adjusted(rule, 31, 72, risk=0.05, p_d=0.3)
    assert fewer.p_difference > 0.05 and fewer.low == 0
    # one look is the fixed test, digit by digit
    single = discrimination.adjusted(discrimination.group_sequential((72,), 0.05, 0.3), 32, 72, risk=0.05, p_d=0.3)
    fixed = discrimination.test(32, 72, alpha=0.05, beta=0.05, p_d=0.3)
    assert single.p_difference == pytest.approx(fixed.p_value, rel=1e-9)
    assert (single.low, single.high) == pytest.approx((fixed.p_d.low, fixed.p_d.high), abs=1e-8)


def test_p_in_view_of_the_looks_by_enumeration() -> None:
    """Wald's test cut off after 8 answers: every one of the 256 courses, by hand."""
    rule = discrimination.sequential(0.2, 0.2, 0.6, most=8)
    outcomes: dict[tuple[str, int, int], float] = {}
    for code in range(256):
        answers = [bool(code >> k & 1) for k in range(8)]
        state, used = rule.follow(answers)
        weight = float(np.prod([1 / 3 if right else 2 / 3 for right in answers]))
        key = (state, used, sum(answers[:used]))
        outcomes[key] = outcomes.get(key, 0.0) + weight

    def rank(outcome: tuple[str, int, int]) -> tuple[int, int, int]:
        state, used, correct = outcome
        if state == "difference":
            return (2, -used, correct)
        return (1, 0, correct) if state == "undecided" else (0, used, correct)

    assert {state for state, _, _ in outcomes} == {"difference", "similarity", "undecided"}
    for outcome in outcomes:
        expected = sum(chance for other, chance in outcomes.items() if rank(other) >= rank(outcome))
        found = discrimination.adjusted(rule, outcome[2], outcome[1], risk=0.2, p_d=0.6)
        assert found.p_difference == pytest.approx(expected, abs=1e-12), outcome


def test_real_risks_never_exceed_the_stated_ones() -> None:
    """Wald's own bounds for α = 0.05, β = 0.2, p_d = 50 % run α = 0.0551; ours are tightened until they do not."""
    assert discrimination.sequential(0.05, 0.2, 0.5).null.difference > 0.055
    for alpha, beta, p_d, most in ((0.05, 0.2, 0.5, 400), (0.1, 0.2, 0.5, 400), (0.2, 0.05, 0.5, 400)):
        rule = rule_of(
            Plan("difference", alpha, beta, p_d, (PanelPlan("p", most),), stopping=Stopping("wald")),
            PanelPlan("p", most),
        )
        assert isinstance(rule, Sequential)
        assert rule.null.difference <= alpha and rule.alternative.similarity <= beta


def test_enough_judges_for_walds_test() -> None:
    rule = discrimination.sequential(0.05, 0.05, 0.3)
    for goal in ("difference", "similarity"):
        n = discrimination.enough(rule, goal)
        at, before = (discrimination.sequential(0.05, 0.05, 0.3, most=m) for m in (n, n - 1))
        if goal == "difference":
            assert at.alternative.difference >= 0.95 > before.alternative.difference
        else:
            assert at.null.similarity >= 0.95 > before.null.similarity


TRIALS = 5_000


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["wald", "looks"])
@pytest.mark.parametrize("goal", ["difference", "similarity"])
def test_error_rates_of_the_whole_rule(rule: str, goal: str) -> None:
    """5,000 studies: wrong conclusions at most the risk stated, within three binomial standard errors (0.92 points)."""
    plan = replace(WALD if rule == "wald" else LOOKS, goal=goal)
    made = rule_of(plan, plan.panels[0])
    assert made is not None
    p_d = 0.0 if goal == "difference" else plan.p_d  # where the goal would be the wrong conclusion
    rng = np.random.default_rng(20261115)
    answers = (rng.random((TRIALS, 72)) < 1 / 3 + p_d * 2 / 3).tolist()
    follow: Any = _wald if rule == "wald" else _looks
    wrong = sum(follow(plan, made, right).state == goal for right in answers) / TRIALS
    tolerance = 3 * sqrt(plan.risk * (1 - plan.risk) / TRIALS)
    print(f"{rule}, {goal}: {wrong:.4f} wrong conclusions at a risk of {plan.risk}")
    assert wrong <= plan.risk + tolerance
    exact = (
        (made.null.difference if goal == "difference" else made.alternative.similarity)
        if isinstance(made, Sequential)
        else made.looks[-1].spent
    )
    assert exact <= plan.risk
    assert abs(wrong - exact) <= 3 * sqrt(exact * (1 - exact) / TRIALS)


def test_the_live_verdict_is_refused_for_a_fixed_number() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 30),))
    some = live(plan, judgements(first(12, 30))[:29])
    assert not some.allowed and not some.stop
    assert "29 of 30 planned answers" in said.live(some) and "multiplies the risk" in said.live(some)
    assert said.live_in_json(some)["panels"] == [] and "correct" not in str(said.live_in_json(some))
    whole = live(plan, judgements(first(12, 30)))
    assert not whole.allowed and "analyse the study" in said.live(whole)


def test_the_live_verdict_shows_the_last_look_and_nothing_after_it() -> None:
    right = first(12, 24) + [True] * 20
    found = live(LOOKS, judgements(right))
    assert found.allowed and not found.stop
    assert (
        said.live(found) == "Go on. The look after 24 answers (12 correct) did not end the study; 44 answers are "
        "there, the next planned look is after 48."
    )
    assert said.live_in_json(found) == said.live_in_json(live(LOOKS, judgements(first(12, 24) + [False] * 20)))
    stop = live(LOOKS, judgements([True] * 20 + [False] * 10))
    assert stop.stop and said.live(stop).startswith("Stop now: a difference is concluded.")
    assert "The 6 answers that came after it are not part of the test." in said.live(stop)


def test_looks_follow_the_order_of_completion() -> None:
    rows = judgements([True] * 20 + [False] * 10)
    late = [replace(row, answered_at=row.answered_at + 1e6) if k < 20 else row for k, row in enumerate(rows)]
    found = live(LOOKS, late).panels[0].stopped
    assert found is not None and (found.used, found.correct) == (24, 14)


def test_surplus_counts_only_where_the_plan_says_so() -> None:
    rows = [replace(row, surplus=k < 4) for k, row in enumerate(judgements([True] * 24))]
    [out] = live(LOOKS, rows).panels
    [included] = live(replace(LOOKS, surplus="include"), rows).panels
    assert (out.answers, included.answers) == (20, 24)
    assert out.stopped is not None and out.stopped.used == 0


def test_each_panel_follows_the_rule_by_itself() -> None:
    plan = replace(LOOKS, panels=(PanelPlan("experts", 72), PanelPlan("public", 72)))
    rows = judgements([True] * 24, panel="experts", prefix="e") + judgements(first(8, 30), prefix="p")
    found = live(plan, rows)
    assert not found.stop
    assert [one.stopped.state for one in found.panels if one.stopped] == ["difference", "continue"]
    assert "Panel experts: Stop now" in said.live(found) and "Panel public: Go on" in said.live(found)
    both = analyse(
        plan,
        judgements([True] * 24, panel="experts", prefix="e") + judgements(first(20, 72), prefix="p"),
        texts(24),
        draws=99,
    )
    assert not both.concluded and both.panels is not None and both.panels.together is None
    assert "concludes only what every panel of people concludes" in words.sentence(both)


def test_live_verdict_of_a_service(tmp_path: Path, clock: Clock) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        sequential={"plan": "wald"},
        panels={"public": {"judges": 60, "access": "open"}},
    )
    assert said.live(live_verdict(service)).startswith("Go on. Wald's sequential test goes on after 0 answers")
    while not live_verdict(service).stop:
        judge, _ = service.arrivals.register("public")
        step = service.dealing.step(judge)
        assert step.evaluation is not None
        clock.minutes(1)
        odd = [text.subject for text in step.evaluation.texts]
        service.answers.answer(judge, step.evaluation.claim, min(range(3), key=lambda k: odd.count(odd[k])))
    found = live_verdict(service)
    assert said.live(found).startswith("Stop now: a difference is concluded. Wald's sequential test ended")
    assert len(service.judgements()) == 5  # 50 % perceive: five right answers in a row
    assert said.live_in_json(found)["stop"] is True
