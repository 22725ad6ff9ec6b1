"""Questions at the end on the judges' pages: after the last text, and for those who leave before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import made
import pytest
from made import Visitor, heading

from nlgauge.cli import main
from nlgauge.study.exchange import people
from nlgauge.study.service import Service

CLOSING: list[dict[str, Any]] = [
    {
        "id": "tools",
        "type": "several",
        "text": {"en": "What helped you?", "ar": "ما الذي ساعدك؟"},
        "options": [{"en": "a <map>", "ar": "خريطة"}, {"en": "nothing", "ar": "لا شيء"}],
    },
    {
        "id": "hard",
        "type": "scale",
        "points": 7,
        "low": {"en": "very easy", "ar": "سهل جدًا"},
        "high": {"en": "very hard", "ar": "صعب جدًا"},
        "text": {"en": "How hard was it?", "ar": "ما مدى صعوبة ذلك؟"},
        "required": True,
    },
    {"id": "minutes", "type": "number", "text": {"en": "How many minutes?", "ar": "كم دقيقة؟"}},
    {"id": "more", "type": "text", "text": {"en": "Anything else?", "ar": "أي شيء آخر؟"}},
]
PLAIN = {"consent": None, "questions": None, "practice": None, "closing": CLOSING}


def begun(folder: Path, texts: int, **changes: Any) -> tuple[Service, Visitor]:
    """A judge who has answered some of three texts."""
    service = made.launched(folder, **{**PLAIN, **changes})
    visitor = Visitor(made.client(service, folder), made.links(service, "experts")[0])
    visitor.send("begin")
    for _ in range(texts):
        visitor.send("answer", {"answer": "1"})
    return service, visitor


def test_they_come_after_the_last_text_and_before_the_thanks(tmp_path: Path) -> None:
    service, visitor = begun(tmp_path / "s", 3, corrections="allow")
    page = visitor.get()
    assert heading(page.text) == "A few last questions" and "/change" in page.text
    assert "a &lt;map&gt;" in page.text and "very easy" in page.text
    sent = visitor.send("closing", {"q0": ["0", "1"], "q2": "soon", "q3": "keep <this>"}, page.text)
    assert sent.status_code == 422 and "keep &lt;this&gt;" in sent.text  # nothing that was typed is lost
    assert sent.text.count("Please answer this question.") == 2 and "Please enter a number" in sent.text
    assert sent.text.count(" checked") == 2 and service.people.personal() == {}
    good = {"q0": ["0", "1"], "q1": "6", "q2": "7,5", "q3": "keep <this>"}
    assert visitor.send("closing", good, page.text).status_code == 303
    assert heading(visitor.get().text) == "Thank you"
    assert visitor.send("closing", good, page.text).status_code == 303  # by the Back button, once more
    other = visitor.send("closing", good | {"q1": "2"}, page.text)
    assert other.status_code == 409 and "has been kept" in other.text
    (said,) = service.people.personal().values()
    assert said == {"tools": "0,1", "hard": "6", "minutes": "7.5", "more": "keep <this>"}


def test_who_leaves_may_answer_them_and_need_not(tmp_path: Path) -> None:
    service, visitor = begun(tmp_path / "s", 1)
    page = visitor.get("/leave").text
    assert "A few last questions" in page and "(required)" not in page
    assert visitor.send("leave", {"q2": "soon"}, page).status_code == 422
    assert visitor.send("leave", {"q3": "too long"}, page).status_code == 303
    (said,) = service.people.personal().values()
    assert said == {"more": "too long"} and heading(visitor.get().text) == "You have left the study"
    assert len(service.judgements()) == 1


def test_who_has_judged_nothing_is_asked_nothing(tmp_path: Path) -> None:
    service, visitor = begun(tmp_path / "s", 0)
    page = visitor.get("/leave").text
    assert "A few last questions" not in page
    assert visitor.send("leave", {"q3": "too long"}, page).status_code == 303
    assert service.people.personal() == {}


def test_nobody_is_asked_when_the_study_has_closed_and_what_was_being_typed_is_kept(tmp_path: Path) -> None:
    service, visitor = begun(tmp_path / "s", 3)
    page = visitor.get().text
    service.admin.close()
    assert heading(visitor.get().text) == "Thank you"
    assert visitor.send("closing", {"q1": "1"}, page).status_code == 303
    assert list(service.people.personal().values()) == [{"hard": "1"}]


def test_they_are_in_the_table_of_judges_the_statement_and_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service, visitor = begun(tmp_path / "s", 3)
    visitor.send("closing", {"q0": ["0", "1"], "q1": "6", "q2": "7,5", "q3": "Lugo"})
    (row,) = people.rows(service)
    assert (row["q_tools"], row["q_hard"], row["q_minutes"]) == ("a <map> | nothing", 6, 7.5)
    assert row["q_more"] == "Lugo"
    assert people.sample(service, [row])[1:3] == [
        "experts, tools: a <map> 1, nothing 1",
        "experts, hard: median 6, from 6 to 6 (1 answer)",
    ]
    service.admin.close()
    assert main(["study", "statement", str(tmp_path / "s")]) == 0
    told = capsys.readouterr().out
    assert "**Questions at the end**" in told and "very easy" in told and "7 points" in told
    assert "**Answers at the end**" in told and "Lugo" not in told


def test_the_check_reads_them_as_it_reads_criteria(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leading = {
        "id": "l",
        "type": "scale",
        "text": {"en": "How much did you enjoy our great study?", "ar": "؟"},
    }
    twice = {"id": "l", "type": "several", "text": {"en": "Which?", "ar": "أيّ؟"}}
    half = {"id": "h", "type": "scale", "text": {"en": "Hard?", "ar": "؟"}, "low": {"en": "a", "ar": "ب"}}
    named = {"id": "n", "type": "text", "text": {"en": "Why?", "ar": "؟"}, "low": {"en": "a", "ar": "ب"}}
    folder = tmp_path / "s"
    made.launched(folder, **PLAIN | {"closing": [leading]})
    main(["study", "check", str(folder)])
    told = capsys.readouterr().out
    assert "closing.1.text" in told and "no words for its ends" in told and "retention" in told
    import yaml

    text = yaml.safe_dump(made.description(**PLAIN | {"closing": [leading, twice, half, named]}))
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    assert main(["study", "check", str(folder)]) == 2
    told = capsys.readouterr().out
    for words in ("two questions are called 'l'", "needs options", "add high", "leave low out"):
        assert words in told
