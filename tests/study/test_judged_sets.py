"""A rating study, exported as an evaluation set: the outputs with the ratings that count, which metrics can be held
against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import conversing
import pytest
import studies
from rated import OWN, comparing, estimating, write
from rated import launched as launched_study
from studies import Clock

import nlgauge as ng
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.humans import judgements
from nlgauge.io.exported import REHEARSAL
from nlgauge.study.exchange import export
from nlgauge.study.file.study import load
from nlgauge.study.freeze.frozen import freeze
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.comparisons.analysis import rows as comparison_rows
from nlgauge.study.protocols.magnitudes import analysis as magnitudes
from nlgauge.study.protocols.magnitudes.file import estimation_study
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse


def answered(folder: Path, clock: Clock, **changes: Any) -> Service:
    """A study with a reverse-keyed question in which two judges answered all."""
    reverse = OWN | {"id": "clumsy", "question": "How clumsy is it?", "reverse": True}
    service = launched_study(folder, clock, criteria=["fluency", reverse], practice=1, **changes)
    for number in range(2):
        judge, _ = service.arrivals.register("public")
        answer = {"fluency": 4 - number, "clumsy": 1}
        assert service.dealing.step(judge).kind == "practice"
        service.answers.answer_practice(judge, 1, answer)
        while (shown := service.dealing.step(judge).evaluation) is not None:
            service.answers.answer(judge, shown.claim, answer)
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
    service.quality.exclude(out, "did not read")
    export.write_set(service, tmp_path / "judged.jsonl")
    assert {judge for row in rows_of(tmp_path / "judged.jsonl") for judge in row["raters"]} == {kept}
    service.quality.exclude(kept, "did not read either")
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


def test_only_json_lines_and_only_answers_about_outputs(tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(InputError, match=r"it is written as JSON lines"):
        export.write_set(answered(tmp_path / "s", clock), tmp_path / "judged.csv")
    triads = studies.launched(tmp_path / "t", clock)
    with pytest.raises(InputError, match=r"answers of the protocol triangle say nothing of single outputs"):
        export.write_set(triads, tmp_path / "judged.jsonl")
    assert not (tmp_path / "judged.jsonl").exists()


def rehearsed(folder: Path, **changes: Any) -> tuple[Service, list[dict[str, Any]]]:
    """A study answered by simulated judges, and its evaluation set."""
    where = write(folder, **changes)
    study = load(where)
    service, _ = rehearse(freeze(study, where), protocol_of(study.protocol).crowd(study, {}), seed=3)
    export.write_set(service, folder / "judged.jsonl")
    return service, rows_of(folder / "judged.jsonl")


def means_of(rows: list[dict[str, Any]], name: str) -> dict[tuple[str, str], float]:
    """The mean rating of each output."""
    given = {(row["item"], row["system"]): [v for v in row["ratings"][name] if v is not None] for row in rows}
    return {output: sum(values) / len(values) for output, values in given.items() if values}


@pytest.mark.parametrize("protocol", ["pairwise", "ranking", "best-worst"])
def test_of_comparisons_each_output_has_the_share_it_won(tmp_path: Path, protocol: str) -> None:
    service, rows = rehearsed(tmp_path / "s", **comparing(protocol))
    found = comparison_rows.sort_out(service.frozen, service.judgements())
    outputs = {(row["item"], row["system"]) for row in rows}
    assert len(outputs) == len(rows)
    for criterion in found.criteria:
        column = found.column(criterion, "public")
        told = means_of(rows, criterion.id)
        # on a screen of equal size the mean of shares is the share of all comparisons
        assert told == pytest.approx(column.output_means(), abs=1e-12) or protocol == "best-worst"
        assert set(told) == set(column.output_means()) and all(0 <= value <= 1 for value in told.values())


@pytest.mark.parametrize("protocol", ["magnitude", "rankme"])
@pytest.mark.parametrize("standard", [{"text": "Rain, somewhere.", "value": 100}, None])
def test_of_magnitudes_each_output_has_logarithms_as_the_analysis_divides_them(
    tmp_path: Path, protocol: str, standard: dict[str, Any] | None
) -> None:
    service, rows = rehearsed(tmp_path / "s", **estimating(protocol, standard=standard))
    study = estimation_study(service.study)
    rated = magnitudes.sorted_out(service.frozen, study, service.judgements())
    assert len({(row["item"], row["system"]) for row in rows}) == len(rows)
    for criterion in rated.criteria:
        means = rated.column(criterion, "public").output_means()
        assert means_of(rows, criterion.id) == pytest.approx(means, abs=1e-12)


def test_of_tasks_each_text_has_what_its_readers_could_do(tmp_path: Path) -> None:
    conversing.write(tmp_path, conversing.task())
    study = load(tmp_path)
    service, _ = rehearse(freeze(study, tmp_path), protocol_of("task").crowd(study, {}), seed=3)
    export.write_set(service, tmp_path / "judged.jsonl")
    rows = rows_of(tmp_path / "judged.jsonl")
    assert {"success", "minus_seconds"} <= set(rows[0]["ratings"])
    counted = [one for one in service.judgements() if not one.role and not one.practice]
    seconds = [-value for row in rows for value in row["ratings"]["minus_seconds"]]
    assert sorted(seconds) == pytest.approx(sorted(one.seconds for one in counted))
    written = [row | {"references": ["Rain in the north on Tuesday."]} for row in rows]
    found = ng.meta_evaluate(written, ["chrf"], human=["success", "minus_seconds"])
    assert {row.criterion for row in found.correlations} == {"success", "minus_seconds"}


def test_post_edits_stand_beside_their_outputs_so_that_hter_is_the_study_s(tmp_path: Path) -> None:
    service, rows = rehearsed(tmp_path / "s", protocol="post-edit", criteria=["fluency"])
    edited: dict[str, list[str]] = {one.texts[0]: [] for one in service.judgements()}
    for one in service.judgements():
        if not one.role:
            edited[one.texts[0]].append(one.answer["text"])
    texts = {(text.item, text.subject): text.id for text in service.frozen.texts}
    for row in rows:
        assert sorted(row["post_edits"]) == sorted(edited[texts[row["item"], row["system"]]])
    scores = ng.score(tmp_path / "s" / "judged.jsonl", "hter")
    assert {score.system for score in scores.scores} == {row["system"] for row in rows}


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


def test_a_set_of_simulated_judges_is_imported_as_a_rehearsal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rehearsed(tmp_path / "s", criteria=["fluency"])
    copy = str(tmp_path / "copy")
    words = [
        "study",
        "import",
        copy,
        str(tmp_path / "s" / "judged.jsonl"),
        "--format",
        "set",
        "--scale",
        "1-7",
    ]
    assert main(words) == 0
    assert REHEARSAL in capsys.readouterr().out
    assert main(["study", "analyse", copy]) == 0
    assert REHEARSAL in capsys.readouterr().out


def test_a_judge_whom_a_row_names_twice_is_one_judge() -> None:
    rows = [
        {"item": item, "system": system, "hypothesis": "x", "ratings": {"q": [1, 2, 3]}, "raters": raters}
        for item, raters in (("1", ["a", "b", "a"]), ("2", ["a", "b", "c"]))
        for system in ("s", "t")
    ]
    found = judgements(rows, "q")
    assert (found.people, found.count) == (3, 12)
