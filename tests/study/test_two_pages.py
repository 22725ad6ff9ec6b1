"""Criteria that must be judged before something is shown: a page of their own, answered before the next is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.exchange.recheck import recheck
from nlgauge.study.file import study
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols.outputs.parts import PART
from nlgauge.study.protocols.ratings.analysis import analyse
from nlgauge.study.protocols.ratings.simulation import Raters
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

OWN = {"id": "helpfulness", "definition": "The answer serves who asked.", "question": "How helpful is it?"}
SCALE = {"points": 5, "labels": ["not at all", "completely"]}


def description(**changes: Any) -> dict[str, Any]:
    return {
        "protocol": "likert",
        "title": "Answers",
        "data": "answers.jsonl",
        "criteria": ["plausibility", "correctness", OWN | {"scale": SCALE}],
        "show": ["question", "context"],
        "design": {"kind": "latin"},
        "panels": {"public": {"judges": 4, "access": "open"}},
        "seed": 7,
    } | changes


def write(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "item": f"q{k}",
            "system": system,
            "hypothesis": f"{system} answers {k}",
            "question": f"What is {k}?",
            "context": f"SECRET passage {k}",
        }
        for system in ("short", "long")
        for k in range(6)
    ]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = yaml.safe_dump(description(**changes), sort_keys=False)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return folder


def launched(folder: Path, **changes: Any) -> Service:
    write(folder, **changes)
    return launch(study.load(folder), folder, Store.memory(), clock=Clock())


def test_the_first_page_lacks_what_must_not_be_seen(tmp_path: Path) -> None:
    service = launched(tmp_path)
    judge, _ = service.arrivals.register("public")
    service.dealing.begin(judge)
    for number in range(6):
        before = service.dealing.step(judge).evaluation
        assert before is not None and (before.number, before.total) == (2 * number + 1, 12)
        assert set(before.texts[0].beside) == {"question", PART}
        with pytest.raises(Refused, match="asks nothing called 'correctness'"):
            service.answers.answer(judge, before.claim, {"correctness": 5, "helpfulness": 5})
        service.answers.answer(judge, before.claim, {"plausibility": 4})
        after = service.dealing.step(judge).evaluation
        assert after is not None and set(after.texts[0].beside) == {"question", "context"}
        assert after.texts[0].text == before.texts[0].text, "the second page is about the same output"
        with pytest.raises(Refused, match="has been answered"):
            service.answers.answer(judge, before.claim, {"plausibility": 1}, key="again")
        with pytest.raises(Refused):
            service.answers.answer(judge, after.claim, {"plausibility": 1})
        service.answers.answer(judge, after.claim, {"correctness": 3, "helpfulness": 5})
    stored = [one.answer for one in service.judgements()]
    assert stored == [{"plausibility": 4}, {"correctness": 3, "helpfulness": 5}] * 6
    assert service.dealing.step(judge).kind == "done"


def test_an_output_left_half_done_goes_on_at_its_second_page(tmp_path: Path) -> None:
    """Who takes over what another judge left may see the second page first, but then never the first one."""
    service = launched(tmp_path)
    first, _ = service.arrivals.register("public")
    service.dealing.begin(first)
    shown = service.dealing.step(first).evaluation
    assert shown is not None
    service.answers.answer(first, shown.claim, {"plausibility": 4})
    service.people.withdraw(first)
    for _ in range(4):
        judge, _ = service.arrivals.register("public")
        service.dealing.begin(judge)
        seen: set[tuple[str, str]] = set()
        while (step := service.dealing.step(judge)).evaluation is not None:
            (text,) = step.evaluation.texts
            page = PART not in text.beside
            assert page or (text.item, text.subject) not in seen, "the context was seen before"
            seen |= {(text.item, text.subject)} if page else set()
            answer = {"correctness": 3, "helpfulness": 5} if page else {"plausibility": 2}
            service.answers.answer(judge, step.evaluation.claim, answer)


def test_pages_are_analysed_together_and_practised(tmp_path: Path) -> None:
    criteria = ["plausibility", "correctness"]
    panels = {"public": {"judges": 10, "access": "open"}}
    write(tmp_path, protocol="continuous", criteria=criteria, practice=1, panels=panels)
    frozen = freeze(study.load(tmp_path), tmp_path)
    assert [PART in frozen.text[slot.texts[0]].beside for slot in frozen.practice] == [True, False]
    assert len({frozen.text[slot.texts[0]].text for slot in frozen.practice}) == 1
    service, outcome = rehearse(frozen, Raters(means={"short": 0.3, "long": 0.7}), seed=5)
    assert outcome.panels["public"]["answers"] == 10 * 5 * 2
    found = analyse(frozen, service.judgements())
    assert [(one.criterion.id, one.n, one.outputs) for one in found.ratings] == [
        ("plausibility", 50, 10),
        ("correctness", 50, 10),
    ]
    assert all(one.best.system == "long" for one in found.ratings)
    with pytest.raises(InputError, match="cannot be discussed"):
        service.protocol.disagreements(frozen, service.judgements())


def test_experts_judge_both_pages_again(tmp_path: Path, clock: Clock) -> None:
    write(tmp_path / "study")
    frozen = freeze(study.load(tmp_path / "study"), tmp_path / "study")
    service, _ = rehearse(frozen, Raters(), seed=5)
    made = recheck(service, tmp_path / "study", tmp_path / "again", sample=0.5, panel="experts", judges=2, seed=1)
    assert (len(made.items), made.outputs) == (3, 6)
    assert len(study.load(tmp_path / "again").parts) == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"corrections": "allow"}, "corrections out"),
        ({"criteria": ["plausibility"]}, "nothing is asked after it"),
        ({"quality": {"repeats": 1, "gap": 2}}, "leave quality.repeats out"),
        ({"quality": {"degraded": 1, "gap": 2}}, "leave quality.degraded out"),
        (
            {"criteria": ["plausibility", "correctness", OWN | {"before": ["question"], "scale": SCALE}]},
            "two studies",
        ),
    ],
)
def test_what_two_pages_do_not_allow_is_told(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    write(tmp_path, **changes)
    with pytest.raises(InputError, match=told):
        study.load(tmp_path)


def test_check_and_statement_tell_of_the_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    assert main(["study", "check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "plausibility without the context, then the rest with it" in said and "48 of 48 answers" in said
    assert main(["study", "launch", str(tmp_path)]) == 0
    assert main(["study", "statement", str(tmp_path)]) == 0
    assert "Plausibility without the context, and, once that is answered and stored" in capsys.readouterr().out
