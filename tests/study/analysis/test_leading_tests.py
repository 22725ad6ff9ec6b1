"""The test that is reported first: models that do not converge, separated answers, amounts, and the level it keeps."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from nlgauge.report.study.notes import words
from nlgauge.report.study.ratings_words import means
from nlgauge.stats.mixed import LinearMixed, OrdinalMixed, linear_mixed
from nlgauge.stats.mixed.profile import Profile
from nlgauge.stats.mixed.results import Joint
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.scores import dividing
from nlgauge.study.protocols.comparisons.analysis import rows as compared
from nlgauge.study.protocols.comparisons.analysis import strengths
from nlgauge.study.protocols.ratings.analysis import rating_of
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.notes import of_tests
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion, column_of

sys.path.append(str(Path(__file__).parents[3] / "tools"))
import type_one_error

YES = Criterion("q", "q", 0, 1, 2, False, "Is it good?")
POINTS = Criterion("q", "q", 1, 5, 5, False, "How good is it?")
PENALTY = Criterion("q", "q", 0, 25, 0, False, "", measure="penalties", lower=True, ends=(0.0, np.inf))


def column(asked: Criterion, values: np.ndarray) -> Column:
    """Of judges × items × systems."""
    judge, item, system = (codes.ravel().astype(str).tolist() for codes in np.indices(values.shape))
    return column_of(asked, "all", values.ravel().tolist(), system, item, judge)


def said(asked: Criterion, values: np.ndarray) -> tuple[Models, str]:
    answers = column(asked, values)
    models = fit(answers)
    return models, means(rating_of(answers, models, plan=False), "q")


def test_a_model_that_does_not_converge_is_said_and_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).integers(1, 6, (5, 8, 2)).astype(float)
    found = Profile.minimum

    def unfinished(self: Profile) -> tuple[np.ndarray, bool]:
        return found(self)[0], False

    monkeypatch.setattr(Profile, "minimum", unfinished)
    models, sentence = said(POINTS, values)
    assert models.linear is not None and not models.linear.converged
    assert models.to_dict()["linear"]["converged"] is False
    assert any(note.startswith("linear model: the model did not converge") for note in map(words, models.notes))
    assert "The model did not converge" in sentence and "The systems" not in sentence


def test_a_smaller_model_takes_the_place_of_one_that_does_not_converge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(0).integers(1, 6, (5, 8, 2)).astype(float)
    found = Profile.minimum

    def of_few(self: Profile) -> tuple[np.ndarray, bool]:
        theta, sure = found(self)
        return theta, sure and len(theta) < 4

    monkeypatch.setattr(Profile, "minimum", of_few)
    models = fit(column(POINTS, values))
    assert models.linear is not None and models.linear.converged and len(models.slopes) == 1
    assert any(
        note.startswith("a smaller mixed model was fitted: the model did not") for note in map(words, models.notes)
    )


def test_separated_answers_have_no_logistic_model_and_equal_systems_stay_equal() -> None:
    same = np.ones((6, 12, 1))
    same[::2] = 0
    same[0, 0] = 1
    models, sentence = said(YES, np.repeat(same, 2, axis=2))
    assert models.ordinal is None and models.leading == "linear"
    assert any("answers are separated by judge" in note for note in map(words, models.notes))
    assert models.leader is not None and models.leader.test().p == pytest.approx(1)
    assert "were not shown to differ" in sentence and "tests: linear model" in sentence


def test_two_of_three_systems_with_the_same_answers_are_not_told_apart() -> None:
    rng = np.random.default_rng(3)
    values = (rng.normal(size=(6, 12, 3)) + rng.normal(size=(6, 1, 1)) > 0).astype(float)
    values[:, :, 1] = values[:, :, 0]
    models = fit(column(YES, values))
    assert models.leading == "ordinal" and models.ordinal is not None
    equal = next(pair for pair in models.ordinal.pairs() if pair.name in ("0 - 1", "1 - 0"))
    assert equal.p == pytest.approx(1, abs=0.01)


def test_tests_of_yes_and_no_have_the_linear_models_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    values = (rng.normal(size=(5, 15, 3)) + rng.normal(size=(5, 1, 3)) > 0).astype(float)
    models = fit(column(YES, values))
    assert models.ordinal is not None and models.linear is not None
    test = models.ordinal.test()
    assert test.df[1] < 20 and test.method == "Wald, the linear model's degrees of freedom"
    unit = np.array([1.0, -1.0, 0.0])
    assert models.ordinal.contrast(unit).df == models.linear.contrast(unit).df


def test_amounts_have_a_permutation_test_and_limits_over_items_beside_the_model() -> None:
    rng = np.random.default_rng(5)
    values = type_one_error.penalties(rng.normal(size=(3, 20, 2)) + np.array([0.0, 1.2]))
    models, sentence = said(PENALTY, values)
    found = models.by_items
    assert found is not None
    by_hand = values.mean(axis=0)[:, 0] - values.mean(axis=0)[:, 1]
    (test, adjusted) = found.pairs["0", "1"]
    assert test.delta == pytest.approx(by_hand.mean()) and adjusted == test.p < 0.05
    assert all(0 <= own.low < own.estimate < own.high for own in found.means.values())
    assert any("permutation test within items" in note for note in map(words, models.notes))
    assert "a permutation test within items tells 0 from 1" in sentence
    assert models.to_dict()["by_items"]["pairs"][0]["p_adjusted"] == adjusted
    assert fit(column(POINTS, np.clip(values, 1, 5))).by_items is None


def test_amounts_are_tested_on_square_roots_whatever_their_unit_and_told_as_they_are() -> None:
    rng = np.random.default_rng(7)
    values = type_one_error.penalties(rng.normal(size=(5, 15, 3)) + np.array([0.0, 0.5, 1.0]))
    models, sentence = said(PENALTY, values)
    answers = column(PENALTY, values)
    groups = {"judge": answers.judges, "item": answers.items}
    by_hand = linear_mixed(np.sqrt(answers.values), answers.systems, groups, slopes=models.slopes).test()
    assert models.leading == "roots" and models.leader is not None and models.linear is not None
    assert models.leader.test() == by_hand != models.linear.test()
    assert f", tested on square roots, differ: {by_hand}." in sentence
    assert f"The model of the amounts themselves beside it: {models.linear.test()}." in sentence
    assert models.clusters is not None and "square roots" in models.clusters.method
    assert {mean.system: mean.raw for mean in models.means} == pytest.approx(
        dict(zip("012", values.mean(axis=(0, 1)), strict=True))
    )
    assert models.to_dict()["roots"]["test"]["p"] == by_hand.p
    other = fit(column(PENALTY, values * 100 / 7)).leader
    assert other is not None and other.test().p == pytest.approx(by_hand.p, rel=1e-4)


@pytest.mark.parametrize(("grave", "told"), [(36.0, False), (64.0, True)])
def test_square_roots_that_turn_the_order_of_the_means_are_told(grave: float, told: bool) -> None:
    values = 4.0 * np.random.default_rng(8).integers(1, 3, (5, 20, 2))
    values[:, :, 1] = 0
    values[:, :2, 1] = grave  # in two texts, and nothing in the others
    models = fit(column(PENALTY, values))
    assert [mean.system for mean in models.means] == (["0", "1"] if told else ["1", "0"])
    assert models.clusters is not None and models.clusters.groups == (("1",), ("0",))
    assert any("place 1 before 0, other than the means" in note for note in map(words, models.notes)) == told


@pytest.mark.parametrize(("judges", "told"), [(4, True), (12, False)])
def test_an_ordinal_model_that_disagrees_is_told_with_how_often_it_errs(
    judges: int, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = column(POINTS, np.random.default_rng(1).integers(1, 6, (judges, 6, 2)).astype(float))
    rating = rating_of(answers, fit(answers), plan=False)
    monkeypatch.setattr(OrdinalMixed, "test", lambda self: Joint(9.0, (1.0, 9.0), 0.001, ""))
    monkeypatch.setattr(LinearMixed, "test", lambda self: Joint(1.0, (1.0, 9.0), 0.5, ""))
    (note,) = (one for one in map(words, of_tests(rating)) if "report both" in one)
    assert ("found one in 8.0 %" in note) == told


def test_comparisons_lead_with_the_test_of_the_scores_and_say_where_it_cannot_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(6)
    screens = tuple(
        compared.Screen(f"j{judge}", f"i{item}", ("a", "b", "c"), {"ranks": (1 + rng.permutation(3)).tolist()})
        for judge, item in np.ndindex(5, 8)
    )
    asked = compared.Question("q", "q", "Which is better?")
    answers = compared.Column("ranking", asked, "all", screens)
    models = strengths.fit_column(answers)
    assert models.test is not None and models.to_dict()["test"]["p"] == models.test.p
    assert "Satterthwaite" in models.test.method and "mixed model of scores" in models.method
    assert {pair.df for pair in models.pairs} != {4.0}
    found = Profile.minimum
    monkeypatch.setattr(Profile, "minimum", lambda self: (found(self)[0], False))
    sandwiched = strengths.fit_column(answers)
    assert sandwiched.test is None and {pair.df for pair in sandwiched.pairs} == {4.0}
    assert strengths.CAUTIOUS in sandwiched.notes
    assert any("did not converge" in note for note in sandwiched.notes)


@pytest.mark.parametrize(("apart", "told"), [(1.5, True), (0.0, False)])
def test_comparisons_say_which_system_alone_divides_the_judges(apart: float, told: bool) -> None:
    liking = np.random.default_rng(9).normal(size=(8, 12, 3))
    liking[::2, :, 0] += apart
    liking[1::2, :, 0] -= apart
    ranks = (1 + np.argsort(np.argsort(-liking))).tolist()
    screens = tuple(
        compared.Screen(f"j{judge}", f"i{item}", ("a", "b", "c"), {"ranks": ranks[judge][item]})
        for judge, item in np.ndindex(8, 12)
    )
    asked = compared.Question("q", "q", "Which is better?")
    notes = strengths.fit_column(compared.Column("ranking", asked, "all", screens)).notes
    assert any(note.startswith("judges differ about a more than about others") for note in notes) == told
    assert told or not any("judges differ about" in note for note in notes)


def test_variances_of_judges_about_systems_are_compared_at_the_level_told() -> None:
    """Of 400 sets with one variance for all systems about 20 have p < 0.05; 35 and more would have a chance of .1 %."""
    rng = np.random.default_rng(10)
    judge, pair = (codes.ravel() for codes in np.indices((6, 3)))
    first, second = np.array([(0, 1), (0, 2), (1, 2)])[pair].T
    found = 0
    for _ in range(400):
        liking = rng.normal(size=(6, 3))
        score = (1 + liking[judge, first] - liking[judge, second]) / 2
        odd = dividing(Games(("a", "b", "c"), first, second, score, np.zeros_like(judge), judge))
        assert odd is not None
        found += odd[1] < 0.05
    assert 8 <= found < 35


@pytest.mark.parametrize("name", ["continuous", "binary", "pairwise"])
def test_leading_tests_keep_their_level_in_a_few_studies(name: str) -> None:
    """Forty studies without a difference: seven or more findings would have a chance of 0.5 % at a level of 5 %."""
    share, studies = type_one_error.rate(name, 5, 15, 40, type_one_error.SetUp())
    assert studies == 40 and share * studies < 7


@pytest.mark.long
@pytest.mark.parametrize("design", type_one_error.DESIGNS)
@pytest.mark.parametrize("name", type_one_error.PROTOCOLS)
def test_leading_tests_keep_their_level(name: str, design: tuple[int, int]) -> None:
    share, studies = type_one_error.rate(name, *design, 400, type_one_error.SetUp())
    print(f"{name}, {design}: {100 * share:.1f} % of {studies}")
    assert share < 0.07 + 2 * np.sqrt(0.07 * 0.93 / studies)
    assert "any pair" in name or share > 0.03 - 2 * np.sqrt(0.03 * 0.97 / studies)


def test_a_variance_estimated_as_0_is_told_beside_the_random_effects() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(1, 6, (6, 8, 2)).astype(float)
    values[:, ::2] = 6 - values[:, 1::2]  # the same mean of every judge for every system
    models, sentence = said(POINTS, values)
    assert models.linear is not None and set(models.linear.zero) >= {"judge", "judge:system"}
    effects = sentence.partition(" with random effects of ")[2].partition(" (")[0]
    assert "judge" not in effects
    assert "judges" in sentence and "judge × system estimated as 0 and taken as known" in sentence
    assert not any("estimated as 0" in note for note in map(words, models.notes))  # said once
