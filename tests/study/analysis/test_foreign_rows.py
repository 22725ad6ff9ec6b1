"""An exported file that names what the study never showed is refused, with its row and what is expected there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched

from nlgauge.errors import InputError
from nlgauge.study.exchange import export
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.reading import read_study
from nlgauge.study.service import Service
from nlgauge.study.store import Store

PANELS = {
    "public": {"judges": 3, "access": "open"},
    "experts": {"judges": 2, "evaluations": 2, "access": "open"},
}


def answer(service: Service, judge: str) -> None:
    while (step := service.dealing.step(judge)).kind in ("evaluation", "practice"):
        assert step.evaluation is not None
        if step.kind == "practice":
            service.answers.answer_practice(judge, step.evaluation.number, 0)
        else:
            service.answers.answer(judge, step.evaluation.claim, 0)


@pytest.fixture
def judged(tmp_path: Path, clock: Clock) -> Service:
    service = launched(tmp_path / "s", clock, Store.memory(), panels=PANELS, practice=1, extra="continue")
    for panel, judges in (("public", 5), ("experts", 3)):  # more than planned
        for _ in range(judges):
            answer(service, service.arrivals.register(panel)[0])
    for name, like in (("chars", "public"), ("words", "experts")):
        answer(service, service.machines.enlist(name, like))
    return service


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_an_export_fits_with_late_judges_and_machines(tmp_path: Path, judged: Service, name: str) -> None:
    rows = judged.judgements()
    assert {one.panel for one in rows} == {"public", "experts", "chars", "words"}
    export.write(rows, tmp_path / name)
    found = read_study(tmp_path / "s", judgements=tmp_path / name)
    assert list(found.judgements) == rows


def changed(rows: list[Judgement], service: Service, what: str) -> dict[str, Any]:
    """Values that no answer of the study has, for the third row that is no practice."""
    one = [row for row in rows if not row.practice][2]
    other = next(row for row in rows if row.panel == one.panel and row.texts[0] not in one.texts)
    values: dict[str, dict[str, Any]] = {
        "text": {"texts": ("t0", *one.texts[1:])},
        "item": {"items": ("nowhere", *one.items[1:])},
        "panel": {"panel": "publik"},
        "slot": {"slot": "s0-1"},
        "number": {"slot": f"{one.slot.partition('-')[0]}-999"},
        "another panel": {"panel": "experts"},
        "other texts": {"texts": other.texts, "items": other.items},
        "practice": {"practice": True},
    }
    return {"id": one.id, **values[what]}


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("text", r"the study has no text 't0'; expected ids of the texts in frozen.json, such as t[0-9a-f]+"),
        ("item", "the items are nowhere, "),
        ("panel", r"no panel 'publik'; did you mean public\? Known: experts, public"),
        ("slot", r"the panel public has no evaluation 's0-1' .*expected s[0-9a-f]+-1 to s[0-9a-f]+-3"),
        ("number", r"no evaluation 's[0-9a-f]+-999' with the number 3"),
        ("another panel", "is one of the panel public, not of experts"),
        ("other texts", "shows the triad "),
        ("practice", "the study has no practice triad"),
    ],
)
def test_what_the_study_never_showed_is_refused(tmp_path: Path, judged: Service, what: str, said: str) -> None:
    rows = judged.judgements()
    values = changed(rows, judged, what)
    wrong = [replace(one, **values) if one.id == values["id"] else one for one in rows]
    place = next(number for number, one in enumerate(wrong, start=1) if one.id == values["id"])
    export.write(wrong, tmp_path / "a.jsonl")
    with pytest.raises(InputError) as refused:
        read_study(tmp_path / "s", judgements=tmp_path / "a.jsonl")
    assert re.search(said, str(refused.value)) and f"a.jsonl, line {place}: " in str(refused.value)
