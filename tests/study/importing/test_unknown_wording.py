"""A result whose question nobody knows carries a warning wherever it is shown."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.study.service import opened
from nlgauge.study.store import Store
from nlgauge.web.login import Cost, Vault

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "web"))
import made
from researcher import GOOD, Researcher

WARNING = "question wording unknown"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["study", *arguments]) == 0
    return capsys.readouterr().out


def test_in_every_form_of_the_analysis(imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    text = said(capsys, "analyse", str(imported), "--html", str(page))
    for heading in ("Means", "Differences", "Agreement"):
        assert f"{heading}: fluency ({WARNING})" in text
    assert f"note: fluency, adequacy: {WARNING}" in text and f"adequacy ({WARNING})" in text
    html = page.read_text(encoding="utf-8")
    head = html[: html.index("How the systems are rated")]
    assert WARNING in head[head.index("What to know before believing it") :]
    assert html.count(WARNING) > 10
    for form in ("markdown", "latex"):
        paper = said(capsys, "analyse", str(imported), "--format", form)
        captions = [line for line in paper.splitlines() if "caption" in line or line.startswith("**")]
        about = [line for line in captions if "fluency" in line or "adequacy" in line]
        assert about and all(WARNING in line for line in about)
        assert f"Note: fluency, adequacy: {WARNING}" in paper
    found = json.loads(said(capsys, "analyse", str(imported), "--json"))
    assert [one["warning"] for one in found["result"]] == [WARNING] * 2
    assert [one["question"] for one in found["criteria"]] == [None, None]
    assert any(WARNING in note for note in found["warnings"])


def test_in_every_form_of_the_statement(imported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("md", "html", "latex", "json", "heds"):
        for length in ("long", "short"):
            text = said(capsys, "statement", str(imported), "--format", form, "--form", length)
            assert "exact wording of the question about fluency, adequacy is not known" in text, (
                form,
                length,
            )


def test_in_exports_and_when_it_is_imported(imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = tmp_path / "long.csv"
    assert f"{WARNING}: fluency, adequacy" in said(capsys, "export", str(imported), "--long", "-o", str(long))
    with long.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 144 and {row["warning"] for row in rows} == {WARNING}
    assert {row["seconds"] for row in rows} == {row["shown_at"] for row in rows} == {""}
    told = json.loads(said(capsys, "export", str(imported), "-o", str(tmp_path / "a.jsonl"), "--json"))
    assert told["warnings"] == [f"{WARNING}: fluency, adequacy"]
    again = said(
        capsys, "import", str(tmp_path / "again"), str(long), "--format", "table", "--scale", "1-5"
    )  # what is exported can be imported
    assert f"note: {WARNING}: fluency, adequacy" in again and "144 ratings in 72 answers" in again


def test_on_the_dashboard(imported: Path) -> None:
    service = opened(imported, Store.at(imported, create=False))
    Vault(imported).set_password(GOOD, Cost(n=2, r=8, p=1))
    with made.client(service, imported) as browser:
        person = Researcher(browser)
        assert person.log_in().status_code == 303
        assert WARNING in person.get("/analysis").text
        for page in ("", "/judges", "/links", "/study"):
            assert person.get(page).status_code == 200
            assert "1970" not in person.get(page).text
    service.store.close()
