"""A rating study, exported as an evaluation set: the outputs with the ratings that count, which metrics can be held
against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rated import OWN, compared, some_answer, write
from rated import launched as launched_study
from studies import Clock

import nlgauge as ng
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.humans import judgements
from nlgauge.io.exported import REHEARSAL
from nlgauge.study import export
from nlgauge.study.design import load
from nlgauge.study.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.service import Service
from nlgauge.study.simulate import rehearse


def answered(folder: Path, clock: Clock, **changes: Any) -> Service:
    """A study with a reverse-keyed question in which two judges answered all."""
    reverse = OWN | {"id": "clumsy", "question": "How clumsy is it?", "reverse": True}
    service = launched_study(folder, clock, criteria=["fluency", reverse], practice=1, **changes)
    for number in range(2):
        judge, _ = service.register("public")
        answer = {"fluency": 4 - number, "clumsy": 1}
        assert service.step(judge).kind == "practice"
        service.answer_practice(judge, 1, answer)
        while (shown := service.step(judge).evaluation) is not None:
            service.answer(judge, shown.claim, answer)
    return service


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_outputs_stand_with_their_texts_and_the_ratings_that_count(tmp_path: Path, clock: Clock) -> None:
    service = answered(tmp_path / "s", clock)
    path = tmp_path / "judged.jsonl"
    written = export.write_set(service, path)
    rows = rows_of(path)
    counted = [one for one in service.judgements() if not one.practice]
    assert written == len(rows) > 0
    assert sum(len(row["raters"]) for row in rows) == len(counted) < len(service.judgements())
    for row in rows:
        assert row["hypothesis"].startswith(f"{row['system']} says")
        assert row["ratings"]["clumsy"] == [2] * len(row["raters"])  # 1 on 0 to 3, turned round: high is good
    given = {(one.judge, one.items[0], one.answer["fluency"]) for one in counted}
    told = {
        (judge, row["item"], value)
        for row in rows
        for judge, value in zip(row["raters"], row["ratings"]["fluency"], strict=True)
    }
    assert told == given
    assert {segment.hypothesis for segment in ng.load(path)} == {row["hypothesis"] for row in rows}


def test_judges_who_are_left_out_are_not_in_it(tmp_path: Path, clock: Clock) -> None:
    service = answered(tmp_path / "s", clock)
    out, kept = sorted({one.judge for one in service.judgements()})
    service.exclude(out, "did not read")
    export.write_set(service, tmp_path / "judged.jsonl")
    assert {judge for row in rows_of(tmp_path / "judged.jsonl") for judge in row["raters"]} == {kept}
    service.exclude(kept, "did not read either")
    with pytest.raises(InputError, match=r"no answer of the study counts: .*judges who are left out \d+"):
        export.write_set(service, tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()


def test_a_set_without_texts_says_so_and_judges_are_no_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, study = tmp_path / "t.csv", str(tmp_path / "s")
    rows = [f"{item},{system},{judge},q,3\n" for item in "12" for system in "xy" for judge in "ab"]
    table.write_text("item,system,judge,criterion,value\n" + "".join(rows), encoding="utf-8")
    assert main(["study", "import", study, str(table), "--format", "table"]) == 2
    assert "t.csv, line 2: the scale of 'q' is not known" in capsys.readouterr().err
    assert main(["study", "import", study, str(table), "--format", "table", "--scale", "1-5"]) == 0
    out = tmp_path / "out.jsonl"
    assert main(["study", "export", study, "--set", "-o", str(out)]) == 0
    assert "note: 4 of 4 outputs have no text" in capsys.readouterr().out
    for other in ("--set", "--long"):
        assert main(["study", "export", study, other, "--people", "-o", str(tmp_path / "people.jsonl")]) == 2
        assert f"personal data, and {other} their answers" in capsys.readouterr().err
    assert not (tmp_path / "people.jsonl").exists()


def test_only_ratings_of_texts_and_only_json_lines(tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(InputError, match=r"it is written as JSON lines"):
        export.write_set(answered(tmp_path / "s", clock), tmp_path / "judged.csv")
    pairs = compared("pairwise", tmp_path / "p", clock)
    judge, _ = pairs.register("public")
    shown = pairs.step(judge).evaluation
    assert shown is not None
    pairs.answer(judge, shown.claim, some_answer(pairs, shown, 0))
    with pytest.raises(InputError, match=r"answers of the protocol pairwise are no ratings"):
        export.write_set(pairs, tmp_path / "judged.jsonl")
    assert not (tmp_path / "judged.jsonl").exists()


def test_marked_errors_stand_with_a_minus_and_simulated_judges_are_told(tmp_path: Path) -> None:
    where = write(tmp_path / "s", protocol="spans", criteria=["fluency"])
    service, _ = rehearse(freeze(load(where), where), protocol_of("spans").crowd(load(where), {}), seed=3)
    path, long = tmp_path / "judged.jsonl", tmp_path / "long.jsonl"
    export.write_set(service, path)
    export.write_long(service, long)
    rows = rows_of(path)
    assert set(rows[0]["ratings"]) == {"minus_penalty", "minus_errors", "fluency"}
    given = [value for row in rows for value in row["ratings"]["minus_penalty"]]
    assert min(given) < 0 >= max(given)
    assert all("simulated judges" in row["warning"] for row in rows + rows_of(long))
    assert REHEARSAL in ng.agree(path, "fluency").notes
    assert REHEARSAL in ng.agree([row for row in rows_of(long) if "value" in row], "fluency").notes
    assert REHEARSAL in ng.humans.compare(path, "fluency").notes
    with pytest.raises(InputError, match="study export DIR --set"):
        ng.load(long)


def test_a_judge_whom_a_row_names_twice_is_one_judge() -> None:
    rows = [
        {"item": item, "system": system, "hypothesis": "x", "ratings": {"q": [1, 2, 3]}, "raters": raters}
        for item, raters in (("1", ["a", "b", "a"]), ("2", ["a", "b", "c"]))
        for system in ("s", "t")
    ]
    found = judgements(rows, "q")
    assert (found.people, found.count) == (3, 12)
