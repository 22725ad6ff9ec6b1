"""Biases, haste, texts, panels and reasons: by hand, at the edges, and at their level in simulation."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import numpy as np
import pytest
from made_studies import first, judgements, texts
from scipy.stats import binom, binomtest, fisher_exact

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as said
from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.triangle import render_study_report
from nlgauge.report.study.triangle_text import print_study
from nlgauge.study.model import Judgement, Text, odd_position
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, analyse, biases
from nlgauge.study.protocols.triangle.analysis.biases import haste
from nlgauge.study.protocols.triangle.analysis.panels import compare_panels, difference_of_studies
from nlgauge.study.protocols.triangle.analysis.texts import item_effects, reasons

PLAN = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 60),))


def perceive(share: float, favourite: float = 0.0):
    """Judges of whom a share perceives; the others guess, preferring the first place by `favourite`."""

    def choose(rng: np.random.Generator, triad: str, shown: tuple[str, ...]) -> int:
        if rng.random() < share:
            return odd_position(triad)
        return 0 if rng.random() < favourite else int(rng.integers(3))

    return choose


@pytest.mark.slow
def test_position_bias_holds_its_level_even_when_some_perceive() -> None:
    studies, alarms = 300, 0
    for seed in range(studies):
        rows = judgements(n=60, seed=seed, choose=perceive(0.3))
        alarms += (biases.position(rows, np.random.default_rng(seed), 199).p or 1) <= 0.05
    assert alarms <= binom.ppf(0.999, studies, 0.05)
    assert alarms >= binom.ppf(0.001, studies, 0.03)  # nor is it idle


def test_position_bias_is_found() -> None:
    rows = judgements(n=98, seed=3, choose=perceive(0.1, favourite=0.5))
    found = biases.position(rows, np.random.default_rng(0))
    assert found.p is not None and found.p < 0.001
    assert found.table["position 1"][0] > found.table["position 2"][0]


def test_position_p_by_enumeration() -> None:
    """Three answers, all wrong, odd texts in the three places: eight equally likely patterns."""
    rows = judgements(n=12, seed=1)
    by_place = {odd_position(one.role): one for one in rows}
    trio = [replace(by_place[k], id=str(k), answer=(k + 1) % 3) for k in range(3)]
    # choices are 1, 2, 0: as even as can be, so every pattern is at least as far
    assert biases.position(trio, np.random.default_rng(0), 999).p == 1.0
    two_zero = [replace(trio[0], answer=1), replace(trio[1], answer=0), replace(trio[2], answer=1)]
    # counts (1, 2, 0) or any such order have the same distance; only the two even patterns are nearer: p = 6/8
    assert biases.position(two_zero, np.random.default_rng(0), 9999).p == pytest.approx(0.75, abs=0.02)


@pytest.mark.slow
def test_the_other_checks_hold_their_level() -> None:
    studies = 300
    alarms = dict.fromkeys(("triads", "odd subject", "learning", "practice", "drift"), 0)
    for seed in range(studies):
        rows = judgements(n=48, seed=seed, per_judge=4, choose=perceive(0.3))
        practice = judgements(n=12, seed=seed + 1000, choose=perceive(0.3), practice=True)
        for one in biases.checks(rows, practice, seed=seed, draws=199):
            if one.name in alarms:
                alarms[one.name] += (one.p or 1) <= 0.05
    assert max(alarms.values()) <= binom.ppf(0.999, studies, 0.05)


def test_learning_is_found_and_holm_is_applied() -> None:
    right = [k >= 3 for _ in range(10) for k in range(6)]
    rows = judgements(right, per_judge=6)
    found = {one.name: one for one in biases.checks(rows)}
    learning = found["learning"]
    assert learning.p is not None and learning.p < 0.001 and learning.found
    assert "for the better" in words.check(learning)
    assert learning.table["answer 1"] == (0, 10) and learning.table["answer 6"] == (10, 10)
    tested = [one for one in found.values() if one.p is not None]
    assert learning.p_adjusted == pytest.approx(min(1.0, learning.p * len(tested)))
    assert found["practice"].p is None


def test_after_practice_is_mcnemars_test() -> None:
    rows = judgements([True] * 9 + [False] * 3)
    practice = judgements([False] * 9 + [True] * 3, practice=True)
    found = biases.after_practice(rows, practice)
    assert found.p == pytest.approx(binomtest(3, 12).pvalue)


def test_odd_subject_is_fishers_test_for_one_group() -> None:
    rows = judgements(first(25, 60))
    found = biases.odd_subject(rows, np.random.default_rng(0))
    (a, n), (b, m) = found.table.values()
    assert found.p == pytest.approx(fisher_exact([[a, n - a], [b, m - b]])[1])


def test_nothing_to_test() -> None:
    assert all(one.p is None for one in biases.checks(judgements([True])))
    found = {one.name: one for one in biases.checks(judgements([True] * 12))}
    assert found["triads"].p is None and found["drift"].p is None and not found["triads"].found


def test_judges_too_fast_stay_in_and_are_shown_without() -> None:
    rows = judgements(first(20, 60))
    rows[:5] = [replace(one, answered_at=one.shown_at + 1.0) for one in rows[:5]]
    found = haste(PLAN, rows, {})
    assert found is not None
    assert found.fast_answers == 5 and len(found.fast_judges) == 5 and found.answers_without == 55
    kept = sum(one.correct for one in rows[5:])
    assert found.p_without == pytest.approx(float(binom.sf(kept - 1, 55, 1 / 3)))
    long = {text.id: replace(text, text="word " * 200) for text in texts(24)}
    hasty = haste(PLAN, rows, long)  # 600 words in 30 seconds
    assert hasty is not None and hasty.answers_without == 0 and hasty.p_without is None
    assert haste(PLAN, [], {}) is None


def odd_text(name: str):
    """Everyone picks this text where it is shown, and guesses elsewhere."""

    def choose(rng: np.random.Generator, triad: str, shown: tuple[str, ...]) -> int:
        return shown.index(name) if name in shown else int(rng.integers(3))

    return choose


def test_a_text_that_is_odd_whoever_wrote_it() -> None:
    rows = judgements(n=120, inputs=8, seed=2, choose=odd_text("A3"))
    found = item_effects(rows)
    assert [one.text for one in found.odd] == ["A3"]
    assert found.p_odd_in_itself is not None and found.p_odd_in_itself <= 0.05
    top = found.texts[0]
    assert top.mistaken == top.errors and top.chosen == top.shown
    assert top.p == pytest.approx(binomtest(top.mistaken, top.errors).pvalue)
    assert "A's text for i3" in words.items(found)


@pytest.mark.slow
def test_item_effects_hold_their_level() -> None:
    studies, alarms, named = 200, 0, 0
    for seed in range(studies):
        found = item_effects(judgements(n=60, inputs=8, seed=seed, choose=perceive(0.2)), seed=seed, draws=199)
        alarms += (found.p_odd_in_itself or 1) <= 0.05
        named += bool(found.odd)
    assert max(alarms, named) <= binom.ppf(0.999, studies, 0.05)


def test_no_errors_no_oddness() -> None:
    found = item_effects(judgements([True] * 12))
    assert found.p_odd_in_itself is None and found.odd == () and "no wrong answer" in words.items(found)


TWO = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("experts", 24), PanelPlan("public", 98)))


def two_panels() -> list[Judgement]:
    return [
        *judgements(first(13, 24), panel="experts", prefix="e"),
        *judgements(first(36, 98), panel="public", prefix="p"),
    ]


def test_panels_are_compared_and_combined() -> None:
    found = compare_panels(TWO, two_panels())
    assert found is not None and found.together is not None
    gap = found.differences[0]
    assert gap.estimate == pytest.approx(1.5 * (13 / 24 - 36 / 98))
    assert gap.p == pytest.approx(fisher_exact([[13, 11], [36, 62]])[1]) == pytest.approx(0.1630, abs=5e-5)
    assert gap.low < gap.estimate < gap.high
    assert found.together.p_pooled == pytest.approx(0.0677, abs=5e-5)
    assert dict(found.p_adjusted)["experts"] == pytest.approx(2 * 0.0284, abs=2e-4)
    assert any("differ in more than their name" in note for note in said.panel_notes(found))
    whole = analyse(TWO, two_panels(), texts(24))
    assert whole.n == 122 and not whole.concluded and "Panel experts:" in words.sentence(whole)


def test_newcombes_interval() -> None:
    """Newcombe (1998), Table II, example (a): 56/70 and 48/80 give 0.0524 to 0.3339."""
    found = difference_of_studies((56, 70), (48, 80))
    assert (found.low / 1.5, found.high / 1.5) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    with pytest.raises(InputError):
        difference_of_studies((5, 4), (1, 2))


def test_replicated_panels_are_compared_judge_by_judge() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("experts", 4, 6), PanelPlan("public", 24)))
    rows = [
        *judgements([True] * 12 + [False] * 12, per_judge=6, panel="experts", prefix="e"),
        *judgements(first(8, 24), panel="public", prefix="p"),
    ]
    found = compare_panels(plan, rows, draws=999)
    assert found is not None
    assert "judges dealt anew" in found.differences[0].method and np.isnan(found.differences[0].low)
    assert type(found.differences[0].p) is float  # NumPy's floats cannot be written as JSON
    assert json.dumps(words.in_json(analyse(plan, rows, texts(24))), allow_nan=False)


def test_machines_are_a_panel_of_their_own() -> None:
    plan = replace(TWO, panels=(PanelPlan("model", 24, machine=True), PanelPlan("public", 98)))
    rows = [replace(one, panel="model" if one.panel == "experts" else one.panel) for one in two_panels()]
    found = analyse(plan, rows, texts(24))
    assert found.n == 98 and found.panels is None  # compared triad by triad, and never pooled
    assert found.leading.panel == "public"
    assert any("answers of a model are not answers of people" in note for note in words.warnings(found))


def marked(rows: list[Judgement], known: dict[str, Text]) -> list[Judgement]:
    """Correct answers mark “weather” in the odd text and say “style”; wrong ones say “length”."""
    out = []
    for one in rows:
        place = one.answer
        start = known[one.texts[place]].text.index("weather") + 2  # in the middle of the word
        if one.correct:
            out.append(replace(one, reason="The style.", highlights=((place, start, start + 3),)))
        else:
            out.append(replace(one, reason="length, length", highlights=((place, 0, 3),)))
    return out


def test_reasons_are_counted_by_answer() -> None:
    known = {text.id: text for text in texts(24)}
    rows = marked(judgements(first(20, 60)), known)
    found = reasons(rows, known)
    assert found is not None
    weather = next(one for one in found.marked if one.word == "weather")
    assert (weather.marked, weather.shown, weather.in_odd, weather.correct) == (20, 60, 20, 20)
    keys = {key.word: key for key in found.keys_of_reasons}
    assert keys["style"].log_odds > 0 > keys["length"].log_odds
    assert (keys["length"].first, keys["length"].second) == (0, 40)
    assert keys["style"].p == pytest.approx(fisher_exact([[20, 0], [0, 40]])[1])
    assert "“style” (correct answers" in words.reasons(found) and found.lost_marks == 0
    assert reasons(judgements(first(20, 60)), known) is None


def test_marks_outside_the_texts_are_counted_as_lost() -> None:
    known = {text.id: text for text in texts(24)}
    row = replace(judgements([True])[0], highlights=((0, 5, 9999), (0, 3, 3), (2, 0, 3)))
    found = reasons([row], known)
    assert found is not None and found.lost_marks == 2 and found.marked[0].word == "the"
    without = reasons([row], {})
    assert without is not None and without.lost_marks == 3


def test_the_whole_has_the_stable_keys_and_does_not_depend_on_the_order() -> None:
    rows = judgements(first(25, 60))
    found = analyse(PLAN, rows, texts(24))
    shown = words.in_json(found)
    assert list(shown)[:6] == ["protocol", "goal", "n", "result", "sentence", "warnings"]
    assert json.loads(json.dumps(shown, allow_nan=False)) == json.loads(json.dumps(shown))
    again = analyse(PLAN, rows[::-1], texts(24)[::-1])
    assert words.in_json(again) == shown
    assert found.digest == again.digest != analyse(PLAN, judgements(first(24, 60)), texts(24)).digest


def test_many_correct_answers_have_a_p_that_can_be_printed() -> None:
    plan = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("a", 700), PanelPlan("b", 20)))
    rows = [*judgements([True] * 700, panel="a"), *judgements([True] * 20, panel="b", prefix="b")]
    found = analyse(plan, rows, texts(24), draws=99)
    assert "p < .001" in words.sentence(found) and "e-" not in words.sentence(found)
    assert json.dumps(words.in_json(found), allow_nan=False)


def test_a_bias_that_was_found_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = analyse(PLAN, judgements([False] * 30 + [True] * 30), texts(24), draws=999)
    drift = next(one for one in found.checks if one.name == "drift")
    assert drift.found and "Holm-adjusted p = " in words.check(drift)
    print_study(found)
    printed = " ".join(capsys.readouterr().out.split())
    counts = words.check(drift).partition(";")[0]
    assert printed.count(counts) == 1 and f"note: {counts}" in printed
    page = html.unescape(render_study_report(found))
    assert page.count(counts[1:]) == 1  # a note begins with a capital letter


def test_few_texts_limit_the_conclusion_in_the_sentence() -> None:
    rows = judgements(first(40, 60), inputs=4)
    found = analyse(PLAN, rows, texts(4))
    assert found.concluded
    assert "The conclusion holds for the 8 texts of 4 inputs that were shown" in words.sentence(found)
    assert "too few to say anything of other texts" in words.sentence(found)
    assert any("few texts" in note for note in words.warnings(found))
    many = analyse(PLAN, judgements(first(45, 60), inputs=40), texts(40))
    assert "The conclusion also holds for other texts of these kinds" in words.sentence(many)
