"""The researcher's pages: what they show, what they never show, and what their buttons do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import made
import pytest
import sqlalchemy as sa
from researcher import PAGES, Clock, Researcher, answer, first, site
from starlette.testclient import TestClient

from nlgauge.study.exchange import export
from nlgauge.study.protocols.triangle.analysis.reading import material
from nlgauge.study.service import Service, progress
from nlgauge.study.store import Store, kept_in
from nlgauge.web import figures
from nlgauge.web.verdicts import Verdicts, look


@pytest.fixture
def service(watched: tuple[Service, TestClient]) -> Service:
    """The study whose dashboard is looked at."""
    return watched[0]


# -------------------------------------------------------------------------------------------------- the overview


def test_an_empty_study(inside: Researcher) -> None:
    page = inside.get().text
    assert "Nobody has answered yet" in page
    assert "No verdict yet" in page


def test_progress_is_shown_and_correctness_is_not(inside: Researcher, service: Service, clock: Clock) -> None:
    """Two studies that differ only in what was answered have the same pages."""
    answer(service, clock, "public", 2, first)
    before = [_plain(inside.get(path).text) for path in ("", "/judges", "/links", "/study")]
    assert "<strong>6</strong> of 12 evaluations" in inside.get().text
    assert "6 of 12 planned answers" in inside.get().text  # why there is no verdict
    with service.store.write() as connection:
        connection.exec_driver_sql("UPDATE judgements SET answer = (answer + 1) % 3")
    after = [_plain(inside.get(path).text) for path in ("", "/judges", "/links", "/study")]
    assert before == after


def _plain(page: str) -> str:
    return re.sub(r"[0-9a-f]{64}", "", page)


def test_the_queries_for_watching_read_no_answer(service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 1, first)
    seen: list[str] = []
    sa.event.listen(service.store.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
    service.progress.seats()
    service.progress.link_states()
    service.progress.version()
    assert seen
    assert not [query for query in seen if "judgements.answer," in query or ".role" in query or "judgements.*" in query]


def test_times_and_too_fast(service: Service, clock: Clock) -> None:
    judge, _ = service.arrivals.register("public")
    for seconds in (1.0, 10.0, 30.0):
        step = service.dealing.step(judge)
        assert step.evaluation is not None
        clock.now += seconds
        service.answers.answer(judge, step.evaluation.claim, 0)
    found = progress.pace(service.progress.answered(), 3.0)
    assert found is not None
    assert (found.low, found.median, found.high, found.fast) == (5.5, 10.0, 20.0, 1)
    seat = service.progress.seats()[0]
    assert (seat.stage, seat.answered, seat.median, seat.fast, seat.last_seen) == (
        "done",
        3,
        10.0,
        1,
        clock.now,
    )
    assert progress.pace([], 3.0) is None


def test_plots_of_a_few_and_of_many_answers() -> None:
    def some(number: int) -> list[progress.Answered]:
        return [progress.Answered("p", f"j{k}", 60.0 * k, 60.0 * k + k % 50) for k in range(number)]

    assert figures.arrivals(some(1)) == ""
    assert "minutes since 1970-01-01" in figures.arrivals(some(2))
    assert "days since" in figures.arrivals(some(5_000))
    assert len(figures.arrivals(some(5_000))) < 12_000
    assert figures.seconds_plot([], 3.0) == ""
    assert "too fast: 3 s" in figures.seconds_plot(some(1), 3.0)
    assert "too fast" not in figures.seconds_plot(some(30), 0.0)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7_200, "2 hours ago"),
        (172_800, "2 days ago"),
        (-5, "just now"),
    ],
)
def test_how_long_ago(seconds: float, said: str) -> None:
    assert figures.ago(1_000_000 - seconds, 1_000_000) == said


def test_pause_resume_close_and_reopen(inside: Researcher, service: Service) -> None:
    inside.post("/pause")
    assert "Paused: nothing new is dealt" in inside.get().text
    assert "The study goes on." in inside.browser.get(inside.post("/resume").headers["location"]).text
    assert inside.post("/close").status_code == 422
    assert service.status == "open"
    assert "exploratory" in inside.get("/close").text
    assert inside.post("/close", {"confirm": "yes"}).status_code == 303
    assert service.status == "closed"
    assert inside.post("/pause").status_code == 409
    assert inside.post("/reopen").status_code == 303
    assert service.status == "open"


# -------------------------------------------------------------------------------------------------- the verdict


@pytest.fixture
def complete(tmp_path: Path, clock: Clock) -> Iterator[tuple[Service, Researcher]]:
    service, browser = site(tmp_path / "one", clock, panels={"public": {"judges": 12, "access": "open"}}, reasons=None)
    with browser:
        person = Researcher(browser)
        person.log_in()
        yield service, person
    service.store.close()


def test_a_verdict_only_when_all_have_answered(complete: tuple[Service, Researcher], clock: Clock) -> None:
    service, person = complete
    answer(service, clock, "public", 11, first)
    page = person.get().text
    assert "11 of 12 planned answers" in page and "correctly" not in page
    assert person.get("/analysis").status_code == 422
    answer(service, clock, "public", 1, first)
    page = person.get().text
    assert "12 judges answered correctly" in page
    full = person.get("/analysis")
    assert full.status_code == 200
    assert "Sentences to paste" in full.text and "<svg" in full.text
    assert not re.search(r"<style|\sstyle=", full.text)
    sheet = re.search(r'href="(/dashboard/report/[0-9a-f]{12}\.css)"', full.text)
    assert sheet is not None
    assert "immutable" in person.browser.get(sheet.group(1)).headers["cache-control"]


def test_a_closed_study_is_analysed_as_it_is(complete: tuple[Service, Researcher], clock: Clock) -> None:
    service, person = complete
    answer(service, clock, "public", 9, first)
    person.post("/close", {"confirm": "yes"})
    page = person.get().text
    assert "closed with 9 of 12 planned answers" in page and "correctly" not in page
    assert not service.events("analysed")
    assert person.get("/analysis").status_code == 422  # a page that is opened by chance looks at nothing
    assert person.post("/analysis").headers["location"] == "/dashboard/analysis"
    assert "exploratory" in person.get("/analysis").text
    assert "9 judges answered correctly" in person.get().text
    assert len(service.events("analysed")) == 1
    assert person.post("/reopen").status_code == 409


def test_a_verdict_waits_where_further_answers_are_admitted(tmp_path: Path, clock: Clock) -> None:
    service, browser = site(
        tmp_path / "study",
        clock,
        panels={"public": {"judges": 6, "access": "open"}},
        reasons=None,
        extra="continue",
    )
    with browser:
        person = Researcher(browser)
        person.log_in()
        answer(service, clock, "public", 7, first)
        assert "admits further ones: close it" in person.get().text
        assert person.post("/analysis").headers["location"] == "/dashboard/analysis"
        assert not service.events("analysed")
        person.post("/close", {"confirm": "yes"})
        assert "7 judges answered correctly" in person.get().text
    service.store.close()


def test_a_closed_study_without_answers(complete: tuple[Service, Researcher]) -> None:
    _, person = complete
    person.post("/close", {"confirm": "yes"})
    page = person.get().text
    assert "closed with 0 of 12 planned answers" in page and "Analyse it as it is" not in page
    assert person.get("/analysis").status_code == 422


def test_planned_looks_may_be_seen_and_no_others(tmp_path: Path, clock: Clock) -> None:
    service, browser = site(
        tmp_path / "looks",
        clock,
        panels={"public": {"judges": 24, "access": "open"}},
        reasons=None,
        sequential={"looks": [12, 24]},
    )
    with browser:
        person = Researcher(browser)
        person.log_in()
        assert "No look yet; 0 answers are there" in person.get().text
        answer(service, clock, "public", 11, first)
        assert "No look yet; 11 answers are there" in person.get().text
        assert "Looking at it now is peeking" in person.get("/export").text
        answer(service, clock, "public", 1, first)
        assert "look after 12 answers" in person.get().text
    service.store.close()


def test_the_analysis_is_made_once_for_each_state(
    complete: tuple[Service, Researcher], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, _ = complete
    calls = []
    monkeypatch.setattr("nlgauge.web.verdicts.look", lambda found: calls.append(1) or look(found))
    kept = Verdicts(service)
    answer(service, clock, "public", 12, first)
    assert kept.current() is kept.current()
    assert len(calls) == 1
    service.people.forget(service.people.judges()[0]["id"])
    kept.current()
    assert len(calls) == 2


# -------------------------------------------------------------------------------------------------------- links


def test_links_and_their_states(inside: Researcher, service: Service, clock: Clock) -> None:
    experts = service.arrivals.links("experts")
    begun = service.arrivals.follow(experts[0].token)
    done = service.arrivals.follow(experts[1].token)
    while (step := service.dealing.step(done)).kind == "evaluation":
        assert step.evaluation is not None
        service.answers.answer(done, step.evaluation.claim, 0)
    service.dealing.step(begun)
    rows = list(csv.DictReader(io.StringIO(inside.get("/links.csv?panel=experts").text)))
    assert [row["state"] for row in rows] == ["begun", "done", "not visited"]
    assert rows[0]["address"] == f"http://site.test/j/{experts[0].token}"
    page = inside.get("/links").text
    assert "not visited 1" in page and "begun 1" in page and "done 1" in page
    unsent = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert unsent is not None and unsent.group(1) == f"http://site.test/j/{experts[2].token}"
    assert "{{%PROLIFIC_PID%}}" in page and "workerId=${workerId}" in page and "C0DE-42" in page
    lines = inside.get("/links.txt").text.splitlines()
    assert len(lines) == 5
    assert inside.get("/links.csv").headers["content-disposition"].endswith('-links-2027-01-15.csv"')
    assert inside.get("/links.csv?panel=nobody").status_code == 404


def test_more_links(inside: Researcher, service: Service) -> None:
    given = inside.post("/links", {"panel": "experts", "count": "5"}, "/links")
    assert "Links made: 5." in inside.browser.get(given.headers["location"]).text
    assert len(service.arrivals.links("experts")) == 8
    for count in ("0", "-1", "x", "", "9999999999"):
        assert inside.post("/links", {"panel": "experts", "count": count}, "/links").status_code == 422
    assert inside.post("/links", {"panel": "nobody", "count": "1"}, "/links").status_code == 404
    assert len(service.arrivals.links("experts")) == 8


def test_links_begin_with_the_stated_address(tmp_path: Path, clock: Clock) -> None:
    _, browser = site(tmp_path / "study", clock, "http://study.example.org/x/")
    with browser:
        page = browser.get("/dashboard/login")
        assert 'action="/x/dashboard/login"' in page.text
        assert browser.get("/dashboard").headers["location"] == "/x/dashboard/login"


def test_long_tables_come_in_pages(inside: Researcher, service: Service) -> None:
    service.arrivals.more_links("experts", 150)
    page = inside.get("/links").text
    assert "Page 1 of 2" in page
    for wild in ("page-1=2", "page-1=99", "page-1=-1", "page-1=x", "page-1=٣", "page-1="):
        assert inside.get(f"/links?{wild}").status_code == 200
    assert "Page 2 of 2" in inside.get("/links?page-1=2").text


# ------------------------------------------------------------------------------------------------------- judges


def test_judges_are_listed_and_forgotten(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 2, first)
    keep, erase = (row["id"] for row in service.people.judges())
    assert keep in inside.get("/judges").text and keep in inside.get("/judges?panel=public").text
    assert keep not in inside.get("/judges?panel=experts").text
    page = f"/judges/{erase}/forget"
    assert inside.post(page, {"answers": "erase"}, page).status_code == 422  # not confirmed
    assert len(service.judgements()) == 6
    inside.post(f"/judges/{keep}/forget", {"answers": "keep", "confirm": "yes"}, page)
    assert len(service.judgements()) == 6
    given = inside.post(page, {"answers": "erase", "confirm": "yes"}, page)
    assert "judgements erased: 3." in inside.browser.get(given.headers["location"]).text
    assert len(service.judgements()) == 3
    page = inside.get("/judges").text
    assert page.count("forgotten") >= 2
    assert "2 judges: 0 in progress, 0 finished, 0 failed, 0 withdrawn, 2 forgotten" in page
    rows = {name: re.search(rf"{name}</code>.*?class=\"num\">(\d+)<", page, re.S) for name in (keep, erase)}
    assert [row[1] for row in rows.values() if row] == ["3", "0"]  # what was erased is not listed
    counted = service.progress.report()["panels"]["public"]["judges"]
    assert counted == {"registered": 2, "in_progress": 0, "finished": 0, "failed": 0, "withdrawn": 0, "forgotten": 2}
    assert inside.get("/judges/nobody/forget").status_code == 404


def test_the_stages_of_judges_add_up(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 2, first)
    service.people.withdraw(service.people.judges()[0]["id"])
    service.arrivals.register("public")
    counted = service.progress.report()["panels"]["public"]["judges"]
    assert counted["registered"] == sum(counted.values()) - counted["registered"] == 3
    assert "3 judges: 1 in progress, 1 finished, 0 failed, 1 withdrawn, 0 forgotten" in inside.get("/judges").text
    assert "<strong>1</strong> in progress" in inside.get().text


def test_machines_stand_apart_from_people(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 1, first)
    before = re.findall("Half of the answers took .*?;", inside.get().text)
    machine = service.machines.enlist("chars", "public")
    for _ in range(12):
        shown = service.dealing.step(machine).evaluation
        assert shown is not None
        service.answers.answer(machine, shown.claim, 0)
    page = inside.get().text
    assert before and re.findall("Half of the answers took .*?;", page) == before
    assert 'id="machines">Machines' in page and page.index("Answers and times") < page.index(">chars<")
    people, _, machines = inside.get("/judges").text.partition('id="machines"')
    assert "1 judge: " in people and f"<code>{machine}</code>" not in people
    assert f"<code>{machine}</code>" in machines and "Forget" not in machines and "Too fast" not in machines


def test_abandoned_evaluations_are_released(inside: Researcher, service: Service, clock: Clock) -> None:
    judge, _ = service.arrivals.register("public")
    service.dealing.step(judge)
    clock.now += 31 * 60
    assert "3 evaluations were begun and left" in inside.get("/judges").text
    given = inside.post("/release", {}, "/judges")
    assert "returned to the pool: 3." in inside.browser.get(given.headers["location"]).text


# ------------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize(
    ("kind", "type_"),
    [("csv", "text/csv"), ("jsonl", "application/x-ndjson"), ("parquet", "application/vnd.apache.parquet")],
)
def test_an_export_reads_back(
    kind: str, type_: str, inside: Researcher, service: Service, clock: Clock, tmp_path: Path
) -> None:
    answer(service, clock, "public", 2, first)
    given = inside.post("/export", {"format": kind, "confirm": "yes"}, "/export")
    assert given.status_code == 200
    assert given.headers["content-type"].startswith(type_)
    assert re.search(rf'filename="study-\w{{8}}-judgements-2027-01-15\.{kind}"', given.headers["content-disposition"])
    (tmp_path / f"back.{kind}").write_bytes(given.content)
    assert export.read(tmp_path / f"back.{kind}") == service.judgements()


def test_the_judges_are_downloaded(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 1, first)
    service.arrivals.register_platform("crowd", "prolific", "person-1")
    assert "This is personal data" in inside.get("/export").text
    given = inside.post("/people", {"format": "csv"}, "/export")
    assert given.status_code == 200 and "judges-2027-01-15.csv" in given.headers["content-disposition"]
    assert [row["stage"] for row in csv.DictReader(io.StringIO(given.text))] == ["finished", "in progress"]
    assert "person-1" not in given.text and "correct" not in given.text
    given = inside.post("/people", {"format": "csv", "platform_ids": "yes"}, "/export")
    assert "person-1" in given.text
    assert not service.events("exported")  # nothing in it that would be peeking
    assert inside.post("/people", {"format": "xlsx"}, "/export").status_code == 422


def test_an_early_export_is_confirmed_noted_and_said(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 1, first)
    assert "peeking" in inside.get("/export").text
    refused = inside.post("/export", {"format": "csv"}, "/export")
    assert refused.status_code == 422 and "tick the box" in refused.text
    assert not service.events("exported")
    inside.post("/export", {"format": "csv", "confirm": "yes"}, "/export")
    noted = service.events("exported")[0]["data"]
    assert noted == {"judgements": 3, "answers": 3, "planned": 27, "complete": False, "status": "open"}
    assert "Exports before the end" in inside.get("/export").text
    assert "answers were exported once before the study was complete" in material(service).remarks[0]


def test_an_export_after_the_end_needs_no_confirmation(complete: tuple[Service, Researcher], clock: Clock) -> None:
    service, person = complete
    answer(service, clock, "public", 12, first)
    assert "peeking" not in person.get("/export").text
    assert person.post("/export", {"format": "jsonl"}, "/export").status_code == 200
    assert service.events("exported")[0]["data"]["complete"] is True
    assert not material(service).remarks
    assert person.post("/export", {"format": "xlsx"}, "/export").status_code == 422


# -------------------------------------------------------------------------------------------------------- study


def test_the_frozen_study_is_readable(inside: Researcher, service: Service) -> None:
    page = inside.get("/study").text
    assert service.frozen.digest in page
    assert "Which text is by another author?" in page and "أي نص كتبه مؤلف آخر؟" in page
    assert "Rain will fall over valley 3" in page
    assert "2027-01-15" not in page or "Launched" in page
    assert "SQLite" in page


def test_the_database_is_shown_without_its_password() -> None:
    told = kept_in(sa.make_url("postgresql+psycopg://app:hush@db.example/studies"))
    assert "hush" not in told and "db.example/studies" in told


def test_judges_whose_period_has_passed_are_forgotten(tmp_path: Path, clock: Clock) -> None:
    service, browser = site(tmp_path / "study", clock, ethics={"approval": "x", "retention_days": 30})
    with browser:
        service.arrivals.register("public")
        clock.now += 31 * 86_400
        person = Researcher(browser)
        person.log_in()
        given = person.post("/expired", {}, "/study")
        assert "retention period has passed: 1." in browser.get(given.headers["location"]).text
        assert service.people.judges()[0]["forgotten_at"] is not None
    service.store.close()


def test_texts_are_shown_as_text(tmp_path: Path, clock: Clock) -> None:
    nasty = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    service, browser = site(
        tmp_path / "study",
        clock,
        title=nasty,
        subjects={
            "A": {"name": nasty, "texts": [f"{nasty} {k}" for k in range(12)]},
            "B": {"texts": [f"plain {k}" for k in range(12)]},
        },
        panels={"<b>p</b>&": {"judges": 6, "access": "open"}},
        question=nasty,
        reasons=None,
    )
    with browser:
        person = Researcher(browser)
        person.log_in()
        answer(service, clock, "<b>p</b>&", 6, first)
        for path in (*PAGES, "/analysis", "/judges?panel=" + "%3Cscript%3E"):
            page = person.get(path)
            assert page.status_code == 200, path
            assert "<script>alert" not in page.text and "<img" not in page.text and "<b>p" not in page.text, path
    service.store.close()


def test_a_simulated_study_is_called_so(tmp_path: Path, clock: Clock) -> None:
    service, browser = site(tmp_path / "study", clock)
    service.context.simulated = True
    service.arrivals.register("public")
    with browser:
        person = Researcher(browser)
        person.log_in()
        page = person.get().text
        assert "A rehearsal." in page and ">simulated</p>" in page
    service.store.close()


def test_without_a_dashboard_there_is_none(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "study", Store.memory())
    with made.client(service, tmp_path / "study", dashboard=False) as browser:
        assert browser.get("/dashboard").status_code == 404
        assert browser.get("/dashboard/login").status_code == 404
