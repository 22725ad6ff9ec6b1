"""`study simulate --http`: simulated judges through the real site, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import made
import pytest

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.store import FILE, Store
from nlgauge.web import rehearsal
from nlgauge.web.rehearsal import Traffic
from nlgauge.web.visitor import Control, Form

PANELS = {
    "public": {"judges": 6, "evaluations": 2, "access": "open"},
    "experts": {"judges": 3, "evaluations": 2, "access": "links"},
    "crowd": {"judges": 3, "evaluations": 2, "access": "platform"},
}


@pytest.mark.slow
def test_every_kind_of_link_and_a_judge_who_perceives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "study"
    reasons = {"text": "required", "highlight": "required"}
    made.launched(folder, panels=PANELS, reasons=reasons).store.close()
    options = ["--http", "--pd", "1", "--dropouts", ".3", "--json", "--seed", "4"]
    assert main(["study", "simulate", str(folder), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: (found["answers"], found["correct"]) for name, found in told["panels"].items()} == {
        "public": (12, 12),
        "experts": (6, 6),
        "crowd": (6, 6),
    }
    assert set(told["panels"]["public"]["triads"].values()) == {2}
    assert told["dropped"] > 0 and told["turned_away"] == 0
    assert set(told["site"]["statuses"]) <= {"200", "303", "422"}
    # a study that was rehearsed takes no real judges
    assert main(["study", "simulate", str(folder), "--http"]) == 0


@pytest.mark.slow
def test_a_rehearsal_of_a_copy_leaves_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "study"
    made.launched(folder, panels={"public": PANELS["public"]}).store.close()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != FILE}
    arguments = ["study", "simulate", str(folder), "--http", "--scratch", "--speeders", "1", "--judges", "2"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "2 simulated judges came: 2 finished" in out and "The site answered" in out
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != FILE} == before


@pytest.mark.slow
def test_a_machine_is_no_real_judge_and_nothing_is_left_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    service = made.launched(folder, panels={"public": {"judges": 6, "access": "open"}})
    service.machines.enlist("chars", "public")
    service.store.close()
    assert main(["study", "simulate", str(folder), "--http"]) == 0
    assert "6 simulated judges came: 6 finished" in capsys.readouterr().out
    assert main(["study", "simulate", str(folder), "--http"]) == 0
    out = capsys.readouterr().out
    assert "Nothing was left to do" in out and "0 ms" not in out


def test_simulated_judges_are_not_sent_where_real_ones_are(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "study")
    service.arrivals.register("public")
    with pytest.raises(InputError, match="this study has real judges"):
        rehearsal.check(service, "http://127.0.0.1:1")
    service.store.close()


def test_addresses_where_no_site_in_rehearsal_is(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "study")
    with pytest.raises(InputError, match="no site answers at"):
        rehearsal.check(service, "http://127.0.0.1:1")
    service.store.close()


@pytest.mark.slow
def test_a_site_for_real_judges_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = made.launched(tmp_path / "study", panels={"public": PANELS["public"]})
    real = rehearsal.subprocess.Popen

    def without_rehearsal(command: list[str], **options: object) -> object:
        return real([word for word in command if word != "--rehearsal"], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(rehearsal.subprocess, "Popen", without_rehearsal)
    with rehearsal.site(tmp_path / "study") as url:
        with pytest.raises(InputError, match="serve the study with --rehearsal"):
            rehearsal.rehearse(service, url, Pool(), seed=1)
        with pytest.raises(InputError, match="no study's site"):
            rehearsal.check(service, f"{url}/o")
    assert service.people.judges() == []
    service.store.close()


@pytest.mark.slow
def test_a_server_that_does_not_start(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="the site did not start"), rehearsal.site(tmp_path / "nowhere"):
        pass
    assert "nowhere" in capfd.readouterr().err


def test_options_that_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made.launched(tmp_path / "study").store.close()
    for options in (["--url", "http://127.0.0.1:1"], ["--http", "--scratch", "--url", "http://127.0.0.1:1"]):
        assert main(["study", "simulate", str(tmp_path / "study"), *options]) == 2
        assert "--url" in capsys.readouterr().err


def test_a_speeder_guesses_and_a_thinker_takes_time(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "study", Store.memory())
    form = Form("/j/x/answer", "post", {"claim": Control("claim", "hidden", ["c"], ["c"])})
    quick = rehearsal._Judge(service, "public", Pool(1, speeders=1, seconds=40), rehearsal.Random(1))
    slow = rehearsal._Judge(service, "public", Pool(0, seconds=40), rehearsal.Random(1))
    assert quick.thinks(form) <= 2 < slow.thinks(form)
    assert slow.thinks(Form("/j/x/begin", "post")) == 0
    assert quick.choose(form, "answer", ["0", "1", "2"]) in "012"  # looks nothing up: there is no such claim
    assert slow.choose(form, "q0", ["", "1"]) in ("", "1")


def test_traffic_in_figures() -> None:
    traffic = Traffic(2.0)
    assert traffic.to_dict()["median_ms"] == 0
    for number in range(100):
        traffic.note("GET", "/", 303 if number % 4 == 0 else 200, number / 1000)
    told = traffic.to_dict()
    assert (told["requests"], told["pages"], told["statuses"]) == (100, 75, {"200": 75, "303": 25})
    assert (told["median_ms"], told["p95_ms"], told["slowest_ms"]) == (50, 95, 99)
    assert "100 requests with 75 pages in 2.0 s" in str(traffic)
