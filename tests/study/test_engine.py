"""What the engine promises of every protocol: dealing, answers read back equal, files, late judges, corrections."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rated
from studies import Clock

from nlgauge import agreement, skill
from nlgauge.errors import InputError
from nlgauge.io.exported import CANNOT
from nlgauge.io.loading import load as load_set
from nlgauge.io.tables import chunks
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.study.words import in_json, warnings
from nlgauge.study.exchange import export, restore
from nlgauge.study.freeze.frozen import Frozen, read
from nlgauge.study.protocols import PROTOCOLS, protocol_of
from nlgauge.study.protocols.outputs.abstaining import check_share
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, opened, start
from nlgauge.study.simulation import rehearse
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import gather
from nlgauge.study.store import Store

OFFERED = [name for name in PROTOCOLS if protocol_of(name).declinable]
EVERY = pytest.mark.parametrize("protocol", PROTOCOLS)
CLOSING: list[dict[str, Any]] = [
    {"id": "tools", "text": "What helped you?", "type": "several", "options": ["a dictionary", "nothing"]},
    {
        "id": "hard",
        "text": "How hard was it?",
        "type": "scale",
        "low": "easy",
        "high": "hard",
        "required": True,
    },
    {"id": "more", "text": "Anything else?", "type": "text"},
]


def finish(service: Service, judge: str, first: int = 0) -> list[object]:
    """Answer whatever comes until the end; the answers given."""
    given = []
    while (step := service.dealing.step(judge)).evaluation is not None:
        answer = rated.some_answer(service, step.evaluation, first + len(given))
        given.append(answer)
        service.answers.answer(judge, step.evaluation.claim, answer)
    assert step.kind == ("closing" if service.study.closing else "done")
    return given


@EVERY
def test_every_answer_is_read_back_equal(protocol: str, tmp_path: Path, clock: Clock, store: Store) -> None:
    service = rated.of(protocol, tmp_path, clock, store)
    given = {}
    for number in range(6):
        judge, _ = service.arrivals.register("public")
        given[judge] = finish(service, judge, 10 * number)
    stored = service.judgements()
    assert len(stored) == 24
    for judge, answers in given.items():
        assert [one.answer for one in stored if one.judge == judge] == answers
    assert service.progress.planned_answers() == (24, 24)
    assert {one.slot for one in stored} == {slot.id for slot in service.frozen.slots}
    with pytest.raises(Refused, match="taken"):
        service.arrivals.register("public")


@EVERY
@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet", ".tsv"])
def test_files_hold_every_answer(protocol: str, kind: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    finish(service, judge)
    path = tmp_path / f"answers{kind}"
    assert export.write(service.judgements(), path) == 4
    found = export.read(path, protocol=service.protocol)
    assert found == service.judgements()
    copy = start(Frozen.from_dict(service.frozen.to_dict()), Store.memory(), clock=clock)
    assert restore.load_into(copy, found) == 4
    assert copy.judgements() == service.judgements()
    assert copy.progress.report()["panels"]["public"]["done"] == 4


@EVERY
def test_an_abandoned_sheet_is_dealt_again(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, panels={"public": {"judges": 2, "evaluations": 4, "access": "open"}})
    gone, _ = service.arrivals.register("public")
    left = service.dealing.step(gone).evaluation
    assert left is not None
    clock.minutes(31)
    for _ in range(2):
        judge, _ = service.arrivals.register("public")
        finish(service, judge)
    assert service.progress.planned_answers() == (8, 8)
    late = service.answers.answer(gone, left.claim, rated.some_answer(service, left, 5))
    assert late.judgement.surplus


@EVERY
def test_late_judges_get_a_continuation(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, extra="continue")
    for number in range(9):
        judge, _ = service.arrivals.register("public")
        assert len(finish(service, judge, number)) == 4
    slots = service.slots("public")
    assert [slot.number for slot in slots] == list(range(1, 37))
    added = service.dealing.extend("public", 3)
    assert [slot.number for slot in added] == list(range(37, 49))
    if protocol != "triangle":  # whole squares of three judges: every text equally often
        seen = Counter(text for slot in service.slots("public") for text in slot.texts)
        assert max(seen.values()) - min(seen.values()) <= 1


@EVERY
def test_a_correction_keeps_both(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, corrections="allow")
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    first = service.answers.answer(judge, shown.claim, rated.some_answer(service, shown, 0)).judgement
    other = rated.some_answer(service, shown, 1)
    assert other != first.answer
    second = service.answers.correct(judge, first.id, other).judgement
    assert (second.replaces, second.answer) == (first.id, other)
    assert [one.answer for one in service.judgements()] == [first.answer, other]


@EVERY
def test_an_answer_that_cannot_be_is_refused_and_nothing_is_stored(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    good = rated.some_answer(service, shown, 0)
    wrong: list[object] = [None, True, "1", -1, 3.5, [], {}]
    if isinstance(good, dict):
        name = next(iter(good))
        off = [0.0] if protocol in rated.MAGNITUDES else [1.37, 10**6]  # no magnitude, or off a scale
        wrong += [good | {name: value} for value in (True, "2", -1, float("nan"), None, *off)]
        wrong += [{name: good[name]}] if len(good) > 1 else []
        wrong += [good | {"other": 1}]
    for answer in wrong:
        with pytest.raises(Refused) as refused:
            service.answers.answer(judge, shown.claim, answer)
        assert refused.value.code == "invalid" and str(refused.value)
    assert service.judgements() == []
    service.answers.answer(judge, shown.claim, good)
    other, _ = service.arrivals.register("public")
    with pytest.raises(Refused, match="another judge"):
        service.answers.answer(other, shown.claim, good)


@EVERY
def test_frozen_and_opened_again(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, Store.at(tmp_path))
    again = opened(tmp_path, Store.at(tmp_path), clock=clock)
    assert again.frozen.digest == service.frozen.digest
    assert read(tmp_path).study == service.study
    assert again.frozen.texts == service.frozen.texts
    values = service.frozen.to_dict()
    values["texts"][0]["text"] = "another"
    with pytest.raises(InputError, match="was changed after launch"):
        Frozen.from_dict(values)


@EVERY
def test_simulated_judges_fill_the_plan(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock)
    crowd = service.protocol.crowd(service.study, {"dropouts": 0.3})
    run, outcome = rehearse(service.frozen, crowd, seed=3)
    again, _ = rehearse(service.frozen, crowd, seed=3)
    assert outcome.panels["public"]["answers"] == 24 and outcome.dropped > 0
    assert run.judgements() == again.judgements()
    heads, rows = service.protocol.table(outcome.panels)
    assert rows and all(len(row) == len(heads) for row in rows)


@EVERY
def test_questions_at_the_end_are_asked_once_and_forgotten_with_the_judge(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock, Store.at(tmp_path), closing=CLOSING)
    judge, _ = service.arrivals.register("public")
    with pytest.raises(Refused, match="after the last text"):
        service.people.answer_closing(judge, {"hard": "3"})
    finish(service, judge)
    assert len(service.judgements()) == 4 and service.progress.report()["panels"]["public"]["judges"]["finished"] == 1
    service = opened(tmp_path, Store.at(tmp_path), clock=clock)  # after a restart
    assert service.dealing.step(judge).kind == "closing"
    wrong = ({}, {"hard": "6"}, {"hard": "0"}, {"hard": "2", "tools": "0,2"}, {"hard": "2", "tools": "0,0"})
    for answers in wrong:
        with pytest.raises(Refused) as refused:
            service.people.answer_closing(judge, answers)
        assert refused.value.code == "invalid" and service.dealing.step(judge).kind == "closing"
    given = {"tools": "0,1", "hard": "4", "more": "no \N{CLOUD WITH RAIN}"}
    for _ in range(2):  # sent twice
        service.people.answer_closing(judge, given)
    with pytest.raises(Refused, match="were kept"):
        service.people.answer_closing(judge, given | {"hard": "1"})
    assert service.dealing.step(judge).kind == "done" and service.people.personal() == {judge: given}
    service.people.forget(judge)
    assert service.people.personal() == {} and len(service.judgements()) == 4


@EVERY
def test_simulated_judges_answer_at_the_end_and_the_analysis_counts_it(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock, closing=CLOSING)
    crowd = service.protocol.crowd(service.study, {})
    run, outcome = rehearse(service.frozen, crowd, seed=3)
    assert outcome.finished == 6 and len(run.people.personal()) == 6
    found = in_json(run.protocol.analyse_service(run))
    (sample,) = found["judges"]["sample"] if protocol == "triangle" else found["sample"]
    tools, hard, more = sample["closing"]
    assert sum(one["judges"] for one in tools["counts"]) == 6
    assert [one["option"] for one in hard["counts"]] == ["1", "2", "3", "4", "5"] and hard["quartiles"]
    assert (more["answers"], more["counts"]) == (6, [])


@EVERY
def test_a_study_without_questions_at_the_end_keeps_the_hash_it_had(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    asked = [{"id": "age", "text": "How old are you?", "type": "number"}]
    values = rated.of(protocol, tmp_path, clock, questions=asked).study.to_dict()
    assert "closing" not in values and set(values["questions"][0]) == {
        "id",
        "text",
        "type",
        "options",
        "required",
    }


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [row for chunk in chunks(path, 1000, any_header=True, each="row") for row in chunk.rows]


@pytest.mark.parametrize("protocol", OFFERED)
def test_what_cannot_be_judged_is_an_answer_of_its_own_from_the_judge_to_the_statement(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock, cannot_judge=True)
    crowd = service.protocol.crowd(service.study, {"cannot_judge": 0.3})
    run, outcome = rehearse(service.frozen, crowd, seed=3)
    first, second = (one.id for one in output_study(run.study).questions_asked)
    stored = run.judgements()
    said = Counter(name for one in stored for name, given in one.answer.items() if given == CANNOT)
    assert len(stored) == outcome.panels["public"]["answers"] == 24
    asked = 12 if protocol == "rankme" else 24  # of which each judge is asked for one criterion
    assert 0 < said[first] < asked and 0 < said[second] < asked

    found = run.protocol.analyse_service(run)
    told = found.to_dict()
    assert {one["criterion"]: (one["cannot_judge"], one["asked"]) for one in told["cannot_judge"]} == {
        name: (said[name], asked) for name in (first, second)
    }
    screens = {one["criterion"]: one["n"] for one in told["criteria"]}
    each = 3 if protocol == "rankme" else 1
    assert screens == {name: (asked - said[name]) * each for name in (first, second)}
    assert sum("“I cannot judge this”" in note for note in warnings(found)) == 2
    assert "Cannot judge" in renderer_of(found).sections(found)

    for kind in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"long.{kind}"
        export.write_long(run, path)
        rows = rows_of(path)
        marked = [row for row in rows if str(row[CANNOT]).lower() == "true"]
        texts = 1 if protocol == "pairwise" else len(stored[0].texts)
        assert len(marked) == said.total() * texts and {row["aside"] for row in marked} == {CANNOT}
        value = "ratings.preference" if protocol == "pairwise" else "value"
        assert all(row.get(value) in (None, "") for row in marked)
        assert all(row.get(value) not in (None, "") for row in rows if row not in marked)
        if protocol in rated.COMPARISONS:
            assert any(CANNOT in note or "cannot judge" in note for note in skill.rate(path, criterion=first).notes)
        else:
            agreed = agreement.agree(path, criterion=first)
            assert f"|judgements={screens[first]}|" in agreed.receipt
        export.write(stored, tmp_path / f"plain.{kind}")
        assert export.read(tmp_path / f"plain.{kind}", protocol=run.protocol) == stored
    copy = start(Frozen.from_dict(run.frozen.to_dict()), Store.memory(), clock=clock)
    assert restore.load_into(copy, stored) == 24
    export.write_set(run, tmp_path / "set.jsonl")
    judged = rows_of(tmp_path / "set.jsonl")
    assert sum(sum(row.get(CANNOT, {}).values()) for row in judged) == said.total() * len(stored[0].texts)
    assert len(load_set(tmp_path / "set.jsonl")) == len(judged)  # our own set is read without further ado
    agreement.agree(tmp_path / "set.jsonl", criterion=second)

    statement = statement_of(run.frozen, facts=gather(run))
    entries = {field.key: " ".join(e.text for e in field.entries) for s in statement.sections for field in s.fields}
    assert f": {said[first]} of {asked} answers" in entries[CANNOT] and f"{said[second]} of {asked}" in entries[CANNOT]
    assert "or “I cannot judge this”" in entries[f"scale.{first}"]


def test_a_system_whose_texts_cannot_be_judged_is_named_and_its_mean_doubted(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("likert", tmp_path, clock, cannot_judge=True)
    for _ in range(6):
        judge, _ = service.arrivals.register("public")
        while (shown := service.dealing.step(judge).evaluation) is not None:
            hard = CANNOT if shown.texts[0].subject == "neural" else 4
            service.answers.answer(judge, shown.claim, {"fluency": hard, "formality": 1})
    found = service.protocol.analyse_service(service)
    fluency, formality = found.declined
    assert fluency.systems["neural"] == (8, 8) and fluency.systems["rules"] == (0, 8)
    assert fluency.p is not None and fluency.p < 0.02 and formality.p is None
    (note,) = [one for one in warnings(found) if "systems differ in it" in one]
    assert "8 of 24 answers (33 %)" in note and "to 100 % (neural)" in note and "can mislead" in note
    assert [one.system for one in found.rating("fluency").models.means if one.system == "neural"] == []


def test_pairs_are_rated_though_the_first_row_could_not_be_judged(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("pairwise", tmp_path, clock, cannot_judge=True)
    run, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {"cannot_judge": 0.3}), seed=3)
    export.write_long(run, tmp_path / "long.csv")
    rows = sorted(rows_of(tmp_path / "long.csv"), key=lambda row: row.get("aside") != CANNOT)
    assert rows[0]["aside"] == CANNOT and "aside" not in rows[-1]
    found = skill.rate(rows, criterion="formality")
    assert any("“I cannot judge this”" in note for note in found.notes)


def test_the_statement_counts_what_could_not_be_judged_as_the_analysis_does(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("likert", tmp_path, clock, cannot_judge=True, corrections="allow")
    judges = [service.arrivals.register("public")[0] for _ in range(2)]
    for judge in judges:
        while (shown := service.dealing.step(judge).evaluation) is not None:
            service.answers.answer(judge, shown.claim, {"fluency": CANNOT, "formality": 1})
    first = service.judgements()[0]
    service.answers.correct(first.judge, first.id, {"fluency": 4, "formality": 1})
    service.quality.exclude(next(judge for judge in judges if judge != first.judge), "came twice")
    service.admin.close()
    found = service.protocol.analyse_service(service)
    facts = gather(service)
    assert facts.declined == {one.criterion.id: (one.cannot, one.asked) for one in found.declined}
    assert facts.declined["fluency"] == (3, 4) and facts.read == {"": 1}


@pytest.mark.parametrize("protocol", ["likert", "magnitude", "rankme", "pairwise"])
def test_a_study_of_which_nothing_could_be_judged_says_so(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, cannot_judge=True)
    run, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {"cannot_judge": 1.0}), seed=3)
    with pytest.raises(InputError, match="“I cannot judge this”") as refused:
        run.protocol.analyse_service(run)
    assert ("12 of 12" if protocol == "rankme" else "24 of 24") in str(refused.value)


@pytest.mark.parametrize("protocol", OFFERED)
def test_nobody_declines_what_may_not_be_declined(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path / "one", clock)
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    with pytest.raises(Refused):
        service.answers.answer(judge, shown.claim, dict.fromkeys(rated.some_answer(service, shown, 0), CANNOT))
    with pytest.raises(InputError, match="no criterion of the study offers"):
        rehearse(service.frozen, service.protocol.crowd(service.study, {"cannot_judge": 0.1}), seed=1)
    with pytest.raises(InputError, match="leave cannot_judge=… out"):
        check_share(0.1, ())
    values = service.study.to_dict()
    assert "cannot_judge" not in values and "criteria_order" not in values  # old designs keep their hash
    assert all("cannot_judge" not in entry for entry in values["criteria"])


@pytest.mark.parametrize("protocol", ["post-edit", "spans", "task", "chat"])
def test_protocols_that_do_not_offer_it_say_so(protocol: str, tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(InputError, match=f"the protocol {protocol} does not offer “I cannot judge this”"):
        rated.of(protocol, tmp_path, clock, cannot_judge=True)


@pytest.mark.parametrize("protocol", ["rankme", "task"])
def test_where_there_is_one_criterion_or_none_there_is_no_order(protocol: str, tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(InputError, match="so that there is no order; leave criteria_order out"):
        rated.of(protocol, tmp_path, clock, criteria_order="random")


@pytest.mark.parametrize(
    "protocol", [name for name in PROTOCOLS if name not in ("triangle", "classification", "task", "rankme")]
)
def test_a_random_order_of_criteria_is_the_judges_own_and_exported(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path / "s", clock, criteria_order="random")
    study = output_study(service.study)
    names = [one.id for one in study.questions_asked]
    for number in range(6):
        finish(service, service.arrivals.register("public")[0], 10 * number)
    export.write_long(service, tmp_path / "long.csv")
    placed: dict[str, set[tuple[str, str]]] = {}
    for row in rows_of(tmp_path / "long.csv"):
        if row["criterion"] in names:
            placed.setdefault(row["judge"], set()).add((row["criterion"], row["criterion_position"]))
    assert len(placed) == 6 and all(len(own) == 2 for own in placed.values())  # one place on all screens
    for judge, own in placed.items():
        assert own == {(name, str(place)) for name, place in study.positions(judge, 1).items()}
    assert {study.positions(f"judge-{number}", 1)[names[0]] for number in range(40)} == {1, 2}
    order = statement_of(service.frozen, facts=gather(service))
    said = " ".join(e.text for s in order.sections for f in s.fields if f.key == "order" for e in f.entries)
    assert "drawn at random for each judge, the same throughout" in said


def test_means_by_position_and_an_order_for_every_screen(tmp_path: Path, clock: Clock) -> None:
    service = rated.of("likert", tmp_path, clock, criteria_order="random-per-screen")
    run, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)
    study = output_study(run.study)
    places = {one.id: study.positions(one.judge, one.slot)["fluency"] for one in run.judgements()}
    assert any(
        len({places[one.id] for one in run.judgements() if one.judge == judge}) == 2
        for judge in {one.judge for one in run.judgements()}
    )
    found = run.protocol.analyse_service(run)
    for row in found.to_dict()["by_position"]:
        given = [
            one.answer[row["criterion"]]
            for one in run.judgements()
            if study.positions(one.judge, one.slot)[row["criterion"]] == row["position"]
        ]
        assert row["n"] == len(given) and row["mean"] == pytest.approx(sum(given) / len(given))
    assert sum(row["n"] for row in found.to_dict()["by_position"]) == 48
