"""Files, study folders and the command: places, roles, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.criteria.catalogue import catalogue
from nlgauge.study.languages import worded
from nlgauge.study.question_review import Piece, review, review_folder
from nlgauge.study.question_review.sources import from_file, from_study

STUDY: dict[str, Any] = {
    "protocol": "triangle",
    "title": "Who wrote it?",
    "goal": "difference",
    "subjects": {
        "A": {"texts": [f"Our system, {k}: obviously rain." for k in range(12)]},
        "B": {"texts": [f"Forecast {k} says rain." for k in range(12)]},
    },
    "question": "Which text was written by a different author?",
    "panels": {"public": {"judges": 12, "access": "open"}},
    "seed": 7,
}


def folder(path: Path, **changes: Any) -> Path:
    path.mkdir(exist_ok=True)
    text = yaml.safe_dump(STUDY | changes, sort_keys=False, allow_unicode=True)
    (path / "study.yaml").write_text(text, encoding="utf-8")
    return path


def asked(source: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["review-questions", str(source), "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_file_with_one_question_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.txt"
    file.write_text("How fluent is the text?\n\nHow unnatural is the text?\n", encoding="utf-8")
    [found] = asked(file, capsys)["findings"]
    assert {"line", "kind", "text", "reason", "rewording"} <= set(found)
    assert found["line"] == 3 and found["kind"] == "negative wording"
    assert found["text"] == "How unnatural is the text?"
    assert main(["review-questions", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "line 3: negative wording (framing)" in shown
    assert "Instead: How natural or unnatural is the text?" in shown


def test_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    rows = [
        {"text": "Rate it from 1 to 3.", "labels": ["good", "very good", "excellent"]},
        {"text": "Wie langweilig ist der Text?", "language": "de"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [(one.line, one.kind) for one in review(from_file(file))] == [
        (1, "unbalanced scale"),
        (2, "negative wording"),
    ]


def test_each_line_is_reviewed_in_its_own_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.txt"
    file.write_text(
        "Wie viel besser ist Text A als Text B?\nHow much better is text A than text B?\n", encoding="utf-8"
    )
    first, second = asked(file, capsys)["findings"]
    assert (first["language"], first["rewording"].partition(" ")[0]) == ("de", "Welcher")
    assert (second["language"], second["rewording"].partition(" ")[0]) == ("en", "Which")
    assert [one["line"] for one in asked(file, capsys, "--language", "de")["findings"]] == [1]
    said = folder(tmp_path / "s", question="Wie langweilig ist der Text?")
    assert next((one.kind, one.language) for one in review_folder(said)) == ("negative wording", "de")


DEFINITIONS = (
    "The text is fluent: it is well written, without errors of grammar or spelling.",
    "The text contains no errors.",
    "Coherence: the sentences fit together and the text is well organised.",
    "The text is clear, concise and polite.",
    "The output does not contradict the input.",
    "Relevance measures how well the summary captures the key points of the article.",
)


def test_a_definition_says_what_is_judged_and_leads_nobody(tmp_path: Path) -> None:
    """“The text is appropriate” is a claim in a question, and in a definition what is to be judged."""
    known = [Piece(one.definition, "definition", labelled=True) for one in catalogue().values()]
    assert len(known) > 30 and review([*known, *(Piece(text, "definition") for text in DEFINITIONS)]) == []
    criteria = [{"id": "own", "definition": DEFINITIONS[0], "question": "How fluent is this text?"}]
    made = folder(tmp_path / "s", protocol="likert", criteria=criteria)
    assert [one.role for one in from_study(made) if one.key == "criteria.1.definition"] == ["definition"]
    steering = ("Obviously the texts of our system are fluent.", "A text of our new neural model is natural.")
    assert all(review([Piece(text, "definition")]) for text in steering)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.txt", "", "holds no questions"),
        ("q.jsonl", '{"question": "x"}', 'line 1: expected an object with "text"'),
        ("q.jsonl", "{", "line 1: not valid JSON"),
        ("q.jsonl", '{"text": "x", "role": "y"}', "there is no role 'y'"),
        ("q.txt", b"\xff\xfe", "UTF-8"),
    ],
)
def test_refusals(
    tmp_path: Path, name: str, content: str | bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["review-questions", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_other_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review-questions", str(tmp_path / "none.txt")]) == 2
    assert main(["review-questions", str(tmp_path)]) == 2
    assert "holds no study.yaml" in capsys.readouterr().err
    (tmp_path / "study.yaml").write_text("a: [", encoding="utf-8")
    assert main(["review-questions", str(tmp_path)]) == 2
    assert "not valid YAML" in capsys.readouterr().err
    (tmp_path / "q.txt").write_text("x", encoding="utf-8")
    assert main(["review-questions", str(tmp_path / "q.txt"), "--language", "xx"]) == 2
    assert "no rules for the language 'xx'" in capsys.readouterr().err


def test_a_study_folder(tmp_path: Path) -> None:
    study = folder(
        tmp_path / "s",
        instructions={"en": "We expect text A to be better.", "de": "Wie Sie sehen, ist Text A gut."},
        consent={"text": "You agree to take part."},
        practice={"examples": [{"texts": ["our system", "b", "c"], "odd": 1}]},
        criteria=[
            "fluency",
            "grammaticality",
            {"id": "glow"},
            {
                "id": "form",
                "definition": "It is formal.",
                "question": {"en": "How formal and clear is it?"},
                "scale": {"points": 3, "labels": [{"en": "fair"}, {"en": "good"}, {"en": "excellent"}]},
            },
        ],
        panels={"p": {"judges": 12, "evaluations": 60}},
    )
    lines = (study / "study.yaml").read_text(encoding="utf-8").splitlines()
    found = review_folder(study)
    keys = {(remark.key, remark.kind, remark.language) for remark in found}
    assert keys == {
        ("instructions", "hypothesis", "en"),
        ("instructions", "leading", "de"),
        ("criteria.4.question", "double-barrelled", "en"),
        ("criteria.4.scale.labels", "unbalanced scale", "en"),
        ("criteria.3", "no definition", "en"),
        ("criteria", "similar neighbours", "en"),
        ("panels.p", "fatigue", "en"),
    }
    for remark in found:
        assert remark.file.endswith("study.yaml") and remark.line > 0
    hope = next(remark for remark in found if remark.kind == "hypothesis")
    assert "We expect" in lines[hope.line - 1]
    assert [piece.text for piece in from_study(study) if piece.role == "example"] == ["our system", "b", "c"]


def test_check_shows_the_review(tmp_path: Path) -> None:
    study = folder(tmp_path / "s", instructions="Most judges found text A better.")
    found = [one for one in check(study, simulate=False)[0] if one.kind == "question review"]
    assert found and found[0].severity == "risk"
    assert "others’ answers" in found[0].message and found[0].figures["rewording"]
    quiet = folder(tmp_path / "t")
    assert [one for one in check(quiet, simulate=False)[0] if one.kind == "question review"] == []


def test_our_own_wordings_pass() -> None:
    for name in ("triangle.title", "triangle.question", "triangle.instructions", "consent"):
        words = worded(name)
        for language in ("en", "de"):
            assert review([Piece(words[language], "instructions", language=language)]) == []


def test_a_line_of_a_megabyte_is_refused_and_one_of_many_sentences_is_reviewed(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text("Is the text good, or do you not agree? " * 26_000 + "\n")
    with pytest.raises(InputError, match=r"line 1: 1,\d{3},\d{3} characters"):
        from_file(file)
    file.write_text("Is the text good, or do you not agree? " * 500 + "\n")
    assert len(from_file(file)) == 1


def test_a_catalogue_criterion_with_options_of_the_study_has_its_definition(tmp_path: Path) -> None:
    study = folder(tmp_path / "s", criteria=["fluency", {"id": "faithfulness", "cannot_judge": True}, {"id": "mine"}])
    (found,) = (one for one in review_folder(study) if one.kind == "no definition")
    lines = (study / "study.yaml").read_text(encoding="utf-8").splitlines()
    assert found.key == "criteria.3" and "id: mine" in lines[found.line - 1]
