"""Judges read the wording that they were dealt, on every page, and never the other."""

from __future__ import annotations

from pathlib import Path

import made
from made import Visitor
from test_rating_pages import OWN, launched

from nlgauge.study.machine_judges.making import made as machine
from nlgauge.study.protocols.outputs.file import output_study
from nlgauge.web.language import load

QUESTIONS = {"neutral": "How fluent or not is this text?", "positive": "How fluent is this fine text?"}
WORDED = {"id": "fluency", "wordings": QUESTIONS}


def test_a_judge_reads_one_wording_throughout(tmp_path: Path) -> None:
    service = launched(
        tmp_path / "s",
        criteria=[WORDED, OWN],
        panels={"public": {"judges": 4, "access": "links"}},
        practice={"texts": 1},
        reasons=None,
    )
    with made.client(service, tmp_path / "s") as browser:
        read = []
        for path in made.links(service, "public"):
            visitor = Visitor(browser, path)
            assert visitor.send("begin").status_code == 303
            pages = [visitor.get().text]
            assert visitor.send("practice", {"c0": "2", "c1": "1"}).status_code == 303
            pages.append(visitor.get().text)
            wrong = visitor.send("answer", {"c0": "2"})
            pages.append(wrong.text)
            assert wrong.status_code == 422
            assert visitor.send("answer", {"c0": "2", "c1": "1"}).status_code == 303
            pages.append(visitor.get().text)
            changed = visitor.get("/change/" + service.judgements()[-1].id)
            pages += [changed.text] if changed.status_code == 200 else []
            seen = [{name for name, words in QUESTIONS.items() if words in page} for page in pages]
            assert all(one == seen[0] and len(one) == 1 for one in seen), seen
            read += seen[0]
        assert sorted(read) == ["neutral", "neutral", "positive", "positive"]
        stored = {row["id"]: row["wording"] for row in service.people.judges()}
        assert all(one.wording == stored[one.judge] for one in service.judgements())
    service.store.close()


def test_judges_of_a_machines_panel_take_turns(tmp_path: Path) -> None:
    model = {"kind": "openai", "url": "http://127.0.0.1:1/v1", "model": "tiny", "temperature": 1}
    panels = {
        "public": {"judges": 2, "access": "links"},
        "m": {"kind": "machine", "judges": 3, "judge": model},
    }
    service = launched(tmp_path / "s", criteria=[WORDED], panels=panels, show=[], reasons=None)
    study = output_study(service.study)
    judge = study.panels["m"].judge
    assert judge is not None
    asked = []
    for number in (1, 2, 3):
        found = machine(judge, study, tmp_path, language="en", say=load("en").say, number=number)
        told = str(found.prompt)
        asked.append([name for name, words in QUESTIONS.items() if words in told])
        service.machines.enlist("m", "public", number)
    assert asked == [["neutral"], ["positive"], ["neutral"]]
    assert sorted(row["wording"] for row in service.people.judges()) == ["neutral", "neutral", "positive"]
    service.store.close()
