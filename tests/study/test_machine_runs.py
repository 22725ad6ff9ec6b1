"""A machine's way through a study: its own panel, interrupted and gone on with, before, beside and after people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoints import completion, endpoint
from studies import Clock, launched

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.exchange import restore
from nlgauge.study.machine_judges.base import Choice, Sheet
from nlgauge.study.machine_judges.encoders import Chars
from nlgauge.study.machine_judges.farthest import Farthest
from nlgauge.study.machine_judges.run import run
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, opened, start
from nlgauge.study.simulation import simulate
from nlgauge.study.store import Store


class Stubborn:
    """A machine that always takes the first text, and stops where told."""

    side_by_side = 1
    circumstances: dict[str, Any] = {}

    def __init__(self, stops_after: int = 10_000) -> None:
        self.left = stops_after
        self.sheets: list[Sheet] = []

    @property
    def settings(self) -> dict[str, Any]:
        return {"judge": "stubborn"}

    def prepare(self, texts: Any) -> None:
        pass

    def decide(self, sheet: Sheet) -> Choice:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.sheets.append(sheet)
        return Choice(0, "stubborn 1.0")


def chars() -> Farthest:
    return Farthest(Chars())


def test_an_interrupted_run_goes_on_where_it_stopped(store: Store, tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, store)
    with pytest.raises(KeyboardInterrupt):
        run(service, Stubborn(5), like="public", name="m")
    assert len(service.judgements()) == 5 and service.events("machine-end")[-1]["data"]["answered"] == 5
    clock.minutes(600)
    second = Stubborn()
    heard: list[tuple[int, int]] = []
    outcome = run(
        opened(tmp_path / "s", store, clock=clock),
        second,
        like="public",
        name="m",
        progress=lambda *told: heard.append(told),
    )
    assert (outcome.answered, outcome.done, outcome.left) == (7, 12, 0) and len(second.sheets) == 7
    assert heard[0] == (1, 7) and heard[-1] == (7, 7)
    answers = service.judgements()
    assert len({one.slot for one in answers}) == 12 and not any(one.surplus for one in answers)
    planned = {slot.number: slot for slot in service.frozen.slots}
    assert all(one.texts == planned[one.number].texts for one in answers)  # the very triads of the people
    assert service.dealing.step(outcome.judge).kind == "done"
    assert run(service, Stubborn(), like="public", name="m").answered == 0
    assert service.progress.report()["panels"]["public"]["done"] == 0


def test_what_a_machine_sees_has_no_name_in_it(tmp_path: Path, clock: Clock) -> None:
    service, machine = launched(tmp_path / "s", clock), Stubborn()
    run(service, machine, like="public", name="m", limit=2)
    assert len(machine.sheets) == 2
    held = repr(machine.sheets)
    assert not any(text.id in held for text in service.frozen.texts)
    assert "subject" not in held and "item" not in held


def test_two_runs_at_once_store_one_answer_each(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)

    class Twin(Stubborn):
        def decide(self, sheet: Sheet) -> Choice:
            if not self.sheets:
                run(service, Stubborn(), like="public", name="m")  # the other run does all of it meanwhile
            return super().decide(sheet)

    run(service, Twin(), like="public", name="m")
    answers = service.judgements()
    assert len(answers) == 12 and not any(one.surplus for one in answers)


def test_a_machine_may_answer_a_study_that_is_paused_or_closed(store: Store, tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, store)
    service.admin.pause()
    run(service, Stubborn(), like="public", name="early", limit=3)
    service.admin.close()
    assert run(service, Stubborn(), like="public", name="early").done == 12
    run(service, Stubborn(), like="public", name="late")
    assert len(service.judgements()) == 24 and not any(one.surplus for one in service.judgements())
    with pytest.raises(Refused, match="closed"):
        service.arrivals.register("public")


def test_only_a_machine_takes_what_it_wants(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    person, _ = service.arrivals.register("public")
    machine = service.machines.enlist("m", "public")
    own, others = service.slots("m")[0].id, service.slots("public")[0].id
    for judge, slot in ((person, others), (person, own), (machine, others), (machine, "nothing")):
        with pytest.raises(Refused, match="only a machine"):
            service.machines.take(judge, slot)
    first = service.machines.take(machine, own)
    assert service.machines.take(machine, own) == first
    service.answers.answer(machine, first.claim, 2)
    with pytest.raises(Refused, match="has been answered"):
        service.machines.take(machine, own)


def test_a_panel_kept_for_a_machine_in_the_study_file(tmp_path: Path, clock: Clock) -> None:
    panels = {"public": {"judges": 12, "access": "open"}, "robot": {"judges": 18, "kind": "machine"}}
    service = launched(tmp_path / "s", clock, panels=panels)
    with pytest.raises(InputError, match="panel of people"):
        service.machines.enlist("public", "public")
    outcome = run(service, Stubborn(), like="robot", name="robot")
    assert (outcome.planned, outcome.answered, outcome.left) == (18, 18, 0)
    assert service.dealing.step(outcome.judge).kind == "done"


def test_required_reasons_and_marks_are_required_of_people_only(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, reasons={"text": "required", "highlight": "required"})
    assert run(service, chars(), like="public", name="chars").answered == 12


def test_what_was_exported_can_be_gone_on_with(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    run(service, Stubborn(), like="public", name="m", limit=5)
    copy = start(service.frozen, Store.memory(), clock=clock)
    assert restore.load_into(copy, service.judgements()) == 5
    copy.admin.close()
    assert run(copy, Stubborn(), like="public", name="m").done == 12


def test_people_may_be_simulated_beside_a_machine(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, extra="continue")
    run(service, Stubborn(), like="public", name="m")
    people = Service(service.store, service.frozen, clock=clock, simulated=True)
    assert simulate(people, Pool(0.3), seed=1).finished == 12
    run(service, chars(), like="public", name="chars")  # and a machine beside simulated people
    with pytest.raises(Refused, match="rehearsed with simulated judges"):
        service.arrivals.register("public")


# ----------------------------------------------------------------------------------------------- the command line


def command(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "nlgauge", "study", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MY_KEY": "sk-hidden"},
    )
    return done.returncode, done.stdout, done.stderr


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What one call of the command prints."""
    assert main(["study", *words]) == 0
    return capsys.readouterr().out


