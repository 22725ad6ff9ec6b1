"""nlgauge study: from data to answers by commands alone, and one sentence for every mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlgauge.cli import main

pytest.importorskip("sqlalchemy", reason="studies need the extra `study`")
DEMO = Path(__file__).resolve().parents[2] / "src" / "nlgauge" / "demo" / "forecasts.jsonl"


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = main(["study", *words, "--json"])
    output = capsys.readouterr()
    return code, json.loads(output.out) if output.out else output.err


def refuses(capsys: pytest.CaptureFixture[str], message: str, *words: str) -> None:
    capsys.readouterr()
    assert main(["study", *words]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NLGAUGE_DB", raising=False)
    options = ("--from", str(DEMO), "--systems", "rules,neural", "--judges", "12", "--seed", "7")
    assert main(["study", "new", "s", *options]) == 0
    capsys.readouterr()
    return "s"


def test_from_data_to_answers(study: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, found = ask(capsys, "check", study)
    assert (code, found["errors"]) == (0, 0)
    digest = found["digest"]
    code, launched = ask(capsys, "launch", study)
    assert (code, launched["digest"], launched["links"]) == (0, digest, 12)
    assert set(launched["triads"]["public"].values()) == {2}
    code, links = ask(capsys, "links", study, "--base", "https://study.example/")
    addresses = [link["address"] for link in links["links"]]
    assert len(set(addresses)) == 12
    assert all(address.startswith("https://study.example/j/") for address in addresses)
    assert main(["study", "links", study]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12
    code, run = ask(capsys, "simulate", study, "--pd", "0.6", "--dropouts", "0.2", "--speeders", "0.1")
    assert (code, run["simulated"], run["panels"]["public"]["answers"]) == (0, True, 12)
    assert set(run["panels"]["public"]["triads"].values()) == {2}
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        code, written = ask(capsys, "export", study, "-o", name)
        assert (code, written["judgements"] > 24) == (0, True)  # practice included
    Path("copy").mkdir()
    for name in ("study.yaml", "frozen.json"):
        (Path("copy") / name).write_bytes((Path(study) / name).read_bytes())
    code, read = ask(capsys, "import", "copy", "a.parquet")
    assert read["added"] == read["read"] == written["judgements"]
    assert ask(capsys, "import", "copy", "a.csv")[1]["added"] == 0
    ask(capsys, "export", "copy", "-o", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_forget(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "launch", study)
    ask(capsys, "simulate", study)
    ask(capsys, "export", study, "-o", "a.jsonl")
    rows = [json.loads(line) for line in Path("a.jsonl").read_text(encoding="utf-8").splitlines()]
    judge = next(row["judge"] for row in rows if not row["practice"])
    code, found = ask(capsys, "forget", study, judge, "--answers")
    assert (code, found["erased"]["judgements"]) == (0, 2)  # one of practice, one that counted
    code, after = ask(capsys, "export", study, "-o", "b.jsonl")
    assert after["judgements"] == len(rows) - 2
    assert main(["study", "import", study, "a.jsonl"]) == 0
    said = capsys.readouterr().out
    assert f"0 added to study.sqlite, {len(rows) - 2} were there already. 2 of judges who were forgotten" in said
    refuses(capsys, "no judge is known by 'x'", "forget", study, "x")
    refuses(capsys, "name a judge to forget, or --expired", "forget", study)
    assert ask(capsys, "forget", study, "--expired")[0] == 0


def test_the_numbers_of_a_simulation_add_up(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("s/study.yaml").read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    values["practice"] = {"triads": 1, "required": 1}
    Path("s/study.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    ask(capsys, "launch", study)
    assert main(["study", "simulate", study, "--pd", ".3", "--dropouts", ".2"]) == 0
    said = capsys.readouterr().out
    found = re.search(r"(\d+) simulated judges came: (\d+) finished, (\d+) failed.*?(\d+) left .*?(\d+) found", said)
    assert found is not None
    came, *ends = map(int, found.groups())
    assert came == sum(ends) and ends[1] > 0
    panels = ask(capsys, "status", study)[1]["panels"].values()
    assert [sum(one["judges"][name] for one in panels) for name in ("finished", "failed")] == ends[:2]
    assert main(["study", "simulate", study]) == 0
    assert "Nothing was left to do" in capsys.readouterr().out


def test_opening_an_open_study_says_that_it_was(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "launch", study)
    assert main(["study", "reopen", study]) == 0
    assert "open, and was so before" in capsys.readouterr().out
    ask(capsys, "close", study)
    assert main(["study", "reopen", study]) == 0
    assert "open again" in capsys.readouterr().out


def test_judges_are_exported(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "launch", study)
    ask(capsys, "simulate", study)
    code, found = ask(capsys, "export", study, "--people", "-o", "p.csv")
    assert (code, found["judges"], found["platform_ids"]) == (0, 12, False)
    assert found["sample"] == ["public: 12 judges answered, 12 of them finished"]
    assert "platform_id" not in Path("p.csv").read_text(encoding="utf-8").splitlines()[0]
    ask(capsys, "export", study, "--people", "--platform-ids", "-o", "p.csv")
    assert "platform_id" in Path("p.csv").read_text(encoding="utf-8").splitlines()[0]
    refuses(capsys, "add --people", "export", study, "--platform-ids", "-o", "p.csv")
    refuses(capsys, "--log belongs", "export", study, "--people", "--log", "l.jsonl", "-o", "p.csv")


def test_launching_twice_and_afresh(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(capsys, "launch", study)
    refuses(capsys, "was launched already; ", "launch", study)
    text = Path("s/study.yaml").read_text(encoding="utf-8")
    Path("s/study.yaml").write_text(text.replace("judges: 12", "judges: 18"), encoding="utf-8")
    refuses(capsys, "with another design", "launch", study)
    ask(capsys, "simulate", study)
    assert ask(capsys, "launch", study, "--fresh")[0] == 0
    assert (Path("s") / "earlier-1-study.sqlite").exists()
    assert ask(capsys, "links", study)[1]["links"][17]["used"] is False


def test_scratch_needs_no_launch_and_leaves_no_trace(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in Path(study).iterdir())
    code, run = ask(capsys, "simulate", study, "--scratch", "--judges", "6")
    assert (code, run["finished"]) == (0, 6)
    assert sorted(path.name for path in Path(study).iterdir()) == before


def test_real_judges_and_simulated_ones_never_meet(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    from nlgauge.study.service import opened
    from nlgauge.study.store import Store

    ask(capsys, "launch", study)
    service = opened(study, Store.at(study))
    service.arrivals.follow(service.arrivals.links()[0].token)
    refuses(capsys, "this study has real judges", "simulate", study)
    assert [judge["access"] for judge in service.people.judges()] == ["link"]  # nobody was added


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("launch", "nowhere"), "no such file"),
        (("links", "nowhere"), "no such file"),
        (("check", "."), "holds no study.yaml; make one with: nlgauge study new"),
        (("links", "s"), "has not been launched"),
        (("export", "s", "-o", "x.csv"), "has not been launched"),
        (("simulate", "s", "--scratch", "--pd", "2"), "p_d must lie between 0 and 1, not 2"),
        (("new", "s", "--from", str(DEMO)), "exists already"),
        (("new", "t", "--from", "no.jsonl"), "no such file"),
        (("new", "t", "--from", str(DEMO), "--systems", "rules"), "name two different ones"),
        (("new", "t", "--from", str(DEMO), "--systems", "rules,nobody"), "no system 'nobody'"),
        (("new", "t", "--from", str(DEMO), "--languages", "xx"), "no pages in 'xx'"),
        (("new", "t", "--from", str(DEMO), "--protocol", "duo"), "no protocol 'duo'"),
        (("new", "t", "--from", str(DEMO), "--goal", "other"), "no goal 'other'"),
        (("launch", "s", "--db", "nonsense"), "is no database address"),
        (("launch", "s", "--db", "mysql://h/d"), "kept in SQLite or PostgreSQL"),
        (("schema", "-o", "no/such/folder.json"), "there is no folder"),
    ],
)
def test_mistakes(study: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    refuses(capsys, message, *words)
    assert not Path("t").exists()


def test_check_lists_errors_and_exits_with_2(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("s/study.yaml")
    path.write_text(path.read_text(encoding="utf-8") + "practise: 1\nsed: 2\n", encoding="utf-8")
    code, found = ask(capsys, "check", study)
    assert (code, found["errors"], found["digest"]) == (2, 2, None)
    assert main(["study", "check", study]) == 2
    assert "did you mean practice" in capsys.readouterr().out
    refuses(capsys, "1 more: nlgauge study check s", "launch", study)


def test_new_works_as_it_stands_for_every_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    languages = "en,es,de,fr,it,gl,ar"
    code, made = ask(capsys, "new", "s", "--from", str(DEMO), "--languages", languages, "--goal", "similarity")
    assert (code, made["subjects"]) == (0, {"A": "references", "B": "rules"})
    assert made["judges"] >= 30
    titles = yaml.safe_load(Path("s/study.yaml").read_text(encoding="utf-8"))["title"]
    assert list(titles) == languages.split(",") and titles["es"] == "¿Quién escribió estos textos?"
    code, found = ask(capsys, "check", "s", "--no-simulation")
    assert (code, found["errors"]) == (0, 0)


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, schema = ask(capsys, "schema")
    assert (code, schema["title"]) == (0, "nlgauge study")


def test_help_loads_no_database() -> None:
    code = (
        "import sys; from nlgauge.cli import main\n"
        "try: main(['study', '--help'])\nexcept SystemExit: pass\n"
        "print({'sqlalchemy', 'yaml', 'numpy'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "set()"


def test_a_simulation_goes_on_with_the_same_seed(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "launch", study]) == 0
    assert ask(capsys, "simulate", study, "--judges", "5", "--seed", "3")[0] == 0
    code, found = ask(capsys, "simulate", study, "--seed", "3")
    assert code == 0 and found["finished"] == 7


def test_a_database_that_fails_in_the_middle_is_one_sentence(
    study: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from nlgauge.study.service.context import Context

    assert main(["study", "launch", study]) == 0

    def broken(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Context, "log", broken)  # inside a transaction, by the driver itself
    refuses(capsys, "the study's database failed: database or disk is full", "pause", study)
    refuses(capsys, "the study's database failed", "simulate", study)
    assert ask(capsys, "status", study)[1]["status"] == "open"


@pytest.mark.parametrize(
    ("action", "options"),
    [("new", ("--goal", "--alpha", "--beta", "--pd")), ("simulate", ("--pd", "--gamma"))],
)
def test_help_says_which_options_are_the_triangle_tests(
    action: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["study", action, "--help"])
    told = capsys.readouterr().out
    for option in options:
        assert re.search(rf"^  {option} [A-Z]+\s+triangle: ", told, re.MULTILINE), option
