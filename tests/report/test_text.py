"""Tables for the terminal and for pipes."""

from __future__ import annotations

import io
import math
import subprocess
import sys

import pytest
from builders import comparison, comparisons, scores
from rich.console import Console

from nlgauge.report import text
from nlgauge.results import Score, Scores
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import plain_table, width


def rendered(table: object) -> str:
    console = Console(file=io.StringIO(), width=160, force_terminal=False)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_plain_table_is_aligned_and_marks_the_best() -> None:
    table = scores({"bleu": {"a": 40.0, "longer": 41.5}, "ter": {"a": 30.0, "longer": 35.0}}, lower=("ter",), spread=1)
    lines = str(table).splitlines()
    assert lines[0].split() == ["system", "bleu", "↑", "ter", "↓"]
    assert "41.50* [40.50–42.50]" in lines[3]
    assert "30.00* [29.00–31.00]" in lines[2]
    assert len({width(line) for line in lines[:4]}) == 1
    assert lines[-3:] == folded(table.receipts.values())
    assert "\x1b" not in str(table)


def test_wide_and_unprintable_names_keep_the_columns() -> None:
    lines = plain_table(("a", "b"), [("日本語", "x"), ("tab\tand\nbreak", "x"), ("e\u0301", "x")]).splitlines()
    assert len(lines) == 5
    assert len({width(line) for line in lines[2:]}) == 1
    assert "tab\\tand\\nbreak" in lines[3]


def test_missing_and_undefined_scores() -> None:
    table = Scores((Score("a", "bleu", math.nan, 1), Score("b", "ter", 50.0, 1)), {})
    assert "n/a" in str(table)
    assert "nan" not in str(table)


def test_comparisons_as_text_hold_numbers_verdict_and_conclusion() -> None:
    table = comparisons(comparison("bleu", "new", -5, 0.00001), comparison("chrf", "new", 2, 0.4))
    lines = str(table).splitlines()
    cells = " ".join(lines[2].split())
    assert cells == "bleu ↑ new 45.00 base 50.00 -5.00 -6.00 to -4.00 <0.0001 <0.0001 worse"
    assert lines[3].split()[-1] == "0.4000"
    assert "0.0000" not in str(table)
    assert text.conclusion(None, table) in str(table)


def test_rich_tables_hold_the_same_cells() -> None:
    table = scores({"bleu": {"a[b]": 40.0, "b": 41.5}}, spread=1)
    [drawn] = text.score_tables(table, room=80)
    shown = rendered(drawn)
    assert "a[b]" in shown
    assert "41.50* [40.50–42.50]" in shown
    tests = comparisons(comparison("bleu", "new", -5, 0.001))
    [drawn] = text.comparison_tables(tests)
    shown = rendered(drawn)
    assert "worse" in shown
    assert "-5.00" in shown


def test_narrow_terminals_get_whole_numbers() -> None:
    table = scores({f"metric{k}": {"a": 40.0, "b": 41.5} for k in range(6)}, spread=1)
    drawn = text.score_tables(table, room=60)
    assert len(drawn) > 1
    assert all("41.50* [40.50–42.50]" in rendered(each) and "b" in rendered(each) for each in drawn)
    tests = comparisons(comparison("bleu", "a-system", -5, 0.001))
    [wide] = text.comparison_tables(tests, room=200)
    narrow = text.comparison_tables(tests, room=60)
    assert len(wide.columns) == 10
    assert len(narrow) == 3  # the differences in two parts, then the scores
    shown = "".join(rendered(each) for each in narrow)
    for cell in ("45.00", "50.00", "-5.00", "-6.00 to -4.00", "worse", "p (Holm)"):
        assert cell in shown


def test_printing_into_a_pipe_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    table = scores({"bleu": {"a": 40.0, "b": 41.5}})
    text.print_scores(table)
    assert capsys.readouterr().out == f"{table}\n"
    tests = comparisons(comparison("bleu", "new", -5, 0.001))
    text.print_comparisons(tests)
    assert capsys.readouterr().out == f"{tests}\n"
    text.print_table(("x", "y"), [("1", "2")])
    assert capsys.readouterr().out.splitlines() == ["x  y", "-  -", "1  2"]


def test_a_terminal_gets_the_rich_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table = scores({"bleu": {"a": 40.0, "b": 41.5}})
    text.print_scores(table)
    out = capsys.readouterr().out
    assert "41.50*" in out
    assert next(iter(table.receipts.values())) in out


def test_tables_as_text_load_no_rich() -> None:
    code = (
        "import sys; from nlgauge.results import *; import nlgauge.report.text, nlgauge.report.scores\n"
        "print(Scores((Score('a', 'bleu', 1.0, 1),), {}))\n"
        "assert not {'rich', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
