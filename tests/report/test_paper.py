"""Results for papers and spreadsheets, and receipts folded under a table."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from nlgauge import api, receipt
from nlgauge.cli import main
from nlgauge.wording.paper import latex, markdown, of_scores, tables_for, written
from nlgauge.wording.receipts import folded
from reading_tex import latex_faults

ROWS = [
    {"item": str(n), "system": system, "hypothesis": text, "references": ["the cat sat on the mat"]}
    for system, text in (("A_1", "the cat sat on a mat"), ("[B] & C", "a dog ran"))
    for n in range(6)
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_the_common_part_with_any_own_part_is_the_whole_receipt() -> None:
    whole = list(api.score(ROWS, ["bleu", "ter", "rougeL(stem=porter)"]).receipts.values())
    common, *own = folded(whole)
    assert [receipt.read(f"{common}\n{part}") for part in own] == [receipt.read(line) for line in whole]
    assert len("".join([common, *own])) < 0.7 * len("".join(whole))
    assert folded(whole[:1]) == whole[:1] and folded([]) == []


def test_receipts_are_folded_whole_or_in_a_file(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["score", str(data), "-m", "bleu", "-m", "ter"]
    assert main(command) == 0
    assert capsys.readouterr().out.count("nlgauge=") == 1
    assert main([*command, "--receipts", "full"]) == 0
    whole = [line for line in capsys.readouterr().out.splitlines() if line.startswith("nlgauge=")]
    assert len(whole) == 2
    target = tmp_path / "receipts.txt"
    assert main([*command, "--receipts", str(target)]) == 0
    assert "nlgauge=" not in capsys.readouterr().out and target.read_text().splitlines() == whole
    assert main([*command, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["receipts"].values()) == whole
    assert main([*command, "--receipts", str(data)]) == 2  # never over the data


def test_csv_has_the_full_digits_of_every_score(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(data), "-m", "bleu", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    known = {score.system: score.value for score in api.score(ROWS, ["bleu"]).scores}
    assert {row["system"]: float(row["value"]) for row in rows} == known


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_every_command_that_prints_tables_prints_them_for_a_paper(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    judged = tmp_path / "j.jsonl"
    rated = [{**row, "ratings": {"q": [n % 5, (n * 2) % 5]}} for n, row in enumerate(ROWS)]
    judged.write_text("".join(json.dumps(row) + "\n" for row in rated))
    games = tmp_path / "g.jsonl"
    games.write_text("".join(json.dumps({"a": "x", "b": "y", "outcome": "aab"[n % 3]}) + "\n" for n in range(9)))
    for command in (
        ["score", str(data), "-m", "bleu"],
        ["compare", str(data), "-m", "bleu", "--trials", "200"],
        ["meta", str(judged), "-m", "chrf", "--human", "q", "--draws", "0", "--test", "none"],
        ["agree", str(judged)],
        ["rate", str(games)],
    ):
        page = tmp_path / f"{command[0]}.html"
        assert main([*command, "--format", form, "--html", str(page)]) == 0
        assert page.read_text().startswith("<!DOCTYPE html>") and "nlgauge=" in page.read_text()
        out = capsys.readouterr().out
        start = {"markdown": "**", "latex": r"\begin{table}", "csv": ""}[form]
        assert out.startswith(start) and (form != "csv" or "," in out.splitlines()[0])
        if command[0] == "meta":
            assert (" higher is better, " in out) == (form != "csv"), "what the marks mean stands under the table"


def test_best_scores_are_bold_and_signs_of_the_language_escaped() -> None:
    paper = of_scores(api.score(ROWS, ["bleu"]))
    assert r"A\_1 & \textbf{" in written(paper, "latex", []) and r"{}[B] \& C &" in written(paper, "latex", [])
    assert "| A_1 | **" in written(paper, "markdown", [])
    part = ("h|e%", ["", "x ↑"], [["a|b", "-1.5 – 2"]], [1])
    assert r"a\|b" in markdown(part) and r"$-$1.5 -- 2" in latex(part) and r"x $\uparrow$" in latex(part)
    assert r"\textbf{$-$1.5 -- 2}" in latex(part, {(0, 1)})


def test_every_table_has_a_caption_and_a_label_of_its_own() -> None:
    heads = ("Means: Güte & co; limits", "测试", "测试", "Means: Güte & co")
    parts = [(head, ["system", "x"], [["a_b", "1"]], [1]) for head in heads]
    tables = tables_for("latex", parts)
    labels = [re.findall(r"\\label\{tab:(.*?)\}", table) for table in tables]
    assert labels == [["means-gute-co"], ["table"], ["table-2"], ["means-gute-co-2"]]
    assert all(table.index(r"\caption") < table.index(r"\label") for table in tables)
    assert latex_faults("".join(tables)) == []
    assert latex_faults(r"\begin{tabular}{l}a & b_c \\ \end{tabular}") == ["_"]  # the reader sees what is wrong


def test_tables_of_all_commands_are_well_formed_latex(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {
            **row,
            "system": f"{row['system']} {k}",
            "hypothesis": f"{row['hypothesis']} {'x ' * k}{row['item']}",
        }
        for row in ROWS
        for k in range(4)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for command in (
        ["score", str(data), "-m", "bleu", "--ci"],
        ["compare", str(data), "-m", "bleu", "-m", "chrf"],
    ):
        assert main([*command, "--trials", "100", "--format", "latex"]) == 0
        text = capsys.readouterr().out
        assert latex_faults(text) == []
        assert text.count(r"\label{tab:") == text.count(r"\begin{table}")
    # clusters of all metrics in one table, and signs in columns of their own: TeX reads -- as a dash
    overview, ranking, *_ = text.split(r"\caption")
    assert "(1)" in overview and "--" not in ranking.split(r"\midrule")[1].replace("1--", "")
    assert text.index("tab:scores") < text.index("tab:ranking-by-bleu")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_the_table_compiles(tmp_path: Path) -> None:
    body = written(of_scores(api.score(ROWS, ["bleu", "ter"])), "latex", ["nlgauge=x|n=3"])
    source = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}" + "\n" + r"\end{document}"
    (tmp_path / "t.tex").write_text(source)
    command = ["pdflatex", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-800:]


@pytest.mark.parametrize(
    ("headings", "labels"),
    [
        (["Ranking by rouge-2", "Ranking by rouge"], ["ranking-by-rouge-2", "ranking-by-rouge"]),
        (["Rouge", "Rouge-2", "Rouge", "Rouge"], ["rouge", "rouge-2", "rouge-3", "rouge-4"]),
    ],
)
def test_labels_of_tables_are_never_alike(headings: list[str], labels: list[str]) -> None:
    tables = tables_for("latex", [(heading, ["a"], [["1"]], [0]) for heading in headings])
    assert [re.findall(r"tab:([^}]+)", table) for table in tables] == [[label] for label in labels]
