"""A table of ratings becomes a finished study, and a bad one is refused with its line and leaves nothing behind."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from made_ratings import CRITERIA, rows, written

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.words import sentences, warnings
from nlgauge.study.exchange.importing import import_study
from nlgauge.study.exchange.importing.tables import read_sets
from nlgauge.study.file import study
from nlgauge.study.freeze import frozen
from nlgauge.study.protocols import protocol_of
from nlgauge.study.refusals import Refused
from nlgauge.study.service import opened
from nlgauge.study.statements.read import read
from nlgauge.study.store import Store


def test_every_rating_is_read_back_equal(imported: Path) -> None:
    service = opened(imported, Store.at(imported, create=False))
    found = {
        (text.item, text.subject, one.judge, criterion, value)
        for one in service.judgements()
        for text in [service.frozen.text[one.texts[0]]]
        for criterion, value in one.answer.items()
    }
    assert found == {(row["item"], row["system"], row["judge"], row["criterion"], row["value"]) for row in rows()}
    assert {text.text for text in service.frozen.texts} == {row["text"] for row in rows()}
    assert service.status == "closed" and not service.arrivals.links()
    assert service.progress.planned_answers() == (72, 72)


def test_it_is_marked_as_imported_and_cannot_go_on(imported: Path) -> None:
    service = opened(imported, Store.at(imported, create=False))
    assert service.study.imported
    assert [event["kind"] for event in service.events()][:2] == ["launched", "imported"]
    assert service.events("imported")[0]["data"]["format"] == "table"
    assert {row["access"] for row in service.people.judges()} == {"import"}
    with pytest.raises(Refused, match="run elsewhere"):
        service.admin.reopen()
    with pytest.raises(InputError, match="study import"):
        frozen.freeze(study.load(imported), imported)


def test_no_time_is_invented(imported: Path, tmp_path: Path) -> None:
    result = protocol_of("likert").analyse_folder(imported)
    assert result.judging[0].to_dict()["median_seconds"] is None
    assert "how long answers took is not known" in " ".join(text for _, text in sentences(result))
    assert not result.judging[0].checks
    statement = read(imported).statement
    assert statement["dates"].missing and statement["minutes_each"].missing and statement["haste"].missing
    people = tmp_path / "people.csv"
    assert main(["study", "export", str(imported), "--people", "-o", str(people)]) == 0
    assert "1970" not in people.read_text() and ",0.0," not in people.read_text()


def test_known_seconds_are_kept(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", rows(seconds=12.5))
    done = import_study(tmp_path / "s", [table], "table", scales=["1-5"])
    assert {one.known_seconds for one in done.service.judgements()} == {12.5}
    found = read(tmp_path / "s").statement
    assert found["dates"].missing and found["minutes_each"].text.startswith("3.75 each")


def test_the_analysis_finds_the_order_and_says_what_it_is(imported: Path) -> None:
    result = protocol_of("likert").analyse_folder(imported)
    for criterion in CRITERIA:
        assert [one.system for one in result.rating(criterion).models.means] == ["people", "neural", "rules"]
    assert any("not run here" in note for note in warnings(result))
    assert result.judging[0].named and len(result.judging[0].judges) == 4


def test_the_balance_is_the_one_that_was(imported: Path) -> None:
    balance = read(imported).statement["balance"].text
    assert "4 judges saw 18 screens each" in balance and "judged 4 times" in balance
    assert read(imported).statement["planned_balance"].missing


def test_nothing_comes_from_the_catalogue(imported: Path) -> None:
    """Fluency is a criterion of the catalogue, whose question these judges never read."""
    statement = read(imported).statement
    assert statement["wording.fluency"].missing and statement["definition.fluency"].missing
    for key in ("reasons", "rules", "personal_questions", "examples", "screening", "checks", "languages"):
        assert statement[key].missing, key


def test_a_study_file_describes_it_and_a_later_find_is_taken_over(tmp_path: Path) -> None:
    table, folder = written(tmp_path / "t.csv", rows()), tmp_path / "s"
    import_study(folder, [table], "table", scales=["1-5"])
    file = folder / study.FILE
    text = file.read_text(encoding="utf-8").replace("- id: fluency\n", "- id: fluency\n  question: How fluent is it?\n")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="add fresh=…"):
        import_study(folder, [table], "table")
    done = import_study(folder, [table], "table", fresh=True)
    assert done.unknown == ("adequacy",)
    assert read(folder).statement["wording.fluency"].text == "How fluent is it?"
    assert (folder / "earlier-1-frozen.json").exists()


def test_columns_may_be_called_otherwise(tmp_path: Path) -> None:
    table = written(
        tmp_path / "t.csv",
        [{"worker": row.pop("judge"), "note": "x", **row} for row in rows()],
    )
    with pytest.raises(InputError, match=r"--column judge=NAME"):
        import_study(tmp_path / "s", [table], "table", scales=["1-5"])
    done = import_study(tmp_path / "s", [table], "table", columns={"judge": "worker"}, scales=["1-5"])
    assert done.judges == {"judges": 4} and done.source.unread == ("note",)


def test_two_panels_with_the_same_names(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", rows(panel="experts") + rows(panel="public", seed=9))
    done = import_study(tmp_path / "s", [table], "table", scales=["1-5"])
    assert done.judges == {"experts": 4, "public": 4}
    assert {row["id"] for row in done.service.people.judges()} >= {"experts j0", "public j0"}
    only = import_study(tmp_path / "e", [table], "table", panel="experts", scales=["1-5"])
    assert only.judges == {"experts": 4}


def test_an_export_of_it_is_read_back_elsewhere(imported: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    assert main(["study", "export", str(imported), "-o", str(answers)]) == 0
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in (study.FILE, frozen.FILE):
        (copy / name).write_bytes((imported / name).read_bytes())
    assert main(["study", "import", str(copy), str(answers)]) == 0
    found = [opened(one, Store.at(one, create=False)).judgements() for one in (imported, copy)]
    assert found[0] == found[1]
    assert (
        protocol_of("likert").analyse_folder(imported, judgements=answers, closed=True).ratings[0].models.means
        == protocol_of("likert").analyse_folder(copy).ratings[0].models.means
    )


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("value off the scale", {"value": 6}, r"line 4: the answer 6 to fluency.*mend the row, or the scale"),
    ("value no number", {"value": "good"}, r"line 4: the value is 'good'; expected a number"),
    ("value empty", {"value": ""}, r"line 4: the value is nothing; expected a number; leave the row out"),
    ("value infinite", {"value": "inf"}, r"line 4: the value is 'inf'"),
    ("no judge", {"judge": ""}, r"line 4: the judge is missing; every row needs one"),
    ("no item", {"item": " "}, r"line 4: the item is missing"),
    ("long name", {"system": "x" * 70}, r"line 4: the system .* has 70 characters; shorten it to 64"),
    (
        "a text for an item",
        {"item": "x" * 100_000},
        r"line 4: .* has 100,000 characters; shorten it to 2,000",
    ),
    ("invisible name", {"judge": "a\x07b"}, r"line 4: .*cannot be seen"),
    ("negative time", {"seconds": -3}, r"line 4: -3 seconds for an answer cannot be"),
    (
        "another text",
        {"text": "other"},
        r"line 4: .*has another text by people than at .*line 2; .*different names",
    ),
    ("twice", {"judge": "j0", "criterion": "fluency"}, r"line 4: .*already; leave one of the rows out"),
]


@pytest.mark.parametrize(("what", "change", "message"), BAD, ids=[one[0] for one in BAD])
def test_a_bad_row_is_named_and_nothing_is_left(
    tmp_path: Path, what: str, change: dict[str, Any], message: str
) -> None:
    table = rows(seconds="") if "seconds" in change else rows()
    table[2] |= change
    path = written(tmp_path / "t.csv", table)
    with pytest.raises(InputError, match=message):
        import_study(tmp_path / "new" / "s", [path], "table", scales=["1-5"])
    assert not (tmp_path / "new" / "s").exists()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("t.xlsx", ["--format", "table"], "is a spreadsheet, which is not read here; save its sheet as CSV"),
        ("t.txt", ["--format", "table"], "the extension .txt is not one of .* save the judgements as CSV"),
        ("t.csv", [], "holds no launched study .* imported with --format (table, set"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, options: list[str], message: str
) -> None:
    path = written(tmp_path / "made.csv", rows()).rename(tmp_path / name)
    assert main(["study", "import", str(tmp_path / "s"), str(path), *options]) == 2
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), capsys.readouterr().err)


def test_a_table_of_another_study_is_no_export_of_this_one(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "t.csv", rows())
    assert main(["study", "import", str(imported), str(path)]) == 2
    assert "is no export of judgements (nlgauge study export, without --long)" in capsys.readouterr().err


def test_long_lists_of_judges_are_read_in_a_moment(tmp_path: Path) -> None:
    named = {"raters": [f"r{k}" for k in range(30_000)], "ratings": {"fluency": [3] * 30_000}}
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"item": "1", "system": "a", **named}) + "\n", encoding="utf-8")
    begun = time.process_time()
    assert len(read_sets([path]).ratings) == 30_000
    assert time.process_time() - begun < 3  # counting each name in the list before it took minutes
    path.write_text(json.dumps({"item": "1", "system": "a", "ratings": {"c" * 99: [3]}}), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: the criterion .* has 99 characters; shorten it to 64"):
        read_sets([path])


def test_a_scale_is_never_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = written(tmp_path / "t.csv", rows())
    arguments = ["study", "import", str(tmp_path / "s"), str(table), "--format", "table"]
    assert main(arguments) == 2
    assert "answers do not tell which were possible" in capsys.readouterr().err
    for wrong in ("5-1", "high", "fluent=1-5"):
        assert main([*arguments, "--scale", wrong]) == 2
    assert not (tmp_path / "s").exists()
    assert main([*arguments, "--scale", "fluency=1-5", "--scale", "adequacy=1-7", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ratings"] == 144 and told["judges"] == {"judges": 4} and told["warnings"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "judge"], "expected KEY=NAME"),
        (["--log", "x.jsonl"], "no such log"),
        (["--format", "hanna", "--column", "judge=x"], "--column belongs to tables"),
        (["--panel", "nobody"], "no panel 'nobody'"),
        (["--protocol", "binary"], "give --scale 0-1"),
    ],
)
def test_options_that_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    table = written(tmp_path / "t.csv", rows())
    head = ["study", "import", str(tmp_path / "s"), str(table), "--scale", "1-5", "--format", "table"]
    assert main([*head, *options]) == 2
    assert message in capsys.readouterr().err


def test_what_the_study_file_does_not_ask_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    text = "protocol: likert\ntitle: x\nseed: 1\ncriteria: [{id: fluency}]\nscale: {points: 5, labels: [a, b]}\n"
    (folder / study.FILE).write_text(text + "panels: {judges: {judges: 1}}\ndesign: imported\n")
    table = written(tmp_path / "t.csv", rows())
    with pytest.raises(InputError, match=r"line 3: study.yaml has no criterion 'adequacy'; known: fluency"):
        import_study(folder, [table], "table")
    assert sorted(path.name for path in folder.iterdir()) == [study.FILE]


def test_values_of_a_slider_and_of_yes_and_no(tmp_path: Path) -> None:
    slider = [row | {"value": row["value"] * 17.25} for row in rows()]
    done = import_study(
        tmp_path / "c",
        [written(tmp_path / "c.csv", slider)],
        "table",
        scales=["0-100"],
        protocol="continuous",
    )
    assert {v for one in done.service.judgements() for v in one.answer.values()} == {row["value"] for row in slider}
    yes = [row | {"value": int(row["value"] > 2)} for row in rows()]
    folder = tmp_path / "b"
    import_study(folder, [written(tmp_path / "b.csv", yes)], "table", scales=["0-1"], protocol="binary")
    assert protocol_of("likert").analyse_folder(folder).ratings[0].best.system in ("people", "neural")


def test_of_our_own_export_only_what_counts_is_read(tmp_path: Path) -> None:
    """Practice, checks, late answers and what judges corrected stand in the long form as well."""
    own = {"slot": "x", "practice": False, "surplus": False, "role": "", "replaces": ""}
    table = [{**row, "judgement": f"a{k // 2}", **own} for k, row in enumerate(rows())]
    table += [
        table[0] | {"judgement": "p", "practice": True, "judge": "j9"},
        table[0] | {"judgement": "w", "role": "warmup", "judge": "j9"},
        table[0] | {"judgement": "late", "surplus": True, "judge": "j9"},
        table[0] | {"judgement": "new", "replaces": "a0", "value": 1},
        table[1] | {"judgement": "new", "replaces": "a0", "value": 1},
    ]
    done = import_study(tmp_path / "s", [written(tmp_path / "t.csv", table)], "table", scales=["1-5"])
    aside = {"answers that were corrected": 2, "practice": 1, "warm-up": 1, "late answers": 1}
    assert done.source.skipped == aside
    assert len(done.source.ratings) == 144 and done.judges == {"judges": 4} and not done.source.unread


def test_fresh_into_a_folder_that_is_not_there_yet_is_a_plain_import(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", rows())
    done = import_study(tmp_path / "new", [table], "table", scales=["1-5"], fresh=True)
    assert len(done.service.judgements()) == 72


def test_yes_and_no_need_no_scale(tmp_path: Path) -> None:
    yes = [row | {"value": int(row["value"] > 2)} for row in rows()]
    table = written(tmp_path / "b.csv", yes)
    done = import_study(tmp_path / "b", [table], "table", protocol="binary")
    assert {v for one in done.service.judgements() for v in one.answer.values()} == {0, 1}


def test_an_import_that_was_killed_is_told_and_repeated_with_fresh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A process that is killed before the frozen design is written cleans nothing up."""
    folder, table = tmp_path / "s", written(tmp_path / "ratings.csv", rows())
    import_study(folder, [table], "table", scales=["1-5"])
    (folder / "frozen.json").unlink()
    (folder / "study.yaml").unlink()
    words = ["study", "import", str(folder), str(table), "--format", "table", "--scale", "1-5"]
    for asked in (words, ["study", "statement", str(folder)]):
        assert main(asked) == 2
        assert "an import or a launch was broken off there" in capsys.readouterr().err
    assert main([*words, "--fresh"]) == 0
    assert (folder / "frozen.json").exists() and (folder / "earlier-1-study.sqlite").exists()
