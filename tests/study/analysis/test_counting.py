"""One rule of what counts: the marks of an export are what the analysis counts, whatever happened in the study."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1]))
import rated

from nlgauge.study.analysis import counting
from nlgauge.study.exchange import export
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.model import TRIADS, Judgement
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.ratings.analysis.rows import sort_out
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan
from nlgauge.study.service import Service

JUDGES = ("ada", "ben", "cleo")
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Frozen:
    folder = rated.write(tmp_path_factory.mktemp("ratings"))
    return freeze(load(folder), folder)


@st.composite
def answers(draw: st.DrawFn, make: Callable[[Any, int], dict[str, Any]], roles: tuple[str, ...]) -> list[Judgement]:
    """Answers of three judges to screens of some roles, several of them given again, in any order."""
    rows: list[Judgement] = []
    for number in range(draw(st.integers(1, 10))):
        practice = draw(st.booleans())
        role = draw(st.sampled_from(("warmup", *roles) if practice and "" in roles else roles))
        shared: dict[str, Any] = {
            "study": "s",
            "panel": "practice" if practice else "public",
            "judge": draw(st.sampled_from(JUDGES)),
            "slot": f"slot{number}",
            "number": number,
            "role": role,
            "practice": practice,
            "surplus": not practice and draw(st.booleans()),
            "shown_at": 100.0 * number,
        } | make(draw, number)
        before = ""
        for time in range(draw(st.integers(1, 4))):  # the answer, and up to three in its place
            at = 100.0 * number + 10 + 300 * time
            rows.append(Judgement(id=f"{number}-{time}", answered_at=at, replaces=before, **shared))
            before = rows[-1].id
    return draw(st.permutations(rows))


def held(rows: list[Judgement], study: Any, excluded: set[str], began: float | None, frozen: Any = None) -> Service:
    """What an export and a statement ask of a launched study."""
    events = [] if began is None else [{"kind": "discussion", "at": began}]
    found = SimpleNamespace(
        study=study,
        frozen=frozen,
        protocol=protocol_of(study.protocol),
        judgements=lambda: rows,
        quality=SimpleNamespace(excluded=lambda: dict.fromkeys(excluded, "asleep")),
        events=lambda kind=None: events,
        progress=SimpleNamespace(report=lambda: {"simulated": False}),
    )
    return cast(Service, found)


OUT = st.sets(st.sampled_from(JUDGES), max_size=2)
BEGAN = st.none() | st.floats(0, 1500)
RULE = st.sampled_from(["exclude", "include"])


@QUIET
@given(data=st.data(), rule=RULE, out=OUT, began=BEGAN)
def test_an_export_of_outputs_marks_what_the_analysis_counts(
    data: st.DataObject, rule: str, out: set[str], began: float | None, ratings: Frozen, tmp_path: Path
) -> None:
    names = [text.id for text in ratings.served]

    def make(draw: Any, number: int) -> dict[str, Any]:
        shown = ratings.text[draw(st.sampled_from(names))]
        answer = {"fluency": draw(st.integers(1, 5)), "formality": draw(st.integers(1, 4))}
        return {"texts": (shown.id,), "items": (shown.item,), "answer": answer}

    rows = data.draw(answers(make, ("", "", "check", "degraded", "repeat")))
    frozen = replace(ratings, study=replace(ratings.study, surplus=cast(Any, rule)))
    service = held(rows, frozen.study, out, began, frozen)
    export.write_long(service, tmp_path / "long.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "long.jsonl").read_text(encoding="utf-8").splitlines()]
    analysed = sort_out(frozen, rows)
    counted = {one.id for one in analysed.without(out).counted}
    assert {line["judgement"] for line in lines if line["counts"]} == counted
    marks = {line["judgement"]: line["aside"] for line in lines}
    assert all(bool(why) != (name in counted) for name, why in marks.items())
    stand = {one.id: one for one in counting.sort(rows, rule).standing}
    for reason, number in analysed.aside.items():  # the analysis tells practice first, the export what was shown there
        told = [name for name, why in marks.items() if why == reason]
        if reason == "practice":
            assert number == sum(one.practice for one in stand.values())
        elif reason == "corrected":
            assert number == len(marks) - len(stand)
        else:
            assert number == sum(name in stand and not stand[name].practice for name in told)


@QUIET
@given(data=st.data(), rule=RULE, out=OUT, began=BEGAN)
def test_of_a_triangle_test_counts_what_its_analysis_counts(
    data: st.DataObject, rule: str, out: set[str], began: float | None
) -> None:
    def make(draw: Any, number: int) -> dict[str, Any]:
        return {"texts": ("A1", "B2", "B3"), "items": ("1", "2", "3"), "answer": draw(st.integers(0, 2))}

    rows = data.draw(answers(make, TRIADS))
    plan = Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 3, replication=10),), surplus=rule)
    service = held(rows, SimpleNamespace(surplus=rule, protocol="triangle"), out, began)
    counted = {one.id for one in select(rows, plan).without(out).counted}
    reasons = counting.of_service(service).reasons
    assert {name for name, why in reasons.items() if not why} == counted and len(reasons) == len(rows)


def test_what_is_said_of_an_answer_given_again() -> None:
    first = Judgement("a", "s", "public", "ada", "1", 1, "", ("t",), ("i",), {"fluency": 1}, 1.0, 2.0)
    mended = replace(first, id="b", answered_at=5.0, replaces="a")
    talked = replace(first, id="c", answered_at=9.0, replaces="b")
    found = counting.sort([talked, first, mended], "exclude", discussed=7.0)
    assert found.reasons == {"a": "corrected", "b": "discussed", "c": ""}
    assert found.corrected == 2 and [one.id for one in found.counted] == ["c"]
    assert found.counted[0].answered_at == 2.0
