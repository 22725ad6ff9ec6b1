"""Words marked as the reason for an answer, on every protocol that asks for one: stored as places of the text shown."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import made
import pytest
import yaml
from made import Visitor

from nlgauge.study.file import study
from nlgauge.study.protocols import PROTOCOLS
from nlgauge.study.protocols.annotations.pages import fingerprint
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store
from nlgauge.web import rehearsal

TEXT = "🌞 cafe\u0301 {name}\r\nمطر غدًا <b>{k}</b>."
FIELDS: dict[str, dict[str, str]] = {
    "triangle": {"answer": "1"},
    "likert": {"c0": "2"},
    "continuous": {"c0": "20"},
    "binary": {"c0": "1"},
    "pairwise": {"c0": "a"},
    "ranking": {"c0-0": "1", "c0-1": "2", "c0-2": "3"},
    "best-worst": {"c0-best": "0", "c0-worst": "1"},
    "post-edit": {"outcome": "rewritten", "text": "Rain.", "was": fingerprint("x")},
    "classification": {"c0": "2"},
    "task": {"a0": "0", "asked": "choice.2"},
    "magnitude": {"c0": "20"},
    "rankme": {"c0-0": "1", "c0-1": "2,5", "c0-2": "30"},
}
OWN: dict[str, dict[str, Any]] = {
    "triangle": {
        "question": "Which text is by another author?",
        "goal": "difference",
        "risks": {"p_d": 0.5},
        "criteria": None,
    },
    "binary": {"criteria": ["grammaticality"]},
    "ranking": {"design": {"kind": "bibd", "per_screen": 3}},
    "best-worst": {"design": {"kind": "bibd", "per_screen": 3}},
    "post-edit": {"criteria": None},
    "rankme": {"design": {"kind": "bibd", "per_screen": 3}},
    "classification": {"criteria": None, "question": "Whose?", "classes": {"x": "X", "y": "Y"}},
    "task": {
        "criteria": None,
        "ask": [{"id": "rain", "text": "Rain?", "type": "choice", "options": ["yes", "no"], "answer": "yes"}],
    },
}


def launched(folder: Path, protocol: str) -> Service:
    names = "AB" if protocol == "triangle" else "xyz"
    texts = {name: {"texts": [TEXT.format(name=name, k=k) for k in range(12)]} for name in names}
    values: dict[str, Any] = {
        "protocol": protocol,
        "title": "Why?",
        "subjects": texts,
        "criteria": ["fluency"],
        "panels": {"public": {"judges": 3, "evaluations": 2, "access": "links"}},
        "reasons": {"text": "optional", "highlight": "required"},
        "seed": 7,
    }
    values = {name: value for name, value in (values | OWN.get(protocol, {})).items() if value is not None}
    folder.mkdir(parents=True)
    (folder / study.FILE).write_text(yaml.safe_dump(values, allow_unicode=True), encoding="utf-8")
    return launch(study.load(folder), folder, Store.memory())


def test_every_protocol_is_looked_at() -> None:
    # of spans the marks are the answer, and a conversation has no text to be marked
    asked = [name for name in PROTOCOLS if name not in ("spans", "chat")]
    assert [name for name in asked if name not in FIELDS] == []


@pytest.mark.parametrize("protocol", FIELDS)
def test_marked_words_are_stored_as_they_stand_in_the_text(protocol: str, tmp_path: Path) -> None:
    service = launched(tmp_path / "study", protocol)
    with made.client(service, tmp_path / "study") as browser:
        visitor = Visitor(browser, made.links(service, "public")[0])
        visitor.send("begin")
        page = visitor.get().text
        shown = rehearsal.on_screen(service, visitor.hidden("answer", page)["claim"]).texts
        boxes = re.findall(r'name="mark" value="(\d+)-(\d+)-(\d+)"><span>(.*?)</span>', page, re.S)
        assert boxes and {int(place) for place, *_ in boxes} == set(range(len(shown)))
        for place, start, end, words in boxes:
            assert shown[int(place)].text[int(start) : int(end)] == html.unescape(words)
        assert visitor.send("answer", FIELDS[protocol], page).status_code == 422, "a mark is required"
        chosen = boxes[:2] + boxes[-1:]
        marks = ["-".join(one[:3]) for one in chosen]
        assert visitor.send("answer", FIELDS[protocol] | {"mark": marks, "reason": "because"}, page).status_code == 303  # type: ignore[dict-item]
    (stored,) = service.judgements()
    assert stored.highlights == tuple(sorted(tuple(map(int, one[:3])) for one in chosen)) and stored.reason == "because"
    words = [shown[place].text[start:end] for place, start, end in stored.highlights]
    assert "🌞" in words and "cafe\u0301" in words
