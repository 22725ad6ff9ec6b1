"""`nlgauge study serve` as a command: addresses, refusals, stopping, two visitors at once."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import made
import pytest

from nlgauge.cli import main
from nlgauge.web import server


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "nlgauge", "study", "serve", *map(str, arguments)]


def test_an_unlaunched_study_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "study.yaml").write_text("protocol: triangle")
    assert main(["study", "serve", str(tmp_path)]) == 2
    assert f"nlgauge study launch {tmp_path}" in capsys.readouterr().err
    assert main(["study", "serve", str(tmp_path / "nothing")]) == 2
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["study.yaml"]


def test_a_port_in_use_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made.launched(tmp_path / "s").store.close()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["study", "serve", str(tmp_path / "s"), "--port", str(port)]) == 2
    said = capsys.readouterr().err.strip()
    assert "\n" not in said and str(port) in said and "--port" in said
    assert main(["study", "serve", str(tmp_path / "s"), "--host", "no.such.host.invalid"]) == 2


@pytest.mark.parametrize("rehearsal", [False, True])
def test_simulated_answers_are_warned_of(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rehearsal: bool,
) -> None:
    service = made.launched(tmp_path / "s")
    service.context.simulated = True
    service.arrivals.register("public")
    service.store.close()
    monkeypatch.setattr("nlgauge.web.server.serve", lambda *_: None)
    words = ["study", "serve", str(tmp_path / "s"), "--port", "0"]
    assert main([*words, *(["--rehearsal"] if rehearsal else [])]) == 0
    assert ("holds simulated answers" in capsys.readouterr().err) != rehearsal


def test_links_are_told_by_panel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = {
        "experts": {"judges": 5, "access": "links"},
        "the public": {"judges": 5, "access": "links"},
        "crowd": {"judges": 5, "access": "platform"},
    }
    made.launched(tmp_path / "s", panels=panels).store.close()
    monkeypatch.setattr("nlgauge.web.server.serve", lambda *_: None)
    assert main(["study", "serve", str(tmp_path / "s"), "--port", "0"]) == 0
    said = capsys.readouterr().out
    kinds = re.findall(r"^(panel .*|link .*/[jp]/|.* 2 more: .*--panel .*)", said, re.M)
    assert [kind.split()[0] for kind in kinds] == ["panel", "link", *["panel", *["link"] * 3, "2"] * 2]
    assert "--panel 'the public'" in said and "--panel crowd" not in said
    capsys.readouterr()
    assert main(["study", "links", str(tmp_path / "s")]) == 0
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 11
    assert "note: links of 3 panels in turn (crowd 1, experts 5, the public 5); --panel" in output.err
    assert main(["study", "links", str(tmp_path / "s"), "--panel", "experts"]) == 0
    assert capsys.readouterr().err == ""


def test_sqlite_has_one_worker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made.launched(tmp_path / "s").store.close()
    assert main(["study", "serve", str(tmp_path / "s"), "--workers", "2"]) == 2
    assert "postgresql" in capsys.readouterr().err


@pytest.mark.parametrize("base", ["host.example", "ftp://host", "https://host/x?y", "https://host/#z"])
def test_a_base_is_an_address(tmp_path: Path, base: str) -> None:
    made.launched(tmp_path / "s").store.close()
    assert main(["study", "serve", str(tmp_path / "s"), "--base", base]) == 2


def test_listen_takes_any_free_port() -> None:
    with server.listen("127.0.0.1", 0) as bound:
        assert bound.getsockname()[1] > 0


@pytest.mark.slow
def test_served_until_interrupted(tmp_path: Path) -> None:
    made.launched(tmp_path / "s").store.close()
    running = subprocess.Popen(
        command(tmp_path / "s", "--port", 0),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert running.stdout is not None
        said = ""
        while "Ctrl-C" not in said and (line := running.stdout.readline()):
            said += line
        assert "Ctrl-C" in said
        address = re.search(r"(http://127\.0\.0\.1:\d+)/j/\w+", said)
        assert address is not None
        with urllib.request.urlopen(address.group(0), timeout=20) as answer:
            assert answer.status == 200 and "server" not in answer.headers
            assert b"Before you begin" in answer.read()
        with urllib.request.urlopen(f"{address.group(1)}/health", timeout=20) as answer:
            assert answer.read() == b'{"status":"open","rehearsal":false,"database":"answers"}'
    finally:
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    assert running.returncode == 0 and errors == ""


def test_the_site_loads_no_scipy() -> None:
    # it would double the memory of each worker; only analyses need it
    code = "import sys, nlgauge.web.app; print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
