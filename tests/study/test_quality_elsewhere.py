"""Protocols whose answers have no known truth: of the block `quality` they take the comprehension test alone."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import cared
import conversing
import pytest
import rated
import yaml
from studies import Clock

from nlgauge.errors import InputError
from nlgauge.study import design
from nlgauge.study.rechecking import recheck
from nlgauge.study.service import Service, launch
from nlgauge.study.simulate import rehearse
from nlgauge.study.statement.told import told
from nlgauge.study.store import Store

PROTOCOLS = ("magnitude", "rankme", "post-edit", "spans", "task", "chat")
EVERY = pytest.mark.parametrize("protocol", PROTOCOLS)
REFUSED: dict[str, Any] = {
    "attention": [{"text": "Please choose 2.", "answer": {"fluency": 2}}],
    "attention_each": 1,
    "degraded": 2,
    "repeats": 2,
    "gap": 3,
    "rule": {"exclude": ["speed"]},
}


def description(protocol: str, **changes: Any) -> dict[str, Any]:
    if protocol == "task":
        return conversing.task(confidence=True, **changes)
    if protocol == "chat":
        return conversing.chat(conversation={"min_turns": 1, "max_turns": 3}, **changes)
    if protocol in ("magnitude", "rankme"):
        return rated.description(**rated.estimating(protocol, **changes))
    return rated.description(protocol=protocol, criteria=None, **changes)


def write(folder: Path, protocol: str, **changes: Any) -> Path:
    text = yaml.safe_dump(description(protocol, **changes), sort_keys=False, allow_unicode=True)
    (folder / design.FILE).write_text(text, encoding="utf-8")
    return folder


def begun(folder: Path, protocol: str, **changes: Any) -> Service:
    write(folder, protocol, **changes)
    return launch(design.load(folder), folder, Store.at(folder), clock=Clock())


@EVERY
@pytest.mark.parametrize("key", REFUSED)
def test_a_check_that_cannot_work_is_refused_at_its_line(tmp_path: Path, protocol: str, key: str) -> None:
    write(tmp_path, protocol, quality={"comprehension": cared.TEST, key: REFUSED[key]})
    _, found, _ = design.inspect(tmp_path)
    (problem,) = found
    line = (tmp_path / design.FILE).read_text(encoding="utf-8").splitlines()[problem.line - 1]
    assert problem.path == f"quality.{key}" and line.strip().startswith(f"{key}:")
    assert f"leave it out: of quality the protocol {protocol} has comprehension alone" in problem.message


@EVERY
def test_a_wrong_test_is_refused(tmp_path: Path, protocol: str) -> None:
    write(tmp_path, protocol, quality={"comprehension": {"questions": []}})
    with pytest.raises(InputError, match="has no questions"):
        design.load(tmp_path)


@EVERY
def test_the_comprehension_test_comes_before_the_first_text(tmp_path: Path, protocol: str) -> None:
    service = begun(
        tmp_path,
        protocol,
        quality={"comprehension": cared.TEST},
        completion={"code": "GOOD", "failed_code": "BAD"},
    )
    panel = next(iter(service.study.panels))
    judges = [service.register(panel)[0] for _ in range(2)]
    for judge, answers in zip(judges, ([1, 2], [2, 1]), strict=True):
        service.begin(judge)
        assert service.step(judge).kind == "comprehension" and service.step(judge).evaluation is None
        service.answer_test(judge, 1, answers)
    shown = service.step(judges[0]).evaluation
    assert shown is not None
    service.answer(judges[0], shown.claim, rated.some_answer(service, shown, 1))
    service.answer_test(judges[1], 2, [2, 1])
    step = service.step(judges[1])
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
        service = launch(design.load(tmp_path), tmp_path, Store.memory(), clock=Clock())
    else:
        write(tmp_path, protocol, panels={"public": {"judges": 6, "access": "open"}})
        service = launch(design.load(tmp_path), tmp_path, Store.memory(), clock=Clock())
    played, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)
    judge = played.judgements()[0].judge
    played.exclude(judge, "in haste")
    found = import_module(service.protocol.analysis).analyse_service(played)
    assert judge not in {
        row.judge for group in found.judging for row in group.judges if not getattr(row, "excluded", "")
    }
    assert any("in haste" in said for said in (*found.warnings, *(text for _, text in found.sentences)))
