"""Answers that are known beforehand, in every protocol: attention checks, and training with gold answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cared
import conversing
import pytest
import rated
import yaml
from studies import Clock

from nlgauge.errors import InputError
from nlgauge.report.study.words import sentences, warnings
from nlgauge.study.checks.run import check
from nlgauge.study.exchange.recheck import recheck
from nlgauge.study.file import study
from nlgauge.study.protocols.magnitudes.simulation import Estimators
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.told import told
from nlgauge.study.store import Store

PROTOCOLS = ("magnitude", "rankme", "post-edit", "spans", "classification", "task", "chat")
EVERY = pytest.mark.parametrize("protocol", PROTOCOLS)
REFUSED: dict[str, Any] = {"degraded": 2, "repeats": 2}


def description(protocol: str, **changes: Any) -> dict[str, Any]:
    if protocol == "task":
        return conversing.task(confidence=True, **changes)
    if protocol == "chat":
        return conversing.chat(conversation={"min_turns": 1, "max_turns": 3}, **changes)
    if protocol in ("magnitude", "rankme"):
        return rated.description(**rated.estimating(protocol, **changes))
    if protocol == "classification":
        return rated.description(**rated.classifying(**changes))
    return rated.description(protocol=protocol, criteria=None, **changes)


def write(folder: Path, protocol: str, **changes: Any) -> Path:
    text = yaml.safe_dump(description(protocol, **changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return folder


def begun(folder: Path, protocol: str, **changes: Any) -> Service:
    write(folder, protocol, **changes)
    return launch(study.load(folder), folder, Store.at(folder), clock=Clock())


@EVERY
@pytest.mark.parametrize("key", REFUSED)
def test_a_check_that_cannot_work_is_refused_at_its_line(tmp_path: Path, protocol: str, key: str) -> None:
    write(tmp_path, protocol, quality={"comprehension": cared.TEST, key: REFUSED[key]})
    _, found, _ = study.inspect(tmp_path)
    (problem,) = found
    line = (tmp_path / study.FILE).read_text(encoding="utf-8").splitlines()[problem.line - 1]
    assert problem.path == f"quality.{key}" and line.strip().startswith(f"{key}:")
    assert f"the protocol {protocol} has attention checks and comprehension" in problem.message


KNOWN = pytest.mark.parametrize("protocol", cared.GOLD)


@KNOWN
def test_training_tells_right_from_wrong_and_checks_leave_judges_out(tmp_path: Path, protocol: str) -> None:
    _, _, right, wrong = cared.GOLD[protocol]
    service = rated.of(protocol, tmp_path, Clock(), **cared.trained(protocol))
    protocol_, frozen = service.protocol, service.frozen
    answers = {}
    for name, given in (("careful", right), ("careless", wrong)):
        judge, _ = service.arrivals.register("public")
        service.dealing.begin(judge)
        shown = service.dealing.step(judge).evaluation
        assert shown is not None and shown.practice
        stored = service.answers.answer_practice(judge, 1, given).judgement
        assert protocol_.right(frozen, stored) is (given is right) and stored.practice
        assert service.dealing.step(judge).kind == ("evaluation" if given is right else "failed")
        answers[name] = judge
    judge, answered = answers["careful"], 0
    assert frozen.study.quality is not None  # type: ignore[attr-defined]
    while (step := service.dealing.step(judge)).kind == "evaluation":
        shown = step.evaluation
        assert shown is not None
        checked = shown.texts[0].role == "check"
        answered += checked
        given = wrong if checked else rated.some_answer(service, shown, 1)
        service.answers.answer(judge, shown.claim, given)
    assert answered == 1
    assert list(protocol_.rule_excludes(frozen, service.judgements())) == [judge]
    assert protocol_.record(frozen, service.judgements()) == {judge: (0, 1)}
    said = told(frozen, {})
    assert said.checks.startswith("6 attention checks; attention checks in full: ")  # one for each of six judges
    assert "whoever misses 50 % of them or more fails" in said.checks
    assert "Because of it." in said.practice and "fewer than 1 of 1 practice answers" in said.screening


@KNOWN
def test_what_training_sends_away_is_told_before_launch(tmp_path: Path, protocol: str) -> None:
    rated.of(protocol, tmp_path, Clock(), **cared.trained(protocol))
    found, _ = check(tmp_path, simulate=False)
    (one,) = [one for one in found if "practice answer judges are told whether" in one.message]
    assert one.kind == "passing" and one.figures["careful"] == 0.95 and one.figures["guessing"] <= 0.6


@KNOWN
def test_a_further_try_is_kept_and_changes_nothing(tmp_path: Path, protocol: str) -> None:
    _, _, right, wrong = cared.GOLD[protocol]
    service = rated.of(protocol, tmp_path, Clock(), **cared.trained(protocol, required=0))
    judge, _ = service.arrivals.register("public")
    service.dealing.begin(judge)
    service.dealing.step(judge)
    first = service.answers.answer_practice(judge, 1, wrong).judgement
    found = service.answers.feedback(judge, 1)
    assert found is not None and (found.right, found.known, found.again) == (0, 1, True)
    again = service.answers.answer_practice(judge, 1, right).judgement
    assert service.answers.answer_practice(judge, 1, right).repeated and again.id != first.id
    found = service.answers.feedback(judge, 1)
    assert found is not None and found.judgement.id == again.id and found.right == 0
    assert [one.practice for one in service.judgements()] == [True, True]
    back = service.answers.answer_practice(judge, 1, wrong)  # as at first, and yet a further try
    found = service.answers.feedback(judge, 1)
    assert not back.repeated and found is not None
    assert found.judgement.id == back.judgement.id != first.id and found.retried
    assert service.dealing.step(judge).kind == "evaluation"


@pytest.mark.parametrize(
    ("protocol", "known", "message"),
    [
        ("likert", {"errors": []}, "means nothing in a study of the protocol likert"),
        ("likert", {"answer": {"fluency": 99}}, "is not on the scale of fluency"),
        ("likert", {}, "has no answer; write one"),
        ("pairwise", {"answer": {"fluency": 3}}, "is no place on the screen"),
        ("spans", {"errors": ["dog"]}, "do not stand in the text"),
        ("spans", {"errors": [{"words": "catt", "severity": "huge"}]}, "'huge' is none of"),
        ("spans", {"errors": ["cat"]}, "do not stand in the text as whole words"),
        ("spans", {"errors": ["catt", "catt"]}, "are named twice"),
        ("spans", {"errors": ["catt"], "within": 2}, "distance from an answer, and there is none"),
        (
            "likert",
            {"answer": {"fluency": 3}, "within": 100},
            "every answer on the scale of fluency is within",
        ),
        ("pairwise", {"answer": {"fluency": 1}, "within": 3}, "within means nothing in a study"),
        ("post-edit", {"errors": ["catt"], "pattern": "The cat sat."}, "it has no *"),
        ("post-edit", {"pattern": "The cat *"}, "no text is known that fits it"),
        ("post-edit", {"errors": ["catt"], "pattern": "The *"}, "is right as it is shown"),
        (
            "task",
            {"ask": [{"text": "What?", "type": "choice", "options": ["a"], "answer": "a"}]},
            "fewer than two",
        ),
        ("magnitude", {"answer": {"fluency": 0}}, "magnitudes are above 0"),
        ("chat", {"answer": {"warmth": 2}}, "which is not asked"),
    ],
)
def test_gold_that_nobody_could_give_is_refused(
    tmp_path: Path, protocol: str, known: dict[str, Any], message: str
) -> None:
    changes = cared.trained(protocol)
    changes["practice"]["examples"][0]["gold"] = known
    with pytest.raises(InputError, match=message):
        rated.of(protocol, tmp_path, Clock(), **changes)


@EVERY
def test_a_wrong_test_is_refused(tmp_path: Path, protocol: str) -> None:
    write(tmp_path, protocol, quality={"comprehension": {"questions": []}})
    with pytest.raises(InputError, match="has no questions"):
        study.load(tmp_path)


@EVERY
def test_the_comprehension_test_comes_before_the_first_text(tmp_path: Path, protocol: str) -> None:
    service = begun(
        tmp_path,
        protocol,
        quality={"comprehension": cared.TEST},
        completion={"code": "GOOD", "failed_code": "BAD"},
    )
    panel = next(iter(service.study.panels))
    judges = [service.arrivals.register(panel)[0] for _ in range(2)]
    for judge, answers in zip(judges, ([1, 2], [2, 1]), strict=True):
        service.dealing.begin(judge)
        assert service.dealing.step(judge).kind == "comprehension" and service.dealing.step(judge).evaluation is None
        service.people.answer_test(judge, 1, answers)
    shown = service.dealing.step(judges[0]).evaluation
    assert shown is not None
    service.answers.answer(judges[0], shown.claim, rated.some_answer(service, shown, 1))
    service.people.answer_test(judges[1], 2, [2, 1])
    step = service.dealing.step(judges[1])
    assert (step.kind, step.code) == ("failed", "BAD")
    assert "comprehension test before the first text, 2 of 2" in told(service.frozen, {}).screening


@EVERY
def test_nothing_is_discussed_or_judged_again(tmp_path: Path, protocol: str) -> None:
    (tmp_path / "study").mkdir()
    service = begun(tmp_path / "study", protocol)
    with pytest.raises(InputError, match=f"the protocol {protocol} has none"):
        service.protocol.disagreements(service.frozen, ())
    with pytest.raises(InputError, match="cannot be rechecked"):
        recheck(service, tmp_path / "study", tmp_path / "again", sample=1, panel="experts", judges=2, seed=1)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("protocol", [*PROTOCOLS, "pairwise"])
def test_a_judge_who_is_left_out_is_left_out_of_the_figures(tmp_path: Path, protocol: str) -> None:
    if protocol == "pairwise":
        rated.write(tmp_path, **rated.comparing(protocol))
        service = launch(study.load(tmp_path), tmp_path, Store.memory(), clock=Clock())
    else:
        write(tmp_path, protocol, panels={"public": {"judges": 6, "access": "open"}})
        service = launch(study.load(tmp_path), tmp_path, Store.memory(), clock=Clock())
    played, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)
    judge = played.judgements()[0].judge
    played.quality.exclude(judge, "in haste")
    found = service.protocol.analyse_service(played)
    assert judge not in {
        row.judge for group in found.judging for row in group.judges if not getattr(row, "excluded", "")
    }
    assert any("in haste" in said for said in (*warnings(found), *(text for _, text in sentences(found))))


CHECKS = [
    {"text": "This is a check: please write 50.", "source": "none", "answer": {"fluency": 50}},
    {
        "text": "This is a check: please write 200.",
        "source": "none",
        "answer": {"fluency": 200},
        "within": 10,
    },
]


def test_attention_checks_of_magnitudes_ask_for_a_number(tmp_path: Path) -> None:
    quality = {"attention": CHECKS, "rule": {"exclude": ["attention"]}}
    service = begun(tmp_path, "magnitude", quality=quality, criteria=["fluency"])
    judges = [service.arrivals.register("public")[0] for _ in range(2)]
    for judge, careful in zip(judges, (True, False), strict=True):
        while (step := service.dealing.step(judge)).kind == "evaluation":
            shown = step.evaluation
            assert shown is not None
            (text,) = shown.texts
            wanted = {"write 50": 50, "write 200": 195}
            asked = next((value for words, value in wanted.items() if words in text.text), 120)
            service.answers.answer(judge, shown.claim, {"fluency": asked if careful else 77})
    protocol = service.protocol
    out = protocol.rule_excludes(service.frozen, service.judgements())
    assert list(out) == [judges[1]] and "attention" in out[judges[1]]
    assert protocol.record(service.frozen, service.judgements()) == {judges[0]: (2, 2), judges[1]: (0, 2)}
    service.admin.close()
    result = service.protocol.analyse_service(service)  # and what a check was given is no answer about a text
    assert {one.n for one in result.ratings[0].models.means} == {4}


def test_simulated_judges_of_magnitudes_pass_and_copies_are_refused(tmp_path: Path) -> None:
    quality = {"attention": CHECKS, "rule": {"exclude": ["attention"]}}
    write(tmp_path, "magnitude", quality=quality, criteria=["fluency"])
    found, frozen = check(tmp_path, simulate=False)
    assert frozen is not None
    (rule,) = [one for one in found if one.message.startswith("the rule keeps")]
    assert rule.figures["guessing"] == 0 and rule.figures["careful"] > 0.9
    service, _ = rehearse(frozen, Estimators(), seed=1)
    assert service.protocol.rule_excludes(frozen, service.judgements()) == {}
    for wrong, words in (
        ({"degraded": 2}, "magnitude has attention checks and comprehension"),
        ({"attention": [CHECKS[0] | {"answer": {"fluency": 0}}]}, "magnitudes are above 0"),
    ):
        write(tmp_path, "magnitude", quality=wrong, criteria=["fluency"])
        with pytest.raises(InputError, match=words):
            study.load(tmp_path)


def test_the_statement_counts_one_check_and_tells_a_reason_only_where_there_is_one(tmp_path: Path) -> None:
    def said(name: str, *reasons: str) -> tuple[str, str]:
        changes = cared.trained("likert")
        changes["panels"]["public"]["judges"] = 1
        (example,) = changes["practice"]["examples"]
        changes["practice"]["examples"] = [example | {"why": why or None} for why in reasons]
        (tmp_path / name).mkdir()
        found = told(rated.of("likert", tmp_path / name, Clock(), **changes).frozen, {})
        return found.checks, found.practice

    checks, practice = said("none", "")
    assert checks.startswith("1 attention check; ")
    assert "told after theirs: “Bad.”" in practice and "reason" not in practice
    assert "told after theirs, with the reason: " in said("all", "Because.")[1]
    assert "told after theirs, some with the reason: " in said("some", "Because.", "")[1]


def test_large_numbers_are_told_as_they_are_written(tmp_path: Path) -> None:
    changes = cared.trained("magnitude")
    changes["practice"]["examples"][0]["gold"] = {"answer": {"fluency": 1_500_000}, "within": 250_000}
    service = rated.of("magnitude", tmp_path, Clock(), **changes)
    assert "fluency 1500000, within 250000" in told(service.frozen, {}).practice


def test_a_reference_may_be_a_text_or_a_list_of_texts(tmp_path: Path) -> None:
    seen = []
    for name, reference in (("text", "It rains."), ("list", ["It rains."])):
        example = {"text": "Rain.", "reference": reference, "gold": {"answer": {"fluency": 4}}, "why": "So."}
        check_ = {"text": "Choose 2.", "reference": reference, "answer": {"fluency": 2}}
        changes = {"practice": {"examples": [example]}, "quality": {"attention": [check_]}}
        subjects = {"rules": {"texts": [{"text": f"{k}.", "reference": reference} for k in range(4)]}}
        folder = tmp_path / name
        rated.write(folder, subjects=subjects, show=["reference"], criteria=["fluency"], **changes)
        seen.append(study.load(folder))
    assert seen[0] == seen[1] and rating_study(seen[0]).practice.examples[0].reference == ("It rains.",)
