"""The statement of every protocol in every format, with names and questions that break careless programs.

LaTeX is compiled where a TeX is installed and read by a small parser elsewhere; the short form is printed by Chromium.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from stated import run

from nlgauge.report.study.statement import statement_page
from nlgauge.study.statements import heds, latex, markdown, short
from nlgauge.study.statements.read import Read
from nlgauge.study.statements.types import Statement
from reading_tex import latex_faults

PROTOCOLS = (
    "triangle",
    "likert",
    "continuous",
    "binary",
    "pairwise",
    "ranking",
    "best-worst",
    "magnitude",
    "rankme",
    "post-edit",
    "spans",
    "classification",
    "task",
    "chat",
)
SIGNS = "_ % & # $ ~ ^ \\ { } “ß” Ωμέγα 日本語 – ½ \N{GRINNING FACE} [x] <b>"
NAME = f"Größe {SIGNS}"
ASKED = f"How {SIGNS} is this text, " + "all things that a reader may care for considered, " * 12 + "in your opinion?"
TEX = next((name for name in ("tectonic", "lualatex", "pdflatex") if shutil.which(name)), "")
TEXT_HEIGHT = 740  # points: A4 with margins of 1.8 cm
CLASSES = 3 + 5 + 3 + 5 + 8 + 4  # questions of the datasheet about the whole study
OF_CRITERION = 3 + 3 + 11  # and about each criterion


def hard(protocol: str) -> dict[str, Any]:
    """Names and questions that hold everything that forms must escape."""
    own = {"id": "own", "name": NAME, "definition": f"What it is: {ASKED}", "question": ASKED}
    found: dict[str, Any] = {
        "title": {"en": NAME, "de": NAME},
        "instructions": {"en": f"{ASKED}\n\n{SIGNS}", "de": SIGNS},
    }
    if protocol == "triangle":
        return found | {"question": {"en": ASKED, "de": ASKED}}
    if protocol == "task":
        choice = {"type": "choice", "options": [NAME, "other"], "answer": NAME}
        return found | {"ask": [{"id": "own", "text": ASKED, **choice}]}
    if protocol == "classification":
        return found | {
            "question": {"en": ASKED, "de": ASKED},
            "classes": {
                "a": {"label": {"en": NAME, "de": NAME}},
                "b": {"description": {"en": ASKED, "de": SIGNS}},
            },
            "truth": {"rules": "a"},
        }
    if protocol == "binary":
        own["scale"] = "yes-no"
    return found | {"languages": ["en"], "title": NAME, "instructions": ASKED, "criteria": [own]}


def compiled(text: str, where: Path) -> int:
    """By TeX where there is one, and by the parser in any case; pages, 0 where no TeX counted them."""
    assert latex_faults(text) == []
    assert text.count(r"\begin{document}") == text.count(r"\end{document}") == 1
    if not TEX or (TEX == "pdflatex" and text.startswith("% !TeX program = lualatex")):
        return 0
    (where / "s.tex").write_text(text, encoding="utf-8")
    more = [] if TEX == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([TEX, *more, "s.tex"], cwd=where, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    told = re.search(rb"Output written on s.pdf \((\d+) page", done.stdout)
    return int(told[1]) if told else 0


def latex_points(text: str) -> int:
    """How high TeX sets the short form at least: 11 points a line of 105 characters, 3 between paragraphs."""
    body = text.partition(r"\begin{document}")[2].partition(r"\end{document}")[0]
    plain = [re.sub(r"\\[A-Za-z]+\*?(\{\})?|[{}]|\\(?=.)", "", line) for line in body.strip().splitlines()]
    title, *rows = [line for line in plain if line]
    return 40 + 17 * math.ceil(len(title) / 60) + sum(3 + 11 * math.ceil(len(row) / 105) for row in rows)


def forms(statement: Statement, where: Path) -> None:
    for form in ("long", "short"):
        one = replace(statement, form=form)  # type: ignore[arg-type]
        pages = compiled(latex.latex(one), where)
        assert form == "long" or pages <= 1
        page = markdown.markdown(one)
        assert "<b>" not in page.replace("\\<b>", "").replace("&lt;b>", "")
        assert "&lt;b&gt;" in statement_page(one) and "<b>" not in statement_page(one)
    assert latex_points(latex.latex(replace(statement, form="short"))) <= TEXT_HEIGHT
    brief = markdown.markdown(replace(statement, form="short"))
    assert len(brief) <= short.CHARACTERS and brief.count("\n") <= short.LINES


def datasheet(read: Read) -> None:
    sheet = read.datasheet
    assert len(sheet.answers) == CLASSES and len(sheet.criteria) == len(read.statement.criteria) > 0
    assert all(len(own) == OF_CRITERION for _, own in sheet.criteria)
    page = heds.markdown(sheet)
    assert len(re.findall(r"^\*\*\d(?:\.\d+)+ ", page, re.M)) == len(sheet.every)
    told = json.loads(json.dumps(sheet.to_dict()))
    assert sum(len(one["questions"]) for one in told["criteria"]) == OF_CRITERION * len(sheet.criteria)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_format_of_every_protocol(protocol: str, tmp_path: Path) -> None:
    read = run(tmp_path / "s", protocol, **hard(protocol))
    forms(read.statement, tmp_path)
    datasheet(read)
    values = json.loads(json.dumps(read.statement.to_dict()))
    assert Statement.from_dict(values, "s") == read.statement
    told = json.dumps(values, ensure_ascii=False)
    assert json.dumps(ASKED, ensure_ascii=False)[1:-1] in told and json.dumps(NAME, ensure_ascii=False)[1:-1] in told
