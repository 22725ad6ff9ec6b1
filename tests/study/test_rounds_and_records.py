"""The comprehension test, a discussion with re-rating, vetting by record, and experts who judge a sample again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cared
import pytest
import rated
from rated import launched
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.words import sentences
from nlgauge.study.exchange.recheck import recheck
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.ratings.file import rating_study
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, launch, opened
from nlgauge.study.service.quality import Record, read_record
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import gather
from nlgauge.study.store import Store

TESTED = cared.changes(quality={"comprehension": cared.TEST})
SMALL: dict[str, Any] = {
    "subjects": {
        name: {"texts": [{"text": cared.sentence(name, k)} for k in range(6)]} for name in ("rules", "people")
    },
    "criteria": ["fluency"],
    "scale": {"points": 5, "labels": ["bad", "good"]},
    "show": None,
    "design": "crossed",
    "panels": {"public": {"judges": 3, "access": "open"}},
}


# -------------------------------------------------------------------------------------------------- comprehension test


def test_two_attempts_then_the_study_ends_and_no_slot_was_held(tmp_path: Path) -> None:
    completion = {"code": "GOOD", "failed_code": "BAD"}
    service = launched(tmp_path, Clock(), **TESTED, completion=completion)
    judge, _ = service.arrivals.register("public")
    assert service.dealing.step(judge, greet=True).kind == "instructions"
    service.dealing.begin(judge)
    assert service.dealing.step(judge, greet=True).kind == "comprehension"
    first = service.people.answer_test(judge, 1, [1, 1])
    assert first is not None and (first.right, first.passed, first.failed) == (1, False, False)
    assert service.people.answer_test(judge, 1, [1, 2]) is None  # sent twice
    assert service.dealing.step(judge).kind == "comprehension" and service.people.attempts(judge) == 1
    with pytest.raises(Refused, match="next attempt is number 2"):
        service.people.answer_test(judge, 3, [1, 2])
    with pytest.raises(Refused, match="every question"):
        service.people.answer_test(judge, 2, [1])
    with pytest.raises(Refused, match="none of its options"):
        service.people.answer_test(judge, 2, [3, 1])
    second = service.people.answer_test(judge, 2, [2, 2])
    assert second is not None and second.failed
    step = service.dealing.step(judge)
    assert (step.kind, step.failed, step.code) == ("failed", "comprehension", "BAD")
    assert service.people.answer_test(judge, 3, [1, 2]) is None
    progress = service.progress.report()["panels"]["public"]
    assert (progress["open"], progress["done"], progress["judges"]["failed"]) == (0, 0, 1)
    made = [event["data"] for event in service.events("comprehension")]
    assert [(one["attempt"], one["right"], one["answers"]) for one in made] == [
        (1, 1, [1, 1]),
        (2, 1, [2, 2]),
    ]


def test_who_passes_goes_on_and_is_not_asked_again(tmp_path: Path) -> None:
    service = launched(tmp_path, Clock(), **TESTED, practice=1)
    judge, _ = service.arrivals.register("public")
    service.dealing.begin(judge)
    assert service.people.answer_test(judge, 1, [2, 1]) is not None
    passed = service.people.answer_test(judge, 2, [1, 2])
    assert passed is not None and passed.passed
    step = service.dealing.step(judge)
    assert step.kind == "practice" and step.evaluation is not None
    assert step.evaluation.shown_at == service.context.clock()  # the time on the text is without that of the test
    service.answers.answer_practice(judge, 1, {"fluency": 3})
    assert service.dealing.step(judge).kind == "evaluation"
    assert [event["data"]["attempt"] for event in service.events("understood")] == [2]


def test_a_paused_study_asks_no_test(tmp_path: Path) -> None:
    service = launched(tmp_path, Clock(), **TESTED)
    judge, _ = service.arrivals.register("public")
    service.admin.pause()
    assert service.dealing.step(judge).kind == "paused"


# ---------------------------------------------------------------------------------------------------------- discussion


def rate(service: Service, judge: str, number: Any) -> None:
    while (step := service.dealing.step(judge)).evaluation is not None:
        text = step.evaluation.texts[0]
        assert isinstance(service.context.clock, Clock)
        service.context.clock.now += 15
        service.answers.answer(judge, step.evaluation.claim, {"fluency": number(text)})


def divided(folder: Path, store: Store | None = None, **changes: Any) -> tuple[Service, list[str]]:
    """Three judges who agree but for the first two items, where the last says the contrary."""
    service = launched(folder, Clock(), store, **{**SMALL, **changes})
    judges = [service.arrivals.register("public")[0] for _ in range(3)]

    def honest(text: Any) -> int:
        return (4 if text.subject == "people" else 2) + (int(text.item) % 2)

    for judge in judges[:2]:
        rate(service, judge, honest)
    rate(service, judges[2], lambda text: 6 - honest(text) if int(text.item) <= 2 else honest(text))
    return service, judges


def test_a_discussion_keeps_both_rounds_and_the_analysis_compares_them(tmp_path: Path) -> None:
    service, judges = divided(tmp_path)
    gaps = service.protocol.disagreements(service.frozen, service.judgements())
    far = [name for name, gap in gaps.items() if gap >= 0.5]
    assert {service.frozen.text[name].item for name in far} == {"1", "2"} and len(far) == 3
    before = service.protocol.analyse_service(service)
    assert not before.discussed

    found = service.discussion.open(far, least=0.5, comments=True)
    assert found.number == 1
    with pytest.raises(Refused, match="open already"):
        service.discussion.open(far, least=0.5)
    for judge in judges:
        for number in (1, 2, 3):
            step = service.dealing.step(judge)
            assert step.kind == "discussion" and step.talk is not None
            talk = step.talk
            assert (talk.number, talk.total, len(talk.others)) == (number, 3, 2)
            assert all(set(answer) == {"fluency"} for answer in talk.others)
            wanted = service.frozen.text[talk.given.texts[0]].subject == "people"
            now = {"fluency": 4 if wanted else 2}
            service.context.clock.now += 10  # type: ignore[attr-defined]
            receipt = service.answers.rerate(judge, talk.given.id, now, comment=f"from {judge}")
            assert receipt.judgement.replaces == talk.given.id
            assert service.answers.rerate(judge, talk.given.id, now, comment=f"from {judge}").repeated
            with pytest.raises(Refused, match="has been discussed; the answer was kept as it was"):
                service.answers.rerate(judge, talk.given.id, {"fluency": 1})
        assert service.dealing.step(judge).kind == "done"
    assert len(service.judgements()) == 3 * 12 + 9  # nothing was overwritten
    service.discussion.end()
    with pytest.raises(Refused, match="no discussion is open"):
        service.discussion.end()

    after = service.protocol.analyse_service(service)
    (talked,) = after.discussed
    assert (talked.outputs, talked.rerated) == (3, 9) and talked.changed >= 3
    assert talked.before == pytest.approx(before.ratings[0].agreeing.alpha)
    assert talked.after == pytest.approx(after.ratings[0].agreeing.alpha)
    assert talked.after > talked.before
    assert any("report the figure from before" in text for _, text in sentences(after))
    assert after.to_dict()["discussed"][0]["changed"] == talked.changed
    said = json.dumps(statement_of(service.frozen, facts=gather(service)).to_dict())
    assert "rounds of discussion: 1" in said


def test_what_a_discussion_does_not_take(tmp_path: Path) -> None:
    service = launched(tmp_path, Clock(), **SMALL)
    text = service.frozen.served[0].id
    with pytest.raises(InputError, match="0 of 36 planned answers are there; a discussion would move"):
        service.discussion.open([text], least=0.5)
    judge, _ = service.arrivals.register("public")
    rate(service, judge, lambda text: 3)
    given = service.judgements()[0]
    with pytest.raises(Refused, match="has ended"):
        service.answers.rerate(judge, given.id, {"fluency": 2})
    service.admin.close()
    with pytest.raises(InputError, match="no text is to be discussed"):
        service.discussion.open([], least=0.5)
    service.discussion.open([text], least=0.5)
    other = next(one for one in service.judgements() if one.texts[0] != text)
    with pytest.raises(Refused, match="no such answer"):
        service.answers.rerate(judge, other.id, {"fluency": 2})
    own = next(one for one in service.judgements() if one.texts[0] == text)
    with pytest.raises(Refused, match="not on its scale"):
        service.answers.rerate(judge, own.id, {"fluency": 9})
    assert service.answers.rerate(judge, own.id, {"fluency": 2}).judgement.answer == {"fluency": 2}


def test_comments_of_the_round_are_shown_and_nobody_is_named(tmp_path: Path) -> None:
    service, judges = divided(tmp_path)
    text = next(t.id for t in service.frozen.served if t.item == "1" and t.subject == "people")
    service.discussion.open([text], least=0.5)
    talk = service.discussion.talk(judges[0])
    assert talk is not None and talk.comments == ()
    service.answers.rerate(judges[0], talk.given.id, {"fluency": 5}, comment="The verb is wrong.")
    service.quality.exclude(judges[1], "asked to be left out")
    talk = service.discussion.talk(judges[2])
    assert talk is not None and talk.comments == ("The verb is wrong.",)
    assert len(talk.others) == 1  # who is left out is not shown to others
    assert not any(judge in repr(talk.others) + repr(talk.comments) for judge in judges)


# ----------------------------------------------------------------------------------------------------- vetting, record


def test_the_record_admits_and_weights(tmp_path: Path) -> None:
    panels = {"public": {"judges": 3, "access": "platform"}}
    service = launched(tmp_path, Clock(), **{**SMALL, "panels": panels})
    record = {"good": Record(19, 20), "middling": Record(13, 20), "bad": Record(3, 20)}
    assert service.quality.vet(record, least=0.5) == 1
    with pytest.raises(Refused, match="by their record") as refused:
        service.arrivals.register_platform("public", "prolific", "bad")
    assert refused.value.code == "vetted"
    for person in ("good", "middling", "new"):
        judge, _ = service.arrivals.register_platform("public", "prolific", person)
        shift = 1 if person == "middling" else 0
        rate(service, judge, lambda text, shift=shift: (4 if text.subject == "people" else 2) + shift)
    assert sorted(one.right for one in service.quality.records().values()) == [13, 19]
    assert "good" not in json.dumps(service.events("vetted"))  # ids are kept as hashes only
    service.quality.vet(record, least=0.5, unknown="refuse")
    with pytest.raises(Refused):
        service.arrivals.register_platform("public", "prolific", "another")
    service.arrivals.register_platform("public", "prolific", "new")  # nobody is sent away in the middle

    result = service.protocol.analyse_service(service)
    weighted = result.beside[0].variant("weighted by record")
    assert weighted is not None
    from nlgauge.stats.judge_weights import record_weights

    weights = record_weights({"good": 19, "middling": 13}, {"good": 20, "middling": 20})
    middle = sum(weights.values()) / 2
    total = weights["good"] + weights["middling"] + middle
    assert weighted.means["people"].mean == pytest.approx(4 + weights["middling"] / total)


def test_records_are_read_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.csv"
    for rows, message in (
        ("id,right\na,3\n", "columns id, right and asked"),
        ("id,right,asked\na,x,3\n", "whole numbers"),
        ("id,right,asked\na,4,3\n", "from 0 to asked"),
        ("id,right,asked\na,1,3\na,2,3\n", "occurs twice"),
    ):
        path.write_text(rows)
        with pytest.raises(InputError, match=message):
            read_record(path)
    folder = tmp_path / "study"
    panels = {"public": {"judges": 2, "access": "platform"}}
    quality = {"attention": [{"text": "Choose 2", "answer": {"fluency": 2}}]}
    folder.mkdir()
    service = launched(folder, Clock(), Store.at(folder), **{**SMALL, "panels": panels, "quality": quality})
    for person, number in (("p1", 2), ("p2", 4)):
        judge, _ = service.arrivals.register_platform("public", "prolific", person)
        rate(service, judge, lambda text, number=number: number)
    assert main(["study", "record", str(folder), "-o", str(path)]) == 0
    assert read_record(path) == {"p1": Record(1, 1), "p2": Record(0, 1)}
    assert main(["study", "vet", str(folder), "--record", str(path), "--least", "0.5"]) == 0
    assert "2 people have a record; 1 of them are sent back" in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------------- recheck


def test_experts_judge_a_sample_again_and_the_analysis_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, again = tmp_path / "study", tmp_path / "experts"
    folder.mkdir()
    divided(folder, Store.at(folder))
    assert main(["study", "recheck", str(folder), str(again), "--sample", "0.7", "--judges", "2"]) == 0
    assert "4 items with 8 outputs" in capsys.readouterr().out
    assert main(["study", "recheck", str(folder), str(again)]) == 2
    assert "is not empty" in capsys.readouterr().err
    study = load(again)
    assert list(study.panels) == ["experts"] and study.panels["experts"].judges == 2
    service = launch(study, again, Store.at(again), clock=Clock())
    assert len(service.frozen.served) == 8
    for link in service.arrivals.links():
        rate(service, service.arrivals.follow(link.token), lambda text: 4 if text.subject == "people" else 2)
    result = protocol_of("likert").analyse_folder(folder, recheck=again)
    (found,) = result.rechecked
    assert found.outputs == 8 and found.pair.second == "experts"
    apart = {one.judge: one.apart for one in found.judges}
    assert len(apart) == 3 and max(apart.values()) > min(apart.values())
    assert any(heading.startswith("Recheck") for heading, _ in sentences(result))
    assert main(["study", "analyse", str(folder), "--recheck", str(again)]) == 0
    assert "Judges against the recheck" in capsys.readouterr().out
    with pytest.raises(InputError, match="shares no criterion and output"):
        other = tmp_path / "other"
        other.mkdir()
        subjects = {name: {"texts": [{"text": f"{name} x", "item": "z"}]} for name in ("rules", "people")}
        rated.launched(other, Clock(), Store.at(other), **{**SMALL, "subjects": subjects})
        protocol_of("likert").analyse_folder(folder, recheck=other)
    assert opened(folder, Store.at(folder)).status == "open"


def test_experts_read_what_judges_read_in_their_language_and_one_of_the_wordings(tmp_path: Path) -> None:
    folder, again = tmp_path / "study", tmp_path / "experts"
    ours = {key: value for key, value in rated.OWN.items() if key != "question"}
    wordings = {"plain": {"eu": "Zein ona da?"}, "loaded": {"eu": "Zein bikaina da?"}}
    rated.write(
        folder,
        title={"eu": "Testuak"},
        translations={"eu": "pages.yaml"},
        criteria=[
            {**ours, "wordings": wordings, "cannot_judge": False},
            {**ours, "id": "tone", "question": {"eu": "Nolako tonua du?"}},
        ],
        cannot_judge=True,
        criteria_order="random",
        panels={"public": {"judges": 4, "access": "open"}},
    )
    pages = folder / "pages.yaml"
    pages.write_text("name: Euskara\nphrases: {begin: Hasi}\n", encoding="utf-8")
    frozen = freeze(load(folder), folder)
    pages.unlink()  # what judges read was fixed at launch
    service, _ = rehearse(frozen, Raters(), seed=1)
    recheck(service, folder, again, sample=1, panel="experts", judges=1, seed=1)
    study = rating_study(load(again))
    assert study.pages["eu"].phrases == frozen.study.pages["eu"].phrases
    assert (study.cannot_judge, study.criteria_order, study.wordings) == (True, "random", ())
    assert study.abstainable == rating_study(frozen.study).abstainable == {"tone"}
    assert study.questions_asked[0].question == {"eu": "Zein ona da?"}


def test_the_command_of_a_discussion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    divided(folder, Store.at(folder))
    assert main(["study", "discuss", str(folder), "--least", "2"]) == 2
    assert "above 0 and up to 1" in capsys.readouterr().err
    assert main(["study", "discuss", str(folder), "--least", "0.5", "--most", "1"]) == 0
    assert "Round 1 is open: 1 of 12 outputs" in capsys.readouterr().out
    assert main(["study", "discuss", str(folder), "--end"]) == 0
    assert main(["study", "discuss", str(folder), "--end"]) == 2
    assert "no discussion is open" in capsys.readouterr().err
