"""Chat studies in the engine: the file, the record of a conversation, answers, export, simulation, analysis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import conversing
import pytest
from conversing import KEY, VARIABLE, chat, launched
from endpoints import Answer, Seen, completion, endpoint, failure
from studies import Clock

from nlgauge.cli import main
from nlgauge.report.study.words import warnings
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export
from nlgauge.study.file import study as design
from nlgauge.study.freeze import frozen
from nlgauge.study.protocols.chat.analysis import analyse
from nlgauge.study.protocols.chat.bots import Bots, message, prompt_of
from nlgauge.study.protocols.chat.conversation import END, MOST_FAILURES, Conversation
from nlgauge.study.protocols.chat.file import chat_study
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

SECRETS = (KEY, "/v1", "tiny", "large")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def problems(tmp_path: Path, **changes: Any) -> list[str]:
    conversing.write(tmp_path, chat(**changes))
    _, found, lines = design.inspect(tmp_path)
    text = (tmp_path / design.FILE).read_text(encoding="utf-8")
    assert all(0 < problem.line <= len(text.splitlines()) for problem in found if problem.path), lines
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bots": None}, "the key 'bots' is missing"),
        ({"goals": None}, "the key 'goals' is missing"),
        ({"bots": {"a": {"model": "m"}}}, "the key 'bots.a.url' is missing"),
        ({"bots": {"a": {"url": "http://h/v1"}}}, "the key 'bots.a.model' is missing"),
        ({"bots": {"a": {"url": "ftp://h", "model": "m"}}}, "bots.a.url needs an address such as"),
        ({"bots": {"a": {"url": "http://u:p@h/v1", "model": "m"}}}, "environment variable (key_env)"),
        ({"bots": {"a": {"url": "http://h/v1?key=x", "model": "m"}}}, "give the address without it"),
        (
            {"bots": {"a": {"url": "http://h", "model": "m", "key_env": KEY}}},
            "must be the name of an environment",
        ),
        ({"bots": {"a": {"url": "http://h", "model": "m", "temperature": 3}}}, "between 0 and 2"),
        ({"goals": []}, "goals is empty; say what judges"),
        ({"scale": "quality-6"}, "there is no scale 'quality-6'"),
        ({"scale": {"points": 7}}, "label both ends"),
        ({"goals": [{"goal": "x", "id": "a"}, {"goal": "y", "id": "a"}]}, "two goals are called 'a'"),
        ({"conversation": {"min_turns": 4, "max_turns": 3}}, "lower min_turns"),
        ({"data": "x.jsonl"}, "name the systems (bots: …)"),
        ({"show": ["source"]}, "leave show out"),
        ({"criteria": []}, "criteria is empty"),
        ({"reasons": {"highlight": "optional"}}, "set highlight: no"),
        ({"practice": {"examples": [{"text": "x"}]}}, "to warm up, judges hold one about a goal"),
        ({"panels": {"m": {"judges": 1, "kind": "machine"}}}, "leave the panel out"),
    ],
)
def test_each_fault_of_a_file_has_its_line_and_a_remedy(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    found = problems(tmp_path, **changes)
    assert any(said in one for one in found), found
    assert not any(KEY in one for one in found)  # what may be a key is not told again


def test_a_good_file_has_no_faults_and_the_check_tells_of_a_missing_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problems(tmp_path) == []
    found, made = check(tmp_path)
    assert made is not None and not [one for one in found if one.severity == "error"]
    monkeypatch.delenv(VARIABLE)
    told = [one.message for one in check(tmp_path, simulate=False)[0] if one.kind == "keys"]
    assert len(told) == 2 and VARIABLE in told[0]


def test_items_are_goals_by_systems_and_the_key_is_nowhere_in_the_design(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, chat(), clock)
    assert {(text.item, text.subject) for text in service.frozen.served} == {
        (goal, name) for goal in ("table", "bus") for name in ("secret-a", "secret-b")
    }
    assert KEY not in (tmp_path / frozen.FILE).read_text(encoding="utf-8")
    again = frozen.read(tmp_path)
    assert again.study == service.frozen.study and again.text == service.frozen.text
    text = next(one for one in service.frozen.served if one.item == "table")
    assert prompt_of(chat_study(service.study).bots["secret-a"], text) == "You are a waiter."


def talking(service: Service) -> tuple[str, str]:
    """A judge with a conversation on screen."""
    judge, _ = service.arrivals.register("users")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    return judge, shown.claim


def state(service: Service, judge: str, claim: str) -> Conversation:
    return Conversation.of(service.turns.record(judge, claim), chat_study(service.study))


def send(service: Service, judge: str, claim: str, text: str) -> None:
    sent = state(service, judge, claim).sent
    study = chat_study(service.study)
    service.turns.add_record(judge, claim, lambda record: message(text, sent)(Conversation.of(record, study)))


def end(service: Service, judge: str, claim: str) -> None:
    study = chat_study(service.study)
    service.turns.add_record(
        judge, claim, lambda record: {"role": END} if Conversation.of(record, study).may_end else None
    )


RATED = {"ratings": {"engagingness": 4, "avoiding-repetition": 1}}


def test_a_conversation_is_stored_turn_by_turn_and_with_its_answer(store: Store, tmp_path: Path, clock: Clock) -> None:
    with endpoint(lambda seen, number: completion(f"Reply {number} <b>\x00")) as fake:
        service = launched(tmp_path, chat(fake.url), clock, store)
        bots = Bots(service)
        judge, claim = talking(service)
        with pytest.raises(Refused, match="has not ended"):
            service.answers.answer(judge, claim, RATED)
        for number in range(2):
            clock.now += 10
            send(service, judge, claim, f"Message {number}")
            assert state(service, judge, claim).waiting  # durable before anybody is asked
            bots.ask(judge, claim)
        said = state(service, judge, claim)
        assert [one["text"] for one in said.turns] == [
            "Message 0",
            "Reply 0 <b>\ufffd",
            "Message 1",
            "Reply 1 <b>\ufffd",
        ]
        assert said.may_end and said.may_say and not said.ended
        end(service, judge, claim)
        send(service, judge, claim, "One more")  # nothing after the end
        stored = service.answers.answer(judge, claim, RATED).judgement
        assert stored.answer["ratings"] == RATED["ratings"]
        assert [one["role"] for one in stored.answer["turns"]] == [
            "judge",
            "system",
            "judge",
            "system",
            "end",
        ]
        assert stored.answer["turns"][0]["at"] == clock.now - 10
        assert service.judgements() == [stored]
        with pytest.raises(Refused, match="has been answered"):
            send(service, judge, claim, "Too late")
    first = fake.requests[0]
    assert first.headers["Authorization"] == f"Bearer {KEY}"
    text = service.frozen.text[stored.texts[0]]
    bot = chat_study(service.study).bots[text.subject]
    assert first.body["messages"][0] == {"role": "system", "content": prompt_of(bot, text)}
    assert first.body["model"] == bot.model and first.body["max_tokens"] == 512
    assert fake.requests[1].body["messages"][-1] == {"role": "user", "content": "Message 1"}
    assert KEY not in json.dumps([event["data"] for event in service.events()])


def test_nobody_speaks_in_anothers_conversation_or_after_the_study(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, chat(), clock)
    (judge, claim), (other, _) = talking(service), talking(service)
    with pytest.raises(Refused, match="does not belong"):
        send(service, other, claim, "Hello")
    with pytest.raises(Refused, match="does not belong"):
        send(service, judge, "c0000", "Hello")
    service.admin.close()
    with pytest.raises(Refused, match="closed"):
        send(service, judge, claim, "Hello")
    assert service.turns.record(judge, claim) == []


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        (failure(500, f"key {KEY} is bad"), "HTTP 500: key [key] is bad"),
        (failure(401), "refused the request"),
        (Answer(b"<html>not json</html>"), "not a chat completion"),
        (completion(""), "the reply was empty"),
        (completion(None, refusal="no"), "the reply was refused"),
    ],
)
def test_a_failure_is_noted_and_the_message_kept(tmp_path: Path, clock: Clock, behaviour: Answer, why: str) -> None:
    with endpoint(lambda seen, number: behaviour) as fake:
        service = launched(tmp_path, chat(fake.url), clock)
        judge, claim = talking(service)
        send(service, judge, claim, "Hello")
        for _ in range(MOST_FAILURES + 3):
            Bots(service).ask(judge, claim)
        said = state(service, judge, claim)
        assert said.failures == len(fake.requests) == MOST_FAILURES  # calls are bounded
        assert said.turns[-1]["text"] == "Hello" and said.may_end and not said.may_ask
        assert why in said.record[-1]["why"] and KEY not in str(said.record)
        assert "--" not in said.record[-1]["why"] and "same command" not in said.record[-1]["why"]
        end(service, judge, claim)
        with pytest.raises(Refused, match="broke off"):
            service.answers.answer(judge, claim, RATED)
        stored = service.answers.answer(judge, claim, {"ratings": {}}).judgement
        assert stored.answer["broken"] and stored.answer["ratings"] == {}
        watched = service.protocol.watched(service)
        assert len(watched) == 2 and sum("12 requests failed" in line for line in watched) == 1
        assert KEY not in str(watched)


def test_a_missing_key_is_a_failure_that_the_researcher_reads(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = launched(tmp_path, chat(), clock)
    judge, claim = talking(service)
    send(service, judge, claim, "Hello")
    monkeypatch.delenv(VARIABLE)
    Bots(service).ask(judge, claim)
    assert VARIABLE in state(service, judge, claim).record[-1]["why"]


def test_a_long_reply_is_cut_and_says_so(tmp_path: Path, clock: Clock) -> None:
    with endpoint(lambda seen, number: completion("x" * 900)) as fake:
        service = launched(tmp_path, chat(fake.url), clock)
        judge, claim = talking(service)
        send(service, judge, claim, "Hello")
        Bots(service).ask(judge, claim)
        reply = service.turns.record(judge, claim)[-1]
        assert (len(reply["text"]), reply["cut"]) == (200, 900)


def whole(tmp_path: Path, clock: Clock, **changes: Any) -> Service:
    service = launched(tmp_path, chat(**changes), clock)
    made, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)
    return made


def test_exports_hold_ratings_lengths_and_transcripts(tmp_path: Path, clock: Clock) -> None:
    service = whole(tmp_path / "study", clock)
    stored = service.judgements()
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        export.write(stored, tmp_path / name)
        assert export.read(tmp_path / name, protocol=service.protocol) == stored
    rows = export.write_long(service, tmp_path / "long.parquet")
    assert rows == 2 * len(stored)
    count = export.write_transcripts(service, tmp_path / "said.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text(encoding="utf-8").splitlines()]
    assert count == len(lines) == len(stored)
    assert lines[0]["turns"] == stored[0].answer["turns"] and lines[0]["goal"] and lines[0]["system"]
    export.write_log(service, tmp_path / "log.jsonl")
    told = (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    assert '"kind":"turn"' in told and "Tell me what" not in told  # what was said is no part of the log


def test_who_is_forgotten_leaves_no_words(tmp_path: Path, clock: Clock) -> None:
    service = whole(tmp_path, clock)
    judge = service.judgements()[0].judge
    before = [list(service.protocol.long(one, service.frozen)) for one in service.judgements()]
    service.people.forget(judge)
    service.people.forget(judge)  # again: what was counted stays
    own = [one for one in service.judgements() if one.judge == judge]
    assert own and all(turn.get("text", "") == "" for one in own for turn in one.answer["turns"])
    assert not [e for e in service.events("turn") if e["judge"] == judge and "text" in e["data"]]
    after = [list(service.protocol.long(one, service.frozen)) for one in service.judgements()]
    assert [[row["judge_words"] for row in rows] for rows in after] == [
        [row["judge_words"] for row in rows] for rows in before
    ]


def test_simulated_means_are_found_again_and_reverse_keyed_answers_turned_round(tmp_path: Path, clock: Clock) -> None:
    goals = [f"Goal {k}" for k in range(6)]
    service = launched(
        tmp_path,
        chat(goals=goals, panels={"users": {"judges": 6}}, conversation={"min_turns": 1, "max_turns": 2}),
        clock,
    )
    means = {"secret-a": 0.35, "secret-b": 0.75}
    crowd = service.protocol.crowd(service.study, {"means": means, "judge_sd": 0.05, "item_sd": 0.02, "noise": 0.1})
    made, _ = rehearse(service.frozen, crowd, seed=11)
    result = analyse(made.frozen, made.judgements(), unit=True)
    for name in ("engagingness", "avoiding-repetition"):
        found = {one.system: one for one in result.rating(name).models.means}
        for system, mean in means.items():
            assert found[system].mean == pytest.approx(mean, abs=0.07), (name, system)
    told = result.to_dict()["conversations"]
    assert {row["system"] for row in told["systems"]} == set(means)
    assert all(1 <= row["replies"] <= 2 for row in told["systems"])
    assert len(told["with_ratings"]) == 8


def test_broken_conversations_are_counted_and_said(tmp_path: Path, clock: Clock) -> None:
    with endpoint(lambda seen, number: failure(500)) as fake:
        service = launched(tmp_path, chat(fake.url, conversation={"min_turns": 1, "max_turns": 1}), clock)
        judge, claim = talking(service)
        send(service, judge, claim, "Hello")
        for _ in range(3):
            Bots(service).ask(judge, claim)
        end(service, judge, claim)
        service.answers.answer(judge, claim, {"ratings": {}})
    with pytest.raises(Exception, match="all broke off"):
        analyse(service.frozen, service.judgements(), closed=True)
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    service.context.simulated = True  # nobody is asked in a rehearsal
    send(service, judge, shown.claim, "Hello")
    Bots(service).ask(judge, shown.claim)
    service.answers.answer(judge, shown.claim, RATED)
    result = analyse(service.frozen, service.judgements(), closed=True)
    assert result.aside["broken"] == 1 and any("flatters" in note for note in warnings(result))


def test_new_makes_a_study_that_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"item": item, "system": system, "source": f"Talk about {item}.", "hypothesis": "-"}
        for item in ("rain", "wind", "snow")
        for system in ("a", "b")
    ]
    data = tmp_path / "goals.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = str(tmp_path / "made")
    assert (
        main(
            [
                "study",
                "new",
                folder,
                "--protocol",
                "chat",
                "--from",
                str(data),
                "--seed",
                "3",
                "--criteria",
                "engagingness",
            ]
        )
        == 0
    )
    assert main(["study", "check", folder, "--no-simulation"]) == 0
    assert "3 goals" in capsys.readouterr().out
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "simulate", folder]) == 0
    assert main(["study", "analyse", folder]) == 0
    assert "Conversations were on average" in capsys.readouterr().out
    assert main(["study", "statement", folder]) == 0
    assert "conversation with a system" in capsys.readouterr().out
    assert main(["study", "status", folder]) == 0
    assert "no request failed" in capsys.readouterr().out


def test_check_tries_the_systems_and_says_which_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def behave(seen: Seen, number: int) -> Answer:
        return completion("Hi.") if seen.body["model"] == "tiny" else failure(503)

    with endpoint(behave) as fake:
        folder = tmp_path / "talk"
        conversing.write(folder, chat(fake.url))
        assert main(["study", "check", str(folder), "--no-simulation"]) == 0
        said = capsys.readouterr().out
        assert "secret-a answered a first message" in said
        assert "secret-b does not answer" in said
        assert KEY not in said
        assert [one.body["messages"][-1]["content"] for one in fake.requests] == ["Hello.", "Hello."]
        assert main(["study", "check", str(folder), "--no-simulation", "--no-calls"]) == 0
        assert len(fake.requests) == 2 and "answer a first message" not in capsys.readouterr().out
