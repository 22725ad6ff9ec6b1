"""The forms of a statement: Markdown, LaTeX, page, one page, the datasheet, and two statements side by side."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from stated import folder, run

from nlgauge.cli import main
from nlgauge.report.study.statement import statement_page
from nlgauge.study.statements import heds, latex, markdown, short
from nlgauge.study.statements.compare import compare
from nlgauge.study.statements.read import Read
from nlgauge.study.statements.types import Entry, Field, Statement
from reading_tex import latex_faults

EVIL = r"""a\b {c} $d$ & 50 % #1 _x_ ^ ~ <script>alert("1")</script> | `q` [l](u) -- ,, '' “e” ‘f’ – … α × é
- not a list
# not a heading
\end{document} {{{"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    return run(tmp_path_factory.mktemp("likert") / "s", "likert")


def spoilt(statement: Statement, text: str = EVIL) -> Statement:
    """Every value, label and name replaced."""
    sections = tuple(
        replace(
            section,
            name=text,
            fields=tuple(
                replace(field, title=text, about="", entries=(Entry(text, text), Entry(text)))
                for field in section.fields
            ),
        )
        for section in statement.sections
    )
    return replace(statement, title=text, sections=sections, remarks=(text,))


def test_the_reader_of_latex_finds_faults() -> None:
    for bad in (
        "{",
        "}",
        r"\begin{x}",
        r"\end{x}",
        r"\begin{a}\begin{b}\end{a}\end{b}",
        r"\evil{}",
        "50 %",
        "a_b",
        "$x",
    ):
        assert latex_faults(bad), bad
    assert latex_faults(r"\begin{a}50 \% \emph{x\_y} $\alpha$ {[}\end{a}") == []


@pytest.mark.parametrize("form", ["long", "short"])
def test_latex_is_well_formed_whatever_the_texts_hold(form: str, read: Read, tmp_path: Path) -> None:
    for statement in (read.statement, spoilt(read.statement)):
        text = latex.latex(replace(statement, form=form))  # type: ignore[arg-type]
        assert latex_faults(text) == []
        assert text.count(r"\begin{document}") == text.count(r"\end{document}") == 1
        assert "lualatex" not in text
        if shutil.which("pdflatex"):
            (tmp_path / "s.tex").write_text(text, encoding="utf-8")
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "s.tex"]
            assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_latex_keeps_every_character(read: Read) -> None:
    said = latex.escaped(EVIL)
    back = {r"\textbackslash{}": "\\", r"\textquotedbl{}": '"', r"\textquotesingle{}": "'", r"\ldots{}": "…"}
    assert all(sign in said for sign in back)
    assert "--" not in latex.escaped("a -- b") and "''" not in latex.escaped("''")
    foreign = replace(read.statement, title="كيف")
    assert latex.latex(foreign).startswith("% !TeX program = lualatex")


def test_markdown_shows_texts_as_they_are(read: Read) -> None:
    page = markdown.markdown(spoilt(read.statement))
    assert "<script>" not in page and "\n# not" not in page and "\n- not" not in page
    whole = markdown.markdown(read.statement)
    assert "Wie förmlich ist dieser Text?" in whole and "## Missing" not in whole
    less = markdown.markdown(read.statement.without("paper"))
    assert "- to be written into the study file: Paper (statement.paper)" in less and "*missing*" not in less


class Checker(HTMLParser):
    """Every tag closed in turn, and the text that a reader sees."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen = ""
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen += data


@pytest.mark.parametrize("form", ["long", "short"])
def test_the_page_is_well_formed_and_shows_texts_as_they_are(form: str, read: Read) -> None:
    for statement in (read.statement, spoilt(read.statement)):
        checker = Checker()
        checker.feed(statement_page(replace(statement, form=form)))  # type: ignore[arg-type]
        assert checker.open == [] and "script" not in checker.tags
    assert '<script>alert("1")</script>' in " ".join(checker.seen.split())


@pytest.mark.parametrize("protocol", ["triangle", "likert", "continuous", "binary"])
@pytest.mark.parametrize("full", [True, False])
def test_the_short_form_fits_a_page(protocol: str, full: bool, tmp_path: Path) -> None:
    found = run(tmp_path / "s", protocol, full=full).statement
    page = markdown.markdown(replace(found, form="short"))
    assert len(page) <= short.CHARACTERS and page.count("\n") <= short.LINES
    assert f"{found.stated} of {found.total} fields" in page
    question = found.criteria[0].wording
    assert (question.get("en") or question[""]) in page


def test_the_short_form_of_many_criteria_and_long_texts_fits_too(tmp_path: Path) -> None:
    names = ["fluency", "coherence", "readability", "grammaticality", "naturalness"]
    many = run(tmp_path / "s", "likert", full=True, criteria=names).statement
    sections = tuple(
        replace(one, fields=tuple(replace(f, entries=(Entry("word " * 400),)) for f in one.fields))
        for one in many.sections
    )
    for statement in (many, replace(many, sections=sections, title="long " * 100)):
        page = markdown.markdown(replace(statement, form="short"))
        assert len(page) <= short.CHARACTERS and page.count("\n") <= short.LINES
    assert "word …" in page


@pytest.mark.parametrize("protocol", ["likert", "pairwise", "ranking", "best-worst", "magnitude"])
def test_the_short_form_has_every_question_and_label_exactly(protocol: str, tmp_path: Path) -> None:
    """Four criteria, everything stated, two languages: what is lesser goes before a word of what was asked."""
    names = ["fluency", "coherence", "overall-quality", "naturalness"]
    found = run(tmp_path / "s", protocol, full=True, criteria=names).statement
    page = markdown.markdown(replace(found, form="short"))
    assert len(page) <= short.CHARACTERS and page.count("\n") <= short.LINES
    assert "Balance as realised" not in page
    said = " ".join(text for _, text in short.rows(found))
    for one in found.criteria:
        assert one.wording.get("en", one.wording.get("")) in said
        for value, words in one.labels:
            assert f"label at {value}: {words.get('en', words.get(''))}" in said


def test_the_short_form_has_every_wording_and_counts_languages_apart() -> None:
    def told(*entries: Entry) -> str:
        return short._text(Field("wording.q", "Exact wording", entries, "file", "criteria", about="Q"))

    good, bad = Entry("How good?", "neutral", "", "neutral"), Entry("Good?", "loaded", "", "loaded")
    assert told(good, bad) == "neutral: How good?; loaded: Good?"
    german = (Entry("Wie gut?", "neutral, de", "", "neutral"), Entry("Gut?", "loaded, de", "", "loaded"))
    assert told(good, german[0], bad, german[1]) == "neutral: How good?; loaded: Good? (one of 2 languages)"
    assert told(Entry("How good?", "English"), Entry("Wie gut?", "German")).endswith("(English, one of 2 languages)")


def test_the_datasheet_has_every_numbered_question(read: Read) -> None:
    expected = [f"1.{k}" for k in range(1, 4)] + [f"2.{k}" for k in range(1, 6)]
    for section, last in (("3.1", 3), ("3.2", 5), ("3.3", 8)):
        expected += [f"{section}.{k}" for k in range(1, last + 1)]
    of_criterion = [f"{s}.{k}" for s, last in (("4.1", 3), ("4.2", 3), ("4.3", 11)) for k in range(1, last + 1)]
    sheet = read.datasheet
    assert [one.number for one in sheet.answers] == [*expected, "5.1", "5.2", "5.3", "5.4"]
    assert [name for name, _ in sheet.criteria] == ["Fluency", "formality"]
    for _, own in sheet.criteria:
        assert [one.number for one in own] == of_criterion
    assert sheet.given == len(sheet.every) == 62
    page, values = heds.markdown(sheet), json.loads(json.dumps(sheet.to_dict()))
    for number in [*expected, *of_criterion]:
        assert f"**{number} " in page
    told = [
        *values["questions"],
        *values["ethics"],
        *(q for one in values["criteria"] for q in one["questions"]),
    ]
    assert len(told) == 62 and values["completeness"]["share"] == 1.0


def test_the_datasheet_says_what_it_lacks(tmp_path: Path) -> None:
    sheet = run(tmp_path / "s", "triangle", full=False).datasheet
    answers = {one.number: one for one in sheet.every}
    assert answers["1.1"].lacking == ("statement.paper",) and not answers["1.1"].given
    assert len(answers["3.2.2"].lacking) == 4
    assert answers["3.1.1"].answer == "12" and answers["3.2.1"].answer == "12"
    assert answers["4.2.2"].answer == "relative" and answers["4.3.3"].answer == "3"
    assert answers["4.3.7"].answer == "Which text was written by a different author?"
    assert "*(lacking: statement.paper)*" in heds.markdown(sheet)


def test_answers_collected_elsewhere_say_nothing_of_our_pages(read: Read) -> None:
    assert read.facts is not None
    imported = Read(read.statement, read.frozen, read.stated, replace(read.facts, imported=True))
    answers = {one.number: one for one in imported.datasheet.every}
    assert answers["3.3.2"].lacking == ("statement.interface",)
    assert answers["3.3.7"].lacking == ("statement.conditions",)


def test_what_differs_between_two_studies(tmp_path: Path) -> None:
    first = run(tmp_path / "a", "likert").statement
    assert compare(first, first).differences == () and len(compare(first, first).same) == first.total
    other = [{"id": "formality", "definition": "The sentences are grammatical.", "question": "How formal is it?"}]
    second = run(tmp_path / "b", "likert", criteria=other, languages=["en"]).statement
    found = compare(first, second.without("paper"))
    by_key = {one.key: one for one in found.differences}
    assert by_key["wording.fluency"].second is None and by_key["paper"].second == ""
    assert by_key["wording.formality"].first != by_key["wording.formality"].second == "How formal is it?"
    assert "design_hash" not in by_key and "Contact" in found.same
    assert any("one name and two definitions" in one for one in found.criteria)


def test_two_names_for_one_thing_are_told(tmp_path: Path) -> None:
    first = run(tmp_path / "a", "likert", criteria=["fluency"]).statement
    again = {
        "id": "linguistic_quality",
        "same_as": "fluency",
        "question": "How good is the language?",
        "definition": first.criteria[0].definition,
    }
    second = run(tmp_path / "b", "likert", criteria=[again], languages=["en"]).statement
    assert any("two names for one thing" in one for one in compare(first, second).criteria)


# -------------------------------------------------------------------------------------------------- commands


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = folder(tmp_path_factory.mktemp("finished") / "s", "likert", full=True)
    assert main(["study", "launch", str(where)]) == 0
    assert main(["study", "simulate", str(where)]) == 0
    return where


@pytest.fixture
def study(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    shutil.copytree(finished, tmp_path / "s")
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    return "s"


def out(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["study", *words]) == 0
    return capsys.readouterr().out


def test_the_command_writes_every_format(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "statement", study).startswith("# Design statement: How good?")
    assert latex_faults(out(capsys, "statement", study, "--format", "latex")) == []
    assert out(capsys, "statement", study, "--format", "html").startswith("<!DOCTYPE html>")
    values = json.loads(out(capsys, "statement", study, "--format", "json"))
    assert values["completeness"]["share"] == 1.0
    assert json.loads(out(capsys, "statement", study, "--form", "short", "--json"))["form"] == "short"
    assert "**4.3.11 " in out(capsys, "statement", study, "--format", "heds")
    assert json.loads(out(capsys, "statement", study, "--format", "heds", "--json"))["datasheet"].startswith("HEDS")
    assert main(["study", "statement", study, "--format", "heds", "-o", "h.json"]) == 0
    assert len(json.loads(Path("h.json").read_text(encoding="utf-8"))["criteria"]) == 2


def test_what_is_stated_after_launch_counts(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(study, "study.yaml")
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"paper: .*", "paper: ''", text), encoding="utf-8")
    values = json.loads(out(capsys, "statement", study, "--json"))
    assert [one["key"] for one in values["missing"]] == ["paper"]


def test_statements_are_compared_from_folders_and_files(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder(Path("t"), "triangle", full=True)
    assert main(["study", "statement", study, "--format", "json", "-o", "a.json"]) == 0
    capsys.readouterr()
    assert "0 fields differ" in out(capsys, "compare-statements", "a.json", study)
    said = out(capsys, "compare-statements", study, "t")
    assert "Type of the questions" in said and "fields differ" in said
    assert json.loads(out(capsys, "compare-statements", study, "t", "--json"))["differences"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("statement", "nowhere"), "there is no folder nowhere"),
        (("statement", "."), "holds no study.yaml"),
        (("statement", "s", "-o", "no/such/x.md"), "there is no folder"),
        (("compare-statements", "s", "nowhere"), "no such file"),
        (("compare-statements", "s", "bad.json"), "is not valid JSON"),
        (("compare-statements", "s", "list.json"), "is no design statement"),
        (("compare-statements", "s", "other.json"), "is no design statement: it has no 'sections'; expected"),
    ],
)
def test_mistakes(study: str, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("bad.json", "{"), ("list.json", "[]"), ("other.json", '{"study": 1}')):
        Path(name).write_text(text, encoding="utf-8")
    assert main(["study", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_key_that_there_is_not_is_refused_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = folder(tmp_path / "s", "triangle", full=True, statement={"papr": "x"})
    assert main(["study", "statement", str(where)]) == 2
    assert re.search(r"line \d+: there is no key 'statement.papr'; did you mean paper", capsys.readouterr().err)
