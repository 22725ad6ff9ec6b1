"""What a statement holds, where it comes from, and that nothing missing is hidden or invented."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import rated
import stated
from stated import STATED, folder, run
from studies import Clock

from nlgauge.study import protocols
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import PROTOCOLS, protocol_of
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import Spread, gather
from nlgauge.study.statements.keys import Stated, StatedCriterion
from nlgauge.study.statements.read import Read
from nlgauge.study.statements.told import told
from nlgauge.study.statements.types import Statement


@pytest.fixture(scope="module")
def likert(tmp_path_factory: pytest.TempPathFactory) -> Read:
    return run(tmp_path_factory.mktemp("likert") / "s", "likert")


@pytest.fixture(scope="module")
def triangle(tmp_path_factory: pytest.TempPathFactory) -> Read:
    return run(tmp_path_factory.mktemp("triangle") / "s", "triangle")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_study_whose_file_tells_all_lacks_nothing(protocol: str, tmp_path: Path) -> None:
    found = run(tmp_path / "s", protocol).statement
    assert [field.name for field in found.missing] == []
    assert found.completeness == 1.0 and found.stated == found.total
    assert str(found) == f"The statement has {found.total} of {found.total} fields (100 %)."


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_the_analysis_does_is_told_by_the_program(protocol: str, tmp_path: Path) -> None:
    where = folder(tmp_path / "s", protocol, full=False)
    plan = statement_of(freeze(load(where), where))
    assert plan["analysis"].source == plan["significance"].source == "design"
    assert not plan["analysis"].missing and not plan["significance"].missing
    by_hand = statement_of(freeze(load(where), where), Stated(analysis="medians"))["analysis"]
    assert (by_hand.text, by_hand.source) == ("medians", "person")


def test_agreement_is_what_the_analysis_found_and_other_figures_are_warned_of(tmp_path: Path) -> None:
    texts = {"judges": 4, "evaluations": 6, "access": "open"}
    where = folder(tmp_path / "s", "likert", full=False, design="crossed", panels={"public": texts})
    service, _ = rehearse(freeze(load(where), where), protocol_of("likert").crowd(load(where), {}), seed=3)
    before = statement_of(service.frozen, facts=gather(service))["agreement"]
    assert before.missing and "nlgauge study analyse" in before.remedy
    found = {one.criterion.id: one.agreeing for one in service.protocol.analyse_service(service).ratings}
    alpha = found["fluency"].alpha
    events = len(service.events("analysed"))
    service.protocol.analyse_service(service, panel="public")  # the same look is no new event
    assert len(service.events("analysed")) == events == 1
    facts = gather(service)
    told = statement_of(service.frozen, facts=facts)["agreement"]
    assert told.source == "store" and f"Krippendorff's alpha (ordinal) {alpha:.2f}" in told.text
    right = Stated(agreement=f"alpha {alpha:.3f} for fluency, p < 0.001")
    same = statement_of(service.frozen, right, facts)
    assert (
        not any("statement.agreement" in note for note in same.warnings) and right.agreement in same["agreement"].text
    )
    wrong = Stated(
        agreement=f"alpha {alpha + 0.02:.2f}", criteria={"formality": StatedCriterion(agreement="kappa .999")}
    )
    notes = [one for one in statement_of(service.frozen, wrong, facts).warnings if "no figure" in one]
    assert len(notes) == 2 and f"says {alpha + 0.02:.2f}" in notes[0] and "formality" in notes[1]
    service.quality.exclude(service.people.judges()[0]["id"], "a colleague")
    assert statement_of(service.frozen, facts=gather(service))["agreement"].missing  # of other judges


@pytest.fixture(scope="module")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> Read:
    return run(tmp_path_factory.mktemp("ranking") / "s", "ranking")


def test_blanking_any_field_lowers_the_figure_and_names_it(likert: Read, triangle: Read, ranking: Read) -> None:
    for whole in (likert.statement, triangle.statement, ranking.statement):
        for field in whole:
            blanked = whole.without(field.key)
            assert blanked.completeness < whole.completeness, field.key
            assert [one.key for one in blanked.missing] == [field.key]
            assert field.name.lower() in str(blanked)


def test_comparisons_tell_their_answers_in_every_language(ranking: Read, tmp_path: Path) -> None:
    scale = ranking.statement["scale.fluency"].text
    assert "texts may share a rank" in scale and "dürfen sich einen Rang teilen" in scale
    assert "each place on the screen" in ranking.statement["planned_balance"].text
    assert "by place on the screen" in ranking.statement["balance"].text  # judges who left saw fewer screens
    preferred = run(tmp_path / "s", "pairwise").statement["scale.formality"].text
    assert all(word in preferred for word in ("slightly", "etwas", "Kein Unterschied", "2 degrees"))
    sheet = {one.number: one.answer for _, own in ranking.datasheet.criteria for one in own}
    assert sheet["4.2.2"] == "relative" and sheet["4.3.8"].startswith("relative quality estimation")
    assert sheet["4.3.4"].startswith("ranks 1 to 3 (")


@pytest.mark.parametrize("name", sorted(STATED))
def test_blanking_a_key_of_the_file_is_seen_in_the_statement_or_the_datasheet(name: str, likert: Read) -> None:
    less = replace(likert.stated, **{name: ""})
    found = statement_of(likert.frozen, less, likert.facts)
    sheet = Read(found, likert.frozen, less, likert.facts).datasheet
    assert (found.to_dict(), sheet.to_dict()) != (likert.statement.to_dict(), likert.datasheet.to_dict())
    if name in ("demographics", "training", "quality_control", "exclusions", "feedback"):
        return  # the pages tell a part
    if name in ("analysis", "significance"):
        return  # what the analysis does is told in place of a person's words
    assert found.completeness < 1.0 or sheet.given < likert.datasheet.given
    lacking = [field.where for field in found.missing] + [key for one in sheet.every for key in one.lacking]
    assert any(f"statement.{name}" in key or name in key for key in lacking)


@pytest.mark.parametrize(
    ("key", "missing"),
    [
        ("instructions", {"instructions"}),
        ("consent", {"consent", "consent_asked"}),
        ("ethics", {"approval", "retention", "judges_contact"}),
        ("statement", None),
    ],
)
def test_what_the_file_leaves_out_is_missing(key: str, missing: set[str] | None, tmp_path: Path) -> None:
    where = folder(tmp_path / "s", "likert", full=True, **{key: None})
    study = load(where)
    whole = statement_of(freeze(study, where), study.statement)
    lacking = {field.key for field in whole.missing if field.source != "store"}
    if missing is None:
        assert {"paper", "system_descriptions", "recruitment", "agreement"} <= lacking
    else:
        assert lacking == missing


def test_a_criterion_of_which_less_is_better_says_so_where_it_is_defined(tmp_path: Path) -> None:
    where = folder(tmp_path / "s", "chat", full=True)
    stating = statement_of(freeze(load(where), where))
    assert "A high answer is a bad one; answers are turned round" in stating["definition.avoiding-repetition"].text


def test_the_wording_is_exact_in_every_language_that_judges_read(likert: Read) -> None:
    own = likert.statement["wording.formality"]
    assert {one.label: one.text for one in own.entries} == {
        "English": "How formal is this text?",
        "German": "Wie förmlich ist dieser Text?",
    }
    # the catalogue has more languages than the two of the pages
    assert [one.label for one in likert.statement["wording.fluency"].entries] == ["English", "German"]
    assert "not at all (English); gar nicht (German)" in likert.statement["scale.formality"].text
    instructions = likert.statement["instructions"]
    assert instructions.entries[0].text == stated.COMMON["instructions"]["en"]


def test_counts_are_those_of_the_store(tmp_path: Path) -> None:
    clock = Clock()
    service = rated.launched(tmp_path / "s", clock, panels={"public": {"judges": 6, "access": "open"}})
    number = 0
    for judge_number, (answers, minutes) in enumerate(((6, 1.0), (4, 2.0))):
        judge, _ = service.arrivals.register("public")
        for _ in range(answers):
            step = service.dealing.step(judge)
            while step.kind == "instructions":
                service.dealing.begin(judge)
                step = service.dealing.step(judge)
            assert step.evaluation is not None
            clock.minutes(minutes)
            service.answers.answer(judge, step.evaluation.claim, rated.some_answer(service, step.evaluation, number))
            number += 1
        assert judge_number < 2
    facts = gather(service)
    (panel,) = facts.people
    assert (panel.judges, panel.answers) == (2, 10)
    assert panel.each == Spread(5, 4, 6)
    assert panel.minutes is not None
    assert (round(panel.minutes.mean, 6), panel.minutes.least, panel.minutes.most) == (7.0, 6.0, 8.0)
    found = statement_of(service.frozen, Stated(pay_each=3.5, currency="EUR"), facts)
    assert found["questions_each"].text.startswith("5 on average, from 4 to 6")
    assert found["minutes_each"].text.startswith("7 on average, from 6 to 8")
    assert found["pay_per_hour"].text.startswith("30.00 EUR (3.5 EUR for 7.0 minutes on average")
    assert "2 judges saw from 4 to 6 screens" in found["balance"].text
    assert "not complete" in found.warnings[0]


def test_balance_is_that_of_the_judges_who_answered(likert: Read) -> None:
    assert likert.facts is not None
    realised = dict(told(likert.frozen, likert.facts.seen).realised)["public"]
    assert likert.statement["balance"].text == realised
    assert "each output was judged" in realised
    half = {"public": likert.facts.seen["public"][:2]}
    assert dict(told(likert.frozen, half).realised)["public"] != realised


def test_a_study_that_was_not_launched_states_its_plan(tmp_path: Path) -> None:
    where = folder(tmp_path / "s", "triangle", full=True)
    study = load(where)
    found = statement_of(freeze(study, where), study.statement)
    assert found.warnings == ("the study has not been launched: this is its plan",)
    lacking = {field.key for field in found.missing}
    assert {"balance", "judges", "questions_each", "minutes_each", "dates"} <= lacking
    assert found["planned_balance"].text.startswith("12 triads: ABB 2")


def test_what_is_stated_is_no_part_of_the_design(tmp_path: Path) -> None:
    bare = load(folder(tmp_path / "a", "triangle", full=True, statement=None))
    full = load(folder(tmp_path / "b", "triangle", full=True))
    assert full.statement.paper == STATED["paper"] and bare.statement == Stated()
    assert freeze(bare, tmp_path / "a").digest == freeze(full, tmp_path / "b").digest


def test_a_question_whose_wording_is_unknown_is_warned_of(likert: Read) -> None:
    blanked = likert.statement.without("wording.fluency")
    assert any("wording of the question about fluency is not known" in one for one in blanked.warnings)
    assert not any("wording" in one for one in likert.statement.warnings)


def test_what_judges_said_of_themselves(tmp_path: Path) -> None:
    clock = Clock()
    asked = [
        {"id": "age", "text": "How old are you?", "type": "number"},
        {"id": "native", "text": "Is English your first language?", "options": ["yes", "no"]},
    ]
    service = rated.launched(tmp_path / "s", clock, questions=asked)
    for number in range(6):
        judge, _ = service.arrivals.register("public")
        service.people.answer_questions(judge, {"age": str(20 + number), "native": str(number % 2)})
        step = service.dealing.step(judge)
        while step.evaluation is None:
            service.dealing.begin(judge)
            step = service.dealing.step(judge)
        clock.minutes(1)
        service.answers.answer(judge, step.evaluation.claim, rated.some_answer(service, step.evaluation, number))
    found = statement_of(service.frozen, Stated(), gather(service))
    assert found["demographics"].text.startswith("How old are you?: median 22.5")
    assert found["language_familiarity"].text == "Is English your first language?: yes 3, no 3"
    assert found["language_familiarity"].source == "store"


def test_exclusions_are_told_by_reason(likert: Read) -> None:
    assert likert.facts is not None
    facts = replace(likert.facts, excluded=(("failed attention checks", 2),), corrected=1)
    found = statement_of(likert.frozen, replace(likert.stated, exclusions=""), facts)
    assert "answers left out: 1 replaced by judges' own corrections" in found["exclusions"].text
    assert "2 excluded: failed attention checks" in found["exclusions"].text


def test_a_protocol_without_a_part_of_its_own_tells_what_its_file_holds(
    likert: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(name: str, part: str) -> None:
        raise LookupError(part)

    monkeypatch.setattr(protocols, "part_of", lacks)
    found = statement_of(likert.frozen, likert.stated, likert.facts)
    assert found["wording.criteria.2.question"].text.startswith("English: How formal")
    assert {"order", "balance"} <= {field.key for field in found.missing}


def test_json_gives_the_statement_back(likert: Read) -> None:
    assert Statement.from_dict(likert.statement.to_dict()) == likert.statement


def test_every_key_of_the_statement_part_has_words() -> None:
    assert all(field.metadata["about"] for field in dataclasses.fields(Stated))
