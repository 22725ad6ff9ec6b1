"""Answers that are paid for once: two processes, a process that is killed, damaged files, judges nobody understands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
from endpoints import Answer, Seen, completion, endpoint

import nlgauge
from nlgauge.errors import InputError
from nlgauge.judging.judge import Judged, Prices, Reached, judge

MODEL = {"kind": "openai", "model": "tiny"}
ROWS = [
    {"item": f"i{item}", "system": system, "hypothesis": f"{system} {item}"}
    for item in range(12)
    for system in ("one", "two", "three")
]
QUESTIONS = 12 * 3 * 2  # both orders


def says(_: Seen, __: int) -> Answer:
    return completion('{"q1": "1"}')


def slowly(seen: Seen, number: int) -> Answer:
    time.sleep(0.02)
    return says(seen, number)


def judged(url: str, kept: Path, **options: Any) -> Judged:
    return judge(ROWS, MODEL, reached=Reached(url=url, retries=0), cache=kept, **options)


def command(url: str, folder: Path) -> subprocess.Popen[bytes]:
    """The command in a process of its own, three requests at once."""
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    line = [sys.executable, "-m", "nlgauge", "judge", str(data), "--judge", "openai", "--url", url]
    line += ["--model", "tiny", "--cache", str(folder / "kept.jsonl"), "--concurrency", "3", "--json"]
    source = str(Path(nlgauge.__file__).parents[1])
    return subprocess.Popen(line, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no locks on parts of files")
def test_two_processes_at_once_pay_for_nothing_twice(tmp_path: Path) -> None:
    with endpoint(slowly) as server:
        both = [command(server.url, tmp_path) for _ in range(2)]
        said = [json.loads(process.communicate(timeout=60)[0]) for process in both]
        assert len(server.requests) == QUESTIONS
    assert said[0]["games"] == said[1]["games"] and len(said[0]["games"]) == QUESTIONS / 2
    assert sum(one["spent"]["requests"] for one in said) == QUESTIONS
    assert sum(one["spent"]["cached"] for one in said) == QUESTIONS


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_is_killed_loses_only_what_was_under_way(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    with endpoint(slowly) as server:
        process = command(server.url, tmp_path)
        deadline = time.monotonic() + 60
        while len(server.requests) < 15 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = len(server.requests)
        known = kept.read_bytes().count(b"\n")
        found = judged(server.url, kept)
        assert before - known <= 3
        assert (found.left, found.spent.cached) == (0, known)
        assert len(server.requests) - before == QUESTIONS - known


@pytest.mark.parametrize("line", ['{"key": "x"}', '{"key": "KEY", "answer": {"a": 1}}', "[1]", "rubbish"])
def test_a_line_that_somebody_edited_is_asked_again(line: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    with endpoint(says) as server:
        judged(server.url, kept, budget=2)
        first, *others = kept.read_text(encoding="utf-8").splitlines()
        edited = line.replace("KEY", json.loads(first)["key"])
        kept.write_text("\n".join([edited, *others]), encoding="utf-8")  # and no end of the last line
        found = judged(server.url, kept, budget=2)
    assert (found.spent.requests, found.spent.cached, found.left) == (1, 3, 0)


def test_a_judge_whose_answers_cannot_be_read_is_not_paid_for_long(tmp_path: Path) -> None:
    with endpoint(lambda *_: completion('{"q1": "7"}')) as server:
        with pytest.raises(InputError, match="none of the first 20 answers"):
            judged(server.url, tmp_path / "kept.jsonl")
        assert len(server.requests) == 2 * 20  # each is asked for once more

    def later(seen: Seen, number: int) -> Answer:
        return completion("no") if number < 30 else says(seen, number)

    with endpoint(later) as server:
        found = judged(server.url, tmp_path / "other.jsonl")
    assert found.left > 0 and found.spent.unreadable == 15


def test_a_server_that_tells_no_tokens_has_no_cost(tmp_path: Path) -> None:
    def quietly(_: Seen, __: int) -> Answer:
        message = {"content": [{"type": "thinking"}, {"type": "text", "text": '{"q1": "1"}'}]}
        usage = {"prompt_tokens": -5, "completion_tokens": None}
        return Answer(json.dumps({"choices": [{"message": message}], "usage": usage}).encode())

    with endpoint(quietly) as server:
        found = judged(server.url, tmp_path / "kept.jsonl", budget=3, prices=Prices(1.0, 1.0))
        again = judged(server.url, tmp_path / "kept.jsonl", budget=3, prices=Prices(1.0, 1.0))
    assert found.left == 0
    assert (found.spent.untold, found.cost, found.card.cost_per_1000) == (6, None, None)
    assert (again.spent.untold, again.spent.requests, again.card.cost) == (6, 0, None)
