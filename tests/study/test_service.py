"""The verbs, on SQLite and PostgreSQL: a judge's way, dealing again, double submits, corrections, forgetting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched

from nlgauge.errors import InputError
from nlgauge.study.designs.triangle import counts
from nlgauge.study.exchange import restore
from nlgauge.study.model import Evaluation, odd_position
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, start
from nlgauge.study.store import Store, tables

QUESTIONS = [
    {"id": "age", "text": "Age?", "type": "number"},
    {"id": "reads", "text": "Do you?", "options": ["yes", "no"], "required": True},
    {"id": "job", "text": "Job?", "type": "text"},
]


def shown(service: Service, judge: str) -> Evaluation:
    step = service.dealing.step(judge)
    assert step.kind == "evaluation", step
    assert step.evaluation is not None
    return step.evaluation


def arrive(service: Service, panel: str = "public") -> str:
    return service.arrivals.register(panel)[0]


def finish(service: Service, judge: str) -> None:
    while service.dealing.step(judge).kind == "evaluation":
        service.answers.answer(judge, shown(service, judge).claim, 0)


def refused(code: str, verb: Any, *arguments: Any, **options: Any) -> None:
    with pytest.raises(Refused) as caught:
        verb(*arguments, **options)
    assert caught.value.code == code


def test_the_way_of_a_judge(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        store,
        consent={"text": "May we?"},
        questions=QUESTIONS,
        practice=1,
        completion={"code": "C0DE", "redirect": "https://x.org/e"},
    )
    judge, token = service.arrivals.register("public", language="en")
    assert service.arrivals.follow(token) == judge
    assert service.dealing.step(judge).kind == "consent"
    service.people.consent(judge, True)
    assert service.dealing.step(judge).kind == "questions"
    refused("invalid", service.people.answer_questions, judge, {"age": "forty", "reads": "0"})
    refused("invalid", service.people.answer_questions, judge, {"age": "40"})
    refused("invalid", service.people.answer_questions, judge, {"reads": "2"})
    service.people.answer_questions(judge, {"age": "40", "reads": "1", "job": "Fischer \x00 🐟", "unasked": "x"})
    again = {"age": "41", "reads": "1"}
    refused("answered", service.people.answer_questions, judge, again)  # the first stand, and that is said
    assert service.people.personal() == {judge: {"age": "40", "reads": "1", "job": "Fischer \ufffd 🐟"}}

    practice = service.dealing.step(judge).evaluation
    assert practice is not None and practice.practice and practice.total == 1
    clock.minutes(0.5)
    assert service.dealing.step(judge).evaluation == practice
    receipt = service.answers.answer_practice(judge, 1, 2, client="Firefox")
    assert receipt.judgement.practice and receipt.judgement.seconds == 30
    assert service.answers.answer_practice(judge, 1, 2).repeated
    refused("answered", service.answers.answer_practice, judge, 1, 1)

    first = shown(service, judge)
    clock.minutes(1)
    assert shown(service, judge) == first  # a reload, or another device
    stored = service.answers.answer(judge, first.claim, 1, reason=" because ", client="Firefox").judgement
    assert (stored.answer, stored.seconds, stored.surplus, stored.reason) == (1, 60, False, "because")
    assert stored.texts == tuple(text.id for text in first.texts)
    assert stored.correct == (odd_position(stored.role) == 1)
    end = service.dealing.step(judge)
    assert (end.kind, end.code, end.redirect, end.done, end.total) == (
        "done",
        "C0DE",
        "https://x.org/e",
        1,
        1,
    )
    assert [one.practice for one in service.judgements()] == [True, False]
    assert [event["kind"] for event in service.events()] == [
        "launched",
        "registered",
        "consented",
        "questions",
        "finished",
    ]


def test_double_submits_and_foreign_claims(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    one, two = arrive(service), arrive(service)
    claim, other = shown(service, one).claim, shown(service, two).claim
    assert claim != other
    first = service.answers.answer(one, claim, 2, key="form-1")
    again = service.answers.answer(one, claim, 2, key="form-1")
    assert again.repeated and again.judgement == first.judgement
    refused("answered", service.answers.answer, one, claim, 1, key="form-2")
    refused("foreign", service.answers.answer, one, other, 1)
    refused("unknown", service.answers.answer, one, "c-nothing", 1)
    refused("unknown", service.answers.answer, "j-nobody", claim, 1)
    for bad in (3, -1, True, "1"):
        refused("invalid", service.answers.answer, two, other, bad)
    assert len(service.judgements()) == 1


def test_abandoned_slots_are_dealt_first_and_late_answers_are_surplus(
    tmp_path: Path, clock: Clock, store: Store
) -> None:
    service = launched(tmp_path / "s", clock, store, timeout=30)
    gone = arrive(service)
    left = shown(service, gone)
    assert shown(service, arrive(service)).slot != left.slot  # still kept
    clock.minutes(31)
    late = arrive(service)
    assert shown(service, late).slot == left.slot
    accepted = service.answers.answer(late, shown(service, late).claim, 0).judgement
    surplus = service.answers.answer(gone, left.claim, 1).judgement
    assert (accepted.surplus, surplus.surplus) == (False, True)
    assert accepted.slot == surplus.slot
    assert service.dealing.step(gone).kind == "done"
    assert service.progress.report()["panels"]["public"]["surplus"] == 1


def test_a_stale_claim_that_nobody_took_still_counts(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, timeout=30)
    judge = arrive(service)
    claim = shown(service, judge).claim
    clock.minutes(500)
    assert service.progress.report()["panels"]["public"]["stale"] == 1
    assert shown(service, judge).claim == claim  # comes back: the same again, kept for longer
    assert service.progress.report()["panels"]["public"]["stale"] == 0
    clock.minutes(500)
    assert service.dealing.release() == 1
    assert not service.answers.answer(judge, claim, 0).judgement.surplus


def test_a_judge_whose_slot_was_taken_gets_another(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, timeout=30)
    gone = arrive(service)
    left = shown(service, gone)
    clock.minutes(31)
    shown(service, arrive(service))
    assert shown(service, gone).slot != left.slot


def test_a_judge_in_two_windows_counts_once(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, timeout=30)
    judge = arrive(service)
    old = shown(service, judge)
    clock.minutes(31)
    shown(service, arrive(service))  # takes over what was left
    new = shown(service, judge)
    assert service.answers.answer(judge, old.claim, 1).judgement.surplus
    assert service.answers.answer(judge, new.claim, 1).judgement.surplus  # a second answer of a judge who is done
    assert shown(service, arrive(service)).slot == new.slot


def test_balance_is_over_completed_evaluations(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, timeout=1)
    finished = 0
    for number in range(40):
        if finished == 12:
            break
        judge = arrive(service)
        shown(service, judge)
        if number % 3 == 0:  # goes away
            clock.minutes(2)
            continue
        finish(service, judge)
        finished += 1
    assert set(service.progress.report()["panels"]["public"]["triads"].values()) == {2}
    refused("full", service.arrivals.register, "public")


def test_late_extra_judges_get_a_balanced_continuation(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s", clock, store, extra="continue", panels={"public": {"judges": 8, "access": "open"}}
    )
    for _ in range(12):
        finish(service, arrive(service))
    assert set(service.progress.report()["panels"]["public"]["triads"].values()) == {2}
    service.dealing.extend("public", 6)
    assert set(counts(service.slots()).values()) == {3}
    assert len(service.events("extended")) == 5


def test_replicated_judges_get_whole_sheets(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s", clock, store, panels={"experts": {"judges": 4, "evaluations": 6, "access": "open"}}
    )
    judges = [arrive(service, "experts") for _ in range(4)]
    for _ in range(6):
        for judge in judges:
            clock.minutes(1)
            service.answers.answer(judge, shown(service, judge).claim, 0)
    for judge in judges:
        own = [one.role for one in service.judgements() if one.judge == judge]
        assert len(set(own)) == 6
        assert service.dealing.step(judge).kind == "done"


def test_a_sheet_that_was_left_is_finished_by_another(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s", clock, store, panels={"experts": {"judges": 2, "evaluations": 6, "access": "open"}}
    )
    gone, other = arrive(service, "experts"), arrive(service, "experts")
    for _ in range(2):  # and leaves between two evaluations
        service.answers.answer(gone, shown(service, gone).claim, 0)
    finish(service, other)
    refused("full", service.arrivals.register, "experts")
    clock.minutes(100)
    third = arrive(service, "experts")
    finish(service, third)
    step = service.dealing.step(third)
    assert (step.kind, step.done) == ("done", 4)  # what was left to do
    assert set(service.progress.report()["panels"]["experts"]["triads"].values()) == {2}
    assert all(not one.surplus for one in service.judgements())


def test_sheets_that_were_left_come_before_fresh_ones(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s", clock, store, panels={"experts": {"judges": 3, "evaluations": 6, "access": "open"}}
    )
    gone = arrive(service, "experts")
    first = service.answers.answer(gone, shown(service, gone).claim, 0).judgement
    clock.minutes(100)
    service.dealing.release()
    other = arrive(service, "experts")
    for _ in range(6):
        service.answers.answer(other, shown(service, other).claim, 0)
    own = [one for one in service.judgements() if one.judge == other]
    assert [one.number <= 6 for one in own] == [True] * 5 + [False]  # five that were left, one of a fresh sheet
    assert own[-1].role == first.role  # the one this judge had not had
    assert len({one.role for one in own}) == 6


def test_corrections_are_new_judgements(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, corrections="allow")
    judge, other = arrive(service), arrive(service)
    first = service.answers.answer(judge, shown(service, judge).claim, 0).judgement
    second = service.answers.correct(judge, first.id, 2).judgement
    assert (second.replaces, second.answer, second.slot) == (first.id, 2, first.slot)
    assert service.answers.correct(judge, first.id, 2).repeated
    refused("unknown", service.answers.correct, other, first.id, 1)
    assert service.answers.correct(judge, second.id, 1).judgement.replaces == second.id
    refused("answered", service.answers.correct, judge, first.id, 0)  # from a page that shows the first answer still
    again = service.answers.correct(judge, service.judgements()[-1].id, 0).judgement  # the first answer, chosen anew
    assert again.replaces == service.judgements()[-2].id
    assert [one.answer for one in service.judgements()] == [0, 2, 1, 0]
    assert service.progress.report()["panels"]["public"]["done"] == 1
    service.admin.close()
    refused("closed", service.answers.correct, judge, service.judgements()[-1].id, 1)


def test_corrections_are_refused_unless_allowed(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    judge = arrive(service)
    first = service.answers.answer(judge, shown(service, judge).claim, 0).judgement
    refused("answered", service.answers.correct, judge, first.id, 2)
    assert [one.id for one in service.judgements()] == [first.id]


def test_another_answer_from_the_same_page_is_a_correction_or_refused(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "allowed", clock, corrections="allow")
    judge = arrive(service)
    claim = shown(service, judge).claim
    first = service.answers.answer(judge, claim, 0).judgement
    assert service.answers.answer(judge, claim, 0).repeated
    second = service.answers.answer(judge, claim, 2)
    assert (second.repeated, second.judgement.replaces, second.judgement.answer) == (False, first.id, 2)
    assert service.answers.answer(judge, claim, 2).repeated
    assert [one.answer for one in service.judgements()] == [0, 2]
    assert service.progress.report()["panels"]["public"]["done"] == 1

    service = launched(tmp_path / "refused", clock)
    judge = arrive(service)
    claim = shown(service, judge).claim
    service.answers.answer(judge, claim, 0)
    refused("answered", service.answers.answer, judge, claim, 2)
    assert [one.answer for one in service.judgements()] == [0]


def test_pause_resume_close(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    busy, waiting = arrive(service), arrive(service)
    held = shown(service, busy)
    service.admin.pause()
    assert service.dealing.step(waiting).kind == "paused"
    refused("paused", service.arrivals.register, "public")
    assert shown(service, busy) == held
    assert not service.answers.answer(busy, held.claim, 1).judgement.surplus  # never lost
    service.admin.resume()
    late = shown(service, waiting)
    service.admin.close()
    assert service.dealing.step(waiting).kind == "closed"
    assert service.answers.answer(waiting, late.claim, 1).judgement.surplus
    refused("closed", service.arrivals.register, "public")
    refused("closed", service.admin.resume)
    service.admin.reopen()
    assert service.status == "open"
    assert [e["kind"] for e in service.events() if e["judge"] is None] == [
        "launched",
        "paused",
        "resumed",
        "closed",
        "reopened",
    ]


def test_personal_links(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, panels={"public": {"judges": 3}})
    links = service.arrivals.links()
    assert len({link.token for link in links}) == 3
    assert all(len(link.token) == 12 + 32 for link in links)  # 128 random bits beside the selector
    judge = service.arrivals.follow(links[0].token)
    assert service.arrivals.follow(links[0].token) == judge
    assert service.arrivals.follow(links[1].token) != judge
    for bad in ("", "x", links[0].token[:-1], links[0].token + "0", links[0].token[:12] + "0" * 32, "é" * 44):
        refused("unknown", service.arrivals.follow, bad)
    more = service.arrivals.more_links("public", 2)
    assert [link.number for link in more] == [4, 5]
    assert len(service.arrivals.links("public")) == 5
    refused("unknown", service.arrivals.links, "nobody")


def test_open_and_platform_links(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        store,
        panels={"public": {"judges": 6, "access": "open"}, "crowd": {"judges": 6, "access": "platform"}},
        completion={"code": "X"},
    )
    links = {link.kind: link for link in service.arrivals.links()}
    assert service.arrivals.panel_of(links["open"].token) == "public"
    assert "PROLIFIC_PID" in links["platform"].path
    refused("stage", service.arrivals.follow, links["open"].token)
    judge, token = service.arrivals.register_platform("crowd", "prolific", "person-1", data={"SESSION_ID": "9"})
    assert service.arrivals.register_platform("crowd", "prolific", "person-1") == (judge, token)
    assert service.arrivals.register_platform("crowd", "mturk", "person-1")[0] != judge
    refused("invalid", service.arrivals.register_platform, "crowd", "prolific", " ")
    assert "person-1" not in str(service.judgements()) + str(service.people.judges()) + str(service.events())


def test_declining_and_withdrawing(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, consent={"text": "May we?"})
    judge = arrive(service)
    service.people.consent(judge, False)
    assert service.dealing.step(judge).kind == "withdrawn"
    refused("withdrawn", service.people.consent, judge, True)
    other = arrive(service)
    service.people.consent(other, True)
    claim = shown(service, other)
    service.people.withdraw(other)
    refused("withdrawn", service.answers.answer, other, claim.claim, 1)
    third = arrive(service)
    service.people.consent(third, True)
    assert shown(service, third).slot == claim.slot  # returned at once


def test_who_fails_practice_does_not_go_on(tmp_path: Path, clock: Clock, store: Store) -> None:
    examples = [{"texts": ["a", "b", "c"], "odd": 2, "explanation": "b is odd"}]
    service = launched(
        tmp_path / "s",
        clock,
        store,
        practice={"examples": examples, "required": 1},
        completion={"code": "Y", "failed_code": "N"},
    )
    good, bad = arrive(service), arrive(service)
    refused("stage", service.answers.answer_practice, bad, 1, 0)  # not shown yet
    for judge, choice in ((good, 1), (bad, 0)):
        service.dealing.step(judge)
        service.answers.answer_practice(judge, 1, choice)
    assert service.dealing.step(good).kind == "evaluation"
    end = service.dealing.step(bad)
    assert (end.kind, end.code) == ("failed", "N")
    refused("unknown", service.answers.answer_practice, good, 2, 0)


def test_reasons_and_highlights(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, reasons={"text": "required", "highlight": "required"})
    judge = arrive(service)
    claim = shown(service, judge).claim
    refused("invalid", service.answers.answer, judge, claim, 0, highlights=[(0, 0, 3)])
    refused("invalid", service.answers.answer, judge, claim, 0, reason="because")
    for span in ((3, 0, 1), (0, 2, 2), (0, 0, 10_000), (0, -1, 2), (0, 1)):
        refused("invalid", service.answers.answer, judge, claim, 0, reason="because", highlights=[span])
    refused("invalid", service.answers.answer, judge, claim, 0, reason="x" * 20_001, highlights=[(0, 0, 3)])
    text = "<script>'; DROP TABLE judgements; -- \u202e 🦊 \ud800"
    stored = service.answers.answer(judge, claim, 0, reason=text, highlights=[(1, 4, 6), (0, 0, 3)]).judgement
    assert stored.highlights == ((0, 0, 3), (1, 4, 6))
    assert stored.reason == text.replace("\ud800", "?")
    assert service.judgements() == [stored]


def test_forgetting_a_person(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        store,
        panels={"crowd": {"judges": 6, "access": "platform"}},
        questions=QUESTIONS,
    )
    judge, token = service.arrivals.register_platform("crowd", "prolific", "person-1", client="Firefox of Ann")
    service.people.answer_questions(judge, {"reads": "0", "job": "Ann's"})
    service.answers.answer(judge, shown(service, judge).claim, 1, reason="I am Ann", client="Ann's phone")
    assert (
        service.people.find_judge("person-1")
        == service.people.find_judge(token)
        == service.people.find_judge(judge)
        == judge
    )
    assert service.people.forget(judge) == {"personal": 2, "platform_ids": 1, "links": 1, "judgements": 0}
    [kept] = service.judgements()
    assert (kept.answer, kept.reason, kept.client) == (1, "", "")
    refused("unknown", service.arrivals.follow, token)
    refused("unknown", service.people.find_judge, "person-1")
    assert service.dealing.step(judge).kind == "withdrawn"
    assert service.events("forgotten")[0]["data"]["personal"] == 2
    everything = ""
    with store.read() as connection:
        for table in tables.metadata.sorted_tables:
            everything += str(connection.execute(table.select()).all())
    assert "Ann" not in everything and "person-1" not in everything
    counted = service.progress.report()["panels"]["crowd"]
    assert (counted["done"], counted["judges"]["forgotten"]) == (1, 1)


def test_forgetting_with_answers_returns_the_slot(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store)
    judge = arrive(service)
    held = shown(service, judge)
    service.answers.answer(judge, held.claim, 1)
    assert service.people.forget(judge, answers=True)["judgements"] == 1
    assert service.judgements() == []
    assert shown(service, arrive(service)).slot == held.slot
    assert service.events("forgotten")[0]["data"]["judgements"] == 1


def test_a_machine_judges_the_same_triads_in_a_panel_of_its_own(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, consent={"text": "May we?"}, practice=1)
    machine = service.machines.enlist("encoder", "public")
    assert service.machines.enlist("encoder", "public") == machine
    service.answers.answer(machine, shown(service, machine).claim, 0, client="encoder 1.0")
    again = Service(store, service.frozen, clock=clock)  # another process goes on
    finish(again, machine)
    assert again.dealing.step(machine).kind == "done"
    done = again.progress.report()["panels"]
    assert (done["encoder"]["done"], done["public"]["done"]) == (12, 0)
    by_number = {slot.number: slot for slot in service.frozen.slots}
    assert all(by_number[one.number].texts == one.texts for one in again.judgements())
    with pytest.raises(InputError, match="name of a panel of people"):
        service.machines.enlist("public", "public")
    copy = start(service.frozen, Store.memory())
    assert restore.load_into(copy, again.judgements()) == 12
    assert copy.judgements() == again.judgements()


def test_nothing_on_screen_names_the_subjects(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    ids = [text.id for text in service.frozen.texts]
    by_subject = {s: {text.id for text in service.frozen.texts if text.subject == s} for s in "AB"}
    assert sorted(ids) != ids  # their order does not follow the subjects'
    assert all(len(one) == 16 and one[0] == "t" for one in ids)
    lowest = sorted(ids)[:12]
    assert 0 < len(by_subject["A"] & set(lowest)) < 12


def test_the_retention_period(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, questions=QUESTIONS, ethics={"retention_days": 30})
    old = arrive(service)
    service.people.answer_questions(old, {"reads": "0"})
    clock.minutes(60 * 24 * 29)
    young = arrive(service)
    service.people.answer_questions(young, {"reads": "1"})
    assert service.people.forget_expired() == []
    clock.minutes(60 * 24 * 2)
    assert service.people.forget_expired() == [old]
    assert list(service.people.personal()) == [young]
    assert service.people.forget_expired() == []


def test_a_clock_put_back_does_not_spoil_the_analysis(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, practice=1)
    judge, _ = service.arrivals.register("public")
    service.dealing.step(judge)
    clock.minutes(-10)
    assert service.answers.answer_practice(judge, 1, 0).judgement.seconds == 0
    evaluation = service.dealing.step(judge).evaluation
    assert evaluation is not None
    clock.minutes(-10)
    assert service.answers.answer(judge, evaluation.claim, 0).judgement.seconds == 0


def test_who_comes_to_a_full_study_is_told_before_anything_is_asked(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        store,
        consent={"text": "May we?"},
        practice=1,
        timeout=10,
        panels={"public": {"judges": 1, "access": "open"}},
    )
    first, second = arrive(service), arrive(service)  # both see that there is a place
    assert service.dealing.step(second, greet=True).kind == "consent"
    for verb in (lambda: service.people.consent(first, True), lambda: service.dealing.begin(first)):
        verb()
    practice = service.dealing.step(first).evaluation
    assert practice is not None and practice.practice
    service.answers.answer_practice(first, practice.number, 0)
    claim = shown(service, first).claim  # the only place is taken now
    assert service.dealing.step(second, greet=True).kind == "full"
    open_link = next(one.token for one in service.arrivals.links("public") if one.kind == "open")
    refused("full", service.arrivals.welcome, open_link)
    clock.minutes(11)  # the first went away: there is a place again
    assert service.dealing.step(second, greet=True).kind == "consent"
    service.answers.answer(first, claim, 0)
    assert service.dealing.step(second, greet=True).kind == "full"
