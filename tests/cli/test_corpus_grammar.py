"""`nlgauge corpus grammar`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge
from nlgauge.cli import main

DEMO = str(Path(nlgauge.__file__).parent / "demo" / "forecasts.jsonl")
Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = main(["corpus", "grammar", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_check_tells_the_systems_apart(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "wind", DEMO, "--references", "--json")
    told = json.loads(out)
    assert code == 0
    shares = {row["system"]: row["share"] for row in told["systems"]}
    assert shares["rules"] == 1 > shares["stock"] > shares["clumsy"]
    assert shares["references"] > 0.9
    code, out, _ = run(capsys, "check", "wind", DEMO)
    assert code == 0
    assert "Nothing is dead" in out
    assert "stock" in out


def test_parse_shows_trees_and_edits(capsys: Capture) -> None:
    code, out, _ = run(capsys, "parse", "person", "--text", "an tall man", "--text", "two men")
    assert code == 0
    assert "not grammatical; credit 0.667: replace an by a\n  a tall man\n" in out
    assert "└ NounPhrase (counted)" in out
    code, out, _ = run(capsys, "parse", "person", "--text", "an tall man", "--json")
    (text,) = json.loads(out)["texts"]
    assert (text["parses"], text["mended"]["text"]) == (0, "a tall man")


def test_lines_of_a_text_file_are_outputs(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("a man\nan man\n", encoding="utf-8")
    code, out, _ = run(capsys, "check", "person", str(tmp_path / "mine.txt"), "--json")
    assert code == 0
    (system,) = json.loads(out)["systems"]
    assert (system["system"], system["texts"], system["grammatical"]) == ("mine", 2, 1)
    code, out, _ = run(capsys, "parse", "person", str(tmp_path / "mine.txt"), "--limit", "1")
    assert out.startswith("mine 1: a man\n")
    assert "an man" not in out


def test_ambiguous_texts_show_several_trees(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "g.grammar").write_text('S = S S | "a" ;', encoding="utf-8")
    code, out, _ = run(capsys, "parse", str(tmp_path / "g.grammar"), "--text", "a a a a", "--parses", "3")
    assert code == 0
    assert "5 parses" in out
    assert "parse 3 of 5" in out
    assert "parse 4 of 5" not in out


def test_samples_are_seeded(capsys: Capture) -> None:
    code, first, _ = run(capsys, "sample", "person", "-n", "4", "--seed", "7")
    assert code == 0
    assert len(first.splitlines()) == 4
    assert run(capsys, "sample", "person", "-n", "4", "--seed", "7")[1] == first
    assert run(capsys, "sample", "person", "-n", "4", "--seed", "8")[1] != first
    code, out, _ = run(capsys, "sample", "person", "-n", "1", "--json", "--seed", "7")
    assert json.loads(out)["texts"][0]["text"] == first.splitlines()[0]
    assert "Description (" in run(capsys, "sample", "person", "-n", "1", "--trees")[1]


def test_pages_escape_texts_words_and_labels(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "g.grammar").write_text('S = "<b>" /<i>[0-9]/ ~ "<i>1" ;', encoding="utf-8")
    page = tmp_path / "page.html"
    code, _, _ = run(
        capsys,
        "parse",
        str(tmp_path / "g.grammar"),
        "--text",
        "<b> <i>7",
        "--text",
        "<s>",
        "--html",
        str(page),
    )
    assert code == 0
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;" in text
    for sign in ("<b>", "<i>", "<s>"):
        assert sign not in text
    assert "<del>&lt;s&gt;</del>" in text
    code, _, _ = run(capsys, "check", "wind", DEMO, "--html", str(page))
    assert code == 0
    assert "Motion.turn-and-shift" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "persn"], "there is no grammar 'persn'"),
        (
            ["check", "bad.grammar"],
            "bad.grammar, line 2, column 5: the category T has neither rules nor words",
        ),
        (["check", "person", "none.jsonl"], "none.jsonl"),
        (["check", "person", "--references"], "--references and --column are about DATA"),
        (["check", "wind", DEMO, "--level", "2"], "the level must lie between 0 and 1"),
        (["check", "person", "lines.txt", "--references"], "lines.txt has lines only"),
        (["parse", "person"], "name texts to be parsed: either DATA or --text TEXT"),
        (
            ["parse", "person", "lines.txt", "--text", "a"],
            "name texts to be parsed: either DATA or --text TEXT",
        ),
        (["parse", "cycle.grammar", "--text", "a"], "cycle.grammar, line 1, column 1: S → S derives itself"),
        (["check", "cycle.grammar", "lines.txt"], "cycle.grammar, line 1, column 1: S → S derives itself"),
        (["parse", "person", "--text", "a", "--html", "no/page.html"], "there is no folder no"),
        (["sample", "person", "--depth", "2"], "no text of person has a tree of 2 levels"),
        (["sample", "person", "-n", "0"], "must be at least 1"),
        (["grow", "person"], "invalid choice: 'grow'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    arguments: list[str], said: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.grammar").write_text("# rules\nS = T ;\n", encoding="utf-8")
    Path("cycle.grammar").write_text('S = S | "a" ;\n', encoding="utf-8")
    Path("lines.txt").write_text("a man\n", encoding="utf-8")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_grammar_with_a_cycle_is_checked(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "c.grammar").write_text('S = S | "a" ;\n', encoding="utf-8")
    code, out, _ = run(capsys, "check", str(tmp_path / "c.grammar"))
    assert code == 0
    assert "It cannot be used as it is." in out
    assert "cycle" in out


def test_a_page_replaces_no_lexicon(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "g.grammar").write_text('%lexicon "w.lexicon"\nS = A ;\n', encoding="utf-8")
    lexicon = tmp_path / "w.lexicon"
    lexicon.write_text("A: a\n", encoding="utf-8")
    code, _, err = run(capsys, "parse", str(tmp_path / "g.grammar"), "--text", "a", "--html", str(lexicon))
    assert code == 2
    assert "is read by this command" in err
    assert lexicon.read_text(encoding="utf-8") == "A: a\n"
