"""Judgements out and in again: the same rows, whatever the format; refusals leave the store as it was."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from pathlib import Path

import pytest
from studies import write as write_study

from nlgauge.errors import InputError
from nlgauge.study.exchange import export, restore
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import Frozen, freeze
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.service import Service, start
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store


@pytest.fixture
def frozen(tmp_path: Path) -> Frozen:
    panels = {
        "public": {"judges": 12, "access": "open"},
        "experts": {"judges": 2, "evaluations": 3, "access": "open"},
    }
    folder = write_study(
        tmp_path / "s",
        panels=panels,
        practice=1,
        extra="continue",
        reasons={"text": "required", "highlight": "required"},
    )
    return freeze(load(folder), folder)


@pytest.fixture
def judged(frozen: Frozen) -> list[Judgement]:
    service, _ = rehearse(frozen, Pool(p_d=0.5, dropouts=0.2), seed=2, judges=14)
    found = service.judgements()
    odd = 'a,"b"\n\r\n;\tc 🦊 \u2028 =1+1'
    return [dataclasses.replace(one, reason=odd) if k % 3 == 0 else one for k, one in enumerate(found)]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.jsonl.gz", "x.parquet", "x.csv.zst"])
def test_rows_come_back_as_they_went(tmp_path: Path, judged: list[Judgement], name: str) -> None:
    assert export.write(judged, tmp_path / name) == len(judged)
    assert export.read(tmp_path / name) == judged


def test_import_gives_the_same_study(tmp_path: Path, frozen: Frozen, judged: list[Judgement]) -> None:
    export.write(judged, tmp_path / "x.csv")
    copy = start(frozen, Store.memory())
    assert restore.load_into(copy, export.read(tmp_path / "x.csv")) == len(judged)
    assert copy.judgements() == judged
    assert restore.load_into(copy, judged) == 0
    done = copy.progress.report()["panels"]["public"]
    assert done["done"] == 14
    assert done["planned"] >= 14  # the continuation came along
    with pytest.raises(InputError, match="simulated"):  # and so did what they are
        copy.arrivals.register("public")


def test_what_an_import_refuses(frozen: Frozen, judged: list[Judgement]) -> None:
    def copied() -> Service:
        return start(frozen, Store.memory())

    answers = [one for one in judged if not one.practice]
    for changed, message in (
        (dataclasses.replace(answers[0], study="other"), "belongs to the study other"),
        (dataclasses.replace(answers[0], texts=answers[1].texts), "shows other texts"),
        (dataclasses.replace(answers[0], slot="s0-1", panel="nobody"), "no evaluation 's0-1'"),
    ):
        copy = copied()
        with pytest.raises(InputError, match=message):
            restore.load_into(copy, [*answers[1:], changed])
        assert copy.judgements() == []
    copy = copied()
    restore.load_into(copy, answers)
    with pytest.raises(InputError, match="stored already, and differs"):
        restore.load_into(copy, [dataclasses.replace(answers[0], answer=(answers[0].answer + 1) % 3)])
    twice = dataclasses.replace(answers[0], id="another")
    with pytest.raises(InputError, match="has an answer already"):
        restore.load_into(copy, [twice])
    assert copy.judgements() == answers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, "no column 'colour'"),
        ({"answer": None}, "the column 'answer' is missing"),
        ({"answer": 3}, "choice among three texts"),
        ({"answer": "two"}, "cannot be read as a judgement"),
        ({"role": "AAA"}, "choice among three texts"),
        ({"answered_at": 5.0}, "answered_at is before shown_at"),
        ({"practice": "perhaps"}, "neither true nor false"),
    ],
)
def test_rows_that_are_no_judgements(
    tmp_path: Path, judged: list[Judgement], change: dict[str, object], message: str
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(judged[0].to_dict() | change) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        export.read(tmp_path / "x.jsonl")


def test_formats(tmp_path: Path, judged: list[Judgement]) -> None:
    with pytest.raises(InputError, match="is not one of"):
        export.write(judged, tmp_path / "x.xls")
    assert list(tmp_path.glob("x.xls")) == []


def test_an_empty_study_is_exported(tmp_path: Path) -> None:
    assert export.write([], tmp_path / "x.csv") == 0
    assert (tmp_path / "x.csv").read_text(encoding="utf-8").startswith("id,study,panel,judge")


def test_what_contradicts_itself_is_refused_whole(frozen: Frozen, judged: list[Judgement]) -> None:
    copy = start(frozen, Store.memory())
    practice = next(one for one in judged if one.practice)
    answer = next(one for one in judged if not one.practice)
    fox = dataclasses.replace
    for changed, message in (
        ([*judged, answer], "occurs 2 times"),
        ([fox(answer, items=("a", "b", "c"))], "other items than its texts"),
        ([fox(answer, replaces="nothing")], "corrects nothing, which is not there"),
        ([fox(answer, replaces=answer.id)], "not there or not its own"),
        ([fox(answer, practice=True)], "does not belong to the evaluation"),
        ([fox(practice, practice=False)], "does not belong to the evaluation"),
        ([fox(practice, panel="nobody")], "does not belong to the evaluation"),
        ([fox(answer, replaces="b"), fox(answer, id="b", replaces=answer.id)], "go in a circle"),
        (
            [fox(one, judge="j") for one in judged if one.panel == "experts"],
            "but the plan has 3 for each judge",
        ),
        ([fox(answer, slot="new", texts=("x", "y", "z"))], "a text that the study does not have"),
        ([fox(answer, slot="new")], "contradicts itself or what is stored"),  # its number is another's
    ):
        with pytest.raises(InputError, match=message):
            restore.load_into(copy, changed)
        assert copy.judgements() == [] and copy.people.judges() == []


@pytest.mark.parametrize(
    ("column", "value"), [("number", 10**30), ("number", -1), ("shown_at", "nan"), ("answered_at", "inf")]
)
def test_numbers_that_no_study_holds(tmp_path: Path, judged: list[Judgement], column: str, value: object) -> None:
    row = next(iter(export.rows(judged))) | {column: value}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(InputError, match="number"):
        export.read(tmp_path / "x.jsonl")


def test_half_a_table_of_a_killed_export_is_swept_by_the_next(tmp_path: Path, judged: list[Judgement]) -> None:
    half = tmp_path / ".0123456789abcdef.tmp"
    half.write_text("half a ta")
    long_ago = time.time() - 86_400
    os.utime(half, (long_ago, long_ago))
    export.write(judged, tmp_path / "x.csv")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["x.csv"]
