"""The two studies of González Corbelle, Alonso and Bugarín (2020), from judgements to sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_studies import first, judgements, texts
from studies import Clock, launched

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_words as words
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, analyse
from nlgauge.study.protocols.triangle.analysis.reading import analyse_service

PUBLIC = Plan("similarity", 0.05, 0.01, 0.30, (PanelPlan("public", 98),))
EXPERTS = Plan("difference", 0.05, 0.05, 0.50, (PanelPlan("experts", 4, replication=6),))


def test_the_public_36_of_98_correct() -> None:
    found = analyse(PUBLIC, judgements(first(36, 98)), texts(24))
    verdict = found.verdicts[0]
    assert verdict.test is not None
    assert verdict.concluded and found.concluded
    assert verdict.paper_limit == pytest.approx(0.221, abs=5e-4)  # printed in the paper
    assert verdict.test.p_d.high == pytest.approx(0.2340, abs=5e-5)  # exact
    assert verdict.test.p_value == pytest.approx(0.00069459, abs=1e-8)
    assert verdict.test.evidence == "very strong"
    assert verdict.test.study.name == "confirmatory"
    assert "at most 23.4 % of people perceive a difference, below the limit of 30 %" in words.sentence(found)
    assert dict(words.sentences(found))["Sensitivity"] == (
        "d′ is estimated as 0.62 (0.00 to 1.41, each limit with 99 % confidence). With 98 answers texts without any "
        "difference pass with probability 0.952."
    )
    # the chance of passing belongs to the plan's p_d and n, not to the answers
    other = analyse(PUBLIC, judgements(first(20, 98)), texts(24)).verdicts[0]
    assert other.test is not None and other.test.power == verdict.test.power


def test_the_public_would_not_be_similar_at_20_percent() -> None:
    stricter = Plan("similarity", 0.05, 0.01, 0.20, (PanelPlan("public", 98),))
    found = analyse(stricter, judgements(first(36, 98)), texts(24))
    assert not found.concluded
    assert "Similarity was not shown" in words.sentence(found)


def simulated_experts(seed: int) -> list[bool]:
    """Four experts with six answers each. The paper does not print their counts: these are simulated.

    Two see the difference in every second triad, two guess.
    """
    rng = np.random.default_rng(seed)
    return [bool(u < p) for p in (2 / 3, 2 / 3, 1 / 3, 1 / 3) for u in rng.random(6)]


def test_the_experts_with_simulated_counts() -> None:
    right = simulated_experts(4)
    found = analyse(EXPERTS, judgements(right, per_judge=6, panel="experts"), texts(24))
    verdict = found.verdicts[0]
    assert verdict.test is not None and verdict.replicated is not None
    assert (verdict.judges, verdict.answers, verdict.correct) == (4, 24, sum(right))
    assert verdict.replicated.pooled_p == pytest.approx(verdict.test.p_value)
    assert verdict.test.power == pytest.approx(0.9323, abs=5e-5)  # 24 answers fall into a dip: not the paper's 95 %
    assert dict(words.sentences(found))["Sensitivity"].endswith(
        "With 24 answers the power for the planned p_d of 50 % is 0.932."
    )
    assert "24 answers (4 judges, 6 answers each)" in words.sentence(found)
    assert "beta-binomial" in words.sentence(found) and "of people perceive it" not in words.sentence(found)
    assert any("not independent" in note or "are not" in note for note in words.warnings(found))
    shown = words.in_json(found)["result"]
    assert shown["beta_binomial"]["judges"] == 4 and shown["p_value"] == verdict.test.p_value


def test_judges_with_unequal_numbers_of_answers_are_pooled_and_said() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.50, (PanelPlan("experts", 4, replication=6),), closed=True)
    rows = judgements(first(14, 24), per_judge=6, panel="experts")[:22]
    found = analyse(plan, rows, texts(24))
    assert "22 answers (4 judges, 4 to 6 answers each)" in words.sentence(found)
    assert any("closed with 22 of 24" in note for note in words.warnings(found))


def test_replication_is_refused_for_similarity() -> None:
    with pytest.raises(InputError, match="similarity test needs one answer from each"):
        Plan("similarity", 0.05, 0.05, 0.3, (PanelPlan("experts", 4, replication=6),))
    rows = judgements(first(36, 98), per_judge=2)
    with pytest.raises(InputError, match="gave 2 answers that count, but a similarity test needs one"):
        analyse(PUBLIC, rows, texts(24))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goal", "risks", "panels", "wanted"),
    [
        (
            "similarity",
            {"alpha": 0.05, "beta": 0.01, "p_d": 0.3},
            {"public": {"judges": 98, "access": "open"}},
            36,
        ),
        (
            "difference",
            {"alpha": 0.05, "beta": 0.05, "p_d": 0.5},
            {"experts": {"judges": 4, "evaluations": 6, "access": "open"}},
            14,  # simulated: the paper does not print the experts' count
        ),
    ],
)
def test_both_studies_from_file_to_verdict(
    tmp_path: Path, clock: Clock, goal: str, risks: dict[str, float], panels: dict[str, Any], wanted: int
) -> None:
    """Launched, answered through the verbs with as many correct answers as wanted, analysed."""
    service = launched(tmp_path / "s", clock, goal=goal, risks=risks, panels=panels)
    [name], total = panels, sum(p["judges"] * p.get("evaluations", 1) for p in panels.values())
    right = iter(first(wanted, total, seed=1))
    for _ in range(panels[name]["judges"]):
        judge, _ = service.arrivals.register(name)
        while (step := service.dealing.step(judge)).evaluation is not None:
            clock.minutes(1)
            subjects = [text.subject for text in step.evaluation.texts]
            odd = min(range(3), key=lambda k: subjects.count(subjects[k]))
            service.answers.answer(judge, step.evaluation.claim, odd if next(right) else (odd + 1) % 3)
    found = analyse_service(service, draws=199)
    verdict = found.verdicts[0]
    assert verdict.test is not None and (verdict.correct, verdict.answers) == (wanted, total)
    triads = sorted(service.progress.report()["panels"][name]["triads"].values())
    if goal == "similarity":
        assert triads == [16, 16, 16, 16, 17, 17]
        assert verdict.concluded and verdict.test.p_d.high == pytest.approx(0.2340, abs=5e-5)
        assert verdict.test.study.name == "confirmatory"
        assert verdict.paper_limit == pytest.approx(0.221, abs=5e-4)
    else:
        assert triads == [4] * 6
        assert verdict.concluded and verdict.replicated is not None
        assert verdict.replicated.pooled_p == pytest.approx(verdict.test.p_value)


def test_more_answers_than_planned_by_one_judge_are_refused() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("experts", 12),))
    with pytest.raises(InputError, match="where the plan allows 1"):
        analyse(plan, judgements(first(14, 24), per_judge=2, panel="experts"), texts(24))