def test_the_command(tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    service = launched(folder, clock, Store.at(folder))
    service.store.close()
    out = said(capsys, "run-judge", str(folder), "--judge", "chars", "--limit", "4")
    assert "chars: 4 triads of the panel public judged, 4 of 12 in all." in out and "8 triads are open" in out
    found = json.loads(said(capsys, "run-judge", str(folder), "--judge", "chars", "--json"))
    assert found["answered"] == 8 and found["complete"] and found["panel"] == "chars"
    assert "all 12 triads were judged already" in said(capsys, "run-judge", str(folder), "--judge", "chars")
    out = said(capsys, "analyse", str(folder), "--panel", "chars")
    assert "the unit is the triad" in out and "limited to this machine and these texts" in out
    assert main(["study", "analyse", str(folder)]) == 2
    assert "a machine may be looked at meanwhile: --panel chars" in capsys.readouterr().err


def test_the_command_asks_an_endpoint(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    launched(folder, clock, Store.at(folder)).store.close()
    with endpoint(lambda *_: completion('{"answer": 3}')) as server:
        code, out, _ = command(
            "run-judge",
            str(folder),
            "--judge",
            "openai",
            "--url",
            server.url,
            "--model",
            "org/tiny",
            "--json",
            "--key-env",
            "MY_KEY",
            "--concurrency",
            "3",
            "--parameter",
            "max_tokens=20",
            "--temperature",
            "none",
        )
    assert code == 0 and json.loads(out)["answered"] == 12 and json.loads(out)["panel"] == "tiny"
    request = server.requests[0]
    assert request.headers["Authorization"] == "Bearer sk-hidden"
    assert request.body["max_tokens"] == 20 and "temperature" not in request.body
    assert b"sk-hidden" not in (folder / "study.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--judge", "openai"], "--judge openai needs --url and --model"),
        (["--judge", "chars", "--url", "http://h"], "--url is for language models: --judge openai"),
        (["--judge", "chars", "--panel", "robots"], "no panel of people 'robots'"),
        (["--judge", "chars", "--name", "public"], "is the name of a panel of people"),
        (["--judge", "chars", "--language", "xx"], "no wordings in 'xx'"),
        (["--judge", "openai", "--url", "h", "--model", "m"], "--url needs an address"),
        (["--judge", "openai", "--url", "http://h", "--model", "m", "--temperature", "5"], "between 0 and 2"),
        (
            ["--judge", "openai", "--url", "http://h", "--model", "m", "--parameter", "n=3"],
            "expected KEY=VALUE",
        ),
        (
            ["--judge", "openai", "--url", "http://h", "--model", "m", "--key-env", "NO_KEY"],
            "NO_KEY is empty",
        ),
        (["--judge", "openai", "--url", "http://h", "--model", "m", "--prompt", "no.txt"], "no.txt"),
    ],
)
def test_what_the_command_refuses(
    words: list[str], sentence: str, tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    launched(folder, clock, Store.at(folder)).store.close()
    assert main(["study", "run-judge", str(folder), *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.startswith("nlgauge: ") and error.count("\n") == 1


def test_two_panels_of_people_need_a_choice(tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    panels = {"public": {"judges": 12, "access": "open"}, "experts": {"judges": 6, "access": "open"}}
    launched(folder, clock, Store.at(folder), panels=panels).store.close()
    assert main(["study", "run-judge", str(folder), "--judge", "chars"]) == 2
    assert "--panel" in capsys.readouterr().err
    out = said(capsys, "run-judge", str(folder), "--judge", "chars", "--panel", "experts")
    assert "chars-experts: 6 triads of the panel experts judged" in out
    assert (
        main(["study", "run-judge", str(folder), "--judge", "chars", "--panel", "public", "--name", "chars-experts"])
        == 2
    )
    assert "begun with like experts" in capsys.readouterr().err


def test_two_runs_at_once_count_what_each_did(store: Store, tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, store)
    inner: list[Any] = []

    class Overtaken(Stubborn):
        def decide(self, sheet: Sheet) -> Choice:
            if len(self.sheets) == 2 and not inner:  # while this one thinks, another run does all that is open
                inner.append(None)
                inner[0] = run(service, Stubborn(), like="public", name="m")
            return super().decide(sheet)

    outer = run(service, Overtaken(), like="public", name="m")
    planned = outer.planned
    assert (outer.answered, outer.done, outer.left) == (2, planned, 0)
    assert (inner[0].answered, inner[0].done, inner[0].left) == (planned - 2, planned, 0)
    assert len([one for one in service.judgements() if one.panel == "m"]) == planned
